/* What a kernel does with each parameter. For a pointer: loads through it read, stores write,
 * atomics do both; if its value also goes where addresses cannot be followed (stored, passed on,
 * mixed into an address that is no sum) the answer is unknown. For any other parameter: read when
 * something uses it. */
#include "meaning/mean_internal.h"

static bool covers(const struct mean_param *p, const struct graph_node *n)
{
    unsigned bytes = uop_type_bits((enum uop_type)n->type) / 8;
    return n->kind == UOP_CBANK && n->space == 0 && n->imm < (uint64_t)p->constant_offset + p->size &&
           n->imm + bytes > p->constant_offset;
}

/* Whether a node that holds (part of) a pointer is only ever part of sums, of pointers that loops move and of choices
 * between pointers: addresses, which the accesses account for. False also when that takes too long to say. */
static bool stays_in_sums(const struct mean *m, graph_id from)
{
    enum { NODES = 512 };
    graph_id queue[NODES];
    struct map_u64 seen = {0};
    uint32_t head = 0, tail = 0, count;
    queue[tail++] = from;
    while (head < tail) {
        graph_id id = queue[head++];
        const graph_id *users = graph_users(m->g, id, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct graph_node *u = graph_at(m->g, users[i]);
            if (!mean_is_live(m, users[i]) || map_u64_get(&seen, users[i], NULL))
                continue; /* what a register held, looked at by nobody */
            switch (u->kind) {
            case UOP_LOAD:
            case UOP_ATOM:
                if (u->arg[0] != id)
                    return false;
                break;
            case UOP_ADD:
            case UOP_ADDC:
            case UOP_CARRY:
            case UOP_PAIR:
            case UOP_LO:
            case UOP_HI:
            case UOP_UNIFORM:
            case UOP_SELECT:
            case GRAPH_PHI:
                if (tail == NODES || !map_u64_put(m->a, &seen, users[i], 0))
                    return false;
                queue[tail++] = users[i];
                break;
            case UOP_IEQ:
            case UOP_ILT_S:
            case UOP_ILT_U:
            case GRAPH_BOOL: break;
            default: return false;
            }
        }
    }
    return true;
}

/* Whether a value is computed from the parameter; true also when that takes too long to say. */
static bool depends_on(const struct mean *m, graph_id id, const struct mean_param *p, unsigned *steps)
{
    const struct graph_node *n = graph_at(m->g, id);
    if (*steps == 0)
        return true;
    --*steps;
    if (covers(p, n))
        return true;
    if (n->kind == UOP_LOAD || n->kind == UOP_ELEMENT || n->kind == UOP_ATOM)
        return false; /* what memory holds came there by a store, which is_stored() looks at */
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count;
    for (uint32_t i = 0; i < count; i++)
        if (args[i] != GRAPH_NIL && (n->kind != GRAPH_PHI || args[i] < id) && depends_on(m, args[i], p, steps))
            return true;
    return false;
}

static bool is_stored(const struct mean *m, graph_id id)
{
    struct graph_affine f;
    for (uint32_t i = 0; i < m->g->accesses.n; i++) {
        const struct graph_access *x = &m->g->accesses.p[i];
        for (unsigned w = 0; w < 4 && x->kind != GRAPH_LOAD; w++)
            if (x->value[w] == id || (x->value[w] != GRAPH_NIL && graph_affine(m->g, x->value[w], &f) && f.base == id))
                return true;
    }
    return false;
}

/* The parameter that a pointer begins with which loops move on: however often it is carried round, whatever is added,
 * all it is made of is one array. -1: it is none such, or that takes too long to say. */
