/* `--why N`: what a statement of the note rests on.
 *
 * The statement itself, the instructions it was read from, the rule and the real-number rules it needed,
 * its confidence, and what would make it wrong. Nothing is searched anew: all of it are fields of the
 * record the statement renders. */
#include "report/rep_sections.h"

#include "base/str.h"
#include "facts/fact_words.h"

enum { INDENT = 2, NAMES = 14 };

static void item(struct rep_page *p, const char *name, const char *text)
{
    rep_item(p, INDENT, name, NAMES, text, false);
}

static void instructions(struct rep_page *p, const struct fact_kernel *k, const char *title,
                         struct fact_offsets offsets)
{
    if (offsets.n == 0)
        return;
    item(p, title, rep_offsets(p->a, offsets));
    if (p->markdown)
        rep_blank(p);
    rep_say_instructions(p, k, offsets, INDENT + NAMES + 2);
}

static void one_instruction(struct rep_page *p, const struct fact_kernel *k, const char *title, uint32_t offset)
{
    instructions(p, k, title, (struct fact_offsets){&offset, 1});
}

/* Keeps the list ascending and without repeats. */
static void add_offset(struct fact_offsets *list, uint32_t *storage, uint32_t offset)
{
    uint32_t at = list->n;
    while (at > 0 && storage[at - 1] > offset)
        at--;
    if (at > 0 && storage[at - 1] == offset)
        return;
    for (uint32_t i = list->n; i > at; i--)
        storage[i] = storage[i - 1];
    storage[at] = offset;
    list->n++;
}

/* "[4] [5]", or "[4]–[9]" for values, whose numbers follow each other. */
static const char *numbers_of(struct rep_page *p, const struct rep_note *n, enum rep_kind kind, uint32_t count)
{
    uint32_t first = rep_plan_number(n->plan, n->kernel, kind, 0);
    if (kind == REP_VALUE && count > 1)
        return rep_format(p->a, "[%u]–[%u]", first, first + count - 1);
    struct strbuf b;
    str_init(&b, p->a);
    for (uint32_t i = 0; i < count; i++)
        str_addf(&b, "%s[%u]", i ? " " : "", rep_plan_number(n->plan, n->kernel, kind, i));
    return b.p;
}

static void why_summary(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    VEC(uint32_t) leaving = {0};
    for (size_t i = 0; i < k->instructions.n; i++) {
        enum fact_role role = k->instructions.p[i].role;
        if (role == FACT_ROLE_BOUNDS_CHECK || role == FACT_ROLE_EARLY_EXIT || role == FACT_ROLE_BRANCH ||
            role == FACT_ROLE_CALL || role == FACT_ROLE_BARRIER || role == FACT_ROLE_LOOP_TEST)
            VEC_PUSH(p->a, leaving, k->instructions.p[i].offset);
    }
    if (k->outputs.n > 0)
        item(p, "outputs", numbers_of(p, n, REP_OUTPUT, (uint32_t)k->outputs.n));
    if (k->values.n > 0) {
        item(p, "values", numbers_of(p, n, REP_VALUE, (uint32_t)k->values.n));
        item(p, "classes", rep_class_counts(p->a, k));
    }
    instructions(p, k, "control", (struct fact_offsets){leaving.p, (uint32_t)leaving.n});
}

static const struct fact_value *find_value(const struct fact_kernel *k, const char *id)
{
    for (size_t i = 0; id && i < k->values.n; i++)
        if (str_equal(k->values.p[i].id, id))
            return &k->values.p[i];
    return NULL;
}

static void confidence(struct rep_page *p, enum fact_confidence c, bool real_rules)
{
    item(p, "confidence", rep_confidence_meaning(c, real_rules));
}

/* Statements about values are as good as the decoding under them. */
static void wrong_if(struct rep_page *p, const struct rep_note *n, const char *text)
{
    struct strbuf b;
    str_init(&b, p->a);
    str_add(&b, text);
    if (n->k->unknown.n == 0)
        str_add(&b, "; every instruction of the kernel is understood");
    else
        str_addf(&b, "; %zu instructions of the kernel are not understood", n->k->unknown.n);
    item(p, "wrong if", b.p);
}

