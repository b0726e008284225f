/* What local memory is used for: registers that were put away, an array of the thread, or a variable that has to lie in
 * memory (somebody takes its address, the compiler keeps it there, a call convention saves a register).
 *
 * Places of the frame are told by their bytes: accesses at constant distances from the stack pointer whose bytes meet
 * are one place. It is a slot for a register when all of them have the same bytes, some store and some load are there,
 * every load brings back what one of its stores put there for certain, no access with an index may come there, and its
 * address is not handed on, neither as a value nor by being another function's place too. Where an index may come the
 * place belongs to an array. Where the compiler recorded its spills, that record decides instead, but for
 * registers that a function keeps for its caller, of which there is no record.
 *
 * requires: accesses, dependence where it was found · gives: enum place_local of each access */
#include "graph/graph_depend.h"
#include "place/place.h"

#include <stdlib.h>

enum { DEPTH = 8 };

struct cell { /* one access at a constant place */
    int64_t from;
    uint32_t width, access;
};

struct frame {
    struct arena *a;
    const struct graph *g;
    uint8_t *kind; /* of each access */
    bool *fixed;   /* of each access: at a constant place */
    VEC(struct cell) cells;
    bool *saves;       /* of each access: of a function, at its own place, of a register that the caller left so */
    int64_t handed_on; /* the lowest place whose address is handed on, INT64_MAX: none */
};

static bool is_stack(const struct graph *g, graph_id id)
{
    const struct graph_node *n = graph_at(g, id);
    return id != GRAPH_NIL && n->kind == UOP_CBANK && n->space == 0 && g->env->stack_offset &&
           n->imm == g->env->stack_offset;
}

static bool is_fixed(const struct graph *g, graph_id address, int64_t *at)
{
    struct graph_affine f;
    if (address == GRAPH_NIL || !graph_affine(g, address, &f) || !is_stack(g, f.base) || f.term_count)
        return false;
    *at = f.offset;
    return true;
}

/* The stack pointer where calls that are not seen through leave it unknown: paths' choices of it and of what they
 * left. `left`: what a call left is among them; without, a choice between places is an index of the run. */
static bool is_moved_stack(const struct graph *g, graph_id id, unsigned depth, bool *left)
{
    const struct graph_node *n = graph_at(g, id);
    const graph_id *args = n->kind == GRAPH_PHI ? n->phi_args : n->arg;
    uint32_t count = n->kind == GRAPH_PHI ? n->phi_count : n->arg_count, first = n->kind == UOP_SELECT;
    if (n->kind == UOP_CONST || n->kind == UOP_UNDEF || n->kind == GRAPH_ENTRY)
        return true;
    *left |= n->kind == GRAPH_RESULT;
    if (n->kind == GRAPH_RESULT || is_stack(g, id))
        return true;
    if (depth > DEPTH || (n->kind != GRAPH_PHI && n->kind != UOP_SELECT && n->kind != UOP_ADD))
        return false;
    unsigned moving = 0;
    for (uint32_t k = first; k < count; k++) {
        if (n->kind == UOP_ADD && !graph_is_const(g, args[k], NULL) && moving++)
            return false;
        if (args[k] != id && !(n->kind == GRAPH_PHI && depth && graph_is_loop_phi(g, id)) &&
            !is_moved_stack(g, args[k], depth + 1, left))
            return false;
    }
    return true;
}

/* Some register holds the generic address of the place, or of what begins there. */
static void find_handed_on(struct frame *f)
{
    const struct graph *g = f->g;
    for (size_t i = 0; i < g->defs.n && g->env->local_window; i++) {
        graph_id of[2] = {g->defs.p[i].node, g->defs.p[i].wide};
        for (unsigned k = 0; k < 2; k++) {
            struct graph_affine sum;
            bool stack = false, window = false;
            if (of[k] == GRAPH_NIL || !graph_affine(g, of[k], &sum))
                continue;
            stack = is_stack(g, sum.base);
            for (unsigned t = 0; t < sum.term_count; t++) {
                const struct graph_node *n = graph_at(g, sum.terms[t].term);
                stack |= is_stack(g, sum.terms[t].term);
                window |= n->kind == UOP_CBANK && n->space == 0 && n->imm == g->env->local_window;
                if (n->kind == UOP_LO && graph_at(g, n->arg[0])->kind == UOP_CBANK)
                    window |= graph_at(g, n->arg[0])->imm == g->env->local_window;
            }
            if (stack && window && sum.offset < f->handed_on)
                f->handed_on = sum.offset;
        }
    }
}

