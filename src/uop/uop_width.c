/* How many registers an operand spans of an instruction that has no meaning here. The matrix products' fragments are as
 * large as their shape says: rows * columns * bits over the lanes of a warp (of a warp group). Textures and surfaces:
 * the mask, the dimension and the size say it. Of the others only the results' alignment is known, and 0 is answered.
 * requires/gives: see uop_build.h. */
#include "uop/uop_build.h"

#include <stdlib.h>

enum { LANE_BITS = 32 * 32, GROUP_BITS = 4 * LANE_BITS };

static bool has_reg(const struct lift *l, unsigned i)
{
    return i < lift_count(l) && lift_is_reg(l, i);
}

/* Which register of those printed operand i is, from 0 on. */
static unsigned place_of(const struct lift *l, unsigned i)
{
    unsigned place = 0;
    for (unsigned k = 0; k < i; k++)
        place += has_reg(l, k);
    return place;
}

/* 16816 is 16x8x16, 8832 is 8x8x32; others are spelled with an x. */
static bool read_shape(const struct lift *l, unsigned long shape[3])
{
    for (unsigned m = 0; m < l->insn->mod_count; m++) {
        const char *p = isa_mod_text((enum isa_mod)l->insn->mods[m]);
        char *end;
        if (*p < '0' || *p > '9')
            continue;
        shape[0] = strtoul(p, &end, 10);
        if (*end == 'x') {
            shape[1] = strtoul(end + 1, &end, 10);
            shape[2] = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
        } else {
            shape[0] = *p == '1' ? 16 : 8;
            p += shape[0] == 16 ? 2 : 1;
            shape[1] = 8;
            shape[2] = *p == '8' ? strtoul(p + 1, &end, 10) : 0;
        }
        return shape[2] > 0;
    }
    return false;
}

/* Bits of an element of the first or the second factor. */
static unsigned factor_bits(const struct lift *l, unsigned factor)
{
    switch (l->insn->op) {
    case ISA_OP_HMMA:
    case ISA_OP_HGMMA: return lift_mod(l, ISA_MOD_TF32) ? 32 : 16;
    case ISA_OP_DMMA: return 64;
    case ISA_OP_BMMA:
    case ISA_OP_BGMMA: return 1;
    case ISA_OP_OMMA: return 4;
    case ISA_OP_IMMA:
        for (unsigned m = 0, seen = 0; m < l->insn->mod_count; m++) {
            uint16_t mod = l->insn->mods[m];
            bool narrow = mod == ISA_MOD_U4 || mod == ISA_MOD_S4;
            if ((narrow || mod == ISA_MOD_U8 || mod == ISA_MOD_S8) && seen++ == factor)
                return narrow ? 4 : 8;
        }
        return 8;
    default: return 8;
    }
}

static unsigned sum_bits(const struct lift *l)
{
    switch (l->insn->op) {
    case ISA_OP_DMMA: return 64;
    case ISA_OP_HMMA:
    case ISA_OP_HGMMA:
    case ISA_OP_QMMA:
    case ISA_OP_QGMMA: return lift_mod(l, ISA_MOD_F32) ? 32 : 16;
    default: return 32;
    }
}

static unsigned product_words(const struct lift *l, unsigned i)
{
    enum { RESULT, FIRST, SECOND, ADDEND, OTHER } part;
    unsigned long shape[3], bits;
    bool group = l->insn->op == ISA_OP_HGMMA || l->insn->op == ISA_OP_IGMMA || l->insn->op == ISA_OP_BGMMA ||
                 l->insn->op == ISA_OP_QGMMA;
    if (!read_shape(l, shape))
        return 0;
    if (l->insn->op == ISA_OP_HMMA && shape[0] == 8) /* a step of sm_75's: pairs everywhere */
        return 2;
    if (!group)
        part = i < 4 ? i : OTHER;
    else if (has_reg(l, 1))
        part = i == 0 ? RESULT : i == 1 ? FIRST : i == 3 ? ADDEND : OTHER;
    else
        part = i == 0 ? RESULT : i == 2 ? ADDEND : OTHER;
    switch (part) {
    case RESULT:
    case ADDEND: bits = shape[0] * shape[1] * sum_bits(l); break;
    case FIRST: bits = shape[0] * shape[2] * factor_bits(l, 0) / (lift_mod(l, ISA_MOD_SP) ? 2 : 1); break;
    case SECOND: bits = shape[1] * shape[2] * factor_bits(l, 1); break;
    default: return 1; /* metadata and scales */
    }
    bits /= group ? GROUP_BITS : LANE_BITS;
    return bits ? (unsigned)bits : 1;
}

