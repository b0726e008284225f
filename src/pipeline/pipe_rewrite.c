/* The PTX that machine code was made of, beside it: which text is meant, whether it can be, its graph, and what
 * rewrite/ tells of the two. Whatever goes wrong costs the rewrites and a note, never the kernel.
 *
 * requires: the finished graph of the machine code · gives: struct rew_list, a verdict as diagnostics */
#include "pipeline/pipe_rewrite.h"

#include "base/str.h"
#include "graph/graph_cycle.h"
#include "pipeline/pipe_container.h"
#include "pipeline/pipe_ptx.h"

#include <string.h>

enum {
    PTX_AT_MOST = 16,     /* lists of PTX for each instruction, beyond which it is left alone */
    PTX_ALWAYS = 1 << 16, /* … but for short kernels */
    BYTES_EACH = 1 << 14, /* of memory for each list */
    HEAD = 1024,          /* of the text: where its maker names itself */
    FOLLOWED = 8,         /* branches to branches */
};

static bool word_is(struct ptx_word w, const char *text)
{
    return w.n == strlen(text) && memcmp(w.p, text, w.n) == 0;
}

static bool has(const struct ptx_insn *i, const char *mod)
{
    for (unsigned k = 0; k < i->mod_count; k++)
        if (word_is(i->mods[k], mod))
            return true;
    return false;
}

static bool op_is(const struct ptx_insn *i, const char *const *ops)
{
    for (; *ops; ops++)
        if (word_is(i->op, *ops))
            return true;
    return false;
}

/* The thread ends where that label leads. */
static bool is_leaving(const struct ptx_function *f, uint32_t at)
{
    for (unsigned step = 0; step < FOLLOWED && f->is_entry; step++) {
        if (at >= f->insns.n)
            return true;
        const struct ptx_insn *i = &f->insns.p[at];
        if (i->damaged || i->guard >= 0)
            return false;
        if (word_is(i->op, "ret") || word_is(i->op, "exit"))
            return true;
        if (!word_is(i->op, "bra") || i->operand_count != 1 || i->operands[0].kind != PTX_LABEL)
            return false;
        at = i->operands[0].index;
    }
    return false;
}

static struct rew_insn describe(const struct ptx_module *m, const struct ptx_row *row)
{
    static const char *const sums[] = {"add", "sub", "mul", NULL}, *const quotients[] = {"div", "rem", "rcp", NULL};
    static const char *const moves[] = {"ld", "st", NULL}, *const choices[] = {"selp", "slct", NULL};
    const struct ptx_insn *i = row->insn;
    const struct ptx_function *f = row->function;
    struct rew_insn d = {.line = i->line};
    if (f->is_entry)
        d.is |= REW_IS_OWN;
    if (i->loc) {
        const struct ptx_loc *at = &m->locs.p[i->loc - 1];
        d.source = (struct rew_place){(uint32_t)map_hash_mix(at->file, at->inlined) | 1, at->line, at->column};
    }
    if (m->rolled || f->rolled || i->rolled)
        d.is |= REW_IS_ROLLED;
    if (i->damaged)
        return d;
    if (op_is(i, sums) && (has(i, "rn") || has(i, "rz") || has(i, "rm") || has(i, "rp")))
        d.is |= REW_IS_FIXED;
    if (op_is(i, moves) && has(i, "volatile"))
        d.is |= REW_IS_VOLATILE;
    if (op_is(i, quotients))
        d.is |= REW_IS_DIVISION;
    if (word_is(i->op, "sqrt"))
        d.is |= REW_IS_ROOT;
    if (has(i, "approx") || has(i, "full"))
        d.is |= REW_IS_APPROXIMATE;
    if (op_is(i, choices))
        d.is |= REW_IS_CHOICE;
    if (word_is(i->op, "call")) {
        d.is |= REW_IS_CALL;
        for (uint32_t k = 0; k < i->operand_count; k++)
            if (i->operands[k].kind == PTX_FUNCTION && m->functions.p[i->operands[k].index].has_body) {
                d.first = m->functions.p[i->operands[k].index].line;
                d.last = m->functions.p[i->operands[k].index].line_end;
            }
    }
    if (word_is(i->op, "bra") && i->guard >= 0 && i->operand_count == 1 && i->operands[0].kind == PTX_LABEL &&
        i >= f->insns.p && i < f->insns.p + f->insns.n && i->operands[0].index > (uint32_t)(i - f->insns.p)) {
        uint32_t to = i->operands[0].index;
        d.is |= REW_IS_JUMP;
        d.last = to < f->insns.n ? f->insns.p[to].line : f->line_end;
        if (is_leaving(f, to))
            d.is |= REW_IS_LEAVING;
    }
    return d;
}

