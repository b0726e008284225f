/* Functions of mathematics, found by what they compute. A compiler puts a library's code for erf(x) or pow(x, y) into
 * the kernel, where nothing says whose it is: polynomials, ranges chosen by branches or selects, loops. A value that is
 * made of one number, or of two, and constants is run on samples; where it agrees with a function everywhere to what
 * libraries promise, it is that function, however it is computed and whoever wrote it.
 *
 * The numbers are found as the smallest cut between the value and what it is made of: of one node or of two, the one
 * nearest to the value that fits.
 *
 * Requires a built graph; gives functions with what lies inside. Work is bounded: nodes visited, steps run. */
#include "pattern/pat_function.h"

#include <math.h>
#include <string.h>

enum {
    RUNS = 6 * 1000 * 1000, /* steps of runs */
    CUTS = 10,              /* numbers tried, one behind the other */
    PAIRS = 12,             /* numbers of which two are tried */
    USERS = 64,             /* of a number, looked at */
};

/* The function is an integer of numbers of another size. */
static bool other_width(const struct function_search *s, graph_id root, const graph_id *args, unsigned count)
{
    unsigned root_bits = pat_function_width(s, root), bits = pat_function_width(s, args[0]);
    for (unsigned i = 0; i < count; i++)
        if (pat_function_width(s, args[i]) != bits)
            return false;
    return (root_bits == 32 && bits == 64) || (root_bits == 64 && bits == 32);
}

static bool same_width(const struct function_search *s, graph_id root, const graph_id *args, unsigned count)
{
    unsigned bits = pat_function_width(s, root);
    for (unsigned i = 0; i < count; i++)
        if (pat_function_width(s, args[i]) != bits)
            return false;
    return bits == 16 || bits == 32 || bits == 64;
}

/* What takes few operations, and integers, are for the second pass. */
static bool fits(const struct function_search *s, graph_id root, const graph_id *args, unsigned count)
{
    bool deep = s->depth[root] >= (pat_function_width(s, root) == 16 ? 1 : FUNCTION_LEAST_DEPTH);
    return (s->few != deep && same_width(s, root, args, count)) || (s->few && other_width(s, root, args, count));
}

/* One number may be of the root's format, and the other an integer. */
static bool takes_whole(const struct function_search *s, graph_id root, const graph_id *args, unsigned whole)
{
    const struct graph_node *n = graph_at(s->g, args[whole - 1]);
    return n->type == UOP_B32 && pat_function_width(s, args[whole - 1]) == 32 && pat_function_width(s, root) >= 32 &&
           same_width(s, root, &args[2 - whole], 1);
}

/* The words of a value of 64 bits that registers hold: made as it is, by themselves. Of the result they are results. */
static uint32_t add_words(struct function_search *s, graph_id id, graph_id *words)
{
    uint32_t count = 0;
    unsigned kind = graph_at(s->g, id)->kind;
    if (uop_type_bits(graph_type_of(s->g, id)) != 64 ||
        (kind != UOP_SELECT && kind != GRAPH_PHI && kind != UOP_AND && kind != UOP_OR && kind != UOP_XOR))
        return 0;
    for (unsigned high = 0; high < 2; high++) {
        graph_id word = graph_op1(s->g, high ? UOP_HI : UOP_LO, UOP_B32, id);
        if (word < s->x->count && s->stamp[word] != s->round && s->x->live[word]) {
            s->stamp[word] = s->round;
            s->slot[word] = 0;
            words[count++] = word;
        }
    }
    return count;
}

/* A node of the cone below its root, or a half of one. */
static bool is_held(const struct function_search *s, graph_id id)
{
    const struct graph_node *n = graph_at(s->g, id);
    if ((n->kind == UOP_LO || n->kind == UOP_HI) && uop_type_bits((enum uop_type)n->type) == 16 && n->arg_count)
        id = s->stamp[id < s->x->count ? id : 0] == s->round ? id : n->arg[0];
    return id < s->x->count && s->stamp[id] == s->round && s->slot[id];
}

