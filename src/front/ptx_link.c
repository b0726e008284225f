/* One kernel and the functions it calls, as lists of micro-operations: registers get numbers, shared and local
 * variables places, functions stand behind the kernel. A call hands its arguments over word by word and comes back to
 * the list behind it, which takes the results.
 *
 * A function that a kernel cannot call by name, that has no body, or that would make the code too long stays a call of
 * which nothing is known but its results' registers.
 *
 * requires: a module as ptx_read_module() leaves it · gives: struct ptx_code */
#include "front/ptx_internal.h"

#include <string.h>

static const uint64_t cells_max = UINT64_C(1)
                                  << 31; /* registers times stretches of code: bits of the sets of live ones */
enum { GUARDED_MAX = 6, NUMBERS_MAX = 0xfff0, FUNCTIONS_MAX = 4096, TARGETS_MAX = 256, TARGETS_ALL = 65536 };

uint32_t ptx_number(const struct ptx_lift *l, uint32_t reg)
{
    return l->frame->numbers[reg];
}

bool ptx_param_word(struct ptx_lift *l, uint32_t variable, uint32_t *number)
{
    return map_u64_get(&l->linker->words, variable, number);
}

uint64_t ptx_offset(const struct ptx_lift *l, uint32_t variable)
{
    const struct ptx_variable *v = &l->m->variables.p[variable];
    uint32_t at;
    if (v->space == PTX_CONST)
        return v->offset;
    return map_u64_get(&l->linker->offsets, variable, &at) ? at : 0;
}

const struct ptx_frame *ptx_callee(const struct ptx_lift *l, const struct ptx_operand *o)
{
    uint32_t at;
    if (o->kind != PTX_FUNCTION || !map_u64_get(&l->linker->frame_of, o->index, &at))
        return NULL;
    return l->linker->frames.p[at];
}

void ptx_move_variable(struct ptx_lift *l, uint32_t to, uint32_t from)
{
    uint32_t a, b;
    uint64_t n = l->m->variables.p[to].bytes, m = l->m->variables.p[from].bytes;
    if (!ptx_param_word(l, to, &a) || !ptx_param_word(l, from, &b)) {
        ptx_refuse(l);
        return;
    }
    for (uint64_t i = 0; i < (n < m ? n : m); i += 4)
        ptx_write_word(l, a + (uint32_t)(i / 4), ptx_read_word(l, b + (uint32_t)(i / 4)));
}

/* ---- functions ------------------------------------------------------------------------------- */

static const struct ptx_operand *called(const struct ptx_insn *i)
{
    if (!ptx_word_is(i->op, "call") || i->damaged)
        return NULL;
    for (uint32_t k = 0; k < i->operand_count && k < 2; k++)
        if (i->operands[k].kind == PTX_FUNCTION)
            return &i->operands[k];
    return NULL;
}

static struct ptx_frame *add_frame(struct ptx_linker *n, uint32_t function)
{
    struct ptx_frame *f = ARENA_NEW(n->a, struct ptx_frame);
    if (!f)
        return NULL;
    f->f = &n->m->functions.p[function];
    f->function = function;
    VEC_PUSH(n->a, n->frames, f);
    return map_u64_put(n->a, &n->frame_of, function, (uint32_t)n->frames.n - 1) ? f : NULL;
}

static bool find_functions(struct ptx_linker *n, uint32_t kernel, struct diag_sink *diags)
{
    bool told = false;
    if (!add_frame(n, kernel))
        return false;
    n->m->budget -= n->m->functions.p[kernel].insns.n < n->m->budget ? n->m->functions.p[kernel].insns.n : n->m->budget;
    for (size_t i = 0; i < n->frames.n; i++) {
        const struct ptx_function *f = n->frames.p[i]->f;
        for (size_t k = 0; k < f->insns.n; k++) {
            const struct ptx_operand *o = called(&f->insns.p[k]);
            if (!o || map_u64_get(&n->frame_of, o->index, NULL))
                continue;
            const struct ptx_function *callee = &n->m->functions.p[o->index];
            if (!callee->has_body || callee->is_entry)
                continue;
            if (n->frames.n >= FUNCTIONS_MAX || callee->insns.n > n->m->budget) {
                if (!told)
                    diag_add(diags, DIAG_WARNING, "ptx-calls", NULL, -1, "line %u: %s calls more than is followed",
                             f->insns.p[k].line, n->m->functions.p[kernel].name);
                told = true;
                continue;
            }
            n->m->budget -= callee->insns.n;
            if (!add_frame(n, o->index))
                return false;
        }
    }
    return true;
}

