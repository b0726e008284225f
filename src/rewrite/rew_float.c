/* Floats: multiply-adds that were fused and by whom, minima, exponentials, quotients and roots. What stands in the PTX
 * was made before it, by the compiler to PTX unless the source says that a person wrote it so; what does not was made
 * by the assembler.
 *
 * requires: rew_pair() · gives: records */
#include "rewrite/rew_internal.h"

#include <math.h>
#include <string.h>

struct owners { /* the instances of each expansion, as lists */
    const struct graph *g;
    uint32_t *first, *next;
    uint32_t *stamp; /* by expansion: the last that took its instances */
};

static struct owners list_owners(struct arena *a, const struct graph *g)
{
    struct owners o = {.g = g};
    if (!g->expansions)
        return o;
    o.first = ARENA_ARRAY(a, uint32_t, g->expansions->count + 1);
    o.next = ARENA_ARRAY(a, uint32_t, g->insns.n + 1);
    o.stamp = ARENA_ARRAY(a, uint32_t, g->expansions->count + 1);
    if (!o.first || !o.next || !o.stamp)
        return (struct owners){.g = g};
    for (uint32_t i = (uint32_t)g->insns.n; i-- > 0;) {
        uint32_t owner = g->expansions->owner[i];
        if (!owner || owner > g->expansions->count)
            continue;
        o.next[i] = o.first[owner];
        o.first[owner] = i + 1;
    }
    return o;
}

static uint32_t owner_of(const struct owners *o, uint32_t insn)
{
    uint32_t owner = o->first ? o->g->expansions->owner[insn] : 0;
    return owner <= (o->first ? o->g->expansions->count : 0) ? owner : 0;
}

static void add_owned(struct rew *r, struct rew_record *to, const struct owners *o, uint32_t insn)
{
    uint32_t owner = owner_of(o, insn);
    if (!owner)
        rew_add_insn(r, to, insn);
    for (uint32_t i = owner ? o->first[owner] : 0; i; i = o->next[i - 1])
        rew_add_insn(r, to, i - 1);
}

static void add_owned_lines(struct rew *r, struct rew_record *to, const struct owners *o, uint32_t insn)
{
    uint32_t owner = owner_of(o, insn);
    if (!owner)
        rew_add_line(r, to, rew_statement(r, insn)->line);
    for (uint32_t i = owner ? o->first[owner] : 0; i; i = o->next[i - 1])
        rew_add_line(r, to, rew_statement(r, i - 1)->line);
}

static graph_id without_sign(const struct graph *g, graph_id id)
{
    while (graph_at(g, id)->kind == UOP_FNEG)
        id = graph_at(g, id)->arg[0];
    return id;
}

/* The argument of a sum that is a product, or GRAPH_NIL. Of two `wanted`, else the one that computes `value`. */
static graph_id product_in(const struct rew *r, graph_id sum, graph_id wanted, uint64_t value)
{
    const struct graph *g = r->ptx->g;
    const struct graph_node *n = graph_at(g, sum);
    graph_id found = GRAPH_NIL;
    for (unsigned k = 0; n->kind == UOP_FADD && k < 2; k++) {
        graph_id x = without_sign(g, n->arg[k]);
        if (graph_at(g, x)->kind != UOP_FMUL || graph_at(g, x)->type != n->type)
            continue;
        if (!found || x == wanted || (found != wanted && r->pv.of[x] == value))
            found = x;
    }
    return found;
}

/* ---- multiply-adds that were fused ------------------------------------------------------------ */

/* Whether the source names what the PTX has: it was not made by a compiler then. */
static bool written_so(const struct rew *r, uint32_t insn, const char *const *parts, bool *known)
{
    const char *line = rew_source_line(r, insn);
    *known = line != NULL;
    for (size_t i = 0; line && parts[i]; i++)
        if (rew_mentions(line, parts[i]))
            return true;
    return false;
}

/* A quotient's mark on a line, outside of comments. */
static bool has_slash(const char *line)
{
    for (; *line; line++)
        if (*line == '/' && (line[1] == '/' || line[1] == '*'))
            return false;
        else if (*line == '/')
            return true;
    return false;
}

