/* What each page matches, in every spelling the machine code has for it, and what it must not match. */
#include "pat_fixture.h"

/* ---- two operands compared and selected ------------------------------------------------------ */

enum arm { V, B, OTHER }; /* the value, the bound compared with, something else */

struct select {
    enum uop_kind kind; /* UOP_FLT, UOP_FLE */
    bool turned;        /* bound OP value */
    bool negated;
    enum arm yes, no;
    float bound;
    bool param; /* the bound is lo */
};

static uint16_t arm_of(struct kernel *k, const struct select *s, enum arm a)
{
    if (a == V)
        return R(k, 2);
    if (a == OTHER)
        return F(k, 7.0f);
    return s->param ? bank(k, UOP_B32, LO_AT) : F(k, s->bound);
}

static void write_select(struct kernel *k, const struct select *s, unsigned flags)
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    uint16_t v = R(k, 2), b = arm_of(k, s, B);
    uint16_t c = op(k, s->kind, UOP_F32, flags, s->turned ? b : v, s->turned ? v : b, UOP_NONE);
    set_P(k, 0, s->negated ? op(k, UOP_NOT, UOP_B1, 0, c, UOP_NONE, UOP_NONE) : c);
    insn(k); /* 0xc0 */
    set(k, 7, op(k, UOP_SELECT, UOP_B32, 0, P(k, 0), arm_of(k, s, s->yes), arm_of(k, s, s->no)));
    store(k, 4, 7); /* 0xd0 */
    leave(k);
}

static void compare_and_select_is_a_relu_only_when_it_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct select s;
        const char *relu, *reason; /* NULL reason: it could have been one min/max */
    } cases[] = {
        {"v > 0 ? v : 0", {UOP_FLT, true, false, V, B, 0, false}, "relu [b0 c0] ^2 x=x[i]", NULL},
        {"!(v > 0) ? 0 : v", {UOP_FLT, true, true, B, V, 0, false}, "relu [b0 c0] ^2 x=x[i]", NULL},
        {"v <= 0 ? 0 : v (NaN kept)", {UOP_FLE, false, false, B, V, 0, false}, "relu [b0 c0] ^2 x=x[i]", NULL},
        {"v >= 0 ? v : 0", {UOP_FLE, true, false, V, B, 0, false}, "none", "signed-zero"},
        {"v < 0 ? 0 : v", {UOP_FLT, false, false, B, V, 0, false}, "none", "signed-zero"},
        {"!(v < 0) ? v : 0", {UOP_FLT, false, true, V, B, 0, false}, "none", "signed-zero"},
        {"v < 0 ? v : 0", {UOP_FLT, false, false, V, B, 0, false}, "none", "signed-zero"},
        {"v <= 0 ? v : 0 is a minimum", {UOP_FLE, false, false, V, B, 0, false}, "none", NULL},
        {"v > 0 ? v : 7", {UOP_FLT, true, false, V, OTHER, 0, false}, "none", ""},
        {"v > 1 ? v : 1", {UOP_FLT, true, false, V, B, 1, false}, "none", NULL},
        {"v > lo ? v : lo", {UOP_FLT, true, false, V, B, 0, true}, "none", "nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        struct pat_refusals r;
        kernel_begin(&k);
        add_page(&k, "relu.md");
        add_page(&k, "branchless-select.md");
        add_page(&k, "elementwise.md");
        write_select(&k, &cases[i].s, 0);
        run(&k);
        if (strcmp(shown(&k, "relu"), cases[i].relu) != 0)
            fail_msg("%s: %s", cases[i].what, shown(&k, "relu"));
        assert_non_null(find(&k, "branchless-select"));
        assert_int_equal(pat_refusals(&k.m, &k.result, &k.a, &r), SP_OK);
        if (cases[i].reason && !*cases[i].reason) {
            assert_int_equal(r.list.n, 0);
        } else {
            assert_int_equal(r.list.n, 1);
            if (!str_equal(r.list.p[0].reason, cases[i].reason))
                fail_msg("%s: reason %s", cases[i].what, r.list.p[0].reason ? r.list.p[0].reason : "none");
        }
        kernel_end(&k);
    }
}

