/* What a document keeps of a kernel. Facts are made amid all that analysis leaves behind, and point into it; here the
 * records alone are copied, equal texts of all kernels once, so that the rest can go before the next kernel comes.
 * requires: a finished fact_kernel · gives: fact_keep */
#include "facts/fact_build.h"

#include <string.h>

static void keep_text(struct fact_keeper *k, const char **text)
{
    uint32_t at;
    if (!*text)
        return;
    if (map_str_get(&k->texts, *text, &at)) {
        *text = k->list.p[at];
        return;
    }
    char *copy = arena_strdup(k->a, *text);
    if (!copy)
        return;
    at = (uint32_t)k->list.n;
    VEC_PUSH(k->a, k->list, copy);
    if (k->list.n > at)
        map_str_put(k->a, &k->texts, copy, at);
    *text = copy;
}

static void *keep_bytes(struct fact_keeper *k, const void *p, size_t count, size_t size)
{
    if (!p || !count)
        return NULL;
    void *copy = arena_array(k->a, count, size);
    if (copy)
        memcpy(copy, p, count * size);
    return copy;
}

/* An array of records becomes a copy of itself, in which texts can be kept in turn; `n` 0 when out of memory. */
#define KEEP_ARRAY(k, T, p, n)                      \
    do {                                            \
        (p) = keep_bytes((k), (p), (n), sizeof(T)); \
        if (!(p))                                   \
            (n) = 0;                                \
    } while (0)
#define KEEP_LIST(k, T, list)                 \
    do {                                      \
        KEEP_ARRAY(k, T, (list).p, (list).n); \
        (list).cap = (list).n;                \
    } while (0)

static void keep_offsets(struct fact_keeper *k, struct fact_offsets *o)
{
    KEEP_ARRAY(k, uint32_t, o->p, o->n);
}

static void keep_bindings(struct fact_keeper *k, const struct fact_binding **list, uint32_t *n)
{
    struct fact_binding *p = keep_bytes(k, *list, *n, sizeof *p);
    if (!p)
        *n = 0;
    for (uint32_t i = 0; i < *n; i++) {
        keep_text(k, &p[i].key);
        keep_text(k, &p[i].text);
        keep_bindings(k, &p[i].group, &p[i].group_count);
    }
    *list = p;
}

static void keep_output(struct fact_keeper *k, struct fact_output *o)
{
    struct fact_differs *d = keep_bytes(k, o->differs, o->differs_count, sizeof *d);
    keep_text(k, &o->address);
    keep_text(k, &o->runs_when);
    keep_text(k, &o->value);
    keep_text(k, &o->exact);
    keep_text(k, &o->real);
    for (uint32_t i = 0; i < o->differs_count && d; i++) {
        keep_text(k, &d[i].when);
        keep_text(k, &d[i].exact);
        keep_text(k, &d[i].real);
    }
    o->differs = d;
    o->differs_count = d ? o->differs_count : 0;
}

static void keep_phase(struct fact_keeper *k, struct fact_phase *p)
{
    p->ranges = keep_bytes(k, p->ranges, 2 * (size_t)p->range_count, sizeof p->ranges[0]);
    p->range_count = p->ranges ? p->range_count : 0;
    KEEP_ARRAY(k, uint32_t, p->patterns, p->pattern_count);
    keep_text(k, &p->summary);
    keep_offsets(k, &p->evidence);
}

static void keep_loop(struct fact_keeper *k, struct fact_loop *l)
{
    struct fact_carried *c = keep_bytes(k, l->carried, l->carried_count, sizeof *c);
    keep_text(k, &l->counter);
    keep_text(k, &l->start);
    keep_text(k, &l->step);
    keep_text(k, &l->until);
    keep_text(k, &l->count);
    KEEP_ARRAY(k, struct fact_loop_piece, l->pieces, l->piece_count);
    for (uint32_t i = 0; i < l->carried_count && c; i++) {
        keep_text(k, &c[i].expr);
        keep_text(k, &c[i].value);
    }
    l->carried = c;
    l->carried_count = c ? l->carried_count : 0;
    keep_offsets(k, &l->evidence);
}

static void keep_instruction(struct fact_keeper *k, struct fact_instruction *f)
{
    struct fact_inline *in = keep_bytes(k, f->inlined, f->inlined_count, sizeof *in);
    keep_text(k, &f->text);
    keep_text(k, &f->guard);
    keep_text(k, &f->runs_when);
    keep_text(k, &f->expr);
    keep_text(k, &f->control_text);
    keep_text(k, &f->note);
    keep_text(k, &f->source_text);
    for (uint32_t i = 0; i < f->inlined_count && in; i++)
        keep_text(k, &in[i].function);
    f->inlined = in;
    f->inlined_count = in ? f->inlined_count : 0;
    KEEP_ARRAY(k, uint32_t, f->patterns, f->pattern_count);
}

static void keep_register(struct fact_keeper *k, struct fact_register *r)
{
    struct fact_hold *h = keep_bytes(k, r->holds, r->hold_count, sizeof *h);
    keep_text(k, &r->name);
    for (uint32_t i = 0; i < r->hold_count && h; i++) {
        keep_text(k, &h[i].holds);
        keep_text(k, &h[i].value);
    }
    r->holds = h;
    r->hold_count = h ? r->hold_count : 0;
}

