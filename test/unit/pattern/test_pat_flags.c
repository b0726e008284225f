/* What a reader is told of an output tells operations apart that differ in one flag alone: rounding, saturation,
 * flushing, what a NaN does, sign, width, form. Two kernels that store such a pair never have the same exact text and
 * the same list of differences. Types are not declared: nothing but the code says how a number is taken. */
#include "pat_fixture.h"

static const struct mean_param untyped_params[] = {
    {0, 0, X_AT, 8, "p0", false, NULL},   {1, 8, Y_AT, 8, "p1", false, NULL},  {2, 16, LO_AT, 4, "p2", false, NULL},
    {3, 20, HI_AT, 4, "p3", false, NULL}, {4, 24, N_AT, 4, "p4", false, NULL},
};

struct form {
    uint8_t kind, type, round, flags;
    uint64_t imm;
};

static const struct {
    const char *what;
    struct form a, b;
    uint8_t args, width; /* width 0: x[i] is a word, else so many bytes, of which the second form's are signed */
} pairs[] = {
    {"rounding of a sum", {UOP_FADD, UOP_F32, UOP_RN, 0, 0}, {UOP_FADD, UOP_F32, UOP_RZ, 0, 0}, 2, 0},
    {"rounding of a sum, up and down", {UOP_FADD, UOP_F32, UOP_RP, 0, 0}, {UOP_FADD, UOP_F32, UOP_RM, 0, 0}, 2, 0},
    {"rounding of a product", {UOP_FMUL, UOP_F32, UOP_RN, 0, 0}, {UOP_FMUL, UOP_F32, UOP_RM, 0, 0}, 2, 0},
    {"rounding of a fused one", {UOP_FFMA, UOP_F32, UOP_RN, 0, 0}, {UOP_FFMA, UOP_F32, UOP_RP, 0, 0}, 3, 0},
    {"a flushed sum", {UOP_FADD, UOP_F32, UOP_RN, 0, 0}, {UOP_FADD, UOP_F32, UOP_RN, UOP_FTZ, 0}, 2, 0},
    {"a flushed product", {UOP_FMUL, UOP_F32, UOP_RN, 0, 0}, {UOP_FMUL, UOP_F32, UOP_RN, UOP_FTZ, 0}, 2, 0},
    {"a product that is 0 for 0",
     {UOP_FMUL, UOP_F32, UOP_RN, UOP_FTZ, 0},
     {UOP_FMUL, UOP_F32, UOP_RN, UOP_FMZ, 0},
     2,
     0},
    {"a flushed fused one", {UOP_FFMA, UOP_F32, UOP_RN, 0, 0}, {UOP_FFMA, UOP_F32, UOP_RN, UOP_FTZ, 0}, 3, 0},
    {"a flushed minimum", {UOP_FMIN, UOP_F32, UOP_RN, 0, 0}, {UOP_FMIN, UOP_F32, UOP_RN, UOP_FTZ, 0}, 2, 0},
    {"a flushed whole number", {UOP_FROUND, UOP_F32, UOP_RM, 0, 0}, {UOP_FROUND, UOP_F32, UOP_RM, UOP_FTZ, 0}, 1, 0},
    {"which whole number", {UOP_FROUND, UOP_F32, UOP_RM, 0, 0}, {UOP_FROUND, UOP_F32, UOP_RP, 0, 0}, 1, 0},
    {"a saturated sum", {UOP_FADD, UOP_F32, UOP_RN, 0, 0}, {UOP_FADD, UOP_F32, UOP_RN, UOP_SAT, 0}, 2, 0},
    {"a saturated fused one", {UOP_FFMA, UOP_F32, UOP_RN, 0, 0}, {UOP_FFMA, UOP_F32, UOP_RN, UOP_SAT, 0}, 3, 0},
    {"a saturated conversion",
     {UOP_F2F, UOP_F32, UOP_RN, 0, UOP_F32},
     {UOP_F2F, UOP_F32, UOP_RN, UOP_SAT, UOP_F32},
     1,
     0},
    {"nothing below zero", {UOP_FFMA, UOP_F32, UOP_RN, 0, 0}, {UOP_FFMA, UOP_F32, UOP_RN, UOP_RELU, 0}, 3, 0},
    {"a NaN in a maximum", {UOP_FMAX, UOP_F32, UOP_RN, 0, 0}, {UOP_FMAX, UOP_F32, UOP_RN, UOP_NAN, 0}, 2, 0},
    {"signs in a maximum", {UOP_FMAX, UOP_F32, UOP_RN, 0, 0}, {UOP_FMAX, UOP_F32, UOP_RN, UOP_XORSIGN, 0}, 2, 0},
    {"cut or rounded",
     {UOP_F2I, UOP_B32, UOP_RZ, UOP_SIGNED, UOP_F32},
     {UOP_F2I, UOP_B32, UOP_RN, UOP_SIGNED, UOP_F32},
     1,
     0},
    {"a natural number", {UOP_F2I, UOP_B32, UOP_RZ, UOP_SIGNED, UOP_F32}, {UOP_F2I, UOP_B32, UOP_RZ, 0, UOP_F32}, 1, 0},
    {"a flushed conversion",
     {UOP_F2I, UOP_B32, UOP_RP, UOP_SIGNED, UOP_F32},
     {UOP_F2I, UOP_B32, UOP_RP, UOP_SIGNED | UOP_FTZ, UOP_F32},
     1,
     0},
    {"of a natural number", {UOP_I2F, UOP_F32, UOP_RN, UOP_SIGNED, 32}, {UOP_I2F, UOP_F32, UOP_RN, 0, 32}, 1, 0},
    {"of a number, cut", {UOP_I2F, UOP_F32, UOP_RN, UOP_SIGNED, 32}, {UOP_I2F, UOP_F32, UOP_RZ, UOP_SIGNED, 32}, 1, 0},
    {"of a byte", {UOP_I2F, UOP_F32, UOP_RN, UOP_SIGNED, 32}, {UOP_I2F, UOP_F32, UOP_RN, UOP_SIGNED, 8}, 1, 0},
    {"a minimum's sign", {UOP_MIN_S, UOP_B32, 0, 0, 0}, {UOP_MIN_U, UOP_B32, 0, 0, 0}, 2, 0},
    {"a maximum's sign", {UOP_MAX_S, UOP_B32, 0, 0, 0}, {UOP_MAX_U, UOP_B32, 0, 0, 0}, 2, 0},
    {"a shift's sign", {UOP_SAR, UOP_B32, 0, 0, 0}, {UOP_SHR, UOP_B32, 0, 0, 0}, 2, 0},
    {"a high half's sign", {UOP_MULHI_S, UOP_B32, 0, 0, 0}, {UOP_MULHI_U, UOP_B32, 0, 0, 0}, 2, 0},
    {"a field's sign", {UOP_BFE, UOP_B32, 0, 0, 0}, {UOP_BFE, UOP_B32, 0, UOP_SIGNED, 0}, 3, 0},
    {"a distance's sign", {UOP_SAD, UOP_B32, 0, 0, 0}, {UOP_SAD, UOP_B32, 0, UOP_SIGNED, 0}, 3, 0},
    {"bytes of a dot product", {UOP_DP4A, UOP_B32, 0, 0, 0}, {UOP_DP4A, UOP_B32, 0, 0, 3}, 3, 0},
    {"one side of a dot product", {UOP_DP4A, UOP_B32, 0, 0, 1}, {UOP_DP4A, UOP_B32, 0, 0, 2}, 3, 0},
    {"halves of a dot product", {UOP_DP4A, UOP_B32, 0, 0, 4}, {UOP_DP4A, UOP_B32, 0, 0, 8}, 3, 0},
    {"how bytes are chosen", {UOP_PRMT, UOP_B32, 0, 0, 1}, {UOP_PRMT, UOP_B32, 0, 0, 2}, 3, 0},
    {"a mask that goes round", {UOP_BMSK, UOP_B32, 0, 0, 0}, {UOP_BMSK, UOP_B32, 0, 0, 1}, 2, 0},
    {"the highest bit of a number", {UOP_FLO, UOP_B32, 0, 0, 0}, {UOP_FLO, UOP_B32, 0, UOP_SIGNED, 0}, 1, 0},
    {"a place or a distance", {UOP_FLO, UOP_B32, 0, 0, 0}, {UOP_FLO, UOP_B32, 0, 0, 1}, 1, 0},
    {"a byte's sign", {UOP_ADD, UOP_B32, 0, 0, 0}, {UOP_ADD, UOP_B32, 0, 0, 0}, 2, 1},
    {"a half word's sign", {UOP_ADD, UOP_B32, 0, 0, 0}, {UOP_ADD, UOP_B32, 0, 0, 0}, 2, 2},
    {"a widened byte", {UOP_SEXT, UOP_B32, 0, 0, 8}, {UOP_ZEXT, UOP_B32, 0, 0, 8}, 1, 0},
    {"how wide", {UOP_SEXT, UOP_B32, 0, 0, 8}, {UOP_SEXT, UOP_B32, 0, 0, 16}, 1, 0},
};

