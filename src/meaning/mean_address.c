/* Addresses as array elements. An address is base + sum coefficient * term + offset (graph_affine);
 * the base names the array: a pointer parameter, shared memory, or the stack. Divided by the
 * element size, from the declared type or from the widths the kernel accesses the array with, the
 * rest is the index: "x[i + 1]", "x[4 * i + 2]", "x[3 * i + 1]". An address that is no such sum, or
 * not a whole number of elements, is shown in bytes: "*((char *)x + pitch * j)". */
#include "meaning/mean_internal.h"

#include "base/str.h"
#include "graph/graph_cycle.h"

#include <inttypes.h>
#include <string.h>

enum { SHARED_START = 0x400, CLUSTER_SHIFT = 24 }; /* sm_90 on: this block's shared memory within the cluster's */

static bool is_stack_pointer(const struct mean *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    return id != GRAPH_NIL && n->kind == UOP_CBANK && n->space == 0 && m->g->env->stack_offset &&
           n->imm == m->g->env->stack_offset;
}

const struct mean_param *mean_param_of(const struct mean *m, graph_id node)
{
    if (node == GRAPH_NIL || node >= m->g->nodes.n)
        return NULL;
    const struct graph_node *n = graph_at(m->g, node);
    if (n->kind != UOP_CBANK || n->space != 0 || n->arg_count > 0)
        return NULL;
    for (uint32_t i = 0; i < m->param_count; i++)
        if (n->imm >= m->params[i].constant_offset &&
            n->imm < (uint64_t)m->params[i].constant_offset + m->params[i].size)
            return &m->params[i];
    return NULL;
}

/* Takes away where the block's shared memory begins. */
static void strip_cluster(const struct mean *m, struct graph_affine *f)
{
    for (unsigned i = 0; i < f->term_count; i++) {
        const struct graph_node *n = graph_at(m->g, f->terms[i].term);
        if (n->kind != UOP_SREG || n->imm != UOP_SR_CGA_CTAID || f->terms[i].coefficient != INT64_C(1) << CLUSTER_SHIFT)
            continue;
        memmove(&f->terms[i], &f->terms[i + 1], (f->term_count - i - 1) * sizeof f->terms[0]);
        f->term_count--;
        f->offset -= SHARED_START;
        return;
    }
}

int mean_array_of(const struct mean *m, graph_id address, enum uop_space space, struct graph_affine *f)
{
    if (address == GRAPH_NIL || !graph_affine(m->g, graph_as_turn(m->g, address), f))
        return -1;
    if (is_stack_pointer(m, f->base)) {
        f->offset -= m->work->frame;
        return (int)m->param_count + MEAN_LOCAL;
    }
    if (space == UOP_SHARED) {
        strip_cluster(m, f);
        return f->base == GRAPH_NIL ? (int)m->param_count + MEAN_SHARED : -1;
    }
    if (space == UOP_LOCAL)
        return f->base == GRAPH_NIL && f->term_count == 0 ? (int)m->param_count + MEAN_LOCAL : -1;
    const struct mean_param *p = mean_param_of(m, f->base);
    return p && p->size == 8 ? (int)(p - m->params) : -1;
}

bool mean_is_pointer(const struct mean *m, graph_id id)
{
    struct graph_affine f;
    if (!graph_affine(m->g, graph_as_turn(m->g, id), &f) || f.base == GRAPH_NIL)
        return false;
    const struct mean_param *p = mean_param_of(m, f.base);
    if (!p || p->size != 8)
        return false;
    /* A 64-bit number may be a parameter too: only a declared pointer, or one that memory is
     * reached through, is an array. */
    struct mean_array declared;
    bool pointer = false;
    if (p->type) {
        mean_declared(p->type, &declared, &pointer);
        return pointer;
    }
    return m->work->arrays && m->work->arrays[p - m->params].bytes > 0;
}

/* ---- element sizes --------------------------------------------------------------------------- */

