/* Readings and expansions: what a page `reads` or `expands`, what it owns, and what must not be taken for it. Values
 * are x[i] in R2, the parameter lo as the second operand; the pages are those of the tree. */
#include "pat_fixture.h"

static uint16_t fma3(struct kernel *k, unsigned flags, unsigned round, uint16_t a, uint16_t b, uint16_t c)
{
    struct uop u = {.kind = UOP_FFMA,
                    .type = UOP_F32,
                    .flags = (uint8_t)flags,
                    .round = (uint8_t)round,
                    .arg = {a, b, c, UOP_NONE, UOP_NONE}};
    return put(k, u);
}

static uint16_t f1(struct kernel *k, enum uop_kind kind, uint16_t a)
{
    return op(k, kind, UOP_F32, 0, a, UOP_NONE, UOP_NONE);
}

static uint16_t f2(struct kernel *k, enum uop_kind kind, uint16_t a, uint16_t b)
{
    return op(k, kind, UOP_F32, 0, a, b, UOP_NONE);
}

static uint16_t param(struct kernel *k)
{
    return bank(k, UOP_F32, LO_AT);
}

static unsigned count_of(struct kernel *k, const char *id)
{
    unsigned n = 0;
    for (size_t i = 0; i < k->result.matches.n; i++)
        n += strcmp(k->result.matches.p[i].id, id) == 0;
    return n;
}

static const char *stored_as_real(struct kernel *k)
{
    for (size_t i = 0; i < k->g.accesses.n; i++)
        if (k->g.accesses.p[i].kind == GRAPH_STORE)
            return pat_real_expr(&k->m, &k->result, k->g.accesses.p[i].value[0], UOP_F32, MEAN_EXPANDED);
    return "nothing";
}

static void finish_store(struct kernel *k, unsigned value)
{
    store(k, 4, value);
    leave(k);
}

static void add_made(struct kernel *k, const char *text)
{
    assert_int_equal(pat_library_add(k->lib, "made.md", text, strlen(text), &k->diags), SP_OK);
}

/* ---- exponentials ---------------------------------------------------------------------------- */

static void exp2_of_a_product_with_log2e_is_exp(void **state)
{
    (void)state;
    static const struct {
        uint32_t factor;
        const char *exp, *real;
    } cases[] = {
        {0x3fb8aa3b, "exp-base2 [b0 c0] ^1 a=x[i] variant= (exp2(a*log2e) = exp(a))", "exp(x[i])"},
        {0xbfb8aa3b, "exp-base2/negated [b0 c0] ^1 a=x[i] variant=negated (exp2(a*log2e) = exp(a))", "exp(-x[i])"},
        {0x40549a78, "exp-base2/base-10 [b0 c0] ^1 a=x[i] variant=base-10 (exp2(a*log2e) = exp(a))", "exp10(x[i])"},
        {0x3fc00000, "none", "exp2(x[i] * 1.5f)"},
        {0x3fb8aa3c, "none", "exp2(x[i] * 1.4426951f)"},
        {0x3f800000, "none", "exp2(x[i])"}, /* a product with one is the number */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "exp-base2.md");
        add_page(&k, "elementwise.md");
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        set(&k, 6, f2(&k, UOP_FMUL, R(&k, 2), C(&k, cases[i].factor)));
        insn(&k); /* 0xc0 */
        set(&k, 7, f1(&k, UOP_EX2, R(&k, 6)));
        finish_store(&k, 7);
        run(&k);
        assert_string_equal(shown(&k, "exp-base2"), cases[i].exp);
        assert_string_equal(stored_as_real(&k), cases[i].real);
        kernel_end(&k);
    }
}