static void why_output(struct rep_page *p, const struct rep_note *n, const struct rep_statement *s)
{
    const struct fact_output *output = &n->k->outputs.p[s->index];
    const struct fact_value *value = find_value(n->k, output->value);
    one_instruction(p, n->k, "store", output->store);
    if (value)
        instructions(p, n->k, "value from", value->evidence);
    item(p, "exactly", rep_or_dash(output->exact));
    item(p, "as reals", rep_or_dash(output->real));
    for (size_t i = 0; i < n->k->patterns.n; i++) {
        const struct fact_pattern *pattern = &n->k->patterns.p[i];
        if (pattern->parent != FACT_NONE || pattern->via.n == 0 || !rep_has_offset(pattern->offsets, output->store))
            continue;
        for (uint32_t v = 0; v < pattern->via.n; v++)
            item(p, v ? "" : "real rules", rep_or_dash(pattern->via.p[v]));
    }
    if (s->kind == REP_DIFFERS)
        item(p, "computed", "both readings are evaluated on NaN, zeros, subnormals, infinities and ordinary values");
    else if (output->differs_count > 0)
        item(p, "they differ", rep_format(p->a, "in %u cases, the statements that follow", output->differs_count));
    if (value)
        confidence(p, value->confidence, false);
    wrong_if(p, n, "one of these instructions does not do what its micro-operations say");
}

static void why_value(struct rep_page *p, const struct rep_note *n, const struct fact_value *value)
{
    uint32_t *storage = ARENA_ARRAY(p->a, uint32_t, value->use_count + 1);
    struct fact_offsets touched = {storage, 0};
    instructions(p, n->k, "defined at", value->evidence);
    for (uint32_t i = 0; i < value->storage_count; i++) {
        const struct fact_storage *place = &value->storage[i];
        item(p, i ? "" : "places",
             rep_format(p->a, "%s %s%s%s, %s%s", fact_where_text(place->where), rep_or_dash(place->at),
                        place->address ? " at " : "", place->address ? place->address : "",
                        rep_span(p->a, place->from, place->to), place->reloaded ? ", loaded again" : ""));
    }
    for (uint32_t i = 0; storage && i < value->use_count; i++)
        add_offset(&touched, storage, value->uses[i].offset);
    if (value->use_count)
        item(p, "routes", rep_uses(p->a, value));
    instructions(p, n->k, "used at", touched);
    item(p, "class", rep_format(p->a, "%s: %s", fact_class_text(value->cls), rep_class_meaning(value->cls)));
    confidence(p, value->confidence, false);
    wrong_if(p, n, "an instruction that is not listed reads or writes one of these places");
}

static void why_pattern(struct rep_page *p, const struct rep_note *n, uint32_t index)
{
    const struct fact_pattern *pattern = &n->k->patterns.p[index];
    struct strbuf parts;
    str_init(&parts, p->a);
    instructions(p, n->k, "instructions", pattern->offsets);
    item(p, "rule", rep_format(p->a, "%s (a page in patterns/ and its variant)", rep_or_dash(pattern->rule)));
    for (uint32_t i = 0; i < pattern->bindings.n; i++)
        item(p, i ? "" : "bindings", rep_bindings(p->a, (struct fact_bindings){&pattern->bindings.p[i], 1}));
    for (uint32_t i = 0; i < pattern->via.n; i++)
        item(p, i ? "" : "real rules", rep_or_dash(pattern->via.p[i]));
    if (pattern->parent >= 0 && (size_t)pattern->parent < n->k->patterns.n)
        item(p, "part of",
             rep_format(p->a, "[%u] %s", rep_plan_number(n->plan, n->kernel, REP_PATTERN, (uint32_t)pattern->parent),
                        rep_or_dash(n->k->patterns.p[pattern->parent].id)));
    for (uint32_t i = 0; i < n->k->patterns.n; i++)
        if (n->k->patterns.p[i].parent == (int32_t)index && i != index)
            str_addf(&parts, "%s[%u] %s", parts.n ? ", " : "", rep_plan_number(n->plan, n->kernel, REP_PATTERN, i),
                     rep_or_dash(n->k->patterns.p[i].id));
    if (parts.n)
        item(p, "made of", parts.p);
    confidence(p, pattern->confidence, pattern->via.n > 0);
    wrong_if(p, n,
             pattern->via.n > 0 ? "taken for a statement about floats bit by bit: the real rules hold for real numbers"
                                : "the page's definition does not say what its name promises");
}

