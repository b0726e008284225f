/* Loads that bring an element that was loaded before: the same address once more, or a second loop that runs over the
 * same elements as a first one.
 *
 * An address in a loop is told by where it is in the first turn and by how far it moves for one step of the source: the
 * loops' phis are replaced by what they start with, then by what comes round in the second turn. Equal node, equal
 * move: the same elements.
 *
 * requires: values with their storage · gives: place_storage.reloaded */
#include "place/place_internal.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 96, PASSES = 4, LOADS_MAX = 4096 };

struct first_turn {
    struct graph *g;
    bool second; /* one turn further */
    unsigned steps;
    struct map_u64 made;
    struct arena *a;
};

static uint32_t innermost(const struct graph *g, graph_id phi)
{
    return g->blocks.p[graph_at(g, phi)->block].loop;
}

/* What a loop's phi starts with and what comes round; NIL where it is not one value. */
static void ends_of(const struct graph *g, graph_id phi, graph_id *start, graph_id *next)
{
    const struct graph_node *n = graph_at(g, phi);
    const struct graph_block *b = &g->blocks.p[n->block];
    *start = *next = GRAPH_NIL;
    for (uint32_t k = 0; k < n->phi_count && k < b->pred_count; k++) {
        bool back = false;
        for (uint32_t l = g->blocks.p[b->preds[k]].loop; l && !back; l = g->loops.p[l - 1].parent)
            back = l == innermost(g, phi);
        graph_id *end = back ? next : start;
        if (*end != GRAPH_NIL && *end != n->phi_args[k]) {
            *start = *next = GRAPH_NIL;
            return;
        }
        *end = n->phi_args[k];
    }
}

/* The node with loop phis replaced by what they are in the first (second) turn; NIL when it is too large. `turn` false:
 * as the loop is entered, whatever is asked for. */
static graph_id replaced(struct first_turn *t, graph_id id, bool turn, unsigned depth)
{
    struct graph *g = t->g;
    struct graph_node n = *graph_at(g, id);
    uint32_t known;
    uint64_t key = (uint64_t)id << 1 | turn;
    if (n.kind == UOP_CONST || n.kind == UOP_SREG || (n.kind == UOP_CBANK && !n.arg_count))
        return id;
    if (depth > 16 || ++t->steps > STEPS)
        return GRAPH_NIL;
    if (map_u64_get(&t->made, key, &known))
        return known;
    graph_id made = id;
    if (n.kind == GRAPH_PHI && graph_is_loop_phi(g, id)) {
        graph_id start, next;
        ends_of(g, id, &start, &next);
        made = start == GRAPH_NIL || next == GRAPH_NIL ? GRAPH_NIL
               : turn && t->second                     ? replaced(t, next, false, depth + 1)
                                                       : replaced(t, start, false, depth + 1);
    } else if (n.arg_count && uop_is_pure((enum uop_kind)n.kind) && n.kind < GRAPH_PHI) {
        graph_id args[6];
        bool moved = false;
        for (unsigned k = 0; k < n.arg_count; k++) {
            args[k] = replaced(t, n.arg[k], turn, depth + 1);
            if (args[k] == GRAPH_NIL)
                return GRAPH_NIL;
            moved |= args[k] != n.arg[k];
        }
        struct uop like = graph_operation(&n);
        if (moved)
            made = graph_pure(g, &like, args, n.arg_count);
    }
    if (made != GRAPH_NIL)
        map_u64_put(t->a, &t->made, key, made);
    return made;
}

static graph_id in_turn(struct place_work *w, graph_id address, bool second)
{
    struct first_turn t = {.g = w->g, .second = second, .a = w->a};
    return replaced(&t, address, true, 0);
}

/* Copies of the body in one turn of the innermost loop around a block. */
static uint32_t unroll_of(const struct graph *g, uint32_t block)
{
    uint32_t loop = g->blocks.p[block].loop;
    for (size_t i = 0; loop && g->cycles && i < g->cycles->cycles.n; i++) {
        const struct graph_cycle *c = &g->cycles->cycles.p[i];
        for (size_t k = 0; k < c->pieces.n; k++)
            if (!c->pieces.p[k].straight && c->pieces.p[k].loop == loop - 1)
                return c->pieces.p[k].unroll;
    }
    return 1;
}

/* The difference of two sums of the same terms; false when it is no constant. Inside an extension the sum is taken not
 * to wrap: an index that does would leave every array. */
static bool difference(const struct graph *g, graph_id from, graph_id to, unsigned depth, int64_t *out)
{
    struct graph_affine a, b;
    if (depth > 2 || !graph_affine(g, from, &a) || !graph_affine(g, to, &b) || a.base != b.base ||
        a.term_count != b.term_count)
        return false;
    *out = (int64_t)((uint64_t)b.offset - (uint64_t)a.offset);
    for (unsigned k = 0; k < a.term_count; k++) {
        int64_t inner = 0;
        if (a.terms[k].coefficient != b.terms[k].coefficient || a.terms[k].extend != b.terms[k].extend)
            return false;
        if (a.terms[k].term == b.terms[k].term)
            continue;
        if (!a.terms[k].extend || !difference(g, a.terms[k].term, b.terms[k].term, depth + 1, &inner))
            return false;
        *out = (int64_t)((uint64_t)*out + (uint64_t)inner * (uint64_t)a.terms[k].coefficient);
    }
    return true;
}