static void keep_value(struct fact_keeper *k, struct fact_value *v)
{
    struct fact_storage *s = keep_bytes(k, v->storage, v->storage_count, sizeof *s);
    keep_text(k, &v->id);
    keep_text(k, &v->name);
    keep_text(k, &v->expr);
    keep_text(k, &v->type);
    for (uint32_t i = 0; i < v->storage_count && s; i++) {
        keep_text(k, &s[i].at);
        keep_text(k, &s[i].address);
    }
    v->storage = s;
    v->storage_count = s ? v->storage_count : 0;
    KEEP_ARRAY(k, struct fact_use, v->uses, v->use_count);
    keep_offsets(k, &v->evidence);
}

static void keep_pattern(struct fact_keeper *k, struct fact_pattern *p)
{
    keep_text(k, &p->id);
    keep_text(k, &p->rule);
    keep_offsets(k, &p->offsets);
    keep_bindings(k, &p->bindings.p, &p->bindings.n);
    KEEP_ARRAY(k, const char *, p->via.p, p->via.n);
    for (uint32_t i = 0; i < p->via.n; i++)
        keep_text(k, &p->via.p[i]);
}

static void keep_rewrite(struct fact_keeper *k, struct fact_rewrite *r)
{
    keep_text(k, &r->kind);
    keep_text(k, &r->reason);
    keep_text(k, &r->source_text);
    keep_offsets(k, &r->ptx);
    keep_offsets(k, &r->sass);
    keep_bindings(k, &r->args.p, &r->args.n);
}

static void keep_line(struct fact_keeper *k, struct fact_line *l)
{
    keep_text(k, &l->text);
    keep_offsets(k, &l->offsets);
}

static void keep_said(struct fact_keeper *k, struct fact_said *s)
{
    keep_text(k, &s->kind);
    keep_text(k, &s->text);
    keep_text(k, &s->machine);
    keep_text(k, &s->sense);
    keep_offsets(k, &s->offsets);
}

static void keep_ptx(struct fact_keeper *k, struct fact_ptx *p)
{
    keep_text(k, &p->function);
    keep_text(k, &p->text);
    keep_offsets(k, &p->offsets);
}

static void keep_access(struct fact_keeper *k, struct fact_access *x)
{
    struct fact_read *r = keep_bytes(k, x->reads, x->read_count, sizeof *r);
    for (uint32_t i = 0; i < x->read_count && r; i++) {
        keep_text(k, &r[i].thread);
        keep_offsets(k, &r[i].barriers);
    }
    x->reads = r;
    x->read_count = r ? x->read_count : 0;
}

static void keep_param(struct fact_keeper *k, struct fact_param *p)
{
    keep_text(k, &p->name);
    keep_text(k, &p->type);
}

static void keep_name(struct fact_keeper *k, struct fact_name *n)
{
    keep_text(k, &n->name);
    keep_text(k, &n->expr);
    keep_text(k, &n->type);
    keep_offsets(k, &n->evidence);
}

static void keep_function(struct fact_keeper *k, struct fact_function *f)
{
    keep_text(k, &f->name);
    keep_text(k, &f->demangled);
    keep_text(k, &f->section);
}

static void keep_unknown(struct fact_keeper *k, struct fact_unknown *u)
{
    keep_text(k, &u->text);
    keep_text(k, &u->bits);
    keep_text(k, &u->reason);
}

/* A list and everything its records point to. */
#define KEEP_ALL(k, T, list, keep)               \
    do {                                         \
        KEEP_LIST(k, T, list);                   \
        for (size_t n_ = 0; n_ < (list).n; n_++) \
            keep((k), &(list).p[n_]);            \
    } while (0)

enum sp_status fact_keep(struct fact_keeper *k, struct fact_kernel *f)
{
    keep_text(k, &f->name);
    keep_text(k, &f->demangled);
    keep_text(k, &f->base_name);
    keep_text(k, &f->arch);
    keep_text(k, &f->summary);
    KEEP_ALL(k, struct fact_param, f->params, keep_param);
    KEEP_ALL(k, struct fact_name, f->names, keep_name);
    KEEP_ALL(k, struct fact_output, f->outputs, keep_output);
    KEEP_ALL(k, struct fact_phase, f->phases, keep_phase);
    KEEP_ALL(k, struct fact_loop, f->loops, keep_loop);
    KEEP_ALL(k, struct fact_instruction, f->instructions, keep_instruction);
    KEEP_ALL(k, struct fact_function, f->functions, keep_function);
    KEEP_ALL(k, struct fact_register, f->register_flow, keep_register);
    KEEP_ALL(k, struct fact_value, f->values, keep_value);
    KEEP_ALL(k, struct fact_pattern, f->patterns, keep_pattern);
    KEEP_ALL(k, struct fact_rewrite, f->rewrites, keep_rewrite);
    KEEP_ALL(k, struct fact_line, f->lines, keep_line);
    KEEP_ALL(k, struct fact_said, f->says, keep_said);
    keep_text(k, &f->ptx_from);
    KEEP_ALL(k, struct fact_ptx, f->ptx, keep_ptx);
    KEEP_ALL(k, struct fact_access, f->accesses, keep_access);
    KEEP_LIST(k, struct fact_loop_work, f->loop_work);
    KEEP_LIST(k, struct fact_occupancy, f->occupancy);
    for (size_t i = 0; i < f->occupancy.n; i++)
        keep_text(k, &f->occupancy.p[i].limit);
    KEEP_ALL(k, struct fact_unknown, f->unknown, keep_unknown);
    return arena_failed(k->a) ? SP_ERR_MEMORY : SP_OK;
}
