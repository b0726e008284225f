/* Conditions, branches and calls: which compares were turned round, which branches became exits or guards, which
 * choices were ifs, which calls were kept.
 *
 * requires: rew_pair() · gives: records */
#include "rewrite/rew_internal.h"

#include <ctype.h>
#include <string.h>

static bool is_compare(const struct graph *g, graph_id id)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!id || graph_type_of(g, id) != UOP_B1 || !graph_table(g, id, atoms, &count, &table) || count != 1)
        return false;
    unsigned kind = graph_at(g, atoms[0])->kind;
    return kind == UOP_IEQ || kind == UOP_ILT_S || kind == UOP_ILT_U || kind == UOP_FLT || kind == UOP_FLE ||
           kind == UOP_FEQ || kind == UOP_FNE || kind == UOP_FNUM;
}

/* The instance compares; it does not only negate, or combine, what was compared before. */
static bool compares(const struct graph *g, uint32_t insn)
{
    static const uint8_t kinds[] = {UOP_IEQ, UOP_ILT_S, UOP_ILT_U, UOP_FLT, UOP_FLE, UOP_FEQ, UOP_FNE, UOP_FNUM};
    for (size_t i = 0; i < sizeof kinds; i++)
        if (rew_has_op(g, insn, kinds[i]))
            return is_compare(g, rew_made(g, insn));
    return false;
}

/* Adds what was found at an instance of the PTX and compares. */
static void add_compares(struct rew *r, struct rew_record *f, uint32_t at, enum rew_how how)
{
    for (uint32_t i = r->first_of[at]; i; i = r->next_of[i - 1])
        if (r->how[i - 1] == how && compares(r->sass->g, i - 1))
            rew_add_insn(r, f, i - 1);
}

static bool has_compare(const struct rew *r, uint32_t at, enum rew_how how)
{
    for (uint32_t i = r->first_of[at]; i; i = r->next_of[i - 1])
        if (r->how[i - 1] == how && compares(r->sass->g, i - 1))
            return true;
    return false;
}

/* ---- the source's condition ------------------------------------------------------------------- */

enum relation { NO_RELATION, STRICT, NOT_STRICT, EQUAL, NOT_EQUAL };

/* The one relation in the condition of an `if` or a `while` on that line; NO_RELATION: none, or several. */
static enum relation relation_in(const char *line)
{
    const char *p = strstr(line, "if");
    enum relation found = NO_RELATION;
    unsigned depth = 0;
    for (; p && p[2] != '(' && p[2] != ' '; p = strstr(p + 2, "if"))
        ;
    p = p ? strchr(p, '(') : NULL;
    for (; p && *p; p++) {
        enum relation here = NO_RELATION;
        depth += *p == '(';
        if (*p == ')' && --depth == 0)
            return found;
        if ((*p == '&' && p[1] == '&') || (*p == '|' && p[1] == '|') || *p == '?')
            return NO_RELATION;
        if (*p == '!' && p[1] != '=')
            return NO_RELATION;
        if ((p[0] == '<' || p[0] == '>') && (p[1] == p[0] || (p > line && p[-1] == '-')))
            return NO_RELATION; /* a shift, a template, a member */
        if (p[0] == '<' || p[0] == '>')
            here = p[1] == '=' ? NOT_STRICT : STRICT;
        else if ((p[0] == '=' || p[0] == '!') && p[1] == '=')
            here = p[0] == '=' ? EQUAL : NOT_EQUAL;
        if (!here)
            continue;
        if (found)
            return NO_RELATION;
        found = here;
        p += p[1] == '=';
    }
    return NO_RELATION;
}

/* What the condition that a compare of the PTX makes is as a relation of its two operands. A constant may have been
 * moved over by one, so that no relation follows. */
static enum relation relation_of(const struct graph *g, graph_id id)
{
    graph_id atoms[6];
    unsigned count;
    uint64_t table;
    if (!graph_table(g, id, atoms, &count, &table) || count != 1)
        return NO_RELATION;
    const struct graph_node *n = graph_at(g, atoms[0]);
    bool opposite = (table & 3) == 1, constant = false;
    for (unsigned i = 0; i < 2; i++)
        constant |= graph_at(g, n->arg[i])->kind == UOP_CONST;
    switch (n->kind) {
    case UOP_ILT_S:
    case UOP_ILT_U: return constant ? NO_RELATION : opposite ? NOT_STRICT : STRICT;
    case UOP_FLT: return opposite ? NOT_STRICT : STRICT;
    case UOP_FLE: return opposite ? STRICT : NOT_STRICT;
    case UOP_IEQ:
    case UOP_FEQ: return opposite ? NOT_EQUAL : EQUAL;
    default: return NO_RELATION;
    }
}

