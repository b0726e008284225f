/* What threads do together: steps through shared memory and between lanes that add up to a reduction or a scan, and
 * those that differ from one in the one thing that decides. */
#include "pat_fixture.h"

#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"

/* ---- writing steps --------------------------------------------------------------------------- */

static void shared_load(struct kernel *k, unsigned to, uint16_t address)
{
    set(k, to,
        put(k, (struct uop){.kind = UOP_LOAD,
                            .type = UOP_B32,
                            .space = UOP_SHARED,
                            .width = 4,
                            .arg = {address, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}}));
}

static void shared_store(struct kernel *k, unsigned address, unsigned value)
{
    uint16_t a = R(k, address), v = R(k, value);
    put(k, (struct uop){.kind = UOP_STORE,
                        .type = UOP_VOID,
                        .space = UOP_SHARED,
                        .width = 4,
                        .arg = {a, v, UOP_NONE, UOP_NONE, UOP_NONE}});
}

static void barrier(struct kernel *k)
{
    insn(k);
    put(k,
        (struct uop){.kind = UOP_BAR, .arg = {C(k, 0), UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}, .imm = UOP_BAR_SYNC});
}

enum { TID = 3, OWN = 8, OTHER = 9, A = 10, B = 11, MINE = 12 };

/* R3 = tid, R8 = &shared[tid], R10 = x[tid] stored there, a barrier. */
static void fill(struct kernel *k)
{
    kernel_begin(k);
    add_all_pages(k);
    special(k, TID, UOP_SR_TID_X);
    insn(k);
    set(k, 5, C(k, 4));
    element_address(k, 6, TID, 5, X_AT);
    load(k, A, 6, UOP_READONLY);
    insn(k);
    set(k, OWN, op(k, UOP_MUL, UOP_B32, 0, R(k, TID), C(k, 4), UOP_NONE));
    insn(k);
    shared_store(k, OWN, A);
    barrier(k);
}

enum how { SEQUENTIAL, INTERLEAVED, BUTTERFLY, BEFORE /* the element before */ };
struct step {
    int distance;
    enum uop_kind kind;
    bool no_barrier, no_middle, keeps; /* keeps: the own element stays in a register */
};

static void guarded(struct kernel *k, bool guard)
{
    insn(k);
    if (guard)
        k->now->guard = P(k, 0);
}

static void write_step(struct kernel *k, enum how how, const struct step *s)
{
    uint32_t d = (uint32_t)s->distance;
    bool guard = how != BUTTERFLY;
    insn(k);
    if (how == SEQUENTIAL)
        set_P(k, 0, op(k, UOP_ILT_U, UOP_B1, 0, R(k, TID), C(k, d), UOP_NONE));
    else if (how == BEFORE)
        set_P(k, 0,
              op(k, UOP_NOT, UOP_B1, 0, op(k, UOP_ILT_U, UOP_B1, 0, R(k, TID), C(k, d), UOP_NONE), UOP_NONE, UOP_NONE));
    else if (how == INTERLEAVED)
        set_P(k, 0,
              op(k, UOP_IEQ, UOP_B1, 0, op(k, UOP_AND, UOP_B32, 0, R(k, TID), C(k, 2 * d - 1), UOP_NONE), C(k, 0),
                 UOP_NONE));
    insn(k);
    uint16_t other = how == BUTTERFLY
                         ? op(k, UOP_XOR, UOP_B32, 0, R(k, TID), C(k, d), UOP_NONE)
                         : op(k, UOP_ADD, UOP_B32, 0, R(k, TID), C(k, how == BEFORE ? 0 - d : d), UOP_NONE);
    set(k, OTHER, op(k, UOP_MUL, UOP_B32, 0, other, C(k, 4), UOP_NONE));
    if (!s->keeps) {
        guarded(k, guard);
        shared_load(k, A, R(k, OWN));
    }
    guarded(k, guard);
    shared_load(k, B, R(k, OTHER));
    guarded(k, guard);
    set(k, A,
        op(k, s->kind, s->kind == UOP_FADD || s->kind == UOP_FMUL ? UOP_F32 : UOP_B32, 0, R(k, A), R(k, B), UOP_NONE));
    if ((how == BUTTERFLY || how == BEFORE) && !s->no_middle)
        barrier(k);
    guarded(k, guard);
    shared_store(k, OWN, A);
    if (!s->no_barrier)
        barrier(k);
}

