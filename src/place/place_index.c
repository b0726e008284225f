/* What place_value.c and place_class.c look things up in: uses of a def, registers that hold a node, accesses that hold
 * it, stores and what they reach, loads that are proved to bring a stored value back, copies of a loop's body, and the
 * accumulators of loops: all nodes that are one variable going round.
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

/* ---- copies and accumulators ----------------------------------------------------------------- */

static void find_copies(struct place_work *w)
{
    const struct graph_cycles *c = w->g->cycles;
    for (graph_id id = 1; c && id < w->nodes && id < c->copy_count; id++) {
        graph_id of = c->copy_of[id];
        for (unsigned steps = 0; of != GRAPH_NIL && of < c->copy_count && steps < 4; steps++) {
            graph_id further = c->copy_of[of];
            if (further == GRAPH_NIL || further == of)
                break;
            of = further;
        }
        if (of != GRAPH_NIL && of != id && of < w->nodes)
            w->copy[id] = of;
    }
}

static void add_member(struct place_work *w, uint32_t accumulator, graph_id id)
{
    if (id == GRAPH_NIL || id >= w->nodes || w->accumulator[id] || graph_at(w->g, id)->kind == UOP_CONST ||
        graph_at(w->g, id)->kind == UOP_LOAD)
        return;
    w->accumulator[id] = accumulator + 1;
    const struct graph_node *n = graph_at(w->g, id);
    for (uint32_t k = 0; graph_is_loop_phi(w->g, id) && k < n->phi_count; k++)
        map_u64_put(w->a, &w->starts_of, (uint64_t)n->phi_args[k] << 32 | (accumulator + 1), 0);
    VEC_PUSH(w->a, w->accumulators.p[accumulator].members, id);
}

/* The accumulator of a phi and its step; loops that copy one step are pieces of one. */
static uint32_t accumulator_of(struct place_work *w, uint32_t cycle, graph_id phi, graph_id out)
{
    if (out != GRAPH_NIL && out < w->nodes && w->copy[out] != GRAPH_NIL)
        out = w->copy[out];
    uint32_t at = phi != GRAPH_NIL && phi < w->nodes && w->accumulator[phi] ? w->accumulator[phi] : 0;
    uint32_t known;
    if (!at && out != GRAPH_NIL && map_u64_get(&w->by_step, out, &known))
        at = known + 1;
    if (!at) {
        struct place_accumulator made = {.cycle = cycle, .phi = phi, .out = out};
        VEC_PUSH(w->a, w->accumulators, made);
        at = (uint32_t)w->accumulators.n;
        if (at && out != GRAPH_NIL)
            map_u64_put(w->a, &w->by_step, out, at - 1);
    }
    if (at)
        add_member(w, at - 1, phi);
    return at - 1;
}

/* select(P, step, old): a step that is not always taken. */
static void add_guarded(struct place_work *w, uint32_t at, graph_id out)
{
    const struct graph_node *n = graph_at(w->g, out);
    if (out >= w->nodes || n->kind != UOP_SELECT)
        return;
    for (unsigned k = 1; k <= 2; k++) {
        graph_id old = n->arg[3 - k], step = n->arg[k];
        if (old < w->nodes && w->accumulator[old] == at + 1 && mentions(w->g, step, old, 0))
            add_member(w, at, step);
    }
}

/* `value` is the variable's only where a step was made: wherever one is, the condition holds (fails, `turned`). Else a
 * choice between it and what the loop starts with is the kernel's own, as `s < 0 ? 0 : s` is. */
