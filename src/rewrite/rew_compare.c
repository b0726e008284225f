/* The order in which machine code is set beside its PTX: what both compute, who is where, whether they belong together,
 * then each kind of rewrite. */
#include "rewrite/rew_internal.h"

#include <stdlib.h>
#include <string.h>

struct rew_record *rew_add(struct rew *r, const char *kind, enum rew_stage stage, enum rew_confidence confidence)
{
    struct rew_record f = {.kind = kind, .stage = stage, .confidence = confidence, .told_at = UINT32_MAX};
    size_t n = r->out->records.n;
    VEC_PUSH(r->a, r->out->records, f);
    if (r->out->records.n == n) {
        r->spare = f;
        return &r->spare;
    }
    return &r->out->records.p[n];
}

void rew_add_insn(struct rew *r, struct rew_record *to, uint32_t insn)
{
    VEC_PUSH(r->a, to->insns, insn);
    if (to->told_at == UINT32_MAX)
        to->told_at = insn;
}

void rew_add_line(struct rew *r, struct rew_record *to, uint32_t line)
{
    if (line)
        VEC_PUSH(r->a, to->lines, line);
}

const char *rew_source_line(const struct rew *r, uint32_t insn)
{
    const struct rew_context *c = r->context;
    return c->source_line ? c->source_line(c->user, r->sass->g->insns.p[insn].input) : NULL;
}

bool rew_mentions(const char *line, const char *part)
{
    return strstr(line, part) != NULL;
}

static int by_number(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

static uint32_t each_once(uint32_t *p, size_t n)
{
    uint32_t kept = 0;
    if (n)
        qsort(p, n, sizeof p[0], by_number);
    for (size_t i = 0; i < n; i++)
        if (!kept || p[kept - 1] != p[i])
            p[kept++] = p[i];
    return kept;
}

static int by_place(const void *p, const void *q)
{
    const struct rew_record *a = p, *b = q;
    uint32_t x = a->insns.n ? a->insns.p[0] : 0, y = b->insns.n ? b->insns.p[0] : 0;
    if (x != y)
        return x < y ? -1 : 1;
    int kinds = strcmp(a->kind, b->kind);
    return kinds ? kinds : a->stage < b->stage ? -1 : a->stage > b->stage;
}

static int by_lines(const void *p, const void *q)
{
    const struct rew_record *a = p, *b = q;
    int kinds = strcmp(a->kind, b->kind);
    if (kinds)
        return kinds;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->lines.n != b->lines.n)
        return a->lines.n < b->lines.n ? -1 : 1;
    for (size_t i = 0; i < a->lines.n; i++)
        if (a->lines.p[i] != b->lines.p[i])
            return a->lines.p[i] < b->lines.p[i] ? -1 : 1;
    return a->insns.p[0] < b->insns.p[0] ? -1 : a->insns.p[0] > b->insns.p[0];
}

static bool same_statement(const struct rew_record *a, const struct rew_record *b)
{
    bool same = strcmp(a->kind, b->kind) == 0 && a->stage == b->stage && a->to == b->to && a->factor == b->factor &&
                a->width == b->width && a->reason == b->reason && a->lines.n == b->lines.n;
    for (size_t i = 0; i < a->lines.n && same; i++)
        same = a->lines.p[i] == b->lines.p[i];
    return same;
}

/* What happened to one statement of the PTX is told once, however many copies of it there are. */
static void join_copies(struct arena *a, struct rew_list *l)
{
    size_t kept = 0;
    if (l->records.n)
        qsort(l->records.p, l->records.n, sizeof l->records.p[0], by_lines);
    for (size_t i = 0; i < l->records.n; i++) {
        struct rew_record *f = &l->records.p[i], *last = kept ? &l->records.p[kept - 1] : NULL;
        if (!last || !same_statement(last, f)) {
            l->records.p[kept++] = *f;
            continue;
        }
        for (size_t k = 0; k < f->insns.n; k++)
            VEC_PUSH(a, last->insns, f->insns.p[k]);
        if (f->confidence == REW_ASSUMED)
            last->confidence = REW_ASSUMED;
    }
    l->records.n = kept;
    for (size_t i = 0; i < kept; i++)
        l->records.p[i].insns.n = each_once(l->records.p[i].insns.p, l->records.p[i].insns.n);
}

/* Records without evidence on both sides say nothing. */
static void tidy(struct arena *a, struct rew_list *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->records.n; i++) {
        struct rew_record *f = &l->records.p[i];
        f->insns.n = each_once(f->insns.p, f->insns.n);
        f->lines.n = each_once(f->lines.p, f->lines.n);
        if (f->insns.n && f->lines.n)
            l->records.p[kept++] = *f;
    }
    l->records.n = kept;
    join_copies(a, l);
    if (l->records.n)
        qsort(l->records.p, l->records.n, sizeof l->records.p[0], by_place);
}

static bool tell_found(struct rew *r)
{
    const struct graph *g = r->sass->g;
    uint32_t *line = ARENA_ARRAY(r->a, uint32_t, g->insns.n + 1);
    bool *chosen = ARENA_ARRAY(r->a, bool, g->insns.n + 1);
    if (!line || !chosen)
        return false;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        if (r->found[i] == UINT32_MAX)
            continue;
        const struct rew_insn *is = rew_statement(r, r->found[i]);
        line[i] = is->line;
        graph_id made = rew_made(g, i);
        chosen[i] = is->is & REW_IS_CHOICE && made && graph_at(g, made)->kind == UOP_SELECT;
    }
    r->out->ptx_line = line;
    r->out->how = r->how;
    r->out->chosen = chosen;
    return true;
}

enum sp_status rew_compare(struct arena *a, const struct rew_side *sass, const struct rew_side *ptx,
                           const struct rew_context *context, struct rew_list *out, enum rew_fit *fit)
{
    struct rew r = {.a = a, .sass = sass, .ptx = ptx, .context = context, .out = out};
    if (!rew_find_values(a, sass->g, &r.sv) || !rew_find_values(a, ptx->g, &r.pv) || !rew_pair(&r) ||
        !rew_pair_loops(&r))
        return SP_ERR_MEMORY;
    *fit = rew_find_fit(&r);
    if (context->must_fit && *fit == REW_DOES_NOT)
        return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
    out->compared = true;
    rew_complete_contractions(&r);
    rew_find_float(&r);
    rew_find_control(&r);
    rew_find_loops(&r);
    rew_find_moved(&r);
    if (!tell_found(&r))
        return SP_ERR_MEMORY;
    tidy(a, out);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
