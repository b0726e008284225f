/* What a cubin says, over CUDA 11.8 to 13.5 and sm_75 to sm_120 (test/corpus/image, PROVENANCE.tsv there).
 *
 * Expected values were read off `ptxas -v` of the same build (registers, barriers, shared, stack), `readelf` (sizes,
 * symbols, relocations), `nvdisasm -g -gi -gp` (lines) and `nvdisasm -c` of 13.5 (spill marks). */
#include "image_test.h"

struct module_row {
    const char *file, *arch, *producer, *flags;
    unsigned sm;
};

static const struct module_row modules[] = {
    {"lines.11.8.sm_75.cubin", "sm_75", "CUDA 11.8", NULL, 75},
    {"lines.11.8.sm_86.cubin", "sm_86", "CUDA 11.8", NULL, 86},
    {"lines.11.8.sm_90.cubin", "sm_90", "CUDA 11.8", NULL, 90},
    {"lines.12.4.sm_80.cubin", "sm_80", "CUDA 12.4", NULL, 80},
    {"lines.12.4.sm_90a.cubin", "sm_90a", "CUDA 12.4", NULL, 90},
    {"lines.12.9.sm_89.cubin", "sm_89", "CUDA 12.9", NULL, 89},
    {"lines.12.9.sm_120.cubin", "sm_120", "ptxas 12.9.86", "-lineinfo  -O 3 -arch sm_120", 120},
    {"lines.13.0.sm_75.cubin", "sm_75", "ptxas 13.0.88", "-lineinfo  -O 3 -arch sm_75", 75},
    {"lines.13.0.sm_90a.cubin", "sm_90a", "ptxas 13.0.88", "-lineinfo  -O 3 -arch sm_90a", 90},
    {"lines.13.0.sm_100.cubin", "sm_100", "ptxas 13.0.88", "-lineinfo  -O 3 -arch sm_100", 100},
    {"lines.13.5.sm_80.cubin", "sm_80", "ptxas 13.5.37", "-lineinfo  -O 3 -arch sm_80", 80},
    {"lines.13.5.sm_90.cubin", "sm_90", "ptxas 13.5.37", "-lineinfo  -O 3 -arch sm_90", 90},
    {"lines.13.5.sm_120.cubin", "sm_120", "ptxas 13.5.37", "-lineinfo  -O 3 -arch sm_120", 120},
};

static void test_modules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const struct module_row *row = &modules[i];
        struct opened o;
        open_cubin(&o, row->file);
        assert_int_equal(o.module.kind, IMG_CUBIN);
        assert_int_equal(o.module.sm, row->sm);
        assert_string_equal(o.module.arch, row->arch);
        assert_string_equal(o.module.producer, row->producer);
        if (row->flags == NULL)
            assert_null(o.module.flags);
        else
            assert_string_equal(o.module.flags, row->flags);
        assert_true(o.module.has_line_info);
        assert_int_equal(o.module.file_count, 1);
        assert_string_equal(o.module.files[0], "/kernels/lines.cu");
        assert_non_null(o.module.ptx);
        assert_int_equal(strlen(o.module.ptx), o.module.ptx_bytes);
        close_cubin(&o);
    }
}

struct kernel_row {
    const char *file, *name, *demangled;
    uint32_t code_bytes;
    int registers, barriers, shared, stack;
    bool dynamic;
    uint32_t param_base, param_bytes;
};

