/* Blocks about control: a return stands wherever the kernel ends early, a call at every call that is the kernel's own.
 *
 * Requires what pat_run.c has begun; gives matches. */
#include "pattern/pat_run.h"

#include <string.h>

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

/* ---- early exits ----------------------------------------------------------------------------- */

/* What an instance does to control: nothing, an exit, a branch; or an effect that makes it more than leaving. */
enum control { QUIET, EXITS, BRANCHES, ACTS };

static enum control control_of(const struct graph *g, uint32_t insn, uint64_t *target)
{
    const struct uop_list *l = uops_of(g, insn);
    enum control what = QUIET;
    for (size_t i = 0; l && i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        switch (u->kind) {
        case UOP_EXIT: what = EXITS; break;
        case UOP_BRANCH:
            what = BRANCHES;
            *target = u->imm;
            break;
        case UOP_STORE:
        case UOP_ATOM:
        case UOP_RED:
        case UOP_BAR:
        case UOP_CALL:
        case UOP_CALL_IND:
        case UOP_RET:
        case UOP_BRANCH_IND:
        case UOP_TRAP:
        case UOP_ASYNC_COPY:
        case UOP_MISC:
        case UOP_OPAQUE:
        case UOP_MMA: return ACTS;
        default: break;
        }
    }
    return what;
}

/* From this block on nothing happens but the end of the thread. */
static bool only_leaves(const struct graph *g, uint32_t block, unsigned depth)
{
    const struct graph_block *b = &g->blocks.p[block];
    uint64_t target;
    if (depth > 16)
        return false;
    for (uint32_t i = b->first; i <= b->last; i++) {
        enum control what = control_of(g, i, &target);
        if (what == ACTS)
            return false;
        if (what == EXITS && g->insns.p[i].guard == GRAPH_NIL)
            return true;
    }
    return b->succ_count == 1 && only_leaves(g, b->succs[0], depth + 1);
}

/* `condition` ends the thread at instance `insn`: each way it can come to hold by one compare alone is a bound. */
static void leave_when(struct run *r, const struct pat_page *page, const struct pat_variant *v, graph_id condition,
                       uint32_t insn)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!graph_table(r->g, condition, atoms, &count, &table))
        return;
    for (unsigned i = 0; i < 2 * count; i++) {
        bool negated = i & 1;
        graph_id literal = negated ? graph_not(r->g, atoms[i / 2]) : atoms[i / 2];
        if (!graph_implies(r->g, literal, condition))
            continue;
        pat_ctx_begin(&r->c, page, v, literal);
        if (pat_match_literal(&r->c, v->condition, atoms[i / 2], negated)) {
            VEC_PUSH(r->a, r->c.carriers, condition);
            pat_keep(r, literal, &insn, 1);
        }
    }
}

bool pat_only_leaves(const struct graph *g, uint32_t block)
{
    return only_leaves(g, block, 0);
}

void pat_run_leaves(struct run *r, const struct pat_page *page, const struct pat_variant *v)
{
    struct graph *g = r->g;
    uint64_t target = 0;
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block block = g->blocks.p[b];
        if (!block.reachable || block.loop || graph_is_owned(g, block.last))
            continue;
        for (uint32_t i = block.first; i <= block.last; i++) {
            const struct graph_insn *n = &g->insns.p[i];
            if (n->guard != GRAPH_NIL && !graph_is_const(g, n->guard, NULL) && control_of(g, i, &target) == EXITS)
                leave_when(r, page, v, n->guard, i);
        }
        if (block.branch == GRAPH_NIL || block.succ_count != 2 || control_of(g, block.last, &target) != BRANCHES)
            continue;
        bool leaves[2] = {only_leaves(g, block.succs[0], 0), only_leaves(g, block.succs[1], 0)};
        if (leaves[0] == leaves[1])
            continue;
        uint32_t gone = block.succs[leaves[0] ? 0 : 1];
        bool when_taken = g->insns.p[g->blocks.p[gone].first].offset == target;
        leave_when(r, page, v, when_taken ? block.branch : graph_not(g, block.branch), block.last);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

void pat_run_calls(struct run *r, const struct pat_page *page, const struct pat_variant *v)
{
    uint32_t count = (uint32_t)r->g->calls.n, returns = (uint32_t)r->g->insns.n;
    /* Returns by the call they end: first_of[call], then next_of[instance]. */
    uint32_t *first_of = ARENA_ARRAY(r->a, uint32_t, count + 1), *next_of = ARENA_ARRAY(r->a, uint32_t, returns + 1);
    if (!count || !first_of || !next_of)
        return;
    const bool *routines = r->routines ? r->routines : pat_routines(r->a, r->g);
    const bool *single = pat_single_things(r->a, r->g);
    memset(first_of, 0xff, count * sizeof first_of[0]);
    for (uint32_t k = returns; k-- > 0;) {
        uint32_t path = r->g->insns.p[k].call_path;
        const struct uop_list *l = path && path <= count && r->g->insns.p[k].reachable ? uops_of(r->g, k) : NULL;
        bool is_return = false;
        for (size_t u = 0; l && u < l->ops.n; u++)
            is_return |= l->ops.p[u].kind == UOP_RET;
        if (is_return) {
            next_of[k] = first_of[path - 1];
            first_of[path - 1] = k;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        VEC(uint32_t) insns = {0};
        if (!routines || !single || routines[i] || single[i] || graph_is_owned(r->g, r->g->calls.p[i].insn))
            continue; /* an expansion's slow path, or may be a routine that is not the kernel's (D13) */
        VEC_PUSH(r->a, insns, r->g->calls.p[i].insn);
        for (uint32_t k = first_of[i]; k != UINT32_MAX; k = next_of[k])
            VEC_PUSH(r->a, insns, k);
        pat_ctx_begin(&r->c, page, v, GRAPH_NIL);
        if (pat_match_where(&r->c))
            pat_keep(r, GRAPH_NIL, insns.p, (unsigned)insns.n);
    }
}
