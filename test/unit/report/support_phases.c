/* A document made by hand: a kernel of three phases with one instruction scheduled among those of another, a loop in
 * two pieces with its work, a race between threads, and accesses of each form. */
#include "support_worked.h"

#include <string.h>

static const struct fact_instruction blank = {
    .file = FACT_NONE,
    .line = FACT_NONE,
    .ptx_line = FACT_NONE,
    .stall = FACT_NONE,
    .write_barrier = FACT_NONE,
    .read_barrier = FACT_NONE,
    .wait_mask = FACT_NONE,
    .yield = FACT_NONE,
};

static void add(struct fact_kernel *k, struct arena *a, enum fact_role role, const char *text, const char *expr)
{
    struct fact_instruction in = blank;
    in.offset = (uint32_t)k->instructions.n * 16;
    in.role = role;
    in.text = text;
    in.expr = expr;
    VEC_PUSH(a, k->instructions, in);
}

static void add_instructions(struct fact_kernel *k, struct arena *a)
{
    add(k, a, FACT_ROLE_SPECIAL_REGISTER, "S2R R4, SR_TID.X", "threadIdx.x"); /* 0x00: load */
    add(k, a, FACT_ROLE_LOAD, "LDG.E R0, [R2.64]", "p0[threadIdx.x]");
    add(k, a, FACT_ROLE_ADDRESS, "IMAD.WIDE R6, R4, R5, c[0x0][0x168]", "&p1[0]"); /* 0x20: of the last phase */
    add(k, a, FACT_ROLE_STORE, "STS [R4.X4], R0", "shared[threadIdx.x] = v0");
    add(k, a, FACT_ROLE_BARRIER, "BAR.SYNC.DEFER_BLOCKING 0x0", NULL);
    add(k, a, FACT_ROLE_LOAD, "LDS R1, [R4.X4]", "shared[threadIdx.x]"); /* 0x50: reduce */
    add(k, a, FACT_ROLE_LOAD, "LDS R3, [R2]", "shared[threadIdx.x + j]");
    add(k, a, FACT_ROLE_COMPUTE, "FADD R1, R1, R3", "v1");
    add(k, a, FACT_ROLE_STORE, "STS [R4.X4], R1", "shared[threadIdx.x] = v1");
    add(k, a, FACT_ROLE_BRANCH, "@P0 BRA 0x50", NULL);
    add(k, a, FACT_ROLE_LOAD, "LDS R9, [RZ]", "shared[0]"); /* 0xa0: finish */
    add(k, a, FACT_ROLE_STORE, "STG.E [R6.64], R9", "p1[0] = v2");
    add(k, a, FACT_ROLE_EXIT, "EXIT", NULL);
}

