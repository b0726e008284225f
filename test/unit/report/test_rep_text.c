/* The note in text and Markdown: what must stand in it, numbers that --why answers, widths, odd facts,
 * hostile names. */
#include "report/rep.h"

#include "support_worked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum form { TEXT, MARKDOWN, WHY, AT, LINE, VALUE, NOTE, COMPARISONS };

static enum sp_status last;

/* A report as text, to be freed. */
static char *render(const struct fact_document *doc, enum form form, struct rep_options options, int64_t number,
                    const char *name)
{
    struct worked_text text = {0};
    struct out o;
    worked_collect(&text, "", 0);
    out_init(&o, worked_collect, &text);
    switch (form) {
    case TEXT: last = rep_text(doc, &options, &o); break;
    case MARKDOWN: last = rep_markdown(doc, &options, &o); break;
    case WHY: last = rep_why(doc, number, &options, &o); break;
    case AT: last = rep_at(doc, (uint32_t)number, &options, &o); break;
    case LINE: last = rep_line(doc, (uint32_t)number, &options, &o); break;
    case VALUE: last = rep_value(doc, name, &options, &o); break;
    case NOTE: last = rep_note(doc, name, &o); break;
    case COMPARISONS: last = rep_comparisons(doc, &options, &o); break;
    }
    assert_true(out_flush(&o));
    return text.p;
}

static void expect(char *text, const char *const *parts)
{
    const char *from = text;
    for (; *parts; parts++) {
        const char *found = strstr(from, *parts);
        if (!found)
            fail_msg("\"%s\" is not %s", *parts, strstr(text, *parts) ? "in its place" : "there");
        from = found + strlen(*parts);
    }
    free(text);
}

static int columns(const char *p, const char *end)
{
    int n = 0;
    for (; p < end; p++)
        n += ((unsigned char)*p & 0xc0) != 0x80;
    return n;
}

static int widest(const char *text)
{
    int most = 0;
    while (*text) {
        const char *end = strchr(text, '\n');
        end = end ? end : text + strlen(text);
        int n = columns(text, end);
        most = n > most ? n : most;
        text = *end ? end + 1 : end;
    }
    return most;
}

