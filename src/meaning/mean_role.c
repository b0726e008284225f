/* The role of every instruction: what its results are for. First what it does to the world (memory,
 * control, other threads), then what it makes: a constant, a parameter, an address, a bounds check.
 * Purposes flow backwards over def-use chains: what feeds the address of an access is an address or
 * an index, what only a leaving branch looks at is a bounds check. Nothing is read from spellings:
 * a constant is a constant whatever instruction makes it.
 *
 * requires: graph with users indexed, names · gives: one role an instance */
#include "graph/graph_depend.h"
#include "meaning/mean_effect.h"
#include "place/place.h"

#include <string.h>

enum { LOOP_STEPS = 256 };
enum purpose { FOR_ADDRESS = 1, FOR_BOUND = 2, FOR_DATA = 4, FOR_CONTROL = 8 };

struct roles {
    struct mean *m;
    enum mean_role *out;
    struct effects *effects;     /* by input instruction */
    uint8_t *purpose;            /* by instance */
    uint8_t *index;              /* by node: an element index, or part of one */
    uint8_t *induction;          /* by node: what a loop phi becomes */
    uint8_t *leaving;            /* by def: 1 under way, 2 only a leaving branch looks at it, 3 not */
    uint8_t *block_leaves;       /* by block: 2 yes, 1 no, 0 not asked yet */
    const uint8_t *decides_loop; /* by block: its branch enters, leaves or repeats a loop */
    const uint8_t *local;        /* by access: enum place_local */
    unsigned loop_steps;         /* left for one question about loops */
    size_t nodes;
};

static const struct effects *effects_of(const struct roles *r, uint32_t insn)
{
    return &r->effects[r->m->g->insns.p[insn].input];
}

static bool has_side_effect(const struct effects *e)
{
    return e->store || e->load || e->atomic || e->branch || e->exit || e->trap || e->call || e->ret || e->barrier ||
           e->reconverge || e->shuffle || e->vote || e->tensor || e->async || e->fence || e->prefetch || e->misc ||
           e->unknown;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void mark_index(struct roles *r, graph_id id)
{
    if (id < r->nodes)
        r->index[id] = 1;
}

/* Terms of addresses, operands of integer compares that guard, and what they are computed from by
 * integer operations. */
static void find_indices(struct roles *r)
{
    const struct graph *g = r->m->g;
    for (size_t i = 0; i < g->accesses.n; i++) {
        struct graph_affine f;
        const struct graph_access *x = &g->accesses.p[i];
        int at = mean_array_of(r->m, x->address, (enum uop_space)x->space, &f);
        if (at < 0 && !graph_affine(g, x->address, &f))
            continue;
        for (unsigned k = 0; k < f.term_count; k++) {
            const struct graph_node *n = graph_at(g, f.terms[k].term);
            bool scaled =
                at >= 0 && f.terms[k].coefficient == 1 && r->m->work->arrays[at].bytes > 1 && n->arg_count > 0;
            mark_index(r, scaled ? n->arg[0] : f.terms[k].term); /* a term in bytes holds its index within */
        }
    }
    for (size_t i = 0; i < r->m->names.n; i++)
        mark_index(r, r->m->names.p[i].node);
    for (int pass = 0; pass < 2; pass++)
        for (graph_id id = (graph_id)r->nodes; id-- > 1;) {
            const struct graph_node *n = graph_at(g, id);
            const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            bool passes = n->kind == GRAPH_PHI || (n->kind >= UOP_ADD && n->kind <= UOP_PAIR);
            for (uint32_t k = 0; k < count && r->index[id] && passes; k++)
                mark_index(r, args[k]);
        }
}

/* The same in every turn of the loop whose phi this is: made before it, or from such values and
 * what never changes. */
static bool is_invariant(const struct graph *g, graph_id id, graph_id phi, unsigned depth)
{
    enum { INVARIANT_DEPTH = 8 };
    const struct graph_node *n = graph_at(g, id);
    if (id < phi || n->kind == UOP_CONST || n->kind == UOP_SREG || (n->kind == UOP_CBANK && n->arg_count == 0))
        return true;
    if (depth > INVARIANT_DEPTH || id == phi || n->arg_count == 0 || !uop_is_pure((enum uop_kind)n->kind) ||
        n->kind >= GRAPH_PHI)
        return false;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!is_invariant(g, n->arg[k], phi, depth + 1))
            return false;
    return true;
}

