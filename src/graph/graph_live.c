/* Which registers a kernel uses, which of them matter at the start of each block, and what loops change.
 *
 * requires: blocks, loops · gives: variables by dense number, live_in and written sets of blocks, loop summaries */
#include "graph/graph_values.h"

static bool is_call(const struct uop_list *l)
{
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_CALL || l->ops.p[i].kind == UOP_CALL_IND)
            return true;
    return false;
}

static bool is_store(const struct uop_list *l)
{
    for (size_t i = 0; i < l->ops.n; i++)
        if (l->ops.p[i].kind == UOP_STORE)
            return true;
    return false;
}

static bool names_register(const struct uop *u)
{
    return (u->kind == UOP_READ || u->kind == UOP_WRITE) && u->file < UOP_FILE_COUNT;
}

enum sp_status graph_find_variables(struct graph_builder *b)
{
    struct graph *g = b->g;
    for (size_t i = 0; i < g->input.count; i++) {
        const struct uop_list *l = g->input.insns[i].uops;
        for (size_t k = 0; k < l->ops.n; k++) {
            const struct uop *u = &l->ops.p[k];
            if (names_register(u) && u->reg >= b->registers[u->file])
                b->registers[u->file] = u->reg + 1u;
        }
    }
    for (unsigned f = 0; f < UOP_FILE_COUNT; f++) {
        b->variable[f] = ARENA_ARRAY(&b->scratch, uint32_t, b->registers[f] + 1);
        if (!b->variable[f])
            return SP_ERR_MEMORY;
    }
    for (size_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        for (size_t k = 0; k < l->ops.n; k++) {
            const struct uop *u = &l->ops.p[k];
            if (names_register(u) && !b->variable[u->file][u->reg])
                b->variable[u->file][u->reg] = ++b->variable_count;
        }
    }
    b->words = (b->variable_count + 63) / 64 + 1;
    b->names = ARENA_ARRAY(&b->scratch, uint32_t, b->variable_count + 1);
    if (!b->names)
        return SP_ERR_MEMORY;
    for (unsigned f = 0; f < UOP_FILE_COUNT; f++)
        for (unsigned r = 0; r < b->registers[f]; r++)
            if (b->variable[f][r])
                b->names[b->variable[f][r] - 1] = f << 16 | r;
    return SP_OK;
}

static enum sp_status find_clobbers(struct graph_builder *b)
{
    struct graph *g = b->g;
    b->clobbers = ARENA_ARRAY(&b->scratch, bool, g->blocks.n);
    if (!b->clobbers)
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < g->blocks.n; i++)
        b->clobbers[i] = is_call(g->input.insns[g->insns.p[g->blocks.p[i].last].input].uops);
    for (size_t i = 0; i < g->calls.n; i++)
        b->clobbers[g->insns.p[g->calls.p[i].insn].block] = false;
    return SP_OK;
}

