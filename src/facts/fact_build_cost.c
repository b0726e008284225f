/* What a kernel costs by its code alone: every memory access with its stride, coalescing form and bank conflicts; the
 * operations and bytes of a thread outside loops and of one turn of each loop of the source; how many warps fit on a
 * multiprocessor for the usual block sizes.
 *
 * Work is counted once an instruction, whatever its guard, slow paths left out. A loop that was copied counts by its
 * piece with the fewest copies, divided by their number, and its copies count nowhere else; one that was unrolled away
 * counts where its copies stand. Where the copies do not add up nothing is said. */
#include "facts/fact_build.h"

#include "base/str.h"
#include "graph/graph_cycle.h"

#include <string.h>

/* ---- accesses -------------------------------------------------------------------------------- */

enum fact_where fact_space_of(unsigned space)
{
    static const enum fact_where spaces[] = {FACT_GLOBAL, FACT_SHARED, FACT_LOCAL, FACT_GLOBAL, FACT_CONSTANT};
    return spaces[space];
}

static bool build_accesses(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    static const enum fact_coalescing forms[] = {FACT_FULL, FACT_STRIDED, FACT_BROADCAST, FACT_SCATTERED,
                                                 FACT_COALESCING_UNKNOWN};
    struct graph *g = s->g;
    struct place_lanes lanes;
    if (place_lanes_find(g->a, g, s->kernel->reqntid, true, &lanes) != SP_OK)
        return false;
    for (size_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct place_access p;
        uint32_t offset = g->insns.p[x->insn].offset;
        bool again = false, copies = i && g->accesses.p[i - 1].insn == x->insn && x->kind == GRAPH_STORE;
        for (size_t j = k->accesses.n; j-- > 0 && !again && k->accesses.n - j < 8;)
            again = k->accesses.p[j].offset == offset && (!copies || k->accesses.p[j].space == fact_space_of(x->space));
        if (again)
            continue;
        place_access_of(&lanes, x, &p);
        struct fact_access f = {.offset = offset,
                                .space = fact_space_of(x->space),
                                .bytes = x->width,
                                .stride_bytes = p.stride_known && p.stride > INT32_MIN && p.stride <= INT32_MAX
                                                    ? (int32_t)p.stride
                                                    : FACT_NONE,
                                .coalescing = forms[p.coalescing],
                                .conflict_degree = p.conflict_degree ? (int32_t)p.conflict_degree : FACT_NONE};
        VEC_PUSH(a, k->accesses, f);
    }
    return true;
}

/* ---- work ------------------------------------------------------------------------------------ */

static bool is_float_compare(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    if (n->kind == GRAPH_BOOL || (n->kind == UOP_NOT && n->type == UOP_B1)) {
        for (unsigned i = 0; i < n->arg_count; i++)
            if (is_float_compare(g, n->arg[i]))
                return true;
        return false;
    }
    return n->kind >= UOP_FLT && n->kind <= UOP_FNUM;
}

/* A register set to a constant or to what another holds, by whatever instruction, is no arithmetic; a choice between
 * numbers by a comparison of numbers is one operation, the comparison with it. */
static double flops_of(const struct graph *g, const struct graph_insn *insn)
{
    const struct uop_list *l = g->input.insns[insn->input].uops;
    bool nothing_new = insn->def_count > 0;
    double flops = 0;
    for (uint32_t d = insn->first_def; d < insn->first_def + insn->def_count; d++) {
        const struct graph_node *n = graph_at(g, g->defs.p[d].node);
        bool copy = n->kind == UOP_CONST;
        for (uint32_t u = insn->first_use; u < insn->first_use + insn->use_count && !copy; u++)
            copy = g->uses.p[u].node == g->defs.p[d].node;
        nothing_new &= copy;
        bool again = g->defs.p[d].part == 2; /* a double is chosen word by word */
        if (n->kind == UOP_SELECT && !again && is_float_compare(g, n->arg[0]))
            for (size_t i = 0; i < l->ops.n; i++)
                flops += l->ops.p[i].kind == UOP_SELECT; /* the instruction chooses itself, it copies no choice */
    }
    if (nothing_new)
        return 0;
    for (size_t i = 0; i < l->ops.n; i++) {
        unsigned kind = l->ops.p[i].kind;
        if (kind == UOP_FFMA)
            flops += 2;
        else if (kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FMIN || kind == UOP_FMAX || kind == UOP_FSWZADD ||
                 (kind >= UOP_EX2 && kind <= UOP_RSQ64H))
            flops += 1;
    }
    return flops;
}

