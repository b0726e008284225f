/* Expression text: precedence, literals, compares with their exact meaning, tables, elements, ids.
 * Graphs are made by hand. */
#include "mean_fixture.h"

#include "meaning/mean_internal.h"

#include <math.h>

static void literals_follow_the_reader(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id one = float32(&f, 1.0f), low = graph_const(&f.g, UOP_B32, 0xff7fffff), minus = int32(&f, -1);
    graph_id nan = graph_const(&f.g, UOP_B32, 0x7fffffff), mask = graph_const(&f.g, UOP_B32, 0xffff0000);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, one, UOP_F32, MEAN_INNER), "1.0f");
    assert_string_equal(mean_expr(&f.m, one, UOP_F32, MEAN_BITS), "0x3f800000");
    assert_string_equal(mean_expr(&f.m, low, UOP_F32, MEAN_INNER), "-3.4028235e+38f");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B32, 0), UOP_F32, MEAN_INNER), "0.0f");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B32, 0x80000000), UOP_F32, MEAN_INNER), "-0.0f");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B32, 0xff800000), UOP_F32, MEAN_INNER), "-INFINITY");
    assert_string_equal(mean_expr(&f.m, nan, UOP_F32, MEAN_INNER), "NAN");
    assert_string_equal(mean_expr(&f.m, minus, UOP_B32, MEAN_INNER), "-1");
    assert_string_equal(mean_expr(&f.m, mask, UOP_B32, MEAN_INNER), "0xffff0000");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B32, 1000000), UOP_B32, MEAN_INNER), "1000000");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B64, 0x3ff8000000000000), UOP_F64, MEAN_INNER), "1.5");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B16, 0x3e00), UOP_F16, MEAN_INNER), "1.5f");
    assert_string_equal(mean_expr(&f.m, graph_const(&f.g, UOP_B32, 0x3c004000), UOP_F16, MEAN_INNER),
                        "half2(2.0f, 1.0f)");
    fixture_end(&f);
    (void)state;
}

/* The worked document: two selects of clamp, with and without ids. */
static void clamp_reads_as_written(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0);
    graph_id bound = compare(&f, UOP_ILT_S, UOP_B1, i, param32(&f, N_OFFSET), 0);
    graph_id x = load(&f, element(&f, X_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4);
    graph_id lo = param32(&f, LO_OFFSET), hi = param32(&f, HI_OFFSET);
    struct uop select = {.kind = UOP_SELECT, .type = UOP_B32};
    graph_id c1 = graph_not(&f.g, compare(&f, UOP_FLT, UOP_F32, x, lo, UOP_FTZ));
    graph_id v1 = graph_pure(&f.g, &select, (graph_id[]){c1, x, lo}, 3);
    graph_id c2 = compare(&f, UOP_FLT, UOP_F32, hi, v1, UOP_FTZ | UOP_SWAPPED);
    graph_id v2 = graph_pure(&f.g, &select, (graph_id[]){graph_not(&f.g, c2), v1, hi}, 3);
    store(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4, v2);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, v2, UOP_F32, MEAN_INNER),
                        "!((!(x[i] < lo) ? x[i] : lo) > hi) ? !(x[i] < lo) ? x[i] : lo : hi");
    assert_true(mean_set_value(&f.m, x, "v0"));
    assert_true(mean_set_value(&f.m, v1, "v1"));
    assert_true(mean_set_value(&f.m, v2, "v2"));
    assert_string_equal(mean_condition(&f.m, bound), "i < n");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, bound)), "i >= n");
    assert_string_equal(mean_definition(&f.m, v1, UOP_F32, MEAN_INNER), "!(x[i] < lo) ? x[i] : lo");
    assert_string_equal(mean_definition(&f.m, v2, UOP_F32, MEAN_INNER), "!(v1 > hi) ? v1 : hi");
    assert_string_equal(mean_expr(&f.m, v2, UOP_F32, MEAN_INNER), "v2");
    assert_string_equal(mean_condition(&f.m, c1), "!(x[i] < lo)");
    assert_string_equal(mean_condition(&f.m, c2), "v1 > hi");
    assert_null(mean_condition(&f.m, GRAPH_NIL));
    assert_string_equal(mean_type(&f.m, v1), "f32");
    assert_string_equal(mean_type(&f.m, x), "f32");
    assert_string_equal(mean_type(&f.m, i), "s32");
    assert_string_equal(mean_type(&f.m, c1), "pred");
    fixture_end(&f);
    (void)state;
}