/* y[0] = shared[element] by thread 0; runs the pages. */
static void finish_at(struct kernel *k, uint32_t element)
{
    static struct graph_cycles cycles;
    static struct graph_dependence dependence;
    insn(k);
    set_P(k, 1, op(k, UOP_NOT, UOP_B1, 0, op(k, UOP_IEQ, UOP_B1, 0, R(k, TID), C(k, 0), UOP_NONE), UOP_NONE, UOP_NONE));
    leave(k);
    k->now->guard = P(k, 1);
    insn(k);
    shared_load(k, A, C(k, 4 * element));
    insn(k);
    set64(k, 6, bank(k, UOP_B64, Y_AT));
    store(k, 6, A);
    leave(k);
    struct graph_input in = {k->insns.p, (uint32_t)k->insns.n, &k->env};
    assert_int_equal(graph_build(&k->a, &in, &k->diags, &k->g), SP_OK);
    assert_int_equal(graph_find_cycles(&k->a, &k->g, &cycles), SP_OK);
    k->g.cycles = &cycles;
    assert_int_equal(graph_find_dependence(&k->a, &k->g, &dependence), SP_OK);
    k->g.dependence = &dependence;
    assert_int_equal(mean_init(&k->m, &k->a, &k->g, kernel_params, sizeof kernel_params / sizeof kernel_params[0]),
                     SP_OK);
    assert_int_equal(pat_run(k->lib, &k->m, &k->a, &k->result), SP_OK);
}

static void finish(struct kernel *k)
{
    finish_at(k, 0);
}

/* "tree-reduction/sequential op=add …" of the one match of that page, without its instructions; "none". */
static const char *said(struct kernel *k, const char *id)
{
    const struct pat_match *x = find(k, id);
    struct strbuf b;
    if (!x)
        return "none";
    str_init(&b, &k->a);
    str_add(&b, x->rule);
    for (size_t i = 0; i < x->bindings.n; i++) {
        const struct pat_binding *p = &x->bindings.p[i];
        if (p->kind == PAT_BIND_INT)
            str_addf(&b, " %s=%d", p->key, (int)p->number);
        else
            str_addf(&b, " %s=%s", p->key, p->text);
    }
    return b.p;
}

static void expect(const char *what, enum how how, const struct step *steps, size_t count, const char *tree,
                   const char *prefix)
{
    struct kernel k;
    fill(&k);
    for (size_t i = 0; i < count; i++)
        write_step(&k, how, &steps[i]);
    finish(&k);
    if (strcmp(said(&k, "tree-reduction"), tree) != 0)
        fail_msg("%s: %s", what, said(&k, "tree-reduction"));
    if (strcmp(said(&k, "scan"), prefix) != 0)
        fail_msg("%s: %s", what, said(&k, "scan"));
    kernel_end(&k);
}

#define TREE(OP, SHAPE, SELF) "tree-reduction/" SHAPE " op=" OP " space=shared shape=" SHAPE " sync=barrier self=" SELF
#define EXPECT(what, how, tree, prefix, ...)              \
    expect(what, how, (const struct step[]){__VA_ARGS__}, \
           sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step), tree, prefix)

/* ---- through shared memory ------------------------------------------------------------------- */

static void steps_that_halve_are_a_tree(void **state)
{
    (void)state;
    EXPECT("sum", SEQUENTIAL, TREE("add", "sequential", "memory"), "none", {8, UOP_FADD}, {4, UOP_FADD}, {2, UOP_FADD},
           {1, UOP_FADD});
    EXPECT("integer minimum", SEQUENTIAL, TREE("min", "sequential", "memory"), "none", {4, UOP_MIN_S}, {2, UOP_MIN_S},
           {1, UOP_MIN_S});
    EXPECT("bits", SEQUENTIAL, TREE("xor", "sequential", "memory"), "none", {4, UOP_XOR}, {2, UOP_XOR}, {1, UOP_XOR});
    EXPECT("own element kept", SEQUENTIAL, TREE("add", "sequential", "register"), "none", {4, UOP_FADD, .keeps = true},
           {2, UOP_FADD, .keeps = true}, {1, UOP_FADD, .keeps = true});
    EXPECT("distances double", INTERLEAVED, TREE("add", "interleaved", "memory"), "none", {1, UOP_FADD}, {2, UOP_FADD},
           {4, UOP_FADD});
    EXPECT("all threads exchange", BUTTERFLY, TREE("add", "butterfly", "memory"), "none", {4, UOP_FADD}, {2, UOP_FADD},
           {1, UOP_FADD});
}

