/* sassprobe lab: the laboratory of the tree. It compiles kernels/NN_group/NAME.cu with nvcc for every architecture:
 *   cubin/smNN/NN_group/NAME.cubin   ptx/smNN/NN_group/NAME.ptx        what nvcc makes
 *   sass/smNN/NN_group/NAME.sass     notes/NN_group/NAME.md            what this program reads in the cubins
 *   notes/patterns/ID.md                                               where each pattern is in them
 * `--check` makes sass and notes in memory from the cubins that stand there and says where the files differ.
 *
 * nvcc writes absolute paths into line tables and PTX, so it never sees where the tree lies: each file is compiled as
 * probe.cu in a scratch folder and begins with `#line 1 "/kernels/NN_group/NAME.cu"`. A result that holds another path
 * is refused. */
#define _GNU_SOURCE
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKE_CUBIN = 1, MAKE_PTX = 2, MAKE_SASS = 4, MAKE_NOTES = 8, MAX_ARCHS = 16 };

/* The report of a note is written for this one; the others stand in its table of differences. */
#define MAIN_ARCH "86"
/* A source with this line is built without --use_fast_math. */
#define EXACT_MARK "// lab: no-fast-math"

struct bytes {
    char *p;
    size_t n, capacity;
};

struct lab {
    const char *root;
    const char *nvcc;
    char arch_list[128];
    char *archs[MAX_ARCHS]; /* into arch_list: "86" */
    int n_archs;
    unsigned make;
    bool check, quiet;
    char **kernels; /* "02_control/clamp_f32", in byte order */
    int n_kernels;
    char **patterns; /* ids of the pages, once their notes are made */
    int n_patterns;
    char scratch[PATH_MAX];
    int written, same, different;
};

/* ---- bytes and files ---- */

static void *need(void *p)
{
    if (!p) {
        cmd_error("lab", "out of memory");
        exit(EXIT_UNREADABLE);
    }
    return p;
}

static bool bytes_take(void *user, const char *p, size_t n)
{
    struct bytes *b = user;
    if (b->n + n + 1 > b->capacity) {
        b->capacity = (b->n + n + 1) * 2;
        b->p = need(realloc(b->p, b->capacity));
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
    return true;
}

static void bytes_free(struct bytes *b)
{
    free(b->p);
    *b = (struct bytes){0};
}

static bool read_file(const char *path, struct bytes *out)
{
    char chunk[16384];
    size_t n;
    FILE *f = fopen(path, "rb");
    *out = (struct bytes){0};
    if (!f)
        return false;
    bytes_take(out, "", 0);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        bytes_take(out, chunk, n);
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

static bool write_file(const char *path, const char *p, size_t n)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(p, 1, n, f) == n;
    return fclose(f) == 0 && ok;
}

static int complain(const char *path, const char *what)
{
    cmd_error("lab", "%s: %s", path, what);
    return EXIT_UNREADABLE;
}

/* Brings one made text or binary to its place, or compares it with what stands there. */
static int deliver(struct lab *lab, const char *path, const struct bytes *made)
{
    struct bytes old;
    bool there = read_file(path, &old);
    bool equal = there && old.n == made->n && memcmp(old.p, made->p, made->n) == 0;
    bytes_free(&old);
    if (equal) {
        lab->same++;
        return EXIT_DONE;
    }
    if (lab->check) {
        lab->different++;
        printf("%s: %s\n", path, there ? "differs from what is made now" : "missing");
        return EXIT_DONE;
    }
    if (!write_file(path, made->p, made->n))
        return complain(path, strerror(errno));
    lab->written++;
    return EXIT_DONE;
}

/* ---- what there is to build ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Names below `folder` with ending `end`, two levels deep, without the ending and sorted: "02_control/clamp_f32". */
static int list_group_files(const char *folder, const char *end, char ***out)
{
    int n = 0;
    *out = NULL;
    DIR *top = opendir(folder);
    if (!top)
        return -1;
    for (struct dirent *group; (group = readdir(top));) {
        char path[PATH_MAX];
        if (group->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, group->d_name) >= (int)sizeof path)
            continue;
        DIR *inside = opendir(path);
        if (!inside)
            continue;
        for (struct dirent *file; (file = readdir(inside));) {
            if (!ends_with(file->d_name, end))
                continue;
            char *name = NULL;
            if (asprintf(&name, "%s/%.*s", group->d_name, (int)(strlen(file->d_name) - strlen(end)), file->d_name) < 0)
                need(NULL);
            *out = need(realloc(*out, (size_t)(n + 1) * sizeof **out));
            (*out)[n++] = name;
        }
        closedir(inside);
    }
    closedir(top);
    if (n)
        qsort(*out, (size_t)n, sizeof **out, by_name);
    return n;
}