/* Words that hold a number of 16 bits, or two, of the cone: made by itself of nothing else. */
static uint32_t add_pairs(struct function_search *s, graph_id id, graph_id *words, uint32_t room)
{
    uint32_t users = 0, count = 0;
    const graph_id *list = graph_users(s->g, id, &users);
    for (uint32_t i = 0; i < users && count < room; i++) {
        const struct graph_node *n = graph_at(s->g, list[i]);
        bool whole = list[i] < s->x->count && s->stamp[list[i]] != s->round &&
                     ((n->kind == UOP_ZEXT && n->imm == 16) || n->kind == UOP_PAIR) && n->type == UOP_B32;
        for (unsigned k = 0; k < n->arg_count && whole; k++)
            whole = graph_is_const(s->g, n->arg[k], NULL) || is_held(s, n->arg[k]);
        if (whole)
            words[count++] = list[i];
    }
    return count;
}

static uint32_t add_holders(struct function_search *s, graph_id id, graph_id *words, uint32_t room)
{
    uint32_t users = 0, count = add_pairs(s, id, words, room);
    const graph_id *list = graph_users(s->g, id, &users);
    for (uint32_t i = 0; i < users && count < room && uop_type_bits(graph_type_of(s->g, id)) == 32; i++) {
        const struct graph_node *n = graph_at(s->g, list[i]);
        if ((n->kind == UOP_LO || n->kind == UOP_HI) && uop_type_bits((enum uop_type)n->type) == 16 &&
            list[i] < s->x->count && s->stamp[list[i]] != s->round)
            count += add_pairs(s, list[i], words + count, room - count);
    }
    return count;
}

/* The number turned round, where anything is made of that. */
static graph_id turned_round(const struct function_search *s, graph_id id)
{
    uint32_t count;
    const graph_id *users = graph_users(s->g, id, &count);
    for (uint32_t i = 0; i < count && i < USERS; i++)
        if (graph_at(s->g, users[i])->kind == UOP_FNEG)
            return users[i];
    return GRAPH_NIL;
}

static uint64_t one_of(enum uop_type type)
{
    return pat_function_bits(type, 1.0);
}

static bool keep(struct function_search *s, graph_id root, const graph_id *args, unsigned count, int function,
                 uint32_t exact)
{
    const struct pat_known *list = pat_known_functions(&(unsigned){0});
    struct pat_function f = {.node = root, .also = s->taken[root]};
    bool of_one = false;
    unsigned whole = function < FUNCTION_EXACT ? list[function].whole : 0;
    if (function < FUNCTION_EXACT) {
        f.count = list[function].args;
        f.name = list[function].name;
    } else if (!pat_exact_one(exact, &f, &of_one)) {
        return false;
    }
    if (!pat_function_cone(s, &root, 1, args, count))
        return false;
    f.type = pat_function_type(s, root);
    if (f.integral)
        f.type = pat_function_width(s, args[0]) == 64 ? UOP_F64 : UOP_F32;
    const bool half = f.type == UOP_F16 || f.type == UOP_BF16;
    const uint32_t room = 4 * s->cone.count + 1;
    graph_id *inner = ARENA_ARRAY(s->a, graph_id, room);
    if (!inner)
        return false;
    for (unsigned i = 0; i < count; i++)
        f.argument[i] = args[i];
    if (s->turned)
        f.argument[0] = turned_round(s, args[0]);
    f.whole = whole == 1 ? 1 : f.whole;
    if (count < f.count && f.whole == 1) {
        f.argument[1] = args[0];
        f.argument[0] = graph_const(s->g, UOP_B32, s->power);
    }
    if (whole == 2)
        f.argument[1] = graph_fresh(s->g, &(struct graph_node){.kind = UOP_I2F,
                                                               .type = (uint8_t)f.type,
                                                               .flags = UOP_SIGNED,
                                                               .arg_count = 1,
                                                               .arg = {args[1]},
                                                               .imm = 32,
                                                               .insn = UINT32_MAX});
    if (of_one) {
        f.argument[1] = args[0];
        f.argument[0] = graph_const(s->g, graph_type_of(s->g, root), one_of(f.type));
    }
    if (count < f.count && !f.whole && !of_one)
        f.argument[1] = graph_const(s->g, graph_type_of(s->g, root), s->power);
    for (uint32_t i = 0; i < s->cone.count; i++) {
        if (i && !pat_function_holds(args, count, s->cone.node[i]) && s->cone.node[i] != f.argument[0])
            inner[f.inner_count++] = s->cone.node[i];
        if (!pat_function_holds(args, count, s->cone.node[i])) {
            s->taken[s->cone.node[i]] = true;
            f.inner_count += add_words(s, s->cone.node[i], inner + f.inner_count);
            if (i && half && f.inner_count + 3 * (s->cone.count - i) < room)
                f.inner_count += add_holders(s, s->cone.node[i], inner + f.inner_count,
                                             room - f.inner_count - 3 * (s->cone.count - i));
        }
    }
    f.inner = inner;
    s->run.argument_count = count;
    for (unsigned i = 0; i < count; i++)
        s->run.argument[i] = args[i];
    f.walks = s->cone.walks && pat_function_find_walk(s);
    f.from = s->run.from;
    f.to = pat_function_last_meeting(s);
    VEC_PUSH(s->a, s->out->list, f);
    return true;
}