/* Why a quotient or root is of full precision. The PTX has the rounding written down in either case: whose it is only
 * the source's words tell, the operator's or the intrinsic's, not both. With no source it is taken for the options'. */
static const char *reason_of_precision(const struct rew *r, uint32_t insn, bool root, bool *known)
{
    static const char *const fixing[] = {"div_r", "rcp_r", "__fsqrt_r", NULL}, *const roots[] = {"sqrt(", "sqrtf(",
                                                                                                 NULL};
    const char *line = rew_source_line(r, insn);
    bool fixed = written_so(r, insn, fixing, known);
    bool plain = line && (root ? written_so(r, insn, roots, known) : has_slash(line));
    if (line && fixed == plain)
        return NULL;
    return fixed ? "rounding-fixed" : "no-fast-math";
}

static void find_contraction(struct rew *r, uint32_t insn)
{
    static const char *const parts[] = {"fma", "FMA", "mad", NULL};
    const struct graph *p = r->ptx->g;
    uint32_t at = r->found[insn];
    graph_id made = at != UINT32_MAX ? rew_made(p, at) : (graph_id)GRAPH_NIL, product;
    bool exact = r->how[insn] == REW_BY_VALUE, known;
    if (!made)
        return;
    if (graph_at(p, made)->kind == UOP_FFMA) {
        if (written_so(r, insn, parts, &known))
            return;
        struct rew_record *f = rew_add(r, "fma-contraction", REW_NVVM, known ? REW_PROVED : REW_ASSUMED);
        rew_add_insn(r, f, insn);
        rew_add_line(r, f, rew_statement(r, at)->line);
        return;
    }
    product = product_in(r, made, GRAPH_NIL, 0);
    if (!product)
        return;
    uint32_t maker = rew_maker(p, at, product);
    if (rew_statement(r, at)->is & REW_IS_FIXED || (maker != UINT32_MAX && rew_statement(r, maker)->is & REW_IS_FIXED))
        return; /* no assembler fuses those: it was made of something else */
    struct rew_record *f = rew_add(r, "fma-contraction", REW_PTXAS, exact ? REW_PROVED : REW_ASSUMED);
    rew_add_insn(r, f, insn);
    if (maker != UINT32_MAX)
        rew_add_line(r, f, rew_statement(r, maker)->line);
    rew_add_line(r, f, rew_statement(r, at)->line);
}

/* ---- minima and maxima ------------------------------------------------------------------------ */

static void find_minimum(struct rew *r, uint32_t insn, unsigned kind)
{
    static const char *const parts[] = {"min", "max", "Min", "Max", "relu", "clamp", "saturate", NULL};
    const struct graph *p = r->ptx->g;
    uint32_t at = r->found[insn];
    bool known;
    if (r->how[insn] != REW_BY_VALUE)
        return;
    graph_id made = rew_made(p, at);
    if (graph_at(p, made)->kind == kind) {
        if (written_so(r, insn, parts, &known))
            return;
        struct rew_record *f = rew_add(r, "min-max-formed", REW_NVVM, known ? REW_PROVED : REW_ASSUMED);
        rew_add_insn(r, f, insn);
        rew_add_line(r, f, rew_statement(r, at)->line);
    } else if (graph_at(p, made)->kind == UOP_SELECT) {
        struct rew_record *f = rew_add(r, "min-max-formed", REW_PTXAS, REW_PROVED);
        uint32_t compare = rew_predicate_maker(p, at);
        rew_add_insn(r, f, insn);
        if (compare != UINT32_MAX)
            rew_add_line(r, f, rew_statement(r, compare)->line);
        rew_add_line(r, f, rew_statement(r, at)->line);
    }
}

/* ---- exponentials ----------------------------------------------------------------------------- */

/* log2(e), or -log2(e): exp(-x) has its sign there. */
static bool is_log2e(const struct graph *g, graph_id id, enum uop_type type)
{
    struct uop widen = {.kind = UOP_F2F, .type = UOP_F64, .imm = type};
    uint64_t bits;
    double value;
    if (!graph_is_const(g, id, &bits) || (type != UOP_F64 && !uop_eval(&widen, &bits, &bits)))
        return false;
    memcpy(&value, &bits, sizeof value);
    double near = type == UOP_F16 || type == UOP_BF16 ? 1e-2 : type == UOP_F32 ? 1.5e-7 : 4e-16;
    return fabs(fabs(value) - 1.4426950408889634) <= near * 1.5;
}

