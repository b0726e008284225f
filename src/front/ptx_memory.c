/* Loads, stores, atomics, fences.
 *
 * Parameters of a kernel are constants of the bank; parameters of functions are words of registers. A vector is one
 * access; of more than 16 bytes, several. requires: a linked function · gives: accesses as the waist knows them */
#include "front/ptx_internal.h"

enum { WORDS = 8, ITEMS = 8 };

struct access {
    enum ptx_space space;
    enum ptx_type type;
    unsigned items, bytes; /* bytes: of an item */
    unsigned order;        /* enum uop_order */
    bool fence_after, fence_before;
};

static enum ptx_space space_of(const struct ptx_lift *l)
{
    static const struct {
        const char *name;
        uint8_t space;
    } rows[] = {{"global", PTX_GLOBAL},
                {"shared", PTX_SHARED},
                {"local", PTX_LOCAL},
                {"param", PTX_PARAM},
                {"const", PTX_CONST}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ptx_has(l, rows[i].name))
            return (enum ptx_space)rows[i].space;
    return PTX_GENERIC;
}

static unsigned scope_order(const struct ptx_lift *l)
{
    return ptx_has(l, "cta") ? UOP_RELAXED_CTA : ptx_has(l, "sys") ? UOP_RELAXED_SYS : UOP_RELAXED_GPU;
}

static unsigned order_of(const struct ptx_lift *l)
{
    if (ptx_has(l, "nc"))
        return UOP_READONLY;
    if (ptx_has(l, "volatile"))
        return UOP_RELAXED_SYS;
    if (ptx_has(l, "mmio"))
        return UOP_MMIO;
    return ptx_has(l, "relaxed") || ptx_has(l, "acquire") || ptx_has(l, "release") ? scope_order(l) : UOP_WEAK;
}

/* Hints of caches say nothing of the value; scopes and orders are looked at by name. */
#define ACCESS_WORDS                                                                                                 \
    "global shared local param const cta weak volatile relaxed acquire release mmio gpu sys cluster nc ca cg cs lu " \
    "cv wb wt "                                                                                                      \
    "v2 v4 v8 L1 L2 evict_normal evict_unchanged evict_first evict_last no_allocate 64B 128B 256B cache_hint func "  \
    "entry"

static bool read_access(struct ptx_lift *l, struct access *x)
{
    *x = (struct access){.space = space_of(l), .type = ptx_type_at(l, 0), .items = 1, .order = order_of(l)};
    x->items = ptx_has(l, "v2") ? 2 : ptx_has(l, "v4") ? 4 : ptx_has(l, "v8") ? 8 : 1;
    x->bytes = ptx_type_bits(x->type) / 8;
    x->fence_after = ptx_has(l, "acquire");
    x->fence_before = ptx_has(l, "release");
    bool well = x->type != PTX_UNTYPED && x->type != PTX_PRED && x->type != PTX_OTHER_TYPE && x->bytes <= 8 &&
                x->items * x->bytes <= 4 * WORDS && x->items <= ITEMS && !ptx_has(l, "cluster");
    if (!well)
        ptx_refuse(l);
    return well;
}

static struct uop fence(unsigned scope)
{
    struct uop op = ptx_blank(UOP_FENCE, UOP_VOID);
    op.imm = scope;
    return op;
}

static unsigned fence_scope(const struct ptx_lift *l)
{
    return ptx_has(l, "cta") ? 0 : ptx_has(l, "gpu") || ptx_has(l, "gl") ? 1 : ptx_has(l, "sys") ? 2 : 3;
}

/* [base + offset] as an address of its space: 64 bits for global and generic memory, else 32. A variable named where
 * the instruction says no space has its own. */
static uop_ref address(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_space *space)
{
    if (o->kind != PTX_MEMORY || o->item_count < 1) {
        ptx_refuse(l);
        return uop_make_const(&l->make, UOP_B64, 0);
    }
    const struct ptx_operand *base = &o->items[0];
    if (base->kind == PTX_ADDRESS && *space == PTX_GENERIC)
        *space = (enum ptx_space)l->m->variables.p[base->index].space;
    bool narrow = base->kind == PTX_REGISTER && l->f->registers.p[base->index].words == 1;
    uop_ref at = ptx_value(l, base, narrow ? PTX_U32 : PTX_U64);
    bool wide = *space == PTX_GLOBAL || *space == PTX_GENERIC;
    if (wide && narrow)
        at = uop_make_imm(&l->make, UOP_ZEXT, UOP_B64, 32, at, UOP_NONE, UOP_NONE);
    if (!wide && !narrow)
        at = uop_make_lo(&l->make, at);
    enum uop_type as = wide ? UOP_B64 : UOP_B32;
    return uop_make_add(&l->make, as, at, uop_make_const(&l->make, as, (uint64_t)o->value));
}

