/* What the readers of files that hold modules share. Private to the room. */
#ifndef SP_IMG_HOLDER_H
#define SP_IMG_HOLDER_H

#include "image/img_container.h"

struct img_holding {
    struct arena *a;
    struct diag_sink *diags;
    const uint8_t *file;
    size_t size;
    const char *base;         /* last name of the path */
    const char *holder;       /* member of an archive that is being read; NULL: the file itself */
    uint64_t unpacked_budget; /* bytes that all modules together may become */
    uint64_t ptx_budget;      /* and all PTX together */
    uint64_t
        section_budget; /* bytes that sections may still cover: overlapping ones must not make the work quadratic */
    struct img_container *out;
};

/* A range of the file that is read: a section of it, or all of it (`name` NULL). */
struct img_range {
    const char *name;
    const uint8_t *bytes;
    size_t size;
};

/* The name for diagnostics and entries: with the member of the archive it stands in. */
const char *img_hold_name(struct img_holding *h, const char *section);
void img_hold_damage(struct img_holding *h, const char *code, const char *where, int64_t offset, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));
void img_hold_entry(struct img_holding *h, struct img_entry *entry);

/* img_fatbin.c: fatbins back to back in a range. */
void img_fatbin_walk(struct img_holding *h, struct img_range range);
/* Fatbins anywhere in a range, for files without sections: the number found. */
uint32_t img_fatbin_scan(struct img_holding *h, struct img_range range);

/* img_host.c: sections of ELF files, PE images and COFF objects that hold fatbins. False: there are none. */
bool img_host_elf_walk(struct img_holding *h, struct img_range range);
bool img_host_pe_walk(struct img_holding *h, struct img_range range);
/* What begins like a COFF object. */
bool img_host_is_coff(const uint8_t *bytes, size_t size);

/* img_archive.c: members one by one, each given to `each`. */
void img_archive_walk(struct img_holding *h, struct img_range range,
                      void (*each)(struct img_holding *h, struct img_range member));

#endif
