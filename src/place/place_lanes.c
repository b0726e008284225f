/* How every node changes from one thread to its neighbours: by a constant for each of threadIdx.x, y, z and the lane,
 * by a constant that is only known at run time, or in a way that is not known.
 *
 * A fixpoint over all nodes, optimistic as in value numbering: a loop's phi is taken to change as its first value does,
 * and keeps that if what comes round changes likewise. A phi where paths meet counts only if the branches between are
 * taken alike by neighbours. Neighbours are compared in the same turn of a loop; where a loop's value is looked at
 * behind the loop, the branches that leave it must be taken alike (place_lanes_at).
 *
 * requires: graph · gives: struct place_lanes */
#include "place/place.h"

#include <string.h>

enum { PASSES = 12, REGION_BLOCKS = 64, LOOK_NODES = 256 };
enum { X, Y, Z, LANE };

static void set(struct place_lane *l, unsigned how)
{
    *l = (struct place_lane){.how = (uint8_t)how};
}

bool place_is_uniform(const struct place_lane *l)
{
    return l->how == PLACE_LINEAR && !l->by[X] && !l->by[Y] && !l->by[Z] && !l->by[LANE];
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a * b);
}

static bool same(const struct place_lane *a, const struct place_lane *b)
{
    return a->how == b->how && a->factor == b->factor && memcmp(a->by, b->by, sizeof a->by) == 0;
}

/* What holds where either may be looked at. */
static void meet(struct place_lane *into, const struct place_lane *other)
{
    if (other->how == PLACE_NOT_SEEN)
        return;
    if (into->how == PLACE_NOT_SEEN)
        *into = *other;
    else if (!same(into, other))
        set(into, into->how == PLACE_DATA || other->how == PLACE_DATA ? PLACE_DATA : PLACE_UNKNOWN);
}

static void of_sreg(unsigned sreg, struct place_lane *out)
{
    set(out, PLACE_LINEAR);
    switch (sreg) {
    case UOP_SR_TID_X: out->by[X] = 1; break;
    case UOP_SR_TID_Y: out->by[Y] = 1; break;
    case UOP_SR_TID_Z: out->by[Z] = 1; break;
    case UOP_SR_LANEID: out->by[LANE] = 1; break;
    case UOP_SR_EQMASK:
    case UOP_SR_LTMASK:
    case UOP_SR_LEMASK:
    case UOP_SR_GTMASK:
    case UOP_SR_GEMASK: set(out, PLACE_UNKNOWN); break;
    default:
        if (sreg >= UOP_SR_OTHER)
            set(out, PLACE_UNKNOWN);
    }
}

/* Any pure operation: the same for neighbours when its arguments are. */
static void of_pure(const struct place_lanes *l, const struct graph_node *n, struct place_lane *out)
{
    set(out, PLACE_LINEAR);
    for (unsigned i = 0; i < n->arg_count; i++) {
        const struct place_lane *a = &l->node[n->arg[i]];
        if (a->how == PLACE_NOT_SEEN) {
            set(out, PLACE_NOT_SEEN);
            return;
        }
        if (!place_is_uniform(a) && out->how != PLACE_DATA)
            set(out, a->how == PLACE_DATA ? PLACE_DATA : PLACE_UNKNOWN);
    }
}

static void of_sum(const struct place_lanes *l, const struct graph_node *n, graph_id id, struct place_lane *out)
{
    const struct place_lane *a = &l->node[n->arg[0]], *b = &l->node[n->arg[1]];
    set(out, a->how > b->how ? a->how : b->how);
    if (a->how == PLACE_NOT_SEEN || b->how == PLACE_NOT_SEEN) {
        set(out, PLACE_NOT_SEEN);
        return;
    }
    if (out->how == PLACE_RUN_TIME)
        out->factor = place_is_uniform(a) ? b->factor : place_is_uniform(b) ? a->factor : id;
    for (unsigned k = 0; k < 4 && out->how == PLACE_LINEAR; k++)
        out->by[k] = plus(a->by[k], b->by[k]);
}

