/* The order in which a kernel's facts are made: resources and parameters, names, values (they get their ids first, so
 * that every other text can use them), loops, patterns and rewrites, instructions with roles, register flow, outputs,
 * costs, summary. */
#include "facts/fact_build.h"

#include "graph/graph_depend.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

struct fact_offsets fact_offsets_of(struct arena *a, const struct graph *g, const uint32_t *insns, size_t n)
{
    uint32_t *p = ARENA_ARRAY(a, uint32_t, n), kept = 0;
    if (!p)
        return (struct fact_offsets){0};
    for (size_t i = 0; i < n; i++)
        p[i] = g->insns.p[insns[i]].offset;
    if (n)
        qsort(p, n, sizeof p[0], compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (!kept || p[kept - 1] != p[i])
            p[kept++] = p[i];
    return (struct fact_offsets){p, kept};
}

enum uop_type fact_float_type(const char *type)
{
    if (!type || type[0] == '\0')
        return UOP_VOID;
    if (strcmp(type, "f32") == 0)
        return UOP_F32;
    if (strcmp(type, "f64") == 0)
        return UOP_F64;
    if (strcmp(type, "f16") == 0)
        return UOP_F16;
    if (strcmp(type, "bf16") == 0)
        return UOP_BF16;
    return UOP_VOID;
}

static int32_t or_none(int32_t v)
{
    return v < 0 ? FACT_NONE : v;
}

/* "clamp" of "void ns::clamp<float>(float*)": the last name before the parameters, without its template arguments. */
const char *fact_base_name(struct arena *a, const char *demangled)
{
    size_t end = strlen(demangled), depth = 0, start = 0;
    for (size_t i = 0; i < end; i++) {
        if (demangled[i] == '<')
            depth++;
        else if (demangled[i] == '>' && depth)
            depth--;
        else if (demangled[i] == '(' && !depth && i && strncmp(demangled + i, "(anonymous", 10) != 0) {
            end = i;
            break;
        }
    }
    depth = 0;
    for (size_t i = 0; i < end; i++) {
        char c = demangled[i];
        if (c == '<')
            depth++;
        else if (c == '>' && depth)
            depth--;
        else if (!depth && (c == ' ' || c == ':' || c == '*' || c == '&'))
            start = i + 1;
    }
    size_t stop = start;
    while (stop < end && demangled[stop] != '<')
        stop++;
    return arena_strndup(a, demangled + start, stop - start);
}

static void build_params(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    for (uint32_t i = 0; i < s->mean->param_count; i++) {
        const struct mean_param *p = &s->mean->params[i];
        struct fact_param f = {.index = p->index,
                               .offset = p->offset,
                               .constant_offset = p->constant_offset,
                               .size = p->size,
                               .name = p->name,
                               .name_from_source = p->from_source,
                               .type = p->type,
                               .access = (enum fact_access_mode)mean_param_access(s->mean, i)};
        VEC_PUSH(a, k->params, f);
    }
}

static void build_names(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    for (size_t i = 0; i < s->mean->names.n; i++) {
        const struct mean_name *n = &s->mean->names.p[i];
        uint32_t count;
        const uint32_t *defs = graph_defs_of(s->g, n->node, &count);
        const struct graph_node *node = graph_at(s->g, n->node);
        VEC(uint32_t) insns = {0};
        for (uint32_t d = 0; d < count; d++)
            VEC_PUSH(a, insns, s->g->defs.p[defs[d]].insn);
        for (uint32_t p = 0; node->kind == GRAPH_PHI && p < node->phi_count && insns.n == 0; p++) {
            if (node->phi_args[p] <= n->node)
                continue; /* a counter: what moves it */
            defs = graph_defs_of(s->g, node->phi_args[p], &count);
            for (uint32_t d = 0; d < count; d++)
                VEC_PUSH(a, insns, s->g->defs.p[defs[d]].insn);
        }
        struct fact_name f = {
            .name = n->name, .expr = n->expr, .type = n->type, .evidence = fact_offsets_of(a, s->g, insns.p, insns.n)};
        VEC_PUSH(a, k->names, f);
    }
}

/* An extern array is declared for the whole module and lies behind the kernel's own arrays: a kernel that stays within
 * these does not use it. */
static bool may_use_extern(const struct graph *g, int64_t own_bytes)
{
    const struct graph_dependence *d = g->dependence;
    bool may = g->incomplete;
    for (size_t i = 0; i < g->accesses.n && !may; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        if (x->space == UOP_GENERIC)
            return true;
        if (x->space != UOP_SHARED)
            continue;
        const struct graph_object *o = d && d->object_of ? &d->objects.p[d->object_of[i]] : NULL;
        may = own_bytes <= 0 || !o || !o->known || o->from >= own_bytes;
    }
    return may;
}

enum sp_status fact_build_kernel(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const struct img_kernel *image = s->kernel;
    k->name = image->name;
    k->demangled = image->demangled;
    k->base_name = fact_base_name(a, image->demangled ? image->demangled : image->name);
    k->arch = s->module->arch;
    k->registers = or_none(image->registers);
    k->uniform_registers = or_none(image->uniform_registers);
    k->shared_bytes = or_none(image->shared_bytes);
    k->dynamic_shared = image->dynamic_shared && may_use_extern(s->g, image->shared_bytes);
    k->stack_bytes = or_none(image->stack_bytes);
    k->barriers = or_none(image->barriers);
    k->code_bytes = !image->code          ? FACT_NONE
                    : image->called_count ? (int32_t)image->own_bytes
                                          : (int32_t)image->code_bytes;
    for (uint32_t i = 0; i < image->called_count; i++) {
        const struct img_called *c = &image->called[i];
        struct fact_function f = {.name = c->name,
                                  .demangled = c->demangled,
                                  .section = c->section,
                                  .offset = c->offset,
                                  .code_bytes = c->bytes};
        VEC_PUSH(a, k->functions, f);
    }
    build_params(a, s, k);
    build_names(a, s, k);
    enum sp_status status = fact_build_values(a, s, k);
    if (status == SP_OK)
        status = fact_build_loops(a, s, k);
    if (status == SP_OK)
        status = fact_build_patterns(a, s, k);
    if (status == SP_OK)
        status = fact_build_instructions(a, s, k);
    if (status == SP_OK)
        status = fact_build_cost(a, s, k);
    if (status == SP_OK)
        status = fact_build_reads(a, s, k);
    if (status == SP_OK)
        status = fact_build_phases(a, s, k);
    if (status == SP_OK)
        status = fact_build_summary(a, s, k);
    if (status == SP_OK)
        status = fact_build_lines(a, s, k);
    if (status == SP_OK)
        status = fact_build_says(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : status;
}
