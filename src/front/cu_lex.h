/* Between the two files of the CUDA reader only: tokens. */
#ifndef SP_FRONT_CU_LEX_H
#define SP_FRONT_CU_LEX_H

#include "front/cu.h"

enum cu_token_kind { CU_T_END, CU_T_NAME, CU_T_NUMBER, CU_T_MARK, CU_T_BAD };

struct cu_token {
    enum cu_token_kind kind;
    const char *at; /* its first byte */
    size_t size;
    unsigned line;
    double number;
    enum cu_type type; /* of a number */
};

struct cu_lexer {
    const char *at, *end;
    unsigned line;
};

/* The next token; white space and both kinds of comments are passed over. */
struct cu_token cu_lex(struct cu_lexer *lexer);

#endif
