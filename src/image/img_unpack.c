/* The bytes of one module of a fatbin: as they stand in the file, or unpacked. What a module becomes was bounded when
 * its header was read; here not one byte more is made than the header says, and not one less is taken for it.
 * requires: an entry · gives: its bytes */
#include "image/img_container.h"

#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <zstd.h>

const char *img_packing_text(enum img_packing packing)
{
    return packing == IMG_LZ4 ? "lz4" : packing == IMG_ZSTD ? "zstd" : "none";
}

static enum sp_status fail(struct diag_sink *diags, const struct img_entry *e, const char *why)
{
    diag_add(diags, DIAG_ERROR, "fatbin-unpack", e->where, -1, "%s at 0x%" PRIx64 " of the file: %s of %zu bytes: %s",
             e->member, e->offset, img_packing_text(e->packing), e->stored, why);
    return SP_ERR_FORMAT;
}

static enum sp_status unpack_lz4(struct diag_sink *diags, const struct img_entry *e, uint8_t *to)
{
    if (e->stored > INT_MAX || e->unpacked > INT_MAX)
        return fail(diags, e, "too many for one block");
    int n = LZ4_decompress_safe((const char *)e->bytes, (char *)to, (int)e->stored, (int)e->unpacked);
    if (n < 0)
        return fail(diags, e, "they are damaged");
    return (uint64_t)n == e->unpacked ? SP_OK : fail(diags, e, "they become fewer bytes than the header says");
}

static enum sp_status unpack_zstd(struct diag_sink *diags, const struct img_entry *e, uint8_t *to)
{
    size_t n = ZSTD_decompress(to, (size_t)e->unpacked, e->bytes, e->stored);
    if (ZSTD_isError(n))
        return fail(diags, e, ZSTD_getErrorName(n));
    return n == e->unpacked ? SP_OK : fail(diags, e, "they become fewer bytes than the header says");
}

enum sp_status img_entry_unpack(struct arena *a, struct diag_sink *diags, const struct img_entry *e,
                                const uint8_t **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (!e->readable)
        return e->damaged ? SP_ERR_FORMAT : SP_ERR_UNSUPPORTED;
    if (e->packing == IMG_STORED) {
        *bytes = e->bytes;
        *size = e->stored;
        return SP_OK;
    }
    if (e->packing == IMG_ZSTD) { /* before anything is allocated for it */
        unsigned long long told = ZSTD_getFrameContentSize(e->bytes, e->stored);
        if (told == ZSTD_CONTENTSIZE_ERROR)
            return fail(diags, e, "no frame begins there");
        if (told != ZSTD_CONTENTSIZE_UNKNOWN && told > e->unpacked)
            return fail(diags, e, "the frame says another size than the header");
    }
    uint8_t *to = arena_alloc(a, (size_t)e->unpacked);
    if (!to)
        return SP_ERR_MEMORY;
    enum sp_status status = e->packing == IMG_LZ4 ? unpack_lz4(diags, e, to) : unpack_zstd(diags, e, to);
    if (status != SP_OK)
        return status;
    *bytes = to;
    *size = (size_t)e->unpacked;
    return SP_OK;
}
