/* The order of work: bytes -> modules -> instructions -> micro-operations -> graph -> places, words, patterns -> facts
 * -> reports. This room may call every other; the library's public functions are here. */
#ifndef SP_PIPE_H
#define SP_PIPE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/out.h"
#include "base/vec.h"
#include "facts/fact.h"
#include "graph/graph.h"
#include "image/img.h"
#include "isa/isa.h"
#include "pattern/pat.h"
#include "sassprobe/sassprobe.h"

struct img_container;
struct img_entry;
struct ptx_module;
struct pipe_source;
struct pipe_input {
    const char *path;
    struct img_module module;
    enum sp_status status;
    size_t size; /* bytes */
    /* A module of a file that holds several is read when somebody wants it and goes when he is done: pipe_container.h.
     * The rest are there from the beginning, and `own` is not used. */
    const struct img_container *container; /* NULL: the file is the module */
    const struct img_entry *entry;
    struct arena own;
    size_t told_from;                 /* the first of its own among the session's diagnostics */
    bool is_open, told;               /* told: its diagnostics are with the session's */
    struct ptx_module *container_ptx; /* of the same fatbin, once somebody asked; NULL: none fits */
    bool container_ptx_tried;
    /* PTX (pipe_ptx.h). Of an input that is PTX: what its kernels are, by number, and the module's number of each file.
     * Of machine code: what was embedded, once somebody asked. */
    struct ptx_module *ptx;
    const uint32_t *ptx_functions, *ptx_files;
    bool ptx_tried;
};

struct pipe_mapping {
    const uint8_t *bytes;
    size_t size;
};

struct sp_session {
    struct arena a;
    struct diag_sink diags;
    VEC(struct pipe_input) inputs;
    const char *arch;                  /* of inputs that do not tell theirs; NULL: none was given */
    VEC(struct pipe_source) sources;   /* texts given with --source (pipe_source.h) */
    VEC(struct ptx_module *) ptx;      /* given with --ptx */
    struct pat_library *patterns;      /* made when first needed */
    VEC(struct pipe_mapping) mappings; /* files that containers are read from */
    bool damaged;                      /* a container was */
};

/* What the driver puts into constant bank 0 of an architecture. */
void pipe_env(unsigned sm, const struct img_kernel *kernel, struct graph_env *env);

/* Where the source wrote each instruction, as far as line tables tell. */
struct graph_input_insn;
void pipe_write_places(const struct img_kernel *k, struct graph_input_insn *insns, uint32_t count);

/* Decodes a kernel's code: *count instructions on `a`. */
enum sp_status pipe_decode(struct arena *a, const struct img_module *module, const struct img_kernel *kernel,
                           struct isa_insn **insns, uint32_t *count);

/* How instruction number i is known: NULL where the file has its word and its scheduling. */
const struct img_told *pipe_told(const struct img_kernel *kernel, uint32_t i);

/* Parameters that the container does not tell, from the types in the kernel's name: NULL types of unknown size leave
 * them unknown. */
void pipe_params_from_name(struct arena *a, unsigned sm, struct img_kernel *kernel);

/* Everything about one kernel, as facts on `a`. Scratch memory goes when it returns. The texts are of the module's
 * files. */
struct fact_file_text;
enum sp_status pipe_kernel(struct sp_session *session, struct arena *a, struct pipe_input *input,
                           const struct img_kernel *kernel, const int32_t *file_numbers,
                           const struct fact_file_text *file_texts, struct fact_kernel *out);

/* Diagnostics of what threads do to each other's memory without order. */
void pipe_findings(struct sp_session *session, struct arena *a, struct mean *m, const struct graph *g,
                   const struct img_kernel *kernel);

/* True when a kernel answers to `wanted`: mangled, demangled or base name, or a glob of one. NULL: every kernel does.
 */
bool pipe_kernel_named(struct arena *a, const struct img_kernel *kernel, const char *wanted);

#endif
