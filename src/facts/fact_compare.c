/* Two kernels side by side: outputs, patterns, places, phases, instruction classes, resources.
 *
 * Each row counts facts of either kernel and says whether the counts are the same. A reason is given where
 * it follows from facts: a compare-and-select that a refusal (with its witness) keeps from being one
 * min/max, against a kernel that has one min/max; a product and an addition left apart, against a fused
 * multiply-add; what concerns patterns, places and phases is in fact_compare_why.c. Instruction classes are
 * roles, which come from micro-operations: register numbers, order and mnemonics do not matter.
 * requires: finished kernels · gives: one more comparison in the document */
#include "facts/fact.h"
#include "facts/fact_compare_why.h"
#include "facts/fact_lives.h"
#include "facts/fact_words.h"

#include "base/map.h"
#include "base/str.h"

#include <assert.h>
#include <string.h>

/* Identifiers and how often each occurs, in order of their first occurrence in either kernel. */
struct tally {
    struct arena *a;
    VEC(const char *) ids;
    VEC(uint32_t) counts[2];
};

static void tally_add(struct tally *t, unsigned side, const char *id)
{
    size_t i = 0;
    while (i < t->ids.n && !str_equal(t->ids.p[i], id))
        i++;
    if (i == t->ids.n) {
        VEC_PUSH(t->a, t->ids, id);
        VEC_PUSH(t->a, t->counts[0], 0);
        VEC_PUSH(t->a, t->counts[1], 0);
        if (arena_failed(t->a))
            return;
    }
    t->counts[side].p[i]++;
}

static const char *tally_text(const struct tally *t, unsigned side)
{
    struct strbuf b;
    str_init(&b, t->a);
    for (size_t i = 0; i < t->ids.n; i++) {
        uint32_t n = t->counts[side].p[i];
        if (n > 0)
            str_addf(&b, "%s%s", b.n ? ", " : "", t->ids.p[i]);
        if (n > 1)
            str_addf(&b, " ×%u", n);
    }
    return b.n ? b.p : "none";
}

static bool tally_same(const struct tally *t)
{
    for (size_t i = 0; i < t->ids.n; i++)
        if (t->counts[0].p[i] != t->counts[1].p[i])
            return false;
    return true;
}

/* What only one side has, or NULL. */
static const char *tally_only(const struct tally *t, unsigned side)
{
    struct strbuf b;
    str_init(&b, t->a);
    for (size_t i = 0; i < t->ids.n; i++)
        if (t->counts[side].p[i] > 0 && t->counts[!side].p[i] == 0)
            str_addf(&b, "%s%s", b.n ? ", " : "", t->ids.p[i]);
    return b.n ? b.p : NULL;
}

struct compare {
    struct arena *a;
    const struct fact_kernel *k[2];
    struct fact_comparison *out;
};

static void add_row(struct compare *c, const char *subject, const char *a, const char *b, bool same, const char *why)
{
    VEC_PUSH(c->a, c->out->rows, (struct fact_comparison_row){subject, a, b, same, why});
}

static void add_tally(struct compare *c, const char *subject, const struct tally *t, const char *why)
{
    add_row(c, subject, tally_text(t, 0), tally_text(t, 1), tally_same(t), why);
}

/* "y[i] = …", the address as an element. */
static const char *element_of(const struct fact_output *o)
{
    return !o->address ? "?" : *o->address == '&' ? o->address + 1 : o->address;
}

static const char *value_of(const struct fact_output *o)
{
    return o->real ? o->real : o->exact ? o->exact : "?";
}