/* Matrices moved between shared memory and registers: their number; those of 16 rows fill two registers. */
static unsigned moved_words(const struct lift *l)
{
    unsigned count = lift_mod(l, ISA_MOD_4) ? 4 : lift_mod(l, ISA_MOD_2) ? 2 : 1;
    return lift_mod(l, ISA_MOD_MT1616) ? 2 * count : count;
}

/* Between tensor memory and registers: so many times the columns of the shape. */
static unsigned tensor_memory_words(const struct lift *l)
{
    static const uint16_t counts[] = {ISA_MOD_x2,  ISA_MOD_x4,  ISA_MOD_x8,  ISA_MOD_x16,
                                      ISA_MOD_x32, ISA_MOD_x64, ISA_MOD_x128};
    unsigned words = lift_mod(l, ISA_MOD_16dp256bit) ? 4 : lift_mod(l, ISA_MOD_16dp128bit) ? 2 : 1;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        if (lift_mod(l, (enum isa_mod)counts[i]))
            return words << (i + 1) < 128 ? words << (i + 1) : 128;
    return words;
}

static unsigned dimensions(const struct lift *l, bool *known)
{
    static const struct {
        uint16_t mod;
        uint8_t count;
    } names[] = {{ISA_MOD_1D, 1},       {ISA_MOD_2D, 2},       {ISA_MOD_3D, 3},         {ISA_MOD_CUBE, 3},
                 {ISA_MOD_ARRAY_1D, 2}, {ISA_MOD_ARRAY_2D, 3}, {ISA_MOD_ARRAY_CUBE, 4}, {ISA_MOD_1D_BUFFER, 1},
                 {ISA_MOD_1D_ARRAY, 2}, {ISA_MOD_2D_ARRAY, 3}};
    *known = true;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        if (lift_mod(l, (enum isa_mod)names[n].mod))
            return names[n].count;
        for (unsigned i = 0; i < lift_count(l); i++)
            if (l->insn->operands[i].kind == ISA_OPERAND_TOKEN && l->insn->operands[i].mods[0] == names[n].mod)
                return names[n].count;
    }
    *known = false;
    return 4;
}

static unsigned aligned_words(const struct lift *l, unsigned i)
{
    unsigned reg = l->insn->operands[i].reg;
    return reg % 4 == 0 ? 4 : reg % 2 == 0 ? 2 : 1;
}

/* The texture is named by a register: B. TLD4 also has a B that is a component. */
static bool is_bindless(const struct lift *l)
{
    unsigned count = 0;
    for (unsigned m = 0; m < l->insn->mod_count; m++)
        count += l->insn->mods[m] == ISA_MOD_B;
    if (l->insn->op != ISA_OP_TLD4 || lift_mod(l, ISA_MOD_R) || lift_mod(l, ISA_MOD_G) || lift_mod(l, ISA_MOD_A))
        return count > 0;
    return count > 1;
}

/* Two results, of which the one printed second has the first two components of the mask; then two vectors of
 * coordinates. SCR shares them out evenly; else the second has what is no coordinate: level, gradients. */
static unsigned texture_words(const struct lift *l, unsigned i)
{
    const struct isa_operand *last = &l->insn->operands[l->insn->operand_count - 1u];
    unsigned mask = last->kind == ISA_OPERAND_IMM ? (unsigned)last->value & 15 : 15, count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    unsigned place = place_of(l, i);
    if (place == 0)
        return count < 4 ? 1 : 2;
    if (place == 1)
        return count < 2 ? 1 : 2;
    bool known;
    unsigned coordinates = dimensions(l, &known), more = 0;
    if (l->insn->op == ISA_OP_TXQ)
        return 1;
    bool scattered = lift_mod(l, ISA_MOD_SCR), bindless = is_bindless(l);
    if (!known || (bindless && !scattered) || lift_mod(l, ISA_MOD_AOFFI) || lift_mod(l, ISA_MOD_PTP) ||
        lift_mod(l, ISA_MOD_DC) || lift_mod(l, ISA_MOD_MS) || lift_mod(l, ISA_MOD_FDV))
        return aligned_words(l, i);
    if (lift_mod(l, ISA_MOD_LL) || lift_mod(l, ISA_MOD_LB))
        more++;
    if (lift_mod(l, ISA_MOD_LC))
        more++;
    if (l->insn->op == ISA_OP_TXD) /* two gradients for each dimension; no coordinate for the layer */
        more += 2 * (lift_mod(l, ISA_MOD_ARRAY_1D) ? 1 : coordinates);
    if (scattered) {
        unsigned all = coordinates + more + bindless;
        return place == 2 ? (all + 1) / 2 : all / 2;
    }
    return place == 2 ? coordinates : more > 4 ? 4 : more ? more : 1;
}