/* Floats that divide integers are the integer's operation. */
static bool divides_integers(const struct fact_kernel *k, uint32_t input)
{
    const struct fact_instruction *in = input < k->instructions.n ? &k->instructions.p[input] : NULL;
    for (uint32_t i = 0; in && i < in->pattern_count; i++)
        if (in->patterns[i] < k->patterns.n && str_starts(k->patterns.p[in->patterns[i]].id, "int-division"))
            return true;
    return false;
}

static void add_instance(const struct fact_source *s, const struct fact_kernel *k, uint32_t i, struct fact_work *w)
{
    const struct graph *g = s->g;
    const struct graph_insn *insn = &g->insns.p[i];
    if (insn->input < k->instructions.n && k->instructions.p[insn->input].role == FACT_ROLE_SLOW_PATH)
        return;
    double flops = flops_of(g, insn);
    w->flops += flops > 0 && divides_integers(k, insn->input) ? 0 : flops;
    for (uint32_t x = insn->first_access; x < insn->first_access + insn->access_count; x++) {
        const struct graph_access *access = &g->accesses.p[x];
        if (access->space == UOP_GLOBAL || access->space == UOP_GENERIC)
            w->global_bytes += access->width;
        if (access->space == UOP_SHARED)
            w->shared_bytes += access->width;
    }
}

static bool is_whole(double n)
{
    return n == (double)(int64_t)n;
}

/* The copies of a step do the same: figures that the number of copies does not divide are no turn's. */
static void finish_work(struct fact_work *w, double turns)
{
    w->flops /= turns;
    w->global_bytes /= turns;
    w->shared_bytes /= turns;
    w->unknown |= !is_whole(w->flops) || !is_whole(w->global_bytes) || !is_whole(w->shared_bytes);
    w->has_intensity = w->global_bytes > 0;
    if (w->has_intensity)
        w->intensity = w->flops / w->global_bytes;
}

/* The piece of a cycle that is counted, NULL: none of them is a loop. */
static const struct graph_piece *counted_piece(const struct graph_cycle *c)
{
    const struct graph_piece *best = NULL;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        if (!p->straight && p->block_count && (!best || p->unroll < best->unroll))
            best = p;
    }
    return best;
}

struct works {
    const struct fact_source *s;
    const struct fact_kernel *k;
    uint32_t count;         /* of cycles */
    uint32_t *home;         /* of each instance: 0 outside loops, cycle + 1, or SKIP */
    struct fact_work *work; /* of each home */
};
enum { SKIP = -1 };

/* The cycle + 1 that counts what stands beside the pieces of this one. */
static uint32_t outer_of(const struct works *w, uint32_t cycle)
{
    const struct graph_cycles *cycles = w->s->g->cycles;
    int32_t parent = cycles->cycles.p[cycle].parent;
    for (unsigned steps = 0; parent >= 0 && steps < 64; steps++) {
        if (counted_piece(&cycles->cycles.p[parent]))
            return (uint32_t)parent + 1;
        parent = cycles->cycles.p[parent].parent;
    }
    return 0;
}

/* Of each block, then of each instance, who counts it. */
static bool find_homes(struct arena *a, struct works *w)
{
    const struct graph *g = w->s->g;
    const struct graph_cycles *cycles = g->cycles;
    uint32_t *block = ARENA_ARRAY(a, uint32_t, g->blocks.n + 1);
    if (!block)
        return false;
    for (uint32_t b = 0; b < g->blocks.n && w->count; b++) {
        uint32_t c = cycles->cycle_of[b];
        if (c && !counted_piece(&cycles->cycles.p[c - 1]))
            c = outer_of(w, c - 1);
        block[b] = c ? (uint32_t)SKIP : 0; /* another copy of the loop, unless it is in the piece below */
    }
    for (uint32_t c = 0; c < w->count; c++) {
        const struct graph_piece *p = counted_piece(&cycles->cycles.p[c]);
        for (uint32_t i = 0; p && i < p->block_count; i++) {
            uint32_t of = cycles->cycle_of[p->blocks[i]];
            if (of == c + 1 || (of && !counted_piece(&cycles->cycles.p[of - 1]) && outer_of(w, of - 1) == c + 1))
                block[p->blocks[i]] = c + 1;
        }
    }
    for (uint32_t i = 0; i < g->insns.n; i++)
        w->home[i] = block[g->insns.p[i].block];
    return true;
}

/* Straight pieces are copies of a loop's step that stand in the code round it: they belong to the loop. What the code
 * round it does besides is told apart by amount: they do as much as so many turns, or nothing is said of that code. */