/* A product with log2(e), alone or in a multiply-add. */
static bool scaled_by_log2e(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return (n->kind == UOP_FMUL || n->kind == UOP_FFMA) &&
           (is_log2e(g, n->arg[1], (enum uop_type)n->type) || is_log2e(g, n->arg[0], (enum uop_type)n->type));
}

static void find_exponential(struct rew *r, uint32_t insn, graph_id node)
{
    static const char *const parts[] = {"exp2", "ex2", NULL};
    const struct graph *p = r->ptx->g, *s = r->sass->g;
    uint32_t at = r->found[insn]; /* by value, or the line map says so: copies of a loop's body */
    bool known;
    graph_id made = at != UINT32_MAX ? rew_made(p, at) : (graph_id)GRAPH_NIL;
    if (!made || graph_at(p, made)->kind != UOP_EX2)
        return;
    graph_id scaled = without_sign(p, graph_at(p, made)->arg[0]);
    if (!scaled_by_log2e(p, scaled) || written_so(r, insn, parts, &known))
        return;
    struct rew_record *f = rew_add(r, "exp-to-exp2", REW_NVVM, known ? REW_PROVED : REW_ASSUMED);
    uint32_t maker = rew_maker(p, at, scaled), here = rew_maker(s, insn, without_sign(s, graph_at(s, node)->arg[0]));
    if (here != UINT32_MAX)
        rew_add_insn(r, f, here);
    rew_add_insn(r, f, insn);
    if (maker != UINT32_MAX)
        rew_add_line(r, f, rew_statement(r, maker)->line);
    rew_add_line(r, f, rew_statement(r, at)->line);
    f->told_at = insn;
}

/* An exponential of full precision: both sides have the steps of it. */
static void find_expansion(struct rew *r, const struct owners *so, const struct owners *po, uint32_t insn,
                           graph_id node)
{
    static const char *const parts[] = {"exp2", "ex2", NULL};
    const struct graph *p = r->ptx->g, *s = r->sass->g;
    graph_id reads = graph_reads(s, node), there;
    bool known;
    if (!reads)
        reads = graph_shows(s, node);
    if (!reads || graph_at(s, reads)->kind != GRAPH_REAL || graph_at(s, reads)->imm != GRAPH_EXP ||
        r->how[insn] != REW_BY_VALUE || written_so(r, insn, parts, &known))
        return;
    graph_id made = rew_made(p, r->found[insn]);
    there = graph_reads(p, made) ? graph_reads(p, made) : graph_shows(p, made);
    if (!there || graph_at(p, there)->kind != GRAPH_REAL)
        return;
    struct rew_record *f = rew_add(r, "exp-to-exp2", REW_NVVM, known ? REW_PROVED : REW_ASSUMED);
    add_owned(r, f, so, insn);
    add_owned_lines(r, f, po, r->found[insn]);
    f->told_at = insn;
}

/* ---- quotients and roots ---------------------------------------------------------------------- */

static const struct uop *math_of(const struct graph *g, uint32_t insn)
{
    const struct uop_list *l = g->input.insns[g->insns.p[insn].input].uops;
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_MATH || l->ops.p[i].kind == UOP_RCP || l->ops.p[i].kind == UOP_SQRT)
            return &l->ops.p[i];
    return NULL;
}

static bool is_integer_quotient(const struct uop *m)
{
    return m->kind == UOP_MATH && m->imm != UOP_MATH_DIV && m->imm != UOP_MATH_DIV_NEAR;
}

