/* PTX text to modules, and its instructions to micro-operations. What each list holds was written by hand from the PTX
 * ISA's description of the instruction. */
#include "front/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct reading {
    struct arena a;
    struct diag_sink diags;
    struct ptx_module m;
    struct ptx_code code;
    enum sp_status status;
};

static void read_text(struct reading *r, const char *text)
{
    memset(r, 0, sizeof *r);
    arena_init(&r->a, 0);
    diag_init(&r->diags, &r->a);
    r->status = ptx_read_module(&r->a, &r->diags, text, strlen(text), &r->m);
}

static void lift_kernel(struct reading *r, uint32_t function)
{
    struct ptx_places places = {.param_base = 0x160, .stack_offset = 0x28, .local_window = 0x20, .shared_window = 0x18};
    assert_int_equal(ptx_lift_kernel(&r->a, &r->diags, &r->m, function, &places, &r->code), SP_OK);
}

static void print_list(const struct uop_list *l, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    if (l->guard != UOP_NONE)
        n += (size_t)snprintf(out + n, size - n, "@%%%u ", l->guard);
    if (l->unknown)
        n += (size_t)snprintf(out + n, size - n, "unknown ");
    for (size_t i = 0; i < l->ops.n && n < size; i++) {
        n += (size_t)snprintf(out + n, size - n, "%s", i ? "; " : "");
        n += uop_print(l, i, out + n, size - n);
    }
}

static const char declarations[] =
    ".version 9.0\n.target sm_86\n.address_size 64\n"
    ".const .align 4 .f32 table[8];\n"
    ".global .align 4 .u32 counter;\n"
    ".entry k(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[16])\n{\n"
    ".reg .pred p0, p1, p2;\n.reg .b32 a, b, c, d;\n.reg .b64 x, y, z;\n.reg .b16 h, g;\n"
    ".shared .align 4 .b8 tile[64];\n.local .align 8 .b8 room[24];\n";

struct row {
    const char *statement, *list;
};

/* Registers by number: words a 0, b 1, c 2, d 3, x 4:5, y 6:7, z 8:9, h 10, g 11; predicates p0 0, p1 1, p2 2, carry
 * 3. */
