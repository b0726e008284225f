/* Addresses as elements, element sizes, names of indices, access modes. Graphs are made by hand. */
#include "mean_fixture.h"

static void elements_of_parameters(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0), j = linear(&f, 1), w = param32(&f, W_OFFSET);
    graph_id next = element(&f, X_OFFSET, UOP_SEXT, add(&f, i, int32(&f, 1)), 4, 0);
    graph_id before = element(&f, X_OFFSET, UOP_SEXT, i, 4, -4), third = element(&f, X_OFFSET, UOP_ZEXT, i, 12, 4);
    graph_id quad = element(&f, X_OFFSET, UOP_SEXT, i, 16, 8);
    graph_id row = element(&f, Y_OFFSET, UOP_SEXT, add(&f, mul(&f, j, w), i), 4, 0);
    graph_id back =
        element(&f, Y_OFFSET, UOP_SEXT,
                add(&f, add(&f, param32(&f, N_OFFSET), graph_op1(&f.g, UOP_NEG, UOP_B32, i)), int32(&f, -1)), 4, 0);
    graph_id first = param64(&f, Y_OFFSET);
    graph_id odd = element(&f, X_OFFSET, UOP_SEXT, mul(&f, j, w), 1, 0);
    graph_id v = load(&f, next, UOP_GLOBAL, 4), wide = load(&f, quad, UOP_GLOBAL, 16);
    struct uop word = {.kind = UOP_ELEMENT, .type = UOP_B32, .imm = 1};
    graph_id second = graph_pure(&f.g, &word, &wide, 1);
    load(&f, before, UOP_GLOBAL, 4);
    load(&f, third, UOP_GLOBAL, 4);
    load(&f, odd, UOP_GLOBAL, 4);
    store(&f, row, UOP_GLOBAL, 4, v);
    store(&f, back, UOP_GLOBAL, 4, v);
    store(&f, first, UOP_GLOBAL, 4, v);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(f.m.names.n, 2);
    assert_string_equal(f.m.names.p[0].name, "i");
    assert_string_equal(f.m.names.p[0].expr, "blockIdx.x * blockDim.x + threadIdx.x");
    assert_string_equal(f.m.names.p[1].name, "j");
    assert_string_equal(f.m.names.p[1].expr, "blockIdx.y * blockDim.y + threadIdx.y");
    assert_true(mean_is_linear_index(&f.m, i));
    assert_false(mean_is_linear_index(&f.m, w));
    assert_string_equal(mean_element(&f.m, next, UOP_GLOBAL, 4, false), "x[i + 1]");
    assert_string_equal(mean_element(&f.m, next, UOP_GLOBAL, 4, true), "&x[i + 1]");
    assert_string_equal(mean_element(&f.m, before, UOP_GLOBAL, 4, false), "x[i - 1]");
    assert_string_equal(mean_element(&f.m, third, UOP_GLOBAL, 4, false), "x[3 * i + 1]");
    assert_string_equal(mean_element(&f.m, quad, UOP_GLOBAL, 4, false), "x[4 * i + 2]");
    assert_string_equal(mean_element(&f.m, row, UOP_GLOBAL, 4, false), "y[j * w + i]");
    assert_string_equal(mean_element(&f.m, back, UOP_GLOBAL, 4, false), "y[n - i - 1]");
    assert_string_equal(mean_element(&f.m, first, UOP_GLOBAL, 4, false), "y[0]");
    assert_string_equal(mean_element(&f.m, odd, UOP_GLOBAL, 4, false), "*(float *)((char *)x + j * w)");
    assert_string_equal(mean_expr(&f.m, v, UOP_F32, MEAN_INNER), "x[i + 1]");
    assert_string_equal(mean_expr(&f.m, second, UOP_F32, MEAN_INNER), "x[4 * i + 3]");
    assert_string_equal(mean_expr(&f.m, next, UOP_B64, MEAN_INNER), "&x[i + 1]");
    struct mean_address a;
    assert_true(mean_address_of(&f.m, before, UOP_GLOBAL, 4, &a));
    assert_int_equal(a.param, 0);
    assert_int_equal(a.element_bytes, 4);
    assert_int_equal(a.byte_offset, -4);
    assert_int_equal(a.index, i);
    assert_string_equal(a.index_text, "i - 1");
    assert_int_equal(mean_param_access(&f.m, 0), MEAN_READ);
    assert_int_equal(mean_param_access(&f.m, 1), MEAN_WRITE);
    assert_int_equal(mean_param_access(&f.m, 4), MEAN_READ);
    assert_int_equal(mean_param_access(&f.m, 2), MEAN_UNUSED);
    fixture_end(&f);
    (void)state;
}