/* Whether the source states the opposite of what the PTX tests; false with *known: it does not. */
static bool source_says_opposite(const struct rew *r, uint32_t insn, graph_id tested, bool *known)
{
    const char *line = rew_source_line(r, insn);
    enum relation there = line ? relation_in(line) : NO_RELATION, here = relation_of(r->ptx->g, tested);
    *known = line != NULL;
    if (!there || !here)
        return false;
    return (there == STRICT && here == NOT_STRICT) || (there == NOT_STRICT && here == STRICT) ||
           (there == EQUAL && here == NOT_EQUAL) || (there == NOT_EQUAL && here == EQUAL);
}

/* ---- conditions ------------------------------------------------------------------------------- */

/* Two statements of the PTX are of one statement of the source, or of one line where no more is known; -1: nothing
 * is. */
static int same_place(const struct rew *r, uint32_t p, uint32_t q)
{
    const struct rew_place *a = &rew_statement(r, p)->source, *b = &rew_statement(r, q)->source;
    if (a->in && b->in)
        return a->in == b->in && a->line == b->line && a->column == b->column;
    if (!r->sass->sources || !r->first_of[p] || !r->first_of[q])
        return -1;
    uint64_t x = r->sass->sources[r->sass->g->insns.p[r->first_of[p] - 1].input];
    uint64_t y = r->sass->sources[r->sass->g->insns.p[r->first_of[q] - 1].input];
    return x && y ? x == y : -1;
}

/* The loop is entered behind the branch, which only asks whether it runs at all. Where the branch leaves, a loop within
 * says nothing: then the loop's own test must be of the same statement, or not known to be of another. */
static bool guards_loop(const struct rew *r, uint32_t jump, uint32_t compare)
{
    const struct rew_insn *is = rew_statement(r, jump);
    size_t at = rew_first(&r->loops, (uint64_t)is->line + 1);
    if (at >= r->loops.list.n || r->loops_end[at] >= is->last)
        return false;
    if (!(is->is & REW_IS_LEAVING))
        return true;
    uint32_t test = rew_predicate_maker(r->ptx->g, r->ptx->g->loops.p[r->loops.list.p[at].insn].last);
    return test == UINT32_MAX || same_place(r, compare, test) != 0;
}

enum { TRIED = 512 }; /* entries of one condition at most, statements behind a branch: there may be as many branches */

/* Whether the source is laid out as a condition with the work inside: statements on later lines, each further in than
 * the condition's, and none before them on the other way. Behind `if (c) return;` the work is no further in. Where the
 * PTX keeps no columns: true. */
static bool work_is_inside(const struct rew *r, uint32_t jump, uint32_t compare)
{
    const struct graph *p = r->ptx->g;
    const struct rew_insn *is = rew_statement(r, jump);
    const struct rew_place *at = &rew_statement(r, compare)->source;
    uint32_t least = UINT32_MAX;
    if (!at->in || !at->column)
        return true;
    for (uint32_t i = jump + 1; i < p->insns.n && i - jump < TRIED; i++) {
        const struct rew_insn *s = rew_statement(r, i);
        bool behind = s->line >= is->last;
        if (s->source.in != at->in || s->source.line <= at->line)
            continue;
        if (behind) /* the first of the other way */
            return least != UINT32_MAX && (is->is & REW_IS_LEAVING || s->source.line > least);
        if (s->source.column <= at->column)
            return false;
        least = s->source.line < least ? s->source.line : least;
    }
    return least != UINT32_MAX;
}

static bool list_loops(struct rew *r)
{
    const struct graph *p = r->ptx->g;
    for (uint32_t i = 0; i < p->loops.n; i++)
        VEC_PUSH(r->a, r->loops.list, ((struct rew_entry){rew_statement(r, p->loops.p[i].first)->line, i}));
    rew_sort(&r->loops);
    r->loops_end = ARENA_ARRAY(r->a, uint32_t, r->loops.list.n + 1);
    if (!r->loops_end || arena_failed(r->a))
        return false;
    for (size_t i = r->loops.list.n; i-- > 0;) {
        uint32_t last = rew_statement(r, p->loops.p[r->loops.list.p[i].insn].last)->line;
        bool least = i + 1 == r->loops.list.n || last < r->loops_end[i + 1];
        r->loops_end[i] = least ? last : r->loops_end[i + 1];
    }
    return true;
}

