/* How every node changes from one thread to its neighbours of the same warp, in each of four directions:
 * threadIdx.x, y, z and the lane. By a constant, by a constant that is only known at run time, or in a way that is
 * not known. The directions have nothing to do with each other: the length of a row at run time says nothing of
 * neighbours in the row.
 *
 * A fixpoint over all nodes, optimistic as in value numbering: a loop's phi is taken to change as its first value does,
 * and keeps that if what comes round changes likewise. A phi where paths meet counts only if the branches between are
 * taken alike by neighbours. Neighbours are compared in the same turn of a loop; where a loop's value is looked at
 * behind the loop, the branches that leave it must be taken alike (place_lanes_at).
 *
 * requires: graph · gives: struct place_lanes */
#include "place/place_internal.h"

#include <string.h>

enum { PASSES = 12, REGION_BLOCKS = 64, LOOK_NODES = 256, ALL = 15 };
enum { X, Y, Z, LANE };

/* How a node changes in one of the four directions. */
struct way {
    uint8_t how; /* enum place_how */
    graph_id factor;
    int64_t by;
};

static struct way plain(unsigned how, int64_t by)
{
    return (struct way){.how = (uint8_t)how, .by = by};
}

static struct way way_of(const struct place_lanes *l, graph_id id, unsigned k)
{
    const struct place_lane *n = &l->node[id];
    return (struct way){.how = n->how[k], .factor = n->factor[k], .by = n->by[k]};
}

static void put(struct place_lane *n, unsigned k, struct way w)
{
    n->how[k] = w.how;
    n->factor[k] = w.factor;
    n->by[k] = w.by;
}

static bool is_still(struct way w)
{
    return w.how == PLACE_LINEAR && !w.by;
}

/* The same for all threads of a warp. */
static bool is_uniform(const struct place_lanes *l, graph_id id)
{
    for (unsigned k = 0; k < 4; k++)
        if (!is_still(way_of(l, id, k)))
            return false;
    return true;
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a * b);
}

static bool same(struct way a, struct way b)
{
    return a.how == b.how && a.factor == b.factor && a.by == b.by;
}

/* What holds where either may be looked at. */
static void meet(struct way *into, struct way other)
{
    if (other.how == PLACE_NOT_SEEN)
        return;
    if (into->how == PLACE_NOT_SEEN)
        *into = other;
    else if (!same(*into, other))
        *into = plain(into->how == PLACE_DATA || other.how == PLACE_DATA ? PLACE_DATA : PLACE_UNKNOWN, 0);
}

static struct way of_sreg(unsigned sreg, unsigned k)
{
    static const unsigned name[4] = {UOP_SR_TID_X, UOP_SR_TID_Y, UOP_SR_TID_Z, UOP_SR_LANEID};
    switch (sreg) {
    case UOP_SR_EQMASK:
    case UOP_SR_LTMASK:
    case UOP_SR_LEMASK:
    case UOP_SR_GTMASK:
    case UOP_SR_GEMASK: return plain(PLACE_UNKNOWN, 0);
    default: return sreg >= UOP_SR_OTHER ? plain(PLACE_UNKNOWN, 0) : plain(PLACE_LINEAR, sreg == name[k]);
    }
}

/* Any pure operation: the same for neighbours when its arguments are. */
static struct way of_pure(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    unsigned how = PLACE_LINEAR;
    for (unsigned i = 0; i < n->arg_count; i++) {
        struct way a = way_of(l, n->arg[i], k);
        if (a.how == PLACE_NOT_SEEN)
            return plain(PLACE_NOT_SEEN, 0);
        if (!is_still(a) && how != PLACE_DATA)
            how = a.how == PLACE_DATA ? PLACE_DATA : PLACE_UNKNOWN;
    }
    return plain(how, 0);
}

static struct way of_sum(const struct place_lanes *l, const struct graph_node *n, graph_id id, unsigned k)
{
    struct way a = way_of(l, n->arg[0], k), b = way_of(l, n->arg[1], k), out = {0};
    if (a.how == PLACE_NOT_SEEN || b.how == PLACE_NOT_SEEN)
        return plain(PLACE_NOT_SEEN, 0);
    out.how = a.how > b.how ? a.how : b.how;
    if (out.how == PLACE_RUN_TIME)
        out.factor = is_still(a) ? b.factor : is_still(b) ? a.factor : id;
    else if (out.how == PLACE_LINEAR)
        out.by = plus(a.by, b.by);
    return out;
}