static void of_product(const struct place_lanes *l, const struct graph_node *n, graph_id id, struct place_lane *out)
{
    const struct place_lane *a = &l->node[n->arg[0]], *b = &l->node[n->arg[1]];
    uint64_t c;
    of_pure(l, n, out);
    if (out->how != PLACE_UNKNOWN)
        return;
    if (a->how == PLACE_LINEAR && graph_is_const(l->g, n->arg[1], &c)) {
        set(out, PLACE_LINEAR);
        for (unsigned k = 0; k < 4; k++)
            out->by[k] = times(a->by[k], c);
    } else if ((a->how <= PLACE_RUN_TIME && place_is_uniform(b)) || (b->how <= PLACE_RUN_TIME && place_is_uniform(a))) {
        set(out, PLACE_RUN_TIME);
        out->factor = id;
    }
}

/* The low bits of the thread's number, or the number of its warp: neighbours of one warp stay neighbours, or are the
 * same. (Of anything else a mask may wrap between two neighbours.) */
static void of_bits(const struct place_lanes *l, const struct graph_node *n, struct place_lane *out)
{
    const struct graph_node *arg = graph_at(l->g, n->arg[0]);
    uint64_t c;
    of_pure(l, n, out);
    if (out->how != PLACE_UNKNOWN || arg->kind != UOP_SREG || (arg->imm != UOP_SR_TID_X && arg->imm != UOP_SR_LANEID) ||
        !graph_is_const(l->g, n->arg[1], &c))
        return;
    if (n->kind == UOP_AND && c >= 31 && (c & (c + 1)) == 0)
        *out = l->node[n->arg[0]];
    else if ((n->kind == UOP_SHR || n->kind == UOP_SAR) && c >= 5)
        set(out, PLACE_LINEAR);
}

static void of_half(const struct place_lanes *l, const struct graph_node *n, struct place_lane *out)
{
    const struct place_lane *a = &l->node[n->arg[0]];
    of_pure(l, n, out);
    if (n->kind == UOP_LO && (a->how == PLACE_LINEAR || a->how == PLACE_RUN_TIME)) {
        *out = *a;
        for (unsigned k = 0; k < 4; k++)
            out->by[k] = (int32_t)(uint32_t)(uint64_t)a->by[k];
    }
}

static void of_select(const struct place_lanes *l, const struct graph_node *n, struct place_lane *out)
{
    const struct place_lane *c = &l->node[n->arg[0]];
    of_pure(l, n, out);
    if (out->how != PLACE_UNKNOWN || !place_is_uniform(c))
        return;
    set(out, PLACE_NOT_SEEN);
    meet(out, &l->node[n->arg[1]]);
    meet(out, &l->node[n->arg[2]]);
}

/* Neighbours come to the block by the same way from its dominator on. */
static bool paths_alike(const struct place_lanes *l, uint32_t block)
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
            if (from->succ_count > 1 && from->branch != GRAPH_NIL && l->node[from->branch].how != PLACE_NOT_SEEN &&
                !place_is_uniform(&l->node[from->branch]))
                return false;
            if (from->succ_count > 1 && from->branch == GRAPH_NIL)
                return false; /* a branch that is not understood */
            if (p == top)
                continue;
            if (count == REGION_BLOCKS)
                return false;
            list[count++] = p;
        }
    }
    return true;
}

static void of_phi(const struct place_lanes *l, const struct graph_node *n, struct place_lane *out)
{
    set(out, PLACE_NOT_SEEN);
    for (uint32_t i = 0; i < n->phi_count; i++)
        meet(out, &l->node[n->phi_args[i]]);
    if (out->how == PLACE_NOT_SEEN || out->how >= PLACE_UNKNOWN || l->is_header[n->block])
        return;
    if (!paths_alike(l, n->block))
        set(out, PLACE_UNKNOWN);
}