static void test_text_says_it_in_order(void **state)
{
    (void)state;
    static const char *const parts[] = {"clamp_f32_kernel · sm_86\n",
                                        "float const* x, float* y, float lo, float hi, int n",
                                        "ptxas 13.0.88",
                                        "10 registers",
                                        "load → compare → select → compare → select → store",
                                        "WHAT IT COMPUTES",
                                        "[1]  y[i] = min(max(x[i], lo), hi)",
                                        "OUTPUTS",
                                        "v1 = !(x[i] < lo) ? x[i] : lo;\n",
                                        "nan(x[i])",
                                        "WHERE EACH VALUE LIVES",
                                        "v1  max(x[i], lo)",
                                        "register-only",
                                        "0x00c0–0x00e0  R0",
                                        "PATTERNS",
                                        "└ clamp",
                                        "└ branchless-select",
                                        "condition = v1 > hi",
                                        "WHAT THE COMPILERS DID",
                                        "min-max-refused",
                                        "a = NaN, b = 0: here NaN, the min/max that drops a NaN gives 0",
                                        "PARAMETERS",
                                        "c[0x0][0x170]",
                                        "REGISTER FLOW",
                                        "············├─┤··  0x00c0–0x00e0  max(x[i], lo) = v1",
                                        "········├┼──┤····",
                                        "LISTING",
                                        "── when i >= n\n",
                                        "@P0 EXIT",
                                        "── when i < n\n",
                                        "STG.E [R4.64], R7",
                                        "y[i] = v2",
                                        NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    expect(render(&doc, TEXT, (struct rep_options){0}, 0, NULL), parts);
    arena_free(&a);
}

static void test_summary_stops_early(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    char *text = render(&doc, TEXT, (struct rep_options){.summary = true}, 0, NULL);
    assert_non_null(strstr(text, "PATTERNS"));
    assert_null(strstr(text, "PARAMETERS"));
    assert_null(strstr(text, "LISTING"));
    free(text);
    arena_free(&a);
}

static void test_widths_are_kept(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    for (int width = 80; width <= 160; width += 20) {
        char *text = render(&doc, TEXT, (struct rep_options){.width = width}, 0, NULL);
        assert_in_range(widest(text), width - 20, width);
        free(text);
    }
    arena_free(&a);
}

static void test_every_number_is_answered(void **state)
{
    (void)state;
    void (*const make[])(struct fact_document *, struct arena *) = {worked_make_loops, worked_make_phases,
                                                                    worked_make_empty};
    for (size_t m = 0; m < sizeof make / sizeof *make; m++) {
        struct arena a;
        struct fact_document doc;
        arena_init(&a, 0);
        make[m](&doc, &a);
        char *text = render(&doc, TEXT, (struct rep_options){0}, 0, NULL);
        int64_t n = 1;
        for (;; n++) {
            char label[32];
            snprintf(label, sizeof label, "[%lld]", (long long)n);
            char *why = render(&doc, WHY, (struct rep_options){0}, n, NULL);
            if (last != SP_OK) {
                free(why);
                break;
            }
            assert_non_null(strstr(text, label));
            assert_non_null(strstr(why, label));
            free(why);
        }
        assert_int_equal(last, SP_ERR_NOT_FOUND);
        assert_true(n > 10);
        free(render(&doc, WHY, (struct rep_options){0}, 0, NULL));
        assert_int_equal(last, SP_ERR_NOT_FOUND);
        free(render(&doc, WHY, (struct rep_options){0}, INT64_MAX, NULL));
        assert_int_equal(last, SP_ERR_NOT_FOUND);
        free(text);
        arena_free(&a);
    }
}

static void test_why_shows_evidence(void **state)
{
    (void)state;
    static const char *const parts[] = {"[10]",       "clamp: x = x[i]",
                                        "0x00b0",     "FSETP.GEU.FTZ.AND P0",
                                        "0x00e0",     "FSEL R7",
                                        "rule",       "clamp",
                                        "real rules", "compare-and-select = min/max",
                                        "part of",    "elementwise",
                                        "made of",    "branchless-select",
                                        "confidence", "proved",
                                        "wrong if",   NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    expect(render(&doc, WHY, (struct rep_options){0}, 10, NULL), parts);
    arena_free(&a);
}

static void test_one_thing(void **state)
{
    (void)state;
    static const char *const at[] = {
        "0x00c0",  "FSEL R0, R2", "role",  "select",    "runs when", "i < n", "clamp_f32.cu:6",
        "stall 4", "clamp",       "makes", "v1",        "uses",      "v0",    "REGISTERS",
        "R0",      "written",     "R2",    "last read", NULL};
    static const char *const line[] = {"clamp_f32.cu:6", "2 of 17 instructions", "0x00b0", "0x00c0", NULL};
    static const char *const value[] = {
        "value v1", "max(x[i], lo)", "register-only", "into register R0", "used via register", "last read of R0", NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    expect(render(&doc, AT, (struct rep_options){0}, 0xc0, NULL), at);
    assert_int_equal(last, SP_OK);
    expect(render(&doc, LINE, (struct rep_options){0}, 6, NULL), line);
    expect(render(&doc, VALUE, (struct rep_options){0}, 0, "v1"), value);
    expect(render(&doc, VALUE, (struct rep_options){0}, 0, "max(x[i], lo)"), value);
    free(render(&doc, AT, (struct rep_options){0}, 0xc4, NULL));
    assert_int_equal(last, SP_ERR_NOT_FOUND);
    free(render(&doc, LINE, (struct rep_options){0}, 99, NULL));
    assert_int_equal(last, SP_ERR_NOT_FOUND);
    free(render(&doc, VALUE, (struct rep_options){0}, 0, "v9"));
    assert_int_equal(last, SP_ERR_NOT_FOUND);
    arena_free(&a);
}

static void test_markdown(void **state)
{
    (void)state;
    static const char *const parts[] = {"# clamp_f32_kernel (sm_86)\n",
                                        "## What it computes\n",
                                        "## Role summary\n",
                                        "| compare | compares data | 2 | 0x00b0, 0x00d0 |",
                                        "## Argument layout\n",
                                        "| `lo` | `float` | 4 | `c[0x0][0x170]` |",
                                        "## Instruction by instruction\n",
                                        "| 0x0050 | `@P0 EXIT` | early-exit |",
                                        "## Predicate logic\n",
                                        "`!(x[i] < lo)`",
                                        "## Register flow\n",
                                        "## Where each value lives\n",
                                        "## Materialization\n",
                                        "## Patterns\n",
                                        "## What the compilers did",
                                        NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    char *text = render(&doc, MARKDOWN, (struct rep_options){0}, 0, NULL);
    assert_null(strstr(text, "\n\n\n"));
    assert_null(strstr(text, "\033["));
    assert_non_null(strstr(text, "`subnormal(x[i]) \\|\\| subnormal(lo) \\|\\| subnormal(hi)`"));
    expect(text, parts);
    arena_free(&a);
}

static void test_hostile_names_stay_inside(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_loops(&doc, &a);
    char *text = render(&doc, TEXT, (struct rep_options){0}, 0, NULL);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "a?[31mb.cubin"));
    assert_non_null(strstr(text, "beware    1 instruction is not understood"));
    free(text);
    text = render(&doc, MARKDOWN, (struct rep_options){0}, 0, NULL);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "# sum\\_\\`two\\` (sm_120)"));
    free(text);
    arena_free(&a);
}