/* A branch of the PTX jumps over what the source's condition is for: the condition it tests is the opposite. */
static void find_inverted_before(struct rew *r, uint32_t jump)
{
    const struct graph *p = r->ptx->g;
    const struct graph_insn *x = &p->insns.p[jump];
    uint32_t compare = rew_predicate_maker(p, jump);
    bool known;
    if (compare == UINT32_MAX)
        return;
    graph_id tested = rew_made(p, compare);
    if (r->told[compare])
        return;
    if (!compares(p, compare) || r->pv.of[tested] != r->pv.of[x->guard] || !r->first_of[compare])
        return; /* the branch tests the opposite of the compare: nothing is turned round */
    if (!has_compare(r, compare, REW_BY_VALUE) && !has_compare(r, compare, REW_BY_OPPOSITE))
        return;
    r->told[compare] = true;
    if (guards_loop(r, jump, compare))
        return; /* nor is it told of a second loop's guard, which may be the same compare */
    uint32_t here = r->first_of[compare] - 1;
    bool opposite = source_says_opposite(r, here, tested, &known);
    if (known ? !opposite : !work_is_inside(r, jump, compare))
        return;
    struct rew_record *f = rew_add(r, "condition-inverted", REW_NVVM, opposite ? REW_PROVED : REW_ASSUMED);
    add_compares(r, f, compare, REW_BY_VALUE);
    add_compares(r, f, compare, REW_BY_OPPOSITE);
    rew_add_line(r, f, rew_statement(r, compare)->line);
}

static void find_inverted_behind(struct rew *r, uint32_t compare)
{
    if (!has_compare(r, compare, REW_BY_OPPOSITE))
        return;
    struct rew_record *f = rew_add(r, "condition-inverted", REW_PTXAS, REW_PROVED);
    add_compares(r, f, compare, REW_BY_OPPOSITE);
    rew_add_line(r, f, rew_statement(r, compare)->line);
}

/* ---- branches --------------------------------------------------------------------------------- */

static bool in_body(const struct rew *r, uint32_t insn, const struct rew_insn *jump)
{
    uint32_t line = rew_line_of(r->sass, insn);
    if (!line && r->found[insn] != UINT32_MAX)
        line = rew_statement(r, r->found[insn])->line;
    return line > jump->line && line < jump->last;
}

/* The line map says that an instruction is of another statement than the one that computes the same, and not of what
 * the branch jumps over: an equal value of something else. */
static bool is_elsewhere(const struct rew *r, uint32_t insn, uint32_t at, const struct rew_insn *jump)
{
    uint32_t line = rew_line_of(r->sass, insn);
    return line && line != rew_statement(r, at)->line && (line < jump->line || line > jump->last);
}

/* Branches and exits of the machine code under the jump's condition or its opposite. */
static bool find_leaving(struct rew *r, uint32_t jump, bool *exits, uint32_t *exit)
{
    const struct graph *s = r->sass->g;
    const struct rew_insn *is = rew_statement(r, jump);
    bool any = false;
    *exits = false;
    for (unsigned opposite = 0; opposite < 2; opposite++) {
        uint32_t count;
        const struct rew_entry *e =
            rew_lookup(&r->leaves, rew_truth(r->ptx->g, &r->pv, r->ptx->g->insns.p[jump].guard, opposite), &count);
        for (uint32_t k = 0; k < count && k < TRIED; k++) {
            uint32_t line = rew_line_of(r->sass, e[k].insn);
            if (line && line != is->line)
                continue; /* of another branch under the same condition */
            any = true;
            if (!opposite && rew_has_op(s, e[k].insn, UOP_EXIT)) {
                *exits = true;
                *exit = e[k].insn;
            }
        }
    }
    return any;
}

/* The line of the compare; what is told stands where it stands. */
static void add_condition(struct rew *r, struct rew_record *f, uint32_t compare)
{
    if (compare == UINT32_MAX)
        return;
    rew_add_line(r, f, rew_statement(r, compare)->line);
    if (r->first_of[compare])
        f->told_at = r->first_of[compare] - 1;
}