/* How far the address moves for one step of the source; false when that is no constant. */
static bool move_of(struct place_work *w, graph_id first, graph_id second, uint32_t unroll, int64_t *move)
{
    *move = 0;
    if (first == second)
        return true;
    if (!unroll || !difference(w->g, first, second, 0, move) || *move % (int64_t)unroll)
        return false;
    *move /= (int64_t)unroll;
    return true;
}

struct seen_load {
    uint32_t insn;
    struct place_storage *storage;
    uint64_t key;
};

struct seen_loads {
    VEC(struct seen_load) list;
};

static int by_insn(const void *p, const void *q)
{
    const struct seen_load *a = p, *b = q;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

/* Where a loop's copies of the load begin: compilers do not order them. */
static int64_t lowest_copy(struct place_work *w, const struct place *p, const uint32_t *first_copy,
                           const uint32_t *next_copy, uint32_t value, uint32_t loop, const struct graph_affine *at)
{
    const struct graph *g = w->g;
    int64_t lowest = at->offset;
    for (uint32_t c = first_copy[value]; c; c = next_copy[c - 1]) {
        for (uint32_t k = w->head[p->copies.p[c - 1].node]; k; k = w->next[k]) {
            const struct graph_access *x = &g->accesses.p[w->list[k]];
            struct graph_affine f;
            graph_id start = GRAPH_NIL;
            if (x->kind == GRAPH_LOAD && g->blocks.p[g->insns.p[x->insn].block].loop == loop)
                start = in_turn(w, x->address, false);
            if (start != GRAPH_NIL && graph_affine(g, start, &f) && f.base == at->base &&
                f.term_count == at->term_count && memcmp(f.terms, at->terms, f.term_count * sizeof f.terms[0]) == 0 &&
                f.offset < lowest)
                lowest = f.offset;
        }
    }
    return lowest;
}

static void add_load(struct place_work *w, const struct place *p, const uint32_t *first_copy, const uint32_t *next_copy,
                     uint32_t value, struct place_storage *s, struct seen_loads *loads)
{
    const struct graph *g = w->g;
    const struct graph_access *x = &g->accesses.p[s->access];
    uint32_t block = g->insns.p[x->insn].block;
    graph_id start = in_turn(w, x->address, false), second = in_turn(w, x->address, true);
    struct graph_affine f;
    int64_t move;
    if (start == GRAPH_NIL || second == GRAPH_NIL || !move_of(w, start, second, unroll_of(g, block), &move) ||
        !graph_affine(g, start, &f))
        return;
    if (move && g->blocks.p[block].loop)
        f.offset = lowest_copy(w, p, first_copy, next_copy, value, g->blocks.p[block].loop, &f);
    uint64_t key = map_hash_mix(map_hash_mix(f.base, (uint64_t)f.offset), map_hash_mix((uint64_t)move, x->width));
    for (unsigned k = 0; k < f.term_count; k++)
        key = map_hash_mix(map_hash_mix(key, f.terms[k].term),
                           map_hash_mix((uint64_t)f.terms[k].coefficient, f.terms[k].extend));
    VEC_PUSH(w->a, loads->list, ((struct seen_load){x->insn, s, key}));
}

void place_find_reloads(struct place_work *w, struct place *p)
{
    const struct graph *g = w->g;
    struct seen_loads loads = {0};
    struct map_u64 first = {0};
    uint32_t *first_copy = ARENA_ARRAY(w->a, uint32_t, p->values.n + 1);
    uint32_t *next_copy = ARENA_ARRAY(w->a, uint32_t, p->copies.n + 1);
    if (!first_copy || !next_copy)
        return;
    for (uint32_t i = 0; i < p->copies.n; i++) {
        next_copy[i] = first_copy[p->copies.p[i].value];
        first_copy[p->copies.p[i].value] = i + 1;
    }
    for (uint32_t i = 0; i < p->values.n; i++) {
        for (size_t k = 0; k < p->values.p[i].storage.n && loads.list.n < LOADS_MAX; k++) {
            struct place_storage *s = &p->values.p[i].storage.p[k];
            if (s->access != UINT32_MAX && g->accesses.p[s->access].kind == GRAPH_LOAD && s->where == PLACE_GLOBAL)
                add_load(w, p, first_copy, next_copy, i, s, &loads);
        }
    }
    if (loads.list.n)
        qsort(loads.list.p, loads.list.n, sizeof loads.list.p[0], by_insn);
    for (size_t i = 0; i < loads.list.n; i++) {
        uint32_t before;
        if (!map_u64_get(&first, loads.list.p[i].key, &before))
            map_u64_put(w->a, &first, loads.list.p[i].key, (uint32_t)i);
        else if (loads.list.p[before].insn != loads.list.p[i].insn)
            loads.list.p[i].storage->reloaded = place_both_run(w, loads.list.p[before].insn, loads.list.p[i].insn);
    }
}