/* Backward liveness over blocks. A guarded def does not end a live range. */
enum sp_status graph_find_liveness(struct graph_builder *b)
{
    struct graph *g = b->g;
    size_t n = g->blocks.n;
    b->live_in = ARENA_ARRAY(&b->scratch, uint64_t, n * b->words);
    b->written = ARENA_ARRAY(&b->scratch, uint64_t, n * b->words);
    uint64_t *killed = ARENA_ARRAY(&b->scratch, uint64_t, n * b->words);
    bool *due = ARENA_ARRAY(&b->scratch, bool, n);
    if (find_clobbers(b) != SP_OK || arena_failed(&b->scratch))
        return SP_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        uint64_t *use = b->live_in + i * b->words, *kill = killed + i * b->words, *write = b->written + i * b->words;
        bool anything = b->clobbers[i];
        for (uint32_t k = g->blocks.p[i].first; k <= g->blocks.p[i].last; k++) {
            const struct uop_list *l = g->input.insns[g->insns.p[k].input].uops;
            anything |= graph_nothing_known(l);
            for (size_t j = 0; j < l->ops.n; j++) {
                uint32_t v =
                    l->ops.p[j].kind == UOP_READ ? graph_variable(b, l->ops.p[j].file, l->ops.p[j].reg) : UINT32_MAX;
                if (v != UINT32_MAX && !graph_set_has(kill, v))
                    graph_set_add(use, v);
            }
            for (uint32_t v = b->kept[k].first; v < b->kept[k].first + b->kept[k].count; v++) {
                if (!is_store(l) && !graph_set_has(kill, v))
                    graph_set_add(use, v);
                if (is_store(l))
                    graph_set_add(write, v);
                if (is_store(l) && l->guard == UOP_NONE)
                    graph_set_add(kill, v);
            }
            for (size_t j = 0; j < l->ops.n; j++) {
                uint32_t v =
                    l->ops.p[j].kind == UOP_WRITE ? graph_variable(b, l->ops.p[j].file, l->ops.p[j].reg) : UINT32_MAX;
                if (v == UINT32_MAX)
                    continue;
                graph_set_add(write, v);
                if (l->guard == UOP_NONE)
                    graph_set_add(kill, v);
            }
        }
        for (uint32_t v = 0; v < b->variable_count && anything; v++)
            graph_set_add(write, v);
        due[i] = true;
    }
    /* Backwards in order, again only where a successor's set grew. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = b->flow->order_count; i-- > 0;) {
            uint32_t at = b->flow->order[i];
            const struct graph_block *block = &g->blocks.p[at];
            uint64_t *in = b->live_in + at * b->words;
            if (!due[at])
                continue;
            due[at] = false;
            bool grew = false;
            for (uint32_t s = 0; s < block->succ_count; s++)
                for (size_t w = 0; w < b->words; w++) {
                    uint64_t more = b->live_in[block->succs[s] * b->words + w] & ~killed[at * b->words + w] & ~in[w];
                    in[w] |= more;
                    grew |= more != 0;
                }
            for (uint32_t k = 0; k < block->pred_count && grew; k++) {
                due[block->preds[k]] = true;
                changed |= b->flow->position[block->preds[k]] >= i && b->flow->position[block->preds[k]] != UINT32_MAX;
            }
        }
    }
    return SP_OK;
}

static bool changes_memory(unsigned kind)
{
    return kind == UOP_STORE || kind == UOP_ATOM || kind == UOP_RED || kind == UOP_ASYNC_COPY || kind == UOP_CALL ||
           kind == UOP_CALL_IND;
}

enum { LOCAL_STORES_MAX = 512 };

static void add_local(struct graph_builder *b, struct graph_loop_summary *s, struct graph_local_store store)
{
    for (size_t i = 0; i < s->local.n; i++) {
        const struct graph_local_store *x = &s->local.p[i];
        if (x->part.known != store.part.known)
            continue;
        if (store.part.known
                ? x->part.from <= store.part.from && x->part.to >= store.part.to
                : x->file == store.file && x->reg == store.reg && x->offset == store.offset && x->width >= store.width)
            return;
    }
    if (s->local.n == LOCAL_STORES_MAX)
        s->local_known = false;
    else
        VEC_PUSH(&b->scratch, s->local, store);
}

/* A store to local memory at a register plus a constant, or one that is known to stay in a part of the frame, is
 * noted; another one, or one that may go there unseen, ends what is known. */
