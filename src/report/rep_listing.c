/* What the note says of the machine itself: registers a lane each, the listing with roles, accesses,
 * predicates, counts.
 *
 * A lane's bar has one column an instruction (while they fit): it opens where a register is written, closes
 * at the last read, and a cross is both. The listing is cut where another phase begins; its banners say under which
 * condition the rows below take effect. */
#include "report/rep_sections.h"

#include "base/str.h"

enum { INDENT = 2, BAR_LONGEST = 40 };

/* One column an instruction; "" when the kernel is too long for a line. */
static const char *bar(const struct rep_page *p, const struct fact_kernel *k, const struct fact_register *r)
{
    enum { REST = 56 }; /* columns that the other cells of a lane want */
    struct strbuf b;
    str_init(&b, p->a);
    if (k->instructions.n > BAR_LONGEST || (int)k->instructions.n > p->width - REST)
        return b.p;
    for (size_t i = 0; i < k->instructions.n; i++) {
        uint32_t offset = k->instructions.p[i].offset;
        bool begins = false, ends = false, inside = false;
        for (uint32_t h = 0; h < r->hold_count; h++) {
            const struct fact_hold *hold = &r->holds[h];
            begins |= hold->from == offset;
            ends |= hold->to == offset;
            inside |= hold->from < offset && offset < hold->to;
        }
        bool alone = false;
        for (uint32_t h = 0; h < r->hold_count; h++)
            alone |= r->holds[h].from == offset && r->holds[h].to == offset;
        str_add(&b, alone && !inside             ? "│"
                    : begins && (ends || inside) ? "┼"
                    : begins                     ? "├"
                    : inside                     ? "─"
                    : ends                       ? "┤"
                                                 : "·");
    }
    return b.p;
}

/* A register that is written again with what it held goes on holding it. */
static bool same_hold(const struct fact_hold *a, const struct fact_hold *b)
{
    return a->to == b->from && a->part == b->part && str_equal(a->holds, b->holds) && str_equal(a->value, b->value);
}

void rep_say_flow(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    struct rep_table t = {.columns = 4,
                          .head = {"", "register", "life", "from–to, what it holds"},
                          .rigid = {true, true, true, false},
                          .empty_hidden = true};
    if (k->register_flow.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Register flow" : "REGISTER FLOW, A LANE A REGISTER");
    for (uint32_t number = n->plan->kernel_first.p[n->kernel] + 1; number <= n->plan->kernel_first.p[n->kernel + 1];
         number++) {
        const struct rep_statement *s = &n->plan->list.p[number - 1];
        struct rep_row *row = s->kind == REP_LANE ? rep_table_row(p, &t) : NULL;
        if (!row)
            continue;
        const struct fact_register *r = &k->register_flow.p[s->index];
        struct strbuf holds;
        str_init(&holds, p->a);
        for (uint32_t i = 0, end; i < r->hold_count; i = end) {
            for (end = i + 1; end < r->hold_count && same_hold(&r->holds[end - 1], &r->holds[end]);)
                end++;
            str_addf(&holds, "%s%s%s", i ? "\n" : "", rep_span_padded(p->a, r->holds[i].from, r->holds[end - 1].to),
                     rep_brief(p->a, rep_hold(p->a, &r->holds[i])));
        }
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell_code(rep_or_dash(r->name), REP_STRONG);
        row->cells[2] = rep_cell(p->markdown ? "" : bar(p, k, r), REP_DATA);
        row->cells[3] = rep_cell(holds.p, REP_PLAIN);
    }
    rep_table_write(p, &t, INDENT);
}

static const char *line_text(struct arena *a, const struct fact_instruction *in)
{
    if (in->line == FACT_NONE)
        return "";
    return rep_format(a, in->inlined_count > 0 ? "%d↑" : "%d", in->line);
}

/* A run of instructions of one source line begins here. */
static bool begins_line(const struct fact_kernel *k, size_t i)
{
    const struct fact_instruction *in = &k->instructions.p[i], *before = i ? in - 1 : NULL;
    return !before || before->line != in->line || before->file != in->file;
}

static const char *meaning_text(struct arena *a, const struct fact_instruction *in)
{
    const char *meaning = in->expr ? in->expr : rep_role_meaning(in->role);
    return in->note ? rep_format(a, "%s  // %s", meaning, in->note) : meaning;
}

/* Which phase each instruction of the listing belongs to, and where its heading stands. */
struct phase_view {
    int32_t *of;   /* of each instruction: its phase, or -1 */
    bool *heading; /* of each instruction: the stretch that it begins has one */
    bool *stray;   /* of each instruction: scheduled among those of another phase */
};

static void mark_range(const struct fact_kernel *k, struct phase_view *v, uint32_t phase, uint32_t from, uint32_t to)
{
    for (size_t i = fact_first_at(k, from); i < k->instructions.n && k->instructions.p[i].offset <= to; i++)
        if (v->of[i] < 0)
            v->of[i] = (int32_t)phase;
}

/* False when there is one phase or none: then nothing is headed. A phase is headed where its longest stretch begins and
 * where another of some length does; a few instructions among those of another phase are strays. */
static bool view_phases(struct arena *a, const struct fact_kernel *k, struct phase_view *v)
{
    enum { SOME_LENGTH = 5 };
    size_t n = k->instructions.n;
    if (k->phases.n < 2)
        return false;
    *v = (struct phase_view){ARENA_ARRAY(a, int32_t, n), ARENA_ARRAY(a, bool, n), ARENA_ARRAY(a, bool, n)};
    size_t *longest = ARENA_ARRAY(a, size_t, k->phases.n), *at = ARENA_ARRAY(a, size_t, k->phases.n);
    if (arena_failed(a))
        return false;
    for (size_t i = 0; i < n; i++)
        v->of[i] = -1;
    for (uint32_t p = 0; p < k->phases.n; p++) {
        const struct fact_phase *phase = &k->phases.p[p];
        for (uint32_t r = 0; r < phase->range_count; r++)
            mark_range(k, v, p, phase->ranges[2 * r], phase->ranges[2 * r + 1]);
    }
    for (uint32_t p = 0; p < k->phases.n; p++) /* one stretch: what the others leave of it */
        if (k->phases.p[p].range_count == 0)
            mark_range(k, v, p, k->phases.p[p].from, k->phases.p[p].to);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && v->of[end] == v->of[i];)
                end++;
            if (v->of[i] < 0)
                continue;
            size_t p = (size_t)v->of[i];
            if (pass == 0 && end - i > longest[p]) {
                longest[p] = end - i;
                at[p] = i;
            } else if (pass == 1) {
                v->heading[i] = at[p] == i || end - i >= SOME_LENGTH;
                for (size_t x = i; x < end; x++)
                    v->stray[x] = !v->heading[i];
            }
        }
    return true;
}

