/* Blocks that are one effect of the whole block or warp, by its CUDA name: a meeting point, an atomic update whose old
 * value nobody reads, a vote; and branches that part the threads of a block. Requires the graph; linear. */
#include "graph/graph_cycle.h"
#include "pattern/pat_collect.h"
#include "place/place.h"

#include <string.h>

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

static void keep_insn(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v, uint32_t insn,
                      bool proved)
{
    pat_ctx_begin(k->c, page, v, GRAPH_NIL);
    struct pat_found *f = pat_match_where(k->c) ? pat_keep(k->run, GRAPH_NIL, &insn, 1) : NULL;
    if (f && !proved)
        f->match.confidence = PAT_ASSUMED;
}

static void match_meetings(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    const struct graph *g = k->x->g;
    const struct graph_dependence *d = g->dependence;
    bool warp = strcmp(v->plan->name, "__syncwarp") == 0;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->insns.p[i].reachable ? uops_of(g, i) : NULL;
        bool meets = false, all = d && d->meets && d->meets[i];
        for (size_t u = 0; l && u < l->ops.n; u++) {
            const struct uop *op = &l->ops.p[u];
            meets |= warp ? op->kind == UOP_WARPSYNC || (op->kind == UOP_RECONVERGE && op->imm == UOP_WARPSYNC_ALL)
                          : op->kind == UOP_BAR && op->imm != UOP_BAR_ARRIVE && (all || op->arg[1] == UOP_NONE);
        }
        if (meets)
            keep_insn(k, page, v, i, warp || all);
    }
}

/* ---- atomic updates -------------------------------------------------------------------------- */

static int atom_named(const char *name)
{
    static const struct {
        const char *name;
        enum uop_atom atom;
    } rows[] = {{"atomicAdd", UOP_ATOM_ADD}, {"atomicMin", UOP_ATOM_MIN}, {"atomicMax", UOP_ATOM_MAX},
                {"atomicAnd", UOP_ATOM_AND}, {"atomicOr", UOP_ATOM_OR},   {"atomicXor", UOP_ATOM_XOR}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (int)rows[i].atom;
    return -1;
}

static bool is_used(const struct graph *g, const struct graph_access *a)
{
    uint32_t count = 0;
    if (a->result == GRAPH_NIL)
        return false;
    for (uint32_t d = g->insns.p[a->insn].first_def; d < g->insns.p[a->insn].first_def + g->insns.p[a->insn].def_count;
         d++)
        count += g->defs.p[d].read;
    return count != 0;
}

static void match_atoms(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v, int atom)
{
    const struct graph *g = k->x->g;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access a = g->accesses.p[i];
        const struct uop_list *l = a.kind == GRAPH_ATOMIC ? uops_of(g, a.insn) : NULL;
        bool fits = false;
        for (size_t u = 0; l && u < l->ops.n; u++)
            fits |= (l->ops.p[u].kind == UOP_ATOM || l->ops.p[u].kind == UOP_RED) && l->ops.p[u].imm == (uint64_t)atom;
        if (!fits || is_used(g, &a) || !g->insns.p[a.insn].reachable || graph_is_slow(g, a.insn))
            continue;
        pat_ctx_begin(k->c, page, v, GRAPH_NIL);
        const struct cu_expr *place = v->block.value->arg[0];
        while (place->kind == CU_UNARY || place->kind == CU_ELEMENT)
            place = place->arg[0];
        int array = place->kind == CU_NAME ? cu_find_variable(&v->block, place->text) : -1;
        if (array >= 0)
            k->c->bound[array] = (struct pat_bound){
                .set = true, .param = -1, .text = uop_space_text(a.space == UOP_GENERIC ? UOP_GLOBAL : a.space)};
        if (pat_match_where(k->c))
            pat_keep(k->run, GRAPH_NIL, &a.insn, 1);
    }
}

/* ---- operations of the whole warp ------------------------------------------------------------ */

