/* Pieces that no accumulator shows (D6). Without accumulators a store takes their place: the same store over elements
 * that go on. Loops behind them that only their counters show to be pieces too (graph_take.c), and straight code that
 * takes a counter on by some steps.
 *
 * requires: a loop with what was joined along its accumulators · gives: more pieces */
#include "graph/graph_piece.h"

#include <string.h>

enum { IDLE_MAX = 64 };

/* ---- stores in the place of accumulators ------------------------------------------------------- */

/* Stores of a stretch of instances that are the step's. *begin: the address none of the others comes before, where the
 * element is *which. */
static uint32_t gather_stores(struct joiner *j, const struct graph_access *t, const uint32_t *blocks, uint32_t count,
                              uint32_t loop, struct field_set *begin, graph_id *which, struct cycle_run *run)
{
    VEC(graph_id) elements = {0};
    const struct graph *g = j->w->g;
    VEC(struct field_set) at = {0};
    graph_id element;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_block *b = &g->blocks.p[blocks[i]];
        for (uint32_t k = b->first; k <= b->last && b->reachable; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (cycle_match_store(j->w, j->r, t, &g->accesses.p[x], run, &element)) {
                    VEC_PUSH(j->w->a, at, cycle_value_of(j->w, element, loop, TURN_FIRST));
                    VEC_PUSH(j->w->a, elements, element);
                }
    }
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < at.n; i++) {
        struct field_set before = at.p[i];
        for (unsigned k = 0; k < before.count; k++)
            before.v[k] = field_add(before.v[k], field_neg(j->advance));
        bool any = false;
        for (uint32_t k = 0; k < at.n && !any && before.count; k++)
            any = k != i && at.p[k].count && at.p[k].v[0] == before.v[0];
        if (!any && first != UINT32_MAX)
            return 0; /* not in a row */
        if (!any)
            first = i;
    }
    if (first == UINT32_MAX || elements.n != at.n)
        return 0;
    *begin = at.p[first];
    *which = elements.p[first];
    return (uint32_t)at.n;
}

/* A block that runs whenever the last straight piece does is more of it: a branch in each step (a division's slow way)
 * cuts a stretch into blocks. */
static bool extend_stretch(struct joiner *j, uint32_t block, uint32_t steps)
{
    const struct graph *g = j->w->g;
    size_t n = j->c->pieces.n;
    struct graph_piece *p = n ? &j->c->pieces.p[n - 1] : NULL;
    if (!p || !p->straight || p->block_count == 0 || g->blocks.p[p->blocks[0]].path != g->blocks.p[block].path)
        return false;
    uint32_t *blocks = ARENA_ARRAY(j->w->a, uint32_t, p->block_count + 1);
    if (!blocks)
        return false;
    memcpy(blocks, p->blocks, p->block_count * sizeof blocks[0]);
    blocks[p->block_count++] = block;
    p->blocks = blocks;
    p->last = g->blocks.p[block].last;
    p->unroll += steps;
    return true;
}

bool piece_between(struct joiner *j, uint32_t parts, uint32_t last, uint32_t steps, struct graph_piece *out)
{
    const struct graph *g = j->w->g;
    uint32_t count = 0, up = last;
    for (; up != parts && up != UINT32_MAX; up = g->blocks.p[up].idom)
        count++;
    uint32_t *blocks = up == parts && count ? ARENA_ARRAY(j->w->a, uint32_t, count) : NULL;
    if (!blocks)
        return false;
    for (uint32_t k = count, at = last; k-- > 0; at = g->blocks.p[at].idom)
        blocks[k] = at;
    *out = (struct graph_piece){.straight = true,
                                .loop = UINT32_MAX,
                                .first = g->blocks.p[blocks[0]].first,
                                .last = g->blocks.p[last].last,
                                .unroll = steps,
                                .blocks = blocks,
                                .block_count = count};
    return true;
}

/* Steps that a compiler took out before the loop, on a condition of its own: the loop begins either where they do or
 * behind them. The piece is all that runs for them: the blocks between where the ways part and where they meet. */
