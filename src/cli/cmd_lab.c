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
#include "cmd_lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
        return lab_complain(lab->nvcc, strerror(errno));
    if (child == 0) {
        if (chdir(lab->scratch) != 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            _exit(126);
        execvp(lab->nvcc, (char *const *)argv);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return lab_complain(lab->nvcc, strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_DONE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return lab_complain(lab->nvcc, "not found: building kernels needs the CUDA compiler (put nvcc on PATH or give "
                                       "--nvcc PATH); `--only sass,notes` needs no compiler");
    return lab_complain(lab->nvcc, "failed; its messages stand above");
}

/* Something in `made` that looks like a path of this machine, or NULL. */
static const char *foreign_path(const struct lab *lab, const struct lab_bytes *made)
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
    struct lab_bytes made;
    if (!lab_read_file(result, &made)) {
        lab_bytes_free(&made);
        return lab_complain(result, "nvcc left no result");
    }
    unlink(result);
    const char *foreign = foreign_path(lab, &made);
    status = foreign ? lab_complain(place, "nvcc recorded a path of this machine; not written")
                     : lab_deliver(lab, place, &made);
    if (foreign)
        cmd_error("lab", "the path: %s", foreign);
    lab_bytes_free(&made);
    return status;
}

static int compile_kernel(struct lab *lab, const char *kernel)
{
    char path[PATH_MAX], line[PATH_MAX];
    struct lab_bytes source, copy = {0};
    snprintf(path, sizeof path, "kernels/%s.cu", kernel);
    if (!lab_read_file(path, &source)) {
        lab_bytes_free(&source);
        return lab_complain(path, strerror(errno));
    }
    bool fast_math = strstr(source.p, EXACT_MARK) == NULL;
    snprintf(line, sizeof line, "#line 1 \"/kernels/%s.cu\"\n", kernel);
    lab_bytes_take(&copy, line, strlen(line));
    lab_bytes_take(&copy, source.p, source.n);
    char probe[PATH_MAX + 16];
    snprintf(probe, sizeof probe, "%s/probe.cu", lab->scratch);
    int status = lab_write_file(probe, copy.p, copy.n) ? EXIT_DONE : lab_complain(probe, strerror(errno));
    for (int i = 0; status == EXIT_DONE && i < lab->n_archs; i++) {
        if (lab->make & MAKE_CUBIN)
            status = compile_one(lab, kernel, lab->archs[i], fast_math, false);
        if (status == EXIT_DONE && (lab->make & MAKE_PTX))
            status = compile_one(lab, kernel, lab->archs[i], fast_math, true);
    }
    unlink(probe);
    lab_bytes_free(&source);
    lab_bytes_free(&copy);
    return status;
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
            status = lab_disassemble(lab, kernel, lab->archs[i]);
        if (status == EXIT_DONE && (lab->make & MAKE_NOTES))
            status = lab_note(lab, kernel);
    }
    if (status == EXIT_DONE && (lab->make & MAKE_NOTES))
        status = lab_note_patterns(lab);
    if (status != EXIT_DONE)
        return status;
    progress(lab, lab->n_kernels);
    if (lab->check && (lab->make & MAKE_NOTES))
        lab_find_stale(lab, "notes", ".md");
    for (int i = 0; lab->check && (lab->make & MAKE_SASS) && i < lab->n_archs; i++) {
        char folder[32];
        snprintf(folder, sizeof folder, "sass/sm%s", lab->archs[i]);
        lab_find_stale(lab, folder, ".sass");
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
        return lab_complain(lab.root, strerror(errno));
    lab.n_kernels = lab_list_files("kernels", ".cu", &lab.kernels);
    if (lab.n_kernels <= 0)
        return lab_complain("kernels", "no folder with NN_group/NAME.cu here (see --root)");

    const char *tmp = getenv("TMPDIR");
    bool scratch = lab.make & (MAKE_CUBIN | MAKE_PTX);
    if (scratch) {
        snprintf(lab.scratch, sizeof lab.scratch, "%s/sassprobe-lab-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        if (!mkdtemp(lab.scratch))
            return lab_complain(lab.scratch, strerror(errno));
    }
    code = run_lab(&lab);
    if (scratch)
        rmdir(lab.scratch);
    lab_free_names(lab.kernels, lab.n_kernels);
    lab_free_names(lab.patterns, lab.n_patterns);
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