static bool is_warp_operation(const char *name, const struct graph_node *n)
{
    static const struct {
        const char *name;
        uint8_t kind;
        uint64_t imm;
    } rows[] = {{"__all_sync", UOP_VOTE, 0},
                {"__any_sync", UOP_VOTE, 1},
                {"__match_any_sync", UOP_MATCH, 1},
                {"__reduce_add_sync", UOP_REDUX, UOP_ATOM_ADD},
                {"__reduce_min_sync", UOP_REDUX, UOP_ATOM_MIN},
                {"__reduce_max_sync", UOP_REDUX, UOP_ATOM_MAX},
                {"__reduce_and_sync", UOP_REDUX, UOP_ATOM_AND},
                {"__reduce_or_sync", UOP_REDUX, UOP_ATOM_OR},
                {"__reduce_xor_sync", UOP_REDUX, UOP_ATOM_XOR}};
    if (strcmp(name, "__ballot_sync") == 0)
        return n->kind == UOP_BALLOT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return n->kind == rows[i].kind && n->imm == rows[i].imm;
    return false;
}

/* What is reduced for an update that is made once for a warp is no reduction of the kernel. */
static bool is_aggregate(const struct graph *g, graph_id id)
{
    uint32_t count = 0;
    graph_id reduced;
    const graph_id *users = graph_users(g, id, &count);
    for (uint32_t i = 0; i < count; i++) /* the update alone */
        if (graph_at(g, users[i])->kind != UOP_UNIFORM && graph_at(g, users[i])->kind != UOP_ATOM)
            return false;
    for (size_t i = 0; i < g->accesses.n; i++)
        if (pat_aggregate_reduces(g, &g->accesses.p[i], &reduced) && reduced == id)
            return true;
    return false;
}

/* What instances read, but for branches that only ask whether the lanes of a mask run apart: what these read is the
 * compiler's own. */
static bool *read_by_kernel(struct pat_collect *k)
{
    const struct graph *g = k->x->g;
    bool *read = ARENA_ARRAY(k->a, bool, k->x->count + 1);
    for (uint32_t i = 0; read && i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        const struct uop_list *l = n->reachable ? uops_of(g, i) : NULL;
        bool asks = false;
        for (size_t u = 0; l && u < l->ops.n; u++)
            asks |= l->ops.p[u].kind == UOP_RECONVERGE && l->ops.p[u].imm == UOP_APART;
        for (uint32_t u = n->first_use; u < n->first_use + n->use_count && !asks && l; u++)
            if (g->uses.p[u].node < k->x->count)
                read[g->uses.p[u].node] = true;
    }
    return read;
}

/* One instruction that reduces over the lanes that run is a reduction of the warp where all its lanes come to it. */
static void give_warp(struct pat_collect *k, struct pat_found *f, graph_id id)
{
    static const enum pat_op ops[] = {
        [UOP_ATOM_ADD] = PAT_OP_ADD, [UOP_ATOM_MIN] = PAT_OP_MIN, [UOP_ATOM_MAX] = PAT_OP_MAX,
        [UOP_ATOM_AND] = PAT_OP_AND, [UOP_ATOM_OR] = PAT_OP_OR,   [UOP_ATOM_XOR] = PAT_OP_XOR};
    const struct graph *g = k->x->g;
    const struct graph_node n = *graph_at(g, id);
    struct pat_collective *v = ARENA_NEW(k->a, struct pat_collective);
    enum pat_op op = n.imm < sizeof ops / sizeof ops[0] ? ops[n.imm] : PAT_OP_NONE;
    uint32_t at = f->match.insns.p[0];
    if (!v || op == PAT_OP_NONE || !pat_play_whole_warps(k->play, g->blocks.p[g->insns.p[at].block].path) ||
        !pat_play_whole_warps(k->play, g->insns.p[at].guard))
        return;
    bool chooses = op == PAT_OP_MIN || op == PAT_OP_MAX;
    *v = (struct pat_collective){.op = op,
                                 .like = {.op = op,
                                          .as = (enum uop_type)n.type,
                                          .exact = true,
                                          .is_unsigned = chooses && n.type == UOP_B32 && !(n.flags & UOP_SIGNED)},
                                 .reach = PAT_IN_WARP,
                                 .outcome = PAT_ALL_IN_ONE,
                                 .width = 32,
                                 .everywhere = true,
                                 .found = f,
                                 .exact = true,
                                 .first = at,
                                 .last = at};
    VEC_PUSH(k->a, v->inputs, n.arg[0]);
    VEC_PUSH(k->a, v->values, id);
    VEC_PUSH(k->a, k->list, v);
}

