/* Bit fields of 128-bit words and little-endian loads that never trust alignment. */
#ifndef SP_BASE_BITS_H
#define SP_BASE_BITS_H

#include <stdint.h>

struct bits128 {
    uint64_t lo, hi;
};

/* Bits [hi:lo] inclusive, at most 64 wide, right-aligned. */
static inline uint64_t bits_get(struct bits128 w, unsigned hi, unsigned lo)
{
    unsigned width = hi - lo + 1;
    uint64_t v;
    if (lo >= 64)
        v = w.hi >> (lo - 64);
    else if (lo == 0)
        v = w.lo;
    else
        v = (w.lo >> lo) | (w.hi << (64 - lo));
    return width >= 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static inline struct bits128 bits_set(struct bits128 w, unsigned hi, unsigned lo, uint64_t value)
{
    for (unsigned i = lo; i <= hi; i++, value >>= 1) {
        uint64_t bit = value & 1;
        if (i < 64)
            w.lo = (w.lo & ~(UINT64_C(1) << i)) | bit << i;
        else
            w.hi = (w.hi & ~(UINT64_C(1) << (i - 64))) | bit << (i - 64);
    }
    return w;
}

static inline int64_t bits_sign_extend(uint64_t v, unsigned width)
{
    if (!width || width >= 64)
        return (int64_t)v;
    uint64_t sign = UINT64_C(1) << (width - 1);
    v &= (UINT64_C(1) << width) - 1;
    return (int64_t)((v ^ sign) - sign);
}

static inline uint16_t bits_le16(const void *p)
{
    const unsigned char *b = p;
    return (uint16_t)(b[0] | b[1] << 8);
}
static inline uint32_t bits_le32(const void *p)
{
    const unsigned char *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t bits_le64(const void *p)
{
    const unsigned char *b = p;
    return bits_le32(b) | (uint64_t)bits_le32(b + 4) << 32;
}

#endif