static const char *phase_title(struct rep_page *p, const struct rep_note *n, uint32_t index)
{
    const struct fact_phase *phase = &n->k->phases.p[index];
    return rep_format(p->a, "Phase %u, %s%s%s", index + 1, fact_phase_text(phase->kind), phase->summary ? ": " : "",
                      phase->summary ? phase->summary : "");
}

static const char *listed_meaning(struct rep_page *p, const struct fact_instruction *in, int32_t stray_of)
{
    const char *meaning = rep_brief(p->a, meaning_text(p->a, in));
    return stray_of < 0 ? meaning : rep_format(p->a, "%s  // of phase %d", meaning, stray_of + 1);
}

/* What stands over the instruction: the function that begins with it, and the phase; NULL: nothing. */
static const char *listing_title(struct rep_page *p, const struct rep_note *n, const struct fact_instruction *in,
                                 int32_t phase)
{
    const struct fact_function *f = fact_function_at(n->k, in->offset);
    const char *title = phase >= 0 ? phase_title(p, n, (uint32_t)phase) : NULL;
    if (!f || f->offset != in->offset)
        return title;
    return rep_format(p->a, "Function %s, offsets 0x%x beyond its own%s%s", f->demangled ? f->demangled : f->name,
                      f->offset, title ? "; " : "", title ? title : "");
}

