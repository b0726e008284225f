/* Text and Markdown out of headings, paragraphs and tables.
 *
 * Text: words wrap at the page's width with a hanging indent; table columns take their natural width and
 * the widest ones that may shrink give way until the table fits, their cells wrapping inside. Control
 * characters of names that come from an input never reach the terminal. Markdown: the same blocks, cells of
 * code in back quotes, bars escaped. */
#include "report/rep_page.h"

#include "base/str.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { WIDTH_DEFAULT = 100, WIDTH_LEAST = 60, GAP = 2, SHRINK_LEAST = 12, WORD_LEAST = 8, NO_BREAK = 0x1f };

/* After these a word that is too long may be cut. */
#define BREAKS ",/&|+" REP_NO_BREAK

static const char *const ansi[] = {
    [REP_PLAIN] = "",         [REP_STRONG] = "\033[1m",   [REP_DIM] = "\033[2m",   [REP_DATA] = "\033[36m",
    [REP_MATH] = "\033[32m",  [REP_CONTROL] = "\033[33m", [REP_SYNC] = "\033[35m", [REP_GOOD] = "\033[32m",
    [REP_DOUBT] = "\033[33m", [REP_ALARM] = "\033[31m",
};

void rep_page_init(struct rep_page *p, const struct rep_options *options, struct arena *scratch, struct out *o)
{
    int width = options->width > 0 ? options->width : WIDTH_DEFAULT;
    *p = (struct rep_page){
        .o = o,
        .a = scratch,
        .width = width < WIDTH_LEAST ? WIDTH_LEAST : width,
        .color = options->color && !options->markdown,
        .markdown = options->markdown,
    };
}

struct rep_cell rep_cell(const char *text, enum rep_style style)
{
    return (struct rep_cell){text, style, false};
}

struct rep_cell rep_cell_code(const char *text, enum rep_style style)
{
    return (struct rep_cell){text, style, true};
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static int width_of(const char *text, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++)
        width += !continues(text[i]);
    return width;
}

int rep_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* Bytes of the next `columns` columns of text, at most n. */
static size_t bytes_of(const char *text, size_t n, int columns)
{
    size_t i = 0;
    while (i < n && (columns > 0 || continues(text[i])))
        columns -= !continues(text[i++]);
    return i;
}

size_t rep_character(const char *text, size_t left, bool *fine)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : (p[0] & 0xf0) == 0xe0       ? 3
               : (p[0] & 0xf8) == 0xf0       ? 4
                                             : 0;
    uint32_t code = n == 1 ? p[0] : n == 2 ? p[0] & 0x1f : n == 3 ? p[0] & 0xf : p[0] & 7;
    *fine = false;
    if (n == 0 || n > left)
        return 1;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 1;
        code = code << 6 | (p[i] & 0x3f);
    }
    *fine = code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) && !(code >= 0x200b && code <= 0x200f) &&
            !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2060 && code <= 0x206f) && code != 0xfeff;
    return n;
}

static void put(struct rep_page *p, const char *text, size_t n)
{
    for (size_t i = 0, size; i < n; i += size) {
        bool fine;
        size = rep_character(text + i, n - i, &fine);
        if (fine)
            out_bytes(p->o, text + i, size);
        else
            out_char(p->o, text[i] == NO_BREAK ? ' ' : '?');
    }
    p->column += width_of(text, n);
    p->started = true;
    p->gap = false;
}

static void put_styled(struct rep_page *p, enum rep_style style, const char *text, size_t n)
{
    bool colored = p->color && *ansi[style] && n > 0;
    if (colored)
        out_text(p->o, ansi[style]);
    put(p, text, n);
    if (colored)
        out_text(p->o, "\033[0m");
}

static void end_line(struct rep_page *p)
{
    out_char(p->o, '\n');
    p->column = 0;
    p->started = true;
}

static void pad_to(struct rep_page *p, int column)
{
    while (p->column < column) {
        out_char(p->o, ' ');
        p->column++;
    }
}

void rep_blank(struct rep_page *p)
{
    if (p->started && !p->gap)
        end_line(p);
    p->gap = p->started;
}