static const struct row rows[] = {
    {"mov.u32 a, %tid.x", "0 sreg.b32 threadIdx.x; 1 write R0 %0"},
    {"mov.b32 a, 0f3F800000", "0 const.b32 0x3f800000; 1 write R0 %0"},
    {"mov.f32 a, 1.5", "0 const.f32 0x3fc00000; 1 write R0 %0"},
    {"mov.u32 a, tile+8", "0 const.b32 0x8; 1 write R0 %0"},
    {"add.s32 a, b, -1", "0 read.b32 R1; 1 const.b32 0xffffffff; 2 add.b32 %0 %1; 3 write R0 %2"},
    {"sub.s32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 neg.b32 %1; 3 add.b32 %0 %2; 4 write R0 %3"},
    {"add.s64 x, y, z",
     "0 read.b32 R6; 1 read.b32 R7; 2 pair.b64 %0 %1; 3 read.b32 R8; 4 read.b32 R9; 5 pair.b64 %3 %4; "
     "6 add.b64 %2 %5; 7 lo.b32 %6; 8 write R4 %7; 9 hi.b32 %6; 10 write R5 %9"},
    {"mul.wide.s32 x, a, 4",
     "0 read.b32 R0; 1 const.b64 0x4; 2 sext.b64 #32 %0; 3 mul.b64 %2 %1; 4 lo.b32 %3; 5 write R4 %4; "
     "6 hi.b32 %3; 7 write R5 %6"},
    {"mad.lo.s32 a, b, c, d",
     "0 read.b32 R1; 1 read.b32 R2; 2 mul.b32 %0 %1; 3 read.b32 R3; 4 add.b32 %2 %3; 5 write R0 %4"},
    {"add.cc.u32 a, b, c",
     "0 read.b32 R1; 1 read.b32 R2; 2 const.b1 0x0; 3 addc.b32 %0 %1 %2; 4 carry.b1 #32 %0 %1 %2; 5 write P3 %4; "
     "6 write R0 %3"},
    {"subc.u32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 not.b32 %1; 3 read.b1 P3; 4 not.b1 %3; 5 addc.b32 %0 %2 %4; "
                         "6 write R0 %5"},
    {"shr.s32 a, b, 3", "0 read.b32 R1; 1 const.b32 0x3; 2 sar.b32 %0 %1; 3 write R0 %2"},
    {"shr.u16 h, g, 3", "0 read.b32 R11; 1 zext.b32 #16 %0; 2 const.b32 0x3; 3 shr.b32 %1 %2; 4 write R10 %3"},
    {"bfe.u32 a, b, 8, 4",
     "0 read.b32 R1; 1 const.b32 0x8; 2 shr.b32 %0 %1; 3 const.b32 0xf; 4 and.b32 %2 %3; 5 write R0 %4"},
    {"lop3.b32 a, b, c, d, 0x96",
     "0 read.b32 R1; 1 read.b32 R2; 2 read.b32 R3; 3 xor.b32 %0 %1; 4 xor.b32 %3 %2; 5 write R0 %4"},
    {"prmt.b32 a, b, c, 0x5410",
     "0 read.b32 R1; 1 read.b32 R2; 2 lo.b16 %0; 3 lo.b16 %1; 4 pair.b32 %2 %3; 5 write R0 %4"},
    {"clz.b32 a, b", "0 read.b32 R1; 1 flo.b32 %0; 2 neg.b32 %1; 3 const.b32 0x1f; 4 add.b32 %3 %2; 5 write R0 %4"},
    {"div.u32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 math.b32 #0x3 %0 %1; 3 write R0 %2"},
    {"min.s16 h, h, g", "0 read.b32 R10; 1 sext.b32 #16 %0; 2 read.b32 R11; 3 sext.b32 #16 %2; 4 min_s.b32 %1 %3; "
                        "5 write R10 %4"},
    {"add.rn.ftz.f32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 fadd.ftz.f32 %0 %1; 3 write R0 %2"},
    {"sub.f32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 fneg.f32 %1; 3 fadd.f32 %0 %2; 4 write R0 %3"},
    {"fma.rz.sat.f32 a, b, c, d",
     "0 read.b32 R1; 1 read.b32 R2; 2 read.b32 R3; 3 ffma.rz.sat.f32 %0 %1 %2; 4 write R0 %3"},
    {"max.NaN.f32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 fmax.nan.f32 %0 %1; 3 write R0 %2"},
    {"div.approx.ftz.f32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 rcp.f32 %1; 3 fmul.ftz.f32 %0 %2; 4 write R0 %3"},
    {"div.rn.f32 a, b, c", "0 read.b32 R1; 1 read.b32 R2; 2 math.f32 #0x0 %0 %1; 3 write R0 %2"},
    {"ex2.approx.ftz.f32 a, b", "0 read.b32 R1; 1 ex2.f32 %0; 2 write R0 %1"},
    {"fma.rn.f16 h, h, g, g", "0 read.b32 R10; 1 lo.b16 %0; 2 read.b32 R11; 3 lo.b16 %2; 4 lo.b16 %2; 5 ffma.f16 %1 %3 "
                              "%4; 6 zext.b32 #16 %5; 7 write R10 %6"},
    {"cvt.rzi.s32.f32 a, b", "0 read.b32 R1; 1 f2i.rz.signed.b32 from f32 %0; 2 write R0 %1"},
    {"cvt.rn.f32.u64 a, x", "0 read.b32 R4; 1 read.b32 R5; 2 pair.b64 %0 %1; 3 i2f.f32 #64 %2; 4 write R0 %3"},
    {"cvt.u64.u32 x, a", "0 read.b32 R0; 1 zext.b64 #32 %0; 2 lo.b32 %1; 3 write R4 %2; 4 hi.b32 %1; 5 write R5 %4"},
    {"cvt.sat.u8.s32 a, b", "0 read.b32 R1; 1 const.b32 0x0; 2 max_s.b32 %0 %1; 3 const.b32 0xff; 4 min_s.b32 %2 %3; "
                            "5 zext.b32 #8 %4; 6 write R0 %5"},
    {"setp.ge.s32 p0, a, b", "0 read.b32 R0; 1 read.b32 R1; 2 ilt_s.b1 #32 %0 %1; 3 not.b1 %2; 4 write P0 %3"},
    {"setp.gt.ftz.f32 p0, a, b", "0 read.b32 R0; 1 read.b32 R1; 2 flt.ftz.f32 %1 %0; 3 write P0 %2"},
    {"setp.neu.or.f32 p0|p1, a, b, !p2",
     "0 read.b32 R0; 1 read.b32 R1; 2 feq.f32 %0 %1; 3 not.b1 %2; 4 read.b1 P2; 5 not.b1 %4; 6 or.b1 %3 %5; 7 write P0 "
     "%6; 8 not.b1 %4; 9 or.b1 %2 %8; 10 write P1 %9"},
    {"setp.lo.u32 p0, a, b", "0 read.b32 R0; 1 read.b32 R1; 2 ilt_u.b1 #32 %0 %1; 3 write P0 %2"},
    {"selp.f32 a, b, 0f00000000, p0",
     "0 read.b32 R1; 1 const.f32 0x0; 2 read.b1 P0; 3 select.b32 %2 %0 %1; 4 write R0 %3"},
    {"ld.param.u32 a, [n]", "0 cbank.b32 [0][0x168]; 1 write R0 %0"},
    {"ld.param.u32 a, [s+12]", "0 cbank.b32 [0][0x17c]; 1 write R0 %0"},
    {"ld.const.f32 a, [table+4]", "0 cbank.b32 [3][0x4]; 1 write R0 %0"},
    {"ld.global.nc.f32 a, [x+8]", "0 read.b32 R4; 1 read.b32 R5; 2 pair.b64 %0 %1; 3 const.b64 0x8; 4 add.b64 %2 %3; 5 "
                                  "load.global4.readonly.b32 %4; "
                                  "6 write R0 %5"},
    {"ld.shared.s8 a, [b]", "0 read.b32 R1; 1 load.shared1.signed.b32 %0; 2 write R0 %1"},
    {"ld.shared.v2.f32 {a, b}, [c]", "0 read.b32 R2; 1 load.shared8.b64 %0; 2 lo.b32 %1; 3 hi.b32 %1; 4 write R0 %2; "
                                     "5 write R1 %3"},
    {"st.volatile.global.f32 [x], a",
     "0 read.b32 R4; 1 read.b32 R5; 2 pair.b64 %0 %1; 3 read.b32 R0; 4 store.global4.sys %2 %3"},
    {"st.shared.v4.b32 [tile], {a, b, c, d}",
     "0 const.b32 0x0; 1 read.b32 R0; 2 read.b32 R1; 3 read.b32 R2; 4 read.b32 R3; 5 store.shared16 %0 %1 %2 %3 %4"},
    {"atom.shared.cas.b32 a, [b], c, d",
     "0 read.b32 R1; 1 read.b32 R2; 2 read.b32 R3; 3 atom.shared4.cas.b32 %0 %1 %2; 4 write R0 %3"},
    {"red.shared.max.s32 [b], c", "0 read.b32 R1; 1 read.b32 R2; 2 red.shared4.max.signed.b32 %0 %1"},
    {"cvta.to.global.u64 x, y", "0 read.b32 R6; 1 read.b32 R7; 2 write R4 %0; 3 write R5 %1"},
    {"mov.b64 x, {a, b}", "0 read.b32 R0; 1 read.b32 R1; 2 write R4 %0; 3 write R5 %1"},
    {"mov.b32 {h, g}, a",
     "0 read.b32 R0; 1 lo.b16 %0; 2 zext.b32 #16 %1; 3 write R10 %2; 4 hi.b16 %0; 5 zext.b32 #16 %4; 6 write R11 %5"},
    {"bar.sync 0", "0 const.b32 0x0; 1 bar #0x0 %0"},
    {"shfl.sync.bfly.b32 a|p0, b, 16, 31, -1",
     "0 read.b32 R1; 1 const.b32 0x10; 2 const.b32 0x1f; 3 shfl_in.b1 #0x3 %0 %1 %2; 4 write P0 %3; "
     "5 shfl.b32 #0x3 %0 %1 %2; 6 write R0 %5"},
    {"vote.sync.ballot.b32 a, !p0, -1", "0 read.b1 P0; 1 not.b1 %0; 2 ballot.b32 %1; 3 write R0 %2"},
    {"redux.sync.min.s32 a, b, -1", "0 read.b32 R1; 1 redux.min.signed.b32 %0; 2 write R0 %1"},
    {"membar.gl", "0 fence #0x1"},
    {"@!p1 ret", "@%1 0 read.b1 P1; 1 not.b1 %0; 2 exit"},
    {"new.thing.b32 a, b", "unknown 0 read.b32 R1; 1 opaque.b32 #0x0 %0; 2 write R0 %1"},
};