static void floats_keep_their_association(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0);
    graph_id x = load(&f, element(&f, X_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4);
    graph_id y = load(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4);
    graph_id lo = param32(&f, LO_OFFSET), two = float32(&f, 2.0f);
    graph_id product = graph_op2(&f.g, UOP_FMUL, UOP_F32, x, y), sum = graph_op2(&f.g, UOP_FADD, UOP_F32, y, lo);
    graph_id both = graph_op2(&f.g, UOP_FADD, UOP_F32, product, sum),
             scaled = graph_op2(&f.g, UOP_FMUL, UOP_F32, sum, two);
    graph_id minus = graph_op2(&f.g, UOP_FADD, UOP_F32, x, graph_op1(&f.g, UOP_FNEG, UOP_F32, sum));
    graph_id less = graph_op2(&f.g, UOP_FADD, UOP_F32, x, float32(&f, -1.5f));
    graph_id fma = graph_op3(&f.g, UOP_FFMA, UOP_F32, y, x, graph_op1(&f.g, UOP_FNEG, UOP_F32, lo));
    struct uop down = {.kind = UOP_FADD, .type = UOP_F32, .round = UOP_RZ};
    graph_id cut = graph_pure(&f.g, &down, (graph_id[]){x, y}, 2);
    struct uop sat = {.kind = UOP_FADD, .type = UOP_F32, .flags = UOP_SAT},
               keep = {.kind = UOP_FMIN, .type = UOP_F32, .flags = UOP_NAN};
    graph_id clamped = graph_pure(&f.g, &sat, (graph_id[]){x, y}, 2),
             least = graph_pure(&f.g, &keep, (graph_id[]){x, lo}, 2);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, product, UOP_F32, MEAN_INNER), "x[i] * y[i]");
    assert_string_equal(mean_expr(&f.m, both, UOP_F32, MEAN_INNER), "x[i] * y[i] + (y[i] + lo)");
    assert_string_equal(mean_expr(&f.m, scaled, UOP_F32, MEAN_INNER), "(y[i] + lo) * 2.0f");
    assert_string_equal(mean_expr(&f.m, minus, UOP_F32, MEAN_INNER), "x[i] - (y[i] + lo)");
    assert_string_equal(mean_expr(&f.m, less, UOP_F32, MEAN_INNER), "x[i] - 1.5f");
    assert_string_equal(mean_expr(&f.m, fma, UOP_F32, MEAN_INNER), "fma(x[i], y[i], -lo)");
    assert_string_equal(mean_expr(&f.m, cut, UOP_F32, MEAN_INNER), "add_rz(x[i], y[i])");
    assert_string_equal(mean_expr(&f.m, clamped, UOP_F32, MEAN_INNER), "saturate(x[i] + y[i])");
    assert_string_equal(mean_expr(&f.m, least, UOP_F32, MEAN_INNER), "min_nan(x[i], lo)");
    fixture_end(&f);
    (void)state;
}