/* Whether an 8-byte load is looked at in halves: some operation takes one of them. */
bool mean_used_in_halves(const struct mean *m, graph_id id)
{
    uint32_t count, count_half;
    const graph_id *users = graph_users(m->g, id, &count);
    bool halves = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_node *u = graph_at(m->g, users[i]);
        bool half = u->kind == UOP_LO || u->kind == UOP_HI;
        if (!half && u->kind != UOP_PAIR)
            return false;
        const graph_id *readers = half ? graph_users(m->g, users[i], &count_half) : NULL;
        for (uint32_t k = 0; half && k < count_half && !halves; k++)
            halves = !graph_is_inside(m->g, readers[k]); /* an expansion takes a number apart as it likes */
    }
    return halves;
}

/* The width of the elements one access moves. */
static unsigned natural_width(const struct mean *m, const struct graph_access *x)
{
    if (x->width == 16)
        return 4;
    if (x->width != 8)
        return x->width ? x->width : 4;
    if (x->kind == GRAPH_LOAD)
        return x->result != GRAPH_NIL && mean_used_in_halves(m, x->result) ? 4 : 8;
    if (x->kind == GRAPH_STORE && x->value[0] != GRAPH_NIL && x->value[1] != GRAPH_NIL) {
        graph_id pair = graph_op2(m->g, UOP_PAIR, UOP_B64, x->value[0], x->value[1]);
        return graph_at(m->g, pair)->kind == UOP_PAIR ? 4 : 8;
    }
    return 8;
}

/* `a OP b` of whole elements; what was widened from 32 bits is combined before it is widened. */
static graph_id combine(const struct mean *m, enum uop_kind kind, enum uop_type type, graph_id a, graph_id b)
{
    const struct graph_node x = *graph_at(m->g, a);
    uint64_t c;
    bool widened = type == UOP_B64 && (x.kind == UOP_SEXT || x.kind == UOP_ZEXT) && x.imm == 32 &&
                   uop_type_bits((enum uop_type)graph_at(m->g, x.arg[0])->type) == 32;
    if (!widened || !graph_is_const(m->g, b, &c))
        return graph_op2(m->g, kind, type, a, b);
    bool fits = x.kind == UOP_SEXT ? (uint64_t)(int64_t)(int32_t)(uint32_t)c == c : kind == UOP_AND || c <= UINT32_MAX;
    if (!fits)
        return graph_op2(m->g, kind, type, a, b);
    graph_id narrow = graph_op2(m->g, kind, UOP_B32, x.arg[0], graph_const(m->g, UOP_B32, c & UINT32_MAX));
    return graph_op1(m->g, (enum uop_kind)x.kind, UOP_B64, narrow);
}

/* The same modulo what the address is counted in: bytes * the result is `id` there. */
static graph_id modular_quotient(const struct mean *m, graph_id id, int64_t bytes, unsigned depth)
{
    enum { QUOTIENT_DEPTH = 6 };
    const struct graph_node n = *graph_at(m->g, id);
    enum uop_type type = (enum uop_type)n.type;
    uint64_t c;
    if (depth > QUOTIENT_DEPTH || (type != UOP_B32 && type != UOP_B64))
        return GRAPH_NIL;
    if (graph_is_const(m->g, id, &c)) {
        int64_t value = type == UOP_B64 ? (int64_t)c : (int32_t)(uint32_t)c;
        uint64_t whole = (uint64_t)(value / bytes);
        return value % bytes ? (graph_id)GRAPH_NIL
                             : graph_const(m->g, type, type == UOP_B64 ? whole : whole & UINT32_MAX);
    }
    switch (n.kind) {
    case UOP_MUL:
        if (!graph_is_const(m->g, n.arg[1], &c) || c % (uint64_t)bytes != 0)
            return GRAPH_NIL;
        return c == (uint64_t)bytes
                   ? n.arg[0]
                   : graph_op2(m->g, UOP_MUL, type, n.arg[0], modular_quotient(m, n.arg[1], bytes, depth + 1));
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_ADD: {
        graph_id a = modular_quotient(m, n.arg[0], bytes, depth + 1);
        bool cut = n.kind == UOP_AND && graph_is_const(m->g, n.arg[1], &c) && c % (uint64_t)bytes == 0;
        if (a == GRAPH_NIL && cut) /* the bits below an element are masked away, whatever the word is */
            return graph_op2(m->g, UOP_SHR, type, id,
                             graph_const(m->g, UOP_B32, (uint64_t)__builtin_ctzll((uint64_t)bytes)));
        graph_id b = a == GRAPH_NIL ? (graph_id)GRAPH_NIL : modular_quotient(m, n.arg[1], bytes, depth + 1);
        return b == GRAPH_NIL ? (graph_id)GRAPH_NIL : combine(m, (enum uop_kind)n.kind, type, a, b);
    }
    default: return GRAPH_NIL;
    }
}