static void lists(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2048], got[2048];
        struct reading r;
        /* Every register is read first, in the order of its declaration: each has a number of its own. */
        snprintf(text, sizeof text,
                 "%sst.shared.v4.b32 [0], {a, b, c, d};\nst.shared.v2.b64 [0], {x, y};\nst.shared.b64 [0], z;\n"
                 "st.shared.v2.b16 [0], {h, g};\nselp.b32 a, a, a, p0;\nselp.b32 a, a, a, p1;\nselp.b32 a, a, a, p2;\n"
                 "%s;\n}\n",
                 declarations, rows[i].statement);
        read_text(&r, text);
        assert_int_equal(r.status, SP_OK);
        lift_kernel(&r, 0);
        print_list(&r.code.lists[7], got, sizeof got);
        if (strcmp(got, rows[i].list) != 0) {
            print_error("%s:\n  %s\n  expected\n  %s\n", rows[i].statement, got, rows[i].list);
            wrong++;
        }
        arena_free(&r.a);
    }
    assert_int_equal(wrong, 0);
}

static void heads(void **state)
{
    struct reading r;
    (void)state;
    read_text(&r, "//\n// Cuda compilation tools, release 12.4, V12.4.131\n//\n.version 8.4\n.target sm_90a, debug\n"
                  ".address_size 64\n.extern .func (.param .b32 r) f (.param .b64 p);\n"
                  ".visible .entry _Z1kPfi(\n\t.param .u8 _p0,\n\t.param .u64 .ptr .global .align 4 _p1,\n"
                  "\t.param .align 16 .b8 _p2[20]\n)\n.reqntid 128, 2\n.minnctapersm 2\n{\n\tret;\n}\n"
                  "\t.file\t1 \"x.cu\"\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95, 0\n\t}\n");
    assert_int_equal(r.status, SP_OK);
    assert_int_equal(r.m.version, 84);
    assert_int_equal(r.m.sm, 90);
    assert_string_equal(r.m.arch, "sm_90a");
    assert_string_equal(r.m.producer, "nvcc 12.4.131");
    assert_int_equal(r.m.functions.n, 2);
    assert_false(r.m.functions.p[0].has_body);
    const struct ptx_function *k = &r.m.functions.p[1];
    assert_true(k->is_entry && k->has_body);
    assert_int_equal(k->reqntid[0], 128);
    assert_int_equal(k->reqntid[1], 2);
    assert_int_equal(k->reqntid[2], 1);
    assert_int_equal(k->inputs.n, 3);
    assert_int_equal(r.m.variables.p[k->inputs.p[1]].offset, 8);
    assert_int_equal(r.m.variables.p[k->inputs.p[2]].offset, 16);
    assert_int_equal(k->param_bytes, 36);
    assert_string_equal(r.m.files.p[1], "x.cu");
    arena_free(&r.a);
}

