/* What a store writes, as lines of C read one after the other: the nearest values it is computed from, each under
 * its id, then the stored expression. Of a variable that goes round a loop a line says what one turn makes of it;
 * once its line stands the old value is told as such, and a way out that does not keep a step shows in the line.
 * The same as real numbers has no lines.
 * requires: places and their ids · gives: fact_exact_text, fact_block_of */
#include "facts/fact_build.h"

#include "base/str.h"
#include "graph/graph_cycle.h"

#include <stdlib.h>
#include <string.h>

/* How a node of a variable is told behind its loop; NULL: it is none. */
static const struct place_leaving *leaving_of(const struct fact_source *s, graph_id node)
{
    size_t from = 0, to = s->place->leaving.n; /* by node */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->place->leaving.p[middle].node < node)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->place->leaving.n && s->place->leaving.p[from].node == node ? &s->place->leaving.p[from] : NULL;
}

static const struct graph_cycle *cycle_of_variable(const struct fact_source *s, graph_id named)
{
    const struct place_leaving *l = leaving_of(s, named);
    return l && s->g->cycles ? &s->g->cycles->cycles.p[l->cycle] : NULL;
}

/* Told as an older value, or written out: the variable's line is that of its step. */
static bool is_told_apart(const struct fact_source *s, graph_id node)
{
    const struct place_leaving *l = leaving_of(s, node);
    return l && (l->before || l->came_in || l->chosen);
}

/* The block that makes a node; `other` where no instruction does. */
uint32_t fact_block_of(const struct fact_source *s, graph_id node, uint32_t other)
{
    uint32_t count;
    const struct place_value *v = place_value_of(s->place, node, NULL);
    if (v && v->node == node && v->accumulator && v->named != node) { /* what one turn makes of it */
        const struct graph_cycle *c = cycle_of_variable(s, v->named);
        if (c && c->pieces.n && c->pieces.p[c->best].block_count)
            return c->pieces.p[c->best].blocks[0];
    }
    if (v && v->node == node && v->evidence.n)
        return s->g->insns.p[v->evidence.p[0]].block;
    const uint32_t *defs = graph_defs_of(s->g, node, &count);
    return count ? s->g->insns.p[s->g->defs.p[defs[0]].insn].block : other;
}

/* What a line says of the variable is what each step of its loop does (graph_tells_step); else nothing is told. */
static bool tells_step(const struct fact_source *s, const struct place_value *v)
{
    const struct graph_cycle *c = cycle_of_variable(s, v->named);
    return !c || graph_tells_step(s->g, (uint32_t)(c - s->g->cycles->cycles.p), v->named, v->node);
}

/* The instance makes part of a straight piece's steps: it stands before the last of them ends. */
static bool is_in_stretch(const struct graph *g, const struct graph_piece *p, uint32_t insn)
{
    bool in = false, ends = false; /* a block that ends no step is a path of one */
    uint32_t block = g->insns.p[insn].block;
    for (uint32_t k = 0; k < p->block_count && !in; k++)
        in = p->blocks[k] == block;
    for (uint32_t k = 0; k < p->maker_count && p->makers && in; k++) {
        if (p->makers[k] >= insn)
            return true;
        ends |= g->insns.p[p->makers[k]].block == block;
    }
    return in && !ends;
}

static bool is_in_a_stretch(const struct fact_source *s, graph_id node)
{
    const struct graph_cycles *all = s->g->cycles;
    uint32_t block = fact_block_of(s, node, UINT32_MAX);
    uint32_t of = block != UINT32_MAX && all ? all->cycle_of[block] : 0;
    for (size_t i = 0; of && i < all->cycles.p[of - 1].pieces.n; i++) {
        const struct graph_piece *p = &all->cycles.p[of - 1].pieces.p[i];
        for (uint32_t k = 0; k < p->block_count && p->straight; k++)
            if (p->blocks[k] == block)
                return true;
    }
    return false;
}