static struct way of_product(const struct place_lanes *l, const struct graph_node *n, graph_id id, unsigned k)
{
    struct way a = way_of(l, n->arg[0], k), b = way_of(l, n->arg[1], k), out = of_pure(l, n, k);
    uint64_t c;
    if (out.how != PLACE_UNKNOWN)
        return out;
    if (a.how == PLACE_LINEAR && graph_is_const(l->g, n->arg[1], &c))
        return plain(PLACE_LINEAR, times(a.by, c));
    if ((a.how <= PLACE_RUN_TIME && is_uniform(l, n->arg[1])) || (b.how <= PLACE_RUN_TIME && is_uniform(l, n->arg[0])))
        return (struct way){.how = PLACE_RUN_TIME, .factor = id};
    return out;
}

/* Words put together of bits that do not meet are a sum. */
static struct way of_union(const struct place_lanes *l, const struct graph_node *n, graph_id id, unsigned k)
{
    struct way out = of_pure(l, n, k);
    if (out.how == PLACE_UNKNOWN && !(place_may_be_ones(l->g, n->arg[0], 0) & place_may_be_ones(l->g, n->arg[1], 0)))
        return of_sum(l, n, id, k);
    return out;
}

/* Some bits of a thread's number, or the number of its warp: threads of one warp stay neighbours, or are the same. (Of
 * anything else a mask may wrap between two neighbours.) */
static struct way of_mask(const struct place_lanes *l, graph_id id, uint64_t mask, unsigned k)
{
    struct way arg = way_of(l, id, k);
    unsigned at = 0;
    if (arg.how == PLACE_NOT_SEEN || arg.how == PLACE_DATA || is_still(arg))
        return arg;
    if (arg.how != PLACE_LINEAR || !place_is_row(l, id, &at))
        return plain(PLACE_UNKNOWN, 0);
    uint64_t bits = (uint64_t)31 << at;
    return (mask & bits) == bits ? arg : plain(mask & bits ? PLACE_UNKNOWN : PLACE_LINEAR, 0);
}

static struct way of_shift(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = of_pure(l, n, k), arg = way_of(l, n->arg[0], k);
    uint64_t c;
    unsigned at = 0;
    if (out.how != PLACE_UNKNOWN || arg.how != PLACE_LINEAR || !graph_is_const(l->g, n->arg[1], &c) ||
        !place_is_row(l, n->arg[0], &at))
        return out;
    if (c >= at + PLACE_WARP_BITS)
        return plain(PLACE_LINEAR, 0);
    return c <= at ? plain(PLACE_LINEAR, arg.by >> c) : out;
}

/* A thread's number with bits turned that its warp has in common: below them the two are alike, so the bits above
 * decide which is the larger, for the whole warp. */
static bool is_turned_above(const struct place_lanes *l, graph_id turned, graph_id id)
{
    const struct graph_node *n = graph_at(l->g, turned);
    unsigned at = 0;
    uint64_t c;
    for (unsigned i = 0; i < 2 && n->kind == UOP_XOR; i++)
        if (n->arg[i] == id && graph_is_const(l->g, n->arg[1 - i], &c) && place_is_row(l, id, &at))
            return !(c & (((uint64_t)1 << (at + PLACE_WARP_BITS)) - 1));
    return false;
}

/* A thread's number against a bound between two warps: threads of one warp stand on the same side. */
static struct way of_order(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = of_pure(l, n, k);
    uint64_t c;
    for (unsigned i = 0; i < 2 && out.how == PLACE_UNKNOWN; i++) {
        unsigned at = 0;
        if (graph_is_const(l->g, n->arg[1 - i], &c) && way_of(l, n->arg[i], k).how == PLACE_LINEAR &&
            place_is_row(l, n->arg[i], &at) && !((c + i) & (((uint64_t)1 << (at + PLACE_WARP_BITS)) - 1)))
            return plain(PLACE_LINEAR, 0);
        if (way_of(l, n->arg[i], k).how == PLACE_LINEAR && is_turned_above(l, n->arg[1 - i], n->arg[i]))
            return plain(PLACE_LINEAR, 0);
    }
    return out;
}

