/* The loops of the source as facts: counter, start, step and end as text over the counter's name, the pieces the
 * compilers made, what is carried from turn to turn, and the line of the source where the loop's test stands. What the
 * graph did not find stays NULL. */
#include "facts/fact_build.h"

#include "graph/graph_cycle.h"

#include <string.h>

enum { TEXT_MAX = 120 }; /* what is longer no reader takes in: it is what compilers made of the loop, not the loop */

/* A text that says something. */
static const char *said(const char *text)
{
    return text && text[0] && strchr(text, '?') != text && !strstr(text, "…") ? text : NULL;
}

static const char *brief(const char *text)
{
    return text && strlen(text) <= TEXT_MAX ? text : NULL;
}

static const char *value_text(struct fact_source *s, graph_id node)
{
    return node == GRAPH_NIL ? NULL : brief(said(mean_expr(s->mean, node, UOP_B32, MEAN_EXPANDED)));
}

/* The text without casts of the counter itself: how its words are read where it is compared says no more of the
 * loop. */
static const char *plain(struct fact_source *s, const char *text, const char *counter)
{
    static const char *const casts[] = {"(unsigned)", "(int)"};
    size_t name = strlen(counter);
    for (size_t i = 0; text && i < sizeof casts / sizeof casts[0]; i++) {
        size_t cast = strlen(casts[i]);
        for (const char *at = text; (at = strstr(at, casts[i])) != NULL; at++) {
            char after = strncmp(at + cast, counter, name) == 0 ? at[cast + name] : 'x';
            bool whole = after == '\0' || after == ' ' || after == ')';
            if (whole)
                text = at = arena_printf(s->mean->a, "%.*s%s", (int)(at - text), text, at + cast);
            if (!at)
                return NULL;
        }
    }
    return text;
}

/* The counter's own phi is the counter, whatever multiple of it the machine carries. */
static bool is_counter_phi(const struct graph *g, const struct graph_cycle *c, graph_id phi)
{
    const struct graph_node *n = graph_at(g, c->counter);
    return c->counter != GRAPH_NIL && (c->counter == phi || (n->arg_count > 0 && n->arg[0] == phi));
}

/* "phi(&x[i], … + 64)": of a pointer that no counter tells where it starts is worth the rest. */
static bool starts_plainly(struct fact_source *s, graph_id id)
{
    const struct graph_node *phi = graph_at(s->g, id);
    for (uint32_t k = 0; k < phi->phi_count; k++)
        if (phi->phi_args[k] < id && said(mean_expr(s->mean, phi->phi_args[k], UOP_B64, MEAN_EXPANDED)))
            return true;
    return false;
}

static struct fact_carried carried_fact(struct fact_source *s, const struct graph_cycle *c,
                                        const struct graph_carried *e)
{
    static const int kinds[] = {[GRAPH_CARRIED_COUNTER] = FACT_CARRIED_COUNTER,
                                [GRAPH_CARRIED_ADDRESS] = FACT_CARRIED_ADDRESS,
                                [GRAPH_CARRIED_DATA] = FACT_CARRIED_DATA};
    struct graph *g = s->g;
    struct fact_carried f = {.at = g->insns.p[e->insn].offset};
    uint32_t index;
    memcpy(&f.kind, &kinds[e->kind], sizeof f.kind);
    graph_id shown = is_counter_phi(g, c, e->phi) ? c->counter : e->phi;
    bool data = e->kind == GRAPH_CARRIED_DATA;
    enum uop_type as = data ? fact_float_type(mean_type(s->mean, e->next)) : UOP_B32;
    const char *text = mean_expr(s->mean, shown, as, MEAN_INNER);
    bool moves = e->kind == GRAPH_CARRIED_ADDRESS && graph_at(g, shown)->kind == GRAPH_PHI && starts_plainly(s, shown);
    if (!said(text) && !moves && e->next != GRAPH_NIL) /* where it starts says more than the register that moves */
        text = mean_expr(s->mean, e->next, as, MEAN_INNER);
    if (moves && text && strcmp(text, "…") == 0) /* it says at least where the pointer starts */
        text = mean_expr(s->mean, shown, as, MEAN_EXPANDED);
    const char *shared = data ? NULL : mean_shared_offset(s->mean, shown);
    if (!data && !shared && text && strstr(text, "clusterBlockId"))
        shared = mean_shared_offset(s->mean, e->next);
    f.expr = shared ? shared : text;
    if (data && (place_value_of(s->place, e->phi, &index) ||
                 (e->next != GRAPH_NIL && place_value_of(s->place, e->next, &index))))
        f.value = arena_printf(s->mean->a, "v%u", index);
    return f;
}

/* The branch that goes round again, and what it looks at. */
static void find_source(struct fact_source *s, const struct graph_cycle *c, struct fact_loop *f)
{
    const struct graph *g = s->g;
    f->source_file = f->source_line = FACT_NONE;
    for (size_t i = 0; i < c->pieces.n; i++) {
        if (c->pieces.p[i].straight)
            continue;
        const struct graph_loop *l = &g->loops.p[c->pieces.p[i].loop];
        uint32_t at = g->insns.p[g->blocks.p[l->latch].last].offset;
        const struct img_line *line = img_line_at(s->kernel, at);
        if (!line || !line->line)
            continue;
        f->source_line = (int32_t)line->line;
        if (line->file != UINT32_MAX && line->file < s->module->file_count)
            f->source_file = s->file_numbers[line->file];
        return;
    }
}

