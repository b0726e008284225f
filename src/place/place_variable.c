/* Accumulators that are one variable of the source. A loop of which several pieces are left has a phi in each, and a
 * variable that an inner loop adds to goes round the loops around it as well: each phi begins with what the one before
 * it came to, so all of them are the same variable, whatever their steps look like.
 *
 * Only last values hand a variable on: what came in where no turn begins (`q = r` a step late) says nothing.
 *
 * requires: accumulators with their members, cycles · gives: fewer accumulators */
#include "place/place_internal.h"

enum { WAYS = 48, PASSES = 8 };

/* The loop (+ 1) a node is the phi of; 0: none. */
static uint32_t loop_of_phi(const struct graph *g, graph_id id)
{
    return id != GRAPH_NIL && graph_is_loop_phi(g, id) ? (uint32_t)graph_at(g, id)->imm : 0;
}

static bool is_within(const struct graph *g, uint32_t loop, uint32_t around)
{
    while (loop && loop != around)
        loop = g->loops.p[loop - 1].parent;
    return loop == around;
}

static bool comes_round(const struct graph *g, graph_id phi, uint32_t k)
{
    const struct graph_block *header = &g->blocks.p[graph_at(g, phi)->block];
    return k < header->pred_count && is_within(g, g->blocks.p[header->preds[k]].loop, loop_of_phi(g, phi));
}

/* What a phi begins with (`round`: what comes round), the same on all edges; NIL. */
static graph_id side_of(const struct graph *g, graph_id phi, bool round)
{
    const struct graph_node *n = graph_at(g, phi);
    graph_id side = GRAPH_NIL;
    for (uint32_t k = 0; k < n->phi_count; k++) {
        if (comes_round(g, phi, k) != round)
            continue;
        if (side != GRAPH_NIL && side != n->phi_args[k])
            return GRAPH_NIL;
        side = n->phi_args[k];
    }
    return side;
}

/* Behind its loop the phi itself is the variable: the loop is left where turns begin, and the phi is no other
 * variable's next value there. */
static bool leaves_as_phi(const struct graph *g, graph_id phi)
{
    const struct graph_loop *l = &g->loops.p[loop_of_phi(g, phi) - 1];
    const struct graph_block *latch = &g->blocks.p[l->latch];
    uint32_t users;
    const graph_id *user = graph_users(g, phi, &users);
    for (uint32_t k = 0; k < latch->succ_count && l->latch != l->header; k++)
        if (!is_within(g, g->blocks.p[latch->succs[k]].loop, loop_of_phi(g, phi)))
            return false;
    for (uint32_t i = 0; i < users; i++)
        if (user[i] != phi && loop_of_phi(g, user[i]) == loop_of_phi(g, phi) && side_of(g, user[i], true) == phi)
            return false;
    return true;
}

struct variables {
    struct place_work *w;
    struct map_u64 round; /* node -> the phi of the innermost loop that it comes round to */
};

/* The accumulator (+ 1) of which a node is the last value in some piece: what comes round there, or is made behind all
 * its loops; 0: none. */
static uint32_t last_of(const struct variables *v, graph_id id)
{
    const struct place_work *w = v->w;
    const struct graph *g = w->g;
    uint32_t phi, count, of = id < w->nodes ? w->accumulator[id] : 0;
    if (of && graph_is_loop_phi(g, id))
        return leaves_as_phi(g, id) ? of : 0;
    if (map_u64_get(&v->round, id, &phi))
        return w->accumulator[phi];
    const uint32_t *defs = graph_defs_of(g, id, &count);
    uint32_t block = of && count ? g->insns.p[g->defs.p[defs[0]].insn].block : UINT32_MAX;
    if (block == UINT32_MAX)
        return 0;
    const struct place_accumulator *a = &w->accumulators.p[of - 1];
    for (size_t i = 0; i < a->members.n; i++) {
        uint32_t loop = loop_of_phi(g, a->members.p[i]);
        if (loop && is_within(g, g->blocks.p[block].loop, loop))
            return 0;
    }
    return of;
}

/* The one accumulator (+ 1) whose last values, beside `also` and what it begins with, come to `id` through selects and
 * joins; 0: none, or others too. */
