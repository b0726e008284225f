/* Walks the loops of the source for one thread with numbers drawn for parameters and block numbers: which addresses of
 * an element do its turns touch, through whatever pieces it was cut into? Two loops that touch the same addresses for
 * many draws are taken to run over the same elements. What depends on data is not known and ends the walk.
 *
 * requires: a play, loops (graph_cycle.h) · gives: ascending addresses; work is bounded by blocks a walk */
#include "pattern/pat_play.h"

#include <stdlib.h>
#include <string.h>

/* The longest rows that are drawn are of 5000 elements, and a thread may walk all of one by itself. Of a row that a
 * block takes 256 elements at a time of, most draws are too short to show more than one. */
enum { BLOCKS = 32768, TOUCHED = 8192, SPENT = 30 * 1000 * 1000, TOLD = PAT_DRAWS / 4 };

struct region {
    const struct graph_cycle *cycle;
    uint32_t from, to; /* instances over all of it */
    bool whole;        /* walk from the kernel's start, else from the last block before it */
};

static bool is_within(const struct graph *g, const struct region *r, uint32_t block)
{
    return g->blocks.p[block].first >= r->from && g->blocks.p[block].first <= r->to;
}

/* The last block that lies before all pieces, whichever runs. */
static uint32_t block_before(const struct graph *g, const struct region *r)
{
    uint32_t at = UINT32_MAX;
    for (size_t i = 0; i < r->cycle->pieces.n; i++) {
        const struct graph_piece *p = &r->cycle->pieces.p[i];
        uint32_t other = g->insns.p[p->first].block;
        for (unsigned left = 4096; at != UINT32_MAX && other != UINT32_MAX && at != other && left; left--)
            if (g->blocks.p[at].first > g->blocks.p[other].first)
                at = g->blocks.p[at].idom;
            else
                other = g->blocks.p[other].idom;
        at = at == UINT32_MAX && !i ? other : at == other ? at : UINT32_MAX;
        if (at == UINT32_MAX)
            return at;
    }
    while (at != UINT32_MAX && g->blocks.p[at].first >= r->from)
        at = g->blocks.p[at].idom;
    return at;
}

static graph_id part_of(const struct graph_cycles *y, graph_id id)
{
    return id < y->copy_count && y->copy_of[id] != GRAPH_NIL ? y->copy_of[id] : id;
}

/* A node plays a part: in one of the loops that it plays one in. */
static bool plays(const struct graph_cycles *y, graph_id id, graph_id part)
{
    uint32_t known;
    return part != GRAPH_NIL && (part_of(y, id) == part || map_u64_get(&y->also, graph_copy_key(id, part), &known));
}

static bool may_leave(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    const struct uop_list *l = input < g->input.count ? g->input.insns[input].uops : NULL;
    for (size_t i = 0; l && i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_EXIT || l->ops.p[i].kind == UOP_RET)
            return true;
    return false;
}

/* The block that control goes to with the numbers as they are; UINT32_MAX: not known. *gone: the thread is at its
 * end. */
static uint32_t next_of(struct pat_play *p, uint32_t block, bool *gone)
{
    const struct graph_block b = p->g->blocks.p[block];
    uint64_t target;
    if (may_leave(p->g, b.last)) {
        enum truth leaves = pat_play_truth(p, p->g->insns.p[b.last].guard, false);
        *gone = leaves == IS_TRUE;
        if (leaves != IS_FALSE || b.succ_count != 1)
            return UINT32_MAX;
    }
    if (b.succ_count == 1)
        return b.succs[0];
    if (b.succ_count != 2 || b.branch == GRAPH_NIL || !pat_play_target(p->g, b.last, &target))
        return UINT32_MAX;
    enum truth taken = pat_play_truth(p, b.branch, false);
    if (taken == IS_UNKNOWN) { /* an expansion's slow way comes back to the same place */
        bool slow[2];
        for (int i = 0; i < 2; i++)
            slow[i] = graph_is_slow(p->g, p->g->blocks.p[b.succs[i]].first);
        return slow[0] == slow[1] ? UINT32_MAX : b.succs[slow[0]];
    }
    bool first = p->g->insns.p[p->g->blocks.p[b.succs[0]].first].offset == target;
    return b.succs[(taken == IS_TRUE) != first];
}

