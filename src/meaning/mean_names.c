/* Names for what a reader thinks in: the linear index blockIdx.D * blockDim.D + threadIdx.D (or
 * with a constant block size), in 32 or 64 bits, becomes `i`; a second dimension `j`, a third `k`;
 * loop counters take the letters that follow. Parameters keep their names: a letter that is one is
 * skipped. Only a value that some address or compare depends on gets a name. Its type is how it is
 * compared, else how it is widened. */
#include "meaning/mean_internal.h"

#include "base/str.h"
#include "graph/graph_cycle.h"

#include <stdlib.h>
#include <string.h>

/* Value of the low 32 bits under an extension to 64. */
static graph_id unextended(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return (n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->imm == 32 ? n->arg[0] : id;
}

static bool is_sreg(const struct graph *g, graph_id id, unsigned sreg)
{
    const struct graph_node *n = graph_at(g, unextended(g, id));
    return n->kind == UOP_SREG && n->imm == sreg;
}

/* The dimension 0..2 of a linear index and its parts, -1: none. */
static int linear_dimension(const struct graph *g, graph_id id, struct mean_linear *parts)
{
    enum { BLOCK_MAX = 1024 }; /* threads of a block: their numbers have no bit in common with its multiples */
    const struct graph_node *n = graph_at(g, id);
    if (id == GRAPH_NIL || (n->kind != UOP_ADD && n->kind != UOP_OR))
        return -1;
    for (unsigned dim = 0; dim < 3; dim++)
        for (unsigned side = 0; side < 2; side++) {
            const struct graph_node *product = graph_at(g, n->arg[!side]);
            if (!is_sreg(g, n->arg[side], UOP_SR_TID_X + dim) || product->kind != UOP_MUL)
                continue;
            for (unsigned k = 0; k < 2; k++) {
                graph_id size = product->arg[!k];
                uint64_t factor = 1;
                bool fixed = graph_is_const(g, size, &factor);
                if (n->kind == UOP_OR && (!fixed || factor % BLOCK_MAX != 0))
                    continue;
                if (!is_sreg(g, product->arg[k], UOP_SR_CTAID_X + dim) ||
                    !(fixed || is_sreg(g, size, UOP_SR_NTID_X + dim)))
                    continue;
                *parts = (struct mean_linear){.block = fixed ? product->arg[k] : n->arg[!side],
                                              .thread = n->arg[side],
                                              .thread32 = unextended(g, n->arg[side]),
                                              .factor = (int64_t)factor};
                return (int)dim;
            }
        }
    return -1;
}

/* ---- what is used ---------------------------------------------------------------------------- */

struct marks {
    uint8_t *address, *compare; /* by node: some address, some integer compare depends on it */
};

/* Arguments have smaller numbers than users, but for loop phis: one pass downwards, two to take
 * them in. */
static bool find_marks(const struct mean *m, struct marks *out)
{
    const struct graph *g = m->g;
    out->address = ARENA_ARRAY(m->a, uint8_t, g->nodes.n);
    out->compare = ARENA_ARRAY(m->a, uint8_t, g->nodes.n);
    if (!out->address || !out->compare)
        return false;
    for (uint32_t i = 0; i < g->accesses.n; i++)
        out->address[g->accesses.p[i].address] = 1;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_ILT_S || n->kind == UOP_ILT_U || n->kind == UOP_IEQ)
            out->compare[n->arg[0]] = out->compare[n->arg[1]] = 1;
    }
    for (int pass = 0; pass < 2; pass++)
        for (graph_id id = (graph_id)g->nodes.n; id-- > 1;) {
            const struct graph_node *n = graph_at(g, id);
            const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
            uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
            bool passes = n->kind == GRAPH_PHI || n->kind == UOP_SELECT || (n->kind >= UOP_ADD && n->kind <= UOP_PAIR);
            for (uint32_t k = 0; k < count && passes; k++) {
                out->address[args[k]] |= out->address[id];
                out->compare[args[k]] |= out->compare[id];
            }
        }
    return true;
}

