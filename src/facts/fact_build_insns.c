/* Facts about instructions: the listing with roles and expressions, padding, register flow, what is not
 * understood. */
#include "facts/fact_build.h"

#include "base/map.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Instance of each machine instruction: the first reachable one, UINT32_MAX: never reached. */
static uint32_t *first_instances(struct arena *a, const struct graph *g)
{
    uint32_t *of = ARENA_ARRAY(a, uint32_t, g->input.count + 1);
    if (!of)
        return NULL;
    memset(of, 0xff, (g->input.count + 1) * sizeof of[0]);
    for (uint32_t i = 0; i < g->insns.n; i++)
        if (g->insns.p[i].reachable && of[g->insns.p[i].input] == UINT32_MAX)
            of[g->insns.p[i].input] = i;
    return of;
}

static bool is_filler(const struct graph_input_insn *insn)
{
    const struct uop_list *l = insn->uops;
    for (size_t i = 0; i < l->ops.n; i++) {
        unsigned kind = l->ops.p[i].kind;
        if (kind == UOP_NOP || (kind == UOP_BRANCH && l->ops.p[i].imm == insn->offset))
            continue;
        return false;
    }
    return !l->unknown;
}

static void fill_lines(struct fact_source *s, struct arena *a, struct fact_instruction *f)
{
    const struct img_line *line = img_line_at(s->kernel, f->offset);
    uint32_t ptx = img_ptx_line_at(s->kernel, f->offset);
    f->file = f->line = FACT_NONE;
    f->ptx_line = ptx ? (int32_t)ptx : FACT_NONE;
    if (!line || !line->line)
        return;
    f->line = (int32_t)line->line;
    if (line->file != UINT32_MAX && line->file < s->module->file_count)
        f->file = s->file_numbers[line->file];
    struct fact_inline *list = ARENA_ARRAY(a, struct fact_inline, line->inlined_count);
    for (uint32_t i = 0; i < line->inlined_count && list; i++) {
        const struct img_inline *in = &line->inlined[i];
        list[i] = (struct fact_inline){.file = in->file < s->module->file_count ? s->file_numbers[in->file] : FACT_NONE,
                                       .line = in->line ? (int32_t)in->line : FACT_NONE,
                                       .function = in->function};
    }
    f->inlined = list;
    f->inlined_count = list ? line->inlined_count : 0;
}

/* Patterns an instruction belongs to: those that say something of it in particular; one that spans the kernel (family
 * "operator") only where no other does. */
static void fill_patterns(struct fact_source *s, struct arena *a, struct fact_kernel *k, struct fact_instruction *f,
                          const uint32_t *by_insn, uint32_t count)
{
    uint32_t *list = ARENA_ARRAY(a, uint32_t, count), kept = 0;
    bool particular = false;
    (void)k;
    if (!list)
        return;
    for (uint32_t i = 0; i < count; i++)
        particular |= strcmp(s->patterns->matches.p[by_insn[i]].family, "operator") != 0;
    for (uint32_t i = 0; i < count; i++)
        if (!particular || strcmp(s->patterns->matches.p[by_insn[i]].family, "operator") != 0)
            list[kept++] = by_insn[i];
    f->patterns = list;
    f->pattern_count = kept;
}

struct insn_lists { /* matches of each machine instruction */
    uint32_t *starts, *items;
};

static bool list_matches(struct fact_source *s, struct arena *a, struct insn_lists *l)
{
    const struct graph *g = s->g;
    l->starts = ARENA_ARRAY(a, uint32_t, g->input.count + 2);
    size_t total = 0;
    for (size_t m = 0; m < s->patterns->matches.n; m++)
        total += s->patterns->matches.p[m].insns.n;
    l->items = ARENA_ARRAY(a, uint32_t, total);
    if (!l->starts || !l->items)
        return false;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t m = 0; m < s->patterns->matches.n; m++) {
            const struct pat_match *match = &s->patterns->matches.p[m];
            for (size_t i = 0; i < match->insns.n; i++) {
                uint32_t at = g->insns.p[match->insns.p[i]].input;
                if (!fill) {
                    l->starts[at + 1]++;
                    continue;
                }
                uint32_t *p = &l->starts[at];
                l->items[(*p)++] = m;
            }
        }
        if (!fill)
            for (uint32_t i = 0; i < g->input.count; i++)
                l->starts[i + 1] += l->starts[i];
    }
    for (uint32_t i = g->input.count; i > 0; i--)
        l->starts[i] = l->starts[i - 1];
    l->starts[0] = 0;
    /* One match through two instances is told once. */
    return true;
}

