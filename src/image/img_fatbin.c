/* Fatbins: a header, then entries one behind the other, each a header and the bytes of a module; several stand back to
 * back in a section (doc/formats/fatbin.md).
 *
 * Sizes lead from one to the next, so that bytes of a module are never taken for a header. Where a size cannot be right
 * the entry is kept as far as it goes, and reading goes on at the next place that begins like a fatbin.
 * requires: a range of the file · gives: entries */
#define _GNU_SOURCE /* memmem */
#include "base/bits.h"
#include "image/img_holder.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEADER_BYTES = 16,
    ENTRY_BYTES = 64,
    ALIGN = 8,
    KIND_PTX = 1,
    KIND_CUBIN = 2,
    KIND_LTO = 8,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCH_SPECIFIC = 0x100000,
    FLAG_FAMILY = 0x200000,
    /* No module of the libraries that come with the toolkit is packed tighter than 1 : 134. What is small when unpacked
     * may be packed tighter. */
    RATIO_MOST = 256,
    NAME_MOST = 4096,
};
/* PTX is parsed, which takes memory and time for each of its bytes; a cubin of a table that is mostly zero is packed as
 * tight as one likes and costs nothing to read. */
static const uint64_t always_allowed_ptx = UINT64_C(1) << 20, always_allowed = UINT64_C(64) << 20;
static const uint64_t never_allowed = UINT64_C(1) << 30;
static const uint8_t magic[4] = {0x50, 0xed, 0x55, 0xba};
/* Where nothing leads to a header, it must look like one that a compiler wrote. */
static const uint8_t usual_header[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, HEADER_BYTES, 0};

