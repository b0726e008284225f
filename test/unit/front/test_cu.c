/* The reader of CUDA-like blocks: what a tree looks like, what is refused and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "front/cu.h"

#include <string.h>

struct state {
    struct arena a;
    struct diag_sink diags;
};

static int setup(void **s)
{
    static struct state state;
    arena_init(&state.a, 0);
    diag_init(&state.diags, &state.a);
    *s = &state;
    return 0;
}

static int teardown(void **s)
{
    arena_free(&((struct state *)*s)->a);
    return 0;
}

/* A tree with every bracket written. */
static void show(struct strbuf *b, const struct cu_expr *e)
{
    static const char *const ops[] = {"+", "-",  "*",  "/",  "%",  "<<", ">>", "&", "|", "^", "<", "<=",
                                      ">", ">=", "==", "!=", "&&", "||", "!",  "~", "-", "&", "*"};
    switch (e->kind) {
    case CU_NAME: str_add(b, e->text); break;
    case CU_NUMBER: str_addf(b, "%g:%d", e->number, (int)e->type); break;
    case CU_UNARY:
        str_addf(b, "(%s", ops[e->op]);
        show(b, e->arg[0]);
        str_addc(b, ')');
        break;
    case CU_BINARY:
        str_addc(b, '(');
        show(b, e->arg[0]);
        str_addf(b, " %s ", ops[e->op]);
        show(b, e->arg[1]);
        str_addc(b, ')');
        break;
    case CU_CHOICE:
        str_addc(b, '(');
        show(b, e->arg[0]);
        str_add(b, " ? ");
        show(b, e->arg[1]);
        str_add(b, " : ");
        show(b, e->arg[2]);
        str_addc(b, ')');
        break;
    case CU_ELEMENT:
        show(b, e->arg[0]);
        str_addc(b, '[');
        show(b, e->arg[1]);
        str_addc(b, ']');
        break;
    case CU_CALL:
        str_addf(b, "%s(", e->text);
        for (unsigned i = 0; i < e->arg_count; i++) {
            if (i)
                str_add(b, ", ");
            show(b, e->arg[i]);
        }
        str_add(b, e->ellipsis ? ", ...)" : ")");
        break;
    }
}

static const char *tree(struct state *s, const char *text)
{
    const struct cu_expr *e;
    struct strbuf b;
    str_init(&b, &s->a);
    if (cu_parse_expr(&s->a, "test", 1, text, strlen(text), &s->diags, &e) != SP_OK)
        return "error";
    show(&b, e);
    return b.p;
}

static void expressions_bind_as_in_c(void **v)
{
    struct state *s = *v;
    assert_string_equal(tree(s, "a + b * c"), "(a + (b * c))");
    assert_string_equal(tree(s, "a - b - c"), "((a - b) - c)");
    assert_string_equal(tree(s, "blockIdx.x * blockDim.x + threadIdx.x"), "((blockIdx.x * blockDim.x) + threadIdx.x)");
    assert_string_equal(tree(s, "!(x < lo) ? x : lo"), "((!(x < lo)) ? x : lo)");
    assert_string_equal(tree(s, "c ? a : d ? e : f"), "(c ? a : (d ? e : f))");
    assert_string_equal(tree(s, "min(max(x, 0.0f), -1)"), "min(max(x, 0:1), -1:4)");
    assert_string_equal(tree(s, "__ldg(&a[i + 1])"), "__ldg((&a[(i + 1:4)]))");
    assert_string_equal(tree(s, "f(x[i], ...)"), "f(x[i], ...)");
    assert_string_equal(tree(s, "a & b == c | d"), "((a & (b == c)) | d)");
    assert_string_equal(tree(s, "0x10u << 2 /* two */ // more"), "(16:5 << 2:4)");
    assert_string_equal(tree(s, "1e-3f + 2.5"), "(0.001:1 + 2.5:2)");
}

static void wrong_expressions_are_refused(void **v)
{
    struct state *s = *v;
    static const char *const wrong[] = {"",      "a +", "(a",    "a b", "f(a,",  "a[",
                                        "1.2.3", "3q",  "a ? b", "@",   "a = b", "blockIdx."};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        size_t before = s->diags.list.n;
        assert_string_equal(tree(s, wrong[i]), "error");
        assert_int_equal(s->diags.list.n, before + 1);
    }
    char deep[4001];
    memset(deep, '(', 4000);
    deep[4000] = 0;
    assert_string_equal(tree(s, deep), "error");
    memset(deep, '-', 4000);
    assert_string_equal(tree(s, deep), "error");
}

static enum sp_status block(struct state *s, const char *text, struct cu_block *b)
{
    return cu_parse_block(&s->a, "page.md", 10, text, strlen(text), &s->diags, b);
}

