/* Three columns: what the source line says, the PTX it became, the machine code that became of that; roles at the
 * right, rewrites between.
 *
 * Instructions stay in the order of the program. A run of them that comes from one source line (and through the same
 * inlined calls) is a group. PTX stands beside the first instruction that the line table says came of it; what became
 * no instruction of its own stands where its neighbours and its source line are, with nothing beside it; PTX of a line
 * that no instruction comes from is a group of its own. Without such a table PTX is put beside by source lines alone.
 * Nothing is wrapped: a cell that is too long ends in an ellipsis. */
#include "report/rep_sections.h"

#include "base/map.h"
#include "base/str.h"
#include "facts/fact_words.h"

#include <string.h>

enum { INDENT = 2, NAMES = 8, NARROWEST = 80, SPACES = 2, LEAST = 12, NONE = UINT32_MAX };

struct group {
    uint32_t first, count; /* instructions; count 0: PTX alone */
    int32_t file, line;
    const struct fact_inline *inlined;
    uint32_t inlined_count;
    uint32_t ptx_first, ptx_count; /* into lines_view.ptx */
    uint32_t early, late;          /* + 1: the first groups of PTX alone that stand before and behind this one */
    uint32_t last[2];              /* + 1: the last of them */
    uint32_t next;                 /* of PTX alone: + 1, the next one there */
};

struct lines_view {
    struct rep_page *p;
    const struct rep_note *n;
    VEC(struct group) groups;
    uint32_t run_groups; /* those of instructions */
    uint32_t *ptx;       /* records by group */
    uint32_t *ptx_at;    /* of each instruction: + 1, the record that stands beside it */
    bool by_table;       /* PTX stands beside instructions, not only beside lines */
    bool several;        /* files, or inlined calls: groups say where they are from */
    bool of_ptx;         /* the input is PTX itself */
    bool text, has_ptx;
    struct map_u64 texts; /* file and line -> index into kernel's lines */
};

/* ---- texts ----------------------------------------------------------------------------------- */

/* What can be shown of a text, at most `width` columns of it (0: all). */
static const char *cut(struct arena *a, const char *text, int width)
{
    struct strbuf b;
    str_init(&b, a);
    if (!text)
        return NULL;
    int room = width > 0 && rep_text_width(text) > width ? width - 1 : -1;
    for (const char *p = text, *end = text + strlen(text); p < end && room != 0; room -= room > 0) {
        bool fine;
        size_t n = rep_character(p, (size_t)(end - p), &fine);
        if (fine)
            str_addn(&b, p, n);
        else
            str_addc(&b, '?');
        p += n;
    }
    if (room == 0)
        str_add(&b, "…");
    return b.p;
}

static uint64_t line_key(int32_t file, int32_t line)
{
    return (uint64_t)(uint32_t)file << 32 | (uint32_t)line;
}