static void free_names(char **names, int n)
{
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

/* ---- nvcc ---- */

/* Runs nvcc in the scratch folder on probe.cu. Its messages go to our standard error. */
static int run_nvcc(const struct lab *lab, const char *arch, bool fast_math, const char *form, const char *result)
{
    char arch_flag[32];
    snprintf(arch_flag, sizeof arch_flag, "-arch=sm_%s", arch);
    const char *argv[12];
    int n = 0;
    argv[n++] = lab->nvcc;
    argv[n++] = arch_flag;
    argv[n++] = "-O3";
    if (fast_math)
        argv[n++] = "--use_fast_math";
    argv[n++] = "--generate-line-info";
    argv[n++] = form;
    argv[n++] = "-o";
    argv[n++] = result;
    argv[n++] = "probe.cu";
    argv[n] = NULL;

    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return complain(lab->nvcc, strerror(errno));
    if (child == 0) {
        if (chdir(lab->scratch) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            _exit(126);
        execvp(lab->nvcc, (char *const *)argv);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return complain(lab->nvcc, strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return complain(lab->nvcc, "not found: building kernels needs the CUDA compiler (put nvcc on PATH or give "
                                   "--nvcc PATH); `--only sass,notes` needs no compiler");
    return complain(lab->nvcc, "failed; its messages stand above");
}

/* Something in `made` that looks like a path of this machine, or NULL. */
static const char *foreign_path(const struct lab *lab, const struct bytes *made)
{
    static const char *const roots[] = {"/home/", "/root/", "/tmp/", "/usr/", "/var/", "/opt/", "/mnt/"};
    char here[PATH_MAX];
    if (memmem(made->p, made->n, lab->scratch, strlen(lab->scratch)))
        return lab->scratch;
    if (getcwd(here, sizeof here) && strlen(here) > 1 && memmem(made->p, made->n, here, strlen(here)))
        return "the path of the tree";
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (memmem(made->p, made->n, roots[i], strlen(roots[i])))
            return roots[i];
    }
    return NULL;
}

static int compile_one(struct lab *lab, const char *kernel, const char *arch, bool fast_math, bool ptx)
{
    const char *kind = ptx ? "ptx" : "cubin";
    char result[PATH_MAX + 16], place[PATH_MAX], file[16];
    snprintf(file, sizeof file, "probe.%s", kind);
    snprintf(result, sizeof result, "%s/%s", lab->scratch, file);
    snprintf(place, sizeof place, "%s/sm%s/%s.%s", kind, arch, kernel, kind);
    int status = run_nvcc(lab, arch, fast_math, ptx ? "-ptx" : "-cubin", file);
    if (status != EXIT_DONE)
        return status;
    struct bytes made;
    if (!read_file(result, &made)) {
        bytes_free(&made);
        return complain(result, "nvcc left no result");
    }
    unlink(result);
    const char *foreign = foreign_path(lab, &made);
    status =
        foreign ? complain(place, "nvcc recorded a path of this machine; not written") : deliver(lab, place, &made);
    if (foreign)
        cmd_error("lab", "the path: %s", foreign);
    bytes_free(&made);
    return status;
}

static int compile_kernel(struct lab *lab, const char *kernel)
{
    char path[PATH_MAX], line[PATH_MAX];
    struct bytes source, copy = {0};
    snprintf(path, sizeof path, "kernels/%s.cu", kernel);
    if (!read_file(path, &source)) {
        bytes_free(&source);
        return complain(path, strerror(errno));
    }
    bool fast_math = strstr(source.p, EXACT_MARK) == NULL;
    snprintf(line, sizeof line, "#line 1 \"/kernels/%s.cu\"\n", kernel);
    bytes_take(&copy, line, strlen(line));
    bytes_take(&copy, source.p, source.n);
    char probe[PATH_MAX + 16];
    snprintf(probe, sizeof probe, "%s/probe.cu", lab->scratch);
    int status = write_file(probe, copy.p, copy.n) ? EXIT_DONE : complain(probe, strerror(errno));
    for (int i = 0; status == EXIT_DONE && i < lab->n_archs; i++) {
        if (lab->make & MAKE_CUBIN)
            status = compile_one(lab, kernel, lab->archs[i], fast_math, false);
        if (status == EXIT_DONE && (lab->make & MAKE_PTX))
            status = compile_one(lab, kernel, lab->archs[i], fast_math, true);
    }
    unlink(probe);
    bytes_free(&source);
    bytes_free(&copy);
    return status;
}

/* ---- what this program reads ---- */

static bool to_stderr(void *user, const char *p, size_t n)
{
    (void)user;
    return fwrite(p, 1, n, stderr) == n;
}

static int finish_text(struct lab *lab, struct sp_session *session, enum sp_status made, const char *place,
                       struct bytes *text)
{
    int status = EXIT_UNREADABLE;
    if (made != SP_OK || sp_session_damaged(session)) {
        complain(place, sp_status_text(made));
        sp_session_diagnostics(session, to_stderr, NULL);
    } else {
        status = deliver(lab, place, text);
    }
    bytes_free(text);
    sp_session_free(session);
    return status;
}

static int disassemble_one(struct lab *lab, const char *kernel, const char *arch)
{
    char cubin[PATH_MAX], place[PATH_MAX];
    snprintf(cubin, sizeof cubin, "cubin/sm%s/%s.cubin", arch, kernel);
    snprintf(place, sizeof place, "sass/sm%s/%s.sass", arch, kernel);
    struct bytes text = {0};
    struct sp_session *session = need(sp_session_new());
    struct sp_disasm_options options;
    sp_disasm_options_init(&options);
    options.format = SP_DISASM_CUOBJDUMP;
    enum sp_status made = sp_session_add_path(session, cubin);
    if (made == SP_OK)
        made = sp_disasm(session, &options, bytes_take, &text);
    return finish_text(lab, session, made, place, &text);
}

static int note_one(struct lab *lab, const char *kernel)
{
    char path[PATH_MAX], place[PATH_MAX];
    struct bytes text = {0};
    struct sp_session *session = need(sp_session_new());
    enum sp_status made = SP_OK;
    for (int i = 0; made == SP_OK && i < lab->n_archs; i++) {
        snprintf(path, sizeof path, "cubin/sm%s/%s.cubin", lab->archs[i], kernel);
        made = sp_session_add_path(session, path);
    }
    snprintf(path, sizeof path, "kernels/%s.cu", kernel);
    if (made == SP_OK)
        made = sp_session_add_source(session, path);
    if (made == SP_OK)
        made = sp_note(session, "sm_" MAIN_ARCH, bytes_take, &text);
    snprintf(place, sizeof place, "notes/%s.md", kernel);
    return finish_text(lab, session, made, place, &text);
}

/* The notes on patterns come one after the other; each is delivered when the next begins. */
struct pattern_notes {
    struct lab *lab;
    struct bytes text;
    char place[PATH_MAX];
    int status;
};

static void deliver_pattern(struct pattern_notes *n)
{
    if (n->place[0] && n->status == EXIT_DONE)
        n->status = deliver(n->lab, n->place, &n->text);
    bytes_free(&n->text);
}

static bool begin_pattern(void *user, const char *pattern)
{
    struct pattern_notes *n = user;
    deliver_pattern(n);
    snprintf(n->place, sizeof n->place, "notes/patterns/%s.md", pattern);
    n->lab->patterns = need(realloc(n->lab->patterns, (size_t)(n->lab->n_patterns + 1) * sizeof *n->lab->patterns));
    n->lab->patterns[n->lab->n_patterns++] = need(strdup(pattern));
    return n->status == EXIT_DONE;
}

static bool pattern_takes(void *user, const char *p, size_t n)
{
    struct pattern_notes *notes = user;
    return bytes_take(&notes->text, p, n);
}

static int note_patterns(struct lab *lab)
{
    char path[PATH_MAX];
    struct pattern_notes notes = {.lab = lab, .status = EXIT_DONE};
    struct sp_session *session = need(sp_session_new());
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
        notes.status = complain("notes/patterns", sp_status_text(made));
        sp_session_diagnostics(session, to_stderr, NULL);
    }
    deliver_pattern(&notes);
    if (lab->n_patterns)
        qsort(lab->patterns, (size_t)lab->n_patterns, sizeof *lab->patterns, by_name);
    sp_session_free(session);
    return notes.status;
}

/* A listing or a note whose kernel is gone tells of something that is no longer there. */
static void find_stale(struct lab *lab, const char *folder, const char *end)
{
    char **names;
    int n = list_group_files(folder, end, &names);
    for (int i = 0; i < n; i++) {
        if (bsearch(&names[i], lab->kernels, (size_t)lab->n_kernels, sizeof *names, by_name))
            continue;
        bool pattern = strncmp(names[i], "patterns/", 9) == 0;
        const char *id = names[i] + 9;
        if (pattern && bsearch(&id, lab->patterns, (size_t)lab->n_patterns, sizeof *lab->patterns, by_name))
            continue;
        printf("%s/%s%s: no such %s\n", folder, names[i], end, pattern ? "pattern" : "kernel in kernels/");
        lab->different++;
    }
    if (n >= 0)
        free_names(names, n);
}

/* ---- the command ---- */

static void progress(const struct lab *lab, int done)
{
    if (!lab->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\rlab: %d / %d%s", done, lab->n_kernels, done == lab->n_kernels ? "\n" : "");
}

static int run_lab(struct lab *lab)
{
    int status = EXIT_DONE;
    for (int k = 0; status == EXIT_DONE && k < lab->n_kernels; k++) {
        const char *kernel = lab->kernels[k];
        progress(lab, k);
        if (lab->make & (MAKE_CUBIN | MAKE_PTX))
            status = compile_kernel(lab, kernel);
        for (int i = 0; status == EXIT_DONE && (lab->make & MAKE_SASS) && i < lab->n_archs; i++)
            status = disassemble_one(lab, kernel, lab->archs[i]);
        if (status == EXIT_DONE && (lab->make & MAKE_NOTES))
            status = note_one(lab, kernel);
    }
    if (status == EXIT_DONE && (lab->make & MAKE_NOTES))
        status = note_patterns(lab);
    if (status != EXIT_DONE)
        return status;
    progress(lab, lab->n_kernels);
    if (lab->check && (lab->make & MAKE_NOTES))
        find_stale(lab, "notes", ".md");
    for (int i = 0; lab->check && (lab->make & MAKE_SASS) && i < lab->n_archs; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "sass/sm%s", lab->archs[i]);
        find_stale(lab, folder, ".sass");
    }
    if (lab->check)
        printf("lab: %d as made now, %d different\n", lab->same, lab->different);
    else
        printf("lab: %d written, %d unchanged\n", lab->written, lab->same);
    return lab->different ? EXIT_DIFFERS : EXIT_DONE;
}

/* Splits a list at its commas, in place. */
static int split(char *list, char **words, int room)
{
    int n = 0;
    for (char *word = strtok(list, ","); word && n < room; word = strtok(NULL, ","))
        words[n++] = word;
    return n;
}

static bool take_archs(struct lab *lab, const char *list)
{
    snprintf(lab->arch_list, sizeof lab->arch_list, "%s", list);
    lab->n_archs = split(lab->arch_list, lab->archs, MAX_ARCHS);
    for (int i = 0; i < lab->n_archs; i++) {
        if (strncmp(lab->archs[i], "sm_", 3) == 0)
            lab->archs[i] += 3;
        size_t digits = strspn(lab->archs[i], "0123456789");
        if (digits < 2 || strlen(lab->archs[i]) > digits + 1) {
            cmd_error("lab", "--arch: not an architecture: %s", lab->archs[i]);
            return false;
        }
    }
    return lab->n_archs > 0;
}

static bool take_only(struct lab *lab, const char *list)
{
    static const char *const names[] = {"cubin", "ptx", "sass", "notes", NULL};
    char copy[64], *words[8];
    snprintf(copy, sizeof copy, "%s", list);
    int n = split(copy, words, 8);
    lab->make = 0;
    for (int i = 0; i < n; i++) {
        int choice = cmd_choice("lab", "only", words[i], names);
        if (choice < 0)
            return false;
        lab->make |= 1u << choice;
    }
    return lab->make != 0;
}

enum { ID_ONLY = 256, ID_ARCH, ID_CHECK, ID_NVCC, ID_ROOT, ID_QUIET };

static const struct cmd_option options[] = {
    {ID_ONLY, "only", 0, "LIST", "make these of cubin,ptx,sass,notes only; sass and notes need no compiler"},
    {ID_ARCH, "arch", 0, "LIST", "for these architectures only (default: 75,80,86,89,90,100,120)"},
    {ID_CHECK, "check", 0, NULL,
     "write nothing: say which files differ from what is made now (sass and notes by default)"},
    {ID_NVCC, "nvcc", 0, "PATH", "the compiler to run (default: nvcc on PATH)"},
    {ID_ROOT, "root", 0, "FOLDER", "the folder that holds kernels/ (default: the current one)"},
    {ID_QUIET, "quiet", 'q', NULL, "no progress on standard error"},
    {0},
};

static bool take(void *user, int id, const char *value, const char *value2)
{
    struct lab *lab = user;
    (void)value2;
    switch (id) {
    case ID_ONLY: return take_only(lab, value);
    case ID_ARCH: return take_archs(lab, value);
    case ID_CHECK: lab->check = true; break;
    case ID_NVCC: lab->nvcc = value; break;
    case ID_ROOT: lab->root = value; break;
    case ID_QUIET: lab->quiet = true; break;
    }
    return true;
}

int cmd_lab(int argc, char **argv)
{
    struct lab lab = {.root = ".", .nvcc = "nvcc"};
    int first, code;
    take_archs(&lab, "75,80,86,89,90,100,120");
    if ((code = cmd_parse(&cmd_lab_spec, argc, argv, take, &lab, &first)) != CMD_GO)
        return cmd_finish("lab", code);
    if (first != argc) {
        cmd_error("lab", "takes no files: it works on the kernels/ of --root");
        return EXIT_USAGE;
    }
    if (!lab.make)
        lab.make = lab.check ? MAKE_SASS | MAKE_NOTES : MAKE_CUBIN | MAKE_PTX | MAKE_SASS | MAKE_NOTES;
    char compiler[PATH_MAX];
    if (strchr(lab.nvcc, '/') && realpath(lab.nvcc, compiler))
        lab.nvcc = compiler;
    /* Everything below is relative to the tree, so that no report names where it lies. */
    if (chdir(lab.root) != 0)
        return complain(lab.root, strerror(errno));
    lab.n_kernels = list_group_files("kernels", ".cu", &lab.kernels);
    if (lab.n_kernels <= 0)
        return complain("kernels", "no folder with NN_group/NAME.cu here (see --root)");

    const char *tmp = getenv("TMPDIR");
    bool scratch = lab.make & (MAKE_CUBIN | MAKE_PTX);
    if (scratch) {
        snprintf(lab.scratch, sizeof lab.scratch, "%s/sassprobe-lab-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        if (!mkdtemp(lab.scratch))
            return complain(lab.scratch, strerror(errno));
    }
    code = run_lab(&lab);
    if (scratch)
        rmdir(lab.scratch);
    free_names(lab.kernels, lab.n_kernels);
    free_names(lab.patterns, lab.n_patterns);
    return cmd_finish("lab", code);
}

const struct cmd_spec cmd_lab_spec = {
    .name = "lab",
    .summary = "builds the probe kernels and writes their listings and notes",
    .arguments = "",
    .description =
        "Compiles kernels/NN_group/NAME.cu with nvcc into cubin/smNN/ and ptx/smNN/, and writes what this program "
        "reads in the cubins into sass/smNN/, notes/NN_group/ and, of each pattern, notes/patterns/. No path of the "
        "machine gets into any of them. With "
        "--check it exits with 1 when a file differs.",
    .options = options,
    .examples = "  sassprobe lab\n  sassprobe lab --only sass,notes\n  sassprobe lab --check\n",
    .run = cmd_lab,
};
