/* What kind of number a value is. Bits carry no type: the operation that makes a value tells it, a
 * declared parameter or array tells it, else those who use it do (a load that feeds a float
 * addition is a float). Where all of them move bits only, it stays "b32". Never guessed from size. */
#include "meaning/mean_internal.h"

#include "base/str.h"

#include <string.h>

enum { MADE_DEPTH = 8, USED_DEPTH = 3, USERS_MAX = 32, WAYS_MAX = 4 };

static const struct {
    const char *text;
    uint8_t bits, is_unsigned, is_float, type;
} kinds[] = {
    [KIND_UNKNOWN] = {"b32", 32, 0, 0, UOP_B32}, [KIND_PRED] = {"pred", 1, 0, 0, UOP_B1},
    [KIND_S8] = {"s8", 8, 0, 0, UOP_B32},        [KIND_U8] = {"u8", 8, 1, 0, UOP_B32},
    [KIND_S16] = {"s16", 16, 0, 0, UOP_B32},     [KIND_U16] = {"u16", 16, 1, 0, UOP_B32},
    [KIND_S32] = {"s32", 32, 0, 0, UOP_B32},     [KIND_U32] = {"u32", 32, 1, 0, UOP_B32},
    [KIND_S64] = {"s64", 64, 0, 0, UOP_B64},     [KIND_U64] = {"u64", 64, 1, 0, UOP_B64},
    [KIND_F16] = {"f16", 16, 0, 1, UOP_F16},     [KIND_BF16] = {"bf16", 16, 0, 1, UOP_BF16},
    [KIND_F32] = {"f32", 32, 0, 1, UOP_F32},     [KIND_F64] = {"f64", 64, 0, 1, UOP_F64},
    [KIND_B8] = {"b8", 8, 0, 0, UOP_B32},        [KIND_B16] = {"b16", 16, 0, 0, UOP_B32},
    [KIND_B32] = {"b32", 32, 0, 0, UOP_B32},     [KIND_B64] = {"b64", 64, 0, 0, UOP_B64},
    [KIND_B128] = {"b128", 128, 0, 0, UOP_B32},
};

unsigned mean_kind_bits(enum mean_kind kind)
{
    return kinds[kind].bits;
}

bool mean_kind_is_unsigned(enum mean_kind kind)
{
    return kinds[kind].is_unsigned;
}

bool mean_kind_is_float(enum mean_kind kind)
{
    return kinds[kind].is_float;
}

enum uop_type mean_kind_type(enum mean_kind kind)
{
    return (enum uop_type)kinds[kind].type;
}

/* ---- declared types -------------------------------------------------------------------------- */

static const struct {
    const char *name; /* as demanglers and compilers spell it */
    uint8_t kind, bytes;
} scalars[] = {
    {"float", KIND_F32, 4},
    {"double", KIND_F64, 8},
    {"__half", KIND_F16, 2},
    {"half", KIND_F16, 2},
    {"__nv_bfloat16", KIND_BF16, 2},
    {"nv_bfloat16", KIND_BF16, 2},
    {"bool", KIND_U8, 1},
    {"char", KIND_S8, 1},
    {"signed char", KIND_S8, 1},
    {"unsigned char", KIND_U8, 1},
    {"uint8_t", KIND_U8, 1},
    {"int8_t", KIND_S8, 1},
    {"short", KIND_S16, 2},
    {"unsigned short", KIND_U16, 2},
    {"uint16_t", KIND_U16, 2},
    {"int16_t", KIND_S16, 2},
    {"int", KIND_S32, 4},
    {"unsigned int", KIND_U32, 4},
    {"unsigned", KIND_U32, 4},
    {"uint32_t", KIND_U32, 4},
    {"int32_t", KIND_S32, 4},
    {"long", KIND_S64, 8},
    {"unsigned long", KIND_U64, 8},
    {"long long", KIND_S64, 8},
    {"unsigned long long", KIND_U64, 8},
    {"size_t", KIND_U64, 8},
    {"uint64_t", KIND_U64, 8},
    {"int64_t", KIND_S64, 8},
    {"__half2", KIND_F16, 2}, /* two lanes */
    {"half2", KIND_F16, 2},
    {"__nv_bfloat162", KIND_BF16, 2},
    {"nv_bfloat162", KIND_BF16, 2},
};
static const struct {
    const char *stem; /* followed by the number of lanes */
    uint8_t kind, bytes;
} vectors[] = {
    {"float", KIND_F32, 4}, {"double", KIND_F64, 8}, {"char", KIND_S8, 1},      {"uchar", KIND_U8, 1},
    {"short", KIND_S16, 2}, {"ushort", KIND_U16, 2}, {"int", KIND_S32, 4},      {"uint", KIND_U32, 4},
    {"long", KIND_S64, 8},  {"ulong", KIND_U64, 8},  {"longlong", KIND_S64, 8}, {"ulonglong", KIND_U64, 8},
};