static bool holds_at_steps(const struct place_work *w, graph_id value, graph_id condition, bool turned, unsigned *steps)
{
    struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, value);
    bool phi = n->kind == GRAPH_PHI, loop = graph_is_loop_phi(g, value);
    if (value >= w->nodes || !w->accumulator[value])
        return true; /* what the loop starts with */
    if (++*steps > 64)
        return false;
    if (!loop && (phi || n->kind == UOP_SELECT) && w->copy[value] == GRAPH_NIL &&
        w->accumulators.p[w->accumulator[value] - 1].out != value) {
        const graph_id *args = phi ? n->phi_args : n->arg + 1;
        for (uint32_t k = 0; k < (phi ? n->phi_count : 2u); k++)
            if (!holds_at_steps(w, args[k], condition, turned, steps))
                return false;
        return true;
    }
    uint32_t count;
    const uint32_t *defs = graph_defs_of(g, value, &count);
    graph_id first = w->accumulators.p[w->accumulator[value] - 1].phi;
    uint32_t block = count ? g->insns.p[g->defs.p[defs[0]].insn].block : UINT32_MAX;
    if (loop || (!count && first != GRAPH_NIL && graph_is_loop_phi(g, first))) /* a step that paths make */
        block = g->loops.p[graph_at(g, loop ? value : first)->imm - 1].header;
    /* As it is when the loop is come to: what a turn decides of itself says nothing of the turns before. */
    uint32_t around =
        first != GRAPH_NIL && graph_is_loop_phi(g, first) ? g->loops.p[graph_at(g, first)->imm - 1].parent : 0;
    for (uint32_t l = block == UINT32_MAX ? 0 : g->blocks.p[block].loop; l && l != around; l = g->loops.p[l - 1].parent)
        block = g->loops.p[l - 1].header;
    /* Long paths are cut in tables: what holds in a block before it holds here, too. */
    graph_id wanted = turned ? graph_not(g, condition) : condition;
    for (unsigned up = 0; block != UINT32_MAX && up < 24; up++, block = g->blocks.p[block].idom)
        if (g->blocks.p[block].path != GRAPH_NIL && graph_implies(g, g->blocks.p[block].path, wanted))
            return true;
    return false;
}

/* A way into the join that has nothing of the loop behind it. */
static bool comes_past(const struct place_work *w, uint32_t at, uint32_t block)
{
    const struct graph *g = w->g;
    graph_id phi = w->accumulators.p[at - 1].phi;
    uint32_t header =
        phi != GRAPH_NIL && graph_is_loop_phi(g, phi) ? g->loops.p[graph_at(g, phi)->imm - 1].header : UINT32_MAX;
    for (unsigned steps = 0; block != UINT32_MAX && block != header && steps < 4096; steps++)
        block = g->blocks.p[block].idom;
    return block == UINT32_MAX;
}

/* The accumulator (+ 1) that all values of a phi or select belong to, or are what it starts with; 0: none. */
static uint32_t accumulator_of_merge(const struct place_work *w, graph_id id)
{
    const struct graph *g = w->g;
    const struct graph_node *n = graph_at(g, id);
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg + 1;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->kind == UOP_SELECT ? 2 : 0, at = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t of = args[k] < w->nodes ? w->accumulator[args[k]] : 0;
        if (of && at && of != at)
            return 0;
        at = of ? of : at;
    }
    for (uint32_t k = 0; k < count && at; k++) {
        if ((args[k] < w->nodes && w->accumulator[args[k]] == at) || args[k] == id)
            continue;
        if (!map_u64_get(&w->starts_of, (uint64_t)args[k] << 32 | at, NULL))
            return 0;
        unsigned steps = 0;
        bool turned = k == 0; /* the other one is chosen when the condition fails; UOP_SWAPPED is for readers only */
        if (n->kind == GRAPH_PHI ? !graph_is_loop_phi(g, id) && !comes_past(w, at, g->blocks.p[n->block].preds[k])
                                 : !holds_at_steps(w, args[1 - k], n->arg[0], turned, &steps))
            return 0;
    }
    return at;
}

/* Phis and selects that only choose between values of one accumulator. */
static void close_accumulators(struct place_work *w)
{
    bool moved = w->accumulators.n > 0;
    for (int pass = 0; pass < 8 && moved; pass++) {
        moved = false;
        for (graph_id id = 1; id < w->nodes; id++) {
            const struct graph_node *n = graph_at(w->g, id);
            if (w->accumulator[id] || (n->kind != GRAPH_PHI && n->kind != UOP_SELECT) || n->type == UOP_B1)
                continue;
            uint32_t at = accumulator_of_merge(w, id);
            if (at)
                add_member(w, at - 1, id);
            moved |= w->accumulator[id] != 0;
        }
    }
}

bool place_is_merge(const struct place_work *w, graph_id id)
{
    return graph_at(w->g, id)->kind == UOP_SELECT && w->accumulator[id] &&
           accumulator_of_merge(w, id) == w->accumulator[id];
}

/* Made by instructions outside the loop alone. */
static bool made_outside(const struct place_work *w, graph_id id, uint32_t cycle)
{
    uint32_t count;
    const uint32_t *defs = graph_defs_of(w->g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t of = w->g->cycles->cycle_of[w->g->insns.p[w->g->defs.p[defs[i]].insn].block];
        for (unsigned steps = 0; of && steps < 64; steps++) {
            int32_t parent = w->g->cycles->cycles.p[of - 1].parent;
            if (of == cycle + 1)
                return false;
            of = parent < 0 ? 0 : (uint32_t)parent + 1;
        }
    }
    return count > 0;
}

