/* Facts about values: ids by first appearance, places, routes of use, class; and what the kernel stores (outputs) with
 * the exact text, the real-number reading and where they differ. */
#include "facts/fact_build.h"

#include "base/str.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_CHARS = 120 };

const char *fact_register_name(struct arena *a, const struct fact_source *s, const struct graph_def *d, unsigned *word,
                               unsigned *words)
{
    static const char *const prefix[] = {"R", "UR", "P", "UP", "B"};
    const char *name = NULL;
    *word = 0;
    *words = 1;
    if (s->register_name)
        name = s->register_name(s->user, s->g->insns.p[d->insn].input, d->file, d->reg, word, words);
    return name ? name : arena_printf(a, "%s%u", prefix[d->file < 5 ? d->file : 0], d->reg);
}

const char *fact_value_name(struct arena *a, struct fact_source *s, graph_id node)
{
    uint32_t index;
    const struct place_value *v = place_value_of(s->place, node, &index);
    if (v && v->accumulator && v->named != v->node) /* by itself: what one turn makes of it */
        return mean_definition(s->mean, graph_step_told(s->g, v->node), fact_float_type(mean_type(s->mean, v->node)),
                               MEAN_INNER);
    if (v && v->node != node && v->part != node && graph_at(s->g, v->node)->kind != GRAPH_PHI)
        node = v->node; /* a copy is told by the value it is a copy of */
    const char *text =
        pat_real_expr(s->mean, s->patterns, node, fact_float_type(mean_type(s->mean, node)), MEAN_EXPANDED);
    if (text && strlen(text) <= NAME_MAX_CHARS)
        return text;
    return v ? arena_printf(a, "v%u", index) : text;
}

static enum fact_where where_of(const struct fact_source *s, const struct place_storage *st)
{
    static const enum fact_where map[] = {FACT_REGISTER, FACT_UNIFORM, FACT_PREDICATE, FACT_SHARED,
                                          FACT_GLOBAL,   FACT_LOCAL,   FACT_CONSTANT};
    (void)s;
    return map[st->where];
}

/* Which 32-bit word of an access a value is. */
static unsigned word_of(const struct graph *g, const struct graph_access *x, graph_id node)
{
    const struct graph_node *n = graph_at(g, node);
    if (n->kind == UOP_HI && n->arg[0] == x->result)
        return 1;
    for (unsigned k = 0; k < 4; k++)
        if (x->value[k] == node)
            return k;
    return n->kind == UOP_ELEMENT && n->arg[0] == x->result ? (unsigned)n->imm : 0;
}

static struct fact_storage storage_fact(struct arena *a, struct fact_source *s, const struct place_value *v,
                                        const struct place_storage *st)
{
    struct graph *g = s->g;
    struct fact_storage f = {.where = where_of(s, st),
                             .from = g->insns.p[st->from].offset,
                             .to = g->insns.p[st->to].offset,
                             .reloaded = st->reloaded};
    if (st->def != UINT32_MAX) {
        unsigned word, words;
        f.at = fact_register_name(a, s, &g->defs.p[st->def], &word, &words);
        return f;
    }
    const struct graph_access *x = &g->accesses.p[st->access];
    struct mean_address m;
    if (mean_address_of(s->mean, x->address, (enum uop_space)x->space, x->width, &m) && m.array)
        f.at = m.array;
    if (x->space == UOP_SHARED) {
        int64_t size = s->kernel->shared_bytes, place = graph_shared_place(g, x->address);
        bool outside = size > 0 && place >= size && !s->kernel->dynamic_shared; /* a part of an index, and no place */
        f.at = outside ? NULL : arena_printf(a, "shared+0x%llx", (unsigned long long)(f.at && place > 0 ? place : 0));
    }
    enum uop_type type = (enum uop_type)graph_at(g, x->address)->type;
    unsigned bytes = uop_type_bits((enum uop_type)graph_at(g, v->node)->type) / 8;
    bool part = (bytes == 4 || bytes == 8) && bytes < x->width;
    unsigned word = part ? word_of(g, x, v->node) : 0;
    graph_id address = word ? graph_op2(g, UOP_ADD, type, x->address, graph_const(g, type, bytes * word)) : x->address;
    f.address = mean_element(s->mean, address, (enum uop_space)x->space, part ? bytes : x->width, true);
    return f;
}

static bool in_register(const struct fact_storage *s)
{
    return s->where == FACT_REGISTER || s->where == FACT_UNIFORM || s->where == FACT_PREDICATE;
}

static int by_place(const void *p, const void *q)
{
    const struct fact_storage *a = p, *b = q;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (in_register(a) != in_register(b))
        return in_register(a) ? 1 : -1; /* memory is read before a register is written */
    if (a->where != b->where)
        return (int)a->where - (int)b->where;
    return strcmp(a->at ? a->at : "", b->at ? b->at : "");
}

static int by_use(const void *p, const void *q)
{
    const struct fact_use *a = p, *b = q;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->via != b->via)
        return (int)a->via - (int)b->via;
    return (int)a->other_thread - (int)b->other_thread;
}

