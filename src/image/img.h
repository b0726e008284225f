/* Bytes -> modules, kernels and what the container says of them. No analysis, no decoding of instructions.
 *
 * Everything lives on the arena or in the input's bytes; strings are NUL-terminated. Sizes, counts and offsets of the
 * input are never trusted: a damaged part is reported through `diags` and the rest kept (img_module.status). */
#ifndef SP_IMG_H
#define SP_IMG_H

#include "base/arena.h"
#include "base/diag.h"
#include "sassprobe/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum img_kind {
    IMG_CUBIN,
    IMG_FATBIN,
    IMG_HOST_ELF,
    IMG_HOST_PE, /* a Windows image, or a COFF object */
    IMG_PTX,
    IMG_LISTING,
    IMG_ARCHIVE,
    IMG_LTO, /* an entry of a fatbin that holds NVVM code for the linker; nobody reads it */
    IMG_RAW, /* instructions alone, said to be so: nobody detects it */
    IMG_UNKNOWN
};
enum img_completeness { IMG_COMPLETE, IMG_PARTIAL, IMG_UNREADABLE };

struct img_param {
    uint32_t index, offset, size; /* offset from the start of the parameters */
    uint32_t constant_offset;     /* offset in constant bank 0 */
};

/* One level of inlining, innermost first. */
struct img_inline {
    uint32_t file;        /* index into img_module.files */
    uint32_t line;        /* where the call stands */
    const char *function; /* demangled name of the function that was inlined there, or NULL */
};

struct img_line {
    uint32_t offset; /* of the instruction from the start of the kernel's section */
    uint32_t file;   /* index into img_module.files, UINT32_MAX unknown */
    uint32_t line;   /* 0 unknown */
    const struct img_inline *inlined;
    uint32_t inlined_count;
};

struct img_ptx_line {
    uint32_t offset, line; /* 1-based line of the embedded PTX text */
};

struct img_reloc {
    uint32_t offset, type;
    const char *symbol; /* "" for none */
    int64_t addend;
    int64_t shared; /* the field is the address of a shared array: where it lies in a link of this file alone, or -1 */
    uint32_t shared_bytes; /* of that array; 0: it has no size, and lies behind all others */
    bool shared_own;       /* it stands in the kernel's own section of shared memory */
    uint32_t function,
        function_offset; /* the symbol is code: which of img_module.kernels, and where in it; UINT32_MAX */
    int64_t code; /* where that is in the code of the kernel with what it calls (img_link_called()); -1: not there */
};

/* Code of another section that stands behind a kernel's own. */
struct img_called {
    const char *name, *demangled, *section;
    uint32_t offset, bytes;
};

/* A function inside the section that is not its entry: `$kernel$callee`, `$__internal_…`. */
struct img_subroutine {
    const char *name, *demangled;
    uint32_t offset, size;
};

/* How an instruction of a listing is known. 0: not at all; its 16 bytes are 0 and `text` is what stands there, or NULL
 * where the listing has nothing. */
enum img_told_how {
    IMG_TOLD_WORD = 1,    /* the listing has its word */
    IMG_TOLD_TEXT = 2,    /* made of its text: what text does not tell is 0 in the code (isa/isa_parse.h) */
    IMG_TOLD_CONTROL = 4, /* its scheduling is told */
};
struct img_told {
    uint8_t how; /* enum img_told_how */
    const char *text;
    uint32_t line; /* of the listing */
};

/* Pointers in bank 4 to numbers that come with the code: the offset of each, and the bytes it will point to. */
struct img_tables {
    const uint32_t *at;
    const uint8_t *const *bytes;
    const uint32_t *sizes;
    uint32_t count;
};

/* Branches that go by a table, ascending, and where each may go, as the compiler says: places of the kernel's own
 * section, each once. */
struct img_switches {
    const uint32_t *at;
    const uint32_t *const *targets;
    const uint32_t *target_counts;
    uint32_t count;
};

