/* Where in the code a piece of a loop stands: the blocks that make its steps, the instances that end each, and the list
 * of a loop's pieces, in which what several accumulators show of one stretch is one.
 *
 * requires: runs of steps · gives: pieces with their places */
#include "graph/graph_piece.h"

#include <string.h>

/* Blocks in order of the code, each once. */
struct block_list {
    uint32_t *p, n;
};

static void list_block(struct block_list *l, uint32_t block)
{
    uint32_t k = l->n;
    for (; k > 0 && l->p[k - 1] > block; k--)
        ;
    if (k > 0 && l->p[k - 1] == block)
        return;
    memmove(l->p + k + 1, l->p + k, (l->n - k) * sizeof l->p[0]);
    l->p[k] = block;
    l->n++;
}

/* A step that is one of two values where paths meet is made on the paths, or on the one that leaves the other as it is:
 * the block where they part, by the very condition, and those behind it. False: it is not made so. */
static bool find_arms(const struct joiner *j, graph_id join, uint32_t *parts, uint32_t arm[2])
{
    struct graph *g = j->w->g;
    const struct graph_node n = *graph_at(g, join);
    uint32_t parent = g->loops.p[j->r->loop].parent;
    if (n.kind != UOP_SELECT)
        return false;
    graph_id contrary = graph_not(g, n.arg[0]);
    for (unsigned k = 0; k < 3; k++) {
        uint32_t at = cycle_maker(j->w, n.arg[k], UINT32_MAX);
        *parts = at == UINT32_MAX ? UINT32_MAX : g->insns.p[at].block;
        if (k > 0 && *parts != UINT32_MAX)
            *parts = g->blocks.p[*parts].idom;
        const struct graph_block *b = *parts == UINT32_MAX ? NULL : &g->blocks.p[*parts];
        if (!b || b->succ_count != 2 || b->loop != parent || (b->branch != n.arg[0] && b->branch != contrary))
            continue;
        for (unsigned way = 0; way < 2; way++) /* the other way may lead to where they meet */
            arm[way] = g->blocks.p[b->succs[way]].idom == *parts && g->blocks.p[b->succs[way]].pred_count == 1
                           ? b->succs[way]
                           : *parts;
        return true;
    }
    return false;
}

const uint32_t *piece_makers_of(const struct joiner *j, const struct cycle_run *run)
{
    uint32_t *makers = ARENA_ARRAY(j->w->a, uint32_t, run->steps), parts, arm[2];
    if (!makers || run->outs.n != run->steps)
        return NULL;
    for (uint32_t i = 0; i < run->steps; i++) {
        makers[i] = cycle_maker(j->w, run->outs.p[i], UINT32_MAX);
        if (makers[i] == UINT32_MAX && find_arms(j, run->outs.p[i], &parts, arm))
            makers[i] = j->w->g->blocks.p[parts].last;
        if (makers[i] == UINT32_MAX)
            return NULL;
    }
    return makers;
}

bool piece_place_run(struct joiner *j, struct cycle_run *run, struct graph_piece *out)
{
    struct cycle_work *w = j->w;
    const struct graph *g = w->g;
    struct block_list l = {.p = ARENA_ARRAY(w->a, uint32_t, 3 * run->outs.n)};
    if (!l.p)
        return false;
    for (size_t i = 0; i < run->outs.n; i++) {
        uint32_t at = cycle_maker(w, run->outs.p[i], UINT32_MAX);
        if (at == UINT32_MAX) {
            uint32_t parts, arm[2];
            if (!find_arms(j, run->outs.p[i], &parts, arm))
                continue;
            list_block(&l, parts);
            list_block(&l, arm[0]);
            list_block(&l, arm[1]);
            continue;
        }
        if (g->blocks.p[g->insns.p[at].block].loop != g->loops.p[j->r->loop].parent)
            return false;
        list_block(&l, g->insns.p[at].block);
    }
    uint32_t *blocks = l.p, count = l.n;
    if (count == 0)
        return false;
    run->begin = UINT32_MAX;
    run->end = 0;
    for (size_t i = 1; i < run->pairs.n; i += 2) {
        uint32_t at = cycle_maker(w, run->pairs.p[i], UINT32_MAX);
        if (at == UINT32_MAX || g->insns.p[at].block < blocks[0] || g->insns.p[at].block > blocks[count - 1])
            continue;
        run->begin = at < run->begin ? at : run->begin;
        run->end = at > run->end ? at : run->end;
    }
    *out = (struct graph_piece){.straight = true,
                                .loop = UINT32_MAX,
                                .first = g->blocks.p[blocks[0]].first,
                                .last = g->blocks.p[blocks[count - 1]].last,
                                .unroll = run->steps,
                                .blocks = blocks,
                                .block_count = count,
                                .makers = piece_makers_of(j, run),
                                .maker_count = run->steps};
    return true;
}