static void why_rewrite(struct rep_page *p, const struct rep_note *n, const struct fact_rewrite *rewrite)
{
    instructions(p, n->k, "instructions", rewrite->sass);
    item(p, "stage",
         rewrite->stage == FACT_STAGE_UNKNOWN ? "unknown: the machine code alone does not tell which compiler did it"
                                              : fact_stage_text(rewrite->stage));
    if (rewrite->reason || rewrite->stage == FACT_STAGE_UNKNOWN)
        item(p, "reason", rewrite->reason ? rep_rewrite(p->a, rewrite) : "not known");
    if (rewrite->source_line != FACT_NONE)
        item(p, "source",
             rep_format(p->a, "%s  %s", rep_source(p->a, n->doc, rewrite->source_file, rewrite->source_line),
                        rewrite->source_text ? rewrite->source_text : ""));
    struct strbuf lines;
    str_init(&lines, p->a);
    for (uint32_t i = 0; i < rewrite->ptx.n; i++)
        str_addf(&lines, "%s%u", i ? ", " : "", rewrite->ptx.p[i]);
    if (lines.n)
        item(p, rewrite->ptx.n > 1 ? "PTX lines" : "PTX line", lines.p);
    const char *witness = fact_witness_text(p->a, rewrite);
    if (*witness)
        item(p, "witness", witness);
    else if (rewrite->args.n > 0)
        item(p, "arguments", rep_bindings(p->a, rewrite->args));
    if (rewrite->confidence == FACT_ASSUMED)
        item(p, "confidence",
             rewrite->stage == FACT_STAGE_NVVM
                 ? "assumed: so it stands in the PTX; whether the source was written so needs the source"
                 : "assumed: the line table names the PTX line; that both compute the same is not shown");
    else
        confidence(p, rewrite->confidence, false);
}

static void why_said(struct rep_page *p, const struct rep_note *n, const struct fact_said *said)
{
    instructions(p, n->k, "instructions", said->offsets);
    item(p, "source", rep_format(p->a, "%s  %s", rep_source(p->a, n->doc, said->file, said->line), said->text));
    item(p, "held against",
         str_equal(said->kind, "comparison")
             ? "every compare that the line table puts on the line: its operands are the source's, its sense is told"
             : "every instruction of its kind that the line table puts on the line: there is no other");
    wrong_if(p, n, "the text given is not the one that was compiled, or a header's macro stands for some of its words");
}

static void why_phase(struct rep_page *p, const struct rep_note *n, const struct fact_phase *phase)
{
    for (uint32_t i = 0; i < phase->pattern_count; i++)
        if (phase->patterns[i] < n->k->patterns.n)
            item(p, i ? "" : "patterns",
                 rep_format(p->a, "[%u] %s", rep_plan_number(n->plan, n->kernel, REP_PATTERN, phase->patterns[i]),
                            rep_or_dash(n->k->patterns.p[phase->patterns[i]].id)));
    item(p, "instructions", rep_phase_ranges(p->a, phase));
    item(p, "cut",
         "before and after each loop, fold, reduction and scan, and after a barrier that carries data to "
         "another thread");
    instructions(p, n->k, "evidence", phase->evidence);
}

