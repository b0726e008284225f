/* What the words of source lines say, and what became of it: a section of the note, and its sentence. */
#include "base/str.h"
#include "report/rep_sections.h"

enum { INDENT = 2 };

const char *rep_said(struct arena *a, const struct fact_said *said)
{
    const char *machine = said->machine ? said->machine : "the machine code";
    const char *text = rep_or_dash(said->text);
    if (str_equal(said->kind, "comparison"))
        return rep_format(a, "the source says %s; it is tested as %s%s", text, machine,
                          str_equal(said->sense, "inverted") ? ", the other way round" : "");
    if (str_equal(said->kind, "contraction"))
        return rep_format(a, "two operations in the source, %s; one instruction: %s", text, machine);
    if (str_equal(said->kind, "choice"))
        return rep_format(a, "the source chooses by %s; %s: %s", text,
                          said->offsets.n == 1 ? "one instruction and no branch" : "no branch", machine);
    if (str_equal(said->kind, "condition"))
        return rep_format(a, "the source says %s; no branch here: %s", text, machine);
    return rep_format(a, "the source's %s has no register of its own: %s", text, machine);
}

void rep_say_source(struct rep_page *p, const struct rep_note *n)
{
    uint32_t shown = 0, left = 0;
    struct rep_table t = {.columns = 4,
                          .head = {"", "line", "what the source says, and what became of it", "at"},
                          .rigid = {true, true, false, false},
                          .least = {0, 0, 40, 18}};
    if (n->k->says.n == 0)
        return;
    rep_heading(p, 2, p->markdown ? "What the source says" : "WHAT THE SOURCE SAYS");
    REP_EACH(n, REP_SAID, s, number)
    {
        const struct fact_said *said = &n->k->says.p[s->index];
        struct rep_row *row = rep_left_out(n, &shown, &left) ? NULL : rep_table_row(p, &t);
        if (!row)
            continue;
        row->cells[0] = rep_cell(rep_number(p, number), REP_DIM);
        row->cells[1] = rep_cell(rep_source(p->a, n->doc, said->file, said->line), REP_DIM);
        row->cells[2] = rep_cell(rep_said(p->a, said), REP_PLAIN);
        row->cells[3] = rep_cell(rep_offsets(p->a, said->offsets), REP_DIM);
    }
    rep_table_write(p, &t, INDENT);
    rep_say_left_out(p, left);
}
