/* Operands of PTX instructions as values, results as writes: registers by word, literals, special registers, addresses
 * of variables. A word that holds 8 or 16 bits says nothing of the bits above; whoever reads a number of them extends
 * it.
 *
 * requires: a linked function (ptx_link.c) · gives: values in the list under construction */
#include "front/ptx_internal.h"

#include <string.h>

void ptx_refuse(struct ptx_lift *l)
{
    l->make.refused = true;
}

bool ptx_has(const struct ptx_lift *l, const char *mod)
{
    for (unsigned i = 0; i < l->insn->mod_count; i++)
        if (ptx_word_is(l->insn->mods[i], mod))
            return true;
    return false;
}

enum ptx_type ptx_type_at(const struct ptx_lift *l, unsigned n)
{
    for (unsigned i = 0; i < l->insn->mod_count; i++) {
        enum ptx_type t = ptx_type_named(l->insn->mods[i]);
        if (t != PTX_UNTYPED && n-- == 0)
            return t;
    }
    return PTX_UNTYPED;
}

static bool listed(struct ptx_word w, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        if (n == w.n && memcmp(words, w.p, n) == 0)
            return true;
        words += n + (words[n] != '\0');
    }
    return false;
}

void ptx_expect(struct ptx_lift *l, const char *words, unsigned least, unsigned most)
{
    if (l->insn->too_long || l->insn->operand_count < least || l->insn->operand_count > most)
        ptx_refuse(l);
    for (unsigned i = 0; i < l->insn->mod_count; i++) {
        enum ptx_type t = ptx_type_named(l->insn->mods[i]);
        if (t == PTX_OTHER_TYPE || (t == PTX_UNTYPED && !listed(l->insn->mods[i], words)))
            ptx_refuse(l);
    }
}

const struct ptx_operand *ptx_operand(struct ptx_lift *l, unsigned i)
{
    static const struct ptx_operand nothing = {.kind = PTX_NOTHING};
    if (i < l->insn->operand_count)
        return &l->insn->operands[i];
    ptx_refuse(l);
    return &nothing;
}

struct uop ptx_blank(enum uop_kind kind, enum uop_type type)
{
    return (struct uop){
        .kind = (uint8_t)kind, .type = (uint8_t)type, .arg = {UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE, UOP_NONE}};
}

unsigned ptx_float_flags(const struct ptx_lift *l)
{
    return (ptx_has(l, "ftz") ? UOP_FTZ : 0u) | (ptx_has(l, "sat") ? UOP_SAT : 0u) |
           (ptx_has(l, "relu") ? UOP_RELU : 0u);
}

