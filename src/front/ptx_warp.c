/* What lets threads wait for one another and look at one another: barriers, shuffles, votes, matches, reductions. */
#include "front/ptx_internal.h"

static void lift_bar(struct ptx_lift *l)
{
    ptx_expect(l, "sync arrive red popc and or aligned cta warp", 0, 5);
    struct uop op = ptx_blank(UOP_BAR, UOP_VOID);
    if (ptx_has(l, "warp")) {
        op = ptx_blank(UOP_WARPSYNC, UOP_VOID);
        op.arg[0] = ptx_source(l, 0, PTX_B32);
        if (uop_make_equals(&l->make, op.arg[0], UINT32_MAX)) {
            op = ptx_blank(UOP_RECONVERGE, UOP_VOID);
            op.imm = UOP_WARPSYNC_ALL;
        }
        uop_make_emit(&l->make, op);
        return;
    }
    bool red = ptx_has(l, "red");
    unsigned at = red ? 1 : 0, n = l->insn->operand_count;
    op.imm = red                    ? ptx_has(l, "and")  ? UOP_BAR_RED_AND
                                      : ptx_has(l, "or") ? UOP_BAR_RED_OR
                                                         : UOP_BAR_RED_POPC
             : ptx_has(l, "arrive") ? UOP_BAR_ARRIVE
                                    : UOP_BAR_SYNC;
    if (at < n)
        op.arg[0] = ptx_source(l, at, PTX_U32);
    if (at + 1 + red < n)
        op.arg[1] = ptx_source(l, at + 1, PTX_U32);
    if (red)
        op.arg[2] = ptx_predicate(l, ptx_operand(l, n - 1));
    uop_make_emit(&l->make, op);
    if (red) {
        bool counts = ptx_has(l, "popc");
        struct uop gives = ptx_blank(UOP_BAR_GIVES, counts ? UOP_B32 : UOP_B1);
        gives.imm = op.imm;
        gives.arg[0] = op.arg[2];
        gives.width = op.arg[1] != UOP_NONE;
        ptx_result(l, 0, counts ? PTX_U32 : PTX_PRED, uop_make_emit(&l->make, gives));
    }
}

/* barrier.cluster and other barriers are not the block's. */
static void lift_barrier(struct ptx_lift *l)
{
    if (ptx_has(l, "cluster"))
        ptx_unknown(l, true);
    else
        lift_bar(l);
}

static void lift_shfl(struct ptx_lift *l)
{
    ptx_expect(l, "sync up down bfly idx", 4, 5);
    unsigned mode = ptx_has(l, "up") ? 1 : ptx_has(l, "down") ? 2 : ptx_has(l, "bfly") ? 3 : 0;
    if ((mode == 0 && !ptx_has(l, "idx")) || ptx_type_bits(ptx_type_at(l, 0)) != 32)
        ptx_refuse(l);
    const struct ptx_operand *d = ptx_operand(l, 0);
    uop_ref a = ptx_source(l, 1, PTX_B32), lane = ptx_source(l, 2, PTX_U32), c = ptx_source(l, 3, PTX_U32);
    if (d->kind == PTX_DUAL && d->items[1].kind != PTX_NOTHING) {
        uop_ref in = uop_make_emit(
            &l->make,
            (struct uop){.kind = UOP_SHFL_IN, .type = UOP_B1, .imm = mode, .arg = {a, lane, c, UOP_NONE, UOP_NONE}});
        ptx_put(l, &d->items[1], PTX_PRED, in);
    }
    uop_ref v = uop_make_imm(&l->make, UOP_SHFL, UOP_B32, mode, a, lane, c);
    ptx_put(l, d->kind == PTX_DUAL ? &d->items[0] : d, PTX_B32, v);
}

static void lift_vote(struct ptx_lift *l)
{
    ptx_expect(l, "sync all any uni ballot", 2, 3);
    uop_ref p = ptx_predicate(l, ptx_operand(l, 1));
    if (ptx_has(l, "ballot")) {
        ptx_result(l, 0, PTX_B32, uop_make_op(&l->make, UOP_BALLOT, UOP_B32, p, UOP_NONE, UOP_NONE));
        return;
    }
    unsigned mode = ptx_has(l, "any") ? 1 : ptx_has(l, "uni") ? 2 : 0;
    ptx_result(l, 0, PTX_PRED, uop_make_imm(&l->make, UOP_VOTE, UOP_B1, mode, p, UOP_NONE, UOP_NONE));
}

