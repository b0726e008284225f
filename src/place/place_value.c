/* Which nodes are data values, where each sits, who uses it, and its class.
 *
 * Data is what was loaded and what is computed towards a store. From every stored word the walk goes back through the
 * arguments of pure nodes; compares are walked for the data they look at, addresses are not. A node counts when some
 * register holds it; what stands only inside an instruction (a negated operand) is part of its user's expression.
 *
 * requires: graph with users and defs indexed · gives: struct place */
#include "place/place.h"

#include <stdlib.h>
#include <string.h>

struct marks {
    struct arena *a;
    const struct graph *g;
    uint8_t *data;   /* of a node: 1 walked, 2 a value */
    uint8_t *loaded; /* of a node: 1 known not to, 2 known to depend on memory */
    uint8_t *stored; /* of a node: some store writes it as a whole */
    VEC(graph_id) stack;
};

static bool is_access_space(unsigned space)
{
    return space == UOP_GLOBAL || space == UOP_SHARED || space == UOP_LOCAL || space == UOP_GENERIC;
}

static bool is_float_op(const struct graph_node *n)
{
    return (n->kind >= UOP_FADD && n->kind <= UOP_RSQ64H && n->kind != UOP_F2I) || n->kind == UOP_I2F ||
           n->kind == UOP_MMA;
}

/* Depends on something that was loaded (nodes ascend, so arguments are decided first; phis are settled by a second
 * pass). */
static void mark_loaded(struct marks *m)
{
    const struct graph *g = m->g;
    for (int pass = 0; pass < 2; pass++) {
        for (graph_id id = 1; id < g->nodes.n; id++) {
            const struct graph_node *n = graph_at(g, id);
            const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            bool yes = n->kind == UOP_LOAD || n->kind == UOP_ATOM || n->kind == UOP_SHFL || n->kind == UOP_REDUX ||
                       (n->kind == UOP_CBANK && n->space == 3) || m->loaded[id] == 2;
            for (uint32_t i = 0; i < count && !yes; i++)
                yes = m->loaded[args[i]] == 2;
            m->loaded[id] = yes ? 2 : 1;
        }
    }
}

static void push(struct marks *m, graph_id id)
{
    if (id != GRAPH_NIL && !m->data[id] && !graph_is_inside(m->g, id)) {
        m->data[id] = 1;
        VEC_PUSH(m->a, m->stack, id);
    }
}

static void walk(struct marks *m)
{
    while (m->stack.n) {
        graph_id id = m->stack.p[--m->stack.n];
        /* Of an expansion only what it is a function of. */
        const struct graph_node *n = graph_at(m->g, graph_shows(m->g, id) != GRAPH_NIL ? graph_shows(m->g, id) : id);
        const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        if (n->kind == UOP_LOAD || n->kind == UOP_CBANK)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (m->loaded[args[i]] == 2 || is_float_op(graph_at(m->g, args[i])))
                push(m, args[i]);
    }
}

static bool is_half_of_value(const struct marks *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    return (n->kind == UOP_LO || n->kind == UOP_HI) && m->data[n->arg[0]] &&
           graph_at(m->g, n->arg[0])->kind != UOP_LOAD;
}

static bool may_be_value(const struct marks *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    switch (n->kind) {
    case UOP_CONST:
    case UOP_SREG:
    case GRAPH_BOOL:
    case GRAPH_ENTRY:
    case UOP_CARRY:
    case UOP_UNDEF: return false;
    case UOP_CBANK: return n->space == 3;
    case UOP_LO:
    case UOP_HI: return !is_half_of_value(m, id);
    default: return n->type != UOP_B1;
    }
}

/* An 8-byte load whose words are only ever used apart holds two values (a float2), not one. */
static bool used_apart(const struct marks *m, graph_id load)
{
    const struct graph *g = m->g;
    uint32_t count, words = 0;
    const graph_id *users = graph_users(g, load, &count);
    if (graph_at(g, load)->kind != UOP_LOAD || graph_at(g, load)->type != UOP_B64)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *u = graph_at(g, users[i]);
        uint32_t further;
        if (u->kind != UOP_LO && u->kind != UOP_HI)
            return false;
        graph_users(g, users[i], &further);
        words += further > 0;
    }
    return words > 0 && !m->stored[load];
}

