/* What the files of `sassprobe lab` share: the run, bytes, files of the tree. Private to the subcommand. */
#ifndef CMD_LAB_H
#define CMD_LAB_H

#include "cli.h"

#include <limits.h>

enum { MAKE_CUBIN = 1, MAKE_PTX = 2, MAKE_SASS = 4, MAKE_NOTES = 8, MAX_ARCHS = 16 };

/* The report of a note is written for this one; the others stand in its table of differences. */
#define MAIN_ARCH "86"
/* A source with this line is built without --use_fast_math. */
#define EXACT_MARK "// lab: no-fast-math"
/* A source with such a line has a neighbour to be compared with: the name of another source follows. */
#define COMPARE_MARK "// lab: compare "

struct lab_bytes {
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

void *lab_need(void *p); /* ends the program when out of memory */
/* A sp_write_fn on a struct lab_bytes; the text is always NUL-terminated. */
bool lab_bytes_take(void *user, const char *p, size_t n);
void lab_bytes_free(struct lab_bytes *b);
bool lab_read_file(const char *path, struct lab_bytes *out);
bool lab_write_file(const char *path, const char *p, size_t n); /* makes the folders above it */
int lab_complain(const char *path, const char *what);
/* Brings one made text or binary to its place, or compares it with what stands there. */
int lab_deliver(struct lab *lab, const char *path, const struct lab_bytes *made);
/* Names below `folder` with ending `end`, two levels deep, without the ending and sorted: "02_control/clamp_f32". -1
 * when there is no such folder. */
int lab_list_files(const char *folder, const char *end, char ***out);
void lab_free_names(char **names, int n);
int lab_by_name(const void *a, const void *b); /* for qsort and bsearch */

/* What the program reads in the cubins (cmd_lab_notes.c). */
int lab_disassemble(struct lab *lab, const char *kernel, const char *arch);
int lab_note(struct lab *lab, const char *kernel);
int lab_note_patterns(struct lab *lab);
/* Says which listings or notes tell of something that is no longer there. */
void lab_find_stale(struct lab *lab, const char *folder, const char *end);

#endif