static void match_warp(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    struct graph *g = k->x->g;
    bool *read = NULL;
    for (graph_id id = 1; id < k->x->count; id++) {
        const struct graph_node n = *graph_at(g, id);
        if (!k->x->live[id] || !is_warp_operation(v->plan->name, &n))
            continue;
        uint64_t bit;
        if (graph_is_inside(g, id) || (n.kind == UOP_REDUX && is_aggregate(g, id)))
            continue;
        if (n.kind == UOP_REDUX && !read && !(read = read_by_kernel(k)))
            return;
        if (n.kind == UOP_REDUX && !read[id])
            continue;
        if (n.arg_count && n.kind != UOP_REDUX && graph_is_const(g, n.arg[0], &bit))
            continue; /* which lanes run: nothing is asked */
        pat_ctx_begin(k->c, page, v, id);
        VEC_PUSH(k->a, k->c->inner, (struct pat_inner){.node = id});
        if (!pat_match_where(k->c))
            continue;
        struct pat_found *f = pat_keep(k->run, id, NULL, 0);
        if (f && n.kind == UOP_REDUX) {
            f->match.makes = PAT_MAKES_ONE;
            f->match.first = f->match.last = f->match.insns.p[0];
            f->width = 32;
            give_warp(k, f, id);
        }
    }
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool leaves_loop(const struct graph *g, const struct graph_block *b)
{
    for (uint32_t l = b->loop; l; l = g->loops.p[l - 1].parent)
        for (uint32_t s = 0; s < b->succ_count; s++) {
            bool inside = b->succs[s] == g->loops.p[l - 1].header;
            for (uint32_t m = g->blocks.p[b->succs[s]].loop; m && !inside; m = g->loops.p[m - 1].parent)
                inside = m == l;
            if (!inside || b->succs[s] == g->loops.p[l - 1].header)
                return true;
        }
    return false;
}

/* A branch to the head of a loop, or round it, is the loop's own. */
static bool guards_loop(const struct graph *g, const struct graph_block *b)
{
    for (uint32_t s = 0; s < b->succ_count; s++) {
        const struct graph_block *t = &g->blocks.p[b->succs[s]];
        if (t->loop && t->loop != b->loop && g->loops.p[t->loop - 1].header == b->succs[s])
            return true;
        if (t->succ_count == 1 && g->blocks.p[t->succs[0]].loop != b->loop && g->blocks.p[t->succs[0]].loop &&
            g->loops.p[g->blocks.p[t->succs[0]].loop - 1].header == t->succs[0])
            return true;
    }
    return false;
}

/* Something is written between two instances. */
static bool writes_between(const struct graph *g, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        for (uint32_t a = 0; a < g->insns.p[i].access_count; a++)
            if (g->accesses.p[g->insns.p[i].first_access + a].kind != GRAPH_LOAD)
                return true;
    return false;
}

/* Branches that a compiler makes of one loop of the source: between its pieces they choose which of them runs; before
 * them one goes round all when the first turn's test fails, over what is only made ready for them. */
static void mark_loop_branches(const struct graph *g, bool *own)
{
    enum { BLOCKS_BEFORE = 24, CODE_BEHIND = 64 };
    for (size_t i = 0; g->cycles && i < g->cycles->cycles.n; i++) {
        const struct graph_cycle *c = &g->cycles->cycles.p[i];
        for (size_t k = 0; k + 1 < c->pieces.n; k++) {
            uint32_t from = c->pieces.p[k].last, to = c->pieces.p[k + 1].first;
            for (uint32_t b = g->insns.p[from].block; from < to && b < g->blocks.n && g->blocks.p[b].last < to; b++)
                own[b] |= g->blocks.p[b].first > from;
        }
        uint32_t head = g->insns.p[c->first].block;
        for (uint32_t b = head, steps = 0; b-- > 0 && steps < BLOCKS_BEFORE; steps++) {
            const struct graph_block *e = &g->blocks.p[b];
            if (e->last >= c->first || writes_between(g, e->last + 1, c->first))
                break;
            bool only_loop = true;             /* whatever way it takes, nothing but the loop or its end is reached */
            bool round = false, within = true; /* what was taken out before the loop runs, or does not */
            bool piece = false;                /* it goes on with a later piece: no source can */
            for (uint32_t s = 0; s < e->succ_count; s++) {
                uint32_t to = g->blocks.p[e->succs[s]].first;
                bool skips = to > c->last && to - c->last <= CODE_BEHIND && !writes_between(g, c->last + 1, to);
                only_loop &= to > e->last && (to <= c->last || (skips && e->branch != GRAPH_NIL));
                round |= skips;
                within &= to >= c->first && to <= c->last;
                piece |= to > c->pieces.p[0].last && to <= c->last && e->branch != GRAPH_NIL;
            }
            if (!only_loop)
                break;
            own[b] |= round || within || piece;
        }
    }
}

/* The thread's own number, or a sum with it: the source may well ask for its low bits. */
static bool is_thread_number(const struct graph *g, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_SREG || n->kind == UOP_CONST || (n->kind == UOP_CBANK && !n->arg_count))
        return true;
    return depth < 6 && (n->kind == UOP_ADD || n->kind == UOP_MUL) && is_thread_number(g, n->arg[0], depth + 1) &&
           is_thread_number(g, n->arg[1], depth + 1);
}