/* An address is no data: nodes that only feed addresses of accesses. */
static enum sp_status find_values(struct marks *m)
{
    const struct graph *g = m->g;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (!is_access_space(x->space))
            continue;
        if (x->kind == GRAPH_LOAD) {
            if (x->width == 8 && used_apart(m, x->result)) {
                uint32_t count;
                const graph_id *words = graph_users(g, x->result, &count);
                for (uint32_t k = 0; k < count; k++)
                    push(m, words[k]);
                continue;
            }
            for (unsigned k = 0; k < 4; k++)
                push(m, x->value[k]);
        } else {
            for (unsigned k = 0; k < 4; k++)
                push(m, x->value[k]);
            push(m, x->result);
        }
    }
    walk(m);
    /* Data looked at by a compare that decides something. */
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->type != UOP_B1 || n->kind == GRAPH_BOOL || graph_is_inside(g, id))
            continue;
        for (unsigned i = 0; i < n->arg_count; i++)
            if (m->loaded[n->arg[i]] == 2 && graph_at(g, n->arg[i])->type != UOP_B1 &&
                is_float_op(graph_at(g, n->arg[i])))
                push(m, n->arg[i]);
    }
    walk(m);
    return arena_failed(m->a) ? SP_ERR_MEMORY : SP_OK;
}

/* ---- storage and uses ----------------------------------------------------------------------- */

static enum place_where where_of_file(unsigned file)
{
    return file == UOP_FILE_R ? PLACE_REGISTER : file == UOP_FILE_UR ? PLACE_UNIFORM : PLACE_PREDICATE;
}

static enum place_where where_of_space(unsigned space)
{
    return space == UOP_SHARED     ? PLACE_SHARED
           : space == UOP_LOCAL    ? PLACE_LOCAL
           : space == UOP_CONSTANT ? PLACE_CONSTANT
                                   : PLACE_GLOBAL;
}

/* The load access that made a def, or UINT32_MAX. */
static uint32_t load_of_def(const struct graph *g, const struct graph_def *d)
{
    const struct graph_insn *insn = &g->insns.p[d->insn];
    for (uint32_t i = insn->first_access; i < insn->first_access + insn->access_count; i++)
        if (g->accesses.p[i].kind == GRAPH_LOAD)
            return i;
    return UINT32_MAX;
}

struct holder_cell {
    uint32_t def, next; /* another cell + 1 */
};

struct def_index { /* uses of each def, and what loads say of the stores before them */
    uint32_t *starts, *uses;
    uint32_t *last_reader; /* of a store: the last instance that is proved to read it back, 0: none */
    bool alias_loads;      /* some global load may read what a store of this kernel writes */
    /* Nodes that registers hold although no instruction made them: left by a guarded write, or by paths that meet. */
    struct map_u64 held;    /* node -> first cell */
    struct map_u64 covered; /* node -> the select(P, node, constant) that paths make of it */
    VEC(struct holder_cell) cells;
    uint32_t last_shared_load; /* the last instance of a load from shared memory */
};

static void add_holder(struct arena *a, const struct graph *g, struct def_index *x, graph_id node, uint32_t def)
{
    uint32_t first;
    if (node == GRAPH_NIL || graph_at(g, node)->type == UOP_B1)
        return;
    struct holder_cell cell = {.def = def, .next = map_u64_get(&x->held, node, &first) ? first + 1 : 0};
    map_u64_put(a, &x->held, node, (uint32_t)x->cells.n);
    VEC_PUSH(a, x->cells, cell);
}

static bool mentions(const struct graph *g, graph_id id, graph_id what, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    if (id == what)
        return true;
    for (unsigned i = 0; i < n->arg_count && depth < 5; i++)
        if (mentions(g, n->arg[i], what, depth + 1))
            return true;
    return false;
}

/* select(P, v, constant) where P does not look at v: a value and what stands for it elsewhere, not a choice by the
 * value. */