/* ---- which text ------------------------------------------------------------------------------- */

/* The head names another compiler than the one that the stage is called after. What is embedded has no head. */
static bool is_foreign(const struct ptx_module *m)
{
    static const char mark[] = "LLVM NVPTX";
    for (size_t i = 0; i + sizeof mark - 1 <= m->size && i < HEAD; i++)
        if (memcmp(m->text + i, mark, sizeof mark - 1) == 0)
            return true;
    return false;
}

/* Parameters are where the machine code has them. */
static bool same_params(const struct ptx_module *m, const struct ptx_function *f, const struct img_kernel *k)
{
    if (!k->params_known)
        return true;
    if (f->inputs.n != k->param_count)
        return false;
    for (uint32_t i = 0; i < k->param_count; i++) {
        const struct ptx_variable *v = &m->variables.p[f->inputs.p[i]];
        if (v->offset != k->params[i].offset || v->bytes != k->params[i].size)
            return false;
    }
    return true;
}

/* The line map speaks of the text that was embedded; of a given one only where it names nothing else than lines of the
 * kernel and of functions. */
static bool map_fits(const struct ptx_module *m, const struct ptx_function *f, const struct img_kernel *k)
{
    for (uint32_t i = 0; i < k->ptx_line_count; i++) {
        uint32_t line = k->ptx_lines[i].line;
        bool inside = !line || (line >= f->line && line <= f->line_end);
        for (size_t n = 0; n < m->functions.n && !inside; n++)
            inside =
                !m->functions.p[n].is_entry && line >= m->functions.p[n].line && line <= m->functions.p[n].line_end;
        if (!inside)
            return false;
    }
    return k->ptx_line_count > 0;
}

/* ---- the source's lines ------------------------------------------------------------------------ */

struct source_lines {
    struct arena *a;
    const struct img_kernel *kernel;
    const struct graph_input_insn *in;
    const struct fact_file_text *texts; /* by file of the module */
};

static const char *source_line(void *user, uint32_t input)
{
    struct source_lines *s = user;
    const struct img_line *row = img_line_at(s->kernel, s->in[input].offset);
    const struct fact_file_text *text = row && row->line && row->file != UINT32_MAX ? &s->texts[row->file] : NULL;
    return text && text->source
               ? cu_source_line(s->a, text->source, cu_source_physical(text->source, text->view, row->line))
               : NULL;
}

/* ---- the graph beside --------------------------------------------------------------------------- */

struct beside {
    struct graph g;
    struct graph_env env;
    struct graph_expansions expansions;
    struct graph_cycles cycles;
    struct ptx_code code;
    struct img_kernel kernel;
    struct rew_insn *insns;
};

static enum sp_status read_beside(struct sp_session *s, struct arena *a, struct diag_sink *quiet, unsigned sm,
                                  const struct img_kernel *kernel, struct ptx_module *m, uint32_t function,
                                  uint32_t most, struct beside *b)
{
    b->kernel = *kernel;
    b->kernel.spill_count = 0;
    b->kernel.spills_known = true;                                      /* registers of PTX do not run out */
    memset(b->kernel.constant_bank, 0, sizeof b->kernel.constant_bank); /* its constants are its own */
    pipe_env(sm, &b->kernel, &b->env);
    struct ptx_places places = {.param_base = b->env.param_base,
                                .stack_offset = b->env.stack_offset,
                                .local_window = b->env.local_window,
                                .shared_window = b->env.shared_window,
                                .guards = true};
    enum sp_status status = ptx_lift_kernel(a, quiet, m, function, &places, &b->code);
    if (status != SP_OK)
        return status;
    if (b->code.count > most)
        return SP_ERR_UNSUPPORTED;
    struct graph_input_insn *in = ARENA_ARRAY(a, struct graph_input_insn, b->code.count + 1u);
    b->insns = ARENA_ARRAY(a, struct rew_insn, b->code.count + 1u);
    if (!in || !b->insns)
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < b->code.count; i++) {
        in[i] = (struct graph_input_insn){.offset = i * PTX_STEP, .uops = &b->code.lists[i]};
        b->insns[i] = describe(m, &b->code.rows[i]);
    }
    struct graph_input input = {.insns = in, .count = b->code.count, .env = &b->env};
    if ((status = graph_build(a, &input, quiet, &b->g)) != SP_OK ||
        (status = pat_expand(s->patterns, a, &b->g, &b->expansions)) != SP_OK)
        return status;
    graph_set_expansions(&b->g, &b->expansions);
    if ((status = graph_find_cycles(a, &b->g, &b->cycles)) != SP_OK)
        return status;
    b->g.cycles = &b->cycles;
    return SP_OK;
}