static bool named(const char *type, size_t n, struct mean_array *out)
{
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (strlen(scalars[i].name) == n && memcmp(scalars[i].name, type, n) == 0) {
            *out = (struct mean_array){scalars[i].bytes, (enum mean_kind)scalars[i].kind, 1, true, false, false};
            if (mean_kind_is_float((enum mean_kind)scalars[i].kind) && scalars[i].bytes == 2 && type[n - 1] == '2') {
                out->lanes = 2;
                out->bytes = 4;
            }
            return true;
        }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        size_t stem = strlen(vectors[i].stem);
        if (n != stem + 1 || memcmp(vectors[i].stem, type, stem) != 0 || type[stem] < '2' || type[stem] > '4')
            continue;
        uint8_t lanes = (uint8_t)(type[stem] - '0');
        *out = (struct mean_array){
            (uint32_t)vectors[i].bytes * lanes, (enum mean_kind)vectors[i].kind, lanes, true, false, false};
        return true;
    }
    return false;
}

bool mean_declared(const char *type, struct mean_array *out, bool *pointer)
{
    static const char *const fillers[] = {"const", "volatile", "__restrict__", "__restrict", "restrict", "*", "&"};
    *pointer = false;
    if (!type)
        return false;
    /* Qualifiers and the last `*` go from the end, qualifiers from the front; what is left is a
     * name. */
    size_t n = strlen(type);
    unsigned stars = 0;
    for (bool again = true; again;) {
        again = false;
        while (n && (type[n - 1] == ' '))
            n--;
        for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
            size_t k = strlen(fillers[i]);
            bool sign = fillers[i][0] == '*' || fillers[i][0] == '&';
            if (n < k || memcmp(type + n - k, fillers[i], k) != 0 ||
                (!sign && n > k && type[n - k - 1] != ' ' && type[n - k - 1] != '*'))
                continue;
            n -= k;
            stars += sign;
            again = true;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        size_t k = strlen(fillers[i]);
        if (n > k && memcmp(type, fillers[i], k) == 0 && type[k] == ' ') {
            type += k + 1;
            n -= k + 1;
        }
    }
    *pointer = stars > 0;
    if (stars > 1) { /* pointers to pointers: the elements are addresses */
        *out = (struct mean_array){8, KIND_U64, 1, true, false, false};
        return true;
    }
    return named(type, n, out);
}

/* ---- by the maker ---------------------------------------------------------------------------- */

static enum mean_kind float_kind(unsigned type)
{
    return type == UOP_F16    ? KIND_F16
           : type == UOP_BF16 ? KIND_BF16
           : type == UOP_F32  ? KIND_F32
           : type == UOP_F64  ? KIND_F64
                              : KIND_UNKNOWN;
}

static enum mean_kind integer_kind(unsigned bits, bool is_unsigned)
{
    return bits == 64 ? (is_unsigned ? KIND_U64 : KIND_S64) : (is_unsigned ? KIND_U32 : KIND_S32);
}

/* What the declared element of the array says of `width` bytes read at an address. */
static enum mean_kind element_kind(const struct mean *m, graph_id address, enum uop_space space, unsigned width)
{
    struct graph_affine f;
    int at = mean_array_of(m, address, space, &f);
    if (at < 0 || !m->work->arrays)
        return KIND_UNKNOWN;
    const struct mean_array *array = &m->work->arrays[at];
    /* One element, or one 32-bit word of a wider access to 4-byte elements. */
    return mean_kind_bits(array->kind) == width * 8 ? array->kind : KIND_UNKNOWN;
}

bool mean_is_declared(const struct mean *m, const struct graph_node *load, bool is_unsigned)
{
    struct graph_affine f;
    int at = mean_array_of(m, load->arg[0], (enum uop_space)load->space, &f);
    const struct mean_array *array = at < 0 || !m->work->arrays ? NULL : &m->work->arrays[at];
    return array && array->declared && !mean_kind_is_float(array->kind) &&
           mean_kind_bits(array->kind) == load->width * 8u && mean_kind_is_unsigned(array->kind) == is_unsigned;
}