/* "s32" when compared or widened as signed. Compares say more than widening: a compiler that proves
 * a value not negative widens it with zeros. */
static const char *index_type_at(const struct mean *m, graph_id id, unsigned depth)
{
    enum { TYPE_DEPTH = 3 };
    const struct graph_node *n = graph_at(m->g, id);
    bool wide = n->type == UOP_B64;
    const char *found = NULL;
    uint32_t count;
    const graph_id *users = graph_users(m->g, id, &count);
    for (uint32_t i = 0; i < count; i++) {
        unsigned kind = graph_at(m->g, users[i])->kind;
        if (!mean_is_live(m, users[i]))
            continue;
        if (kind == UOP_ILT_S)
            return wide ? "s64" : "s32";
        if (kind == UOP_ILT_U)
            return wide ? "u64" : "u32";
        if (kind == UOP_SEXT || (kind == UOP_SAR && !found))
            found = wide ? "s64" : "s32";
        else if ((kind == UOP_ZEXT || kind == UOP_SHR) && !found)
            found = wide ? "u64" : "u32";
    }
    for (uint32_t i = 0; i < count && !found && depth < TYPE_DEPTH; i++) { /* what is made of it */
        const struct graph_node *user = graph_at(m->g, users[i]);
        if ((user->kind == UOP_ADD || user->kind == UOP_MUL) && user->type == n->type && mean_is_live(m, users[i]))
            found = index_type_at(m, users[i], depth + 1);
    }
    return found;
}

static const char *index_type(const struct mean *m, graph_id id)
{
    if (graph_at(m->g, id)->kind == GRAPH_TURN)
        return graph_at(m->g, id)->type == UOP_B64 ? "s64" : "s32"; /* no machine value: a number of steps */
    const struct graph_node *n = graph_at(m->g, id);
    const char *found = index_type_at(m, id, 0);
    if (found)
        return found;
    if (n->type == UOP_B64)
        return graph_at(m->g, n->arg[0])->kind == UOP_SEXT ? "s64" : "u64";
    return "u32";
}

/* ---- letters --------------------------------------------------------------------------------- */

const char *mean_next_letter(const struct mean *m, unsigned *at)
{
    static const char *const letters[] = {"i", "j", "k", "l", "m", "q", "r", "s", "t", "u"};
    enum { LETTERS = sizeof letters / sizeof letters[0] };
    for (;;) {
        unsigned n = (*at)++;
        const char *name = n < LETTERS ? letters[n] : arena_printf(m->a, "i%u", n - LETTERS + 1);
        bool taken = !name;
        for (uint32_t p = 0; p < m->param_count && !taken; p++)
            taken = strcmp(m->params[p].name, name) == 0;
        if (!taken || !name)
            return name;
    }
}

static bool give_name(struct mean *m, graph_id node, const char *name, const char *expr, const char *type)
{
    uint32_t at = (uint32_t)m->names.n;
    struct mean_name entry = {node, name, expr, type};
    if (!name || !expr)
        return false;
    VEC_PUSH(m->a, m->names, entry);
    return m->names.n == at + 1 && map_u64_put(m->a, &m->name_of, node, at);
}

bool mean_give_name(struct mean *m, graph_id node, const char *name, const char *expr)
{
    return give_name(m, node, name, expr, index_type(m, node));
}

/* Texts made on the way did not know the later names. */
void mean_forget_texts(struct mean *m)
{
    m->work->memo = (struct map_u64){0};
    m->work->texts.n = 0;
}

/* A phi of a loop header that an integer operation moves each turn: where it starts (the first of
 * several ways in) and what comes round. */
