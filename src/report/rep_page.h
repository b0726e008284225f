/* A page: headings, paragraphs and tables, written as text for a terminal (wrapped, aligned, coloured when
 * asked) or as Markdown. What the note says is written once (rep_sections.h); how it looks is decided here.
 * Private to the report room. */
#ifndef SP_REPORT_REP_PAGE_H
#define SP_REPORT_REP_PAGE_H

#include "base/arena.h"
#include "base/out.h"
#include "base/vec.h"
#include "report/rep.h"

/* A blank at which text never wraps. */
#define REP_NO_BREAK "\x1f"

/* The look of a piece of text; plain without colours and in Markdown. */
enum rep_style {
    REP_PLAIN,
    REP_STRONG,  /* headings, what matters */
    REP_DIM,     /* offsets, numbers, what is there for completeness */
    REP_DATA,    /* loads and stores */
    REP_MATH,    /* what computes */
    REP_CONTROL, /* what decides the way */
    REP_SYNC,    /* barriers and exchange between threads */
    REP_GOOD,
    REP_DOUBT,
    REP_ALARM,
};

struct rep_cell {
    const char *text; /* NULL: empty; '\n' starts another line in the cell */
    enum rep_style style;
    bool code; /* in back quotes in Markdown */
};
struct rep_cell rep_cell(const char *text, enum rep_style style);
struct rep_cell rep_cell_code(const char *text, enum rep_style style);

enum { REP_COLUMNS = 9 };

struct rep_row {
    struct rep_cell cells[REP_COLUMNS];
    const char *part;   /* a heading across the table before this row, or NULL; text only */
    const char *banner; /* a line across the table before this row, or NULL; text only */
    const char *above;  /* likewise, right before it, dim */
    const char *wide;   /* code too long for column 2: from there to the page's edge, the row's other cells below it */
    const char *below;  /* wrapped under the row from column 2 on (in its cell in Markdown), or NULL */
};

struct rep_table {
    unsigned columns;
    const char *head[REP_COLUMNS]; /* NULL for none; all NULL: no heading line */
    bool rigid[REP_COLUMNS];       /* never narrowed */
    bool stiff[REP_COLUMNS];       /* narrowed only when the others have given all they can */
    int least[REP_COLUMNS];        /* a shrinking column stops here; 0: 12 */
    bool empty_hidden;             /* columns without any text are left out */
    VEC(struct rep_row) rows;
};

struct rep_page {
    struct out *o;
    struct arena *a; /* scratch: lives as long as the report is being written */
    int width;
    bool color, markdown;
    int column;   /* where the next character goes */
    bool started; /* something was written: a heading leaves a blank line */
    bool gap;     /* the last line is blank already */
};

void rep_page_init(struct rep_page *p, const struct rep_options *options, struct arena *scratch, struct out *o);

/* Level 1: a kernel; 2: a section; 3: a part of one. */
void rep_heading(struct rep_page *p, int level, const char *text);
/* Wrapped text, indented by `indent` columns (text only), `number` > 0 in front as "[n]". '\n' breaks the line. */
void rep_paragraph(struct rep_page *p, int indent, uint32_t number, enum rep_style style, const char *text);
/* Lines of code, one a '\n'. */
void rep_code(struct rep_page *p, int indent, const char *text);
/* "name  text", the names aligned by the caller's `name_width`; a bullet in Markdown. */
void rep_item(struct rep_page *p, int indent, const char *name, int name_width, const char *text, bool code);
void rep_blank(struct rep_page *p);

/* A row to fill in; NULL when out of memory. */
struct rep_row *rep_table_row(struct rep_page *p, struct rep_table *t);
void rep_table_write(struct rep_page *p, const struct rep_table *t, int indent);

/* "[7]" on the scratch arena. */
const char *rep_number(struct rep_page *p, uint32_t number);
/* Bytes of the character at p (at least 1 of n), and whether a terminal may get it: no control character, none that
 * turns the order of what follows, nothing that is no UTF-8. Names and source text come from inputs. */
size_t rep_character(const char *p, size_t n, bool *fine);
/* Columns that UTF-8 text takes. */
int rep_text_width(const char *text);

#endif
