/* What the matcher asks of a graph again and again, computed once: which nodes an effect depends on, which
 * differ between the threads of a launch, which instructions made a node in a register. Requires a built
 * graph (graph_index_users); linear in nodes, defs and uses. */
#include "pattern/pat_internal.h"

static void mark(struct pat_index *x, graph_id id, graph_id **stack, size_t *depth)
{
    if (id != GRAPH_NIL && id < x->count && !x->live[id]) {
        x->live[id] = true;
        (*stack)[(*depth)++] = id;
    }
}

/* Effects: accesses, conditions of branches and guards, and what instructions without a result read. */
static bool find_live(struct pat_index *x)
{
    struct graph *g = x->g;
    graph_id *stack = ARENA_ARRAY(x->a, graph_id, x->count + 1);
    size_t depth = 0;
    if (!stack)
        return false;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *a = &g->accesses.p[i];
        mark(x, a->address, &stack, &depth);
        for (int k = 0; k < 4; k++)
            if (a->kind == GRAPH_STORE)
                mark(x, a->value[k], &stack, &depth);
        mark(x, a->runs_when, &stack, &depth);
    }
    for (size_t i = 0; i < g->blocks.n; i++)
        if (g->blocks.p[i].reachable)
            mark(x, g->blocks.p[i].branch, &stack, &depth);
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct graph_insn *n = &g->insns.p[i];
        if (!n->reachable)
            continue;
        mark(x, n->guard, &stack, &depth);
        const struct graph_block *b = &g->blocks.p[n->block];
        if (b->by_table && b->last == i)
            continue; /* how a place in a table is found is the compiler's; what is asked stands in conditions */
        for (uint32_t u = 0; !n->def_count && u < n->use_count; u++)
            mark(x, g->uses.p[n->first_use + u].node, &stack, &depth);
    }
    while (depth) {
        const struct graph_node *n = graph_at(g, stack[--depth]);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        for (uint32_t i = 0; i < count; i++)
            mark(x, args[i], &stack, &depth);
    }
    return true;
}

/* Wider values a def's node is a part of, one step. */
static graph_id whole_of(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return n->kind == UOP_LO || n->kind == UOP_HI ? n->arg[0] : GRAPH_NIL;
}

static bool find_merged(struct pat_index *x)
{
    struct graph *g = x->g;
    x->merged_start = ARENA_ARRAY(x->a, uint32_t, x->count + 2);
    if (!x->merged_start)
        return false;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t d = 0; d < g->defs.n; d++) {
            const struct graph_def *def = &g->defs.p[d];
            if (def->merged == def->node || def->merged == GRAPH_NIL)
                continue;
            const graph_id of[2] = {def->merged, whole_of(g, def->merged)};
            for (int k = 0; k < 2; k++) {
                if (of[k] == GRAPH_NIL || of[k] >= x->count)
                    continue;
                if (fill)
                    x->merged[x->merged_start[of[k]]++] = d;
                else
                    x->merged_start[of[k]]++;
            }
        }
        if (fill)
            break;
        uint32_t sum = 0;
        for (size_t i = 0; i <= x->count; i++) {
            uint32_t n = x->merged_start[i];
            x->merged_start[i] = sum;
            sum += n;
        }
        x->merged_start[x->count + 1] = sum;
        x->merged = ARENA_ARRAY(x->a, uint32_t, sum + 1);
        if (!x->merged)
            return false;
    }
    /* Filling moved each start to its end: turn them back. */
    for (size_t i = x->count; i > 0; i--)
        x->merged_start[i] = x->merged_start[i - 1];
    x->merged_start[0] = 0;
    return true;
}

static bool find_loads(struct pat_index *x)
{
    x->next_load = ARENA_ARRAY(x->a, uint32_t, x->g->accesses.n + 1);
    if (!x->next_load)
        return false;
    for (uint32_t i = (uint32_t)x->g->accesses.n; i-- > 0;) {
        const struct graph_access *a = &x->g->accesses.p[i];
        uint32_t next;
        graph_id node = a->result;
        if (a->kind != GRAPH_LOAD || node == GRAPH_NIL)
            continue;
        if (graph_at(x->g, node)->kind == UOP_ELEMENT)
            node = graph_at(x->g, node)->arg[0];
        x->next_load[i] = map_u64_get(&x->first_load, node, &next) ? next : UINT32_MAX;
        if (!map_u64_put(x->a, &x->first_load, node, i))
            return false;
    }
    return true;
}

uint32_t pat_top_insn(const struct graph *g, uint32_t insn)
{
    for (unsigned left = 16; left && insn < g->insns.n && g->insns.p[insn].call_path; left--) {
        uint32_t path = g->insns.p[insn].call_path;
        if (path > g->calls.n)
            break;
        insn = g->calls.p[path - 1].insn;
    }
    return insn;
}

bool pat_is_pure(const struct graph_node *n)
{
    if (n->kind == GRAPH_BOOL || n->kind == GRAPH_REAL)
        return true;
    return n->kind < UOP_GRAPH_KINDS && n->kind != UOP_CONST && n->arg_count && uop_is_pure((enum uop_kind)n->kind);
}

