/* Random programs are run, instruction by instruction, beside their graph: whatever a register is read for, the node of
 * that use must come to what the register holds; a block that is entered must have a path that holds; what a branch
 * does must be what its condition says. Programs are full of guards, loops, 64-bit sums in two registers and jumps into
 * loops. Loop phis take their arguments as edges are followed; every other node is computed from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph_code.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 1500, INPUTS = 3, STEPS = 300, REGS = 12, PREDICATES = 5, CODE_MAX = 240 };

static uint32_t seed;

static uint32_t roll(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* ---- programs ------------------------------------------------------------------------------- */

struct program {
    struct arena *a;
    const char *line[CODE_MAX];
    uint32_t count;
};

static void put(struct program *p, const char *text)
{
    assert_true(p->count < CODE_MAX);
    p->line[p->count++] = text;
}

static unsigned reg(void)
{
    return 2 + roll(REGS - 2);
}

static unsigned even(void)
{
    return 2 + 2 * roll((REGS - 2) / 2);
}

static const char *guard(struct arena *a)
{
    return roll(3) ? "" : arena_printf(a, "@%sP%u ", roll(2) ? "!" : "", roll(PREDICATES));
}

/* What compilers make 64-bit values with. */
static void put_wide(struct program *p, const char *g)
{
    struct arena *a = p->a;
    unsigned e = even(), f = even(), h = even(), x = reg(), q = roll(PREDICATES), r = (q + 1) % PREDICATES;
    unsigned k = 1 + roll(30);
    static const char *const compares[] = {"LT", "EQ", "LE", "GT", "NE", "GE"};
    const char *compare = compares[roll(6)];
    switch (roll(12)) {
    case 0: put(p, arena_printf(a, "%sIMAD.WIDE.U32 R%u, R%u, 0x4, R%u", g, e, x, f)); break;
    case 1: put(p, arena_printf(a, "%sIMAD.WIDE R%u, R%u, 0x8, c[0x0][0x160]", g, e, x)); break;
    case 2:
    case 3:
        put(p, arena_printf(a, "%sIADD3 R%u, P%u, R%u, 0x%x, RZ", g, e, q, e, 4 + roll(64)));
        put(p, arena_printf(a, "%sIADD3.X R%u, RZ, R%u, RZ, P%u, !PT", g, e + 1, e + 1, q));
        break;
    case 4:
        put(p, arena_printf(a, "%sIADD3 R%u, P%u, R%u, R%u, RZ", g, e, q, e, f));
        put(p, arena_printf(a, "%sIADD3.X R%u, R%u, R%u, RZ, P%u, !PT", g, e + 1, e + 1, f + 1, q));
        break;
    case 5: /* a difference */
        put(p, arena_printf(a, "%sIADD3 R%u, P%u, R%u, -R%u, RZ", g, e, q, f, h));
        put(p, arena_printf(a, "%sIADD3.X R%u, R%u, ~R%u, RZ, P%u, !PT", g, e + 1, f + 1, h + 1, q));
        break;
    case 6: /* three words at once */
        put(p, arena_printf(a, "%sIADD3 R%u, P%u, P%u, R%u, R%u, R%u", g, e, q, r, e, f, h));
        put(p, arena_printf(a, "%sIADD3.X R%u, R%u, R%u, R%u, P%u, P%u", g, e + 1, e + 1, f + 1, h + 1, q, r));
        break;
    case 7: /* copies of both words */
        put(p, arena_printf(a, "%sMOV R%u, R%u", g, e, f));
        put(p, arena_printf(a, "%sMOV R%u, R%u", g, e + 1, f + 1));
        break;
    case 8: /* a compare */
        put(p, arena_printf(a, "%sISETP.%s.U32.AND P%u, PT, R%u, R%u, PT", g, compare, q, e, f));
        put(p, arena_printf(a, "%sISETP.%s.AND.EX P%u, PT, R%u, R%u, PT, P%u", g, compare, q, e + 1, f + 1, q));
        break;
    case 9: /* shifts */
        put(p, arena_printf(a, "%sSHF.L.U64.HI R%u, R%u, 0x%x, R%u", g, e + 1, e, k, e + 1));
        put(p, arena_printf(a, "%sIMAD.SHL.U32 R%u, R%u, 0x%x, RZ", g, e, e, 1u << k));
        break;
    case 10:
        put(p, arena_printf(a, "%sSHF.R.%s R%u, R%u, 0x%x, R%u", g, roll(2) ? "S64" : "U64", e, e, k, e + 1));
        put(p, arena_printf(a, "%sSHF.R.%s.HI R%u, RZ, 0x%x, R%u", g, roll(2) ? "S32" : "U32", e + 1, k, e + 1));
        break;
    default:
        put(p, arena_printf(a, "%sSHF.R.S32.HI R%u, RZ, 0x1f, R%u", g, e + 1, e));
        put(p, arena_printf(a, "%sLEA R%u, P%u, R%u, R%u, 0x3", g, f, q, e, f));
        put(p, arena_printf(a, "%sLEA.HI.X R%u, R%u, R%u, R%u, 0x3, P%u", g, f + 1, e, f + 1, e + 1, q));
        break;
    }
}