static uint8_t waist_space(enum ptx_space space)
{
    return space == PTX_GLOBAL   ? UOP_GLOBAL
           : space == PTX_SHARED ? UOP_SHARED
           : space == PTX_LOCAL  ? UOP_LOCAL
                                 : UOP_GENERIC;
}

/* ---- items to words and back ----------------------------------------------------------------- */

static const struct ptx_operand *item_of(const struct ptx_operand *o, unsigned i)
{
    return o->kind == PTX_VECTOR ? &o->items[i] : o;
}

static bool counts(struct ptx_lift *l, const struct ptx_operand *o, unsigned items)
{
    bool well = o->kind == PTX_VECTOR ? o->item_count == items : items == 1;
    if (!well)
        ptx_refuse(l);
    return well;
}

/* The items of what was read as words. One item of 8 or 16 bits has been extended by the load. */
static void give_items(struct ptx_lift *l, const struct ptx_operand *d, const struct access *x,
                       const uop_ref word[WORDS])
{
    for (unsigned i = 0; i < x->items; i++) {
        unsigned bit = i * x->bytes * 8;
        uop_ref v = word[bit / 32];
        enum ptx_type t = x->type;
        if (x->bytes == 8)
            v = uop_make_pair(&l->make, v, word[bit / 32 + 1]);
        else if (x->bytes == 2 && (x->items > 1 || t == PTX_F16 || t == PTX_BF16))
            v = t == PTX_F16 || t == PTX_BF16
                    ? ptx_half(l, v, bit % 32)
                    : ptx_extend(l, t == PTX_B16 ? PTX_U16 : t, ptx_word_of_half(l, ptx_half(l, v, bit % 32)));
        else if (x->bytes == 1 && x->items > 1)
            v = ptx_extend(l, t == PTX_B8 ? PTX_U8 : t,
                           bit % 32 ? uop_make_op(&l->make, UOP_SHR, UOP_B32, v,
                                                  uop_make_const(&l->make, UOP_B32, bit % 32), UOP_NONE)
                                    : v);
        ptx_put(l, item_of(d, i), t, v);
    }
}

