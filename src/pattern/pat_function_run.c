/* Runs what the machine does to make one value of one or two numbers: blocks are walked from the one that all ways to
 * it come from, branches are decided by computing their conditions, values that meet are taken from the way that was
 * gone, loops are gone round, what is put away in the thread's own memory is kept. Approximations of the hardware give
 * the number itself, rounded. Nothing else is known: a value that depends on anything else ends the run.
 *
 * Requires a built graph and a cone; gives bits. Work is bounded by `steps`. */
#include "pattern/pat_function.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 900, WIDE_LOADS = 4, PHIS_AT_ONCE = 64, STEPS = 1 << 16 /* of one run */ };
static const uint32_t unknown_word = UINT32_MAX - 1;
static const uint64_t stack_at = 0x10000;
enum { TABLE_BANK = 4, TABLES = 256, TABLE_BITS = 24 }; /* bank 4: pointers to what comes with the code */
static const uint64_t tables_at = UINT64_C(0x5a0001000000);

static uint64_t table_place(const struct graph *g, const struct graph_node *n);

static enum function_work work_of(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    switch (n->kind) {
    case UOP_CONST: return WORK_CONST;
    case UOP_CBANK: return pat_run_is_stack(g, id) ? WORK_STACK : table_place(g, n) ? WORK_TABLE : WORK_NONE;
    case UOP_LOAD: return WORK_LOAD;
    case UOP_ELEMENT: return WORK_ELEMENT;
    case GRAPH_BOOL: return WORK_BOOL;
    case UOP_SELECT: return WORK_SELECT;
    case UOP_UNIFORM: return WORK_UNIFORM;
    case UOP_FCHK: return WORK_CHECK;
    default: return n->kind < UOP_GRAPH_KINDS && pat_is_pure(n) ? WORK_PURE : WORK_NONE;
    }
}

static const struct uop_list *uops_of(const struct graph *g, uint32_t insn)
{
    uint32_t input = g->insns.p[insn].input;
    return input < g->input.count ? g->input.insns[input].uops : NULL;
}

/* How a block ends, and what it does to the thread's own memory. */
static bool find_ways(struct function_run *r)
{
    const struct graph *g = r->g;
    for (size_t b = 0; b < g->blocks.n; b++) {
        const struct graph_block *block = &g->blocks.p[b];
        struct function_way *way = &r->ways[b];
        const struct uop_list *l = uops_of(g, block->last);
        for (size_t i = 0; l && i < l->ops.n; i++) {
            way->ends |= l->ops.p[i].kind == UOP_EXIT;
            if (l->ops.p[i].kind == UOP_BRANCH) {
                way->branches = true;
                way->target = l->ops.p[i].imm;
            }
        }
        way->first_access = (uint32_t)r->accesses.n;
        for (uint32_t i = block->first; i <= block->last; i++)
            for (uint32_t k = 0; k < g->insns.p[i].access_count; k++)
                if (pat_run_is_local(&g->accesses.p[g->insns.p[i].first_access + k]))
                    VEC_PUSH(r->a, r->accesses, g->insns.p[i].first_access + k);
        way->access_count = (uint32_t)r->accesses.n - way->first_access;
    }
    return !arena_failed(r->a);
}

bool pat_run_init(struct function_run *r, struct arena *a, struct graph *g)
{
    uint32_t blocks = (uint32_t)g->blocks.n;
    *r = (struct function_run){.a = a,
                               .g = g,
                               .nodes = (graph_id)g->nodes.n,
                               .phi_first = ARENA_ARRAY(a, uint32_t, blocks + 2),
                               .ways = ARENA_ARRAY(a, struct function_way, blocks + 1),
                               .work = ARENA_ARRAY(a, uint8_t, g->nodes.n + 1),
                               .value = ARENA_ARRAY(a, struct function_value, g->nodes.n + 1)};
    if (!r->phi_first || !r->ways || !r->work || !r->value || !find_ways(r))
        return false;
    for (graph_id id = 1; id < r->nodes; id++) {
        r->work[id] = (uint8_t)work_of(g, id);
        if (graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->block < blocks)
            r->phi_first[graph_at(g, id)->block + 1]++;
    }
    for (uint32_t b = 0; b < blocks; b++)
        r->phi_first[b + 1] += r->phi_first[b];
    r->phis = ARENA_ARRAY(a, graph_id, r->phi_first[blocks] + 1);
    uint32_t *next = ARENA_ARRAY(a, uint32_t, blocks + 1);
    if (!r->phis || !next)
        return false;
    memcpy(next, r->phi_first, blocks * sizeof next[0]);
    for (graph_id id = 1; id < r->nodes; id++)
        if (graph_at(g, id)->kind == GRAPH_PHI && graph_at(g, id)->block < blocks)
            r->phis[next[graph_at(g, id)->block]++] = id;
    return pat_run_find_unknown(r);
}