/* Made in a turn of several steps, or a stretch of them: what one of them does is no other's. */
static bool is_of_several(const struct fact_source *s, graph_id node, uint32_t block)
{
    const struct graph *g = s->g;
    uint32_t count;
    const uint32_t *defs = graph_defs_of(g, node, &count);
    uint32_t insn = count ? g->defs.p[defs[0]].insn : UINT32_MAX;
    uint32_t made = count ? g->insns.p[insn].block : UINT32_MAX;
    uint32_t of = made != UINT32_MAX && g->cycles ? g->cycles->cycle_of[made] : 0;
    if (!of || (block != UINT32_MAX && g->cycles->cycle_of[block] == of))
        return false;
    const struct graph_cycle *c = &g->cycles->cycles.p[of - 1];
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct graph_piece *p = &c->pieces.p[i];
        if (p->straight ? c->pieces.n > 1 && is_in_stretch(g, p, insn) : p->loop + 1 == g->blocks.p[made].loop)
            return p->straight || (p->unroll > 1 && !c->whole);
    }
    return false;
}

/* The store stands in the loop the variable goes round. */
static bool is_in_its_loop(const struct fact_source *s, const struct place_value *v, uint32_t block)
{
    const struct graph_cycles *cycles = s->g->cycles;
    const struct graph_cycle *c = cycle_of_variable(s, v->named);
    int32_t at = c && cycles->cycle_of ? (int32_t)cycles->cycle_of[block] - 1 : -1;
    while (at >= 0 && &cycles->cycles.p[at] != c)
        at = cycles->cycles.p[at].parent;
    return at >= 0;
}

enum { CHAIN_LINES = 40, CHAIN_NODES = 512 };

struct chain { /* the nearest values a node is computed from */
    graph_id node[CHAIN_LINES];
    struct map_u64 as;     /* step of a variable -> the node of it that what is told reads; NIL: several */
    struct map_u64 hidden; /* nodes that are told as something nobody knows */
    struct map_u64
        begins; /* step of a variable -> what it begins with, where another loop has made that; NIL: several */
    uint32_t count;
    bool more;
};

/* The id a node has a line of its own under: its own, or the variable's that it is the step of; NULL: none. */
static const char *line_id(const struct fact_source *s, graph_id node)
{
    uint32_t index;
    const struct place_value *v = place_value_of(s->place, node, &index);
    if (graph_at(s->g, node)->kind == UOP_ELEMENT)
        return NULL;
    if (v && v->accumulator && v->named != v->node)
        return node == v->node ? s->mean->value_ids.p[index] : NULL;
    return map_u64_get(&s->mean->value_of, node, &index) ? s->mean->value_ids.p[index] : NULL;
}

static bool has_id(const struct fact_source *s, graph_id node)
{
    uint32_t index;
    return map_u64_get(&s->mean->variables, node, &index) || map_u64_get(&s->mean->value_of, node, &index);
}

/* A load whose element says too little (mean_part_loads). */
static bool stands_as_id(const struct fact_source *s, graph_id node)
{
    return graph_at(s->g, node)->kind == UOP_LOAD && map_u64_get(&s->mean->variables, node, NULL) && line_id(s, node);
}

static bool chain_adds(struct fact_source *s, struct chain *c, graph_id node)
{
    if (!line_id(s, node))
        return true;
    if (c->count == CHAIN_LINES) {
        c->more = true;
        return false;
    }
    c->node[c->count++] = node;
    return true;
}

static void reads_variable(struct arena *a, struct chain *c, const struct place_value *v, graph_id as)
{
    uint32_t known;
    map_u64_put(a, &c->as, v->node, map_u64_get(&c->as, v->node, &known) && known != as ? (graph_id)GRAPH_NIL : as);
}

/* Some variable of another loop is looked at. */
static bool looks_at_other(const struct fact_source *s, const struct place_value *v, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(s->g, id);
    const struct place_value *of = place_value_of(s->place, id, NULL);
    if (of && of != v && of->accumulator && of->named != of->node)
        return true;
    bool phi = n->kind == GRAPH_PHI && !graph_is_loop_phi(s->g, id);
    uint32_t count = phi ? n->phi_count : n->kind == UOP_LOAD ? 0 : n->arg_count;
    for (uint32_t k = 0; k < count && depth < 6; k++)
        if (looks_at_other(s, v, phi ? n->phi_args[k] : n->arg[k], depth + 1))
            return true;
    return false;
}