/* The words that hold the items of an operand; how many. */
static unsigned take_items(struct ptx_lift *l, const struct ptx_operand *s, const struct access *x, uop_ref word[WORDS])
{
    for (unsigned i = 0; i < x->items; i++) {
        unsigned bit = i * x->bytes * 8;
        enum ptx_type t = x->bytes == 8 ? PTX_B64 : x->bytes == 4 ? PTX_B32 : x->bytes == 2 ? PTX_B16 : PTX_B8;
        const struct ptx_operand *o = item_of(s, i);
        bool number = o->kind == PTX_FLOAT32 || o->kind == PTX_FLOAT64;
        uop_ref v = ptx_value(l, o, number && x->bytes >= 4 ? x->type : t);
        if (x->bytes == 8) {
            word[bit / 32] = uop_make_lo(&l->make, v);
            word[bit / 32 + 1] = uop_make_hi(&l->make, v);
        } else if (x->bytes == 4) {
            word[bit / 32] = v;
        } else if (x->bytes == 2) {
            word[bit / 32] =
                bit % 32 ? ptx_word_of_halves(l, ptx_half(l, word[bit / 32], false), ptx_half(l, v, false)) : v;
        } else if (x->items == 1) {
            word[0] = v;
        } else {
            v = uop_make_imm(&l->make, UOP_ZEXT, UOP_B32, 8, v, UOP_NONE, UOP_NONE);
            v = uop_make_op(&l->make, UOP_SHL, UOP_B32, v, uop_make_const(&l->make, UOP_B32, bit % 32), UOP_NONE);
            word[bit / 32] = bit % 32 ? uop_make_or(&l->make, UOP_B32, word[bit / 32], v) : v;
        }
    }
    return (x->items * x->bytes + 3) / 4;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Words of constant bank 0 (or 3) from an offset on, `index` added. */
static void load_bank(struct ptx_lift *l, const struct access *x, unsigned bank, uint64_t offset, uop_ref index)
{
    const struct ptx_operand *d = ptx_operand(l, 0);
    if (!counts(l, d, x->items))
        return;
    for (unsigned i = 0; i < x->items; i++) {
        enum uop_type as = x->bytes == 1 ? UOP_B8 : x->bytes == 2 ? UOP_B16 : x->bytes == 4 ? UOP_B32 : UOP_B64;
        struct uop op = ptx_blank(UOP_CBANK, as);
        op.space = (uint8_t)bank;
        op.width = (uint8_t)x->bytes;
        op.imm = offset + (uint64_t)i * x->bytes;
        op.arg[0] = index;
        uop_ref v = uop_make_emit(&l->make, op);
        bool half = x->type == PTX_F16 || x->type == PTX_BF16;
        if (x->bytes < 4 && !half)
            v = uop_make_imm(&l->make, ptx_type_is_signed(x->type) ? UOP_SEXT : UOP_ZEXT, UOP_B32, 8 * x->bytes, v,
                             UOP_NONE, UOP_NONE);
        ptx_put(l, item_of(d, i), x->type, v);
    }
}

/* The words of a function's parameter that [variable + offset] names; false when it has none there. */
static bool param_words(struct ptx_lift *l, const struct ptx_operand *o, const struct access *x, uint32_t *first,
                        unsigned *shift)
{
    const struct ptx_operand *base = o->kind == PTX_MEMORY && o->item_count ? &o->items[0] : NULL;
    uint32_t number;
    if (!base || base->kind != PTX_ADDRESS || !ptx_param_word(l, base->index, &number))
        return false;
    uint64_t at = (uint64_t)base->value, bytes = l->m->variables.p[base->index].bytes;
    if (at > bytes || x->items * x->bytes > bytes - at || (at % 4 && (x->items > 1 || at % 4 + x->bytes > 4)))
        return false;
    *first = number + (uint32_t)(at / 4);
    *shift = (unsigned)(at % 4) * 8;
    return true;
}

static void load_param(struct ptx_lift *l, const struct access *x)
{
    const struct ptx_operand *o = ptx_operand(l, 1),
                             *base = o->kind == PTX_MEMORY && o->item_count ? &o->items[0] : NULL;
    const struct ptx_variable *v = base && base->kind == PTX_ADDRESS ? &l->m->variables.p[base->index] : NULL;
    uint32_t first;
    unsigned shift;
    uop_ref word[WORDS] = {0};
    if (v && v->is_input && l->f->is_entry && v->space == PTX_PARAM) {
        load_bank(l, x, 0, l->linker->places->param_base + v->offset + (uint64_t)base->value, UOP_NONE);
        return;
    }
    if (!v && l->f->is_entry) { /* by address: what a mov of the parameter's name gave */
        enum ptx_space space = PTX_PARAM;
        load_bank(l, x, 0, 0, address(l, o, &space));
        return;
    }
    if (!counts(l, ptx_operand(l, 0), x->items))
        return;
    if (!param_words(l, o, x, &first, &shift)) {
        ptx_unknown(l, false);
        return;
    }
    for (unsigned i = 0; i < (x->items * x->bytes + 3) / 4; i++)
        word[i] = ptx_read_word(l, first + i);
    if (shift)
        word[0] = uop_make_op(&l->make, UOP_SHR, UOP_B32, word[0], uop_make_const(&l->make, UOP_B32, shift), UOP_NONE);
    if (x->items == 1)
        word[0] = ptx_extend(l, x->type, word[0]);
    give_items(l, ptx_operand(l, 0), x, word);
}

static void store_param(struct ptx_lift *l, const struct access *x)
{
    const struct ptx_operand *o = ptx_operand(l, 0), *s = ptx_operand(l, 1);
    uint32_t first;
    unsigned shift;
    uop_ref word[WORDS] = {0};
    if (!counts(l, s, x->items))
        return;
    if (!param_words(l, o, x, &first, &shift)) {
        ptx_unknown(l, false);
        return;
    }
    unsigned n = take_items(l, s, x, word);
    uint64_t bytes = l->m->variables.p[o->items[0].index].bytes;
    if (x->items == 1 && x->bytes < 4 && bytes > x->bytes) { /* a part of a word: the rest stays */
        uint32_t mask = (x->bytes == 1 ? 0xffu : 0xffffu) << shift;
        uop_ref old =
            uop_make_and(&l->make, UOP_B32, ptx_read_word(l, first), uop_make_const(&l->make, UOP_B32, ~mask));
        uop_ref put =
            uop_make_op(&l->make, UOP_SHL, UOP_B32, word[0], uop_make_const(&l->make, UOP_B32, shift), UOP_NONE);
        put = uop_make_and(&l->make, UOP_B32, put, uop_make_const(&l->make, UOP_B32, mask));
        word[0] = uop_make_or(&l->make, UOP_B32, old, put);
    }
    for (unsigned i = 0; i < n; i++)
        ptx_write_word(l, first + i, word[i]);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static struct uop access_op(enum uop_kind kind, enum uop_type type, const struct access *x, enum ptx_space space,
                            unsigned width)
{
    struct uop op = ptx_blank(kind, type);
    op.space = waist_space(space);
    op.order = (uint8_t)x->order;
    op.width = (uint8_t)width;
    return op;
}

static void lift_ld(struct ptx_lift *l)
{
    struct access x;
    ptx_expect(l, ACCESS_WORDS, 2, 3);
    if (!read_access(l, &x))
        return;
    const struct ptx_operand *d = ptx_operand(l, 0);
    enum ptx_space space = x.space;
    if (space == PTX_PARAM) {
        load_param(l, &x);
        return;
    }
    uop_ref at = address(l, ptx_operand(l, 1), &space), word[WORDS] = {0};
    if (space == PTX_CONST) {
        uint64_t offset = 0;
        uop_ref index = uop_make_is_const(&l->make, at, &offset) ? UOP_NONE : at;
        load_bank(l, &x, 3, index == UOP_NONE ? offset : 0, index);
        return;
    }
    if (space == PTX_PARAM) {
        load_param(l, &x);
        return;
    }
    if (!counts(l, d, x.items))
        return;
    unsigned all = x.items * x.bytes;
    for (unsigned from = 0; from < all; from += 16) {
        unsigned width = all - from < 16 ? all - from : 16;
        struct uop op = access_op(UOP_LOAD, width == 16 ? UOP_B128 : width == 8 ? UOP_B64 : UOP_B32, &x, space, width);
        op.flags = x.items == 1 && ptx_type_is_signed(x.type) && width < 4 ? UOP_SIGNED : 0;
        enum uop_type as = space == PTX_SHARED || space == PTX_LOCAL ? UOP_B32 : UOP_B64;
        op.arg[0] = from ? uop_make_add(&l->make, as, at, uop_make_const(&l->make, as, from)) : at;
        uop_ref v = uop_make_emit(&l->make, op);
        if (width == 16)
            for (unsigned i = 0; i < 4; i++)
                word[from / 4 + i] = uop_make_imm(&l->make, UOP_ELEMENT, UOP_B32, i, v, UOP_NONE, UOP_NONE);
        else if (width == 8 && x.items == 1) {
            ptx_put(l, d, x.type, v);
            if (x.fence_after)
                uop_make_emit(&l->make, fence(fence_scope(l)));
            return;
        } else if (width == 8) {
            word[from / 4] = uop_make_lo(&l->make, v);
            word[from / 4 + 1] = uop_make_hi(&l->make, v);
        } else {
            word[from / 4] = v;
        }
    }
    give_items(l, d, &x, word);
    if (x.fence_after)
        uop_make_emit(&l->make, fence(fence_scope(l)));
}

static void lift_st(struct ptx_lift *l)
{
    struct access x;
    ptx_expect(l, ACCESS_WORDS, 2, 3);
    if (!read_access(l, &x))
        return;
    enum ptx_space space = x.space;
    const struct ptx_operand *s = ptx_operand(l, 1);
    if (space == PTX_PARAM) {
        store_param(l, &x);
        return;
    }
    uop_ref at = address(l, ptx_operand(l, 0), &space), word[WORDS] = {0};
    if (space == PTX_CONST || space == PTX_PARAM)
        ptx_refuse(l);
    if (!counts(l, s, x.items))
        return;
    if (x.fence_before)
        uop_make_emit(&l->make, fence(fence_scope(l)));
    take_items(l, s, &x, word);
    unsigned all = x.items * x.bytes;
    for (unsigned from = 0; from < all; from += 16) {
        unsigned width = all - from < 16 ? all - from : 16;
        struct uop op = access_op(UOP_STORE, UOP_VOID, &x, space, width);
        enum uop_type as = space == PTX_SHARED || space == PTX_LOCAL ? UOP_B32 : UOP_B64;
        op.arg[0] = from ? uop_make_add(&l->make, as, at, uop_make_const(&l->make, as, from)) : at;
        for (unsigned i = 0; i < (width + 3) / 4; i++)
            op.arg[1 + i] = word[from / 4 + i];
        uop_make_emit(&l->make, op);
    }
}

/* ---- atomics --------------------------------------------------------------------------------- */

static bool atom_operation(const struct ptx_lift *l, uint64_t *out)
{
    static const struct {
        const char *name;
        uint8_t atom;
    } rows[] = {{"add", UOP_ATOM_ADD},   {"min", UOP_ATOM_MIN}, {"max", UOP_ATOM_MAX}, {"inc", UOP_ATOM_INC},
                {"dec", UOP_ATOM_DEC},   {"and", UOP_ATOM_AND}, {"or", UOP_ATOM_OR},   {"xor", UOP_ATOM_XOR},
                {"exch", UOP_ATOM_EXCH}, {"cas", UOP_ATOM_CAS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ptx_has(l, rows[i].name)) {
            *out = rows[i].atom;
            return true;
        }
    return false;
}

static void atomic(struct ptx_lift *l, bool result)
{
    ptx_expect(
        l,
        "global shared cta relaxed acquire release acq_rel gpu sys noftz add min max inc dec and or xor exch cas L2 "
        "cache_hint",
        2, 5);
    enum ptx_type t = ptx_type_at(l, 0);
    uint64_t which = 0;
    unsigned first = result ? 1 : 0;
    enum ptx_space space = space_of(l);
    struct uop op = ptx_blank(result ? UOP_ATOM : UOP_RED, ptx_type_uop(t));
    if (!atom_operation(l, &which))
        ptx_refuse(l);
    unsigned values = which == UOP_ATOM_CAS ? 2 : 1;
    bool swaps = which == UOP_ATOM_CAS || which == UOP_ATOM_EXCH;
    bool well = l->insn->operand_count == first + 1 + values && (!swaps || result) && ptx_type_bits(t) >= 32 &&
                t != PTX_B128 && t != PTX_F32X2 && t != PTX_UNTYPED && !ptx_has(l, "cluster");
    if (!well) { /* halves, vectors and what else: memory changes */
        ptx_refuse(l);
        return;
    }
    if (t == PTX_F16X2 || t == PTX_BF16X2)
        op.type = t == PTX_F16X2 ? UOP_F16 : UOP_BF16;
    op.imm = which;
    op.width = (uint8_t)(ptx_type_bits(t) / 8);
    op.flags = ptx_type_is_signed(t) ? UOP_SIGNED : 0;
    if (t == PTX_F32 && space == PTX_GLOBAL && which == UOP_ATOM_ADD)
        op.flags |= UOP_FTZ;
    op.arg[0] = address(l, ptx_operand(l, first), &space);
    op.space = waist_space(space);
    op.order = (uint8_t)(space == PTX_SHARED ? UOP_WEAK : scope_order(l));
    for (unsigned i = 0; i < values; i++)
        op.arg[1 + i] = ptx_source(l, first + 1 + i, t);
    bool orders = ptx_has(l, "acq_rel") || ptx_has(l, "acquire") || ptx_has(l, "release");
    if (orders)
        uop_make_emit(&l->make, fence(fence_scope(l)));
    uop_ref v = uop_make_emit(&l->make, op);
    if (orders)
        uop_make_emit(&l->make, fence(fence_scope(l)));
    if (result)
        ptx_result(l, 0, t, v);
}

static void lift_atom(struct ptx_lift *l)
{
    if (l->insn->operand_count && l->insn->operands[0].kind == PTX_NOTHING && !ptx_has(l, "cas") &&
        !ptx_has(l, "exch")) {
        /* atom.add.u32 _, [a], b: a reduction */
        struct ptx_insn red = *l->insn;
        red.operands++;
        red.operand_count--;
        const struct ptx_insn *whole = l->insn;
        l->insn = &red;
        atomic(l, false);
        l->insn = whole;
        return;
    }
    atomic(l, true);
}

static void lift_red(struct ptx_lift *l)
{
    if (ptx_has(l, "async")) {
        ptx_refuse(l);
        return;
    }
    atomic(l, false);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void lift_fence(struct ptx_lift *l)
{
    uop_make_emit(&l->make, fence(ptx_has(l, "proxy") ? 3 : fence_scope(l)));
}

/* Hints to caches: no value that a program can see. */
static void lift_hint(struct ptx_lift *l)
{
    struct uop op = ptx_blank(UOP_PREFETCH, UOP_VOID);
    enum ptx_space space = space_of(l);
    const struct ptx_operand *o = ptx_operand(l, 0);
    if (o->kind == PTX_MEMORY)
        op.arg[0] = address(l, o, &space);
    uop_make_emit(&l->make, op);
}

const struct ptx_op ptx_memory_ops[] = {
    {"ld", lift_ld},
    {"ldu", lift_ld},
    {"st", lift_st},
    {"atom", lift_atom},
    {"red", lift_red},
    {"membar", lift_fence},
    {"fence", lift_fence},
    {"prefetch", lift_hint},
    {"prefetchu", lift_hint},
    {"applypriority", lift_hint},
    {NULL, NULL},
};
