/* Time and memory of the rooms between micro-operations and facts on kernels of hostile shapes, each at a size and at
 * twice the size: what is linear doubles. Kernels are instruction texts of one shape, lifted as real ones are; only the
 * rooms' own work is timed. Every measurement runs in a process of its own, so that its largest memory is its own.
 *
 * usage: bench_graph [--all] [SHAPE ...]      --all: every room up to the patterns, not the graph alone
 * prints a line a shape and room: instructions, instructions/s, bytes an instruction, time and memory of twice the size
 * over the size. Exit status 1 when a shape takes more than 2.2 times the time of half its size, or 1 KB an
 * instruction. */
#include "base/str.h"
#include "graph/graph.h"
#include "graph/graph_cycle.h"
#include "graph/graph_depend.h"
#include "meaning/mean.h"
#include "pattern/pat.h"
#include "place/place.h"
#include "rewrite/rew.h"
#include "uop/uop_lift.h"
#include "uop/uop_spelling.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SM = 86, STAGES = 8 };
static const char *const stage_names[STAGES] = {"graph",   "expand", "cycles",   "depend",
                                                "meaning", "place",  "patterns", "rewrite"};

struct code {
    struct arena *a;
    VEC(const char *) lines;
};

static uint32_t here(const struct code *c)
{
    return 16 * (uint32_t)c->lines.n;
}

static void add(struct code *c, const char *text)
{
    VEC_PUSH(c->a, c->lines, text);
}

static void add_branch(struct code *c, const char *guard, uint32_t to)
{
    add(c, arena_printf(c->a, "%sBRA 0x%x", guard, to));
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* One block: loads, sums and products in a chain. */
static void block(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n / 4; i++) {
        add(c, arena_printf(c->a, "LDG.E R%u, [R4.64+0x%x]", 8 + i % 16, 4 * (i % 1024)));
        add(c, arena_printf(c->a, "FFMA R3, R%u, R2, R3", 8 + i % 16));
        add(c, arena_printf(c->a, "IADD3 R%u, R%u, 0x%x, RZ", 32 + i % 8, 32 + (i + 1) % 8, i % 77));
        add(c, arena_printf(c->a, "LOP3.LUT R%u, R%u, R%u, RZ, 0x3c, !PT", 40 + i % 8, 32 + i % 8, 40 + (i + 3) % 8));
    }
}

/* `if (a != b) b++` again and again. */
static void diamonds(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, "ISETP.NE.AND P0, PT, R2, R3, PT");
        add_branch(c, "@P0 ", here(c) + 32);
        add(c, "IADD3 R3, R3, 0x1, RZ");
    }
}

/* A load in one arm, a store in the other, under ever new conditions. */
static void diamonds_memory(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "ISETP.GT.AND P0, PT, R2, 0x%x, PT", i));
        add_branch(c, "@P0 ", here(c) + 48);
        add(c, arena_printf(c->a, "STG.E [R4.64+0x%x], R3", 4 * (i % 4096)));
        add_branch(c, "", here(c) + 32);
        add(c, arena_printf(c->a, "LDG.E R3, [R6.64+0x%x]", 4 * (i % 4096)));
    }
}

/* n nests of 64 loops in one another, each with a counter of its own. */
static void nested(struct code *c, uint32_t n)
{
    enum { DEPTH = 64 };
    for (uint32_t nest = 0; nest < n; nest++) {
        uint32_t head[DEPTH];
        for (uint32_t i = 0; i < DEPTH; i++) {
            add(c, arena_printf(c->a, "MOV R%u, RZ", 16 + i));
            head[i] = here(c);
            add(c, arena_printf(c->a, "IADD3 R%u, R%u, 0x1, RZ", 16 + i, 16 + i));
        }
        add(c, "IADD3 R3, R3, 0x1, RZ");
        add(c, "LDG.E R8, [R4.64]");
        for (uint32_t i = DEPTH; i-- > 0;) {
            add(c, arena_printf(c->a, "ISETP.NE.AND P0, PT, R%u, R2, PT", 16 + i));
            add_branch(c, "@P0 ", head[i]);
        }
    }
}