static void no_maximum_with_zero_is_read_where_there_is_none(void **state)
{
    (void)state;
    static const struct {
        struct select s;
        const char *real;
    } cases[] = {
        {{UOP_FLE, true, false, V, B, 0, false}, "x[i] >= 0.0f ? x[i] : 0.0f"},
        {{UOP_FLT, false, false, V, B, 0, false}, "x[i] < 0.0f ? x[i] : 0.0f"},
        {{UOP_FLT, true, false, V, B, 0, false}, "max(x[i], 0.0f)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        struct pat_differences d;
        kernel_begin(&k);
        add_all_pages(&k);
        write_select(&k, &cases[i].s, 0);
        run(&k);
        const struct pat_match *whole = find(&k, "elementwise");
        assert_non_null(whole);
        assert_string_equal(whole->bindings.p[0].text, cases[i].real);
        assert_int_equal(whole->via.n, 0);
        assert_int_equal(find(&k, "min-max") != NULL, i == 2);
        /* Nothing differs: no rule was used that holds for real numbers only. */
        const struct graph_access *last = &k.g.accesses.p[k.g.accesses.n - 1];
        assert_int_equal(pat_differences(&k.m, &k.result, last->value[0], &k.a, &d), SP_OK);
        assert_int_equal(d.list.n, 0);
        kernel_end(&k);
    }
}

/* No operation makes a maximum of doubles: compilers write x < 0 || x == 0 && x has a sign || x is NaN ? 0
 * : x. Leaving out any part makes it something else. */
static void a_maximum_of_doubles_is_spelled_out(void **state)
{
    (void)state;
    for (int left_out = 0; left_out < 3; left_out++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "relu.md");
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        uint16_t wide = R64(&k, 4);
        uint16_t x = put(&k, (struct uop){.kind = UOP_LOAD,
                                          .type = UOP_B64,
                                          .space = UOP_GLOBAL,
                                          .width = 8,
                                          .arg = {wide, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}});
        set64(&k, 10, x);
        insn(&k); /* 0xc0 */
        x = R64(&k, 10);
        uint16_t zero = op(&k, UOP_PAIR, UOP_B64, 0, C(&k, 0), C(&k, 0), UOP_NONE);
        uint16_t below = op(&k, UOP_FLT, UOP_F64, 0, x, zero, UOP_NONE);
        uint16_t equal = op(&k, UOP_FEQ, UOP_F64, 0, x, zero, UOP_NONE);
        uint16_t sign = op(&k, UOP_ILT_S, UOP_B1, 0, R(&k, 11), C(&k, 0), UOP_NONE);
        uint16_t nan = op(&k, UOP_NOT, UOP_B1, 0, op(&k, UOP_FNUM, UOP_F64, 0, x, x, UOP_NONE), UOP_NONE, UOP_NONE);
        uint16_t minus_zero = op(&k, UOP_AND, UOP_B1, 0, equal, sign, UOP_NONE);
        uint16_t c = left_out == 1 ? below : op(&k, UOP_OR, UOP_B1, 0, below, minus_zero, UOP_NONE);
        set_P(&k, 0, op(&k, UOP_OR, UOP_B1, 0, c, left_out == 2 ? minus_zero : nan, UOP_NONE));
        insn(&k); /* 0xd0 */
        set64(&k, 12,
              op(&k, UOP_SELECT, UOP_B64, 0, P(&k, 0), op(&k, UOP_PAIR, UOP_B64, 0, C(&k, 0), C(&k, 0), UOP_NONE),
                 R64(&k, 10)));
        insn(&k); /* 0xe0 */
        uint16_t to = R64(&k, 2), lo = R(&k, 12), hi = R(&k, 13);
        put(&k, (struct uop){.kind = UOP_STORE,
                             .type = UOP_VOID,
                             .space = UOP_GLOBAL,
                             .width = 8,
                             .arg = {to, lo, hi, UOP_NONE, UOP_NONE}});
        leave(&k);
        run(&k);
        /* Without the NaN it is the maximum that keeps one; without the sign it is none. */
        assert_int_equal(find(&k, "relu") != NULL, left_out != 1);
        if (left_out != 1)
            assert_string_equal(find(&k, "relu")->rule, "relu/double");
        kernel_end(&k);
    }
}

/* ---- two bounds ------------------------------------------------------------------------------ */

/* One stage: R(to) = R(from) against a bound, by select or by one min/max. */
enum stage { LOWER_SELECT, UPPER_SELECT, LOWER, UPPER, LOWER_NAN, UPPER_NAN, LOWER_OTHER_ARM, LOWER_GREATER };

static uint16_t bound_of(struct kernel *k, bool lower, const float *constants)
{
    return constants ? F(k, constants[lower ? 0 : 1]) : bank(k, UOP_B32, lower ? LO_AT : HI_AT);
}

