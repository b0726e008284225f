/* Host tool: puts text files into a C array, in the order given, so that the command needs no files at run
 * time.
 *   embed OUT FILE...
 * OUT becomes rows {"name", "text", size}, for a table of struct pat_page_text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_file(FILE *out, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) {
        fprintf(stderr, "embed: cannot read %s\n", path);
        return 1;
    }
    const char *slash = strrchr(path, '/');
    fprintf(out, "{\"%s\",\n", slash ? slash + 1 : path);
    unsigned long size = 0;
    int c, open = 0;
    while ((c = fgetc(in)) != EOF) {
        if (!open)
            fputs(" \"", out);
        open = 1;
        /* Octal always with three digits, so that what follows cannot join it. */
        if (c == '"' || c == '\\' || c < 32 || c > 126 || c == '?')
            fprintf(out, "\\%03o", (unsigned)c);
        else
            fputc(c, out);
        size++;
        if (c == '\n') {
            fputs("\"\n", out);
            open = 0;
        }
    }
    if (open)
        fputs("\"\n", out);
    if (!size)
        fputs(" \"\"\n", out);
    fprintf(out, " ,%lu},\n", size);
    fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("embed OUT FILE...\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) {
        fprintf(stderr, "embed: cannot write %s\n", argv[1]);
        return 1;
    }
    int failed = 0;
    for (int i = 2; i < argc; i++)
        failed |= write_file(out, argv[i]);
    if (fclose(out) != 0)
        failed = 1;
    return failed;
}
