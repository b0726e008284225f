#!/usr/bin/env python3
"""Writes ops.ptx: one kernel for each form of a PTX instruction, all of one shape,

    .entry op_NAME(.u64 a, .u64 b, .u64 c, .u64 out, .u32 n)    out[i] = op(a[i], b[i], c[i]), 8 bytes each

  make_ops.py SM >ops.ptx      the forms that architecture has

A form is (name, type of the inputs, type of the result, text, least architecture); %0 is the result, %1 %2 %3 are
inputs, of 16, 32 or 64 bits; the input sets (test/emu/ops.py) are chosen by the inputs' type."""
import sys

ROUNDS = ["rn", "rz", "rm", "rp"]
COMPARES = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def forms():
    # floats of 32 and 64 bits
    for op in ("add", "sub", "mul"):
        for r in ROUNDS:
            yield f"{op}_{r}_f32", "f32", "b32", f"{op}.{r}.f32 %0, %1, %2;", 50
            yield f"{op}_{r}_ftz_f32", "f32", "b32", f"{op}.{r}.ftz.f32 %0, %1, %2;", 50
            yield f"{op}_{r}_f64", "f64", "b64", f"{op}.{r}.f64 %0, %1, %2;", 50
        yield f"{op}_sat_f32", "f32", "b32", f"{op}.rn.sat.f32 %0, %1, %2;", 50
        yield f"{op}_ftz_sat_f32", "f32", "b32", f"{op}.rn.ftz.sat.f32 %0, %1, %2;", 50
    for r in ROUNDS:
        yield f"fma_{r}_f32", "f32", "b32", f"fma.{r}.f32 %0, %1, %2, %3;", 50
        yield f"fma_{r}_ftz_f32", "f32", "b32", f"fma.{r}.ftz.f32 %0, %1, %2, %3;", 50
        yield f"fma_{r}_f64", "f64", "b64", f"fma.{r}.f64 %0, %1, %2, %3;", 50
        for op in ("div", ):
            yield f"div_{r}_f32", "f32", "b32", f"div.{r}.f32 %0, %1, %2;", 50
        yield f"sqrt_{r}_f32", "f32", "b32", f"sqrt.{r}.f32 %0, %1;", 50
        yield f"rcp_{r}_f32", "f32", "b32", f"rcp.{r}.f32 %0, %1;", 50
    yield "fma_sat_f32", "f32", "b32", "fma.rn.sat.f32 %0, %1, %2, %3;", 50
    for op in ("min", "max"):
        yield f"{op}_f32", "f32", "b32", f"{op}.f32 %0, %1, %2;", 50
        yield f"{op}_ftz_f32", "f32", "b32", f"{op}.ftz.f32 %0, %1, %2;", 50
        yield f"{op}_nan_f32", "f32", "b32", f"{op}.NaN.f32 %0, %1, %2;", 80
        yield f"{op}_xorsign_f32", "f32", "b32", f"{op}.xorsign.abs.f32 %0, %1, %2;", 86
        yield f"{op}_f64", "f64", "b64", f"{op}.f64 %0, %1, %2;", 50
        for t, least in (("f16", 80), ("f16x2", 80), ("bf16x2", 80)):
            w = "b16" if t == "f16" else "b32"
            kind = t.replace("x2", "")
            yield f"{op}_{t}", kind, w, f"{op}.{t} %0, %1, %2;", least
            yield f"{op}_nan_{t}", kind, w, f"{op}.NaN.{t} %0, %1, %2;", least
    for op in ("neg", "abs"):
        for t in ("f32", "f64"):
            yield f"{op}_{t}", t, "b" + t[1:], f"{op}.{t} %0, %1;", 50
        yield f"{op}_ftz_f32", "f32", "b32", f"{op}.ftz.f32 %0, %1;", 50
    for c in COMPARES:
        for t in ("f32", "f64"):
            yield f"setp_{c}_{t}", t, "b32", f"{{ .reg .pred p; setp.{c}.{t} p, %1, %2; selp.u32 %0, 1, 0, p; }}", 50
        yield (f"setp_{c}_ftz_f32", "f32", "b32",
               f"{{ .reg .pred p; setp.{c}.ftz.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }}", 50)
    # halves
    for t in ("f16", "f16x2"):
        w = "b16" if t == "f16" else "b32"
        for op in ("add", "sub", "mul"):
            for m in ("", ".ftz", ".sat", ".ftz.sat"):
                yield f"{op}{m.replace('.', '_')}_{t}", "f16", w, f"{op}.rn{m}.{t} %0, %1, %2;", 53
        for m in ("", ".ftz", ".sat", ".ftz.sat"):
            yield f"fma{m.replace('.', '_')}_{t}", "f16", w, f"fma.rn{m}.{t} %0, %1, %2, %3;", 53
        yield f"fma_relu_{t}", "f16", w, f"fma.rn.relu.{t} %0, %1, %2, %3;", 80
    for t in ("bf16", "bf16x2"):
        w = "b16" if t == "bf16" else "b32"
        yield f"fma_{t}", "bf16", w, f"fma.rn.{t} %0, %1, %2, %3;", 80
        yield f"fma_relu_{t}", "bf16", w, f"fma.rn.relu.{t} %0, %1, %2, %3;", 80
        for op in ("add", "sub", "mul"):
            yield f"{op}_{t}", "bf16", w, f"{op}.rn.{t} %0, %1, %2;", 90
    for c in COMPARES:
        yield (f"setp_{c}_f16x2", "f16", "b32",
               f"{{ .reg .pred p, q; .reg .u32 t; setp.{c}.f16x2 p|q, %1, %2; selp.u32 t, 1, 0, p; "
               "selp.u32 %0, 2, 0, q; or.b32 %0, %0, t; }", 53)
    # conversions
    for r in ("rni", "rzi", "rmi", "rpi"):
        for s in ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"):
            for f in ("f32", "f64"):
                w = "b64" if s[1:] == "64" else "b32"
                yield f"cvt_{r}_{s}_{f}", f, w, cvt_to_int(r, s, f), 50
        yield f"cvt_{r}_f32", "f32", "b32", f"cvt.{r}.f32.f32 %0, %1;", 50
        yield f"cvt_{r}_f64", "f64", "b64", f"cvt.{r}.f64.f64 %0, %1;", 50
        yield f"cvt_{r}_f16", "f16", "b16", f"cvt.{r}.f16.f16 %0, %1;", 53
        yield f"cvt_{r}_ftz_s32_f32", "f32", "b32", f"cvt.{r}.ftz.s32.f32 %0, %1;", 50
    for r in ROUNDS:
        for s in ("s32", "u32", "s64", "u64"):
            for f in ("f32", "f64"):
                yield f"cvt_{r}_{f}_{s}", "i" + s[1:], "b" + f[1:], f"cvt.{r}.{f}.{s} %0, %1;", 50
        yield f"cvt_{r}_f32_f64", "f64", "b32", f"cvt.{r}.f32.f64 %0, %1;", 50
    yield "cvt_f64_f32", "f32", "b64", "cvt.f64.f32 %0, %1;", 50
    for s in ("s8", "u8", "s16", "u16"):
        yield f"cvt_f32_{s}", "i32", "b32", f"{{ .reg .{s[0]}16 t; cvt.{s}.s32 t, %1; cvt.rn.f32.{s} %0, t; }}", 50
    for r in ("rn", "rz"):
        yield f"cvt_{r}_f16_f32", "f32", "b16", f"cvt.{r}.f16.f32 %0, %1;", 53
        yield f"cvt_{r}_f16x2_f32", "f32", "b32", f"cvt.{r}.f16x2.f32 %0, %1, %2;", 80
        yield f"cvt_{r}_relu_f16x2_f32", "f32", "b32", f"cvt.{r}.relu.f16x2.f32 %0, %1, %2;", 80
        yield f"cvt_{r}_bf16x2_f32", "f32", "b32", f"cvt.{r}.bf16x2.f32 %0, %1, %2;", 80
        yield f"cvt_{r}_relu_bf16x2_f32", "f32", "b32", f"cvt.{r}.relu.bf16x2.f32 %0, %1, %2;", 80
    yield "cvt_rn_ftz_f16_f32", "f32", "b16", "cvt.rn.ftz.f16.f32 %0, %1;", 53
    yield "cvt_sat_f16_f32", "f32", "b16", "cvt.rn.sat.f16.f32 %0, %1;", 53
    yield "cvt_f32_f16", "f16", "b32", "cvt.f32.f16 %0, %1;", 53
    yield "cvt_f64_f16", "f16", "b64", "cvt.f64.f16 %0, %1;", 53
    yield "cvt_rn_f16_f64", "f64", "b16", "cvt.rn.f16.f64 %0, %1;", 53
    for s in ("s16", "u16", "s32", "u32"):
        yield f"cvt_f16_{s}", "i16" if s[1:] == "16" else "i32", "b16", f"cvt.rn.f16.{s} %0, %1;", 53
        yield f"cvt_{s}_f16", "f16", "b16" if s[1:] == "16" else "b32", f"cvt.rzi.{s}.f16 %0, %1;", 53
    # integers
    for t in ("s32", "u32", "s64", "u64"):
        i, w = "i" + t[1:], "b" + t[1:]
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield f"{op.replace('.', '_')}_{t}", i, w, f"{op}.{t} %0, %1, %2;", 50
        for op in ("mad.lo", "mad.hi"):
            yield f"{op.replace('.', '_')}_{t}", i, w, f"{op}.{t} %0, %1, %2, %3;", 50
        yield f"sad_{t}", i, w, f"sad.{t} %0, %1, %2, %3;", 50
        yield f"shr_{t}", i, w, f"{{ .reg .u32 t; cvt.u32.{t} t, %2; and.b32 t, t, 127; shr.{t} %0, %1, t; }}", 50
        yield f"bfind_{t}", i, "b32", f"bfind.{t} %0, %1;", 50
        yield f"bfind_shift_{t}", i, "b32", f"bfind.shiftamt.{t} %0, %1;", 50
        yield (f"bfe_{t}", i, w, f"{{ .reg .u32 s, l; cvt.u32.{t} s, %2; cvt.u32.{t} l, %3; and.b32 s, s, 127; "
               f"and.b32 l, l, 127; bfe.{t} %0, %1, s, l; }}", 50)
        for c in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield f"setp_{c}_{t}", i, "b32", f"{{ .reg .pred p; setp.{c}.{t} p, %1, %2; selp.u32 %0, 1, 0, p; }}", 50
    for t in ("s32", "s64"):
        i, w = "i" + t[1:], "b" + t[1:]
        for op in ("abs", "neg"):
            yield f"{op}_{t}", i, w, f"{op}.{t} %0, %1;", 50
    for t in ("s32", "u32"):
        yield f"mul_wide_{t}", "i32", "b64", f"mul.wide.{t} %0, %1, %2;", 50
        yield f"mul24_lo_{t}", "i32", "b32", f"mul24.lo.{t} %0, %1, %2;", 50
        yield f"mul24_hi_{t}", "i32", "b32", f"mul24.hi.{t} %0, %1, %2;", 50
        for u in ("s32", "u32"):
            yield f"dp4a_{t}_{u}", "i32", "b32", f"dp4a.{t}.{u} %0, %1, %2, %3;", 61
            yield f"dp2a_lo_{t}_{u}", "i32", "b32", f"dp2a.lo.{t}.{u} %0, %1, %2, %3;", 61
            yield f"dp2a_hi_{t}_{u}", "i32", "b32", f"dp2a.hi.{t}.{u} %0, %1, %2, %3;", 61
        yield f"szext_clamp_{t}", "i32", "b32", f"{{ .reg .u32 t; and.b32 t, %2, 63; szext.clamp.{t} %0, %1, t; }}", 70
        yield f"szext_wrap_{t}", "i32", "b32", f"szext.wrap.{t} %0, %1, %2;", 70
    yield "mad_wide_s32", "i32", "b64", "{ .reg .s64 t; cvt.s64.s32 t, %3; mad.wide.s32 %0, %1, %2, t; }", 50
    for b in ("b32", "b64"):
        i = "i" + b[1:]
        for op in ("and", "or", "xor"):
            yield f"{op}_{b}", i, b, f"{op}.{b} %0, %1, %2;", 50
        yield f"not_{b}", i, b, f"not.{b} %0, %1;", 50
        yield f"cnot_{b}", i, b, f"cnot.{b} %0, %1;", 50
        yield f"popc_{b}", i, "b32", f"popc.{b} %0, %1;", 50
        yield f"clz_{b}", i, "b32", f"clz.{b} %0, %1;", 50
        yield f"brev_{b}", i, b, f"brev.{b} %0, %1;", 50
        yield f"shl_{b}", i, b, f"{{ .reg .u32 t; cvt.u32.u{b[1:]} t, %2; and.b32 t, t, 127; shl.{b} %0, %1, t; }}", 50
        yield (f"bfi_{b}", i, b,
               f"{{ .reg .u32 s; cvt.u32.u{b[1:]} s, %3; and.b32 s, s, 63; bfi.{b} %0, %1, %2, s, 13; }}", 50)
    for table in (0x96, 0xe8, 0xca, 0x1b, 0x80, 0xfe, 0x3c, 0x69):
        yield f"lop3_{table:02x}", "i32", "b32", f"lop3.b32 %0, %1, %2, %3, {table};", 50
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt{mode.replace('.', '_')}", "i32", "b32", f"prmt.b32{mode} %0, %1, %2, %3;", 50
    for d in ("l", "r"):
        for m in ("wrap", "clamp"):
            yield f"shf_{d}_{m}", "i32", "b32", f"shf.{d}.{m}.b32 %0, %1, %2, %3;", 50
    for m in ("clamp", "wrap"):
        yield (f"bmsk_{m}", "i32", "b32",
               f"{{ .reg .u32 s, t; and.b32 s, %1, 63; and.b32 t, %2, 63; bmsk.{m}.b32 %0, s, t; }}", 70)
    yield "addc", "i32", "b32", "{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, %1; }", 50
    yield ("addc_chain", "i32", "b32",
           "{ .reg .u32 t, u; add.cc.u32 t, %1, %2; addc.cc.u32 u, %2, %3; addc.u32 %0, %3, u; }", 50)
    yield "subc", "i32", "b32", "{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, %1; }", 50
    yield "madc", "i32", "b32", "{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, %3; }", 50
    yield "add_cc_u64", "i64", "b64", "{ .reg .u64 t; add.cc.u64 t, %1, %2; addc.u64 %0, %3, %1; }", 50
    for t in ("s32", "f32"):
        yield f"slct_{t}", "i32" if t == "s32" else "f32", "b32", f"slct.b32.{t} %0, %1, %2, %3;", 50
    for a in ("s8", "u8", "s16", "u16"):
        yield f"cvt_sat_{a}_s32", "i32", "b32", f"{{ .reg .{a[0]}32 t; cvt.sat.{a}.s32 t, %1; mov.b32 %0, t; }}", 50
    # through the special function unit: not compared bit by bit before its tables are measured
    for op in ("ex2", "lg2", "sin", "cos", "sqrt", "rsqrt", "rcp"):
        yield f"approx_{op}_f32", "f32", "b32", f"{op}.approx.f32 %0, %1;", 50
        yield f"approx_{op}_ftz_f32", "f32", "b32", f"{op}.approx.ftz.f32 %0, %1;", 50
    yield "approx_tanh_f32", "f32", "b32", "tanh.approx.f32 %0, %1;", 75
    yield "approx_ex2_f16", "f16", "b16", "ex2.approx.f16 %0, %1;", 75
    yield "approx_tanh_f16", "f16", "b16", "tanh.approx.f16 %0, %1;", 75
    yield "approx_div_f32", "f32", "b32", "div.approx.f32 %0, %1, %2;", 50
    yield "approx_div_full_f32", "f32", "b32", "div.full.f32 %0, %1, %2;", 50
    for r in ROUNDS:
        yield f"div_{r}_f64", "f64", "b64", f"div.{r}.f64 %0, %1, %2;", 50
        yield f"sqrt_{r}_f64", "f64", "b64", f"sqrt.{r}.f64 %0, %1;", 50
        yield f"rcp_{r}_f64", "f64", "b64", f"rcp.{r}.f64 %0, %1;", 50