static bool is_counter(const struct graph *g, graph_id id, graph_id *start, graph_id *next)
{
    const struct graph_node *n = graph_at(g, id);
    *start = *next = GRAPH_NIL;
    for (uint32_t k = 0; n->kind == GRAPH_PHI && k < n->phi_count; k++) {
        const struct graph_node *step = graph_at(g, n->phi_args[k]);
        bool moves = n->phi_args[k] > id && step->kind >= UOP_ADD && step->kind <= UOP_SAR, own = false;
        for (unsigned a = 0; a < step->arg_count && moves; a++)
            own |= step->arg[a] == id;
        if (own) {
            *next = n->phi_args[k];
        } else if (*start == GRAPH_NIL) {
            *start = n->phi_args[k];
        }
    }
    return *start != GRAPH_NIL && *next != GRAPH_NIL;
}

/* A pointer plus something, or a word of that. */
static bool is_pointer_word(const struct mean *m, graph_id id)
{
    struct graph_affine f;
    if (graph_at(m->g, id)->kind == UOP_HI) /* of a product it is a quotient's or a remainder's */
        id = graph_at(m->g, id)->arg[0];
    if (!graph_affine(m->g, id, &f))
        return true;
    bool found = mean_param_of(m, f.base) != NULL;
    for (unsigned k = 0; k < f.term_count; k++) {
        const struct mean_param *p = mean_param_of(m, f.terms[k].term);
        found |= p && p->size == 8 && mean_is_pointer(m, graph_cbank(m->g, UOP_B64, 0, p->constant_offset));
    }
    return found;
}

/* The same through selects and joins, as where a moving pointer starts. */
static bool is_moving_pointer(const struct mean *m, graph_id id, unsigned depth)
{
    enum { POINTER_DEPTH = 8 };
    const struct graph_node *n = graph_at(m->g, id);
    if (n->kind == UOP_SELECT && depth < POINTER_DEPTH)
        return is_moving_pointer(m, n->arg[1], depth + 1) || is_moving_pointer(m, n->arg[2], depth + 1);
    for (uint32_t k = 0; n->kind == GRAPH_PHI && k < n->phi_count && depth < POINTER_DEPTH; k++)
        if (n->phi_args[k] < id && is_moving_pointer(m, n->phi_args[k], depth + 1))
            return true;
    return n->kind != GRAPH_PHI && is_pointer_word(m, id);
}

/* Where a counter starts and how it goes on; a start that no reader takes in is left out. */
static const char *counter_text(struct mean *m, const char *start, const char *next)
{
    enum { START_MAX = 60 };
    if (strlen(start) > START_MAX)
        start = "";
    const char *text = arena_printf(m->a, "%s%sthen %s", start, start[0] ? ", " : "", next);
    return text ? mean_shorten(m, text) : NULL;
}

/* Made of thread and block numbers, parameters and constants alone, by `steps` operations at least. */
static bool is_place_in_grid(const struct graph *g, graph_id id, unsigned depth, unsigned *steps, bool *varies)
{
    enum { PLACE_DEPTH = 12, PLACE_STEPS = 64 };
    const struct graph_node *n = graph_at(g, id);
    if (depth > PLACE_DEPTH || *steps > PLACE_STEPS)
        return false;
    if (n->kind == UOP_SREG) {
        *varies |= n->imm <= UOP_SR_CTAID_Z;
        return true;
    }
    if (n->kind == UOP_CONST || (n->kind == UOP_CBANK && n->arg_count == 0))
        return true;
    bool integer = (n->kind >= UOP_ADD && n->kind <= UOP_SAR) || n->kind == UOP_SEXT || n->kind == UOP_ZEXT;
    if (!integer || n->type == UOP_B1)
        return false;
    ++*steps;
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!is_place_in_grid(g, n->arg[k], depth + 1, steps, varies))
            return false;
    return true;
}