static void why_loop(struct rep_page *p, const struct rep_note *n, const struct fact_loop *loop)
{
    if (loop->count)
        item(p, "turns", loop->count);
    for (uint32_t i = 0; i < loop->piece_count; i++) {
        const struct fact_loop_piece *piece = &loop->pieces[i];
        item(p, i ? "" : "pieces",
             rep_format(p->a, "%s %s, %u step%s of the source's loop a %s", piece->straight ? "straight" : "loop",
                        rep_span(p->a, piece->from, piece->to), piece->unroll, piece->unroll == 1 ? "" : "s",
                        piece->straight ? "pass" : "turn"));
    }
    item(p, "carries", rep_loop_carried(p->a, loop));
    for (size_t w = 0; w < n->k->loop_work.n; w++)
        if (n->k->loop_work.p[w].loop == loop->id)
            item(p, "a turn", rep_work(p->a, &n->k->loop_work.p[w].work));
    const char *source = rep_source(p->a, n->doc, loop->source_file, loop->source_line);
    if (*source)
        item(p, "source", source);
    instructions(p, n->k, "instructions", loop->evidence);
}

static void why_param(struct rep_page *p, const struct rep_note *n, const struct fact_param *param)
{
    const char *slot = rep_format(p->a, "c[0x0][0x%x]", param->constant_offset);
    VEC(uint32_t) named = {0};
    item(p, "layout",
         rep_format(p->a, "offset %u, %u bytes, from the kernel's parameter table", param->offset, param->size));
    item(p, "name",
         param->name_from_source ? "from the source given" : "by position: no source was given, or it does not fit");
    item(p, "type", param->type ? "from the kernel's symbol, or its source" : "the kernel's symbol does not tell it");
    for (size_t i = 0; i < n->k->instructions.n; i++) {
        const struct fact_instruction *in = &n->k->instructions.p[i];
        for (const char *c = in->text; c && *c; c++)
            if (str_starts(c, slot)) {
                VEC_PUSH(p->a, named, in->offset);
                break;
            }
    }
    instructions(p, n->k, "named by", (struct fact_offsets){named.p, (uint32_t)named.n});
}

static void why_lane(struct rep_page *p, const struct rep_note *n, const struct fact_register *r)
{
    for (uint32_t i = 0; i < r->hold_count; i++) {
        const struct fact_hold *hold = &r->holds[i];
        uint32_t ends[2] = {hold->from, hold->to};
        instructions(p, n->k, rep_format(p->a, "holds %u", i + 1),
                     (struct fact_offsets){ends, hold->to == hold->from ? 1 : 2});
        item(p, "", rep_hold(p->a, hold));
    }
    item(p, "read as", "written by the first instruction of a stretch, last read by its second");
}

static void why_reads(struct rep_page *p, const struct rep_note *n, const struct fact_access *access)
{
    uint32_t *storage = ARENA_ARRAY(p->a, uint32_t, access->read_count + 1);
    struct fact_offsets stores = {storage, 0};
    const char *reads = rep_access_reads(p->a, access);
    if (*reads)
        item(p, "dependence", reads);
    for (uint32_t i = 0; storage && i < access->read_count; i++)
        add_offset(&stores, storage, access->reads[i].store);
    instructions(p, n->k, "stores", stores);
}

static void why_work(struct rep_page *p, const struct rep_note *n)
{
    VEC(uint32_t) counted = {0};
    for (size_t i = 0; i < n->k->instructions.n; i++) {
        enum fact_role role = n->k->instructions.p[i].role;
        if (role == FACT_ROLE_COMPUTE || role == FACT_ROLE_COMPARE || role == FACT_ROLE_SELECT ||
            role == FACT_ROLE_TENSOR)
            VEC_PUSH(p->a, counted, n->k->instructions.p[i].offset);
    }
    item(p, "counted as",
         "add, mul, min, max, a compare and its select, one special function: 1 each; a fused multiply-add: 2");
    instructions(p, n->k, "among", (struct fact_offsets){counted.p, (uint32_t)counted.n});
    if (n->k->accesses.n > 0)
        item(p, "bytes from", numbers_of(p, n, REP_ACCESS, (uint32_t)n->k->accesses.n));
}

