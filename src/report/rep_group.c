/* Groups records of one source line in one loop of the source whose body stands more than once.
 *
 * Two stores go together when they lie in pieces of the same unrolled loop, come from the same source line and write
 * the same array; accesses when the words for them are the same; rewrites when kind, reason and witness are; two
 * patterns when they also have the same page and variant, the same confidence, and parents that go together. The piece
 * with the smallest unroll gives the representative: its expressions are the shortest. Without a line table nothing is
 * grouped. requires: loops with pieces · gives: an index a record */
#include "report/rep_group.h"

#include "report/rep_sections.h"

#include "base/map.h"
#include "base/str.h"
#include "facts/fact_words.h"

enum {
    BUDGET = 10000000, /* records times loops */
    RANGES = 3,        /* of numbers, listed */
};

struct place {
    const struct fact_loop *loop; /* innermost loop of the source that holds it; NULL: none that was copied */
    uint32_t unroll;              /* of its piece */
};

static struct place place_of(const struct fact_kernel *k, uint32_t offset)
{
    struct place found = {NULL, 0};
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < k->loops.n; i++) {
        const struct fact_loop *loop = &k->loops.p[i];
        if (offset < loop->from || offset > loop->to || loop->to - loop->from > smallest)
            continue;
        for (uint32_t p = 0; p < loop->piece_count; p++)
            if (loop->pieces[p].from <= offset && offset <= loop->pieces[p].to) {
                smallest = loop->to - loop->from;
                found = (struct place){loop, loop->pieces[p].unroll};
            }
    }
    if (found.loop && found.loop->piece_count < 2 && found.loop->unroll < 2)
        found.loop = NULL;
    return found;
}

/* "3 0:12 " and so on: loop, file and line; NULL when the offset is no copy of anything. */
static const char *key_of(struct arena *a, const struct fact_kernel *k, uint32_t offset, uint32_t *unroll)
{
    const struct fact_instruction *in = fact_instruction_at(k, offset);
    struct place at = place_of(k, offset);
    *unroll = at.unroll;
    if (!at.loop || !in || in->line == FACT_NONE)
        return NULL;
    return rep_format(a, "%u %d:%d ", at.loop->id, in->file, in->line);
}

struct group {
    uint32_t lead, unroll;
};

struct groups {
    struct arena *a;
    struct map_str known;
    VEC(struct group) list;
};

/* The group of that key, with record i as its representative where it is the better one. */
static uint32_t join(struct groups *g, const char *key, uint32_t i, uint32_t unroll)
{
    uint32_t at;
    if (!map_str_get(&g->known, key, &at)) {
        at = (uint32_t)g->list.n;
        VEC_PUSH(g->a, g->list, ((struct group){i, unroll}));
        map_str_put(g->a, &g->known, key, at);
    } else if (unroll < g->list.p[at].unroll) {
        g->list.p[at] = (struct group){i, unroll};
    }
    return at;
}

/* Where a record of a list stands, and what else records that go together agree in. */
typedef const char *(*describe)(struct arena *a, const struct fact_kernel *k, uint32_t i, uint32_t *offset);

static const uint32_t *group_list(struct arena *a, const struct fact_kernel *k, size_t n, describe what)
{
    struct groups g = {.a = a};
    uint32_t *lead = ARENA_ARRAY(a, uint32_t, n), *group = ARENA_ARRAY(a, uint32_t, n);
    if (!lead || !group || n < 2 || n * k->loops.n > BUDGET)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t unroll, offset;
        const char *agrees = what(a, k, i, &offset), *key = agrees ? key_of(a, k, offset, &unroll) : NULL;
        group[i] = join(&g, key ? rep_format(a, "%s%s", key, agrees) : rep_format(a, "%u", i), i, key ? unroll : 0);
    }
    if (arena_failed(a))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        lead[i] = g.list.p[group[i]].lead;
    return lead;
}

/* The array it writes; those without a name agree. */
static const char *describe_output(struct arena *a, const struct fact_kernel *k, uint32_t i, uint32_t *offset)
{
    const struct fact_output *o = &k->outputs.p[i];
    const char *address = o->address ? o->address : "", *end = address;
    *offset = o->store;
    while (*end && *end != '[')
        end++;
    return *address != '&' || address[1] == '(' ? "?" : rep_format(a, "%.*s", (int)(end - address), address);
}

static const char *describe_rewrite(struct arena *a, const struct fact_kernel *k, uint32_t i, uint32_t *offset)
{
    const struct fact_rewrite *r = &k->rewrites.p[i];
    if (r->sass.n == 0)
        return NULL;
    *offset = r->sass.p[r->sass.n - 1];
    return rep_format(a, "%s %d %s %d", rep_rewrite(a, r), (int)r->stage, fact_witness_text(a, r), (int)r->confidence);
}

static const char *describe_access(struct arena *a, const struct fact_kernel *k, uint32_t i, uint32_t *offset)
{
    const struct fact_access *x = &k->accesses.p[i];
    const struct fact_instruction *in = fact_instruction_at(k, x->offset);
    *offset = x->offset;
    return rep_format(a, "%s %u %d %s", fact_where_text(x->space), x->bytes, in ? (int)in->role : -1,
                      rep_access_words(a, x));
}