/* Without types the accesses tell the element size; names are positions. */
static void undeclared_arrays(void **state)
{
    static const struct mean_param params[] = {{0, 0, X_OFFSET, 8, "p0", false, NULL},
                                               {1, 8, Y_OFFSET, 8, "p1", false, NULL},
                                               {2, 16, LO_OFFSET, 8, "p2", false, NULL}};
    struct fixture f;
    fixture_begin(&f);
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X);
    graph_id byte = element(&f, X_OFFSET, UOP_ZEXT, tid, 1, 3), wide = element(&f, Y_OFFSET, UOP_ZEXT, tid, 8, 0);
    load(&f, byte, UOP_GLOBAL, 1);
    graph_id v = load(&f, wide, UOP_GLOBAL, 8);
    store(&f, wide, UOP_GLOBAL, 8, graph_op2(&f.g, UOP_FADD, UOP_F64, v, v));
    graph_id q = load(&f, param64(&f, LO_OFFSET), UOP_GLOBAL, 8);
    graph_id chased = graph_op2(
        &f.g, UOP_ADD, UOP_B64, q,
        graph_op2(&f.g, UOP_MUL, UOP_B64, graph_op1(&f.g, UOP_ZEXT, UOP_B64, tid), graph_const(&f.g, UOP_B64, 4)));
    load(&f, chased, UOP_GLOBAL, 4);
    fixture_ready(&f, params, 3);
    assert_int_equal(f.m.names.n, 0); /* threadIdx.x alone needs no name */
    assert_string_equal(mean_element(&f.m, byte, UOP_GLOBAL, 1, false), "p0[threadIdx.x + 3]");
    assert_string_equal(mean_element(&f.m, wide, UOP_GLOBAL, 8, false), "p1[threadIdx.x]");
    assert_string_equal(mean_element(&f.m, chased, UOP_GLOBAL, 4, false), "((int *)p2[0])[threadIdx.x]");
    assert_string_equal(mean_type(&f.m, v), "f64");
    assert_int_equal(mean_param_access(&f.m, 1), MEAN_READWRITE);
    fixture_end(&f);
    (void)state;
}

static void shared_and_local(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X),
             stride = graph_op2(&f.g, UOP_SHR, UOP_B32, graph_sreg(&f.g, UOP_SR_NTID_X), int32(&f, 1));
    graph_id own = mul(&f, tid, int32(&f, 4)), other = mul(&f, add(&f, tid, stride), int32(&f, 4));
    graph_id cluster = add(&f, mul(&f, graph_sreg(&f.g, UOP_SR_CGA_CTAID), int32(&f, 1 << 24)), int32(&f, 0x400));
    graph_id based = add(&f, own, cluster), fixed = add(&f, cluster, int32(&f, 16));
    graph_id stack = add(&f, param32(&f, 0x28), int32(&f, -16)), slot = add(&f, stack, int32(&f, 8));
    graph_id v = load(&f, own, UOP_SHARED, 4);
    load(&f, other, UOP_SHARED, 4);
    load(&f, based, UOP_SHARED, 4);
    load(&f, fixed, UOP_SHARED, 4);
    store(&f, slot, UOP_LOCAL, 4, v);
    store(&f, stack, UOP_LOCAL, 4, v);
    struct graph_def def = {.file = UOP_FILE_R, .reg = 1, .node = stack, .merged = stack};
    VEC_PUSH(&f.a, f.g.defs, def);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_element(&f.m, own, UOP_SHARED, 4, false), "shared[threadIdx.x]");
    assert_string_equal(mean_element(&f.m, other, UOP_SHARED, 4, false), "shared[threadIdx.x + (blockDim.x >> 1)]");
    assert_string_equal(mean_element(&f.m, based, UOP_SHARED, 4, false), "shared[threadIdx.x]");
    assert_string_equal(mean_element(&f.m, fixed, UOP_SHARED, 4, false), "shared[4]");
    assert_string_equal(mean_element(&f.m, slot, UOP_LOCAL, 4, false), "local[2]");
    assert_string_equal(mean_element(&f.m, stack, UOP_LOCAL, 4, true), "&local[0]");
    assert_string_equal(mean_expr(&f.m, param32(&f, 0x28), UOP_B32, MEAN_INNER), "stack pointer");
    assert_string_equal(mean_expr(&f.m, param64(&f, 0x118), UOP_B64, MEAN_INNER), "global descriptor");
    fixture_end(&f);
    (void)state;
}