struct img_kernel {
    const char *name, *demangled;
    const char *section; /* ".text.NAME" */
    bool is_entry;       /* a kernel; false: a device function with a section of its own */
    const uint8_t *code; /* code_bytes bytes, a multiple of 16 */
    uint32_t code_bytes;
    const struct img_told *told; /* of a listing: one for each 16 bytes; NULL: the code is the file's own */
    int32_t registers, barriers, shared_bytes, stack_bytes; /* -1 unknown; shared as `ptxas -v` prints it */
    int32_t uniform_registers;                              /* -1 unknown */
    bool dynamic_shared; /* the module declares an extern shared array this kernel may use */
    uint32_t param_base; /* offset of parameter 0 in constant bank 0; 0 unknown */
    uint32_t param_bytes;
    const struct img_param *params;
    uint32_t param_count;
    bool params_known;                  /* the container told them */
    int32_t max_threads[3], reqntid[3]; /* -1 unknown */
    const uint32_t *spills;             /* offsets of spill stores and refills (attribute 0x55), ascending */
    uint32_t spill_count;
    bool spills_known;
    struct img_switches switches;
    const struct img_line *lines; /* ascending by offset; a row holds until the next */
    uint32_t line_count;
    const struct img_ptx_line *ptx_lines; /* likewise */
    uint32_t ptx_line_count;
    const struct img_reloc *relocs;
    uint32_t reloc_count;
    const struct img_subroutine *subroutines;
    uint32_t subroutine_count;
    const uint8_t *constant_bank[18]; /* initialised banks (2: compiler constants, 3: user __constant__), or NULL */
    uint32_t constant_bytes[18];
    struct img_tables tables;
    const struct img_called *called; /* of img_link_called(): ascending, up to the end of the code */
    uint32_t called_count;
    int32_t called_shared_bytes; /* of arrays that a function among them has */
    uint32_t own_bytes;          /* of the code: what is the kernel's; between the parts there are holes */
};

struct img_module {
    const char *path, *member; /* member: NULL outside containers */
    enum img_kind kind;
    enum img_completeness status;
    unsigned sm;          /* 86; 0 unknown */
    unsigned virtual_sm;  /* of the PTX it was made of; 0 unknown */
    const char *arch;     /* "sm_86", "sm_90a"; NULL unknown */
    const char *producer; /* "ptxas 13.0.88"; "CUDA 12.4" where only the release is recorded; or NULL */
    const char *flags;    /* command line of the producer as recorded, or NULL */
    const char **files;   /* source files as recorded in the line table */
    uint32_t file_count;
    const uint64_t *file_bytes; /* their sizes as recorded when they were compiled, 0 unknown; or NULL */
    const char *ptx;            /* embedded PTX text with line feeds, or NULL */
    size_t ptx_bytes;
    bool has_line_info;
    struct img_kernel *kernels; /* in section order */
    uint32_t kernel_count;
    const uint8_t *bytes; /* what it was read from; NULL: no cubin */
    size_t size;
    uint32_t header_flags; /* of its ELF header, */
    bool old_layout;       /* which is that of ABI version 7 and before */
};

/* Reads one module from memory (a cubin). `bytes` must stay until the arena goes. On SP_ERR_FORMAT *module still holds
 * what could be read (status IMG_PARTIAL or IMG_UNREADABLE, and at least one diagnostic of severity error). */
enum sp_status img_read_module(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                               size_t size, struct img_module *module);

/* The kernel with the code of other sections that it calls, and that these call, behind its own: *out is a copy on `a`,
 * and all its offsets are of that longer code. SP_ERR_MEMORY or SP_OK. */
enum sp_status img_link_called(struct arena *a, const struct img_module *module, const struct img_kernel *kernel,
                               struct img_kernel *out);
/* The relocation fills in where a call goes. */
bool img_reloc_is_call(const struct img_reloc *r);