/* ---- registers and places -------------------------------------------------------------------- */

static uint64_t align_up(uint64_t at, uint64_t align)
{
    return align ? (at + align - 1) / align * align : at;
}

static bool place_words(struct ptx_linker *n, uint32_t variable)
{
    const struct ptx_variable *v = &n->m->variables.p[variable];
    uint64_t words = (v->bytes + 3) / 4;
    if (v->space != PTX_PARAM || !v->bytes || v->bytes > PTX_PARAM_BYTES_MAX || n->used[0] + words > NUMBERS_MAX)
        return true; /* without words: what it holds stays unknown */
    bool well = map_u64_put(n->a, &n->words, variable, n->used[0]);
    n->used[0] += (uint32_t)words;
    return well;
}

static bool place_shared(struct ptx_linker *n, const struct ptx_operand *o, bool dynamic)
{
    if (o->kind == PTX_ADDRESS && n->m->variables.p[o->index].space == PTX_SHARED) {
        const struct ptx_variable *v = &n->m->variables.p[o->index];
        if ((v->bytes == 0 || v->is_extern) == dynamic && !map_u64_get(&n->offsets, o->index, NULL)) {
            uint64_t at = dynamic ? align_up(n->shared, v->align > 16 ? v->align : 16) : align_up(n->shared, v->align);
            n->dynamic_shared |= dynamic;
            if (at < UINT32_MAX - v->bytes) {
                if (!map_u64_put(n->a, &n->offsets, o->index, (uint32_t)at))
                    return false;
                if (!dynamic)
                    n->shared = at + v->bytes;
            }
        }
    }
    for (uint32_t i = 0; i < o->item_count; i++)
        if (!place_shared(n, &o->items[i], dynamic))
            return false;
    return true;
}

static bool place_frame(struct ptx_linker *n, struct ptx_frame *frame, const bool *target)
{
    const struct ptx_function *f = frame->f;
    if (!ptx_number_registers(n, frame, target))
        return false;
    frame->carry = n->used[1]++;
    frame->link = n->used[0];
    n->used[0] += 2;
    for (size_t i = 0; i < f->inputs.n && !f->is_entry; i++)
        if (!place_words(n, f->inputs.p[i]))
            return false;
    for (size_t i = 0; i < f->results.n; i++)
        if (!place_words(n, f->results.p[i]))
            return false;
    for (size_t i = 0; i < f->locals.n; i++) {
        const struct ptx_variable *v = &n->m->variables.p[f->locals.p[i]];
        if (!place_words(n, f->locals.p[i]))
            return false;
        if (v->space != PTX_LOCAL)
            continue;
        uint64_t at = align_up(n->local, v->align);
        if (at >= INT32_MAX - (v->bytes < INT32_MAX ? v->bytes : INT32_MAX))
            continue;
        if (!map_u64_put(n->a, &n->offsets, f->locals.p[i], (uint32_t)at))
            return false;
        n->local = at + v->bytes;
    }
    return true;
}

static bool place_all_shared(struct ptx_linker *n)
{
    for (int dynamic = 0; dynamic < 2; dynamic++)
        for (size_t i = 0; i < n->frames.n; i++) {
            const struct ptx_function *f = n->frames.p[i]->f;
            for (size_t k = 0; k < f->insns.n; k++)
                for (uint32_t o = 0; o < f->insns.p[k].operand_count; o++)
                    if (!place_shared(n, &f->insns.p[k].operands[o], dynamic))
                        return false;
        }
    return true;
}

/* ---- guards ---------------------------------------------------------------------------------- */

/* What may stand under a guard instead of behind a branch: it neither leaves, nor waits, nor looks at other lanes. */
static bool may_be_guarded(const struct ptx_insn *i)
{
    static const char *const never[] = {"bra",        "brx",     "ret",   "exit",      "trap",  "call",
                                        "bar",        "barrier", "shfl",  "vote",      "match", "redux",
                                        "activemask", "elect",   "brkpt", "nanosleep", "mma",   "ldmatrix"};
    if (i->damaged || i->guard >= 0)
        return false;
    for (size_t k = 0; k < sizeof never / sizeof never[0]; k++)
        if (ptx_word_is(i->op, never[k]))
            return false;
    return true;
}

static bool writes_register(const struct ptx_operand *o, uint32_t reg)
{
    if (o->kind == PTX_REGISTER && o->index == reg)
        return true;
    for (uint32_t i = 0; i < o->item_count; i++)
        if (writes_register(&o->items[i], reg))
            return true;
    return false;
}