static void mixed_shared_widths_are_bytes(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X), own = mul(&f, tid, int32(&f, 4));
    load(&f, own, UOP_SHARED, 4);
    load(&f, tid, UOP_SHARED, 1);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_element(&f.m, own, UOP_SHARED, 4, false), "shared8[4 * threadIdx.x]");
    fixture_end(&f);
    (void)state;
}

/* All accesses are four bytes wide, at places that are no whole number of such: by the byte, under that name. Where the
 * low bits are masked away each part divides. */
static void places_between_elements_are_bytes(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X);
    load(&f, tid, UOP_SHARED, 4);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_element(&f.m, tid, UOP_SHARED, 4, false), "shared8[threadIdx.x]");
    fixture_end(&f);
    fixture_begin(&f);
    tid = graph_sreg(&f.g, UOP_SR_TID_X);
    graph_id masked = graph_op2(&f.g, UOP_AND, UOP_B32, tid, int32(&f, 0x7c));
    graph_id turned = graph_op2(&f.g, UOP_XOR, UOP_B32, mul(&f, tid, int32(&f, 32)), masked);
    load(&f, turned, UOP_SHARED, 4);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_string_equal(mean_element(&f.m, turned, UOP_SHARED, 4, false),
                        "shared[(threadIdx.x & 0x7c) >> 2 ^ threadIdx.x << 3]");
    fixture_end(&f);
    (void)state;
}

static graph_id wide_index(struct fixture *f)
{
    graph_id block = graph_op1(&f->g, UOP_ZEXT, UOP_B64, graph_sreg(&f->g, UOP_SR_CTAID_X));
    graph_id size = graph_op1(&f->g, UOP_ZEXT, UOP_B64, graph_sreg(&f->g, UOP_SR_NTID_X));
    graph_id thread = graph_op1(&f->g, UOP_ZEXT, UOP_B64, graph_sreg(&f->g, UOP_SR_TID_X));
    return graph_op2(&f->g, UOP_ADD, UOP_B64, graph_op2(&f->g, UOP_MUL, UOP_B64, block, size), thread);
}

/* size_t i, and a parameter that is called i already. */
static void other_indices(void **state)
{
    static const struct mean_param params[] = {{0, 0, X_OFFSET, 8, "i", true, "double*"},
                                               {1, 8, Y_OFFSET, 8, "n", true, "unsigned long"}};
    struct fixture f;
    fixture_begin(&f);
    graph_id i = wide_index(&f);
    graph_id address =
        graph_op2(&f.g, UOP_ADD, UOP_B64, graph_op2(&f.g, UOP_MUL, UOP_B64, i, graph_const(&f.g, UOP_B64, 8)),
                  param64(&f, X_OFFSET));
    graph_id bound = compare(&f, UOP_ILT_U, UOP_B1, i, param64(&f, Y_OFFSET), 0);
    graph_id fixed = add(&f, mul(&f, graph_sreg(&f.g, UOP_SR_CTAID_X), int32(&f, 256)), graph_sreg(&f.g, UOP_SR_TID_X));
    graph_id v = load(&f, address, UOP_GLOBAL, 8);
    store(&f, element(&f, X_OFFSET, UOP_ZEXT, fixed, 8, 0), UOP_GLOBAL, 8, v);
    fixture_ready(&f, params, 2);
    assert_int_equal(f.m.names.n, 2);
    assert_string_equal(f.m.names.p[0].name, "j");
    assert_string_equal(f.m.names.p[0].type, "u64");
    assert_string_equal(f.m.names.p[0].expr, "blockIdx.x * blockDim.x + threadIdx.x");
    assert_string_equal(f.m.names.p[1].name, "k");
    assert_string_equal(f.m.names.p[1].type, "u32");
    assert_string_equal(f.m.names.p[1].expr, "blockIdx.x * 256 + threadIdx.x");
    assert_string_equal(mean_element(&f.m, address, UOP_GLOBAL, 8, false), "i[j]");
    assert_string_equal(mean_condition(&f.m, bound), "j < n");
    assert_string_equal(mean_type(&f.m, v), "f64");
    assert_int_equal(mean_param_access(&f.m, 1), MEAN_READ);
    fixture_end(&f);
    (void)state;
}