static void an_exp2_kept_away_from_subnormals_is_one_exp2(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        set(&k, 6, f2(&k, UOP_FMUL, R(&k, 2), C(&k, 0x3fb8aa3b)));
        insn(&k); /* 0xc0 */
        float_less(&k, 0, 0, R(&k, 6), F(&k, -126.0f), false);
        insn(&k); /* 0xd0 */
        k.now->guard = P(&k, 0);
        set(&k, 6, f2(&k, UOP_FMUL, R(&k, 6), F(&k, wrong ? 0.25f : 0.5f)));
        insn(&k); /* 0xe0 */
        set(&k, 7, f1(&k, UOP_EX2, R(&k, 6)));
        insn(&k); /* 0xf0 */
        k.now->guard = P(&k, 0);
        set(&k, 7, f2(&k, UOP_FMUL, R(&k, 7), R(&k, 7)));
        finish_store(&k, 7);
        run(&k);
        if (wrong) {
            assert_null(find(&k, "exp-base2"));
        } else {
            assert_string_equal(stored_as_real(&k), "exp(x[i])");
            assert_int_equal(find(&k, "exp-base2")->insns.n, 5);
            assert_int_equal(count_of(&k, "branchless-select"), 0);
        }
        kernel_end(&k);
    }
}

/* expf as libraries write it; `wrong`: which constant is another one. */
static void write_full_exp(struct kernel *k, int wrong, bool separate, bool added)
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    if (separate) {
        set(k, 6, fma3(k, 0, UOP_RN, R(k, 2), C(k, 0x3bbb989d), F(k, 0.5f)));
        insn(k);
        set(k, 6, op(k, UOP_FADD, UOP_F32, UOP_SAT, R(k, 6), F(k, 0.0f), UOP_NONE));
    } else {
        set(k, 6, fma3(k, UOP_SAT, UOP_RN, R(k, 2), C(k, wrong == 1 ? 0x3bbb989e : 0x3bbb989d), F(k, 0.5f)));
    }
    insn(k);
    set(k, 6, fma3(k, 0, wrong == 2 ? UOP_RN : UOP_RM, R(k, 6), F(k, 252.0f), F(k, 12582913.0f)));
    insn(k);
    set(k, 7, f2(k, UOP_FADD, R(k, 6), F(k, wrong == 3 ? -12583038.0f : -12583039.0f)));
    insn(k);
    set(k, 8, fma3(k, 0, UOP_RN, R(k, 2), C(k, 0x3fb8aa3b), f1(k, UOP_FNEG, R(k, 7))));
    insn(k);
    set(k, 8, fma3(k, 0, UOP_RN, R(k, 2), C(k, wrong == 4 ? 0x32a57061 : 0x32a57060), R(k, 8)));
    insn(k);
    set(k, 6, op(k, UOP_SHL, UOP_B32, 0, R(k, 6), C(k, wrong == 5 ? 22 : 23), UOP_NONE));
    insn(k);
    set(k, 8, f1(k, UOP_EX2, R(k, 8)));
    insn(k);
    if (added)
        set(k, 9, fma3(k, 0, UOP_RN, R(k, 6), R(k, 8), param(k)));
    else
        set(k, 9, f2(k, UOP_FMUL, R(k, 6), R(k, 8)));
    finish_store(k, 9);
}

static void the_full_exponential_owns_its_instructions(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        write_full_exp(&k, 0, form == 1, form == 2);
        run(&k);
        assert_non_null(find(&k, "exp-full"));
        assert_int_equal(find(&k, "exp-full")->confidence, PAT_MATCHED);
        assert_int_equal(count_of(&k, "fused-multiply-add"), 0);
        assert_string_equal(stored_as_real(&k), form == 2 ? "exp(x[i]) + lo" : "exp(x[i])");
        kernel_end(&k);
    }
    for (int wrong = 1; wrong <= 5; wrong++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        write_full_exp(&k, wrong, false, false);
        run(&k);
        if (find(&k, "exp-full"))
            fail_msg("form %d: %s", wrong, shown(&k, "exp-full"));
        /* A constant off by its last bit, or another rounding of the exponent, is the function all the same, to what
         * libraries promise: no form that a page knows, and found by what it computes. */
        bool same = wrong == 1 || wrong == 2 || wrong == 4;
        assert_int_equal(count_of(&k, "library-function"), same);
        assert_int_equal(count_of(&k, "fused-multiply-add"), same ? 0 : 3); /* and a saturated one */
        if (same)
            assert_string_equal(stored_as_real(&k), "exp(x[i])");
        kernel_end(&k);
    }
}