/* n loops in one another, one counter for all, and a way out of all of them from the innermost. */
static void deep(struct code *c, uint32_t n)
{
    uint32_t first = here(c), out = first + 16 * (3 * n + 2);
    for (uint32_t i = 0; i < n; i++)
        add(c, "IADD3 R3, R3, 0x1, RZ");
    add(c, "ISETP.EQ.AND P0, PT, R3, R2, PT");
    add_branch(c, "@P0 ", out);
    for (uint32_t i = n; i-- > 0;) {
        add(c, arena_printf(c->a, "ISETP.NE.AND P0, PT, R3, 0x%x, PT", i));
        add_branch(c, "@P0 ", first + 16 * i);
    }
}

/* The same register under a guard of its own each time, and read. */
static void guarded(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "ISETP.NE.AND P%u, PT, R2, 0x%x, PT", i % 4, i));
        add(c, arena_printf(c->a, "@P%u IADD3 R3, R3, R2, RZ", i % 4));
    }
}

/* Guarded writes without a read between. */
static void guarded_only(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "ISETP.NE.AND P%u, PT, R2, 0x%x, PT", i % 4, i));
        add(c, arena_printf(c->a, "@P%u MOV R3, 0x%x", i % 4, i));
    }
}

/* Loops behind one another, each with a pointer, a counter and a sum. */
static void loops(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, "MOV R10, RZ");
        uint32_t head = here(c);
        add(c, "LDG.E R8, [R4.64]");
        add(c, "IADD3 R4, P1, R4, 0x4, RZ");
        add(c, "IMAD.X R5, RZ, RZ, R5, P1");
        add(c, "IADD3 R10, R10, 0x1, RZ");
        add(c, "FADD R3, R3, R8");
        add(c, "ISETP.NE.AND P0, PT, R10, R2, PT");
        add_branch(c, "@P0 ", head);
    }
}

/* One loop that is left at n places, all to the same block. */
static void breaks(struct code *c, uint32_t n)
{
    uint32_t head = here(c), out = head + 16 * (3 * n + 2);
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "ISETP.EQ.AND P0, PT, R3, 0x%x, PT", i));
        add_branch(c, "@P0 ", out);
        add(c, "IADD3 R3, R3, R2, RZ");
    }
    add(c, "ISETP.NE.AND P0, PT, R3, R2, PT");
    add_branch(c, "@P0 ", head);
}

/* One loop with n ways back. */
static void continues(struct code *c, uint32_t n)
{
    uint32_t head = here(c);
    for (uint32_t i = 0; i < n; i++) {
        add(c, "IADD3 R3, R3, R2, RZ");
        add(c, arena_printf(c->a, "ISETP.EQ.AND P0, PT, R3, 0x%x, PT", i));
        add_branch(c, "@P0 ", head);
    }
}

/* A ladder of tests, each leading to an arm of its own, all arms to one block. */
static void ladder(struct code *c, uint32_t n)
{
    uint32_t arms = here(c) + 32 * n + 16, out = arms + 32 * n;
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "ISETP.EQ.AND P0, PT, R2, 0x%x, PT", i));
        add_branch(c, "@P0 ", arms + 32 * i);
    }
    add_branch(c, "", out);
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "IADD3 R3, R3, 0x%x, RZ", i));
        add_branch(c, "", out);
    }
}

/* 64-bit sums that nothing reads whole before the end. */
static void carries(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "IADD3 R4, P1, R4, R%u, RZ", 8 + i % 4));
        add(c, "IMAD.X R5, RZ, RZ, R5, P1");
    }
    add(c, "LDG.E R3, [R4.64]");
}

/* Stores and loads of one buffer at places of their own. */
static void memory(struct code *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "STS [R9+0x%x], R3", 4 * (i % 8192)));
        add(c, arena_printf(c->a, "LDS R3, [R9+0x%x]", 4 * ((i * 7) % 8192)));
    }
}

/* Calls of one small subroutine. */
static void calls(struct code *c, uint32_t n)
{
    uint32_t sub = here(c) + 16 * (3 * n + 2);
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "MOV R20, 0x%x", here(c) + 48));
        add(c, "MOV R21, RZ");
        add(c, arena_printf(c->a, "CALL.REL.NOINC 0x%x", sub));
    }
    add(c, "STG.E [R4.64], R3");
    add(c, "EXIT");
    add(c, "FADD R3, R3, R2");
    add(c, "RET.REL.NODEC R20 0x0");
}