static void vectors_of_floats(void **state)
{
    static const struct mean_param params[] = {{0, 0, X_OFFSET, 8, "x", true, "float4 const*"},
                                               {1, 8, Y_OFFSET, 8, "y", true, "float*"}};
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0), whole = element(&f, X_OFFSET, UOP_SEXT, i, 16, 0),
             part = element(&f, X_OFFSET, UOP_SEXT, i, 16, 8);
    graph_id v = load(&f, whole, UOP_GLOBAL, 16);
    load(&f, part, UOP_GLOBAL, 4);
    struct uop word = {.kind = UOP_ELEMENT, .type = UOP_B32, .imm = 2};
    graph_id third = graph_pure(&f.g, &word, &v, 1);
    fixture_ready(&f, params, 2);
    assert_string_equal(mean_expr(&f.m, third, UOP_F32, MEAN_INNER), "x[i].z");
    assert_string_equal(mean_element(&f.m, part, UOP_GLOBAL, 4, false), "x[i].z");
    assert_string_equal(mean_element(&f.m, whole, UOP_GLOBAL, 16, true), "&x[i]");
    assert_string_equal(mean_element(&f.m, whole, UOP_GLOBAL, 16, false), "x[i]");
    fixture_end(&f);
    (void)state;
}

/* A pointer that is stored somewhere may be written through by others: unknown. */
static void escaping_pointers(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id x = param64(&f, X_OFFSET);
    store(&f, param64(&f, Y_OFFSET), UOP_GLOBAL, 8, x);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(mean_param_access(&f.m, 0), MEAN_ACCESS_UNKNOWN);
    assert_int_equal(mean_param_access(&f.m, 1), MEAN_WRITE);
    fixture_end(&f);
    (void)state;
}

/* An address with more terms than a sum may have is still one that x takes part in. */
static void addresses_beyond_sums(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id sum = param64(&f, X_OFFSET);
    for (unsigned k = 0; k < 12; k++) {
        struct uop like = {.kind = UOP_MULHI_U, .type = UOP_B64};
        graph_id a = graph_op1(&f.g, UOP_ZEXT, UOP_B64, graph_sreg(&f.g, k));
        graph_id odd = graph_pure(&f.g, &like, (graph_id[]){a, graph_const(&f.g, UOP_B64, 3)}, 2);
        sum = graph_op2(&f.g, UOP_ADD, UOP_B64, sum, odd);
    }
    store(&f, sum, UOP_GLOBAL, 4, load(&f, param64(&f, Y_OFFSET), UOP_GLOBAL, 4));
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(mean_param_access(&f.m, 0), MEAN_ACCESS_UNKNOWN);
    assert_int_equal(mean_param_access(&f.m, 1), MEAN_READ);
    fixture_end(&f);
    (void)state;
}

/* No block size in it, yet the index of two arrays: it gets a name, and its parts stay written out. */
static void indices_of_other_forms_have_names(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id lane = graph_op2(&f.g, UOP_AND, UOP_B32, graph_sreg(&f.g, UOP_SR_TID_X), int32(&f, 0x7f));
    graph_id at = add(&f, mul(&f, graph_sreg(&f.g, UOP_SR_CTAID_X), int32(&f, 128)), lane);
    graph_id bound = compare(&f, UOP_ILT_S, UOP_B1, at, param32(&f, N_OFFSET), 0);
    graph_id x = load(&f, element(&f, X_OFFSET, UOP_SEXT, at, 4, 0), UOP_GLOBAL, 4);
    graph_id next = element(&f, X_OFFSET, UOP_SEXT, at, 4, 4);
    store(&f, element(&f, Y_OFFSET, UOP_SEXT, at, 4, 0), UOP_GLOBAL, 4, x);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(f.m.names.n, 1);
    assert_string_equal(f.m.names.p[0].name, "i");
    assert_string_equal(f.m.names.p[0].expr, "128 * blockIdx.x + (threadIdx.x & 0x7f)");
    assert_string_equal(f.m.names.p[0].type, "s32");
    assert_false(mean_is_linear_index(&f.m, at));
    assert_string_equal(mean_expr(&f.m, x, UOP_F32, MEAN_INNER), "x[i]");
    assert_string_equal(mean_element(&f.m, next, UOP_GLOBAL, 4, false), "x[i + 1]");
    assert_string_equal(mean_condition(&f.m, bound), "i < n");
    fixture_end(&f);
    (void)state;
}

