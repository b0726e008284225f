/* Where an output differs from its own words because subnormal numbers are flushed: an operation that counts subnormal
 * operands and results as zero is written like one that does not, so the inputs for which that shows are told with it.
 * An operation names the operands and, where it rounds, the result that may be subnormal; a number that is flushed
 * already, a whole number or a constant never is. What an expansion computes is told by its reading; where a
 * multiply-add of it flushes, so does the division, reciprocal or root that is read: compilers have a form for either.
 * A compare that is read as part of a minimum or maximum has rows of its own (pat_differ.c).
 *
 * Requires pat_run's result; gives at most one row. Linear in what the output is made of. */
#include "pattern/pat_internal.h"

#include "base/str.h"

#include <string.h>

enum { NODES = 4000, TOLD = 6, TEXT = 120, ALL_TEXT = 400 };

struct flush {
    struct mean *m;
    struct graph *g;
    struct arena *a;
    const struct pat_result *matches;
    graph_id queue[NODES];
    unsigned count;
    struct map_u64 seen, told;
    struct strbuf when;
    unsigned told_count;
    bool found, more; /* some operation shows it; not all that does stands in `when` */
};

static void visit(struct flush *f, graph_id id)
{
    if (id == GRAPH_NIL || id >= f->g->nodes.n || map_u64_get(&f->seen, id, NULL))
        return;
    if (f->count == NODES) {
        f->more = true;
        return;
    }
    map_u64_put(f->a, &f->seen, id, 0);
    f->queue[f->count++] = id;
}

static bool is_compare(const struct graph_node *n)
{
    return n->kind >= UOP_FLT && n->kind <= UOP_FNUM;
}

static bool flushes(const struct graph_node *n)
{
    switch (n->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FMIN:
    case UOP_FMAX:
    case UOP_FROUND:
    case UOP_F2F:
    case UOP_F2I:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE: return n->flags & (UOP_FTZ | UOP_FMZ);
    default: return false;
    }
}

/* Its format where it is a number, of which bits alone do not tell. */
static enum uop_type operand_format(const struct graph_node *n)
{
    return (enum uop_type)(n->kind == UOP_F2F || n->kind == UOP_F2I ? n->imm : is_compare(n) ? n->width : n->type);
}

static bool may_be_subnormal(const struct flush *f, graph_id id, enum uop_type as)
{
    const struct graph_node *n = graph_at(f->g, id);
    uint64_t bits;
    while (n->kind == UOP_FNEG || n->kind == UOP_FABS)
        n = graph_at(f->g, id = n->arg[0]);
    if (graph_is_const(f->g, id, &bits)) {
        unsigned width = uop_type_bits(as), mantissa = as == UOP_F64    ? 52
                                                       : as == UOP_F32  ? 23
                                                       : as == UOP_BF16 ? 7
                                                                        : 10;
        uint64_t magnitude = bits & ((UINT64_C(1) << (width - 1)) - 1);
        return magnitude != 0 && magnitude >> mantissa == 0;
    }
    return n->kind != UOP_I2F && n->kind != UOP_FROUND && !(flushes(n) && !is_compare(n) && n->kind != UOP_F2I);
}

static void tell(struct flush *f, graph_id id, enum uop_type as, bool written_out)
{
    while (!written_out && (graph_at(f->g, id)->kind == UOP_FNEG || graph_at(f->g, id)->kind == UOP_FABS))
        id = graph_at(f->g, id)->arg[0];
    f->found = true;
    uint64_t key = (uint64_t)id << 1 | written_out;
    if (map_u64_get(&f->told, key, NULL))
        return;
    map_u64_put(f->a, &f->told, key, 0);
    const char *text = written_out ? mean_definition(f->m, id, as, MEAN_INNER) : mean_expr(f->m, id, as, MEAN_INNER);
    f->more |= f->told_count == TOLD || strlen(text) > TEXT || strstr(text, "\xe2\x80\xa6") || strchr(text, '?') ||
               f->when.n > ALL_TEXT;
    if (f->more)
        return;
    f->told_count++;
    str_addf(&f->when, "%ssubnormal(%s)", f->when.n ? " || " : "", text);
}

static void note_operation(struct flush *f, graph_id id)
{
    const struct graph_node n = *graph_at(f->g, id);
    enum uop_type as = operand_format(&n);
    if (!pat_is_float(as))
        return;
    graph_id operands[3]; /* as they are shown, whatever order the machine has them in */
    unsigned count = n.arg_count < 3 ? n.arg_count : 3;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = i;
        for (; k > 0 && mean_display_order(f->m, operands[k - 1], n.arg[i]) > 0; k--)
            operands[k] = operands[k - 1];
        operands[k] = n.arg[i];
    }
    for (unsigned i = 0; i < count; i++)
        if (may_be_subnormal(f, operands[i], as))
            tell(f, operands[i], as, false);
    bool rounds = n.kind == UOP_FADD || n.kind == UOP_FMUL || n.kind == UOP_FFMA || n.kind == UOP_F2F;
    if (rounds && !(n.kind == UOP_F2F && uop_type_bits((enum uop_type)n.type) > uop_type_bits(as)))
        tell(f, id, (enum uop_type)n.type, true);
}

