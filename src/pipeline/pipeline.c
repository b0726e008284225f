/* The map of the house: what happens to one kernel, in order. Each stage reads what the ones before it made. */
#include "pipeline/pipe_code.h"
#include "pipeline/pipe_ptx.h"
#include "pipeline/pipe_rewrite.h"
#include "pipeline/pipe_source.h"

#include "base/str.h"
#include "facts/fact_build.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"

#include <string.h>

/* Bytes a type of the demangled signature takes; 0: not known here. */
static uint32_t type_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } sizes[] = {
        {"float", 4},         {"int", 4},         {"unsigned int", 4},       {"double", 8}, {"long", 8},
        {"unsigned long", 8}, {"long long", 8},   {"unsigned long long", 8}, {"short", 2},  {"unsigned short", 2},
        {"char", 1},          {"signed char", 1}, {"unsigned char", 1},      {"bool", 1}};
    size_t n = strlen(type);
    if (n && (type[n - 1] == '*' || type[n - 1] == '&'))
        return 8;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(type, sizes[i].name) == 0)
            return sizes[i].bytes;
    return 0;
}

void pipe_params_from_name(struct arena *a, unsigned sm, struct img_kernel *k)
{
    struct img_signature signature = {0};
    struct graph_env env;
    uint32_t offset = 0;
    img_signature_parse(a, k->demangled ? k->demangled : k->name, &signature);
    struct img_param *params = k->params_known || !signature.known || !signature.count
                                   ? NULL
                                   : ARENA_ARRAY(a, struct img_param, signature.count);
    if (!params)
        return;
    pipe_env(sm, k, &env);
    for (uint32_t i = 0; i < signature.count; i++) {
        uint32_t bytes = type_bytes(signature.types[i]);
        if (!bytes) /* a structure: this parameter's size, and with it every later offset, is not known */
            return;
        offset = (offset + bytes - 1) / bytes * bytes;
        params[i] =
            (struct img_param){.index = i, .offset = offset, .size = bytes, .constant_offset = env.param_base + offset};
        offset += bytes;
    }
    k->params = params;
    k->param_count = signature.count;
    k->param_base = env.param_base;
    k->param_bytes = offset;
}

/* Parameters with types from the symbol and names from the source, used only where count and sizes agree with the
 * container. */
static struct mean_param *name_params(struct sp_session *s, struct arena *a, const struct img_kernel *k,
                                      const char *base_name)
{
    struct mean_param *p = ARENA_ARRAY(a, struct mean_param, k->param_count);
    struct img_signature signature = {0};
    const char **names = NULL;
    if (!p)
        return NULL;
    img_signature_parse(a, k->demangled ? k->demangled : k->name, &signature);
    bool agree = signature.known && signature.count == k->param_count;
    for (uint32_t i = 0; i < k->param_count && agree; i++) {
        uint32_t bytes = type_bytes(signature.types[i]);
        agree = !bytes || bytes == k->params[i].size;
    }
    for (size_t i = 0; i < s->sources.n && !names && (agree || !signature.known); i++)
        if (!img_source_params(a, s->sources.p[i].text.text, s->sources.p[i].text.size, base_name, k->param_count,
                               &names))
            names = NULL;
    for (uint32_t i = 0; i < k->param_count; i++) {
        p[i] = (struct mean_param){.index = k->params[i].index,
                                   .offset = k->params[i].offset,
                                   .constant_offset = k->params[i].constant_offset,
                                   .size = k->params[i].size};
        p[i].type = agree ? signature.types[i] : NULL;
        p[i].from_source = names && names[i] && names[i][0];
        p[i].name = p[i].from_source ? names[i] : arena_printf(a, "p%u", i);
    }
    return p;
}

static enum sp_status read_ptx(struct sp_session *s, struct arena *work, struct arena *a,
                               const struct pipe_input *input, uint32_t function, struct img_kernel *kernel,
                               struct pipe_code *code)
{
    enum sp_status status = pipe_ptx_kernel(s, work, input, function, kernel, &code->ptx);
    if (status != SP_OK)
        return status;
    code->count = code->ptx.count;
    code->in = ARENA_ARRAY(work, struct graph_input_insn, code->count + 1u);
    code->texts = ARENA_ARRAY(work, struct fact_text, code->count + 1u);
    if (!code->in || !code->texts)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < code->count; i++)
        code->in[i] = (struct graph_input_insn){.offset = i * PTX_STEP, .uops = &code->ptx.lists[i]};
    pipe_ptx_texts(a, &code->ptx, code->texts);
    return SP_OK;
}

static const char *ptx_name(void *user, uint32_t input, unsigned file, unsigned reg, unsigned *word, unsigned *words)
{
    return ptx_register_name(user, input, (enum uop_file)file, reg, word, words);
}