static uint32_t *map_lines(struct arena *a, const struct img_kernel *k, const struct graph_input *in)
{
    uint32_t *lines = ARENA_ARRAY(a, uint32_t, in->count + 1u);
    for (uint32_t i = 0; lines && i < in->count; i++)
        lines[i] = img_ptx_line_at(k, in->insns[i].offset);
    return lines;
}

static uint64_t *map_sources(struct arena *a, const struct img_kernel *k, const struct graph_input *in)
{
    uint64_t *sources = ARENA_ARRAY(a, uint64_t, in->count + 1u);
    for (uint32_t i = 0; sources && i < in->count; i++) {
        const struct img_line *row = img_line_at(k, in->insns[i].offset);
        if (row && row->line)
            sources[i] = (uint64_t)row->file << 32 | row->line;
    }
    return sources;
}

/* The outermost call that an instruction came in by, as a number for it: place and name. */
static uint64_t *map_calls(struct arena *a, const struct img_kernel *k, const struct graph_input *in)
{
    uint64_t *calls = ARENA_ARRAY(a, uint64_t, in->count + 1u);
    for (uint32_t i = 0; calls && i < in->count; i++) {
        const struct img_line *row = img_line_at(k, in->insns[i].offset);
        if (!row || !row->inlined_count)
            continue;
        const struct img_inline *call = &row->inlined[row->inlined_count - 1];
        const char *name = call->function ? call->function : "";
        calls[i] = map_hash_mix(map_hash_mix(call->file, call->line), map_hash_bytes(name, strlen(name))) | 1;
    }
    return calls;
}

/* Where a text comes from. */
enum text_from { TEXT_EMBEDDED, TEXT_GIVEN, TEXT_BESIDE };

static void mismatch(struct sp_session *s, const struct img_kernel *k, const struct graph *g,
                     const struct rew_list *found, enum text_from from, const char *why)
{
    int64_t at = found->unexplained.n ? (int64_t)g->insns.p[found->unexplained.p[0]].offset : -1;
    diag_add(&s->diags, DIAG_WARNING, "ptx-mismatch", k->section, at,
             "the PTX %s was not shown to be what this kernel was made of: %s; it is left out of account",
             from == TEXT_GIVEN    ? "given with --ptx"
             : from == TEXT_BESIDE ? "in the same fatbin"
                                   : "embedded",
             why);
}

static void unexplained(struct sp_session *s, const struct img_kernel *k, const struct graph *g,
                        const struct rew_list *found)
{
    if (found->compared && found->unexplained.n)
        diag_add(&s->diags, DIAG_NOTE, "rewrite-not-explained", k->section, g->insns.p[found->unexplained.p[0]].offset,
                 "no rule explains how the PTX became %zu of the stores, this the first", found->unexplained.n);
}

/* One text beside the kernel. *out is filled only where they belong together. */
static enum sp_status compare_with(struct pipe_rewrite *p, struct ptx_module *m, uint32_t function, enum text_from from,
                                   struct rew_list *out)
{
    bool given = from != TEXT_EMBEDDED;
    struct sp_session *s = p->session;
    const struct img_kernel *k = p->kernel;
    struct diag_sink quiet;
    struct beside *b = ARENA_NEW(&p->work, struct beside);
    struct rew_list found = *out;
    enum rew_fit fit = REW_MAY_FIT;
    diag_init(&quiet, &p->work);
    const char *not_so = !same_params(m, &m->functions.p[function], k) ? "its parameters are others"
                         : m->sm > p->module->sm                       ? "it is for a later architecture"
                                                                       : NULL;
    if (not_so) {
        mismatch(s, k, p->g, &found, from, not_so);
        return SP_OK;
    }
    uint32_t most = p->g->input.count * PTX_AT_MOST + PTX_ALWAYS;
    p->work.limit = p->work.used + (size_t)most * BYTES_EACH;
    enum sp_status status =
        b ? read_beside(s, &p->work, &quiet, p->module->sm, k, m, function, most, b) : SP_ERR_MEMORY;
    if (status != SP_OK)
        return status;
    const char *flags = p->module->flags;
    struct source_lines source = {.a = &p->work, .kernel = k, .in = p->g->input.insns, .texts = p->file_texts};
    struct rew_context context = {.no_contraction =
                                      flags && (strstr(flags, "-fmad false") || strstr(flags, "-fmad=false")),
                                  .foreign = is_foreign(m),
                                  .must_fit = given};
    if (p->file_texts) {
        context.source_line = source_line;
        context.user = &source;
    }
    struct rew_side sass = {.g = p->g}, ptx = {.g = &b->g, .insns = b->insns};
    if (!given || (!p->module->ptx && map_fits(m, &m->functions.p[function], k)))
        sass.lines = map_lines(&p->work, k, &p->g->input);
    sass.sources = map_sources(&p->work, k, &p->g->input);
    sass.inlined = map_calls(&p->work, k, &p->g->input);
    status = rew_compare(&p->work, &sass, &ptx, &context, &found, &fit);
    if (status != SP_OK)
        return status;
    if (!found.compared) {
        mismatch(s, k, p->g, &found, from,
                 found.unexplained.n ? "no store of it was found to be this one"
                                     : "it computes something else, or its loops have other bodies");
        return SP_OK;
    }
    unexplained(s, k, p->g, &found);
    *out = found;
    return SP_OK;
}