#define WITH     "_Z4withPf", "with(float*)"
#define WITHOUT  "_Z7withoutPf", "without(float*)"
#define SPILLING "_Z8spillingPfPKf", "spilling(float*, float const*)"
#define HUGE_    "_Z4huge4HugePic", "huge(Huge, int*, char)"
static const struct kernel_row kernels[] = {
    /* file                      kernel   code  reg bar  sh stack dyn    base  param */
    {"shared.11.8.sm_75.cubin", WITH, 256, 10, 1, 400, 0, false, 0x160, 8},
    {"shared.11.8.sm_75.cubin", WITHOUT, 256, 8, 0, 0, 0, false, 0x160, 8},
    {"shared.11.8.sm_90.cubin", WITH, 512, 10, 1, 400, 0, false, 0x210, 8},
    {"shared.11.8.sm_90.cubin", WITHOUT, 384, 8, 0, 0, 0, false, 0x210, 8},
    {"shared.12.4.sm_86.cubin", WITH, 384, 10, 1, 400, 0, false, 0x160, 8},
    {"shared.12.4.sm_90.cubin", WITH, 512, 10, 1, 400, 0, false, 0x210, 8},
    {"shared.12.9.sm_80.cubin", WITH, 384, 10, 1, 400, 0, false, 0x160, 8},
    {"shared.12.9.sm_90.cubin", WITH, 512, 10, 1, 400, 0, false, 0x210, 8},
    {"shared.12.9.sm_100.cubin", WITH, 512, 10, 1, 400, 0, false, 0x380, 8},
    {"shared.12.9.sm_100.cubin", WITHOUT, 384, 8, 0, 0, 0, false, 0x380, 8},
    {"shared.13.0.sm_86.cubin", WITH, 384, 10, 1, 400, 0, false, 0x160, 8},
    {"shared.13.0.sm_86.cubin", WITHOUT, 384, 8, 0, 0, 0, false, 0x160, 8},
    {"shared.13.0.sm_90.cubin", WITH, 512, 10, 1, 400, 0, false, 0x210, 8},
    {"shared.13.5.sm_89.cubin", WITH, 384, 10, 1, 400, 0, false, 0x160, 8},
    {"shared.13.5.sm_120.cubin", WITH, 512, 10, 1, 400, 0, false, 0x380, 8},
    {"shared.13.5.sm_120.cubin", WITHOUT, 384, 8, 0, 0, 0, false, 0x380, 8},
    {"shared-relocatable.11.8.sm_90.cubin", WITH, 512, 10, 1, 400, 0, false, 0x210, 8},
    {"shared-relocatable.13.0.sm_86.cubin", WITH, 384, 10, 1, 400, 0, false, 0x160, 8},
    {"shared-relocatable.13.0.sm_120.cubin", WITH, 512, 10, 1, 400, 0, false, 0x380, 8},
    {"dynamic.11.8.sm_75.cubin", WITH, 256, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic.11.8.sm_90.cubin", WITH, 512, 10, 1, 0, 0, true, 0x210, 8},
    {"dynamic.11.8.sm_90.cubin", WITHOUT, 384, 8, 0, 0, 0, true, 0x210, 8},
    {"dynamic.12.4.sm_86.cubin", WITH, 384, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic.12.4.sm_90.cubin", WITH, 512, 10, 1, 0, 0, true, 0x210, 8},
    {"dynamic.12.9.sm_80.cubin", WITH, 384, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic.12.9.sm_90.cubin", WITH, 512, 10, 1, 0, 0, true, 0x210, 8},
    {"dynamic.12.9.sm_100.cubin", WITH, 512, 10, 1, 0, 0, true, 0x380, 8},
    {"dynamic.13.0.sm_86.cubin", WITH, 384, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic.13.0.sm_90.cubin", WITH, 512, 10, 1, 0, 0, true, 0x210, 8},
    {"dynamic.13.5.sm_89.cubin", WITH, 384, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic.13.5.sm_120.cubin", WITH, 512, 10, 1, 0, 0, true, 0x380, 8},
    {"dynamic-relocatable.11.8.sm_90.cubin", WITH, 512, 10, 1, 0, 0, true, 0x210, 8},
    {"dynamic-relocatable.13.0.sm_86.cubin", WITH, 384, 10, 1, 0, 0, true, 0x160, 8},
    {"dynamic-relocatable.13.0.sm_120.cubin", WITH, 512, 10, 1, 0, 0, true, 0x380, 8},
    {"spill.12.4.sm_86.cubin", SPILLING, 2944, 24, 1, 0, 128, false, 0x160, 16},
    {"spill.12.9.sm_86.cubin", SPILLING, 2944, 24, 1, 0, 128, false, 0x160, 16},
    {"spill.13.0.sm_90.cubin", SPILLING, 2944, 24, 1, 0, 128, false, 0x210, 16},
    {"spill.13.5.sm_120.cubin", SPILLING, 2944, 24, 1, 0, 128, false, 0x380, 16},
    {"huge.12.9.sm_90.cubin", HUGE_, 384, 8, 0, 0, 0, false, 0x210, 24009},
    {"huge.13.0.sm_86.cubin", HUGE_, 384, 8, 0, 0, 0, false, 0x1a80, 24009},
};

static void test_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel_row *row = &kernels[i];
        struct opened o;
        open_cubin(&o, row->file);
        const struct img_kernel *k = kernel_named(&o, row->name);
        print_message("%s %s\n", row->file, row->name);
        assert_string_equal(k->demangled, row->demangled);
        assert_true(k->is_entry);
        assert_int_equal(k->code_bytes, row->code_bytes);
        assert_int_equal(k->registers, row->registers);
        assert_int_equal(k->barriers, row->barriers);
        assert_int_equal(k->shared_bytes, row->shared);
        assert_int_equal(k->stack_bytes, row->stack);
        assert_int_equal(k->uniform_registers, -1);
        assert_int_equal(k->dynamic_shared, row->dynamic);
        assert_int_equal(k->param_base, row->param_base);
        assert_int_equal(k->param_bytes, row->param_bytes);
        assert_true(k->params_known);
        assert_false(o.module.has_line_info);
        assert_int_equal(k->line_count, 0);
        assert_null(o.module.ptx);
        close_cubin(&o);
    }
}

static void check_params(const char *file, const char *name, const uint32_t (*want)[2], uint32_t count)
{
    struct opened o;
    open_cubin(&o, file);
    const struct img_kernel *k = kernel_named(&o, name);
    assert_true(k->params_known);
    assert_int_equal(k->param_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(k->params[i].index, i);
        assert_int_equal(k->params[i].offset, want[i][0]);
        assert_int_equal(k->params[i].size, want[i][1]);
        assert_int_equal(k->params[i].constant_offset, k->param_base + want[i][0]);
    }
    close_cubin(&o);
}

/* Offsets and sizes follow from the C++ types: char, short, double, a struct of four floats, a pointer, int. */
static void test_params(void **state)
{
    (void)state;
    static const uint32_t six[][2] = {{0, 1}, {2, 2}, {8, 8}, {16, 16}, {32, 8}, {40, 4}};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        check_params(modules[i].file, "params", six, 6);
    static const uint32_t huge[][2] = {{0, 24000}, {24000, 8}, {24008, 1}}; /* told by the second kind of record */
    check_params("huge.12.9.sm_90.cubin", "_Z4huge4HugePic", huge, 3);
    check_params("huge.13.0.sm_86.cubin", "_Z4huge4HugePic", huge, 3);
}

static void test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        struct opened o;
        open_cubin(&o, modules[i].file);
        const struct img_kernel *k = kernel_named(&o, "_Z7inlinedPKfPfi");
        assert_int_equal(k->max_threads[0], 256);
        assert_int_equal(k->max_threads[1], 1);
        assert_int_equal(k->max_threads[2], 1);
        assert_int_equal(k->reqntid[0], -1);
        assert_int_equal(kernel_named(&o, "params")->max_threads[0], -1);
        close_cubin(&o);
    }
}

static void test_required(void **state)
{
    (void)state;
    static const char *const files[] = {"required.11.8.sm_75.cubin", "required.12.4.sm_90.cubin",
                                        "required.13.5.sm_75.cubin"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct opened o;
        open_cubin(&o, files[i]);
        const struct img_kernel *k = kernel_named(&o, "required");
        assert_int_equal(k->reqntid[0], 64);
        assert_int_equal(k->reqntid[1], 2);
        assert_int_equal(k->reqntid[2], 1);
        assert_int_equal(k->max_threads[0], -1);
        assert_int_equal(k->barriers, 0);
        k = kernel_named(&o, "largest");
        assert_int_equal(k->reqntid[0], -1);
        assert_int_equal(k->max_threads[0], 512);
        assert_int_equal(k->barriers, 6);
        assert_string_equal(k->demangled, "largest");
        close_cubin(&o);
    }
}

/* PTX of an older virtual architecture for a newer chip, as libraries are built. */
static void test_virtual_architecture(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "virtual.13.0.sm_90.cubin");
    assert_int_equal(o.module.sm, 90);
    assert_string_equal(o.module.arch, "sm_90");
    assert_int_equal(kernel_named(&o, "required")->reqntid[0], 64);
    close_cubin(&o);
}