static void put_random(struct program *p)
{
    struct arena *a = p->a;
    const char *g = guard(a);
    unsigned d = reg(), x = reg(), y = reg(), e = even(), f = even(), q = roll(PREDICATES), r = roll(PREDICATES);
    static const char *const compares[] = {"LT", "EQ", "LE", "GT", "NE", "GE"};
    static const char *const joins[] = {"AND", "OR", "XOR"};
    const char *compare = compares[roll(6)], *join = joins[roll(3)];
    switch (roll(16)) {
    case 0: put(p, arena_printf(a, "%sIADD3 R%u, R%u, R%u, RZ", g, d, x, y)); break;
    case 1: put(p, arena_printf(a, "%sIADD3 R%u, R%u, 0x%x, -R%u", g, d, x, roll(9), y)); break;
    case 2: put(p, arena_printf(a, "%sMOV R%u, R%u", g, d, x)); break;
    case 3: put(p, arena_printf(a, "%sSEL R%u, R%u, R%u, P%u", g, d, x, y, q)); break;
    case 4: put(p, arena_printf(a, "%sLOP3.LUT R%u, R%u, R%u, RZ, 0x3c, !PT", g, d, x, y)); break;
    case 5: put(p, arena_printf(a, "%sLOP3.LUT R%u, R%u, R%u, R%u, 0x%x, !PT", g, d, x, y, d, roll(256))); break;
    case 6: put(p, arena_printf(a, "%sIMAD R%u, R%u, R%u, R%u", g, d, x, y, d)); break;
    case 7: put(p, arena_printf(a, "%sISETP.%s.AND P%u, PT, R%u, R%u, P%u", g, compare, q, x, y, r)); break;
    case 8: put(p, arena_printf(a, "%sLDG.E.64.CONSTANT R%u, [R%u.64+0x%x]", g, e, f, 8 * roll(4))); break;
    case 9: put(p, arena_printf(a, "%sLDG.E.CONSTANT R%u, [R%u.64+0x%x]", g, d, e, 4 * roll(8))); break;
    case 10: put(p, arena_printf(a, "%sISETP.NE.%s P%u, PT, R%u, 0x%x, P%u", g, join, q, x, roll(4), r)); break;
    default: put_wide(p, g); break;
    }
}