void piece_add(struct joiner *j, struct graph_piece piece, struct part part)
{
    bool known = false;
    for (size_t i = 0; i < j->c->pieces.n; i++) {
        const struct graph_piece *p = &j->c->pieces.p[i];
        struct part *q = &j->parts.p[i];
        if (p->straight != piece.straight || p->first != piece.first || p->unroll != piece.unroll ||
            (p->straight && q->chain == part.chain))
            continue;
        known = true;
        if (!p->straight || q->also == part.chain + 1)
            continue; /* the accumulator's next stretch in the block is the next piece there */
        q->also = part.chain + 1;
        q->begin = part.begin < q->begin ? part.begin : q->begin;
        q->end = part.end > q->end ? part.end : q->end;
        return;
    }
    if (known)
        return;
    VEC_PUSH(j->w->a, j->c->pieces, piece);
    VEC_PUSH(j->w->a, j->parts, part);
}

void piece_add_loop(struct joiner *j, struct cycle_region *r, uint32_t unroll)
{
    if (r->cycle == j->r->cycle)
        return; /* along another accumulator already */
    const struct graph_loop *l = &j->w->g->loops.p[r->loop];
    r->cycle = j->r->cycle;
    r->unroll = unroll;
    piece_add(j,
              (struct graph_piece){.loop = r->loop,
                                   .first = l->first,
                                   .last = l->last,
                                   .unroll = unroll,
                                   .blocks = r->blocks,
                                   .block_count = r->block_count},
              (struct part){.chain = UINT32_MAX});
}

/* Two straight pieces of one block: each from its first instruction to its last. */
static void part_pieces(struct joiner *j)
{
    struct graph_cycle *c = j->c;
    for (size_t i = 0; i < c->pieces.n; i++) {
        bool shared = false;
        for (size_t k = 0; k < c->pieces.n && c->pieces.p[i].straight && !shared; k++)
            shared = k != i && c->pieces.p[k].straight && c->pieces.p[k].blocks[0] == c->pieces.p[i].blocks[0];
        if (!shared || j->parts.p[i].chain == UINT32_MAX || j->parts.p[i].begin > j->parts.p[i].end)
            continue;
        c->pieces.p[i].first = j->parts.p[i].begin;
        c->pieces.p[i].last = j->parts.p[i].end;
    }
}

/* One stretch that two accumulators were followed along, the one for fewer steps (nobody takes what its last step
 * makes): the piece with all of the steps. */
static void drop_covered(struct joiner *j)
{
    struct graph_cycle *c = j->c;
    size_t kept = 0;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        bool covered = false;
        for (size_t k = 0; k < c->pieces.n && p->straight && !covered; k++) {
            const struct graph_piece *q = &c->pieces.p[k];
            covered = k != i && q->straight && q->blocks[0] == p->blocks[0] && q->first <= p->first &&
                      p->last <= q->last && p->unroll < q->unroll && j->parts.p[i].chain != UINT32_MAX &&
                      j->parts.p[k].chain != UINT32_MAX && j->parts.p[i].chain != j->parts.p[k].chain;
        }
        if (covered)
            continue;
        if (c->best == i)
            c->best = (uint32_t)kept;
        c->pieces.p[kept] = c->pieces.p[i];
        j->parts.p[kept++] = j->parts.p[i];
    }
    c->pieces.n = kept;
    j->parts.n = kept;
}

void piece_part_stretches(struct joiner *j)
{
    part_pieces(j);
    drop_covered(j);
}