static void compares_say_exactly_what_they_test(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id lo = param32(&f, LO_OFFSET), hi = param32(&f, HI_OFFSET), n = param32(&f, N_OFFSET),
             w = param32(&f, W_OFFSET);
    graph_id le = compare(&f, UOP_FLE, UOP_F32, lo, hi, 0), eq = compare(&f, UOP_FEQ, UOP_F32, lo, hi, 0);
    graph_id ne = compare(&f, UOP_FNE, UOP_F32, lo, hi, 0), num = compare(&f, UOP_FNUM, UOP_F32, lo, lo, 0);
    graph_id below = compare(&f, UOP_FLT, UOP_F32, float32(&f, 0.0f), lo, 0);
    graph_id s = compare(&f, UOP_ILT_S, UOP_B1, int32(&f, 3), n, 0), u = compare(&f, UOP_ILT_U, UOP_B1, n, w, 0);
    graph_id same = compare(&f, UOP_IEQ, UOP_B1, n, int32(&f, 0), 0);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_condition(&f.m, le), "lo <= hi");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, le)), "!(lo <= hi)");
    assert_string_equal(mean_condition(&f.m, eq), "lo == hi");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, eq)), "lo != hi");
    assert_string_equal(mean_condition(&f.m, ne), "lo < hi || lo > hi");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, ne)), "!(lo < hi || lo > hi)");
    assert_string_equal(mean_condition(&f.m, num), "!nan(lo)");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, num)), "nan(lo)");
    assert_string_equal(mean_condition(&f.m, below), "lo > 0.0f");
    assert_string_equal(mean_condition(&f.m, s), "n > 3");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, s)), "n <= 3");
    assert_string_equal(mean_condition(&f.m, u), "(unsigned)n < w");
    assert_string_equal(mean_condition(&f.m, graph_not(&f.g, same)), "n != 0");
    fixture_end(&f);
    (void)state;
}

static void tables_become_few_products(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id p[4];
    for (unsigned k = 0; k < 4; k++)
        p[k] = compare(&f, UOP_ILT_S, UOP_B1, param32(&f, N_OFFSET), int32(&f, 10 * (int)k + 10), 0);
    graph_id and2 = graph_and(&f.g, p[0], graph_not(&f.g, p[1])), or2 = graph_or(&f.g, p[2], graph_not(&f.g, p[0]));
    graph_id sop = graph_or(&f.g, graph_and(&f.g, p[0], p[1]), graph_and(&f.g, p[2], p[3]));
    graph_id pos = graph_and(&f.g, graph_or(&f.g, p[0], p[1]), p[2]);
    graph_id xor2 = graph_op2(&f.g, UOP_XOR, UOP_B1, p[0], p[1]);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_condition(&f.m, and2), "n < 10 && n >= 20");
    assert_string_equal(mean_condition(&f.m, or2), "n >= 10 || n < 30");
    assert_string_equal(mean_condition(&f.m, sop), "n < 10 && n < 20 || n < 30 && n < 40");
    assert_string_equal(mean_condition(&f.m, pos), "(n < 10 || n < 20) && n < 30");
    assert_string_equal(mean_condition(&f.m, xor2), "n < 10 != n < 20");
    fixture_end(&f);
    (void)state;
}