/* A product added to the exponential: whichever of the two was contracted, the sum of products is the kernel's. */
static void a_multiply_add_with_an_exponential_is_the_kernels_too(void **state)
{
    (void)state;
    struct kernel k;
    kernel_begin(&k);
    add_all_pages(&k);
    write_full_exp(&k, 0, false, true);
    struct uop_list *sum = (struct uop_list *)k.insns.p[k.insns.n - 3].uops; /* the multiply-add */
    for (size_t i = 0; i < sum->ops.n; i++)
        if (sum->ops.p[i].kind == UOP_CBANK) /* lo * lo in its place */
            sum->ops.p[i] =
                (struct uop){.kind = UOP_READ, .type = UOP_B32, .file = UOP_FILE_R, .reg = 11, .arg = NO_ARGS};
    k.now = ARENA_NEW(&k.a, struct uop_list);
    k.now->guard = UOP_NONE;
    set(&k, 11, f2(&k, UOP_FMUL, param(&k), param(&k)));
    k.insns.p[7].uops = k.now; /* in the place of the descriptor's load, which nothing reads here */
    run(&k);
    assert_string_equal(stored_as_real(&k), "lo * lo + exp(x[i])");
    assert_int_equal(count_of(&k, "exp-full"), 1);
    assert_int_equal(count_of(&k, "fused-multiply-add"), 1);
    kernel_end(&k);
}

/* ---- division -------------------------------------------------------------------------------- */

static void a_product_with_a_reciprocal_is_a_division(void **state)
{
    (void)state;
    enum { PRODUCT, TURNED, FUSED, ALONE, FORMS };
    static const char *const reals[] = {"x[i] / lo", "x[i] / lo", "fma(rcp(lo), x[i], hi)", "rcp(x[i])"};
    for (int form = 0; form < FORMS; form++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        set(&k, 6, f1(&k, UOP_RCP, form == ALONE ? R(&k, 2) : param(&k)));
        insn(&k); /* 0xc0 */
        if (form == FUSED)
            set(&k, 7, fma3(&k, 0, UOP_RN, R(&k, 2), R(&k, 6), bank(&k, UOP_F32, HI_AT)));
        else if (form == ALONE)
            set(&k, 7, R(&k, 6));
        else
            set(&k, 7, f2(&k, UOP_FMUL, R(&k, form == TURNED ? 6 : 2), R(&k, form == TURNED ? 2 : 6)));
        finish_store(&k, 7);
        run(&k);
        assert_string_equal(stored_as_real(&k), reals[form]);
        assert_int_equal(count_of(&k, "reciprocal-division"), form < FUSED);
        assert_int_equal(count_of(&k, "fused-multiply-add"), form == FUSED);
        kernel_end(&k);
    }
}

enum { NO_CHECK = 1, NO_BRANCH = 2, STORES = 4, WITH_CALL = 8 };