static void find_guarded(struct rew *r, uint32_t jump)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    const struct rew_insn *is = rew_statement(r, jump);
    uint64_t work = rew_truth(p, &r->pv, p->insns.p[jump].guard, true), other = r->pv.of[p->insns.p[jump].guard];
    struct rew_record *f = NULL;
    uint32_t count, compare = rew_predicate_maker(p, jump);
    const struct rew_entry *e = rew_lookup(&r->guarded, work, &count);
    for (uint32_t k = 0; k < count && k < TRIED; k++) {
        if (!in_body(r, e[k].insn, is))
            continue;
        if (!f) {
            f = rew_add(r, "if-converted", REW_PTXAS, REW_PROVED);
            f->to = "predicate";
            add_condition(r, f, compare);
            rew_add_line(r, f, is->line);
        }
        rew_add_insn(r, f, e[k].insn);
    }
    size_t predicated = f != NULL;
    for (uint32_t k = 0; k < count && k < TRIED && f; k++) {
        const struct graph_insn *x = &s->insns.p[e[k].insn];
        if (!in_body(r, e[k].insn, is) || !x->access_count || s->accesses.p[x->first_access].kind != GRAPH_LOAD ||
            s->accesses.p[x->first_access].space == UOP_LOCAL)
            continue;
        uint32_t at = r->found[e[k].insn];
        struct rew_record *l = rew_add(r, "load-predicated", REW_PTXAS, REW_PROVED);
        rew_add_insn(r, l, e[k].insn);
        rew_add_line(r, l, is->line);
        if (at != UINT32_MAX)
            rew_add_line(r, l, rew_statement(r, at)->line);
    }
    if (predicated)
        return;
    for (unsigned side = 0; side < 2; side++) {
        e = rew_lookup(&r->choices, side ? other : work, &count);
        for (uint32_t k = 0; k < count && k < TRIED; k++) {
            uint32_t at = r->found[e[k].insn];
            if (r->how[e[k].insn] != REW_BY_VALUE || rew_statement(r, at)->is & REW_IS_CHOICE)
                continue;
            if (is_elsewhere(r, e[k].insn, at, is))
                continue;
            if (!f) {
                f = rew_add(r, "if-converted", REW_PTXAS, REW_PROVED);
                f->to = "select";
                add_condition(r, f, compare);
                rew_add_line(r, f, is->line);
            }
            rew_add_line(r, f, rew_statement(r, at)->line);
            rew_add_insn(r, f, e[k].insn);
        }
    }
}

static void find_jump(struct rew *r, uint32_t jump)
{
    const struct rew_insn *is = rew_statement(r, jump);
    bool exits;
    uint32_t exit;
    if (!r->ptx->g->insns.p[jump].guard)
        return;
    find_inverted_before(r, jump);
    if (!find_leaving(r, jump, &exits, &exit)) {
        find_guarded(r, jump);
        return;
    }
    if (!exits || !(is->is & REW_IS_LEAVING))
        return;
    struct rew_record *f = rew_add(r, "branch-to-exit", REW_PTXAS, REW_PROVED);
    rew_add_insn(r, f, exit);
    rew_add_line(r, f, is->line);
}

/* ---- choices ---------------------------------------------------------------------------------- */

static void find_choice(struct rew *r, uint32_t insn, graph_id made)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    const struct graph_node *n = graph_at(s, made);
    uint32_t at = r->found[insn]; /* by value, or the line map says so: copies of a loop's body */
    if (at == UINT32_MAX || !(rew_statement(r, at)->is & REW_IS_CHOICE))
        return;
    if (graph_at(s, n->arg[1])->kind == UOP_CONST && graph_at(s, n->arg[2])->kind == UOP_CONST)
        return; /* a truth value as a number */
    const char *line = rew_source_line(r, insn);
    if (line && (strchr(line, '?') || !rew_mentions(line, "if")))
        return; /* a choice in the source too, or of something else than an if */
    struct rew_record *f = rew_add(r, "if-converted", REW_NVVM, line ? REW_PROVED : REW_ASSUMED);
    uint32_t compare = rew_predicate_maker(p, at), here = rew_predicate_maker(s, insn);
    f->to = "select";
    if (here != UINT32_MAX)
        rew_add_insn(r, f, here);
    rew_add_insn(r, f, insn);
    if (compare != UINT32_MAX)
        rew_add_line(r, f, rew_statement(r, compare)->line);
    rew_add_line(r, f, rew_statement(r, at)->line);
    f->told_at = insn;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static bool is_call(const struct graph *g, uint32_t insn)
{
    return g->insns.p[insn].reachable && !graph_is_owned(g, insn) &&
           (rew_has_op(g, insn, UOP_CALL) || rew_has_op(g, insn, UOP_CALL_IND));
}

