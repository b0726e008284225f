/* One instruction after another for the lanes of a split, until they wait, end, or others have their turn.
 *
 * requires: a split that is ready · gives: registers, memory, counts, splits */
#include "emu/emu_internal.h"

/* What an operation of flow makes of the split. */
enum next { GO_ON, JUMPED, STOPPED };

static bool target_of(struct emu_machine *m, uint64_t offset, unsigned lane, uint32_t *pc)
{
    *pc = offset % 16 == 0 && offset / 16 < m->program.offsets ? m->program.by_offset[offset / 16] : UINT32_MAX;
    if (*pc != UINT32_MAX)
        return true;
    emu_find(m, EMU_ILLEGAL, lane, &offset, "goes to a place that holds no instruction of this kernel");
    m->stop = true;
    return false;
}

/* The lanes `taken` go to `offset`; the others go on behind the instruction, in the same split. */
static enum next jump(struct emu_machine *m, uint32_t split, uint32_t taken, uint64_t offset)
{
    uint32_t pc;
    if (!taken)
        return GO_ON;
    if (offset == UINT64_MAX) {
        emu_find(m, EMU_UNSUPPORTED, emu_first(taken), NULL, "goes to code that this file does not hold");
        m->stop = true;
        return STOPPED;
    }
    if (!target_of(m, offset, emu_first(taken), &pc))
        return STOPPED;
    bool whole = taken == m->warp->splits[split].lanes;
    emu_flow_part(m->warp, split, taken, pc);
    return whole ? JUMPED : GO_ON;
}

/* Each lane to its own place. */
static enum next jump_computed(struct emu_machine *m, const struct emu_op *op, uint32_t split)
{
    uint32_t left = m->exec;
    emu_use(m, op->arg[0], op->forms[0], m->exec, "where this goes");
    while (left) {
        unsigned first = emu_first(left);
        uint64_t to = emu_lane(m, op->arg[0], op->forms[0], first);
        uint32_t same = 0;
        EMU_EACH(lane, left)
            same |= (uint32_t)(emu_lane(m, op->arg[0], op->forms[0], lane) == to) << lane;
        enum next next = jump(m, split, same, to);
        if (next != GO_ON)
            return next;
        left &= ~same;
    }
    return GO_ON;
}

/* The split waits; lanes whose guard is false go on without it. */
static enum next wait_at(struct emu_machine *m, uint32_t split, uint8_t state, uint8_t number, uint32_t mask)
{
    struct emu_warp *w = m->warp;
    uint32_t others = w->splits[split].lanes & ~m->exec;
    if (others)
        emu_flow_part(w, split, others, m->index + 1);
    struct emu_split *s = &w->splits[split];
    s->pc = m->index;
    s->state = state;
    s->number = number;
    s->mask = mask;
    return STOPPED;
}

static enum next reconverge(struct emu_machine *m, const struct emu_op *op, uint32_t split)
{
    struct emu_warp *w = m->warp;
    uint32_t number = op->uop.reg % EMU_MEETINGS, lanes = w->splits[split].lanes, all;
    switch (op->uop.imm) {
    case UOP_BSSY:
        EMU_EACH(lane, m->exec)
            w->meeting[number][lane] = m->exec;
        return GO_ON;
    case UOP_BSYNC:
        all = w->meeting[number][emu_first(m->exec)] & w->live;
        w->yielded &= ~m->exec;
        return all & ~lanes ? wait_at(m, split, EMU_AT_MEETING, (uint8_t)number, 0) : GO_ON;
    case UOP_BREAK:
        for (unsigned lane = 0; lane < EMU_LANES; lane++)
            w->meeting[number][lane] &= ~m->exec;
        return GO_ON;
    case UOP_BMOV:
        EMU_EACH(lane, m->exec)
            if (op->uop.width == UOP_BMOV_TO && op->forms[0] != EMU_FORM_NONE)
                w->meeting[number][lane] = (uint32_t)emu_lane(m, op->arg[0], op->forms[0], lane);
        for (unsigned lane = 0; lane < EMU_LANES && op->uop.width == UOP_BMOV_BETWEEN; lane++)
            w->meeting[number][lane] = w->meeting[op->uop.order % EMU_MEETINGS][lane];
        return GO_ON;
    case UOP_YIELD: w->yielded |= m->exec; return GO_ON;
    case UOP_WARPSYNC_ALL: return w->live & ~lanes ? wait_at(m, split, EMU_AT_WARPSYNC, 0, UINT32_MAX) : GO_ON;
    case UOP_APART:
        /* Whether the lanes of the mask run together; with a target, the branch is taken when they do not, and without
         * one the branch behind it is taken when they do. */
        if (op->forms[1] == EMU_FORM_NONE)
            return GO_ON;
        all = (uint32_t)emu_lane(m, op->arg[1], op->forms[1], emu_first(m->exec)) & w->live;
        if (op->forms[0] == EMU_FORM_NONE && all & ~m->exec) {
            w->splits[split].pc = m->index + 1;
            return JUMPED;
        }
        if (op->forms[0] == EMU_FORM_NONE)
            return GO_ON;
        return all & ~m->exec ? jump(m, split, m->exec, emu_lane(m, op->arg[0], op->forms[0], 0)) : GO_ON;
    default: return GO_ON;
    }
}