static void without_its_barrier_there_is_no_tree(void **state)
{
    (void)state;
    EXPECT("no barrier behind the first step", SEQUENTIAL, "none", "none", {64, UOP_FADD, .no_barrier = true},
           {32, UOP_FADD}, {16, UOP_FADD}, {8, UOP_FADD}, {4, UOP_FADD}, {2, UOP_FADD}, {1, UOP_FADD});
    EXPECT("a butterfly with one barrier a step", BUTTERFLY, "none", "none", {64, UOP_FADD, .no_middle = true},
           {32, UOP_FADD, .no_middle = true}, {16, UOP_FADD, .no_middle = true}, {8, UOP_FADD, .no_middle = true},
           {4, UOP_FADD, .no_middle = true}, {2, UOP_FADD, .no_middle = true}, {1, UOP_FADD, .no_middle = true});
}

static void a_step_that_is_another_breaks_the_tree(void **state)
{
    (void)state;
    EXPECT("stops at two", SEQUENTIAL, "none", "none", {8, UOP_FADD}, {4, UOP_FADD}, {2, UOP_FADD});
    EXPECT("another operation in the middle", SEQUENTIAL, "none", "none", {8, UOP_FADD}, {4, UOP_FMUL}, {2, UOP_FADD},
           {1, UOP_FADD});
    EXPECT("a distance left out", SEQUENTIAL, "none", "none", {8, UOP_FADD}, {2, UOP_FADD}, {1, UOP_FADD});
    EXPECT("a distance twice", SEQUENTIAL, "none", "none", {4, UOP_FADD}, {4, UOP_FADD}, {2, UOP_FADD}, {1, UOP_FADD});
}

static void a_result_is_read_where_it_is(void **state)
{
    (void)state;
    static const struct step steps[] = {{8, UOP_FADD}, {4, UOP_FADD}, {2, UOP_FADD}, {1, UOP_FADD}};
    for (uint32_t element = 0; element < 2; element++) {
        struct kernel k;
        fill(&k);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            write_step(&k, SEQUENTIAL, &steps[i]);
        finish_at(&k, element);
        assert_string_equal(said(&k, "tree-reduction"), element ? "none" : TREE("add", "sequential", "memory"));
        kernel_end(&k);
    }
}

/* Between two steps thread 100 stores to element 3, with no barrier of its own. */
static void what_is_stored_beside_breaks_the_tree(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct kernel k;
        static const struct step steps[] = {{64, UOP_FADD}, {32, UOP_FADD}, {16, UOP_FADD}, {8, UOP_FADD},
                                            {4, UOP_FADD},  {2, UOP_FADD},  {1, UOP_FADD}};
        fill(&k);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            if (i == 3 && late) {
                insn(&k);
                set_P(&k, 2, op(&k, UOP_IEQ, UOP_B1, 0, R(&k, TID), C(&k, 100), UOP_NONE));
                insn(&k);
                k.now->guard = P(&k, 2);
                set(&k, B, C(&k, 0x40e00000));
                insn(&k);
                set(&k, MINE, C(&k, 12));
                guarded(&k, false);
                k.now->guard = P(&k, 2);
                shared_store(&k, MINE, B);
            }
            write_step(&k, SEQUENTIAL, &steps[i]);
        }
        finish(&k);
        assert_string_equal(said(&k, "tree-reduction"), late ? "none" : TREE("add", "sequential", "memory"));
        kernel_end(&k);
    }
}

static void elements_before_make_a_scan(void **state)
{
    (void)state;
    EXPECT("two barriers a step", BEFORE, "none", "scan/shared op=add space=shared", {1, UOP_FADD}, {2, UOP_FADD},
           {4, UOP_FADD}, {8, UOP_FADD});
    EXPECT("no barrier before the store", BEFORE, "none", "none", {1, UOP_FADD, .no_middle = true},
           {2, UOP_FADD, .no_middle = true}, {4, UOP_FADD, .no_middle = true}, {8, UOP_FADD, .no_middle = true});
    EXPECT("a distance left out", BEFORE, "none", "none", {1, UOP_FADD}, {4, UOP_FADD}, {8, UOP_FADD});
}

/* ---- between lanes --------------------------------------------------------------------------- */