/* x[i] / lo as compilers round it correctly; 0xb0 to the store. */
static uint32_t write_division(struct kernel *k, unsigned how)
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    set(k, 6, f1(k, UOP_RCP, param(k)));
    insn(k); /* 0xc0 */
    if (how & NO_CHECK)
        float_less(k, 0, 0, R(k, 2), F(k, 1e-30f), false);
    else
        set_P(k, 0, op(k, UOP_FCHK, UOP_F32, 0, R(k, 2), param(k), UOP_NONE));
    insn(k); /* 0xd0 */
    set(k, 7, fma3(k, 0, UOP_RN, R(k, 6), f1(k, UOP_FNEG, param(k)), F(k, 1.0f)));
    insn(k); /* 0xe0 */
    set(k, 7, fma3(k, 0, UOP_RN, R(k, 6), R(k, 7), R(k, 6)));
    insn(k); /* 0xf0 */
    set(k, 8, fma3(k, 0, UOP_RN, R(k, 2), R(k, 7), F(k, 0.0f)));
    insn(k); /* 0x100 */
    set(k, 9, fma3(k, 0, UOP_RN, R(k, 8), f1(k, UOP_FNEG, param(k)), R(k, 2)));
    insn(k); /* 0x110 */
    set(k, 9, fma3(k, 0, UOP_RN, R(k, 7), R(k, 9), R(k, 8)));
    uint32_t branch = insn(k); /* 0x120 */
    if (how & NO_BRANCH) {
        k->now->guard = P(k, 0);
        set(k, 9, f2(k, UOP_FADD, R(k, 2), param(k)));
    } else {
        k->now->guard = not_P(k, 0);
        put(k, (struct uop){.kind = UOP_BRANCH, .arg = NO_ARGS, .imm = branch + 0x50});
        insn(k); /* 0x130 */
        set(k, 9, fma3(k, 0, UOP_RN, R(k, 2), F(k, 64.0f), F(k, 0.0f)));
        if (how & STORES) {
            store(k, 4, 9);
        } else {
            insn(k);
            set(k, 10, F(k, 2.0f));
        }
        insn(k); /* 0x150 */
        set(k, 9, f2(k, UOP_FADD, R(k, 9), param(k)));
        insn(k); /* 0x160 */
        set(k, 9, f2(k, UOP_FMUL, R(k, 9), R(k, 9)));
    }
    finish_store(k, 9);
    return branch;
}

static void division_by_the_book_is_one_operation(void **state)
{
    (void)state;
    struct kernel k;
    kernel_begin(&k);
    add_all_pages(&k);
    write_division(&k, 0);
    run(&k);
    assert_string_equal(shown(&k, "ieee-division"), "ieee-division [b0 c0 d0 e0 f0 100 110 120 130 140 150 160] ^6 "
                                                    "type=f32 a=x[i] b=lo");
    assert_int_equal(find(&k, "ieee-division")->confidence, PAT_MATCHED);
    assert_string_equal(stored_as_real(&k), "x[i] / lo");
    assert_int_equal(count_of(&k, "fused-multiply-add"), 0);
    assert_int_equal(count_of(&k, "reciprocal-division"), 0);
    assert_int_equal(count_of(&k, "divergent-branch"), 0);
    assert_int_equal(count_of(&k, "branchless-select"), 0);
    unsigned slow = 0;
    for (uint32_t i = 0; i < k.g.insns.n; i++)
        slow += graph_is_slow(&k.g, i);
    assert_int_equal(slow, 4);
    struct pat_differences d; /* exactly that, for every input */
    for (size_t i = 0; i < k.g.accesses.n; i++)
        if (k.g.accesses.p[i].kind == GRAPH_STORE) {
            assert_int_equal(pat_differences(&k.m, &k.result, k.g.accesses.p[i].value[0], &k.a, &d), SP_OK);
            assert_int_equal(d.list.n, 0);
        }
    const enum mean_role *roles = mean_roles(&k.m);
    for (uint32_t i = 0; i < k.g.insns.n; i++)
        if (graph_is_slow(&k.g, i))
            assert_int_equal(roles[i], MEAN_ROLE_SLOW_PATH);
    kernel_end(&k);
}

static void a_newton_step_of_the_source_is_its_own(void **state)
{
    (void)state;
    static const unsigned forms[] = {NO_CHECK, NO_BRANCH, STORES};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        write_division(&k, forms[i]);
        run(&k);
        if (find(&k, "ieee-division"))
            fail_msg("form %u: %s", forms[i], shown(&k, "ieee-division"));
        assert_true(count_of(&k, "fused-multiply-add") >= 5);
        kernel_end(&k);
    }
}

