/* What place_value.c and place_class.c look things up in: uses of a def, registers that hold a node, accesses that hold
 * it, stores and what they reach, loads that are proved to bring a stored value back.
 *
 * requires: graph, with cycles and dependence where they were found · gives: the lists in struct place_work */
#include "place/place_internal.h"

#include <string.h>

uint32_t place_load_of_def(const struct graph *g, const struct graph_def *d)
{
    const struct graph_insn *insn = &g->insns.p[d->insn];
    for (uint32_t i = insn->first_access; i < insn->first_access + insn->access_count; i++)
        if (g->accesses.p[i].kind == GRAPH_LOAD)
            return i;
    return UINT32_MAX;
}

/* ---- registers that hold a node -------------------------------------------------------------- */

static void add_holder(struct place_work *w, graph_id node, uint32_t def)
{
    uint32_t first;
    if (node == GRAPH_NIL || graph_at(w->g, node)->type == UOP_B1)
        return;
    struct place_cell cell = {.def = def, .next = map_u64_get(&w->held, node, &first) ? first + 1 : 0};
    map_u64_put(w->a, &w->held, node, (uint32_t)w->cells.n);
    VEC_PUSH(w->a, w->cells, cell);
}

static bool mentions(const struct graph *g, graph_id id, graph_id what, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (id == what)
        return true;
    for (unsigned i = 0; i < n->arg_count && depth < 5; i++)
        if (mentions(g, n->arg[i], what, depth + 1))
            return true;
    return false;
}

bool place_mentions(const struct graph *g, graph_id id, graph_id what)
{
    return mentions(g, id, what, 0);
}

/* A value and what stands for it elsewhere, not a choice by the value. */
bool place_stands_for(const struct graph *g, const struct graph_node *select, graph_id v)
{
    if (select->kind != UOP_SELECT || mentions(g, select->arg[0], v, 0))
        return false;
    return (select->arg[1] == v && graph_is_const(g, select->arg[2], NULL)) ||
           (select->arg[2] == v && graph_is_const(g, select->arg[1], NULL));
}

/* A use that several defs reach reads what none of them made: the value their paths meet in. */
static void add_joined(struct place_work *w, const struct graph_use *use)
{
    enum { PATHS = 8, USE_DEFS = 64 };
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, use->node);
    uint32_t ways[PATHS], count = 0, first;
    if (use->def_count < 2 || (n->kind != UOP_SELECT && n->kind != GRAPH_PHI))
        return;
    for (uint32_t k = 0; k < use->def_count && k < USE_DEFS; k++) {
        const struct graph_def *d = &g->defs.p[use->defs[k]];
        if (d->node == use->node || d->merged == use->node)
            return;
        if (graph_is_slow(g, d->insn))
            continue; /* however many ways a slow path has: it is no place */
        if (count == PATHS)
            return;
        ways[count++] = use->defs[k];
    }
    if (!count || (map_u64_get(&w->held, use->node, &first) && w->cells.p[first].def == ways[count - 1]))
        return; /* told by an earlier reader */
    for (uint32_t k = 0; k < count; k++) {
        graph_id made = g->defs.p[ways[k]].node;
        add_holder(w, use->node, ways[k]);
        if (place_stands_for(g, n, made))
            map_u64_put(w->a, &w->covered, made, use->node);
    }
}

/* Where paths meet, the registers of a 64-bit value hold its words. */
static const uint32_t *holders_of_words(struct place_work *w, graph_id node, uint32_t *count)
{
    const uint32_t *defs[2];
    uint32_t n[2];
    for (int k = 0; k < 2; k++)
        defs[k] = place_holders(w, graph_op1(w->g, k ? UOP_HI : UOP_LO, UOP_B32, node), &n[k]);
    uint32_t *all = ARENA_ARRAY(w->a, uint32_t, n[0] + n[1] + 1);
    *count = 0;
    for (int k = 0; k < 2 && all; k++)
        for (uint32_t i = 0; i < n[k]; i++)
            all[(*count)++] = defs[k][i];
    return all;
}

const uint32_t *place_holders(struct place_work *w, graph_id node, uint32_t *count)
{
    uint32_t made, more = 0, first;
    const uint32_t *defs = graph_defs_of(w->g, node, &made);
    *count = made;
    if (!map_u64_get(&w->held, node, &first)) {
        bool wide = graph_at(w->g, node)->kind == UOP_SELECT && uop_type_bits(graph_at(w->g, node)->type) == 64;
        return !made && wide ? holders_of_words(w, node, count) : defs;
    }
    for (uint32_t c = first + 1; c; c = w->cells.p[c - 1].next)
        more++;
    uint32_t *all = ARENA_ARRAY(w->a, uint32_t, made + more);
    if (!all)
        return defs;
    for (uint32_t i = 0; i < made; i++)
        all[i] = defs[i];
    for (uint32_t c = first + 1; c; c = w->cells.p[c - 1].next)
        all[(*count)++] = w->cells.p[c - 1].def;
    return all;
}