/* Of one number: the last of those behind each other for which it is a function. */
static bool try_one(struct function_search *s, graph_id root, graph_id first)
{
    graph_id at = first, found = GRAPH_NIL, cut[FUNCTION_ARGS];
    int function = -1;
    uint32_t exact = 0;
    bool turned = false;
    for (unsigned i = 0; i < CUTS && s->visits < FUNCTION_VISITS; i++) {
        bool fit = fits(s, root, &at, 1);
        int f = fit ? pat_function_which(s, root, &at, 1, 0) : -1;
        /* Code may ask for the number's sign where it computes with the number turned round. */
        s->turned = fit && f < 0 && function < 0 && same_width(s, root, &at, 1) && pat_function_width(s, root) > 16 &&
                    turned_round(s, at) != GRAPH_NIL;
        if (s->turned)
            f = pat_function_which(s, root, &at, 1, 0);
        if (f >= 0) {
            function = f;
            exact = s->exact;
            found = at;
            turned = s->turned;
        }
        s->turned = false;
        if (pat_function_cut(s, &at, 1, cut) != 1)
            break;
        at = cut[0];
    }
    s->turned = turned;
    bool kept = function >= 0 && keep(s, root, &found, 1, function, exact);
    s->turned = false;
    return kept;
}

/* Of two numbers: cuts one behind the other give the nodes they may be; the farther ones first, either way round. */
static bool try_two(struct function_search *s, graph_id root, const graph_id *first)
{
    graph_id list[PAIRS] = {first[0], first[1]}, cut[FUNCTION_ARGS] = {first[0], first[1]};
    unsigned count = 2;
    while (count + 2 <= PAIRS && s->visits < FUNCTION_VISITS) {
        graph_id next[FUNCTION_ARGS];
        if (pat_function_cut(s, cut, 2, next) != 2)
            break;
        unsigned before = count;
        for (unsigned i = 0; i < 2; i++)
            if (!pat_function_holds(list, before, next[i]))
                list[count++] = next[i];
        if (count == before)
            break;
        memcpy(cut, next, sizeof cut);
    }
    for (unsigned i = count; i-- > 0;)
        for (unsigned k = i; k-- > 0;)
            for (unsigned turn = 0; turn < 2; turn++) {
                graph_id args[2] = {list[turn ? i : k], list[turn ? k : i]};
                int f = same_width(s, root, args, 2) || other_width(s, root, args, 2)
                            ? pat_function_which(s, root, args, 2, 0)
                            : -1;
                for (unsigned whole = 1; whole <= 2 && f < 0; whole++)
                    if (s->few != (s->depth[root] >= FUNCTION_LEAST_DEPTH) && takes_whole(s, root, args, whole))
                        f = pat_function_which(s, root, args, 2, whole);
                if (f >= 0)
                    return keep(s, root, args, 2, f, s->exact);
            }
    return false;
}

/* Of more: lengths, which do not ask in which order. What is chosen between is a cut of fewer, before theirs. */
static bool try_more(struct function_search *s, graph_id root, const graph_id *first, unsigned count)
{
    graph_id cut[FUNCTION_ARGS], next[FUNCTION_ARGS];
    memcpy(cut, first, count * sizeof cut[0]);
    for (unsigned i = 0; i < CUTS && s->visits < FUNCTION_VISITS; i++) {
        int f = count > 2 && same_width(s, root, cut, count) ? pat_function_which(s, root, cut, count, 0) : -1;
        if (f >= 0)
            return keep(s, root, cut, count, f, 0);
        unsigned left = pat_function_cut(s, cut, count, next);
        if (left < count)
            return false;
        count = left;
        memcpy(cut, next, sizeof cut);
    }
    return false;
}