static void write_stage(struct kernel *k, enum stage s, unsigned from, unsigned to, const float *constants)
{
    bool lower = s != UPPER && s != UPPER_SELECT && s != UPPER_NAN;
    if (s == LOWER || s == UPPER || s == LOWER_NAN || s == UPPER_NAN) {
        insn(k);
        set(k, to,
            op(k, lower ? UOP_FMAX : UOP_FMIN, UOP_F32, s == LOWER_NAN || s == UPPER_NAN ? UOP_NAN : 0, R(k, from),
               bound_of(k, lower, constants), UOP_NONE));
        return;
    }
    insn(k);
    uint16_t v = R(k, from), b = bound_of(k, lower, constants);
    bool less = s == LOWER_SELECT || s == LOWER_OTHER_ARM;
    float_less(k, 0, 0, less ? v : b, less ? b : v, true);
    insn(k);
    set(k, to,
        op(k, UOP_SELECT, UOP_B32, 0, P(k, 0), R(k, from),
           s == LOWER_OTHER_ARM ? bound_of(k, false, constants) : bound_of(k, lower, constants)));
}

static void clamps(void **state)
{
    (void)state;
    static const float ordered[2] = {-1.5f, 2.5f}, zero_six[2] = {0, 6}, reversed[2] = {3, 1};
    static const struct {
        enum stage first, second;
        const float *constants;
        const char *clamp;
    } cases[] = {
        {LOWER_SELECT, UPPER_SELECT, NULL,
         "clamp [b0 c0 d0 e0] x=x[i] lo=lo hi=hi nan=kept (compare-and-select = min/max)"},
        {LOWER, UPPER, NULL, "clamp [b0 c0] x=x[i] lo=lo hi=hi nan=dropped"},
        {UPPER, LOWER, NULL, "clamp/upper-first [b0 c0] x=x[i] lo=lo hi=hi nan=dropped"},
        {LOWER_NAN, UPPER_NAN, ordered, "clamp [b0 c0] x=x[i] lo=-1.5f hi=2.5f nan=kept"},
        {LOWER_SELECT, UPPER_NAN, zero_six,
         "clamp [b0 c0 d0] x=x[i] lo=0.0f hi=6.0f nan=kept (compare-and-select = min/max)"},
        {LOWER_SELECT, UPPER, NULL, "clamp [b0 c0 d0] x=x[i] lo=lo hi=hi nan=dropped (compare-and-select = min/max)"},
        {LOWER, UPPER, reversed, "none"},
        {LOWER_SELECT, LOWER_SELECT, NULL, "none"},
        {UPPER, UPPER, NULL, "none"},
        {LOWER_OTHER_ARM, UPPER_SELECT, NULL, "none"},
        {LOWER_GREATER, UPPER_SELECT, NULL, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "clamp.md");
        skeleton_load(&k);
        write_stage(&k, cases[i].first, 2, 6, cases[i].constants);
        write_stage(&k, cases[i].second, 6, 7, cases[i].constants);
        store(&k, 4, 7);
        leave(&k);
        run(&k);
        if (strcmp(shown(&k, "clamp"), cases[i].clamp) != 0)
            fail_msg("case %zu: %s", i, shown(&k, "clamp"));
        kernel_end(&k);
    }
}

static void a_kept_nan_is_a_difference_from_real_numbers(void **state)
{
    (void)state;
    static const float ordered[2] = {-1.5f, 2.5f}, zero_six[2] = {0, 6};
    for (int zero = 0; zero < 2; zero++) {
        struct kernel k;
        struct pat_differences d;
        struct pat_refusals r;
        kernel_begin(&k);
        add_all_pages(&k);
        skeleton_load(&k);
        write_stage(&k, zero ? LOWER_SELECT : LOWER_NAN, 2, 6, zero ? zero_six : ordered);
        write_stage(&k, UPPER_NAN, 6, 7, zero ? zero_six : ordered);
        store(&k, 4, 7);
        leave(&k);
        run(&k);
        graph_id v = k.g.accesses.p[k.g.accesses.n - 1].value[0];
        assert_string_equal(pat_real_expr(&k.m, &k.result, v, UOP_F32, MEAN_EXPANDED),
                            zero ? "min(max(x[i], 0.0f), 6.0f)" : "min(max(x[i], -1.5f), 2.5f)");
        assert_int_equal(pat_differences(&k.m, &k.result, v, &k.a, &d), SP_OK);
        assert_int_equal(d.list.n, zero ? 2 : 1);
        assert_string_equal(d.list.p[0].when, "nan(x[i])");
        assert_string_equal(d.list.p[0].exact, "NaN");
        assert_string_equal(d.list.p[0].real, zero ? "0.0f" : "-1.5f");
        if (zero)
            assert_string_equal(d.list.p[1].when, "x[i] == 0");
        /* Why the lower bound of zero stayed compare and select: -0, for the form that keeps a NaN exists. */
        assert_int_equal(pat_refusals(&k.m, &k.result, &k.a, &r), SP_OK);
        assert_int_equal(r.list.n, zero);
        if (zero) {
            assert_string_equal(r.list.p[0].reason, "signed-zero");
            assert_string_equal(r.list.p[0].a, "NaN");
            assert_string_equal(r.list.p[0].nan_a, "-0");
        }
        kernel_end(&k);
    }
}

