/* Words of a thread's frame that are as good as registers: every access that comes near them is a load or a store of
 * whole words at a constant distance from the stack pointer, and no pointer leads there. Registers that compilers put
 * away are such, and variables of code that was not optimised. They become variables of the next pass beside the
 * registers: what goes round a loop by way of such a word has a phi, what paths leave there is a select.
 *
 * Nothing else comes to a word where no access with a moving address may (but for those known to stay in another part
 * of the frame), and no generic one, as long as the code never asks where its local memory lies. What the compiler
 * recorded as its own spills, nobody else knows: there its word suffices. A call that is not seen through ends all.
 *
 * requires: a finished pass, with the parts it shows · gives: kept words of instances; loads and stores of them */
#include "graph/graph_values.h"

#include <stdlib.h>

enum { WORDS_MAX = 512 };

struct frame_access {
    int64_t from;
    uint32_t access;
    uint8_t width;
    bool whole; /* words, at a word's place */
};

static bool is_stack_base(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return id != GRAPH_NIL && n->kind == UOP_CBANK && n->space == 0 && !n->arg_count && g->env->stack_offset &&
           n->imm == g->env->stack_offset;
}

static int by_place(const void *p, const void *q)
{
    const struct frame_access *a = p, *b = q;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->access < b->access ? -1 : a->access > b->access;
}

bool graph_is_recorded_spill(const struct graph *g, uint32_t offset)
{
    const struct graph_env *env = g->env;
    size_t from = 0, to = env && env->spills_known ? env->spill_count : 0;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (env->spills[mid] == offset)
            return true;
        if (env->spills[mid] < offset)
            from = mid + 1;
        else
            to = mid;
    }
    return false;
}

/* Something in the code may do anything to memory. */
static bool is_opaque(const struct graph_builder *b)
{
    const struct graph *g = b->g;
    for (size_t i = 0; i < g->blocks.n; i++)
        if (b->clobbers[i] && g->blocks.p[i].reachable)
            return true;
    for (size_t i = 0; i < g->insns.n; i++)
        if (g->insns.p[i].reachable && g->input.insns[g->insns.p[i].input].uops->unknown)
            return true;
    return false;
}

/* The code makes generic addresses of its local memory: some register or operand holds the window's place. */
static bool asks_for_window(const struct graph *g)
{
    for (graph_id id = 1; id < g->nodes.n; id++) {
        const struct graph_node *n = graph_at(g, id);
        if (n->kind == UOP_CBANK && !n->space && g->env->local_window && n->imm < g->env->local_window + 8 &&
            n->imm + 8 > g->env->local_window)
            return true;
    }
    return false;
}

/* The thread's accesses to its frame at constant places, by place; `open`: other accesses may come anywhere. */
static struct frame_access *find_frame(struct graph_builder *b, size_t *count, bool *open)
{
    const struct graph *g = b->g;
    struct frame_access *list = ARENA_ARRAY(&b->scratch, struct frame_access, g->accesses.n + 1);
    *count = 0;
    *open = false;
    int asks = -1;
    for (uint32_t i = 0; i < g->accesses.n && list; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct graph_affine f;
        if (x->space == UOP_GENERIC && asks < 0)
            asks = !g->env->local_window || asks_for_window(g);
        *open |= asks > 0;
        if (x->space != UOP_LOCAL)
            continue;
        struct frame_access at = {.access = i, .width = x->width};
        bool once = g->insns.p[x->insn].access_count == 1 && x->kind != GRAPH_ATOMIC;
        if (x->address != GRAPH_NIL && graph_affine(g, x->address, &f) && is_stack_base(g, f.base) && !f.term_count) {
            at.from = f.offset;
            at.whole = once && x->width >= 4 && f.offset % 4 == 0;
        } else if (x->part.known && x->part.to > x->part.from && x->part.to - x->part.from <= UINT8_MAX) {
            at.from = x->part.from;
            at.width = (uint8_t)(x->part.to - x->part.from);
        } else {
            *open = true;
            continue;
        }
        list[(*count)++] = at;
    }
    if (list && *count)
        qsort(list, *count, sizeof list[0], by_place);
    return list;
}

/* A stretch of the frame that accesses list[first .. end) share becomes variables. */
static void take_stretch(struct graph_builder *b, const struct frame_access *list, size_t first, size_t end, int64_t to)
{
    struct graph *g = b->g;
    for (size_t i = first; i < end; i++) {
        struct graph_words *k = &b->kept[g->accesses.p[list[i].access].insn];
        k->first = b->variable_count + (uint32_t)((list[i].from - list[first].from) / 4);
        k->count = list[i].width / 4u;
    }
    b->variable_count += (uint32_t)((to - list[first].from + 3) / 4);
}