static void take_straight(struct works *w, uint32_t cycle)
{
    const struct graph *g = w->s->g;
    const struct graph_cycle *c = &g->cycles->cycles.p[cycle];
    const struct graph_piece *counted = counted_piece(c);
    uint32_t outer = outer_of(w, cycle);
    for (size_t k = 0; counted && k < c->pieces.n; k++) {
        const struct graph_piece *p = &c->pieces.p[k];
        struct fact_work found = {0}, *turn = &w->work[cycle + 1];
        if (!p->straight)
            continue;
        bool taken = false;
        for (uint32_t i = p->first; i <= p->last && i < g->insns.n; i++) {
            if (!g->insns.p[i].reachable || (w->home[i] != outer && w->home[i] != (uint32_t)SKIP))
                continue;
            add_instance(w->s, w->k, i, &found);
            taken |= w->home[i] == outer;
            w->home[i] = (uint32_t)SKIP;
        }
        w->work[outer].unknown |= (taken && (turn->unknown || found.flops != turn->flops * p->unroll ||
                                             found.global_bytes != turn->global_bytes * p->unroll ||
                                             found.shared_bytes != turn->shared_bytes * p->unroll));
    }
    /* Copies alone: as many turns as there are, unless some are left out. */
    for (size_t k = 0; !counted && k < c->pieces.n; k++) {
        const struct graph_piece *p = &c->pieces.p[k];
        graph_id when = GRAPH_NIL;
        bool any = false;
        for (uint32_t i = p->first; i <= p->last && i < g->insns.n; i++) {
            const struct graph_insn *insn = &g->insns.p[i];
            struct fact_work one = {0};
            add_instance(w->s, w->k, i, &one);
            if (!insn->reachable || w->home[i] != outer || (one.flops == 0 && !insn->access_count))
                continue;
            w->work[outer].unknown |= any && insn->runs_when != when && p->unroll > 1 && c->count == GRAPH_NIL;
            when = insn->runs_when;
            any = true;
        }
    }
}

/* The code round a loop of several steps a turn holds the turns that are left over, where not all of its pieces are
 * known: what does as much as one of its steps may be one of them. */
static void doubt_rest(struct works *w, uint32_t cycle)
{
    const struct graph_cycle *c = &w->s->g->cycles->cycles.p[cycle];
    const struct graph_piece *counted = counted_piece(c);
    const struct fact_work *turn = &w->work[cycle + 1];
    struct fact_work *outer = &w->work[outer_of(w, cycle)];
    if (!counted || counted->unroll <= 1 || c->count != GRAPH_NIL)
        return;
    bool some = turn->flops > 0 || turn->global_bytes > 0 || turn->shared_bytes > 0;
    outer->unknown |= some && outer->flops >= turn->flops && outer->global_bytes >= turn->global_bytes &&
                      outer->shared_bytes >= turn->shared_bytes;
}

static bool build_work(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const struct graph *g = s->g;
    struct works w = {.s = s, .k = k, .count = g->cycles ? (uint32_t)g->cycles->cycles.n : 0};
    bool understood = !g->incomplete;
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        understood &= !g->insns.p[i].reachable || !l->unknown;
        for (size_t u = 0; u < l->ops.n && understood; u++)
            understood = !g->insns.p[i].reachable || l->ops.p[u].kind != UOP_MMA; /* its shape is not in the graph */
    }
    if (!understood || !g->insns.n)
        return true;
    w.home = ARENA_ARRAY(a, uint32_t, g->insns.n + 1);
    w.work = ARENA_ARRAY(a, struct fact_work, w.count + 1);
    if (!w.home || !w.work || !find_homes(a, &w))
        return false;
    /* An inner loop's turn is known before its straight pieces are looked for in the code round it. */
    for (uint32_t c = w.count; c-- > 0;) {
        const struct graph_piece *p = counted_piece(&g->cycles->cycles.p[c]);
        for (uint32_t b = 0; p && b < p->block_count; b++) {
            const struct graph_block *block = &g->blocks.p[p->blocks[b]];
            for (uint32_t i = block->first; i <= block->last && i < g->insns.n; i++)
                if (g->insns.p[i].reachable && w.home[i] == c + 1)
                    add_instance(s, k, i, &w.work[c + 1]);
        }
        if (p)
            finish_work(&w.work[c + 1], p->unroll);
        take_straight(&w, c);
    }
    for (uint32_t i = 0; i < g->insns.n; i++)
        if (g->insns.p[i].reachable && w.home[i] == 0)
            add_instance(s, k, i, &w.work[0]);
    finish_work(&w.work[0], 1);
    for (uint32_t c = 0; c < w.count; c++)
        doubt_rest(&w, c);
    for (uint32_t c = 0; c <= w.count; c++) {
        if (c && !counted_piece(&g->cycles->cycles.p[c - 1]))
            continue;
        w.work[c].has_shared = true;
        if (c)
            VEC_PUSH(a, k->loop_work, ((struct fact_loop_work){.loop = c - 1, .work = w.work[c]}));
    }
    k->work = w.work[0];
    k->has_work = true;
    return true;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* What a multiprocessor has, as CUDA documents it: warps and blocks at once, bytes of shared memory at most, the unit
 * and the bytes a block is charged beyond its own, barriers (0: they never limit). Everywhere: 65536 registers in four
 * parts, given out 256 at a time to a warp. */