/* op(phi, step) coming round to the phi, where the step was known before the loop. */
static void find_inductions(struct roles *r)
{
    const struct graph *g = r->m->g;
    for (graph_id id = 1; id < r->nodes; id++) {
        const struct graph_node *phi = graph_at(g, id);
        for (uint32_t k = 0; phi->kind == GRAPH_PHI && k < phi->phi_count; k++) {
            graph_id next = phi->phi_args[k];
            if (next <= id || next >= r->nodes)
                continue;
            const struct graph_node *n = graph_at(g, next);
            struct graph_affine f;
            bool moves = false;
            if (n->kind == UOP_ADD && graph_affine(g, next, &f)) {
                bool invariant = true;
                unsigned own = 0;
                for (unsigned t = 0; t < f.term_count; t++) {
                    own += f.terms[t].term == id && f.terms[t].coefficient == 1;
                    invariant &= f.terms[t].term == id || is_invariant(g, f.terms[t].term, id, 0);
                }
                moves = invariant && own == 1;
            } else if (n->kind == UOP_MUL || n->kind == UOP_SHR || n->kind == UOP_SAR || n->kind == UOP_SHL) {
                moves = n->arg[0] == id && graph_is_const(g, n->arg[1], NULL);
            }
            if (moves)
                r->induction[next] = 1;
        }
    }
}

/* ---- leaving, and loops ---------------------------------------------------------------------- */

/* Nothing happens from this block on but the end of the thread. */
static bool find_leaving(const struct roles *r, uint32_t block)
{
    enum { LEAVE_STEPS = 8 };
    const struct graph *g = r->m->g;
    for (unsigned step = 0; step < LEAVE_STEPS; step++) {
        const struct graph_block *b = &g->blocks.p[block];
        bool exits = false;
        for (uint32_t i = b->first; i <= b->last; i++) {
            const struct effects *e = effects_of(r, i);
            if (e->store || e->load || e->atomic || e->call || e->ret || e->barrier || e->async || e->trap ||
                e->unknown || e->shuffle || e->vote)
                return false;
            exits |= e->exit && g->insns.p[i].guard == GRAPH_NIL;
        }
        if (exits)
            return true;
        if (b->succ_count != 1)
            return false;
        block = b->succs[0];
    }
    return false;
}

static bool block_leaves(struct roles *r, uint32_t block)
{
    if (!r->block_leaves[block])
        r->block_leaves[block] = find_leaving(r, block) ? 2 : 1;
    return r->block_leaves[block] == 2;
}

static bool branch_decides_loop(const struct roles *r, uint32_t insn)
{
    return r->decides_loop[r->m->g->insns.p[insn].block];
}

/* All that looks at the def, directly or through pure instructions, is a branch or exit that leaves. */
static bool def_only_leaves(struct roles *r, uint32_t def, unsigned depth)
{
    enum { LEAVE_DEPTH = 8 };
    const struct graph *g = r->m->g;
    if (r->leaving[def])
        return r->leaving[def] == 2;
    r->leaving[def] = 1;
    uint32_t count;
    const uint32_t *uses = mean_uses_of(r->m, def, &count);
    bool only = count > 0 && depth < LEAVE_DEPTH;
    for (uint32_t i = 0; i < count && only; i++) {
        uint32_t insn = g->uses.p[uses[i]].insn;
        const struct effects *e = effects_of(r, insn);
        const struct graph_block *b = &g->blocks.p[g->insns.p[insn].block];
        if (e->exit)
            continue;
        if (e->branch) {
            bool leaves = false;
            for (uint32_t s = 0; s < b->succ_count; s++)
                leaves |= block_leaves(r, b->succs[s]);
            only = leaves && !branch_decides_loop(r, insn);
        } else if (has_side_effect(e)) {
            only = false;
        } else {
            const struct graph_insn *n = &g->insns.p[insn];
            only = n->def_count > 0;
            for (uint32_t d = n->first_def; d < n->first_def + n->def_count && only; d++)
                only = !g->defs.p[d].read || def_only_leaves(r, d, depth + 1);
        }
    }
    r->leaving[def] = only ? 2 : 3;
    return only;
}

/* Some branch that decides a loop looks at the def, directly or through predicate logic. */
static bool def_decides_loop(struct roles *r, uint32_t def, unsigned depth)
{
    const struct graph *g = r->m->g;
    uint32_t count;
    const uint32_t *uses = mean_uses_of(r->m, def, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t insn = g->uses.p[uses[i]].insn;
        const struct effects *e = effects_of(r, insn);
        const struct graph_insn *n = &g->insns.p[insn];
        if (e->branch && branch_decides_loop(r, insn))
            return true;
        if (has_side_effect(e) || depth > 3 || r->loop_steps == 0)
            continue;
        r->loop_steps--;
        for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
            bool predicate = g->defs.p[d].file == UOP_FILE_P || g->defs.p[d].file == UOP_FILE_UP;
            if (predicate && def_decides_loop(r, d, depth + 1))
                return true;
        }
    }
    return false;
}