static bool stands_for(const struct graph *g, const struct graph_node *select, graph_id v)
{
    if (select->kind != UOP_SELECT || mentions(g, select->arg[0], v, 0))
        return false;
    return (select->arg[1] == v && graph_is_const(g, select->arg[2], NULL)) ||
           (select->arg[2] == v && graph_is_const(g, select->arg[1], NULL));
}

/* A use that several defs reach reads what none of them made: the value their paths meet in. */
static void add_joined(struct arena *a, const struct graph *g, struct def_index *x, const struct graph_use *use)
{
    enum { PATHS = 8 };
    const struct graph_node *n = graph_at(g, use->node);
    if (use->def_count < 2 || use->def_count > PATHS || (n->kind != UOP_SELECT && n->kind != GRAPH_PHI))
        return;
    for (uint32_t k = 0; k < use->def_count; k++) {
        graph_id made = g->defs.p[use->defs[k]].node;
        if (made == use->node || g->defs.p[use->defs[k]].merged == use->node)
            return;
    }
    uint32_t first;
    if (map_u64_get(&x->held, use->node, &first) && x->cells.p[first].def == use->defs[use->def_count - 1])
        return; /* told by an earlier reader */
    for (uint32_t k = 0; k < use->def_count; k++) {
        graph_id made = g->defs.p[use->defs[k]].node;
        add_holder(a, g, x, use->node, use->defs[k]);
        if (stands_for(g, n, made))
            map_u64_put(a, &x->covered, made, use->node);
    }
}

static bool index_uses(struct arena *a, const struct graph *g, struct def_index *x)
{
    x->starts = ARENA_ARRAY(a, uint32_t, g->defs.n + 2);
    if (!x->starts)
        return false;
    x->last_reader = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    if (!x->last_reader)
        return false;
    for (uint32_t d = 0; d < g->defs.n; d++)
        if (g->defs.p[d].merged != g->defs.p[d].node)
            add_holder(a, g, x, g->defs.p[d].merged, d);
    for (size_t i = 0; i < g->uses.n; i++)
        add_joined(a, g, x, &g->uses.p[i]);
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *l = &g->accesses.p[i];
        if (l->kind != GRAPH_LOAD)
            continue;
        if (l->from_store >= 0 && l->insn > x->last_reader[l->from_store])
            x->last_reader[l->from_store] = l->insn;
        x->alias_loads |= l->may_alias && (l->space == UOP_GLOBAL || l->space == UOP_GENERIC);
        if (l->space == UOP_SHARED && l->from_store < 0 && l->insn > x->last_shared_load)
            x->last_shared_load = l->insn;
    }
    uint32_t total = 0;
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++, total++)
            x->starts[g->uses.p[i].defs[k] + 2]++;
    for (size_t i = 2; i < g->defs.n + 2; i++)
        x->starts[i] += x->starts[i - 1];
    x->uses = ARENA_ARRAY(a, uint32_t, total);
    if (!x->uses)
        return false;
    for (size_t i = 0; i < g->uses.n; i++)
        for (uint32_t k = 0; k < g->uses.p[i].def_count; k++)
            x->uses[x->starts[g->uses.p[i].defs[k] + 1]++] = (uint32_t)i;
    return true;
}

/* The defs that hold a node: made as it, or left with it by guarded writes and meeting paths. */
static const uint32_t *holders(struct arena *a, const struct graph *g, const struct def_index *x, graph_id node,
                               uint32_t *count)
{
    uint32_t made, more = 0, first;
    const uint32_t *defs = graph_defs_of(g, node, &made);
    *count = made;
    if (!map_u64_get(&x->held, node, &first))
        return defs;
    for (uint32_t c = first + 1; c; c = x->cells.p[c - 1].next)
        more++;
    uint32_t *all = ARENA_ARRAY(a, uint32_t, made + more);
    if (!all)
        return defs;
    for (uint32_t i = 0; i < made; i++)
        all[i] = defs[i];
    for (uint32_t c = first + 1; c; c = x->cells.p[c - 1].next)
        all[(*count)++] = x->cells.p[c - 1].def;
    return all;
}