/* What a surface instruction moves, in registers. */
static unsigned surface_words(const struct lift *l)
{
    if (lift_mod(l, ISA_MOD_P))
        return lift_mod(l, ISA_MOD_RG) ? 2 : lift_mod(l, ISA_MOD_R) ? 1 : 4;
    bool pair =
        lift_mod(l, ISA_MOD_64) || lift_mod(l, ISA_MOD_U64) || lift_mod(l, ISA_MOD_S64) || lift_mod(l, ISA_MOD_SD64);
    return lift_mod(l, ISA_MOD_128) ? 4 : pair ? 2 : 1;
}

/* Products in tensor memory: descriptors of matrices and the places of scales are pairs; the rows that are left out
 * have a bit each. */
static unsigned started_words(const struct lift *l, unsigned i)
{
    const struct isa_operand *o = &l->insn->operands[i];
    if (o->kind == ISA_OPERAND_HANDLE)
        return o->bits == ISA_HANDLE_GDESC || i == 5 ? 2 : 1;
    if (o->kind == ISA_OPERAND_UREG)
        return lift_mod(l, ISA_MOD_WS) ? 2 : lift_mod(l, ISA_MOD_2CTA) ? 8 : 4;
    return 0;
}

unsigned lift_width(const struct lift *l, unsigned i)
{
    if (i >= lift_count(l))
        return 0;
    bool known, address = l->insn->operands[i].kind == ISA_OPERAND_MEM;
    switch (l->insn->op) {
    case ISA_OP_HMMA:
    case ISA_OP_IMMA:
    case ISA_OP_BMMA:
    case ISA_OP_DMMA:
    case ISA_OP_QMMA:
    case ISA_OP_OMMA:
    case ISA_OP_HGMMA:
    case ISA_OP_IGMMA:
    case ISA_OP_BGMMA:
    case ISA_OP_QGMMA: return lift_is_reg(l, i) ? product_words(l, i) : 0;
    case ISA_OP_LDSM:
    case ISA_OP_STSM: return lift_is_reg(l, i) ? moved_words(l) : 1;
    case ISA_OP_STTM:
    case ISA_OP_LDTM:
        if (!lift_is_reg(l, i))
            return 0;
        return i == 0 && lift_mod(l, ISA_MOD_STAT) ? 1 : tensor_memory_words(l);
    case ISA_OP_UTCHMMA:
    case ISA_OP_UTCIMMA:
    case ISA_OP_UTCQMMA:
    case ISA_OP_UTCOMMA:
    case ISA_OP_UTCCP: return started_words(l, i);
    case ISA_OP_MOVM:
    case ISA_OP_F2FP:
    case ISA_OP_FSWZADD:
    case ISA_OP_MOV:
    case ISA_OP_R2UR: return 1;
    case ISA_OP_TEX:
    case ISA_OP_TLD:
    case ISA_OP_TLD4:
    case ISA_OP_TMML:
    case ISA_OP_TXD:
    case ISA_OP_TXQ: /* a uniform register that names the texture is the first of a pair */
        return l->insn->operands[i].kind == ISA_OPERAND_REG ? texture_words(l, i) : lift_is_reg(l, i) ? 2 : 0;
    case ISA_OP_SULD:
    case ISA_OP_SUST:
    case ISA_OP_SURED:
    case ISA_OP_SUATOM:
    case ISA_OP_SUQUERY:
        if (address)
            return dimensions(l, &known);
        if (l->insn->operands[i].kind != ISA_OPERAND_REG || l->insn->op == ISA_OP_SUQUERY)
            return 0;
        /* The surface itself may stand in a register, behind the address and the data. */
        if (i > 0 && l->insn->operands[i - 1].kind == ISA_OPERAND_REG)
            return 1;
        if (l->insn->op == ISA_OP_SULD && i > 0 && l->insn->operands[i - 1].kind == ISA_OPERAND_MEM)
            return 1;
        /* A comparison and what replaces it. */
        if (lift_mod(l, ISA_MOD_CAS) && i > 0 && l->insn->operands[i - 1].kind == ISA_OPERAND_MEM)
            return 2 * surface_words(l);
        return surface_words(l);
    default: return 0;
    }
}

unsigned lift_results(const struct lift *l)
{
    switch (l->insn->op) {
    case ISA_OP_FOOTPRINT:
    case ISA_OP_TEX:
    case ISA_OP_TLD:
    case ISA_OP_TLD4:
    case ISA_OP_TMML:
    case ISA_OP_TXD:
    case ISA_OP_TXQ: return 2;
    case ISA_OP_LDTM: return lift_mod(l, ISA_MOD_STAT) ? 2 : 1;
    default: return 1;
    }
}