/* Values that meet at the head of a block, all at once. */
static bool enter_block(struct pat_play *p, const struct pat_walk *w, uint32_t from, uint32_t to)
{
    const struct graph_block b = p->g->blocks.p[to];
    uint64_t value[LOOP_PHIS * 4];
    bool known[LOOP_PHIS * 4];
    uint32_t pred = 0, count = w->first[to + 1] - w->first[to];
    while (pred < b.pred_count && b.preds[pred] != from)
        pred++;
    if (pred == b.pred_count || count > LOOP_PHIS * 4)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(p->g, w->phis[w->first[to] + i]);
        known[i] = n->phi_count == b.pred_count && pat_play_number(p, n->phi_args[pred], &value[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        graph_id id = w->phis[w->first[to] + i];
        p->of[id].given = known[i];
        p->of[id].value = known[i] ? value[i] : 0;
    }
    if (count)
        pat_play_forget_turn(p);
    return true;
}

/* What is looked for: copies of a load, or of two that one value is made of. */
struct wanted {
    graph_id part, with; /* GRAPH_NIL: one */
    const struct pat_begun *before;
    const struct pat_roles *roles;
};

/* Which loads those are. */
static void find_roles(struct pat_play *p, struct wanted *of, struct pat_roles *out)
{
    const struct graph *g = p->g;
    memset(out->block, 0, g->blocks.n * sizeof out->block[0]);
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        bool loads = a->kind == GRAPH_LOAD && a->result != GRAPH_NIL;
        out->access[i] = !loads                                  ? 0
                         : plays(g->cycles, a->result, of->part) ? 1
                         : plays(g->cycles, a->result, of->with) ? 2
                                                                 : 0;
        if (out->access[i])
            out->block[g->insns.p[a->insn].block] = true;
    }
    of->roles = out;
}

/* One of two: kept until the other is there. */
static bool pair_up(struct pat_walk *w, graph_id load, bool first, uint64_t at, struct pat_touch *list, unsigned *n)
{
    graph_id key = first ? load : w->partner[load];
    if (key == GRAPH_NIL || w->waits[key] == (first ? 1 : 2))
        return false;
    if (!w->waits[key]) {
        w->waits[key] = first ? 1 : 2;
        w->pending[key] = at;
        w->open++;
        return true;
    }
    list[(*n)++] = first ? (struct pat_touch){at, w->pending[key]} : (struct pat_touch){w->pending[key], at};
    w->waits[key] = 0;
    w->open--;
    return true;
}

static bool touch(struct pat_play *p, uint32_t block, const struct wanted *of, struct pat_touch *list, unsigned *n)
{
    if (!of->roles->block[block])
        return true;
    for (uint32_t i = p->g->blocks.p[block].first; i <= p->g->blocks.p[block].last; i++)
        for (uint32_t x = 0; x < p->g->insns.p[i].access_count; x++) {
            const uint8_t role = of->roles->access[p->g->insns.p[i].first_access + x];
            if (!role)
                continue;
            const struct graph_access a = p->g->accesses.p[p->g->insns.p[i].first_access + x];
            uint64_t at;
            enum truth acts =
                p->g->insns.p[i].guard == GRAPH_NIL ? IS_TRUE : pat_play_truth(p, p->g->insns.p[i].guard, false);
            if (acts == IS_FALSE)
                continue;
            if (acts == IS_UNKNOWN || *n == TOUCHED || !pat_play_number(p, a.address, &at))
                return false;
            if (of->with == GRAPH_NIL)
                list[(*n)++] = (struct pat_touch){at, 0};
            else if (a.result >= p->size || !pair_up(&p->walk, a.result, role == 1, at, list, n))
                return false;
        }
    return true;
}