static void shuffle_step(struct kernel *k, unsigned mode, unsigned distance, unsigned clamp)
{
    insn(k);
    uint16_t v = R(k, A), d = C(k, distance), c = C(k, clamp);
    set(k, B,
        put(k, (struct uop){.kind = UOP_SHFL, .type = UOP_B32, .arg = {v, d, c, UOP_NONE, UOP_NONE}, .imm = mode}));
    insn(k);
    set(k, A, op(k, UOP_FADD, UOP_F32, 0, R(k, A), R(k, B), UOP_NONE));
}

static const char *lanes(struct kernel *k, unsigned mode, const int *distances, size_t count, unsigned clamp)
{
    kernel_begin(k);
    add_all_pages(k);
    special(k, TID, UOP_SR_TID_X);
    insn(k);
    set(k, 5, C(k, 4));
    element_address(k, 6, TID, 5, X_AT);
    load(k, A, 6, UOP_READONLY);
    for (size_t i = 0; i < count; i++)
        shuffle_step(k, mode, (unsigned)distances[i], clamp);
    element_address(k, 6, TID, 5, Y_AT);
    store(k, 6, A);
    leave(k);
    run(k);
    return said(k, "warp-shuffle-reduction");
}

/* Only lane 1 stores, and lane 0 has the result. */
static void what_another_lane_stores_is_no_result(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 2; lane++) {
        struct kernel k;
        kernel_begin(&k);
        add_all_pages(&k);
        special(&k, TID, UOP_SR_TID_X);
        insn(&k);
        set(&k, 5, C(&k, 4));
        element_address(&k, 6, TID, 5, X_AT);
        load(&k, A, 6, UOP_READONLY);
        for (unsigned d = 16; d; d /= 2)
            shuffle_step(&k, 2, d, 0x1f);
        element_address(&k, 6, TID, 5, Y_AT);
        insn(&k);
        set_P(&k, 1,
              op(&k, UOP_NOT, UOP_B1, 0, op(&k, UOP_IEQ, UOP_B1, 0, R(&k, TID), C(&k, lane), UOP_NONE), UOP_NONE,
                 UOP_NONE));
        leave(&k);
        k.now->guard = P(&k, 1);
        store(&k, 6, A);
        leave(&k);
        run(&k);
        assert_string_equal(said(&k, "warp-shuffle-reduction"),
                            lane ? "none" : "warp-shuffle-reduction/down op=add shape=down width=32");
        kernel_end(&k);
    }
}

static void lanes_that_halve_are_a_reduction(void **state)
{
    (void)state;
    static const int halves[] = {16, 8, 4, 2, 1}, doubles[] = {1, 2, 4, 8, 16}, gap[] = {16, 8, 2, 1},
                     parts[] = {8, 4, 2, 1};
    struct kernel k;
    assert_string_equal(lanes(&k, 2, halves, 5, 0x1f), "warp-shuffle-reduction/down op=add shape=down width=32");
    kernel_end(&k);
    assert_string_equal(lanes(&k, 3, halves, 5, 0x1f),
                        "warp-shuffle-reduction/butterfly op=add shape=butterfly width=32");
    kernel_end(&k);
    assert_string_equal(lanes(&k, 3, doubles, 5, 0x1f),
                        "warp-shuffle-reduction/butterfly op=add shape=butterfly width=32");
    kernel_end(&k);
    assert_string_equal(lanes(&k, 3, parts, 4, 0x101f),
                        "warp-shuffle-reduction/butterfly op=add shape=butterfly width=16");
    kernel_end(&k);
    assert_string_equal(lanes(&k, 3, gap, 4, 0x1f), "none");
    kernel_end(&k);
    assert_string_equal(lanes(&k, 1, doubles, 5, 0), "none"); /* up: no lane has all */
    kernel_end(&k);
    assert_string_equal(lanes(&k, 2, halves, 1, 0x1f), "none");
    kernel_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_halve_are_a_tree),
        cmocka_unit_test(without_its_barrier_there_is_no_tree),
        cmocka_unit_test(a_step_that_is_another_breaks_the_tree),
        cmocka_unit_test(a_result_is_read_where_it_is),
        cmocka_unit_test(what_is_stored_beside_breaks_the_tree),
        cmocka_unit_test(elements_before_make_a_scan),
        cmocka_unit_test(what_another_lane_stores_is_no_result),
        cmocka_unit_test(lanes_that_halve_are_a_reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
