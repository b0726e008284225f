/* Itanium demangling through the C++ runtime library, with bounds.
 *
 * A short name can stand for an exponentially long text (each substitution doubles what came before), so the callback
 * form of the demangler is used: it writes in pieces and owns no heap memory, which lets a piece too many leave by
 * longjmp. Names over 4 KiB are not tried. Decorations that compilers put around a mangled name (C57: `$kernel$callee`,
 * `__device_stub_…`, `…_param_0`) are taken off when the name as a whole is not one.
 * requires: nothing · gives: text on the arena */
#include "base/str.h"
#include "image/img.h"

#include <setjmp.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096, TEXT_MAX_BYTES = 32 * 1024, REFERENCES_MAX = 24 };

/* From libsupc++, the language support library of GCC (GPL with the runtime exception). 0 when demangled. */
int __gcclibcxx_demangle_callback(const char *mangled, void (*callback)(const char *, size_t, void *), void *user);

struct sink {
    jmp_buf leave;
    size_t n;
    char text[TEXT_MAX_BYTES];
};

static void take_piece(const char *piece, size_t n, void *user)
{
    struct sink *sink = user;
    if (n > sizeof sink->text - sink->n)
        longjmp(sink->leave, 1);
    memcpy(sink->text + sink->n, piece, n);
    sink->n += n;
}

/* The demangler looks for the pack of a pack expansion through everything its pattern refers to, as a tree and before
 * it writes anything: substitutions that refer to each other twice make that exponential too, and no callback sees it.
 * So a name with an expansion (`Dp`) may refer back only so often. */
static bool may_hang(const char *mangled)
{
    if (strstr(mangled, "Dp") == NULL)
        return false;
    unsigned references = 0;
    for (const char *p = mangled; (p = strchr(p, 'S')) != NULL;) {
        p++;
        while ((*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z'))
            p++;
        references += *p == '_';
    }
    return references > REFERENCES_MAX;
}

/* NULL when the name is not a mangled one, or stands for too long a text. */
static const char *demangle_whole(struct arena *a, const char *mangled)
{
    if (!str_starts(mangled, "_Z") || may_hang(mangled))
        return NULL;
    struct sink sink;
    sink.n = 0;
    if (setjmp(sink.leave) != 0)
        return NULL;
    if (__gcclibcxx_demangle_callback(mangled, take_piece, &sink) != 0 || sink.n == 0)
        return NULL;
    return arena_strndup(a, sink.text, sink.n);
}

/* Where the name inside `$kernel$callee` or `$__internal_0_$name` starts: behind the last `$` that has something after
 * it. */
static const char *subroutine_name(const char *name)
{
    if (name[0] != '$')
        return name;
    const char *last = strrchr(name, '$');
    return last[1] != 0 ? last + 1 : name;
}

static size_t without_param_suffix(const char *name, size_t length)
{
    size_t digits = length;
    while (digits != 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    static const char suffix[] = "_param_";
    size_t n = sizeof suffix - 1;
    return digits != length && digits > n && memcmp(name + digits - n, suffix, n) == 0 ? digits - n : length;
}

const char *img_demangle(struct arena *a, const char *mangled)
{
    size_t length = strnlen(mangled, NAME_MAX_BYTES + 1);
    if (length > NAME_MAX_BYTES)
        return arena_strdup(a, mangled);
    const char *text = demangle_whole(a, mangled);
    if (text != NULL)
        return text;

    static const char stub[] = "__device_stub_";
    const char *inner = subroutine_name(mangled);
    if (str_starts(inner, stub))
        inner += sizeof stub - 1;
    size_t n = without_param_suffix(inner, strlen(inner));
    const char *dollar = memchr(inner, '$', n);
    if (dollar != NULL && dollar != inner)
        n = (size_t)(dollar - inner);
    char *bare = arena_strndup(a, inner, n);
    if (bare == NULL)
        return NULL;
    text = demangle_whole(a, bare);
    if (text != NULL)
        return text;
    /* Not a mangled name: a subroutine goes by its own name, everything else stays as it is. */
    return mangled[0] == '$' ? bare : arena_strdup(a, mangled);
}