/* The next line of at most `columns` columns that wraps at a blank: its bytes, and where the rest starts. */
static size_t wrap_line(const char *text, size_t n, int columns, size_t *rest)
{
    size_t fit = bytes_of(text, n, columns);
    if (fit == n) {
        *rest = n;
        return n;
    }
    size_t cut = fit;
    while (cut > 0 && text[cut] != ' ')
        cut--;
    if (cut == 0) { /* one long word: cut it at a blank that should not, after a comma, or where the column ends */
        for (cut = fit; cut > 1 && text[cut - 1] != NO_BREAK;)
            cut--;
        for (cut = cut > 1 ? cut : fit; cut > 1 && !strchr(BREAKS, text[cut - 1]);)
            cut--;
        if (cut <= 1)
            cut = fit;
        *rest = cut;
        return cut;
    }
    *rest = cut + 1;
    return cut;
}

/* Text from the current column on, wrapped, each further line starting at `hang`. */
static void flow(struct rep_page *p, enum rep_style style, const char *text, int hang)
{
    size_t left = strlen(text);
    for (;;) {
        const char *end = memchr(text, '\n', left);
        size_t n = end ? (size_t)(end - text) : left;
        while (n > 0) {
            size_t rest, take = wrap_line(text, n, p->width - p->column > 8 ? p->width - p->column : 8, &rest);
            put_styled(p, style, text, take);
            text += rest, n -= rest, left -= rest;
            if (n > 0) {
                end_line(p);
                pad_to(p, hang);
            }
        }
        if (!end)
            return;
        text++, left--;
        end_line(p);
        pad_to(p, hang);
    }
}

/* One character, or a mark in its place; how many bytes it has. */
static size_t put_character(struct rep_page *p, const char *text)
{
    bool fine;
    size_t n = rep_character(text, strnlen(text, 4), &fine);
    if (fine)
        out_bytes(p->o, text, n);
    else
        out_char(p->o, *text == NO_BREAK ? ' ' : '?');
    return n;
}

/* Prose in Markdown: the characters that would start emphasis or a link are escaped outside code. */
static void put_markdown(struct rep_page *p, const char *text, bool in_table)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            out_text(p->o, in_table ? "<br>" : "\n");
        else if (strchr("*<`|\\", *c) ||
                 (*c == '_' && (c == text || !isalnum((unsigned char)c[-1]) || !isalnum((unsigned char)c[1]))))
            out_char(p->o, '\\'), out_char(p->o, *c);
        else
            c += put_character(p, c) - 1;
    }
}

/* Code in Markdown, each line of it in its own back quotes. In a table a bar must be escaped even there. */
static void put_markdown_code(struct rep_page *p, const char *text, bool in_table)
{
    bool open = false;
    for (const char *c = text; *c; c++) {
        if (*c == '\n') {
            out_text(p->o, open ? "`" : "");
            out_text(p->o, in_table ? "<br>" : " ");
            open = false;
            continue;
        }
        if (!open) {
            if (*c == ' ')
                continue;
            out_char(p->o, '`');
            open = true;
        }
        if (*c == '|' && in_table)
            out_text(p->o, "\\|");
        else if (*c == '`')
            out_char(p->o, '?');
        else
            c += put_character(p, c) - 1;
    }
    if (open)
        out_char(p->o, '`');
}

void rep_heading(struct rep_page *p, int level, const char *text)
{
    rep_blank(p);
    if (p->markdown) {
        out_printf(p->o, "%.*s ", level, "###");
        put_markdown(p, text, false);
        out_text(p->o, "\n\n");
        p->started = p->gap = true;
        return;
    }
    put_styled(p, REP_STRONG, text, strlen(text));
    end_line(p);
    if (level == 1) {
        if (p->color)
            out_text(p->o, ansi[REP_DIM]);
        for (int i = 0; i < p->width; i++)
            out_text(p->o, "─");
        if (p->color)
            out_text(p->o, "\033[0m");
        end_line(p);
    }
}

void rep_paragraph(struct rep_page *p, int indent, uint32_t number, enum rep_style style, const char *text)
{
    if (p->markdown) {
        if (number)
            out_printf(p->o, "[%u] ", number);
        put_markdown(p, text, false);
        out_text(p->o, "\n\n");
        p->started = p->gap = true;
        return;
    }
    pad_to(p, indent);
    if (number) {
        const char *label = rep_number(p, number);
        put_styled(p, REP_DIM, label, strlen(label));
        put(p, " ", 1);
        pad_to(p, indent + 5);
    }
    flow(p, style, text, p->column);
    end_line(p);
}