/* What is held from before the loop, as far as this thread loads it. */
static bool touch_before(struct pat_play *p, const struct pat_begun *before, struct pat_touch *list, unsigned *n)
{
    for (unsigned i = 0; before && i < before->count; i++) {
        uint32_t at;
        uint64_t address;
        graph_id load = before->element[i];
        if (load == GRAPH_NIL || !map_u64_get(&p->x->first_load, load, &at) || *n == TOUCHED)
            return false;
        const struct graph_access a = p->g->accesses.p[at];
        enum truth acts = a.runs_when == GRAPH_NIL ? IS_UNKNOWN : pat_play_truth(p, a.runs_when, false);
        if (acts == IS_FALSE)
            continue;
        if (acts == IS_UNKNOWN || !pat_play_number(p, a.address, &address))
            return false;
        list[(*n)++] = (struct pat_touch){address, 0};
    }
    return true;
}

static int ascending(const void *a, const void *b)
{
    const struct pat_touch *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->with > y->with) - (x->with < y->with);
}

/* Addresses of one walk; false: something is not known. */
static bool walk(struct pat_play *p, struct pat_walk *w, const struct region *r, const struct wanted *of,
                 struct pat_touch *list, unsigned *n)
{
    uint32_t at = r->whole ? 0 : block_before(p->g, r);
    graph_id path = r->whole ? (graph_id)GRAPH_NIL : graph_cycle_path(p->g, r->cycle);
    bool good = at != UINT32_MAX && w->spent < SPENT, gone = false;
    w->spent += 1 + w->first[p->g->blocks.n];
    *n = 0;
    p->drawn_from = r->whole ? 0 : r->from;
    p->drawn_to = r->whole ? UINT32_MAX : r->to;
    pat_play_forget(p);
    good = good && touch_before(p, of->before, list, n);
    w->held = *n;
    gone = good && path != GRAPH_NIL && pat_play_truth(p, path, false) == IS_FALSE; /* it is not come to */
    for (unsigned left = BLOCKS; good && !gone; left--) {
        uint32_t next = left ? next_of(p, at, &gone) : UINT32_MAX;
        good = next != UINT32_MAX || gone;
        if (!good || gone || p->g->blocks.p[next].first > r->to)
            break;
        good = enter_block(p, w, at, next) && (!is_within(p->g, r, next) || touch(p, next, of, list, n));
        at = next;
        w->spent += 1 + p->g->blocks.p[at].last - p->g->blocks.p[at].first;
        good &= w->spent < SPENT;
    }
    for (uint32_t i = 0; i < w->first[p->g->blocks.n]; i++)
        p->of[w->phis[i]].given = false;
    pat_play_forget(p);
    if (w->open)
        memset(w->waits, 0, p->size);
    good &= !w->open;
    w->open = 0;
    bool sorted = true;
    for (unsigned i = 1; good && i < *n && sorted; i++)
        sorted = ascending(&list[i - 1], &list[i]) <= 0;
    if (good && !sorted)
        qsort(list, *n, sizeof *list, ascending);
    return good;
}

/* Phis by block. */
static bool find_phis(struct pat_play *p)
{
    struct pat_walk *w = &p->walk;
    uint32_t blocks = (uint32_t)p->g->blocks.n;
    if (w->first)
        return true;
    w->first = ARENA_ARRAY(p->a, uint32_t, blocks + 2);
    w->phis = ARENA_ARRAY(p->a, graph_id, p->size + 1);
    bool good = w->first && w->phis;
    for (int i = 0; i < 2; i++) {
        w->list[i] = ARENA_ARRAY(p->a, struct pat_touch, TOUCHED);
        w->roles[i].access = ARENA_ARRAY(p->a, uint8_t, p->g->accesses.n + 1);
        w->roles[i].block = ARENA_ARRAY(p->a, bool, blocks + 1u);
        good = good && w->list[i] && w->roles[i].access && w->roles[i].block;
    }
    if (!good) {
        w->first = NULL;
        return false;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (graph_id id = 1; id < p->size; id++) {
            const struct graph_node *n = graph_at(p->g, id);
            if (n->kind != GRAPH_PHI || n->block >= blocks)
                continue;
            if (turn)
                w->phis[w->first[n->block]++] = id;
            else
                w->first[n->block + 1]++;
        }
        for (uint32_t b = turn ? blocks : 0; turn ? b > 0 : b < blocks; b = turn ? b - 1 : b + 1)
            w->first[turn ? b : b + 1] = turn ? w->first[b - 1] : w->first[b] + w->first[b + 1];
        if (turn)
            w->first[0] = 0;
    }
    return true;
}