static const char *text_of(const struct lines_view *v, int32_t file, int32_t line)
{
    uint32_t at;
    return map_u64_get(&v->texts, line_key(file, line), &at) ? v->n->k->lines.p[at].text : NULL;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool same_calls(const struct fact_instruction *a, const struct fact_instruction *b)
{
    if (a->inlined_count != b->inlined_count)
        return false;
    for (uint32_t i = 0; i < a->inlined_count; i++)
        if (a->inlined[i].file != b->inlined[i].file || a->inlined[i].line != b->inlined[i].line ||
            !str_equal(a->inlined[i].function, b->inlined[i].function))
            return false;
    return true;
}

static void group_runs(struct lines_view *v, uint32_t *group_of)
{
    const struct fact_kernel *k = v->n->k;
    for (uint32_t i = 0; i < k->instructions.n; i++) {
        const struct fact_instruction *in = &k->instructions.p[i], *before = i ? in - 1 : NULL;
        if (!before || in->file != before->file || in->line != before->line || !same_calls(in, before)) {
            struct group g = {.first = i,
                              .file = in->file,
                              .line = in->line,
                              .inlined = in->inlined,
                              .inlined_count = in->inlined_count};
            v->several |= v->groups.n && (in->file != v->groups.p[0].file || in->inlined_count);
            VEC_PUSH(v->p->a, v->groups, g);
        }
        if (!v->groups.n)
            return;
        v->groups.p[v->groups.n - 1].count++;
        group_of[i] = (uint32_t)v->groups.n - 1;
    }
    v->run_groups = (uint32_t)v->groups.n;
}

static uint32_t index_at(const struct fact_kernel *k, uint32_t offset)
{
    const struct fact_instruction *in = fact_instruction_at(k, offset);
    return in ? (uint32_t)(in - k->instructions.p) : NONE;
}

/* The group of PTX alone before or behind the group of instructions `anchor` for a line: the last one there when it is
 * of that line. */
static uint32_t ptx_group(struct lines_view *v, uint32_t anchor, bool early, int32_t file, int32_t line)
{
    uint32_t last = v->groups.p[anchor].last[early];
    if (last && v->groups.p[last - 1].file == file && v->groups.p[last - 1].line == line)
        return last - 1;
    struct group g = {.file = file, .line = line};
    VEC_PUSH(v->p->a, v->groups, g);
    uint32_t made = (uint32_t)v->groups.n;
    if (last)
        v->groups.p[last - 1].next = made;
    else
        *(early ? &v->groups.p[anchor].early : &v->groups.p[anchor].late) = made;
    v->groups.p[anchor].last[early] = made;
    return made - 1;
}

static bool same_line(const struct group *a, const struct group *b)
{
    return a->file == b->file && a->line == b->line;
}

/* Records of one function: [from, end). What stands beside nothing goes to its source line's group where its PTX tells
 * the line; else to the group that both its neighbours are in, or to one of no line. */
static void place_function(struct lines_view *v, const struct map_u64 *first, uint32_t from, uint32_t end, uint32_t *at)
{
    const struct fact_kernel *k = v->n->k;
    uint32_t before = NONE, next = from, anchor = NONE;
    for (uint32_t r = from; r < end && !arena_failed(v->p->a); r++) {
        const struct fact_ptx *ptx = &k->ptx.p[r];
        if (at[r] != NONE) {
            before = anchor = at[r];
            continue;
        }
        for (next = next > r ? next : r + 1; next < end && at[next] == NONE;)
            next++;
        uint32_t after = next < end ? at[next] : NONE, g;
        bool early = anchor == NONE && after != NONE;
        uint32_t near = anchor != NONE ? anchor : after != NONE ? after : 0;
        if (ptx->source_line == FACT_NONE) {
            bool between = before != NONE && after != NONE && same_line(&v->groups.p[before], &v->groups.p[after]);
            at[r] = between ? before : ptx_group(v, near, early, FACT_NONE, FACT_NONE);
        } else if (before != NONE && v->groups.p[before].line == ptx->source_line &&
                   v->groups.p[before].file == ptx->file) {
            at[r] = before;
        } else if (after != NONE && v->groups.p[after].line == ptx->source_line &&
                   v->groups.p[after].file == ptx->file) {
            at[r] = after;
        } else if (map_u64_get(first, line_key(ptx->file, ptx->source_line), &g)) {
            at[r] = g;
        } else {
            at[r] = ptx_group(v, near, early, ptx->file, ptx->source_line);
        }
        before = at[r];
        if (before < v->run_groups)
            anchor = before;
    }
}

/* Which group shows each record of PTX. */
static bool place_ptx(struct lines_view *v, const uint32_t *group_of, uint32_t *at)
{
    const struct fact_kernel *k = v->n->k;
    struct map_u64 first = {0};
    for (uint32_t g = v->run_groups; g-- > 0;)
        if (v->groups.p[g].line != FACT_NONE)
            map_u64_put(v->p->a, &first, line_key(v->groups.p[g].file, v->groups.p[g].line), g);
    for (uint32_t r = 0; r < k->ptx.n; r++) {
        const struct fact_ptx *ptx = &k->ptx.p[r];
        uint32_t beside = ptx->offsets.n ? index_at(k, ptx->offsets.p[0]) : NONE;
        at[r] = beside == NONE ? NONE : group_of[beside];
        if (beside != NONE)
            v->ptx_at[beside] = r + 1;
    }
    for (uint32_t from = 0, end; from < k->ptx.n; from = end) {
        for (end = from + 1; end < k->ptx.n && str_equal(k->ptx.p[end].function, k->ptx.p[from].function);)
            end++;
        place_function(v, &first, from, end, at);
    }
    return !arena_failed(v->p->a);
}

static bool make_groups(struct lines_view *v)
{
    const struct fact_kernel *k = v->n->k;
    struct arena *a = v->p->a;
    uint32_t *group_of = ARENA_ARRAY(a, uint32_t, k->instructions.n + 1);
    uint32_t *at = ARENA_ARRAY(a, uint32_t, k->ptx.n + 1);
    v->ptx_at = ARENA_ARRAY(a, uint32_t, k->instructions.n + 1);
    v->ptx = ARENA_ARRAY(a, uint32_t, k->ptx.n + 1);
    if (!group_of || !at || !v->ptx_at || !v->ptx)
        return false;
    for (size_t i = 0; i < k->lines.n; i++)
        map_u64_put(a, &v->texts, line_key(k->lines.p[i].file, k->lines.p[i].line), (uint32_t)i);
    group_runs(v, group_of);
    if (arena_failed(a))
        return false;
    if (!v->groups.n || v->of_ptx)
        return true;
    for (size_t r = 0; r < k->ptx.n; r++)
        v->by_table |= k->ptx.p[r].offsets.n > 0;
    if (!place_ptx(v, group_of, at))
        return false;
    for (size_t r = 0; r < k->ptx.n; r++)
        v->groups.p[at[r]].ptx_count++;
    uint32_t next = 0;
    for (size_t g = 0; g < v->groups.n; g++) {
        v->groups.p[g].ptx_first = next;
        next += v->groups.p[g].ptx_count;
        v->groups.p[g].ptx_count = 0;
    }
    for (uint32_t r = 0; r < k->ptx.n; r++) {
        struct group *g = &v->groups.p[at[r]];
        v->ptx[g->ptx_first + g->ptx_count++] = r;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum column { COLUMN_LINE, COLUMN_SOURCE, COLUMN_PTX, COLUMN_SASS, COLUMN_ROLE, COLUMN_REMARK };

static const char *ptx_text(const struct lines_view *v, uint32_t record)
{
    const struct fact_ptx *ptx = &v->n->k->ptx.p[record];
    return rep_format(v->p->a, "%d  %s", ptx->line, rep_or_dash(ptx->text));
}

static void set_ptx(const struct lines_view *v, struct rep_row *row, uint32_t record)
{
    row->cells[COLUMN_PTX] = rep_cell_code(ptx_text(v, record), REP_PLAIN);
}

static void set_instruction(const struct lines_view *v, struct rep_row *row, uint32_t index)
{
    const struct fact_instruction *in = &v->n->k->instructions.p[index];
    enum rep_style style = rep_role_style(in->role);
    const char *text = v->of_ptx && in->ptx_line != FACT_NONE
                           ? rep_format(v->p->a, "%d  %s", in->ptx_line, rep_or_dash(in->text))
                           : rep_format(v->p->a, "0x%04x  %s", in->offset, rep_or_dash(in->text));
    row->cells[COLUMN_SASS] = rep_cell_code(text, style);
    row->cells[COLUMN_ROLE] = rep_cell(fact_role_text(in->role), style);
    if (!v->ptx_at[index] && v->by_table && in->ptx_line != FACT_NONE) /* shown beside an earlier one */
        row->cells[COLUMN_PTX] = rep_cell(rep_format(v->p->a, "%d", in->ptx_line), REP_DIM);
}

/* "inc.cuh · in square_plus<float>, called at k.cu:11": where a group's lines are from. */
static const char *place_text(const struct lines_view *v, const struct group *g)
{
    const struct fact_document *doc = v->n->doc;
    struct strbuf b;
    str_init(&b, v->p->a);
    const char *path = g->file >= 0 && (size_t)g->file < doc->files.n ? doc->files.p[g->file] : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    str_add(&b, path ? slash ? slash + 1 : path : g->line == FACT_NONE ? "no line in the table" : "a file not told");
    for (uint32_t i = 0; i < g->inlined_count; i++) {
        const struct fact_inline *in = &g->inlined[i];
        if (in->function)
            str_addf(&b, "%s in %s", i ? "," : " ·", in->function);
        str_addf(&b, "%s inlined at %s", in->function || i ? "," : " ·",
                 in->line == FACT_NONE ? "a line not told" : rep_source(v->p->a, doc, in->file, in->line));
    }
    return cut(v->p->a, b.p, 0);
}

static bool has_lines(const struct fact_kernel *k)
{
    return k->lines.n > 0;
}

static bool same_place(const struct group *a, const struct group *b)
{
    struct fact_instruction x = {.inlined = a->inlined, .inlined_count = a->inlined_count};
    struct fact_instruction y = {.inlined = b->inlined, .inlined_count = b->inlined_count};
    return a->file == b->file && same_calls(&x, &y);
}

/* Rows of one group: PTX that stands beside nothing comes before the next that stands beside something. */
static void add_rows(struct lines_view *v, struct rep_table *t, const struct group *g)
{
    uint32_t next = 0;
    for (uint32_t i = g->first; i < g->first + g->count; i++) {
        uint32_t beside = v->ptx_at[i] ? v->ptx_at[i] - 1 : NONE;
        while (v->by_table && beside != NONE && next < g->ptx_count && v->ptx[g->ptx_first + next] < beside) {
            uint32_t record = v->ptx[g->ptx_first + next++];
            const struct fact_ptx *ptx = &v->n->k->ptx.p[record];
            struct rep_row *row = ptx->offsets.n ? NULL : rep_table_row(v->p, t);
            if (row)
                set_ptx(v, row, record);
        }
        struct rep_row *row = rep_table_row(v->p, t);
        if (!row)
            return;
        set_instruction(v, row, i);
        if (beside != NONE)
            set_ptx(v, row, beside);
        else if (!v->by_table && next < g->ptx_count)
            set_ptx(v, row, v->ptx[g->ptx_first + next++]);
    }
    for (; next < g->ptx_count; next++) {
        uint32_t record = v->ptx[g->ptx_first + next];
        struct rep_row *row = v->by_table && v->n->k->ptx.p[record].offsets.n ? NULL : rep_table_row(v->p, t);
        if (row)
            set_ptx(v, row, record);
    }
}

struct remarks { /* of each group: what is told behind it */
    struct strbuf *of;
};

static void add_remark(struct lines_view *v, struct remarks *r, const uint32_t *group_of, struct fact_offsets at,
                       const char *text)
{
    uint32_t index = at.n ? index_at(v->n->k, at.p[at.n - 1]) : NONE;
    if (index == NONE)
        return;
    struct strbuf *b = &r->of[group_of[index]];
    str_addf(b, "%s%s", b->n ? "\n" : "", cut(v->p->a, text, 0));
}

static bool collect_remarks(struct lines_view *v, struct remarks *r)
{
    const struct fact_kernel *k = v->n->k;
    uint32_t *group_of = ARENA_ARRAY(v->p->a, uint32_t, k->instructions.n + 1);
    r->of = ARENA_ARRAY(v->p->a, struct strbuf, v->groups.n + 1);
    if (!group_of || !r->of)
        return false;
    for (uint32_t g = 0; g < v->groups.n; g++)
        str_init(&r->of[g], v->p->a);
    for (uint32_t g = 0; g < v->run_groups; g++)
        for (uint32_t i = 0; i < v->groups.p[g].count; i++)
            group_of[v->groups.p[g].first + i] = g;
    REP_EACH(v->n, REP_SAID, s, number)
    {
        const struct fact_said *said = &k->says.p[s->index];
        add_remark(v, r, group_of, said->offsets, rep_format(v->p->a, "▸ [%u] %s", number, rep_said(v->p->a, said)));
    }
    REP_EACH(v->n, REP_REWRITE, s, number)
    {
        const struct fact_rewrite *rewrite = &k->rewrites.p[s->index];
        add_remark(v, r, group_of, rewrite->sass,
                   rep_format(v->p->a, "▸ [%u] %s, %s: %s", number, rep_or_dash(rewrite->kind),
                              rewrite->stage == FACT_STAGE_UNKNOWN ? "stage unknown" : fact_stage_text(rewrite->stage),
                              rep_rewrite(v->p->a, rewrite)));
    }
    return !arena_failed(v->p->a);
}

static void add_group(struct lines_view *v, struct rep_table *t, const struct group *g, const struct group *before,
                      const char *remarks)
{
    size_t first = t->rows.n;
    add_rows(v, t, g);
    if (t->rows.n == first)
        return;
    struct rep_row *row = &t->rows.p[first];
    if (g->line != FACT_NONE) {
        const char *text = text_of(v, g->file, g->line);
        row->cells[COLUMN_LINE] = rep_cell(rep_format(v->p->a, "%d", g->line), REP_DIM);
        row->cells[COLUMN_SOURCE] = rep_cell_code(text, REP_STRONG);
        v->text |= text != NULL;
    } else if (!g->count && has_lines(v->n->k)) {
        row->cells[COLUMN_LINE] = rep_cell("–", REP_DIM);
    }
    if (v->several && g->count && (!before || !same_place(g, before))) {
        if (v->p->markdown)
            row->cells[COLUMN_LINE].text =
                rep_format(v->p->a, "%s%s%s", place_text(v, g), g->line == FACT_NONE ? "" : ":\n",
                           g->line == FACT_NONE ? "" : row->cells[COLUMN_LINE].text);
        else
            row->banner = rep_format(v->p->a, "── %s", place_text(v, g));
    }
    if (!*remarks)
        return;
    if (v->p->markdown)
        t->rows.p[t->rows.n - 1].cells[COLUMN_REMARK] = rep_cell(remarks, REP_PLAIN);
    else
        t->rows.p[t->rows.n - 1].below = remarks;
}

/* Columns give way, the widest first, until a row fits; then cells are cut. */
static void fit(struct lines_view *v, struct rep_table *t)
{
    static const int least[] = {0, LEAST, LEAST, 2 * LEAST, 0, 0};
    int width[COLUMN_REMARK] = {0}, total = INDENT, shown = 0;
    for (unsigned c = 0; c < COLUMN_REMARK; c++) {
        width[c] = t->head[c] ? rep_text_width(t->head[c]) : 0;
        bool any = false;
        for (size_t r = 0; r < t->rows.n; r++) {
            const char *text = t->rows.p[r].cells[c].text;
            int w = text ? rep_text_width(text) : 0;
            any |= w > 0;
            width[c] = w > width[c] ? w : width[c];
        }
        width[c] = any ? width[c] : 0;
        shown += any;
        total += width[c];
    }
    total += SPACES * (shown ? shown - 1 : 0);
    while (total > v->p->width) {
        int widest = -1;
        for (int c = 0; c < COLUMN_REMARK; c++)
            if (least[c] && width[c] > least[c] && (widest < 0 || width[c] > width[widest]))
                widest = c;
        if (widest < 0)
            break;
        width[widest]--;
        total--;
    }
    for (size_t r = 0; r < t->rows.n; r++)
        for (unsigned c = 0; c < COLUMN_REMARK; c++)
            if (t->rows.p[r].cells[c].text)
                t->rows.p[r].cells[c].text = cut(v->p->a, t->rows.p[r].cells[c].text, width[c]);
}

/* ---- what is not there ----------------------------------------------------------------------- */

/* One line a column: what it shows, or why it is not there. */
static void say_source(struct lines_view *v, const struct fact_input *input)
{
    struct rep_page *p = v->p;
    const struct fact_document *doc = v->n->doc;
    const struct fact_kernel *k = v->n->k;
    bool said = false;
    if (!has_lines(k)) {
        rep_item(p, INDENT, "source", NAMES,
                 input && input->has_line_info
                     ? "no column: the line table says nothing of this kernel"
                     : "no column: no line table in the file (nvcc -lineinfo, clang -gline-tables-only)",
                 false);
        return;
    }
    for (size_t i = 0; i < doc->sources.n; i++) {
        const struct fact_source_file *s = &doc->sources.p[i];
        bool mine = false;
        for (size_t l = 0; l < k->lines.n && !mine; l++)
            mine = k->lines.p[l].file == s->file && s->file != FACT_NONE;
        if (!mine || s->input != k->input)
            continue;
        const char *file = rep_source(p->a, doc, s->file, 0);
        file = rep_format(p->a, "%.*s", (int)strcspn(file, ":"), file);
        static const char *const how[] = {"", "it has the recorded size", "taken by its name: no size is recorded",
                                          "no size is recorded: its kernels begin and end on the right lines"};
        if (!s->path)
            rep_item(p, INDENT, said ? "" : "source", NAMES, rep_format(p->a, "%s: not given", file), false);
        else if (s->matched == FACT_MATCH_NONE)
            rep_item(p, INDENT, said ? "" : "source", NAMES,
                     rep_format(p->a, "%s: not shown; %s", s->path, rep_or_dash(s->why)), false);
        else
            rep_item(p, INDENT, said ? "" : "source", NAMES,
                     rep_format(p->a, "%s: %s%s%s", s->path, how[s->matched], s->why ? "; " : "", s->why ? s->why : ""),
                     false);
        said = true;
    }
    if (!said)
        rep_item(p, INDENT, "source", NAMES,
                 doc->sources_given ? "no column: no text given is of a file of the line table"
                                    : "no column: give the text with --source FILE",
                 false);
}

static void say_ptx(struct lines_view *v)
{
    const struct fact_kernel *k = v->n->k;
    const char *text =
        "no column: none is embedded (nvcc -lineinfo, CUDA 12 or later) and none of this kernel was given "
        "with --ptx";
    if (v->of_ptx)
        text = "it is the input: there is no machine code yet";
    else if (k->ptx_from && k->ptx.n)
        text = rep_format(v->p->a, "%s%s", k->ptx_from,
                          v->by_table ? "; beside each line what became of it"
                                      : "; beside source lines only: no table says what became of its lines");
    rep_item(v->p, INDENT, "PTX", NAMES, text, false);
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static bool say_kernel(struct rep_page *p, const struct rep_note *n)
{
    const struct fact_kernel *k = n->k;
    const struct fact_input *input = k->input < n->doc->inputs.n ? &n->doc->inputs.p[k->input] : NULL;
    struct lines_view v = {.p = p, .n = n, .of_ptx = input && str_equal(input->kind, "ptx")};
    struct remarks remarks;
    rep_heading(p, 1, rep_format(p->a, p->markdown ? "%s (%s)" : "%s · %s", fact_kernel_name(k), rep_or_dash(k->arch)));
    if (!make_groups(&v) || !collect_remarks(&v, &remarks))
        return false;
    say_source(&v, input);
    say_ptx(&v);
    struct rep_table t = {.columns = p->markdown ? 6 : 5,
                          .head = {"line", "source", "PTX", v.of_ptx ? "PTX" : "SASS", "role", "rewrites"},
                          .rigid = {true, true, true, true, true},
                          .empty_hidden = true};
    const struct group *before = NULL;
    for (uint32_t g = 0; g < v.run_groups; g++) {
        for (uint32_t at = v.groups.p[g].early; at; at = v.groups.p[at - 1].next)
            add_group(&v, &t, &v.groups.p[at - 1], before, "");
        add_group(&v, &t, &v.groups.p[g], before, remarks.of[g].p);
        before = &v.groups.p[g];
        for (uint32_t at = before->late; at; at = v.groups.p[at - 1].next)
            add_group(&v, &t, &v.groups.p[at - 1], before, "");
    }
    if (!p->markdown)
        fit(&v, &t);
    rep_blank(p);
    rep_table_write(p, &t, INDENT);
    return true;
}

enum sp_status rep_columns(const struct fact_document *doc, const struct rep_options *options, struct out *o)
{
    struct arena plan_arena;
    struct rep_plan plan;
    bool started = false;
    arena_init(&plan_arena, 0);
    bool complete = rep_plan_make(&plan, doc, &plan_arena);
    for (uint32_t i = 0; complete && i < doc->kernels.n && !o->failed; i++) {
        struct arena scratch;
        struct rep_page p;
        struct rep_note n = {doc, &plan, &doc->kernels.p[i], i, 0};
        arena_init(&scratch, 0);
        rep_page_init(&p, options, &scratch, o);
        p.width = p.width < NARROWEST ? NARROWEST : p.width;
        p.started = started;
        complete = say_kernel(&p, &n) && !arena_failed(&scratch);
        started = true;
        arena_free(&scratch);
    }
    arena_free(&plan_arena);
    return complete ? SP_OK : SP_ERR_MEMORY;
}