static void integers_and_bits(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id n = param32(&f, N_OFFSET), w = param32(&f, W_OFFSET), tid = graph_sreg(&f.g, UOP_SR_TID_X);
    graph_id minus = add(&f, n, graph_op1(&f.g, UOP_NEG, UOP_B32, w));
    graph_id poly = add(&f, add(&f, mul(&f, add(&f, n, w), w), mul(&f, tid, int32(&f, 4))), int32(&f, -2));
    graph_id shr = graph_op2(&f.g, UOP_SHR, UOP_B32, n, int32(&f, 3)),
             sar = graph_op2(&f.g, UOP_SAR, UOP_B32, add(&f, n, w), int32(&f, 3));
    graph_id half = graph_op2(&f.g, UOP_SHR, UOP_B32, graph_sreg(&f.g, UOP_SR_NTID_X), int32(&f, 1));
    graph_id masked = graph_op2(&f.g, UOP_AND, UOP_B32, add(&f, n, w), int32(&f, 31));
    struct uop lop = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xea},
               mux = {.kind = UOP_LOP3, .type = UOP_B32, .imm = 0xca};
    graph_id and_or = graph_pure(&f.g, &lop, (graph_id[]){n, w, tid}, 3),
             choose = graph_pure(&f.g, &mux, (graph_id[]){n, w, tid}, 3);
    graph_id below = compare(&f, UOP_ILT_S, UOP_B1, tid, minus, 0), plain = compare(&f, UOP_ILT_S, UOP_B1, tid, n, 0);
    struct uop convert = {.kind = UOP_I2F, .type = UOP_F32, .flags = UOP_SIGNED, .imm = 16};
    graph_id narrow = graph_pure(&f.g, &convert, &n, 1);
    graph_id least = graph_op2(&f.g, UOP_MIN_U, UOP_B32, n, w), clock = graph_sreg(&f.g, UOP_SR_CLOCK_LO);
    graph_id most = graph_op2(&f.g, UOP_MAX_S, UOP_B32, n, clock), late = compare(&f, UOP_ILT_S, UOP_B1, n, clock, 0);
    graph_id high = graph_op1(&f.g, UOP_HI, UOP_B32,
                              graph_op2(&f.g, UOP_MUL, UOP_B64, graph_op1(&f.g, UOP_SEXT, UOP_B64, n),
                                        graph_op1(&f.g, UOP_SEXT, UOP_B64, w)));
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, minus, UOP_B32, MEAN_INNER), "n - w");
    assert_string_equal(mean_expr(&f.m, poly, UOP_B32, MEAN_INNER), "4 * threadIdx.x + (n + w) * w - 2");
    assert_string_equal(mean_expr(&f.m, shr, UOP_B32, MEAN_INNER), "(unsigned)n >> 3");
    assert_string_equal(mean_expr(&f.m, sar, UOP_B32, MEAN_INNER), "n + w >> 3");
    assert_string_equal(mean_expr(&f.m, half, UOP_B32, MEAN_INNER), "blockDim.x >> 1");
    assert_string_equal(mean_expr(&f.m, masked, UOP_B32, MEAN_INNER), "n + w & 0x1f");
    assert_string_equal(mean_expr(&f.m, and_or, UOP_B32, MEAN_INNER), "n & w | threadIdx.x");
    assert_string_equal(mean_expr(&f.m, choose, UOP_B32, MEAN_INNER), "n & w | ~n & threadIdx.x");
    assert_string_equal(mean_expr(&f.m, high, UOP_B32, MEAN_INNER), "mulhi(n, w)");
    assert_string_equal(mean_expr(&f.m, least, UOP_B32, MEAN_INNER), "min((unsigned)n, (unsigned)w)");
    assert_string_equal(mean_expr(&f.m, most, UOP_B32, MEAN_INNER), "max((int)clock, n)");
    assert_string_equal(mean_condition(&f.m, late), "n < (int)clock");
    assert_string_equal(mean_condition(&f.m, below), "(int)threadIdx.x < n - w");
    assert_string_equal(mean_condition(&f.m, plain), "threadIdx.x < n");
    assert_string_equal(mean_expr(&f.m, narrow, UOP_F32, MEAN_INNER), "(float)(short)n");
    fixture_end(&f);
    (void)state;
}

