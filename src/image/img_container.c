/* Files that hold modules: which reader takes which kind, and what all of them share.
 *
 * A file without sections that hold fatbins is searched for them: some programs carry no section table, and some keep
 * fatbins in sections of their own. requires: bytes · gives: struct img_container */
#include "base/str.h"
#include "image/img_holder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 200, SECTION_USES = 4 };
/* For each file, and for each byte of it. */
static const uint64_t unpacked_always = UINT64_C(1) << 30, unpacked_each = 64;
static const uint64_t ptx_always = UINT64_C(16) << 20, ptx_each = 256;

bool img_is_container(enum img_kind kind)
{
    return kind == IMG_FATBIN || kind == IMG_HOST_ELF || kind == IMG_HOST_PE || kind == IMG_ARCHIVE;
}

const char *img_hold_name(struct img_holding *h, const char *section)
{
    if (!h->holder)
        return section;
    const char *name =
        section ? arena_printf(h->a, "%.*s(%.*s)", NAME_SHOWN, h->holder, NAME_SHOWN, section) : h->holder;
    return name ? name : section;
}

void img_hold_damage(struct img_holding *h, const char *code, const char *where, int64_t offset, const char *format,
                     ...)
{
    h->out->damaged = true;
    if (h->diags->list.n >= DIAG_MAX) { /* counted only; no text is made for it */
        h->diags->dropped++;
        return;
    }
    struct strbuf text;
    str_init(&text, h->a);
    va_list args;
    va_start(args, format);
    str_vaddf(&text, format, args);
    va_end(args);
    char shown[2 * NAME_SHOWN + 3];
    if (where)
        snprintf(shown, sizeof shown, "%s", where);
    diag_add(h->diags, DIAG_ERROR, code, where ? shown : NULL, offset, "%s", text.p);
}

void img_hold_entry(struct img_holding *h, struct img_entry *entry)
{
    size_t number = h->out->entries.n + 1;
    entry->member = arena_printf(h->a, "%.*s.%zu", NAME_SHOWN, h->holder ? h->holder : h->base, number);
    if (entry->member)
        VEC_PUSH(h->a, h->out->entries, *entry);
}

/* A cubin that is a member of an archive. */
static void add_cubin(struct img_holding *h, struct img_range range)
{
    struct img_entry e = {.kind = IMG_ENTRY_CUBIN,
                          .fatbin = h->out->fatbins++,
                          .where = img_hold_name(h, NULL),
                          .bytes = range.bytes,
                          .stored = range.size,
                          .offset = (uint64_t)(range.bytes - h->file),
                          .unpacked = range.size,
                          .readable = true};
    img_hold_entry(h, &e);
}

static void read_file(struct img_holding *h, struct img_range range);

static void read_member(struct img_holding *h, struct img_range member)
{
    if (member.size >= 8 && img_detect_binary(member.bytes, 8) == IMG_ARCHIVE) {
        img_hold_damage(h, "archive-nested", img_hold_name(h, NULL), 0, "an archive inside an archive: it is not read");
        return;
    }
    read_file(h, member);
}

static void read_file(struct img_holding *h, struct img_range range)
{
    enum { MAGIC_BYTES = 64 };
    /* Magic numbers alone decide: text in an archive is nobody's module. */
    enum img_kind kind = img_detect_binary(range.bytes, range.size < MAGIC_BYTES ? range.size : MAGIC_BYTES);
    switch (kind) {
    case IMG_FATBIN: img_fatbin_walk(h, range); break;
    case IMG_HOST_ELF:
        if (!img_host_elf_walk(h, range))
            img_fatbin_scan(h, range);
        break;
    case IMG_HOST_PE:
        if (!img_host_pe_walk(h, range))
            img_fatbin_scan(h, range);
        break;
    case IMG_CUBIN: add_cubin(h, range); break;
    case IMG_ARCHIVE: img_archive_walk(h, range, read_member); break;
    default: break;
    }
}

enum sp_status img_container_read(struct arena *a, struct diag_sink *diags, const char *path, const uint8_t *bytes,
                                  size_t size, struct img_container *out)
{
    const char *slash = strrchr(path, '/');
    *out = (struct img_container){.kind = img_detect_binary(bytes, size)};
    struct img_holding h = {.a = a,
                            .diags = diags,
                            .file = bytes,
                            .size = size,
                            .base = slash && slash[1] ? slash + 1 : path,
                            .unpacked_budget = unpacked_always + unpacked_each * size,
                            .ptx_budget = ptx_always + ptx_each * size,
                            .section_budget = (uint64_t)SECTION_USES * size,
                            .out = out};
    read_file(&h, (struct img_range){.bytes = bytes, .size = size});
    if (arena_failed(a)) {
        diag_add(diags, DIAG_ERROR, "out-of-memory", NULL, -1, "reading took more memory than allowed");
        return SP_ERR_MEMORY;
    }
    if (out->entries.n == 0 && !out->damaged) {
        diag_add(diags, DIAG_ERROR, "no-device-code", NULL, -1, "no fatbin and no cubin in this file");
        return SP_ERR_NOT_FOUND;
    }
    return out->damaged ? SP_ERR_FORMAT : SP_OK;
}
