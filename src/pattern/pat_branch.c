/* Branches whose ways come back: a slow path is code without an effect that one side of a branch leads to and that
 * always comes back. Its blocks are those the side's first block dominates.
 *
 * Requires a built graph; gives joins by block, slow paths by condition. Linear: a block lies on the slow paths of
 * nested branches only. */
#include "pattern/pat_internal.h"

#include <string.h>

enum { SLOW_BLOCKS = 4096 };

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

/* It stores to other memory than the thread's own, by whatever address. */
static bool stores(const struct graph *g, uint32_t insn)
{
    const struct graph_insn *n = &g->insns.p[insn];
    bool known = n->access_count != 0, other = false;
    for (uint32_t i = 0; i < n->access_count; i++) {
        const struct graph_access *a = &g->accesses.p[n->first_access + i];
        other |= a->kind != GRAPH_LOAD && a->space != UOP_LOCAL;
    }
    return !known || other;
}

bool pat_has_effect(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        switch (u->kind) {
        case UOP_STORE:
            if (u->space != UOP_LOCAL && stores(g, insn))
                return true;
            break;
        case UOP_ATOM:
        case UOP_RED:
        case UOP_BAR:
        case UOP_EXIT:
        case UOP_TRAP:
        case UOP_ASYNC_COPY:
        case UOP_MMA:
        case UOP_SHFL:
        case UOP_VOTE:
        case UOP_BALLOT:
        case UOP_FENCE: return true;
        default: break;
        }
    }
    return !l || l->unknown;
}

bool pat_reconverges(const struct graph *g, uint32_t insn, uint64_t how)
{
    const struct uop_list *l = uops_of(g, insn);
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_RECONVERGE && l->ops.p[i].imm == how)
            return true;
    return false;
}

/* A part of the tree of dominators, by its top. What it leads to lies within parts from some block above on; of these
 * places the two are kept that stay outside for longest as parts become larger. */
struct region {
    uint32_t blocks, depth, number; /* how many, the top's depth, its place in a walk down the tree */
    bool effect;                    /* … or some way ends in it */
    uint32_t to[2], from[2];        /* places, UINT32_MAX: none; within parts whose top is no deeper than this */
    uint32_t third;                 /* the least depth of those not kept */
};

static void lead_to(struct region *r, uint32_t to, uint32_t from)
{
    if (to == UINT32_MAX || from >= r->depth || to == r->to[0] || to == r->to[1])
        return;
    unsigned k = r->to[0] == UINT32_MAX || from < r->from[0] ? 0 : 1;
    if (r->to[1] != UINT32_MAX) {
        uint32_t lost = from > r->from[1] ? from : r->from[1];
        r->third = lost < r->third ? lost : r->third;
    }
    if (k == 0) {
        r->to[1] = r->to[0];
        r->from[1] = r->from[0];
    }
    if (k == 0 || r->to[1] == UINT32_MAX || from < r->from[1]) {
        r->to[k] = to;
        r->from[k] = from;
    }
}

/* Blocks in the order of a walk down the tree: what a block dominates stands right behind it. */
static uint32_t walk_down(const struct pat_branches *b, const struct graph *g, struct region *of, uint32_t *order,
                          uint32_t *stack)
{
    uint32_t count = 0, depth = 0;
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        of[i] = (struct region){.blocks = 1, .to = {UINT32_MAX, UINT32_MAX}, .third = UINT32_MAX};
        if (g->blocks.p[i].reachable && (g->blocks.p[i].idom == UINT32_MAX || g->blocks.p[i].idom == i))
            stack[depth++] = i;
    }
    while (depth) {
        uint32_t at = stack[--depth];
        of[at].number = count;
        order[count++] = at;
        for (uint32_t c = b->child[at]; c != UINT32_MAX; c = b->sibling[c]) {
            of[c].depth = of[at].depth + 1;
            stack[depth++] = c;
        }
    }
    for (uint32_t k = count; k-- > 0;)
        if (of[order[k]].depth)
            of[g->blocks.p[order[k]].idom].blocks += of[order[k]].blocks;
    return count;
}