static int by_place(const void *p, const void *q)
{
    const struct cell *a = p, *b = q;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->access < b->access ? -1 : a->access > b->access;
}

/* What may meet the access: 1 it reads a store at a constant place for certain; 2 an index may come there; 4 perhaps
 * another; 8 it is read back behind a call. */
static uint8_t *find_meetings(struct frame *f)
{
    const struct graph *g = f->g;
    const struct graph_dependence *dep = g->dependence;
    uint8_t *meets = ARENA_ARRAY(f->a, uint8_t, g->accesses.n + 1);
    for (size_t i = 0; meets && i < g->accesses.n; i++)
        if (g->accesses.p[i].kind == GRAPH_LOAD && g->accesses.p[i].from_store >= 0)
            meets[i] |= 1;
    for (size_t i = 0; meets && dep && i < dep->reaches.n; i++) {
        const struct graph_reach *r = &dep->reaches.p[i];
        if (f->kind[r->load] == PLACE_NOT_LOCAL || f->kind[r->store] == PLACE_NOT_LOCAL)
            continue;
        if (f->kind[r->load] == PLACE_SAVED)
            meets[r->store] |= 8;
        bool load_fixed = f->fixed[r->load], store_fixed = f->fixed[r->store];
        if (load_fixed && store_fixed)
            meets[r->load] |= r->own && !r->may ? 1 : 4;
        else if (load_fixed)
            meets[r->load] |= f->kind[r->store] == PLACE_ARRAY ? 2 : 4;
        else if (store_fixed)
            meets[r->store] |= f->kind[r->load] == PLACE_ARRAY ? 2 : 4;
    }
    return meets;
}

/* Where the function begins that the access is in. */
static uint32_t function_of(const struct graph *g, uint32_t access)
{
    uint32_t path = g->insns.p[g->accesses.p[access].insn].call_path;
    return path && path <= g->calls.n ? g->calls.p[path - 1].target : UINT32_MAX;
}

/* Whether the code of call path `path`, or what it calls, wrote the register. */
static bool is_written_inside(const struct graph *g, const struct graph_use *use, uint32_t path)
{
    for (uint32_t k = 0; k < use->def_count; k++)
        for (uint32_t p = g->insns.p[g->defs.p[use->defs[k]].insn].call_path; p; p = g->calls.p[p - 1].caller_path)
            if (p == path)
                return true;
    return false;
}

/* The register that an access stores or loads; NULL: more than one, or not seen. */
static bool register_of(const struct graph *g, const struct graph_access *x, uint32_t *name,
                        const struct graph_use **use)
{
    const struct graph_insn *insn = &g->insns.p[x->insn];
    unsigned found = 0;
    *use = NULL;
    for (uint32_t i = insn->first_use; i < insn->first_use + insn->use_count && x->kind == GRAPH_STORE; i++)
        if (g->uses.p[i].node == x->value[0] && g->uses.p[i].file == UOP_FILE_R && ++found) {
            *use = &g->uses.p[i];
            *name = g->uses.p[i].reg;
        }
    for (uint32_t i = insn->first_def; i < insn->first_def + insn->def_count && x->kind == GRAPH_LOAD; i++, found++)
        *name = g->defs.p[i].reg;
    return found == 1 && x->width == 4;
}

/* A function puts a register away as it found it, and leaves it so: loads bring it back to where it was. */
static bool is_kept_for_caller(const struct frame *f, size_t first, size_t end)
{
    const struct graph *g = f->g;
    uint32_t reg = UINT32_MAX, name = UINT32_MAX;
    for (size_t i = first; i < end; i++) {
        const struct graph_access *x = &g->accesses.p[f->cells.p[i].access];
        uint32_t path = g->insns.p[x->insn].call_path;
        const struct graph_use *use;
        if (!path || !register_of(g, x, &name, &use) || (reg != UINT32_MAX && reg != name) ||
            (use && is_written_inside(g, use, path)))
            return false;
        reg = name;
    }
    return true;
}