/* By node: how many addresses (one, or more) it is the whole index of. */
static uint8_t *count_index_uses(const struct mean *m)
{
    const struct graph *g = m->g;
    uint8_t *uses = ARENA_ARRAY(m->a, uint8_t, g->nodes.n);
    graph_id *seen = ARENA_ARRAY(m->a, graph_id, g->nodes.n); /* the address it was met in last */
    for (uint32_t i = 0; i < g->accesses.n && uses && seen; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_affine f;
        if (mean_array_of(m, x->address, (enum uop_space)x->space, &f) < 0 || f.term_count != 1 ||
            f.terms[0].coefficient <= 1 || x->address == seen[f.terms[0].term])
            continue;
        seen[f.terms[0].term] = x->address;
        uses[f.terms[0].term] += uses[f.terms[0].term] < 2;
    }
    return seen ? uses : NULL;
}

/* The whole index of two addresses, or of one and an operand of a bound: a reader meets it again and again. */
static bool is_shared_index(const struct mean *m, const uint8_t *index_uses, graph_id id)
{
    enum { LEAST_STEPS = 2 };
    const struct graph *g = m->g;
    const struct graph_node *n = graph_at(g, id);
    unsigned steps = 0, uses = index_uses[id];
    bool varies = false;
    if (n->kind < UOP_ADD || n->kind > UOP_SAR || (n->type != UOP_B32 && n->type != UOP_B64) ||
        !is_place_in_grid(g, id, 0, &steps, &varies) || !varies || steps < LEAST_STEPS)
        return false;
    uint32_t count;
    const graph_id *users = graph_users(g, id, &count);
    for (uint32_t i = 0; i < count && uses == 1; i++) {
        unsigned kind = graph_at(g, users[i])->kind;
        uses += kind == UOP_ILT_S || kind == UOP_ILT_U || kind == UOP_IEQ;
    }
    return uses >= 2;
}

struct found_index {
    graph_id node;
    int dim;
    struct mean_linear parts;
};

