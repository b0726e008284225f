/* What an instruction does: its micro-operations taken together. Nothing is read from spellings.
 *
 * requires: a graph's input · gives: effects by input instruction */
#include "meaning/mean_effect.h"

static void look_at(const struct uop *u, struct effects *e)
{
    switch (u->kind) {
    case UOP_STORE: e->store = true; break;
    case UOP_LOAD: e->load = true; break;
    case UOP_ATOM:
    case UOP_RED: e->atomic = true; break;
    case UOP_BRANCH:
    case UOP_BRANCH_IND: e->branch = true; break;
    case UOP_EXIT: e->exit = true; break;
    case UOP_TRAP: e->trap = true; break;
    case UOP_CALL:
    case UOP_CALL_IND: e->call = true; break;
    case UOP_RET: e->ret = true; break;
    case UOP_BAR: e->barrier = true; break;
    case UOP_RECONVERGE:
        e->branch |= u->imm == UOP_GUARD_OF_NEXT;
        e->reconverge |= u->imm != UOP_GUARD_OF_NEXT;
        break;
    case UOP_WARPSYNC: e->reconverge = true; break;
    case UOP_SHFL:
    case UOP_SHFL_IN: e->shuffle = true; break;
    case UOP_VOTE:
    case UOP_BALLOT:
    case UOP_MATCH:
    case UOP_REDUX:
    case UOP_ELECT: e->vote = true; break;
    case UOP_MMA: e->tensor = true; break;
    case UOP_ASYNC_COPY:
    case UOP_ASYNC_WAIT: e->async = true; break;
    case UOP_FENCE: e->fence = true; break;
    case UOP_PREFETCH: e->prefetch = true; break;
    case UOP_NOP: e->nop = true; break;
    case UOP_MISC: e->misc = true; break;
    case UOP_OPAQUE: e->opaque = true; break;
    case UOP_UNIFORM: e->uniform = true; break;
    case UOP_IEQ:
    case UOP_ILT_S:
    case UOP_ILT_U:
    case UOP_FLT:
    case UOP_FLE:
    case UOP_FEQ:
    case UOP_FNE:
    case UOP_FNUM:
    case UOP_FCHK: e->compare = true; break;
    case UOP_SELECT: e->select = true; break;
    case UOP_F2F:
    case UOP_F2I:
    case UOP_I2F:
    case UOP_FROUND: e->convert = true; break;
    case UOP_FADD:
    case UOP_FMUL:
    case UOP_FFMA:
    case UOP_FNEG:
    case UOP_FABS:
    case UOP_FMIN:
    case UOP_FMAX:
    case UOP_EX2:
    case UOP_LG2:
    case UOP_RCP:
    case UOP_RSQ:
    case UOP_SQRT:
    case UOP_SIN:
    case UOP_COS:
    case UOP_TANH:
    case UOP_RCP64H:
    case UOP_RSQ64H:
    case UOP_FSWZADD: e->floats = true; break;
    case UOP_ADD:
    case UOP_ADDC:
    case UOP_MUL:
    case UOP_MULHI_S:
    case UOP_MULHI_U:
    case UOP_SHL:
    case UOP_SHR:
    case UOP_SAR:
    case UOP_AND:
    case UOP_OR:
    case UOP_XOR:
    case UOP_NOT:
    case UOP_LOP3:
    case UOP_NEG:
    case UOP_MIN_S:
    case UOP_MAX_S:
    case UOP_MIN_U:
    case UOP_MAX_U:
    case UOP_ABS:
    case UOP_POPC:
    case UOP_BREV:
    case UOP_FLO:
    case UOP_PRMT:
    case UOP_BFE:
    case UOP_BMSK:
    case UOP_DP4A:
    case UOP_SAD: e->integers |= u->type != UOP_B1; break; /* predicate logic is no arithmetic */
    default: break;
    }
}

struct effects *mean_find_effects(struct mean *m)
{
    const struct graph *g = m->g;
    struct effects *effects = ARENA_ARRAY(m->a, struct effects, g->input.count);
    for (uint32_t i = 0; i < g->input.count && effects; i++) {
        const struct uop_list *l = g->input.insns[i].uops;
        for (size_t k = 0; k < l->ops.n; k++)
            look_at(&l->ops.p[k], &effects[i]);
        effects[i].unknown = l->unknown;
    }
    return effects;
}