static struct way of_and(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    uint64_t c;
    for (unsigned i = 0; i < 2; i++)
        if (graph_is_const(l->g, n->arg[i], &c))
            return of_mask(l, n->arg[1 - i], c, k);
    return of_pure(l, n, k);
}

/* Some bits of one word and the others of another, as a constant chooses. */
static struct way of_chosen_bits(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = of_pure(l, n, k);
    int64_t by = 0;
    unsigned at = 0;
    uint64_t c = 0;
    while (at < n->arg_count && !graph_is_const(l->g, n->arg[at], &c))
        at++;
    if (out.how != PLACE_UNKNOWN || n->arg_count != 3 || at == 3)
        return out;
    unsigned left = at == 0 ? 1 : 0, right = at == 2 ? 1 : 2;
    for (unsigned bit = 0; bit < 2; bit++) {
        unsigned table = 0; /* of what stands left and right where the constant has the bit */
        for (unsigned i = 0; i < 4; i++)
            table |= (unsigned)(n->imm >> (bit << (2 - at) | (i >> 1) << (2 - left) | (i & 1) << (2 - right)) & 1) << i;
        uint64_t mask = bit ? c : ~c;
        bool apart = !(place_may_be_ones(l->g, n->arg[left], 0) & place_may_be_ones(l->g, n->arg[right], 0) & mask);
        if (table != 0 && table != 15 && table != 12 && table != 10 && !((table == 14 || table == 6) && apart))
            return out;
        for (unsigned i = 0; i < 2 && table != 15; i++) {
            struct way part = of_mask(l, n->arg[i ? right : left], mask, k);
            if (!(table & (i ? 2u : 4u))) /* not with the other one zero: not at all */
                continue;
            if (part.how != PLACE_LINEAR)
                return part;
            by = plus(by, part.by);
        }
    }
    return plain(PLACE_LINEAR, by);
}

static struct way of_half(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way a = way_of(l, n->arg[0], k);
    if (n->kind != UOP_LO || (a.how != PLACE_LINEAR && a.how != PLACE_RUN_TIME))
        return of_pure(l, n, k);
    a.by = (int32_t)(uint32_t)(uint64_t)a.by;
    return a;
}

static struct way of_select(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = of_pure(l, n, k);
    if (out.how != PLACE_UNKNOWN || !is_still(way_of(l, n->arg[0], k)))
        return out;
    out = plain(PLACE_NOT_SEEN, 0);
    meet(&out, way_of(l, n->arg[1], k));
    meet(&out, way_of(l, n->arg[2], k));
    return out;
}

/* Neighbours come to the block by the same way from its dominator on. */
static bool paths_alike(const struct place_lanes *l, uint32_t block, unsigned direction)
{
    const struct graph *g = l->g;
    uint32_t list[REGION_BLOCKS], count = 0, top = g->blocks.p[block].idom;
    if (top == UINT32_MAX)
        return false;
    list[count++] = block;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_block *b = &g->blocks.p[list[i]];
        for (uint32_t k = 0; k < b->pred_count; k++) {
            uint32_t p = b->preds[k];
            bool seen = false;
            for (uint32_t j = 0; j < count && !seen; j++)
                seen = list[j] == p;
            if (seen)
                continue;
            const struct graph_block *from = &g->blocks.p[p];
            if (from->succ_count > 1 && from->branch == GRAPH_NIL)
                return false; /* a branch that is not understood */
            struct way way = from->succ_count > 1 ? way_of(l, from->branch, direction) : plain(PLACE_LINEAR, 0);
            if (way.how != PLACE_NOT_SEEN && !is_still(way))
                return false;
            if (p == top)
                continue;
            if (count == REGION_BLOCKS)
                return false;
            list[count++] = p;
        }
    }
    return true;
}

static struct way of_phi(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = plain(PLACE_NOT_SEEN, 0);
    for (uint32_t i = 0; i < n->phi_count; i++)
        meet(&out, way_of(l, n->phi_args[i], k));
    if (out.how == PLACE_NOT_SEEN || out.how >= PLACE_UNKNOWN || l->is_header[n->block])
        return out;
    return paths_alike(l, n->block, k) ? out : plain(PLACE_UNKNOWN, 0);
}

