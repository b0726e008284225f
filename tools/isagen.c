/* Host tool: reads src/isa/spec/*.spec and writes the tables that src/isa compiles. First duty: the names of opcodes
 * and modifiers (isa_names.inc), sorted, so that adding a row never depends on file order.
 *
 *     isagen OUTPUT-DIRECTORY SPEC... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **text;
    size_t count, size;
};

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "isagen: %s: %s\n", what, detail);
    exit(1);
}

static void names_add(struct names *names, const char *text)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->text[i], text) == 0)
            return;
    if (names->count == names->size) {
        names->size = names->size ? names->size * 2 : 256;
        names->text = realloc(names->text, names->size * sizeof *names->text);
        if (!names->text)
            fail("out of memory", text);
    }
    names->text[names->count] = strdup(text);
    if (!names->text[names->count++])
        fail("out of memory", text);
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_write(FILE *f, const char *macro, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        char id[128];
        snprintf(id, sizeof id, "%s", names->text[i]);
        for (char *c = id; *c; c++)
            if (*c == '.')
                *c = '_';
        fprintf(f, "%s(%s, \"%s\")\n", macro, id, names->text[i]);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage", "isagen OUTPUT-DIRECTORY SPEC...");
    struct names ops = {0}, mods = {0};
    for (int i = 2; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        if (!f)
            fail("cannot open", argv[i]);
        char line[4096];
        while (fgets(line, sizeof line, f)) {
            char *save = NULL, *word = strtok_r(line, " \t\r\n", &save);
            if (!word || *word == '#')
                continue;
            struct names *into = strcmp(word, "op") == 0 ? &ops : strcmp(word, "mod") == 0 ? &mods : NULL;
            if (!into)
                fail("unknown line", word);
            while ((word = strtok_r(NULL, " \t\r\n", &save)))
                names_add(into, word);
        }
        fclose(f);
    }
    qsort(ops.text, ops.count, sizeof *ops.text, names_compare);
    qsort(mods.text, mods.count, sizeof *mods.text, names_compare);

    char path[4096];
    snprintf(path, sizeof path, "%s/isa_names.inc", argv[1]);
    FILE *f = fopen(path, "w");
    if (!f)
        fail("cannot write", path);
    fprintf(f, "/* Made by isagen from src/isa/spec. */\n");
    names_write(f, "ISA_OP_ROW", &ops);
    names_write(f, "ISA_MOD_ROW", &mods);
    if (fclose(f) != 0)
        fail("cannot write", path);
    return 0;
}