/* Two computed values compared and selected, and much computed from the result: what differs is said of the select. */
static void a_long_expression_is_tried_stage_by_stage(void **state)
{
    (void)state;
    static const int lengths[] = {1, 299, 2900};
    for (size_t c = 0; c < sizeof lengths / sizeof lengths[0]; c++) {
        int length = lengths[c];
        struct kernel k;
        struct pat_differences d;
        kernel_begin(&k);
        add_all_pages(&k);
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        set(&k, 6, op(&k, UOP_FADD, UOP_F32, 0, R(&k, 2), F(&k, 1.0f), UOP_NONE));
        insn(&k);
        float_less(&k, 0, 0, R(&k, 6), R(&k, 2), false);
        insn(&k); /* x + 1 < x ? x : x + 1 */
        set(&k, 7, op(&k, UOP_SELECT, UOP_B32, 0, P(&k, 0), R(&k, 2), R(&k, 6)));
        for (int i = 0; i < length; i++) {
            insn(&k);
            set(&k, 7, op(&k, UOP_FMUL, UOP_F32, 0, R(&k, 7), bank(&k, UOP_B32, i & 1 ? HI_AT : LO_AT), UOP_NONE));
        }
        store(&k, 4, 7);
        leave(&k);
        run(&k);
        assert_string_equal(shown(&k, "min-max"), "min-max/max [c0 d0] ^7 op=max (compare-and-select = min/max)");
        graph_id v = k.g.accesses.p[k.g.accesses.n - 1].value[0];
        assert_int_equal(pat_differences(&k.m, &k.result, v, &k.a, &d), SP_OK);
        assert_true(d.list.n >= 1);
        kernel_end(&k);
    }
}

static void a_nested_conditional_is_a_clamp(void **state)
{
    (void)state;
    struct kernel k;
    kernel_begin(&k);
    add_page(&k, "clamp.md");
    skeleton_load(&k);
    insn(&k); /* v > hi ? hi : v */
    float_less(&k, 1, 0, bank(&k, UOP_B32, HI_AT), R(&k, 2), false);
    insn(&k);
    set(&k, 6, op(&k, UOP_SELECT, UOP_B32, 0, P(&k, 1), bank(&k, UOP_B32, HI_AT), R(&k, 2)));
    insn(&k); /* !(v < lo) ? that : lo */
    float_less(&k, 0, 0, R(&k, 2), bank(&k, UOP_B32, LO_AT), true);
    insn(&k);
    set(&k, 7, op(&k, UOP_SELECT, UOP_B32, 0, P(&k, 0), R(&k, 6), bank(&k, UOP_B32, LO_AT)));
    store(&k, 4, 7);
    leave(&k);
    run(&k);
    assert_string_equal(shown(&k, "clamp"), "clamp/lower-decides [b0 c0 d0 e0] x=x[i] lo=lo hi=hi nan=kept "
                                            "(compare-and-select = min/max)");
    assert_int_equal(find(&k, "clamp")->confidence, PAT_ASSUMED); /* lo <= hi */
    kernel_end(&k);
}

/* ---- min, max, fma --------------------------------------------------------------------------- */