static bool needs_slow_division(uint64_t a, uint64_t b)
{
    int ea = (int)(a >> 23 & 255), eb = (int)(b >> 23 & 255);
    return eb <= 1 || eb >= 252 || ea <= 24 || ea == 255 || ea - eb >= 127 || ea - eb <= -125;
}

static void approximate(struct emu_machine *m, const struct emu_op *op)
{
    EMU_EACH(lane, m->exec) {
        uint64_t r, a = emu_lane(m, op->arg[0], op->forms[0], lane);
        if (!emu_mufu(m->code->sm, (enum uop_kind)op->uop.kind, (enum uop_type)op->uop.type, a, &r))
            m->result->assumed[m->index] = true;
        emu_put_lane(m, op->to, op->form, lane, r);
    }
    if (m->slow)
        emu_follow_undefined(m, op);
}

static enum next unsupported(struct emu_machine *m, const char *what)
{
    emu_find(m, EMU_UNSUPPORTED, emu_first(m->exec), NULL, "this build has no meaning for %s", what);
    m->stop = true;
    return STOPPED;
}

/* Operations that are no functions of their arguments. */
static enum next effect(struct emu_machine *m, const struct emu_op *op, uint32_t split)
{
    const struct uop *u = &op->uop;
    uint32_t number;
    switch (u->kind) {
    case UOP_READ: emu_read(m, op); return GO_ON;
    case UOP_WRITE: emu_write(m, op); return GO_ON;
    case UOP_SREG: emu_special(m, op); return GO_ON;
    case UOP_CBANK: emu_constant(m, op); return GO_ON;
    case UOP_PC:
        for (unsigned lane = 0; lane < EMU_LANES; lane++)
            emu_put_lane(m, op->to, op->form, lane, m->step->offset + u->imm);
        return GO_ON;
    case UOP_UNDEF: emu_make_undefined(m, op); return GO_ON;
    case UOP_OPAQUE: emu_opaque(m, op); return GO_ON;
    case UOP_LOAD: emu_load(m, op); return GO_ON;
    case UOP_STORE: emu_store(m, op); return GO_ON;
    case UOP_ATOM:
    case UOP_RED: emu_atomic(m, op); return m->stop ? STOPPED : GO_ON;
    case UOP_WITHIN: emu_within(m, op); return GO_ON;
    case UOP_FENCE: emu_race_hand_on(m); return GO_ON;
    case UOP_PREFETCH:
    case UOP_ASYNC_COPY: /* the load and the store before it have done it */
    case UOP_ASYNC_WAIT:
    case UOP_NOP: return GO_ON;
    case UOP_FCHK:
        EMU_EACH(lane, m->exec)
            emu_put_lane(m, op->to, op->form, lane,
                         needs_slow_division(emu_lane(m, op->arg[0], op->forms[0], lane),
                                             emu_lane(m, op->arg[1], op->forms[1], lane)));
        if (m->slow)
            emu_follow_undefined(m, op);
        return GO_ON;
    case UOP_EX2:
    case UOP_LG2:
    case UOP_RCP:
    case UOP_RSQ:
    case UOP_SQRT:
    case UOP_SIN:
    case UOP_COS:
    case UOP_TANH:
    case UOP_RCP64H:
    case UOP_RSQ64H: approximate(m, op); return GO_ON;
    case UOP_BAR:
        if (emu_flow_arrive(m, op, &number))
            return wait_at(m, split, EMU_AT_BARRIER, (uint8_t)number, 0);
        return GO_ON;
    case UOP_WARPSYNC:
        emu_use(m, op->arg[0], op->forms[0], m->exec, "whom this waits for");
        number = (uint32_t)emu_lane(m, op->arg[0], op->forms[0], emu_first(m->exec));
        return number & m->warp->live & ~m->warp->splits[split].lanes ? wait_at(m, split, EMU_AT_WARPSYNC, 0, number)
                                                                      : GO_ON;
    case UOP_BRANCH:
        emu_use(m, op->arg[0], op->forms[0], m->exec, "whether this branches");
        return jump(m, split, op->forms[0] == EMU_FORM_MASK ? emu_mask(m, op->arg[0]) & m->exec : m->exec, u->imm);
    case UOP_CALL: return jump(m, split, m->exec, u->imm);
    case UOP_BRANCH_IND:
    case UOP_CALL_IND:
    case UOP_RET: return jump_computed(m, op, split);
    case UOP_RECONVERGE: return reconverge(m, op, split);
    case UOP_EXIT: {
        bool whole = m->exec == m->warp->splits[split].lanes;
        emu_flow_exit(m->warp, split, m->exec);
        return whole ? STOPPED : GO_ON;
    }
    case UOP_TRAP:
        emu_find(m, EMU_ILLEGAL, emu_first(m->exec), NULL, "the program stops itself here");
        m->stop = true;
        return STOPPED;
    case UOP_MISC: return GO_ON;
    default: return emu_together(m, op) ? GO_ON : unsupported(m, uop_kind_text((enum uop_kind)u->kind));
    }
}

