/* Terms over elements for steps in straight code: what a value is made of by its shape, where its elements stand, and
 * an order among them. What is not made of elements is a leaf, whatever it is made of.
 *
 * requires: a built graph · gives: terms that agree where steps do (graph_straight.c compares them) */
#include "graph/graph_straight.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    return map_hash_mix(a, b);
}

static uint64_t place_of(const struct graph *g, graph_id id, uint64_t *offset, unsigned depth)
{
    const struct graph_node *n = graph_at(g, id);
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    uint64_t zero = 0;
    if (depth < STRAIGHT_DEPTH)
        switch (n->kind) {
        case UOP_CONST: {
            int64_t v = bits == 0 || bits >= 64 ? (int64_t)n->imm : (int64_t)(n->imm << (64 - bits)) >> (64 - bits);
            *offset += (uint64_t)v;
            return (uint64_t)v;
        }
        case UOP_ADD: {
            uint64_t a = place_of(g, n->arg[0], offset, depth + 1);
            return a + place_of(g, n->arg[1], offset, depth + 1);
        }
        case UOP_MUL: {
            uint64_t x = 0, y = 0;
            uint64_t c, a = place_of(g, n->arg[0], &x, depth + 1), b = place_of(g, n->arg[1], &y, depth + 1);
            if (graph_is_const(g, n->arg[1], &c))
                *offset += x * c;
            return a * b;
        }
        case UOP_NEG: return 0 - place_of(g, n->arg[0], &zero, depth + 1);
        case UOP_SEXT:
        case UOP_ZEXT:
            if (n->imm == 32)
                return place_of(g, n->arg[0], offset, depth + 1);
            break;
        case UOP_UNIFORM: return place_of(g, n->arg[0], offset, depth + 1);
        default: break;
        }
    return mix(0x6c656166, id);
}

uint64_t straight_place_of(const struct graph *g, graph_id address)
{
    uint64_t offset = 0;
    return place_of(g, address, &offset, 0);
}

static struct term element(const struct graph *g, const struct graph_node *load, uint64_t offset, unsigned bytes)
{
    struct term t = {.loads = true, .order = offset};
    t.hash = mix(mix(load->space, bytes), mix(load->flags, cycle_root(g, load->arg[0])));
    t.at = place_of(g, load->arg[0], &t.order, 0) + offset;
    return t;
}

static bool either_way(unsigned kind)
{
    return kind == UOP_FADD || kind == UOP_FMUL || kind == UOP_FFMA || kind == UOP_FMIN || kind == UOP_FMAX ||
           kind == UOP_ADD || kind == UOP_MUL || kind == UOP_AND || kind == UOP_OR || kind == UOP_XOR ||
           (kind >= UOP_MIN_S && kind <= UOP_MAX_U) || kind == UOP_IEQ || kind == UOP_FEQ;
}

struct term straight_term_of(struct straight *s, graph_id id, unsigned depth)
{
    const struct graph *g = s->w->g;
    struct term t = {.hash = mix(0x696e76, id)};
    if (id >= s->w->nodes || depth > STRAIGHT_DEPTH || s->known[id] == 1 || s->w->budget == 0)
        return t;
    if (s->known[id] == 2)
        return s->memo[id];
    s->known[id] = 1;
    s->w->budget--;
    const struct graph_node n = *graph_at(g, id);
    const struct graph_node *of = n.arg_count ? graph_at(g, n.arg[0]) : NULL;
    if (n.kind == UOP_LOAD) {
        t = element(g, &n, 0, n.width);
    } else if (n.kind == UOP_CBANK && n.space == 3 && n.arg_count == 0) {
        t = (struct term){mix(0x63626e6b, n.type), n.imm, n.imm, true};
    } else if (of && of->kind == UOP_LOAD && n.kind == UOP_ELEMENT) {
        t = element(g, of, 4 * n.imm, 4);
    } else if (of && of->kind == UOP_LOAD && of->width == 8 && (n.kind == UOP_LO || n.kind == UOP_HI)) {
        t = element(g, of, n.kind == UOP_HI ? 4 : 0, 4);
    } else if (n.kind != GRAPH_PHI && n.kind != GRAPH_BOOL && n.insn == UINT32_MAX && n.arg_count) {
        struct term parts[6];
        bool loads = false;
        for (unsigned k = 0; k < n.arg_count; k++) {
            parts[k] = straight_term_of(s, n.arg[k], depth + 1);
            loads |= parts[k].loads;
        }
        if (loads) { /* else a leaf, whatever it is made of */
            uint64_t by =
                mix(mix(n.kind, (uint64_t)n.type << 8 | n.round), mix(n.imm, n.flags & (unsigned)~UOP_SWAPPED));
            t = (struct term){.hash = by, .loads = true};
            unsigned either = either_way(n.kind) ? 2 : 0;
            for (unsigned k = 0; k < n.arg_count; k++) {
                uint64_t weight = k < either ? mix(by, parts[k].hash) : mix(by, parts[k].hash + k + 1);
                t.hash = k < either ? t.hash + weight : mix(t.hash, weight);
                t.at += (weight | 1) * parts[k].at;
                t.order = (int64_t)((uint64_t)t.order + (uint64_t)parts[k].order);
            }
        }
    }
    s->memo[id] = t;
    s->known[id] = 2;
    return t;
}
