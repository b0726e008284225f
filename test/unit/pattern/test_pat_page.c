/* Pages: the block is the definition. A library without a page lacks its id, an edited block changes the
 * result, a page that says nonsense is refused with its line. */
#include "pat_fixture.h"

/* y[i] = max(x[i], lo), in one instruction; R6 is stored. */
static void write_max(struct kernel *k, uint16_t (*second)(struct kernel *))
{
    skeleton_load(k);
    insn(k); /* 0xb0 */
    set(k, 6, op(k, UOP_FMAX, UOP_F32, 0, R(k, 2), second(k), UOP_NONE));
    store(k, 4, 6);
    leave(k);
}
static uint16_t zero(struct kernel *k)
{
    return F(k, 0.0f);
}
static uint16_t one(struct kernel *k)
{
    return F(k, 1.0f);
}

static enum sp_status add_text(struct kernel *k, const char *text)
{
    return pat_library_add(k->lib, "made.md", text, strlen(text), &k->diags);
}

static void every_embedded_page_is_read(void **state)
{
    (void)state;
    struct kernel k;
    size_t count;
    const struct pat_page_text *pages = pat_embedded_pages(&count);
    kernel_begin(&k);
    add_all_pages(&k);
    assert_int_equal(k.diags.list.n, 0);
    assert_true(count >= 13);
    for (size_t i = 0; i < count; i++) {
        /* As it stands in the tree, and in order. */
        size_t size;
        const char *text = read_text(&k.a, arena_printf(&k.a, "%s/patterns/%s", SP_SOURCE_DIR, pages[i].name), &size);
        assert_int_equal(size, pages[i].size);
        assert_memory_equal(text, pages[i].text, size);
        assert_true(i == 0 || strcmp(pages[i - 1].name, pages[i].name) < 0);
    }
    kernel_end(&k);
}

static void a_page_that_is_gone_takes_its_id_with_it(void **state)
{
    (void)state;
    for (int gone = 0; gone < 2; gone++) {
        struct kernel k;
        size_t count;
        const struct pat_page_text *pages = pat_embedded_pages(&count);
        kernel_begin(&k);
        for (size_t i = 0; i < count; i++)
            if (!(gone && strcmp(pages[i].name, "relu.md") == 0))
                assert_int_equal(pat_library_add(k.lib, pages[i].name, pages[i].text, pages[i].size, &k.diags), SP_OK);
        write_max(&k, zero);
        run(&k);
        assert_int_equal(find(&k, "relu") == NULL, gone);
        assert_non_null(find(&k, "min-max"));
        kernel_end(&k);
    }
}