static void told(const char *body, const char *message)
{
    struct reading r;
    char text[1024];
    snprintf(text, sizeof text, ".version 9.0\n.target sm_86\n.entry k()\n{\n%s", body);
    read_text(&r, text);
    assert_int_equal(r.status, SP_ERR_FORMAT);
    assert_true(r.diags.list.n > 0);
    if (strcmp(r.diags.list.p[0].message, message) != 0)
        fail_msg("%s: told %s", body, r.diags.list.p[0].message);
    assert_int_equal(r.m.functions.n, 1);
    lift_kernel(&r, 0);
    arena_free(&r.a);
}

static void diagnostics(void **state)
{
    (void)state;
    told("  add.s32 %r1, , 2;\n}\n", "line 5, column 16: an operand of `add` is expected, not `,`");
    told("  .reg .b32 a;\n  mov.u32 a, 1\n  ret;\n}\n", "line 7, column 3: `;` is expected behind `mov`");
    told("  bra nowhere;\n}\n", "line 5, column 3: no label `nowhere` in this function");
    told("  @a bra x;\nx:\n}\n", "line 5, column 6: a predicate register is expected behind `@`");
    told("  ret;\n", "line 6, column 1: the text ends inside a function");
    told("  .nothing 4;\n}\n", "line 5, column 3: no directive `.nothing` is known here");
}