static void write_binary(struct kernel *k, uint16_t (*f)(struct kernel *))
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    set(k, 6, f(k));
    store(k, 4, 6);
    leave(k);
}
static uint16_t f_max(struct kernel *k)
{
    return op(k, UOP_FMAX, UOP_F32, 0, R(k, 2), bank(k, UOP_B32, LO_AT), UOP_NONE);
}
static uint16_t f_min(struct kernel *k)
{
    return op(k, UOP_FMIN, UOP_F32, UOP_NAN, R(k, 2), bank(k, UOP_B32, LO_AT), UOP_NONE);
}
static uint16_t i_max(struct kernel *k)
{
    return op(k, UOP_MAX_S, UOP_B32, 0, R(k, 2), C(k, 0), UOP_NONE);
}
static uint16_t u_min(struct kernel *k)
{
    return op(k, UOP_MIN_U, UOP_B32, 0, R(k, 2), bank(k, UOP_B32, N_AT), UOP_NONE);
}
static uint16_t xorsign(struct kernel *k)
{
    return op(k, UOP_FMAX, UOP_F32, UOP_XORSIGN, R(k, 2), bank(k, UOP_B32, LO_AT), UOP_NONE);
}
static uint16_t fused(struct kernel *k)
{
    return op(k, UOP_FFMA, UOP_F32, UOP_FTZ, R(k, 2), bank(k, UOP_B32, LO_AT), bank(k, UOP_B32, HI_AT));
}
static uint16_t apart(struct kernel *k)
{
    uint16_t product = op(k, UOP_FMUL, UOP_F32, 0, R(k, 2), bank(k, UOP_B32, LO_AT), UOP_NONE);
    return op(k, UOP_FADD, UOP_F32, 0, product, bank(k, UOP_B32, HI_AT), UOP_NONE);
}
static uint16_t whole(struct kernel *k)
{
    uint16_t product = op(k, UOP_MUL, UOP_B32, 0, R(k, 2), bank(k, UOP_B32, N_AT), UOP_NONE);
    return op(k, UOP_ADD, UOP_B32, 0, product, R(k, 4), UOP_NONE);
}
static uint16_t product_only(struct kernel *k)
{
    return op(k, UOP_FFMA, UOP_F32, 0, R(k, 2), bank(k, UOP_B32, LO_AT), C(k, 0x80000000));
}

static void one_operation(void **state)
{
    (void)state;
    static const struct {
        uint16_t (*f)(struct kernel *);
        const char *page, *id, *match;
    } cases[] = {
        {f_max, "min-max.md", "min-max", "min-max/max [b0] op=max"},
        {f_min, "min-max.md", "min-max", "min-max/min [b0] op=min"},
        {i_max, "min-max.md", "min-max", "min-max/max [b0] op=max"},
        {u_min, "min-max.md", "min-max", "min-max/min [b0] op=min"},
        {xorsign, "min-max.md", "min-max", "none"},
        {i_max, "relu.md", "relu", "none"},
        {f_max, "relu.md", "relu", "none"},
        {f_max, "clamp.md", "clamp", "none"},
        {fused, "fused-multiply-add.md", "fused-multiply-add", "fused-multiply-add [b0] a=x[i] b=lo c=hi"},
        {apart, "fused-multiply-add.md", "fused-multiply-add", "none"},
        {whole, "fused-multiply-add.md", "fused-multiply-add", "none"},
        {product_only, "fused-multiply-add.md", "fused-multiply-add", "none"},
        {fused, "branchless-select.md", "branchless-select", "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, cases[i].page);
        write_binary(&k, cases[i].f);
        run(&k);
        if (strcmp(shown(&k, cases[i].id), cases[i].match) != 0)
            fail_msg("case %zu: %s", i, shown(&k, cases[i].id));
        kernel_end(&k);
    }
}

/* Lanes and inner operations have no register of their own: the instruction that makes the whole is theirs. */
static void parts_of_one_instruction(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, packed ? "fused-multiply-add.md" : "min-max.md");
        skeleton_load(&k);
        insn(&k); /* 0xb0 */
        if (packed) {
            uint16_t x = R(&k, 2), lane[2];
            for (int i = 0; i < 2; i++) {
                uint16_t half = op(&k, i ? UOP_HI : UOP_LO, UOP_B16, 0, x, UOP_NONE, UOP_NONE);
                lane[i] = op(&k, UOP_FFMA, UOP_F16, 0, half, half, half);
            }
            set(&k, 6, op(&k, UOP_PAIR, UOP_B32, 0, lane[0], lane[1], UOP_NONE));
        } else { /* three operands */
            uint16_t inner = op(&k, UOP_FMAX, UOP_F32, 0, R(&k, 2), bank(&k, UOP_B32, LO_AT), UOP_NONE);
            set(&k, 6, op(&k, UOP_FMAX, UOP_F32, 0, inner, bank(&k, UOP_B32, HI_AT), UOP_NONE));
        }
        store(&k, 4, 6);
        leave(&k);
        run(&k);
        assert_int_equal(k.result.matches.n, packed ? 1 : 2);
        for (size_t i = 0; i < k.result.matches.n; i++) {
            assert_int_equal(k.result.matches.p[i].insns.n, 1);
            assert_int_equal(k.g.insns.p[k.result.matches.p[i].insns.p[0]].offset, 0xb0);
        }
        kernel_end(&k);
    }
}