/* The same array, or none that is known, in the same copied loop of the source: stores that compilers made of one. */
static bool told_together(const struct fact_kernel *k, const struct fact_output *a, const struct fact_output *b)
{
    int32_t loop = fact_lives_loop_at(k, a->store);
    if (loop == FACT_NONE || loop != fact_lives_loop_at(k, b->store))
        return false;
    for (size_t i = 0; i < k->loops.n; i++)
        if (k->loops.p[i].id == (uint32_t)loop && k->loops.p[i].piece_count < 2 && k->loops.p[i].unroll < 2)
            return false;
    const char *x = element_of(a), *y = element_of(b);
    if (*x == '(' || *x == '*' || *y == '(' || *y == '*')
        return (*x == '(' || *x == '*') == (*y == '(' || *y == '*');
    size_t n = strcspn(x, "[");
    return n == strcspn(y, "[") && strncmp(x, y, n) == 0;
}

/* Every output; of those that are told together the one in the fewest words, and their number. */
static const char *outputs_text(struct arena *a, const struct fact_kernel *k)
{
    enum { MOST = 200 }; /* beyond that each is told for itself */
    bool *said = ARENA_ARRAY(a, bool, k->outputs.n);
    struct strbuf b;
    str_init(&b, a);
    for (size_t i = 0; said && i < k->outputs.n; i++) {
        const struct fact_output *o = &k->outputs.p[i];
        uint32_t together = 1;
        if (said[i])
            continue;
        for (size_t j = i + 1; k->outputs.n <= MOST && j < k->outputs.n; j++) {
            const struct fact_output *other = &k->outputs.p[j];
            if (said[j] || !told_together(k, &k->outputs.p[i], other))
                continue;
            said[j] = true;
            together++;
            if (strlen(element_of(other)) + strlen(value_of(other)) < strlen(element_of(o)) + strlen(value_of(o)))
                o = other;
        }
        str_addf(&b, "%s%s = %s", b.n ? "; " : "", element_of(o), value_of(o));
        if (o->runs_when)
            str_addf(&b, " when %s", o->runs_when);
        if (together > 1)
            str_addf(&b, " (%u stores in one loop of the source)", together);
    }
    return b.n ? b.p : k->atomics ? "atomic updates only" : "none";
}

/* Every field of an output decides, so that kernels that only agree as real numbers are not called the same. */
static bool outputs_same(const struct fact_kernel *x, const struct fact_kernel *y)
{
    if (x->outputs.n != y->outputs.n || x->atomics != y->atomics)
        return false;
    for (size_t i = 0; i < x->outputs.n; i++) {
        const struct fact_output *a = &x->outputs.p[i], *b = &y->outputs.p[i];
        if (!str_equal(a->address, b->address) || !str_equal(a->runs_when, b->runs_when) ||
            !str_equal(a->exact, b->exact) || a->identity != b->identity)
            return false;
    }
    return true;
}

static bool shares_memory(const struct fact_kernel *k)
{
    for (size_t i = 0; i < k->accesses.n; i++)
        if (k->accesses.p[i].space == FACT_SHARED)
            return true;
    return false;
}

/* The same words on both sides, but not the same function. */
static const char *outputs_why(struct arena *a_text, const struct fact_kernel *x, const struct fact_kernel *y)
{
    for (size_t i = 0; i < x->outputs.n && i < y->outputs.n; i++) {
        const struct fact_output *a = &x->outputs.p[i], *b = &y->outputs.p[i];
        if (str_equal(a->exact, b->exact) && str_equal(a->runs_when, b->runs_when) && a->identity != b->identity)
            return x->loops.n + y->loops.n > 0 || shares_memory(x) || shares_memory(y)
                       ? "the same words; that it is the same function is not shown"
                       : "the same words, but an operation, or what is loaded, differs";
    }
    for (size_t i = 0; i < x->outputs.n && i < y->outputs.n; i++) { /* "v1" of different steps */
        const struct fact_output *a = &x->outputs.p[i], *b = &y->outputs.p[i];
        if (a->exact && b->exact && str_equal(value_of(a), value_of(b)) && !str_equal(a->exact, b->exact))
            return arena_printf(a_text, "what %s stands for: %s against %s", value_of(a), a->exact, b->exact);
    }
    return x->atomics != y->atomics ? "that the atomic updates do the same is not shown" : NULL;
}