/* Bits carry no type, text does: what is a float for a reader is not its bits, and the other way round. */
static void floats_and_their_bits_differ(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0);
    graph_id x = load(&f, element(&f, X_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4);
    graph_id sum = graph_op2(&f.g, UOP_FADD, UOP_F32, x, float32(&f, 1.0f)), n = param32(&f, N_OFFSET);
    graph_id plus = add(&f, sum, int32(&f, 1)), shifted = mul(&f, sum, int32(&f, 1 << 23));
    graph_id mixed = add(&f, shifted, n), flipped = graph_op2(&f.g, UOP_XOR, UOP_B32, sum, int32(&f, INT32_MIN));
    graph_id back = graph_op2(&f.g, UOP_FADD, UOP_F32, mul(&f, n, int32(&f, 3)), sum);
    graph_id both = graph_op2(&f.g, UOP_FMUL, UOP_F32, flipped, sum), popc = graph_op1(&f.g, UOP_POPC, UOP_B32, sum);
    graph_id same = compare(&f, UOP_IEQ, UOP_B1, sum, n, 0);
    struct uop select = {.kind = UOP_SELECT, .type = UOP_B32}, xor1 = {.kind = UOP_SHFL, .type = UOP_B32, .imm = 3};
    graph_id either = graph_pure(&f.g, &select, (graph_id[]){same, sum, float32(&f, 2.0f)}, 3);
    graph_id masked = graph_op2(&f.g, UOP_AND, UOP_B32, either, int32(&f, 0xff));
    struct graph_node shuffle = {
        .kind = UOP_SHFL, .type = UOP_B32, .imm = xor1.imm, .arg_count = 3, .arg = {sum, int32(&f, 1), int32(&f, 31)}};
    graph_id lane = graph_fresh(&f.g, &shuffle);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, plus, UOP_VOID, MEAN_INNER), "bits(x[i] + 1.0f) + 1");
    assert_string_equal(mean_expr(&f.m, shifted, UOP_VOID, MEAN_INNER), "bits(x[i] + 1.0f) << 23");
    assert_string_equal(mean_expr(&f.m, mixed, UOP_VOID, MEAN_INNER), "(bits(x[i] + 1.0f) << 23) + n");
    assert_string_equal(mean_expr(&f.m, flipped, UOP_B32, MEAN_INNER), "bits(x[i] + 1.0f) ^ 0x80000000");
    assert_string_equal(mean_expr(&f.m, flipped, UOP_F32, MEAN_INNER), "as_float(bits(x[i] + 1.0f) ^ 0x80000000)");
    assert_string_equal(mean_expr(&f.m, back, UOP_F32, MEAN_INNER), "x[i] + 1.0f + as_float(3 * n)");
    assert_string_equal(mean_expr(&f.m, both, UOP_F32, MEAN_INNER),
                        "(x[i] + 1.0f) * as_float(bits(x[i] + 1.0f) ^ 0x80000000)");
    assert_string_equal(mean_expr(&f.m, popc, UOP_VOID, MEAN_INNER), "popc(bits(x[i] + 1.0f))");
    assert_string_equal(mean_condition(&f.m, same), "bits(x[i] + 1.0f) == n");
    assert_string_equal(mean_expr(&f.m, masked, UOP_VOID, MEAN_INNER),
                        "bits(bits(x[i] + 1.0f) == n ? x[i] + 1.0f : 2.0f) & 0xff");
    assert_string_equal(mean_expr(&f.m, lane, UOP_F32, MEAN_INNER), "shfl_xor(x[i] + 1.0f, 1)");
    assert_true(mean_set_value(&f.m, sum, "v1"));
    assert_string_equal(mean_expr(&f.m, plus, UOP_VOID, MEAN_INNER), "bits(v1) + 1");
    assert_string_equal(mean_definition(&f.m, sum, UOP_F32, MEAN_INNER), "x[i] + 1.0f");
    fixture_end(&f);
    (void)state;
}

