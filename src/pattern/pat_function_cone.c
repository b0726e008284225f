/* What a value is made of, for the search for functions of mathematics: its cone goes down through arguments, through
 * the conditions of the branches that decide which of two values comes, through the thread's own memory and tables that
 * come with the code. The numbers it is a function of are the smallest cut between it and its leaves, found as a flow.
 *
 * Requires a built graph; gives the cone and the cut. Work is bounded: nodes visited. */
#include "pattern/pat_function.h"

#include <string.h>

enum { CONTROLS = 256, TERMS = 24 /* of an address */ };

/* ---- what a value is made of -------------------------------------------------------------------- */

/* Conditions of the branches between the block that dominates `block` and it; round a loop, those of the loop too. */
static const struct function_controls *controls_of(struct function_search *s, uint32_t block)
{
    struct function_controls *c = &s->controls[block];
    VEC(uint32_t) blocks = {0};
    VEC(graph_id) list = {0};
    struct map_u64 seen = {0};
    if (c->known)
        return c;
    c->known = true;
    uint32_t top = s->g->blocks.p[block].idom;
    VEC_PUSH(s->a, blocks, block);
    for (size_t i = 0; i < blocks.n && blocks.n < CONTROLS; i++) {
        const struct graph_block *b = &s->g->blocks.p[blocks.p[i]];
        if (i && b->branch != GRAPH_NIL && b->succ_count > 1) {
            VEC_PUSH(s->a, list, b->branch);
        }
        if (blocks.p[i] == top)
            continue;
        for (uint32_t p = 0; p < b->pred_count; p++) {
            if (map_u64_get(&seen, b->preds[p], NULL))
                continue;
            map_u64_put(s->a, &seen, b->preds[p], 1);
            VEC_PUSH(s->a, blocks, b->preds[p]);
        }
        s->visits += b->pred_count;
    }
    c->list = list.p;
    c->count = blocks.n >= CONTROLS ? UINT32_MAX : (uint32_t)list.n;
    return c;
}

struct arguments {
    const graph_id *list[2];
    uint32_t count[2];
};
enum { LISTS = 2 };

bool pat_function_holds(const graph_id *ends, unsigned count, graph_id id)
{
    for (unsigned i = 0; i < count; i++)
        if (ends[i] == id)
            return true;
    return false;
}

/* The address has no pointer in it that a kernel is given or loads: it is of a table that comes with the code. */
bool pat_is_of_table(const struct graph *g, graph_id address)
{
    graph_id stack[TERMS] = {address}, seen[TERMS];
    unsigned depth = 1, seen_count = 0, count;
    for (unsigned steps = 0; depth && steps < TERMS; steps++) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(g, id);
        switch (n->kind) {
        case UOP_ADD:
        case UOP_PAIR:
        case UOP_LO:
        case UOP_HI:
        case UOP_SELECT:
        case UOP_UNIFORM:
        case GRAPH_PHI:
            if (n->kind == GRAPH_PHI && n->type != UOP_B64)
                break;
            count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            if (depth + count > TERMS)
                return false;
            for (unsigned i = 0; i < count; i++) {
                graph_id arg = n->kind == GRAPH_PHI ? n->phi_args[i] : n->arg[i];
                if (!pat_function_holds(seen, seen_count, arg) && seen_count < TERMS)
                    stack[depth++] = seen[seen_count++] = arg;
            }
            break;
        case UOP_CBANK:
            if (n->space == 0)
                return false;
            break;
        case UOP_CONST:
        case UOP_SEXT:
        case UOP_ZEXT:
        case UOP_MUL: break;
        default:
            if (n->type == UOP_B64)
                return false;
        }
    }
    return !depth;
}

/* What a node is made of, and whether a cone ends above it. */
enum part { PART_LEAF, PART_ARGUMENTS, PART_FIRST, PART_MEETING, PART_LOCAL, PART_KIND = 7, PART_FIXED = 8 };

static enum part part_of(const struct graph *g, const struct graph_node *n)
{
    if (n->kind == GRAPH_PHI)
        return PART_MEETING;
    if (n->kind == UOP_LOAD && n->space == UOP_LOCAL)
        return PART_LOCAL;
    if (n->kind == UOP_LOAD && n->space != UOP_SHARED)
        return pat_is_of_table(g, n->arg[0]) ? PART_FIRST : PART_LEAF;
    if (n->kind == UOP_ELEMENT) { /* of a table: the load is what it is made of */
        const struct graph_node *load = graph_at(g, n->arg[0]);
        return load->kind == UOP_LOAD && load->space == UOP_GLOBAL && pat_is_of_table(g, load->arg[0]) ? PART_FIRST
                                                                                                       : PART_LEAF;
    }
    return (pat_is_pure(n) && n->kind != GRAPH_REAL) || n->kind == UOP_UNIFORM ? PART_ARGUMENTS : PART_LEAF;
}