static uint32_t comes_from(const struct variables *v, graph_id id, graph_id also)
{
    const struct place_work *w = v->w;
    const struct graph *g = w->g;
    graph_id way[WAYS], other[WAYS];
    unsigned n = 0, others = 0;
    uint32_t from = 0;
    way[n++] = id;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(g, way[at]);
        bool phi = x->kind == GRAPH_PHI && !graph_is_loop_phi(g, way[at]), merges = phi || x->kind == UOP_SELECT;
        uint32_t last = last_of(v, way[at]);
        if (way[at] == also)
            continue;
        if (last && !(merges && at == 0) && (!from || from == last)) {
            from = last;
            continue;
        }
        if (!merges && (last || (way[at] < w->nodes && w->accumulator[way[at]])))
            return 0;
        if (!merges) {
            other[others++] = way[at];
            continue;
        }
        const graph_id *args = phi ? x->phi_args : x->arg + 1;
        for (uint32_t k = 0; k < (phi ? x->phi_count : 2u); k++) {
            bool known = false;
            for (unsigned i = 0; i < n && !known; i++)
                known = way[i] == args[k];
            if (!known && (n == WAYS || args[k] == GRAPH_NIL))
                return 0;
            if (!known)
                way[n++] = args[k];
        }
    }
    for (unsigned i = 0; i < others; i++)
        if (!from || !map_u64_get(&w->starts_of, (uint64_t)other[i] << 32 | from, NULL))
            return 0;
    return from;
}

/* `b`'s is `a`'s variable too. */
static void join(struct place_work *w, uint32_t a, uint32_t b)
{
    struct place_accumulator *from = &w->accumulators.p[b];
    for (size_t i = 0; i < from->members.n; i++) {
        w->accumulator[from->members.p[i]] = 0;
        place_add_member(w, a, from->members.p[i]);
    }
    from->members.n = 0;
    from->phi = from->named = from->out = from->result = GRAPH_NIL;
}

/* The piece of the cycle that the loop (+ 1) is; the number of pieces: none. */
static size_t piece_of(const struct graph_cycle *c, uint32_t loop)
{
    size_t k = 0;
    while (k < c->pieces.n && (c->pieces.p[k].straight || c->pieces.p[k].loop + 1 != loop))
        k++;
    return k;
}

/* A later piece of a loop takes the variable up where an earlier one left it. */
static bool join_piece(struct variables *v, uint32_t b)
{
    struct place_work *w = v->w;
    const struct graph *g = w->g;
    graph_id phi = w->accumulators.p[b].phi;
    uint32_t loop = loop_of_phi(g, phi), of = loop ? g->cycles->cycle_of[g->loops.p[loop - 1].header] : 0;
    if (!of || g->cycles->cycles.p[of - 1].pieces.n < 2)
        return false;
    const struct graph_cycle *c = &g->cycles->cycles.p[of - 1];
    size_t own = piece_of(c, loop);
    graph_id start = own > 0 && own < c->pieces.n ? side_of(g, phi, false) : (graph_id)GRAPH_NIL;
    uint32_t a = start != GRAPH_NIL ? comes_from(v, start, GRAPH_NIL) : 0;
    if (!a || a == b + 1 || piece_of(c, loop_of_phi(g, w->accumulators.p[a - 1].named)) >= own ||
        graph_at(g, phi)->type != graph_at(g, w->accumulators.p[a - 1].phi)->type)
        return false;
    struct place_accumulator *to = &w->accumulators.p[a - 1];
    graph_id out = w->accumulators.p[b].out;
    if (out != GRAPH_NIL && !graph_tells_step(g, of - 1, to->named, to->out) && graph_tells_step(g, of - 1, phi, out)) {
        to->out = out; /* of several steps that a turn is none tells the others: the shorter piece's does */
        map_u64_put(w->a, &w->by_step, out, a - 1);
    }
    join(w, a - 1, b);
    return true;
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

/* A choice between values of the accumulators `a` and `b` (+ 1) alone, or of such choices. */
static bool chooses_among(const struct place_work *w, graph_id id, uint32_t a, uint32_t b)
{
    const struct graph_node *n = graph_at(w->g, id);
    for (unsigned k = 1; k <= 2 && n->kind == UOP_SELECT && a; k++) {
        uint32_t of = n->arg[k] < w->nodes ? w->accumulator[n->arg[k]] : 0;
        unsigned kind = graph_at(w->g, n->arg[k])->kind;
        if (of != a && of != b && kind != UOP_SELECT && kind != GRAPH_PHI)
            return false;
    }
    return n->kind == UOP_SELECT && a;
}

/* Something in the loop reads what comes into its turns, beside the loop within (whose accumulator is `a`, + 1; 0: only
 * `inner`, its phi, may): before and behind that are two values there. */
static bool reads_between(const struct place_work *w, graph_id phi, graph_id inner, uint32_t a, uint32_t b,
                          uint32_t cycle)
{
    const struct graph *g = w->g;
    uint32_t count, loop = loop_of_phi(g, phi);
    const graph_id *users = graph_users(g, phi, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool own = users[i] < w->nodes && a && (w->accumulator[users[i]] == a || w->accumulator[users[i]] == b);
        if (users[i] != inner && users[i] < w->nodes && !own && graph_at(g, users[i])->kind != GRAPH_PHI &&
            !chooses_among(w, users[i], a, b) && !made_outside(w, users[i], cycle))
            return true;
    }
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        bool stores = false;
        for (unsigned k = 0; k < 4 && x->kind != GRAPH_LOAD; k++)
            stores |= x->value[k] == phi;
        if (stores && is_within(g, g->blocks.p[g->insns.p[x->insn].block].loop, loop))
            return true;
    }
    return false;
}

