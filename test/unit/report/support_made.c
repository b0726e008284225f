/* Documents made by hand: what the worked document has not (loops, spills, shared memory, unknowns, a comparison,
 * diagnostics, hostile names), and one where everything that may be missing is. */
#include "support_worked.h"

#include <string.h>

#define OFFSETS(...) \
    offsets_of(a, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static struct fact_offsets offsets_of(struct arena *a, const uint32_t *p, uint32_t n)
{
    uint32_t *kept = ARENA_ARRAY(a, uint32_t, n);
    memcpy(kept, p, n * sizeof *p);
    return (struct fact_offsets){kept, n};
}

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

static void add_instruction(struct fact_kernel *k, struct arena *a, uint32_t offset, enum fact_role role,
                            const char *text, const char *expr, const char *when)
{
    struct fact_instruction in = blank;
    in.offset = offset;
    in.role = role;
    in.text = text;
    in.expr = expr;
    in.runs_when = when;
    VEC_PUSH(a, k->instructions, in);
}

static struct fact_kernel loop_kernel(struct arena *a)
{
    static const struct fact_loop_piece pieces[] = {{false, 0x40, 0x70, 4}, {true, 0x80, 0x80, 1}};
    static const struct fact_carried carried[] = {{"stride", 0x40, FACT_CARRIED_COUNTER, NULL},
                                                  {"sum", 0x50, FACT_CARRIED_DATA, "v1"}};
    static const struct fact_storage places[] = {{FACT_REGISTER, "R4", 0x50, 0x70, NULL, false},
                                                 {FACT_SHARED, "shared+0x0", 0x70, 0x80, "&shared[threadIdx.x]", true},
                                                 {FACT_LOCAL, "local", 0x70, 0x80, "&local[0]", false}};
    static const struct fact_use uses[] = {{0x70, FACT_REGISTER, false}, {0x80, FACT_SHARED, true}};
    static const struct fact_hold holds[] = {{0x40, 0x50, "threadIdx.x", FACT_WHOLE, NULL},
                                             {0x50, 0x70, "sum | \"carried\"", FACT_HI, "v1"}};
    static const struct fact_binding group[] = {{"lo", FACT_BIND_INT, NULL, -1, NULL, 0},
                                                {"deep", FACT_BIND_NULL, NULL, 0, NULL, 0}};
    static const struct fact_binding bindings[] = {{"op", FACT_BIND_TEXT, "add", 0, NULL, 0},
                                                   {"exact", FACT_BIND_BOOL, NULL, 1, NULL, 0},
                                                   {"range", FACT_BIND_GROUP, NULL, 0, group, 2}};
    static const char *via[] = {"reassociation"};
    static const struct fact_inline inlined[] = {{0, 12, "helper"}, {FACT_NONE, 3, NULL}};
    struct fact_kernel k = {.name = "_Z3sumPf",
                            .demangled = "sum(float*)",
                            .base_name = "sum",
                            .arch = "sm_90a",
                            .summary = "sum of 1000 elements, by a tree in shared memory",
                            .registers = 24,
                            .uniform_registers = 4,
                            .shared_bytes = 1024,
                            .stack_bytes = 16,
                            .barriers = 1,
                            .code_bytes = 256,
                            .dynamic_shared = true};
    add_instruction(&k, a, 0x40, FACT_ROLE_SPECIAL_REGISTER, "S2R R4, SR_TID.X", "threadIdx.x", NULL);
    add_instruction(&k, a, 0x50, FACT_ROLE_COMPUTE, "FADD R4, R4, R5", "v1 + shared[threadIdx.x + stride]",
                    "threadIdx.x < stride");
    add_instruction(&k, a, 0x60, FACT_ROLE_UNKNOWN, "<unknown 0x0123456789abcdef>", NULL, "threadIdx.x < stride");
    add_instruction(&k, a, 0x70, FACT_ROLE_SPILL, "STL [R1], R4", "local[0] = v1", NULL);
    add_instruction(&k, a, 0x80, FACT_ROLE_BARRIER, "BAR.SYNC.DEFER_BLOCKING 0x0", NULL, NULL);
    k.instructions.p[1].inlined = inlined;
    k.instructions.p[1].inlined_count = 2;
    k.instructions.p[1].line = 7;
    k.instructions.p[1].file = 0;
    VEC_PUSH(a, k.params, (struct fact_param){0, 0, 0x210, 8, "p0", false, NULL, FACT_READWRITE});
    VEC_PUSH(a, k.phases,
             (struct fact_phase){FACT_PHASE_REDUCE, 0x40, 0x80, NULL, 0, "sum over shared", NULL, 0, OFFSETS(0x50)});
    VEC_PUSH(a, k.loops,
             (struct fact_loop){.id = 0,
                                .parent = FACT_NONE,
                                .from = 0x40,
                                .to = 0x80,
                                .counter = "stride",
                                .start = "blockDim.x >> 1",
                                .step = "stride >> 1",
                                .until = "stride == 0",
                                .unroll = 4,
                                .pieces = pieces,
                                .piece_count = 2,
                                .carried = carried,
                                .carried_count = 2,
                                .source_file = 0,
                                .source_line = 9,
                                .evidence = OFFSETS(0x40, 0x50)});
    VEC_PUSH(a, k.loops,
             (struct fact_loop){
                 .id = 1, .parent = 0, .from = 0x50, .to = 0x60, .source_file = FACT_NONE, .source_line = FACT_NONE});
    VEC_PUSH(a, k.values,
             (struct fact_value){.id = "v1",
                                 .name = "sum",
                                 .expr = "v1 + shared[threadIdx.x + stride]",
                                 .type = "f32",
                                 .cls = FACT_SHARED_MATERIALIZED,
                                 .storage = places,
                                 .storage_count = 3,
                                 .uses = uses,
                                 .use_count = 2,
                                 .confidence = FACT_ASSUMED,
                                 .evidence = OFFSETS(0x50)});
    VEC_PUSH(a, k.register_flow, (struct fact_register){"R4", holds, 2});
    VEC_PUSH(a, k.patterns,
             (struct fact_pattern){"tree-reduction",
                                   FACT_NONE,
                                   OFFSETS(0x40, 0x50, 0x60, 0x70),
                                   {bindings, 3},
                                   {via, 1},
                                   FACT_MATCHED,
                                   "tree-reduction/loop"});
    VEC_PUSH(a, k.patterns,
             (struct fact_pattern){"barrier", 0, OFFSETS(0x80), {NULL, 0}, {NULL, 0}, FACT_PROVED, "barrier"});
    VEC_PUSH(a, k.rewrites,
             (struct fact_rewrite){.kind = "min-max-refused",
                                   .stage = FACT_STAGE_UNKNOWN,
                                   .reason = "nan",
                                   .source_file = FACT_NONE,
                                   .source_line = FACT_NONE,
                                   .sass = OFFSETS(0x50),
                                   .confidence = FACT_PROVED});
    VEC_PUSH(a, k.accesses, (struct fact_access){0x80, FACT_SHARED, 4, FACT_NONE, FACT_SCATTERED, 8, NULL, 0});
    VEC_PUSH(a, k.occupancy, (struct fact_occupancy){256, 64, "registers"});
    VEC_PUSH(a, k.unknown, (struct fact_unknown){0x60, "<unknown>", "0x0123456789abcdef", FACT_WHY_ENCODING});
    k.has_work = true;
    k.work = (struct fact_work){0.5, 0, 12, 0, true, false};
    return k;
}

void worked_make_loops(struct fact_document *doc, struct arena *a)
{
    *doc = (struct fact_document){.a = a, .tool = "0.1.0"};
    doc->diags = ARENA_NEW(a, struct diag_sink);
    diag_init(doc->diags, a);
    doc->diags->input = 0;
    diag_add(doc->diags, DIAG_WARNING, "line-program", ".debug_line", 64, "opcode 0x%x expected", 5);
    doc->diags->input = -1;
    diag_add(doc->diags, DIAG_NOTE, "depth", NULL, -1, "a phi was kept");
    VEC_PUSH(
        a, doc->inputs,
        (struct fact_input){.path = "a\033[31mb.cubin", .member = "lib.so.3", .kind = "cubin", .status = "partial"});
    VEC_PUSH(a, doc->files, "/src/sum|all.cu");
    VEC_PUSH(a, doc->kernels, loop_kernel(a));
    struct fact_kernel other = loop_kernel(a);
    other.base_name = "sum_`two`";
    other.registers = 20;
    other.patterns.n = 1;
    other.arch = "sm_120";
    VEC_PUSH(a, doc->kernels, other);
}

void worked_make_empty(struct fact_document *doc, struct arena *a)
{
    struct fact_kernel none = {.registers = FACT_NONE,
                               .uniform_registers = FACT_NONE,
                               .shared_bytes = FACT_NONE,
                               .stack_bytes = FACT_NONE,
                               .barriers = FACT_NONE,
                               .code_bytes = FACT_NONE,
                               .input = 7};
    struct fact_kernel zero = {0};
    *doc = (struct fact_document){.a = a};
    VEC_PUSH(a, doc->inputs, (struct fact_input){0});
    VEC_PUSH(a, zero.params, (struct fact_param){0});
    VEC_PUSH(a, zero.names, (struct fact_name){0});
    VEC_PUSH(a, zero.outputs, (struct fact_output){0});
    VEC_PUSH(a, zero.phases, (struct fact_phase){0});
    VEC_PUSH(a, zero.loops, (struct fact_loop){0});
    VEC_PUSH(a, zero.instructions, (struct fact_instruction){0});
    VEC_PUSH(a, zero.values, (struct fact_value){0});
    VEC_PUSH(a, zero.patterns, (struct fact_pattern){0}); /* its own parent */
    VEC_PUSH(a, zero.patterns, (struct fact_pattern){.parent = 2});
    VEC_PUSH(a, zero.patterns, (struct fact_pattern){.parent = 1}); /* a cycle */
    VEC_PUSH(a, zero.rewrites, (struct fact_rewrite){0});
    VEC_PUSH(a, zero.accesses, (struct fact_access){0});
    VEC_PUSH(a, zero.register_flow, (struct fact_register){.name = "R0"});
    VEC_PUSH(a, zero.unknown, (struct fact_unknown){0});
    VEC_PUSH(a, doc->kernels, none);
    VEC_PUSH(a, doc->kernels, zero);
}