/* A node whose value is always a multiple of `bytes` although its coefficient is not: what it is
 * divided by that; NIL: not known to be one. `extended`: it is widened behind this, so nothing may wrap. */
static graph_id quotient(const struct mean *m, graph_id id, int64_t bytes, bool extended)
{
    struct graph_node n = *graph_at(m->g, id);
    uint64_t mask, factor;
    enum uop_type type = (enum uop_type)n.type;
    if (bytes < 2 || (bytes & (bytes - 1)) != 0)
        return GRAPH_NIL;
    graph_id whole = extended || n.kind == UOP_MUL ? (graph_id)GRAPH_NIL : modular_quotient(m, id, bytes, 0);
    if (whole != GRAPH_NIL) {
        const struct graph_node *w = graph_at(m->g, whole);
        return (w->kind == UOP_SEXT || w->kind == UOP_ZEXT) && w->imm == 32 ? w->arg[0] : whole;
    }
    if ((n.kind != UOP_AND && n.kind != UOP_MUL) || !graph_is_const(m->g, n.arg[1], &mask) ||
        mask % (uint64_t)bytes != 0)
        return GRAPH_NIL;
    if (n.kind == UOP_MUL) { /* only where the product cannot wrap: a thread number is below 1024 */
        uint64_t most = mean_upper_bound(m, n.arg[0], 0);
        bool small = most <= INT32_MAX && mask <= INT32_MAX && most * mask <= INT32_MAX;
        return small ? graph_op2(m->g, UOP_MUL, type, n.arg[0], graph_const(m->g, type, mask / (uint64_t)bytes))
                     : GRAPH_NIL;
    }
    struct graph_node inner = *graph_at(m->g, n.arg[0]);
    if (inner.kind == UOP_MUL && graph_is_const(m->g, inner.arg[1], &factor) && factor % (uint64_t)bytes == 0) {
        graph_id less = graph_op2(m->g, UOP_MUL, type, inner.arg[0], graph_const(m->g, type, factor / (uint64_t)bytes));
        return graph_op2(m->g, UOP_AND, type, less, graph_const(m->g, type, mask / (uint64_t)bytes));
    }
    return graph_op2(m->g, UOP_SHR, type, id, graph_const(m->g, UOP_B32, (uint64_t)__builtin_ctzll((uint64_t)bytes)));
}

static bool divides(const struct mean *m, const struct graph_affine *f, int64_t bytes)
{
    for (unsigned i = 0; i < f->term_count; i++)
        if (f->terms[i].coefficient % bytes != 0 &&
            !(f->terms[i].coefficient == 1 &&
              quotient(m, f->terms[i].term, bytes, f->terms[i].extend != 0) != GRAPH_NIL))
            return false;
    return f->offset % bytes == 0;
}

/* How far below its start the stack pointer is ever put. */
static int64_t find_frame(const struct mean *m)
{
    int64_t low = 0;
    for (uint32_t d = 0; d < m->g->defs.n; d++) {
        const struct graph_def *def = &m->g->defs.p[d];
        struct graph_affine f;
        if (def->file == UOP_FILE_R && graph_affine(m->g, def->node, &f) && is_stack_pointer(m, f.base) &&
            f.term_count == 0 && f.offset < low)
            low = f.offset;
    }
    return low;
}