static enum next run_op(struct emu_machine *m, const struct emu_op *op, uint32_t split)
{
    switch (op->how) {
    case EMU_ROWS: emu_compute(m, op); break;
    case EMU_FLOAT_ROWS: emu_compute_float(m, op); break;
    case EMU_LANE_BY_LANE: emu_evaluate(m, op); break;
    default: return effect(m, op, split);
    }
    if (m->slow)
        emu_follow_undefined(m, op);
    return m->stop ? STOPPED : GO_ON;
}

/* The split's next instruction. */
static enum next run_step(struct emu_machine *m, uint32_t split)
{
    const struct emu_step *step = m->step;
    struct emu_count *count = &m->result->counts[m->index];
    uint32_t i = 0;
    m->exec = m->active;
    count->warps++;
    count->threads += emu_ones(m->active);
    emu_reads_undefined(m);
    for (; i < step->guard_ops; i++)
        if (run_op(m, &step->ops[i], split) != GO_ON)
            return STOPPED;
    if (step->guard != (emu_loc)EMU_NOWHERE) {
        emu_use(m, step->guard, EMU_FORM_MASK, m->active, "whether this takes effect");
        m->exec &= emu_mask(m, step->guard);
    }
    count->threads_on += emu_ones(m->exec);
    if (!m->exec)
        return GO_ON;
    if (step->unknown)
        return unsupported(m, "this instruction");
    enum next next = GO_ON;
    for (; i < step->op_count && next == GO_ON; i++)
        next = run_op(m, &step->ops[i], split);
    return next;
}

void emu_step_split(struct emu_machine *m, struct emu_warp *w, uint32_t split, uint64_t most)
{
    m->warp = w;
    m->base[EMU_REGISTERS] = (uint8_t *)w->r;
    m->undefined[EMU_REGISTERS] = (uint8_t *)w->r_undefined;
    for (uint64_t n = 0; n < most && !m->stop; n++) {
        struct emu_split *s = &w->splits[split];
        m->index = s->pc;
        m->active = s->lanes;
        if (s->pc >= m->program.count) {
            m->index = m->program.count - 1;
            emu_find(m, EMU_ILLEGAL, emu_first(s->lanes), NULL, "runs past the end of the code");
            m->stop = true;
            return;
        }
        m->step = &m->program.steps[s->pc];
        m->result->instructions++;
        m->result->lane_instructions += emu_ones(s->lanes);
        if (m->launch->instruction_limit && m->result->instructions > m->launch->instruction_limit) {
            emu_find(m, EMU_LIMIT, emu_first(s->lanes), NULL, "stopped after %llu instructions",
                     (unsigned long long)m->launch->instruction_limit);
            m->stop = true;
            return;
        }
        uint32_t at = s->pc;
        enum next next = run_step(m, split);
        if (next == STOPPED)
            return;
        if (next == GO_ON)
            w->splits[split].pc = at + 1;
        if (m->step->gives_way)
            return;
    }
}