void rep_code(struct rep_page *p, int indent, const char *text)
{
    if (p->markdown) {
        out_text(p->o, "```\n");
        for (const char *c = text; *c; c++) {
            if (*c == '\n')
                out_char(p->o, '\n');
            else
                c += put_character(p, c) - 1;
        }
        out_text(p->o, "\n```\n\n");
        p->started = p->gap = true;
        return;
    }
    pad_to(p, indent);
    flow(p, REP_PLAIN, text, indent);
    end_line(p);
}

void rep_item(struct rep_page *p, int indent, const char *name, int name_width, const char *text, bool code)
{
    if (p->markdown) {
        out_text(p->o, "- ");
        put_markdown(p, name, false);
        out_text(p->o, *name && *text ? ": " : "");
        if (code)
            put_markdown_code(p, text, false);
        else
            put_markdown(p, text, false);
        out_text(p->o, "\n");
        p->started = true;
        p->gap = false;
        return;
    }
    pad_to(p, indent);
    put_styled(p, REP_DIM, name, strlen(name));
    if (name_width > 0 && *text) {
        put(p, " ", 1);
        pad_to(p, indent + name_width + GAP);
    }
    flow(p, REP_PLAIN, text, p->column);
    end_line(p);
}

const char *rep_number(struct rep_page *p, uint32_t number)
{
    const char *text = arena_printf(p->a, "[%u]", number);
    return text ? text : "";
}

struct rep_row *rep_table_row(struct rep_page *p, struct rep_table *t)
{
    size_t n = t->rows.n;
    VEC_PUSH(p->a, t->rows, (struct rep_row){0});
    return t->rows.n > n ? &t->rows.p[n] : NULL;
}

/* The widest line of a cell. */
static int cell_width(const char *text)
{
    int widest = 0;
    while (text) {
        const char *end = strchr(text, '\n');
        int width = width_of(text, end ? (size_t)(end - text) : strlen(text));
        widest = width > widest ? width : widest;
        text = end ? end + 1 : NULL;
    }
    return widest;
}

static bool column_empty(const struct rep_table *t, unsigned column)
{
    for (size_t r = 0; r < t->rows.n; r++)
        if (t->rows.p[r].cells[column].text && *t->rows.p[r].cells[column].text)
            return false;
    return true;
}

/* Column widths that make the table fit; 0 hides a column. */
static void layout(const struct rep_page *p, const struct rep_table *t, int indent, int width[REP_COLUMNS])
{
    int total = indent, shown = 0;
    for (unsigned c = 0; c < t->columns; c++) {
        width[c] = 0;
        if (t->empty_hidden && column_empty(t, c))
            continue;
        if (t->head[c])
            width[c] = rep_text_width(t->head[c]);
        for (size_t r = 0; r < t->rows.n; r++) {
            int w = cell_width(t->rows.p[r].cells[c].text);
            width[c] = w > width[c] ? w : width[c];
        }
        total += width[c];
        shown++;
    }
    total += GAP * (shown > 0 ? shown - 1 : 0);
    /* First the columns that give easily, then the stiff ones, and on a narrow page all of them, down to a word. */
    for (int pass = 0; pass < 3; pass++)
        while (total > p->width) {
            int widest = -1;
            for (unsigned c = 0; c < t->columns; c++) {
                int least = pass == 2 ? WORD_LEAST : t->least[c] ? t->least[c] : SHRINK_LEAST;
                bool gives = pass == 2 || (!t->rigid[c] && t->stiff[c] == (pass == 1));
                if (gives && width[c] > least && (widest < 0 || width[c] > width[widest]))
                    widest = (int)c;
            }
            if (widest < 0)
                break;
            width[widest]--;
            total--;
        }
}

/* One row: every cell wraps inside its column; lines go on until all cells are done. */
static void write_row(struct rep_page *p, const struct rep_table *t, const struct rep_row *row, int indent,
                      const int width[REP_COLUMNS])
{
    const char *rest[REP_COLUMNS];
    bool more = true;
    for (unsigned c = 0; c < t->columns; c++)
        rest[c] = row->cells[c].text && *row->cells[c].text ? row->cells[c].text : NULL;
    while (more) {
        int column = indent;
        more = false;
        for (unsigned c = 0; c < t->columns; c++) {
            if (width[c] == 0)
                continue;
            if (rest[c]) {
                const char *end = strchr(rest[c], '\n');
                size_t n = end ? (size_t)(end - rest[c]) : strlen(rest[c]), next, take;
                take = wrap_line(rest[c], n, width[c], &next);
                while (take > 0 && (rest[c][take - 1] == ' ' || rest[c][take - 1] == NO_BREAK))
                    take--;
                pad_to(p, column);
                put_styled(p, row->cells[c].style, rest[c], take);
                if (next < n)
                    rest[c] += next;
                else
                    rest[c] = end ? end + 1 : NULL;
                more = more || rest[c];
            }
            column += width[c] + GAP;
        }
        end_line(p);
    }
}