static void make_program(struct program *p, uint32_t number)
{
    struct arena *a = p->a;
    uint32_t blocks = 2 + number % 9, branch_at[16], branches = 0, start[16];
    put(p, "S2R R0, SR_TID.X");
    for (unsigned r = 2; r < REGS; r++)
        put(p, roll(3) ? arena_printf(a, "MOV R%u, c[0x0][0x%x]", r, 0x160 + 4 * (r % 8))
                       : arena_printf(a, "IADD3 R%u, R0, 0x%x, RZ", r, r));
    for (unsigned q = 0; q < PREDICATES; q++)
        put(p, arena_printf(a, "ISETP.GT.AND P%u, PT, R%u, 0x%x, PT", q, reg(), q));
    for (uint32_t i = 0; i < blocks; i++) {
        start[i] = 16 * p->count;
        for (uint32_t k = 1 + roll(6); k > 0; k--)
            put_random(p);
        put(p, arena_printf(a, "STG.E.64 [R%u.64], R%u", even(), even()));
        branch_at[branches++] = p->count;
        put(p, "");
    }
    for (uint32_t i = 0; i < branches; i++) {
        uint32_t to = start[roll(blocks)], kind = roll(10);
        bool last = i + 1 == branches;
        p->line[branch_at[i]] = last || kind == 0 ? (last ? "EXIT" : arena_printf(a, "@P%u EXIT", roll(PREDICATES)))
                                : kind == 1
                                    ? arena_printf(a, "BRA 0x%x", to)
                                    : arena_printf(a, "@%sP%u BRA 0x%x", roll(2) ? "!" : "", roll(PREDICATES), to);
    }
}

/* ---- the machine ---------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 31;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static uint64_t word_of(uint64_t salt, uint64_t address)
{
    return (uint32_t)(mixed(salt + address) >> (address % 3 ? 9 : 60)); /* small numbers too */
}

static uint64_t bytes_of(uint64_t salt, uint64_t address, unsigned bits)
{
    uint64_t low = word_of(salt, address);
    return bits == 64 ? low | word_of(salt, address + 4) << 32 : low;
}

struct machine {
    const struct graph *g;
    uint64_t constants, memory, thread;
    uint64_t regs[UOP_FILE_COUNT][256];
    /* the graph's side */
    uint64_t *value, *phi;
    bool *phi_unknown;
    bool *unknown; /* the value hangs on a truth nobody knows */
    uint32_t *stamp, now;
};

