/* What the note says above the machine: head, summary, outputs, places of values, patterns, rewrites, parameters.
 *
 * Each section walks the plan's statements of its kind, so its numbers are those of --why. */
#include "report/rep_sections.h"

#include "report/rep_group.h"

#include "base/str.h"
#include "facts/fact_words.h"

#include <ctype.h>
#include <string.h>

enum { INDENT = 2 };

bool rep_left_out(const struct rep_note *n, uint32_t *shown, uint32_t *left)
{
    if (n->most == 0 || *shown < n->most) {
        ++*shown;
        return false;
    }
    ++*left;
    return true;
}

void rep_say_left_out(struct rep_page *p, uint32_t left)
{
    if (left)
        rep_paragraph(p, INDENT + 5, 0, REP_DIM, rep_format(p->a, "… %u more in the full report", left));
}

static void add_count(struct strbuf *b, int32_t number, const char *what, const char *plural)
{
    if (number != FACT_NONE)
        str_addf(b, "%s%d %s%s", b->n ? " · " : "", number, what, number == 1 ? "" : plural);
}

static const char *resources(struct arena *a, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    add_count(&b, k->registers, "register", "s");
    add_count(&b, k->uniform_registers, "uniform register", "s");
    if (k->shared_bytes != FACT_NONE || k->dynamic_shared)
        str_addf(&b, "%s%d B shared%s", b.n ? " · " : "", k->shared_bytes == FACT_NONE ? 0 : k->shared_bytes,
                 k->dynamic_shared ? " + dynamic" : "");
    add_count(&b, k->stack_bytes, "B stack", "");
    add_count(&b, k->barriers, "barrier", "s");
    return b.n ? b.p : "not recorded";
}

static const char *code_size(struct arena *a, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    size_t own = k->functions.n ? fact_first_at(k, k->functions.p[0].offset) : k->instructions.n;
    str_addf(&b, "%zu instructions", own);
    if (k->has_padding)
        str_addf(&b, " + %u of padding (%s)", k->padding_instructions, rep_span(a, k->padding_from, k->padding_to));
    if (k->code_bytes != FACT_NONE)
        str_addf(&b, " · %d B", k->code_bytes);
    if (k->functions.n)
        str_addf(&b, " · %zu of %zu function%s called", k->instructions.n - own, k->functions.n,
                 k->functions.n == 1 ? "" : "s");
    return b.p;
}

static const char *origin(struct arena *a, const struct fact_input *input)
{
    struct strbuf b;
    str_init(&b, a);
    str_add(&b, rep_or_dash(input->path));
    if (input->member)
        str_addf(&b, " (%s)", input->member);
    if (input->kind)
        str_addf(&b, " · %s", input->kind);
    if (input->status && !str_equal(input->status, "complete"))
        str_addf(&b, " · %s", input->status);
    return b.p;
}

static bool names_from_source(const struct fact_kernel *k)
{
    for (size_t i = 0; i < k->params.n; i++)
        if (!k->params.p[i].name_from_source)
            return false;
    return true;
}

static const char *at_hand(struct arena *a, const struct fact_input *input, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    bool text = str_equal(input->kind, "ptx");
    str_addf(&b, "%s · line table: %s", text ? "PTX, not yet machine code" : "machine code",
             input->has_line_info ? "yes" : "no");
    if (!text)
        str_addf(&b, " · PTX: %s", input->has_ptx ? "embedded" : input->ptx_in_fatbin ? "in the fatbin" : "no");
    if (k->params.n > 0)
        str_addf(&b, " · names: %s", names_from_source(k) ? "from the source" : "by position");
    return b.p;
}

static const char *advice(struct arena *a, const struct fact_input *input, const struct fact_kernel *k)
{
    struct strbuf b;
    str_init(&b, a);
    if (!input->has_line_info)
        str_add(&b, "compile with -lineinfo for source lines and embedded PTX");
    else if (!input->has_ptx && !str_equal(input->kind, "ptx"))
        str_add(&b, "compile with -lineinfo (nvcc, CUDA 12 or later) to embed PTX");
    if (!names_from_source(k))
        str_addf(&b, "%sgive --source FILE.cu for parameter names", b.n ? "; " : "");
    return b.p;
}