/* Threads that read the same word have the same value. Of words that differ the values do, as the data will have it;
 * where that is not known of the words, it is not known of the values. */
static struct way of_load(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    struct way out = of_pure(l, n, k);
    if (n->space == UOP_LOCAL)
        return plain(PLACE_DATA, 0);
    if (out.how != PLACE_UNKNOWN)
        return out;
    for (unsigned i = 0; i < n->arg_count; i++)
        if (way_of(l, n->arg[i], k).how == PLACE_UNKNOWN)
            return out;
    return plain(PLACE_DATA, 0);
}

/* What one lane has that all name is the same for the whole warp, unless that is cut in pieces; else it is data. */
static struct way of_shuffle(const struct place_lanes *l, const struct graph_node *n, unsigned k)
{
    enum { INDEXED = 0, PIECES = 0x1f00 };
    uint64_t mask;
    struct way from = way_of(l, n->arg[1], k);
    if (n->imm != INDEXED || !graph_is_const(l->g, n->arg[2], &mask) || (mask & PIECES))
        return plain(PLACE_DATA, 0);
    return from.how == PLACE_NOT_SEEN || is_still(from) ? from : plain(PLACE_DATA, 0);
}

static struct way of_node(const struct place_lanes *l, graph_id id, unsigned k)
{
    const struct graph_node *n = graph_at(l->g, id);
    struct way out = plain(PLACE_UNKNOWN, 0);
    switch (n->kind) {
    case UOP_CONST: return plain(PLACE_LINEAR, 0);
    case UOP_SREG: return of_sreg((unsigned)n->imm, k);
    case UOP_CBANK:
    case UOP_LOAD: return of_load(l, n, k);
    case UOP_ELEMENT:
    case UOP_UNIFORM: return way_of(l, n->arg[0], k);
    case UOP_VOTE:
    case UOP_BALLOT:
    case UOP_REDUX: return plain(PLACE_LINEAR, 0); /* one result for the warp */
    case UOP_BAR_GIVES: return plain(n->width ? PLACE_DATA : PLACE_LINEAR, 0);
    case UOP_SHFL:
    case UOP_SHFL_IN: return of_shuffle(l, n, k);
    case UOP_ATOM:
    case UOP_MATCH: return plain(PLACE_DATA, 0);
    case UOP_ADD: return of_sum(l, n, id, k);
    case UOP_NEG:
        out = way_of(l, n->arg[0], k);
        out.factor = out.how == PLACE_RUN_TIME ? id : GRAPH_NIL;
        out.by = times(out.by, (uint64_t)-1);
        return out;
    case UOP_SEXT:
    case UOP_ZEXT: /* neighbours that wrap are not neighbours in memory; nobody writes such kernels */
        return n->imm == 32 ? way_of(l, n->arg[0], k) : of_pure(l, n, k);
    case UOP_MUL: return of_product(l, n, id, k);
    case UOP_OR:
    case UOP_XOR: return of_union(l, n, id, k);
    case UOP_AND: return of_and(l, n, k);
    case UOP_LOP3: return of_chosen_bits(l, n, k);
    case UOP_ILT_S:
    case UOP_ILT_U: return of_order(l, n, k);
    case UOP_SHR:
    case UOP_SAR: return of_shift(l, n, k);
    case UOP_LO:
    case UOP_HI: return of_half(l, n, k);
    case UOP_SELECT: return of_select(l, n, k);
    case GRAPH_PHI: return of_phi(l, n, k);
    case GRAPH_BOOL: return of_pure(l, n, k);
    default: return uop_is_pure((enum uop_kind)n->kind) && n->arg_count ? of_pure(l, n, k) : out;
    }
}

/* One walk over all nodes; true when something moved. */
static bool walk(struct place_lanes *l)
{
    bool moved = false;
    for (graph_id id = 1; id < l->count; id++) {
        for (unsigned k = 0; k < 4; k++) {
            struct way old = way_of(l, id, k);
            if (old.how == PLACE_DATA || !l->looks[k])
                continue;
            struct way now = l->fixed[id] ? plain(PLACE_LINEAR, 0) : of_node(l, id, k);
            if (old.how != PLACE_NOT_SEEN && now.how == old.how && !same(now, old))
                now = plain(PLACE_UNKNOWN, 0); /* it was taken to change otherwise */
            if (now.how < old.how || same(now, old))
                continue; /* only ever down */
            put(&l->node[id], k, now);
            moved = true;
        }
    }
    return moved;
}