static void add_unknown(struct arena *a, struct fact_kernel *k, const struct fact_instruction *f,
                        const struct fact_text *t, enum fact_unknown_why why, const char *reason)
{
    struct fact_unknown u = {.offset = f->offset, .text = t->text, .bits = t->bits, .why = why, .reason = reason};
    VEC_PUSH(a, k->unknown, u);
}

/* ---- calls that were not followed ------------------------------------------------------------ */

/* By machine instruction: the instance (+ 1) of a call there that the graph does not go into. */
static uint32_t *calls_not_followed(struct arena *a, const struct graph *g)
{
    uint32_t *out = ARENA_ARRAY(a, uint32_t, g->input.count + 1);
    bool *followed = ARENA_ARRAY(a, bool, g->insns.n + 1);
    if (!out || !followed)
        return NULL;
    for (size_t i = 0; i < g->calls.n; i++)
        followed[g->calls.p[i].insn] = true;
    for (uint32_t i = 0; i < g->insns.n; i++) {
        const struct uop_list *l = g->input.insns[g->insns.p[i].input].uops;
        for (size_t k = 0; k < l->ops.n && g->insns.p[i].reachable && !followed[i]; k++)
            if (l->ops.p[k].kind == UOP_CALL || l->ops.p[k].kind == UOP_CALL_IND)
                out[g->insns.p[i].input] = i + 1;
    }
    return out;
}

/* What the relocation at that offset names; NULL: none does. */
static const char *called_name(const struct img_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->reloc_count; i++)
        if (k->relocs[i].offset == offset && img_reloc_is_call(&k->relocs[i]) && k->relocs[i].symbol[0])
            return k->relocs[i].symbol;
    return NULL;
}

/* Where the instance's callers stand: one of them is what it calls. */
static bool calls_again(const struct graph *g, uint32_t instance, uint64_t target)
{
    for (uint32_t p = g->insns.p[instance].call_path; p; p = g->calls.p[p - 1].caller_path)
        if (g->calls.p[p - 1].target == target)
            return true;
    return false;
}

static const char *why_not_followed(struct arena *a, const struct fact_source *s, uint32_t instance,
                                    enum fact_unknown_why *why)
{
    const struct graph *g = s->g;
    const struct graph_insn *insn = &g->insns.p[instance];
    const struct uop_list *l = g->input.insns[insn->input].uops;
    const char *name = called_name(s->kernel, insn->offset);
    *why = FACT_WHY_SEMANTICS;
    for (size_t k = 0; k < l->ops.n; k++) {
        const struct uop *u = &l->ops.p[k];
        if (u->kind == UOP_CALL_IND && !name) {
            *why = FACT_WHY_INDIRECT_BRANCH;
            return "where the call goes is computed";
        }
        if (u->kind != UOP_CALL || u->imm == UINT64_MAX)
            continue;
        return calls_again(g, instance, u->imm) ? "a function that calls itself is followed once"
                                                : "calls within calls are followed to a limit";
    }
    return name ? arena_printf(a, "the code of %s was not read here", name) : "what is called is not in the code read";
}

/* What an instruction does by itself, where nothing is seen to lead to it and not all is understood. */
static enum fact_role role_by_itself(const struct graph_input_insn *in)
{
    const struct uop_list *l = in->uops;
    for (size_t i = 0; i < l->ops.n; i++)
        switch (l->ops.p[i].kind) {
        case UOP_EXIT:
        case UOP_TRAP: return FACT_ROLE_EXIT;
        case UOP_BRANCH:
        case UOP_BRANCH_IND: return FACT_ROLE_BRANCH;
        case UOP_BAR: return FACT_ROLE_BARRIER;
        case UOP_FENCE: return FACT_ROLE_FENCE;
        case UOP_RECONVERGE: return FACT_ROLE_RECONVERGENCE;
        default: break;
        }
    return FACT_ROLE_UNKNOWN;
}

