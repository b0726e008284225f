/* The map of the house: what happens to one kernel, in order. Each stage reads what the ones before it made. */
#include "pipeline/pipe_ptx.h"
#include "pipeline/pipe_rewrite.h"
#include "pipeline/pipe_source.h"

#include "base/str.h"
#include "facts/fact_build.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"
#include "uop/uop_lift.h"

#include <string.h>

enum { MARK = 0x2a5a50 }; /* an address no code has */
/* R_CUDA_ABS32_LO_32, R_CUDA_ABS32_HI_32: a word of a symbol's address, as the immediate of one instruction. */
enum { RELOC_LOW = 56, RELOC_HIGH = 57 };

/* A kernel as lists of micro-operations, with the text of each. */
struct pipe_code {
    struct graph_input_insn *in;
    struct fact_text *texts;
    uint32_t count;
    struct ptx_code ptx;
    const char **symbols; /* by relocation */
};

/* The operand that a relocation fills: the memory operand's distance, else the first number; NULL: none of them. */
static struct isa_operand *filled_operand(struct isa_insn *insn)
{
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned i = 0; i < insn->operand_count; i++)
            if (insn->operands[i].kind == (kind == 0 ? ISA_OPERAND_MEM : ISA_OPERAND_IMM))
                return &insn->operands[i];
    return NULL;
}

/* An instruction with a relocation holds a number that the linker or the loader writes. The address of a shared array
 * is put there; of others its immediate says nothing, and a call's target is elsewhere. */