/* Threads for which a condition of leaving held are gone: of neighbours that are both there, neither has it. */
static void fix_atoms(struct place_lanes *l, graph_id leaves, bool either)
{
    graph_id atoms[6];
    unsigned count, stay = 0;
    uint64_t table;
    if (leaves == GRAPH_NIL || !graph_table(l->g, leaves, atoms, &count, &table) || !count)
        return;
    for (unsigned row = 0; row < 1u << count; row++)
        stay += !(table >> row & 1);
    if (stay != 1 && !(either && count == 1))
        return; /* more than one way to stay */
    for (unsigned i = 0; i < count; i++)
        if (atoms[i] < l->count)
            l->fixed[atoms[i]] = true;
}

static bool only_exits(const struct graph *g, uint32_t block)
{
    const struct graph_block *b = &g->blocks.p[block];
    for (uint32_t i = b->first; i <= b->last; i++) {
        const struct graph_insn *insn = &g->insns.p[i];
        const struct uop_list *list = g->input.insns[insn->input].uops;
        if (insn->access_count || list->unknown)
            return false;
        for (size_t k = 0; k < list->ops.n; k++) {
            if (list->ops.p[k].kind == UOP_EXIT)
                return insn->guard == GRAPH_NIL;
            if (list->ops.p[k].kind == UOP_BAR || list->ops.p[k].kind == UOP_CALL)
                return false;
        }
    }
    return false;
}

static void find_fixed(struct place_lanes *l)
{
    const struct graph *g = l->g;
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        if (block->loop || !block->reachable)
            continue;
        const struct graph_insn *last = &g->insns.p[block->last];
        const struct uop_list *list = g->input.insns[last->input].uops;
        for (size_t k = 0; k < list->ops.n; k++)
            if (list->ops.p[k].kind == UOP_EXIT)
                fix_atoms(l, last->guard, false);
        for (uint32_t s = 0; block->succ_count == 2 && s < 2; s++)
            if (only_exits(g, block->succs[s]))
                fix_atoms(l, block->branch, true);
    }
}

static void find_block(struct place_lanes *l, const int32_t reqntid[3])
{
    bool *looks = l->looks;
    for (uint32_t i = 0; i < l->g->input.count; i++) { /* (nodes of them may have been made for questions) */
        const struct uop_list *list = l->g->input.insns[i].uops;
        for (size_t k = 0; k < list->ops.n; k++)
            if (list->ops.p[k].kind == UOP_SREG && list->ops.p[k].imm <= UOP_SR_TID_Z)
                looks[list->ops.p[k].imm - UOP_SR_TID_X] = true;
            else if (list->ops.p[k].kind == UOP_SREG && list->ops.p[k].imm == UOP_SR_LANEID)
                looks[LANE] = true;
    }
    looks[X] = true; /* (data and what is not known differ from thread to thread, too) */
    l->one_dimensional = !looks[Y] && !looks[Z];
    if (reqntid && reqntid[0] > 0 && reqntid[1] > 0 && reqntid[2] > 0) {
        for (unsigned k = 0; k < 3; k++)
            l->block[k] = (uint32_t)reqntid[k];
        l->one_dimensional = false;
        return;
    }
    for (unsigned k = 0; k < 3 && !l->one_dimensional; k++)
        l->block[k] = graph_block_width(l->g, k);
}

static bool in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t i = g->blocks.p[block].loop; i; i = g->loops.p[i - 1].parent)
        if (i - 1 == loop)
            return true;
    return false;
}

/* For each loop, by direction: neighbours leave it in the same turn. */
static void find_exits(struct place_lanes *l)
{
    const struct graph *g = l->g;
    memset(l->exits_alike, ALL, g->loops.n);
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        unsigned alike = 0;
        for (unsigned k = 0; k < 4 && block->branch != GRAPH_NIL; k++)
            alike |= (unsigned)is_still(way_of(l, block->branch, k)) << k;
        if (block->succ_count < 2 || alike == ALL)
            continue;
        for (uint32_t i = block->loop; i; i = g->loops.p[i - 1].parent)
            for (uint32_t s = 0; s < block->succ_count; s++)
                if (!in_loop(g, block->succs[s], i - 1))
                    l->exits_alike[i - 1] &= (uint8_t)alike;
    }
}