unsigned ptx_round(const struct ptx_lift *l)
{
    return ptx_has(l, "rz") ? UOP_RZ : ptx_has(l, "rm") ? UOP_RM : ptx_has(l, "rp") ? UOP_RP : UOP_RN;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uop_ref read_register(struct ptx_lift *l, enum uop_file file, uint32_t number)
{
    for (size_t i = 0; i < l->make.list->ops.n; i++) {
        const struct uop *o = &l->make.list->ops.p[i];
        if (o->kind == UOP_READ && o->file == file && o->reg == number)
            return (uop_ref)i;
    }
    struct uop op = ptx_blank(UOP_READ, file == UOP_FILE_P ? UOP_B1 : UOP_B32);
    op.file = (uint8_t)file;
    op.reg = (uint16_t)number;
    return uop_make_emit(&l->make, op);
}

static void write_register(struct ptx_lift *l, enum uop_file file, uint32_t number, uop_ref v)
{
    struct uop op = ptx_blank(UOP_WRITE, UOP_VOID);
    op.file = (uint8_t)file;
    op.reg = (uint16_t)number;
    op.arg[0] = v;
    uop_make_emit(&l->make, op);
}

uop_ref ptx_read_word(struct ptx_lift *l, uint32_t number)
{
    return read_register(l, UOP_FILE_R, number);
}

void ptx_write_word(struct ptx_lift *l, uint32_t number, uop_ref v)
{
    write_register(l, UOP_FILE_R, number, v);
}

uop_ref ptx_read_predicate(struct ptx_lift *l, uint32_t number)
{
    return read_register(l, UOP_FILE_P, number);
}

void ptx_write_predicate(struct ptx_lift *l, uint32_t number, uop_ref v)
{
    write_register(l, UOP_FILE_P, number, v);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

uop_ref ptx_extend(struct ptx_lift *l, enum ptx_type type, uop_ref v)
{
    unsigned bits = ptx_type_bits(type);
    bool plain = type == PTX_B8 || type == PTX_B16 || bits >= 32;
    if (plain)
        return v;
    return uop_make_imm(&l->make, ptx_type_is_signed(type) ? UOP_SEXT : UOP_ZEXT, UOP_B32, bits, v, UOP_NONE, UOP_NONE);
}

uop_ref ptx_half(struct ptx_lift *l, uop_ref word, bool high)
{
    const struct uop *o = word < l->make.list->ops.n ? &l->make.list->ops.p[word] : NULL;
    if (o && o->kind == UOP_PAIR && o->type == UOP_B32)
        return o->arg[high];
    return uop_make_op(&l->make, high ? UOP_HI : UOP_LO, UOP_B16, word, UOP_NONE, UOP_NONE);
}

uop_ref ptx_word_of_halves(struct ptx_lift *l, uop_ref low, uop_ref high)
{
    return uop_make_op(&l->make, UOP_PAIR, UOP_B32, low, high, UOP_NONE);
}

uop_ref ptx_word_of_half(struct ptx_lift *l, uop_ref half)
{
    return uop_make_imm(&l->make, UOP_ZEXT, UOP_B32, 16, half, UOP_NONE, UOP_NONE);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uop_ref literal(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type)
{
    uint64_t bits = (uint64_t)o->value;
    enum uop_type as = ptx_type_uop(type);
    if (o->kind == PTX_FLOAT64 && type == PTX_F32) {
        double d;
        memcpy(&d, &bits, sizeof d);
        float f = (float)d;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        return uop_make_const(&l->make, UOP_F32, word);
    }
    if (o->kind == PTX_FLOAT32 && type == PTX_F64) {
        float f;
        uint32_t word = (uint32_t)bits;
        memcpy(&f, &word, sizeof f);
        double d = (double)f;
        memcpy(&bits, &d, sizeof bits);
    }
    if (o->kind == PTX_INTEGER && (type == PTX_F32 || type == PTX_F64))
        ptx_refuse(l);
    if (type == PTX_F16 || type == PTX_BF16)
        return uop_make_const(&l->make, UOP_B16, bits);
    if (type == PTX_PRED)
        return uop_make_const(&l->make, UOP_B1, bits != 0);
    return ptx_extend(l, type, uop_make_const(&l->make, as == UOP_B128 ? UOP_B64 : as, bits));
}

static uop_ref from_words(struct ptx_lift *l, uop_ref low, uop_ref high, enum ptx_type type)
{
    if (ptx_type_bits(type) == 64)
        return high == UOP_NONE ? uop_make_imm(&l->make, ptx_type_is_signed(type) ? UOP_SEXT : UOP_ZEXT, UOP_B64, 32,
                                               low, UOP_NONE, UOP_NONE)
                                : uop_make_pair(&l->make, low, high);
    if (type == PTX_F16 || type == PTX_BF16)
        return ptx_half(l, low, false);
    return ptx_extend(l, type, low);
}

static uop_ref constant_word(struct ptx_lift *l, uint32_t offset, enum uop_type type)
{
    struct uop op = ptx_blank(UOP_CBANK, type);
    op.imm = offset;
    op.width = (uint8_t)(uop_type_bits(type) / 8);
    return uop_make_emit(&l->make, op);
}

/* The address of a variable in its own space, of 64 bits. */
static uop_ref variable_address(struct ptx_lift *l, const struct ptx_operand *o)
{
    const struct ptx_variable *v = &l->m->variables.p[o->index];
    const struct ptx_places *places = l->linker->places;
    uop_ref offset = uop_make_const(&l->make, UOP_B64, (uint64_t)o->value);
    switch (v->space) {
    case PTX_SHARED:
    case PTX_CONST: return uop_make_const(&l->make, UOP_B64, ptx_offset(l, o->index) + (uint64_t)o->value);
    case PTX_LOCAL: {
        uint64_t below = ptx_offset(l, o->index) - ((l->linker->local + 15) & ~UINT64_C(15));
        uop_ref sp = constant_word(l, places->stack_offset, UOP_B32);
        uop_ref at = uop_make_add(&l->make, UOP_B32, sp, uop_make_const(&l->make, UOP_B32, below));
        at = uop_make_imm(&l->make, UOP_ZEXT, UOP_B64, 32, at, UOP_NONE, UOP_NONE);
        return uop_make_add(&l->make, UOP_B64, at, offset);
    }
    case PTX_GLOBAL: {
        struct uop op = ptx_blank(UOP_CBANK, UOP_B64); /* where the loader writes it */
        op.space = 4;
        op.width = 8;
        op.imm = 8 * v->offset;
        return uop_make_add(&l->make, UOP_B64, uop_make_emit(&l->make, op), offset);
    }
    case PTX_PARAM:
        if (v->is_input && l->f->is_entry)
            return uop_make_const(&l->make, UOP_B64, places->param_base + v->offset + (uint64_t)o->value);
        break;
    default: break;
    }
    l->opaque = true;
    return ptx_unknown_value(l, UOP_B64, 0);
}

static uop_ref special(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type)
{
    struct uop op = ptx_blank(UOP_SREG, UOP_B32);
    op.imm = o->index;
    if (o->index != UINT32_MAX) {
        uop_ref v = uop_make_emit(&l->make, op);
        return ptx_type_bits(type) == 64 ? uop_make_imm(&l->make, UOP_ZEXT, UOP_B64, 32, v, UOP_NONE, UOP_NONE) : v;
    }
    bool clock = ptx_word_is(o->name, "%clock64"), timer = ptx_word_is(o->name, "%globaltimer");
    if (clock || timer) {
        op.imm = clock ? UOP_SR_CLOCK_LO : UOP_SR_GLOBALTIMER_LO;
        uop_ref low = uop_make_emit(&l->make, op);
        op.imm++;
        return uop_make_pair(&l->make, low, uop_make_emit(&l->make, op));
    }
    l->opaque = true;
    struct uop any = ptx_blank(UOP_OPAQUE, ptx_type_bits(type) == 64 ? UOP_B64 : type == PTX_PRED ? UOP_B1 : UOP_B32);
    return uop_make_emit(&l->make, any);
}

uop_ref ptx_predicate(struct ptx_lift *l, const struct ptx_operand *o)
{
    uop_ref v;
    if (o->kind == PTX_INTEGER) {
        v = uop_make_const(&l->make, UOP_B1, o->value != 0);
    } else if (o->kind == PTX_REGISTER && l->f->registers.p[o->index].type == PTX_PRED && !o->part) {
        v = ptx_read_predicate(l, ptx_number(l, o->index));
    } else if (o->kind == PTX_SPECIAL && o->index == UINT32_MAX) {
        v = special(l, o, PTX_PRED);
    } else {
        ptx_refuse(l);
        return uop_make_const(&l->make, UOP_B1, 0);
    }
    return o->negated ? uop_make_not(&l->make, UOP_B1, v) : v;
}

uop_ref ptx_value(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type)
{
    enum uop_type as = ptx_type_uop(type);
    if (type == PTX_PRED)
        return ptx_predicate(l, o);
    switch (o->kind) {
    case PTX_REGISTER: {
        const struct ptx_register *r = &l->f->registers.p[o->index];
        uint32_t number = ptx_number(l, o->index);
        if (o->part || o->negated || r->type == PTX_PRED ||
            (ptx_type_bits(type) == 64 && r->words < 2 && r->type != PTX_OTHER_TYPE))
            break;
        uop_ref low = ptx_read_word(l, number);
        return from_words(l, low, r->words >= 2 && ptx_type_bits(type) == 64 ? ptx_read_word(l, number + 1) : UOP_NONE,
                          type);
    }
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64: return literal(l, o, type);
    case PTX_SPECIAL: return ptx_extend(l, type, special(l, o, type));
    case PTX_ADDRESS: {
        uop_ref at = variable_address(l, o);
        return uop_type_bits(as) == 64 ? at : uop_make_lo(&l->make, at);
    }
    case PTX_FUNCTION: {
        struct uop any = ptx_blank(UOP_UNDEF, uop_type_bits(as) == 64 ? UOP_B64 : UOP_B32);
        return uop_make_emit(&l->make, any);
    }
    default: break;
    }
    ptx_refuse(l);
    return uop_make_const(&l->make, as == UOP_B128 ? UOP_B64 : as, 0);
}

uop_ref ptx_source(struct ptx_lift *l, unsigned i, enum ptx_type type)
{
    return ptx_value(l, ptx_operand(l, i), type);
}

/* ---- results --------------------------------------------------------------------------------- */

void ptx_put(struct ptx_lift *l, const struct ptx_operand *o, enum ptx_type type, uop_ref v)
{
    if (o->kind == PTX_NOTHING)
        return;
    if (o->kind != PTX_REGISTER || o->part || o->negated) {
        ptx_refuse(l);
        return;
    }
    const struct ptx_register *r = &l->f->registers.p[o->index];
    uint32_t number = ptx_number(l, o->index);
    if ((r->type == PTX_PRED) != (type == PTX_PRED)) {
        ptx_refuse(l);
        return;
    }
    if (type == PTX_PRED) {
        ptx_write_predicate(l, number, v);
        return;
    }
    if (type == PTX_F16 || type == PTX_BF16)
        v = ptx_word_of_half(l, v);
    bool wide = ptx_type_bits(type) == 64;
    if (!wide && r->words >= 2) /* a register wider than what is put there */
        v = uop_make_imm(&l->make, ptx_type_is_signed(type) ? UOP_SEXT : UOP_ZEXT, UOP_B64, 32, v, UOP_NONE, UOP_NONE);
    if (r->words < 2) {
        ptx_write_word(l, number, wide ? uop_make_lo(&l->make, v) : v);
        return;
    }
    ptx_write_word(l, number, uop_make_lo(&l->make, v));
    ptx_write_word(l, number + 1, uop_make_hi(&l->make, v));
}

void ptx_result(struct ptx_lift *l, unsigned i, enum ptx_type type, uop_ref v)
{
    ptx_put(l, ptx_operand(l, i), type, v);
}

/* ---- what has no meaning here ---------------------------------------------------------------- */

/* Reads every register an operand names; those that `skip` stands for too, for a result may be an operand. */
static void read_operand(struct ptx_lift *l, const struct ptx_operand *o, uop_ref *in, unsigned *n)
{
    if (o->kind == PTX_REGISTER) {
        const struct ptx_register *r = &l->f->registers.p[o->index];
        uint32_t number = ptx_number(l, o->index);
        for (unsigned word = 0; word < (r->words ? r->words : 1u); word++) {
            uop_ref v = r->words ? ptx_read_word(l, number + word) : ptx_read_predicate(l, number);
            if (*n < 4)
                in[(*n)++] = v;
        }
    }
    for (uint32_t i = 0; i < o->item_count; i++)
        read_operand(l, &o->items[i], in, n);
}

static void read_sources(struct ptx_lift *l, unsigned from, uop_ref in[4])
{
    unsigned n = 0;
    for (unsigned k = 0; k < 4; k++)
        in[k] = UOP_NONE;
    for (unsigned i = from; i < l->insn->operand_count; i++)
        read_operand(l, &l->insn->operands[i], in, &n);
}

uop_ref ptx_unknown_value(struct ptx_lift *l, enum uop_type type, unsigned number)
{
    struct uop any = ptx_blank(UOP_OPAQUE, type);
    uop_ref in[4];
    read_sources(l, 1, in);
    for (unsigned k = 0; k < 4; k++)
        any.arg[k] = in[k];
    any.imm = number;
    l->opaque = true;
    return uop_make_emit(&l->make, any);
}

static void unknown_results(struct ptx_lift *l, const struct ptx_operand *o, const uop_ref in[4], unsigned *number)
{
    if (o->kind == PTX_REGISTER) {
        const struct ptx_register *r = &l->f->registers.p[o->index];
        uint32_t first = ptx_number(l, o->index);
        for (unsigned word = 0; word < (r->words ? r->words : 1u); word++) {
            struct uop any = ptx_blank(UOP_OPAQUE, r->words ? UOP_B32 : UOP_B1);
            for (unsigned k = 0; k < 4; k++)
                any.arg[k] = in[k];
            any.imm = (*number)++;
            uop_ref v = uop_make_emit(&l->make, any);
            if (r->words)
                ptx_write_word(l, first + word, v);
            else
                ptx_write_predicate(l, first, v);
        }
    }
    for (uint32_t i = 0; i < o->item_count; i++)
        unknown_results(l, &o->items[i], in, number);
}

/* The first operand is taken for what is written, unless it is an address. */
void ptx_unknown(struct ptx_lift *l, bool effects)
{
    const struct ptx_operand *first = l->insn->operand_count ? &l->insn->operands[0] : NULL;
    bool writes = first && first->kind != PTX_MEMORY;
    uop_ref in[4];
    unsigned number = 0;
    read_sources(l, writes ? 1 : 0, in);
    if (writes)
        unknown_results(l, first, in, &number);
    if (!l->make.list->ops.n)
        uop_make_emit(&l->make, ptx_blank(UOP_MISC, UOP_VOID));
    l->make.list->opaque = true;
    l->make.list->unknown = effects;
}
