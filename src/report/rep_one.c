/* One thing only: an instruction (`--at`), a source line (`--line`), a value (`--value`).
 *
 * An instruction is shown with what the registers hold before and after it, the patterns it belongs to and
 * the values it makes and uses; a line with its instructions; a value with its life. In every kernel of the
 * document that has it. */
#include "report/rep_sections.h"

#include "base/str.h"
#include "facts/fact_words.h"

enum { INDENT = 2, NAMES = 12 };

typedef bool (*say_one)(struct rep_page *p, const struct rep_note *n, const void *what);

static void item(struct rep_page *p, const char *name, const char *text)
{
    rep_item(p, INDENT, name, NAMES, text, false);
}

static enum sp_status each_kernel(const struct fact_document *doc, const struct rep_options *options, struct out *o,
                                  say_one say, const void *what)
{
    struct arena plan_arena;
    struct rep_plan plan;
    bool found = false, started = false;
    arena_init(&plan_arena, 0);
    bool complete = rep_plan_make(&plan, doc, &plan_arena);
    for (uint32_t i = 0; complete && i < doc->kernels.n && !o->failed; i++) {
        struct arena scratch;
        struct rep_page p;
        struct rep_note n = {doc, &plan, &doc->kernels.p[i], i, 0};
        arena_init(&scratch, 0);
        rep_page_init(&p, options, &scratch, o);
        p.started = started;
        found |= say(&p, &n, what);
        started = p.started;
        complete = !arena_failed(&scratch);
        arena_free(&scratch);
    }
    arena_free(&plan_arena);
    return !complete ? SP_ERR_MEMORY : found ? SP_OK : SP_ERR_NOT_FOUND;
}

static void head(struct rep_page *p, const struct rep_note *n, const char *what)
{
    rep_heading(p, 1, rep_format(p->a, "%s · %s · %s", fact_kernel_name(n->k), rep_or_dash(n->k->arch), what));
}

/* What a register holds just before and just after an instruction; NULL: nothing known. */
static const char *held(struct arena *a, const struct fact_register *r, uint32_t offset, bool after)
{
    for (uint32_t i = 0; i < r->hold_count; i++) {
        const struct fact_hold *hold = &r->holds[i];
        bool here = after ? hold->from <= offset && (offset < hold->to || hold->from == offset)
                          : hold->from < offset && offset <= hold->to;
        if (here)
            return rep_hold(a, hold);
    }
    return NULL;
}