static void why_comparison(struct rep_page *p, const struct rep_note *n, const struct rep_statement *s)
{
    const struct fact_comparison *c = &n->doc->comparisons.p[s->index];
    const struct fact_comparison_row *row = &c->rows.p[s->sub];
    for (unsigned side = 0; side < 2; side++) {
        const struct fact_kernel *k = &n->doc->kernels.p[side ? c->b : c->a];
        item(p, fact_kernel_name(k), rep_or_dash(side ? row->b : row->a));
    }
    item(p, "why", row->why ? row->why : "no reason follows from the facts");
}

static void say_why(struct rep_page *p, const struct rep_note *n, const struct rep_statement *s, uint32_t number)
{
    const struct fact_kernel *k = n->k;
    rep_heading(p, 1, rep_format(p->a, "%s · %s · statement %u", fact_kernel_name(k), rep_or_dash(k->arch), number));
    rep_paragraph(p, INDENT, number, REP_STRONG, rep_statement(p->a, n->doc, s));
    rep_blank(p);
    switch (s->kind) {
    case REP_SUMMARY: why_summary(p, n); break;
    case REP_FINDING: {
        const struct diag *d = &n->doc->diags->list.p[s->index];
        if (d->offset >= 0)
            one_instruction(p, k, "instruction", (uint32_t)d->offset);
        item(p, "read as", "another thread may see memory before or after it is meant to; nothing orders the two");
        break;
    }
    case REP_OUTPUT:
    case REP_DIFFERS: why_output(p, n, s); break;
    case REP_VALUE: why_value(p, n, &k->values.p[s->index]); break;
    case REP_PATTERN: why_pattern(p, n, s->index); break;
    case REP_REWRITE: why_rewrite(p, n, &k->rewrites.p[s->index]); break;
    case REP_SAID: why_said(p, n, &k->says.p[s->index]); break;
    case REP_PHASE: why_phase(p, n, &k->phases.p[s->index]); break;
    case REP_LOOP: why_loop(p, n, &k->loops.p[s->index]); break;
    case REP_PARAM: why_param(p, n, &k->params.p[s->index]); break;
    case REP_NAME:
        instructions(p, k, "computed at", k->names.p[s->index].evidence);
        item(p, "type", rep_or_dash(k->names.p[s->index].type));
        break;
    case REP_ACCESS: {
        const struct fact_access *access = &k->accesses.p[s->index];
        one_instruction(p, k, "instruction", access->offset);
        item(p, "a warp", rep_access_words(p->a, access));
        why_reads(p, n, access);
        item(p, "neighbours",
             access->stride_bytes == FACT_NONE
                 ? "the distance between neighbouring threads is not known"
                 : rep_format(p->a, "neighbouring threads are %d bytes apart", access->stride_bytes));
        if (access->conflict_degree != FACT_NONE)
            item(p, "counted as", "32 banks of 4 bytes; threads that read one word count once");
        break;
    }
    case REP_WORK: why_work(p, n); break;
    case REP_LANE: why_lane(p, n, &k->register_flow.p[s->index]); break;
    case REP_UNKNOWN:
        item(p, "bits", rep_or_dash(k->unknown.p[s->index].bits));
        item(p, "reason",
             k->unknown.p[s->index].reason ? k->unknown.p[s->index].reason : fact_why_text(k->unknown.p[s->index].why));
        break;
    case REP_COMPARISON: why_comparison(p, n, s); break;
    }
}

enum sp_status rep_why(const struct fact_document *doc, int64_t number, const struct rep_options *options,
                       struct out *o)
{
    struct arena scratch;
    struct rep_plan plan;
    struct rep_page p;
    enum sp_status status = SP_ERR_NOT_FOUND;
    arena_init(&scratch, 0);
    rep_page_init(&p, options, &scratch, o);
    if (!rep_plan_make(&plan, doc, &scratch)) {
        status = SP_ERR_MEMORY;
    } else if (number >= 1 && (uint64_t)number <= plan.list.n) {
        const struct rep_statement *s = &plan.list.p[number - 1];
        struct rep_note n = {doc, &plan, &doc->kernels.p[s->kernel], s->kernel, 0};
        say_why(&p, &n, s, (uint32_t)number);
        status = arena_failed(&scratch) ? SP_ERR_MEMORY : SP_OK;
    }
    arena_free(&scratch);
    return status;
}