/* A block has at most 1024 threads: with 1024 and its multiples | is +. Not with 512. */
static void disjoint_bits_add(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id tid = graph_sreg(&f.g, UOP_SR_TID_X), block = graph_sreg(&f.g, UOP_SR_CTAID_X);
    graph_id i = graph_op2(&f.g, UOP_OR, UOP_B32, mul(&f, block, int32(&f, 1024)), tid);
    graph_id close = graph_op2(&f.g, UOP_OR, UOP_B32, mul(&f, block, int32(&f, 512)), tid);
    graph_id x = load(&f, element(&f, X_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4);
    load(&f, element(&f, X_OFFSET, UOP_SEXT, close, 4, 0), UOP_GLOBAL, 4);
    store(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 4, 0), UOP_GLOBAL, 4, x);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(f.m.names.n, 1);
    assert_string_equal(f.m.names.p[0].expr, "blockIdx.x * 1024 + threadIdx.x");
    assert_true(mean_is_linear_index(&f.m, i));
    assert_false(mean_is_linear_index(&f.m, close));
    assert_string_equal(mean_expr(&f.m, x, UOP_F32, MEAN_INNER), "x[i]");
    fixture_end(&f);
    (void)state;
}

static void narrow_stores_keep_the_low_part(void **state)
{
    struct fixture f;
    fixture_begin(&f);
    graph_id n = param32(&f, N_OFFSET), lo = param32(&f, LO_OFFSET);
    struct uop half = {.kind = UOP_F2F, .type = UOP_F16, .imm = UOP_F32};
    struct uop widen = {.kind = UOP_ZEXT, .type = UOP_B32, .imm = 16};
    graph_id narrow = graph_pure(&f.g, &half, &lo, 1), wide = graph_pure(&f.g, &widen, &narrow, 1);
    graph_id packed = graph_op2(&f.g, UOP_PAIR, UOP_B32, narrow, graph_const(&f.g, UOP_B16, 7));
    struct uop like = {.kind = UOP_PRMT, .type = UOP_B32};
    graph_id down = graph_pure(&f.g, &like, (graph_id[]){packed, int32(&f, 0x7632), n}, 3);
    fixture_ready(&f, fixture_params, FIXTURE_PARAMS);
    assert_int_equal(mean_stored_value(&f.m, down, 2), graph_const(&f.g, UOP_B16, 7));
    assert_int_equal(mean_stored_value(&f.m, wide, 2), narrow);
    assert_int_equal(mean_stored_value(&f.m, packed, 2), narrow);
    assert_int_equal(mean_stored_value(&f.m, packed, 4), packed);
    assert_int_equal(mean_stored_value(&f.m, n, 2), n);
    fixture_end(&f);
    (void)state;
}