static const char *resources_text(struct arena *a, const struct fact_kernel *k)
{
    const struct {
        int32_t number;
        const char *what;
    } parts[] = {
        {k->registers, "registers"},   {k->uniform_registers, "uniform registers"},
        {k->shared_bytes, "B shared"}, {k->stack_bytes, "B stack"},
        {k->barriers, "barriers"},
    };
    struct strbuf b;
    str_init(&b, a);
    str_addf(&b, "%zu instructions", k->instructions.n);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].number != FACT_NONE)
            str_addf(&b, ", %d %s", parts[i].number, parts[i].what);
    return b.p;
}

static enum fact_role role_at(const struct fact_kernel *k, uint32_t offset)
{
    const struct fact_instruction *in = fact_instruction_at(k, offset);
    return in ? in->role : FACT_ROLE_UNKNOWN;
}

static void add_offsets(struct strbuf *b, struct fact_offsets offsets)
{
    for (uint32_t i = 0; i < offsets.n; i++)
        str_addf(b, "%s0x%04x", i ? ", " : "", offsets.p[i]);
}

/* The first pattern of that id all of whose data instructions compute: a min/max without a compare and a select. */
static const struct fact_pattern *single_operation(const struct fact_kernel *k, const char *id, size_t *from)
{
    for (size_t p = *from; p < k->patterns.n; p++) {
        const struct fact_pattern *pattern = &k->patterns.p[p];
        bool computes = pattern->offsets.n > 0;
        if (!str_equal(pattern->id, id))
            continue;
        for (uint32_t i = 0; i < pattern->offsets.n; i++)
            computes &= role_at(k, pattern->offsets.p[i]) == FACT_ROLE_COMPUTE;
        if (computes) {
            *from = p + 1;
            return pattern;
        }
    }
    *from = k->patterns.n;
    return NULL;
}

/* "one min/max operation (0x00b0)", "2 min/max operations (0x00b0; 0x00c0)"; NULL when there is none. */
static const char *min_max_text(struct arena *a, const struct fact_kernel *k)
{
    const char *id = "min-max";
    struct strbuf b;
    size_t from = 0;
    uint32_t count = 0;
    str_init(&b, a);
    if (!single_operation(k, id, &from))
        id = "relu";
    from = 0;
    for (const struct fact_pattern *p; (p = single_operation(k, id, &from)) != NULL; count++) {
        str_add(&b, count ? "; " : "");
        add_offsets(&b, p->offsets);
    }
    if (count == 0)
        return NULL;
    return count == 1 ? arena_printf(a, "one min/max operation (%s)", b.p)
                      : arena_printf(a, "%u min/max operations (%s)", count, b.p);
}

static bool is_param(const struct fact_kernel *k, const char *text)
{
    for (size_t i = 0; i < k->params.n; i++)
        if (str_equal(k->params.p[i].name, text))
            return true;
    return false;
}

/* "lo and hi": the bindings of a clamp that are the kernel's parameters, or NULL. */
static const char *run_time_bounds(struct arena *a, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    for (size_t p = 0; p < k->patterns.n && b.n == 0; p++)
        for (uint32_t i = 0; str_equal(k->patterns.p[p].id, "clamp") && i < k->patterns.p[p].bindings.n; i++) {
            const struct fact_binding *bound = &k->patterns.p[p].bindings.p[i];
            if ((str_equal(bound->key, "lo") || str_equal(bound->key, "hi")) && bound->kind == FACT_BIND_TEXT &&
                is_param(k, bound->text))
                str_addf(&b, "%s%s", b.n ? " and " : "", bound->text);
        }
    return b.n ? b.p : NULL;
}

/* Why one kernel compares and selects where the other has one min/max operation; NULL when the facts do not
 * show it. */