void worked_make_phases(struct fact_document *doc, struct arena *a)
{
    static const uint32_t load[] = {0x00, 0x10, 0x30, 0x40}, finish[] = {0x20, 0x20, 0xa0, 0xc0},
                          reduce_patterns[] = {0};
    static const struct fact_loop_piece pieces[] = {{false, 0x50, 0x70, 4}, {true, 0x80, 0x90, 1}};
    static const struct fact_carried carried[] = {{"j", 0x90, FACT_CARRIED_COUNTER, NULL}};
    static const uint32_t tree[] = {0x50, 0x60, 0x70, 0x80, 0x90};
    static const struct fact_binding op[] = {{"op", FACT_BIND_TEXT, "+", 0, NULL, 0}};
    static const struct fact_storage places[] = {
        {FACT_REGISTER, "R1", 0x70, 0x80, NULL, false},
        {FACT_SHARED, "shared+0x0", 0x80, 0x60, "&shared[threadIdx.x]", false}};
    static const struct fact_use uses[] = {{0x70, FACT_SHARED, true}};
    static const uint32_t made[] = {0x70}, parts[] = {0x40};
    static const struct fact_read reads[] = {{0x30, "own", FACT_SYNC_OWN, {NULL, 0}, FACT_PROVED},
                                             {0x30, "threadIdx.x + j", FACT_SYNC_BARRIER, {parts, 1}, FACT_PROVED},
                                             {0x80, "threadIdx.x + j", FACT_SYNC_NONE, {NULL, 0}, FACT_ASSUMED}};
    struct fact_kernel k = {.name = "_Z3sumPf",
                            .base_name = "sum",
                            .arch = "sm_86",
                            .summary = "sum over the threads of a block",
                            .registers = 12,
                            .uniform_registers = FACT_NONE,
                            .shared_bytes = 0,
                            .stack_bytes = 0,
                            .barriers = 1,
                            .code_bytes = 208,
                            .dynamic_shared = true};
    *doc = (struct fact_document){.a = a, .tool = "0.1.0"};
    add_instructions(&k, a);
    VEC_PUSH(a, k.phases, (struct fact_phase){FACT_PHASE_LOAD, 0, 0x40, load, 2, "x to shared memory", NULL, 0, {0}});
    VEC_PUSH(
        a, k.phases,
        (struct fact_phase){FACT_PHASE_REDUCE, 0x50, 0x90, NULL, 0, "sum by a tree", reduce_patterns, 1, {tree, 5}});
    VEC_PUSH(a, k.phases,
             (struct fact_phase){FACT_PHASE_FINISH, 0x20, 0xc0, finish, 2, "thread 0 stores it", NULL, 0, {0}});
    VEC_PUSH(a, k.loops,
             (struct fact_loop){.id = 0,
                                .parent = FACT_NONE,
                                .from = 0x50,
                                .to = 0x90,
                                .counter = "j",
                                .start = "blockDim.x >> 1",
                                .step = "j >> 1",
                                .until = "j == 0",
                                .unroll = 4,
                                .pieces = pieces,
                                .piece_count = 2,
                                .carried = carried,
                                .carried_count = 1,
                                .source_file = FACT_NONE,
                                .source_line = FACT_NONE,
                                .evidence = {tree, 5}});
    VEC_PUSH(a, k.loop_work,
             (struct fact_loop_work){.loop = 0, .work = {.flops = 1, .shared_bytes = 12, .has_shared = true}});
    k.has_work = true;
    k.work = (struct fact_work){.flops = 0, .global_bytes = 8};
    VEC_PUSH(a, k.patterns,
             (struct fact_pattern){.id = "tree-reduction",
                                   .parent = FACT_NONE,
                                   .offsets = {tree, 5},
                                   .bindings = {op, 1},
                                   .confidence = FACT_PROVED,
                                   .rule = "tree-reduction",
                                   .collects = true});
    VEC_PUSH(a, k.values,
             (struct fact_value){.id = "v1",
                                 .name = "shared[threadIdx.x] + shared[threadIdx.x + j]",
                                 .type = "f32",
                                 .cls = FACT_SHARED_MATERIALIZED,
                                 .storage = places,
                                 .storage_count = 2,
                                 .uses = uses,
                                 .use_count = 1,
                                 .evidence = {made, 1}});
    VEC_PUSH(a, k.accesses, (struct fact_access){0x10, FACT_GLOBAL, 4, 8, FACT_STRIDED, FACT_NONE, NULL, 0});
    VEC_PUSH(a, k.accesses, (struct fact_access){0x30, FACT_SHARED, 4, 4, FACT_FULL, 1, NULL, 0});
    VEC_PUSH(a, k.accesses, (struct fact_access){0x50, FACT_SHARED, 4, 128, FACT_STRIDED, 32, NULL, 0});
    VEC_PUSH(a, k.accesses, (struct fact_access){0x60, FACT_SHARED, 4, FACT_NONE, FACT_SCATTERED, FACT_NONE, reads, 3});
    VEC_PUSH(a, k.accesses, (struct fact_access){0xb0, FACT_GLOBAL, 4, 0, FACT_BROADCAST, FACT_NONE, NULL, 0});
    VEC_PUSH(a, doc->inputs, (struct fact_input){.path = "sum.cubin", .kind = "cubin", .status = "complete"});
    doc->diags = ARENA_NEW(a, struct diag_sink);
    diag_init(doc->diags, a);
    doc->diags->input = 0;
    diag_add(doc->diags, DIAG_WARNING, "unsynchronised", ".text._Z3sumPf", 0x60,
             "a thread reads what another may not have stored yet");
    diag_add(doc->diags, DIAG_NOTE, "line-program", ".text._Z3sumPf", 0x10, "a line is missing");
    diag_add(doc->diags, DIAG_WARNING, "unsynchronised", ".text._Z5otherPf", 0x60, "of another kernel");
    VEC_PUSH(a, doc->kernels, k);
}

/* One loop of the source in two pieces, 2 steps and 1: three stores of one line and a fourth of another, patterns with
 * a part each. */
void worked_make_copies(struct fact_document *doc, struct arena *a)
{
    static const struct fact_loop_piece pieces[] = {{false, 0x00, 0x30, 2}, {false, 0x40, 0x50, 1}};
    static const uint32_t at[][1] = {{0x10}, {0x30}, {0x50}};
    struct fact_kernel k = {.name = "k", .base_name = "k", .arch = "sm_86", .summary = "copies", .code_bytes = 112};
    *doc = (struct fact_document){.a = a, .tool = "0.1.0"};
    for (unsigned i = 0; i < 7; i++) {
        add(&k, a, FACT_ROLE_STORE, "STG", "p0[j] = v0");
        k.instructions.p[i].file = 0;
        k.instructions.p[i].line = i == 2 ? 8 : 9;
    }
    VEC_PUSH(a, k.loops,
             (struct fact_loop){.parent = FACT_NONE,
                                .to = 0x50,
                                .unroll = 2,
                                .pieces = pieces,
                                .piece_count = 2,
                                .source_file = FACT_NONE,
                                .source_line = FACT_NONE});
    for (uint32_t store = 0x10; store <= 0x60; store += 0x10) {
        static const char *const real[] = {"", "long one", "other line", "long two", "other array", "short", "behind"};
        const char *array = store == 0x40 ? "&p1[j]" : "&p0[j]";
        VEC_PUSH(a, k.outputs,
                 (struct fact_output){
                     .store = store, .address = array, .exact = real[store / 16], .real = real[store / 16]});
    }
    for (unsigned i = 0; i < 6; i++) /* three wholes, a part each */
        VEC_PUSH(a, k.patterns,
                 (struct fact_pattern){.id = i < 3 ? "whole" : "part",
                                       .parent = i < 3 ? FACT_NONE : (int32_t)i - 3,
                                       .offsets = {at[i % 3], 1},
                                       .rule = i < 3 ? "whole" : "part"});
    VEC_PUSH(a, doc->inputs, (struct fact_input){.path = "k.cubin", .kind = "cubin", .status = "complete"});
    VEC_PUSH(a, doc->files, "k.cu");
    VEC_PUSH(a, doc->kernels, k);
}