static void test_spills(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "spill.12.9.sm_86.cubin");
    const struct img_kernel *k = &o.module.kernels[0];
    assert_true(k->spills_known);
    assert_int_equal(k->spill_count, 66);
    assert_int_equal(k->spills[0], 0x60);
    assert_int_equal(k->spills[1], 0x1c0);
    assert_int_equal(k->spills[2], 0x1d0);
    for (uint32_t i = 1; i < k->spill_count; i++)
        assert_true(k->spills[i - 1] < k->spills[i]);
    close_cubin(&o);

    open_cubin(&o, "spill.13.5.sm_120.cubin");
    assert_int_equal(o.module.kernels[0].spill_count, 66);
    close_cubin(&o);

    open_cubin(&o, "spill.12.4.sm_86.cubin"); /* that release does not record them: unknown, not none */
    assert_false(o.module.kernels[0].spills_known);
    close_cubin(&o);

    open_cubin(&o, "shared.13.0.sm_86.cubin"); /* this one would have: none */
    assert_true(o.module.kernels[0].spills_known);
    assert_int_equal(o.module.kernels[0].spill_count, 0);
    close_cubin(&o);
}

static void check_line(const struct opened *o, const struct img_kernel *k, uint32_t offset, uint32_t line,
                       uint32_t ptx_line, uint32_t levels)
{
    const struct img_line *row = img_line_at(k, offset);
    assert_non_null(row);
    assert_string_equal(o->module.files[row->file], "/kernels/lines.cu");
    assert_int_equal(row->line, line);
    assert_int_equal(row->inlined_count, levels);
    assert_int_equal(img_ptx_line_at(k, offset), ptx_line);
}

