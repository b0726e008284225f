/* Hexadecimal digits many at a time: printing code is mostly that. */
#ifndef SP_BASE_HEX_H
#define SP_BASE_HEX_H

#include <stdint.h>
#include <string.h>

/* All 16 digits of a number at `p`; no NUL. Bytes become pairs of digits in lanes of a vector, so that there is neither
 * a loop nor a branch. */
static inline void hex_put16(char *p, uint64_t value)
{
    typedef uint8_t bytes8 __attribute__((vector_size(8)));
    typedef uint16_t pairs8 __attribute__((vector_size(16)));
    typedef int8_t digits16 __attribute__((vector_size(16)));
    bytes8 bytes;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(&bytes, &value, sizeof bytes);
    pairs8 pair = __builtin_convertvector(bytes, pairs8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    pair = pair >> 4 | (pair & 15) << 8;
#else
    pair = (pair >> 4) << 8 | (pair & 15);
#endif
    digits16 digit = (digits16)pair;
    digit += '0' + ((digit > 9) & ('a' - '0' - 10));
    memcpy(p, &digit, sizeof digit);
}

/* As many digits as it takes, at least one; 16 bytes are written. Answers where they end. */
static inline char *hex_put(char *p, uint64_t value)
{
    unsigned zeros = (unsigned)__builtin_clzll(value | 1) / 4;
    hex_put16(p, value << 4 * zeros);
    return p + 16 - zeros;
}

/* The last four digits. */
static inline void hex_put4(char *p, uint32_t value)
{
    uint32_t v = (value << 16 | (value >> 8 & 0xff)) & 0x00ff00ff; /* the first digit into the first byte, and so on */
    v = (v >> 4 | v << 8) & 0x0f0f0f0f;
    v += 0x30303030 + ((v + 0x06060606) >> 4 & 0x01010101) * ('a' - '0' - 10);
    p[0] = (char)v;
    p[1] = (char)(v >> 8);
    p[2] = (char)(v >> 16);
    p[3] = (char)(v >> 24);
}

#endif