/* select(P, v, constant) stands for v too: node -> the select, when the select has readers of its own. */
graph_id place_covering_select(const struct place_work *w, graph_id id)
{
    uint32_t count, joined;
    const uint32_t *defs = graph_defs_of(w->g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        graph_id merged = w->g->defs.p[defs[i]].merged;
        uint32_t users;
        if (merged == id || !place_stands_for(w->g, graph_at(w->g, merged), id))
            continue;
        graph_users(w->g, merged, &users);
        if (users > 0 || (merged < w->nodes && w->head[merged]))
            return merged;
    }
    return map_u64_get(&w->covered, id, &joined) ? joined : GRAPH_NIL;
}

bool place_is_copy(const struct graph *g, const struct graph_def *d, graph_id node)
{
    const struct graph_insn *insn = &g->insns.p[d->insn];
    for (uint32_t i = insn->first_use; i < insn->first_use + insn->use_count; i++)
        if (g->uses.p[i].node == d->node || g->uses.p[i].node == node)
            return true;
    return false;
}

static bool index_defs(struct place_work *w)
{
    const struct graph *g = w->g;
    uint32_t total = 0;
    w->starts = ARENA_ARRAY(w->a, uint32_t, g->defs.n + 2);
    if (!w->starts)
        return false;
    for (uint32_t d = 0; d < g->defs.n; d++)
        if (g->defs.p[d].merged != g->defs.p[d].node)
            add_holder(w, g->defs.p[d].merged, d);
    for (size_t i = 0; i < g->uses.n; i++)
        add_joined(w, &g->uses.p[i]);
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++, total++)
            w->starts[g->uses.p[i].defs[k] + 2]++;
    for (size_t i = 2; i < g->defs.n + 2; i++)
        w->starts[i] += w->starts[i - 1];
    w->uses = ARENA_ARRAY(w->a, uint32_t, total);
    if (!w->uses)
        return false;
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++)
            w->uses[w->starts[g->uses.p[i].defs[k] + 1]++] = (uint32_t)i;
    return true;
}

/* ---- accesses -------------------------------------------------------------------------------- */

unsigned place_atom_of(const struct graph *g, const struct graph_access *x)
{
    const struct uop_list *l = g->input.insns[g->insns.p[x->insn].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_ATOM || l->ops.p[i].kind == UOP_RED)
            return (unsigned)l->ops.p[i].imm;
    return UOP_ATOM_CAS;
}

bool place_access_holds(const struct place_work *w, const struct graph_access *x, graph_id node)
{
    const struct graph_node *n = graph_at(w->g, node);
    if (x->kind == GRAPH_LOAD &&
        (x->result == node || ((n->kind == UOP_LO || n->kind == UOP_HI) && n->arg[0] == x->result)))
        return true;
    for (unsigned k = 0; k < 4; k++) {
        if (x->value[k] != node)
            continue;
        if (x->kind != GRAPH_ATOMIC)
            return true;
        switch (place_atom_of(w->g, x)) {
        case UOP_ATOM_CAS: return k == 1; /* the first is compared with */
        case UOP_ATOM_EXCH: return true;
        default: return x->space != UOP_SHARED; /* what is added is not what stands there */
        }
    }
    return false;
}

/* Arrays that are written, each with the address where it is in one place only. */
static void note_written(struct place_work *w, const struct graph_access *x)
{
    struct graph_affine f;
    uint32_t known;
    if (!graph_affine(w->g, x->address, &f) || f.base == GRAPH_NIL)
        return; /* whatever it may reach says so itself */
    bool again = map_u64_get(&w->written, f.base, &known) && known != x->address;
    map_u64_put(w->a, &w->written, f.base, again ? (uint32_t)GRAPH_NIL : x->address);
}

/* Accesses by the nodes they hold, so that each value looks at its own only. */
static bool index_accesses(struct place_work *w)
{
    struct graph *g = w->g;
    uint32_t cells = 0;
    w->list = ARENA_ARRAY(w->a, uint32_t, g->accesses.n * 7 + 1);
    w->next = ARENA_ARRAY(w->a, uint32_t, g->accesses.n * 7 + 1);
    w->head = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    if (!w->list || !w->next || !w->head)
        return false;
    for (size_t i = g->accesses.n; i-- > 0;) {
        const struct graph_access *x = &g->accesses.p[i];
        graph_id of[7] = {x->value[0], x->value[1], x->value[2], x->value[3],
                          x->kind == GRAPH_LOAD ? x->result : GRAPH_NIL};
        if (x->kind == GRAPH_LOAD && x->width == 8 && x->result != GRAPH_NIL &&
            graph_at(g, x->result)->type == UOP_B64) {
            of[5] = graph_op1(g, UOP_LO, UOP_B32, x->result);
            of[6] = graph_op1(g, UOP_HI, UOP_B32, x->result);
        }
        for (unsigned k = 0; k < 7; k++) {
            bool again = of[k] == GRAPH_NIL || of[k] >= w->nodes;
            for (unsigned j = 0; j < k && !again; j++)
                again = of[j] == of[k];
            if (again)
                continue;
            w->list[++cells] = (uint32_t)i;
            w->next[cells] = w->head[of[k]];
            w->head[of[k]] = cells;
        }
    }
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *l = &g->accesses.p[i];
        bool global = l->space == UOP_GLOBAL || l->space == UOP_GENERIC;
        w->alias_loads |= l->kind == GRAPH_LOAD && l->may_alias && global;
        if (l->kind != GRAPH_LOAD && global && g->insns.p[l->insn].reachable)
            note_written(w, l);
    }
    return true;
}