/* The operand of a reading times a constant: lost where it is flushed. */
static bool scales(const struct flush *f, const struct graph_node *n, const struct graph_node *reading)
{
    for (unsigned i = 0; i < 2; i++)
        if (n->arg[i] == reading->arg[0] && graph_is_const(f->g, n->arg[!i], NULL))
            return true;
    return false;
}

/* A multiply-add between a reading and its operands flushes: that rounds the result, or a residue that a kept result
 * needs whole. Compares and products of an expansion may flush on the way to numbers that are kept. */
static bool expansion_flushes(const struct flush *f, graph_id id, const struct graph_node *reading)
{
    enum { EXPANSION = 256 };
    graph_id queue[EXPANSION];
    struct map_u64 seen = {0};
    unsigned count = 0;
    bool adds = false, directed = false;
    for (unsigned i = 0; i < reading->arg_count; i++)
        map_u64_put(f->a, &seen, reading->arg[i], 0);
    queue[count++] = id;
    for (unsigned at = 0; at < count; at++) {
        const struct graph_node *n = graph_at(f->g, queue[at]);
        bool flushing = n->flags & (UOP_FTZ | UOP_FMZ);
        if ((n->kind == UOP_FFMA && flushing) || (n->kind == UOP_FMUL && flushing && scales(f, n, reading)))
            return true;
        adds |= n->kind == UOP_FFMA;
        directed |= n->kind == UOP_FFMA && n->round != UOP_RN;
        if (n->kind == UOP_LOAD || n->kind == UOP_ELEMENT || n->kind == UOP_ATOM)
            continue;
        uint32_t ways = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
        for (uint32_t i = 0; i < ways; i++) {
            graph_id next = n->kind == GRAPH_PHI ? n->phi_args[i] : n->arg[i];
            if (next == GRAPH_NIL || map_u64_get(&seen, next, NULL))
                continue;
            if (count == EXPANSION)
                return false;
            map_u64_put(f->a, &seen, next, 0);
            queue[count++] = next;
        }
    }
    uint64_t one;
    bool reciprocal = reading->kind == UOP_RCP || (reading->kind == GRAPH_REAL &&
                                                   graph_is_const(f->g, reading->arg[0], &one) && one == 0x3f800000u);
    return reciprocal && adds && !directed; /* a subnormal reciprocal is rounded with care */
}

/* A division, reciprocal or square root that an expansion is read as. */
static void note_expansion(struct flush *f, graph_id id, graph_id reading)
{
    const struct graph_node n = *graph_at(f->g, reading);
    bool divides = (n.kind == GRAPH_REAL && n.imm == GRAPH_DIV) || n.kind == UOP_RCP;
    if (n.type != UOP_F32 || (!divides && n.kind != UOP_SQRT && n.kind != UOP_RSQ) || !expansion_flushes(f, id, &n))
        return;
    for (unsigned i = 0; i < n.arg_count; i++)
        if (may_be_subnormal(f, n.arg[i], UOP_F32))
            tell(f, n.arg[i], UOP_F32, false);
    if (divides)
        tell(f, reading, UOP_F32, true);
}

/* The condition of a select that is read as a minimum or maximum: its compares are told there. */
static bool is_stage(const struct flush *f, graph_id id, const struct graph_node *n)
{
    return n->kind == UOP_SELECT && pat_real_node(f->matches, id) != id;
}

static void walk(struct flush *f)
{
    for (unsigned at = 0; at < f->count; at++) {
        graph_id id = f->queue[at], reading = graph_reads(f->g, id);
        if (reading == GRAPH_NIL)
            reading = graph_shows(f->g, id);
        const struct graph_node n = *graph_at(f->g, reading != GRAPH_NIL ? reading : id);
        if (reading == GRAPH_NIL && flushes(&n))
            note_operation(f, id);
        else if (reading != GRAPH_NIL)
            note_expansion(f, id, reading);
        if (n.kind == UOP_LOAD || n.kind == UOP_ELEMENT || n.kind == UOP_ATOM)
            continue; /* what its address is made of is another matter */
        for (uint32_t i = 0; n.kind == GRAPH_PHI && i < n.phi_count; i++)
            visit(f, n.phi_args[i]);
        for (unsigned i = is_stage(f, id, &n); n.kind != GRAPH_PHI && i < n.arg_count; i++)
            visit(f, n.arg[i]);
    }
}

enum sp_status pat_flushed(struct mean *m, const struct pat_result *matches, graph_id node, graph_id condition,
                           struct arena *a, struct pat_differences *out)
{
    struct flush *f = ARENA_NEW(a, struct flush);
    if (!f)
        return SP_ERR_MEMORY;
    *f = (struct flush){.m = m, .g = m->g, .a = a, .matches = matches};
    str_init(&f->when, a);
    visit(f, node);
    visit(f, condition);
    walk(f);
    if (f->found)
        VEC_PUSH(a, out->list,
                 (struct pat_difference){f->more ? "some operand or result on the way is subnormal" : f->when.p,
                                         "subnormal numbers count as zero", "kept"});
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