static const char *why_min_max(const struct compare *c, unsigned side)
{
    const struct fact_kernel *k = c->k[side], *other = c->k[!side];
    const char *one = min_max_text(c->a, other);
    const struct fact_rewrite *first = NULL;
    uint32_t refused = 0;
    for (size_t i = 0; i < k->rewrites.n; i++)
        if (str_equal(k->rewrites.p[i].kind, "min-max-refused")) {
            first = first ? first : &k->rewrites.p[i];
            refused++;
        }
    if (!one || !first)
        return NULL;
    struct strbuf b;
    str_init(&b, c->a);
    str_addf(&b, "%s has %s, ", fact_compare_name(c->k, !side), one);
    uint32_t selects = 0;
    for (size_t i = 0; i < k->patterns.n; i++)
        selects += str_equal(k->patterns.p[i].id, "branchless-select");
    if (selects > refused)
        str_addf(&b, "%s keeps %u of its %u compare-and-select pairs (", fact_compare_name(c->k, side), refused,
                 selects);
    else
        str_addf(&b, "%s has %u compare-and-select pair%s (", fact_compare_name(c->k, side), refused,
                 refused == 1 ? "" : "s");
    for (size_t i = 0, n = 0; i < k->rewrites.n; i++)
        if (str_equal(k->rewrites.p[i].kind, "min-max-refused")) {
            str_add(&b, n++ ? "; " : "");
            add_offsets(&b, k->rewrites.p[i].sass);
        }
    str_add(&b, ")");
    const char *bounds = run_time_bounds(c->a, k), *witness = fact_witness_text(c->a, first);
    const char *reason = fact_reason_text(first->reason);
    if (bounds)
        str_addf(&b, ", whose bounds %s are known at run time only", bounds);
    if (reason)
        str_addf(&b, ": as min/max %s", reason);
    if (*witness)
        str_addf(&b, " (%s)", witness);
    return b.p;
}

/* Why one kernel multiplies and adds apart where the other fuses; NULL when the facts do not show it. */
static const char *why_fma(const struct compare *c, unsigned side)
{
    const struct fact_kernel *k = c->k[side], *other = c->k[!side];
    const struct fact_pattern *fused = NULL;
    const struct fact_rewrite *apart = NULL;
    for (size_t i = 0; i < other->patterns.n && !fused; i++)
        if (str_equal(other->patterns.p[i].id, "fused-multiply-add"))
            fused = &other->patterns.p[i];
    for (size_t i = 0; i < k->rewrites.n && !apart; i++)
        if (str_equal(k->rewrites.p[i].kind, "fma-not-contracted"))
            apart = &k->rewrites.p[i];
    if (!fused || !apart)
        return NULL;
    struct strbuf b;
    str_init(&b, c->a);
    str_addf(&b, "%s has a fused multiply-add (", fact_compare_name(c->k, !side));
    add_offsets(&b, fused->offsets);
    str_addf(&b, "); in %s a product feeds an addition and they stay apart (", fact_compare_name(c->k, side));
    add_offsets(&b, apart->sass);
    str_addf(&b, "): %s",
             apart->reason ? fact_reason_text(apart->reason) : "the machine code alone does not tell the reason");
    return b.p;
}

static const char *join(struct arena *a, const char *x, const char *y)
{
    if (!x || !y)
        return x ? x : y;
    return arena_printf(a, "%s; %s", x, y);
}

/* The operation a pattern is bound to; NULL: it has none. */
static const char *operation_of(const struct fact_pattern *p)
{
    for (uint32_t i = 0; i < p->bindings.n; i++)
        if (str_equal(p->bindings.p[i].key, "op") && p->bindings.p[i].kind == FACT_BIND_TEXT)
            return p->bindings.p[i].text;
    return NULL;
}

static uint64_t hash_of(const char *text)
{
    return map_hash_bytes(text, strlen(text));
}