static bool insn_only_leaves(struct roles *r, uint32_t insn)
{
    if (r->m->g->incomplete)
        return false; /* what was not understood may look at it */
    const struct graph_insn *n = &r->m->g->insns.p[insn];
    bool any = false;
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
        if (!r->m->g->defs.p[d].read)
            continue;
        any = true;
        if (!def_only_leaves(r, d, 0))
            return false;
    }
    return any;
}

/* ---- purposes -------------------------------------------------------------------------------- */

static bool is_descriptor(const struct mean *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    uint32_t at = m->g->env->descriptor_offset;
    return id != GRAPH_NIL && at && n->kind == UOP_CBANK && n->space == 0 && n->arg_count == 0 && n->imm >= at &&
           n->imm < at + 8;
}

static bool makes_predicates_only(const struct graph *g, const struct graph_insn *n)
{
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++)
        if (g->defs.p[d].file != UOP_FILE_P && g->defs.p[d].file != UOP_FILE_UP)
            return false;
    return n->def_count > 0;
}

/* What instance `insn` takes a register for. */
static unsigned purpose_of_use(struct roles *r, uint32_t insn, const struct graph_use *use)
{
    const struct graph *g = r->m->g;
    const struct graph_insn *n = &g->insns.p[insn];
    const struct effects *e = effects_of(r, insn);
    if (use->file != UOP_FILE_R && use->file != UOP_FILE_UR)
        return 0;
    if (n->access_count > 0) {
        for (uint32_t i = n->first_access; i < n->first_access + n->access_count; i++)
            for (unsigned w = 0; w < 4 && g->accesses.p[i].kind != GRAPH_LOAD; w++) {
                graph_id v = g->accesses.p[i].value[w];
                const struct graph_node *value = graph_at(g, v);
                bool half = (value->kind == UOP_PAIR || value->kind == UOP_LO || value->kind == UOP_HI) &&
                            (value->arg[0] == use->node || (value->kind == UOP_PAIR && value->arg[1] == use->node));
                if (v != GRAPH_NIL && (v == use->node || half))
                    return FOR_DATA;
            }
        return is_descriptor(r->m, use->node) ? 0 : FOR_ADDRESS;
    }
    if (e->branch || e->call || e->ret)
        return FOR_CONTROL;
    if (has_side_effect(e) || e->floats || e->convert)
        return FOR_DATA;
    if (makes_predicates_only(g, n))
        return insn_only_leaves(r, insn) ? FOR_BOUND : 0;
    return r->purpose[insn];
}

static void find_purposes(struct roles *r)
{
    const struct graph *g = r->m->g;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = (uint32_t)g->insns.n; i-- > 0;) {
            const struct graph_insn *n = &g->insns.p[i];
            for (uint32_t u = n->first_use; u < n->first_use + n->use_count; u++) {
                const struct graph_use *use = &g->uses.p[u];
                unsigned purpose = purpose_of_use(r, i, use);
                for (uint32_t d = 0; d < use->def_count; d++)
                    r->purpose[g->defs.p[use->defs[d]].insn] |= (uint8_t)purpose;
            }
        }
}

/* ---- the decision ---------------------------------------------------------------------------- */

static bool on_stack(const struct mean *m, graph_id address)
{
    struct graph_affine f;
    const struct graph_env *env = m->g->env;
    if (address == GRAPH_NIL || !env->stack_offset || !graph_affine(m->g, address, &f) || f.base == GRAPH_NIL ||
        f.term_count > 0)
        return false;
    const struct graph_node *base = graph_at(m->g, f.base);
    return base->kind == UOP_CBANK && base->imm == env->stack_offset;
}

static enum mean_role memory_role(const struct roles *r, const struct graph_insn *n, const struct effects *e)
{
    const struct graph *g = r->m->g;
    for (uint32_t i = n->first_access; i < n->first_access + n->access_count; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (x->kind != GRAPH_ATOMIC && r->local[i] == PLACE_SLOT)
            return x->kind == GRAPH_STORE ? MEAN_ROLE_SPILL : MEAN_ROLE_REFILL;
    }
    return e->atomic ? MEAN_ROLE_ATOMIC : e->store ? MEAN_ROLE_STORE : MEAN_ROLE_LOAD;
}