/* The declared type and what is moved are different things: lanes of 64 bits, structs, one number over two. */
static void what_is_moved_shows(void **state)
{
    static const struct mean_param params[] = {{0, 0, X_OFFSET, 8, "d", true, "double2 const*"},
                                               {1, 8, Y_OFFSET, 8, "s", true, "Body*"},
                                               {2, 16, LO_OFFSET, 8, "c", true, "char*"},
                                               {3, 24, N_OFFSET, 4, "n", true, "int"}};
    struct fixture f;
    fixture_begin(&f);
    graph_id i = linear(&f, 0), words[4];
    graph_id four = load(&f, element(&f, X_OFFSET, UOP_SEXT, i, 16, 0), UOP_GLOBAL, 16);
    for (unsigned w = 0; w < 4; w++) {
        struct uop like = {.kind = UOP_ELEMENT, .type = UOP_B32, .imm = w};
        words[w] = graph_pure(&f.g, &like, &four, 1);
    }
    graph_id first = graph_op2(&f.g, UOP_PAIR, UOP_B64, words[0], words[1]);
    graph_id second = graph_op2(&f.g, UOP_PAIR, UOP_B64, words[2], words[3]);
    graph_id sum = graph_op2(&f.g, UOP_FADD, UOP_F64, first, second);
    graph_id mass = load(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 12, 4), UOP_GLOBAL, 4);
    graph_id twice = graph_op2(&f.g, UOP_FADD, UOP_F32, mass, mass);
    graph_id bytes = element(&f, LO_OFFSET, UOP_SEXT, i, 12, 4);
    graph_id number = load(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 12, 0), UOP_GLOBAL, 8);
    graph_id next = graph_op2(&f.g, UOP_ADD, UOP_B64, number, graph_const(&f.g, UOP_B64, 1));
    store(&f, bytes, UOP_GLOBAL, 4, int32(&f, 7));
    store(&f, element(&f, Y_OFFSET, UOP_SEXT, i, 12, 4), UOP_GLOBAL, 4, twice);
    fixture_ready(&f, params, 4);
    assert_string_equal(mean_expr(&f.m, sum, UOP_F64, MEAN_INNER), "d[i].x + d[i].y");
    assert_string_equal(mean_expr(&f.m, words[0], UOP_B32, MEAN_INNER), "lo(d[i].x)");
    assert_string_equal(mean_expr(&f.m, words[3], UOP_B32, MEAN_INNER), "hi(d[i].y)");
    assert_string_equal(mean_expr(&f.m, mass, UOP_F32, MEAN_INNER), "((float *)s)[3 * i + 1]");
    assert_string_equal(mean_element(&f.m, bytes, UOP_GLOBAL, 4, true), "&c[12 * i + 4]");
    assert_string_equal(mean_element(&f.m, bytes, UOP_GLOBAL, 4, false), "*(int *)&c[12 * i + 4]");
    assert_string_equal(mean_expr(&f.m, next, UOP_B64, MEAN_INNER), "*(long *)&((float *)s)[3 * i] + 1");
    fixture_end(&f);
    (void)state;
}

/* Bit operations on whole elements are of elements; one access at an odd byte leaves the others as they are. */
static void one_odd_access_makes_no_bytes(void **state)
{
    static const struct mean_param params[] = {{0, 0, X_OFFSET, 8, "p0", false, NULL}};
    struct fixture f;
    fixture_begin(&f);
    graph_id t = graph_sreg(&f.g, UOP_SR_TID_X), wide = graph_op1(&f.g, UOP_SEXT, UOP_B64, t);
    graph_id bytes = graph_op2(&f.g, UOP_MUL, UOP_B64, wide, graph_const(&f.g, UOP_B64, 4)), at[4];
    const uint64_t masks[4] = {4, UINT64_C(0xfffffffffffffff0), 6, 0};
    for (unsigned k = 0; k < 4; k++) {
        graph_id bits =
            k == 3 ? bytes
                   : graph_op2(&f.g, k == 1 ? UOP_AND : UOP_XOR, UOP_B64, bytes, graph_const(&f.g, UOP_B64, masks[k]));
        at[k] = graph_op2(&f.g, UOP_ADD, UOP_B64, bits, param64(&f, X_OFFSET));
        load(&f, at[k], UOP_GLOBAL, 4);
    }
    fixture_ready(&f, params, 1);
    assert_string_equal(mean_element(&f.m, at[0], UOP_GLOBAL, 4, false), "p0[threadIdx.x ^ 1]");
    assert_string_equal(mean_element(&f.m, at[1], UOP_GLOBAL, 4, false), "p0[threadIdx.x & 0xfffffffc]");
    assert_string_equal(mean_element(&f.m, at[2], UOP_GLOBAL, 4, false),
                        "*(int *)((char *)p0 + ((long)threadIdx.x << 2 ^ 6))");
    assert_string_equal(mean_element(&f.m, at[3], UOP_GLOBAL, 4, true), "&p0[threadIdx.x]");
    fixture_end(&f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disjoint_bits_add),
        cmocka_unit_test(narrow_stores_keep_the_low_part),
        cmocka_unit_test(what_is_moved_shows),
        cmocka_unit_test(indices_of_other_forms_have_names),
        cmocka_unit_test(elements_of_parameters),
        cmocka_unit_test(undeclared_arrays),
        cmocka_unit_test(shared_and_local),
        cmocka_unit_test(mixed_shared_widths_are_bytes),
        cmocka_unit_test(places_between_elements_are_bytes),
        cmocka_unit_test(other_indices),
        cmocka_unit_test(vectors_of_floats),
        cmocka_unit_test(one_odd_access_makes_no_bytes),
        cmocka_unit_test(escaping_pointers),
        cmocka_unit_test(addresses_beyond_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
