/* The JSON form: structured operands, registers read and written, lines, scheduling. */
#include "pipeline/pipe_disasm.h"

#include "uop/uop_lift.h"

#include <stdio.h>
#include <string.h>

/* The shape of a texture or surface, as texture instructions name it. */
static bool is_texture(const struct isa_operand *o)
{
    switch (o->mods[0]) {
    case ISA_MOD_1D:
    case ISA_MOD_2D:
    case ISA_MOD_3D:
    case ISA_MOD_CUBE:
    case ISA_MOD_ARRAY_1D:
    case ISA_MOD_ARRAY_2D:
    case ISA_MOD_ARRAY_CUBE: return o->kind == ISA_OPERAND_TOKEN;
    default: return false;
    }
}

static const char *operand_kind(const struct isa_operand *o)
{
    static const char *const texts[] = {"reg",  "ureg",  "pred",    "upred",      "imm",  "fimm",  "const", "mem",
                                        "sreg", "label", "barrier", "scoreboard", "pred", "other", "other", "desc"};
    if (o->kind == ISA_OPERAND_MEM && o->desc != ISA_NO_REG)
        return "desc";
    if (is_texture(o))
        return "texture";
    return o->kind < sizeof texts / sizeof texts[0] ? texts[o->kind] : "other";
}

/* Registers an instruction reads or writes, runs of neighbours as one entry. */
static void json_registers(struct json *j, const struct uop_list *list, unsigned kind)
{
    static const char *const files[] = {"R", "UR", "P", "UP", "B"};
    json_array(j);
    for (unsigned file = 0; file < UOP_FILE_COUNT; file++) {
        bool in[257] = {false};
        for (size_t i = 0; i < list->ops.n; i++)
            if (list->ops.p[i].kind == kind && list->ops.p[i].file == file && list->ops.p[i].reg < 256)
                in[list->ops.p[i].reg] = true;
        for (unsigned r = 0; r < (file == UOP_FILE_B ? UOP_B_HIDDEN : 256); r++) {
            if (!in[r])
                continue;
            unsigned first = r;
            while (in[r + 1])
                r++;
            json_object(j);
            json_key(j, "file");
            json_string(j, files[file]);
            json_key(j, "index");
            json_uint(j, first);
            json_key(j, "count");
            json_uint(j, r - first + 1);
            json_end(j);
        }
    }
    json_end(j);
}

enum { SYMBOL = 2048 };

/* Operands as they are printed, one text each. */
static unsigned operand_texts(struct arena *a, const char *rest, bool blanks, const char *texts[ISA_MAX_OPERANDS + 2])
{
    struct pipe_part parts[ISA_MAX_OPERANDS + 2];
    unsigned n = pipe_operand_parts(rest, blanks, parts, ISA_MAX_OPERANDS + 2);
    for (unsigned i = 0; i < n; i++)
        texts[i] = arena_strndup(a, parts[i].from, (size_t)(parts[i].end - parts[i].from));
    return n;
}

static void json_operands(struct pipe_listing *l, struct json *j, const struct isa_insn *insn, const char *rest)
{
    const char *texts[ISA_MAX_OPERANDS + 2];
    unsigned n = operand_texts(l->a, rest, false, texts);
    if (n != insn->operand_count)
        n = operand_texts(l->a, rest, true, texts);
    char symbol[SYMBOL];
    unsigned filled = l->symbols ? pipe_symbol_of(l, insn, symbol, sizeof symbol) : insn->operand_count;
    json_array(j);
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct isa_operand *o = &insn->operands[i];
        json_object(j);
        json_key(j, "kind");
        json_string(j, i == filled ? "symbol" : operand_kind(o));
        json_key(j, "text");
        json_string(j, n == insn->operand_count ? texts[i] : NULL);
        json_key(j, "index");
        if (o->kind <= ISA_OPERAND_UPRED || o->kind == ISA_OPERAND_BARRIER || o->kind == ISA_OPERAND_SCOREBOARD)
            json_uint(j, o->reg);
        else
            json_null(j);
        json_key(j, "value");
        if (o->kind == ISA_OPERAND_IMM || o->kind == ISA_OPERAND_FIMM || o->kind == ISA_OPERAND_CONST ||
            o->kind == ISA_OPERAND_MEM || o->kind == ISA_OPERAND_LABEL || o->kind == ISA_OPERAND_SREG)
            json_int(j, o->value);
        else
            json_null(j);
        if (i == filled)
            json_key(j, "symbol"), json_string(j, symbol);
        json_end(j);
    }
    json_end(j);
}