/* Instructions that a label of the function leads to. */
static bool *find_targets(struct ptx_linker *n, const struct ptx_function *f)
{
    bool *target = ARENA_ARRAY(n->a, bool, f->insns.n + 2);
    if (!target)
        return NULL;
    for (size_t i = 0; i < f->insns.n; i++)
        for (uint32_t k = 0; k < f->insns.p[i].operand_count; k++)
            if (f->insns.p[i].operands[k].kind == PTX_LABEL)
                target[f->insns.p[i].operands[k].index] = true;
    for (size_t i = 0; i < f->targets.n; i++)
        for (uint32_t k = 0; k < f->targets.p[i].count; k++)
            if (f->targets.p[i].labels[k].kind == PTX_LABEL)
                target[f->targets.p[i].labels[k].index] = true;
    return target;
}

/* Compilers to PTX write every condition as a branch; a short forward one, over nothing that anybody else comes to, is
 * the guard of what it jumps over. One that leads out of the function stays a branch. */
static bool find_guards(struct ptx_linker *n, struct ptx_frame *frame, const bool *target)
{
    const struct ptx_function *f = frame->f;
    frame->guard = ARENA_ARRAY(n->a, uint32_t, f->insns.n + 1);
    if (!frame->guard)
        return false;
    for (uint32_t i = 0; i < f->insns.n; i++) {
        const struct ptx_insn *bra = &f->insns.p[i];
        const struct ptx_operand *to = bra->operand_count == 1 ? &bra->operands[0] : NULL;
        if (!ptx_word_is(bra->op, "bra") || bra->guard < 0 || !to || to->kind != PTX_LABEL || bra->damaged ||
            to->index <= i + 1 || to->index - i - 1 > GUARDED_MAX || to->index >= f->insns.n)
            continue;
        const struct ptx_insn *there = &f->insns.p[to->index];
        bool fits = !ptx_word_is(there->op, "ret") && !ptx_word_is(there->op, "exit");
        for (uint32_t k = i + 1; k < to->index && fits; k++)
            fits = !target[k] && may_be_guarded(&f->insns.p[k]) &&
                   !(f->insns.p[k].operand_count && writes_register(&f->insns.p[k].operands[0], (uint32_t)bra->guard));
        for (uint32_t k = i; k < to->index && fits; k++)
            frame->guard[k] = i + 1;
    }
    return true;
}