/* Everything a reader is told: exact text, then the differences. */
static const char *told(struct kernel *k, const struct form *f, unsigned args, unsigned width, bool is_signed)
{
    struct strbuf b;
    struct pat_differences d = {0};
    graph_id value = GRAPH_NIL;
    kernel_begin(k);
    skeleton_load(k);
    if (width) {
        struct uop *l = &k->insns.p[k->insns.n - 2].uops->ops.p[0]; /* 0x90 */
        for (size_t i = 0; i < k->insns.p[k->insns.n - 2].uops->ops.n; i++)
            if (l[i].kind == UOP_LOAD) {
                l[i].width = (uint8_t)width;
                l[i].flags = is_signed ? UOP_SIGNED : 0;
            }
    }
    insn(k);
    struct uop u = {
        .kind = f->kind, .type = f->type, .round = f->round, .flags = f->flags, .imm = f->imm, .arg = NO_ARGS};
    u.arg[0] = R(k, 2);
    if (args > 1)
        u.arg[1] = bank(k, UOP_B32, LO_AT);
    if (args > 2)
        u.arg[2] = bank(k, UOP_B32, HI_AT);
    set(k, 7, put(k, u));
    store(k, 4, 7);
    leave(k);
    add_all_pages(k);
    struct graph_input input = {k->insns.p, (uint32_t)k->insns.n, &k->env};
    assert_int_equal(graph_build(&k->a, &input, &k->diags, &k->g), SP_OK);
    assert_int_equal(mean_init(&k->m, &k->a, &k->g, untyped_params, 5), SP_OK);
    assert_int_equal(pat_run(k->lib, &k->m, &k->a, &k->result), SP_OK);
    for (size_t i = 0; i < k->g.accesses.n; i++)
        if (k->g.accesses.p[i].kind == GRAPH_STORE)
            value = k->g.accesses.p[i].value[0];
    assert_int_equal(pat_differences(&k->m, &k->result, value, &k->a, &d), SP_OK);
    assert_int_equal(pat_flushed(&k->m, &k->result, value, GRAPH_NIL, &k->a, &d), SP_OK);
    str_init(&b, &k->a);
    str_add(&b, mean_definition(&k->m, value, UOP_VOID, MEAN_INNER));
    for (size_t i = 0; i < d.list.n; i++)
        str_addf(&b, " | %s: %s", d.list.p[i].when, d.list.p[i].exact);
    return b.p;
}