bool pat_run_is_stack(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return n->kind == UOP_CBANK && g->env && g->env->stack_offset && n->space == 0 && n->imm == g->env->stack_offset;
}

bool pat_run_is_local(const struct graph_access *a)
{
    return a->space == UOP_LOCAL && a->kind != GRAPH_ATOMIC;
}

/* ---- what the special function unit gives ----------------------------------------------------- */

static float as_float(uint64_t bits)
{
    uint32_t w = (uint32_t)bits;
    float f;
    memcpy(&f, &w, sizeof f);
    return f;
}

static uint64_t float_bits(float f)
{
    uint32_t w;
    memcpy(&w, &f, sizeof w);
    return w;
}

static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t double_bits(double d)
{
    uint64_t w;
    memcpy(&w, &d, sizeof w);
    return w;
}

static float flushed(float f, bool flush)
{
    return flush && fpclassify(f) == FP_SUBNORMAL ? copysignf(0.0f, f) : f;
}

static bool approximate(const struct graph_node *n, const uint64_t *args, uint64_t *result)
{
    bool flush = n->flags & UOP_FTZ;
    if (n->kind == UOP_RCP64H || n->kind == UOP_RSQ64H) { /* of the high word alone */
        double d = as_double((args[0] & 0xffffffff) << 32);
        *result = double_bits(n->kind == UOP_RCP64H ? 1.0 / d : 1.0 / sqrt(d)) >> 32;
        return true;
    }
    if (n->type == UOP_F64 && n->kind == UOP_SQRT) {
        *result = double_bits(sqrt(as_double(args[0])));
        return true;
    }
    if (n->type != UOP_F32)
        return false;
    /* The unit flushes what it takes and gives, but for roots and reciprocals that are told not to. */
    bool always = n->kind == UOP_EX2 || n->kind == UOP_LG2;
    double x = (double)flushed(as_float(args[0]), flush && (always || n->kind != UOP_SQRT)), y;
    switch (n->kind) {
    case UOP_EX2: y = exp2(x); break;
    case UOP_LG2: y = log2(x); break;
    case UOP_RCP: y = 1.0 / x; break;
    case UOP_RSQ: y = 1.0 / sqrt(x); break;
    case UOP_SQRT: y = sqrt(x); break;
    case UOP_SIN: y = sin(6.28318530717958647692 * x); break;
    case UOP_COS: y = cos(6.28318530717958647692 * x); break;
    case UOP_TANH: y = tanh(x); break;
    default: return false;
    }
    float f = flushed((float)y, flush);
    if (n->flags & UOP_SAT)
        f = !(f > 0.0f) ? 0.0f : f > 1.0f ? 1.0f : f;
    *result = float_bits(f);
    return true;
}