/* What ways have that meet: the first that is known. A byte or half word that meets something wider is an int in C. */
static enum mean_kind kind_of_ways(const struct mean *m, const graph_id *ways, uint32_t count, unsigned bits,
                                   unsigned depth)
{
    enum mean_kind found = KIND_UNKNOWN;
    for (uint32_t i = 0; i < count && found == KIND_UNKNOWN; i++)
        found = mean_kind_made(m, ways[i], depth);
    if (found == KIND_UNKNOWN || mean_kind_is_float(found) || mean_kind_bits(found) >= 32 || bits < 32)
        return found;
    bool is_unsigned = false, wider = false;
    for (uint32_t i = 0; i < count; i++) {
        enum mean_kind other = mean_kind_made(m, ways[i], depth);
        uint64_t k;
        unsigned own = mean_kind_bits(found), sign = mean_kind_is_unsigned(found) ? 0 : 1;
        bool fits = graph_is_const(m->g, ways[i], &k) &&
                    (k < UINT64_C(1) << (own - sign) ||
                     (sign && (k | UINT64_C(0xffffffff) << 32) >= -(UINT64_C(1) << (own - 1))));
        const struct graph_node *n = graph_at(m->g, ways[i]);
        bool cast = n->kind == UOP_LOAD && n->width < 4 && n->type == UOP_B32 &&
                    !(n->flags & UOP_SIGNED) != mean_kind_is_unsigned(found); /* widened otherwise than declared */
        wider |= (other != found && !fits) || cast;
        is_unsigned |= other != KIND_UNKNOWN && mean_kind_bits(other) >= 32 && mean_kind_is_unsigned(other);
    }
    return wider ? integer_kind(bits, is_unsigned) : found;
}

graph_id mean_widened_half(const struct mean *m, const struct graph_node *n)
{
    uint64_t by;
    if ((n->kind != UOP_SHL && n->kind != UOP_MUL) || n->type != UOP_B32 || !graph_is_const(m->g, n->arg[1], &by) ||
        by != (n->kind == UOP_SHL ? 16 : 0x10000))
        return GRAPH_NIL;
    graph_id half = n->arg[0];
    const struct graph_node *of = graph_at(m->g, half);
    if (of->kind == UOP_ZEXT && of->imm == 16)
        half = of->arg[0];
    of = graph_at(m->g, half);
    bool halves = of->kind == UOP_LOAD ? of->width == 2 : uop_type_bits((enum uop_type)of->type) == 16;
    return halves && mean_kind_made(m, half, 0) == KIND_BF16 ? half : GRAPH_NIL;
}