static void build_value(struct arena *a, struct fact_source *s, struct fact_kernel *k, uint32_t index)
{
    static const enum fact_where via[] = {FACT_REGISTER, FACT_UNIFORM, FACT_PREDICATE, FACT_SHARED,
                                          FACT_GLOBAL,   FACT_LOCAL,   FACT_CONSTANT};
    const struct place_value *v = &s->place->values.p[index];
    struct graph *g = s->g;
    struct fact_value f = {.id = s->mean->value_ids.p[index],
                           .cls = (enum fact_class)v->cls,
                           .confidence = v->assumed ? FACT_ASSUMED : FACT_PROVED};
    f.type = mean_type(s->mean, v->node);
    enum uop_type as = fact_float_type(f.type);
    mean_look_from(s->mean, fact_block_of(s, v->node, UINT32_MAX));
    f.expr = mean_definition(s->mean, graph_step_told(g, v->node), as, MEAN_INNER);
    f.name = fact_value_name(a, s, v->node);
    mean_look_from(s->mean, UINT32_MAX);
    struct fact_storage *storage = ARENA_ARRAY(a, struct fact_storage, v->storage.n);
    struct fact_use *uses = ARENA_ARRAY(a, struct fact_use, v->uses.n);
    if (!storage || !uses)
        return;
    uint32_t count = 0;
    for (size_t i = 0; i < v->storage.n; i++)
        storage[count++] = storage_fact(a, s, v, &v->storage.p[i]);
    if (count)
        qsort(storage, count, sizeof storage[0], by_place);
    for (uint32_t i = 0; i < count; i++) /* a subroutine called from two places writes one register once */
        if (!f.storage_count || by_place(&storage[f.storage_count - 1], &storage[i]) != 0)
            storage[f.storage_count++] = storage[i];
    count = 0;
    for (size_t i = 0; i < v->uses.n; i++)
        uses[count++] = (struct fact_use){.offset = g->insns.p[v->uses.p[i].insn].offset,
                                          .via = via[v->uses.p[i].via],
                                          .other_thread = v->uses.p[i].other_thread};
    if (count)
        qsort(uses, count, sizeof uses[0], by_use);
    for (uint32_t i = 0; i < count; i++)
        if (!f.use_count || by_use(&uses[f.use_count - 1], &uses[i]) != 0)
            uses[f.use_count++] = uses[i];
    f.storage = storage;
    f.uses = uses;
    f.evidence = fact_offsets_of(a, g, v->evidence.p, v->evidence.n);
    VEC_PUSH(a, k->values, f);
}

/* ---- outputs -------------------------------------------------------------------------------- */

/* The array's declared element is one 64-bit number, so the two words stored are its halves. */
static bool element_is_64_bit(struct fact_source *s, const struct graph_access *x)
{
    static const char *const types[] = {"long", "unsigned long", "double"}; /* long long too */
    struct mean_address m;
    if (!mean_address_of(s->mean, x->address, (enum uop_space)x->space, x->width, &m) || m.param < 0)
        return false;
    const char *type = s->mean->params[m.param].type;
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++)
        if (str_starts(type, types[i]))
            return true;
    return false;
}

/* What a store writes in the representative step, or where; GRAPH_NIL: nothing tells it from other stores. */
static graph_id step_part(const struct graph *g, const struct graph_access *x)
{
    const struct graph_cycles *c = g->cycles;
    const graph_id look[2] = {x->value[0], x->address};
    for (unsigned k = 0; k < 2; k++)
        if (look[k] < c->copy_count && c->copy_of[look[k]] != GRAPH_NIL)
            return c->copy_of[look[k]];
    return graph_is_const(g, x->value[0], NULL) ? (graph_id)GRAPH_NIL : x->value[0];
}

/* Of the stores that are one store of the source's loop the one that tells it: in the piece with the fewest steps.
 * *cycle: whose pieces have copies of it, NULL. NULL: another one tells it. */
static const struct graph_access *telling_store(struct fact_source *s, struct map_u64 *told,
                                                const struct graph_access *x, const struct graph_cycle **cycle)
{
    const struct graph *g = s->g;
    const struct graph_cycles *c = g->cycles;
    uint32_t of = c ? c->cycle_of[g->insns.p[x->insn].block] : 0;
    *cycle = NULL;
    if (!of || (c->cycles.p[of - 1].pieces.n < 2 && c->cycles.p[of - 1].unroll < 2))
        return x;
    const struct graph_cycle *y = &c->cycles.p[of - 1];
    graph_id part = step_part(g, x);
    if (part == GRAPH_NIL)
        return x;
    if (map_u64_get(told, part, NULL))
        return NULL;
    map_u64_put(s->mean->a, told, part, 0);
    const struct graph_piece *best = &y->pieces.p[y->best];
    if (y->pieces.n > 1)
        *cycle = y;
    for (uint32_t b = 0; b < best->block_count; b++) {
        const struct graph_block *block = &g->blocks.p[best->blocks[b]];
        uint32_t from = g->insns.p[block->first].first_access,
                 to = g->insns.p[block->last].first_access + g->insns.p[block->last].access_count;
        for (uint32_t k = from; k < to && block->reachable; k++)
            if (g->accesses.p[k].kind == GRAPH_STORE && step_part(g, &g->accesses.p[k]) == part)
                return &g->accesses.p[k];
    }
    return x;
}