/* What a variable is before the first step, behind all that paths and pieces make of it: NIL where that has nothing
 * to do with other loops. *several: it is one of several. */
static graph_id begins_with(const struct fact_source *s, const struct place_value *v, bool *several)
{
    enum { WAYS = 48 };
    const struct graph *g = s->g;
    graph_id way[WAYS], found = GRAPH_NIL;
    unsigned n = 0;
    bool other = false;
    *several = false;
    way[n++] = v->named;
    for (unsigned at = 0; at < n; at++) {
        const struct graph_node *x = graph_at(g, way[at]);
        bool phi = x->kind == GRAPH_PHI, own = place_value_of(s->place, way[at], NULL) == v;
        const graph_id *args = phi ? x->phi_args : x->arg + 1;
        uint32_t count = phi ? x->phi_count : x->kind == UOP_SELECT ? 2 : 0;
        bool merges = own && count > 0 && (graph_is_loop_phi(g, way[at]) || way[at] != v->node);
        for (uint32_t k = 0; k < count && !own && !graph_is_loop_phi(g, way[at]); k++) /* past the loop, or behind it */
            merges |= place_value_of(s->place, args[k], NULL) == v;
        if (own && !merges)
            continue; /* a step */
        if (!own && !merges) {
            *several |= found != GRAPH_NIL && found != way[at];
            found = way[at];
            other |= looks_at_other(s, v, found, 0);
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            bool known = args[k] == GRAPH_NIL;
            for (unsigned i = 0; i < n && !known; i++)
                known = way[i] == args[k];
            *several |= !known && n == WAYS;
            if (!known && n < WAYS)
                way[n++] = args[k];
        }
    }
    return other ? found : (graph_id)GRAPH_NIL;
}

/* Breadth first, so that the nearest come first; loads are written as elements and need no line of their own, but what
 * their index is made of may. */
static void chain_collect(struct fact_source *s, struct arena *a, graph_id root, uint32_t block, struct chain *c)
{
    graph_id *queue = ARENA_ARRAY(a, graph_id, CHAIN_NODES);
    uint32_t *made = ARENA_ARRAY(a, uint32_t, CHAIN_NODES); /* in which block, or its reader; UINT32_MAX: in none */
    bool *of_step = ARENA_ARRAY(a, bool, CHAIN_NODES);      /* within what is told of a variable's step */
    struct map_u64 seen = {0};
    uint32_t head = 0, tail = 0;
    if (!queue || !made || !of_step)
        return;
    made[tail] = UINT32_MAX;
    queue[tail++] = root;
    map_u64_put(a, &seen, root, 0);
    const struct place_value *own = place_value_of(s->place, root, NULL);
    if (own && own->accumulator && own->named != own->node && own->node != root) { /* told by its step */
        made[tail] = UINT32_MAX;
        queue[tail++] = own->node;
        map_u64_put(a, &seen, own->node, 0);
    }
    while (head < tail && !c->more) {
        uint32_t by = fact_block_of(s, queue[head], made[head]);
        bool within = of_step[head];
        graph_id at = queue[head++], told = graph_step_told(s->g, at);
        const struct place_value *is = place_value_of(s->place, at, NULL);
        const struct graph_node *n = graph_at(s->g, graph_reads(s->g, at) != GRAPH_NIL ? graph_reads(s->g, at) : told);
        bool variable = is && is->accumulator && is->named != is->node && at == is->node;
        bool hides = variable ? !tells_step(s, is) : at != root && !within && is_of_several(s, at, block);
        bool several = false;
        graph_id begins = variable ? begins_with(s, is, &several) : (graph_id)GRAPH_NIL;
        if (hides)
            map_u64_put(a, &c->hidden, at, 0);
        if (begins != GRAPH_NIL)
            map_u64_put(a, &c->begins, at, several ? (graph_id)GRAPH_NIL : begins);
        bool element = graph_at(s->g, at)->kind == UOP_LOAD && !stands_as_id(s, at); /* only its index is told */
        if (at != root && !element && !chain_adds(s, c, at))
            return;
        uint32_t args = hides ? 0 : n->arg_count;
        for (uint32_t i = 0; i < args + (begins != GRAPH_NIL); i++) {
            graph_id next = i < args ? n->arg[i] : begins;
            uint32_t index;
            const struct place_value *v = place_value_of(s->place, next, &index);
            bool inside = v && (is == v || (by != UINT32_MAX && is_in_its_loop(s, v, by)));
            bool part = inside && next != v->node && next != v->named && !has_id(s, next); /* of a step, written out */
            if (v && v->accumulator && v->named != v->node && !part) {
                /* Within the loop it reads what is old there. */
                if (!is_told_apart(s, next) && place_value_of(s->place, at, NULL) != v &&
                    (by == UINT32_MAX || !is_in_its_loop(s, v, by)))
                    reads_variable(a, c, v, next);
                next = v->node; /* whatever paths make of it: the step that makes it */
            }
            const struct graph_node *arg = graph_at(s->g, next);
            if (arg->kind == GRAPH_PHI || map_u64_get(&seen, next, NULL))
                continue;
            if (tail == CHAIN_NODES) {
                c->more = true;
                return;
            }
            map_u64_put(a, &seen, next, 0);
            made[tail] = by;
            of_step[tail] = within || variable;
            queue[tail++] = next;
        }
    }
}

