/* Collects diagnostics on an arena; beyond DIAG_MAX they are counted only. */
#include "base/diag.h"

#include "base/str.h"

void diag_init(struct diag_sink *s, struct arena *a)
{
    *s = (struct diag_sink){.a = a, .input = -1};
}

void diag_add(struct diag_sink *s, enum diag_severity severity, const char *code, const char *section, int64_t offset,
              const char *format, ...)
{
    if (s->list.n >= DIAG_MAX) {
        s->dropped++;
        return;
    }
    struct strbuf text;
    str_init(&text, s->a);
    va_list args;
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    struct diag d = {severity, code, s->input, section ? arena_strdup(s->a, section) : NULL, offset, text.p};
    VEC_PUSH(s->a, s->list, d);
}