static void find_quotient(struct rew *r, const struct owners *so, uint32_t at)
{
    const struct rew_insn *is = rew_statement(r, at);
    const struct graph *s = r->sass->g;
    const struct uop *m = math_of(r->ptx->g, at);
    bool reciprocal = false, owned = false, product = false, approximate = (is->is & REW_IS_APPROXIMATE) != 0;
    uint32_t count = 0;
    for (uint32_t i = r->first_of[at]; i; i = r->next_of[i - 1]) {
        reciprocal |= rew_has_op(s, i - 1, UOP_RCP);
        product |= rew_has_op(s, i - 1, UOP_FMUL) || rew_has_op(s, i - 1, UOP_FFMA);
        owned |= owner_of(so, i - 1) != 0;
        count++;
    }
    if (!count || (approximate && is->is & REW_IS_ROOT))
        return;
    const char *kind = is->is & REW_IS_ROOT ? "sqrt-expanded" : "division-expanded";
    const char *reason = NULL;
    bool proved = owned, known = true;
    if (approximate) {
        bool by_constant = false;
        const struct uop_list *l = r->ptx->g->input.insns[r->ptx->g->insns.p[at].input].uops;
        if (!(is->is & REW_IS_DIVISION) ||
            (m && m->kind == UOP_RCP && l->ops.n && !rew_has_op(r->ptx->g, at, UOP_FMUL)))
            return; /* a reciprocal already */
        graph_id made = rew_made(r->ptx->g, at);
        by_constant = made && graph_at(r->ptx->g, made)->kind == UOP_FMUL;
        if (!reciprocal && !(by_constant && product))
            return;
        kind = "division-to-reciprocal";
        proved = reciprocal || owned;
    } else if (m && is_integer_quotient(m)) {
        if (!owned && count < 3)
            return;
    } else if (!owned && count < 3) {
        return;
    }
    if (!approximate && m && m->type == UOP_F32 && !(m->flags & UOP_FTZ))
        reason = reason_of_precision(r, r->first_of[at] - 1, (is->is & REW_IS_ROOT) != 0, &known);
    struct rew_record *f = rew_add(r, kind, REW_PTXAS, proved && known ? REW_PROVED : REW_ASSUMED);
    f->reason = reason;
    for (uint32_t i = r->first_of[at]; i; i = r->next_of[i - 1]) {
        uint32_t owner = owner_of(so, i - 1);
        if (!owner || so->stamp[owner] != at + 1)
            add_owned(r, f, so, i - 1);
        if (owner)
            so->stamp[owner] = at + 1;
    }
    rew_add_line(r, f, is->line);
}

void rew_find_float(struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    struct owners so = list_owners(r->a, s), po = list_owners(r->a, p);
    for (uint32_t i = 0; i < s->insns.n; i++) {
        graph_id made = s->insns.p[i].reachable ? rew_made(s, i) : (graph_id)GRAPH_NIL;
        if (!made)
            continue;
        if (graph_reads(s, made) || graph_shows(s, made)) {
            find_expansion(r, &so, &po, i, made);
            continue;
        }
        if (graph_is_owned(s, i))
            continue;
        unsigned kind = graph_at(s, made)->kind;
        if (kind == UOP_FFMA && rew_has_op(s, i, UOP_FFMA))
            find_contraction(r, i);
        else if ((kind == UOP_FMIN || kind == UOP_FMAX) && rew_has_op(s, i, kind))
            find_minimum(r, i, kind);
        else if (kind == UOP_EX2 && rew_has_op(s, i, UOP_EX2))
            find_exponential(r, i, made);
    }
    for (uint32_t i = 0; i < p->insns.n; i++)
        if (p->insns.p[i].reachable && rew_statement(r, i)->is & (REW_IS_DIVISION | REW_IS_ROOT))
            find_quotient(r, &so, i);
}

/* ---- multiply-adds that were not ---------------------------------------------------------------- */

/* Instances that read what each instance made, at most 2. */
static uint8_t *count_readers(struct arena *a, const struct graph *g)
{
    uint8_t *readers = ARENA_ARRAY(a, uint8_t, g->insns.n + 1);
    uint32_t *last = ARENA_ARRAY(a, uint32_t, g->insns.n + 1);
    if (!readers || !last)
        return NULL;
    for (size_t u = 0; u < g->uses.n; u++) {
        const struct graph_use *use = &g->uses.p[u];
        for (uint32_t d = 0; d < use->def_count; d++) {
            uint32_t maker = g->defs.p[use->defs[d]].insn;
            if (last[maker] == use->insn + 1 || readers[maker] == 2)
                continue;
            last[maker] = use->insn + 1;
            readers[maker]++;
        }
    }
    return readers;
}

enum { COPIES = 16 }; /* moves between a product and its sum that are followed */

