/* libsassprobe: reads NVIDIA GPU machine code and tells what a kernel became.
 *
 * A session holds inputs and what was read from them. No call prints, exits or keeps global state; two sessions may be
 * used from two threads. Output goes through a callback in pieces of any size. */
#ifndef SASSPROBE_H
#define SASSPROBE_H

#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sp_session;

/* Takes `n` bytes of output; false stops the producer (a closed pipe), which then answers SP_ERR_IO. */
typedef bool (*sp_write_fn)(void *user, const char *bytes, size_t n);

/* "0.1.0"; static storage. */
const char *sp_version(void);

/* A new session. NULL when out of memory. Freed with sp_session_free() (NULL is fine). */
struct sp_session *sp_session_new(void);
void sp_session_free(struct sp_session *session);

/* The architecture ("sm_86") of inputs added from now on that do not tell theirs (pasted listings). NULL: none.
 */
enum sp_status sp_session_set_arch(struct sp_session *session, const char *arch);
/* Adds an input: a cubin, PTX, a listing of cuobjdump or nvdisasm, a file that holds modules (a fatbin; a program,
 * library, object or archive with fatbins in it: an input for each module), a folder (its cubins, recursively, in byte
 * order of their paths), or "-" for standard input. A file that holds modules is mapped, not copied: it must not be
 * cut short while the session lives. SP_ERR_IO, SP_ERR_FORMAT: a diagnostic tells; what could be read is kept and
 * later calls report it. */
enum sp_status sp_session_add_path(struct sp_session *session, const char *path);
/* Adds bytes under a name. They are copied. */
enum sp_status sp_session_add_memory(struct sp_session *session, const char *name, const void *bytes, size_t size);
/* Adds a file (or "-") that holds instructions and nothing else, of `arch`: "sm_86", "sm86", "SM86", with an "a" or "f"
 * behind where there is one. It is one kernel, called what the file is called. SP_ERR_USAGE: that is no architecture,
 * and nothing was added; SP_ERR_ARCH: one without encodings; SP_ERR_FORMAT: the file is empty or ends within an
 * instruction: a diagnostic tells where, those before it are kept. */
enum sp_status sp_session_add_raw(struct sp_session *session, const char *path, const char *arch);
/* CUDA source text that gives parameter names and source lines (`--source`). */
enum sp_status sp_session_add_source(struct sp_session *session, const char *path);
/* PTX that the inputs' machine code was made of (`--ptx`), for inputs that have none embedded: text, or a file that
 * holds some. */
enum sp_status sp_session_add_ptx(struct sp_session *session, const char *path);

/* Diagnostics so far, one line each: "file: section+0x40: error: message [code]". */
void sp_session_diagnostics(const struct sp_session *session, sp_write_fn write, void *user);
/* True when an input could not be read, or only in part. */
bool sp_session_damaged(const struct sp_session *session);

enum sp_format { SP_FORMAT_TEXT, SP_FORMAT_MARKDOWN, SP_FORMAT_JSON };
enum sp_level { SP_LEVEL_FULL, SP_LEVEL_SUMMARY };

struct sp_explain_options {
    enum sp_format format;
    enum sp_level level; /* text and Markdown only, never JSON */
    const char *kernel;  /* mangled, demangled or base name, or a glob of one; NULL: all */
    const char *arch;    /* "sm_86"; NULL: all */
    bool color;          /* ANSI colours in text */
    int width;           /* columns; 0: 100 */
    /* One thing only (at most one of these): */
    bool at_set;
    uint32_t at;                       /* byte offset of an instruction */
    uint32_t line;                     /* source line; 0: not asked */
    const char *value;                 /* value id or name; NULL: not asked */
    int64_t why;                       /* number of a statement of the full text report; -1: not asked */
    bool lines;                        /* source, PTX and machine code beside each other */
    const char *compare_a, *compare_b; /* kernels to compare; NULL: none */
};
void sp_explain_options_init(struct sp_explain_options *options);
/* SP_ERR_NOT_FOUND: no kernel, instruction, line, value or statement of that name. */
enum sp_status sp_explain(struct sp_session *session, const struct sp_explain_options *options, sp_write_fn write,
                          void *user);

enum sp_disasm_format { SP_DISASM_CUOBJDUMP, SP_DISASM_NVDISASM, SP_DISASM_CONTROL, SP_DISASM_JSON };
struct sp_disasm_options {
    enum sp_disasm_format format;
    const char *kernel, *arch;
    bool line_info;
};
void sp_disasm_options_init(struct sp_disasm_options *options);
enum sp_status sp_disasm(struct sp_session *session, const struct sp_disasm_options *options, sp_write_fn write,
                         void *user);

/* A kernel run on the emulator. The launch is told by a file (doc/formats/launch.md), by the members below, or by both:
 * members that are set go before the file. */
struct sp_run_options {
    enum sp_format format; /* SP_FORMAT_TEXT or SP_FORMAT_JSON */
    const char *launch;    /* path of a launch file; NULL: none */
    const char *kernel, *arch;
    uint32_t grid[3], block[3]; /* the first 0: not told; the others 0: 1 */
    bool shared_set;
    uint64_t shared_bytes;     /* dynamic shared memory */
    const char *const *params; /* "in:f32:x.bin", "out:f32:1024:y.bin", "inout:f32:x.bin:y.bin", "scalar:s32:1000" */
    size_t param_count;
    bool counters;         /* counts of every instruction */
    uint64_t instructions; /* limit, of warps; 0: the file's, or two thousand million */
    uint64_t memory;       /* limit of bytes in buffers; 0: 1 GiB */
};
void sp_run_options_init(struct sp_run_options *options);
/* Writes what is to be saved, and the report through `write`. *findings: how many. SP_ERR_NOT_FOUND: no such kernel;
 * SP_ERR_USAGE: a launch that does not fit, told by a diagnostic; SP_ERR_IO: a file of the launch. */
enum sp_status sp_run(struct sp_session *session, const struct sp_run_options *options, sp_write_fn write, void *user,
                      size_t *findings);

/* file -> module -> architecture -> kernels with their resources. */
enum sp_status sp_list(struct sp_session *session, enum sp_format format, sp_write_fn write, void *user);

/* What an instruction does, from the micro-operation table: "FSETP.GEU", or a whole instruction's text. */
enum sp_status sp_what(const char *spelling, const char *arch, enum sp_format format, sp_write_fn write, void *user);

/* The note on one probe kernel file: the report for `arch_main`, then a table of what differs on the other
 * architectures of the session's inputs. Markdown. */
enum sp_status sp_note(struct sp_session *session, const char *arch_main, sp_write_fn write, void *user);

/* The notes on the patterns: for each page `begin` is called with its id ("clamp"), then `write` with the note in
 * Markdown: where the session's kernels have it, on which architectures, with examples of `arch_main`. `begin`
 * answering false stops with SP_ERR_IO. */
typedef bool (*sp_begin_fn)(void *user, const char *pattern);
enum sp_status sp_pattern_notes(struct sp_session *session, const char *arch_main, sp_begin_fn begin, sp_write_fn write,
                                void *user);

#ifdef __cplusplus
}
#endif
#endif