static void join_stores_before(struct joiner *j, const struct graph_access *t, const struct field_set *first)
{
    enum { LEVELS = 4 };
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    uint32_t parent = g->loops.p[j->r->loop].parent, meets = g->loops.p[j->r->loop].header;
    for (unsigned level = 0; level < LEVELS && first->count > 1; level++) {
        uint32_t parts = g->blocks.p[meets].idom;
        if (parts == UINT32_MAX || parts >= meets || g->blocks.p[parts].loop != parent)
            return;
        for (uint32_t b = parts + 1; b < meets && w->budget > 0; b++) {
            struct cycle_run run = {0};
            struct field_set at = {0};
            if (g->blocks.p[b].loop != parent || !g->blocks.p[b].reachable)
                continue;
            graph_id element;
            uint32_t n = gather_stores(j, t, &b, 1, UINT32_MAX, &at, &element, &run);
            struct field_set behind = at;
            for (unsigned k = 0; k < behind.count; k++)
                behind.v[k] = field_add(behind.v[k], field_mul(j->advance, n));
            if (n == 0 || n >= j->r->unroll || !field_sets_meet(first, &at) || !field_sets_meet(first, &behind))
                continue;
            struct graph_piece piece;
            if (!piece_between(j, parts, b, n, &piece))
                return;
            piece_add(j, piece, (struct part){.chain = UINT32_MAX});
            piece_note_copies(j, &run);
            return;
        }
        meets = parts;
    }
}

void piece_join_stores(struct joiner *j)
{
    struct cycle_work *w = j->w;
    struct cycle_region *r = j->r;
    const struct graph *g = w->g;
    const struct graph_access *t = NULL;
    for (uint32_t i = 0; i < r->block_count && !t; i++) {
        const struct graph_block *b = &g->blocks.p[r->blocks[i]];
        for (uint32_t k = b->first; k <= b->last && !t && b->loop == r->loop + 1; k++)
            for (uint32_t x = g->insns.p[k].first_access; x < g->insns.p[k].first_access + g->insns.p[k].access_count;
                 x++)
                if (g->accesses.p[x].kind != GRAPH_LOAD)
                    t = &g->accesses.p[x];
    }
    if (!t)
        return;
    struct cycle_run self = {0};
    graph_id element;
    if (!cycle_match_store(j->w, j->r, t, t, &self, &element))
        return;
    struct field_set begin = cycle_value_of(w, element, r->loop, TURN_LAST);
    struct field_set after = cycle_value_of(w, element, r->loop, TURN_AFTER);
    uint64_t turn = begin.count ? field_add(after.v[0], field_neg(begin.v[0])) : 0;
    for (unsigned k = 0; k < begin.count && turn; k++) /* wherever it began, a turn goes as far */
        turn = begin.count == after.count && field_add(begin.v[k], turn) == after.v[k] ? turn : 0;
    if (turn == 0)
        return;
    j->advance = field_mul(turn, field_inverse(r->unroll));
    struct cycle_run own = {0};
    struct field_set first = {0};
    if (gather_stores(j, t, r->blocks, r->block_count, r->loop, &first, &element, &own) != r->unroll)
        return; /* several a step: no single element to follow */
    piece_note_copies(j, &own);
    /* The end: the first element, a turn after the last. */
    piece_end_at(j, first, field_mul(turn, field_add(cycle_turns(w, r), 1)));
    uint32_t parent = g->loops.p[r->loop].parent;
    uint32_t idle = 0; /* blocks since the last piece */
    for (uint32_t b = g->loops.p[r->loop].header + 1; b < g->blocks.n && w->budget > 0 && idle < IDLE_MAX;
         b++, idle++) {
        uint32_t l = g->blocks.p[b].loop;
        struct cycle_run run = {0};
        struct field_set at = {0};
        if (l == parent && g->blocks.p[b].reachable) {
            uint32_t n = gather_stores(j, t, &b, 1, UINT32_MAX, &at, &element, &run);
            uint32_t *blocks = ARENA_ARRAY(w->a, uint32_t, 1);
            if (n == 0 || !blocks)
                continue;
            if (!piece_goes_on(j, &at))
                break; /* the same from elsewhere: another loop of the source */
            blocks[0] = b;
            if (!extend_stretch(j, b, n))
                piece_add(j,
                          (struct graph_piece){.straight = true,
                                               .loop = UINT32_MAX,
                                               .first = g->blocks.p[b].first,
                                               .last = g->blocks.p[b].last,
                                               .unroll = n,
                                               .blocks = blocks,
                                               .block_count = 1},
                          (struct part){.chain = UINT32_MAX});
            piece_note_copies(j, &run);
            piece_end_at(j, at, field_mul(j->advance, n));
            idle = 0;
        } else if (l && g->loops.p[l - 1].header == b && g->loops.p[l - 1].parent == parent && l - 1 != r->loop &&
                   w->regions[l - 1].cycle < 0 && w->regions[l - 1].chains.n == 0) {
            struct cycle_region *other = &w->regions[l - 1];
            uint32_t n = gather_stores(j, t, other->blocks, other->block_count, l - 1, &at, &element, &run);
            if (n == 0 || n != other->unroll)
                continue;
            if (!piece_goes_on(j, &at) || !piece_same_stride(j, element, n, other))
                break; /* what its counter says is asked later: a turn may hold steps that no store shows */
            if (piece_is_twin(j, n)) {
                j->apart = l;
                break;
            }
            piece_add_loop(j, other, n);
            piece_note_copies(j, &run);
            piece_end_at(j, at, field_mul(field_mul(j->advance, n), field_add(cycle_turns(w, other), 1)));
            idle = 0;
        }
    }
    join_stores_before(j, t, &first);
}