/* Ids of which both kernels have patterns, and one of them with an operation the other has not: a sum is no maximum. */
static void find_parted(const struct compare *c, struct map_u64 *parted)
{
    struct map_u64 ids[2] = {{0}, {0}}, operations[2] = {{0}, {0}};
    for (unsigned pass = 0; pass < 4; pass++) {
        unsigned side = pass & 1;
        for (size_t i = 0; i < c->k[side]->patterns.n; i++) {
            const struct fact_pattern *p = &c->k[side]->patterns.p[i];
            const char *op = operation_of(p);
            if (!op || !p->id)
                continue;
            uint64_t id = hash_of(p->id), both = map_hash_mix(id, hash_of(op));
            if (pass < 2) {
                map_u64_put(c->a, &ids[side], id, 0);
                map_u64_put(c->a, &operations[side], both, 0);
            } else if (map_u64_get(&ids[!side], id, NULL) && !map_u64_get(&operations[!side], both, NULL)) {
                map_u64_put(c->a, parted, id, 0);
            }
        }
    }
}

static void compare_patterns(struct compare *c, const char *only[2])
{
    struct tally t = {.a = c->a};
    struct map_u64 parted = {0};
    find_parted(c, &parted);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < c->k[side]->patterns.n; i++) {
            const struct fact_pattern *p = &c->k[side]->patterns.p[i];
            const char *op = operation_of(p), *id = p->id ? p->id : "?", *text = NULL;
            if (op && map_u64_get(&parted, hash_of(id), NULL))
                text = arena_printf(c->a, "%s (%s)", id, op);
            tally_add(&t, side, text ? text : id);
        }
    if (arena_failed(c->a))
        return;
    only[0] = tally_only(&t, 0);
    only[1] = tally_only(&t, 1);
    add_tally(c, "patterns", &t, fact_compare_why_patterns(c->a, c->k));
}

static void compare_places(struct compare *c)
{
    struct tally t = {.a = c->a};
    for (unsigned side = 0; side < 2; side++)
        for (unsigned cls = 0; cls <= FACT_RESULT; cls++)
            for (size_t i = 0; i < c->k[side]->values.n; i++)
                if (c->k[side]->values.p[i].cls == (enum fact_class)cls)
                    tally_add(&t, side, fact_class_text((enum fact_class)cls));
    for (unsigned side = 0; side < 2; side++)
        for (unsigned where = 0; where <= FACT_TENSOR; where++)
            for (size_t i = 0; i < c->k[side]->values.n; i++) {
                const struct fact_value *value = &c->k[side]->values.p[i];
                for (uint32_t s = 0; s < value->storage_count; s++)
                    if (value->storage[s].where == (enum fact_where)where) {
                        const char *id = arena_printf(c->a, "in %s", fact_where_text((enum fact_where)where));
                        tally_add(&t, side, id ? id : "?");
                    }
            }
    if (arena_failed(c->a))
        return;
    /* As many places of the same kinds may still serve another end: then that stands there too. */
    const char *why = fact_compare_why_places(c->a, c->k), *text[2];
    bool same = tally_same(&t);
    for (unsigned side = 0; side < 2; side++) {
        text[side] = tally_text(&t, side);
        if (why && same)
            text[side] = arena_printf(c->a, "%s: %s", fact_lives_style(c->a, c->k[side]), text[side]);
    }
    add_row(c, "places", text[0], text[1], same && !why, why);
}

static void compare_phases(struct compare *c)
{
    struct strbuf text[2];
    for (unsigned side = 0; side < 2; side++) {
        str_init(&text[side], c->a);
        for (size_t i = 0; i < c->k[side]->phases.n; i++)
            str_addf(&text[side], "%s%s", i ? ", " : "", fact_phase_text(c->k[side]->phases.p[i].kind));
    }
    bool same = strcmp(text[0].p, text[1].p) == 0;
    add_row(c, "phases", text[0].n ? text[0].p : "none", text[1].n ? text[1].p : "none", same,
            same ? NULL : fact_compare_why_phases(c->a, c->k));
}