/* x of x % 2^k == a, without what is added to it or cut off it: a number of turns, where a compiler parts them. */
static graph_id parted_number(const struct graph *g, graph_id condition)
{
    enum { STEPS = 8, LARGE = 64 };
    graph_id atoms[6], id;
    unsigned count, steps = 0;
    uint64_t table, mask;
    if (condition == GRAPH_NIL || !graph_table(g, condition, atoms, &count, &table) || count != 1 ||
        graph_at(g, atoms[0])->kind != UOP_IEQ)
        return GRAPH_NIL;
    const struct graph_node *n = graph_at(g, graph_at(g, atoms[0])->arg[0]);
    if (n->kind != UOP_AND || !graph_is_const(g, n->arg[1], &mask) || !mask || mask >= LARGE || (mask & (mask + 1)))
        return GRAPH_NIL;
    for (id = n->arg[0]; steps < STEPS; steps++) {
        n = graph_at(g, id);
        bool less = (n->kind == UOP_ADD || n->kind == UOP_SHR) && graph_is_const(g, n->arg[1], NULL);
        if (!less && n->kind != UOP_SEXT && n->kind != UOP_ZEXT && n->kind != UOP_LO)
            break;
        id = n->arg[0];
    }
    return is_thread_number(g, id, 0) ? GRAPH_NIL : id;
}

static bool is_in(const struct graph *g, graph_id part, graph_id whole, unsigned depth, unsigned *steps)
{
    enum { DEPTH = 12, STEPS = 64 };
    const struct graph_node *n = graph_at(g, whole);
    if (part == whole)
        return true;
    if (depth == DEPTH || ++*steps > STEPS)
        return false;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (is_in(g, part, n->arg[k], depth + 1, steps))
            return true;
    return false;
}

/* The same number decides both: the turns of a loop, and how many of them are made before it. */
static bool counts_same(const struct graph *g, graph_id number, graph_id condition)
{
    graph_id atoms[6];
    unsigned count, steps = 0;
    uint64_t table;
    if (number == GRAPH_NIL || condition == GRAPH_NIL || !graph_table(g, condition, atoms, &count, &table))
        return false;
    for (unsigned k = 0; k < count; k++)
        if (is_in(g, number, atoms[k], 0, &steps))
            return true;
    return false;
}

/* Turns that are made before a loop, where they were not told as pieces of it: branches that ask how many, by the
 * number that the loop's own entry asks for, and the one that goes round all of it, straight before them. */