static int index_before(const void *a, const void *b)
{
    const struct found_index *x = a, *y = b;
    if (x->dim != y->dim)
        return x->dim - y->dim;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Phis that need no name: nobody looks at them, or a loop's counter is a part of them and has the name. */
static uint8_t *nameless_phis(const struct mean *m)
{
    const struct graph_cycles *cycles = m->g->cycles;
    uint8_t *none = ARENA_ARRAY(m->a, uint8_t, m->g->nodes.n);
    for (graph_id id = 1; cycles && none && id < cycles->copy_count; id++)
        none[id] = graph_at(m->g, id)->kind == GRAPH_PHI && !cycles->live_phi[id];
    for (size_t i = 0; cycles && none && i < cycles->cycles.n; i++) {
        const struct graph_node *n = graph_at(m->g, cycles->cycles.p[i].counter);
        if (n->kind != GRAPH_PHI && n->arg_count > 0)
            none[n->arg[0]] = 1;
    }
    return none;
}

/* The counter of each loop of the source: "blockDim.x >> 1, then j >> 1". */
static bool name_loop_counters(struct mean *m, unsigned *letter)
{
    const struct graph_cycles *cycles = m->g->cycles;
    for (size_t i = 0; cycles && i < cycles->cycles.n; i++) {
        const struct graph_cycle *c = &cycles->cycles.p[i];
        uint32_t known;
        if (c->counter == GRAPH_NIL || map_u64_get(&m->name_of, c->counter, &known) ||
            (c->start != GRAPH_NIL && is_moving_pointer(m, c->start, 0)))
            continue;
        if (!give_name(m, c->counter, mean_next_letter(m, letter), "", index_type(m, c->counter)))
            return false;
        size_t at = m->names.n - 1;
        const char *start = c->start == GRAPH_NIL ? "" : mean_text_of(m, c->start, UOP_B32, MEAN_EXPANDED, 0).p;
        const char *next = mean_text_of(m, c->next, UOP_B32, MEAN_EXPANDED, 0).p;
        const char *text = counter_text(m, start, next);
        if (!text)
            return false;
        m->names.p[at].expr = text;
    }
    return true;
}

enum sp_status mean_find_names(struct mean *m)
{
    enum { INDICES_MAX = 32 };
    struct found_index found[INDICES_MAX];
    unsigned count = 0, letter = 0;
    struct marks marks;
    size_t nodes = m->g->nodes.n;
    if (!find_marks(m, &marks))
        return SP_ERR_MEMORY;
    /* 64-bit ones first: the low word of such an index is no index of its own. */
    graph_id low[INDICES_MAX];
    unsigned lows = 0;
    for (graph_id id = 1; id < nodes && lows < INDICES_MAX; id++) {
        struct mean_linear parts;
        if (graph_at(m->g, id)->type == UOP_B64 && linear_dimension(m->g, id, &parts) >= 0)
            low[lows++] = graph_op1(m->g, UOP_LO, UOP_B32, id);
    }
    for (graph_id id = 1; id < nodes && count < INDICES_MAX; id++) {
        struct mean_linear parts;
        int dim = linear_dimension(m->g, id, &parts);
        bool used = marks.address[id] || marks.compare[id];
        if (dim >= 0) /* within a longer sum its parts stand alone */
            used |= (marks.address[parts.block] && marks.address[parts.thread]) ||
                    (marks.compare[parts.block] && marks.compare[parts.thread]);
        for (unsigned k = 0; k < lows; k++)
            used &= low[k] != id;
        if (dim >= 0 && used)
            found[count++] = (struct found_index){id, dim, parts};
    }
    m->work->linear = ARENA_ARRAY(m->a, struct mean_linear, count);
    if (!m->work->linear)
        return SP_ERR_MEMORY;
    qsort(found, count, sizeof found[0], index_before);
    for (unsigned i = 0; i < count; i++) {
        const struct mean_linear *parts = &found[i].parts;
        char d = "xyz"[found[i].dim];
        /* Widened or not: the type says so. */
        const char *expr = parts->factor == 1 ? arena_printf(m->a, "blockIdx.%c * blockDim.%c + threadIdx.%c", d, d, d)
                                              : arena_printf(m->a, "blockIdx.%c * %lld + threadIdx.%c", d,
                                                             (long long)parts->factor, d);
        m->work->linear[i] = *parts;
        bool wide = graph_at(m->g, found[i].node)->type == UOP_B64;
        m->work->linear[i].low = wide ? graph_op1(m->g, UOP_LO, UOP_B32, found[i].node) : GRAPH_NIL;
        if (wide && !map_u64_put(m->a, &m->work->low_of, m->work->linear[i].low, i))
            return SP_ERR_MEMORY;
        if (!give_name(m, found[i].node, mean_next_letter(m, &letter), expr, index_type(m, found[i].node)))
            return SP_ERR_MEMORY;
    }
    m->work->linear_count = (uint32_t)m->names.n;
    const uint8_t *index_uses = count_index_uses(m);
    if (!index_uses)
        return SP_ERR_MEMORY;
    for (graph_id id = 1; id < nodes; id++) {
        /* Beside a linear index only what is no sum over it. */
        unsigned kind = graph_at(m->g, id)->kind;
        bool own = m->work->linear_count == 0 || kind == UOP_OR || kind == UOP_LOP3;
        uint32_t known;
        const char *text = own && !map_u64_get(&m->name_of, id, &known) && is_shared_index(m, index_uses, id)
                               ? mean_text_define(m, id, UOP_B32, MEAN_EXPANDED, 0).p
                               : NULL;
        if (text && !give_name(m, id, mean_next_letter(m, &letter), mean_shorten(m, text), index_type(m, id)))
            return SP_ERR_MEMORY;
    }
    const uint8_t *nameless = nameless_phis(m);
    if (!nameless || !name_loop_counters(m, &letter))
        return SP_ERR_MEMORY;
    for (graph_id id = 1; id < nodes; id++) {
        graph_id start, next;
        uint32_t known;
        if (nameless[id] || map_u64_get(&m->name_of, id, &known) || graph_as_turn(m->g, id) != id)
            continue; /* named already, of no use, or told over the loop's counter */
        if (!is_counter(m->g, id, &start, &next) || !(marks.address[id] || marks.compare[id]) ||
            graph_at(m->g, id)->type == UOP_B1)
            continue;
        if (is_moving_pointer(m, start, 0) || graph_at(m->g, next)->kind == UOP_ADDC)
            continue; /* no counter */
        if (!give_name(m, id, mean_next_letter(m, &letter), "", index_type(m, id)))
            return SP_ERR_MEMORY;
        struct strbuf text;
        str_init(&text, m->a);
        const struct graph_node *phi = graph_at(m->g, id);
        for (uint32_t k = 0; k < phi->phi_count; k++) {
            bool again = phi->phi_args[k] == next;
            for (uint32_t other = 0; other < k; other++)
                again |= phi->phi_args[other] == phi->phi_args[k];
            if (!again)
                str_addf(&text, "%s%s", text.n ? " or " : "",
                         mean_text_of(m, phi->phi_args[k], UOP_B32, MEAN_EXPANDED, 0).p);
        }
        size_t at = m->names.n - 1;
        const char *expr = counter_text(m, text.p, mean_text_define(m, next, UOP_B32, MEAN_EXPANDED, 0).p);
        if (!expr)
            return SP_ERR_MEMORY;
        m->names.p[at].expr = expr;
    }
    mean_forget_texts(m);
    return arena_failed(m->a) ? SP_ERR_MEMORY : mean_name_long_parts(m, &letter);
}

/* Registers that count time are read again and again: where a kernel has several readings each has its number, in the
 * order of the code. The two words of one reading share it. */
static bool number_readings(struct mean *m)
{
    uint32_t insn = UINT32_MAX, count = 0;
    for (graph_id id = 1; id < m->g->nodes.n; id++) {
        const struct graph_node *n = graph_at(m->g, id);
        if (n->kind != UOP_SREG || n->insn == UINT32_MAX)
            continue;
        count += n->insn != insn;
        insn = n->insn;
        if (!map_u64_put(m->a, &m->work->reading_of, id, count))
            return false;
    }
    if (count < 2)
        m->work->reading_of = (struct map_u64){0};
    return true;
}

bool mean_is_linear_index(const struct mean *m, graph_id node)
{
    uint32_t at;
    return map_u64_get(&m->name_of, node, &at) && at < m->work->linear_count;
}

enum sp_status mean_init(struct mean *m, struct arena *a, struct graph *g, const struct mean_param *params,
                         uint32_t param_count)
{
    *m = (struct mean){.a = a, .g = g, .params = params, .param_count = param_count};
    m->work = ARENA_NEW(a, struct mean_work);
    if (!m->work)
        return SP_ERR_MEMORY;
    enum sp_status status = number_readings(m) ? mean_find_uses(m) : SP_ERR_MEMORY;
    if (status == SP_OK)
        status = mean_find_addresses(m);
    if (status == SP_OK)
        status = mean_find_live(m);
    if (status == SP_OK)
        status = mean_find_arrays(m);
    if (status == SP_OK)
        mean_infer_arrays(m);
    if (status == SP_OK)
        status = mean_find_names(m);
    unsigned flushing = 0;
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        bool rounds = n->kind == UOP_FADD || n->kind == UOP_FMUL || n->kind == UOP_FFMA || n->kind == UOP_FMIN ||
                      n->kind == UOP_FMAX;
        bool own =
            graph_is_inside(g, id) || (g->expansions && id >= g->expansions->nodes); /* an expansion's, a reading's */
        if (rounds && !own && n->type == UOP_F32 && status == SP_OK && mean_is_live(m, id))
            flushing |= n->flags & (UOP_FTZ | UOP_FMZ) ? 1u : 2u;
    }
    m->work->mixed_ftz = flushing == 3;
    if (status == SP_OK) { /* from here on kinds no longer change */
        m->work->kind_count = g->nodes.n;
        m->work->kinds = ARENA_ARRAY(a, uint8_t, g->nodes.n);
    }
    return status;
}