/* An access in elements of `width` bytes. */
static void note_width(struct mean *m, int at, unsigned width)
{
    struct mean_array *array = &m->work->arrays[at];
    if (array->bytes && array->bytes != width) {
        bool fixed = at >= (int)m->param_count;
        array->mixed |= fixed;
        width = fixed ? 1 : width < array->bytes ? width : array->bytes;
    }
    array->bytes = array->mixed ? 1 : width;
}

enum sp_status mean_find_arrays(struct mean *m)
{
    uint32_t count = m->param_count + MEAN_FIXED_ARRAYS;
    m->work->arrays = ARENA_ARRAY(m->a, struct mean_array, count);
    if (!m->work->arrays)
        return SP_ERR_MEMORY;
    m->work->frame = find_frame(m);
    for (uint32_t i = 0; i < m->param_count; i++) {
        bool pointer;
        struct mean_array declared;
        if (m->params[i].size == 8 && mean_declared(m->params[i].type, &declared, &pointer) && pointer)
            m->work->arrays[i] = declared;
    }
    /* One access that is no whole number of its elements is told in bytes, the others still by element; only where none
     * is, what they are moved in is cut. */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->g->accesses.n; i++) {
            const struct graph_access *x = &m->g->accesses.p[i];
            struct graph_affine f;
            int at = mean_array_of(m, x->address, (enum uop_space)x->space, &f);
            if (at < 0 || m->work->arrays[at].declared || (pass && m->work->arrays[at].lanes))
                continue;
            unsigned width = natural_width(m, x);
            if (pass == 0 && !divides(m, &f, width))
                continue;
            unsigned whole = width;
            while (width > 1 && !divides(m, &f, width))
                width /= 2;
            /* By the element is by what is moved: a place that is no whole number of them is one in bytes. */
            if (width < whole && at >= (int)m->param_count) {
                m->work->arrays[at].mixed = true;
                width = 1;
            }
            note_width(m, at, width);
        }
        for (uint32_t i = 0; i < count; i++)
            if (m->work->arrays[i].bytes && m->work->arrays[i].lanes == 0)
                m->work->arrays[i].lanes = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        if (m->work->arrays[i].lanes == 0)
            m->work->arrays[i].lanes = 1;
    return SP_OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The index as a sum of nodes; a single 32-bit sum that is scaled by exactly one element is opened. */
static void index_sum(const struct mean *m, const struct graph_affine *f, int64_t bytes, struct mean_sum *sum)
{
    *sum = (struct mean_sum){.offset = f->offset / bytes};
    for (unsigned i = 0; i < f->term_count; i++) {
        int64_t c = f->terms[i].coefficient / bytes;
        if (f->terms[i].coefficient % bytes != 0) {
            mean_sum_add(m, sum, quotient(m, f->terms[i].term, bytes, f->terms[i].extend != 0), 1, false, 0);
            continue;
        }
        struct mean_sum opened = *sum;
        /* sext(a + b) is a + b for a reader as long as nothing multiplies it. */
        if (c == 1 && mean_sum_add(m, &opened, f->terms[i].term, 1, false, 0)) {
            *sum = opened;
        } else {
            mean_sum_term(sum, f->terms[i].term, c);
        }
    }
    mean_sum_fold(m, sum, GRAPH_NIL);
}

static const char *memory_type(unsigned bytes, bool is_float);

/* A pointer to something else than the elements the kernel moves (a struct) is cast. */
static const char *array_name(const struct mean *m, int at, bool is_float)
{
    if (at < (int)m->param_count) {
        const struct mean_array *array = &m->work->arrays[at];
        struct mean_array declared;
        bool pointer = false, opaque = m->params[at].type && !mean_declared(m->params[at].type, &declared, &pointer);
        const char *text = opaque && pointer
                               ? arena_printf(m->a, "((%s *)%s)",
                                              memory_type(array->bytes, is_float || mean_kind_is_float(array->kind)),
                                              m->params[at].name)
                               : NULL;
        return text ? text : m->params[at].name;
    }
    if (at == (int)m->param_count + MEAN_LOCAL)
        return m->work->arrays[at].mixed ? "local8" : "local";
    return m->work->arrays[at].mixed ? "shared8" : "shared";
}