static bool is_fixed_everywhere(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == UOP_CBANK && n->space != 0 && n->type == UOP_B64)
        return true; /* where a table is */
    return n->kind == UOP_CONST || pat_run_is_table(g, id) || n->kind == GRAPH_ENTRY || n->kind == UOP_UNDEF ||
           pat_run_is_stack(g, id);
}

bool pat_function_parts(struct function_search *s)
{
    s->part = ARENA_ARRAY(s->a, uint8_t, s->x->count + 1);
    s->within = ARENA_ARRAY(s->a, uint32_t, s->x->count + 1);
    for (graph_id id = 1; s->part && id < s->x->count; id++)
        s->part[id] = (uint8_t)(part_of(s->g, graph_at(s->g, id)) | (is_fixed_everywhere(s->g, id) ? PART_FIXED : 0));
    return s->part && s->within;
}

/* What a node is made of; none: a leaf. False: more than can be followed. */
static bool arguments_of(struct function_search *s, graph_id id, struct arguments *out)
{
    const struct graph_node *n = graph_at(s->g, id);
    *out = (struct arguments){.list = {n->arg, NULL}};
    switch (s->part[id] & PART_KIND) {
    case PART_ARGUMENTS: out->count[0] = n->arg_count; return true;
    case PART_FIRST: out->count[0] = 1; return true;
    case PART_LOCAL:
        out->count[0] = 1;
        out->list[1] = s->locals;
        out->count[1] = s->local_count;
        return !s->many_locals;
    case PART_MEETING: {
        const struct function_controls *c = controls_of(s, n->block);
        out->list[0] = n->phi_args;
        out->count[0] = n->phi_count;
        out->list[1] = c->list;
        out->count[1] = c->count;
        return c->count != UINT32_MAX;
    }
    default: return true;
    }
}

static bool is_fixed(const struct function_search *s, graph_id id)
{
    return (s->part[id] & PART_FIXED) || pat_function_holds(s->run.given, s->run.given_count, id);
}

/* What the node in a slot of the cone is made of. Slot 0 may stand for two values at once; one that is a leaf stands
 * for itself. */
static bool arguments_at(struct function_search *s, uint32_t slot, struct arguments *out)
{
    if (slot || s->root_count == 1)
        return arguments_of(s, s->cone.node[slot], out);
    struct arguments one;
    VEC(graph_id) all = {.p = s->both, .cap = FUNCTION_BOTH};
    for (unsigned r = 0; r < s->root_count; r++) {
        if (!arguments_of(s, s->root[r], &one))
            return false;
        if (!one.count[0] && !one.count[1])
            all.p[all.n++] = s->root[r];
        for (unsigned l = 0; l < LISTS; l++)
            for (uint32_t i = 0; i < one.count[l]; i++) {
                if (all.n + 2 > FUNCTION_BOTH)
                    return false;
                all.p[all.n++] = one.list[l][i];
            }
    }
    *out = (struct arguments){.list = {s->both, NULL}, .count = {(uint32_t)all.n, 0}};
    return true;
}

static void begin_cone(struct function_search *s, const graph_id *roots, unsigned root_count)
{
    graph_id root = root_count == 1 ? roots[0] : (graph_id)GRAPH_NIL;
    struct pat_cone *c = &s->cone;
    s->round++;
    c->count = 0;
    c->walks = false;
    c->node[c->count++] = root;
    s->stamp[root] = s->round;
    s->slot[root] = 0;
    s->root_count = root_count;
    for (unsigned i = 0; i < root_count; i++)
        s->root[i] = roots[i];
}

bool pat_function_cone(struct function_search *s, const graph_id *roots, unsigned root_count, const graph_id *ends,
                       unsigned end_count)
{
    struct pat_cone *c = &s->cone;
    struct arguments args;
    begin_cone(s, roots, root_count);
    for (uint32_t i = 0; i < c->count; i++) {
        graph_id id = c->node[i];
        if (i && pat_function_holds(ends, end_count, id))
            continue;
        if (!arguments_at(s, i, &args) || ++s->visits > FUNCTION_VISITS)
            return false;
        unsigned kind = graph_at(s->g, id)->kind;
        c->walks |= kind == GRAPH_PHI || (kind == UOP_LOAD && graph_at(s->g, id)->space == UOP_LOCAL);
        for (unsigned l = 0; l < LISTS; l++)
            for (uint32_t k = 0; k < args.count[l]; k++) {
                graph_id arg = args.list[l][k];
                if (arg == GRAPH_NIL || arg >= s->x->count || s->stamp[arg] == s->round || is_fixed(s, arg))
                    continue;
                if (c->count == FUNCTION_NODES)
                    return false;
                s->stamp[arg] = s->round;
                s->slot[arg] = c->count;
                c->node[c->count++] = arg;
            }
    }
    return true;
}