/* What a node adds to the spread of its arguments. */
static uint8_t own_spread(const struct graph_node *n)
{
    switch (n->kind) {
    case UOP_SREG: {
        bool size = (n->imm >= UOP_SR_NTID_X && n->imm <= UOP_SR_NTID_Z) ||
                    (n->imm >= UOP_SR_NCTAID_X && n->imm <= UOP_SR_NCTAID_Z);
        return size ? PAT_UNIFORM : PAT_VARIES;
    }
    case UOP_LOAD: return n->order > UOP_READONLY ? PAT_VARIES : PAT_UNIFORM;
    case UOP_CONST:
    case UOP_CBANK: return PAT_UNIFORM;
    case UOP_OPAQUE:
    case UOP_UNDEF:
    case GRAPH_ENTRY:
    case GRAPH_RESULT: return PAT_SPREAD_UNKNOWN;
    default: return n->kind == GRAPH_BOOL || pat_is_pure(n) ? PAT_UNIFORM : PAT_VARIES;
    }
}

enum sp_status pat_index_init(struct pat_index *x, struct arena *a, struct graph *g)
{
    *x = (struct pat_index){.a = a, .g = g, .count = (graph_id)g->nodes.n};
    x->live = ARENA_ARRAY(a, bool, x->count + 1);
    x->spread = ARENA_ARRAY(a, uint8_t, x->count + 1);
    x->minmax = ARENA_ARRAY(a, uint8_t, x->count + 1);
    if (!x->live || !x->spread || !x->minmax || !find_live(x) || !find_merged(x) || !find_loads(x) ||
        !pat_find_piece_guards(x))
        return SP_ERR_MEMORY;
    /* Arguments come before their users, so one pass decides; a phi could be anything its turns make it. */
    for (graph_id id = 1; id < x->count; id++) {
        const struct graph_node *n = graph_at(g, id);
        uint8_t spread = own_spread(n);
        for (unsigned i = 0; i < n->arg_count; i++)
            if (n->arg[i] != GRAPH_NIL && x->spread[n->arg[i]] > spread)
                spread = x->spread[n->arg[i]];
        x->spread[id] = spread;
    }
    return SP_OK;
}

enum pat_spread pat_spread_of(const struct pat_index *x, graph_id node)
{
    return node < x->count ? (enum pat_spread)x->spread[node] : PAT_SPREAD_UNKNOWN;
}

const uint32_t *pat_merged_of(const struct pat_index *x, graph_id node, uint32_t *count)
{
    *count = 0;
    if (node >= x->count)
        return NULL;
    *count = x->merged_start[node + 1] - x->merged_start[node];
    return x->merged + x->merged_start[node];
}

void pat_holders(const struct pat_index *x, graph_id node, pat_holder_fn fn, void *user)
{
    uint32_t count;
    const uint32_t *defs = graph_defs_of(x->g, node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (x->g->insns.p[x->g->defs.p[defs[i]].insn].reachable)
            fn(user, x->g->defs.p[defs[i]].insn, false);
    defs = pat_merged_of(x, node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (x->g->insns.p[x->g->defs.p[defs[i]].insn].reachable)
            fn(user, x->g->defs.p[defs[i]].insn, true);
}

void pat_loaders(const struct pat_index *x, graph_id node, pat_holder_fn fn, void *user)
{
    uint32_t i;
    if (!map_u64_get(&x->first_load, node, &i))
        return;
    for (; i != UINT32_MAX; i = x->next_load[i])
        if (x->g->insns.p[x->g->accesses.p[i].insn].reachable)
            fn(user, x->g->accesses.p[i].insn, false);
}

/* Whether one of the definitions stands in code that is reached. */
static bool any_reachable(const struct graph *g, const uint32_t *defs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (g->insns.p[g->defs.p[defs[i]].insn].reachable)
            return true;
    return false;
}

bool pat_has_holder(const struct pat_index *x, graph_id node)
{
    uint32_t count;
    const uint32_t *defs = graph_defs_of(x->g, node, &count);
    if (any_reachable(x->g, defs, count))
        return true;
    defs = pat_merged_of(x, node, &count);
    return any_reachable(x->g, defs, count);
}

bool pat_is_half(const struct pat_index *x, graph_id node)
{
    uint32_t count, own = 0;
    const struct graph *g = x->g;
    const struct graph_node *n = graph_at(g, node);
    if (n->kind == UOP_SELECT && (graph_at(g, n->arg[1])->kind == UOP_HI || graph_at(g, n->arg[2])->kind == UOP_HI))
        return true;
    const uint32_t *defs = graph_defs_of(g, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_def *d = &g->defs.p[defs[i]];
        if (d->node != node)
            continue;
        if (d->wide == GRAPH_NIL || graph_at(g, d->wide)->kind != graph_at(g, node)->kind)
            return false;
        own++;
    }
    return own != 0;
}

bool pat_made_by_instruction(const struct pat_index *x, graph_id node)
{
    /* A copy of a value that two branches left behind holds it too, but reads it from a register. */
    uint32_t count;
    const struct graph *g = x->g;
    const uint32_t *defs = graph_defs_of(g, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_insn *n = &g->insns.p[g->defs.p[defs[i]].insn];
        bool copy = false;
        for (uint32_t u = 0; u < n->use_count && !copy; u++)
            copy = g->uses.p[n->first_use + u].node == node || /* or half of it */
                   g->uses.p[n->first_use + u].node == g->defs.p[defs[i]].node;
        if (n->reachable && !copy)
            return true;
    }
    /* A guarded write over an older value: but a guarded load or update is no select. */
    defs = pat_merged_of(x, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        graph_id own = g->defs.p[defs[i]].node;
        while (graph_at(g, own)->kind == UOP_LO || graph_at(g, own)->kind == UOP_HI ||
               graph_at(g, own)->kind == UOP_ELEMENT)
            own = graph_at(g, own)->arg[0];
        if (graph_at(g, own)->kind != UOP_LOAD && graph_at(g, own)->kind != UOP_ATOM)
            return !pat_chooses_piece(x, node);
    }
    return false;
}