/* The C type of `bytes` in memory. */
static const char *memory_type(unsigned bytes, bool is_float)
{
    switch (bytes) {
    case 1: return "char";
    case 2: return is_float ? "half" : "short";
    case 8: return is_float ? "double" : "long";
    case 16: return "int4";
    default: return is_float ? "float" : "int";
    }
}

/* The one term that carries the address when no parameter does: a 64-bit value that counts once and is no
 * widened index. */
static unsigned pointer_term(const struct mean *m, const struct mean_sum *sum)
{
    unsigned found = sum->count;
    uint32_t at;
    for (unsigned i = 0; i < sum->count; i++) {
        const struct graph_node *n = graph_at(m->g, sum->terms[i].node);
        bool number = n->type != UOP_B64 || n->kind == UOP_SEXT || n->kind == UOP_ZEXT || n->kind == UOP_MUL ||
                      map_u64_get(&m->name_of, sum->terms[i].node, &at);
        if (number || sum->terms[i].coefficient != 1)
            continue;
        if (found != sum->count)
            return sum->count;
        found = i;
    }
    return found;
}

/* "((float *)p)[i]": the rest of the sum as an index; false when it is no whole number of elements. */
static bool indexed_text(struct mean *m, const struct mean_sum *sum, unsigned base, unsigned bytes, const char *type,
                         bool address_of, unsigned style, unsigned depth, struct mean_text *out)
{
    struct mean_sum rest = {.count = 0};
    if (sum->offset % (int64_t)bytes != 0)
        return false;
    rest.offset = sum->offset / (int64_t)bytes;
    for (unsigned i = 0; i < sum->count; i++) {
        graph_id node = sum->terms[i].node;
        const struct graph_node *n = graph_at(m->g, node);
        uint32_t at;
        if (i == base)
            continue;
        if (sum->terms[i].coefficient % (int64_t)bytes != 0)
            return false;
        if ((n->kind == UOP_SEXT || n->kind == UOP_ZEXT) && n->imm == 32 && !map_u64_get(&m->name_of, node, &at))
            node = n->arg[0];
        mean_sum_term(&rest, node, sum->terms[i].coefficient / (int64_t)bytes);
    }
    mean_sum_fold(m, &rest, GRAPH_NIL);
    struct mean_text pointer = mean_text_of(m, sum->terms[base].node, UOP_VOID, style, depth + 1);
    *out = mean_piece(m, address_of ? PREC_UNARY : PREC_PRIMARY, "%s((%s *)%s)[%s]", address_of ? "&" : "", type,
                      mean_operand(m, pointer, PREC_UNARY), mean_text_terms(m, &rest, style, depth + 1).p);
    return true;
}