/* An inner loop takes the variable up as the turn around it begins, and leaves it as that ends. */
static bool join_nest(struct variables *v, uint32_t b)
{
    struct place_work *w = v->w;
    const struct graph *g = w->g;
    graph_id phi = w->accumulators.p[b].phi;
    uint32_t loop = loop_of_phi(g, phi);
    graph_id next = loop ? side_of(g, phi, true) : (graph_id)GRAPH_NIL;
    uint32_t a = next != GRAPH_NIL && next != phi ? comes_from(v, next, phi) : 0;
    uint32_t inner = a && a != b + 1 ? place_loop_of(w, a - 1) : 0;
    if (!inner || inner == loop || !is_within(g, inner, loop))
        return false;
    struct place_accumulator *to = &w->accumulators.p[a - 1], *from = &w->accumulators.p[b];
    graph_id start = side_of(g, to->phi, false); /* or behind steps that were taken out before the loop */
    if (start == GRAPH_NIL || (start != phi && comes_from(v, start, phi) != a) || from->named != phi ||
        graph_at(g, to->phi)->type != graph_at(g, phi)->type || reads_between(w, phi, GRAPH_NIL, a, b + 1, from->cycle))
        return false;
    to->phi = phi;
    to->cycle = from->cycle;
    join(w, a - 1, b);
    return true;
}

bool place_join_variables(struct place_work *w)
{
    struct variables v = {.w = w};
    const struct graph *g = w->g;
    bool any = false, joined = g->cycles != NULL;
    for (graph_id id = 1; id < w->nodes && joined && w->accumulators.n; id++) {
        graph_id next = loop_of_phi(g, id) && w->accumulator[id] ? side_of(g, id, true) : (graph_id)GRAPH_NIL;
        uint32_t known;
        if (next != GRAPH_NIL &&
            (!map_u64_get(&v.round, next, &known) || is_within(g, loop_of_phi(g, id), loop_of_phi(g, known))))
            map_u64_put(w->a, &v.round, next, id);
    }
    for (unsigned pass = 0; pass < PASSES && joined; pass++) {
        joined = false;
        for (uint32_t b = 0; b < w->accumulators.n; b++)
            if (w->accumulators.p[b].phi != GRAPH_NIL)
                joined |= join_piece(&v, b) || join_nest(&v, b);
        any |= joined;
    }
    return any;
}

void place_find_final_copies(struct place_work *w)
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

void place_join_nested(struct place_work *w)
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
            if (!begins || reads_between(w, outer->named, outer->out, 0, 0, outer->inner))
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
                place_add_member(w, (uint32_t)i, inner->members.p[k]);
            inner->members.n = 0;
            inner->phi = inner->named = inner->out = GRAPH_NIL;
        }
    }
}