enum mean_kind mean_kind_made(const struct mean *m, graph_id id, unsigned depth)
{
    if (graph_reads(m->g, id) != GRAPH_NIL && depth < MADE_DEPTH)
        return mean_kind_made(m, graph_reads(m->g, id), depth + 1);
    const struct graph_node *n = graph_at(m->g, id);
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    uint32_t at;
    if (map_u64_get(&m->name_of, id, &at)) {
        const char *type = m->names.p[at].type;
        return integer_kind(bits, type[0] == 'u');
    }
    if (mean_widened_half(m, n) != GRAPH_NIL)
        return KIND_F32;
    if (n->type == UOP_B1 || n->kind == GRAPH_BOOL)
        return KIND_PRED;
    switch (n->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FNEG:
    case UOP_FABS:
    case UOP_FMIN:
    case UOP_FMAX:
    case UOP_FROUND:
    case UOP_F2F:
    case UOP_I2F:
    case UOP_EX2:
    case UOP_LG2:
    case UOP_RCP:
    case UOP_RSQ:
    case UOP_SQRT:
    case UOP_SIN:
    case UOP_COS:
    case UOP_TANH:
    case UOP_FSWZADD: return float_kind(n->type);
    case GRAPH_REAL:
        return n->type == UOP_B32 || n->type == UOP_B64
                   ? integer_kind(bits, n->imm == GRAPH_DIV_U || n->imm == GRAPH_REM_U)
                   : float_kind(n->type);
    case UOP_F2I: return integer_kind(bits, !(n->flags & UOP_SIGNED));
    case UOP_SREG: return KIND_U32;
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_SAR:
    case UOP_MULHI_S:
    case UOP_ABS: return integer_kind(bits, false);
    case UOP_SHR:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_U:
    case UOP_POPC: return integer_kind(bits, true);
    case UOP_BAR_GIVES: return bits == 1 ? KIND_PRED : integer_kind(bits, true);
    case UOP_SEXT: return integer_kind(bits, false);
    case UOP_ZEXT: return integer_kind(bits, true);
    case UOP_CBANK: {
        const struct mean_param *p = mean_param_of(m, id);
        struct mean_array declared;
        bool pointer;
        if (p && p->size * 8 == bits && mean_declared(p->type, &declared, &pointer) && declared.lanes == 1)
            return pointer                                                                     ? KIND_U64
                   : mean_kind_bits(declared.kind) >= 32 || !mean_kind_is_float(declared.kind) ? declared.kind
                                                                                               : KIND_UNKNOWN;
        return KIND_UNKNOWN;
    }
    case UOP_LOAD: return element_kind(m, n->arg[0], (enum uop_space)n->space, n->width);
    case UOP_ELEMENT: {
        const struct graph_node *load = graph_at(m->g, n->arg[0]);
        return load->kind == UOP_LOAD ? element_kind(m, load->arg[0], (enum uop_space)load->space, 4) : KIND_UNKNOWN;
    }
    case UOP_LO:
    case UOP_HI: {
        const struct graph_node *load = graph_at(m->g, n->arg[0]);
        if (load->kind == UOP_LOAD && n->kind == UOP_LO && load->width * 8u == bits)
            return element_kind(m, load->arg[0], (enum uop_space)load->space, load->width);
        return load->kind == UOP_LOAD && load->width == 8
                   ? element_kind(m, load->arg[0], (enum uop_space)load->space, 4)
                   : KIND_UNKNOWN;
    }
    case UOP_ATOM: return float_kind(n->type);
    case UOP_UNIFORM:
    case UOP_SHFL: return depth < MADE_DEPTH ? mean_kind_made(m, n->arg[0], depth + 1) : KIND_UNKNOWN;
    case UOP_SELECT: return depth < MADE_DEPTH ? kind_of_ways(m, n->arg + 1, 2, bits, depth + 1) : KIND_UNKNOWN;
    case GRAPH_PHI:
        return depth < MADE_DEPTH / 2 ? kind_of_ways(m, n->phi_args, n->phi_count < WAYS_MAX ? n->phi_count : WAYS_MAX,
                                                     bits, depth + MADE_DEPTH / 4)
                                      : KIND_UNKNOWN;
    case UOP_ADD:
    case UOP_MUL:
    case UOP_NEG: /* C: unsigned wins */
        for (unsigned i = 0; i < n->arg_count && depth < MADE_DEPTH / 2; i++)
            if (mean_kind_is_unsigned(mean_kind_made(m, n->arg[i], depth + MADE_DEPTH / 4)))
                return integer_kind(bits, true);
        return integer_kind(bits, false);
    default: return KIND_UNKNOWN;
    }
}

/* ---- by the users ---------------------------------------------------------------------------- */

static enum mean_kind used_by(graph_id id, const struct graph_node *user, unsigned bits)
{
    switch (user->kind) {
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FNEG:
    case UOP_FABS:
    case UOP_FMIN:
    case UOP_FMAX:
    case UOP_FROUND:
    case UOP_EX2:
    case UOP_LG2:
    case UOP_RCP:
    case UOP_RSQ:
    case UOP_SQRT:
    case UOP_SIN:
    case UOP_COS:
    case UOP_TANH: return float_kind(user->type);
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FCHK: return float_kind(user->width);
    case UOP_F2F:
    case UOP_F2I: return float_kind((unsigned)user->imm);
    case UOP_ILT_S:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MULHI_S:
    case UOP_SEXT: return integer_kind(bits, false);
    case UOP_ILT_U:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_MULHI_U:
    case UOP_ZEXT: return integer_kind(bits, true);
    case UOP_SAR: return user->arg[0] == id ? integer_kind(bits, false) : KIND_UNKNOWN;
    case UOP_SHR: return user->arg[0] == id ? integer_kind(bits, true) : KIND_UNKNOWN;
    case UOP_I2F: return integer_kind(bits, !(user->flags & UOP_SIGNED));
    case UOP_ADD:
    case UOP_MUL:
    case UOP_NEG: return integer_kind(bits, false);
    default: return KIND_UNKNOWN;
    }
}

