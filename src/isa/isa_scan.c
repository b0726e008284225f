/* What an instruction's text is made of: blanks, words, registers, integers, floats; and whether two texts say the
 * same. Floats go back to the bits whose text they are, in the format that the row names.
 * requires: nothing but the text · gives: what was read, and the place behind it · allocates nothing, keeps nothing */
#include "isa/isa_scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void isa_skip_blanks(const char **p)
{
    while (**p == ' ')
        (*p)++;
}

bool isa_take(const char **p, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

bool isa_is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool isa_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool isa_take_word(const char **p, char out[ISA_WORD_BYTES])
{
    size_t n = 0;
    while (isa_is_word((*p)[n]))
        n++;
    if (!n || n >= ISA_WORD_BYTES)
        return false;
    memcpy(out, *p, n);
    out[n] = '\0';
    *p += n;
    return true;
}

/* R12, RZ, UR3, P0, PT: `prefix` and a number below `all`, or `last`, which stands for `all`. */
bool isa_take_register(const char **p, const char *prefix, unsigned all, char last, unsigned *reg)
{
    const char *at = *p;
    unsigned n = 0;
    if (!isa_take(&at, prefix))
        return false;
    if (*at == last) {
        at++;
        n = all;
    } else {
        if (!isa_is_digit(*at))
            return false;
        for (; isa_is_digit(*at); at++)
            if ((n = n * 10 + (unsigned)(*at - '0')) > 999)
                return false;
        if (n >= all)
            return false;
    }
    if (isa_is_word(*at))
        return false;
    *p = at;
    *reg = n;
    return true;
}

static int hex_digit(char c)
{
    return isa_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool isa_take_number(const char **p, int64_t *value)
{
    const char *at = *p;
    bool negative = isa_take(&at, "-");
    uint64_t v = 0;
    unsigned digits = 0;
    if (isa_take(&at, "0x") || isa_take(&at, "0X")) {
        for (; hex_digit(*at) >= 0; at++, digits++) {
            if (v >> 60)
                return false;
            v = v << 4 | (unsigned)hex_digit(*at);
        }
    } else {
        for (; isa_is_digit(*at); at++, digits++) {
            if (v > (UINT64_MAX - 9) / 10)
                return false;
            v = v * 10 + (unsigned)(*at - '0');
        }
    }
    if (!digits || isa_is_word(*at) || (*at == '.' && isa_is_digit(at[1])))
        return false;
    *p = at;
    *value = (int64_t)(negative ? -v : v);
    return true;
}

/* Bits of a value in a format of `width` bits: binary16, bfloat16, binary32, binary64. */
static uint64_t float_bits(double value, unsigned width, bool brain)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (width == 64)
        return bits;
    unsigned fraction_bits = width == 32 ? 23 : brain ? 7 : 10, exponent_bits = width - 1 - fraction_bits;
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = 0;
    uint64_t sign = (bits >> 63) << (width - 1);
    double mantissa = frexp(fabs(value), &exponent); /* [0.5, 1) */
    if (mantissa == 0)
        return sign;
    int e = exponent - 1 + bias, shift = e < 1 ? 1 - e : 0; /* subnormal: the exponent field is 0 */
    double scaled = ldexp(mantissa, (int)fraction_bits + 1 - shift);
    uint64_t whole = (uint64_t)nearbyint(scaled);
    if (e < 1)
        return sign | whole; /* rounding up to the least normal number gives its bits */
    whole += ((uint64_t)e - 1) << fraction_bits;
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    return sign | (whole < infinity ? whole : infinity);
}

bool isa_take_float(const char **p, unsigned width, bool brain, int64_t *value)
{
    const char *at = *p;
    bool negative = *at == '-';
    unsigned fraction_bits = width == 64 ? 52 : width == 32 ? 23 : brain ? 7 : 10;
    uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t infinity = (sign - 1) ^ ((UINT64_C(1) << fraction_bits) - 1);
    if (*at == '+' || *at == '-')
        at++;
    uint64_t bits;
    if (isa_take(&at, "INF")) {
        bits = infinity;
    } else if (isa_take(&at, "QNAN")) {
        bits = infinity | UINT64_C(1) << (fraction_bits - 1);
        if (!negative && width == 32)
            bits = sign - 1; /* CUDA's NaN; the text tells a payload of neither sign */
    } else if (isa_take(&at, "SNAN")) {
        bits = infinity | 1;
        if (width == 64)
            bits = infinity | UINT64_C(1) << 32; /* a 64-bit one has its low word 0 */
    } else {
        char number[48];
        size_t n = 0;
        bool point = false, power = false; /* a second point, or one without a digit behind it, begins a suffix */
        while (n + 1 < sizeof number) {
            char c = at[n];
            if (c == '.' ? point || power || !isa_is_digit(at[n + 1])
                         : !isa_is_digit(c) && c != 'e' && c != 'E' &&
                               !((c == '+' || c == '-') && n && (at[n - 1] == 'e' || at[n - 1] == 'E')))
                break;
            point |= c == '.';
            power |= c == 'e' || c == 'E';
            n++;
        }
        if (!n || !isa_is_digit(at[0]))
            return false;
        memcpy(number, at, n);
        number[n] = '\0';
        char *end;
        double v = strtod(number, &end);
        if (end != number + n || !isfinite(v))
            return false;
        at += n;
        bits = float_bits(v, width, brain);
        if ((bits & (sign - 1)) == infinity) /* too large for its format */
            return false;
        if (width == 64)
            bits &= ~(uint64_t)UINT32_MAX;
    }
    if (isa_is_word(*at))
        return false;
    *p = at;
    *value = (int64_t)(negative ? bits | sign : bits);
    return true;
}

/* Not 2D: a word may begin with digits. */
static bool begins_number(const char *p)
{
    p += *p == '-';
    if (!isa_is_digit(*p))
        return false;
    while (isa_is_digit(*p))
        p++;
    return *p < 'A' || *p > 'Z' || *p == 'E';
}

/* The text says what was printed: blanks do not count, and numbers by their value, so that "1.0" is 1, "0xffffffff" is
 * -0x1 and "[R1-0x8]" is [R1+-0x8]. *exact: no number was spelled otherwise. */
bool isa_same_text(const char *text, const char *printed, bool *exact)
{
    char before = ' ';
    *exact = true;
    for (;; before = *text, text++, printed++) {
        isa_skip_blanks(&text);
        isa_skip_blanks(&printed);
        if (*printed == '+' && printed[1] == '-' && *text == '-')
            printed++;
        if (strncmp(text, "+0x0]", 5) == 0 && *printed == ']') { /* a symbol, or an offset that nobody prints */
            text += 4;
            *exact = false;
        }
        if (before == '[' && strncmp(text, "0x0]", 4) == 0 && (*printed == 'R' || *printed == 'U')) {
            printed += *printed == 'U';
            if (strncmp(printed, "RZ]", 3) != 0)
                return false;
            text += 3, printed += 2;
            *exact = false;
        }
        if (!isa_is_word(before) && before != '.' && begins_number(text) && begins_number(printed)) {
            int64_t a, b, x, y;
            const char *from = text, *start = printed;
            bool whole =
                isa_take_number(&text, &a) && isa_take_number(&printed, &b) && (a == b || (uint32_t)a == (uint32_t)b);
            if (!whole) {
                text = from, printed = start;
                if (!isa_take_float(&text, 64, false, &x) || !isa_take_float(&printed, 64, false, &y) || x != y)
                    return false;
            }
            *exact &= text - from == printed - start && memcmp(from, start, (size_t)(text - from)) == 0;
            isa_skip_blanks(&text);
            isa_skip_blanks(&printed);
        }
        if (*text != *printed)
            return false;
        if (!*text)
            return true;
    }
}

/* {5,2,0}: a set of scoreboards. */
bool isa_take_set(const char **at, int64_t *value)
{
    int64_t number;
    if (!isa_take(at, "{"))
        return false;
    for (*value = 0; !isa_take(at, "}");) {
        isa_skip_blanks(at);
        if (!isa_take_number(at, &number) || number < 0 || number > 15)
            return false;
        *value |= INT64_C(1) << number;
        isa_skip_blanks(at);
        if (**at != '}' && !isa_take(at, ","))
            return false;
    }
    return true;
}

/* One blank for several, none at the ends, no ";" behind. */
bool isa_canonical_text(const char *text, size_t n, char out[ISA_TEXT_BYTES])
{
    size_t m = 0;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == ';'))
        n--;
    for (size_t i = 0; i < n; i++) {
        char c = text[i] == '\t' ? ' ' : text[i];
        if (c == ' ' && (!m || out[m - 1] == ' '))
            continue;
        if ((unsigned char)c < 0x20 || m + 1 >= ISA_TEXT_BYTES)
            return false;
        out[m++] = c;
    }
    out[m] = '\0';
    return m > 0;
}

/* What some tools write in another order: a set of scoreboards upwards, the uniform register of an address first. */
void isa_reorder_text(char line[ISA_TEXT_BYTES])
{
    char part[ISA_TEXT_BYTES] = "";
    char *set = strchr(line, '{'), *end = set ? strchr(set, '}') : NULL;
    const char *at = set;
    int64_t value;
    if (end && isa_take_set(&at, &value)) {
        size_t n = 0;
        for (int i = 15; i >= 0; i--)
            if (value >> i & 1)
                n += (size_t)snprintf(part + n, sizeof part - n, "%s%d", n ? "," : "", i);
        if (n == (size_t)(end - set) - 1)
            memcpy(set + 1, part, n);
    }
    for (char *open = line; (open = strstr(open, "[UR")) != NULL; open++) {
        size_t uniform = strcspn(open + 1, "+]"), vector;
        char *second = open + 1 + uniform;
        if (*second != '+' || second[1] != 'R')
            continue;
        vector = strcspn(second + 1, "+]");
        memcpy(part, open + 1, uniform);
        memmove(open + 1, second + 1, vector);
        open[1 + vector] = '+';
        memcpy(open + 2 + vector, part, uniform);
    }
}
