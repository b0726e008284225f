/* The evaluator against a real GPU: every answer in test/golden/uop/h200_float.tsv, which test/gpu/float_ops.cu printed
 * on an H200, must come out bit for bit. A conversion's NaN rule, the NaN an addition makes, which zero a minimum
 * gives: all read off the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "uop/uop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "add.rn.ftz.sat.f32", "cvt.rzi.s32.f32" -> the micro-operation. */
static bool operation(const char *text, struct uop *u)
{
    char word[64], *save = NULL, *parts[8];
    unsigned n = 0;
    snprintf(word, sizeof word, "%s", text);
    for (char *p = strtok_r(word, ".", &save); p && n < 8; p = strtok_r(NULL, ".", &save))
        parts[n++] = p;
    static const struct {
        const char *text;
        enum uop_type type;
        unsigned bits;
        bool is_float, is_signed;
    } types[] = {{"f16", UOP_F16, 16, true, false},  {"f32", UOP_F32, 32, true, false},
                 {"f64", UOP_F64, 64, true, false},  {"s32", UOP_B32, 32, false, true},
                 {"u32", UOP_B32, 32, false, false}, {"s64", UOP_B64, 64, false, true},
                 {"u64", UOP_B64, 64, false, false}};
    int found[2] = {-1, -1}, count = 0;
    *u = (struct uop){.kind = UOP_CONST};
    for (unsigned i = 1; i < n; i++) {
        const char *p = parts[i];
        if (strcmp(p, "ftz") == 0)
            u->flags |= UOP_FTZ;
        else if (strcmp(p, "sat") == 0)
            u->flags |= UOP_SAT;
        else if (strcmp(p, "NaN") == 0)
            u->flags |= UOP_NAN;
        else if (p[0] == 'r')
            u->round = p[1] == 'n' ? UOP_RN : p[1] == 'm' ? UOP_RM : p[1] == 'p' ? UOP_RP : UOP_RZ;
        else
            for (unsigned t = 0; t < sizeof types / sizeof types[0]; t++)
                if (strcmp(p, types[t].text) == 0 && count < 2)
                    found[count++] = (int)t;
    }
    if (!count)
        return false;
    u->type = (uint8_t)types[found[0]].type;
    if (strcmp(parts[0], "add") == 0)
        u->kind = UOP_FADD;
    else if (strcmp(parts[0], "mul") == 0)
        u->kind = UOP_FMUL;
    else if (strcmp(parts[0], "fma") == 0)
        u->kind = UOP_FFMA;
    else if (strcmp(parts[0], "min") == 0)
        u->kind = UOP_FMIN;
    else if (strcmp(parts[0], "max") == 0)
        u->kind = UOP_FMAX;
    else if (strcmp(parts[0], "cvt") == 0 && count == 2) {
        bool to_float = types[found[0]].is_float, from_float = types[found[1]].is_float;
        u->kind = to_float && from_float ? (found[0] == found[1] ? UOP_FROUND : UOP_F2F) : to_float ? UOP_I2F : UOP_F2I;
        u->imm = u->kind == UOP_I2F ? types[found[1]].bits : (uint64_t)types[found[1]].type;
        if (types[found[0]].is_signed || types[found[1]].is_signed)
            u->flags |= UOP_SIGNED;
        if (u->kind == UOP_F2I && types[found[0]].bits == 64)
            u->flags |= UOP_NAN; /* F2I.S64 and .U64 have no .NTZ, the 32-bit ones that nvcc makes have it */
    } else
        return false;
    return true;
}

static void answers_of_the_gpu(void **state)
{
    char line[256], op[64];
    uint64_t args[3], want;
    unsigned rows = 0, wrong = 0, unread = 0;
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/uop/h200_float.tsv", "r");
    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct uop u;
        uint64_t got = 0;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "%63s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, op, &args[0], &args[1], &args[2],
                   &want) != 5 ||
            !operation(op, &u)) {
            unread++;
            continue;
        }
        rows++;
        if (!uop_eval(&u, args, &got) || got != want) {
            if (wrong++ < 40)
                print_message("%s %" PRIx64 " %" PRIx64 " %" PRIx64 ": the GPU %" PRIx64 ", here %" PRIx64 "\n", op,
                              args[0], args[1], args[2], want, got);
        }
    }
    fclose(f);
    assert_int_equal(unread, 0);
    assert_true(rows > 12000);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_of_the_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