/* Roles that follow from what an instruction does, UNKNOWN: from its results. */
static enum mean_role effect_role(const struct roles *r, uint32_t insn, const struct effects *e)
{
    const struct graph_insn *n = &r->m->g->insns.p[insn];
    if (e->exit)
        return n->guard == GRAPH_NIL ? MEAN_ROLE_EXIT : MEAN_ROLE_EARLY_EXIT;
    if (e->async)
        return MEAN_ROLE_ASYNC_COPY;
    if (e->atomic || e->store || e->load)
        return memory_role(r, n, e);
    if (e->branch)
        return MEAN_ROLE_BRANCH;
    if (e->call)
        return MEAN_ROLE_CALL;
    if (e->ret)
        return MEAN_ROLE_RETURN;
    if (e->trap)
        return MEAN_ROLE_EXIT;
    if (e->barrier)
        return MEAN_ROLE_BARRIER;
    if (e->reconverge)
        return MEAN_ROLE_RECONVERGENCE;
    if (e->shuffle)
        return MEAN_ROLE_SHUFFLE;
    if (e->vote)
        return MEAN_ROLE_VOTE;
    if (e->tensor)
        return MEAN_ROLE_TENSOR;
    if (e->prefetch)
        return MEAN_ROLE_LOAD;
    if (e->fence || e->misc)
        return MEAN_ROLE_FENCE;
    return e->nop ? MEAN_ROLE_PADDING : MEAN_ROLE_UNKNOWN;
}

static bool reads_node(const struct graph *g, const struct graph_insn *n, graph_id node)
{
    for (uint32_t u = n->first_use; u < n->first_use + n->use_count; u++)
        if (g->uses.p[u].node == node)
            return true;
    return false;
}

/* A word of a constant bank that the instruction brings into a register. */
static enum mean_role bank_role(const struct mean *m, const struct graph_node *n, graph_id id)
{
    const struct graph_env *env = m->g->env;
    if (is_descriptor(m, id))
        return MEAN_ROLE_DESCRIPTOR;
    if (n->arg_count > 0)
        return n->space == 0 ? MEAN_ROLE_PARAMETER : MEAN_ROLE_LOAD;
    if (n->space == 0 && n->imm >= env->param_base && n->imm < (uint64_t)env->param_base + env->param_bytes)
        return MEAN_ROLE_PARAMETER;
    return n->space == 3 ? MEAN_ROLE_LOAD : MEAN_ROLE_CONSTANT;
}

static bool has_base(const struct mean *m, graph_id id)
{
    struct graph_affine f;
    return graph_affine(m->g, id, &f) && f.base != GRAPH_NIL;
}

static bool leads_to_base(const struct mean *m, graph_id id)
{
    /* The low word of a pointer sum is a sum with the pointer's low word. */
    struct graph_affine f;
    if (!graph_affine(m->g, id, &f))
        return false;
    for (unsigned k = 0; k < f.term_count; k++) {
        const struct mean_param *p = mean_param_of(m, f.terms[k].term);
        if (p && p->size == 8 && f.terms[k].coefficient == 1)
            return true;
    }
    return false;
}