static void test_colours_only_when_asked(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    assert_non_null(worked_load(&doc, &a));
    char *plain = render(&doc, TEXT, (struct rep_options){0}, 0, NULL);
    char *coloured = render(&doc, TEXT, (struct rep_options){.color = true}, 0, NULL);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(coloured, '\033'));
    char *to = coloured;
    for (const char *from = coloured; *from;) {
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
    assert_string_equal(coloured, plain);
    free(plain);
    free(coloured);
    arena_free(&a);
}

/* Everything that may be missing is; every kind of report goes through it. */
static void test_nothing_crashes_on_nothing(void **state)
{
    (void)state;
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_empty(&doc, &a);
    assert_true(fact_compare(&doc, 0, 1));
    for (int form = TEXT; form <= COMPARISONS; form++)
        for (int markdown = 0; markdown < 2; markdown++) {
            char *text = render(&doc, (enum form)form,
                                (struct rep_options){.width = 60, .color = true, .markdown = markdown == 1}, 0, "v0");
            assert_non_null(text);
            free(text);
        }
    struct fact_document none = {.a = &a};
    free(render(&none, TEXT, (struct rep_options){0}, 0, NULL));
    assert_int_equal(last, SP_OK);
    free(render(&none, NOTE, (struct rep_options){0}, 0, "sm_86"));
    assert_int_equal(last, SP_ERR_NOT_FOUND);
    arena_free(&a);
}