static int by_number(const void *p, const void *q)
{
    uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    return a < b ? -1 : a > b;
}

/* What a line says of a node: of a variable's step that a turn may leave the loop before, the old value too. */
static graph_id line_node(const struct fact_source *s, graph_id node)
{
    struct graph *g = s->g;
    uint32_t count;
    const struct place_value *v = place_value_of(s->place, node, NULL);
    const uint32_t *defs = graph_defs_of(g, node, &count);
    const struct graph_cycle *c = v && v->node == node && v->accumulator ? cycle_of_variable(s, v->named) : NULL;
    unsigned bits = uop_type_bits((enum uop_type)graph_at(g, node)->type);
    if (!c || !count || uop_type_bits((enum uop_type)graph_at(g, v->named)->type) != bits)
        return node;
    const struct graph_insn *makes = &g->insns.p[g->defs.p[defs[0]].insn];
    const struct graph_piece *best = &c->pieces.p[c->best];
    if (best->straight || g->blocks.p[makes->block].loop != best->loop + 1 || makes->runs_when == GRAPH_NIL)
        return node;
    graph_id path = g->blocks.p[g->loops.p[best->loop].header].path;
    graph_id when = path == GRAPH_NIL ? makes->runs_when : graph_assume(g, makes->runs_when, path);
    if (graph_is_const(g, when, NULL) || when == GRAPH_NIL)
        return node;
    return graph_op3(g, UOP_SELECT, (enum uop_type)graph_at(g, node)->type, when, node, v->named);
}

/* The condition under which `node`, what leaves the loop, is the variable's new value and not the old one. Values the
 * loop starts with stand aside: the loop is not come to then. NIL: something else leaves. */
static graph_id leaves_new(struct fact_source *s, const struct place_value *v, graph_id node, unsigned *steps)
{
    struct graph *g = s->g;
    const struct graph_node n = *graph_at(g, node);
    if (node == v->node || node == v->named)
        return node == v->node ? graph_true(g) : graph_false(g);
    if (n.kind != UOP_SELECT || ++*steps > 16)
        return GRAPH_NIL;
    graph_id then = n.arg[1], other = n.arg[2]; /* UOP_SWAPPED is for readers only */
    if (place_value_of(s->place, then, NULL) != v || place_value_of(s->place, other, NULL) != v)
        return place_value_of(s->place, then, NULL) == v    ? leaves_new(s, v, then, steps)
               : place_value_of(s->place, other, NULL) == v ? leaves_new(s, v, other, steps)
                                                            : (graph_id)GRAPH_NIL;
    graph_id a = leaves_new(s, v, then, steps), b = leaves_new(s, v, other, steps);
    if (a == GRAPH_NIL || b == GRAPH_NIL)
        return GRAPH_NIL;
    return graph_or(g, graph_and(g, n.arg[0], a), graph_and(g, graph_not(g, n.arg[0]), b));
}