static void say_registers(struct rep_page *p, const struct fact_kernel *k, uint32_t offset)
{
    struct rep_table t = {
        .columns = 4, .head = {"register", "before", "after", ""}, .rigid = {true, false, false, true}};
    for (size_t i = 0; i < k->register_flow.n; i++) {
        const struct fact_register *r = &k->register_flow.p[i];
        const char *before = held(p->a, r, offset, false), *after = held(p->a, r, offset, true);
        bool written = false, last = false;
        for (uint32_t h = 0; h < r->hold_count; h++) {
            written |= r->holds[h].from == offset;
            last |= r->holds[h].to == offset && r->holds[h].from != offset;
        }
        struct rep_row *row = before || after ? rep_table_row(p, &t) : NULL;
        if (!row)
            continue;
        row->cells[0] = rep_cell_code(rep_or_dash(r->name), REP_STRONG);
        row->cells[1] = rep_cell_code(before ? before : "", written || !after ? REP_PLAIN : REP_DIM);
        row->cells[2] = rep_cell_code(after ? after : "", written ? REP_STRONG : REP_DIM);
        row->cells[3] = rep_cell(written ? "written" : last ? "last read" : "", written ? REP_GOOD : REP_DIM);
    }
    if (t.rows.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Registers" : "REGISTERS");
    rep_table_write(p, &t, INDENT);
}

static const char *control_words(struct arena *a, const struct fact_instruction *in)
{
    struct strbuf b;
    str_init(&b, a);
    if (in->stall != FACT_NONE)
        str_addf(&b, "stall %d", in->stall);
    if (in->yield != FACT_NONE)
        str_addf(&b, "%s%s", b.n ? ", " : "", in->yield ? "yield" : "no yield");
    if (in->write_barrier != FACT_NONE)
        str_addf(&b, "%ssets barrier %d when written", b.n ? ", " : "", in->write_barrier);
    if (in->read_barrier != FACT_NONE)
        str_addf(&b, "%ssets barrier %d when read", b.n ? ", " : "", in->read_barrier);
    if (in->wait_mask != FACT_NONE && in->wait_mask != 0) {
        str_addf(&b, "%swaits for barrier", b.n ? ", " : "");
        for (int i = 0; i < 6; i++)
            if (in->wait_mask >> i & 1)
                str_addf(&b, " %d", i);
    }
    return b.p;
}

/* Values made (a place begins here) and used at an instruction. */
static void say_values_at(struct rep_page *p, const struct rep_note *n, uint32_t offset)
{
    struct strbuf made, used;
    str_init(&made, p->a);
    str_init(&used, p->a);
    uint32_t first = rep_plan_number(n->plan, n->kernel, REP_VALUE, 0);
    for (uint32_t i = 0; i < n->k->values.n; i++) {
        const struct fact_value *value = &n->k->values.p[i];
        bool makes = rep_has_offset(value->evidence, offset), uses = false;
        for (uint32_t s = 0; s < value->storage_count; s++)
            makes |= value->storage[s].from == offset;
        for (uint32_t u = 0; u < value->use_count; u++)
            uses |= value->uses[u].offset == offset;
        const char *text =
            rep_format(p->a, "[%u] %s = %s (%s)", first + i, rep_or_dash(value->id),
                       value->name ? value->name : rep_or_dash(value->expr), fact_class_text(value->cls));
        if (makes && !uses)
            str_addf(&made, "%s%s", made.n ? "\n" : "", text);
        if (uses)
            str_addf(&used, "%s%s", used.n ? "\n" : "", text);
    }
    if (made.n)
        item(p, "makes", made.p);
    if (used.n)
        item(p, "uses", used.p);
}

static bool in_phase(const struct fact_phase *phase, uint32_t offset)
{
    for (uint32_t r = 0; r < phase->range_count; r++)
        if (phase->ranges[2 * r] <= offset && offset <= phase->ranges[2 * r + 1])
            return true;
    return phase->range_count == 0 && phase->from <= offset && offset <= phase->to;
}

/* The phase and the loops it stands in, and what it does to memory. */
static void say_surroundings(struct rep_page *p, const struct rep_note *n, uint32_t offset)
{
    for (uint32_t i = 0; n->k->phases.n > 1 && i < n->k->phases.n; i++)
        if (in_phase(&n->k->phases.p[i], offset))
            item(p, "phase",
                 rep_format(p->a, "[%u] %u, %s: %s", rep_plan_number(n->plan, n->kernel, REP_PHASE, i), i + 1,
                            fact_phase_text(n->k->phases.p[i].kind), rep_or_dash(n->k->phases.p[i].summary)));
    for (uint32_t i = 0; i < n->k->loops.n; i++) {
        const struct fact_loop *loop = &n->k->loops.p[i];
        for (uint32_t x = 0; x < loop->piece_count; x++)
            if (loop->pieces[x].from <= offset && offset <= loop->pieces[x].to)
                item(p, "loop",
                     rep_format(p->a, "[%u] %u%s: %s", rep_plan_number(n->plan, n->kernel, REP_LOOP, i), loop->id,
                                loop->pieces[x].unroll > 1
                                    ? rep_format(p->a, ", where its body stands %u times", loop->pieces[x].unroll)
                                    : "",
                                rep_brief(p->a, rep_loop_runs(p->a, loop))));
    }
    for (uint32_t i = 0; i < n->k->accesses.n; i++) {
        const struct fact_access *access = &n->k->accesses.p[i];
        const char *reads = access->offset == offset ? rep_access_reads(p->a, access) : "";
        if (access->offset == offset)
            item(p, "a warp",
                 rep_format(p->a, "[%u] %s", rep_plan_number(n->plan, n->kernel, REP_ACCESS, i),
                            rep_access_words(p->a, access)));
        if (*reads)
            item(p, "dependence", reads);
    }
}

static bool say_at(struct rep_page *p, const struct rep_note *n, const void *what)
{
    uint32_t offset = *(const uint32_t *)what;
    const struct fact_instruction *in = fact_instruction_at(n->k, offset);
    if (!in)
        return false;
    head(p, n, rep_hex(p->a, offset));
    rep_item(p, INDENT, "instruction", NAMES, rep_or_dash(in->text), true);
    item(p, "role", rep_format(p->a, "%s: %s", fact_role_text(in->role), rep_role_meaning(in->role)));
    if (in->expr)
        rep_item(p, INDENT, "meaning", NAMES, in->expr, true);
    if (in->note)
        item(p, "note", in->note);
    item(p, "runs when", in->runs_when ? in->runs_when : "always");
    if (in->line != FACT_NONE)
        item(p, "source",
             rep_format(p->a, "%s%s%s", rep_source(p->a, n->doc, in->file, in->line), in->source_text ? "  " : "",
                        in->source_text ? in->source_text : ""));
    for (uint32_t i = 0; i < in->inlined_count; i++)
        item(p, "inlined at",
             rep_format(p->a, "%s%s%s", rep_source(p->a, n->doc, in->inlined[i].file, in->inlined[i].line),
                        in->inlined[i].function ? " from " : "",
                        in->inlined[i].function ? in->inlined[i].function : ""));
    if (in->ptx_line != FACT_NONE)
        item(p, "PTX line", rep_format(p->a, "%d", in->ptx_line));
    const char *control = control_words(p->a, in);
    if (*control)
        item(p, "schedule", control);
    say_surroundings(p, n, offset);
    for (uint32_t i = 0; i < n->k->patterns.n; i++) {
        const struct fact_pattern *pattern = &n->k->patterns.p[i];
        if (rep_has_offset(pattern->offsets, offset))
            item(p, "pattern",
                 rep_format(p->a, "[%u] %s%s%s", rep_plan_number(n->plan, n->kernel, REP_PATTERN, i),
                            rep_or_dash(pattern->id), pattern->bindings.n ? ": " : "",
                            rep_bindings(p->a, pattern->bindings)));
    }
    for (uint32_t i = 0; i < n->k->rewrites.n; i++)
        if (rep_has_offset(n->k->rewrites.p[i].sass, offset))
            item(p, "rewrite",
                 rep_format(p->a, "[%u] %s: %s", rep_plan_number(n->plan, n->kernel, REP_REWRITE, i),
                            rep_or_dash(n->k->rewrites.p[i].kind), rep_rewrite(p->a, &n->k->rewrites.p[i])));
    say_values_at(p, n, offset);
    say_registers(p, n->k, offset);
    return true;
}

static bool on_line(const struct fact_instruction *in, int32_t line)
{
    if (in->line == line)
        return true;
    for (uint32_t i = 0; i < in->inlined_count; i++)
        if (in->inlined[i].line == line)
            return true;
    return false;
}

static bool say_line(struct rep_page *p, const struct rep_note *n, const void *what)
{
    int32_t line = (int32_t) * (const uint32_t *)what, file = FACT_NONE;
    VEC(uint32_t) at = {0};
    for (size_t i = 0; i < n->k->instructions.n; i++) {
        const struct fact_instruction *in = &n->k->instructions.p[i];
        if (!on_line(in, line))
            continue;
        if (file == FACT_NONE && in->line == line)
            file = in->file;
        VEC_PUSH(p->a, at, in->offset);
    }
    if (at.n == 0)
        return false;
    struct fact_offsets offsets = {at.p, (uint32_t)at.n};
    head(p, n, rep_source(p->a, n->doc, file, line));
    for (size_t i = 0; i < n->k->lines.n; i++)
        if (n->k->lines.p[i].line == line && n->k->lines.p[i].text)
            item(p, "says",
                 rep_format(p->a, "%s  %s", rep_source(p->a, n->doc, n->k->lines.p[i].file, line),
                            n->k->lines.p[i].text));
    item(p, "became",
         rep_format(p->a, "%zu of %zu instructions: %s", at.n, n->k->instructions.n, rep_offsets(p->a, offsets)));
    for (size_t i = 0; i < n->k->rewrites.n; i++)
        if (n->k->rewrites.p[i].source_line == line)
            item(p, "rewrite",
                 rep_format(p->a, "%s: %s", rep_or_dash(n->k->rewrites.p[i].kind),
                            rep_rewrite(p->a, &n->k->rewrites.p[i])));
    for (size_t i = 0; i < n->k->says.n; i++)
        if (n->k->says.p[i].line == line)
            item(p, "held against", rep_said(p->a, &n->k->says.p[i]));
    rep_blank(p);
    rep_say_instructions(p, n->k, offsets, INDENT);
    return true;
}

static bool say_value(struct rep_page *p, const struct rep_note *n, const void *what)
{
    bool found = false;
    for (uint32_t i = 0; i < n->k->values.n; i++) {
        const struct fact_value *value = &n->k->values.p[i];
        if (!str_equal(value->id, what) && !str_equal(value->name, what))
            continue;
        found = true;
        head(p, n, rep_format(p->a, "value %s", rep_or_dash(value->id)));
        rep_item(p, INDENT, "value", NAMES, value->name ? value->name : rep_or_dash(value->expr), true);
        if (value->expr && !str_equal(value->expr, value->name))
            rep_item(p, INDENT, "exactly", NAMES, value->expr, true);
        item(p, "type", value->type ? value->type : "unknown");
        item(p, "class", rep_format(p->a, "%s: %s", fact_class_text(value->cls), rep_class_meaning(value->cls)));
        item(p, "confidence", rep_confidence_meaning(value->confidence, false));
        item(p, "evidence", rep_format(p->a, "statement [%u]", rep_plan_number(n->plan, n->kernel, REP_VALUE, i)));
        struct rep_table t = {.columns = 4,
                              .head = {"at", "what happens", "instruction", "meaning"},
                              .rigid = {true, true, false, false},
                              .least = {0, 0, 24, 12}};
        /* Its life: places begin, uses, in the order of offsets. */
        for (size_t x = 0; x < n->k->instructions.n; x++) {
            const struct fact_instruction *in = &n->k->instructions.p[x];
            struct strbuf event;
            str_init(&event, p->a);
            for (uint32_t s = 0; s < value->storage_count; s++) {
                const struct fact_storage *place = &value->storage[s];
                if (place->from == in->offset)
                    str_addf(&event, "%s%s %s%s", event.n ? "\n" : "",
                             place->where == FACT_REGISTER || place->where == FACT_UNIFORM ||
                                     place->where == FACT_PREDICATE
                                 ? "into"
                                 : "in",
                             fact_where_text(place->where), place->at ? rep_format(p->a, " %s", place->at) : "");
            }
            for (uint32_t u = 0; u < value->use_count; u++)
                if (value->uses[u].offset == in->offset)
                    str_addf(&event, "%sused via %s%s", event.n ? "\n" : "", fact_where_text(value->uses[u].via),
                             value->uses[u].other_thread ? ", by another thread" : "");
            for (uint32_t s = 0; s < value->storage_count; s++)
                if (value->storage[s].to == in->offset && value->storage[s].from != in->offset)
                    str_addf(&event, "%slast read of %s", event.n ? "\n" : "", rep_or_dash(value->storage[s].at));
            struct rep_row *row = event.n ? rep_table_row(p, &t) : NULL;
            if (!row)
                continue;
            row->cells[0] = rep_cell(rep_hex(p->a, in->offset), REP_DIM);
            row->cells[1] = rep_cell(event.p, REP_PLAIN);
            row->cells[2] = rep_cell_code(rep_or_dash(in->text), rep_role_style(in->role));
            row->cells[3] = rep_cell_code(in->expr, REP_PLAIN);
        }
        if (t.rows.n > 0) {
            rep_heading(p, 2, p->markdown ? "Its life" : "ITS LIFE");
            rep_table_write(p, &t, INDENT);
        }
    }
    return found;
}

enum sp_status rep_at(const struct fact_document *doc, uint32_t offset, const struct rep_options *options,
                      struct out *o)
{
    return each_kernel(doc, options, o, say_at, &offset);
}

enum sp_status rep_line(const struct fact_document *doc, uint32_t line, const struct rep_options *options,
                        struct out *o)
{
    return each_kernel(doc, options, o, say_line, &line);
}

enum sp_status rep_value(const struct fact_document *doc, const char *value, const struct rep_options *options,
                         struct out *o)
{
    return each_kernel(doc, options, o, say_value, value);
}
