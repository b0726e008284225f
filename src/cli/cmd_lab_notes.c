/* sassprobe lab: what the program reads in the cubins: listings, the notes on kernels with their comparisons, the notes
 * on patterns.
 *
 * A source that says `// lab: compare GROUP/NAME` has a neighbour: its note ends with the two kernels side by side, as
 * `explain --compare` shows them. Kernels of such files carry the file's name and `_kernel`. */
#define _GNU_SOURCE
#include "cmd_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool to_stderr(void *user, const char *p, size_t n)
{
    (void)user;
    return fwrite(p, 1, n, stderr) == n;
}

static int finish_text(struct lab *lab, struct sp_session *session, enum sp_status made, const char *place,
                       struct lab_bytes *text)
{
    int status = EXIT_UNREADABLE;
    if (made != SP_OK || sp_session_damaged(session)) {
        lab_complain(place, sp_status_text(made));
        sp_session_diagnostics(session, to_stderr, NULL);
    } else {
        status = lab_deliver(lab, place, text);
    }
    lab_bytes_free(text);
    sp_session_free(session);
    return status;
}

int lab_disassemble(struct lab *lab, const char *kernel, const char *arch)
{
    char cubin[PATH_MAX], place[PATH_MAX];
    snprintf(cubin, sizeof cubin, "cubin/sm%s/%s.cubin", arch, kernel);
    snprintf(place, sizeof place, "sass/sm%s/%s.sass", arch, kernel);
    struct lab_bytes text = {0};
    struct sp_session *session = lab_need(sp_session_new());
    struct sp_disasm_options options;
    sp_disasm_options_init(&options);
    options.format = SP_DISASM_CUOBJDUMP;
    enum sp_status made = sp_session_add_path(session, cubin);
    if (made == SP_OK)
        made = sp_disasm(session, &options, lab_bytes_take, &text);
    return finish_text(lab, session, made, place, &text);
}

/* Adds a kernel's machine code on the main architecture and its source to a session. */
static enum sp_status add_kernel(struct sp_session *session, const char *kernel, int n)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "cubin/sm" MAIN_ARCH "/%.*s.cubin", n, kernel);
    enum sp_status status = sp_session_add_path(session, path);
    snprintf(path, sizeof path, "kernels/%.*s.cu", n, kernel);
    return status == SP_OK ? sp_session_add_source(session, path) : status;
}

/* "clamp_f32_kernel" of "02_control/clamp_f32". */
static void symbol_of(const char *kernel, int n, char *out, size_t size)
{
    for (int i = n - 1; i >= 0; i--)
        if (kernel[i] == '/') {
            kernel += i + 1;
            n -= i + 1;
            break;
        }
    snprintf(out, size, "%.*s_kernel", n, kernel);
}

static enum sp_status compare_with(const char *kernel, const char *other, int n, struct lab_bytes *text)
{
    char a[256], b[256], line[1024];
    struct sp_explain_options options;
    struct sp_session *session = lab_need(sp_session_new());
    int length = (int)strlen(kernel);
    symbol_of(kernel, length, a, sizeof a);
    symbol_of(other, n, b, sizeof b);
    sp_explain_options_init(&options);
    options.format = SP_FORMAT_MARKDOWN;
    options.compare_a = a;
    options.compare_b = b;
    enum sp_status status = add_kernel(session, kernel, length);
    if (status == SP_OK)
        status = add_kernel(session, other, n);
    if (status == SP_OK)
        status = sp_explain(session, &options, lab_bytes_take, text);
    int written =
        snprintf(line, sizeof line, "Numbers are those of `explain --compare %s %s` on the two cubins.\n\n", a, b);
    if (status == SP_OK && written > 0 && (size_t)written < sizeof line)
        lab_bytes_take(text, line, (size_t)written);
    sp_session_free(session);
    return status;
}

/* The comparisons that the source asks for. */
static enum sp_status compare_neighbours(const char *kernel, struct lab_bytes *text)
{
    char path[PATH_MAX];
    struct lab_bytes source;
    enum sp_status status = SP_OK;
    snprintf(path, sizeof path, "kernels/%s.cu", kernel);
    if (!lab_read_file(path, &source))
        return SP_ERR_IO;
    for (const char *at = source.p; status == SP_OK && (at = strstr(at, COMPARE_MARK));) {
        at += strlen(COMPARE_MARK);
        size_t n = strcspn(at, " \t\r\n");
        if (n > 0 && n < 200)
            status = compare_with(kernel, at, (int)n, text);
    }
    lab_bytes_free(&source);
    return status;
}