/* A page writes a / b and exp(x) and need not know how they are computed. */
static void pages_speak_of_functions(void **state)
{
    (void)state;
    static const char page[] = "| id | weight |\n| family | operator |\n| bindings | a = a, b = b |\n\n"
                               "```cuda\nfloat a, b;\nexp(a) / b\n```\n";
    for (int full = 0; full < 2; full++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        add_made(&k, page);
        skeleton_load(&k);
        insn(&k);
        set(&k, 6, f2(&k, UOP_FMUL, R(&k, 2), C(&k, full ? 0x3fb8aa3c : 0x3fb8aa3b)));
        insn(&k);
        set(&k, 7, f1(&k, UOP_EX2, R(&k, 6)));
        insn(&k);
        set(&k, 8, f1(&k, UOP_RCP, param(&k)));
        insn(&k);
        set(&k, 9, f2(&k, UOP_FMUL, R(&k, 7), R(&k, 8)));
        finish_store(&k, 9);
        run(&k);
        if (full) { /* another base: no exponential of e */
            assert_null(find(&k, "weight"));
        } else {
            assert_non_null(find(&k, "weight"));
            assert_non_null(strstr(shown(&k, "weight"), "a=x[i] b=lo (exp2(a*log2e) = exp(a)) (a*rcp(b) = a/b)"));
        }
        kernel_end(&k);
    }
}

/* ---- integers -------------------------------------------------------------------------------- */

