/* Facts about patterns and rewrites: matches with their bindings as text, refusals with their witnesses. */
#include "facts/fact_build.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

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

/* The place in the source of what an instance does, as the line table has it. */
static void tell_source(const struct fact_source *s, struct fact_rewrite *f, uint32_t insn)
{
    const struct img_line *row = img_line_at(s->kernel, s->g->insns.p[insn].offset);
    if (!s->rewrites->compared || !row || !row->line)
        return;
    f->source_line = (int32_t)row->line;
    if (row->file < s->module->file_count && s->file_numbers)
        f->source_file = s->file_numbers[row->file];
}

static struct fact_offsets lines_of(struct arena *a, const uint32_t *lines, size_t n)
{
    uint32_t *p = ARENA_ARRAY(a, uint32_t, n), kept = 0;
    for (size_t i = 0; p && i < n; i++)
        if (lines[i] && (!kept || p[kept - 1] != lines[i]))
            p[kept++] = lines[i];
    if (kept)
        qsort(p, kept, sizeof p[0], compare_numbers);
    return (struct fact_offsets){p, kept};
}

/* An inlined function by its name, at the line of the call. */
static void tell_function(struct arena *a, const struct fact_source *s, const struct rew_record *r,
                          struct fact_rewrite *f)
{
    const struct img_line *row = img_line_at(s->kernel, s->g->insns.p[r->told_at].offset);
    if (strcmp(r->kind, "inlined") != 0 || !row || !row->inlined_count)
        return;
    const struct img_inline *call = &row->inlined[row->inlined_count - 1];
    struct fact_binding *arg = call->function ? ARENA_NEW(a, struct fact_binding) : NULL;
    f->source_line = call->line ? (int32_t)call->line : FACT_NONE;
    f->source_file = call->line && call->file < s->module->file_count ? s->file_numbers[call->file] : FACT_NONE;
    if (!arg)
        return;
    *arg = (struct fact_binding){.key = "function", .kind = FACT_BIND_TEXT, .text = call->function};
    f->args = (struct fact_bindings){arg, 1};
}

static void build_records(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    static const enum fact_stage stages[] = {FACT_STAGE_SOURCE, FACT_STAGE_NVVM, FACT_STAGE_PTXAS, FACT_STAGE_UNKNOWN};
    for (size_t i = 0; i < s->rewrites->records.n; i++) {
        const struct rew_record *r = &s->rewrites->records.p[i];
        struct fact_rewrite f = {.kind = r->kind,
                                 .stage = stages[r->stage],
                                 .reason = r->reason,
                                 .source_file = FACT_NONE,
                                 .source_line = FACT_NONE,
                                 .ptx = lines_of(a, r->lines.p, r->lines.n),
                                 .sass = fact_offsets_of(a, s->g, r->insns.p, r->insns.n),
                                 .confidence = r->confidence == REW_PROVED ? FACT_PROVED : FACT_ASSUMED};
        struct fact_binding *arg = r->to || r->factor || r->width ? ARENA_NEW(a, struct fact_binding) : NULL;
        if (arg) {
            *arg = r->to ? (struct fact_binding){.key = "to", .kind = FACT_BIND_TEXT, .text = r->to}
                         : (struct fact_binding){.key = r->factor ? "factor" : "width",
                                                 .kind = FACT_BIND_INT,
                                                 .number = r->factor ? r->factor : r->width};
            f.args = (struct fact_bindings){arg, 1};
        }
        tell_source(s, &f, r->told_at);
        tell_function(a, s, r, &f);
        VEC_PUSH(a, k->rewrites, f);
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
        if (s->rewrites->compared && r->stage != REW_UNKNOWN) {
            f.stage = r->stage == REW_SOURCE ? FACT_STAGE_SOURCE
                      : r->stage == REW_NVVM ? FACT_STAGE_NVVM
                                             : FACT_STAGE_PTXAS;
            f.confidence = r->confidence == REW_PROVED ? FACT_PROVED : FACT_ASSUMED;
        }
        if (s->rewrites->compared) {
            f.reason = r->reason;
            f.ptx = lines_of(a, r->lines, 2);
            tell_source(s, &f, r->sum_insn);
        }
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

/* A choice that the PTX has as a choice, too: the last that could have made one operation of it made none. */
static void tell_choice(struct arena *a, const struct fact_source *s, const struct pat_match *m, struct fact_rewrite *f)
{
    const struct rew_list *r = s->rewrites;
    uint32_t *lines = r->compared ? ARENA_ARRAY(a, uint32_t, m->insns.n) : NULL;
    bool chosen = false;
    for (size_t i = 0; lines && i < m->insns.n; i++) {
        lines[i] = r->ptx_line[m->insns.p[i]];
        if (r->chosen[m->insns.p[i]] && !chosen)
            tell_source(s, f, m->insns.p[i]);
        chosen |= r->chosen[m->insns.p[i]];
    }
    if (!chosen)
        return;
    f->stage = FACT_STAGE_PTXAS;
    f->ptx = lines_of(a, lines, m->insns.n);
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
        tell_choice(a, s, m, &f);
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
    build_records(a, s, k);
    build_contractions(a, s, k);
    build_refusals(a, s, k);
    if (k->rewrites.n)
        qsort(k->rewrites.p, k->rewrites.n, sizeof k->rewrites.p[0], by_offset);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