/* A statement that is not understood costs itself; nothing is known after it. */
static void damaged(void **state)
{
    struct reading r;
    (void)state;
    read_text(&r,
              ".version 9.0\n.target sm_86\n.entry k()\n{\n.reg .b32 a;\n mov.u32 a 1;\n mov.u32 a, 2;\n ret;\n}\n");
    assert_int_equal(r.status, SP_ERR_FORMAT);
    lift_kernel(&r, 0);
    assert_int_equal(r.code.count, 3);
    assert_true(r.code.lists[0].unknown && r.code.lists[0].ops.n == 0);
    assert_false(r.code.lists[1].unknown);
    arena_free(&r.a);
}

/* Arguments go down, the link says where to come back, results are taken in the list behind. */
static void calls(void **state)
{
    struct reading r;
    char got[512];
    (void)state;
    read_text(&r, ".version 9.0\n.target sm_86\n.func (.param .b32 r) f (.param .b32 x)\n{\n.reg .b32 a;\n"
                  "ld.param.b32 a, [x];\nst.param.b32 [r+0], a;\nret;\n}\n.entry k()\n{\n.reg .b32 a, b;\n"
                  "{\n.param .b32 p;\nst.param.b32 [p+0], a;\n.param .b32 q;\ncall.uni (q), f, (p);\n"
                  "ld.param.b32 b, [q+0];\n}\nret;\n}\n");
    assert_int_equal(r.status, SP_OK);
    lift_kernel(&r, 1);
    assert_int_equal(r.code.own, 5);
    assert_int_equal(r.code.count, 8);
    /* words of the kernel: a 0, b 1, link 2:3, p 4, q 5; of the function: a 6, link 7:8, x 9, r 10 */
    print_list(&r.code.lists[1], got, sizeof got);
    assert_string_equal(got, "0 read.b32 R4; 1 write R9 %0; 2 const.b32 0x20; 3 write R7 %2; 4 const.b32 0x0; "
                             "5 write R8 %4; 6 call #0x50");
    print_list(&r.code.lists[2], got, sizeof got);
    assert_string_equal(got, "0 read.b32 R10; 1 write R5 %0");
    print_list(&r.code.lists[7], got, sizeof got);
    assert_string_equal(got, "0 read.b32 R7; 1 read.b32 R8; 2 pair.b64 %0 %1; 3 ret %2");
    arena_free(&r.a);
}

/* Labels and registers of inner scopes hide those around them. */
static void scopes(void **state)
{
    struct reading r;
    (void)state;
    read_text(
        &r,
        ".version 9.0\n.target sm_86\n.entry k()\n{\n.reg .b32 a;\nL: mov.u32 a, 1;\n{ .reg .b64 a; L: mov.u64 a, 2; "
        "bra L; }\nmov.u32 a, 3;\nbra L;\n}\n");
    assert_int_equal(r.status, SP_OK);
    const struct ptx_function *f = &r.m.functions.p[0];
    assert_int_equal(f->insns.p[2].operands[0].index, 1);
    assert_int_equal(f->insns.p[4].operands[0].index, 0);
    assert_int_not_equal(f->insns.p[1].operands[0].index, f->insns.p[0].operands[0].index);
    assert_int_equal(f->insns.p[3].operands[0].index, f->insns.p[0].operands[0].index);
    arena_free(&r.a);
}

