/* Where each data value sits, who uses it by what route, and the one entry that all its nodes share: a value with what
 * select(P, value, constant) makes of it, an accumulator with what comes round and what is left behind its loop, a
 * stored value with loads that are proved to bring it back, copies of a loop's body with the piece that is told. A node
 * counts when some register holds it; what stands only inside an instruction (a negated operand) is part of its user's
 * expression.
 *
 * requires: graph with users and defs indexed, cycles and dependence where they were found · gives: struct place */
#include "place/place_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- storage and uses ------------------------------------------------------------------------ */

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

/* `as` not NIL: only readers that take it for that node. */
static void add_uses(struct place_work *w, struct place_value *v, uint32_t def, enum place_where via, bool other,
                     graph_id as)
{
    for (uint32_t u = w->starts[def]; u < w->starts[def + 1]; u++) {
        const struct graph_use *use = &w->g->uses.p[w->uses[u]];
        /* What an expansion looks at on its way is not its result yet. */
        if ((as == GRAPH_NIL || use->node == as) && !place_is_inside(w, use->node))
            VEC_PUSH(w->a, v->uses, (struct place_use){.insn = use->insn, .via = via, .other_thread = other});
    }
}

static void place_defs(struct place_work *w, struct place_value *v, graph_id node)
{
    const struct graph *g = w->g;
    uint32_t count;
    const uint32_t *defs = place_holders(w, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_def *d = &g->defs.p[defs[i]];
        uint32_t load = place_load_of_def(g, d);
        enum place_where via = where_of_file(d->file);
        if (graph_is_slow(g, d->insn))
            continue; /* the same value, by the way that is hardly ever taken */
        if (d->file == UOP_FILE_B)
            continue; /* what a barrier keeps is no register of the thread */
        if (graph_at(g, d->node)->kind == UOP_CONST)
            continue; /* the constant beside it is no place of the value */
        VEC_PUSH(w->a, v->storage,
                 (struct place_storage){
                     .where = via, .def = defs[i], .access = UINT32_MAX, .from = d->insn, .to = d->last_use});
        VEC_PUSH(w->a, v->evidence, d->insn);
        bool back = load != UINT32_MAX &&
                    (g->accesses.p[load].from_store >= 0 ||
                     (g->accesses.p[load].result < w->nodes && w->alias[g->accesses.p[load].result] != GRAPH_NIL));
        if (back)
            via = where_of_space(g->accesses.p[load].space);
        /* A register that only paths make hold it is also read as what was written there. */
        bool joined = d->node != node && d->wide != node && d->merged != node;
        add_uses(w, v, defs[i], via, false, joined ? node : GRAPH_NIL);
    }
}

/* The last instance that a stored value is kept for: the last load that reads it, round a loop the loop's end. */
static uint32_t kept_until(const struct graph *g, uint32_t store, uint32_t load)
{
    if (load >= store)
        return load;
    uint32_t block = g->insns.p[store].block, other = g->insns.p[load].block;
    for (uint32_t l = g->blocks.p[block].loop; l; l = g->loops.p[l - 1].parent)
        for (uint32_t k = g->blocks.p[other].loop; k; k = g->loops.p[k - 1].parent)
            if (k == l)
                return g->loops.p[l - 1].last > store ? g->loops.p[l - 1].last : store;
    return store;
}

/* Who consumes what a load brings from a store: the readers of the register that got the stored word. */
static void uses_through(struct place_work *w, struct place_value *v, const struct graph_reach *r, graph_id node)
{
    const struct graph *g = w->g;
    const struct graph_access *s = &g->accesses.p[r->store], *l = &g->accesses.p[r->load];
    const struct graph_insn *insn = &g->insns.p[l->insn];
    uint32_t first = UINT32_MAX, bytes = uop_type_bits((enum uop_type)graph_at(g, node)->type) / 8;
    int32_t at = -1;
    for (unsigned k = 0, byte = 0; k < 4 && at < 0 && s->value[k] != GRAPH_NIL; k++) {
        if (s->value[k] == node)
            at = (int32_t)byte;
        byte += uop_type_bits((enum uop_type)graph_at(g, s->value[k])->type) == 64 ? 8 : 4;
    }
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++)
        if (g->defs.p[d].file == UOP_FILE_R && g->defs.p[d].reg < first)
            first = g->defs.p[d].reg;
    if (at < 0 || first == UINT32_MAX)
        return;
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        int32_t word = 4 * (int32_t)(g->defs.p[d].reg - first) + r->element;
        if (g->defs.p[d].file == UOP_FILE_R && word + 4 > at && word < at + (int32_t)(bytes > 4 ? bytes : 4))
            add_uses(w, v, d, where_of_space(l->space), !r->own, GRAPH_NIL);
    }
}