/* What is stored, element by element: values that the code makes as one of 64 bits are two where elements are smaller.
 * How many. */
static unsigned stored_parts(struct fact_source *s, const struct graph_access *x, graph_id part[4])
{
    struct graph *g = s->g;
    unsigned count = 0, bytes = mean_part_bytes(s->mean, x->address, (enum uop_space)x->space);
    if (x->width == 8 && x->value[1] != GRAPH_NIL && element_is_64_bit(s, x)) {
        part[0] = graph_op2(g, UOP_PAIR, UOP_B64, x->value[0], x->value[1]);
        return 1;
    }
    for (unsigned w = 0; w < 4 && x->value[w] != GRAPH_NIL && count < 4; w++) {
        bool wide = uop_type_bits((enum uop_type)graph_at(g, x->value[w])->type) == 64 && x->width >= 8;
        if (wide && bytes && bytes <= 4 && count < 3) {
            part[count++] = graph_op1(g, UOP_LO, UOP_B32, x->value[w]);
            part[count++] = graph_op1(g, UOP_HI, UOP_B32, x->value[w]);
        } else {
            part[count++] = x->value[w];
        }
    }
    return count;
}

static void build_output(struct arena *a, struct fact_source *s, struct fact_kernel *k, const struct graph_access *x,
                         const struct graph_cycle *cycle)
{
    struct graph *g = s->g;
    graph_id when = x->runs_when;
    mean_look_from(s->mean, g->insns.p[x->insn].block);
    if (cycle) { /* in whichever piece: how the loop is come to, and what the body asks for itself */
        const struct graph_piece *best = &cycle->pieces.p[cycle->best];
        uint32_t head = best->straight ? best->blocks[0] : g->loops.p[best->loop].header;
        graph_id own = x->runs_when == GRAPH_NIL ? GRAPH_NIL : graph_assume(g, x->runs_when, g->blocks.p[head].path);
        when = graph_and(g, graph_cycle_path(g, cycle), own);
    }
    uint32_t index;
    graph_id parts[4];
    unsigned count = stored_parts(s, x, parts);
    for (unsigned w = 0; w < count; w++) {
        graph_id node = parts[w];
        unsigned bytes = uop_type_bits((enum uop_type)graph_at(g, node)->type) / 8;
        bool part = (bytes == 4 || bytes == 8) && bytes < x->width;
        struct fact_output o = {.store = g->insns.p[x->insn].offset, .runs_when = mean_condition(s->mean, when)};
        enum uop_type type = (enum uop_type)graph_at(g, x->address)->type;
        graph_id address =
            part && w ? graph_op2(g, UOP_ADD, type, x->address, graph_const(g, type, bytes * w)) : x->address;
        o.address = mean_element(s->mean, address, (enum uop_space)x->space, part ? bytes : x->width, true);
        if (place_value_of(s->place, node, &index))
            o.value = s->mean->value_ids.p[index];
        node = mean_stored_value(s->mean, node, x->width);
        o.exact = fact_exact_text(a, s, node, x, &o.real);
        struct pat_differences d = {0};
        pat_differences(s->mean, s->patterns, node, a, &d);
        pat_flushed(s->mean, s->patterns, node, when, a, &d);
        struct fact_differs *list = ARENA_ARRAY(a, struct fact_differs, d.list.n);
        for (size_t i = 0; i < d.list.n && list; i++)
            list[i] = (struct fact_differs){d.list.p[i].when, d.list.p[i].exact, d.list.p[i].real};
        o.differs = list;
        o.differs_count = list ? (uint32_t)d.list.n : 0;
        o.value_node = node;
        o.condition_node = when;
        VEC_PUSH(a, k->outputs, o);
    }
    mean_look_from(s->mean, UINT32_MAX);
}

/* When all nodes are made: the same words may stand for different operations, so outputs carry what they compute. */
static bool number_outputs(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const uint64_t *identity = fact_identities(a, s->g, &k->atomics);
    for (size_t i = 0; i < k->outputs.n && identity; i++) {
        struct fact_output *o = &k->outputs.p[i];
        o->identity = map_hash_mix(identity[o->value_node], identity[o->condition_node]);
    }
    return identity != NULL;
}

enum sp_status fact_build_values(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    for (uint32_t i = 0; i < s->place->values.n; i++)
        build_value(a, s, k, i);
    struct map_u64 told = {0};
    for (size_t i = 0; i < s->g->accesses.n; i++) {
        const struct graph_access *x = &s->g->accesses.p[i], *tells;
        const struct graph_cycle *cycle;
        if (x->kind == GRAPH_STORE && (x->space == UOP_GLOBAL || x->space == UOP_GENERIC) && x->value[0] != GRAPH_NIL &&
            (tells = telling_store(s, &told, x, &cycle)) != NULL)
            build_output(a, s, k, tells, cycle);
    }
    if (!number_outputs(a, s, k))
        return SP_ERR_MEMORY;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