/* A function whose body stands in a kernel that calls nothing. */
static void find_inlined(struct rew *r, const struct rew_insn *call)
{
    struct rew_record *f = rew_add(r, "inlined", REW_PTXAS, REW_PROVED);
    const struct rew_index *x = &r->here_by_line;
    size_t low = rew_first(x, call->first);
    rew_add_line(r, f, call->line);
    for (; low < x->list.n && x->list.p[low].value <= call->last; low++)
        rew_add_insn(r, f, x->list.p[low].insn);
}

static void find_calls(struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    struct map_u64 told = {0};
    VEC(uint32_t) here = {0}, there = {0};
    for (uint32_t i = 0; i < s->insns.n; i++)
        if (is_call(s, i))
            VEC_PUSH(r->a, here, i);
    bool calls = here.n > 0;
    for (uint32_t i = 0; i < p->insns.n; i++) {
        const struct rew_insn *is = rew_statement(r, i);
        uint32_t count, before;
        if (!p->insns.p[i].reachable || !(is->is & REW_IS_CALL) || map_u64_get(&told, is->line, &before))
            continue;
        VEC_PUSH(r->a, there, i);
        map_u64_put(r->a, &told, is->line, 0); /* a call is several lists, and may stand in a function called twice */
        const struct rew_entry *e = rew_lookup(&r->here_by_line, is->line, &count);
        for (uint32_t k = 0; calls && k < count; k++) {
            if (!is_call(s, e[k].insn))
                continue;
            struct rew_record *f = rew_add(r, "call-kept", REW_PTXAS, REW_PROVED);
            rew_add_insn(r, f, e[k].insn);
            rew_add_line(r, f, is->line);
        }
        if (calls || !is->first || map_u64_get(&told, UINT64_C(1) << 32 | is->first, &before))
            continue;
        map_u64_put(r->a, &told, UINT64_C(1) << 32 | is->first, 0); /* one a function, however often it is called */
        find_inlined(r, is);
    }
    for (size_t k = 0; !r->sass->lines && here.n == there.n && k < here.n; k++) { /* no map: as many, in order */
        struct rew_record *f = rew_add(r, "call-kept", REW_PTXAS, REW_ASSUMED);
        rew_add_insn(r, f, here.p[k]);
        rew_add_line(r, f, rew_statement(r, there.p[k])->line);
    }
}

/* Bodies that stand where they were called already in the PTX: the line table says what came in by a call, the line map
 * that it is of the kernel's own statements. */
static void find_inlined_before(struct rew *r)
{
    struct map_u64 told = {0};
    for (uint32_t i = 0; r->sass->lines && !r->context->foreign && i < r->sass->g->insns.n; i++) {
        const struct rew_insn *is = r->found[i] != UINT32_MAX ? rew_statement(r, r->found[i]) : NULL;
        uint32_t at;
        uint64_t call = r->sass->inlined ? r->sass->inlined[r->sass->g->insns.p[i].input] : 0;
        if (!is || !call || !(is->is & REW_IS_OWN) || is->line != rew_line_of(r->sass, i))
            continue;
        if (!map_u64_get(&told, call, &at)) {
            at = (uint32_t)r->out->records.n;
            rew_add(r, "inlined", REW_NVVM, REW_PROVED);
            if (at == r->out->records.n || !map_u64_put(r->a, &told, call, at))
                return;
        }
        rew_add_insn(r, &r->out->records.p[at], i);
        rew_add_line(r, &r->out->records.p[at], is->line);
    }
}

void rew_find_control(struct rew *r)
{
    const struct graph *s = r->sass->g, *p = r->ptx->g;
    r->told = ARENA_ARRAY(r->a, bool, p->insns.n + 1);
    if (!r->told || !list_loops(r))
        return;
    for (uint32_t i = 0; i < p->insns.n; i++) {
        if (!p->insns.p[i].reachable)
            continue;
        if (rew_statement(r, i)->is & REW_IS_JUMP)
            find_jump(r, i);
        if (compares(p, i))
            find_inverted_behind(r, i);
    }
    for (uint32_t i = 0; i < s->insns.n; i++) {
        graph_id made = s->insns.p[i].reachable && !graph_is_owned(s, i) ? rew_made(s, i) : (graph_id)GRAPH_NIL;
        if (made && graph_at(s, made)->kind == UOP_SELECT && rew_has_op(s, i, UOP_SELECT))
            find_choice(r, i, made);
    }
    find_calls(r);
    find_inlined_before(r);
}