static bool all_zero(const uint8_t *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* A text inside an entry's header; NULL when there is none or it does not lie there. */
static const char *header_text(struct arena *a, const uint8_t *header, size_t header_bytes, uint32_t offset, uint32_t n)
{
    if (offset < ENTRY_BYTES || n == 0 || n > NAME_MOST || offset > header_bytes || n > header_bytes - offset)
        return NULL;
    return arena_strndup(a, (const char *)header + offset, strnlen((const char *)header + offset, n));
}

/* Options stand behind a place and a length of their own, at 0x40 where the header is longer. */
static const char *options_text(struct arena *a, const uint8_t *header, uint32_t header_bytes)
{
    uint32_t at = bits_le32(header + 0x14);
    if (at < ENTRY_BYTES || header_bytes < 8 || at > header_bytes - 8)
        return "";
    const char *text = header_text(a, header, header_bytes, bits_le32(header + at), bits_le32(header + at + 4));
    return text ? text : "";
}

static void refuse(struct img_holding *h, struct img_entry *e, size_t at, const char *code, const char *why)
{
    img_hold_damage(h, code, e->where, (int64_t)at, "an entry %s: it is not read", why);
    e->readable = false;
    e->damaged = true;
}

/* How the payload is packed, and whether what the header says of it can be. */
static void read_packing(struct img_holding *h, struct img_entry *e, const uint8_t *header, size_t at, uint64_t payload)
{
    uint32_t packed = bits_le32(header + 0x10);
    uint64_t flags = bits_le64(header + 0x28), unpacked = bits_le64(header + 0x38);
    bool lz4 = (flags & FLAG_LZ4) != 0, zstd = (flags & FLAG_ZSTD) != 0, ptx = e->kind == IMG_ENTRY_PTX;
    uint64_t free_of_ratio = ptx ? always_allowed_ptx : always_allowed;
    uint64_t *budget = ptx ? &h->ptx_budget : &h->unpacked_budget;
    if (!lz4 && !zstd && (packed == 0 || unpacked == 0 || unpacked == packed)) {
        e->unpacked = payload;
        return;
    }
    e->packing = lz4 == zstd ? IMG_PACKING_UNKNOWN : lz4 ? IMG_LZ4 : IMG_ZSTD;
    e->unpacked = unpacked;
    if (e->kind == IMG_ENTRY_LTO || e->kind == IMG_ENTRY_OTHER)
        return;
    if (e->packing == IMG_PACKING_UNKNOWN) {
        refuse(h, e, at, "fatbin-packing", "is packed in a way this version does not know");
    } else if (packed == 0 || packed > payload || unpacked == 0) {
        img_hold_damage(h, "fatbin-packing", e->where, (int64_t)at,
                        "an entry of %" PRIu64 " bytes says that %" PRIu32 " packed bytes are %" PRIu64
                        ": it is not read",
                        payload, packed, unpacked);
        e->readable = false;
        e->damaged = true;
    } else if (unpacked > never_allowed || (unpacked > free_of_ratio && unpacked / RATIO_MOST > packed) ||
               unpacked > *budget) {
        img_hold_damage(h, "fatbin-too-large", e->where, (int64_t)at,
                        "an entry says that %" PRIu32 " packed bytes are %" PRIu64
                        ": more than this version unpacks; it is not read",
                        packed, unpacked);
        e->readable = false;
        e->damaged = true;
    } else {
        *budget -= unpacked;
    }
    if (packed != 0 && packed < e->stored)
        e->stored = packed;
}

static void read_entry(struct img_holding *h, struct img_range range, size_t at, uint32_t header_bytes,
                       uint64_t payload, size_t have)
{
    const uint8_t *header = range.bytes + at;
    uint64_t flags = bits_le64(header + 0x28);
    struct img_entry e = {.number = bits_le16(header),
                          .fatbin = h->out->fatbins - 1,
                          .where = img_hold_name(h, range.name),
                          .sm = bits_le32(header + 0x1c),
                          .version = {bits_le16(header + 0x1a), bits_le16(header + 0x18)},
                          .flags = (uint32_t)(flags & 0x7f),
                          .options = options_text(h->a, header, header_bytes),
                          .bytes = header + header_bytes,
                          .stored = have,
                          .readable = true};
    e.offset = (uint64_t)(e.bytes - h->file);
    e.letter = flags & FLAG_ARCH_SPECIFIC ? 'a' : flags & FLAG_FAMILY ? 'f' : 0;
    e.kind = e.number == KIND_CUBIN ? IMG_ENTRY_CUBIN
             : e.number == KIND_PTX ? IMG_ENTRY_PTX
             : e.number == KIND_LTO ? IMG_ENTRY_LTO
                                    : IMG_ENTRY_OTHER;
    if (e.kind == IMG_ENTRY_OTHER && img_detect(e.bytes, have) == IMG_CUBIN)
        e.kind = IMG_ENTRY_CUBIN;
    e.name = header_text(h->a, header, header_bytes, bits_le32(header + 0x20), bits_le32(header + 0x24));
    if (e.sm < 10 || e.sm > 999)
        e.sm = 0;
    else
        e.arch = e.letter ? arena_printf(h->a, "sm_%u%c", e.sm, e.letter) : arena_printf(h->a, "sm_%u", e.sm);
    read_packing(h, &e, header, at, payload);
    if (e.kind == IMG_ENTRY_LTO || e.kind == IMG_ENTRY_OTHER)
        e.readable = false;
    if (have < payload) {
        img_hold_damage(h, "fatbin-truncated", e.where, (int64_t)at,
                        "an entry has %" PRIu64 " bytes behind its header, %zu are there", payload, have);
        e.damaged = true;
        if (e.packing != IMG_STORED && e.stored > have)
            e.readable = false;
    }
    img_hold_entry(h, &e);
}

static bool header_at(struct img_range range, size_t at)
{
    return range.size - at >= HEADER_BYTES && memcmp(range.bytes + at, magic, sizeof magic) == 0;
}

/* The entries of one fatbin whose bytes go from `at` to `end`; the place behind the last good one. */
static size_t read_entries(struct img_holding *h, struct img_range range, size_t at, size_t end)
{
    const char *where = img_hold_name(h, range.name);
    while (end - at >= ENTRY_BYTES && !arena_failed(h->a)) {
        const uint8_t *header = range.bytes + at;
        uint32_t header_bytes = bits_le32(header + 4);
        uint64_t payload = bits_le64(header + 8);
        if (bits_le16(header) == 0 && all_zero(header, end - at))
            return end;
        if (header_at(range, at)) {
            img_hold_damage(h, "fatbin-entry", where, (int64_t)at,
                            "another fatbin begins here, %zu bytes before the end that the header tells", end - at);
            return at;
        }
        if (header_bytes < ENTRY_BYTES || header_bytes > end - at) {
            img_hold_damage(h, "fatbin-entry", where, (int64_t)at,
                            "the header of an entry has %" PRIu32 " bytes, expected %d to %zu", header_bytes,
                            ENTRY_BYTES, end - at);
            return at;
        }
        size_t room = end - at - header_bytes;
        bool fits = payload <= room;
        read_entry(h, range, at, header_bytes, payload, fits ? (size_t)payload : room);
        if (!fits)
            return end;
        at += header_bytes + (size_t)payload;
    }
    if (!all_zero(range.bytes + at, end - at))
        img_hold_damage(h, "fatbin-entry", where, (int64_t)at, "%zu bytes behind the last entry", end - at);
    return end;
}

/* One fatbin at `at`; the place behind it. */
static size_t read_fatbin(struct img_holding *h, struct img_range range, size_t at)
{
    const uint8_t *header = range.bytes + at;
    const char *where = img_hold_name(h, range.name);
    unsigned version = bits_le16(header + 4), header_bytes = bits_le16(header + 6);
    uint64_t bytes = bits_le64(header + 8);
    if (header_bytes < HEADER_BYTES || header_bytes > range.size - at) {
        img_hold_damage(h, "fatbin-header", where, (int64_t)at, "a header of %u bytes, expected %d", header_bytes,
                        HEADER_BYTES);
        header_bytes = HEADER_BYTES;
    }
    if (version != 1)
        img_hold_damage(h, "fatbin-header", where, (int64_t)at, "version %u, expected 1", version);
    size_t room = range.size - at - header_bytes;
    if (bytes > room)
        img_hold_damage(h, "fatbin-truncated", where, (int64_t)at,
                        "the header says that %" PRIu64 " bytes follow, %zu are there", bytes, room);
    h->out->fatbins++;
    size_t end = at + header_bytes + (bytes < room ? (size_t)bytes : room);
    size_t behind = read_entries(h, range, at + header_bytes, end);
    if (behind == end)
        return end;
    /* An entry's header is damaged, or the fatbin's: the end that it tells is believed where another begins there. */
    size_t next = (end + ALIGN - 1) / ALIGN * ALIGN;
    bool believed = bytes <= room && (end == range.size || (next < range.size && header_at(range, next)));
    return believed && !header_at(range, behind) ? end : behind;
}

void img_fatbin_walk(struct img_holding *h, struct img_range range)
{
    size_t at = 0;
    while (at < range.size && !arena_failed(h->a)) {
        size_t from = at;
        while (at < range.size && range.bytes[at] == 0)
            at++;
        if (at == range.size)
            return;
        if (!header_at(range, at)) { /* the magic number itself has no zero byte */
            const uint8_t *next = memmem(range.bytes + at, range.size - at, usual_header, sizeof usual_header);
            size_t to = next ? (size_t)(next - range.bytes) : range.size;
            img_hold_damage(h, from == 0 ? "fatbin-magic" : "fatbin-gap", img_hold_name(h, range.name), (int64_t)at,
                            "%zu bytes that are no fatbin: expected the number 0xba55ed50", to - at);
            at = to;
            if (range.size - at < HEADER_BYTES)
                return;
        }
        at = read_fatbin(h, range, at);
    }
}

uint32_t img_fatbin_scan(struct img_holding *h, struct img_range range)
{
    uint32_t found = 0;
    for (size_t at = 0; range.size - at >= HEADER_BYTES + ENTRY_BYTES && !arena_failed(h->a);) {
        const uint8_t *hit = memmem(range.bytes + at, range.size - at, usual_header, sizeof usual_header);
        if (!hit)
            break;
        at = (size_t)(hit - range.bytes);
        size_t room = range.size - at;
        if (room < HEADER_BYTES + ENTRY_BYTES)
            break;
        uint64_t bytes = bits_le64(hit + 8);
        if (bytes < ENTRY_BYTES || bytes > room - HEADER_BYTES || bits_le32(hit + HEADER_BYTES + 4) < ENTRY_BYTES) {
            at += sizeof usual_header;
            continue;
        }
        size_t end = at + HEADER_BYTES + (size_t)bytes;
        at = read_fatbin(h, (struct img_range){.name = range.name, .bytes = range.bytes, .size = end}, at);
        found++;
    }
    return found;
}