/* ---- counters in the place of both --------------------------------------------------------------- */

/* Steps are taken for smaller ones: what a turn of a later loop does is one step, or several. */
static void scale_pieces(struct joiner *j, uint32_t factor)
{
    for (size_t i = 0; i < j->c->pieces.n && factor > 1; i++) {
        struct graph_piece *p = &j->c->pieces.p[i];
        p->unroll *= factor;
        if (!p->straight)
            j->w->regions[p->loop].unroll = p->unroll;
    }
}

/* Loops that are joined already whose bodies were not seen to repeat anything: what their tests say of one another
 * holds. Straight pieces found by such a step are looked for again. */
static void settle_units(struct joiner *j)
{
    struct cycle_work *w = j->w;
    struct graph_cycle *c = j->c;
    struct cycle_region *least = NULL;
    bool any = false;
    uint32_t kept = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        struct cycle_region *r = c->pieces.p[i].straight ? NULL : &w->regions[c->pieces.p[i].loop];
        if (r && (!least || cycle_turns_as(w, least, r) > 1))
            least = r;
    }
    for (size_t i = 0; i < c->pieces.n; i++) {
        struct graph_piece *p = &c->pieces.p[i];
        struct cycle_region *r = p->straight ? NULL : &w->regions[p->loop];
        uint32_t turns = r && r != least ? cycle_turns_as(w, r, least) : 0;
        if (turns < 2 || p->unroll != least->unroll)
            continue;
        r->unroll = p->unroll = turns * least->unroll;
        r->inner = 0;
        any = true;
    }
    for (size_t i = 0; i < c->pieces.n && any; i++) {
        if (c->pieces.p[i].straight)
            continue;
        c->pieces.p[kept] = c->pieces.p[i];
        j->parts.p[kept++] = j->parts.p[i];
    }
    if (any)
        c->pieces.n = j->parts.n = kept;
}