static void test_lines(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "lines.13.0.sm_86.cubin");
    const struct img_kernel *k = kernel_named(&o, "_Z7inlinedPKfPfi");
    static const uint32_t rows[][4] = {
        /* offset, line, PTX line, levels of inlining */
        {0x00, 9, 37, 0},  {0x10, 11, 49, 0},  {0x20, 11, 51, 0},  {0x30, 11, 52, 0},  {0x40, 12, 54, 0},
        {0x50, 12, 55, 0}, {0x60, 13, 61, 0},  {0x70, 13, 37, 0},  {0x80, 13, 61, 0},  {0x90, 13, 62, 0},
        {0xa0, 13, 68, 0}, {0xb0, 13, 78, 0},  {0xc0, 2, 66, 2},   {0xd0, 13, 70, 0},  {0xe0, 13, 73, 0},
        {0xf0, 2, 66, 2},  {0x100, 13, 74, 0}, {0x110, 13, 79, 0}, {0x120, 14, 83, 0}, {0x1f0, 14, 83, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_line(&o, k, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
    const struct img_line *row = img_line_at(k, 0xf0);
    assert_string_equal(row->inlined[0].function, "f2(float)");
    assert_int_equal(row->inlined[0].line, 5);
    assert_int_equal(row->inlined[0].file, 0);
    assert_string_equal(row->inlined[1].function, "f1(float)");
    assert_int_equal(row->inlined[1].line, 13);
    close_cubin(&o);
}

/* The multiplication is inlined from line 2 through line 5 to line 13 in every build. */
static void test_inlining_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        struct opened o;
        open_cubin(&o, modules[i].file);
        const struct img_kernel *k = kernel_named(&o, "_Z7inlinedPKfPfi");
        unsigned seen = 0;
        for (uint32_t n = 0; n < k->line_count; n++) {
            const struct img_line *row = &k->lines[n];
            assert_true(n == 0 || k->lines[n - 1].offset < row->offset);
            if (row->line != 2)
                continue;
            assert_int_equal(row->inlined_count, 2);
            assert_int_equal(row->inlined[0].line, 5);
            assert_int_equal(row->inlined[1].line, 13);
            assert_string_equal(row->inlined[0].function, "f2(float)");
            assert_string_equal(row->inlined[1].function, "f1(float)");
            seen++;
        }
        assert_true(seen > 0);
        close_cubin(&o);
    }
}