/* One place: cells[first .. end). A function that puts a register away fetches it itself. */
static void decide(struct frame *f, size_t first, size_t end, const uint8_t *meets, bool array_unknown)
{
    const struct graph *g = f->g;
    bool alike = true, stored = false, loaded = false, saved = false, brings = true, indexed = array_unknown;
    for (size_t i = first; i < end; i++) {
        const struct cell *c = &f->cells.p[i];
        const struct graph_access *x = &g->accesses.p[c->access];
        alike &= c->from == f->cells.p[first].from && c->width == f->cells.p[first].width &&
                 function_of(g, c->access) == function_of(g, f->cells.p[first].access);
        stored |= x->kind == GRAPH_STORE;
        loaded |= x->kind == GRAPH_LOAD;
        brings &= x->kind == GRAPH_STORE || (x->kind == GRAPH_LOAD && (meets[c->access] & 5) == 1);
        indexed |= (meets[c->access] & 2) != 0;
        saved |= (meets[c->access] & 8) != 0;
    }
    bool slot = alike && stored && loaded && brings && f->cells.p[first].from + f->cells.p[first].width <= f->handed_on;
    for (size_t i = first; i < end; i++)
        f->kind[f->cells.p[i].access] = indexed ? PLACE_ARRAY
                                        : saved ? PLACE_SAVED
                                        : slot  ? PLACE_SLOT
                                                : PLACE_VARIABLE;
    bool kept = slot && !indexed && !saved && is_kept_for_caller(f, first, end);
    for (size_t i = first; i < end && kept; i++)
        f->saves[f->cells.p[i].access] = true;
}

const uint8_t *place_find_local(struct arena *a, const struct graph *g)
{
    struct frame f = {.a = a, .g = g, .handed_on = INT64_MAX};
    bool any_array = false;
    f.kind = ARENA_ARRAY(a, uint8_t, g->accesses.n + 1);
    f.fixed = ARENA_ARRAY(a, bool, g->accesses.n + 1);
    f.saves = ARENA_ARRAY(a, bool, g->accesses.n + 1);
    if (!f.kind || !f.fixed || !f.saves)
        return NULL;
    for (uint32_t i = 0; i < g->accesses.n; i++) {
        const struct graph_access *x = &g->accesses.p[i];
        struct cell c = {.width = x->width, .access = i};
        bool left = false;
        if (x->space != UOP_LOCAL)
            continue;
        f.kind[i] = PLACE_VARIABLE;
        if (is_fixed(g, x->address, &c.from)) {
            f.fixed[i] = true;
            VEC_PUSH(a, f.cells, c);
        } else if (x->address == GRAPH_NIL || !is_moved_stack(g, x->address, 0, &left) || !left) {
            f.kind[i] = PLACE_ARRAY;
            any_array = true;
        } else {
            f.kind[i] = PLACE_SAVED;
        }
    }
    find_handed_on(&f);
    const uint8_t *meets = find_meetings(&f);
    if (!meets)
        return NULL;
    if (f.cells.n)
        qsort(f.cells.p, f.cells.n, sizeof f.cells.p[0], by_place);
    for (size_t i = 0, end; i < f.cells.n; i = end) {
        int64_t to = f.cells.p[i].from + f.cells.p[i].width;
        for (end = i + 1; end < f.cells.n && f.cells.p[end].from < to; end++)
            if (f.cells.p[end].from + f.cells.p[end].width > to)
                to = f.cells.p[end].from + f.cells.p[end].width;
        decide(&f, i, end, meets, any_array && (!g->dependence || !g->dependence->complete));
    }
    for (uint32_t i = 0; i < g->accesses.n && g->env->spills_known; i++) {
        bool recorded =
            f.kind[i] != PLACE_NOT_LOCAL && graph_is_recorded_spill(g, g->insns.p[g->accesses.p[i].insn].offset);
        if (recorded)
            f.kind[i] = PLACE_SLOT;
        else if (f.kind[i] == PLACE_SLOT && !f.saves[i])
            f.kind[i] = PLACE_VARIABLE;
    }
    return arena_failed(a) ? NULL : f.kind;
}
