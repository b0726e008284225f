/* Loops of the source (definitions.md D2, D6): what is carried, the counter, pieces and unrolls, on the laboratory's
 * cubins of every architecture and on test/corpus/loops. What is expected was read from listings by hand: the branches
 * that go back, the copies in each body, the straight code behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_code.h"

#include "graph/graph_cycle.h"
#include "image/img.h"

#include <stdlib.h>
#include <string.h>

struct opened {
    struct arena a;
    struct diag_sink diags;
    struct graph *g;
    struct graph_cycles cycles;
};

static const struct graph_sreg_word words_old[] = {{0x0, UOP_SR_NTID_X}, {0x4, UOP_SR_NTID_Y}, {0xc, UOP_SR_NCTAID_X}};
static const struct graph_sreg_word words_new[] = {
    {0x360, UOP_SR_NTID_X}, {0x364, UOP_SR_NTID_Y}, {0x370, UOP_SR_NCTAID_X}};

static void find_cycles(struct opened *o, const struct img_module *m, const struct img_kernel *k)
{
    uint32_t count = k->code_bytes / 16;
    struct graph_input_insn *in = ARENA_ARRAY(&o->a, struct graph_input_insn, count);
    struct graph_env *env = ARENA_NEW(&o->a, struct graph_env);
    struct uop_lift_context context = {.sm = m->sm, .a = &o->a};
    *env = (struct graph_env){.sm = m->sm,
                              .param_base = k->param_base,
                              .param_bytes = k->param_bytes,
                              .stack_offset = m->sm >= 100 ? 0x37c : 0x28,
                              .words = m->sm >= 100 ? words_new : words_old,
                              .word_count = 3,
                              .constant_bank = k->constant_bank,
                              .constant_bytes = k->constant_bytes};
    for (uint32_t i = 0; i < count; i++) {
        struct isa_insn insn;
        struct uop_list *list = ARENA_NEW(&o->a, struct uop_list);
        struct bits128 w = {bits_le64(k->code + 16u * i), bits_le64(k->code + 16u * i + 8)};
        assert_int_equal(isa_decode(m->sm, w, 16 * i, &insn), SP_OK);
        uop_lift(&context, &insn, list);
        in[i] = (struct graph_input_insn){.offset = 16 * i, .uops = list};
    }
    struct graph_input input = {.insns = in, .count = count, .env = env};
    o->g = ARENA_NEW(&o->a, struct graph);
    assert_int_equal(graph_build(&o->a, &input, &o->diags, o->g), SP_OK);
    assert_int_equal(graph_find_cycles(&o->a, o->g, &o->cycles), SP_OK);
}

/* The kernel of `path` whose name holds `name`. */
static void open_kernel(struct opened *o, const char *path, const char *name)
{
    struct img_module *m;
    uint8_t *bytes;
    size_t size;
    arena_init(&o->a, (size_t)512 << 20);
    diag_init(&o->diags, &o->a);
    m = ARENA_NEW(&o->a, struct img_module);
    path = arena_printf(&o->a, "%s/%s", SP_SOURCE_DIR, path);
    assert_int_equal(img_load_file(&o->a, &o->diags, path, 0, &bytes, &size), SP_OK);
    assert_int_equal(img_read_module(&o->a, &o->diags, path, bytes, size, m), SP_OK);
    for (uint32_t i = 0; i < m->kernel_count; i++)
        if (strcmp(m->kernels[i].name, name) == 0) {
            find_cycles(o, m, &m->kernels[i]);
            return;
        }
    fail_msg("no kernel %s in %s", name, path);
}

static void close_kernel(struct opened *o)
{
    assert_false(arena_failed(&o->a));
    arena_free(&o->a);
}

/* "[16, 8s, 4, 1]", for an inner one "0[16s]": the parent before it. */
static const char *pieces_text(struct opened *o)
{
    struct strbuf b;
    str_init(&b, &o->a);
    for (size_t i = 0; i < o->cycles.cycles.n; i++) {
        const struct graph_cycle *c = &o->cycles.cycles.p[i];
        str_add(&b, i ? " " : "");
        if (c->parent >= 0)
            str_addf(&b, "%d", c->parent);
        for (size_t k = 0; k < c->pieces.n; k++)
            str_addf(&b, "%s%u%s", k ? ", " : "[", c->pieces.p[k].unroll, c->pieces.p[k].straight ? "s" : "");
        str_add(&b, "]");
    }
    return b.n ? b.p : "";
}