static void place_defs(struct arena *a, const struct graph *g, const struct def_index *x, struct place_value *v,
                       graph_id node)
{
    uint32_t count;
    const uint32_t *defs = holders(a, g, x, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_def *d = &g->defs.p[defs[i]];
        if (graph_is_slow(g, d->insn))
            continue; /* the same value, by the way that is hardly ever taken */
        uint32_t load = load_of_def(g, d);
        enum place_where via = where_of_file(d->file);
        VEC_PUSH(a, v->storage,
                 (struct place_storage){
                     .where = via, .def = defs[i], .access = UINT32_MAX, .from = d->insn, .to = d->last_use});
        VEC_PUSH(a, v->evidence, d->insn);
        if (load != UINT32_MAX && g->accesses.p[load].from_store >= 0)
            via = where_of_space(g->accesses.p[load].space);
        for (uint32_t u = x->starts[defs[i]]; u < x->starts[defs[i] + 1]; u++)
            VEC_PUSH(a, v->uses, (struct place_use){.insn = g->uses.p[x->uses[u]].insn, .via = via});
    }
}

static bool access_holds(const struct graph *g, const struct graph_access *x, graph_id node)
{
    const struct graph_node *n = graph_at(g, node);
    if (x->kind == GRAPH_LOAD &&
        (x->result == node || ((n->kind == UOP_LO || n->kind == UOP_HI) && n->arg[0] == x->result)))
        return true;
    for (unsigned k = 0; k < 4; k++)
        if (x->value[k] == node)
            return true;
    return false;
}

static void place_accesses(struct arena *a, const struct graph *g, const struct def_index *index, struct place_value *v,
                           graph_id node, const uint32_t *list, uint32_t count)
{
    bool loaded = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_access *x = &g->accesses.p[list[i]];
        if (!access_holds(g, x, node))
            continue;
        if (x->kind == GRAPH_LOAD) {
            if (x->from_store >= 0)
                continue; /* the store's place covers it */
            VEC_PUSH(a, v->storage,
                     (struct place_storage){.where = where_of_space(x->space),
                                            .def = UINT32_MAX,
                                            .access = list[i],
                                            .from = x->insn,
                                            .to = x->insn,
                                            .reloaded = loaded});
            loaded = true;
            v->assumed |= x->may_alias;
        } else if (x->kind == GRAPH_STORE || x->kind == GRAPH_ATOMIC) {
            uint32_t to = index->last_reader[list[i]] > x->insn ? index->last_reader[list[i]] : x->insn;
            VEC_PUSH(a, v->storage,
                     (struct place_storage){.where = where_of_space(x->space),
                                            .def = UINT32_MAX,
                                            .access = list[i],
                                            .from = x->insn,
                                            .to = to});
            VEC_PUSH(a, v->evidence, x->insn);
        }
    }
}

static int compare_storage(const void *p, const void *q)
{
    const struct place_storage *a = p, *b = q;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if ((a->access == UINT32_MAX) != (b->access == UINT32_MAX))
        return a->access == UINT32_MAX ? 1 : -1; /* memory is read before a register is written */
    return a->def < b->def ? -1 : a->def > b->def;
}

static int compare_uses(const void *p, const void *q)
{
    const struct place_use *a = p, *b = q;
    if (a->insn != b->insn)
        return a->insn < b->insn ? -1 : 1;
    return (int)a->via - (int)b->via;
}

