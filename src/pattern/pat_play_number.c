/* Numbers in a play: what a node is for the thread played, whether it differs within a block, whether a condition
 * holds. What is made of thread and block numbers and constants is computed; all else is not known, or drawn.
 *
 * Requires a play; each node is computed once for a thread and a turn, within the play's budget. */
#include "pattern/pat_play.h"

#include "base/map.h"

#include <string.h>

enum { DEPTH = 120 };

static bool sreg_value(const struct pat_play *p, uint64_t sreg, uint64_t *out)
{
    switch (sreg) {
    case UOP_SR_TID_X: *out = p->down ? p->column : p->thread; return true;
    case UOP_SR_TID_Y: *out = p->down ? p->thread : p->row; return true;
    case UOP_SR_TID_Z: *out = p->layer; return true;
    case UOP_SR_NTID_X: *out = p->down ? PAT_COLUMNS : p->threads; return true;
    case UOP_SR_NTID_Y: *out = p->down ? p->threads : 1; return true;
    case UOP_SR_NTID_Z: *out = 1; return true;
    case UOP_SR_LANEID: *out = (p->down ? p->column : p->thread) & 31; return true;
    case UOP_SR_EQMASK: *out = UINT32_C(1) << ((p->down ? p->column : p->thread) & 31); return true;
    case UOP_SR_LTMASK: *out = (UINT32_C(1) << ((p->down ? p->column : p->thread) & 31)) - 1; return true;
    default: return false;
    }
}

static bool number_of(struct pat_play *p, graph_id id, unsigned depth, uint64_t *out);

/* A parameter, a block's number, what a loop around has come to: some number, the same wherever it is asked for. First
 * all parameters are alike and small, so that ends which are one apart come apart; then each is another one. */
static bool draw(const struct pat_play *p, graph_id id, const struct graph_node *n, uint64_t *out)
{
    static const unsigned large[PAT_LARGE] = {96,  127,  128,  129,  160,  192,  255,  256,  257,  300,  511,  513,
                                              700, 1024, 1025, 1536, 2048, 2049, 2560, 3000, 3333, 4096, 4500, 5000};
    static const unsigned upto[8] = {40, 4, 1500, 1100, 130, 4000, 70, 2000}; /* a thread of 1024 has several, too */
    uint32_t bits = uop_type_bits((enum uop_type)n->type);
    unsigned k = p->draw - 1;
    uint64_t hash = map_hash_mix(map_hash_mix(UINT64_C(0x9e3779b97f4a7c15), id), p->draw);
    bool block = n->kind == UOP_SREG && n->imm >= UOP_SR_CTAID_X && n->imm <= UOP_SR_NCTAID_Z;
    bool leaf = n->kind == UOP_CBANK || block;
    if (n->kind == GRAPH_PHI) {
        uint32_t at = p->g->blocks.p[n->block].first;
        leaf = at < p->drawn_from || at > p->drawn_to;
    }
    if (!leaf || (bits != 32 && bits != 64))
        return false;
    if (bits == 64)
        *out = UINT64_C(0x700000000000) + (hash & UINT32_MAX) * 4096;
    else if (block)
        *out = hash % 5 + (n->imm >= UOP_SR_NCTAID_X && n->imm <= UOP_SR_NCTAID_Z);
    else
        *out = k < PAT_ALIKE ? k : k < PAT_ALIKE + PAT_LARGE ? large[k - PAT_ALIKE] : hash % upto[k % 8];
    return true;
}

unsigned pat_play_lane(unsigned mode, unsigned lane, unsigned b, unsigned c, bool *within)
{
    unsigned segment = c >> 8 & 31, clamp = c & 31, least = lane & segment;
    unsigned most = least | (clamp & ~segment & 31), from;
    b &= 31;
    switch (mode) {
    case 0:
        from = least | (b & ~segment & 31);
        *within = from <= most;
        break;
    case 1:
        from = lane - b;
        *within = lane >= b && from >= most;
        break;
    case 2:
        from = lane + b;
        *within = from <= most;
        break;
    default:
        from = lane ^ b;
        *within = from <= most;
        break;
    }
    return *within ? from : lane;
}

static bool compute(struct pat_play *p, graph_id id, unsigned depth, uint64_t *out)
{
    const struct graph_node *n = graph_at(p->g, id);
    uint64_t args[6];
    switch (n->kind) {
    case UOP_CONST: *out = n->imm; return true;
    case UOP_SREG: return sreg_value(p, n->imm, out) || (p->draw && draw(p, id, n, out));
    case UOP_SHFL_IN: {
        bool within;
        if (!number_of(p, n->arg[1], depth + 1, &args[0]) || !number_of(p, n->arg[2], depth + 1, &args[1]))
            return false;
        pat_play_lane((unsigned)n->imm, p->thread & 31, (unsigned)args[0], (unsigned)args[1], &within);
        *out = within;
        return true;
    }
    case UOP_RCP: { /* as near as makes no difference to what counts with it */
        float f;
        uint32_t w;
        if (n->type != UOP_F32 || !number_of(p, n->arg[0], depth + 1, &args[0]))
            return false;
        w = (uint32_t)args[0];
        memcpy(&f, &w, sizeof f);
        f = 1.0f / f;
        memcpy(&w, &f, sizeof w);
        *out = w;
        return true;
    }
    case UOP_UNIFORM: return number_of(p, n->arg[0], depth + 1, out);
    default: break;
    }
    if (!pat_is_pure(n))
        return p->draw && draw(p, id, n, out);
    if (n->kind == UOP_SELECT) { /* the arm that is not taken need not be known */
        return number_of(p, n->arg[0], depth + 1, &args[0]) &&
               number_of(p, args[0] & 1 ? n->arg[1] : n->arg[2], depth + 1, out);
    }
    if ((n->kind == UOP_MUL || n->kind == UOP_AND) && n->type != UOP_B1) /* nothing times anything */
        for (unsigned i = 0; i < 2; i++)
            if (number_of(p, n->arg[i], depth + 1, &args[i]) && !args[i]) {
                *out = 0;
                return true;
            }
    for (unsigned i = 0; i < n->arg_count; i++)
        if (!number_of(p, n->arg[i], depth + 1, &args[i]))
            return false;
    return pat_eval_node(p->g, id, args, out);
}