/* What one turn makes of a variable of which `left` is told behind the loop: the step where another turn follows or the
 * new value leaves, else the old value, as a way out between the sum and its keeping leaves it. */
static graph_id line_behind(struct fact_source *s, const struct place_value *v, graph_id left)
{
    struct graph *g = s->g;
    const struct graph_cycle *c = cycle_of_variable(s, v->named);
    unsigned steps = 0;
    graph_id leaves = !c || c->pieces.p[c->best].straight ? (graph_id)GRAPH_NIL : leaves_new(s, v, left, &steps);
    if (leaves == graph_true(g))
        return v->node;
    graph_id round =
        leaves == GRAPH_NIL ? (graph_id)GRAPH_NIL : graph_goes_round(g, (uint32_t)c->pieces.p[c->best].loop);
    const struct graph_block *header =
        leaves == GRAPH_NIL ? NULL : &g->blocks.p[g->loops.p[c->pieces.p[c->best].loop].header];
    if (!header || round == GRAPH_NIL || header->pred_count != 2 ||
        uop_type_bits((enum uop_type)graph_at(g, v->node)->type) !=
            uop_type_bits((enum uop_type)graph_at(g, v->named)->type))
        return line_node(s, v->node);
    graph_id kept = graph_or(g, round, leaves);
    if (kept == graph_true(g))
        return v->node;
    return graph_op3(g, UOP_SELECT, (enum uop_type)graph_at(g, v->node)->type, kept, v->node, v->named);
}

/* A variable as a store has it: its id, or what says that an older value leaves the loop. */
static const char *variable_text(struct fact_source *s, graph_id node, uint32_t index)
{
    const char *text = mean_expr(s->mean, node, fact_float_type(mean_type(s->mean, node)), MEAN_INNER);
    const char *id = s->mean->value_ids.p[index];
    size_t n = strlen(id);
    return strncmp(text, id, n) == 0 && (text[n] == '\0' || text[n] == '_') && !strchr(text, ' ') ? text : id;
}

/* The step of which `node`, stored in the loop, is a copy in another piece: one turn is told, and what it stores. */
static graph_id told_step(struct fact_source *s, graph_id node, uint32_t block)
{
    uint32_t index;
    const struct place_value *v = place_value_of(s->place, node, &index);
    if (!v || !v->accumulator || v->named == v->node || !is_in_its_loop(s, v, block))
        return node;
    const char *text = mean_expr(s->mean, node, UOP_VOID, MEAN_INNER), *id = s->mean->value_ids.p[index];
    size_t n = strlen(id);
    bool numbered = strncmp(text, id, n) == 0 && text[n] == '_' && text[n + 1] >= '0' && text[n + 1] <= '9';
    return numbered && text[n + 1 + strspn(text + n + 1, "0123456789")] == '\0' ? v->node : node;
}

static void chain_ends_with(struct chain *c, graph_id node)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->node[i] == node)
            return;
    if (c->count < CHAIN_LINES)
        c->node[c->count++] = node;
}

/* Lines that the definition of a node looks at, as bits of the chain. */
static uint64_t lines_read(const struct fact_source *s, const struct chain *c, graph_id node)
{
    enum { LOOK = 256 };
    graph_id way[LOOK];
    unsigned n = 0;
    uint64_t lines = 0;
    way[n++] = node;
    for (unsigned at = 0; at < n; at++) {
        graph_id is = at ? way[at] : graph_step_told(s->g, way[at]);
        const struct graph_node *x = graph_at(s->g, graph_reads(s->g, is) != GRAPH_NIL ? graph_reads(s->g, is) : is);
        for (uint32_t k = 0; k < x->arg_count && x->kind != UOP_LOAD; k++) {
            const struct place_value *v = place_value_of(s->place, x->arg[k], NULL);
            graph_id next = v && v->accumulator && v->named != v->node ? v->node : x->arg[k];
            uint32_t line = 0;
            bool known = false;
            while (line < c->count && c->node[line] != next)
                line++;
            lines |= line < c->count ? UINT64_C(1) << line : 0;
            for (unsigned i = 0; i < n && !known && line == c->count; i++)
                known = way[i] == next;
            if (!known && line == c->count && n < LOOK)
                way[n++] = next;
        }
    }
    return lines;
}