/* Stored as it is: the array's declaration tells it. */
static enum mean_kind kind_stored(const struct mean *m, graph_id id)
{
    uint32_t at;
    if (!map_u64_get(&m->work->stored_by, id, &at))
        return KIND_UNKNOWN;
    const struct graph_access *x = &m->g->accesses.p[at];
    return element_kind(m, x->address, (enum uop_space)x->space, x->width > 8 ? 4 : x->width);
}

static enum mean_kind kind_used(struct mean *m, graph_id id, unsigned depth)
{
    uint32_t count;
    unsigned bits = uop_type_bits((enum uop_type)graph_at(m->g, id)->type);
    const graph_id *users = graph_users(m->g, id, &count);
    if (count > USERS_MAX)
        count = USERS_MAX;
    for (unsigned all = 0; all < 2; all++) {
        for (uint32_t i = 0; i < count; i++) {
            enum mean_kind k = mean_is_live(m, users[i]) ? used_by(id, graph_at(m->g, users[i]), bits) : KIND_UNKNOWN;
            /* Inside an expansion the bits of a number are taken apart: that says nothing of the number. */
            if (k != KIND_UNKNOWN && (all || mean_kind_is_float(k) || !graph_is_inside(m->g, users[i])))
                return k;
        }
    }
    for (uint32_t i = 0; i < count && depth < USED_DEPTH; i++) {
        const struct graph_node *user = graph_at(m->g, users[i]);
        bool passes =
            mean_is_live(m, users[i]) && ((user->kind == UOP_SELECT && user->arg[0] != id) || user->kind == GRAPH_PHI ||
                                          user->kind == UOP_UNIFORM || (user->kind == UOP_SHFL && user->arg[0] == id));
        enum mean_kind k = passes ? mean_kind_made(m, users[i], MADE_DEPTH / 2) : KIND_UNKNOWN;
        if (passes && k == KIND_UNKNOWN)
            k = kind_used(m, users[i], depth + 1);
        if (passes && k == KIND_UNKNOWN)
            k = kind_stored(m, users[i]);
        if (k != KIND_UNKNOWN)
            return k;
    }
    return KIND_UNKNOWN;
}

static enum mean_kind find_kind(struct mean *m, graph_id id)
{
    const struct graph_node *n = graph_at(m->g, id);
    enum mean_kind k = mean_kind_made(m, id, 0);
    if (k == KIND_UNKNOWN)
        k = kind_used(m, id, 0);
    if (k != KIND_UNKNOWN)
        return k;
    k = kind_stored(m, id);
    if (k != KIND_UNKNOWN)
        return k;
    switch (uop_type_bits((enum uop_type)n->type)) {
    case 1: return KIND_PRED;
    case 8: return KIND_B8;
    case 16: return KIND_B16;
    case 64: return KIND_B64;
    case 128: return KIND_B128;
    default: break;
    }
    if (n->kind == UOP_LOAD)
        return n->width == 1    ? KIND_B8
               : n->width == 2  ? KIND_B16
               : n->width == 8  ? KIND_B64
               : n->width == 16 ? KIND_B128
                                : KIND_B32;
    return KIND_B32;
}

enum uop_type mean_stored_as(struct mean *m, const struct graph_access *x, graph_id node)
{
    unsigned bits = uop_type_bits((enum uop_type)graph_at(m->g, node)->type), part = x->width > 8 ? 4 : x->width;
    enum mean_kind element = element_kind(m, x->address, (enum uop_space)x->space, part);
    if (element == KIND_UNKNOWN && x->width == 8) /* two elements of 32 bits */
        element = element_kind(m, x->address, (enum uop_space)x->space, 4);
    enum mean_kind own = mean_kind_of(m, node);
    if (element == KIND_UNKNOWN || mean_kind_bits(element) != bits)
        return UOP_VOID;
    if (mean_kind_is_float(element))
        return mean_kind_type(element);
    return !mean_kind_is_float(own) ? UOP_VOID : bits == 16 ? UOP_B16 : bits == 64 ? UOP_B64 : UOP_B32;
}

enum mean_kind mean_kind_of(struct mean *m, graph_id id)
{
    if (!m->work->kinds || id >= m->work->kind_count)
        return find_kind(m, id);
    if (m->work->kinds[id] == 0)
        m->work->kinds[id] = (uint8_t)(1 + find_kind(m, id));
    return (enum mean_kind)(m->work->kinds[id] - 1);
}