static void blocks(void **v)
{
    struct state *s = *v;
    struct cu_block b;
    assert_int_equal(block(s, "float x, lo;\nconst int k;\nauto *a;\nwhere uniform(lo), lo != 0.0f;\nmax(x, lo)\n", &b),
                     SP_OK);
    assert_int_equal(b.variable_count, 4);
    assert_int_equal(b.variables[1].type, CU_FLOAT);
    assert_true(b.variables[2].constant && !b.variables[0].constant);
    assert_true(b.variables[3].pointer);
    assert_int_equal(cu_find_variable(&b, "k"), 2);
    assert_int_equal(cu_find_variable(&b, "z"), -1);
    assert_int_equal(b.where_count, 2);
    assert_int_equal(b.form, CU_VALUE);

    assert_int_equal(block(s, "int i, n;\nif (i >= n) return;", &b), SP_OK);
    assert_int_equal(b.form, CU_LEAVE);
    assert_non_null(b.condition);
    assert_int_equal(block(s, "if (c) v = a[i];", &b), SP_OK);
    assert_int_equal(b.form, CU_ASSIGN);
    assert_int_equal(b.value->kind, CU_ELEMENT);
    assert_int_equal(block(s, "__global__ { y[i] = f(x[i], ...); }", &b), SP_OK);
    assert_int_equal(b.form, CU_STORE);
    assert_true(b.whole_kernel && b.value->ellipsis);
    assert_int_equal(block(s, "f();", &b), SP_OK);
    assert_int_equal(b.form, CU_PERFORM);
}

static void wrong_blocks_name_page_and_line(void **v)
{
    struct state *s = *v;
    struct cu_block b;
    static const char *const wrong[] = {"float x\nx",
                                        "float x, x;\nx",
                                        "const x;",
                                        "where ;\nx",
                                        "if (a) if (b) return;",
                                        "__global__ { y[i] = x[i];",
                                        "max(x, 0) = 1;",
                                        "return;x",
                                        "x; y"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(block(s, wrong[i], &b), SP_ERR_FORMAT);
    size_t before = s->diags.list.n;
    assert_int_equal(block(s, "float x;\nmax(x,\n", &b), SP_ERR_FORMAT);
    assert_string_equal(s->diags.list.p[before].section, "page.md");
    assert_non_null(strstr(s->diags.list.p[before].message, "line 12"));
}

static void loops_and_sequences(void **v)
{
    struct state *s = *v;
    struct cu_block b;
    assert_int_equal(block(s,
                           "__shared__ auto s[];\nauto op(a, b);\nauto t, d;\nfor (d = ...; d > 0; d /= 2) {\n"
                           "  if (t < d) s[t] = op(s[t], s[t + d]);\n  __syncthreads();\n}\n",
                           &b),
                     SP_OK);
    assert_int_equal(b.form, CU_LOOP);
    assert_true(b.variables[0].pointer && b.variables[0].place == CU_SHARED);
    assert_true(b.variables[1].operation && b.variables[1].argument_count == 2);
    assert_string_equal(b.loop.counter, "d");
    assert_null(b.loop.start);
    assert_int_equal(b.loop.next->op, CU_DIV);
    assert_int_equal(b.statement_count, 2);
    assert_int_equal(b.statements[0].form, CU_STORE);
    assert_non_null(b.statements[0].condition);
    assert_int_equal(b.statements[1].form, CU_PERFORM);

    assert_int_equal(
        block(s, "auto m, s, n, v;\nfor (...) {\n  n = max(m, v);\n  m = n;\n}\nm == reduce(max, v);\n", &b), SP_OK);
    assert_int_equal(b.statement_count, 2);
    assert_int_equal(b.result_count, 1);
    assert_int_equal(block(s, "auto k;\n#pragma unroll k\nfor (...) ...;\n", &b), SP_OK);
    assert_string_equal(b.loop.unroll, "k");
    assert_int_equal(b.statement_count, 0);
    assert_int_equal(block(s, "bool c;\nif (c) ...;\n", &b), SP_OK);
    assert_int_equal(b.form, CU_BRANCH);
    assert_int_equal(block(s, "__local__ auto f[];\nauto k, v;\nf[k] = v;\nv = f[k];\n", &b), SP_OK);
    assert_int_equal(b.form, CU_SEQUENCE);
    assert_int_equal(b.statement_count, 2);
    assert_string_equal(tree(s, "reduce(+, x)"), "reduce(+, x)");

    static const char *const wrong[] = {"auto d;\nfor (d = 1; d < 2; e += 1) ...;\n",
                                        "auto d;\nfor (d = 1; ...; d) ...;\n",
                                        "for (...) {\n",
                                        "auto v;\nfor (...) v;\n",
                                        "#pragma once\nfor (...) ...;\n",
                                        "__shared__ s[];\ns[0]\n",
                                        "auto op(a, ;\nop(a)\n",
                                        "auto m;\nfor (...) m = m;\nm < 1;\n",
                                        "...;\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (block(s, wrong[i], &b) != SP_ERR_FORMAT)
            fail_msg("%s", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expressions_bind_as_in_c, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_expressions_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_blocks_name_page_and_line, setup, teardown),
        cmocka_unit_test_setup_teardown(loops_and_sequences, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
