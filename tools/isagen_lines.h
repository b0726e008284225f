/* What isagen reads before it understands anything: the lines of the specification, kept with their places, and the
 * names of opcodes and modifiers, sorted. Failing says the file and the line. Included by isagen.c alone. */
#ifndef SP_ISAGEN_LINES_H
#define SP_ISAGEN_LINES_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *file_name;
static unsigned line_number;

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: ", file_name ? file_name : "isagen", line_number);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static void *grow(void *items, size_t count, size_t *size, size_t item)
{
    if (count < *size)
        return items;
    *size = *size ? *size * 2 : 256;
    void *p = realloc(items, *size * item);
    if (!p)
        fail("out of memory");
    return p;
}

/* --- names ---------------------------------------------------------------------------------------------------------*/

struct names {
    char **text;
    size_t count, size;
};
static struct names ops, mods;

static void names_add(struct names *names, const char *text)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->text[i], text) == 0)
            return;
    names->text = grow(names->text, names->count, &names->size, sizeof *names->text);
    names->text[names->count] = strdup(text);
    if (!names->text[names->count++])
        fail("out of memory");
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The value the enumerator of this name gets: position in the sorted list, counted from 1. */
static unsigned names_find(const struct names *names, const char *text)
{
    char *const *p = bsearch(&text, names->text, names->count, sizeof *names->text, names_compare);
    return p ? (unsigned)(p - names->text) + 1 : 0;
}

static void names_write(FILE *f, const char *macro, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        fprintf(f, "%s(", macro);
        for (const char *c = names->text[i]; *c; c++)
            fputc(*c == '.' ? '_' : *c, f);
        fprintf(f, ", \"%s\")\n", names->text[i]);
    }
}

/* --- lines, kept between the pass that collects names and the pass that needs them sorted --------------------------*/

struct line {
    char *text;
    const char *file;
    unsigned number;
};
static struct line *lines;
static size_t line_count, line_size;

static void lines_read(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "isagen: cannot open %s\n", path);
        exit(1);
    }
    const char *slash = strrchr(path, '/');
    file_name = slash ? slash + 1 : path;
    static char buffer[1 << 16];
    static char joined[1 << 18];
    joined[0] = '\0';
    unsigned number = 0, start = 1;
    while (fgets(buffer, sizeof buffer, f)) {
        line_number = ++number;
        char *comment = strchr(buffer, '#');
        if (comment)
            *comment = '\0';
        size_t n = strlen(buffer);
        while (n > 0 && isspace((unsigned char)buffer[n - 1]))
            buffer[--n] = '\0';
        bool more = n > 0 && buffer[n - 1] == '\\';
        if (more)
            buffer[n - 1] = '\0';
        if (!joined[0])
            start = number;
        if (strlen(joined) + n + 2 > sizeof joined)
            fail("line too long");
        strcat(joined, buffer);
        if (more)
            continue;
        const char *p = joined;
        while (isspace((unsigned char)*p))
            p++;
        if (*p) {
            lines = grow(lines, line_count, &line_size, sizeof *lines);
            lines[line_count++] = (struct line){strdup(p), file_name, start};
        }
        joined[0] = '\0';
    }
    fclose(f);
}

#endif
