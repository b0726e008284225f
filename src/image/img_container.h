/* Files that hold modules: fatbins, bare or inside host programs, libraries and archives. The walk reads headers only;
 * a module's bytes are unpacked when somebody asks for them, one at a time.
 *
 * What is handed out points into the input's bytes or lives on the arena. Nothing in the file is trusted: a damaged
 * part costs a diagnostic with section and offset, and what stands before and behind it is kept. */
#ifndef SP_IMG_CONTAINER_H
#define SP_IMG_CONTAINER_H

#include "base/vec.h"
#include "image/img.h"

enum img_entry_kind { IMG_ENTRY_CUBIN, IMG_ENTRY_PTX, IMG_ENTRY_LTO, IMG_ENTRY_OTHER };
enum img_packing { IMG_STORED, IMG_LZ4, IMG_ZSTD, IMG_PACKING_UNKNOWN };

enum img_entry_flag { IMG_ENTRY_64BIT = 1, IMG_ENTRY_LINUX = 0x10, IMG_ENTRY_MAC = 0x20, IMG_ENTRY_WINDOWS = 0x40 };

/* One module of a file. */
struct img_entry {
    enum img_entry_kind kind;
    unsigned number;     /* the kind as the file has it; 0 outside fatbins */
    uint32_t fatbin;     /* which fatbin of the file: a compiler makes one of each translation unit */
    const char *member;  /* "libx.so.3": the third module of libx.so; "part.o.3" in an archive */
    const char *where;   /* ".nv_fatbin", "part.o(.nv_fatbin)", NULL: the file itself */
    const char *name;    /* what the compiler calls it, mostly the source; or NULL */
    unsigned sm;         /* 0 unknown */
    char letter;         /* 'a', 'f', or 0 */
    const char *arch;    /* "sm_90a"; NULL unknown */
    uint16_t version[2]; /* of what it holds: 9, 0 of PTX 9.0 */
    uint32_t flags;      /* enum img_entry_flag */
    const char *options; /* what its compiler is to be told, "" none; NULL outside fatbins */
    enum img_packing packing;
    const uint8_t *bytes; /* as they stand in the file */
    size_t stored;        /* so many */
    uint64_t offset;      /* from the start of the file */
    uint64_t unpacked;    /* bytes when unpacked, as the file says */
    bool of_relocatable;  /* from a section of code that is to be linked */
    bool linker_input;    /* the same in a linked file that has the result, too: listed, nothing runs it */
    bool readable;        /* false: listed only; a diagnostic said why, unless the kind does */
    bool damaged;         /* a diagnostic of severity error is about it */
};

struct img_container {
    enum img_kind kind;
    VEC(struct img_entry) entries; /* in the order of the file */
    uint32_t fatbins;
    bool damaged; /* a diagnostic of severity error was added */
};

/* Kinds of which img_container_read() makes entries. */
bool img_is_container(enum img_kind kind);

/* SP_ERR_FORMAT: *out holds what could be read, and a diagnostic says what not. SP_ERR_NOT_FOUND: no module in it, and
 * that is told. `bytes` must stay. */
enum sp_status img_container_read(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                                  size_t size, struct img_container *out);

/* The module's own bytes: those of the file, or unpacked on the arena, and then exactly as many as the file says.
 * SP_ERR_FORMAT: they cannot be had (told); SP_ERR_UNSUPPORTED: nobody reads this kind. */
enum sp_status img_entry_unpack(struct arena *a, struct diag_sink *diags, const struct img_entry *entry,
                                const uint8_t **bytes, size_t *size);

const char *img_packing_text(enum img_packing packing);

#endif