static void note_local(struct graph_builder *b, struct graph_loop_summary *s, const struct uop_list *l,
                       const struct uop *u, const struct graph_frame_part *part)
{
    struct graph_local_store store = {.width = u->width, .part = *part};
    if (u->kind == UOP_CALL || u->kind == UOP_CALL_IND || (changes_memory(u->kind) && u->space == UOP_GENERIC))
        s->local_known = false;
    if (!changes_memory(u->kind) || u->space != UOP_LOCAL || !s->local_known)
        return;
    if (part->known) {
        add_local(b, s, store);
        return;
    }
    const struct uop *at = u->arg[0] < l->ops.n ? &l->ops.p[u->arg[0]] : NULL;
    if (at && at->kind == UOP_ADD && at->arg[0] < l->ops.n && at->arg[1] < l->ops.n) {
        const struct uop *x = &l->ops.p[at->arg[0]], *y = &l->ops.p[at->arg[1]];
        store.offset = (uint32_t)(y->kind == UOP_CONST ? y->imm : x->imm);
        at = y->kind == UOP_CONST ? x : x->kind == UOP_CONST ? y : NULL;
    }
    if (!at || at->kind != UOP_READ) {
        s->local_known = false;
        return;
    }
    store.file = at->file;
    store.reg = at->reg;
    add_local(b, s, store);
}

/* What each loop writes, and how it is left. Inner loops stand before the ones around them in the list. */
enum sp_status graph_summarise_loops(struct graph_builder *b)
{
    struct graph *g = b->g;
    b->loops = ARENA_ARRAY(&b->scratch, struct graph_loop_summary, g->loops.n + 1);
    for (size_t l = 0; l < g->loops.n && b->loops; l++)
        b->loops[l].written = ARENA_ARRAY(&b->scratch, uint64_t, b->words);
    if (arena_failed(&b->scratch))
        return SP_ERR_MEMORY;
    for (size_t l = 0; l < g->loops.n; l++) {
        b->irreducible |= g->loops.p[l].irreducible;
        b->loops[l].local_known = true;
    }
    for (size_t l = g->loops.n; l-- > 0;)
        b->loops[l].depth = g->loops.p[l].parent ? b->loops[g->loops.p[l].parent - 1].depth + 1 : 1;
    for (uint32_t i = 0; i < g->blocks.n; i++) {
        const struct graph_block *block = &g->blocks.p[i];
        if (!block->loop)
            continue;
        struct graph_loop_summary *s = &b->loops[block->loop - 1];
        s->ends_inside |= block->succ_count == 0;
        for (uint32_t k = block->first; k <= block->last; k++) {
            const struct uop_list *list = g->input.insns[g->insns.p[k].input].uops;
            s->stores |= list->unknown;
            s->local_known &= !list->unknown;
            for (size_t j = 0; j < list->ops.n; j++) {
                unsigned kind = list->ops.p[j].kind;
                s->stores |= changes_memory(kind);
                note_local(b, s, list, &list->ops.p[j], &b->parts[k]);
                s->ends_inside |= kind == UOP_EXIT || kind == UOP_TRAP ||
                                  (kind == UOP_BRANCH_IND && !block->by_table) ||
                                  (kind == UOP_RET && !g->insns.p[k].call_path);
            }
        }
        for (size_t w = 0; w < b->words; w++)
            s->written[w] |= b->written[i * b->words + w];
        for (uint32_t k = 0; k < block->succ_count; k++) { /* loops this edge leaves */
            uint32_t stays = g->blocks.p[block->succs[k]].loop;
            for (uint32_t l = block->loop; l; l = g->loops.p[l - 1].parent) {
                while (stays && b->loops[stays - 1].depth > b->loops[l - 1].depth)
                    stays = g->loops.p[stays - 1].parent;
                if (stays == l)
                    break;
                b->loops[l - 1].exits++;
            }
        }
    }
    for (size_t l = 0; l < g->loops.n; l++) {
        uint32_t parent = g->loops.p[l].parent;
        if (!parent)
            continue;
        b->loops[parent - 1].stores |= b->loops[l].stores;
        b->loops[parent - 1].local_known &= b->loops[l].local_known;
        for (size_t i = 0; i < b->loops[l].local.n && b->loops[parent - 1].local_known; i++)
            add_local(b, &b->loops[parent - 1], b->loops[l].local.p[i]);
        b->loops[parent - 1].ends_inside |= b->loops[l].ends_inside;
        for (size_t w = 0; w < b->words; w++)
            b->loops[parent - 1].written[w] |= b->loops[l].written[w];
    }
    return SP_OK;
}