struct multiprocessor {
    unsigned sm;
    uint32_t warps, blocks, shared_bytes, shared_unit, shared_extra, barriers;
};
static const struct multiprocessor machines[] = {
    {75, 32, 16, 64 << 10, 256, 0, 0},       {80, 64, 32, 164 << 10, 128, 1024, 0},
    {86, 48, 16, 100 << 10, 128, 1024, 0},   {87, 48, 16, 164 << 10, 128, 1024, 0},
    {88, 48, 16, 100 << 10, 128, 1024, 0},   {89, 48, 24, 100 << 10, 128, 1024, 0},
    {90, 64, 32, 228 << 10, 128, 1024, 64},  {100, 64, 32, 228 << 10, 128, 1024, 64},
    {101, 48, 24, 228 << 10, 128, 1024, 24}, {103, 64, 32, 228 << 10, 128, 1024, 64},
    {110, 48, 24, 228 << 10, 128, 1024, 24}, {120, 48, 24, 100 << 10, 128, 1024, 24},
    {121, 48, 24, 100 << 10, 128, 1024, 24},
};
enum { PARTS = 4, PART_REGISTERS = 16384, REGISTER_UNIT = 256, WARP = 32, MOST_THREADS = 1024 };

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static const struct multiprocessor *machine_of(unsigned sm)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].sm == sm)
            return &machines[i];
    return NULL;
}

uint32_t fact_blocks_at_once(unsigned sm, uint32_t threads, uint32_t registers, uint32_t shared, uint32_t barriers,
                             const char **limit)
{
    const struct multiprocessor *m = machine_of(sm);
    *limit = NULL;
    if (!m || !threads || threads > MOST_THREADS)
        return 0;
    uint32_t warps = (threads + WARP - 1) / WARP;
    uint32_t blocks = m->warps / warps;
    *limit = "threads";
    uint32_t most = barriers && m->barriers && m->barriers / barriers < m->blocks ? m->barriers / barriers : m->blocks;
    if (most < blocks) {
        blocks = most;
        *limit = "blocks";
    }
    if (registers) {
        uint32_t each = round_up(registers * WARP, REGISTER_UNIT);
        uint32_t fit = PART_REGISTERS / each * PARTS / warps;
        if (each * round_up(warps, PARTS) > PARTS * PART_REGISTERS)
            fit = 0;
        if (fit < blocks) {
            blocks = fit;
            *limit = "registers";
        }
    }
    uint32_t charged = round_up(shared + m->shared_extra, m->shared_unit);
    if (charged && m->shared_bytes / charged < blocks) {
        blocks = m->shared_bytes / charged;
        *limit = "shared";
    }
    return blocks;
}

static uint32_t product(const int32_t three[3])
{
    if (three[0] <= 0 || three[1] <= 0 || three[2] <= 0)
        return 0;
    uint64_t n = (uint64_t)three[0] * (uint64_t)three[1] * (uint64_t)three[2];
    return n <= MOST_THREADS ? (uint32_t)n : 0;
}

static void build_occupancy(struct arena *a, const struct fact_source *s, struct fact_kernel *k)
{
    static const uint32_t usual[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024};
    const struct img_kernel *image = s->kernel;
    if (!machine_of(s->module->sm) || image->registers < 0 || image->shared_bytes < 0 || !image->is_entry)
        return;
    uint32_t demanded = product(image->reqntid), most = product(image->max_threads);
    for (size_t i = 0; i < (demanded ? 1 : sizeof usual / sizeof usual[0]); i++) {
        struct fact_occupancy f = {.block = demanded ? demanded : usual[i]};
        if (!demanded && most && f.block > most)
            break;
        uint32_t blocks =
            fact_blocks_at_once(s->module->sm, f.block, (uint32_t)image->registers, (uint32_t)image->shared_bytes,
                                image->barriers > 0 ? (uint32_t)image->barriers : 0, &f.limit);
        f.warps = blocks * ((f.block + WARP - 1) / WARP);
        if (blocks)
            VEC_PUSH(a, k->occupancy, f);
    }
}

enum sp_status fact_build_cost(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    if (!build_accesses(a, s, k) || !build_work(a, s, k))
        return SP_ERR_MEMORY;
    build_occupancy(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