/* ---- where to look ------------------------------------------------------------------------------ */

static void find_depths(struct function_search *s)
{
    for (graph_id id = 1; id < s->x->count; id++) {
        const struct graph_node *n = graph_at(s->g, id);
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        unsigned depth = 0;
        for (uint32_t i = 0; i < count; i++) {
            graph_id arg = n->kind == GRAPH_PHI ? n->phi_args[i] : n->arg[i];
            if (arg < id && s->depth[arg] > depth)
                depth = s->depth[arg];
        }
        if (!pat_is_pure(n) && n->kind != GRAPH_PHI && n->kind != UOP_UNIFORM)
            depth = 0;
        depth += n->kind == UOP_FADD || n->kind == UOP_FMUL || n->kind == UOP_FFMA || n->kind == GRAPH_PHI;
        s->depth[id] = (uint8_t)(depth > 200 ? 200 : depth);
    }
    s->given_key = s->run.given_count;
    for (unsigned i = 0; i < s->run.given_count; i++)
        s->given_key = map_hash_mix(s->given_key, s->run.given[i]);
}

/* Marks of a number's parts: its sign, its exponent, infinity, what is no number, the whole number next to it. */
static bool is_odd(const struct graph *g, const struct graph_node *n)
{
    if (n->kind == UOP_FROUND || n->kind == UOP_FNUM || n->kind == UOP_F2I)
        return true;
    bool asks = n->kind == UOP_AND || n->kind == UOP_OR || n->kind == UOP_LOP3 || n->kind == UOP_FLT ||
                n->kind == UOP_FLE || n->kind == UOP_FEQ || n->kind == UOP_FNE || n->kind == UOP_IEQ ||
                n->kind == UOP_ILT_S || n->kind == UOP_ILT_U || n->kind == UOP_MIN_S || n->kind == UOP_MAX_S;
    for (unsigned i = 0; i < n->arg_count && asks; i++) {
        uint64_t bits;
        if (!graph_is_const(g, n->arg[i], &bits))
            continue;
        uint32_t w = (uint32_t)(bits >> 32 && !(uint32_t)bits ? bits >> 32 : bits), size = w & 0x7fffffff;
        if (size == 0x7f800000 || size == 0x7ff00000 || size == 0x7fffffff || w == 0x80000000 || w == 0x807fffff ||
            w == 0x800fffff || w == 0x7fffff || w == 0xfffff || w == 0x800000 || w == 0x100000)
            return true;
    }
    return false;
}

static void find_odd(struct function_search *s)
{
    for (graph_id id = 1; id < s->x->count; id++) {
        const struct graph_node *n = graph_at(s->g, id);
        uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        bool odd = is_odd(s->g, n);
        if (!pat_is_pure(n) && n->kind != GRAPH_PHI && n->kind != UOP_UNIFORM)
            count = 0;
        for (uint32_t i = 0; i < count && !odd; i++) {
            graph_id arg = n->kind == GRAPH_PHI ? n->phi_args[i] : n->arg[i];
            odd = arg < id && s->odd[arg];
        }
        s->odd[id] = odd;
    }
}

/* Where to begin. A number of 16 bits that is converted at last was computed as one of 32 bits. */
static bool may_be(const struct function_search *s, graph_id id)
{
    const struct graph_node *n = graph_at(s->g, id);
    unsigned bits = pat_function_width(s, id);
    if (!s->x->live[id] || (s->taken[id] && !s->stored[id]) || (bits != 16 && bits != 32 && bits != 64) ||
        (s->depth[id] < (bits == 16 ? 1 : FUNCTION_LEAST_DEPTH) && !s->odd[id]) || pat_is_hidden(s->x, id))
        return false;
    switch (n->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_SELECT:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_LOP3:
    case UOP_FMIN:
    case UOP_FMAX:
    case UOP_FNEG:
    case UOP_FABS:
    case UOP_RCP: return true;
    case UOP_ADD:
    case UOP_F2I:
    case UOP_NEG:
    case UOP_FROUND: return s->odd[id];
    case UOP_PAIR: return bits != 16; /* the number itself is there too */
    case GRAPH_PHI: return !graph_is_loop_phi(s->g, id);
    default: return false;
    }
}