/* A real rule works only where a page allows it, and is named. */
static void a_page_may_allow_that_fma_is_mul_and_add(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        struct kernel k;
        kernel_begin(&k);
        const char *text =
            arena_printf(&k.a, "| id | axpy |\n| family | x |\n%s\n```cuda\nfloat a, b, c;\na * b + c\n```\n",
                         allowed ? "| real rules | fma = mul + add |\n" : "");
        assert_int_equal(pat_library_add(k.lib, "axpy.md", text, strlen(text), &k.diags), SP_OK);
        write_binary(&k, fused);
        run(&k);
        assert_string_equal(shown(&k, "axpy"), allowed ? "axpy [b0] (fma = mul + add)" : "none");
        kernel_end(&k);
    }
}

/* ---- index and bounds ------------------------------------------------------------------------ */

static void indices(void **state)
{
    (void)state;
    static const struct {
        unsigned block, thread;
        bool turned;
        const char *match;
    } cases[] = {
        {UOP_SR_CTAID_X, UOP_SR_TID_X, false, "global-index [0 10 20] dims=1 index=i"},
        {UOP_SR_CTAID_X, UOP_SR_TID_X, true, "none"}, /* threadIdx.x * blockDim.x + blockIdx.x */
        {UOP_SR_CTAID_Y, UOP_SR_TID_X, false, "none"},
        {UOP_SR_CTAID_X, UOP_SR_TID_Y, false, "none"},
        {UOP_SR_CTAID_X, UOP_SR_LANEID, false, "none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "global-index.md");
        special(&k, 4, cases[i].block);
        special(&k, 3, cases[i].thread);
        insn(&k);
        uint16_t first = R(&k, cases[i].turned ? 3 : 4), second = R(&k, cases[i].turned ? 4 : 3);
        uint16_t product = op(&k, UOP_MUL, UOP_B32, 0, first, bank(&k, UOP_B32, NTID_AT), UOP_NONE);
        set(&k, 4, op(&k, UOP_ADD, UOP_B32, 0, product, second, UOP_NONE));
        insn(&k);
        set(&k, 5, C(&k, 4));
        element_address(&k, 6, 4, 5, Y_AT);
        store(&k, 6, 5);
        leave(&k);
        run(&k);
        assert_string_equal(shown(&k, "global-index"), cases[i].match);
        kernel_end(&k);
    }
}

enum exit_form { AT_LEAST, MORE_THAN, EQUAL, UNIFORM, BRANCH_AWAY, BRANCH_BACK, UNKNOWN_INDEX, GUARDED_STORE };

static void write_bounds(struct kernel *k, enum exit_form form)
{
    special(k, 4, UOP_SR_TID_X);                                                     /* 0x00 */
    insn(k);                                                                         /* 0x10 */
    uint16_t i = R(k, form == UNKNOWN_INDEX ? 9 : 4), n = bank(k, UOP_B32, N_AT), c; /* nothing sets R9 */
    if (form == EQUAL)
        c = op(k, UOP_IEQ, UOP_B1, 0, i, n, UOP_NONE);
    else if (form == MORE_THAN)
        c = op(k, UOP_ILT_S, UOP_B1, 0, n, i, UOP_NONE);
    else if (form == UNIFORM)
        c = op(k, UOP_ILT_S, UOP_B1, 0, n, C(k, 1), UOP_NONE);
    else
        c = op(k, UOP_NOT, UOP_B1, 0, op(k, UOP_ILT_S, UOP_B1, 0, i, n, UOP_NONE), UOP_NONE, UOP_NONE);
    if (form == BRANCH_BACK)
        c = op(k, UOP_NOT, UOP_B1, 0, c, UOP_NONE, UOP_NONE);
    set_P(k, 0, c);
    if (form == BRANCH_AWAY || form == BRANCH_BACK) {
        /* away: @P0 BRA end;  back: @P0 BRA work; BRA end */
        insn(k); /* 0x20 */
        put(k, (struct uop){.kind = UOP_BRANCH, .arg = NO_ARGS, .imm = form == BRANCH_AWAY ? 0x70 : 0x40});
        k->now->guard = P(k, 0);
        insn(k); /* 0x30 */
        if (form == BRANCH_BACK)
            put(k, (struct uop){.kind = UOP_BRANCH, .arg = NO_ARGS, .imm = 0x70});
    } else if (form != GUARDED_STORE) {
        leave(k); /* 0x20 */
        k->now->guard = P(k, 0);
        insn(k); /* 0x30 */
    } else {
        insn(k);
        insn(k);
    }
    insn(k); /* 0x40 */
    set(k, 5, C(k, 4));
    element_address(k, 6, 4, 5, Y_AT); /* 0x50 */
    store(k, 6, 5);                    /* 0x60 */
    if (form == GUARDED_STORE)
        k->now->guard = not_P(k, 0);
    leave(k); /* 0x70 */
}

static void bounds(void **state)
{
    (void)state;
    static const char *const expected[] = {
        [AT_LEAST] = "bounds-exit [10 20] index=threadIdx.x bound=n",
        [MORE_THAN] = "none",
        [EQUAL] = "none",
        [UNIFORM] = "none",
        [BRANCH_AWAY] = "bounds-exit [10 20] index=threadIdx.x bound=n",
        [BRANCH_BACK] = "bounds-exit [10 20] index=threadIdx.x bound=n",
        [UNKNOWN_INDEX] = "none",
        [GUARDED_STORE] = "none",
    };
    for (unsigned form = 0; form <= GUARDED_STORE; form++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "bounds-exit.md");
        write_bounds(&k, (enum exit_form)form);
        run(&k);
        if (strcmp(shown(&k, "bounds-exit"), expected[form]) != 0)
            fail_msg("form %u: %s", form, shown(&k, "bounds-exit"));
        kernel_end(&k);
    }
}

