/* What the files of this room share while one cubin is read. Private to the room. */
#ifndef SP_IMG_READER_H
#define SP_IMG_READER_H

#include "base/map.h"
#include "base/vec.h"
#include "image/img.h"
#include "image/img_elf.h"

#include <stdint.h>

enum { IMG_NONE = 0xffffffff };

/* What is known of a kernel beyond struct img_kernel while reading. */
struct img_one_switch {
    uint32_t at, count;
    const uint32_t *targets;
};

struct kernel_state {
    uint32_t section;  /* index of its text section */
    uint32_t symbol;   /* index of its symbol, or IMG_NONE */
    bool has_info;     /* a .nv.info.<kernel> section was found */
    bool info_damaged; /* some of its records could not be read */
    int32_t frame_bytes, min_stack_bytes;
    int32_t param_bytes_told;
    bool has_shared_section;
    uint64_t shared_section_bytes;
    VEC(struct img_param) params;
    VEC(struct img_reloc) relocs;
    VEC(struct img_subroutine) subroutines;
    VEC(struct img_line) lines;
    VEC(struct img_ptx_line) ptx_lines;
    VEC(struct img_one_switch) switches;
};

/* One embedded PTX text inside img_module.ptx. */
struct ptx_text {
    const char *section;
    uint32_t lines_before;
};

struct img_reader {
    struct arena *a;
    struct elf_file elf;
    struct img_module *module;
    struct kernel_state *states; /* parallel to module->kernels */
    uint32_t *kernel_of_section; /* IMG_NONE: not the text of a kernel */
    struct map_str kernel_by_name;
    VEC(struct ptx_text) ptx_texts;
    bool new_layout;        /* header layout of ABI version 8 */
    bool arch_specific;     /* built for an 'a' target */
    bool writes_spills;     /* its producer records spills whenever there are some */
    int64_t *shared_at;     /* of each symbol: the place of its shared array, -1: none */
    size_t demangle_budget; /* characters of demangled text still allowed; beyond it names stay as they are */
};

/* As img_demangle(), within the budget of this file; the name itself when it cannot be demangled. */
const char *img_reader_demangle(struct img_reader *r, const char *name);
/* True for a section of machine code: a kernel, or a device function. */
bool img_section_is_code(const struct elf_section *s);
/* img_info.c: .nv.info, .nv.info.<kernel>, .nv.compat. */
void img_info_read(struct img_reader *r);
/* img_lines.c: .debug_line and .nv_debug_line_sass. */
void img_lines_read(struct img_reader *r);

/* Places of shared arrays in a relocatable file, and what the field of a relocation gets of them, -1: nothing. */
void img_shared_place(struct img_reader *r);
int64_t img_shared_of(const struct img_reader *r, uint32_t kernel, const struct elf_reloc *reloc);

/* img_table.c: what pointers in bank 4 will point to. */
void img_tables_read(struct img_reader *r);

#endif