/* Bytes from whatever the address is. */
static struct mean_text raw_text(struct mean *m, graph_id address, enum uop_space space, unsigned width,
                                 struct mean_part part, bool address_of, unsigned style, unsigned depth)
{
    struct graph_affine f;
    int at = mean_array_of(m, address, space, &f);
    unsigned bytes = part.bytes ? part.bytes : width;
    const char *type = memory_type(bytes, part.is_float), *text;
    struct mean_sum sum;
    if (at >= 0 && at < (int)m->param_count) {
        f.offset += (int32_t)part.offset; /* a whole element may begin before the word */
        index_sum(m, &f, 1, &sum);
        const char *rest = mean_operand(m, mean_text_terms(m, &sum, style, depth + 1), PREC_ADD);
        bool less = rest[0] == '-';
        text = mean_piece(m, PREC_ADD, "(char *)%s %c %s", m->params[at].name, less ? '-' : '+', rest + less).p;
    } else {
        /* Never through an address reading of the same node: that would come back here. */
        sum = (struct mean_sum){.count = 0};
        const struct graph_node *n = graph_at(m->g, address);
        bool is_sum = n->kind == UOP_ADD || n->kind == UOP_MUL || n->kind == UOP_NEG;
        if (!(is_sum && mean_sum_add(m, &sum, address, 1, true, 0) &&
              !(sum.count == 1 && sum.terms[0].node == address))) {
            sum = (struct mean_sum){.count = 1};
            sum.terms[0].node = address;
            sum.terms[0].coefficient = 1;
        }
        sum.offset += (int32_t)part.offset;
        mean_sum_fold(m, &sum, address);
        unsigned base = pointer_term(m, &sum);
        struct mean_text indexed;
        if (bytes && base < sum.count && indexed_text(m, &sum, base, bytes, type, address_of, style, depth, &indexed))
            return indexed;
        if (base < sum.count) {
            struct mean_text pointer = mean_text_of(m, sum.terms[base].node, UOP_VOID, style, depth + 1);
            sum.terms[base] = sum.terms[--sum.count];
            struct mean_text rest = mean_text_terms(m, &sum, style, depth + 1);
            text = sum.count || sum.offset
                       ? mean_piece(m, PREC_ADD, "(char *)%s + %s", mean_operand(m, pointer, PREC_UNARY),
                                    mean_operand(m, rest, PREC_ADD))
                             .p
                       : pointer.p;
        } else {
            text = mean_text_terms(m, &sum, style, depth + 1).p;
        }
    }
    if (address_of)
        return mean_piece(m, PREC_ADD, "%s", text);
    return mean_piece(m, PREC_UNARY, "*(%s *)(%s)", type, text);
}

/* `width` 0: as wide as an element. */
struct mean_text mean_text_element(struct mean *m, graph_id address, enum uop_space space, unsigned width,
                                   struct mean_part part, bool address_of, unsigned style, unsigned depth)
{
    static const char lane_words[] = "xyzw";
    struct graph_affine f;
    if (address == GRAPH_NIL)
        return mean_piece(m, PREC_PRIMARY, "?");
    if (depth > MEAN_DEPTH_MAX)
        return (struct mean_text){"\xe2\x80\xa6", PREC_PRIMARY, true};
    int at = mean_array_of(m, address, space, &f);
    if (at < 0)
        return raw_text(m, address, space, width, part, address_of, style, depth);
    const struct mean_array *array = &m->work->arrays[at];
    int64_t bytes = array->bytes ? array->bytes : width ? width : 1;
    f.offset += (int32_t)part.offset; /* a whole element may begin before the word */
    const char *lane = "";
    int64_t lane_bytes = bytes / array->lanes, inside = ((f.offset % bytes) + bytes) % bytes;
    int64_t moved = part.bytes ? part.bytes : width ? width : bytes;
    if (!address_of && moved == 4 && lane_bytes == 8 && inside % 4 == 0) { /* a word of a 64-bit element */
        unsigned word = (unsigned)(inside % 8);
        struct mean_part whole = {part.offset - word, 8, false, false};
        struct mean_text t = mean_text_element(m, address, space, width, whole, false, style, depth + 1);
        return mean_piece(m, PREC_PRIMARY, "%s(%s)", word ? "hi" : "lo", t.p);
    }
    if (array->lanes > 1 && moved == lane_bytes && inside % lane_bytes == 0) { /* one lane of a vector element */
        f.offset -= inside;
        lane = mean_piece(m, PREC_PRIMARY, ".%c", lane_words[(inside / lane_bytes) & 3]).p;
    }
    if (!divides(m, &f, bytes)) {
        if (at >= (int)m->param_count) { /* shared and local: bytes */
            struct mean_sum sum;
            index_sum(m, &f, 1, &sum);
            return mean_piece(m, address_of ? PREC_UNARY : PREC_PRIMARY, "%s%s8[%s]", address_of ? "&" : "",
                              at == (int)m->param_count + MEAN_LOCAL ? "local" : "shared",
                              mean_text_terms(m, &sum, style, depth + 1).p);
        }
        return raw_text(m, address, space, width, part, address_of, style, depth);
    }
    struct mean_sum sum;
    index_sum(m, &f, bytes, &sum);
    struct mean_text index = mean_text_terms(m, &sum, style, depth + 1);
    if (!address_of && array->lanes == 1 && bytes < 4 && moved > bytes && at < (int)m->param_count)
        return mean_piece(m, PREC_UNARY, "*(%s *)&%s[%s]", memory_type((unsigned)moved, part.is_float),
                          array_name(m, at, part.is_float), index.cut ? "\xe2\x80\xa6" : index.p);
    if (part.number && bytes == 4 && array->lanes == 1) /* one number in the place of two elements */
        return mean_piece(m, PREC_UNARY, "*(%s *)&%s[%s]", memory_type(8, part.is_float),
                          array_name(m, at, part.is_float), index.cut ? "\xe2\x80\xa6" : index.p);
    return mean_piece(m, address_of ? PREC_UNARY : PREC_PRIMARY, "%s%s[%s]%s", address_of ? "&" : "",
                      array_name(m, at, part.is_float), index.cut ? "\xe2\x80\xa6" : index.p, lane);
}