/* Each address of the second list, or of both, is one of the other. */
static bool agree(const struct pat_walk *w, unsigned n, unsigned m, bool among)
{
    unsigned k = 0;
    for (unsigned i = 2; i < n; i++) /* none is missing */
        if (w->list[0][i].at - w->list[0][i - 1].at != w->list[0][1].at - w->list[0][0].at)
            return false;
    for (unsigned i = 0; i < m; i++) {
        while (k < n && w->list[0][k].at != w->list[1][i].at)
            k++;
        if (k == n || w->list[0][k].with != w->list[1][i].with)
            return false;
    }
    return among || n == m;
}

/* Of a row without elements: one holds what it began with, the other nothing, and neither loop turns. */
static bool is_nothing_but_held(unsigned n, unsigned held, unsigned m, unsigned other)
{
    return n == held && m == other && (!n || !m);
}

static bool walk_both(struct pat_play *p, const struct region *all, const struct wanted *a, const struct region *one,
                      const struct wanted *b, bool among)
{
    static const unsigned threads[] = {0, 5, 37};
    unsigned told = 0;
    bool same = true;
    for (p->draw = 1; p->draw <= PAT_DRAWS && same; p->draw++)
        for (unsigned t = 0; t < 3 && same; t++) {
            unsigned n = 0, m = 0, held;
            p->threads = p->draw & 1 ? 128 : 256;
            p->thread = threads[t];
            same = walk(p, &p->walk, all, a, p->walk.list[0], &n);
            held = p->walk.held;
            same = same && walk(p, &p->walk, one, b, p->walk.list[1], &m) &&
                   (is_nothing_but_held(n, held, m, p->walk.held) || agree(&p->walk, n, m, among));
            told += n > 1 && m;
        }
    p->draw = 0;
    pat_play_forget(p);
    return same && told >= TOLD; /* enough walks have something to say */
}

/* The two loads that each copy of a value is made of know each other. */
static bool find_partners(struct pat_play *p, graph_id whole, const struct wanted *of)
{
    enum { NODES = 64 };
    const struct graph_cycles *y = p->g->cycles;
    struct pat_walk *w = &p->walk;
    if (!w->partner) {
        w->partner = ARENA_ARRAY(p->a, graph_id, p->size + 1);
        w->pending = ARENA_ARRAY(p->a, uint64_t, p->size + 1);
        w->waits = ARENA_ARRAY(p->a, uint8_t, p->size + 1);
        if (!w->partner || !w->pending || !w->waits) {
            w->partner = NULL;
            return false;
        }
    }
    for (graph_id id = 1; id < p->size; id++) {
        graph_id stack[NODES], one = GRAPH_NIL, two = GRAPH_NIL;
        unsigned depth = 0, left = NODES;
        if (part_of(y, id) != part_of(y, whole))
            continue;
        stack[depth++] = id;
        while (depth && left--) {
            graph_id at = stack[--depth];
            const struct graph_node *n = graph_at(p->g, at);
            if (n->kind == UOP_LOAD) {
                graph_id *is = part_of(y, at) == of->part ? &one : part_of(y, at) == of->with ? &two : NULL;
                if (is && *is != GRAPH_NIL && *is != at)
                    return false; /* of several elements of one kind */
                if (is)
                    *is = at;
                continue;
            }
            for (unsigned i = 0; i < n->arg_count && n->kind != GRAPH_PHI; i++)
                if (depth < NODES)
                    stack[depth++] = n->arg[i];
        }
        if (one == GRAPH_NIL || two == GRAPH_NIL || two >= p->size ||
            (w->partner[two] != GRAPH_NIL && w->partner[two] != one))
            return false;
        w->partner[two] = one;
    }
    return true;
}