/* ---- the smallest cut -------------------------------------------------------------------------- */

enum { NOBODY = 0xffffffff };

/* Whether the roots' cone can be followed to its ends. What lies in one that could be, under the same conditions, can;
 * most roots lie in that of a root before them. */
static bool can_follow(struct function_search *s, const graph_id *roots, unsigned root_count)
{
    uint32_t within = s->within[roots[0]];
    bool known = within && s->wholes.p[within - 1] == s->given_key;
    for (unsigned i = 1; i < root_count && known; i++)
        known = s->within[roots[i]] == within;
    if (known)
        return true;
    if (!pat_function_cone(s, roots, root_count, NULL, 0))
        return false;
    VEC_PUSH(s->a, s->wholes, s->given_key);
    for (uint32_t i = 0; i < s->cone.count; i++)
        s->within[s->cone.node[i]] = (uint32_t)s->wholes.n;
    for (unsigned i = 0; i < root_count; i++)
        s->within[roots[i]] = (uint32_t)s->wholes.n;
    return true;
}

/* The node's place in the cone, which grows as far as it is looked at; 0: it is no part of it, or its root. */
static uint32_t slot_of(struct function_search *s, graph_id id)
{
    struct pat_cone *c = &s->cone;
    if (id == GRAPH_NIL || id >= s->x->count)
        return 0;
    if (s->stamp[id] == s->round)
        return s->slot[id];
    if (is_fixed(s, id) || c->count == FUNCTION_NODES)
        return 0;
    uint32_t at = c->count++;
    s->stamp[id] = s->round;
    s->slot[id] = at;
    c->node[at] = id;
    s->used[at] = false;
    s->from[at] = s->came[2 * at] = s->came[2 * at + 1] = NOBODY;
    return at;
}

/* One more way from the value to a leaf that shares no node with those there are. States: 2 * slot where a node is
 * come to, one more where it is left. Leaves what can be reached in `came`. */
static bool one_more_way(struct function_search *s)
{
    struct pat_cone *c = &s->cone;
    struct arguments args;
    uint32_t head = 0, tail = 0, last = NOBODY;
    memset(s->came, 0xff, 2 * c->count * sizeof s->came[0]);
    s->came[1] = 1;
    s->queue[tail++] = 1;
    while (head < tail && last == NOBODY) {
        uint32_t state = s->queue[head++], at = state / 2;
        s->visits++;
        if (!(state & 1)) {
            uint32_t to = s->used[at] ? 2 * s->from[at] + 1 : state + 1;
            if (s->came[to] == NOBODY) {
                s->came[to] = state;
                s->queue[tail++] = to;
            }
            continue;
        }
        if (at && s->used[at] && s->came[state - 1] == NOBODY) {
            s->came[state - 1] = state;
            s->queue[tail++] = state - 1;
        }
        if (!arguments_at(s, at, &args))
            return false;
        if (args.count[0] + args.count[1] == 0 && at) {
            last = state;
            break;
        }
        for (unsigned l = 0; l < LISTS; l++)
            for (uint32_t k = 0; k < args.count[l]; k++) {
                uint32_t to = slot_of(s, args.list[l][k]);
                if (!to || s->came[2 * to] != NOBODY)
                    continue;
                s->came[2 * to] = state;
                s->queue[tail++] = 2 * to;
            }
    }
    if (last == NOBODY)
        return false;
    while (last != 1) {
        uint32_t before = s->came[last], at = last / 2;
        if ((last & 1) && before == last - 1) {
            s->used[at] = true;
        } else if (!(last & 1) && before == last + 1) {
            s->used[at] = false;
            s->from[at] = NOBODY;
        } else if (!(last & 1)) {
            s->from[at] = before / 2;
        }
        last = before;
    }
    return true;
}

/* The nodes of a cut in the order in which they are met from the root, level by level. */
static bool in_order(struct function_search *s, graph_id *cut, unsigned count)
{
    graph_id met[FUNCTION_ARGS];
    struct arguments args;
    uint32_t tail = 0;
    unsigned found = 0;
    memset(s->came, 0xff, 2 * s->cone.count * sizeof s->came[0]);
    s->queue[tail++] = 0;
    for (uint32_t head = 0; head < tail && found < count; head++) {
        s->visits++;
        if (!arguments_at(s, s->queue[head], &args))
            return false;
        for (unsigned l = 0; l < LISTS; l++)
            for (uint32_t k = 0; k < args.count[l] && found < count; k++) {
                uint32_t at = slot_of(s, args.list[l][k]);
                if (!at || s->came[at] == 0)
                    continue;
                s->came[at] = 0;
                s->queue[tail++] = at;
                if (pat_function_holds(cut, count, s->cone.node[at]))
                    met[found++] = s->cone.node[at];
            }
    }
    memcpy(cut, met, found * sizeof cut[0]);
    return found == count;
}