static void compare_classes(struct compare *c)
{
    struct tally t = {.a = c->a};
    for (unsigned role = 0; role < FACT_ROLE_PADDING; role++)
        for (unsigned side = 0; side < 2; side++)
            for (size_t i = 0; i < c->k[side]->instructions.n; i++)
                if (c->k[side]->instructions.p[i].role == (enum fact_role)role)
                    tally_add(&t, side, fact_role_text((enum fact_role)role));
    if (arena_failed(c->a))
        return;
    const char *why = NULL;
    for (unsigned side = 0; side < 2; side++) {
        why = join(c->a, why, why_min_max(c, side));
        why = join(c->a, why, why_fma(c, side));
    }
    why = join(c->a, why, fact_compare_why_barriers(c->a, c->k));
    add_tally(c, "instruction-classes", &t, why);
}

/* One sentence: how each accumulates where that differs, what is the same, what differs, and the patterns that one
 * kernel has alone. */
static const char *summarize(const struct compare *c, const char *const only[2])
{
    struct strbuf same, differ, b;
    str_init(&same, c->a);
    str_init(&differ, c->a);
    str_init(&b, c->a);
    for (size_t i = 0; i < c->out->rows.n; i++) {
        const struct fact_comparison_row *row = &c->out->rows.p[i];
        struct strbuf *list = row->same ? &same : &differ;
        bool open =
            !row->same && row->why && strstr(row->why, "is not shown") != NULL; /* may be the same for all we know */
        str_addf(list, "%s%s%s", list->n ? ", " : "", row->subject, open ? " (not shown to be the same)" : "");
    }
    const char *style[2] = {fact_lives_style(c->a, c->k[0]), fact_lives_style(c->a, c->k[1])};
    if (!str_equal(style[0], style[1]))
        str_addf(&b, "%s against %s; ", style[0], style[1]);
    if (same.n)
        str_addf(&b, "same %s", same.p);
    if (differ.n)
        str_addf(&b, "%sdifferent %s", same.n ? "; " : "", differ.p);
    for (unsigned side = 0; side < 2; side++)
        if (only[side])
            str_addf(&b, "; only %s has %s", fact_compare_name(c->k, side), only[side]);
    return b.p;
}

bool fact_compare(struct fact_document *doc, uint32_t a, uint32_t b)
{
    struct fact_comparison comparison = {.a = a, .b = b};
    assert(a < doc->kernels.n && b < doc->kernels.n);
    struct compare c = {doc->a, {&doc->kernels.p[a], &doc->kernels.p[b]}, &comparison};
    const char *only[2] = {NULL, NULL};
    add_row(&c, "outputs", outputs_text(c.a, c.k[0]), outputs_text(c.a, c.k[1]), outputs_same(c.k[0], c.k[1]),
            outputs_why(c.a, c.k[0], c.k[1]));
    compare_patterns(&c, only);
    compare_places(&c);
    compare_phases(&c);
    compare_classes(&c);
    const char *resources[2] = {resources_text(c.a, c.k[0]), resources_text(c.a, c.k[1])};
    add_row(&c, "resources", resources[0], resources[1], str_equal(resources[0], resources[1]), NULL);
    comparison.summary = summarize(&c, only);
    VEC_PUSH(doc->a, doc->comparisons, comparison);
    return !arena_failed(doc->a);
}

bool fact_compare_archs(struct fact_document *doc, const char *arch_main)
{
    for (uint32_t a = 0; a < doc->kernels.n; a++)
        for (uint32_t b = 0; b < doc->kernels.n && str_equal(doc->kernels.p[a].arch, arch_main); b++)
            if (!str_equal(doc->kernels.p[b].arch, arch_main) &&
                str_equal(doc->kernels.p[a].name, doc->kernels.p[b].name) && !fact_compare(doc, a, b))
                return false;
    return !arena_failed(doc->a);
}