static uint32_t count_lines(const char *text, size_t bytes)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

static void test_ptx(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "lines.13.0.sm_86.cubin");
    /* Line 66, where nvdisasm puts the multiplication of f2. */
    const char *p = o.module.ptx;
    for (unsigned line = 1; line < 66; line++)
        p = strchr(p, '\n') + 1;
    static const char want[] = "fma.rn.f32 \t%f2, %f1, 0f40400000, 0f3F800000;\n";
    assert_memory_equal(p, want, sizeof want - 1);
    assert_true(count_lines(o.module.ptx, o.module.ptx_bytes) > 150);
    close_cubin(&o);
}

/* True when line `line` of the embedded PTX starts with `want`. */
static bool ptx_line_is(const struct opened *o, uint32_t line, const char *want)
{
    const char *p = o->module.ptx;
    for (; line > 1; line--)
        p = strchr(p, '\n') + 1;
    return strncmp(p, want, strlen(want)) == 0;
}

/* Two translation units linked: two PTX texts, a function that only its line table remembers, and a linker as producer.
 */
static void test_linked(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "linked.13.0.sm_86.cubin");
    assert_string_equal(o.module.producer, "nvlink 13.0.88");
    assert_int_equal(o.module.kernel_count, 3);
    assert_int_equal(o.module.file_count, 2);
    const struct img_kernel *across = kernel_named(&o, "_Z6acrossPf"), *within = kernel_named(&o, "_Z6withinPf"),
                            *g = kernel_named(&o, "_Z1gf");
    assert_true(across->is_entry && within->is_entry && !g->is_entry);
    assert_true(across->params_known && !g->params_known); /* a device function has no parameters in bank 0 */
    assert_false(across->spills_known);                    /* what was linked may be older than the linker */
    assert_int_equal(across->reloc_count, 3);
    assert_int_equal(across->relocs[2].offset, 0x80);
    assert_int_equal(across->relocs[2].type, 58);
    assert_string_equal(across->relocs[2].symbol, "_Z1gf");
    assert_int_equal(across->relocs[0].type, 56);
    assert_int_equal(across->relocs[0].addend, 144);

    assert_string_equal(o.module.files[img_line_at(across, 0)->file], "/kernels/linked_a.cu");
    assert_string_equal(o.module.files[img_line_at(within, 0)->file], "/kernels/linked_b.cu");
    assert_int_equal(img_line_at(within, 0x60)->line, 2);
    assert_int_equal(img_line_at(within, 0x60)->inlined_count, 1);
    assert_int_equal(img_line_at(within, 0x70)->inlined_count, 2);
    assert_string_equal(img_line_at(within, 0x70)->inlined[0].function, "h(float)");
    assert_true(ptx_line_is(&o, img_ptx_line_at(across, 0x50), "ld.global.f32 \t%f1, [%rd4];"));
    assert_true(ptx_line_is(&o, img_ptx_line_at(within, 0x50), "ld.global.f32 \t%f1, [%rd4];"));
    assert_true(img_ptx_line_at(within, 0x50) > img_ptx_line_at(across, 0x50) + 40);
    close_cubin(&o);
}

