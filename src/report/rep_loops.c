/* What a kernel does one after the other, and again: findings, phases with their stretches and patterns, loops with
 * counter, pieces and what they carry.
 *
 * A loop is a paragraph and its particulars rather than a row: pieces, carried values and work have no common width. */
#include "report/rep_sections.h"

#include "report/rep_group.h"

#include "base/str.h"

enum { INDENT = 2, NAMES = 7, CARRIED = 12 };

void rep_say_findings(struct rep_page *p, const struct rep_note *n)
{
    bool headed = false;
    REP_EACH(n, REP_FINDING, s, number)
    {
        if (!headed)
            rep_heading(p, 2, p->markdown ? "Findings" : "FINDINGS");
        headed = true;
        rep_paragraph(p, INDENT, number, REP_ALARM, rep_statement(p->a, n->doc, s));
    }
}

const char *rep_phase_ranges(struct arena *a, const struct fact_phase *phase)
{
    struct strbuf b;
    if (phase->range_count == 0)
        return rep_span(a, phase->from, phase->to);
    str_init(&b, a);
    for (uint32_t i = 0; i < phase->range_count; i++)
        str_addf(&b, "%s%s", i ? ", " : "", rep_span(a, phase->ranges[2 * i], phase->ranges[2 * i + 1]));
    return b.p;
}

static bool in_list(const uint32_t *list, uint32_t n, int32_t wanted)
{
    for (uint32_t i = 0; i < n; i++)
        if ((int32_t)list[i] == wanted)
            return true;
    return false;
}

/* "tree-reduction [12], barrier [13], [17]": those of a phase that are no parts of others there, by page; of copies the
 * one that stands for them. */
static const char *patterns_of(struct rep_page *p, const struct rep_note *n, const struct fact_phase *phase,
                               const uint32_t *leads)
{
    enum { MOST = 64 }; /* of a phase; --why has all */
    uint32_t kept[MOST], count = 0, left = 0;
    struct strbuf b;
    str_init(&b, p->a);
    for (uint32_t i = 0; i < phase->pattern_count; i++) {
        uint32_t index = phase->patterns[i];
        if (index >= n->k->patterns.n || (leads && leads[index] != index) || (count == MOST && ++left))
            continue;
        int32_t parent = n->k->patterns.p[index].parent;
        if (parent == FACT_NONE || !in_list(phase->patterns, phase->pattern_count, parent))
            kept[count++] = index;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *id = rep_or_dash(n->k->patterns.p[kept[i]].id);
        bool again = false;
        uint32_t same = 0;
        for (uint32_t x = 0; x < i && !again; x++)
            again = str_equal(rep_or_dash(n->k->patterns.p[kept[x]].id), id);
        for (uint32_t x = i; x < count && !again; x++)
            if (str_equal(rep_or_dash(n->k->patterns.p[kept[x]].id), id) && same++ < 3)
                str_addf(&b, "%s%s[%u]",
                         same > 1 ? "," REP_NO_BREAK
                         : b.n    ? ", "
                                  : "",
                         same > 1 ? "" : rep_format(p->a, "%s" REP_NO_BREAK, id),
                         rep_plan_number(n->plan, n->kernel, REP_PATTERN, kept[x]));
        if (same > 3)
            str_addf(&b, REP_NO_BREAK "and" REP_NO_BREAK "%u" REP_NO_BREAK "more", same - 3);
    }
    if (left)
        str_addf(&b, ", … %u more", left);
    return b.p;
}