void rep_say_head(struct rep_page *p, const struct rep_note *n)
{
    enum { NAMES = 8 };
    const struct fact_kernel *k = n->k;
    struct arena *a = p->a;
    rep_heading(p, 1, rep_format(a, p->markdown ? "%s (%s)" : "%s · %s", fact_kernel_name(k), rep_or_dash(k->arch)));
    rep_item(p, INDENT, "kernel", NAMES, rep_signature(a, k), true);
    const struct fact_input *input = k->input < n->doc->inputs.n ? &n->doc->inputs.p[k->input] : NULL;
    if (input) {
        rep_item(p, INDENT, "file", NAMES, origin(a, input), false);
        rep_item(p, INDENT, "built by", NAMES,
                 rep_format(a, "%s · %s", input->producer ? input->producer : "producer not recorded",
                            input->flags && *input->flags ? input->flags : "flags not recorded"),
                 false);
    }
    rep_item(p, INDENT, "uses", NAMES, resources(a, k), false);
    rep_item(p, INDENT, "code", NAMES, code_size(a, k), false);
    if (k->unknown.n > 0)
        rep_item(p, INDENT, "beware", NAMES,
                 rep_format(a, "%zu instruction%s not understood: what %s is missing from all that follows",
                            k->unknown.n, k->unknown.n == 1 ? " is" : "s are",
                            k->unknown.n == 1 ? "it does" : "they do"),
                 false);
    const char *shape = rep_shape(a, k);
    if (*shape)
        rep_item(p, INDENT, "shape", NAMES, shape, false);
    if (input) {
        rep_item(p, INDENT, "read", NAMES, at_hand(a, input, k), false);
        const char *add = advice(a, input, k);
        if (*add)
            rep_item(p, INDENT, "to add", NAMES, add, false);
    }
}

void rep_say_summary(struct rep_page *p, const struct rep_note *n)
{
    REP_EACH(n, REP_SUMMARY, s, number)
    {
        rep_heading(p, 2, p->markdown ? "What it computes" : "WHAT IT COMPUTES");
        rep_paragraph(p, INDENT, number, REP_STRONG, rep_brief(p->a, rep_statement(p->a, n->doc, s)));
    }
}

/* "v1 = …; v2 …" one binding a line. */
static const char *split_bindings(struct arena *a, const char *text)
{
    struct strbuf b;
    str_init(&b, a);
    for (const char *c = text; *c; c++) {
        if (c[0] == ';' && c[1] == ' ')
            str_add(&b, ";\n"), c++;
        else
            str_addc(&b, *c);
    }
    return b.p;
}

static void say_differences(struct rep_page *p, const struct rep_note *n, uint32_t output)
{
    struct rep_table t = {.columns = 4, .head = {"", "when", "exactly", "as real numbers"}, .rigid = {true}};
    REP_EACH(n, REP_DIFFERS, s, number)
    {
        const struct fact_differs *d = &n->k->outputs.p[s->index].differs[s->sub];
        struct rep_row *row = s->index == output ? rep_table_row(p, &t) : NULL;
        if (row) {
            row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
            row->cells[1] = rep_cell_code(rep_brief(p->a, rep_or_dash(d->when)), REP_PLAIN);
            row->cells[2] = rep_cell(rep_brief(p->a, rep_or_dash(d->exact)), REP_PLAIN);
            row->cells[3] = rep_cell(rep_brief(p->a, rep_or_dash(d->real)), REP_PLAIN);
        }
    }
    rep_table_write(p, &t, INDENT + 5);
}

void rep_say_outputs(struct rep_page *p, const struct rep_note *n)
{
    enum { NAMES = 9 };
    uint32_t shown = 0, left = 0;
    const uint32_t *leads = rep_group_outputs(p->a, n->k);
    if (n->k->outputs.n > 0)
        rep_heading(p, 2, p->markdown ? "Outputs" : "OUTPUTS, EXACT AND AS REAL NUMBERS");
    REP_EACH(n, REP_OUTPUT, s, number)
    {
        if ((leads && leads[s->index] != s->index) || rep_left_out(n, &shown, &left))
            continue;
        const struct fact_output *output = &n->k->outputs.p[s->index];
        const char *address = rep_or_dash(output->address);
        rep_paragraph(p, INDENT, number, REP_STRONG,
                      rep_format(p->a, "%s %s%s, stored at %s%s%s", *address == '&' ? address + 1 : address,
                                 output->runs_when ? "when " : "always",
                                 output->runs_when ? rep_brief(p->a, output->runs_when) : "",
                                 rep_hex(p->a, output->store), output->value ? ", value " : "",
                                 output->value ? output->value : ""));
        bool same = str_equal(output->exact, output->real);
        if (output->exact)
            rep_item(p, INDENT + 5, same || !output->real ? "is" : "exactly", NAMES,
                     split_bindings(p->a, rep_brief(p->a, output->exact)), true);
        if (output->real && !same)
            rep_item(p, INDENT + 5, "as reals", NAMES, rep_brief(p->a, output->real), true);
        if (output->differs_count > 0)
            rep_item(p, INDENT + 5, "they differ", NAMES, "", false);
        else if (output->real && !same)
            rep_item(p, INDENT + 5, "equal", NAMES, "for every input", false);
        if (p->markdown)
            rep_blank(p);
        say_differences(p, n, s->index);
        const char *others = rep_group_others(p, n, REP_OUTPUT, leads, s->index, output->store);
        if (*others)
            rep_paragraph(p, INDENT + 5, 0, REP_DIM, others);
    }
    rep_say_left_out(p, left);
}