static void build_one(struct arena *a, struct fact_source *s, struct fact_kernel *k, uint32_t input, uint32_t instance,
                      const enum mean_role *roles, const struct insn_lists *matches, bool apart, uint32_t call)
{
    const struct graph_input_insn *in = &s->g->input.insns[input];
    const struct fact_text *t = &s->texts[input];
    struct fact_instruction f = {.offset = in->offset,
                                 .text = t->text,
                                 .guard = t->guard,
                                 .control_text = t->control_text,
                                 .stall = t->stall,
                                 .yield = t->yield,
                                 .write_barrier = t->write_barrier,
                                 .read_barrier = t->read_barrier,
                                 .wait_mask = t->wait_mask};
    fill_lines(s, a, &f);
    if (instance == UINT32_MAX) {
        f.role = is_filler(in) ? FACT_ROLE_PADDING : FACT_ROLE_DEAD;
        if (in->uops->unknown)
            f.role = FACT_ROLE_UNKNOWN;
        else if (f.role == FACT_ROLE_DEAD && apart)
            f.role = FACT_ROLE_SLOW_PATH;
        else if (f.role == FACT_ROLE_DEAD && s->g->incomplete)
            f.role = role_by_itself(in);
    } else {
        f.role = (enum fact_role)roles[instance];
        mean_look_from(s->mean, s->g->insns.p[instance].block);
        f.runs_when = mean_condition(s->mean, s->g->insns.p[instance].runs_when);
        f.expr = mean_insn_expr(s->mean, instance, roles[instance]);
        fill_patterns(s, a, k, &f, matches->items + matches->starts[input],
                      matches->starts[input + 1] - matches->starts[input]);
        mean_look_from(s->mean, UINT32_MAX);
    }
    if (in->uops->unknown || t->no_encoding)
        add_unknown(a, k, &f, t, t->no_encoding ? FACT_WHY_ENCODING : FACT_WHY_SEMANTICS, NULL);
    else if (in->uops->opaque && instance != UINT32_MAX)
        add_unknown(a, k, &f, t, FACT_WHY_SEMANTICS, NULL);
    if (call && !in->uops->unknown) {
        enum fact_unknown_why why;
        const char *reason = why_not_followed(a, s, call - 1, &why);
        add_unknown(a, k, &f, t, why, reason);
    }
    for (size_t i = 0; i < s->g->indirect.n && instance != UINT32_MAX; i++) {
        if (s->g->indirect.p[i] == instance) {
            add_unknown(a, k, &f, t, FACT_WHY_INDIRECT_BRANCH, NULL);
            break;
        }
    }
    VEC_PUSH(a, k->instructions, f);
}

/* ---- register flow -------------------------------------------------------------------------- */

/* What a def holds: a data value by its name (whole, or a half of it), anything else in the reader's words. */
static void fill_hold(struct arena *a, struct fact_source *s, uint32_t def, struct fact_hold *hold)
{
    const struct graph_def *d = &s->g->defs.p[def];
    const struct graph_node *n = graph_at(s->g, d->node);
    bool half = n->kind == UOP_LO || n->kind == UOP_HI;
    graph_id whole = d->part && d->wide != GRAPH_NIL ? d->wide : half ? n->arg[0] : GRAPH_NIL;
    uint32_t index;
    unsigned part = 0;
    mean_look_from(s->mean, s->g->insns.p[d->insn].block);
    if (place_value_of(s->place, d->node, &index)) {
        graph_id value = s->place->values.p[index].node; /* what a guarded write leaves there is the value as told */
        hold->value = s->mean->value_ids.p[index];
        hold->holds = fact_value_name(a, s, d->merged == value ? value : d->node);
        return;
    }
    if (whole != GRAPH_NIL && place_value_of(s->place, whole, &index)) {
        hold->value = s->mean->value_ids.p[index];
        hold->holds = fact_value_name(a, s, whole);
        hold->part = d->part == 2 || n->kind == UOP_HI ? FACT_HI : FACT_LO;
        return;
    }
    hold->holds = mean_holds(s->mean, def, &part);
    hold->part = part == 2 ? FACT_HI : part == 1 ? FACT_LO : FACT_WHOLE;
}

struct hold_row {
    uint32_t key; /* file << 16 | register */
    uint32_t def;
    struct fact_hold hold;
};

static int by_register(const void *p, const void *q)
{
    const struct hold_row *a = p, *b = q;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->hold.from < b->hold.from ? -1 : a->hold.from > b->hold.from;
}

/* A register's name is its own: one that another has already gets a number (%r1 of a function that is called). */
static const char *own_name(struct arena *a, struct map_str *taken, const char *name)
{
    uint32_t times;
    if (!map_str_get(taken, name, &times)) {
        map_str_put(a, taken, name, 1);
        return name;
    }
    map_str_put(a, taken, name, times + 1);
    return arena_printf(a, "%s (%u)", name, times + 1);
}