/* Two bounds in one exit: a match each, with its own compare and what joins them. */
static void a_plane_has_two_bounds(void **state)
{
    (void)state;
    struct kernel k;
    kernel_begin(&k);
    add_page(&k, "bounds-exit.md");
    special(&k, 4, UOP_SR_TID_X); /* 0x00 */
    special(&k, 3, UOP_SR_TID_Y); /* 0x10 */
    insn(&k);                     /* 0x20 */
    uint16_t inside = op(&k, UOP_ILT_S, UOP_B1, 0, R(&k, 4), bank(&k, UOP_B32, N_AT), UOP_NONE);
    set_P(&k, 0, op(&k, UOP_NOT, UOP_B1, 0, inside, UOP_NONE, UOP_NONE));
    insn(&k); /* 0x30 */
    inside = op(&k, UOP_ILT_S, UOP_B1, 0, R(&k, 3), bank(&k, UOP_B32, HI_AT), UOP_NONE);
    set_P(&k, 1, op(&k, UOP_OR, UOP_B1, 0, op(&k, UOP_NOT, UOP_B1, 0, inside, UOP_NONE, UOP_NONE), P(&k, 0), UOP_NONE));
    leave(&k); /* 0x40 */
    k.now->guard = P(&k, 1);
    insn(&k);
    set(&k, 5, C(&k, 4));
    element_address(&k, 6, 4, 5, Y_AT);
    store(&k, 6, 5);
    leave(&k);
    run(&k);
    assert_int_equal(k.result.matches.n, 2);
    assert_string_equal(show_match(&k, &k.result.matches.p[0]), "bounds-exit [30 40] index=threadIdx.y bound=bits(hi)");
    assert_string_equal(show_match(&k, &k.result.matches.p[1]), "bounds-exit [20 30 40] index=threadIdx.x bound=n");
    kernel_end(&k);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void loads(void **state)
{
    (void)state;
    static const struct {
        enum uop_order order;
        bool guarded;
        const char *readonly, *predicated;
    } cases[] = {
        {UOP_READONLY, false, "read-only-load [90] array=x", "none"},
        {UOP_WEAK, false, "none", "none"},
        {UOP_RELAXED_SYS, false, "none", "none"},
        {UOP_READONLY, true, "read-only-load [90] array=x", "predicated-load [40 90]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "read-only-load.md");
        add_page(&k, "predicated-load.md");
        add_page(&k, "branchless-select.md");
        skeleton(&k);
        if (cases[i].guarded)
            k.now->ops.p[0].kind = UOP_NOP; /* nobody leaves */
        if (cases[i].guarded)
            k.now->guard = UOP_NONE;
        insn(&k);
        set(&k, 5, C(&k, 4));
        element_address(&k, 2, 4, 5, X_AT); /* 0x70 */
        insn(&k);                           /* 0x80 */
        set(&k, 6, F(&k, 0.0f));
        load(&k, 6, 2, cases[i].order); /* 0x90 */
        if (cases[i].guarded)
            k.now->guard = not_P(&k, 0);
        element_address(&k, 4, 4, 5, Y_AT);
        store(&k, 4, 6);
        leave(&k);
        run(&k);
        assert_string_equal(shown(&k, "read-only-load"), cases[i].readonly);
        assert_string_equal(shown(&k, "predicated-load"), cases[i].predicated);
        assert_null(find(&k, "branchless-select"));
        kernel_end(&k);
    }
}

/* ---- whole kernels --------------------------------------------------------------------------- */

enum body { COPIES, NEGATES, SHIFTED_SUM, STORES_CONSTANT, COPIES_AND_MORE, COPIES_AND_COUNTS };

static void write_body(struct kernel *k, enum body b)
{
    skeleton_load(k);
    if (b == NEGATES) {
        insn(k);
        set(k, 6, op(k, UOP_FNEG, UOP_F32, 0, R(k, 2), UOP_NONE, UOP_NONE));
    } else if (b == SHIFTED_SUM) {
        element_address(k, 8, 10, 5, X_AT); /* R10 was never i: another element */
        load(k, 8, 8, UOP_READONLY);
        insn(k);
        set(k, 6, op(k, UOP_FADD, UOP_F32, 0, R(k, 2), R(k, 8), UOP_NONE));
    } else if (b == STORES_CONSTANT) {
        insn(k);
        set(k, 6, F(k, 1.0f));
    } else {
        insn(k);
        set(k, 6, R(k, 2));
    }
    store(k, 4, 6);
    if (b == COPIES_AND_MORE) {
        insn(k);
        k->now->unknown = true;
    }
    if (b == COPIES_AND_COUNTS) {
        insn(k);
        set(k, 6, C(k, 3));
        store(k, 4, 6);
    }
    leave(k);
}

static void whole_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *copy, *elementwise;
    } expected[] = {
        [COPIES] = {"copy [90 c0]", "none"},    [NEGATES] = {"none", "elementwise [90 b0 c0] expr=-x[i]"},
        [SHIFTED_SUM] = {"none", "none"},       [STORES_CONSTANT] = {"none", "none"},
        [COPIES_AND_MORE] = {"none", "none"}, /* an instruction nobody can read */
        [COPIES_AND_COUNTS] = {"none", "none"},
    };
    for (unsigned b = 0; b <= COPIES_AND_COUNTS; b++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "copy.md");
        add_page(&k, "elementwise.md");
        write_body(&k, (enum body)b);
        run(&k);
        if (strcmp(shown(&k, "copy"), expected[b].copy) != 0 ||
            strcmp(shown(&k, "elementwise"), expected[b].elementwise) != 0)
            fail_msg("body %u: %s / %s", b, shown(&k, "copy"), shown(&k, "elementwise"));
        kernel_end(&k);
    }
}

