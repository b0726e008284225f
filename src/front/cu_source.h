/* Source text by lines: what each line holds, where functions stand, which names are macros. Nothing is preprocessed
 * and nothing compiled: what a line means is decided elsewhere, and only where its tokens alone tell it. C, C++ and
 * CUDA; of Python (for Triton) only the lines, which of them hold code, and where functions stand. */
#ifndef SP_FRONT_CU_SOURCE_H
#define SP_FRONT_CU_SOURCE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cu_piece_kind { CU_PIECE_NAME, CU_PIECE_NUMBER, CU_PIECE_TEXT, CU_PIECE_MARK };

struct cu_piece { /* a token: comments, blanks and preprocessor lines hold none; marks are as long as C's */
    uint8_t kind;
    uint32_t at, size; /* bytes of the text */
    uint32_t line;     /* 1-based */
};

struct cu_text_line {
    uint32_t at, size;     /* without its end */
    uint32_t first, count; /* tokens that begin on it */
    uint32_t view, number; /* whose line compilers take it for, and which */
    bool code;             /* some token stands on it, or goes on over it; or the preprocessor reads it */
    bool directive;
};

struct cu_function {           /* NAME ( … ) { … } */
    uint32_t name;             /* token */
    uint32_t open, close;      /* tokens of its braces */
    uint32_t begin, line, end; /* lines: where its declaration begins, of its name, of its last brace */
    uint32_t next;             /* + 1: the next one of that name; 0: none */
};

/* What compilers call the lines: #line directives make a text stand for lines of other files. [0] is the file itself,
 * with what no directive gives away. */
struct cu_view {
    const char *name;     /* as a directive gives it; NULL: the file's own */
    struct map_u64 lines; /* number there -> index into lines; unused where nothing is renumbered */
    uint32_t last;        /* the highest number */
};

struct cu_source {
    const char *text;
    size_t size;
    bool c_like;      /* else only lines are known */
    bool renumbered;  /* there are #line directives */
    bool braces_told; /* functions are as far as they can be seen; false: braces do not fit each other */
    VEC(struct cu_view) views;
    VEC(struct cu_text_line) lines;
    VEC(struct cu_piece) pieces;
    VEC(struct cu_function) functions;
    struct map_str function_names; /* the first of each name */
    struct map_str macros;         /* names that it defines (value: which in macro_names) */
    VEC(const char *) macro_names;
    size_t breaks, returns; /* line feeds; of those, behind a carriage return */
};

/* Reads `size` bytes that stay; `name` tells the language by its ending. False when out of memory. */
bool cu_source_read(struct arena *a, const char *name, const char *text, size_t size, struct cu_source *out);

/* Names that `other` defines are macros of `s`, too: one text may include the other. Both stay as they are otherwise.
 * False when out of memory. */
bool cu_source_share_macros(struct arena *a, struct cu_source *s, const struct cu_source *other);

/* The line of the text that compilers call line `number` of a view, 1-based; 0: there is none. */
uint32_t cu_source_physical(const struct cu_source *s, size_t view, uint32_t number);
/* The other way: what line `line` of the text is called, 0: it is of another view. */
uint32_t cu_source_number(const struct cu_source *s, size_t view, uint32_t line);

/* A line without blanks at its ends, tabs as blanks; NULL when there is no such line. 1-based. */
const char *cu_source_line(struct arena *a, const struct cu_source *s, uint32_t line);

static inline bool cu_piece_is(const struct cu_source *s, const struct cu_piece *p, const char *text)
{
    uint32_t i = 0;
    while (i < p->size && text[i] && s->text[p->at + i] == text[i])
        i++;
    return i == p->size && !text[i] && p->kind != CU_PIECE_TEXT;
}

/* The first function of that name, + 1; 0: there is none. The others through `next`. */
uint32_t cu_source_function(const struct cu_source *s, const char *name);

#endif