static void json_barrier(struct json *j, unsigned barrier)
{
    if (barrier == 7)
        json_null(j);
    else
        json_uint(j, barrier);
}

static void json_instruction(struct pipe_listing *l, struct json *j, uint32_t number)
{
    const struct isa_insn *insn = &l->insns[number];
    struct uop_lift_context context = {.sm = l->module->sm, .a = l->a};
    struct uop_list list = {0};
    const struct img_line *line = img_line_at(l->kernel, insn->offset);
    char text[ISA_TEXT_ROOM], guard[16], bytes[48];
    uop_lift(&context, insn, &list);
    size_t n = pipe_print_text(l, number, text), guarded = pipe_guard_length(text, n);
    const char *rest = text + (guarded ? guarded + 1 : 0);
    memcpy(guard, text, guarded);
    guard[guarded] = '\0';
    snprintf(bytes, sizeof bytes, "0x%016llx,0x%016llx", (unsigned long long)insn->word.lo,
             (unsigned long long)insn->word.hi);
    json_object(j);
    json_key(j, "offset"), json_uint(j, insn->offset);
    json_key(j, "bytes"), json_string(j, pipe_has_word(l, number) ? bytes : NULL);
    json_key(j, "text"), json_string(j, text);
    json_key(j, "guard"), json_string(j, guard[0] ? guard + 1 : NULL);
    json_key(j, "opcode"), json_string(j, insn->op == ISA_OP_UNKNOWN ? NULL : isa_op_text((enum isa_op)insn->op));
    json_key(j, "modifiers");
    json_array(j);
    for (unsigned i = 0; i < insn->mod_count; i++)
        json_string(j, isa_mod_text((enum isa_mod)insn->mods[i]));
    json_end(j);
    json_key(j, "operands"), json_operands(l, j, insn, rest);
    json_key(j, "reads"), json_registers(j, &list, UOP_READ);
    json_key(j, "writes"), json_registers(j, &list, UOP_WRITE);
    bool known = line && line->line;
    json_key(j, "file"),
        known && line->file < l->module->file_count ? json_string(j, l->module->files[line->file]) : json_null(j);
    json_key(j, "line"), known ? json_uint(j, line->line) : json_null(j);
    json_key(j, "inlined");
    json_array(j);
    for (uint32_t i = 0; known && i < line->inlined_count; i++) {
        const struct img_inline *in = &line->inlined[i];
        json_object(j);
        json_key(j, "file"),
            in->file < l->module->file_count ? json_string(j, l->module->files[in->file]) : json_null(j);
        json_key(j, "line"), json_uint(j, in->line);
        json_key(j, "function"), json_string(j, in->function);
        json_end(j);
    }
    json_end(j);
    const struct isa_control *c = &insn->control;
    json_key(j, "control");
    if (!pipe_has_control(l, number)) {
        json_null(j);
        json_end(j);
        return;
    }
    json_object(j);
    json_key(j, "stall"), json_uint(j, c->stall);
    json_key(j, "yield"), json_bool(j, c->yield);
    json_key(j, "write_barrier"), json_barrier(j, c->write_barrier);
    json_key(j, "read_barrier"), json_barrier(j, c->read_barrier);
    json_key(j, "wait_mask"), json_uint(j, c->wait_mask);
    json_key(j, "reuse"), json_uint(j, c->reuse);
    json_end(j);
    json_end(j);
}

void pipe_print_json(struct pipe_listing *l)
{
    struct json j;
    json_init(&j, l->out);
    json_object(&j);
    json_key(&j, "kernel"), json_string(&j, l->kernel->name);
    json_key(&j, "arch"), json_string(&j, l->module->arch);
    json_key(&j, "instructions");
    json_array(&j);
    for (uint32_t i = 0; i < l->count; i++)
        json_instruction(l, &j, i);
    json_end(&j);
    json_end(&j);
    json_newline(&j);
}