/* A node is made in a loop of the machine's that the variable goes round. */
static bool goes_round_with(const struct fact_source *s, graph_id node, graph_id step)
{
    const struct graph *g = s->g;
    const struct graph_cycle *c = cycle_of_variable(s, place_value_of(s->place, step, NULL)->named);
    uint32_t block = fact_block_of(s, node, UINT32_MAX);
    for (uint32_t l = block == UINT32_MAX ? 0 : g->blocks.p[block].loop; l && c; l = g->loops.p[l - 1].parent)
        for (size_t i = 0; i < c->pieces.n; i++)
            if (!c->pieces.p[i].straight && c->pieces.p[i].loop + 1 == l)
                return true;
    return false;
}

/* Lines are read one after the other: each behind those it looks at, and a variable gets its new value behind the lines
 * of its loop that look at the old. */
static void order_lines(const struct fact_source *s, struct chain *c)
{
    uint64_t reads[CHAIN_LINES] = {0}, needs[CHAIN_LINES], behind[CHAIN_LINES] = {0};
    graph_id sorted[CHAIN_LINES];
    bool update[CHAIN_LINES];
    for (uint32_t i = 0; i < c->count; i++) {
        const struct place_value *v = place_value_of(s->place, c->node[i], NULL);
        update[i] = v && v->accumulator && v->named != v->node && c->node[i] == v->node;
        reads[i] = map_u64_get(&c->hidden, c->node[i], NULL) ? 0 : lines_read(s, c, c->node[i]);
    }
    memcpy(needs, reads, sizeof needs);
    for (uint32_t by = 0; by < c->count; by++) /* and what those look at */
        for (uint32_t i = 0; i < c->count; i++)
            needs[i] |= needs[i] >> by & 1 ? needs[by] : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t begins;
        if (!map_u64_get(&c->begins, c->node[i], &begins) || begins == GRAPH_NIL)
            continue;
        const struct place_value *of = place_value_of(s->place, begins, NULL);
        for (uint32_t k = 0; k < c->count; k++)
            reads[i] |= of && c->node[k] == of->node ? UINT64_C(1) << k : 0;
        reads[i] |= lines_read(s, c, begins);
    }
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            if (i == k || !(reads[i] >> k & 1))
                continue;
            /* In the loop, or on the way to the new value: the old one is meant. Of two new values either may stand
             * first: the other says which it takes. */
            bool old = update[k] && (needs[k] >> i & 1 || goes_round_with(s, c->node[i], c->node[k]));
            if (old && update[i])
                continue;
            behind[old ? k : i] |= UINT64_C(1) << (old ? i : k);
        }
    uint64_t done = 0;
    for (uint32_t at = 0; at < c->count; at++) {
        uint32_t next = c->count, first = c->count;
        for (uint32_t i = c->count; i-- > 0;) {
            if (done >> i & 1)
                continue;
            first = i;
            next = (behind[i] & ~done) == 0 ? i : next;
        }
        next = next == c->count ? first : next; /* two that look at each other's old values */
        sorted[at] = c->node[next];
        done |= UINT64_C(1) << next;
    }
    memcpy(c->node, sorted, c->count * sizeof sorted[0]);
}

/* As what a store takes a value: of a byte or half word that was loaded, its own bits are all that is stored. */
static enum uop_type stored_as(const struct fact_source *s, const struct graph_access *x, graph_id node)
{
    const struct graph_node *n = graph_at(s->g, node);
    enum uop_type taken = mean_stored_as(s->mean, x, node);
    if (taken != UOP_VOID)
        return taken;
    enum uop_type as = fact_float_type(mean_type(s->mean, node));
    bool own = as == UOP_VOID && x->width < 4 && n->kind == UOP_LOAD && n->width == x->width;
    return !own ? as : x->width == 1 ? UOP_B8 : UOP_B16;
}