int lab_note(struct lab *lab, const char *kernel)
{
    char path[PATH_MAX], place[PATH_MAX];
    struct lab_bytes text = {0};
    struct sp_session *session = lab_need(sp_session_new());
    enum sp_status made = SP_OK;
    for (int i = 0; made == SP_OK && i < lab->n_archs; i++) {
        snprintf(path, sizeof path, "cubin/sm%s/%s.cubin", lab->archs[i], kernel);
        made = sp_session_add_path(session, path);
    }
    snprintf(path, sizeof path, "kernels/%s.cu", kernel);
    if (made == SP_OK)
        made = sp_session_add_source(session, path);
    if (made == SP_OK)
        made = sp_note(session, "sm_" MAIN_ARCH, lab_bytes_take, &text);
    if (made == SP_OK)
        made = compare_neighbours(kernel, &text);
    snprintf(place, sizeof place, "notes/%s.md", kernel);
    return finish_text(lab, session, made, place, &text);
}

/* The notes on patterns come one after the other; each is delivered when the next begins. */
struct pattern_notes {
    struct lab *lab;
    struct lab_bytes text;
    char place[PATH_MAX];
    int status;
};

static void deliver_pattern(struct pattern_notes *n)
{
    if (n->place[0] && n->status == EXIT_DONE)
        n->status = lab_deliver(n->lab, n->place, &n->text);
    lab_bytes_free(&n->text);
}

static bool begin_pattern(void *user, const char *pattern)
{
    struct pattern_notes *n = user;
    deliver_pattern(n);
    snprintf(n->place, sizeof n->place, "notes/patterns/%s.md", pattern);
    n->lab->patterns = lab_need(realloc(n->lab->patterns, (size_t)(n->lab->n_patterns + 1) * sizeof *n->lab->patterns));
    n->lab->patterns[n->lab->n_patterns++] = lab_need(strdup(pattern));
    return n->status == EXIT_DONE;
}

static bool pattern_takes(void *user, const char *p, size_t n)
{
    struct pattern_notes *notes = user;
    return lab_bytes_take(&notes->text, p, n);
}

int lab_note_patterns(struct lab *lab)
{
    char path[PATH_MAX];
    struct pattern_notes notes = {.lab = lab, .status = EXIT_DONE};
    struct sp_session *session = lab_need(sp_session_new());
    enum sp_status made = SP_OK;
    for (int k = 0; made == SP_OK && k < lab->n_kernels; k++) {
        snprintf(path, sizeof path, "kernels/%s.cu", lab->kernels[k]);
        made = sp_session_add_source(session, path);
        for (int i = 0; made == SP_OK && i < lab->n_archs; i++) {
            snprintf(path, sizeof path, "cubin/sm%s/%s.cubin", lab->archs[i], lab->kernels[k]);
            made = sp_session_add_path(session, path);
        }
    }
    if (made == SP_OK)
        made = sp_pattern_notes(session, "sm_" MAIN_ARCH, begin_pattern, pattern_takes, &notes);
    if (made != SP_OK && notes.status == EXIT_DONE) {
        notes.status = lab_complain("notes/patterns", sp_status_text(made));
        sp_session_diagnostics(session, to_stderr, NULL);
    }
    deliver_pattern(&notes);
    if (lab->n_patterns)
        qsort(lab->patterns, (size_t)lab->n_patterns, sizeof *lab->patterns, lab_by_name);
    sp_session_free(session);
    return notes.status;
}

/* A listing or a note whose kernel is gone tells of something that is no longer there. */
void lab_find_stale(struct lab *lab, const char *folder, const char *end)
{
    char **names;
    int n = lab_list_files(folder, end, &names);
    for (int i = 0; i < n; i++) {
        if (bsearch(&names[i], lab->kernels, (size_t)lab->n_kernels, sizeof *names, lab_by_name))
            continue;
        bool pattern = strncmp(names[i], "patterns/", 9) == 0;
        const char *id = names[i] + 9;
        if (pattern && bsearch(&id, lab->patterns, (size_t)lab->n_patterns, sizeof *lab->patterns, lab_by_name))
            continue;
        printf("%s/%s%s: no such %s\n", folder, names[i], end, pattern ? "pattern" : "kernel in kernels/");
        lab->different++;
    }
    if (n >= 0)
        lab_free_names(names, n);
}