/* Joins of all blocks, from the leaves of the tree upwards. */
static bool find_joins(struct pat_branches *b, const struct graph *g)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    struct region *of = ARENA_ARRAY(&scratch, struct region, g->blocks.n + 1);
    uint32_t *order = ARENA_ARRAY(&scratch, uint32_t, g->blocks.n + 1);
    uint32_t *stack = ARENA_ARRAY(&scratch, uint32_t, g->blocks.n + 1);
    bool ready = !arena_failed(&scratch);
    for (uint32_t k = ready ? walk_down(b, g, of, order, stack) : 0; k-- > 0;) {
        const struct graph_block *x = &g->blocks.p[order[k]];
        struct region *r = &of[order[k]];
        r->effect |= !x->succ_count;
        for (uint32_t i = x->first; i <= x->last && !r->effect; i++)
            r->effect = pat_has_effect(g, i);
        for (uint32_t s = 0; s < x->succ_count; s++) {
            const struct region *t = &of[x->succs[s]];
            bool round = r->number >= t->number && r->number - t->number < t->blocks; /* it dominates this block */
            if (g->blocks.p[x->succs[s]].reachable && (t->depth || round))
                lead_to(r, x->succs[s], round ? t->depth : t->depth - 1);
        }
        if (!r->effect && r->blocks <= SLOW_BLOCKS && r->to[1] == UINT32_MAX)
            b->join[order[k]] = r->to[0];
        for (unsigned i = 0; i < 2 && !r->effect && r->blocks <= SLOW_BLOCKS && r->third >= r->depth; i++)
            b->leads[2 * order[k] + i] = r->to[i];
        if (!r->depth)
            continue;
        struct region *above = &of[x->idom];
        above->effect |= r->effect;
        above->third = r->third < above->third ? r->third : above->third;
        for (unsigned i = 0; i < 2; i++)
            lead_to(above, r->to[i], r->from[i]);
    }
    arena_free(&scratch);
    return ready;
}

bool pat_branches_init(struct pat_branches *b, struct arena *a, const struct graph *g)
{
    uint32_t n = (uint32_t)g->blocks.n, before;
    *b = (struct pat_branches){.next = ARENA_ARRAY(a, uint32_t, n + 1),
                               .child = ARENA_ARRAY(a, uint32_t, n + 1),
                               .sibling = ARENA_ARRAY(a, uint32_t, n + 1),
                               .join = ARENA_ARRAY(a, uint32_t, n + 1),
                               .leads = ARENA_ARRAY(a, uint32_t, 2 * n + 2)};
    if (!b->next || !b->child || !b->sibling || !b->join || !b->leads)
        return false;
    memset(b->leads, 0xff, (2 * n + 2) * sizeof b->leads[0]);
    memset(b->join, 0xff, (n + 1) * sizeof b->join[0]);
    memset(b->child, 0xff, (n + 1) * sizeof b->child[0]);
    memset(b->sibling, 0xff, (n + 1) * sizeof b->sibling[0]);
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_block *x = &g->blocks.p[i];
        if (x->reachable && x->idom != UINT32_MAX && i != x->idom) {
            b->sibling[i] = b->child[x->idom];
            b->child[x->idom] = i;
        }
        if (!x->reachable || x->branch == GRAPH_NIL || x->succ_count != 2)
            continue;
        b->next[i] = map_u64_get(&b->of, x->branch, &before) ? before : 0;
        if (!map_u64_put(a, &b->of, x->branch, i + 1))
            return false;
    }
    if (!find_joins(b, g))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (b->join[i] != UINT32_MAX && g->blocks.p[i].pred_count > 1)
            VEC_PUSH(a, b->shared, i);
    return !arena_failed(a);
}

bool pat_add_region(const struct pat_branches *b, struct arena *a, const struct graph *g, uint32_t first,
                    struct pat_slow *out, uint32_t *join)
{
    VEC(uint32_t) blocks = {0};
    *join = b->join[first];
    if (*join == UINT32_MAX)
        return false;
    VEC_PUSH(a, blocks, first);
    for (size_t k = 0; k < blocks.n && !arena_failed(a); k++) {
        const struct graph_block *x = &g->blocks.p[blocks.p[k]];
        for (uint32_t c = b->child[blocks.p[k]]; c != UINT32_MAX; c = b->sibling[c])
            VEC_PUSH(a, blocks, c);
        for (uint32_t i = x->first; i <= x->last; i++)
            VEC_PUSH(a, out->insns, i);
    }
    return !arena_failed(a);
}

void pat_add_fringe(struct arena *a, const struct graph *g, uint32_t from, uint32_t join, struct pat_fringe *f)
{
    const struct graph_block *d = &g->blocks.p[from];
    VEC_PUSH(a, f->insns, d->last);
    if (!pat_reconverges(g, g->blocks.p[join].first, UOP_BSYNC))
        return;
    for (uint32_t i = d->last + 1; i-- > d->first;) {
        if (!pat_reconverges(g, i, UOP_BSSY))
            continue;
        VEC_PUSH(a, f->insns, i);
        VEC_PUSH(a, f->insns, g->blocks.p[join].first);
        return;
    }
}