static void an_edited_block_changes_what_matches(void **state)
{
    (void)state;
    static const char page[] = "# X\n| id | relu |\n| family | lowering |\n\n```cuda\nfloat x;\nmax(x, %s)\n```\n";
    static const struct {
        const char *bound;
        uint16_t (*second)(struct kernel *);
        bool matches;
    } cases[] = {{"0.0f", zero, true}, {"1.0f", zero, false}, {"0.0f", one, false}, {"1.0f", one, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        assert_int_equal(add_text(&k, arena_printf(&k.a, page, cases[i].bound)), SP_OK);
        write_max(&k, cases[i].second);
        run(&k);
        assert_int_equal(find(&k, "relu") != NULL, cases[i].matches);
        kernel_end(&k);
    }
}

static void an_edited_page_of_the_tree_changes_what_matches(void **state)
{
    (void)state;
    struct kernel k;
    size_t size;
    kernel_begin(&k);
    char *text = read_text(&k.a, arena_printf(&k.a, "%s/patterns/relu.md", SP_SOURCE_DIR), &size);
    char *block = strstr(text, "max(x, 0.0f)");
    while (block && block[-1] != '\n') /* the fenced one stands on a line of its own */
        block = strstr(block + 1, "max(x, 0.0f)");
    assert_non_null(block);
    memcpy(block, "min", 3);
    assert_int_equal(pat_library_add(k.lib, "relu.md", text, size, &k.diags), SP_OK);
    write_max(&k, zero);
    run(&k);
    assert_null(find(&k, "relu"));
    kernel_end(&k);
}

static void variants_ids_and_bindings_come_from_the_page(void **state)
{
    (void)state;
    struct kernel k;
    kernel_begin(&k);
    assert_int_equal(
        add_text(
            &k,
            "| id | largest |\n| family | lowering |\n| bindings | first = p, kind = variant(), all = variants() |\n"
            "text\n```cuda low\nfloat p, q;\nmin(p, q)\n```\n```c++\nnot read\n```\n"
            "```cuda high\nfloat p; const float q;\nmax(p, q)\n```\n"),
        SP_OK);
    write_max(&k, one);
    run(&k);
    assert_int_equal(k.result.matches.n, 1);
    assert_string_equal(shown(&k, "largest"), "largest/high [b0] first=x[i] kind=high all=1");
    assert_string_equal(find(&k, "largest")->family, "lowering");
    kernel_end(&k);
}

static void wrong_pages_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "id and family"},
        {"| id | a |\n| family | b |\n", "no block"},
        {"| id | a |\n\n```cuda\nf();\n```\n", "id and family"},
        {"```cuda\nf();\n```\n", "before the first block"},
        {"| id | a |\n| family | b |\n\n```cuda\nf();\n", "without its end"},
        {"| id | a |\n| family | b |\n| colour | red |\n\n```cuda\nf();\n```\n", "line 3"},
        {"| id | a |\n| family | b |\n| real rules | all of them |\n\n```cuda\nf();\n```\n", "no such real rule"},
        {"| id | a |\n| family | b |\n| bindings | z |\n\n```cuda\nf();\n```\n", "does not declare"},
        {"| id | a |\n| family | b |\n| bindings | z = q() |\n\n```cuda\nf();\n```\n", "no such function"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nmax(x, y)\n```\n", "line 6"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nx %% 2\n```\n", "expected an expression"},
        {"| id | a |\n| family | b |\n\n```cuda\nbool x;\nx || x\n```\n", "patterns do not know"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nfloat r = rcp(s);\nfloat s = r * x;\nr * s\n```\n",
         "declared before"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nwhere slow_path(x);\nrcp(x)\n```\n", "where takes"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto *a; auto i, v;\nreads v;\na[i] = v;\n```\n", "is a value"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nwhere big(x);\nmax(x, 0.0f)\n```\n", "where takes"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nwhere x < z;\nmax(x, 0.0f)\n```\n", "declared names"},
        {"| id | a |\n| family | b |\n\n```cuda\nfloat x;\nx ? x : x\n```\n", "declared bool"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto *a;\n&a\n```\n", "element"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto *a; auto i;\n__ldg(a[i])\n```\n", "address"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto x;\nv = x;\n```\n", "load under an if"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto m, s, a;\nfor (...) {\na = other(m);\nm = max(m, a);\n"
         "s = s + m;\n}\n```\n",
         "all that is carried"},
        {"| id | a |\n| family | b |\n\n```cuda\nauto m, x, a;\nfor (...) {\na = other(x);\nm = max(m, a);\n}\n```\n",
         "all that is carried"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel k;
        kernel_begin(&k);
        assert_int_equal(add_text(&k, cases[i].text), SP_ERR_FORMAT);
        assert_int_equal(k.diags.list.n > 0, 1);
        assert_string_equal(k.diags.list.p[0].section, "made.md");
        bool said = false;
        for (size_t d = 0; d < k.diags.list.n; d++)
            said |= strstr(k.diags.list.p[d].message, cases[i].says) != NULL;
        if (!said)
            fail_msg("%s: said \"%s\"", cases[i].text, k.diags.list.p[0].message);
        kernel_end(&k);
    }
}

/* Bytes changed, taken out, doubled: a page is read or refused, and a refusal says why. */
static void damaged_pages_are_read_or_refused(void **state)
{
    (void)state;
    static const char bytes[] = "|`\n(){}[];,.&*?:<>=-+0f9x \\\xff";
    size_t count, refused = 0;
    const struct pat_page_text *pages = pat_embedded_pages(&count);
    uint32_t seed = 1;
    for (unsigned turn = 0; turn < 3000; turn++) {
        struct kernel k;
        kernel_begin(&k);
        const struct pat_page_text *p = &pages[turn % count];
        char *text = arena_alloc(&k.a, 2 * p->size);
        size_t size = p->size;
        memcpy(text, p->text, size);
        for (unsigned change = 0; change < 1 + turn % 4; change++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 8) % size;
            if (seed % 5 == 0) {
                size = at + 1;
            } else if (seed % 5 == 1 && size + 40 < 2 * p->size) {
                memmove(text + at + 40, text + at, size - at);
                size += 40;
            } else {
                text[at] = bytes[seed % (sizeof bytes - 1)];
            }
        }
        enum sp_status status = pat_library_add(k.lib, p->name, text, size, &k.diags);
        assert_true(status == SP_OK || status == SP_ERR_FORMAT);
        assert_true(status == SP_OK || k.diags.list.n > 0);
        refused += status != SP_OK;
        kernel_end(&k);
    }
    assert_true(refused > 300 && refused < 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_embedded_page_is_read),
        cmocka_unit_test(a_page_that_is_gone_takes_its_id_with_it),
        cmocka_unit_test(an_edited_block_changes_what_matches),
        cmocka_unit_test(an_edited_page_of_the_tree_changes_what_matches),
        cmocka_unit_test(variants_ids_and_bindings_come_from_the_page),
        cmocka_unit_test(wrong_pages_are_refused),
        cmocka_unit_test(damaged_pages_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