static void find_locals(struct function_search *s)
{
    for (size_t i = 0; i < s->g->accesses.n; i++) {
        const struct graph_access *a = &s->g->accesses.p[i];
        if (a->kind != GRAPH_STORE || a->space != UOP_LOCAL)
            continue;
        if (s->local_count + 5 > FUNCTION_LOCALS * 5) {
            s->many_locals = true;
            return;
        }
        s->locals[s->local_count++] = a->address;
        for (unsigned k = 0; k < 4; k++)
            if (a->value[k] != GRAPH_NIL)
                s->locals[s->local_count++] = a->value[k];
    }
}

enum sp_status pat_find_functions(struct arena *a, const struct pat_index *x, struct pat_functions *out)
{
    struct function_search *s = ARENA_NEW(a, struct function_search);
    graph_id cut[FUNCTION_ARGS];
    if (!s)
        return SP_ERR_MEMORY;
    s->a = a;
    s->x = x;
    s->g = x->g;
    s->out = out;
    s->controls = ARENA_ARRAY(a, struct function_controls, x->g->blocks.n + 1);
    s->depth = ARENA_ARRAY(a, uint8_t, x->count + 1);
    s->taken = ARENA_ARRAY(a, bool, x->count + 1);
    s->slot = ARENA_ARRAY(a, uint32_t, x->count + 1);
    s->stamp = ARENA_ARRAY(a, uint32_t, x->count + 1);
    s->first_use = ARENA_ARRAY(a, uint32_t, x->count + 1);
    if (!s->first_use || !s->controls || !s->depth || !s->taken || !s->slot || !s->stamp ||
        !pat_run_init(&s->run, a, x->g))
        return SP_ERR_MEMORY;
    s->run.steps = RUNS;
    s->closed = ARENA_ARRAY(a, bool, x->count + 1);
    s->narrow = ARENA_ARRAY(a, bool, x->count + 1);
    s->odd = ARENA_ARRAY(a, bool, x->count + 1);
    s->stored = ARENA_ARRAY(a, bool, x->count + 1);
    if (s->closed && x->expanded)
        pat_function_close(s, x->expanded);
    if (!s->closed || !s->narrow || !s->odd || !s->stored || !pat_function_parts(s))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < s->g->accesses.n; i++) {
        const struct graph_access *access = &s->g->accesses.p[i];
        for (unsigned k = 0; k < 4 && access->kind == GRAPH_STORE && access->space != UOP_LOCAL; k++)
            if (access->value[k] != GRAPH_NIL && access->value[k] < x->count)
                s->stored[access->value[k]] = true;
    }
    for (size_t i = s->g->uses.n; i-- > 0;)
        if (s->g->uses.p[i].node < x->count && s->g->insns.p[s->g->uses.p[i].insn].reachable)
            s->first_use[s->g->uses.p[i].node] = s->g->uses.p[i].insn + 1;
    for (size_t i = 0; i < s->g->accesses.n; i++) { /* two words that are stored as one value are read as words only */
        const struct graph_access *access = &s->g->accesses.p[i];
        for (unsigned k = 0; k < 4 && access->kind == GRAPH_STORE; k++) {
            graph_id value = access->value[k];
            if (value != GRAPH_NIL && value < x->count && !s->first_use[value] && s->g->insns.p[access->insn].reachable)
                s->first_use[value] = access->insn + 1;
        }
    }
    pat_function_narrow(s);
    find_depths(s);
    find_odd(s);
    find_locals(s);
    for (unsigned pass = 0; pass < 2; pass++)
        for (graph_id id = x->count; id-- > 1 && s->visits < FUNCTION_VISITS && s->run.steps;) {
            bool deep = s->depth[id] >= (pat_function_width(s, id) == 16 ? 1 : FUNCTION_LEAST_DEPTH);
            s->few = pass;
            if ((pass ? !s->odd[id] : !deep) || !may_be(s, id))
                continue;
            pat_function_find_given(s, id);
            s->most = pass && deep ? FUNCTION_ARGS : 2;
            unsigned count = pat_function_cut(s, &id, 1, cut);
            bool found = count == 1 ? try_one(s, id, cut[0]) : count == 2 && try_two(s, id, cut);
            if (!found && count > 1 && pass && deep)
                try_more(s, id, cut, count);
            if (arena_failed(a))
                return SP_ERR_MEMORY;
        }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