static struct fact_offsets evidence_of(struct fact_source *s, struct arena *a, const struct graph_cycle *c)
{
    struct graph *g = s->g;
    VEC(uint32_t) insns = {0};
    for (size_t i = 0; i < c->pieces.n; i++) {
        if (c->pieces.p[i].straight) {
            VEC_PUSH(a, insns, c->pieces.p[i].first);
            continue;
        }
        const struct graph_block *latch = &g->blocks.p[g->loops.p[c->pieces.p[i].loop].latch];
        VEC_PUSH(a, insns, latch->last);
        const struct graph_insn *last = &g->insns.p[latch->last]; /* who made its condition */
        for (uint32_t u = last->first_use; u < last->first_use + last->use_count; u++)
            for (uint32_t d = 0; d < g->uses.p[u].def_count; d++)
                VEC_PUSH(a, insns, g->defs.p[g->uses.p[u].defs[d]].insn);
    }
    for (size_t i = 0; i < c->carried.n; i++)
        VEC_PUSH(a, insns, c->carried.p[i].insn);
    return fact_offsets_of(a, g, insns.p, insns.n);
}

static bool same_instructions(const struct graph *g, uint32_t a, uint32_t b)
{
    return a != b && g->insns.p[a].input == g->insns.p[b].input;
}

/* Instructions that stand twice in the graph (a subroutine that two calls lead to, code that several ways come to by a
 * table of jumps) are one loop of the code. */
static bool is_again(const struct fact_source *s, size_t at)
{
    const struct graph *g = s->g;
    const struct graph_cycle *c = &g->cycles->cycles.p[at];
    for (size_t i = 0; i < at; i++) {
        const struct graph_cycle *other = &g->cycles->cycles.p[i];
        if (same_instructions(g, other->first, c->first) && same_instructions(g, other->last, c->last))
            return true;
        for (size_t p = 0; p < other->pieces.n; p++) /* a piece of it, come to another way */
            if (same_instructions(g, other->pieces.p[p].first, c->first) &&
                same_instructions(g, other->pieces.p[p].last, c->last))
                return true;
    }
    return false;
}

static bool is_piece_again(const struct graph *g, const struct graph_cycle *c, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_instructions(g, c->pieces.p[i].first, c->pieces.p[at].first) &&
            same_instructions(g, c->pieces.p[i].last, c->pieces.p[at].last))
            return true;
    return false;
}

enum sp_status fact_build_loops(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const struct graph_cycles *cycles = s->g->cycles;
    int32_t *ids = ARENA_ARRAY(a, int32_t, cycles ? cycles->cycles.n : 0);
    for (size_t i = 0; cycles && ids && i < cycles->cycles.n; i++) {
        const struct graph_cycle *c = &cycles->cycles.p[i];
        ids[i] = FACT_NONE;
        if (is_again(s, i))
            continue;
        ids[i] = (int32_t)k->loops.n;
        struct fact_loop f = {.id = (uint32_t)k->loops.n,
                              .parent = c->parent < 0 ? FACT_NONE : ids[c->parent],
                              .from = s->g->insns.p[c->first].offset,
                              .to = s->g->insns.p[c->last].offset,
                              .unroll = c->unroll};
        f.counter = value_text(s, c->counter);
        if (f.counter) {
            f.start = value_text(s, c->start);
            f.step = plain(s, value_text(s, c->next), f.counter);
            f.until =
                c->until == GRAPH_NIL ? NULL : plain(s, brief(said(mean_condition(s->mean, c->until))), f.counter);
        }
        f.count = value_text(s, c->count);
        struct fact_loop_piece *pieces = ARENA_ARRAY(a, struct fact_loop_piece, c->pieces.n);
        struct fact_carried *carried = ARENA_ARRAY(a, struct fact_carried, c->carried.n);
        if (!pieces || !carried)
            return SP_ERR_MEMORY;
        uint32_t piece_count = 0;
        for (size_t p = 0; p < c->pieces.n; p++) {
            const struct graph_piece *from = &c->pieces.p[p];
            if (is_piece_again(s->g, c, p))
                continue;
            pieces[piece_count++] = (struct fact_loop_piece){.straight = from->straight,
                                                             .from = s->g->insns.p[from->first].offset,
                                                             .to = s->g->insns.p[from->last].offset,
                                                             .unroll = from->unroll};
        }
        for (size_t p = 0; p < c->carried.n; p++)
            carried[p] = carried_fact(s, c, &c->carried.p[p]);
        f.pieces = pieces;
        f.piece_count = piece_count;
        f.carried = carried;
        f.carried_count = (uint32_t)c->carried.n;
        find_source(s, c, &f);
        f.evidence = evidence_of(s, a, c);
        VEC_PUSH(a, k->loops, f);
    }
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