static void place_store(struct place_work *w, struct place_value *v, graph_id node, uint32_t access)
{
    const struct graph *g = w->g;
    const struct graph_access *x = &g->accesses.p[access];
    struct place_storage place = {
        .where = where_of_space(x->space), .def = UINT32_MAX, .access = access, .from = x->insn, .to = x->insn};
    for (uint32_t i = w->reach_starts[access]; i < w->reach_starts[access + 1]; i++) {
        const struct graph_reach *r = &g->dependence->reaches.p[w->reach[i]];
        uint32_t until = kept_until(g, x->insn, g->accesses.p[r->load].insn);
        if (r->may) {
            place.may_reach = true;
            if (x->space == UOP_LOCAL && until > place.to) /* an array's element is kept for any index */
                place.to = until;
            continue;
        }
        place.to = until > place.to ? until : place.to;
        place.read = true;
        place.proved |= !r->assumed && r->sync != GRAPH_SYNC_WARP_ASSUMED && r->sync != GRAPH_SYNC_NONE;
        if (x->kind == GRAPH_STORE)
            uses_through(w, v, r, node);
    }
    for (size_t i = w->first_back[access]; i; i = w->next_back[i - 1]) {
        const struct graph_access *l = &g->accesses.p[i - 1];
        place.to = l->insn > place.to ? l->insn : place.to;
        place.read = place.proved = true;
    }
    VEC_PUSH(w->a, v->storage, place);
    VEC_PUSH(w->a, v->evidence, x->insn);
}

