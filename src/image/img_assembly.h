/* What an assembly listing of a cubin names: functions and where they end, symbols of other files, places in the code
 * that relocations and records of the file point to, relocated fields. Nothing of it is needed to read the code. */
#ifndef SP_IMG_ASSEMBLY_H
#define SP_IMG_ASSEMBLY_H

#include "image/img.h"

enum { IMG_NO_KERNEL = 0xffffffff };

/* A place in the code: a kernel by its number, and bytes from the start of its section. */
struct img_mark {
    uint32_t kernel, offset;
};

enum img_binding { IMG_BIND_LOCAL, IMG_BIND_GLOBAL, IMG_BIND_WEAK };

/* Functions in the order of their symbols. The section's own symbol is one of them (`is_section`). */
struct img_function {
    const char *name;
    struct img_mark at;
    uint64_t size;
    uint8_t binding, other; /* enum img_binding; st_other */
    bool is_section;
};

/* A symbol that some other file defines. */
struct img_extern {
    const char *name;
    uint8_t type, other; /* st_info & 15, st_other */
    uint64_t size;
};

/* A field of an instruction that holds what a symbol stands for, plus `addend`. `target`: the place that is in the code
 * (kernel IMG_NO_KERNEL: none of it, or the symbol's own place). */
struct img_field {
    struct img_mark at;
    uint32_t type;
    const char *symbol;
    int64_t addend;
    struct img_mark target;
};

/* Where an indirect branch may go. */
struct img_branch {
    struct img_mark at;
    const struct img_mark *targets;    /* each once, as they come first */
    uint32_t target_count, word_count; /* words: of its table, which may name a place often */
};

/* What a kernel's section says by itself; 0: nothing. */
struct img_section {
    uint32_t alignment, registers, barriers;
    bool named_twice; /* a symbol that is no section's has its name */
};

struct img_assembly {
    bool relocatable;
    const struct img_function *functions;
    const struct img_extern *externs;
    const struct img_field *fields;     /* ascending by kernel, then offset */
    const struct img_mark *marks;       /* places that relocations of data name, in the file's order */
    const struct img_mark *records;     /* those that records of .nv.info name */
    const struct img_branch *branches;  /* ascending by kernel, then offset */
    const struct img_section *sections; /* of each kernel */
    uint32_t function_count, extern_count, field_count, mark_count, record_count, branch_count;
};

/* Reads it from the bytes the module was read from; what is damaged there was told by img_read_module(). Without bytes
 * (a listing) there are the kernels and their subroutines alone. False: out of memory. */
bool img_read_assembly(struct arena *a, const struct img_module *module, struct img_assembly *out);

#endif
