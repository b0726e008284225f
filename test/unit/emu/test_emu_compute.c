/* Whole rows against the one evaluator, lane by lane: every kind that emu_compute() and emu_compute_float() know, on
 * special and on random values, gives the same bits. And wavefronts as the hardware counted them. */
#include "support_emu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, ROW = EMU_TEMP_BYTES };

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed ^ seed >> 31;
}

static uint64_t value(bool wide)
{
    static const uint64_t words[] = {0,          1,          2,          31,         32,         33,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x807fffff, 0x7f7fffff,
                                     0x3f000001, 0x0f7fffff, 0x3f7fffff, 0x4b800000};
    static const uint64_t doubles[] = {0,
                                       1,
                                       63,
                                       64,
                                       UINT64_C(0x7fffffffffffffff),
                                       UINT64_C(0x8000000000000000),
                                       UINT64_MAX,
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       UINT64_C(0x7ff8000000000001),
                                       UINT64_C(0xfff0000000000007),
                                       UINT64_C(0x0010000000000000),
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x7fefffffffffffff)};
    uint64_t r = random_bits();
    switch (r >> 40 & 3) {
    case 0: return wide ? doubles[r % (sizeof doubles / 8)] : words[r % (sizeof words / 8)];
    case 1: /* near one another, so that sums cancel and compare equal */
        return wide ? UINT64_C(0x3ff0000000000000) + (r & 7) : 0x3f800000 + (r & 7);
    default: return wide ? random_bits() : random_bits() & UINT32_MAX;
    }
}

struct bench {
    struct emu_machine m;
    struct emu_result result;
    uint8_t rows[5][ROW];
    uint32_t masks[5];
};

static void check(struct bench *b, struct emu_op *op)
{
    bool rows = emu_knows(op), floats = emu_knows_float(op);
    if (!rows && !floats)
        return;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned k = 0; k < 3; k++)
            for (unsigned lane = 0; lane < EMU_LANES && op->forms[k] != EMU_FORM_NONE; lane++)
                emu_put_lane(&b->m, op->arg[k], op->forms[k], lane, value(op->forms[k] == EMU_FORM_DOUBLE));
        b->m.active = UINT32_MAX;
        if (rows)
            emu_compute(&b->m, op);
        else
            emu_compute_float(&b->m, op);
        for (unsigned lane = 0; lane < EMU_LANES; lane++) {
            uint64_t args[UOP_MAX_ARGS] = {0}, wanted = 0;
            for (unsigned k = 0; k < 3 && op->forms[k] != EMU_FORM_NONE; k++)
                args[k] = emu_lane(&b->m, op->arg[k], op->forms[k], lane);
            assert_true(uop_eval(&op->uop, args, &wanted));
            uint64_t got = emu_lane(&b->m, op->to, op->form, lane);
            if (got != wanted)
                fail_msg("%s.%s flags %u imm %llu of %llx %llx %llx: %llx, not %llx",
                         uop_kind_text((enum uop_kind)op->uop.kind), uop_type_text((enum uop_type)op->uop.type),
                         op->uop.flags, (unsigned long long)op->uop.imm, (unsigned long long)args[0],
                         (unsigned long long)args[1], (unsigned long long)args[2], (unsigned long long)got,
                         (unsigned long long)wanted);
        }
    }
}

static uint8_t form(enum uop_type type)
{
    unsigned bits = uop_type_bits(type);
    return bits == 1 ? EMU_FORM_MASK : bits == 64 ? EMU_FORM_DOUBLE : EMU_FORM_WORD;
}