void rep_say_patterns(struct rep_page *p, const struct rep_note *n)
{
    uint32_t shown = 0, left = 0;
    const uint32_t *leads = rep_group_patterns(p->a, n);
    struct rep_table t = {.columns = 5,
                          .head = {"", "pattern", "bindings", "at", "confidence"},
                          .rigid = {true, true, false, false, true},
                          .least = {0, 0, 0, 22}};
    if (n->k->patterns.n > 0)
        rep_heading(p, 2, p->markdown ? "Patterns" : "PATTERNS");
    REP_EACH(n, REP_PATTERN, s, number)
    {
        const struct fact_pattern *pattern = &n->k->patterns.p[s->index];
        if ((leads && leads[s->index] != s->index) || rep_left_out(n, &shown, &left))
            continue;
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        struct strbuf name, via;
        str_init(&name, p->a);
        str_init(&via, p->a);
        for (uint32_t d = 0; d < s->depth && d < 8; d++)
            str_add(&name, p->markdown ? "↳ " : d + 1 == s->depth || d == 7 ? "└ " : "  ");
        str_add(&name, rep_or_dash(pattern->id));
        for (uint32_t i = 0; i < pattern->via.n; i++)
            str_addf(&via, "%s%s", i ? ", " : "by the real-number rule ", rep_or_dash(pattern->via.p[i]));
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(name.p, s->depth == 0 ? REP_STRONG : REP_PLAIN);
        row->cells[2] = rep_cell_code(rep_brief(p->a, rep_bindings(p->a, pattern->bindings)), REP_PLAIN);
        row->cells[3] = rep_cell(rep_offsets(p->a, pattern->offsets), REP_DIM);
        row->cells[4] = rep_cell(fact_confidence_text(pattern->confidence), rep_confidence_style(pattern->confidence));
        if (pattern->offsets.n) {
            uint32_t last = pattern->offsets.p[pattern->offsets.n - 1];
            const char *others = rep_group_others(p, n, REP_PATTERN, leads, s->index, last);
            if (*others)
                str_addf(&via, "%s%s", via.n ? "; " : "", others);
        }
        row->below = via.n ? via.p : NULL;
    }
    rep_table_write(p, &t, INDENT);
    rep_say_left_out(p, left);
}

