/* Facts about patterns and rewrites: matches with their bindings as text, refusals with their witnesses. */
#include "facts/fact_build.h"

#include <stdlib.h>
#include <string.h>

static struct fact_binding binding_fact(struct fact_source *s, const struct pat_binding *b)
{
    struct fact_binding f = {.key = b->key, .kind = FACT_BIND_TEXT, .text = b->text, .number = b->number};
    if (b->kind == PAT_BIND_INT)
        f.kind = FACT_BIND_INT;
    else if (b->kind == PAT_BIND_NODE) {
        const struct graph_node *n = graph_at(s->g, b->node);
        f.text = n->type == UOP_B1 ? mean_condition(s->mean, b->node) : mean_expr(s->mean, b->node, b->as, MEAN_INNER);
    }
    return f;
}

static void build_matches(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    for (size_t i = 0; i < s->patterns->matches.n; i++) {
        const struct pat_match *m = &s->patterns->matches.p[i];
        struct fact_pattern f = {.id = m->id,
                                 .parent = m->parent < 0 ? FACT_NONE : m->parent,
                                 .rule = m->rule,
                                 .collects = m->makes != PAT_MAKES_NOTHING,
                                 .offsets = fact_offsets_of(a, s->g, m->insns.p, m->insns.n)};
        f.confidence = m->confidence == PAT_PROVED    ? FACT_PROVED
                       : m->confidence == PAT_ASSUMED ? FACT_ASSUMED
                                                      : FACT_MATCHED;
        struct fact_binding *bindings = ARENA_ARRAY(a, struct fact_binding, m->bindings.n);
        const char **via = ARENA_ARRAY(a, const char *, m->via.n);
        if (!bindings || !via)
            return;
        for (size_t j = 0; j < m->bindings.n; j++)
            bindings[j] = binding_fact(s, &m->bindings.p[j]);
        for (size_t j = 0; j < m->via.n; j++)
            via[j] = m->via.p[j];
        f.bindings = (struct fact_bindings){bindings, (uint32_t)m->bindings.n};
        f.via = (struct fact_texts){via, (uint32_t)m->via.n};
        VEC_PUSH(a, k->patterns, f);
    }
}

static void build_contractions(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    for (size_t i = 0; i < s->rewrites->not_contracted.n; i++) {
        const struct rew_not_contracted *r = &s->rewrites->not_contracted.p[i];
        const uint32_t insns[2] = {r->product_insn, r->sum_insn};
        struct fact_rewrite f = {.kind = "fma-not-contracted",
                                 .stage = FACT_STAGE_UNKNOWN,
                                 .source_file = FACT_NONE,
                                 .source_line = FACT_NONE,
                                 .sass = fact_offsets_of(a, s->g, insns, 2),
                                 .confidence = FACT_PROVED};
        VEC_PUSH(a, k->rewrites, f);
    }
}

/* "0" is a number in the witness, "NaN" a word. */
static struct fact_binding witness_value(const char *key, const char *text)
{
    struct fact_binding f = {.key = key, .kind = FACT_BIND_TEXT, .text = text};
    char *end;
    if (text && strcmp(text, "-0") != 0) {
        long n = strtol(text, &end, 10);
        if (*text && !*end) {
            f.kind = FACT_BIND_INT;
            f.number = n;
        }
    }
    return f;
}

static void build_refusals(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct pat_refusals list = {0};
    if (pat_refusals(s->mean, s->patterns, a, &list) != SP_OK)
        return;
    for (size_t i = 0; i < list.list.n; i++) {
        const struct pat_refusal *r = &list.list.p[i];
        if (!r->reason)
            continue;
        const struct pat_match *m = &s->patterns->matches.p[r->match];
        struct fact_binding *args = ARENA_ARRAY(a, struct fact_binding, 2), *w = ARENA_ARRAY(a, struct fact_binding, 8);
        if (!args || !w)
            return;
        w[0] = witness_value("a", r->a);
        w[1] = witness_value("b", r->b);
        w[2] = witness_value("here", r->here);
        w[3] = witness_value("fmnmx", r->fmnmx);
        args[0] = (struct fact_binding){.key = "witness", .kind = FACT_BIND_GROUP, .group = w, .group_count = 4};
        uint32_t count = 1;
        if (r->nan_a) {
            w[4] = witness_value("a", r->nan_a);
            w[5] = witness_value("b", r->nan_b);
            w[6] = witness_value("here", r->nan_here);
            w[7] = witness_value("fmnmx_nan", r->fmnmx_nan);
            args[count++] = (struct fact_binding){
                .key = "nan_form_witness", .kind = FACT_BIND_GROUP, .group = w + 4, .group_count = 4};
        }
        struct fact_rewrite f = {.kind = "min-max-refused",
                                 .stage = FACT_STAGE_UNKNOWN,
                                 .reason = r->reason,
                                 .source_file = FACT_NONE,
                                 .source_line = FACT_NONE,
                                 .sass = fact_offsets_of(a, s->g, m->insns.p, m->insns.n),
                                 .args = {args, count},
                                 .confidence = FACT_PROVED};
        VEC_PUSH(a, k->rewrites, f);
    }
}

static int by_offset(const void *p, const void *q)
{
    const struct fact_rewrite *a = p, *b = q;
    uint32_t x = a->sass.n ? a->sass.p[0] : 0, y = b->sass.n ? b->sass.p[0] : 0;
    if (x != y)
        return x < y ? -1 : 1;
    return strcmp(a->kind, b->kind);
}

enum sp_status fact_build_patterns(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    build_matches(a, s, k);
    build_contractions(a, s, k);
    build_refusals(a, s, k);
    if (k->rewrites.n)
        qsort(k->rewrites.p, k->rewrites.n, sizeof k->rewrites.p[0], by_offset);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