/* A register of two words that holds one value is told once, by its low word. */
static bool told_by_low_word(struct arena *a, const struct fact_source *s, const struct hold_row *row, bool *whole)
{
    unsigned word, words;
    if (!s->register_name || row->hold.part == FACT_WHOLE)
        return false;
    fact_register_name(a, s, &s->g->defs.p[row->def], &word, &words);
    *whole = words == 2 && word == 0 && row->hold.part == FACT_LO;
    return words == 2 && word == 1 && row->hold.part == FACT_HI;
}

static void build_register_flow(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    struct graph *g = s->g;
    struct hold_row *rows = ARENA_ARRAY(a, struct hold_row, g->defs.n);
    struct fact_hold *holds = ARENA_ARRAY(a, struct fact_hold, g->defs.n);
    struct map_str taken = {0};
    uint32_t count = 0;
    if (!rows || !holds)
        return;
    for (size_t i = 0; i < g->defs.n; i++) {
        const struct graph_def *d = &g->defs.p[i];
        struct hold_row row = {.key = (uint32_t)d->file << 16 | d->reg, .def = (uint32_t)i};
        bool whole = false;
        if (d->file == UOP_FILE_B && d->reg >= UOP_B_HIDDEN)
            continue;
        row.hold.from = g->insns.p[d->insn].offset;
        row.hold.to = g->insns.p[d->last_use].offset;
        fill_hold(a, s, (uint32_t)i, &row.hold);
        if (told_by_low_word(a, s, &row, &whole))
            continue;
        if (whole)
            row.hold.part = FACT_WHOLE;
        rows[count++] = row;
    }
    if (count)
        qsort(rows, count, sizeof rows[0], by_register);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count;) {
        unsigned word, words;
        struct fact_register r = {.name = fact_register_name(a, s, &g->defs.p[rows[i].def], &word, &words),
                                  .holds = holds + used};
        if (s->register_name)
            r.name = own_name(a, &taken, r.name);
        uint32_t j = i;
        for (; j < count && rows[j].key == rows[i].key; j++) {
            struct fact_hold *last = r.hold_count ? &holds[used + r.hold_count - 1] : NULL;
            if (last && last->from == rows[j].hold.from) { /* the same instruction, called from elsewhere */
                if (rows[j].hold.to > last->to)
                    last->to = rows[j].hold.to;
                continue;
            }
            holds[used + r.hold_count++] = rows[j].hold;
        }
        used += r.hold_count;
        VEC_PUSH(a, k->register_flow, r);
        i = j;
    }
}

enum sp_status fact_build_instructions(struct arena *a, struct fact_source *s, struct fact_kernel *k)
{
    const struct graph *g = s->g;
    uint32_t *instance = first_instances(a, g), end = 0;
    const enum mean_role *roles = mean_roles(s->mean);
    const bool *apart = instance ? fact_apart(a, g, instance) : NULL;
    const uint32_t *calls = calls_not_followed(a, g);
    struct insn_lists matches;
    if (!calls || !instance || !apart || (!roles && g->insns.n) || !list_matches(s, a, &matches))
        return SP_ERR_MEMORY;
    for (uint32_t i = 0; i < g->input.count; i++)
        if (instance[i] != UINT32_MAX)
            end = i + 1;
    if (k->functions.n) /* theirs is left out already */
        end = g->input.count;
    /* What stands behind the last reachable instruction is padding when it is filler to the end, else code nobody
     * reaches. */
    for (uint32_t i = g->input.count; i > end; i--) {
        if (!is_filler(&g->input.insns[i - 1])) {
            end = i;
            break;
        }
    }
    for (uint32_t i = 0; i < end; i++)
        build_one(a, s, k, i, instance[i], roles, &matches, apart[i], calls[i]);
    if (end < g->input.count) {
        k->has_padding = true;
        k->padding_from = g->input.insns[end].offset;
        k->padding_to = g->input.insns[g->input.count - 1].offset;
        k->padding_instructions = g->input.count - end;
    }
    if (s->padding_count) {
        k->has_padding = true;
        k->padding_from = s->padding_from;
        k->padding_to = s->padding_from + 16 * (s->padding_count - 1);
        k->padding_instructions = s->padding_count;
    }
    build_register_flow(a, s, k);
    return arena_failed(a) ? SP_ERR_MEMORY : SP_OK;
}