static bool same_touched(struct pat_play *p, const struct pat_walked *w, const struct pat_begun *const before[2])
{
    const struct graph_cycles *y = p->g->cycles;
    const struct graph_cycle *ca = &y->cycles.p[w->cycle[0]], *cb = &y->cycles.p[w->cycle[1]];
    struct wanted a = {w->part[0], w->with[0], before[0], NULL}, b = {w->part[1], w->with[1], before[1], NULL};
    find_roles(p, &a, &p->walk.roles[0]);
    find_roles(p, &b, &p->walk.roles[1]);
    struct region ra = {ca, ca->first, ca->last, false}, rb = {cb, cb->first, cb->last, false};
    if (walk_both(p, &ra, &a, &rb, &b, w->among))
        return true;
    ra.whole = rb.whole = true;
    return walk_both(p, &ra, &a, &rb, &b, w->among);
}

static bool is_walked(struct pat_play *p, struct pat_walked w, const struct pat_begun *const before[2])
{
    for (size_t i = 0; i < p->walk.known.n; i++) {
        const struct pat_walked *o = &p->walk.known.p[i];
        if (memcmp(o->cycle, w.cycle, sizeof w.cycle) == 0 && memcmp(o->part, w.part, sizeof w.part) == 0 &&
            memcmp(o->with, w.with, sizeof w.with) == 0 && memcmp(o->begun, w.begun, sizeof w.begun) == 0 &&
            o->among == w.among)
            return o->same;
    }
    w.same = same_touched(p, &w, before);
    if (p->walk.known.n < 256)
        VEC_PUSH(p->a, p->walk.known, w);
    return w.same;
}

static bool may_walk(struct pat_play *p, uint32_t cycle_a, uint32_t cycle_b)
{
    const struct graph_cycles *y = p->g->cycles;
    return y && y->copy_of && !y->cycles.p[cycle_a].irreducible && !y->cycles.p[cycle_b].irreducible && find_phis(p);
}

bool pat_play_same_elements(struct pat_play *p, const struct pat_touched *a, const struct pat_touched *b, bool among)
{
    const struct graph_cycles *y = p->g->cycles;
    const struct pat_begun *const before[2] = {a->before, b->before};
    return may_walk(p, a->cycle, b->cycle) &&
           is_walked(p,
                     (struct pat_walked){.cycle = {a->cycle, b->cycle},
                                         .part = {part_of(y, a->load), part_of(y, b->load)},
                                         .begun = {a->begun, b->begun},
                                         .among = among},
                     before);
}

bool pat_play_same_pairs(struct pat_play *p, const struct pat_paired *a, const struct pat_paired *b, bool among)
{
    const struct graph_cycles *y = p->g->cycles;
    if (!may_walk(p, a->cycle, b->cycle))
        return false;
    static const struct pat_begun *const before[2] = {NULL, NULL};
    struct wanted wa = {part_of(y, a->load), part_of(y, a->with), NULL, NULL};
    struct wanted wb = {part_of(y, b->load), part_of(y, b->with), NULL, NULL};
    return wa.part != wa.with && wb.part != wb.with && find_partners(p, a->whole, &wa) &&
           find_partners(p, b->whole, &wb) &&
           is_walked(p,
                     (struct pat_walked){.cycle = {a->cycle, b->cycle},
                                         .part = {wa.part, wb.part},
                                         .with = {wa.with, wb.with},
                                         .among = among},
                     before);
}