static void test_note_tells_what_differs(void **state)
{
    (void)state;
    static const char *const parts[] = {"# sum (sm_90a)",
                                        "## sum on other architectures",
                                        "| sm_90a | 5 | 24 |",
                                        "| sm_120 | 5 | 20 | same | differ |",
                                        "- patterns on sm_120: tree-reduction\n",
                                        NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_loops(&doc, &a);
    assert_true(fact_compare_archs(&doc, "sm_90a"));
    char *note = render(&doc, NOTE, (struct rep_options){0}, 0, "sm_90a");
    assert_null(strstr(note, "# sum\\_"));
    expect(note, parts);
    arena_free(&a);
}

/* Findings first; phases with their stretches; the listing cut where another phase begins, strays marked; loops with
 * pieces, what comes round and the work of a turn; accesses in words. */
static void test_phases_and_loops(void **state)
{
    (void)state;
    static const char *const text[] = {
        "WHAT IT COMPUTES",
        "FINDINGS",
        "[2]  unsynchronised: a thread reads what another may not have stored yet\n",
        "WHERE EACH VALUE LIVES",
        "v1  shared[threadIdx.x] + shared[threadIdx.x + j]\n",
        "via shared, other thread: 0x0070",
        "MATERIALIZATION",
        "Every partial sum of the tree-reduction crosses shared memory: v1 is stored (0x0080)",
        "PHASES",
        "1 load",
        "0x0000–0x0010",
        "2 reduce",
        "tree-reduction [4]",
        "3 finish",
        "LOOPS",
        "loop 0, 0x0050–0x0090: j from blockDim.x >> 1, next j >> 1, until j == 0",
        "turns    not known beforehand",
        "0x0050–0x0070 loop ×4, 0x0080–0x0090 straight",
        "j (counter, made at 0x0090)",
        "a turn   1 flops, 0 B of global memory, 12 B of shared memory",
        "MEMORY ACCESSES",
        "strided: 8 B to the next thread, 8 sectors a warp where 4 would do",
        "no bank conflict; neighbours 4 B apart",
        "32-way bank conflict",
        "bank conflicts not known",
        "reads its own store at 0x0030; the store at 0x0030 of thread threadIdx.x + j, after the barrier 0x0040; the "
        "store at 0x0080 of thread threadIdx.x + j, unsynchronised",
        "one address for neighbours",
        "WORK",
        "a thread, outside loops: 0 flops, 8 B of global memory",
        "━━ Phase 1, load: x to shared memory",
        "0x0020",
        "// of phase 3",
        "━━ Phase 2, reduce: sum by a tree",
        "━━ Phase 3, finish: thread 0 stores it",
        "DIAGNOSTICS",
        "a line is missing",
        "of another kernel",
        NULL};
    static const char *const markdown[] = {"## Findings",
                                           "## Phases",
                                           "| 2 reduce | sum by a tree | tree-reduction",
                                           "### Phase 1, load",
                                           "### Phase 2, reduce",
                                           "### Phase 3, finish",
                                           NULL};
    static const char *const why_loop[] = {"loop 0", "pieces", "4 steps of the source's loop a turn",
                                           "1 step", "0x0050", NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_phases(&doc, &a);
    expect(render(&doc, TEXT, (struct rep_options){.width = 200}, 0, NULL), text);
    expect(render(&doc, MARKDOWN, (struct rep_options){0}, 0, NULL), markdown);
    expect(render(&doc, WHY, (struct rep_options){0}, 8, NULL), why_loop);
    char *whole = render(&doc, TEXT, (struct rep_options){0}, 0, NULL), *banner = whole;
    int headings = 0;
    while ((banner = strstr(banner, "━━ Phase"))) {
        headings++;
        banner++;
    }
    assert_int_equal(headings, 3); /* the stray has none */
    assert_null(strstr(strstr(whole, "DIAGNOSTICS"), "another may not have stored"));
    free(whole);
    arena_free(&a);
}

/* Of what stands several times for one source line the copy in the piece with the fewest steps is shown, the others are
 * counted; another line, another array, what stands behind the loop go with nothing. */
static void test_copies_are_counted(void **state)
{
    (void)state;
    static const char *const parts[] = {"p0[j] always, stored at 0x0020",
                                        "other line",
                                        "p1[j] always, stored at 0x0040",
                                        "other array",
                                        "p0[j] always, stored at 0x0050",
                                        "short",
                                        "and 2 more of source line 9 in loop 0: [2], [4]",
                                        "p0[j] always, stored at 0x0060",
                                        "behind",
                                        "PATTERNS",
                                        "whole",
                                        "and 2 more of source line 9 in loop 0",
                                        "└ part",
                                        "and 2 more of source line 9 in loop 0",
                                        NULL};
    struct arena a;
    struct fact_document doc;
    arena_init(&a, 0);
    worked_make_copies(&doc, &a);
    char *text = render(&doc, TEXT, (struct rep_options){.width = 160}, 0, NULL);
    assert_null(strstr(text, "long one"));
    assert_null(strstr(text, "long two"));
    assert_null(strstr(strstr(text, "└ part") + 1, "└ part"));
    free(text);
    expect(render(&doc, TEXT, (struct rep_options){.width = 160}, 0, NULL), parts);
    /* Without a line table nothing goes together. */
    for (size_t i = 0; i < doc.kernels.p[0].instructions.n; i++)
        doc.kernels.p[0].instructions.p[i].line = FACT_NONE;
    text = render(&doc, TEXT, (struct rep_options){.width = 160}, 0, NULL);
    assert_non_null(strstr(text, "long one"));
    assert_null(strstr(text, "more of source line"));
    free(text);
    arena_free(&a);
}

static char *pattern_note(const struct fact_document *doc, const struct rep_pattern_page *page)
{
    struct worked_text text = {0};
    struct out o;
    worked_collect(&text, "", 0);
    out_init(&o, worked_collect, &text);
    last = rep_pattern_note(doc, page, "sm_86", &o);
    assert_true(out_flush(&o));
    return text.p;
}

/* Where a pattern was seen: roles with an example, kernel, bindings, architectures that agree in one line. */
static void test_pattern_note(void **state)
{
    (void)state;
    static const char *const parts[] = {"# Tree reduction\n",
                                        "## CUDA form\n\n```\ns[t] += s[t + d];\n```",
                                        "## Meaning\n\nA tree.\n",
                                        "## Observed machine code",
                                        "| load ×2 → compute → store → branch | 2 | sum | sm_86, sm_90 |",
                                        "### sum, sm_86",
                                        "| 0x0070 | `FADD R1, R1, R3` | compute | `v1` |",
                                        "## Where observed",
                                        "| sum | `op = +` | proved | sm_86, sm_90: 0x0050–0x0090 |",
                                        NULL};
    static const char *const never[] = {"# –", "## Where observed", "In none of the kernels of this tree.", NULL};
    const struct rep_pattern_page page = {"tree-reduction", "Tree reduction", "s[t] += s[t + d];", "A tree."};
    const struct rep_pattern_page other = {.id = "scan"};
    struct arena a;
    struct fact_document doc, more;
    arena_init(&a, 0);
    worked_make_phases(&doc, &a);
    worked_make_phases(&more, &a);
    more.kernels.p[0].arch = "sm_90";
    VEC_PUSH(&a, doc.kernels, more.kernels.p[0]);
    expect(pattern_note(&doc, &page), parts);
    assert_int_equal(last, SP_OK);
    expect(pattern_note(&doc, &other), never);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_says_it_in_order),
        cmocka_unit_test(test_summary_stops_early),
        cmocka_unit_test(test_widths_are_kept),
        cmocka_unit_test(test_every_number_is_answered),
        cmocka_unit_test(test_why_shows_evidence),
        cmocka_unit_test(test_one_thing),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_hostile_names_stay_inside),
        cmocka_unit_test(test_colours_only_when_asked),
        cmocka_unit_test(test_nothing_crashes_on_nothing),
        cmocka_unit_test(test_note_tells_what_differs),
        cmocka_unit_test(test_phases_and_loops),
        cmocka_unit_test(test_copies_are_counted),
        cmocka_unit_test(test_pattern_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