void rep_say_rewrites(struct rep_page *p, const struct rep_note *n)
{
    uint32_t shown = 0, left = 0;
    const uint32_t *leads = rep_group_rewrites(p->a, n->k);
    struct rep_table t = {.columns = 7,
                          .head = {"", "rewrite", "what happened", "at", "PTX", "stage", "source"},
                          .rigid = {true, true, false, false, false, false, false},
                          .stiff = {[6] = true},
                          .least = {[1] = 22, [2] = 18, [3] = 12, [4] = 6, [5] = 9},
                          .empty_hidden = true};
    if (n->k->rewrites.n > 0)
        rep_heading(p, 2,
                    p->markdown ? "What the compilers did, and did not do" : "WHAT THE COMPILERS DID, AND DID NOT DO");
    REP_EACH(n, REP_REWRITE, s, number)
    {
        const struct fact_rewrite *rewrite = &n->k->rewrites.p[s->index];
        if ((leads && leads[s->index] != s->index) || rep_left_out(n, &shown, &left))
            continue;
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        const char *witness = fact_witness_text(p->a, rewrite);
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(rep_or_dash(rewrite->kind), REP_STRONG);
        row->cells[2] = rep_cell(rep_rewrite(p->a, rewrite), REP_PLAIN);
        const char *others = "";
        if (rewrite->sass.n)
            others = rep_group_others(p, n, REP_REWRITE, leads, s->index, rewrite->sass.p[rewrite->sass.n - 1]);
        if (*others)
            witness = rep_format(p->a, "%s%s%s", witness, *witness ? "; " : "", others);
        row->below = *witness ? witness : NULL;
        row->cells[3] = rep_cell(rep_offsets(p->a, rewrite->sass), REP_DIM);
        row->cells[4] = rep_cell(rep_lines(p->a, rewrite->ptx), REP_DIM);
        const char *stage = fact_stage_text(rewrite->stage);
        if (rewrite->confidence == FACT_ASSUMED)
            stage = rep_format(p->a, "%s (assumed)", stage);
        row->cells[5] = rep_cell(stage, rewrite->stage == FACT_STAGE_UNKNOWN ? REP_DIM : REP_PLAIN);
        row->cells[6] = rep_cell(rep_source(p->a, n->doc, rewrite->source_file, rewrite->source_line), REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
    rep_say_left_out(p, left);
}

void rep_say_params(struct rep_page *p, const struct rep_note *n)
{
    struct rep_table t = {.columns = 6,
                          .head = {"", "parameter", "type", "bytes", "constant bank", "access"},
                          .rigid = {true, false, false, true, true, true}};
    if (n->k->params.n > 0)
        rep_heading(p, 2, p->markdown ? "Argument layout" : "PARAMETERS");
    REP_EACH(n, REP_PARAM, s, number)
    {
        const struct fact_param *param = &n->k->params.p[s->index];
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell_code(rep_or_dash(param->name), REP_STRONG);
        row->cells[2] = rep_cell_code(rep_or_dash(param->type), REP_PLAIN);
        row->cells[3] = rep_cell(rep_format(p->a, "%u", param->size), REP_PLAIN);
        row->cells[4] = rep_cell_code(rep_format(p->a, "c[0x0][0x%x]", param->constant_offset), REP_PLAIN);
        row->cells[5] = rep_cell(fact_access_text(param->access), REP_PLAIN);
    }
    rep_table_write(p, &t, INDENT);
}

/* `text` has `word` as a word. */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; at && (at = strstr(at, word)) != NULL; at++) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '.');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

static bool within(const struct fact_loop *l, uint32_t offset)
{
    bool in = offset >= l->from && offset <= l->to;
    for (uint32_t i = 0; i < l->piece_count; i++)
        in |= offset >= l->pieces[i].from && offset <= l->pieces[i].to;
    return in;
}

/* Some store behind a loop is told with the loop's counter. */
static bool counts_behind_loops(const struct fact_kernel *k)
{
    for (size_t i = 0; i < k->loops.n; i++)
        for (size_t o = 0; o < k->outputs.n && k->loops.p[i].counter; o++)
            if (!within(&k->loops.p[i], k->outputs.p[o].store) &&
                (has_word(k->outputs.p[o].address, k->loops.p[i].counter) ||
                 has_word(k->outputs.p[o].real, k->loops.p[i].counter)))
                return true;
    return false;
}