def cvt_to_int(r, s, f):
    if s[1:] in ("8", "16"):
        return f"{{ .reg .{s[0]}32 t; cvt.{r}.{s}.{f} t, %1; mov.b32 %0, t; }}"
    return f"cvt.{r}.{s}.{f} %0, %1;"


WIDTH = {"f16": 16, "i16": 16, "bf16": 16, "f32": 32, "i32": 32, "f64": 64, "i64": 64}


def input_width(kind, result, text):
    return 32 if "f16x2" in text and kind in ("f16", "bf16") else WIDTH[kind]


def kernel(name, kind, result, text):
    width = input_width(kind, result, text)
    for i in (3, 2, 1):
        text = text.replace(f"%{i}", f"%x{i}")
    text = text.replace("%0", "%y")
    params = ".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po, .param .u32 pn"
    lines = [f".visible .entry op_{name}({params})", "{",
             "  .reg .pred %out;", "  .reg .b32 %i, %n, %d, %t;", "  .reg .b64 %a, %b, %c, %o, %at;",
             f"  .reg .b{width} %x1, %x2, %x3;", f"  .reg .b{result[1:]} %y;", "  .reg .b64 %w;",
             "  ld.param.u32 %n, [pn];", "  mov.u32 %i, %ctaid.x;", "  mov.u32 %d, %ntid.x;", "  mov.u32 %t, %tid.x;",
             "  mad.lo.u32 %i, %i, %d, %t;", "  setp.ge.u32 %out, %i, %n;", "  @%out ret;",
             "  mul.wide.u32 %at, %i, 8;"]
    for p, x in (("a", "x1"), ("b", "x2"), ("c", "x3")):
        lines += [f"  ld.param.u64 %{p}, [p{p}];", f"  cvta.to.global.u64 %{p}, %{p};", f"  add.u64 %{p}, %{p}, %at;",
                  f"  ld.global.b{width} %{x}, [%{p}];"]
    lines += ["  " + text]
    lines += ["  mov.b64 %w, %y;" if result == "b64" else f"  cvt.u64.u{result[1:]} %w, %y;",
              "  ld.param.u64 %o, [po];", "  cvta.to.global.u64 %o, %o;", "  add.u64 %o, %o, %at;",
              "  st.global.u64 [%o], %w;", "  ret;", "}", ""]
    return "\n".join(lines)


def main():
    sm = int(sys.argv[1])
    print(f".version {8.8 if sm >= 100 else 8.0}\n.target sm_{sm}\n.address_size 64\n")
    for name, kind, result, text, least in forms():
        if sm >= least:
            print(kernel(name, kind, result, text))


if __name__ == "__main__":
    main()