/* Reads a text listing: a module for each architecture or fatbin entry in it. `arch` ("sm_86" or NULL) is what is taken
 * where the listing does not tell. Kernels are as far as they could be read; where instructions are missing the module
 * is IMG_PARTIAL. Diagnostics have "line N" for a section. SP_ERR_ARCH: no architecture, kernels have names and offsets
 * only; SP_ERR_FORMAT: nothing in it; SP_ERR_UNSUPPORTED: a form that is no listing. */
enum sp_status img_read_listing(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                                size_t size, const char *arch, struct img_module **modules, uint32_t *count);

/* A variable of the module that outlives a kernel: device memory, or a place in constant bank 3. */
struct img_variable {
    const char *name, *demangled;
    bool constant;       /* in bank 3, at `offset` */
    uint32_t offset;     /* from the start of its section */
    uint64_t size;       /* bytes */
    const uint8_t *init; /* as many, or NULL: zeros */
};
/* A pointer the loader writes: into constant bank `bank` at `at`, or into variable `variable` (bank 0) there. It is the
 * address of variable `to` and `addend` behind it; UINT32_MAX: of something else. */
struct img_pointer {
    uint32_t bank, variable, to, at;
    int64_t addend;
};
struct img_variables {
    const struct img_variable *variables;
    uint32_t count;
    const struct img_pointer *pointers;
    uint32_t pointer_count;
    const uint8_t *bank[18]; /* of the whole module, those too that a loader fills; NULL: none */
    uint32_t bank_bytes[18];
};
/* The variables of a cubin, and the pointers to them, on `a`. Nothing in other files. SP_ERR_MEMORY or SP_OK. */
enum sp_status img_variables_read(struct arena *a, const struct img_module *module, struct img_variables *out);

/* What the bytes are, by magic alone; text is a listing when some line of its beginning is an instruction's. */
enum img_kind img_detect(const uint8_t *bytes, size_t size);
/* The same without text: IMG_UNKNOWN for it. */
enum img_kind img_detect_binary(const uint8_t *bytes, size_t size);

/* A whole file as memory that its pages come to when they are read; for files too large to be copied. It must not be
 * cut short by others while it is in use. False: it cannot be had so (no regular file, or empty). Ended by
 * img_unmap_file(). */
bool img_map_file(const char *path, const uint8_t **bytes, size_t *size);
void img_unmap_file(const uint8_t *bytes, size_t size);

/* A whole file into the arena. SP_ERR_IO with a diagnostic; at most `limit` bytes (0: 2 GiB). */
enum sp_status img_load_file(struct arena *a, struct diag_sink *diags, const char *path, size_t limit, uint8_t **bytes,
                             size_t *size);

/* Itanium demangling; never NULL unless out of memory. Names over 4 KiB, names that stand for more than 32 KiB of text
 * and what is no mangled name are given back as they are. Decorations of device names (`$kernel$callee`) are taken off.
 */
const char *img_demangle(struct arena *a, const char *mangled);

/* The row that covers `offset`, or NULL. */
const struct img_line *img_line_at(const struct img_kernel *kernel, uint32_t offset);
uint32_t img_ptx_line_at(const struct img_kernel *kernel, uint32_t offset); /* 0 unknown */

/* Parameter names and types. */
struct img_signature {
    const char **types; /* from the demangled name: "float const*" */
    uint32_t count;
    bool known; /* false: the name carries no signature (extern "C") */
};
/* Splits `clamp(float const*, int)` at top-level commas; templates, function pointers, arrays respected. */
void img_signature_parse(struct arena *a, const char *demangled, struct img_signature *out);

/* Parameter names of the kernel named `base_name` in CUDA source text: declarations over several lines, templates,
 * default arguments, comments, attributes. names[i] for each parameter of a definition or declaration whose parameter
 * count equals `count`, NULL where it has no name; false when there is none or when two disagree. A definition is what
 * was compiled: when there is one, declarations do not count. Macros are not expanded. */
bool img_source_params(struct arena *a, const char *source, size_t size, const char *base_name, uint32_t count,
                       const char ***names);

#endif
