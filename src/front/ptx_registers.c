/* Numbers for a function's registers. One that lives in a single stretch of code without a branch or a label, first
 * written there whatever a guard says, shares its number with others of its kind that live elsewhere; every other has a
 * number of its own. So text with many registers costs what its code costs.
 *
 * requires: instructions, and the branches that are guards · gives: the first word's number of each register */
#include "front/ptx_internal.h"

enum { SIZES = 5, NEVER = UINT32_MAX, MIXED = UINT32_MAX - 1 };

struct living {
    uint32_t stretch; /* NEVER: not named yet; MIXED: in several, or it must have a number of its own */
    uint32_t last;    /* instruction that names it last */
};

static void name_register(struct living *of, const struct ptx_operand *o, uint32_t insn, uint32_t stretch, bool writes)
{
    if (o->kind == PTX_REGISTER) {
        struct living *r = &of[o->index];
        if (r->stretch == NEVER)
            r->stretch = writes ? stretch : MIXED;
        else if (r->stretch != stretch)
            r->stretch = MIXED;
        r->last = insn;
    }
    bool inside = writes && (o->kind == PTX_VECTOR || o->kind == PTX_DUAL);
    for (uint32_t i = 0; i < o->item_count; i++)
        name_register(of, &o->items[i], insn, stretch, inside);
}

static bool ends_stretch(const struct ptx_insn *i)
{
    return i->damaged || ptx_word_is(i->op, "bra") || ptx_word_is(i->op, "brx") || ptx_word_is(i->op, "call") ||
           ptx_word_is(i->op, "ret") || ptx_word_is(i->op, "exit") || ptx_word_is(i->op, "trap");
}

/* Sources before results: what an instruction both reads and writes first was there before. */
static void find_lives(const struct ptx_frame *frame, struct living *of, const bool *target)
{
    const struct ptx_function *f = frame->f;
    uint32_t stretch = 0;
    for (size_t r = 0; r < f->registers.n; r++)
        of[r].stretch = NEVER;
    for (uint32_t i = 0; i < f->insns.n; i++) {
        const struct ptx_insn *insn = &f->insns.p[i];
        bool guarded = insn->guard >= 0 || (frame->guard && frame->guard[i]);
        stretch += target[i];
        if (insn->guard >= 0) {
            struct ptx_operand guard = {.kind = PTX_REGISTER, .index = (uint32_t)insn->guard};
            name_register(of, &guard, i, stretch, false);
        }
        for (uint32_t k = insn->operand_count; k-- > 0;)
            name_register(of, &insn->operands[k], i, stretch, k == 0 && !guarded);
        stretch += ends_stretch(insn);
    }
}

struct pool { /* numbers of registers of one size that nobody has any more */
    VEC(uint32_t) free;
};

struct giving {
    struct ptx_linker *n;
    const struct ptx_frame *frame;
    const struct living *of;
    uint32_t *numbers;
    uint32_t *next, *heads; /* registers that end at an instruction, as lists: index + 1 */
    struct pool pools[SIZES];
};

static void give(struct giving *g, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER && g->numbers[o->index] == NEVER) {
        uint32_t r = o->index;
        unsigned size = g->frame->f->registers.p[r].words;
        bool shares = g->of[r].stretch != MIXED && size < SIZES;
        if (shares && g->pools[size].free.n) {
            g->numbers[r] = g->pools[size].free.p[--g->pools[size].free.n];
        } else {
            g->numbers[r] = g->n->used[size == 0];
            g->n->used[size == 0] += size ? size : 1;
        }
        if (shares) {
            g->next[r] = g->heads[g->of[r].last];
            g->heads[g->of[r].last] = r + 1;
        }
    }
    for (uint32_t i = 0; i < o->item_count; i++)
        give(g, &o->items[i]);
}

bool ptx_number_registers(struct ptx_linker *n, struct ptx_frame *frame, const bool *target)
{
    const struct ptx_function *f = frame->f;
    struct living *of = ARENA_ARRAY(n->a, struct living, f->registers.n + 1);
    struct giving g = {.n = n, .frame = frame, .of = of};
    g.numbers = ARENA_ARRAY(n->a, uint32_t, f->registers.n + 1);
    g.next = ARENA_ARRAY(n->a, uint32_t, f->registers.n + 1);
    g.heads = ARENA_ARRAY(n->a, uint32_t, f->insns.n + 1);
    if (!of || !g.numbers || !g.next || !g.heads)
        return false;
    find_lives(frame, of, target);
    for (size_t r = 0; r < f->registers.n; r++)
        g.numbers[r] = NEVER;
    for (uint32_t i = 0; i < f->insns.n; i++) {
        if (f->insns.p[i].guard >= 0)
            give(&g, &(struct ptx_operand){.kind = PTX_REGISTER, .index = (uint32_t)f->insns.p[i].guard});
        for (uint32_t k = 0; k < f->insns.p[i].operand_count; k++)
            give(&g, &f->insns.p[i].operands[k]);
        for (uint32_t r = g.heads[i]; r; r = g.next[r - 1])
            VEC_PUSH(n->a, g.pools[f->registers.p[r - 1].words].free, g.numbers[r - 1]);
    }
    for (size_t r = 0; r < f->registers.n; r++) /* nobody names it */
        if (g.numbers[r] == NEVER)
            g.numbers[r] = 0;
    frame->numbers = g.numbers;
    return !arena_failed(n->a);
}
