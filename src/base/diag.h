/* Diagnostics: what was wrong with an input, where, and what was expected. Collected, never printed here. */
#ifndef SP_BASE_DIAG_H
#define SP_BASE_DIAG_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdint.h>

enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_severity severity;
    const char *code;    /* stable short word: "elf-truncated", "line-program" … */
    int input;           /* index of the input, or -1 */
    const char *section; /* or NULL */
    int64_t offset;      /* bytes from the start of the section (of the file without one), or -1 */
    const char *message;
};

struct diag_sink {
    struct arena *a;
    int input; /* stamped on what is added */
    VEC(struct diag) list;
    size_t dropped; /* beyond DIAG_MAX, so that hostile input cannot flood */
};

enum { DIAG_MAX = 1000 };

void diag_init(struct diag_sink *s, struct arena *a);
void diag_add(struct diag_sink *s, enum diag_severity severity, const char *code, const char *section,
              int64_t offset, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
