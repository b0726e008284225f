/* Accumulators: all nodes that are one variable going round a loop, or loops within one another, and what plays its
 * part in other pieces of the loop and behind it. Copies of a loop's body come first.
 *
 * requires: loops and their folds, aliases · gives: copy, accumulator and final of each node, the accumulators */
#include "place/place_internal.h"

void place_find_copies(struct place_work *w)
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
        struct place_accumulator made = {.cycle = cycle, .inner = cycle, .phi = phi, .named = phi, .out = out};
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
        if (old < w->nodes && w->accumulator[old] == at + 1 && place_mentions(w->g, step, old))
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

/* Something in the loop reads what comes into its turns, beside the loop within: before and behind that are two values
 * there. */
static bool reads_between(const struct place_work *w, graph_id phi, graph_id inner, uint32_t cycle)
{
    const struct graph *g = w->g;
    uint32_t count, loop = (uint32_t)graph_at(g, phi)->imm;
    const graph_id *users = graph_users(g, phi, &count);
    for (uint32_t i = 0; i < count; i++)
        if (users[i] != inner && users[i] < w->nodes && !made_outside(w, users[i], cycle) &&
            graph_at(g, users[i])->kind != GRAPH_PHI)
            return true;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        bool within = false;
        for (uint32_t l = g->blocks.p[g->insns.p[x->insn].block].loop; l; l = g->loops.p[l - 1].parent)
            within |= l == loop;
        for (unsigned k = 0; k < 4 && within; k++)
            if (x->value[k] == phi)
                return true;
    }
    return false;
}

/* The loop around does nothing to the variable but hand it to the loop within, from turn to turn: one variable, which
 * the inner loop's step gives its new value. */
static void join_nested(struct place_work *w)
{
    enum { NESTED = 8 };
    const struct graph *g = w->g;
    for (size_t i = 0; i < w->accumulators.n; i++) {
        struct place_accumulator *outer = &w->accumulators.p[i];
        for (unsigned depth = 0; depth < NESTED && outer->named != GRAPH_NIL; depth++) {
            const struct graph_node *n = outer->out == GRAPH_NIL ? NULL : graph_at(g, outer->out);
            uint32_t of = n && outer->out < w->nodes ? w->accumulator[outer->out] : 0;
            bool begins = false;
            if (!of || of == i + 1 || !graph_is_loop_phi(g, outer->out) || !graph_is_loop_phi(g, outer->named) ||
                w->accumulators.p[of - 1].named != outer->out)
                break;
            for (uint32_t k = 0; k < n->phi_count; k++)
                begins |= n->phi_args[k] == outer->named;
            if (!begins || reads_between(w, outer->named, outer->out, outer->inner))
                break;
            struct place_accumulator *inner = &w->accumulators.p[of - 1];
            outer->out = inner->out;
            outer->named = inner->named;
            outer->inner = inner->inner;
            if (inner->out != GRAPH_NIL)
                map_u64_put(w->a, &w->by_step, inner->out, (uint32_t)i);
            for (size_t k = 0; k < inner->members.n; k++)
                w->accumulator[inner->members.p[k]] = 0;
            for (size_t k = 0; k < inner->members.n; k++)
                add_member(w, (uint32_t)i, inner->members.p[k]);
            inner->members.n = 0;
            inner->phi = inner->named = inner->out = GRAPH_NIL;
        }
    }
}

bool place_find_accumulators(struct place_work *w)
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
    join_nested(w);
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