enum sp_status pipe_kernel(struct sp_session *s, struct arena *a, struct pipe_input *input,
                           const struct img_kernel *kernel, const int32_t *file_numbers,
                           const struct fact_file_text *file_texts, struct fact_kernel *out)
{
    const struct img_module *module = &input->module;
    struct img_kernel ptx = *kernel, linked;
    struct pipe_code code = {0};
    struct arena work;
    struct pipe_rewrite beside = {.session = s, .module = module, .file_texts = file_texts};
    enum sp_status status;
    bool of_ptx = module->kind == IMG_PTX;
    arena_init(&work, 0);
    arena_init(&beside.work, 0);
    if (of_ptx)
        status = read_ptx(s, &work, a, input, input->ptx_functions[kernel - module->kernels], &ptx, &code);
    else if ((status = img_link_called(&work, module, kernel, &linked)) == SP_OK)
        status = pipe_read_code(&work, a, module, &linked, &code);
    if (status != SP_OK)
        goto done;
    kernel = of_ptx ? &ptx : &linked;
    beside.kernel = kernel;
    if (!of_ptx)
        pipe_write_places(kernel, code.in, code.count);
    struct fact_source source = {.module = module,
                                 .kernel = kernel,
                                 .file_numbers = file_numbers,
                                 .file_texts = file_texts,
                                 .texts = code.texts,
                                 .padding_from = code.padding_from,
                                 .padding_count = code.padding_count};
    if (of_ptx) {
        source.register_name = ptx_name;
        source.user = &code.ptx;
    }

    struct graph_env env;
    struct graph graph;
    struct graph_cycles cycles;
    struct graph_dependence dependence;
    struct graph_expansions expansions;
    struct mean mean;
    struct place place;
    struct pat_result patterns;
    struct rew_list rewrites;
    pipe_env(module->sm, kernel, &env);
    env.symbols = code.symbols;
    env.symbol_count = code.symbols ? kernel->reloc_count : 0;
    struct graph_input input_graph = {.insns = code.in, .count = code.count, .env = &env};
    if ((status = graph_build(&work, &input_graph, &s->diags, &graph)) != SP_OK)
        goto done;
    /* What is only how machines compute a function is known before anything looks at loops, places or roles. */
    if ((status = pat_expand(s->patterns, a, &graph, &expansions)) != SP_OK)
        goto done;
    graph_set_expansions(&graph, &expansions);
    if ((status = graph_find_cycles(&work, &graph, &cycles)) != SP_OK)
        goto done;
    graph.cycles = &cycles;
    if ((status = graph_find_dependence(&work, &graph, &dependence)) != SP_OK)
        goto done;
    graph.dependence = &dependence;
    /* Everything a fact keeps as text lives on `a`: words and matches are made there. */
    beside.base_name = fact_base_name(a, kernel->demangled ? kernel->demangled : kernel->name);
    struct mean_param *params = name_params(s, a, kernel, beside.base_name);
    if ((status = mean_init(&mean, a, &graph, params, kernel->param_count)) != SP_OK)
        goto done;
    if ((status = place_build(&work, &graph, &place)) != SP_OK)
        goto done;
    for (size_t i = 0; i < place.values.n; i++) {
        const struct place_value *v = &place.values.p[i];
        const char *id = arena_printf(a, "v%zu", i);
        if (!(v->accumulator && v->named != v->node ? mean_set_variable : mean_set_value)(&mean, v->named, id))
            goto memory;
    }
    for (size_t i = 0; i < place.copies.n; i++) {
        const struct place_copy *c = &place.copies.p[i];
        const struct place_value *of = &place.values.p[c->value];
        const char *id = c->number ? arena_printf(a, "v%u_%u", c->value, c->number) : arena_printf(a, "v%u", c->value);
        bool variable = of->accumulator && of->named != of->node;
        if (!(variable ? mean_set_variable : mean_set_value)(&mean, c->node, id))
            goto memory;
    }
    for (size_t i = 0; i < place.leaving.n; i++) {
        const struct place_leaving *l = &place.leaving.p[i];
        if (l->chosen)
            continue;
        const char *id = l->came_in       ? arena_printf(a, "v%u_in", l->value)
                         : l->before == 0 ? arena_printf(a, "v%u", l->value)
                         : l->before == 1 ? arena_printf(a, "v%u_old", l->value)
                                          : arena_printf(a, "v%u_old%u", l->value, l->before);
        graph_id named = place.values.p[l->value].named;
        bool old = l->node == named || l->begins;
        const char *within = old ? arena_printf(a, "v%u_old", l->value) : NULL;
        if (!id || (old && !within) || !mean_set_leaving(&mean, l->node, id, l->cycle, l->before > 0, named, within) ||
            !mean_set_leaving_halves(&mean, l->node, id, l->cycle, named))
            goto memory;
    }
    if ((status = mean_part_loads(&mean)) != SP_OK)
        goto done;
    if ((status = pat_run(s->patterns, &mean, a, &patterns)) != SP_OK)
        goto done;
    if ((status = rew_find_contractions(&work, &graph, &rewrites)) != SP_OK)
        goto done;
    beside.g = &graph;
    if (!of_ptx)
        pipe_rewrite(&beside, input, &rewrites);
    source.ptx = beside.ptx;
    source.ptx_function = beside.function;
    source.ptx_given = beside.given;
    source.g = &graph;
    source.mean = &mean;
    source.place = &place;
    source.patterns = &patterns;
    source.rewrites = &rewrites;
    status = fact_build_kernel(a, &source, out);
    pipe_findings(s, a, &mean, &graph, kernel);
done:
    if (arena_failed(&work))
        status = SP_ERR_MEMORY;
    arena_free(&beside.work);
    arena_free(&work);
    return status;
memory:
    arena_free(&beside.work);
    arena_free(&work);
    return SP_ERR_MEMORY;
}