static void one_flag_shows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct kernel a, b;
        const char *x = told(&a, &pairs[i].a, pairs[i].args, pairs[i].width, false);
        const char *y = told(&b, &pairs[i].b, pairs[i].args, pairs[i].width, true);
        if (strcmp(x, y) == 0)
            fail_msg("%s: both are \"%s\"", pairs[i].what, x);
        kernel_end(&a);
        kernel_end(&b);
    }
}

/* Flushing is told for what it shows in, and only there. */
static void flushing_is_told_with_its_inputs(void **state)
{
    (void)state;
    struct kernel k;
    struct form f = {UOP_FADD, UOP_F32, UOP_RN, UOP_FTZ, 0};
    assert_string_equal(told(&k, &f, 2, 0, false), "p0[i] + p2 | subnormal(p0[i]) || subnormal(p2) || "
                                                   "subnormal(p0[i] + p2): subnormal numbers count as zero");
    kernel_end(&k);
    f.flags = 0;
    assert_string_equal(told(&k, &f, 2, 0, false), "p0[i] + p2");
    kernel_end(&k);
    f = (struct form){UOP_FMAX, UOP_F32, UOP_RN, UOP_FTZ, 0};
    assert_string_equal(told(&k, &f, 2, 0, false),
                        "max(p0[i], p2) | subnormal(p0[i]) || subnormal(p2): subnormal numbers count as zero");
    kernel_end(&k);
    f = (struct form){UOP_I2F, UOP_F32, UOP_RN, UOP_SIGNED, 32};
    assert_string_equal(told(&k, &f, 1, 0, false), "(float)p0[i]");
    kernel_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flag_shows),
        cmocka_unit_test(flushing_is_told_with_its_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