static void lift_activemask(struct ptx_lift *l)
{
    ptx_expect(l, "", 1, 1);
    uop_ref yes = uop_make_const(&l->make, UOP_B1, 1);
    ptx_result(l, 0, PTX_B32, uop_make_op(&l->make, UOP_BALLOT, UOP_B32, yes, UOP_NONE, UOP_NONE));
}

static void lift_match(struct ptx_lift *l)
{
    ptx_expect(l, "any all sync", 3, 3);
    enum ptx_type t = ptx_type_at(l, 0);
    const struct ptx_operand *d = ptx_operand(l, 0);
    uop_ref a = ptx_source(l, 1, t);
    uop_ref mask = uop_make_imm(&l->make, UOP_MATCH, UOP_B32, ptx_has(l, "any"), a, UOP_NONE, UOP_NONE);
    if (d->kind == PTX_DUAL && d->items[1].kind != PTX_NOTHING) {
        uop_ref none =
            uop_make_imm(&l->make, UOP_IEQ, UOP_B1, 32, mask, uop_make_const(&l->make, UOP_B32, 0), UOP_NONE);
        ptx_put(l, &d->items[1], PTX_PRED, uop_make_not(&l->make, UOP_B1, none));
    }
    ptx_put(l, d->kind == PTX_DUAL ? &d->items[0] : d, PTX_B32, mask);
}

static void lift_redux(struct ptx_lift *l)
{
    static const struct {
        const char *name;
        uint8_t atom;
    } rows[] = {{"add", UOP_ATOM_ADD}, {"min", UOP_ATOM_MIN}, {"max", UOP_ATOM_MAX},
                {"and", UOP_ATOM_AND}, {"or", UOP_ATOM_OR},   {"xor", UOP_ATOM_XOR}};
    ptx_expect(l, "sync add min max and or xor", 3, 3);
    enum ptx_type t = ptx_type_at(l, 0);
    struct uop op = ptx_blank(UOP_REDUX, UOP_B32);
    bool found = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ptx_has(l, rows[i].name)) {
            op.imm = rows[i].atom;
            found = true;
        }
    if (!found || ptx_type_bits(t) != 32 || ptx_type_is_float(t))
        ptx_refuse(l);
    op.flags = ptx_type_is_signed(t) ? UOP_SIGNED : 0;
    op.arg[0] = ptx_source(l, 1, t);
    ptx_result(l, 0, t, uop_make_emit(&l->make, op));
}

static void lift_elect(struct ptx_lift *l)
{
    ptx_expect(l, "sync", 2, 2);
    const struct ptx_operand *d = ptx_operand(l, 0);
    if (d->kind != PTX_DUAL) {
        ptx_refuse(l);
        return;
    }
    ptx_put(l, &d->items[1], PTX_PRED, uop_make_emit(&l->make, ptx_blank(UOP_ELECT, UOP_B1)));
    if (d->items[0].kind != PTX_NOTHING) {
        ptx_put(l, &d->items[0], PTX_B32, uop_make_emit(&l->make, ptx_blank(UOP_OPAQUE, UOP_B32)));
        l->opaque = true;
    }
}

/* No effect on the values of a thread. */
static void lift_pause(struct ptx_lift *l)
{
    for (uint32_t i = 0; i < l->insn->operand_count; i++)
        if (l->insn->operands[i].kind == PTX_REGISTER)
            ptx_source(l, i, PTX_B32);
    uop_make_emit(&l->make, ptx_blank(UOP_MISC, UOP_VOID));
}

const struct ptx_op ptx_warp_ops[] = {
    {"bar", lift_bar},
    {"barrier", lift_barrier},
    {"shfl", lift_shfl},
    {"vote", lift_vote},
    {"activemask", lift_activemask},
    {"match", lift_match},
    {"redux", lift_redux},
    {"elect", lift_elect},
    {"nanosleep", lift_pause},
    {"pmevent", lift_pause},
    {"brkpt", lift_pause},
    {"setmaxnreg", lift_pause},
    {NULL, NULL},
};