unsigned pat_function_cut(struct function_search *s, const graph_id *roots, unsigned root_count,
                          graph_id cut[FUNCTION_ARGS])
{
    unsigned ways = 0, count = 0;
    uint32_t ordered = 0;
    bool late = false;
    if (!can_follow(s, roots, root_count))
        return 0;
    begin_cone(s, roots, root_count);
    s->used[0] = false;
    s->from[0] = NOBODY;
    while (ways <= s->most && one_more_way(s)) {
        ordered = ways++ ? ordered : s->cone.count; /* as far as the first search went, places are in order */
    }
    if (!ways || ways > s->most)
        return 0;
    for (uint32_t i = 1; i < s->cone.count && count < FUNCTION_ARGS; i++)
        if (s->came[2 * i] != NOBODY && s->came[2 * i + 1] == NOBODY) {
            cut[count++] = s->cone.node[i];
            late |= i >= ordered;
        }
    return count == ways && (!late || count == 1 || in_order(s, cut, count)) ? count : 0;
}

/* ---- what is an expansion's ---------------------------------------------------------------------- */

enum { ENDS = 32 };

/* What the node that says an expansion is over; of what was made to say it (a number negated, say), its arguments.
 * A slow path reads the words of doubles. */
static unsigned find_ends(const struct function_search *s, graph_id as, graph_id ends[ENDS])
{
    unsigned count = 0;
    const struct graph_node *n = graph_at(s->g, as);
    for (unsigned i = 0; i < n->arg_count && count < ENDS; i++)
        ends[count++] = n->arg[i];
    for (unsigned i = 0; i < count; i++) {
        const struct graph_node *made = graph_at(s->g, ends[i]);
        for (unsigned k = 0; k < made->arg_count && ends[i] >= s->x->count && count < ENDS; k++)
            ends[count++] = made->arg[k];
    }
    for (unsigned i = 0, wholes = count; i < wholes; i++)
        for (unsigned high = 0; high < 2 && count < ENDS && uop_type_bits(graph_type_of(s->g, ends[i])) == 64; high++)
            ends[count++] = graph_op1(s->g, high ? UOP_HI : UOP_LO, UOP_B32, ends[i]);
    return count;
}

/* One of the ends, or it where it was computed and a constant where it was not. */
static bool is_end(const struct function_search *s, const graph_id *ends, unsigned count, graph_id id)
{
    const struct graph_node *n = graph_at(s->g, id);
    if (pat_function_holds(ends, count, id))
        return true;
    return n->kind == UOP_SELECT &&
           ((pat_function_holds(ends, count, n->arg[1]) && graph_is_const(s->g, n->arg[2], NULL)) ||
            (pat_function_holds(ends, count, n->arg[2]) && graph_is_const(s->g, n->arg[1], NULL)));
}

void pat_function_close(struct function_search *s, const struct pat_expanded *e)
{
    VEC(graph_id) stack = {0};
    graph_id ends[ENDS];
    for (size_t i = 0; i < e->list.n; i++) {
        const struct pat_reading *r = &e->list.p[i];
        if (!r->closed || r->node >= s->x->count)
            continue;
        s->closed[r->node] = true;
        for (unsigned k = 0; k < r->inner_count; k++)
            if (r->inner[k] < s->x->count)
                s->closed[r->inner[k]] = true;
    }
    for (size_t i = 0; i < e->list.n; i++) {
        const struct pat_reading *r = &e->list.p[i];
        if (!r->closed || r->node >= s->x->count || r->as == GRAPH_NIL)
            continue;
        unsigned end_count = find_ends(s, r->as, ends);
        if (end_count == ENDS)
            continue;
        VEC_PUSH(s->a, stack, r->node);
        while (stack.n) {
            graph_id id = stack.p[--stack.n];
            const struct graph_node *n = graph_at(s->g, id);
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : pat_is_pure(n) ? n->arg_count : 0;
            for (uint32_t k = 0; k < count; k++) {
                graph_id arg = n->kind == GRAPH_PHI ? n->phi_args[k] : n->arg[k];
                if (arg == GRAPH_NIL || arg >= id || s->closed[arg] || is_end(s, ends, end_count, arg))
                    continue;
                s->closed[arg] = true;
                VEC_PUSH(s->a, stack, arg);
            }
        }
    }
}