/* The highest bit has two readings; a high half is one of a wide product, signs as they were extended. */
static void wide_products_and_bit_counts(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id n = param32(&f, N_OFFSET), w = param32(&f, W_OFFSET);
    graph_id zn = graph_op1(&f.g, UOP_ZEXT, UOP_B64, n), sn = graph_op1(&f.g, UOP_SEXT, UOP_B64, n);
    graph_id zw = graph_op1(&f.g, UOP_ZEXT, UOP_B64, w);
    graph_id wide = graph_op2(&f.g, UOP_MUL, UOP_B64, zn, zw), mixed = graph_op2(&f.g, UOP_MUL, UOP_B64, sn, zw);
    graph_id tenth = graph_op2(&f.g, UOP_MUL, UOP_B64, zn, graph_const(&f.g, UOP_B64, 0xcccccccd));
    graph_id quarter = graph_op1(&f.g, UOP_HI, UOP_B32,
                                 graph_op2(&f.g, UOP_MUL, UOP_B64, mixed, graph_const(&f.g, UOP_B64, 1u << 30)));
    struct uop flo = {.kind = UOP_FLO, .type = UOP_B32}, amount = {.kind = UOP_FLO, .type = UOP_B32, .imm = 1};
    graph_id high = graph_pure(&f.g, &flo, &n, 1), turned = graph_op1(&f.g, UOP_BREV, UOP_B32, n);
    graph_id above = graph_pure(&f.g, &amount, &n, 1), below = graph_pure(&f.g, &amount, &turned, 1);
    graph_id clz = add(&f, graph_op1(&f.g, UOP_NEG, UOP_B32, high), int32(&f, 31));
    graph_id ffs = add(&f, below, int32(&f, 1));
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, graph_op1(&f.g, UOP_HI, UOP_B32, wide), UOP_B32, MEAN_INNER), "umulhi(n, w)");
    assert_string_equal(mean_expr(&f.m, graph_op1(&f.g, UOP_HI, UOP_B32, tenth), UOP_B32, MEAN_INNER),
                        "umulhi(n, 3435973837)");
    assert_string_equal(mean_expr(&f.m, graph_op1(&f.g, UOP_HI, UOP_B32, mixed), UOP_B32, MEAN_INNER),
                        "hi((long)n * (unsigned long)(unsigned)w)");
    assert_string_equal(mean_expr(&f.m, wide, UOP_B64, MEAN_INNER),
                        "(unsigned long)(unsigned)n * (unsigned long)(unsigned)w");
    assert_string_equal(mean_expr(&f.m, quarter, UOP_B32, MEAN_INNER), "lo((long)n * (unsigned long)(unsigned)w >> 2)");
    assert_string_equal(mean_expr(&f.m, high, UOP_B32, MEAN_INNER), "31 - clz(n)");
    assert_string_equal(mean_expr(&f.m, above, UOP_B32, MEAN_INNER), "bfind_shiftamt(n)");
    assert_string_equal(mean_expr(&f.m, below, UOP_B32, MEAN_INNER), "ffs(n) - 1");
    assert_string_equal(mean_expr(&f.m, clz, UOP_B32, MEAN_INNER), "clz(n)");
    assert_string_equal(mean_expr(&f.m, ffs, UOP_B32, MEAN_INNER), "ffs(n)");
    fixture_end(&f);
    (void)state;
}

/* Machines divide by 32 with a bias for negative numbers, a shift, and a mask for the rest. */
static void divisions_by_constants(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id n = param32(&f, N_OFFSET), w = param32(&f, W_OFFSET);
    graph_id sign = graph_op2(&f.g, UOP_SAR, UOP_B32, n, int32(&f, 31));
    graph_id bias = graph_op2(&f.g, UOP_SHR, UOP_B32, sign, int32(&f, 27)), biased = add(&f, n, bias);
    graph_id quotient = graph_op2(&f.g, UOP_SAR, UOP_B32, biased, int32(&f, 5));
    graph_id other = graph_op2(&f.g, UOP_SAR, UOP_B32, biased, int32(&f, 4));
    graph_id down = graph_op2(&f.g, UOP_AND, UOP_B32, biased, int32(&f, -32));
    graph_id rest = add(&f, n, graph_op1(&f.g, UOP_NEG, UOP_B32, down));
    graph_id both = add(&f, add(&f, w, int32(&f, 3)), rest), scaled = mul(&f, rest, int32(&f, 5));
    graph_id half = graph_op2(&f.g, UOP_SAR, UOP_B32, add(&f, n, graph_op2(&f.g, UOP_SHR, UOP_B32, n, int32(&f, 31))),
                              int32(&f, 1));
    graph_id reverse = add(&f, w, graph_op1(&f.g, UOP_NOT, UOP_B32, n));
    graph_id turned = graph_op1(
        &f.g, UOP_HI, UOP_B32,
        graph_op2(&f.g, UOP_MUL, UOP_B64, graph_op2(&f.g, UOP_PAIR, UOP_B64, w, n), graph_const(&f.g, UOP_B64, 128)));
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X), by[3];
    static const struct {
        uint64_t factor;
        int shift;
    } magic[3] = {{0xcccccccd, 3}, {0xaaaaaaab, 1}, {0xcccccccc, 3}}; /* 10, 3, and one that is no divisor's */
    for (unsigned k = 0; k < 3; k++) {
        graph_id product = graph_op2(&f.g, UOP_MUL, UOP_B64, graph_op1(&f.g, UOP_ZEXT, UOP_B64, k ? tid : n),
                                     graph_const(&f.g, UOP_B64, magic[k].factor));
        by[k] = graph_op2(&f.g, UOP_SHR, UOP_B32, graph_op1(&f.g, UOP_HI, UOP_B32, product), int32(&f, magic[k].shift));
    }
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_expr(&f.m, half, UOP_B32, MEAN_INNER), "n / 2");
    assert_string_equal(mean_expr(&f.m, reverse, UOP_B32, MEAN_INNER), "w - n - 1");
    assert_string_equal(mean_expr(&f.m, turned, UOP_B32, MEAN_INNER), "funnelshift_l(w, n, 7)");
    assert_string_equal(mean_expr(&f.m, param64(&f, N_OFFSET), UOP_B64, MEAN_INNER), "pair(n, w)");
    assert_string_equal(mean_expr(&f.m, by[0], UOP_B32, MEAN_INNER), "(unsigned)n / 10");
    assert_string_equal(mean_expr(&f.m, by[1], UOP_B32, MEAN_INNER), "threadIdx.x / 3");
    assert_string_equal(mean_expr(&f.m, by[2], UOP_B32, MEAN_INNER), "umulhi(threadIdx.x, 3435973836) >> 3");
    assert_string_equal(mean_expr(&f.m, quotient, UOP_B32, MEAN_INNER), "n / 32");
    assert_string_equal(mean_expr(&f.m, down, UOP_B32, MEAN_INNER), "n / 32 * 32");
    assert_string_equal(mean_expr(&f.m, rest, UOP_B32, MEAN_INNER), "n % 32");
    assert_null(strchr(mean_expr(&f.m, other, UOP_B32, MEAN_INNER), '/'));
    assert_string_equal(mean_expr(&f.m, both, UOP_B32, MEAN_INNER), "n % 32 + w + 3");
    assert_string_equal(mean_expr(&f.m, scaled, UOP_B32, MEAN_INNER), "5 * (n % 32)");
    fixture_end(&f);
    (void)state;
}