void rep_say_phases(struct rep_page *p, const struct rep_note *n)
{
    const uint32_t *leads = rep_group_patterns(p->a, n);
    struct rep_table t = {.columns = 5,
                          .head = {"", "phase", "does", "patterns", "at"},
                          .rigid = {true, true},
                          .stiff = {[4] = true},
                          .least = {[2] = 20, [3] = 20, [4] = 15},
                          .empty_hidden = true};
    if (n->k->phases.n > 0)
        rep_heading(p, 2, p->markdown ? "Phases" : "PHASES");
    REP_EACH(n, REP_PHASE, s, number)
    {
        const struct fact_phase *phase = &n->k->phases.p[s->index];
        struct rep_row *row = rep_table_row(p, &t);
        if (!row)
            return;
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(rep_format(p->a, "%u %s", s->index + 1, fact_phase_text(phase->kind)), REP_STRONG);
        row->cells[2] = rep_cell(rep_or_dash(phase->summary), REP_PLAIN);
        row->cells[3] = rep_cell(patterns_of(p, n, phase, leads), REP_PLAIN);
        row->cells[4] = rep_cell(rep_phase_ranges(p->a, phase), REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
}

const char *rep_loop_pieces(struct arena *a, const struct fact_loop *loop)
{
    struct strbuf b;
    str_init(&b, a);
    for (uint32_t i = 0; i < loop->piece_count; i++) {
        const struct fact_loop_piece *piece = &loop->pieces[i];
        str_addf(&b, "%s%s" REP_NO_BREAK "%s%s", i ? ", " : "", rep_span(a, piece->from, piece->to),
                 piece->straight ? "straight" : "loop",
                 piece->unroll > 1 ? rep_format(a, REP_NO_BREAK "×%u", piece->unroll) : "");
    }
    return b.p;
}

const char *rep_loop_carried(struct arena *a, const struct fact_loop *loop)
{
    static const char *const kind[] = {"counter", "address", "data"};
    struct strbuf b;
    str_init(&b, a);
    for (uint32_t i = 0; i < loop->carried_count && i < CARRIED; i++) {
        const struct fact_carried *carried = &loop->carried[i];
        const char *expr = rep_brief(a, rep_or_dash(carried->expr));
        bool named = carried->value && !str_equal(carried->value, expr);
        str_addf(&b, "%s%s%s%s (%s, made at %s)", i ? "\n" : "", named ? carried->value : "", named ? " = " : "", expr,
                 kind[carried->kind], rep_hex(a, carried->at));
    }
    if (loop->carried_count > CARRIED)
        str_addf(&b, "\n… %u more", loop->carried_count - CARRIED);
    return b.n ? b.p : "nothing";
}

const char *rep_loop_runs(struct arena *a, const struct fact_loop *loop)
{
    struct strbuf b;
    if (!loop->counter)
        return "no counter found";
    str_init(&b, a);
    str_add(&b, loop->counter);
    if (loop->start)
        str_addf(&b, " from %s", loop->start);
    if (loop->step)
        str_addf(&b, ", next %s", loop->step);
    str_addf(&b, ", until %s", loop->until ? loop->until : "a condition that is not told by it");
    return b.p;
}

void rep_say_loops(struct rep_page *p, const struct rep_note *n)
{
    if (n->k->loops.n > 0)
        rep_heading(p, 2, p->markdown ? "Loops" : "LOOPS");
    REP_EACH(n, REP_LOOP, s, number)
    {
        const struct fact_loop *loop = &n->k->loops.p[s->index];
        struct strbuf b;
        str_init(&b, p->a);
        str_addf(&b, "loop %u", loop->id);
        if (loop->parent != FACT_NONE)
            str_addf(&b, " in loop %d", loop->parent);
        str_addf(&b, ", %s: %s", rep_span(p->a, loop->from, loop->to), rep_brief(p->a, rep_loop_runs(p->a, loop)));
        rep_paragraph(p, INDENT, number, REP_STRONG, b.p);
        rep_item(p, INDENT + 5, "turns", NAMES, loop->count ? rep_brief(p->a, loop->count) : "not known beforehand",
                 loop->count != NULL);
        if (loop->piece_count > 1 || loop->unroll > 1 || (loop->piece_count == 1 && loop->pieces[0].straight))
            rep_item(p, INDENT + 5, "pieces", NAMES, rep_loop_pieces(p->a, loop), false);
        rep_item(p, INDENT + 5, "carries", NAMES, rep_loop_carried(p->a, loop), false);
        for (size_t w = 0; w < n->k->loop_work.n; w++)
            if (n->k->loop_work.p[w].loop == loop->id)
                rep_item(p, INDENT + 5, "a turn", NAMES, rep_work(p->a, &n->k->loop_work.p[w].work), false);
        const char *source = rep_source(p->a, n->doc, loop->source_file, loop->source_line);
        if (*source)
            rep_item(p, INDENT + 5, "source", NAMES, source, false);
        if (p->markdown)
            rep_blank(p);
    }
}