static void test_subroutines(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "lines.13.0.sm_86.cubin");
    const struct img_kernel *k = kernel_named(&o, "_Z7callingPf");
    assert_int_equal(k->subroutine_count, 2);
    assert_string_equal(k->subroutines[0].name, "$_Z7callingPf$_Z6calleef");
    assert_string_equal(k->subroutines[0].demangled, "callee(float)");
    assert_int_equal(k->subroutines[0].offset, 0x180);
    assert_int_equal(k->subroutines[0].size, 0x30);
    assert_string_equal(k->subroutines[1].name, "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath");
    assert_string_equal(k->subroutines[1].demangled, "__cuda_sm3x_div_rn_noftz_f32_slowpath");
    assert_int_equal(k->subroutines[1].offset, 0x1b0);
    assert_int_equal(k->subroutines[1].size, 0x750);
    assert_int_equal(kernel_named(&o, "params")->subroutine_count, 0);
    close_cubin(&o);
}

static void test_constants(void **state)
{
    (void)state;
    static const uint8_t want[16] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}; /* 1 2 3 4 */
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        struct opened o;
        open_cubin(&o, modules[i].file);
        const struct img_kernel *k = kernel_named(&o, "_Z7inlinedPKfPfi");
        assert_int_equal(k->constant_bytes[3], 16);
        assert_memory_equal(k->constant_bank[3], want, 16);
        assert_null(k->constant_bank[0]); /* the driver fills it: the zeros in the file are no values */
        assert_int_equal(k->constant_bytes[0], 0);
        close_cubin(&o);
    }
}

static void test_relocs(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "dynamic-relocatable.13.0.sm_86.cubin");
    const struct img_kernel *k = kernel_named(&o, "_Z4withPf");
    assert_int_equal(k->reloc_count, 2);
    assert_int_equal(k->relocs[0].offset, 0x70);
    assert_int_equal(k->relocs[0].type, 74);
    assert_string_equal(k->relocs[0].symbol, "dynamic");
    assert_int_equal(k->relocs[1].offset, 0x90);
    assert_int_equal(k->relocs[0].shared, 0); /* an array without a size, and none before it */
    close_cubin(&o);

    open_cubin(&o, "dynamic-relocatable.13.0.sm_120.cubin");
    k = kernel_named(&o, "_Z4withPf");
    assert_int_equal(k->reloc_count, 1);
    assert_int_equal(k->relocs[0].offset, 0x70);
    assert_int_equal(k->relocs[0].type, 55);
    assert_int_equal(k->relocs[0].addend, 0);
    assert_int_equal(k->relocs[0].shared, 0);
    close_cubin(&o);

    open_cubin(&o, "shared-relocatable.13.0.sm_86.cubin");
    k = kernel_named(&o, "_Z4withPf");
    assert_int_equal(k->reloc_count, 2);
    assert_int_equal(k->relocs[1].shared, 0);
    close_cubin(&o);

    open_cubin(&o, "linked.13.0.sm_86.cubin");
    k = kernel_named(&o, "_Z6acrossPf");
    for (uint32_t i = 0; i < k->reloc_count; i++)
        assert_int_equal(k->relocs[i].shared, -1); /* addresses of functions */
    close_cubin(&o);

    /* A link gives the doubles, of the larger alignment, the first place; the array without a size lies behind both. */
    open_cubin(&o, "../variants/separate.sm86.cubin");
    k = kernel_named(&o, "apart_kernel");
    bool first = false, second = false, third = false;
    for (uint32_t i = 0; i < k->reloc_count; i++) {
        int64_t want = strstr(k->relocs[i].symbol, "1d__") ? 0 : strstr(k->relocs[i].symbol, "1s__") ? 2048 : 3072;
        assert_int_equal(k->relocs[i].shared, want);
        first |= want == 0;
        second |= want == 2048;
        third |= want == 3072;
    }
    assert_true(first && second && third);
    close_cubin(&o);
}

