/* One instruction at a time for those who embed the library: include/sassprobe/decode.h over isa/. The public structure
 * is the room's, copied, so that the room may change without its callers; what is printed comes from the word.
 * requires: isa/ · gives: the functions of decode.h · allocates nothing, keeps nothing */
#include "sassprobe/decode.h"

#include "isa/isa.h"
#include "isa/isa_parse.h"

#include <string.h>

/* Numbers are handed over as they are. */
_Static_assert((int)SP_OPERAND_REG == (int)ISA_OPERAND_REG && (int)SP_OPERAND_UREG == (int)ISA_OPERAND_UREG &&
                   (int)SP_OPERAND_PRED == (int)ISA_OPERAND_PRED && (int)SP_OPERAND_UPRED == (int)ISA_OPERAND_UPRED &&
                   (int)SP_OPERAND_IMM == (int)ISA_OPERAND_IMM && (int)SP_OPERAND_FIMM == (int)ISA_OPERAND_FIMM &&
                   (int)SP_OPERAND_CONST == (int)ISA_OPERAND_CONST && (int)SP_OPERAND_MEM == (int)ISA_OPERAND_MEM &&
                   (int)SP_OPERAND_SREG == (int)ISA_OPERAND_SREG && (int)SP_OPERAND_LABEL == (int)ISA_OPERAND_LABEL &&
                   (int)SP_OPERAND_BARRIER == (int)ISA_OPERAND_BARRIER &&
                   (int)SP_OPERAND_SCOREBOARD == (int)ISA_OPERAND_SCOREBOARD &&
                   (int)SP_OPERAND_PR == (int)ISA_OPERAND_PR && (int)SP_OPERAND_TOKEN == (int)ISA_OPERAND_TOKEN &&
                   (int)SP_OPERAND_OTHER == (int)ISA_OPERAND_OTHER && (int)SP_OPERAND_HANDLE == (int)ISA_OPERAND_HANDLE,
               "kinds of operands");
_Static_assert((int)SP_OPERAND_NEG == (int)ISA_NEG && (int)SP_OPERAND_ABS == (int)ISA_ABS &&
                   (int)SP_OPERAND_INV == (int)ISA_INV && (int)SP_OPERAND_NOT == (int)ISA_NOT &&
                   (int)SP_OPERAND_REUSE == (int)ISA_REUSE,
               "flags of operands");
_Static_assert((int)SP_REG_ZERO == (int)ISA_RZ && (int)SP_PRED_TRUE == (int)ISA_PT &&
                   (int)SP_REG_NONE == (int)ISA_NO_REG && (int)SP_OPCODE_UNKNOWN == (int)ISA_OP_UNKNOWN &&
                   (int)SP_MODIFIER_NONE == (int)ISA_MOD_NONE,
               "what stands for none and all");
_Static_assert((int)SP_MAX_MODIFIERS == (int)ISA_MAX_MODS && (int)SP_MAX_OPERANDS == (int)ISA_MAX_OPERANDS &&
                   (int)SP_MAX_OPERAND_MODIFIERS == (int)ISA_MAX_OPERAND_MODS &&
                   (int)SP_TEXT_ROOM == (int)ISA_TEXT_ROOM,
               "room");

const unsigned *sp_architectures(size_t *count)
{
    return isa_archs(count);
}

static struct sp_control control_of(const struct isa_control *c)
{
    return (struct sp_control){c->stall, c->yield, c->write_barrier, c->read_barrier, c->wait_mask, c->reuse};
}

/* What a kind does not have is told as none: the room may keep something of its own there. */
static struct sp_operand operand_of(const struct isa_operand *o)
{
    bool address = o->kind == ISA_OPERAND_CONST || o->kind == ISA_OPERAND_MEM || o->kind == ISA_OPERAND_HANDLE;
    bool numbered = o->kind <= ISA_OPERAND_UPRED || o->kind == ISA_OPERAND_BARRIER || o->kind == ISA_OPERAND_SCOREBOARD;
    struct sp_operand out = {.kind = o->kind,
                             .flags = o->flags,
                             .bits = o->kind == ISA_OPERAND_FIMM || o->kind == ISA_OPERAND_HANDLE ? o->bits : 0,
                             .bank = o->kind == ISA_OPERAND_CONST ? o->bank : 0,
                             .reg = numbered ? o->reg : SP_REG_NONE,
                             .base = address ? o->base : SP_REG_NONE,
                             .ubase = address ? o->ubase : SP_REG_NONE,
                             .desc = address ? o->desc : SP_REG_NONE,
                             .ubase_modifier = o->ubase_mods[0],
                             .value = o->value};
    memcpy(out.modifiers, o->mods, sizeof out.modifiers);
    return out;
}