static enum mean_kind kind_text(struct mean *m, graph_id id, unsigned depth)
{
    const struct graph_node *n = graph_at(m->g, id);
    unsigned bits = uop_type_bits((enum uop_type)n->type);
    if (mean_widened_half(m, n) != GRAPH_NIL)
        return KIND_F32;
    switch (n->kind) {
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_NOT:
    case UOP_LOP3:
    case UOP_SHL:
    case UOP_PRMT:
    case UOP_BFE:
    case UOP_BMSK:
    case UOP_BREV:
    case UOP_FLO:
    case UOP_DP4A:
    case UOP_SAD:
    case UOP_ADDC:
    case UOP_BALLOT:
    case UOP_MATCH:
    case UOP_REDUX:
        if (n->type == UOP_F32)
            return KIND_F32;
        return bits == 1 ? KIND_PRED : bits >= 32 ? integer_kind(bits, false) : KIND_UNKNOWN;
    case UOP_LO:
    case UOP_HI:
        if (!mean_half_is_element(m, n)) { /* "mulhi" gives an int */
            const struct graph_node *whole = graph_at(m->g, n->arg[0]);
            bool is_signed =
                n->kind == UOP_HI && whole->kind == UOP_MUL && graph_at(m->g, whole->arg[0])->kind == UOP_SEXT;
            if (bits != 32) /* half of a number that is declared an integer */
                return mean_kind_bits(mean_kind_made(m, n->arg[0], 0)) == 32 &&
                               !mean_kind_is_float(mean_kind_made(m, n->arg[0], 0))
                           ? KIND_U16
                           : KIND_UNKNOWN;
            return is_signed ? KIND_S32 : KIND_U32;
        }
        break;
    case UOP_CBANK: {
        const struct mean_param *p = mean_param_of(m, id);
        if (p && p->size == 8 && bits == 32)
            return KIND_U32; /* "hi(x)" */
        break;
    }
    case UOP_LOAD:
    case UOP_ELEMENT: break;
    case UOP_UNIFORM:
    case UOP_SHFL: return depth < MADE_DEPTH ? kind_text(m, n->arg[0], depth + 1) : KIND_UNKNOWN;
    case UOP_SELECT: { /* one float arm makes it a float */
        enum mean_kind found = KIND_UNKNOWN;
        for (unsigned i = 1; i < 3 && depth < MADE_DEPTH; i++) {
            enum mean_kind k = kind_text(m, n->arg[i], depth + 1);
            if (found == KIND_UNKNOWN || (mean_kind_is_float(k) && !mean_kind_is_float(found)))
                found = k;
        }
        return found;
    }
    default: return mean_kind_made(m, id, 0);
    }
    return mean_kind_of(m, id);
}

enum mean_kind mean_kind_text(struct mean *m, graph_id id)
{
    return kind_text(m, id, 0);
}

void mean_infer_arrays(struct mean *m)
{
    const struct graph *g = m->g;
    size_t count = g->accesses.n;
    for (size_t turn = 0; turn < 2 * count; turn++) { /* the second time arrays that are copied from others are known */
        const struct graph_access *x = &g->accesses.p[turn % count];
        struct graph_affine f;
        int at = mean_array_of(m, x->address, (enum uop_space)x->space, &f);
        struct mean_array *array = at < 0 ? NULL : &m->work->arrays[at];
        if (!array || array->declared || array->doubtful)
            continue;
        for (unsigned w = 0; w < 4; w++) {
            graph_id v = x->kind == GRAPH_LOAD && w == 0 ? x->result : x->value[w];
            if (v == GRAPH_NIL)
                continue;
            enum mean_kind k = x->kind == GRAPH_LOAD ? kind_used(m, v, 0) : mean_kind_made(m, v, 0);
            if (k == KIND_UNKNOWN)
                continue;
            bool agrees = mean_kind_is_float(k) && (array->kind == KIND_UNKNOWN || array->kind == k);
            array->kind = agrees ? k : KIND_UNKNOWN;
            array->doubtful = !agrees;
        }
    }
}

const char *mean_type(struct mean *m, graph_id node)
{
    if (node == GRAPH_NIL || node >= m->g->nodes.n)
        return "b32";
    return kinds[mean_kind_of(m, node)].text;
}