static char *repeated(const char *head, const char *piece, size_t times, const char *tail)
{
    size_t n = strlen(piece);
    char *text = malloc(strlen(head) + n * times + strlen(tail) + 1), *p = text;
    assert_non_null(text);
    p += sprintf(p, "%s", head);
    for (size_t i = 0; i < times; i++, p += n)
        memcpy(p, piece, n);
    sprintf(p, "%s", tail);
    return text;
}

static void read_quickly(const char *head, const char *piece, size_t times, const char *tail)
{
    struct reading r;
    char *text = repeated(head, piece, times, tail);
    clock_t before = clock();
    read_text(&r, text);
    if (r.m.functions.n) {
        struct ptx_places places = {.param_base = 0x160};
        (void)ptx_lift_kernel(&r.a, &r.diags, &r.m, 0, &places, &r.code);
    }
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 10); /* a hang, not a benchmark */
    assert_false(arena_failed(&r.a));
    arena_free(&r.a);
    free(text);
}

static void hostile(void **state)
{
    static const char head[] =
        ".version 9.0\n.target sm_86\n.entry k()\n{\n.reg .b32 %r<4000000000>;\n.reg .pred %p;\n";
    (void)state;
    read_quickly(head, "{", 200000, "");
    read_quickly(head, "{ L: @%p bra L; }\n", 50000, "}");
    read_quickly(head, "L: bra L;\n", 50000, "}");
    read_quickly(head, "mov.u32 %r3999999999, {{{{{{{{{{{{1;\n", 20000, "}");
    read_quickly(head, "[[[[[[[[", 50000, "");
    read_quickly(head, "add.s32 %r1, %r2, %r3;\n", 100000, "ret; }");
    read_quickly(head, ".shared .b8 s[4294967295][4294967295][4294967295];\n", 1000, "ret; }");
    read_quickly("", "\"", 100000, "");
    read_quickly("", "/*", 100000, "");
    read_quickly(".version 9.0\n.target sm_86\n", ".func f(.param .b32 a) { call f, (a); ret; }\n", 5000,
                 ".entry k() { ret; }");
    read_quickly(head, "brx.idx %r1, t;\n", 5000, "t: .branchtargets A, A, A, A, A, A, A, A;\nA: ret; }");
}

/* Registers that live in one stretch of code share numbers; one that a branch carries on, or that was read before it
 * was written, does not. */
static void numbers(void **state)
{
    struct reading r;
    char got[512];
    (void)state;
    read_text(
        &r,
        ".version 9.0\n.target sm_86\n.entry k()\n{\n.reg .b32 a, b, c, d;\n.reg .pred p;\nmov.u32 a, 1;\n"
        "add.u32 b, a, a;\nst.shared.u32 [0], b;\nmov.u32 c, 2;\nadd.u32 d, d, c;\nbra L;\nL: st.shared.u32 [0], d;\n"
        "ret;\n}\n");
    assert_int_equal(r.status, SP_OK);
    lift_kernel(&r, 0);
    print_list(&r.code.lists[1], got, sizeof got);
    assert_string_equal(got, "0 read.b32 R0; 1 add.b32 %0 %0; 2 write R1 %1");
    print_list(&r.code.lists[3], got, sizeof got); /* b's number again */
    assert_string_equal(got, "0 const.b32 0x2; 1 write R1 %0");
    print_list(&r.code.lists[4], got, sizeof got);
    assert_string_equal(got, "0 read.b32 R2; 1 read.b32 R1; 2 add.b32 %0 %1; 3 write R2 %2");
    unsigned word, words;
    assert_string_equal(ptx_register_name(&r.code, 1, UOP_FILE_R, 1, &word, &words), "b");
    assert_string_equal(ptx_register_name(&r.code, 3, UOP_FILE_R, 1, &word, &words), "c");
    assert_null(ptx_register_name(&r.code, 6, UOP_FILE_R, 1, &word, &words));
    arena_free(&r.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists), cmocka_unit_test(heads),  cmocka_unit_test(diagnostics), cmocka_unit_test(damaged),
        cmocka_unit_test(calls), cmocka_unit_test(scopes), cmocka_unit_test(hostile),     cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
