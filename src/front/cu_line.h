/* What the words of one source line say, where they alone tell it: the one condition, the one comparison, the value
 * that a statement computes. Everything is left open that a macro of the file, a call, a template list or a second
 * statement on the line could make different from what it looks like.
 *
 * Names of a function's own variables are told with what happens to them in the whole of its body. */
#ifndef SP_FRONT_CU_LINE_H
#define SP_FRONT_CU_LINE_H

#include "front/cu.h"
#include "front/cu_source.h"

struct cu_line {
    const char *statement; /* the line without a semicolon or opening brace at its end */
    const char *condition; /* of its if, while or for; NULL: none, or not all of it stands here */
    bool loop;             /* … of a while or for */
    /* The only comparison (< <= > >= == !=) on the line; NULL: none, several, or not to be read. */
    const struct cu_expr *comparison;
    const char *comparison_text;
    /* The only statement on the line, behind its if: `target op value`. NULL: there is none, or it cannot be read. */
    const struct cu_expr *value;
    const char *value_text;
    const char *target;  /* the name it sets or declares; NULL: something else, an element, a return */
    bool declares, adds; /* adds: += or -= */
    bool simple_if;      /* an if with that statement, and no more, on the line */
    bool calls;          /* something is called */
};

/* False when the line cannot be read at all. `line` is 1-based, of the text. */
bool cu_line_read(struct arena *a, const struct cu_source *s, uint32_t line, struct cu_line *out);

/* A variable or parameter of a function. */
struct cu_local {
    uint32_t uses;     /* where its name stands, its declaration included */
    uint32_t sets;     /* where its value may change, its first one included */
    uint32_t declared; /* how many declarations have its name */
    bool is_parameter;
    bool is_int, is_unsigned, is_float; /* declared so */
    const char *first;                  /* the text of what it is declared with; NULL: none, or not readable */
    uint32_t line;                      /* of its declaration */
};
struct cu_locals {
    struct map_str names;
    VEC(struct cu_local) list;
    bool open; /* references, captures or assembly: anything may change */
};

/* The function whose body has that line, + 1; 0: none. */
uint32_t cu_source_enclosing(const struct cu_source *s, uint32_t line);
/* The names of a function (index into s->functions). False when out of memory. */
bool cu_source_locals(struct arena *a, const struct cu_source *s, uint32_t function, struct cu_locals *out);
const struct cu_local *cu_find_local(const struct cu_locals *l, const char *name);

/* Both are written alike, numbers by their value. */
bool cu_same_expr(const struct cu_expr *a, const struct cu_expr *b);

#endif