static void of_node(const struct place_lanes *l, graph_id id, struct place_lane *out)
{
    const struct graph_node *n = graph_at(l->g, id);
    set(out, PLACE_UNKNOWN);
    switch (n->kind) {
    case UOP_CONST: set(out, PLACE_LINEAR); break;
    case UOP_SREG: of_sreg((unsigned)n->imm, out); break;
    case UOP_CBANK:
    case UOP_LOAD: /* neighbours that read the same word have the same value */
        of_pure(l, n, out);
        if (out->how > PLACE_LINEAR || n->space == UOP_LOCAL)
            set(out, PLACE_DATA);
        break;
    case UOP_ELEMENT:
    case UOP_UNIFORM: *out = l->node[n->arg[0]]; break;
    case UOP_VOTE:
    case UOP_BALLOT:
    case UOP_REDUX: set(out, PLACE_LINEAR); break; /* one result for the warp */
    case UOP_ATOM:
    case UOP_SHFL:
    case UOP_MATCH: set(out, PLACE_DATA); break;
    case UOP_ADD: of_sum(l, n, id, out); break;
    case UOP_NEG:
        *out = l->node[n->arg[0]];
        out->factor = out->how == PLACE_RUN_TIME ? id : GRAPH_NIL;
        for (unsigned k = 0; k < 4; k++)
            out->by[k] = times(out->by[k], (uint64_t)-1);
        break;
    case UOP_SEXT:
    case UOP_ZEXT: /* neighbours that wrap are not neighbours in memory; nobody writes such kernels */
        if (n->imm == 32)
            *out = l->node[n->arg[0]];
        else
            of_pure(l, n, out);
        break;
    case UOP_MUL: of_product(l, n, id, out); break;
    case UOP_AND:
    case UOP_SHR:
    case UOP_SAR: of_bits(l, n, out); break;
    case UOP_LO:
    case UOP_HI: of_half(l, n, out); break;
    case UOP_SELECT: of_select(l, n, out); break;
    case GRAPH_PHI: of_phi(l, n, out); break;
    case GRAPH_BOOL: of_pure(l, n, out); break;
    default:
        if (uop_is_pure((enum uop_kind)n->kind) && n->arg_count)
            of_pure(l, n, out);
        break;
    }
}