static void products_that_divide_are_found_by_what_they_compute(void **state)
{
    (void)state;
    static const struct {
        uint32_t factor;
        unsigned shift;
        const char *shown;
    } cases[] = {
        {0xcccccccd, 3, "int-division-by-constant/unsigned [b0 c0] ^6 divisor=10 a=bits(x[i])"},
        {0xaaaaaaab, 1, "int-division-by-constant/unsigned [b0 c0] ^6 divisor=3 a=bits(x[i])"},
        {0xcccccccc, 3, "none"}, /* rounds down: wrong at multiples of ten */
        {0xaaaaaaac, 1, "none"}, /* wrong for large numbers only */
        {0x80000000, 3, "none"}, /* a shift */
        {0x12345677, 5, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        set(&k, 6, op(&k, UOP_MULHI_U, UOP_B32, 0, R(&k, 2), C(&k, cases[i].factor), UOP_NONE));
        insn(&k); /* 0xc0 */
        set(&k, 7, op(&k, UOP_SHR, UOP_B32, 0, R(&k, 6), C(&k, cases[i].shift), UOP_NONE));
        finish_store(&k, 7);
        run(&k);
        assert_string_equal(shown(&k, "int-division-by-constant"), cases[i].shown);
        kernel_end(&k);
    }
}

/* a / b of unsigned integers by a reciprocal; wrong 1: nothing corrects it, 2: the reciprocal is not made smaller */
static void write_integer_division(struct kernel *k, int wrong)
{
    skeleton_load(k);
    insn(k);
    set(k, 3, bank(k, UOP_B32, N_AT));
    insn(k);
    struct uop convert = {.kind = UOP_I2F, .type = UOP_F32, .round = UOP_RP, .imm = 32, .arg = NO_ARGS};
    convert.arg[0] = R(k, 3);
    set(k, 6, put(k, convert));
    insn(k);
    set(k, 6, f1(k, UOP_RCP, R(k, 6)));
    insn(k);
    set(k, 6, op(k, UOP_ADD, UOP_B32, 0, R(k, 6), C(k, wrong == 2 ? 0x1ffffffe : 0x0ffffffe), UOP_NONE));
    insn(k);
    struct uop back = {
        .kind = UOP_F2I, .type = UOP_B32, .round = UOP_RZ, .flags = UOP_FTZ, .imm = UOP_F32, .arg = NO_ARGS};
    back.arg[0] = R(k, 6);
    set(k, 6, put(k, back)); /* r */
    insn(k);
    uint16_t minus = op(k, UOP_NEG, UOP_B32, 0, R(k, 3), UOP_NONE, UOP_NONE);
    set(k, 7, op(k, UOP_MUL, UOP_B32, 0, minus, R(k, 6), UOP_NONE));
    insn(k);
    uint16_t more = op(k, UOP_MULHI_U, UOP_B32, 0, R(k, 6), R(k, 7), UOP_NONE);
    set(k, 6, op(k, UOP_ADD, UOP_B32, 0, R(k, 6), more, UOP_NONE));
    insn(k);
    set(k, 7, op(k, UOP_MULHI_U, UOP_B32, 0, R(k, 6), R(k, 2), UOP_NONE)); /* q */
    insn(k);
    minus = op(k, UOP_NEG, UOP_B32, 0, op(k, UOP_MUL, UOP_B32, 0, R(k, 7), R(k, 3), UOP_NONE), UOP_NONE, UOP_NONE);
    set(k, 8, op(k, UOP_ADD, UOP_B32, 0, R(k, 2), minus, UOP_NONE)); /* m */
    for (int turn = wrong == 1 ? 2 : 0; turn < 2; turn++) {
        insn(k);
        uint16_t less = op(k, UOP_ILT_U, UOP_B1, 0, R(k, 8), R(k, 3), UOP_NONE);
        set_P(k, 1, op(k, UOP_NOT, UOP_B1, 0, less, UOP_NONE, UOP_NONE));
        insn(k);
        k->now->guard = P(k, 1);
        minus = op(k, UOP_NEG, UOP_B32, 0, R(k, 3), UOP_NONE, UOP_NONE);
        set(k, 8, op(k, UOP_ADD, UOP_B32, 0, R(k, 8), minus, UOP_NONE));
        insn(k);
        k->now->guard = P(k, 1);
        set(k, 7, op(k, UOP_ADD, UOP_B32, 0, R(k, 7), C(k, 1), UOP_NONE));
    }
    insn(k);
    set_P(k, 1, op(k, UOP_IEQ, UOP_B1, 0, R(k, 3), C(k, 0), UOP_NONE));
    insn(k);
    k->now->guard = P(k, 1);
    set(k, 7, C(k, 0xffffffff));
    finish_store(k, 7);
}

static void a_quotient_of_two_numbers_is_found_by_what_it_computes(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 3; wrong++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        write_integer_division(&k, wrong);
        run(&k);
        if (count_of(&k, "int-division-runtime") != (wrong == 0))
            fail_msg("form %d: %s", wrong, shown(&k, "int-division-runtime"));
        assert_int_equal(count_of(&k, "reciprocal-division"), 0);
        if (!wrong) {
            assert_string_equal(find(&k, "int-division-runtime")->rule, "int-division-runtime/unsigned");
            if (count_of(&k, "branchless-select"))
                fail_msg("%s beside %s", shown(&k, "branchless-select"), shown(&k, "int-division-runtime"));
        }
        kernel_end(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp2_of_a_product_with_log2e_is_exp),
        cmocka_unit_test(an_exp2_kept_away_from_subnormals_is_one_exp2),
        cmocka_unit_test(the_full_exponential_owns_its_instructions),
        cmocka_unit_test(a_multiply_add_with_an_exponential_is_the_kernels_too),
        cmocka_unit_test(a_product_with_a_reciprocal_is_a_division),
        cmocka_unit_test(division_by_the_book_is_one_operation),
        cmocka_unit_test(a_newton_step_of_the_source_is_its_own),
        cmocka_unit_test(pages_speak_of_functions),
        cmocka_unit_test(products_that_divide_are_found_by_what_they_compute),
        cmocka_unit_test(a_quotient_of_two_numbers_is_found_by_what_it_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