static unsigned carried_of(const struct graph_cycle *c, enum graph_carried_kind kind)
{
    unsigned n = 0;
    for (size_t i = 0; i < c->carried.n; i++)
        n += c->carried.p[i].kind == kind;
    return n;
}

static const unsigned archs[] = {75, 80, 86, 89, 90, 100, 120};
enum { ARCHS = sizeof archs / sizeof archs[0] };

static void open_lab(struct opened *o, unsigned sm, const char *file, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "cubin/sm%u/%s.cubin", sm, file);
    open_kernel(o, path, name);
}

/* D2, D6: one carried entry a loop, the stride: from blockDim.x >> 1, halved, until it is 0; whatever multiple of it
 * the machine carries. */
static void check_halving(struct opened *o, const struct graph_cycle *c)
{
    struct graph *g = o->g;
    graph_id block = graph_sreg(g, UOP_SR_NTID_X), one = graph_const(g, UOP_B32, 1);
    assert_int_equal(c->carried.n, 1);
    assert_int_equal(c->carried.p[0].kind, GRAPH_CARRIED_COUNTER);
    assert_int_not_equal(c->counter, GRAPH_NIL);
    assert_int_equal(c->start, graph_op2(g, UOP_SHR, UOP_B32, block, one));
    const struct graph_node *next = graph_at(g, c->next), *until = graph_at(g, c->until);
    assert_int_equal(next->kind, UOP_SHR);
    assert_int_equal(next->arg[0], c->counter);
    assert_int_equal(next->arg[1], one);
    assert_int_equal(until->kind, UOP_IEQ);
    assert_int_equal(until->arg[0], c->counter);
    assert_true(graph_is_const(g, until->arg[1], NULL) && graph_at(g, until->arg[1])->imm == 0);
    assert_int_equal(c->count, GRAPH_NIL);
}

static void tree_reductions_carry_the_stride(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARCHS; i++) {
        struct opened o;
        open_lab(&o, archs[i], "03_reduction/reduce_sum_f32", "_Z21reduce_sum_f32_kernelPKfPfi");
        assert_int_equal(o.cycles.cycles.n, 1);
        check_halving(&o, &o.cycles.cycles.p[0]);
        assert_int_equal(o.cycles.folds.n, 0);
        close_kernel(&o);
        open_lab(&o, archs[i], "05_nn_ops/softmax_small_f32", "_Z24softmax_small_f32_kernelPKfPfi");
        assert_int_equal(o.cycles.cycles.n, 2);
        check_halving(&o, &o.cycles.cycles.p[0]);
        check_halving(&o, &o.cycles.cycles.p[1]);
        close_kernel(&o);
    }
}

static void online_softmax_has_two_loops(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARCHS; i++) {
        struct opened o;
        open_lab(&o, archs[i], "05_nn_ops/online_softmax_f32", "_Z25online_softmax_f32_kernelPKfPfii");
        assert_string_equal(pieces_text(&o),
                            archs[i] >= 100 ? "[8, 4s, 2s, 1s] [16, 8s, 4s, 1]" : "[16, 8s, 4, 1] [16, 8s, 4, 1]");
        const struct graph_cycle *c = &o.cycles.cycles.p[0];
        graph_id cols = graph_cbank(o.g, UOP_B32, 0, o.g->env->param_base + 20);
        assert_int_equal(carried_of(c, GRAPH_CARRIED_DATA), 2); /* m and s */
        assert_int_equal(carried_of(c, GRAPH_CARRIED_ADDRESS), archs[i] >= 100 ? 0 : 1);
        assert_int_equal(c->count, cols);
        assert_int_equal(o.cycles.cycles.p[1].count, cols);
        assert_int_equal(carried_of(&o.cycles.cycles.p[1], GRAPH_CARRIED_DATA), 0);
        assert_int_equal(o.cycles.folds.n, 1); /* one fold of two accumulators that read each other */
        assert_int_equal(o.cycles.folds.p[0].count, 2);
        close_kernel(&o);
    }
}

/* ---- forms of loops ---------------------------------------------------------------------------- */