bool graph_learn_words(struct graph_builder *b)
{
    struct graph *g = b->g;
    size_t count;
    bool open;
    uint32_t before = b->variable_count;
    if (b->words_kept || is_opaque(b))
        return false;
    struct frame_access *list = find_frame(b, &count, &open);
    if (!list || !count)
        return false;
    for (size_t i = 0, end; i < count; i = end) {
        int64_t to = list[i].from + list[i].width;
        bool whole = true, recorded = true, stored = false;
        for (end = i; end < count && (end == i || list[end].from < to); end++) {
            const struct graph_access *x = &g->accesses.p[list[end].access];
            int64_t behind = list[end].from + list[end].width;
            to = behind > to ? behind : to;
            whole &= list[end].whole;
            recorded &= graph_is_recorded_spill(g, g->insns.p[x->insn].offset);
            stored |= x->kind == GRAPH_STORE;
        }
        if (whole && stored && (recorded || !open) && b->variable_count - before + (to - list[i].from) / 4 <= WORDS_MAX)
            take_stretch(b, list, i, end, to);
    }
    if (b->variable_count == before)
        return false; /* a later pass may know more of where accesses stay */
    b->words_kept = true;
    uint32_t *names = ARENA_ARRAY(&b->scratch, uint32_t, b->variable_count + 1);
    for (uint32_t v = 0; v < b->variable_count && names; v++)
        names[v] = v < before ? b->names[v] : (uint32_t)UOP_FILE_COUNT << 16 | (v - before);
    b->names = names;
    b->words = (b->variable_count + 63) / 64 + 1;
    return names != NULL;
}

/* The one store all of which a load brings back; -1: what paths or turns left there. */
static int32_t store_of(struct graph_builder *b, const struct graph_work *w, const struct graph_access *load)
{
    struct graph *g = b->g;
    const struct graph_words *k = &b->kept[w->insn];
    uint32_t store = 0;
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t of = b->cells.p[w->state[k->first + i].cell].store;
        if (!of || (i && of != store))
            return -1;
        store = of;
    }
    const struct graph_access *s = &g->accesses.p[store - 1];
    const struct graph_words *stored = &b->kept[s->insn];
    if (stored->first != k->first || stored->count != k->count || !graph_implies(g, load->runs_when, s->runs_when))
        return -1;
    return (int32_t)store - 1;
}

void graph_fetch_words(struct graph_builder *b, struct graph_work *w, struct graph_access *load)
{
    struct graph *g = b->g;
    const struct graph_words *k = &b->kept[w->insn];
    for (uint32_t i = 0; i < k->count && i < 4; i++) {
        struct graph_slot *slot = &w->state[k->first + i];
        if (slot->node == GRAPH_NIL)
            slot->node = graph_entry_value(b, k->first + i);
        load->value[i] = graph_assume(g, slot->node, w->under);
        if (w->under != w->path)
            load->value[i] = graph_assume(g, load->value[i], g->insns.p[w->insn].guard);
    }
    load->from_store = store_of(b, w, load);
    load->result = load->value[0];
    if (k->count == 2) {
        load->result = graph_op2(g, UOP_PAIR, UOP_B64, load->value[0], load->value[1]);
        load->value[0] = load->result;
        load->value[1] = GRAPH_NIL;
    }
}

void graph_keep_words(struct graph_builder *b, struct graph_work *w, uint32_t access, const graph_id *words)
{
    struct graph *g = b->g;
    const struct graph_words *k = &b->kept[w->insn];
    graph_id guard = g->insns.p[w->insn].guard;
    bool wide = uop_type_bits((enum uop_type)graph_at(g, words[0])->type) == 64;
    for (uint32_t i = 0; i < k->count && i < 4; i++) {
        struct graph_slot *slot = &w->state[k->first + i];
        graph_id now = wide ? graph_op1(g, i & 1 ? UOP_HI : UOP_LO, UOP_B32, words[i / 2]) : words[i];
        graph_id merged = now;
        if (guard != GRAPH_NIL && slot->node != GRAPH_NIL && graph_at(g, slot->node)->kind != GRAPH_ENTRY) {
            struct uop like = {.kind = UOP_SELECT, .type = graph_at(g, now)->type};
            merged = graph_pure(g, &like, (graph_id[]){guard, now, slot->node}, 3);
        }
        slot->cell = graph_push_cell(b, (struct graph_cell){.def = UINT32_MAX, .store = access + 1});
        slot->node = merged;
    }
}