/* x[k+1] = x[k] * x[k]: written out it has 2^60 factors. */
static void exploding_values_are_cut(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id v = load(&f, element(&f, X_OFFSET, UOP_SEXT, linear(&f, 0), 4, 0), UOP_GLOBAL, 4), deep = v;
    for (int k = 0; k < 60; k++)
        v = graph_op2(&f.g, UOP_FADD, UOP_F32, v, graph_op1(&f.g, UOP_EX2, UOP_F32, v));
    for (int k = 0; k < 20000; k++)
        deep = graph_op2(&f.g, UOP_FADD, UOP_F32, deep, float32(&f, 1.0f));
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    size_t used = f.a.used;
    const char *text = mean_expr(&f.m, v, UOP_F32, MEAN_EXPANDED);
    assert_true(strlen(text) <= 1200 + 3);
    assert_non_null(strstr(text, "\xe2\x80\xa6"));
    text = mean_expr(&f.m, deep, UOP_F32, MEAN_EXPANDED);
    assert_true(strlen(text) <= 1200 + 3);
    assert_true(f.a.used - used < 8u << 20);
    fixture_end(&f);
    (void)state;
}

/* A line stays a line: what is left out stands as one sign, inside brackets where there are some. */
static void long_lines_are_shortened(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id v = load(&f, element(&f, X_OFFSET, UOP_SEXT, linear(&f, 0), 4, 0), UOP_GLOBAL, 4), p = GRAPH_NIL;
    graph_id chain = v;
    for (int k = 0; k < 12; k++)
        chain = graph_op2(&f.g, UOP_FADD, UOP_F32, v, graph_op1(&f.g, UOP_EX2, UOP_F32, chain));
    for (int k = 0; k < 40; k++)
        v = graph_op2(&f.g, UOP_FADD, UOP_F32, v, float32(&f, (float)k + 1.5f));
    for (int k = 0; k < 6; k++) {
        graph_id c = compare(&f, UOP_FLT, UOP_F32, param32(&f, LO_OFFSET), graph_op2(&f.g, UOP_FMUL, UOP_F32, v, v), 0);
        p = k ? graph_and(&f.g, p, c) : c;
        v = graph_op1(&f.g, UOP_EX2, UOP_F32, v);
    }
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    const char *texts[] = {mean_expr(&f.m, v, UOP_F32, MEAN_INNER), mean_condition(&f.m, p),
                           mean_expr(&f.m, chain, UOP_F32, MEAN_INNER)};
    for (size_t i = 0; i < 3; i++) {
        assert_true(strlen(texts[i]) <= 300);
        int depth = 0;
        for (const char *q = texts[i]; *q; q++)
            depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
        assert_int_equal(depth, 0);
    }
    assert_non_null(strstr(texts[1], "\xe2\x80\xa6"));
    assert_string_equal(mean_shorten(&f.m, "a + b"), "a + b");
    fixture_end(&f);
    (void)state;
}