/* Where the quick way of a division does not do. Its exact bounds are not known; the slow way does for all numbers. */
static bool needs_care(uint64_t a, uint64_t b)
{
    int x = (int)(a >> 23 & 0xff), y = (int)(b >> 23 & 0xff);
    return x < 30 || x > 230 || y < 30 || y > 230;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool compute_new(struct function_run *r, graph_id id, uint64_t *out, unsigned depth);
static bool load_table(struct function_run *r, const struct graph_node *load, unsigned skip, unsigned width,
                       uint64_t *out, unsigned depth);

static inline bool compute(struct function_run *r, graph_id id, uint64_t *out, unsigned depth)
{
    if (id == GRAPH_NIL || id >= r->nodes || depth > DEPTH || !r->steps)
        return false;
    const struct function_value *v = &r->value[id];
    if (v->given_in == r->now || v->known_in == r->stage) {
        *out = v->bits;
        return true;
    }
    if (r->work[id] == WORK_CONST) {
        *out = graph_at(r->g, id)->imm;
        return true;
    }
    return compute_new(r, id, out, depth);
}

/* A condition may be settled by some of what it asks. */
static bool compute_table(struct function_run *r, const struct graph_node *n, uint64_t *out, unsigned depth)
{
    unsigned known = 0, row = 0, seen = 0;
    for (unsigned i = 0; i < n->arg_count; i++) {
        uint64_t bit;
        if (!compute(r, n->arg[i], &bit, depth + 1))
            continue;
        known |= 1u << i;
        row |= (unsigned)(bit & 1) << i;
    }
    for (unsigned k = 0; k < 1u << n->arg_count; k++)
        if ((k & known) == row)
            seen |= 1u << (n->imm >> k & 1);
    *out = seen >> 1;
    return seen == 1 || seen == 2;
}

/* A value that was neither given nor computed in this stage. */
static bool compute_new(struct function_run *r, graph_id id, uint64_t *out, unsigned depth)
{
    uint64_t args[UOP_MAX_ARGS + 1] = {0};
    const struct graph_node *n = graph_at(r->g, id);
    bool good = false;
    r->steps--;
    switch (r->work[id]) {
    case WORK_STACK: *out = stack_at; return true;
    case WORK_TABLE:
        *out = table_place(r->g, n);
        good = true;
        break;
    case WORK_LOAD: good = load_table(r, n, 0, n->width, out, depth); break;
    case WORK_ELEMENT: good = load_table(r, graph_at(r->g, n->arg[0]), 4 * (unsigned)n->imm, 4, out, depth); break;
    case WORK_BOOL: good = compute_table(r, n, out, depth); break;
    case WORK_SELECT: {
        uint64_t which;
        good = compute(r, n->arg[0], &which, depth + 1) && compute(r, n->arg[which & 1 ? 1 : 2], out, depth + 1);
        break;
    }
    case WORK_UNIFORM: good = compute(r, n->arg[0], out, depth + 1); break;
    case WORK_CHECK:
        good = compute(r, n->arg[0], &args[0], depth + 1) && compute(r, n->arg[1], &args[1], depth + 1);
        *out = needs_care(args[0], args[1]);
        break;
    case WORK_PURE: {
        const struct uop op = graph_operation(n);
        good = true;
        for (unsigned i = 0; i < n->arg_count && good; i++)
            good = compute(r, n->arg[i], &args[i], depth + 1);
        good = good && (uop_eval(&op, args, out) || approximate(n, args, out));
        break;
    }
    default: break;
    }
    if (good) {
        r->value[id].bits = *out;
        r->value[id].known_in = r->stage;
    }
    return good;
}

/* Where a table lies while it is run, by its place in the list; none: 0. */
static uint64_t table_place(const struct graph *g, const struct graph_node *n)
{
    const struct graph_env *env = g->env;
    if (n->kind != UOP_CBANK || n->space != TABLE_BANK || n->arg_count || !env)
        return 0;
    for (uint32_t i = 0; i < env->table_count && i < TABLES; i++) {
        uint64_t at = tables_at + ((uint64_t)i << TABLE_BITS);
        if (n->imm == env->table_at[i])
            return n->type == UOP_B64 ? at : (uint32_t)at;
        if (n->imm == (uint64_t)env->table_at[i] + 4 && n->type != UOP_B64)
            return at >> 32;
    }
    return 0;
}

bool pat_run_is_table(const struct graph *g, graph_id id)
{
    return table_place(g, graph_at(g, id)) != 0;
}

/* A load from a table, `skip` bytes behind its address. */
static bool load_table(struct function_run *r, const struct graph_node *load, unsigned skip, unsigned width,
                       uint64_t *out, unsigned depth)
{
    const struct graph_env *env = r->g->env;
    uint64_t address;
    if (!env || load->kind != UOP_LOAD || load->order != UOP_READONLY || (width != 4 && width != 8) ||
        !compute(r, load->arg[0], &address, depth + 1) || address < tables_at)
        return false;
    uint64_t table = (address - tables_at) >> TABLE_BITS, at = (address & ((UINT64_C(1) << TABLE_BITS) - 1)) + skip;
    if (table >= env->table_count || table >= TABLES || at + width > env->table_sizes[table])
        return false;
    *out = 0;
    for (unsigned i = 0; i < width; i++)
        *out |= (uint64_t)env->table_bytes[table][at + i] << 8 * i;
    return true;
}

static void give(struct function_run *r, graph_id id, uint64_t bits)
{
    if (id != GRAPH_NIL && id < r->nodes) {
        r->value[id].given_in = r->now;
        r->value[id].bits = bits;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/* Values that meet at the head of a block, all at once; those that start a loop with what meets there come after. */
static bool enter(struct function_run *r, uint32_t from, uint32_t to)
{
    const struct graph_block *b = &r->g->blocks.p[to];
    uint32_t first = r->phi_first[to], count = r->phi_first[to + 1] - first, pred = 0, met = 0;
    uint64_t value[PHIS_AT_ONCE];
    graph_id node[PHIS_AT_ONCE];
    while (pred < b->pred_count && b->preds[pred] != from)
        pred++;
    if (pred == b->pred_count)
        return false;
    for (unsigned late = 0; late < 2; late++) {
        met = 0;
        for (uint32_t i = 0; i < count; i++) {
            graph_id id = r->phis[first + i];
            const struct graph_node *n = graph_at(r->g, id);
            if (n->phi_count != b->pred_count)
                continue;
            const struct graph_node *arg = graph_at(r->g, n->phi_args[pred]);
            bool starts = graph_is_loop_phi(r->g, id) && arg->kind == GRAPH_PHI && arg->block == to &&
                          !graph_is_loop_phi(r->g, n->phi_args[pred]);
            if (starts != (late == 1) || met == PHIS_AT_ONCE)
                continue;
            if (compute(r, n->phi_args[pred], &value[met], 0))
                node[met++] = id;
            else
                r->value[id].given_in = 0;
        }
        for (uint32_t i = 0; i < met; i++)
            give(r, node[i], value[i]);
        r->stage += count != 0;
    }
    return true;
}

static bool put_word(struct function_run *r, uint64_t address, uint32_t word)
{
    uint32_t at;
    if (map_u64_get(&r->local, address, &at) && at < r->words.n) {
        r->words.p[at] = word;
        return true;
    }
    VEC_PUSH(r->a, r->words, word);
    return map_u64_put(r->a, &r->local, address, (uint32_t)r->words.n - 1);
}

/* The thread's own memory. What cannot be followed leaves it unknown. (Other memory is no part of the value.) */
static bool touch(struct function_run *r, const struct graph_access *a)
{
    uint64_t address, bits;
    uint32_t at, words[WIDE_LOADS] = {0};
    if (a->width < 4 || a->width > 4 * WIDE_LOADS || !compute(r, a->address, &address, 0) || (address & 3))
        return a->kind == GRAPH_LOAD;
    unsigned count = a->width / 4;
    if (a->kind == GRAPH_STORE) {
        for (unsigned k = 0; k < count; k++) {
            bool whole = a->width == 8 && graph_type_of(r->g, a->value[0]) == UOP_B64;
            bool good = compute(r, a->value[whole ? 0 : k], &bits, 0);
            if (good ? !put_word(r, address + 4 * k, (uint32_t)(whole && k ? bits >> 32 : bits))
                     : !map_u64_put(r->a, &r->local, address + 4 * k, unknown_word))
                return false;
        }
        return true;
    }
    for (unsigned k = 0; k < count; k++) {
        if (!map_u64_get(&r->local, address + 4 * k, &at) || at >= r->words.n)
            return true;
        words[k] = r->words.p[at];
    }
    if (graph_at(r->g, a->result)->kind != UOP_LOAD)
        return true;
    if (count <= 2) {
        give(r, a->result, words[0] | (uint64_t)words[1] << 32);
        r->stage++;
    }
    return true;
}

static uint32_t next_of(struct function_run *r, uint32_t block)
{
    const struct graph_block *b = &r->g->blocks.p[block];
    const struct function_way *way = &r->ways[block];
    uint64_t taken;
    if (way->ends)
        return UINT32_MAX;
    if (b->succ_count == 1)
        return b->succs[0];
    if (b->succ_count != 2 || b->branch == GRAPH_NIL || !way->branches || !compute(r, b->branch, &taken, 0))
        return UINT32_MAX;
    bool first = r->g->insns.p[r->g->blocks.p[b->succs[0]].first].offset == way->target;
    return b->succs[(taken & 1) != first];
}

static bool touch_all(struct function_run *r, uint32_t block)
{
    const struct function_way *way = &r->ways[block];
    for (uint32_t i = 0; i < way->access_count; i++)
        if (!touch(r, &r->g->accesses.p[r->accesses.p[way->first_access + i]]))
            return false;
    return true;
}

static bool walk(struct function_run *r)
{
    if (!touch_all(r, r->from))
        return false;
    for (uint32_t block = r->from; block != r->to;) {
        uint32_t next = next_of(r, block);
        if (next == UINT32_MAX || !r->steps || pat_run_is_futile(r, block) || !enter(r, block, next) ||
            !touch_all(r, next))
            return false;
        r->steps -= r->steps != 0;
        block = next;
    }
    return true;
}

enum pat_ran pat_run_function(struct function_run *r, const uint64_t *bits, uint64_t *result)
{
    uint64_t kept = r->steps, bit;
    bool there = true, good = false;
    r->now++;
    r->stage++;
    r->local = (struct map_u64){0};
    r->words.n = 0;
    r->steps = kept < STEPS ? kept : STEPS;
    uint64_t given = r->steps;
    for (unsigned i = 0; i < r->argument_count; i++)
        give(r, r->argument[i], bits[i]);
    for (unsigned i = 0; i < r->given_count; i++)
        there &= !compute(r, r->given[i], &bit, 0) || (bit & 1) == (r->truth >> i & 1);
    for (unsigned i = 0; i < r->given_count; i++)
        give(r, r->given[i], r->truth >> i & 1);
    r->stage++;
    if (there)
        good = (!r->cone->walks || walk(r)) && compute(r, r->cone->node[0], result, 0);
    r->steps = kept - (given - r->steps);
    return !there ? PAT_RAN_ELSEWHERE : good ? PAT_RAN : PAT_RAN_UNKNOWN;
}