/* Who made what the sum reads: through moves, loads of what was stored and calls, up to the multiplication. `is`: what
 * stood on the way; *second: something of it is read elsewhere, too. */
static uint32_t trace(const struct rew *r, uint32_t at, graph_id product, const uint8_t *readers, unsigned *is,
                      bool *second)
{
    const struct graph *p = r->ptx->g;
    uint32_t maker = rew_maker(p, at, product);
    *is = 0;
    *second = maker != UINT32_MAX && readers && readers[maker] > 1;
    for (unsigned step = 0; step < COPIES && maker != UINT32_MAX && !rew_has_op(p, maker, UOP_FMUL); step++) {
        *is |= rew_statement(r, maker)->is;
        uint32_t before = rew_maker(p, maker, product);
        if (before == UINT32_MAX || before == maker)
            break;
        maker = before;
        *second |= readers && readers[maker] > 1;
    }
    return maker;
}

static void complete_one(struct rew *r, const uint8_t *readers, struct rew_not_contracted *c)
{
    static const char *const fixing[] = {"mul_r", "add_r", "sub_r", "mul2_r", "add2_r", "sub2_r", NULL};
    unsigned between;
    const struct graph *p = r->ptx->g;
    uint32_t at = r->found[c->sum_insn];
    graph_id sum = at != UINT32_MAX ? rew_made(p, at) : (graph_id)GRAPH_NIL;
    uint32_t made_at = r->found[c->product_insn];
    graph_id there = made_at != UINT32_MAX ? rew_made(p, made_at) : (graph_id)GRAPH_NIL;
    graph_id product = sum ? product_in(r, sum, there, r->sv.of[c->product]) : (graph_id)GRAPH_NIL;
    bool known, second, exact = r->how[c->sum_insn] == REW_BY_VALUE;
    if (!product)
        return; /* the PTX has no such sum: nothing is known */
    uint32_t maker = trace(r, at, product, readers, &between, &second);
    const struct rew_insn *read = maker != UINT32_MAX ? rew_statement(r, maker) : NULL;
    if (made_at == UINT32_MAX || graph_at(p, rew_made(p, made_at))->kind != UOP_FMUL)
        made_at = maker;
    const struct rew_insn *first = made_at != UINT32_MAX ? rew_statement(r, made_at) : NULL;
    c->lines[0] = first ? first->line : 0;
    c->lines[1] = rew_statement(r, at)->line;
    c->stage = REW_PTXAS; /* it had both: the last that could have */
    c->confidence = exact ? REW_PROVED : REW_ASSUMED;
    if ((first && first->is & REW_IS_FIXED) || rew_statement(r, at)->is & REW_IS_FIXED) {
        c->reason = "rounding-fixed";
        c->stage = REW_SOURCE;
        /* of the intrinsics' names */
        bool fixed = written_so(r, c->product_insn, fixing, &known) || written_so(r, c->sum_insn, fixing, &known);
        if (!fixed && r->context->no_contraction) { /* the option has every rounding written down */
            c->reason = "no-fast-math";
            c->stage = REW_NVVM;
            c->confidence = known ? c->confidence : REW_ASSUMED;
        } else if (!fixed) {
            c->confidence = REW_ASSUMED;
        }
        if (r->context->foreign)
            c->stage = REW_UNKNOWN; /* its maker writes roundings for reasons of its own */
    } else if (r->context->no_contraction) {
        c->reason = "no-fast-math";
    } else if (between & REW_IS_VOLATILE) {
        c->reason = "volatile";
    } else if (between & REW_IS_CALL) {
        c->reason = "call-boundary";
    } else if (read && maker == made_at && second) {
        c->reason = "second-use";
    } else if (read && maker == made_at && p->insns.p[maker].block != p->insns.p[at].block) {
        c->reason = "across-branch";
        c->confidence = REW_ASSUMED;
    }
}

void rew_complete_contractions(struct rew *r)
{
    struct rew_list *l = r->out;
    const uint8_t *readers = l->not_contracted.n ? count_readers(r->a, r->ptx->g) : NULL;
    for (size_t i = 0; i < l->not_contracted.n; i++)
        complete_one(r, readers, &l->not_contracted.p[i]);
}