/* C takes a mixed compare, minimum or division for an unsigned one: what is signed says so. */
static void signs_are_those_of_the_code(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id t = graph_sreg(&f.g, UOP_SR_TID_X), n = param32(&f, N_OFFSET), w = param32(&f, W_OFFSET);
    graph_id part = graph_op2(&f.g, UOP_AND, UOP_B32, t, n), least = graph_op2(&f.g, UOP_MIN_S, UOP_B32, t, n);
    graph_id below = compare(&f, UOP_ILT_S, UOP_B1, part, n, 0), wide_t = graph_op1(&f.g, UOP_ZEXT, UOP_B64, t);
    graph_id wide = compare(&f, UOP_ILT_S, UOP_B1, wide_t, graph_op1(&f.g, UOP_SEXT, UOP_B64, n), 0);
    graph_id small = compare(&f, UOP_ILT_S, UOP_B1, t, graph_sreg(&f.g, UOP_SR_NTID_X), 0);
    struct graph_node divide = {.kind = GRAPH_REAL, .type = UOP_B32, .arg_count = 2, .imm = GRAPH_REM_S, .arg = {t, n}};
    graph_id signed_rest = graph_fresh(&f.g, &divide);
    divide.imm = GRAPH_DIV_U;
    divide.arg[0] = n;
    divide.arg[1] = w;
    graph_id natural = graph_fresh(&f.g, &divide);
    struct graph_node shuffle = {
        .kind = UOP_SHFL, .type = UOP_B32, .imm = 2, .arg_count = 3, .arg = {n, int32(&f, 1), int32(&f, 0x181f)}};
    graph_id cut = graph_fresh(&f.g, &shuffle);
    graph_id product = graph_op1(&f.g, UOP_ZEXT, UOP_B64, graph_op1(&f.g, UOP_NEG, UOP_B32, mul(&f, n, w)));
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_condition(&f.m, below), "(int)(threadIdx.x & n) < n");
    assert_string_equal(mean_condition(&f.m, wide), "(long)threadIdx.x < (long)n");
    assert_string_equal(mean_condition(&f.m, small), "threadIdx.x < blockDim.x");
    assert_string_equal(mean_expr(&f.m, least, UOP_B32, MEAN_INNER), "min((int)threadIdx.x, n)");
    assert_string_equal(mean_expr(&f.m, signed_rest, UOP_B32, MEAN_INNER), "(int)threadIdx.x % n");
    assert_string_equal(mean_expr(&f.m, natural, UOP_B32, MEAN_INNER), "(unsigned)n / w");
    assert_string_equal(mean_expr(&f.m, cut, UOP_B32, MEAN_INNER), "shfl_down(n, 1, 8)");
    assert_string_equal(mean_expr(&f.m, product, UOP_B64, MEAN_INNER), "(unsigned long)(unsigned)(-n * w)");
    fixture_end(&f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_follow_the_reader),    cmocka_unit_test(clamp_reads_as_written),
        cmocka_unit_test(floats_keep_their_association), cmocka_unit_test(compares_say_exactly_what_they_test),
        cmocka_unit_test(tables_become_few_products),    cmocka_unit_test(integers_and_bits),
        cmocka_unit_test(floats_and_their_bits_differ),  cmocka_unit_test(wide_products_and_bit_counts),
        cmocka_unit_test(divisions_by_constants),        cmocka_unit_test(exploding_values_are_cut),
        cmocka_unit_test(signs_are_those_of_the_code),   cmocka_unit_test(long_lines_are_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