/* The first two cells and the long text beside them, then the rest of the row. */
static void write_wide(struct rep_page *p, const struct rep_table *t, const struct rep_row *row, int indent,
                       const int width[REP_COLUMNS], int column)
{
    struct rep_row rest = *row;
    int at = indent;
    for (unsigned c = 0; c < 2 && c < t->columns; c++) {
        const char *text = row->cells[c].text;
        if (text && width[c] > 0) {
            pad_to(p, at);
            put_styled(p, row->cells[c].style, text, strlen(text));
        }
        at += width[c] > 0 ? width[c] + GAP : 0;
        rest.cells[c].text = NULL;
    }
    pad_to(p, column);
    flow(p, REP_PLAIN, row->wide, column);
    end_line(p);
    write_row(p, t, &rest, indent, width);
}

static void write_markdown(struct rep_page *p, const struct rep_table *t)
{
    bool shown[REP_COLUMNS] = {false};
    for (unsigned c = 0; c < t->columns; c++) {
        shown[c] = !t->empty_hidden || !column_empty(t, c);
        if (shown[c]) {
            out_text(p->o, "| ");
            put_markdown(p, t->head[c] ? t->head[c] : "", true);
            out_char(p->o, ' ');
        }
    }
    out_text(p->o, "|\n");
    for (unsigned c = 0; c < t->columns; c++)
        out_text(p->o, shown[c] ? "|---" : "");
    out_text(p->o, "|\n");
    for (size_t r = 0; r < t->rows.n; r++) {
        for (unsigned c = 0; c < t->columns; c++) {
            const struct rep_cell *cell = &t->rows.p[r].cells[c];
            if (!shown[c])
                continue;
            out_text(p->o, "| ");
            if (c == 2 && t->rows.p[r].wide)
                put_markdown_code(p, t->rows.p[r].wide, true);
            else if (cell->text && cell->code)
                put_markdown_code(p, cell->text, true);
            else if (cell->text)
                put_markdown(p, cell->text, true);
            if (c == 2 && t->rows.p[r].below) {
                out_text(p->o, cell->text && *cell->text ? "<br>" : "");
                put_markdown(p, t->rows.p[r].below, true);
            }
            out_char(p->o, ' ');
        }
        out_text(p->o, "|\n");
    }
    out_char(p->o, '\n');
    p->started = p->gap = true;
}

void rep_table_write(struct rep_page *p, const struct rep_table *t, int indent)
{
    assert(t->columns <= REP_COLUMNS);
    if (t->rows.n == 0)
        return;
    if (p->markdown) {
        write_markdown(p, t);
        return;
    }
    int width[REP_COLUMNS];
    layout(p, t, indent, width);
    struct rep_row head = {0};
    bool headed = false;
    for (unsigned c = 0; c < t->columns; c++)
        if (t->head[c] && *t->head[c] && width[c] > 0) {
            head.cells[c] = (struct rep_cell){t->head[c], REP_DIM, false};
            headed = true;
        }
    if (headed)
        write_row(p, t, &head, indent, width);
    for (size_t r = 0; r < t->rows.n; r++) {
        const struct rep_row *row = &t->rows.p[r];
        if (row->part) {
            pad_to(p, indent);
            flow(p, REP_STRONG, row->part, indent + 3);
            end_line(p);
        }
        if (row->banner) {
            pad_to(p, indent);
            flow(p, REP_CONTROL, row->banner, indent + 3);
            end_line(p);
        }
        int column = indent;
        for (unsigned c = 0; c < 2 && c < t->columns; c++)
            column += width[c] > 0 ? width[c] + GAP : 0;
        if (row->above) {
            pad_to(p, indent);
            flow(p, REP_DIM, row->above, indent + 3);
            end_line(p);
        }
        if (row->wide)
            write_wide(p, t, row, indent, width, column);
        else
            write_row(p, t, row, indent, width);
        if (row->below) {
            pad_to(p, column);
            flow(p, REP_DIM, row->below, column);
            end_line(p);
        }
    }
}