/* Loops behind the pieces that only their counters show to be pieces too. */
void piece_join_counters(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    settle_units(j);
    for (uint32_t l = w->next_beside[j->r->loop]; l && w->budget > 0; l = w->next_beside[l - 1]) {
        struct cycle_region *other = &w->regions[l - 1];
        if (other->cycle == j->r->cycle)
            continue;
        if (other->cycle >= 0 || other->skipped || g->loops.p[l - 1].irreducible || j->apart == l)
            break;
        bool more;
        uint32_t turns = cycle_takes_up(w, j->r, other, &more), steps = turns * other->unroll;
        /* In the steps that the pieces are counted in now. */
        uint32_t factor = !more && turns && steps % j->r->unroll == 0 ? steps / j->r->unroll : 1;
        if (turns && other->unroll % factor == 0 &&
            piece_is_twin(j, more ? turns * j->r->unroll : other->unroll / factor))
            break;
        if (turns && more) {
            bool alike = other->unroll == turns * j->r->unroll;
            if (alike || other->unroll == 1)
                piece_add_loop(j, other, turns * j->r->unroll);
            if (alike)
                piece_join_along(j, other); /* what is left of that one stands behind it */
            continue;
        }
        if (turns == 0 && !cycle_steps_less(other, j->r))
            break; /* another loop begins: pieces stand together */
        if (turns == 0 || steps % j->r->unroll != 0)
            continue;
        scale_pieces(j, steps / j->r->unroll);
        piece_add_loop(j, other, other->unroll);
    }
}

/* A counter that a compiler made says of more steps than the body was seen to repeat: two that take turns look like
 * one, and what was folded into the next one like none. */
void piece_count_copies(struct joiner *j)
{
    uint32_t factor = 0;
    for (size_t i = 0; i < j->c->pieces.n; i++) {
        const struct graph_piece *p = &j->c->pieces.p[i];
        uint32_t copies = p->straight ? 0 : cycle_counted_copies(j->w->g, &j->w->regions[p->loop]);
        if (p->straight)
            continue;
        if (copies <= p->unroll || copies % p->unroll != 0 || (factor && copies / p->unroll != factor))
            return;
        factor = copies / p->unroll;
    }
    scale_pieces(j, factor);
    size_t kept = 0;
    for (size_t i = 0; i < j->c->pieces.n; i++) { /* a stretch was matched on one of the two, or on both */
        struct graph_piece p = j->c->pieces.p[i];
        bool shown = !p.straight || factor < 2 || cycle_does_turns(j->w, p.blocks, p.block_count, j->r, p.unroll);
        if (!shown && cycle_does_turns(j->w, p.blocks, p.block_count, j->r, p.unroll / factor)) {
            p.unroll /= factor;
            shown = true;
        }
        if (!shown)
            continue;
        j->c->pieces.p[kept] = p;
        j->parts.p[kept++] = j->parts.p[i];
    }
    j->c->pieces.n = j->parts.n = kept;
}

/* Straight code that takes a counter on: as many steps as that says, whatever was found of them. */
void piece_join_stretches(struct joiner *j)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    struct cycle_stretch found[CYCLE_STRETCHES];
    uint32_t count = cycle_find_stretches(w, j->c, found);
    uint32_t from = g->loops.p[j->r->loop].header, to = 0;
    for (size_t k = 0; k < j->c->pieces.n; k++)
        for (uint32_t b = 0; b < j->c->pieces.p[k].block_count; b++)
            to = j->c->pieces.p[k].blocks[b] > to ? j->c->pieces.p[k].blocks[b] : to;
    for (uint32_t i = 0; i < count; i++) {
        struct graph_piece *same = NULL;
        uint32_t of_block = 0;
        if (found[i].block < from || found[i].block > to)
            continue; /* what another loop before or behind makes of the same numbers */
        for (size_t k = 0; k < j->c->pieces.n; k++) {
            struct graph_piece *p = &j->c->pieces.p[k];
            for (uint32_t b = 0; b < p->block_count && p->straight; b++)
                if (p->blocks[b] == found[i].block) {
                    same = p;
                    of_block++;
                }
        }
        if (of_block == 1 && same->block_count == 1)
            same->unroll = found[i].steps;
        uint32_t *blocks = of_block ? NULL : ARENA_ARRAY(w->a, uint32_t, 1);
        if (!blocks)
            continue;
        blocks[0] = found[i].block;
        piece_add(j,
                  (struct graph_piece){.straight = true,
                                       .loop = UINT32_MAX,
                                       .first = g->blocks.p[blocks[0]].first,
                                       .last = g->blocks.p[blocks[0]].last,
                                       .unroll = found[i].steps,
                                       .blocks = blocks,
                                       .block_count = 1},
                  (struct part){.chain = UINT32_MAX});
    }
}