static void place_accesses(struct place_work *w, struct place_value *v, graph_id node)
{
    const struct graph *g = w->g;
    for (uint32_t c = w->head[node]; c; c = w->next[c]) {
        const struct graph_access *x = &g->accesses.p[w->list[c]];
        if (!place_access_holds(w, x, node))
            continue;
        if (x->kind != GRAPH_LOAD) {
            place_store(w, v, node, w->list[c]);
            continue;
        }
        if (x->from_store >= 0 || (x->result < w->nodes && w->alias[x->result] != GRAPH_NIL))
            continue; /* the store's place covers it */
        struct place_storage place = {.where = where_of_space(x->space),
                                      .def = UINT32_MAX,
                                      .access = w->list[c],
                                      .from = x->insn,
                                      .to = x->insn,
                                      .may_reach = x->may_alias};
        const struct graph_dependence *dep = g->dependence;
        for (uint32_t i = dep ? dep->first_reach[w->list[c]] : 0; dep && i < dep->first_reach[w->list[c] + 1]; i++) {
            const struct graph_reach *r = &dep->reaches.p[i];
            place.may_reach |= r->may;
            place.read |= !r->may;
            place.proved |= !r->may && !r->assumed;
        }
        VEC_PUSH(w->a, v->storage, place);
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
    if (a->via != b->via)
        return (int)a->via - (int)b->via;
    return (int)a->other_thread - (int)b->other_thread;
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

/* ---- all of it ------------------------------------------------------------------------------- */

static int compare_values(const void *p, const void *q)
{
    const struct place_value *a = p, *b = q;
    uint32_t x = a->evidence.n ? a->evidence.p[0] : UINT32_MAX, y = b->evidence.n ? b->evidence.p[0] : UINT32_MAX;
    if (x != y)
        return x < y ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Loads that graph/ found to read a store, as lists by store. */
static bool index_backs(struct place_work *w)
{
    const struct graph *g = w->g;
    w->first_back = ARENA_ARRAY(w->a, uint32_t, g->accesses.n + 1);
    w->next_back = ARENA_ARRAY(w->a, uint32_t, g->accesses.n + 1);
    if (!w->first_back || !w->next_back)
        return false;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        int32_t store = g->accesses.p[i].kind == GRAPH_LOAD ? g->accesses.p[i].from_store : -1;
        if (store < 0)
            continue;
        w->next_back[i] = w->first_back[store];
        w->first_back[store] = i + 1;
    }
    return true;
}

/* The node whose entry a node belongs to. */
static graph_id entry_of(const struct place_work *w, graph_id id)
{
    for (unsigned steps = 0; steps < 4; steps++) {
        graph_id to = w->alias[id] != GRAPH_NIL ? w->alias[id] : w->copy[id];
        if (w->accumulator[id] || to == GRAPH_NIL)
            break;
        id = to;
    }
    if (w->accumulator[id]) { /* in a loop by the step, in straight code by what it comes to */
        const struct place_accumulator *a = &w->accumulators.p[w->accumulator[id] - 1];
        graph_id by = a->phi == GRAPH_NIL && a->result != GRAPH_NIL ? a->result : a->out;
        return by != GRAPH_NIL && by < w->nodes && w->accumulator[by] == w->accumulator[id] ? by : a->phi;
    }
    graph_id cover = place_covering_select(w, id);
    return cover != GRAPH_NIL && cover < w->nodes && w->data[cover] ? cover : id;
}

static void add_node(struct place_work *w, struct place_value *v, graph_id node)
{
    place_defs(w, v, node);
    place_accesses(w, v, node);
}

static bool is_held(const struct place_value *v)
{
    for (size_t k = 0; k < v->storage.n; k++)
        if (v->storage.p[k].def != UINT32_MAX)
            return true;
    return false;
}

static void finish_value(struct place_work *w, struct place *p, struct place_value *v)
{
    if (!is_held(v))
        return; /* a half or a whole nobody holds is no value */
    sort_value(v);
    place_classify(w, v);
    VEC_PUSH(w->a, p->values, *v);
}

/* The nodes of each entry: those that are told with it come to it here. */
static bool group_nodes(struct place_work *w)
{
    w->group = ARENA_ARRAY(w->a, graph_id, w->nodes);
    w->group_next = ARENA_ARRAY(w->a, graph_id, w->nodes);
    w->entry = ARENA_ARRAY(w->a, graph_id, w->nodes);
    if (!w->group || !w->group_next || !w->entry)
        return false;
    for (graph_id id = (graph_id)w->nodes; id-- > 1;) {
        if (!w->data[id] || !place_may_be_value(w, id))
            continue;
        graph_id entry = entry_of(w, id);
        w->entry[id] = entry;
        w->group_next[id] = w->group[entry];
        w->group[entry] = id;
    }
    return true;
}

static void build_value(struct place_work *w, struct place *p, graph_id entry)
{
    struct place_value v = {.node = entry, .named = entry};
    const struct graph_node *n = graph_at(w->g, entry);
    uint32_t accumulator = w->accumulator[entry];
    if (accumulator && w->accumulators.p[accumulator - 1].phi != GRAPH_NIL)
        v.named = w->accumulators.p[accumulator - 1].named;
    v.accumulator = accumulator != 0;
    if (!accumulator && n->kind == UOP_SELECT)
        for (unsigned k = 1; k <= 2; k++)
            if (graph_is_const(w->g, n->arg[3 - k], NULL) && place_covering_select(w, n->arg[k]) == entry)
                v.part = n->arg[k];
    for (graph_id id = w->group[entry]; id != GRAPH_NIL; id = w->group_next[id])
        if (w->copy[id] == GRAPH_NIL || id == entry)
            add_node(w, &v, id);
    finish_value(w, p, &v);
}

/* Copies of a loop's body are told by the first: a number each, in the order of the nodes. Of an accumulator the steps
 * are numbered; the rest, phis and what paths make of it, is the variable itself. */
static void number_copies(struct place_work *w, struct place *p)
{
    uint32_t *count = ARENA_ARRAY(w->a, uint32_t, p->values.n + 1);
    for (graph_id id = 1; id < w->nodes && count; id++) {
        uint32_t index, at = w->accumulator[id];
        graph_id entry = at ? entry_of(w, id) : w->entry[id];
        if (entry == GRAPH_NIL || !map_u64_get(&p->of, entry, &index))
            continue;
        map_u64_put(w->a, &p->of, id, index);
        const struct graph_node *n = graph_at(w->g, id);
        bool variable =
            at && w->copy[id] == GRAPH_NIL && id != entry && (n->kind == GRAPH_PHI || place_is_merge(w, id));
        bool partial = at && w->accumulators.p[at - 1].phi == GRAPH_NIL; /* sums on the way */
        if (id == p->values.p[index].named || (w->copy[id] == GRAPH_NIL && !variable && !partial))
            continue;
        if (variable || (at && n->kind == GRAPH_PHI))
            VEC_PUSH(w->a, p->copies, ((struct place_copy){.node = id, .value = index, .number = 0}));
        else
            VEC_PUSH(w->a, p->copies, ((struct place_copy){.node = id, .value = index, .number = ++count[index]}));
    }
}

enum sp_status place_build(struct arena *a, const struct graph *graph, struct place *p)
{
    struct graph *g = (struct graph *)(uintptr_t)graph; /* conditions make nodes; no existing one changes */
    struct place_work w = {.a = a, .g = g, .nodes = (graph_id)g->nodes.n};
    *p = (struct place){0};
    w.data = ARENA_ARRAY(a, uint8_t, w.nodes);
    w.loaded = ARENA_ARRAY(a, uint8_t, w.nodes);
    w.stored = ARENA_ARRAY(a, uint8_t, w.nodes);
    w.local = place_find_local(a, g);
    if (!w.data || !w.loaded || !w.stored || !w.local || place_make_index(&w) != SP_OK || !index_backs(&w) ||
        place_find_data(&w) != SP_OK || !group_nodes(&w))
        return SP_ERR_MEMORY;
    for (graph_id id = 1; id < w.nodes; id++)
        if (w.group[id] != GRAPH_NIL)
            build_value(&w, p, id);
    if (p->values.n)
        qsort(p->values.p, p->values.n, sizeof p->values.p[0], compare_values);
    for (size_t i = 0; i < p->values.n; i++) {
        map_u64_put(a, &p->of, p->values.p[i].node, (uint32_t)i);
        if (p->values.p[i].part != GRAPH_NIL)
            map_u64_put(a, &p->of, p->values.p[i].part, (uint32_t)i);
    }
    number_copies(&w, p);
    place_find_leaving(&w, p);
    place_find_reloads(&w, p);
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