enum sp_status place_lanes_find(struct arena *a, const struct graph *g, const int32_t reqntid[3], bool among_stayers,
                                struct place_lanes *l)
{
    *l = (struct place_lanes){.g = g, .a = a, .count = (graph_id)g->nodes.n};
    l->node = ARENA_ARRAY(a, struct place_lane, l->count + 1);
    l->is_header = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    l->exits_alike = ARENA_ARRAY(a, uint8_t, g->loops.n + 1);
    l->fixed = ARENA_ARRAY(a, bool, l->count + 1);
    if (!l->node || !l->is_header || !l->exits_alike || !l->fixed)
        return SP_ERR_MEMORY;
    if (among_stayers)
        find_fixed(l);
    find_block(l, reqntid);
    for (graph_id id = 0; id < l->count; id++)
        for (unsigned k = 0; k < 4; k++)
            put(&l->node[id], k, plain(l->looks[k] ? PLACE_NOT_SEEN : PLACE_LINEAR, 0));
    for (uint32_t i = 0; i < g->loops.n; i++)
        l->is_header[g->loops.p[i].header] = !g->loops.p[i].irreducible;
    unsigned pass = 0;
    while (walk(l) && ++pass < PASSES)
        ;
    if (pass == PASSES) { /* a chain of loops too long to settle: say nothing of what comes round */
        for (graph_id id = 1; id < l->count; id++)
            for (unsigned k = 0; k < 4 && graph_at(g, id)->kind == GRAPH_PHI; k++)
                put(&l->node[id], k, plain(PLACE_DATA, 0));
        walk(l);
        walk(l);
    }
    for (graph_id id = 0; id < l->count; id++)
        for (unsigned k = 0; k < 4; k++)
            if (l->node[id].how[k] == PLACE_NOT_SEEN)
                put(&l->node[id], k, plain(PLACE_UNKNOWN, 0));
    find_exits(l);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

/* The directions in which neighbours left, in different turns, a loop that a phi the node depends on belongs to. */
static unsigned left_apart(const struct place_lanes *l, graph_id id, uint32_t block)
{
    const struct graph *g = l->g;
    graph_id list[LOOK_NODES];
    uint32_t count = 0;
    unsigned apart = 0;
    list[count++] = id;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(g, list[i]);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t arg_count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        if (n->kind == GRAPH_PHI && l->is_header[n->block]) {
            uint32_t loop = g->blocks.p[n->block].loop;
            if (loop && !in_loop(g, block, loop - 1))
                apart |= ALL & ~(unsigned)l->exits_alike[loop - 1];
        }
        for (uint32_t k = 0; k < arg_count; k++) {
            bool seen = graph_at(g, args[k])->kind == UOP_CONST || graph_at(g, args[k])->kind == UOP_SREG;
            for (uint32_t j = 0; j < count && !seen; j++)
                seen = list[j] == args[k];
            if (seen)
                continue;
            if (count == LOOK_NODES)
                return ALL;
            list[count++] = args[k];
        }
    }
    return apart;
}

struct place_lane place_lanes_at(const struct place_lanes *l, graph_id id, uint32_t block)
{
    struct place_lane out = {.how = {PLACE_UNKNOWN, PLACE_UNKNOWN, PLACE_UNKNOWN, PLACE_UNKNOWN}};
    if (id == GRAPH_NIL || id >= l->count)
        return out;
    out = l->node[id];
    unsigned apart = l->g->loops.n ? left_apart(l, id, block) : 0;
    for (unsigned k = 0; k < 4; k++)
        if (apart >> k & 1 && out.how[k] <= PLACE_RUN_TIME)
            put(&out, k, plain(PLACE_UNKNOWN, 0));
    return out;
}

bool place_is_linear(const struct place_lane *l)
{
    for (unsigned k = 0; k < 4; k++)
        if (l->how[k] != PLACE_LINEAR)
            return false;
    return true;
}

bool place_is_same(const struct place_lane *l)
{
    for (unsigned k = 0; k < 4; k++)
        if (l->how[k] != PLACE_LINEAR || l->by[k])
            return false;
    return true;
}