static void rows_are_what_the_evaluator_says(void **state)
{
    (void)state;
    static const enum uop_type types[] = {UOP_B1, UOP_B32, UOP_B64, UOP_F32, UOP_F64};
    static const unsigned flags[] = {0, UOP_FTZ, UOP_SAT, UOP_FTZ | UOP_SAT, UOP_NAN, UOP_NAN | UOP_FTZ, UOP_SIGNED};
    static const uint64_t imms[] = {0, 32, 64, 0x96, 0xe8, 0xca, 0x1b};
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->m.result = &b->result;
    b->m.base[EMU_TEMPS] = b->rows[0];
    b->m.base[EMU_MASKS] = (uint8_t *)b->masks;
    unsigned known = 0;
    for (unsigned kind = UOP_ADD; kind < UOP_LOAD; kind++) {
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
                for (size_t i = 0; i < sizeof imms / sizeof *imms; i++) {
                    enum uop_type type = types[t];
                    struct emu_op op = {
                        .uop = {
                            .kind = (uint8_t)kind, .type = (uint8_t)type, .flags = (uint8_t)flags[f], .imm = imms[i]}};
                    bool compare = kind == UOP_IEQ || kind == UOP_ILT_S || kind == UOP_ILT_U;
                    bool float_compare = kind >= UOP_FLT && kind <= UOP_FNUM;
                    bool halves = kind == UOP_LO || kind == UOP_HI,
                         parts = kind == UOP_PAIR || kind == UOP_SEXT || kind == UOP_ZEXT;
                    if (compare && type != UOP_B1)
                        continue;
                    uint8_t own = compare                    ? (imms[i] == 64 ? EMU_FORM_DOUBLE : EMU_FORM_WORD)
                                  : halves                   ? EMU_FORM_DOUBLE
                                  : parts || kind == UOP_I2F ? EMU_FORM_WORD
                                                             : form(type);
                    op.form = compare || float_compare ? EMU_FORM_MASK : form(type);
                    for (unsigned k = 0; k < UOP_MAX_ARGS; k++) {
                        bool is = k < uop_kind_args((enum uop_kind)kind);
                        op.forms[k] = !is                            ? EMU_FORM_NONE
                                      : kind == UOP_SELECT && k == 0 ? EMU_FORM_MASK
                                      : (kind == UOP_SHL || kind == UOP_SHR || kind == UOP_SAR) && k == 1
                                          ? EMU_FORM_WORD
                                          : own;
                        op.arg[k] = !is                            ? (emu_loc)EMU_NOWHERE
                                    : op.forms[k] == EMU_FORM_MASK ? (uint32_t)EMU_MASKS << EMU_PLACE_SHIFT | 4 * k
                                                                   : ROW * k;
                    }
                    op.to = op.form == EMU_FORM_MASK ? (uint32_t)EMU_MASKS << EMU_PLACE_SHIFT | 16 : 4 * ROW;
                    known += emu_knows(&op) || emu_knows_float(&op);
                    check(b, &op);
                }
            }
        }
    }
    assert_true(known > 200);
    free(b);
}

/* test/golden/place/h200_shared_conflicts.tsv: kind, bytes a lane, bytes from lane to lane in x, from row to row in y,
 * block x, block y, wavefronts of one warp. */
static void wavefronts_are_the_hardwares(void **state)
{
    (void)state;
    FILE *f = fopen(SP_SOURCE_DIR "/test/golden/place/h200_shared_conflicts.tsv", "r");
    assert_non_null(f);
    char line[512], kind[16];
    unsigned width, step, pitch, x, y, wanted, rows = 0;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%15s %u %u %u %u %u %u", kind, &width, &step, &pitch, &x, &y, &wanted) != 7)
            continue;
        struct emu_op op = {.uop = {.kind = strcmp(kind, "load") == 0 ? UOP_LOAD : UOP_STORE}};
        struct emu_step one = {.ops = &op, .op_count = 1};
        struct emu_count count = {0};
        struct emu_result result = {.counts = &count};
        struct emu_machine m = {.result = &result, .step = &one};
        uint32_t address[EMU_LANES];
        for (unsigned lane = 0; lane < EMU_LANES; lane++)
            address[lane] = lane % x * step + lane / x % y * pitch;
        emu_count_shared(&m, address, UINT32_MAX, width);
        if (count.shared_wavefronts != wanted)
            fail_msg("%s gives %llu", line, (unsigned long long)count.shared_wavefronts);
        rows++;
    }
    fclose(f);
    assert_true(rows > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_evaluator_says),
        cmocka_unit_test(wavefronts_are_the_hardwares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
