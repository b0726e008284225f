/* Reads a block of CUDA-like text that stands for machine code: the definition in a pattern's page, a
 * search pattern on a command line. Only text becomes a tree here; what a name or a call means is for the
 * reader of the tree.
 *
 *   block  := { declaration | where } [reads] body | "__global__" "{" block "}"
 *   declaration := ["__shared__" | "__local__"] ["const"] type declarator {"," declarator} ";"
 *                                                        float double half int unsigned bool size_t auto
 *   declarator := ["*"] name | name "[" "]" | name "(" [name {"," name}] ")"    an array; an operation
 *          |  name "=" expression                                        a name for a part
 *   where  := "where" condition {"," condition} ";"                      a comparison or a call: uniform(n), lo <= hi
 *   reads  := ("reads" | "expands") expression ";"                       what the body computes, in plainer words
 *   body   := expression [";"]            a value, an address (&a[i]), a load (a[i])
 *          |  a[e] "=" expression ";"     a store
 *          |  name "=" expression ";"     an assignment to a register
 *          |  "if" "(" expression ")" ("return" ";" | body)
 *          |  name "(" [arguments] ")" ";"   a call
 *          |  ["#pragma unroll" name] "for" "(" [name "=" start] ";" [condition] ";" [name op "=" next] ")" loop
 *          |  statement statement {statement}     one after the other
 *             a loop may be followed by "name == expression;": what a name then is
 *   loop   := statement | "{" {statement} "}"    of the forms above but a value; `...;` is anything
 *   In the head of a loop and as the body of an if, `...` stands for anything too.
 *
 * Expressions are C's: ?: || && | ^ & == != < <= > >= << >> + - * / %, unary ! ~ - & *, calls, a[i],
 * blockIdx.x, numbers with C's suffixes; `...` as a last argument stands for any further ones. Declared
 * names are metavariables: each stands for one value; undeclared ones are taken by their name. */
#ifndef SP_FRONT_CU_H
#define SP_FRONT_CU_H

#include "base/arena.h"
#include "base/diag.h"
#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cu_type { CU_AUTO, CU_FLOAT, CU_DOUBLE, CU_HALF, CU_INT, CU_UNSIGNED, CU_SIZE, CU_BOOL };

enum cu_kind {
    CU_NAME,    /* `text`: a variable, or "blockIdx.x" with its member */
    CU_NUMBER,  /* `number`; `type` from its spelling: 0.0f float, 0.0 double, 1 int, 1u unsigned */
    CU_UNARY,   /* `op` on arg[0] */
    CU_BINARY,  /* arg[0] `op` arg[1] */
    CU_CHOICE,  /* arg[0] ? arg[1] : arg[2] */
    CU_CALL,    /* `text` ( arg … ); `ellipsis` when the last argument is ... */
    CU_ELEMENT, /* arg[0] [ arg[1] ] */
};

enum cu_op {
    CU_ADD,
    CU_SUB,
    CU_MUL,
    CU_DIV,
    CU_REM,
    CU_SHL,
    CU_SHR,
    CU_AND,
    CU_OR,
    CU_XOR,
    CU_LT,
    CU_LE,
    CU_GT,
    CU_GE,
    CU_EQ,
    CU_NE,
    CU_LOGIC_AND,
    CU_LOGIC_OR,
    CU_NOT,
    CU_INVERT,
    CU_NEGATE,
    CU_ADDRESS,
    CU_DEREFERENCE,
};

struct cu_expr {
    enum cu_kind kind;
    enum cu_op op;
    enum cu_type type;
    const char *text;
    double number;
    struct cu_expr *const *arg;
    unsigned arg_count;
    bool ellipsis;
    unsigned line;
    unsigned meaning; /* of a name: for the reader of the tree; 0 at first */
};

enum { CU_MAX_RESULTS = 4 };

enum cu_place { CU_ANYWHERE, CU_SHARED, CU_LOCAL };

struct cu_variable {
    const char *name;
    enum cu_type type;
    bool constant;  /* declared const: a constant of the machine code */
    bool pointer;   /* an array */
    bool operation; /* declared with brackets: stands for an operation of `argument_count` arguments */
    unsigned argument_count;
    enum cu_place place;         /* of an array declared with [] */
    const struct cu_expr *value; /* of a named part: what it stands for, in the names declared before it; else NULL */
};

enum cu_form {
    CU_VALUE,   /* `value` */
    CU_STORE,   /* `target` = `value`, target an element */
    CU_ASSIGN,  /* `target` = `value`, target a name */
    CU_LEAVE,   /* return; (always under `condition`) */
    CU_PERFORM, /* value is a call for its effect: f(); */
    CU_BRANCH,  /* if (condition) ...; */
    CU_LOOP,    /* a for over `statements` */
    CU_SEQUENCE /* several `statements` */
};

struct cu_statement {
    enum cu_form form; /* STORE, ASSIGN, PERFORM, BRANCH */
    const struct cu_expr *condition, *target, *value;
};

/* The head of a for; what is NULL is left open. */
struct cu_loop {
    const char *counter;
    const struct cu_expr *start, *condition, *next; /* next: what the counter is set to */
    const char *unroll;                             /* name behind #pragma unroll */
};

struct cu_block {
    const struct cu_variable *variables;
    unsigned variable_count;
    struct cu_expr *const *where; /* conditions on the metavariables */
    unsigned where_count;
    const struct cu_expr *reads; /* what the body computes; NULL: it says so itself */
    bool expands;                /* … and the body is nothing but how machines compute it */
    bool whole_kernel;           /* written inside __global__ { } */
    enum cu_form form;
    const struct cu_expr *condition; /* the `if` round the body, or NULL */
    const struct cu_expr *target, *value;
    struct cu_loop loop; /* CU_LOOP */
    const struct cu_statement *statements;
    unsigned statement_count;
    const struct cu_expr *result[CU_MAX_RESULTS]; /* CU_LOOP: name == expression, when it is over */
    unsigned result_count;
};

enum { CU_MAX_ARGS = 8, CU_MAX_VARIABLES = 16, CU_MAX_STATEMENTS = 8 };

/* Parses `size` bytes of `text`. On SP_ERR_FORMAT a diagnostic names `where` (a page, a command line) and
 * the line, counted from `first_line`. Everything returned lives on `a`. */
enum sp_status cu_parse_block(struct arena *a, const char *where, unsigned first_line, const char *text, size_t size,
                              struct diag_sink *diags, struct cu_block *out);
/* One expression alone. */
enum sp_status cu_parse_expr(struct arena *a, const char *where, unsigned first_line, const char *text, size_t size,
                             struct diag_sink *diags, const struct cu_expr **out);

/* The variable's index in the block, -1: not declared. */
int cu_find_variable(const struct cu_block *block, const char *name);

#endif