/* A slow path that several branches lead to: its condition is all of theirs together. */
static void add_shared(const struct pat_branches *b, struct arena *a, struct graph *g, graph_id when,
                       struct pat_slow *out, struct pat_fringe *fringe)
{
    for (size_t i = 0; i < b->shared.n; i++) {
        const struct graph_block *x = &g->blocks.p[b->shared.p[i]];
        uint32_t join;
        if (x->idom == UINT32_MAX || x->path == GRAPH_NIL || graph_and(g, g->blocks.p[x->idom].path, when) != x->path ||
            !pat_add_region(b, a, g, b->shared.p[i], out, &join))
            continue;
        for (uint32_t k = 0; k < x->pred_count; k++)
            pat_add_fringe(a, g, x->preds[k], join, fringe);
    }
}

bool pat_slow_path(const struct pat_branches *b, struct arena *a, struct graph *g, graph_id when, struct pat_slow *out)
{
    struct pat_fringe fringe = {0};
    const graph_id conditions[2] = {when, graph_not(g, when)};
    *out = (struct pat_slow){0};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t at;
        if (!map_u64_get(&b->of, conditions[k], &at))
            continue;
        for (; at; at = b->next[at - 1]) {
            const struct graph_block *d = &g->blocks.p[at - 1];
            uint32_t first = d->succs[k], join;
            if (g->blocks.p[first].pred_count != 1 || g->blocks.p[first].idom != at - 1 ||
                !pat_add_region(b, a, g, first, out, &join))
                continue;
            pat_add_fringe(a, g, at - 1, join, &fringe);
        }
    }
    if (!out->insns.n)
        add_shared(b, a, g, when, out, &fringe);
    if (!out->insns.n)
        return false;
    for (size_t i = 0; i < fringe.insns.n; i++)
        VEC_PUSH(a, out->insns, fringe.insns.p[i]);
    out->fringe = (uint32_t)fringe.insns.n;
    return !arena_failed(a);
}

/* On the way from the block, not round the loop that it stands in nor out of it. */
static bool may_pass(const struct graph *g, uint32_t block, uint32_t part)
{
    uint32_t loop = g->blocks.p[block].loop;
    return part != block && (g->blocks.p[part].idom == block ||
                             (g->blocks.p[part].loop == loop && !(loop && g->loops.p[loop - 1].header == part)));
}

/* The same where ways come together on the way: parts below the block one behind the other, each without an effect and
 * leading to others of them, until one place is left. */
static bool parts_meet(const struct pat_branches *b, const struct graph *g, uint32_t block, uint32_t *join)
{
    enum { PARTS = 12 };
    uint32_t part[PARTS], count = 0;
    bool done[PARTS] = {false};
    for (unsigned k = 0; k < 2; k++)
        part[count++] = g->blocks.p[block].succs[k];
    for (unsigned turn = 0; turn < PARTS; turn++) {
        uint32_t at = UINT32_MAX, open = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (done[i])
                continue;
            open++;
            if (at == UINT32_MAX || g->blocks.p[part[i]].first < g->blocks.p[part[at]].first)
                at = i;
        }
        if (open == 1) {
            *join = part[at];
            return true;
        }
        if (!open || !may_pass(g, block, part[at]) || b->leads[2 * part[at]] == UINT32_MAX)
            return false;
        done[at] = true;
        for (unsigned k = 0; k < 2; k++) {
            uint32_t to = b->leads[2 * part[at] + k], i = 0;
            while (i < count && part[i] != to)
                i++;
            if (to == UINT32_MAX || i < count)
                continue;
            if (to == block || count == PARTS)
                return false;
            part[count++] = to;
        }
    }
    return false;
}

bool pat_ways_meet(const struct pat_branches *b, const struct graph *g, uint32_t block, uint32_t *join)
{
    uint32_t met[2];
    for (unsigned k = 0; k < 2; k++) {
        uint32_t first = g->blocks.p[block].succs[k];
        const struct graph_block *to = &g->blocks.p[first];
        met[k] = to->pred_count == 1 && to->idom == block ? b->join[first] : first;
    }
    *join = met[0];
    return (met[0] == met[1] && met[0] != UINT32_MAX) || parts_meet(b, g, block, join);
}
