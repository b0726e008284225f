/* Integer programs on four architectures: what nvcc made of one expression is read, lifted and run, and its result
 * compared with the expression in C. Carries, 64-bit pairs, division by constants and at run time, selects, bit fields.
 *
 * provenance: test/golden/uop/programs.txt, from this file's expressions; see its head. */
#include "support_machine.h"
#include "uop/uop_lift.h"
#include "uop/uop_spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;
typedef int16_t s16;
__extension__ typedef unsigned __int128 u128;

static u64 ones(u64 x)
{
    u64 n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}
static u64 leading_zeros(u64 x)
{
    u64 n = 64;
    for (; x; x >>= 1)
        n--;
    return n;
}
static u32 reversed(u32 x)
{
    u32 r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}
static u32 rotated(u32 x, u32 n)
{
    return n ? x << n | x >> (32 - n) : x;
}

/* clang-format off */
#define EXPRESSIONS(X) \
    X(0, (u32)a*(u32)b+(u32)c) \
    X(1, a+b) \
    X(2, a-b) \
    X(3, a*b+c) \
    X(4, (u64)((s64)(s32)a*(s32)b)+c) \
    X(5, a<<(b&63)) \
    X(6, (u64)((s64)a>>(b&63))) \
    X(7, a<b) \
    X(8, (s64)a>=(s64)b) \
    X(9, (s32)a<=(s32)b) \
    X(10, (u32)a/((u32)b|1)) \
    X(11, (u32)((s32)((u32)a|1)/(s32)(((u32)b&0x7fff)|1))) \
    X(12, (u32)a/7) \
    X(13, (u32)((s32)a/-5)) \
    X(14, (u32)((s32)a%100)) \
    X(15, a/10) \
    X(16, (u64)((s64)a/8)) \
    X(17, (s64)a<(s64)b?a:b) \
    X(18, (u32)((s32)a<(s32)b?(s32)a:(s32)b)) \
    X(19, ((u32)a^(u32)b)&~(u32)c) \
    X(20, ((u32)a&(u32)b)|((u32)a&(u32)c)|((u32)b&(u32)c)) \
    X(21, ones(a)) \
    X(22, leading_zeros(a)) \
    X(23, reversed((u32)a)) \
    X(24, (u64)((u128)a * b >> 64)) \
    X(25, rotated((u32)a,(u32)b&31)) \
    X(26, (u64)(s64)(signed char)a) \
    X(27, (u32)(s32)(s16)a) \
    X(28, ((u32)a&0xffff)|((u32)b<<16)) \
    X(29, (u32)((s32)((u32)a << 8) >> 20)) \
    X(30, (a>>32)|(b<<32)) \
    X(31, ((s32)a>(s32)b&&(s32)b>(s32)c)?1:2) \
    X(32, ((a&1)?b:c)+((a&2)?a:b)) \
    X(33, a-b-c) \
    X(34, a+b+c) \
    X(35, (a<<2)+(b<<4)+c) \
    X(36, ((s32)a>0)-((s32)a<0))
/* clang-format on */

static u64 expected(unsigned program, u64 a, u64 b, u64 c)
{
    switch (program) {
#define CASE(number, expression) \
    case number: return (u64)(expression);
        EXPRESSIONS(CASE)
#undef CASE
    default: fail_msg("no expression %u", program); return 0;
    }
}

static const char *const texts[] = {
#define TEXT(number, expression) [number] = #expression,
    EXPRESSIONS(TEXT)
#undef TEXT
};
enum { PROGRAMS = sizeof texts / sizeof *texts, MAX_INSNS = 512 };

static u64 drawn(u64 *state)
{
    static const u64 edges[] = {0,
                                1,
                                2,
                                5,
                                31,
                                32,
                                33,
                                63,
                                0x7f,
                                0x80,
                                0xff,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                0x100000000,
                                INT64_MAX,
                                (u64)INT64_MIN,
                                UINT64_MAX};
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    u64 z = *state ^ *state >> 31;
    return z & 1 ? edges[(z >> 8) % (sizeof edges / sizeof *edges)] : z >> ((z >> 3) % 60);
}

static void run_program(unsigned sm, unsigned program, const struct uop_list *lists, unsigned count)
{
    u64 state = program + 1, memory[4] = {0};
    uint32_t params = sm >= 100 ? 0x380 : sm >= 90 ? 0x210 : 0x160;
    for (unsigned i = 0; i < 200; i++) {
        static struct machine m;
        u64 in = machine_base(0), out = machine_base(0) + 24;
        machine_start(&m);
        m.buffer[0] = memory;
        m.buffer_bytes = sizeof memory;
        machine_set(&m, params, &in, 8);
        machine_set(&m, params + 8, &out, 8);
        for (unsigned k = 0; k < 3; k++)
            memory[k] = drawn(&state);
        u64 a = memory[0], b = memory[1], c = memory[2], want = expected(program, a, b, c);
        memory[3] = ~want;
        machine_run(&m, lists, count);
        if (memory[3] != want)
            fail_msg("sm_%u, %s of %#llx %#llx %#llx: %#llx, not %#llx", sm, texts[program], (unsigned long long)a,
                     (unsigned long long)b, (unsigned long long)c, (unsigned long long)memory[3],
                     (unsigned long long)want);
    }
}

static void programs_compute_their_expressions(void **state)
{
    (void)state;
    static struct uop_list lists[MAX_INSNS];
    struct arena a;
    char line[256];
    unsigned sm = 0, program = 0, count = 0, run = 0;
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/uop/programs.txt", "r");
    assert_non_null(f);
    arena_init(&a, 0);
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, f) != NULL;
        if (more && *line == '#')
            continue;
        if (!more || *line == '=') {
            if (count) {
                run_program(sm, program, lists, count);
                run++;
            }
            arena_free(&a);
            arena_init(&a, 0);
            count = 0;
            if (more)
                assert_int_equal(sscanf(line, "= %u e%u", &sm, &program), 2);
            continue;
        }
        struct isa_insn insn;
        const char *bad;
        struct uop_lift_context context = {.sm = sm, .a = &a};
        line[strcspn(line, "\n")] = 0;
        assert_true(count < MAX_INSNS);
        if (!uop_parse_spelling(sm, line, 16 * count, &insn, &bad))
            fail_msg("%s: not read from \"%s\"", line, bad);
        assert_int_equal(uop_lift(&context, &insn, &lists[count]), SP_OK);
        count++;
    }
    fclose(f);
    arena_free(&a);
    assert_true(run >= 4 * PROGRAMS - 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_compute_their_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