static void take_insn(unsigned sm, const struct isa_insn *insn, bool scheduled, struct sp_instruction *out)
{
    *out = (struct sp_instruction){.word = {insn->word.lo, insn->word.hi},
                                   .sm = sm,
                                   .offset = insn->offset,
                                   .opcode = insn->op,
                                   .guard = insn->guard,
                                   .guard_not = insn->guard_not,
                                   .guard_uniform = insn->guard_uniform,
                                   .scheduled = scheduled,
                                   .modifier_count = insn->mod_count,
                                   .operand_count = insn->operand_count,
                                   .control = control_of(&insn->control)};
    memcpy(out->modifiers, insn->mods, insn->mod_count * sizeof out->modifiers[0]);
    for (unsigned i = 0; i < insn->operand_count; i++)
        out->operands[i] = operand_of(&insn->operands[i]);
}

static struct sp_instruction nothing(unsigned sm, uint32_t offset)
{
    return (struct sp_instruction){.sm = sm,
                                   .offset = offset,
                                   .opcode = SP_OPCODE_UNKNOWN,
                                   .guard = SP_PRED_TRUE,
                                   .control = {.write_barrier = SP_NO_SCOREBOARD, .read_barrier = SP_NO_SCOREBOARD}};
}

enum sp_status sp_decode(unsigned sm, const void *code, size_t size, uint32_t offset, struct sp_instruction *out)
{
    const uint8_t *bytes = code;
    struct isa_insn insn;
    *out = nothing(sm, offset);
    if (!isa_arch_known(sm))
        return SP_ERR_ARCH;
    if (size < SP_INSTRUCTION_BYTES)
        return SP_ERR_FORMAT;
    enum sp_status status = isa_decode(sm, (struct bits128){bits_le64(bytes), bits_le64(bytes + 8)}, offset, &insn);
    take_insn(sm, &insn, true, out);
    return status;
}

enum sp_status sp_instruction_parse(unsigned sm, const char *text, size_t size, uint32_t offset,
                                    struct sp_instruction *out)
{
    struct isa_insn insn;
    *out = nothing(sm, offset);
    enum sp_status status = isa_parse(sm, text, size, offset, &insn);
    if (status == SP_OK)
        take_insn(sm, &insn, false, out);
    return status;
}

static struct bits128 word_of(const struct sp_instruction *in)
{
    return (struct bits128){in->word[0], in->word[1]};
}

size_t sp_instruction_text(const struct sp_instruction *in, const struct sp_text_options *options, char *out,
                           size_t size)
{
    struct isa_print_options o = {.dialect = ISA_DIALECT_CUOBJDUMP};
    if (options && options->label)
        o = (struct isa_print_options){.dialect = ISA_DIALECT_NVDISASM, .label = options->label, .user = options->user};
    return isa_print_word(in->sm, word_of(in), in->offset, &o, out, size);
}

void sp_control_text(const struct sp_control *c, char out[SP_CONTROL_ROOM])
{
    struct isa_control control = {c->stall, c->yield, c->write_barrier, c->read_barrier, c->wait_mask, c->reuse};
    isa_print_control(&control, out);
}

bool sp_instruction_target(const struct sp_instruction *in, int64_t *target)
{
    int64_t found;
    if (!isa_word_target(in->sm, word_of(in), in->offset, &found))
        return false;
    *target = found;
    return true;
}

const char *sp_opcode_text(unsigned opcode)
{
    return isa_op_text((enum isa_op)opcode);
}

const char *sp_modifier_text(unsigned modifier)
{
    return isa_mod_text((enum isa_mod)modifier);
}

unsigned sp_opcode_find(const char *text)
{
    return (unsigned)isa_op_find(text);
}

unsigned sp_modifier_find(const char *text)
{
    return (unsigned)isa_mod_find(text);
}

bool sp_instruction_has_modifier(const struct sp_instruction *in, unsigned modifier)
{
    for (unsigned i = 0; i < in->modifier_count; i++)
        if (in->modifiers[i] == modifier)
            return true;
    return false;
}

const char *sp_special_register_text(unsigned sm, unsigned number)
{
    return isa_sreg_text(sm, number);
}

const char *sp_handle_text(const struct sp_operand *operand)
{
    return operand->kind == SP_OPERAND_HANDLE ? isa_handle_text(operand->bits) : "";
}