void pipe_rewrite(struct pipe_rewrite *p, struct pipe_input *in, struct rew_list *out)
{
    struct sp_session *s = p->session;
    enum sp_status status = SP_OK;
    uint32_t function;
    struct rew_list best = *out;
    struct ptx_module *beside;
    for (size_t i = 0; i < s->ptx.n && status == SP_OK && !best.compared; i++)
        if (pipe_ptx_entry(s->ptx.p[i], p->kernel->name, &function)) {
            status = compare_with(p, s->ptx.p[i], function, TEXT_GIVEN, &best);
            if (best.compared) {
                p->ptx = s->ptx.p[i];
                p->function = function;
                p->given = true;
            }
        }
    /* The text of the line map goes first, and is what the fatbin's was made from, too. */
    if (status == SP_OK && !best.compared && !in->module.ptx && pipe_container_ptx(in, p->kernel, &beside, &function)) {
        status = compare_with(p, beside, function, TEXT_BESIDE, &best);
        if (best.compared) {
            p->ptx = beside;
            p->function = function;
            p->given = true;
        }
    }
    if (status == SP_OK && pipe_ptx_embedded(s, in, p->kernel, &function)) {
        struct rew_list list = *out; /* the text that the line map speaks of */
        status = compare_with(p, in->ptx, function, TEXT_EMBEDDED, &list);
        if (list.compared)
            best = list;
        if (list.compared || status != SP_OK) { /* what is too large to be compared can still be shown */
            p->ptx = in->ptx;
            p->function = function;
            p->given = false;
        }
    }
    if (best.compared)
        *out = best;
    if (status != SP_OK)
        diag_add(&s->diags, DIAG_NOTE, "ptx-not-compared", p->kernel->section, -1,
                 "the PTX of this kernel is too large to be set beside it");
}

void pipe_rewrite_note_used(struct sp_session *s, const struct img_module *m, struct pipe_ptx_use *use)
{
    if (!s->ptx.n)
        return;
    if (!use->texts)
        use->texts = ARENA_ARRAY(&s->a, struct pipe_ptx_text, s->ptx.n);
    for (size_t i = 0; i < s->ptx.n && use->texts; i++) {
        struct pipe_ptx_text *t = &use->texts[i];
        const struct ptx_module *p = s->ptx.p[i];
        uint32_t at;
        for (uint32_t f = 0; f < p->functions.n && !t->listed; f++)
            if (p->functions.p[f].is_entry && p->functions.p[f].has_body && p->functions.p[f].name)
                map_str_put(&s->a, &t->entries, p->functions.p[f].name, f);
        t->listed = true;
        for (uint32_t k = 0; k < m->kernel_count && !t->used; k++)
            t->used = map_str_get(&t->entries, m->kernels[k].name, &at);
    }
}

void pipe_rewrite_unused(struct sp_session *s, const struct pipe_ptx_use *use)
{
    for (size_t i = 0; i < s->ptx.n && use->texts; i++)
        if (!use->texts[i].used)
            diag_add(&s->diags, DIAG_WARNING, "ptx-unused", NULL, -1,
                     "no kernel of the inputs stands in the PTX given with --ptx%s",
                     use->texts[i].entries.n ? "" : ": it has none");
}