static bool number_of(struct pat_play *p, graph_id id, unsigned depth, uint64_t *out)
{
    if (id == GRAPH_NIL || id >= p->size || depth > DEPTH || !p->budget)
        return false;
    struct pat_played *of = &p->of[id];
    const uint32_t now = of->turns ? p->turn : p->now;
    if (of->stamp == now || of->given) {
        *out = of->value;
        return of->given || of->known;
    }
    p->budget--;
    bool known = compute(p, id, depth, out);
    of->stamp = now;
    of->known = known;
    of->value = known ? *out : 0;
    return known;
}

void pat_play_forget(struct pat_play *p)
{
    p->now = p->turn = ++p->clock;
}

void pat_play_forget_turn(struct pat_play *p)
{
    p->turn = ++p->clock;
}

bool pat_play_number(struct pat_play *p, graph_id id, uint64_t *out)
{
    return number_of(p, id, 0, out);
}

/* ---- what differs within a block ------------------------------------------------------------- */

static bool differs(struct pat_play *p, graph_id id, unsigned depth)
{
    if (id == GRAPH_NIL || id >= p->size || depth > DEPTH)
        return id != GRAPH_NIL;
    if (p->differs[id])
        return p->differs[id] == 2; /* being asked: decided by the rest */
    const struct graph_node n = *graph_at(p->g, id);
    bool yes = false;
    p->differs[id] = 3;
    switch (n.kind) {
    case UOP_CONST: break;
    case UOP_BAR_GIVES: yes = n.width; break;
    case UOP_CBANK:
        for (unsigned i = 0; i < n.arg_count && !yes; i++)
            yes = differs(p, n.arg[i], depth + 1);
        break;
    case UOP_SREG:
        yes = !((n.imm >= UOP_SR_CTAID_X && n.imm <= UOP_SR_NCTAID_Z) || n.imm == UOP_SR_CGA_CTAID ||
                n.imm == UOP_SR_CGA_SIZE || n.imm == UOP_SR_SMID || n.imm == UOP_SR_STACK_END ||
                n.imm == UOP_SR_SMEMSZ || n.imm == UOP_SR_SWINHI);
        break;
    case UOP_LOAD: yes = n.order > UOP_READONLY || differs(p, n.arg[0], depth + 1); break;
    case GRAPH_PHI:
        for (uint32_t i = 0; i < n.phi_count && !yes; i++)
            yes = differs(p, n.phi_args[i], depth + 1);
        break;
    default:
        yes = !pat_is_pure(&n) && n.kind != UOP_ELEMENT && n.kind != UOP_UNIFORM;
        for (unsigned i = 0; i < n.arg_count && !yes; i++)
            yes = differs(p, n.arg[i], depth + 1);
        break;
    }
    p->differs[id] = yes ? 2 : 1;
    return yes;
}

bool pat_differs_in_block(struct pat_play *p, graph_id node)
{
    return differs(p, node, 0);
}

enum truth pat_play_truth(struct pat_play *p, graph_id b1, bool kindly)
{
    graph_id atoms[6];
    unsigned count, open = 0, fixed = 0, row = 0;
    uint64_t table, bit;
    if (b1 == GRAPH_NIL)
        return IS_TRUE;
    if (graph_is_const(p->g, b1, &bit))
        return bit ? IS_TRUE : IS_FALSE;
    if (!graph_table(p->g, b1, atoms, &count, &table))
        return IS_UNKNOWN;
    for (unsigned i = 0; i < count; i++) {
        if (number_of(p, atoms[i], 0, &bit)) {
            fixed |= 1u << i;
            row |= (unsigned)(bit & 1) << i;
        } else if (kindly && !differs(p, atoms[i], 0)) {
            open |= 1u << i;
        } else {
            /* Not known, but it may not matter. */
            open |= 1u << i;
            kindly = false;
        }
    }
    bool any = false, all = true;
    for (unsigned k = 0; k < 1u << count; k++) {
        if ((k & fixed) != (row & fixed))
            continue;
        bool holds = table >> k & 1;
        any |= holds;
        all &= holds;
    }
    return all ? IS_TRUE : !any ? IS_FALSE : open && kindly ? IS_TRUE : IS_UNKNOWN;
}