void rep_say_listing(struct rep_page *p, const struct rep_note *n)
{
    enum { WIDE = 130 };
    const struct fact_kernel *k = n->k;
    struct rep_table t = {
        .columns = 7,
        .head = {"offset", "instruction", "role", "meaning", p->markdown ? "runs when" : NULL, "line", "control"},
        .rigid = {true, false, true, false, false, true, true},
        .stiff = {false, true},
        .least = {0, 30, 0, 21},
        .empty_hidden = true};
    struct phase_view view = {0};
    if (k->instructions.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Instruction by instruction" : "LISTING");
    bool phased = view_phases(p->a, k, &view);
    const char *when = NULL;
    for (size_t i = 0; i < k->instructions.n; i++) {
        const struct fact_instruction *in = &k->instructions.p[i];
        const char *title = listing_title(p, n, in, phased && view.heading[i] ? view.of[i] : -1);
        if (title && p->markdown) {
            rep_table_write(p, &t, INDENT);
            t.rows.n = 0;
            rep_heading(p, 3, title);
        }
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        if (title && !p->markdown)
            row->part = rep_format(p->a, "━━ %s", title);
        if (!str_equal(in->runs_when, when)) {
            if (!p->markdown)
                row->banner =
                    in->runs_when ? rep_format(p->a, "── when %s", rep_brief(p->a, in->runs_when)) : "── always";
            when = in->runs_when;
        }
        enum rep_style style = rep_role_style(in->role);
        row->cells[0] = rep_cell(rep_hex(p->a, in->offset), REP_DIM);
        row->cells[1] = rep_cell_code(rep_or_dash(in->text), style);
        row->cells[2] = rep_cell(fact_role_text(in->role), style);
        const char *meaning = listed_meaning(p, in, phased && view.stray[i] ? view.of[i] : -1);
        row->cells[3] = in->expr ? rep_cell_code(meaning, REP_PLAIN) : rep_cell(meaning, REP_DIM);
        if (p->markdown)
            row->cells[4] = rep_cell_code(in->runs_when ? rep_brief(p->a, in->runs_when) : "", REP_PLAIN);
        row->cells[5] = rep_cell(line_text(p->a, in), REP_DIM);
        if (in->source_text && *in->source_text && begins_line(k, i)) {
            if (p->markdown)
                row->cells[5] = rep_cell_code(rep_format(p->a, "%s  %s", row->cells[5].text, in->source_text), REP_DIM);
            else
                row->above =
                    rep_format(p->a, "   %s: %s", rep_source(p->a, n->doc, in->file, in->line), in->source_text);
        }
        row->cells[6] = rep_cell_code(p->width >= WIDE || p->markdown ? in->control_text : NULL, REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
}

void rep_say_instructions(struct rep_page *p, const struct fact_kernel *k, struct fact_offsets offsets, int indent)
{
    struct rep_table t = {.columns = 4,
                          .rigid = {true, false, true, false},
                          .stiff = {false, true},
                          .least = {0, 30, 0, 20},
                          .head = {p->markdown ? "offset" : NULL, p->markdown ? "instruction" : NULL,
                                   p->markdown ? "role" : NULL, p->markdown ? "meaning" : NULL}};
    for (uint32_t i = 0; i < offsets.n; i++) {
        const struct fact_instruction *in = fact_instruction_at(k, offsets.p[i]);
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_hex(p->a, offsets.p[i]), REP_DIM);
        row->cells[1] = rep_cell_code(in ? rep_or_dash(in->text) : "–", in ? rep_role_style(in->role) : REP_DIM);
        if (in) {
            row->cells[2] = rep_cell(fact_role_text(in->role), REP_DIM);
            row->cells[3] =
                in->expr ? rep_cell_code(in->expr, REP_PLAIN) : rep_cell(rep_role_meaning(in->role), REP_DIM);
        }
    }
    rep_table_write(p, &t, indent);
}

void rep_say_roles(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    struct rep_table t = {.columns = 4, .head = {"role", "meaning", "instructions", "at"}};
    if (k->instructions.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Role summary" : "ROLE SUMMARY");
    const char *shape = rep_shape(p->a, k);
    if (*shape)
        rep_paragraph(p, INDENT, 0, REP_PLAIN, shape);
    for (unsigned role = 0; role <= FACT_ROLE_UNKNOWN; role++) {
        VEC(uint32_t) at = {0};
        for (size_t i = 0; i < k->instructions.n; i++)
            if (k->instructions.p[i].role == (enum fact_role)role)
                VEC_PUSH(p->a, at, k->instructions.p[i].offset);
        struct rep_row *row = at.n > 0 ? rep_table_row(p, &t) : NULL;
        if (!row)
            continue;
        row->cells[0] = rep_cell(fact_role_text((enum fact_role)role), REP_STRONG);
        row->cells[1] = rep_cell(rep_role_meaning((enum fact_role)role), REP_PLAIN);
        row->cells[2] = rep_cell(rep_format(p->a, "%zu", at.n), REP_PLAIN);
        row->cells[3] = rep_cell(rep_offsets(p->a, (struct fact_offsets){at.p, (uint32_t)at.n}), REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
}

void rep_say_predicates(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    struct rep_table t = {.columns = 4, .head = {"predicate", "is", "set by", "last read by"}};
    for (size_t i = 0; i < k->register_flow.n; i++) {
        const struct fact_register *r = &k->register_flow.p[i];
        if (!r->name || (!str_starts(r->name, "P") && !str_starts(r->name, "UP")))
            continue;
        for (uint32_t h = 0; h < r->hold_count; h++) {
            const struct fact_hold *hold = &r->holds[h];
            struct rep_row *row = rep_table_row(p, &t);
            if (!row)
                return;
            row->cells[0] = rep_cell_code(r->name, REP_STRONG);
            row->cells[1] = rep_cell_code(rep_or_dash(hold->holds), REP_PLAIN);
            row->cells[2] = rep_cell_code(
                rep_format(p->a, "%s %s", rep_hex(p->a, hold->from), rep_instruction_text(k, hold->from)), REP_PLAIN);
            row->cells[3] = rep_cell_code(hold->to == hold->from ? "–"
                                                                 : rep_format(p->a, "%s %s", rep_hex(p->a, hold->to),
                                                                              rep_instruction_text(k, hold->to)),
                                          REP_PLAIN);
        }
    }
    if (t.rows.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "Predicate logic" : "PREDICATE LOGIC");
    rep_table_write(p, &t, INDENT);
}