/* The end of a body is a return; a list stands for it where control may come there. */
static bool falls_out(const struct ptx_function *f)
{
    static const char *const leaving[] = {"ret", "exit", "bra", "brx", "trap"};
    const struct ptx_insn *last = f->insns.n ? &f->insns.p[f->insns.n - 1] : NULL;
    bool leaves = false;
    for (size_t i = 0; i < sizeof leaving / sizeof leaving[0] && last; i++)
        leaves |= ptx_word_is(last->op, leaving[i]) && last->guard < 0 && !last->damaged;
    for (size_t i = 0; i < f->insns.n && leaves; i++)
        for (uint32_t k = 0; k < f->insns.p[i].operand_count; k++) {
            const struct ptx_operand *o = &f->insns.p[i].operands[k];
            leaves &= o->kind != PTX_TARGETS && (o->kind != PTX_LABEL || o->index < f->insns.n);
        }
    return !leaves;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static uint32_t parts_of(struct ptx_linker *n, const struct ptx_frame *frame, const struct ptx_insn *i,
                         uint32_t *targets)
{
    const struct ptx_operand *o = called(i);
    (void)frame;
    if (o && map_u64_get(&n->frame_of, o->index, NULL))
        return 2;
    if (!i->damaged && ptx_word_is(i->op, "brx") && i->operand_count == 2 && i->operands[1].kind == PTX_TARGETS) {
        uint32_t count = frame->f->targets.p[i->operands[1].index].count;
        if (count && count <= TARGETS_MAX && *targets + count <= TARGETS_ALL) {
            *targets += count;
            return count;
        }
    }
    return 1;
}

static bool add_ops(struct ptx_linker *n)
{
    static const struct ptx_op *const tables[] = {ptx_integer_ops, ptx_float_ops,   ptx_move_ops,
                                                  ptx_memory_ops,  ptx_control_ops, ptx_warp_ops};
    for (uint32_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (uint32_t i = 0; tables[t][i].name; i++)
            if (!map_str_put(n->a, &n->ops, tables[t][i].name, t << 16 | i))
                return false;
    return true;
}

static ptx_lift_fn find_op(const struct ptx_linker *n, struct ptx_word w)
{
    static const struct ptx_op *const tables[] = {ptx_integer_ops, ptx_float_ops,   ptx_move_ops,
                                                  ptx_memory_ops,  ptx_control_ops, ptx_warp_ops};
    char name[32];
    uint32_t at;
    if (w.n >= sizeof name)
        return NULL;
    memcpy(name, w.p, w.n);
    name[w.n] = '\0';
    return map_str_get(&n->ops, name, &at) ? tables[at >> 16][at & 0xffff].lift : NULL;
}

static void restart(struct ptx_lift *l)
{
    struct uop_list *list = l->make.list;
    list->ops.n = 0;
    list->guard = UOP_NONE;
    list->unknown = list->opaque = false;
    l->make.refused = l->opaque = false;
    const struct ptx_insn *by = l->insn;
    bool negated = by->guard_not;
    if (l->over) { /* under the guard of the branch over it: where that is not taken */
        by = l->over;
        negated = !by->guard_not;
    }
    if (by->guard >= 0) {
        uop_ref p = ptx_read_predicate(l, ptx_number(l, (uint32_t)by->guard));
        list->guard = negated ? uop_make_not(&l->make, UOP_B1, p) : p;
    }
}

static const struct ptx_insn end_of_body = {.op = {"ret", 3}, .text = {"", 0}, .guard = -1};

static bool lift_one(struct ptx_linker *n, struct ptx_code *code, uint32_t row)
{
    const struct ptx_row *r = &code->rows[row];
    struct ptx_lift l = {.make = {.a = n->a, .list = &code->lists[row]},
                         .linker = n,
                         .m = n->m,
                         .frame = r->frame,
                         .f = r->function,
                         .insn = r->insn,
                         .part = r->part,
                         .row = row};
    *l.make.list = (struct uop_list){.guard = UOP_NONE};
    if (r->insn->damaged) {
        l.make.list->unknown = true;
        return true;
    }
    uint32_t at = r->insn != &end_of_body ? (uint32_t)(r->insn - r->function->insns.p) : UINT32_MAX;
    uint32_t over = at != UINT32_MAX && n->guards ? r->frame->guard[at] : 0;
    if (over && over - 1 == at) { /* the branch itself */
        restart(&l);
        struct uop op = ptx_blank(UOP_RECONVERGE, UOP_VOID);
        op.imm = UOP_GUARD_OF_NEXT;
        uop_make_emit(&l.make, op);
        return !l.make.no_memory;
    }
    l.over = over ? &r->function->insns.p[over - 1] : NULL;
    ptx_lift_fn lift = find_op(n, r->insn->op);
    restart(&l);
    if (lift)
        lift(&l);
    if (!lift || l.make.refused) {
        restart(&l);
        ptx_unknown(&l, true);
    }
    l.make.list->opaque |= l.opaque;
    if (l.make.refused) { /* longer than any instruction: nothing is known of it */
        l.make.list->ops.n = 0;
        l.make.list->guard = UOP_NONE;
        l.make.list->unknown = true;
        return !l.make.no_memory;
    }
    uop_make_finish(&l.make);
    return !l.make.no_memory;
}

enum sp_status ptx_lift_kernel(struct arena *a, struct diag_sink *diags, struct ptx_module *m, uint32_t function,
                               const struct ptx_places *places, struct ptx_code *code)
{
    struct ptx_linker n = {.a = a, .m = m, .places = places};
    uint32_t targets = 0;
    uint64_t rows = 0, stretches = 1;
    *code = (struct ptx_code){0};
    if (!find_functions(&n, function, diags) || !add_ops(&n))
        return SP_ERR_MEMORY;
    n.guards = places->guards;
    for (size_t i = 0; i < n.frames.n; i++) {
        struct ptx_frame *f = n.frames.p[i];
        const bool *target = find_targets(&n, f->f);
        if (!target || (n.guards && !find_guards(&n, f, target)) || !place_frame(&n, f, target))
            return SP_ERR_MEMORY;
        for (size_t k = 0; k < f->f->insns.n; k++)
            stretches += target[k] || called(&f->f->insns.p[k]) || ptx_word_is(f->f->insns.p[k].op, "bra");
        if (n.used[0] > NUMBERS_MAX || n.used[1] > NUMBERS_MAX) {
            diag_add(diags, DIAG_ERROR, "ptx-registers", NULL, -1, "line %u: %s has more registers than are kept apart",
                     m->functions.p[function].line, m->functions.p[function].name);
            return SP_ERR_UNSUPPORTED;
        }
        f->first_row = (uint32_t)rows;
        f->rows = ARENA_ARRAY(a, uint32_t, f->f->insns.n + 1);
        if (!f->rows)
            return SP_ERR_MEMORY;
        for (size_t k = 0; k < f->f->insns.n; k++) {
            f->rows[k] = (uint32_t)rows;
            rows += parts_of(&n, f, &f->f->insns.p[k], &targets);
        }
        f->rows[f->f->insns.n] = (uint32_t)rows;
        rows += falls_out(f->f);
        if (rows > UINT32_MAX / PTX_STEP)
            return SP_ERR_MEMORY;
    }
    if (!place_all_shared(&n))
        return SP_ERR_MEMORY;
    if (stretches * (n.used[0] + n.used[1]) > cells_max) {
        diag_add(diags, DIAG_ERROR, "ptx-registers", NULL, -1,
                 "line %u: %s has too many registers in too many pieces of code", m->functions.p[function].line,
                 m->functions.p[function].name);
        return SP_ERR_UNSUPPORTED;
    }
    code->lists = ARENA_ARRAY(a, struct uop_list, rows);
    code->rows = ARENA_ARRAY(a, struct ptx_row, rows);
    if (!code->lists || !code->rows)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < n.frames.n; i++) {
        struct ptx_frame *f = n.frames.p[i];
        uint32_t behind = i + 1 < n.frames.n ? n.frames.p[i + 1]->first_row : (uint32_t)rows;
        for (size_t k = 0; k <= f->f->insns.n; k++) {
            const struct ptx_insn *insn = k < f->f->insns.n ? &f->f->insns.p[k] : &end_of_body;
            uint32_t last = k < f->f->insns.n ? f->rows[k + 1] : behind;
            for (uint32_t row = f->rows[k]; row < last; row++)
                code->rows[row] =
                    (struct ptx_row){.insn = insn, .function = f->f, .frame = f, .part = row - f->rows[k]};
        }
    }
    code->count = (uint32_t)rows;
    code->own = n.frames.n > 1 ? n.frames.p[1]->first_row : (uint32_t)rows;
    code->shared_bytes = n.shared;
    code->local_bytes = n.local;
    code->dynamic_shared = n.dynamic_shared;
    for (uint32_t row = 0; row < code->count; row++)
        if (!lift_one(&n, code, row))
            return SP_ERR_MEMORY;
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct ptx_register *register_in(const struct ptx_frame *f, const struct ptx_operand *o, bool predicate,
                                              unsigned reg, unsigned *word)
{
    if (o->kind == PTX_REGISTER) {
        const struct ptx_register *r = &f->f->registers.p[o->index];
        uint32_t first = f->numbers[o->index];
        *word = reg - first;
        if (predicate ? r->words == 0 && first == reg : reg >= first && reg < first + r->words)
            return r;
    }
    for (uint32_t i = 0; i < o->item_count; i++) {
        const struct ptx_register *r = register_in(f, &o->items[i], predicate, reg, word);
        if (r)
            return r;
    }
    return NULL;
}

const char *ptx_register_name(const struct ptx_code *code, uint32_t row, enum uop_file file, unsigned reg,
                              unsigned *word, unsigned *words)
{
    if (row >= code->count || (file != UOP_FILE_R && file != UOP_FILE_P))
        return NULL;
    const struct ptx_row *r = &code->rows[row];
    for (uint32_t i = 0; i < r->insn->operand_count; i++) {
        const struct ptx_register *found = register_in(r->frame, &r->insn->operands[i], file == UOP_FILE_P, reg, word);
        if (found) {
            *words = found->words ? found->words : 1;
            return found->name;
        }
    }
    return NULL;
}

const char *ptx_insn_text(struct arena *a, const struct ptx_insn *insn)
{
    char *text = arena_alloc(a, (size_t)insn->text.n + 1);
    size_t n = 0;
    bool blank = false, comment = false;
    for (uint32_t i = 0; i < insn->text.n && text; i++) {
        char c = insn->text.p[i];
        if (c == '/' && i + 1 < insn->text.n && insn->text.p[i + 1] == '/')
            comment = true;
        if (c == '\n')
            comment = false;
        if (comment || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            blank = n > 0;
            continue;
        }
        if (blank)
            text[n++] = ' ';
        blank = false;
        text[n++] = (unsigned char)c < ' ' || (unsigned char)c >= 0x7f ? '?' : c;
    }
    return text;
}