/* Copies round a loop: nothing changes but the names of registers. */
static void rotations(struct code *c, uint32_t n)
{
    uint32_t head = here(c);
    for (uint32_t i = 0; i < n; i++) {
        add(c, arena_printf(c->a, "MOV R%u, R%u", 16 + i % 128, 16 + (i + 1) % 128));
        add(c, arena_printf(c->a, "LOP3.LUT R%u, R%u, R%u, RZ, 0x3c, !PT", 16 + i % 128, 16 + i % 128,
                            16 + (i * 5) % 128));
    }
    add(c, "IADD3 R3, R3, R16, RZ");
    add(c, "ISETP.NE.AND P0, PT, R3, R2, PT");
    add_branch(c, "@P0 ", head);
}

static const struct {
    const char *name;
    void (*make)(struct code *c, uint32_t n);
    uint32_t size;
} shapes[] = {
    {"block", block, 50000},
    {"diamonds", diamonds, 5000},
    {"diamonds-memory", diamonds_memory, 5000},
    {"nested", nested, 20},
    {"deep", deep, 1000},
    {"guarded", guarded, 2000},
    {"guarded-only", guarded_only, 2000},
    {"loops", loops, 2000},
    {"breaks", breaks, 2000},
    {"continues", continues, 2000},
    {"ladder", ladder, 2000},
    {"carries", carries, 5000},
    {"memory", memory, 5000},
    {"calls", calls, 1000},
    {"rotations", rotations, 5000},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- measuring ------------------------------------------------------------------------------ */

struct result {
    uint32_t insns;
    double seconds[STAGES];
    double bytes; /* largest memory beyond what stood before the graph */
    uint32_t nodes;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double largest(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024;
}

static const struct graph_sreg_word words[] = {{0x0, UOP_SR_NTID_X}, {0x4, UOP_SR_NTID_Y}, {0xc, UOP_SR_NCTAID_X}};
static const struct graph_env env = {.sm = SM,
                                     .param_base = 0x160,
                                     .param_bytes = 32,
                                     .stack_offset = 0x28,
                                     .descriptor_offset = 0x118,
                                     .words = words,
                                     .word_count = 3};
static const struct mean_param params[] = {
    {.index = 0, .offset = 0, .constant_offset = 0x160, .size = 8, .name = "x", .type = "float*"},
    {.index = 1, .offset = 8, .constant_offset = 0x168, .size = 8, .name = "y", .type = "float*"}};

static bool lift(struct arena *a, const struct code *c, struct graph_input_insn *in)
{
    struct uop_lift_context context = {.sm = SM, .a = a};
    for (uint32_t i = 0; i < c->lines.n; i++) {
        struct isa_insn insn;
        struct uop_list *list = ARENA_NEW(a, struct uop_list);
        const char *bad = NULL;
        if (!list || !uop_parse_spelling(SM, c->lines.p[i], 16 * i, &insn, &bad)) {
            fprintf(stderr, "cannot read \"%s\" at \"%s\"\n", c->lines.p[i], bad ? bad : "");
            return false;
        }
        insn.offset = 16 * i;
        if (uop_lift(&context, &insn, list) != SP_OK)
            return false;
        in[i] = (struct graph_input_insn){.offset = 16 * i, .uops = list};
    }
    return true;
}

static bool run_shape(unsigned shape, uint32_t n, bool all, struct result *r)
{
    struct arena a, work, texts;
    struct graph g;
    struct graph_cycles cycles;
    struct graph_dependence dependence;
    struct graph_expansions expansions;
    struct mean mean;
    struct place place;
    struct pat_result found;
    struct rew_list rewrites;
    arena_init(&a, 0);
    arena_init(&work, 0);
    arena_init(&texts, 0);
    struct diag_sink diags;
    diag_init(&diags, &a);
    struct code c = {.a = &a};
    add(&c, "S2R R2, SR_TID.X");
    add(&c, "MOV R4, c[0x0][0x160]");
    add(&c, "MOV R5, c[0x0][0x164]");
    add(&c, "MOV R6, c[0x0][0x168]");
    add(&c, "MOV R7, c[0x0][0x16c]");
    add(&c, "IMAD.SHL.U32 R9, R2, 0x4, RZ");
    add(&c, "MOV R3, RZ");
    shapes[shape].make(&c, n);
    add(&c, "STG.E [R6.64], R3");
    add(&c, "EXIT");
    struct graph_input_insn *in = ARENA_ARRAY(&a, struct graph_input_insn, c.lines.n);
    if (!in || !lift(&a, &c, in))
        return false;
    struct pat_library *library = pat_library_new(&a);
    size_t pages = 0;
    const struct pat_page_text *page = all ? pat_embedded_pages(&pages) : NULL;
    for (size_t i = 0; i < pages; i++)
        if (pat_library_add(library, page[i].name, page[i].text, page[i].size, &diags) != SP_OK)
            return false;
    struct graph_input input = {.insns = in, .count = (uint32_t)c.lines.n, .env = &env};
    double before = largest(), t = now();
    bool fine = graph_build(&work, &input, &diags, &g) == SP_OK;
    r->insns = (uint32_t)c.lines.n;
    r->nodes = (uint32_t)g.nodes.n;
    for (int stage = 0; stage < STAGES && fine; stage++) {
        double t1 = now();
        switch (stage) {
        case 1: fine = pat_expand(library, &texts, &g, &expansions) == SP_OK; break;
        case 2: fine = graph_find_cycles(&work, &g, &cycles) == SP_OK; break;
        case 3: fine = graph_find_dependence(&work, &g, &dependence) == SP_OK; break;
        case 4: fine = mean_init(&mean, &texts, &g, params, 2) == SP_OK && mean_roles(&mean); break;
        case 5: fine = place_build(&work, &g, &place) == SP_OK; break;
        case 6: fine = pat_run(library, &mean, &texts, &found) == SP_OK; break;
        case 7: fine = rew_find_contractions(&work, &g, &rewrites) == SP_OK; break;
        default: t1 = t; break;
        }
        if (stage == 1)
            graph_set_expansions(&g, &expansions);
        if (stage == 2)
            g.cycles = &cycles;
        if (stage == 3)
            g.dependence = &dependence;
        r->seconds[stage] = now() - t1;
        if (stage == 0)
            r->bytes = largest() - before;
        if (!all)
            break;
    }
    return fine;
}

static bool measure(unsigned shape, uint32_t n, bool all, struct result *r)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        struct result made = {0};
        close(ends[0]);
        bool fine = run_shape(shape, n, all, &made) && write(ends[1], &made, sizeof made) == (ssize_t)sizeof made;
        _exit(fine ? 0 : 1);
    }
    close(ends[1]);
    bool fine = child > 0 && read(ends[0], r, sizeof *r) == (ssize_t)sizeof *r;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return fine;
}