static uint64_t cut(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static uint64_t eval(struct machine *m, graph_id id)
{
    const struct graph *g = m->g;
    const struct graph_node *n = graph_at(g, id);
    if (m->stamp[id] == m->now)
        return m->value[id];
    uint64_t args[6] = {0}, r = 0;
    bool unknown = n->kind == GRAPH_RESULT || n->kind == GRAPH_ENTRY;
    unsigned bits = uop_type_bits((enum uop_type)n->type), row = 0, free = 0;
    for (unsigned i = 0; i < n->arg_count; i++) {
        args[i] = eval(m, n->arg[i]);
        unknown |= m->unknown[n->arg[i]];
        row |= (unsigned)(args[i] & 1) << i;
        free |= (unsigned)m->unknown[n->arg[i]] << i;
    }
    struct uop u = {
        .kind = n->kind, .type = n->type, .round = n->round, .flags = n->flags, .space = n->space, .imm = n->imm};
    bool table = n->kind == GRAPH_BOOL || (n->kind == UOP_LOP3 && n->type == UOP_B1); /* argument k is bit k */
    if (table) {
        unknown = false; /* but where it hangs on what is unknown */
        r = n->imm >> row & 1;
        for (unsigned other = 0; other < 1u << n->arg_count; other++)
            unknown |= ((other ^ row) & ~free) == 0 && (n->imm >> other & 1) != r;
    } else if (n->kind == UOP_SELECT) {
        r = args[0] ? args[1] : args[2];
        unknown = m->unknown[n->arg[0]] || m->unknown[n->arg[args[0] ? 1 : 2]];
    } else if (n->kind == UOP_CONST)
        r = n->imm;
    else if (n->kind == UOP_SREG)
        r = n->imm == UOP_SR_TID_X ? m->thread : 77 + n->imm;
    else if (n->kind == UOP_CBANK)
        r = bytes_of(m->constants, n->imm, bits);
    else if (n->kind == UOP_LOAD)
        r = bytes_of(m->memory, args[0], bits);
    else if (n->kind == GRAPH_PHI)
        r = m->phi[id], unknown = m->phi_unknown[id];
    else if (!unknown && !uop_eval(&u, args, &r))
        fail_msg("node %u of kind %u is not computed", id, n->kind);
    m->stamp[id] = m->now;
    m->unknown[id] = unknown;
    m->value[id] = r;
    return r;
}

/* Phis of a block take their arguments of one edge, all at once; on the way into a loop, those that are not of the loop
 * before those that start with them. */
static void follow_edge(struct machine *m, uint32_t from, uint32_t to, bool taken_edge)
{
    const struct graph *g = m->g;
    const struct graph_block *b = &g->blocks.p[to];
    uint32_t place = 0;
    bool back = false;
    uint64_t *taken = calloc(g->nodes.n, sizeof *taken);
    bool *untold = calloc(g->nodes.n, sizeof *untold);
    assert_true(taken && untold);
    while (b->preds[place] != from)
        place++;
    if (!taken_edge && place + 1 < b->pred_count && b->preds[place + 1] == from)
        place++; /* both ways out of a branch lead here */
    for (graph_id id = 1; id < g->nodes.n; id++)
        back |= graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->block == to &&
                graph_at(g, id)->phi_args[place] == id;
    for (int turn = back; turn < 2; turn++) {
        for (graph_id id = 1; id < g->nodes.n; id++)
            if (graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->block == to) {
                taken[id] = eval(m, graph_at(g, id)->phi_args[place]);
                untold[id] = m->unknown[graph_at(g, id)->phi_args[place]];
            }
        for (graph_id id = 1; id < g->nodes.n; id++)
            if (graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->block == to && (turn || !graph_at(g, id)->imm))
                m->phi[id] = taken[id], m->phi_unknown[id] = untold[id];
        m->now++;
    }
    free(taken);
    free(untold);
}

/* Holds, does not, or speaks of what nobody knows (any value goes). */
static bool agrees(struct machine *m, graph_id id, uint64_t value)
{
    return id == GRAPH_NIL || eval(m, id) == value || m->unknown[id];
}

/* Runs one instruction; answers where control goes: 0 on, 1 to *target, 2 nowhere. */
static int run_one(struct machine *m, uint32_t at, uint64_t *target)
{
    const struct graph *g = m->g;
    const struct graph_insn *insn = &g->insns.p[at];
    const struct uop_list *l = g->input.insns[insn->input].uops;
    uint64_t results[64] = {0};
    int goes = 0;
    uint32_t use = insn->first_use;
    assert_true(l->ops.n <= 64);
    for (size_t i = 0; i < l->ops.n; i++) {
        const struct uop *u = &l->ops.p[i];
        uint64_t args[UOP_MAX_ARGS] = {0};
        for (unsigned k = 0; k < UOP_MAX_ARGS; k++)
            if (u->arg[k] != UOP_NONE)
                args[k] = results[u->arg[k]];
        unsigned bits = uop_type_bits((enum uop_type)u->type);
        switch (u->kind) {
        case UOP_READ: results[i] = m->regs[u->file][u->reg]; break;
        case UOP_WRITE:
        case UOP_NOP: results[i] = args[0]; break;
        case UOP_CONST: results[i] = cut(u->imm, bits); break;
        case UOP_SREG: results[i] = u->imm == UOP_SR_TID_X ? m->thread : 77 + u->imm; break;
        case UOP_CBANK: results[i] = bytes_of(m->constants, u->imm, bits); break;
        case UOP_LOAD: results[i] = bytes_of(m->memory, args[0], bits); break;
        case UOP_STORE: break;
        case UOP_BRANCH:
        case UOP_EXIT: break;
        default:
            if (!uop_eval(u, args, &results[i]))
                fail_msg("uop of kind %u is not computed", u->kind);
        }
    }
    bool runs = l->guard == UOP_NONE || results[l->guard];
    assert_true(agrees(m, insn->guard, runs));
    assert_true(agrees(m, insn->runs_when, runs));
    for (size_t i = 0; i < l->ops.n && runs; i++) {
        const struct uop *u = &l->ops.p[i];
        if (u->kind == UOP_BRANCH && (u->arg[0] == UOP_NONE || results[u->arg[0]])) {
            goes = 1;
            *target = u->imm;
        } else if (u->kind == UOP_EXIT) {
            goes = 2;
        }
    }
    for (; use < insn->first_use + insn->use_count && runs; use++) {
        const struct graph_use *x = &g->uses.p[use];
        uint64_t held = m->regs[x->file][x->reg];
        if (!agrees(m, x->node, held)) {
            char text[300];
            graph_print(g, x->node, text, sizeof text);
            fail_msg("at 0x%x R%u holds 0x%" PRIx64 ", its node 0x%" PRIx64 ": %s", insn->offset, x->reg, held,
                     eval(m, x->node), text);
        }
    }
    for (uint32_t k = 0; k < insn->access_count && runs; k++) {
        const struct graph_access *access = &g->accesses.p[insn->first_access + k];
        for (size_t i = 0; i < l->ops.n; i++)
            if (l->ops.p[i].kind == UOP_STORE || l->ops.p[i].kind == UOP_LOAD)
                assert_true(agrees(m, access->address, results[l->ops.p[i].arg[0]]));
    }
    for (size_t i = 0; i < l->ops.n && runs; i++)
        if (l->ops.p[i].kind == UOP_WRITE)
            m->regs[l->ops.p[i].file][l->ops.p[i].reg] = results[i];
    return goes;
}

static void run(const struct graph *g, uint32_t input)
{
    struct machine m = {
        .g = g, .constants = mixed(input + 1), .memory = mixed(input + 99), .thread = input * 7, .now = 1};
    m.value = calloc(g->nodes.n, sizeof *m.value);
    m.phi = calloc(g->nodes.n, sizeof *m.phi);
    m.phi_unknown = calloc(g->nodes.n, sizeof *m.phi_unknown);
    m.stamp = calloc(g->nodes.n, sizeof *m.stamp);
    m.unknown = calloc(g->nodes.n, sizeof *m.unknown);
    assert_true(m.value && m.phi && m.phi_unknown && m.stamp && m.unknown);
    uint32_t block = 0;
    for (uint32_t steps = 0; steps < STEPS; steps++) {
        const struct graph_block *b = &g->blocks.p[block];
        uint64_t target = 0;
        int goes = 0;
        assert_true(b->reachable);
        assert_true(agrees(&m, b->path, 1));
        for (uint32_t i = b->first; i <= b->last && !goes; i++)
            goes = run_one(&m, i, &target);
        uint32_t next = UINT32_MAX;
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (goes == 1 ? g->insns.p[g->blocks.p[b->succs[k]].first].offset == target
                          : g->blocks.p[b->succs[k]].first == b->last + 1)
                next = b->succs[k];
        if (goes == 2 || next == UINT32_MAX)
            break;
        follow_edge(&m, block, next, goes == 1);
        block = next;
    }
    free(m.value);
    free(m.phi);
    free(m.phi_unknown);
    free(m.stamp);
    free(m.unknown);
}

static void graphs_say_what_happens(void **state)
{
    (void)state;
    unsigned wide = 0, unchanged = 0, irreducible = 0;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        struct arena a;
        arena_init(&a, 0);
        struct program p = {.a = &a};
        seed = i * 2654435761u + 12345;
        make_program(&p, i);
        const struct graph *g = code_graph(&a, 86, p.line, p.count, &env_86);
        for (size_t l = 0; l < g->loops.n; l++)
            irreducible += g->loops.p[l].irreducible;
        for (graph_id id = 1; id < g->nodes.n; id++)
            wide += graph_is_loop_phi(g, id) && graph_at(g, id)->type == UOP_B64;
        unchanged += g->loops.n > 0;
        for (uint32_t input = 0; input < INPUTS; input++)
            run(g, input);
        arena_free(&a);
    }
    assert_true(wide > 100 && unchanged > 100 && irreducible > 10); /* the programs are worth it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_say_what_happens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