static int compare_numbers(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

/* Places, uses and evidence in order, each once. */
static void sort_value(struct place_value *v)
{
    size_t kept = 0;
    if (v->storage.n)
        qsort(v->storage.p, v->storage.n, sizeof v->storage.p[0], compare_storage);
    for (size_t i = 0; i < v->storage.n; i++)
        if (!kept || compare_storage(&v->storage.p[kept - 1], &v->storage.p[i]) != 0 ||
            v->storage.p[i].access != v->storage.p[kept - 1].access)
            v->storage.p[kept++] = v->storage.p[i];
    v->storage.n = kept;
    kept = 0;
    if (v->uses.n)
        qsort(v->uses.p, v->uses.n, sizeof v->uses.p[0], compare_uses);
    for (size_t i = 0; i < v->uses.n; i++)
        if (!kept || compare_uses(&v->uses.p[kept - 1], &v->uses.p[i]) != 0)
            v->uses.p[kept++] = v->uses.p[i];
    v->uses.n = kept;
    kept = 0;
    if (v->evidence.n)
        qsort(v->evidence.p, v->evidence.n, sizeof v->evidence.p[0], compare_numbers);
    for (size_t i = 0; i < v->evidence.n; i++)
        if (!kept || v->evidence.p[kept - 1] != v->evidence.p[i])
            v->evidence.p[kept++] = v->evidence.p[i];
    v->evidence.n = kept;
}

/* ---- class ---------------------------------------------------------------------------------- */

/* The def reads the value it holds: a copy. */
static bool is_copy(const struct graph *g, const struct graph_def *d, graph_id node)
{
    const struct graph_insn *insn = &g->insns.p[d->insn];
    for (uint32_t i = insn->first_use; i < insn->first_use + insn->use_count; i++)
        if (g->uses.p[i].node == d->node || g->uses.p[i].node == node)
            return true;
    return false;
}

static bool is_recomputed(struct graph *g, const struct place_value *v)
{
    const struct graph_def *made[16];
    unsigned n = 0;
    const struct graph_node *node = graph_at(g, v->node);
    if (node->kind == UOP_LOAD || node->kind == UOP_ELEMENT || node->kind == GRAPH_PHI || node->kind == UOP_CBANK)
        return false;
    for (size_t i = 0; i < v->storage.n; i++) {
        if (v->storage.p[i].def == UINT32_MAX)
            continue;
        const struct graph_def *d = &g->defs.p[v->storage.p[i].def];
        if (d->part == 2 || load_of_def(g, d) != UINT32_MAX || is_copy(g, d, v->node))
            continue;
        for (unsigned k = 0; k < n; k++) {
            graph_id both = graph_and(g, g->insns.p[made[k]->insn].runs_when, g->insns.p[d->insn].runs_when);
            uint64_t never;
            if (made[k]->insn != d->insn && !(both != GRAPH_NIL && graph_is_const(g, both, &never) && !never))
                return true;
        }
        if (n < 16)
            made[n++] = d;
    }
    return false;
}

static bool at_constant_stack_offset(const struct graph *g, const struct graph_access *x)
{
    struct graph_affine f;
    return graph_affine(g, x->address, &f) && f.term_count == 0;
}

static bool is_loop_phi(const struct graph *g, const struct graph_node *phi)
{
    for (size_t i = 0; i < g->loops.n; i++)
        if (g->loops.p[i].header == phi->block)
            return true;
    return false;
}

/* A loop carries it in a register: it is a loop's phi, or goes into one. */
static bool is_carried(const struct graph *g, graph_id id)
{
    uint32_t count;
    const graph_id *users = graph_users(g, id, &count);
    if (graph_at(g, id)->kind == GRAPH_PHI && is_loop_phi(g, graph_at(g, id)))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *phi = graph_at(g, users[i]);
        if (phi->kind != GRAPH_PHI || !is_loop_phi(g, phi))
            continue;
        for (uint32_t k = 0; k < phi->phi_count; k++) /* by a back edge, not as its start */
            if (phi->phi_args[k] == id && g->blocks.p[phi->block].preds[k] >= phi->block)
                return true;
    }
    return false;
}