void rep_say_names(struct rep_page *p, const struct rep_note *n)
{
    struct rep_table t = {.columns = 5,
                          .head = {"", "name", "stands for", "type", "computed at"},
                          .rigid = {true, true, false, true, false}};
    if (n->k->names.n > 0)
        rep_heading(p, 2, p->markdown ? "Names in this note" : "NAMES IN THIS NOTE");
    REP_EACH(n, REP_NAME, s, number)
    {
        const struct fact_name *name = &n->k->names.p[s->index];
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell_code(rep_or_dash(name->name), REP_STRONG);
        row->cells[2] = rep_cell_code(rep_or_dash(name->expr), REP_PLAIN);
        row->cells[3] = rep_cell(rep_or_dash(name->type), REP_PLAIN);
        row->cells[4] = rep_cell(rep_offsets(p->a, name->evidence), REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
    if (n->k->names.n > 0 && counts_behind_loops(n->k))
        rep_paragraph(
            p, INDENT, 0, REP_DIM,
            "Behind its loop a counter is that of the last turn; a value that went round is what the last turn "
            "made of it.");
}

void rep_say_unknown(struct rep_page *p, const struct rep_note *n)
{
    struct rep_table t = {
        .columns = 5, .head = {"", "at", "instruction", "bits", "why"}, .rigid = {true, true, false, false, true}};
    if (n->k->unknown.n > 0)
        rep_heading(p, 2, p->markdown ? "Not understood" : "NOT UNDERSTOOD");
    REP_EACH(n, REP_UNKNOWN, s, number)
    {
        const struct fact_unknown *unknown = &n->k->unknown.p[s->index];
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(rep_hex(p->a, unknown->offset), REP_DIM);
        row->cells[2] = rep_cell_code(rep_or_dash(unknown->text), REP_ALARM);
        row->cells[3] = rep_cell_code(rep_or_dash(unknown->bits), REP_DIM);
        row->cells[4] = rep_cell(unknown->reason ? unknown->reason : fact_why_text(unknown->why), REP_PLAIN);
    }
    rep_table_write(p, &t, INDENT);
}

static bool stands_in_a_note(const struct fact_document *doc, const struct diag *d)
{
    for (size_t i = 0; d->section && i < doc->kernels.n; i++)
        if (rep_is_finding(&doc->kernels.p[i], d))
            return true;
    return false;
}

void rep_say_diagnostics(struct rep_page *p, const struct fact_document *doc)
{
    static const char *const severity[] = {"error", "warning", "note"};
    bool headed = false;
    for (size_t i = 0; doc->diags && i < doc->diags->list.n; i++) {
        const struct diag *d = &doc->diags->list.p[i];
        if (stands_in_a_note(doc, d))
            continue;
        if (!headed)
            rep_heading(p, 2, p->markdown ? "Diagnostics" : "DIAGNOSTICS");
        headed = true;
        struct strbuf b;
        str_init(&b, p->a);
        if (d->input >= 0 && (size_t)d->input < doc->inputs.n)
            str_addf(&b, "%s: ", rep_or_dash(doc->inputs.p[d->input].path));
        if (d->section)
            str_add(&b, d->section);
        if (d->offset >= 0)
            str_addf(&b, "+0x%llx", (long long)d->offset);
        str_addf(&b, "%s%s [%s]", d->section || d->offset >= 0 ? ": " : "", rep_or_dash(d->message),
                 rep_or_dash(d->code));
        rep_item(p, INDENT, severity[d->severity], 7, b.p, false);
    }
    if (headed && p->markdown)
        rep_blank(p);
}

void rep_say_comparison(struct rep_page *p, const struct fact_document *doc, const struct rep_plan *plan,
                        uint32_t index)
{
    const struct fact_comparison *c = &doc->comparisons.p[index];
    const struct fact_kernel *a = &doc->kernels.p[c->a], *b = &doc->kernels.p[c->b];
    const char *a_name = rep_format(p->a, "%s (%s)", fact_kernel_name(a), rep_or_dash(a->arch));
    const char *b_name = rep_format(p->a, "%s (%s)", fact_kernel_name(b), rep_or_dash(b->arch));
    struct rep_table t = {
        .columns = 5, .head = {"", "", a_name, b_name, ""}, .rigid = {true, true, false, false, true}};
    rep_heading(p, p->markdown ? 2 : 1, rep_format(p->a, "%s against %s", a_name, b_name));
    if (c->summary)
        rep_paragraph(p, INDENT, 0, REP_STRONG, c->summary);
    if (!p->markdown)
        rep_blank(p);
    for (uint32_t i = 0; i < plan->list.n; i++) {
        const struct rep_statement *s = &plan->list.p[i];
        if (s->kind != REP_COMPARISON || s->index != index)
            continue;
        const struct fact_comparison_row *r = &c->rows.p[s->sub];
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_number(p, i + 1), REP_DIM);
        row->cells[1] = rep_cell(rep_or_dash(r->subject), REP_STRONG);
        row->cells[2] = rep_cell(rep_brief(p->a, rep_or_dash(r->a)), REP_PLAIN);
        row->cells[3] = rep_cell(rep_brief(p->a, rep_or_dash(r->b)), REP_PLAIN);
        row->cells[4] = rep_cell(r->same ? "same" : "differ", r->same ? REP_DIM : REP_DOUBT);
    }
    rep_table_write(p, &t, INDENT);
    bool headed = false;
    for (size_t i = 0; i < c->rows.n; i++)
        if (c->rows.p[i].why) {
            if (!headed)
                rep_heading(p, p->markdown ? 3 : 2, p->markdown ? "Why" : "WHY");
            headed = true;
            rep_item(p, INDENT, rep_or_dash(c->rows.p[i].subject), 19, c->rows.p[i].why, false);
        }
    if (headed && p->markdown)
        rep_blank(p);
}