static void apply_relocation(struct uop_lift_context *context, const struct img_reloc *r, const struct isa_insn *insn,
                             uint32_t symbol, struct uop_list *list)
{
    struct isa_insn filled = *insn;
    struct isa_operand *operand = filled_operand(&filled);
    bool word = operand && operand->kind == ISA_OPERAND_IMM && !operand->value && !r->addend && r->shared < 0 &&
                (r->type == RELOC_LOW || r->type == RELOC_HIGH) && r->symbol && r->symbol[0];
    if (operand) {
        operand->value = r->shared >= 0 ? operand->value + r->shared + r->addend : MARK;
        uop_lift(context, &filled, list);
    }
    for (size_t k = 0; k < list->ops.n && (!operand || r->shared < 0); k++) {
        struct uop *u = &list->ops.p[k];
        if (u->kind == UOP_CONST && (u->type == UOP_B32 || u->type == UOP_B64) && (!operand || u->imm == MARK))
            *u = (struct uop){.kind = word && u->type == UOP_B32 ? UOP_CBANK : UOP_UNDEF,
                              .type = u->type,
                              .space = GRAPH_SYMBOL_BANK,
                              .imm = 8u * symbol + (r->type == RELOC_HIGH ? 4u : 0u),
                              .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
        if (u->kind == UOP_CALL)
            u->imm = UINT64_MAX; /* no offset of this section */
    }
}

/* The number of a symbol: that of the first relocation, of those near, that names it. */
static uint32_t symbol_of(const struct img_kernel *kernel, uint32_t reloc)
{
    enum { NEAR = 256 };
    for (uint32_t i = reloc > NEAR ? reloc - NEAR : 0; i < reloc; i++)
        if (str_equal(kernel->relocs[i].symbol, kernel->relocs[reloc].symbol))
            return i;
    return reloc;
}

static enum sp_status lift_all(struct arena *a, unsigned sm, const struct img_kernel *kernel,
                               const struct isa_insn *insns, struct pipe_code *code)
{
    uint32_t count = code->count;
    struct graph_input_insn *out = code->in;
    code->symbols = ARENA_ARRAY(a, const char *, kernel->reloc_count + 1);
    if (!code->symbols)
        return SP_ERR_MEMORY;
    struct uop_lift_context context = {.sm = sm, .a = a};
    struct uop_list *lists = ARENA_ARRAY(a, struct uop_list, count);
    if (!lists)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        uop_lift(&context, &insns[i], &lists[i]); /* an instruction without meaning says so in its list */
        out[i] = (struct graph_input_insn){.offset = insns[i].offset, .uops = &lists[i]};
    }
    for (uint32_t i = 0; i < kernel->reloc_count; i++) {
        uint32_t at = kernel->relocs[i].offset / 16;
        code->symbols[i] = kernel->relocs[i].symbol;
        if (at < count)
            apply_relocation(&context, &kernel->relocs[i], &insns[at], symbol_of(kernel, i), &lists[at]);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

static void text_of(struct arena *a, unsigned sm, const struct isa_insn *insn, const struct img_told *told,
                    struct fact_text *t)
{
    struct isa_print_options options = {.dialect = ISA_DIALECT_CUOBJDUMP};
    const struct isa_control *c = &insn->control;
    char text[512], control[32];
    isa_print(sm, insn, &options, text, sizeof text);
    isa_print_control(c, control);
    bool scheduled = !told || told->how & IMG_TOLD_CONTROL;
    t->text = !told || told->how ? arena_strdup(a, text) : told->text ? told->text : "not in the listing";
    if (scheduled)
        t->control_text = arena_strdup(a, control);
    if (!told)
        t->bits =
            arena_printf(a, "0x%016llx%016llx", (unsigned long long)insn->word.hi, (unsigned long long)insn->word.lo);
    if (insn->guard != ISA_PT || insn->guard_not)
        t->guard = insn->guard == ISA_PT ? arena_printf(a, "!%sPT", insn->guard_uniform ? "U" : "")
                                         : arena_printf(a, "%s%sP%u", insn->guard_not ? "!" : "",
                                                        insn->guard_uniform ? "U" : "", insn->guard);
    t->stall = c->stall;
    t->yield = c->yield;
    t->write_barrier = c->write_barrier == 7 ? FACT_NONE : c->write_barrier;
    t->read_barrier = c->read_barrier == 7 ? FACT_NONE : c->read_barrier;
    t->wait_mask = c->wait_mask;
    if (!scheduled)
        t->stall = t->yield = t->write_barrier = t->read_barrier = t->wait_mask = FACT_NONE;
    t->no_encoding = insn->op == ISA_OP_UNKNOWN;
}

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

static enum sp_status read_machine_code(struct arena *work, struct arena *a, const struct img_module *module,
                                        const struct img_kernel *kernel, struct pipe_code *code)
{
    struct isa_insn *insns;
    enum sp_status status = pipe_decode(work, module, kernel, &insns, &code->count);
    if (status != SP_OK)
        return status;
    code->in = ARENA_ARRAY(work, struct graph_input_insn, code->count + 1u);
    code->texts = ARENA_ARRAY(work, struct fact_text, code->count + 1u);
    if (!code->in || !code->texts)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < code->count; i++)
        text_of(a, module->sm, &insns[i], pipe_told(kernel, i), &code->texts[i]);
    return lift_all(work, module->sm, kernel, insns, code);
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
    struct img_kernel ptx = *kernel;
    struct pipe_code code = {0};
    struct arena work;
    struct pipe_rewrite beside = {.session = s, .module = module, .kernel = kernel, .file_texts = file_texts};
    enum sp_status status;
    bool of_ptx = module->kind == IMG_PTX;
    arena_init(&work, 0);
    arena_init(&beside.work, 0);
    if (of_ptx)
        status = read_ptx(s, &work, a, input, input->ptx_functions[kernel - module->kernels], &ptx, &code);
    else
        status = read_machine_code(&work, a, module, kernel, &code);
    if (status != SP_OK)
        goto done;
    if (of_ptx)
        kernel = &ptx;
    else
        pipe_write_places(kernel, code.in, code.count);
    struct fact_source source = {.module = module,
                                 .kernel = kernel,
                                 .file_numbers = file_numbers,
                                 .file_texts = file_texts,
                                 .texts = code.texts};
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
        if (!id || (old && !within) || !mean_set_leaving(&mean, l->node, id, l->cycle, l->before > 0, named, within))
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