static void classify(struct graph *g, const struct def_index *index, struct place_value *v)
{
    bool stored_global = false, read_back_global = false, shared = false, spilled = false, array = false,
         loaded_global = false;
    const struct graph_node *node = graph_at(g, v->node);
    uint32_t stores = 0;
    for (size_t i = 0; i < v->storage.n; i++) {
        const struct place_storage *s = &v->storage.p[i];
        if (s->access == UINT32_MAX)
            continue;
        const struct graph_access *x = &g->accesses.p[s->access];
        bool global = x->space == UOP_GLOBAL || x->space == UOP_GENERIC;
        if (x->kind != GRAPH_LOAD) {
            stores++;
            stored_global |= global;
            read_back_global |= global && s->to != s->from;
            shared |= x->space == UOP_SHARED && s->to != s->from;
            if (x->space == UOP_SHARED && s->to == s->from && index->last_shared_load > x->insn) {
                shared = true; /* some later load may read it; which one is not decided here */
                v->assumed = true;
            }
        } else {
            if (x->space == UOP_SHARED) {
                shared = true;
                v->assumed = true; /* whose store it is is not decided here */
            }
            loaded_global |= global;
        }
        if (x->space == UOP_LOCAL) {
            array |= !at_constant_stack_offset(g, x);
            spilled |= at_constant_stack_offset(g, x) && s->to != s->from;
        }
        if (x->kind != GRAPH_LOAD && global) /* a load that may read it, if two parameters are one object */
            v->assumed |= index->alias_loads;
    }
    uint32_t other_uses = 0; /* consumers that are not one of its stores */
    for (size_t i = 0; i < v->uses.n; i++) {
        bool is_store = false;
        const struct graph_insn *insn = &g->insns.p[v->uses.p[i].insn];
        for (uint32_t k = insn->first_access; k < insn->first_access + insn->access_count && !is_store; k++)
            is_store = g->accesses.p[k].kind != GRAPH_LOAD && access_holds(g, &g->accesses.p[k], v->node);
        for (uint32_t k = insn->first_def; k < insn->first_def + insn->def_count && !is_store; k++)
            is_store = g->defs.p[k].node == v->node || g->defs.p[k].wide == v->node; /* a copy is no consumer */
        other_uses += !is_store;
    }
    if (stored_global && read_back_global)
        v->cls = PLACE_GLOBAL_MATERIALIZED;
    else if (shared)
        v->cls = PLACE_SHARED_MATERIALIZED;
    else if (spilled)
        v->cls = PLACE_SPILLED;
    else if (array)
        v->cls = PLACE_LOCAL_ARRAY;
    else if (is_carried(g, v->node))
        v->cls = PLACE_REGISTER_ACCUMULATOR;
    else if (stored_global && !other_uses)
        v->cls = PLACE_RESULT;
    else if (stored_global)
        v->cls = PLACE_GLOBAL_MATERIALIZED;
    else if (is_recomputed(g, v))
        v->cls = PLACE_RECOMPUTED;
    else if (loaded_global || node->kind == UOP_CBANK)
        v->cls = PLACE_INPUT;
    else
        v->cls = PLACE_REGISTER_ONLY;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int compare_values(const void *p, const void *q)
{
    const struct place_value *a = p, *b = q;
    uint32_t x = a->evidence.n ? a->evidence.p[0] : UINT32_MAX, y = b->evidence.n ? b->evidence.p[0] : UINT32_MAX;
    if (x != y)
        return x < y ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* select(P, v, constant) stands for v too: node -> the select, when the select has readers of its own. */
static graph_id covering_select(const struct graph *g, const struct def_index *x, const uint32_t *accesses_of,
                                size_t nodes, graph_id id)
{
    uint32_t count, joined;
    const uint32_t *defs = graph_defs_of(g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        graph_id merged = g->defs.p[defs[i]].merged;
        const struct graph_node *n = graph_at(g, merged);
        uint32_t users;
        if (merged == id || !stands_for(g, n, id))
            continue;
        graph_users(g, merged, &users);
        bool read = users > 0 || (merged < nodes && accesses_of[merged]);
        if (read)
            return merged;
    }
    return map_u64_get(&x->covered, id, &joined) ? joined : GRAPH_NIL;
}

enum sp_status place_build(struct arena *a, const struct graph *graph, struct place *p)
{
    struct graph *g = (struct graph *)(uintptr_t)graph; /* conditions make nodes; no existing one changes */
    struct marks m = {.a = a, .g = g};
    struct def_index uses = {0};
    size_t nodes = g->nodes.n;
    *p = (struct place){0};
    m.data = ARENA_ARRAY(a, uint8_t, nodes);
    m.loaded = ARENA_ARRAY(a, uint8_t, nodes);
    m.stored = ARENA_ARRAY(a, uint8_t, nodes);
    if (!m.data || !m.loaded || !m.stored || !index_uses(a, g, &uses))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->accesses.n; i++)
        if (g->accesses.p[i].kind != GRAPH_LOAD)
            m.stored[g->accesses.p[i].value[0]] = 1;
    mark_loaded(&m);
    if (find_values(&m) != SP_OK)
        return SP_ERR_MEMORY;
    /* Accesses by the nodes they hold, so that each value looks at its own only. */
    uint32_t *list = ARENA_ARRAY(a, uint32_t, g->accesses.n * 7 + 1),
             *next = ARENA_ARRAY(a, uint32_t, g->accesses.n * 7 + 1);
    uint32_t *head = ARENA_ARRAY(a, uint32_t, nodes);
    if (!list || !next || !head)
        return SP_ERR_MEMORY;
    uint32_t cells = 0;
    for (size_t i = g->accesses.n; i-- > 0;) {
        const struct graph_access *x = &g->accesses.p[i];
        graph_id of[7] = {x->value[0], x->value[1], x->value[2], x->value[3],
                          x->kind == GRAPH_LOAD ? x->result : GRAPH_NIL};
        if (x->kind == GRAPH_LOAD && x->width == 8 && x->result != GRAPH_NIL &&
            graph_at(g, x->result)->type == UOP_B64) {
            of[5] = graph_op1(g, UOP_LO, UOP_B32, x->result);
            of[6] = graph_op1(g, UOP_HI, UOP_B32, x->result);
        }
        for (unsigned k = 0; k < 7; k++) {
            bool again = of[k] == GRAPH_NIL || of[k] >= nodes;
            for (unsigned j = 0; j < k && !again; j++)
                again = of[j] == of[k];
            if (again)
                continue;
            list[++cells] = (uint32_t)i;
            next[cells] = head[of[k]];
            head[of[k]] = cells;
        }
    }
    uint32_t *mine = ARENA_ARRAY(a, uint32_t, g->accesses.n + 1);
    for (graph_id id = 1; id < nodes && mine; id++) {
        if (!m.data[id] || !may_be_value(&m, id))
            continue;
        graph_id cover = covering_select(g, &uses, head, nodes, id);
        if (cover != GRAPH_NIL && m.data[cover])
            continue; /* told with the select */
        struct place_value v = {.node = id};
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_SELECT)
            for (unsigned k = 1; k <= 2; k++)
                if (graph_is_const(g, n->arg[3 - k], NULL) && covering_select(g, &uses, head, nodes, n->arg[k]) == id)
                    v.part = n->arg[k];
        for (unsigned k = 0; k < 2; k++) {
            graph_id node = k ? v.part : id;
            uint32_t count = 0;
            if (node == GRAPH_NIL)
                continue;
            place_defs(a, g, &uses, &v, node);
            for (uint32_t c = head[node]; c; c = next[c])
                mine[count++] = list[c];
            place_accesses(a, g, &uses, &v, node, mine, count);
        }
        bool held = false; /* a half or a whole nobody holds is no value */
        for (size_t k = 0; k < v.storage.n; k++)
            held |= v.storage.p[k].def != UINT32_MAX;
        if (!held)
            continue;
        sort_value(&v);
        classify(g, &uses, &v);
        VEC_PUSH(a, p->values, v);
    }
    if (p->values.n)
        qsort(p->values.p, p->values.n, sizeof p->values.p[0], compare_values);
    for (size_t i = 0; i < p->values.n; i++) {
        map_u64_put(a, &p->of, p->values.p[i].node, (uint32_t)i);
        if (p->values.p[i].part != GRAPH_NIL)
            map_u64_put(a, &p->of, p->values.p[i].part, (uint32_t)i);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

const struct place_value *place_value_of(const struct place *p, graph_id node, uint32_t *index)
{
    uint32_t i;
    if (!map_u64_get(&p->of, node, &i))
        return NULL;
    if (index)
        *index = i;
    return &p->values.p[i];
}