static void test_code(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "shared.13.0.sm_86.cubin");
    const struct img_kernel *k = kernel_named(&o, "_Z7withoutPf");
    assert_string_equal(k->section, ".text._Z7withoutPf");
    /* MOV R1, c[0x0][0x28]: the first words that nvdisasm -hex prints */
    static const uint8_t want[16] = {0x02, 0x7a, 0x01, 0x00, 0x00, 0x0a, 0x00, 0x00,
                                     0x00, 0x0f, 0x00, 0x00, 0x00, 0xe4, 0x0f, 0x00};
    assert_memory_equal(k->code, want, 16);
    close_cubin(&o);
}

/* 32 bits: ptxas of CUDA 11 still made it. */
static void test_narrow(void **state)
{
    (void)state;
    struct opened o;
    open_cubin(&o, "narrow.11.8.sm_75.cubin");
    const struct img_kernel *k = kernel_named(&o, "k");
    assert_string_equal(o.module.arch, "sm_75");
    assert_int_equal(o.module.virtual_sm, 75);
    assert_true(k->is_entry);
    assert_int_equal(k->code_bytes, 256);
    assert_int_equal(k->registers, 6);
    assert_int_equal(k->param_count, 2);
    assert_int_equal(k->params[1].offset, 4);
    assert_int_equal(k->params[1].size, 4);
    assert_int_equal(k->param_base, 0x160);
    close_cubin(&o);
}

/* readelf -rS: the call of nested_kernel names a function of the file, whose two calls name another. */
static void test_called(void **state)
{
    (void)state;
    struct opened o;
    struct img_kernel linked;
    open_cubin(&o, "../variants/called.sm86.cubin");
    const struct img_kernel *k = kernel_named(&o, "nested_kernel");
    const struct img_kernel *twice = kernel_named(&o, "_Z12scaled_twicef"), *once = kernel_named(&o, "_Z6scaledff");
    assert_int_equal(img_link_called(&o.a, &o.module, k, &linked), SP_OK);
    assert_int_equal(linked.called_count, 2);
    assert_string_equal(linked.called[0].name, "_Z12scaled_twicef");
    assert_string_equal(linked.called[0].section, ".text._Z12scaled_twicef");
    assert_int_equal(linked.own_bytes, k->code_bytes);
    assert_true(linked.called[0].offset > k->code_bytes && linked.called[0].offset % 128 == 0);
    assert_string_equal(linked.called[1].name, "_Z6scaledff"); /* once, although it is called twice */
    assert_true(linked.called[1].offset > linked.called[0].offset + twice->code_bytes);
    assert_int_equal(linked.called[1].bytes, once->code_bytes);
    assert_int_equal(linked.code_bytes, linked.called[1].offset + once->code_bytes);
    assert_memory_equal(linked.code + linked.called[0].offset, twice->code, twice->code_bytes);
    unsigned calls = 0, back = 0;
    for (uint32_t i = 0; i < linked.reloc_count; i++) {
        const struct img_reloc *r = &linked.relocs[i];
        bool outer = r->offset < k->code_bytes;
        if (img_reloc_is_call(r)) {
            assert_int_equal(r->code, linked.called[outer ? 0 : 1].offset);
            calls++;
        } else if (r->type == 56) { /* low word of where the call comes back to */
            assert_true(r->code > r->offset && r->code < linked.called[outer ? 0 : 1].offset);
            back++;
        }
    }
    assert_int_equal(calls, 3);
    assert_int_equal(back, 3);
    /* What is not in the file stays where nothing is. */
    k = kernel_named(&o, "elsewhere_kernel");
    assert_int_equal(img_link_called(&o.a, &o.module, k, &linked), SP_OK);
    assert_int_equal(linked.called_count, 0);
    assert_int_equal(linked.code_bytes, k->code_bytes);
    for (uint32_t i = 0; i < linked.reloc_count; i++)
        if (img_reloc_is_call(&linked.relocs[i]))
            assert_int_equal(linked.relocs[i].code, -1);
    close_cubin(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_spills),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_inlining_everywhere),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_subroutines),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_relocs),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_required),
        cmocka_unit_test(test_virtual_architecture),
        cmocka_unit_test(test_linked),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