static bool index_reaches(struct place_work *w)
{
    const struct graph *g = w->g;
    const struct graph_dependence *dep = g->dependence;
    uint32_t n = dep ? (uint32_t)dep->reaches.n : 0;
    w->reach_starts = ARENA_ARRAY(w->a, uint32_t, g->accesses.n + 2);
    w->reach = ARENA_ARRAY(w->a, uint32_t, n + 1);
    if (!w->reach_starts || !w->reach)
        return false;
    w->reaches_known = dep && dep->complete;
    for (uint32_t i = 0; i < n; i++)
        w->reach_starts[dep->reaches.p[i].store + 1]++;
    for (size_t i = 0; i < g->accesses.n; i++)
        w->reach_starts[i + 1] += w->reach_starts[i];
    for (uint32_t i = 0; i < n; i++)
        w->reach[w->reach_starts[dep->reaches.p[i].store]++] = i;
    for (size_t i = g->accesses.n; i > 0; i--)
        w->reach_starts[i] = w->reach_starts[i - 1];
    w->reach_starts[0] = 0;
    return true;
}

static bool dominates(const struct graph *g, uint32_t over, uint32_t block)
{
    for (uint32_t steps = 0; block != UINT32_MAX && steps <= g->blocks.n; steps++) {
        if (block == over)
            return true;
        block = g->blocks.p[block].idom;
    }
    return false;
}

static bool in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t i = g->blocks.p[block].loop; i; i = g->loops.p[i - 1].parent)
        if (i - 1 == loop)
            return true;
    return false;
}

/* A load that one store reaches and no other, the same thread's, of the same element, in the same turn of every loop:
 * what it brings is what was stored. */
static void find_aliases(struct place_work *w)
{
    const struct graph *g = w->g;
    const struct graph_dependence *dep = g->dependence;
    for (uint32_t i = 0; dep && w->reaches_known && i < g->accesses.n; i++) {
        const struct graph_access *l = &g->accesses.p[i];
        if (l->kind != GRAPH_LOAD || l->from_store >= 0 || l->result >= w->nodes ||
            graph_at(g, l->result)->kind != UOP_LOAD || dep->first_reach[i + 1] - dep->first_reach[i] != 1)
            continue;
        const struct graph_reach *r = &dep->reaches.p[dep->first_reach[i]];
        const struct graph_access *s = &g->accesses.p[r->store];
        if (r->may || r->assumed || !r->own || r->element || s->kind != GRAPH_STORE || s->width != l->width ||
            l->width < 4 || l->width > 8 || s->value[1] != GRAPH_NIL || s->insn >= l->insn || s->value[0] >= w->nodes ||
            s->value[0] == l->result ||
            uop_type_bits((enum uop_type)graph_at(g, s->value[0])->type) !=
                uop_type_bits((enum uop_type)graph_at(g, l->result)->type))
            continue;
        uint32_t at = g->insns.p[s->insn].block, to = g->insns.p[l->insn].block;
        bool same_turn = true; /* what a loop stored is another turn's value behind it */
        for (uint32_t k = g->blocks.p[at].loop; k && same_turn; k = g->loops.p[k - 1].parent)
            same_turn = in_loop(g, to, k - 1);
        if (!same_turn || !dominates(g, at, to) || !graph_implies(w->g, l->runs_when, s->runs_when))
            continue;
        w->alias[l->result] = s->value[0];
    }
}

enum sp_status place_make_index(struct place_work *w)
{
    w->alias = ARENA_ARRAY(w->a, graph_id, w->nodes);
    w->copy = ARENA_ARRAY(w->a, graph_id, w->nodes);
    w->accumulator = ARENA_ARRAY(w->a, uint32_t, w->nodes);
    w->final = ARENA_ARRAY(w->a, graph_id, w->nodes);
    if (!w->alias || !w->copy || !w->accumulator || !w->final || !index_defs(w) || !index_accesses(w) ||
        !index_reaches(w))
        return SP_ERR_MEMORY;
    find_aliases(w);
    place_find_copies(w);
    return place_find_accumulators(w) ? SP_OK : SP_ERR_MEMORY;
}
