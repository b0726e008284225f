/* Names for parts of indices too long for a line: where an element's index would be cut, the choices and quotients it
 * is made of, of thread and block numbers and parameters alone, become names of their own, the outermost ones. So where
 * a store goes is told, however the index was chosen.
 *
 * requires: the other names · gives: more of them, and nothing where no index is cut */
#include "meaning/mean_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES = 8, CONE = 256, LEAST_TEXT = 24 };

/* A choice, or what a division gives: the words of which are long, and a thing of its own to a reader. */
static bool may_be_named(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return (n->type == UOP_B32 || n->type == UOP_B64) && (n->kind == UOP_SELECT || graph_reads(g, id) != GRAPH_NIL);
}

/* Nothing in it is another at another time: no load, no phi, no update. */
static bool is_still(const struct graph *g, graph_id id, struct map_u64 *seen, struct arena *a, unsigned *steps)
{
    graph_id stack[CONE];
    unsigned depth = 0;
    stack[depth++] = id;
    while (depth) {
        const struct graph_node *n = graph_at(g, id = stack[--depth]);
        if (map_u64_get(seen, id, NULL))
            continue;
        if (++*steps > CONE || !map_u64_put(a, seen, id, 1))
            return false;
        if (n->kind == UOP_CONST || n->kind == UOP_SREG || (n->kind == UOP_CBANK && !n->arg_count))
            continue;
        if ((n->kind != GRAPH_BOOL && !uop_is_pure((enum uop_kind)n->kind)) || depth + n->arg_count > CONE)
            return false;
        for (unsigned k = 0; k < n->arg_count; k++)
            stack[depth++] = n->arg[k];
    }
    return true;
}

/* The outermost parts of an index that may have a name, none of them twice. */
static unsigned parts_of(const struct mean *m, graph_id address, graph_id found[NAMES])
{
    const struct graph *g = m->g;
    graph_id stack[CONE];
    unsigned depth = 0, count = 0, steps = 0;
    struct map_u64 met = {0};
    stack[depth++] = address;
    while (depth && ++steps < CONE) {
        graph_id id = stack[--depth];
        const struct graph_node *n = graph_at(g, id);
        if (map_u64_get(&met, id, NULL) || map_u64_get(&m->name_of, id, NULL))
            continue;
        if (!map_u64_put(m->a, &met, id, 1))
            return 0;
        struct map_u64 seen = {0};
        unsigned cost = 0;
        if (may_be_named(g, id) && is_still(g, id, &seen, m->a, &cost)) {
            if (count < NAMES)
                found[count++] = id;
            continue;
        }
        bool opens = uop_is_pure((enum uop_kind)n->kind) && n->type != UOP_B1;
        for (unsigned k = 0; k < n->arg_count && opens && depth < CONE; k++)
            stack[depth++] = n->arg[k];
    }
    return count;
}

static int by_number(const void *p, const void *q)
{
    graph_id a = *(const graph_id *)p, b = *(const graph_id *)q;
    return (a > b) - (a < b);
}

enum sp_status mean_name_long_parts(struct mean *m, unsigned *letter)
{
    graph_id list[NAMES];
    unsigned count = 0;
    for (uint32_t i = 0; i < m->g->accesses.n && count < NAMES; i++) {
        const struct graph_access x = m->g->accesses.p[i];
        struct graph_affine f;
        graph_id parts[NAMES];
        if (mean_array_of(m, x.address, (enum uop_space)x.space, &f) < 0)
            continue;
        const char *text = mean_element(m, x.address, (enum uop_space)x.space, x.width, true);
        if (!text || !strstr(text, "\xe2\x80\xa6"))
            continue;
        unsigned n = parts_of(m, x.address, parts);
        for (unsigned k = 0; k < n && count < NAMES; k++) {
            bool known = false;
            for (unsigned j = 0; j < count; j++)
                known |= list[j] == parts[k];
            const char *own = known ? NULL : mean_text_of(m, parts[k], UOP_B32, MEAN_EXPANDED, 0).p;
            if (own && strlen(own) >= LEAST_TEXT)
                list[count++] = parts[k];
        }
    }
    if (!count)
        return arena_failed(m->a) ? SP_ERR_MEMORY : SP_OK;
    qsort(list, count, sizeof list[0], by_number);
    for (unsigned k = 0; k < count; k++) {
        const char *text = mean_text_define(m, list[k], UOP_B32, MEAN_EXPANDED, 0).p;
        if (!text || !mean_give_name(m, list[k], mean_next_letter(m, letter), mean_shorten(m, text)))
            return SP_ERR_MEMORY;
    }
    mean_forget_texts(m);
    return arena_failed(m->a) ? SP_ERR_MEMORY : SP_OK;
}