static int moved_array_of(const struct mean *m, graph_id address, enum uop_space space)
{
    enum { POINTERS = 32 };
    const struct graph *g = m->g;
    graph_id list[POINTERS] = {address};
    unsigned count = 1;
    int found = -1;
    for (unsigned i = 0; i < count; i++) {
        struct graph_affine f;
        graph_id pointer = GRAPH_NIL;
        int at = mean_array_of(m, list[i], space, &f);
        if (at >= 0) {
            if (found >= 0 && found != at)
                return -1;
            found = at;
            continue;
        }
        if (!graph_affine(g, list[i], &f) || f.base != GRAPH_NIL)
            return -1;
        for (unsigned t = 0; t < f.term_count; t++) {
            const struct graph_node *n = graph_at(g, f.terms[t].term);
            if (f.terms[t].extend || uop_type_bits((enum uop_type)n->type) != 64)
                continue;
            if (pointer != GRAPH_NIL || f.terms[t].coefficient != 1 || (n->kind != GRAPH_PHI && n->kind != UOP_SELECT))
                return -1;
            pointer = f.terms[t].term;
        }
        if (pointer == GRAPH_NIL)
            return -1;
        const struct graph_node *n = graph_at(g, pointer);
        bool phi = n->kind == GRAPH_PHI;
        for (uint32_t k = phi ? 0 : 1; k < (phi ? n->phi_count : 3); k++) {
            graph_id arg = phi ? n->phi_args[k] : n->arg[k];
            bool seen = arg == pointer;
            for (unsigned o = 0; o < count && !seen; o++)
                seen = list[o] == arg;
            if (!seen && count == POINTERS)
                return -1;
            if (!seen)
                list[count++] = arg;
        }
    }
    return found;
}

enum mean_access mean_param_access(struct mean *m, uint32_t param)
{
    const struct mean_param *p = &m->params[param];
    bool seen = false, reads = false, writes = false, unknown = false, other = false;
    struct mean_array declared;
    bool pointer = false;
    mean_declared(p->type, &declared, &pointer);
    bool may_point = p->size == 8 && (pointer || !p->type);
    for (graph_id id = 1; id < m->g->nodes.n; id++) {
        const struct graph_node *n = graph_at(m->g, id);
        if (n->kind == UOP_CBANK && n->arg_count > 0 && n->space == 0)
            other = true; /* read at a run-time index: any of them */
        if (!covers(p, n) || n->arg_count > 0)
            continue;
        uint32_t users, defs;
        graph_users(m->g, id, &users);
        const uint32_t *def = graph_defs_of(m->g, id, &defs);
        bool read = users > 0 || is_stored(m, id);
        for (uint32_t d = 0; d < defs; d++)
            read |= m->g->defs.p[def[d]].read;
        for (uint32_t i = 0; i < m->g->accesses.n && !read; i++)
            read = m->g->accesses.p[i].address == id;
        if (!read)
            continue;
        seen = true;
        if (p->size == 8)
            unknown |= !stays_in_sums(m, id) || is_stored(m, id);
    }
    for (uint32_t i = 0; i < m->g->accesses.n; i++) {
        const struct graph_access *x = &m->g->accesses.p[i];
        struct graph_affine f;
        enum { STEPS = 1000 };
        unsigned steps = STEPS;
        int at = mean_array_of(m, x->address, (enum uop_space)x->space, &f);
        bool other_space = x->space == UOP_SHARED || x->space == UOP_LOCAL;
        if (at < 0 && may_point && !other_space && x->address != GRAPH_NIL)
            at = moved_array_of(m, x->address, (enum uop_space)x->space);
        if (at < 0 && may_point && !other_space && x->address != GRAPH_NIL && depends_on(m, x->address, p, &steps))
            unknown = reads = true; /* an address that is no sum over it */
        if (at != (int)param)
            continue;
        reads |= x->kind != GRAPH_STORE;
        writes |= x->kind != GRAPH_LOAD;
    }
    bool is_pointer = pointer || reads || writes;
    if (m->g->incomplete) { /* something that was not understood may do the rest */
        if (reads && writes)
            return MEAN_READWRITE;
        return is_pointer || !seen ? MEAN_ACCESS_UNKNOWN : MEAN_READ;
    }
    if (is_pointer && unknown)
        return MEAN_ACCESS_UNKNOWN;
    if (reads || writes)
        return reads && writes ? MEAN_READWRITE : reads ? MEAN_READ : MEAN_WRITE;
    if (other)
        return MEAN_ACCESS_UNKNOWN;
    if (is_pointer)
        return MEAN_UNUSED; /* looked at, nothing done through it */
    return seen ? MEAN_READ : MEAN_UNUSED;
}