const char *mean_element(struct mean *m, graph_id address, enum uop_space space, unsigned width, bool address_of)
{
    struct mean_part all = {0, 0, false, false};
    unsigned half = 1;
    const struct graph_access *x = mean_access_at(m, address, &half);
    graph_id moved = !x || half != 0 ? GRAPH_NIL : x->kind == GRAPH_STORE ? x->value[0] : x->result;
    if (moved != GRAPH_NIL) /* what is moved tells the type where the address does not */
        all.is_float = mean_kind_is_float(mean_kind_of(m, moved));
    return mean_shorten(m, mean_text_element(m, address, space, width, all, address_of, MEAN_INNER, 0).p);
}

const char *mean_element_word(struct mean *m, graph_id address, enum uop_space space, unsigned offset, graph_id word)
{
    struct mean_part part = {offset, 0, mean_kind_is_float(mean_kind_of(m, word)), false};
    unsigned width = uop_type_bits(graph_type_of(m->g, word)) / 8;
    return mean_shorten(m, mean_text_element(m, address, space, width, part, true, MEAN_INNER, 0).p);
}

const char *mean_shared_offset(struct mean *m, graph_id id)
{
    struct graph_affine f;
    struct mean_sum sum;
    if (id == GRAPH_NIL || !graph_affine(m->g, graph_as_turn(m->g, id), &f) || f.base != GRAPH_NIL)
        return NULL;
    unsigned count = f.term_count;
    strip_cluster(m, &f);
    if (f.term_count == count)
        return NULL;
    index_sum(m, &f, 1, &sum);
    return mean_shorten(m, mean_text_terms(m, &sum, MEAN_INNER, 0).p);
}

bool mean_address_of(struct mean *m, graph_id address, enum uop_space space, unsigned width, struct mean_address *out)
{
    struct graph_affine f;
    int at = mean_array_of(m, address, space, &f);
    *out = (struct mean_address){.param = -1};
    if (at < 0)
        return false;
    const struct mean_array *array = &m->work->arrays[at];
    int64_t bytes = array->bytes ? array->bytes : width ? width : 1;
    struct mean_sum sum;
    bool whole = divides(m, &f, bytes);
    index_sum(m, &f, whole ? bytes : 1, &sum);
    out->param = at < (int)m->param_count ? at : -1;
    out->stack = at == (int)m->param_count + MEAN_LOCAL;
    out->element_bytes = whole ? (uint32_t)bytes : 1;
    out->index = sum.count == 1 ? sum.terms[0].node : GRAPH_NIL;
    out->byte_offset = f.offset;
    out->array = at < (int)m->param_count ? m->params[at].name : array_name(m, at, false);
    out->index_text = mean_text_terms(m, &sum, MEAN_INNER, 0).p;
    return true;
}

unsigned mean_part_bytes(struct mean *m, graph_id address, enum uop_space space)
{
    struct graph_affine f;
    int array = mean_array_of(m, address, space, &f);
    if (array < 0)
        return 0;
    const struct mean_array *e = &m->work->arrays[array];
    unsigned bits = e->declared ? mean_kind_bits(e->kind) : 0;
    return bits ? bits / 8 : e->declared ? 0 : e->bytes;
}