static void calls(void **state)
{
    (void)state;
    for (int call = 0; call < 2; call++) {
        struct kernel k;
        kernel_begin(&k);
        add_page(&k, "device-call.md");
        insn(&k); /* 0x00: where to come back to */
        set(&k, 20, C(&k, 0x30));
        insn(&k); /* 0x10 */
        set(&k, 21, C(&k, 0));
        insn(&k); /* 0x20 */
        put(&k, (struct uop){.kind = call ? UOP_CALL : UOP_BRANCH, .arg = NO_ARGS, .imm = call ? 0x40 : 0x30});
        leave(&k); /* 0x30 */
        insn(&k);  /* 0x40 */
        set(&k, 4, F(&k, 2.0f));
        insn(&k); /* 0x50 */
        uint16_t back = R64(&k, 20);
        put(&k, (struct uop){.kind = UOP_RET, .arg = {back, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}});
        run(&k);
        assert_string_equal(shown(&k, "device-call"), call ? "device-call [0 10 20 50]" : "none");
        kernel_end(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_and_select_is_a_relu_only_when_it_is_one),
        cmocka_unit_test(no_maximum_with_zero_is_read_where_there_is_none),
        cmocka_unit_test(a_maximum_of_doubles_is_spelled_out),
        cmocka_unit_test(clamps),
        cmocka_unit_test(a_kept_nan_is_a_difference_from_real_numbers),
        cmocka_unit_test(a_long_expression_is_tried_stage_by_stage),
        cmocka_unit_test(a_nested_conditional_is_a_clamp),
        cmocka_unit_test(one_operation),
        cmocka_unit_test(parts_of_one_instruction),
        cmocka_unit_test(a_page_may_allow_that_fma_is_mul_and_add),
        cmocka_unit_test(indices),
        cmocka_unit_test(bounds),
        cmocka_unit_test(a_plane_has_two_bounds),
        cmocka_unit_test(loads),
        cmocka_unit_test(whole_kernels),
        cmocka_unit_test(calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