/* What is made of an accumulator behind its loop, once for each piece that may be the last: one value. */
static void find_final_copies(struct place_work *w)
{
    const struct graph *g = w->g;
    struct map_u64 made = {0};
    for (graph_id id = 1; id < w->nodes && w->accumulators.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        bool final = false;
        uint32_t first;
        if (!uop_is_pure((enum uop_kind)n->kind) || n->kind >= GRAPH_PHI || n->type == UOP_B1 || !n->arg_count ||
            w->copy[id] != GRAPH_NIL || w->accumulator[id])
            continue;
        uint64_t key = map_hash_mix((uint64_t)n->kind << 32 | (uint64_t)n->type << 24 | (uint64_t)n->round << 16 |
                                        (uint64_t)n->flags << 8 | n->space,
                                    map_hash_mix(n->imm, n->arg_count));
        for (unsigned k = 0; k < n->arg_count; k++) {
            graph_id arg = n->arg[k];
            bool merged = arg < w->nodes && w->accumulator[arg] && !graph_is_loop_phi(g, arg) &&
                          made_outside(w, id, w->accumulators.p[w->accumulator[arg] - 1].cycle);
            bool copied = arg < w->nodes && w->final[arg];
            final |= merged || copied;
            key = map_hash_mix(key, merged ? UINT64_MAX - w->accumulator[arg] : copied ? w->final[arg] : (uint64_t)arg);
        }
        if (!final)
            continue;
        if (map_u64_get(&made, key, &first)) {
            w->copy[id] = first;
            w->final[id] = first;
        } else {
            map_u64_put(w->a, &made, key, id);
            w->final[id] = id;
        }
    }
}

static bool find_accumulators(struct place_work *w)
{
    const struct graph_cycles *c = w->g->cycles;
    for (size_t i = 0; c && i < c->cycles.n; i++) {
        const struct graph_cycle *cycle = &c->cycles.p[i];
        for (size_t k = 0; k < cycle->carried.n; k++) {
            const struct graph_carried *carried = &cycle->carried.p[k];
            if (carried->kind == GRAPH_CARRIED_DATA)
                accumulator_of(w, (uint32_t)i, carried->phi, carried->next);
        }
    }
    for (size_t i = 0; c && i < c->folds.n; i++)
        for (unsigned k = 0; k < c->folds.p[i].count; k++)
            if (c->folds.p[i].phi[k] != GRAPH_NIL || c->folds.p[i].out[k] != GRAPH_NIL)
                accumulator_of(w, c->folds.p[i].cycle, c->folds.p[i].phi[k], c->folds.p[i].out[k]);
    if (arena_failed(w->a))
        return false;
    for (uint32_t i = 0; i < w->accumulators.n; i++) {
        add_member(w, i, w->accumulators.p[i].out);
        add_guarded(w, i, w->accumulators.p[i].out);
    }
    for (size_t i = 0; c && i < c->folds.n; i++) {
        const struct graph_fold *f = &c->folds.p[i];
        for (unsigned k = 0; k < f->count; k++) {
            uint32_t at = f->phi[k] != GRAPH_NIL && f->phi[k] < w->nodes   ? w->accumulator[f->phi[k]]
                          : f->out[k] != GRAPH_NIL && f->out[k] < w->nodes ? w->accumulator[f->out[k]]
                                                                           : 0;
            if (at) {
                add_member(w, at - 1, f->out[k]);
                add_member(w, at - 1, f->result[k]);
                w->accumulators.p[at - 1].result = f->result[k];
            }
        }
    }
    for (graph_id id = 1; id < w->nodes && w->accumulators.n; id++) { /* what plays an accumulator's part elsewhere */
        uint32_t at = w->copy[id] != GRAPH_NIL ? w->accumulator[w->copy[id]] : 0;
        if (at && (w->copy[id] == w->accumulators.p[at - 1].out || w->copy[id] == w->accumulators.p[at - 1].phi))
            add_member(w, at - 1, id);
    }
    close_accumulators(w);
    find_final_copies(w);
    return !arena_failed(w->a);
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
    find_copies(w);
    return find_accumulators(w) ? SP_OK : SP_ERR_MEMORY;
}