static enum mean_role value_role(struct roles *r, uint32_t insn, const struct effects *e)
{
    struct mean *m = r->m;
    const struct graph *g = m->g;
    const struct graph_insn *n = &g->insns.p[insn];
    if (n->def_count == 0)
        return MEAN_ROLE_DEAD;
    bool read = g->incomplete; /* then nothing is known to be read by nobody */
    const struct graph_def *def = NULL;
    uint32_t index = 0;
    for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++) {
        read |= g->defs.p[d].read;
        bool general = g->defs.p[d].file == UOP_FILE_R || g->defs.p[d].file == UOP_FILE_UR;
        if (general && (!def || (!def->read && g->defs.p[d].read))) {
            def = &g->defs.p[d];
            index = d;
        }
    }
    if (!def) { /* predicates only */
        bool leaves = insn_only_leaves(r, insn);
        if (!read)
            return MEAN_ROLE_DEAD;
        if (e->compare) {
            r->loop_steps = LOOP_STEPS;
            for (uint32_t d = n->first_def; d < n->first_def + n->def_count; d++)
                if (def_decides_loop(r, d, 0))
                    return MEAN_ROLE_LOOP_TEST;
            return leaves ? MEAN_ROLE_BOUNDS_CHECK : MEAN_ROLE_COMPARE;
        }
        return MEAN_ROLE_PREDICATE;
    }
    unsigned part, half;
    graph_id node = def->node, whole = mean_whole_of(m, index, &part);
    const struct graph_node *w = graph_at(g, whole);
    unsigned purpose = r->purpose[insn];
    bool address = purpose & FOR_ADDRESS;
    if (on_stack(m, node))
        return MEAN_ROLE_STACK;
    bool copied = reads_node(g, n, node);
    if (!copied && whole < r->nodes && node < r->nodes && (r->induction[whole] || r->induction[node]))
        return MEAN_ROLE_INDUCTION;
    if (!copied && w->kind == UOP_SREG)
        return MEAN_ROLE_SPECIAL_REGISTER;
    if (!copied && (w->kind == UOP_CBANK || graph_at(g, node)->kind == UOP_CBANK))
        return bank_role(m, w->kind == UOP_CBANK ? w : graph_at(g, node), w->kind == UOP_CBANK ? whole : node);
    if (!copied && graph_at(g, node)->kind == UOP_CONST)
        return MEAN_ROLE_CONSTANT;
    if (!read)
        return MEAN_ROLE_DEAD;
    if (copied || e->uniform)
        return MEAN_ROLE_MOVE;
    if (!e->floats && !e->convert) {
        if (mean_is_linear_index(m, whole) || mean_is_linear_index(m, node))
            return MEAN_ROLE_INDEX;
        if (address && (has_base(m, whole) || leads_to_base(m, node) || mean_access_at(m, node, &half)))
            return MEAN_ROLE_ADDRESS;
        if (address && ((whole < r->nodes && r->index[whole]) || (node < r->nodes && r->index[node])))
            return MEAN_ROLE_INDEX;
        if (address)
            return MEAN_ROLE_ADDRESS;
        if (purpose == FOR_BOUND)
            return e->compare || e->select ? MEAN_ROLE_BOUNDS_CHECK : MEAN_ROLE_INDEX;
    }
    if (e->convert)
        return MEAN_ROLE_CONVERT;
    if (e->floats)
        return MEAN_ROLE_COMPUTE;
    if (e->compare)
        return MEAN_ROLE_COMPARE;
    if (e->select && !e->integers)
        return MEAN_ROLE_SELECT;
    if (e->integers)
        return MEAN_ROLE_COMPUTE;
    if (graph_at(g, node)->kind == UOP_SELECT)
        return MEAN_ROLE_SELECT;
    return graph_at(g, node)->kind == UOP_OPAQUE ? MEAN_ROLE_SPECIAL_REGISTER : MEAN_ROLE_MOVE;
}

const enum mean_role *mean_roles(struct mean *m)
{
    struct graph *g = m->g;
    struct roles r = {.m = m, .nodes = g->nodes.n};
    r.out = ARENA_ARRAY(m->a, enum mean_role, g->insns.n);
    r.purpose = ARENA_ARRAY(m->a, uint8_t, g->insns.n);
    r.index = ARENA_ARRAY(m->a, uint8_t, r.nodes);
    r.induction = ARENA_ARRAY(m->a, uint8_t, r.nodes);
    r.leaving = ARENA_ARRAY(m->a, uint8_t, g->defs.n);
    r.block_leaves = ARENA_ARRAY(m->a, uint8_t, g->blocks.n);
    r.local = place_find_local(m->a, g);
    if (!r.local || !r.out || !r.purpose || !r.index || !r.induction || !r.leaving || !r.block_leaves ||
        !(r.effects = mean_find_effects(m)) || !(r.decides_loop = mean_loop_tests(m)))
        return NULL;
    find_indices(&r);
    find_inductions(&r);
    find_purposes(&r);
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct effects *e = effects_of(&r, i);
        const struct graph_insn *n = &g->insns.p[i];
        const struct uop_list *l = g->input.insns[n->input].uops;
        if (e->unknown) {
            r.out[i] = MEAN_ROLE_UNKNOWN;
        } else if (!n->reachable) {
            bool itself = e->branch && l->ops.n > 0 && l->ops.p[l->ops.n - 1].imm == n->offset;
            /* Where not all is understood something may lead here: then what it does by itself is all there is to
             * say. */
            r.out[i] = e->nop || itself ? MEAN_ROLE_PADDING : g->incomplete ? effect_role(&r, i, e) : MEAN_ROLE_DEAD;
        } else if (graph_never_runs(g, n) && !e->nop) {
            r.out[i] = MEAN_ROLE_DEAD;
        } else if (graph_is_slow(g, i)) {
            r.out[i] = MEAN_ROLE_SLOW_PATH; /* whatever it does, an expansion does it */
        } else {
            enum mean_role role = effect_role(&r, i, e);
            r.out[i] = role == MEAN_ROLE_UNKNOWN ? value_role(&r, i, e) : role;
        }
    }
    return r.out;
}