const uint32_t *rep_group_outputs(struct arena *a, const struct fact_kernel *k)
{
    return group_list(a, k, k->outputs.n, describe_output);
}

const uint32_t *rep_group_rewrites(struct arena *a, const struct fact_kernel *k)
{
    return group_list(a, k, k->rewrites.n, describe_rewrite);
}

const uint32_t *rep_group_accesses(struct arena *a, const struct fact_kernel *k)
{
    return group_list(a, k, k->accesses.n, describe_access);
}

/* Where a pattern stands: its last instruction, which gives the value. */
static const char *pattern_key(struct arena *a, const struct fact_kernel *k, const struct fact_pattern *p,
                               uint32_t *unroll)
{
    return p->offsets.n ? key_of(a, k, p->offsets.p[p->offsets.n - 1], unroll) : NULL;
}

/* How many parts with that page and variant the pattern's parent had before it. */
static uint32_t ordinal_of(struct groups *g, struct map_str *counts, const struct fact_pattern *p)
{
    uint32_t n = 0;
    const char *key = rep_format(g->a, "%d %s", (int)p->parent, rep_or_dash(p->rule));
    map_str_get(counts, key, &n);
    map_str_put(g->a, counts, key, n + 1);
    return n;
}

const uint32_t *rep_group_patterns(struct arena *a, const struct rep_note *n)
{
    enum { DEPTHS = 6 }; /* deeper parts are grouped with nothing */
    const struct fact_kernel *k = n->k;
    struct groups g = {.a = a};
    struct map_str counts = {0};
    uint32_t *lead = ARENA_ARRAY(a, uint32_t, k->patterns.n), *group = ARENA_ARRAY(a, uint32_t, k->patterns.n);
    uint32_t *members = ARENA_ARRAY(a, uint32_t, k->patterns.n + 1); /* of a group */
    if (!lead || !group || !members || k->patterns.n < 2 || k->patterns.n * k->loops.n > BUDGET)
        return NULL;
    for (uint32_t i = 0; i < k->patterns.n; i++)
        lead[i] = i;
    for (uint32_t depth = 0; depth < DEPTHS; depth++) { /* wholes are settled before their parts */
        REP_EACH(n, REP_PATTERN, s, number)
        {
            uint32_t i = s->index, unroll = 0;
            const struct fact_pattern *p = &k->patterns.p[i];
            if (s->depth != depth)
                continue;
            bool part = depth > 0 && p->parent >= 0 && (size_t)p->parent < k->patterns.n;
            const char *key = pattern_key(a, k, p, &unroll);
            /* Of several wholes the first parts go together, and the second ones; in one whole all copies of a part. */
            bool copied = part && members[group[p->parent]] > 1;
            if (key && part)
                key = rep_format(a, "%s%s %s %d %u %u", key, rep_or_dash(p->id), rep_or_dash(p->rule),
                                 (int)p->confidence, group[p->parent], copied ? ordinal_of(&g, &counts, p) : 0);
            else if (key)
                key = rep_format(a, "%s%s %s %d", key, rep_or_dash(p->id), rep_or_dash(p->rule), (int)p->confidence);
            else
                key = rep_format(a, "%u", i);
            /* A part stands for the others under the whole that stands for the other wholes. */
            if (part && g.list.p[group[p->parent]].lead != (uint32_t)p->parent)
                unroll = UINT32_MAX;
            group[i] = join(&g, key, i, unroll);
            members[group[i]]++;
        }
        if (arena_failed(a))
            return NULL;
        REP_EACH(n, REP_PATTERN, s, number)
        {
            if (s->depth == depth)
                lead[s->index] = g.list.p[group[s->index]].lead;
        }
    }
    return lead;
}

const char *rep_group_others(struct rep_page *p, const struct rep_note *n, enum rep_kind kind, const uint32_t *leads,
                             uint32_t lead, uint32_t offset)
{
    const struct fact_instruction *in = fact_instruction_at(n->k, offset);
    struct strbuf b;
    uint32_t count = 0, from = 0, to = 0, ranges = 0, last = 0;
    str_init(&b, p->a);
    struct place at = place_of(n->k, offset);
    if (!leads || !at.loop)
        return b.p;
    uint32_t first = n->plan->kernel_first.p[n->kernel], end = n->plan->kernel_first.p[n->kernel + 1];
    for (uint32_t x = first; x <= end; x++) {
        const struct rep_statement *s = x < end ? &n->plan->list.p[x] : NULL;
        bool same = s && (s->kind == kind || (kind == REP_OUTPUT && s->kind == REP_DIFFERS));
        bool other = same && leads[s->index] == lead && s->index != lead;
        count += other && s->kind == kind;
        last = other ? x + 1 : last;
        if (other && from && to == x) { /* the number before was one, too */
            to = x + 1;
            continue;
        }
        if (from && ranges++ < RANGES)
            str_addf(&b, "%s[%u]%s", b.n ? ", " : "", from, to > from ? rep_format(p->a, "–[%u]", to) : "");
        from = to = other ? x + 1 : 0;
    }
    if (ranges > RANGES)
        str_addf(&b, " … [%u]", last);
    if (count == 0)
        return "";
    return rep_format(p->a, "and %u more of source line %d in loop %u: %s", count, in ? in->line : 0, at.loop->id, b.p);
}