static const struct form {
    const char *kernel, *before_100, *from_100; /* NULL: as before */
} forms[] = {
    {"sum_n", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"sum_256", "[32]", NULL},
    {"dot_n", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"isum_n", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"}, /* flattened: three-input adds take two elements */
    {"imax_n", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"idot_n", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"two_sums", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"dsum", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"argmax", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"}, /* two accumulators, one of them the index */
    {"half2sum", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"guarded", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"}, /* if (x[k] > t) s += x[k] */
    {"gather", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"colsum", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"}, /* elements a row apart */
    {"running", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"copy_loop", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"two_stores", "[16, 8s, 4, 1]", "[16, 8s, 4s, 1]"},
    {"matmul_naive", "[16, 8s, 4, 1]", "[8, 4s, 2s, 1s]"}, /* the last two are guarded instructions of one block */
    {"ptr_end", "[1, 16, 8s, 4]", NULL},                   /* what is left over comes first */
    {"sum_unroll1", "[1]", NULL},
    {"sum_unroll2", "[2, 1s]", NULL},
    {"sum_unroll8", "[8, 1]", NULL},
    {"straight8", "[8s]", NULL},
    {"conv", "[5s]", NULL},
    {"nested_sum", "[1] 0[16, 8s, 4, 3s]", "[1] 0[16, 8s, 4s, 3s]"},
    {"matmul16", "[1] 0[16s]", "[4, 2s, 1s] 0[16s]"}, /* each copy of the outer loop holds an inner one, whole */
    /* Two loops in a row are two, whatever they have in common. */
    {"max_then_sum", "[16, 8s, 4, 1] [16, 8s, 4, 1]", "[16, 8s, 4s, 1] [16, 8s, 4s, 1]"},
    {"sum_then_sum", "[16, 8s, 4, 1] [16, 8s, 4, 1]", "[16, 8s, 4s, 1] [16, 8s, 4s, 1]"},
    {"copy_twice", "[16, 8s, 4, 1] [16, 8s, 4, 1]", "[16, 8s, 4s, 1] [16, 8s, 4s, 1]"},
    /* Nothing is unrolled here, and nothing is a loop there. */
    {"grid_stride", "[1]", NULL},
    {"find", "[1]", NULL},
    {"list", "[1]", NULL},
    {"bsearch1", "[1]", NULL},
    {"stencil", "", NULL},
    {"horner", "", NULL},
};

static void forms_of_loops(void **state)
{
    static const unsigned built[] = {75, 86, 90, 100};
    (void)state;
    for (unsigned i = 0; i < sizeof built / sizeof built[0]; i++)
        for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
            struct opened o;
            char path[128];
            snprintf(path, sizeof path, "test/corpus/loops/loops.sm%u.cubin", built[i]);
            open_kernel(&o, path, forms[k].kernel);
            const char *expected = built[i] >= 100 && forms[k].from_100 ? forms[k].from_100 : forms[k].before_100;
            const char *found = pieces_text(&o);
            if (strcmp(found, expected) != 0)
                print_error("sm_%u %s: %s, not %s\n", built[i], forms[k].kernel, found, expected);
            assert_string_equal(found, expected);
            close_kernel(&o);
        }
}

static const struct graph_cycle *only_cycle(struct opened *o)
{
    assert_int_equal(o->cycles.cycles.n, 1);
    return &o->cycles.cycles.p[0];
}

/* `count` where the pieces telescope: n; null where the step does not say (grid-stride) or a break may come first. */
static void counts(void **state)
{
    static const char *const counted[] = {"sum_n", "dot_n", "isum_n", "copy_loop", "guarded", "sum_unroll8"};
    static const char *const open_end[] = {"grid_stride", "find", "list", "bsearch1"};
    (void)state;
    for (size_t k = 0; k < sizeof counted / sizeof counted[0]; k++) {
        struct opened o;
        open_kernel(&o, "test/corpus/loops/loops.sm86.cubin", counted[k]);
        const struct graph_node *n = graph_at(o.g, only_cycle(&o)->count);
        assert_int_equal(n->kind, UOP_CBANK);
        assert_int_equal(n->type, UOP_B32);
        close_kernel(&o);
    }
    for (size_t k = 0; k < sizeof open_end / sizeof open_end[0]; k++) {
        struct opened o;
        open_kernel(&o, "test/corpus/loops/loops.sm86.cubin", open_end[k]);
        assert_int_equal(only_cycle(&o)->count, GRAPH_NIL);
        close_kernel(&o);
    }
}

/* A grid-stride loop: counter i, the next a grid further, until i >= n. */
static void grid_stride(void **state)
{
    (void)state;
    struct opened o;
    open_kernel(&o, "test/corpus/loops/loops.sm86.cubin", "grid_stride");
    const struct graph_cycle *c = only_cycle(&o);
    struct graph *g = o.g;
    graph_id block = graph_sreg(g, UOP_SR_NTID_X), grid = graph_sreg(g, UOP_SR_NCTAID_X);
    graph_id step = graph_op2(g, UOP_MUL, UOP_B32, block, grid);
    assert_int_equal(c->next, graph_op2(g, UOP_ADD, UOP_B32, c->counter, step));
    graph_id n = graph_cbank(g, UOP_B32, 0, g->env->param_base + 16);
    assert_int_equal(c->until, graph_not(g, graph_op2(g, UOP_ILT_S, UOP_B1, c->counter, n)));
    close_kernel(&o);
}

/* ---- small machine code ------------------------------------------------------------------------ */

/* D2: a register that a guarded write changes in the loop, and that nobody reads behind it, is not carried. */
static void unread_registers_are_not_carried(void **state)
{
    struct arena a;
    struct graph_cycles cycles;
    (void)state;
    arena_init(&a, 0);
    struct graph *g =
        code_graph(&a, 86,
                   CODE("S2R R2, SR_TID.X", "MOV R3, 0x40", "MOV R6, RZ", "ISETP.GE.AND P0, PT, R2, R3, PT",
                        "@!P0 LDS R6, [R3.X4]", "@!P0 STS [R2.X4], R6", "SHF.R.U32.HI R3, RZ, 0x1, R3",
                        "ISETP.NE.AND P1, PT, R3, RZ, PT", "@P1 BRA 0x30", "EXIT"),
                   &env_86);
    assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
    assert_int_equal(cycles.cycles.n, 1);
    assert_int_equal(cycles.cycles.p[0].carried.n, 1);
    assert_int_equal(cycles.cycles.p[0].carried.p[0].kind, GRAPH_CARRIED_COUNTER);
    arena_free(&a);
}

/* Entered at two places: an entry without a counter, and nothing claimed of it. */
static void irreducible_loops_stand_as_such(void **state)
{
    struct arena a;
    struct graph_cycles cycles;
    (void)state;
    arena_init(&a, 0);
    struct graph *g = code_graph(&a, 86,
                                 CODE("S2R R2, SR_TID.X", "ISETP.GE.AND P0, PT, R2, 0x8, PT", "@P0 BRA 0x50",
                                      "IADD3 R2, R2, 0x1, RZ", "STS [R2.X4], R2", "IADD3 R2, R2, 0x2, RZ",
                                      "ISETP.NE.AND P1, PT, R2, 0x40, PT", "@P1 BRA 0x30", "EXIT"),
                                 &env_86);
    assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
    for (size_t i = 0; i < cycles.cycles.n; i++)
        if (cycles.cycles.p[i].irreducible) {
            assert_int_equal(cycles.cycles.p[i].counter, GRAPH_NIL);
            assert_int_equal(cycles.cycles.p[i].carried.n, 0);
        }
    arena_free(&a);
}

/* Two streams added in one turn are one step, not two over one stream: the counter goes on by one element. */
static void two_streams_are_one_step(void **state)
{
    struct arena a;
    struct graph_cycles cycles;
    (void)state;
    arena_init(&a, 0);
    struct graph *g = code_graph(&a, 86,
                                 CODE("MOV R2, RZ", "MOV R3, RZ", "LDS R4, [R2]", "LDS R5, [R2+0x400]",
                                      "FADD R3, R3, R4", "FADD R3, R3, R5", "IADD3 R2, R2, 0x4, RZ",
                                      "ISETP.NE.AND P1, PT, R2, 0x400, PT", "@P1 BRA 0x20", "STS [0x800], R3", "EXIT"),
                                 &env_86);
    assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
    assert_int_equal(cycles.cycles.n, 1);
    assert_int_equal(cycles.cycles.p[0].unroll, 1);
    assert_int_equal(carried_of(&cycles.cycles.p[0], GRAPH_CARRIED_DATA), 1);
    arena_free(&a);
}

/* The same with elements side by side: two steps a turn. */
static void neighbours_are_two_steps(void **state)
{
    struct arena a;
    struct graph_cycles cycles;
    (void)state;
    arena_init(&a, 0);
    struct graph *g = code_graph(&a, 86,
                                 CODE("MOV R2, RZ", "MOV R3, RZ", "LDS R4, [R2]", "LDS R5, [R2+0x4]", "FADD R3, R3, R4",
                                      "FADD R3, R3, R5", "IADD3 R2, R2, 0x8, RZ", "ISETP.NE.AND P1, PT, R2, 0x400, PT",
                                      "@P1 BRA 0x20", "STS [0x800], R3", "EXIT"),
                                 &env_86);
    assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
    assert_int_equal(cycles.cycles.n, 1);
    assert_int_equal(cycles.cycles.p[0].unroll, 2);
    assert_int_equal(cycles.folds.n, 1);
    arena_free(&a);
}

/* A loop over every other element and one over each of the rest: two loops, though the second begins where the first
 * ends, with the same sum; and so are two that are alike. A loop of two steps a turn and one of one are one loop. */
static void strides_keep_loops_apart(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        bool alike = kind == 1, pieces = kind == 2;
        struct arena a;
        struct graph_cycles cycles;
        arena_init(&a, 0);
        struct graph *g = code_graph(
            &a, 86,
            CODE("MOV R2, RZ", "MOV R3, RZ", "LDS R4, [R2]", pieces ? "LDS R5, [R2+0x4]" : "NOP", "FADD R3, R3, R4",
                 pieces ? "FADD R3, R3, R5" : "NOP", alike ? "IADD3 R2, R2, 0x4, RZ" : "IADD3 R2, R2, 0x8, RZ",
                 "ISETP.NE.AND P1, PT, R2, c[0x0][0x160], PT", "@P1 BRA 0x20", "LDS R4, [R2]", "FADD R3, R3, R4",
                 "IADD3 R2, R2, 0x4, RZ", "ISETP.NE.AND P1, PT, R2, c[0x0][0x164], PT", "@P1 BRA 0x90",
                 "STS [0x800], R3", "EXIT"),
            &env_86);
        assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
        assert_int_equal(cycles.cycles.n, pieces ? 1 : 2);
        for (size_t i = 0; i < cycles.cycles.n; i++)
            assert_int_equal(cycles.cycles.p[i].unroll, pieces ? 2 : 1);
        arena_free(&a);
    }
}

/* Two elements side by side behind a loop over every other one are not two steps more of it. */
static void straight_steps_keep_the_stride(void **state)
{
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        struct arena a;
        struct graph_cycles cycles;
        arena_init(&a, 0);
        struct graph *g =
            code_graph(&a, 86,
                       CODE("MOV R2, RZ", "MOV R3, RZ", "LDS R4, [R2]", "FADD R3, R3, R4", "IADD3 R2, R2, 0x8, RZ",
                            "ISETP.NE.AND P1, PT, R2, c[0x0][0x160], PT", "@P1 BRA 0x20", "LDS R4, [R2]",
                            same ? "LDS R5, [R2+0x8]" : "LDS R5, [R2+0x4]", "FADD R3, R3, R4", "FADD R3, R3, R5",
                            "STS [0x800], R3", "EXIT"),
                       &env_86);
        assert_int_equal(graph_find_cycles(&a, g, &cycles), SP_OK);
        assert_int_equal(cycles.cycles.n, 1);
        assert_int_equal(cycles.cycles.p[0].pieces.n, same ? 2 : 1);
        arena_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_reductions_carry_the_stride),
        cmocka_unit_test(online_softmax_has_two_loops),
        cmocka_unit_test(forms_of_loops),
        cmocka_unit_test(counts),
        cmocka_unit_test(grid_stride),
        cmocka_unit_test(unread_registers_are_not_carried),
        cmocka_unit_test(irreducible_loops_stand_as_such),
        cmocka_unit_test(two_streams_are_one_step),
        cmocka_unit_test(neighbours_are_two_steps),
        cmocka_unit_test(strides_keep_loops_apart),
        cmocka_unit_test(straight_steps_keep_the_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