/* The lines of `c` that give variables their new values were read (or are not read yet): in their loops all that is
 * told of the old ones says so. */
static void set_updated(struct fact_source *s, const struct chain *c, uint32_t block, bool updated)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct place_value *v = place_value_of(s->place, c->node[i], NULL);
        if (v && v->accumulator && v->named != v->node && (!updated || is_in_its_loop(s, v, block)))
            mean_set_updated(s->mean, v->named, updated);
    }
}

/* What a variable begins with, where words can say that. */
static const char *start_text(struct fact_source *s, graph_id begins, graph_id step)
{
    const char *text =
        begins == GRAPH_NIL ? NULL : mean_expr(s->mean, begins, fact_float_type(mean_type(s->mean, step)), MEAN_INNER);
    return !text || strstr(text, "phi(") || strstr(text, "…") || strchr(text, '?') == text ? "…" : text;
}

/* What the store `x` writes, and the same as real numbers. */
const char *fact_exact_text(struct arena *a, struct fact_source *s, graph_id node, const struct graph_access *x,
                            const char **real)
{
    uint32_t block = s->g->insns.p[x->insn].block;
    struct chain c = {.count = 0};
    struct strbuf b;
    str_init(&b, a);
    node = told_step(s, node, block);
    chain_collect(s, a, node, block, &c);
    uint32_t own;
    const struct place_value *root = place_value_of(s->place, node, &own);
    const struct place_leaving *leaves = leaving_of(s, node);
    bool variable = root && root->accumulator && root->named != root->node && !(leaves && leaves->chosen);
    bool loaded = !variable && stands_as_id(s, node);
    if (variable && !is_told_apart(s, node))
        reads_variable(a, &c, root, node);
    if (variable || loaded) /* a step, then the variable itself */
        chain_ends_with(&c, loaded ? node : root->node);
    qsort(c.node, c.count, sizeof c.node[0], by_number); /* arguments have smaller numbers than their users */
    order_lines(s, &c);
    if (c.more)
        str_add(&b, "…; ");
    for (uint32_t i = 0; i < c.count; i++) {
        const struct place_value *v = place_value_of(s->place, c.node[i], NULL);
        mean_look_from(s->mean, fact_block_of(s, c.node[i], block));
        uint32_t as = GRAPH_NIL, begins = GRAPH_NIL;
        if (map_u64_get(&c.begins, c.node[i], &begins))
            str_addf(&b, "%s = %s; ", line_id(s, c.node[i]), start_text(s, begins, c.node[i]));
        bool behind = map_u64_get(&c.as, c.node[i], &as) && as != GRAPH_NIL && v && !is_in_its_loop(s, v, block);
        graph_id told = graph_step_told(s->g, behind ? line_behind(s, v, as) : line_node(s, c.node[i]));
        const char *text =
            map_u64_get(&c.hidden, c.node[i], NULL)
                ? "…"
                : mean_definition(s->mean, told, fact_float_type(mean_type(s->mean, c.node[i])), MEAN_INNER);
        /* What a stretch finds is no turn's old value. */
        bool finds = !(v && c.node[i] == v->node && v->accumulator) && is_in_a_stretch(s, c.node[i]);
        str_addf(&b, "%s = %s; ", line_id(s, c.node[i]), finds && strstr(text, "_old") ? "…" : text);
        if (v && v->accumulator && v->named != v->node && c.node[i] == v->node)
            mean_set_updated(s->mean, v->named, true);
    }
    set_updated(s, &c, block, false);
    mean_look_from(s->mean, block);
    set_updated(s, &c, block, true);
    const char *last = variable ? variable_text(s, node, own)
                       : loaded ? line_id(s, node)
                                : mean_definition(s->mean, node, stored_as(s, x, node), MEAN_INNER);
    str_add(&b, mean_stored_text(s->mean, x, node, last));
    /* A variable is told by its id, as it has no written-out form. */
    *real = mean_stored_text(
        s->mean, x, node,
        variable || loaded ? last : pat_real_expr(s->mean, s->patterns, node, stored_as(s, x, node), MEAN_EXPANDED));
    set_updated(s, &c, block, false);
    return b.p;
}