/* One walk over all nodes; true when something moved. */
static bool walk(struct place_lanes *l)
{
    bool moved = false;
    for (graph_id id = 1; id < l->count; id++) {
        struct place_lane now;
        if (l->node[id].how == PLACE_DATA)
            continue;
        of_node(l, id, &now);
        if (l->fixed[id])
            set(&now, PLACE_LINEAR);
        if (l->node[id].how != PLACE_NOT_SEEN && now.how == PLACE_LINEAR && l->node[id].how == PLACE_LINEAR &&
            !same(&now, &l->node[id]))
            set(&now, PLACE_UNKNOWN); /* it was taken to change otherwise */
        if (now.how < l->node[id].how)
            continue; /* only ever down */
        if (!same(&now, &l->node[id])) {
            l->node[id] = now;
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

uint32_t place_width_by_code(const struct graph *g, unsigned dim)
{
    uint32_t width = 0;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        uint64_t c;
        if (n->kind != UOP_ADD)
            continue;
        for (unsigned k = 0; k < 2; k++) {
            const struct graph_node *t = graph_at(g, n->arg[k]), *m = graph_at(g, n->arg[1 - k]);
            if (t->kind != UOP_SREG || t->imm != UOP_SR_TID_X + dim || m->kind != UOP_MUL ||
                !graph_is_const(g, m->arg[1], &c))
                continue;
            const struct graph_node *block = graph_at(g, m->arg[0]);
            if (block->kind != UOP_SREG || block->imm != UOP_SR_CTAID_X + dim || c < 1 || c > 1024)
                continue;
            if (width && width != c)
                return 0;
            width = (uint32_t)c;
        }
    }
    return width;
}

static void find_block(struct place_lanes *l, const int32_t reqntid[3])
{
    bool looks[3] = {0};
    for (uint32_t i = 0; i < l->g->input.count; i++) { /* (nodes of them may have been made for questions) */
        const struct uop_list *list = l->g->input.insns[i].uops;
        for (size_t k = 0; k < list->ops.n; k++)
            if (list->ops.p[k].kind == UOP_SREG && list->ops.p[k].imm <= UOP_SR_TID_Z)
                looks[list->ops.p[k].imm - UOP_SR_TID_X] = true;
    }
    l->one_dimensional = !looks[Y] && !looks[Z];
    if (reqntid && reqntid[0] > 0 && reqntid[1] > 0 && reqntid[2] > 0) {
        for (unsigned k = 0; k < 3; k++)
            l->block[k] = (uint32_t)reqntid[k];
        l->one_dimensional = false;
        return;
    }
    for (unsigned k = 0; k < 3 && !l->one_dimensional; k++)
        l->block[k] = place_width_by_code(l->g, k);
}

static bool in_loop(const struct graph *g, uint32_t block, uint32_t loop)
{
    for (uint32_t i = g->blocks.p[block].loop; i; i = g->loops.p[i - 1].parent)
        if (i - 1 == loop)
            return true;
    return false;
}

/* For each loop: neighbours leave it in the same turn. */
static void find_exits(struct place_lanes *l)
{
    const struct graph *g = l->g;
    memset(l->exits_alike, 1, g->loops.n);
    for (uint32_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        if (block->succ_count < 2 || (block->branch != GRAPH_NIL && place_is_uniform(&l->node[block->branch])))
            continue;
        for (uint32_t i = block->loop; i; i = g->loops.p[i - 1].parent)
            for (uint32_t s = 0; s < block->succ_count; s++)
                if (!in_loop(g, block->succs[s], i - 1))
                    l->exits_alike[i - 1] = false;
    }
}

enum sp_status place_lanes_find(struct arena *a, const struct graph *g, const int32_t reqntid[3], struct place_lanes *l)
{
    *l = (struct place_lanes){.g = g, .a = a, .count = (graph_id)g->nodes.n};
    l->node = ARENA_ARRAY(a, struct place_lane, l->count + 1);
    l->is_header = ARENA_ARRAY(a, bool, g->blocks.n + 1);
    l->exits_alike = ARENA_ARRAY(a, bool, g->loops.n + 1);
    l->fixed = ARENA_ARRAY(a, bool, l->count + 1);
    if (!l->node || !l->is_header || !l->exits_alike || !l->fixed)
        return SP_ERR_MEMORY;
    find_fixed(l);
    for (uint32_t i = 0; i < g->loops.n; i++)
        l->is_header[g->loops.p[i].header] = !g->loops.p[i].irreducible;
    unsigned pass = 0;
    while (walk(l) && ++pass < PASSES)
        ;
    if (pass == PASSES) { /* a chain of loops too long to settle: say nothing of what comes round */
        for (graph_id id = 1; id < l->count; id++)
            if (graph_at(g, id)->kind == GRAPH_PHI)
                set(&l->node[id], PLACE_DATA);
        walk(l);
        walk(l);
    }
    for (graph_id id = 0; id < l->count; id++)
        if (l->node[id].how == PLACE_NOT_SEEN)
            set(&l->node[id], PLACE_UNKNOWN);
    find_block(l, reqntid);
    find_exits(l);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

/* A phi the node depends on belongs to a loop that was left, by neighbours in different turns. */
static bool left_apart(const struct place_lanes *l, graph_id id, uint32_t block)
{
    const struct graph *g = l->g;
    graph_id list[LOOK_NODES];
    uint32_t count = 0;
    list[count++] = id;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *n = graph_at(g, list[i]);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t arg_count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        if (n->kind == GRAPH_PHI && l->is_header[n->block]) {
            uint32_t loop = g->blocks.p[n->block].loop;
            if (loop && !in_loop(g, block, loop - 1) && !l->exits_alike[loop - 1])
                return true;
        }
        for (uint32_t k = 0; k < arg_count; k++) {
            bool seen = graph_at(g, args[k])->kind == UOP_CONST || graph_at(g, args[k])->kind == UOP_SREG;
            for (uint32_t j = 0; j < count && !seen; j++)
                seen = list[j] == args[k];
            if (seen)
                continue;
            if (count == LOOK_NODES)
                return true;
            list[count++] = args[k];
        }
    }
    return false;
}

struct place_lane place_lanes_at(const struct place_lanes *l, graph_id id, uint32_t block)
{
    struct place_lane out;
    set(&out, PLACE_UNKNOWN);
    if (id == GRAPH_NIL || id >= l->count)
        return out;
    if (l->node[id].how <= PLACE_RUN_TIME && l->g->loops.n && left_apart(l, id, block))
        return out;
    return l->node[id];
}