static bool wanted(int argc, char **argv, const char *name)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        any = true;
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return !any;
}

int main(int argc, char **argv)
{
    bool all = false, good = true;
    for (int i = 1; i < argc; i++)
        all |= strcmp(argv[i], "--all") == 0;
    printf("%-16s %-9s %9s %12s %8s %8s %8s\n", "shape", "room", "insns", "insns/s", "B/insn", "time x", "memory x");
    for (unsigned s = 0; s < SHAPES; s++) {
        struct result half, full, again;
        if (!wanted(argc, argv, shapes[s].name))
            continue;
        if (!measure(s, shapes[s].size, all, &half) || !measure(s, 2 * shapes[s].size, all, &full)) {
            printf("%-16s failed\n", shapes[s].name);
            good = false;
            continue;
        }
        for (int turn = 0; turn < 2; turn++) { /* the best of three */
            if (measure(s, shapes[s].size, all, &again))
                for (int i = 0; i < STAGES; i++)
                    half.seconds[i] = again.seconds[i] < half.seconds[i] ? again.seconds[i] : half.seconds[i];
            if (measure(s, 2 * shapes[s].size, all, &again))
                for (int i = 0; i < STAGES; i++)
                    full.seconds[i] = again.seconds[i] < full.seconds[i] ? again.seconds[i] : full.seconds[i];
        }
        double grown = (double)full.insns / half.insns;
        for (int i = 0; i < (all ? STAGES : 1); i++) {
            double time = full.seconds[i] / half.seconds[i] / grown * 2, bytes = full.bytes / full.insns;
            bool bad = (time > 2.2 && full.seconds[i] > 0.005) || (i == 0 && bytes > 1024);
            printf("%-16s %-9s %9" PRIu32 " %12.0f %8.0f %8.2f %8.2f%s\n", i ? "" : shapes[s].name, stage_names[i],
                   full.insns, full.insns / full.seconds[i], i ? 0 : bytes, time, i ? 0 : full.bytes / half.bytes,
                   bad ? "  <-" : "");
            good &= !bad;
        }
    }
    return good ? 0 : 1;
}
