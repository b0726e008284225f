/* What lanes of a warp do together: shuffles, votes, matches, reductions. They see the lanes that run the instruction
 * together and whose guard holds, as the hardware does; a shuffle from any other lane gives something undefined.
 *
 * requires: an operation of emu_program.c · gives: its row or mask */
#include "emu/emu_internal.h"

enum { IDX, UP, DOWN, BFLY };

/* The lane that `lane` asks, and whether it is in range. */
static unsigned asked_lane(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *in_range)
{
    unsigned segment = c >> 8 & 31, clamp = c & 31, by = b & 31;
    unsigned least = lane & segment, most = least | (clamp & ~segment & 31);
    int j;
    switch (mode) {
    case UP:
        j = (int)lane - (int)by;
        *in_range = j >= (int)most;
        break;
    case DOWN:
        j = (int)(lane + by);
        *in_range = j <= (int)most;
        break;
    case BFLY:
        j = (int)(lane ^ by);
        *in_range = j <= (int)most;
        break;
    default:
        j = (int)(least | (by & ~segment & 31));
        *in_range = j <= (int)most;
        break;
    }
    return *in_range ? (unsigned)j & 31 : lane;
}

static void shuffle(struct emu_machine *m, const struct emu_op *op)
{
    emu_use(m, op->arg[1], op->forms[1], m->exec, "the lane this asks");
    EMU_EACH(lane, m->exec) {
        bool in_range;
        uint32_t b = (uint32_t)emu_lane(m, op->arg[1], op->forms[1], lane);
        uint32_t c = (uint32_t)emu_lane(m, op->arg[2], op->forms[2], lane);
        unsigned from = asked_lane((unsigned)op->uop.imm, lane, b, c, &in_range);
        if (op->uop.kind == UOP_SHFL_IN) {
            emu_put_lane(m, op->to, op->form, lane, in_range);
            continue;
        }
        emu_put_lane(m, op->to, op->form, lane, emu_lane(m, op->arg[0], op->forms[0], from));
        bool there = m->exec >> from & 1;
        if (!there && !m->slow)
            emu_become_slow(m);
        if (!there)
            m->origin = m->index;
        if (m->slow)
            emu_put_undefined(m, op->to, op->form, lane,
                              there ? emu_lane_undefined(m, op->arg[0], op->forms[0], from) : UINT32_MAX);
    }
}

/* A value every lane gets; undefined when one of the lanes has something undefined. */
static void put_all(struct emu_machine *m, const struct emu_op *op, uint64_t v)
{
    uint64_t undefined = 0;
    if (m->slow)
        EMU_EACH(from, m->exec)
            undefined |= emu_lane_undefined(m, op->arg[0], op->forms[0], from);
    EMU_EACH(lane, m->exec) {
        emu_put_lane(m, op->to, op->form, lane, v);
        if (undefined)
            emu_put_undefined(m, op->to, op->form, lane, UINT64_MAX);
    }
}

static void match(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t same[EMU_LANES], all = m->exec;
    EMU_EACH(lane, m->exec) {
        uint64_t v = emu_lane(m, op->arg[0], op->forms[0], lane);
        same[lane] = 0;
        EMU_EACH(other, m->exec)
            same[lane] |= (uint32_t)(emu_lane(m, op->arg[0], op->forms[0], other) == v) << other;
        all = same[lane] == m->exec ? all : 0;
    }
    emu_use(m, op->arg[0], op->forms[0], m->exec, "what this compares");
    EMU_EACH(lane, m->exec)
        emu_put_lane(m, op->to, op->form, lane, op->uop.imm ? same[lane] : all);
}

static bool reduce(struct emu_machine *m, const struct emu_op *op)
{
    bool is_float = op->uop.type == UOP_F32, is_signed = op->uop.flags & UOP_SIGNED;
    uint8_t kind;
    switch (op->uop.imm) {
    case UOP_ATOM_ADD: kind = UOP_ADD; break;
    case UOP_ATOM_MIN: kind = is_float ? UOP_FMIN : is_signed ? UOP_MIN_S : UOP_MIN_U; break;
    case UOP_ATOM_MAX: kind = is_float ? UOP_FMAX : is_signed ? UOP_MAX_S : UOP_MAX_U; break;
    case UOP_ATOM_AND: kind = UOP_AND; break;
    case UOP_ATOM_OR: kind = UOP_OR; break;
    case UOP_ATOM_XOR: kind = UOP_XOR; break;
    default: return false;
    }
    struct uop step = {.kind = kind, .type = op->uop.type, .flags = op->uop.flags & UOP_NAN};
    unsigned first = emu_first(m->exec);
    uint64_t args[UOP_MAX_ARGS] = {emu_lane(m, op->arg[0], op->forms[0], first)};
    EMU_EACH(lane, m->exec & (m->exec - 1)) {
        args[1] = emu_lane(m, op->arg[0], op->forms[0], lane);
        if (!uop_eval(&step, args, &args[0]))
            return false;
    }
    put_all(m, op, args[0]);
    return true;
}

bool emu_together(struct emu_machine *m, const struct emu_op *op)
{
    uint32_t yes = op->forms[0] == EMU_FORM_MASK ? emu_mask(m, op->arg[0]) & m->exec : 0;
    switch (op->uop.kind) {
    case UOP_SHFL:
    case UOP_SHFL_IN: shuffle(m, op); return true;
    case UOP_VOTE:
        put_all(m, op, op->uop.imm == 0 ? yes == m->exec : op->uop.imm == 1 ? yes != 0 : yes == 0 || yes == m->exec);
        return true;
    case UOP_BALLOT: put_all(m, op, yes); return true;
    case UOP_MATCH: match(m, op); return true;
    case UOP_REDUX: return reduce(m, op);
    case UOP_ELECT:
        EMU_EACH(lane, m->exec)
            emu_put_lane(m, op->to, op->form, lane, lane == emu_first(m->exec));
        return true;
    case UOP_UNIFORM: {
        unsigned first = emu_first(m->exec);
        uint64_t v = emu_lane(m, op->arg[0], op->forms[0], first);
        uint64_t undefined = m->slow ? emu_lane_undefined(m, op->arg[0], op->forms[0], first) : 0;
        EMU_EACH(lane, m->exec) {
            emu_put_lane(m, op->to, op->form, lane, v);
            if (undefined)
                emu_put_undefined(m, op->to, op->form, lane, undefined);
        }
        return true;
    }
    default: return false;
    }
}