static void mark_turns_before(const struct graph *g, bool *own)
{
    enum { BLOCKS_BEFORE = 24 };
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *entry = &g->blocks.p[i];
        uint32_t first = UINT32_MAX;
        if (!entry->reachable || entry->succ_count != 2 || entry->branch == GRAPH_NIL || !guards_loop(g, entry))
            continue;
        for (uint32_t b = i, steps = 0; b-- > 0 && steps < BLOCKS_BEFORE; steps++) {
            const struct graph_block *e = &g->blocks.p[b];
            if (e->loop != entry->loop || !e->reachable)
                break;
            if (e->succ_count != 2 || !counts_same(g, parted_number(g, e->branch), entry->branch))
                continue;
            own[b] = true;
            first = b;
        }
        if (first == UINT32_MAX || first == 0 ||
            writes_between(g, g->blocks.p[first].first, g->blocks.p[first].last + 1))
            continue;
        const struct graph_block *round = &g->blocks.p[first - 1];
        for (uint32_t s = 0; s < round->succ_count && round->succ_count == 2; s++)
            for (uint32_t t = 0; t < 2; t++)
                own[first - 1] |= round->succs[1 - s] == first && round->succs[s] == entry->succs[t];
    }
}

/* Nothing comes behind this block: the program has stopped. */
static bool stops(const struct graph *g, uint32_t block)
{
    const struct graph_block *b = &g->blocks.p[block];
    const struct uop_list *l = uops_of(g, b->last);
    for (size_t i = 0; l && i < l->ops.n && !b->succ_count; i++)
        if (l->ops.p[i].kind == UOP_TRAP)
            return true;
    return false;
}

static void match_branches(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    struct graph *g = k->x->g;
    const struct cu_expr *e = v->block.condition;
    int c = e->kind == CU_NAME ? cu_find_variable(&v->block, e->text) : -1;
    bool *of_loop = ARENA_ARRAY(k->a, bool, g->blocks.n + 1), *special = ARENA_ARRAY(k->a, bool, g->blocks.n + 1);
    struct place_lanes lanes; /* of a block whose size nothing demands: where that matters, nothing is said */
    if (!of_loop || !special || !pat_mark_special(k->a, g, special) ||
        place_lanes_find(k->a, g, NULL, false, &lanes) != SP_OK)
        return;
    mark_loop_branches(g, of_loop);
    mark_turns_before(g, of_loop);
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block b = g->blocks.p[i];
        if (!b.reachable || of_loop[i] || special[i] || graph_is_owned(g, b.last) || b.branch == GRAPH_NIL ||
            b.succ_count != 2 || leaves_loop(g, &b) || guards_loop(g, &b) || graph_is_const(g, b.branch, NULL) ||
            pat_only_leaves(g, b.succs[0]) || pat_only_leaves(g, b.succs[1]) || stops(g, b.succs[0]) ||
            stops(g, b.succs[1]))
            continue;
        struct place_lane way = place_lanes_at(&lanes, b.branch, i);
        if (place_is_same(&way))
            continue; /* a whole warp goes one way */
        pat_ctx_begin(k->c, page, v, b.branch);
        if (c >= 0)
            k->c->bound[c] = (struct pat_bound){.set = true, .node = b.branch, .as = UOP_B1};
        VEC_PUSH(k->a, k->c->conditions, b.branch);
        if (pat_match_where(k->c))
            pat_keep(k->run, GRAPH_NIL, &b.last, 1);
    }
}

void pat_collect_effects(struct pat_collect *k, const struct pat_page *page, const struct pat_variant *v)
{
    int atom;
    switch (v->plan->kind) {
    case PLAN_PERFORM:
        atom = atom_named(v->plan->name);
        if (atom >= 0)
            match_atoms(k, page, v, atom);
        else if (strncmp(v->plan->name, "__sync", 6) == 0)
            match_meetings(k, page, v);
        break;
    case PLAN_WARP: match_warp(k, page, v); break;
    case PLAN_BRANCH: match_branches(k, page, v); break;
    default: break;
    }
}
