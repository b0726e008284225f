/* Options by table: the same rows are parsed by getopt_long and printed as help and as a manual page.
 *
 * A wrong option is answered with the nearest right one; nothing is ever guessed silently. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_HELP = 1, ID_MAN, OPTIONS_MOST = 40 };

static size_t count_options(const struct cmd_spec *spec)
{
    size_t n = 0;
    while (spec->options[n].name)
        n++;
    return n;
}

static bool takes_two(const struct cmd_option *option)
{
    return option->argument && strchr(option->argument, ' ');
}

void cmd_error(const char *name, const char *format, ...)
{
    va_list args;
    fprintf(stderr, name ? "sassprobe %s: " : "sassprobe: ", name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Edits (insert, delete, replace) between two short words; 99 for long ones. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    unsigned row[LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return 99;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]), other = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replace < other + 1 ? replace : other + 1;
        }
    }
    return row[nb];
}

const char *cmd_nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    unsigned best_distance = 3;
    for (size_t i = 0; i < n; i++) {
        unsigned d = *word && strncmp(words[i], word, strlen(word)) == 0 ? 1 : distance(word, words[i]);
        if (d < best_distance) {
            best = words[i];
            best_distance = d;
        }
    }
    return best;
}

bool cmd_number(const char *text, unsigned long long *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0';
}

int cmd_choice(const char *name, const char *option, const char *word, const char *const *words)
{
    int i = 0;
    for (; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    char list[256] = "";
    for (i = 0; words[i]; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    cmd_error(name, "--%s takes one of %s, not '%s'", option, list, word);
    return -1;
}

static void unknown_option(const struct cmd_spec *spec, const char *given)
{
    const char *names[OPTIONS_MOST + 1];
    size_t n = 0;
    for (size_t i = 0; i < count_options(spec) && n < OPTIONS_MOST; i++)
        if (spec->options[i].help)
            names[n++] = spec->options[i].name;
    names[n++] = "help";
    const char *word = given;
    while (*word == '-')
        word++;
    char stem[64];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(word, "="), word);
    const char *near = cmd_nearest(stem, names, n);
    if (near)
        cmd_error(spec->name, "no option '%s' (did you mean --%s?); --help lists them", given, near);
    else
        cmd_error(spec->name, "no option '%s'; --help lists them", given);
}

int cmd_parse(const struct cmd_spec *spec, int argc, char **argv, cmd_take_fn take, void *user, int *first)
{
    struct option table[OPTIONS_MOST + 3] = {0};
    char letters[2 * OPTIONS_MOST + 8] = ":h";
    size_t n = count_options(spec), used = strlen(letters);
    if (n > OPTIONS_MOST)
        n = OPTIONS_MOST;
    for (size_t i = 0; i < n; i++) {
        const struct cmd_option *option = &spec->options[i];
        table[i] = (struct option){option->name, option->argument ? required_argument : no_argument, NULL, option->id};
        if (option->letter) {
            letters[used++] = option->letter;
            if (option->argument)
                letters[used++] = ':';
        }
    }
    table[n] = (struct option){"help", no_argument, NULL, ID_HELP};
    table[n + 1] = (struct option){"print-man", no_argument, NULL, ID_MAN};
    letters[used] = '\0';
    opterr = 0;
    optind = 0;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int got = getopt_long(argc, argv, letters, table, NULL);
        if (got == -1)
            break;
        if (got == 'h' || got == ID_HELP) {
            cmd_print_help(spec);
            return EXIT_DONE;
        }
        if (got == ID_MAN) {
            cmd_print_man(spec);
            return EXIT_DONE;
        }
        const struct cmd_option *option = NULL;
        for (size_t i = 0; i < n; i++)
            if (spec->options[i].id == got || (got < 256 && spec->options[i].letter == got))
                option = &spec->options[i];
        if (!option) { /* with permutation the culprit is the one just passed, or at the place looked at */
            const char *culprit = optind > 0 && optind <= argc && argv[optind - 1][0] == '-' ? argv[optind - 1]
                                  : at < argc                                                ? argv[at]
                                                                                             : "";
            if (got == ':')
                cmd_error(spec->name, "option '%s' needs a value; --help tells which", culprit);
            else
                unknown_option(spec, culprit);
            return EXIT_USAGE;
        }
        const char *second = NULL;
        if (takes_two(option)) {
            if (optind >= argc) {
                cmd_error(spec->name, "--%s takes two values: %s", option->name, option->argument);
                return EXIT_USAGE;
            }
            second = argv[optind++];
        }
        if (!take(user, option->id, optarg, second))
            return EXIT_USAGE;
    }
    *first = optind;
    return CMD_GO;
}

/* Text wrapped at 79 columns, continued at `hang`. */
static void print_wrapped(const char *text, int column, int hang)
{
    enum { WIDTH = 79 };
    bool blank = false;
    while (*text) {
        size_t word = strcspn(text, " \n");
        int columns = 0;
        for (size_t i = 0; i < word; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (column + blank + columns > WIDTH && column > hang) {
            printf("\n%*s", hang, "");
            column = hang;
            blank = false;
        }
        printf("%s%.*s", blank ? " " : "", (int)word, text);
        column += columns + blank;
        text += word;
        blank = *text == ' ';
        if (*text == '\n') {
            printf("\n%*s", hang, "");
            column = hang;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

void cmd_print_help(const struct cmd_spec *spec)
{
    enum { COLUMN = 30 };
    printf("Usage: sassprobe %s [options] %s\n\n", spec->name, spec->arguments);
    print_wrapped(spec->description, 0, 0);
    printf("\nOptions:\n");
    for (size_t i = 0; i < count_options(spec); i++) {
        const struct cmd_option *option = &spec->options[i];
        if (!option->help)
            continue;
        char left[96];
        int n = snprintf(left, sizeof left, option->letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s",
                         option->letter ? option->letter : ' ', option->name, option->argument ? " " : "",
                         option->argument ? option->argument : "");
        printf("%s", left);
        if (n >= COLUMN)
            printf("\n%*s", COLUMN, "");
        else
            printf("%*s", COLUMN - n, "");
        print_wrapped(option->help, COLUMN, COLUMN);
    }
    printf("  -h, --help                  this text\n");
    if (spec->examples)
        printf("\nExamples:\n%s", spec->examples);
    printf("\nExit codes: 0 done; 1 a check failed or a difference was found; 2 wrong usage, no\n"
           "such kernel; 3 an input not readable (what could be read is reported).\n");
}

/* roff text: a leading dot or quote, and backslashes and hyphens, need care. */
static void print_roff(const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

void cmd_print_man(const struct cmd_spec *spec)
{
    printf(".TH \"SASSPROBE\\-");
    for (const char *c = spec->name; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf("\" \"1\" \"\" \"sassprobe %s\" \"User Commands\"\n.SH NAME\nsassprobe\\-%s \\- ", sp_version(), spec->name);
    print_roff(spec->summary);
    printf("\n.SH SYNOPSIS\n.B sassprobe %s\n[options] ", spec->name);
    print_roff(spec->arguments);
    printf("\n.SH DESCRIPTION\n");
    for (const char *c = spec->description; *c;) { /* a line a paragraph */
        size_t n = strcspn(c, "\n");
        char paragraph[2048];
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, c);
        print_roff(paragraph);
        printf("%s", c[n] ? "\n.PP\n" : "\n");
        c += n + (c[n] != '\0');
    }
    printf(".SH OPTIONS\n");
    for (size_t i = 0; i < count_options(spec); i++) {
        const struct cmd_option *option = &spec->options[i];
        if (!option->help)
            continue;
        printf(".TP\n");
        if (option->letter)
            printf("\\fB\\-%c\\fR, ", option->letter);
        printf("\\fB\\-\\-");
        print_roff(option->name);
        printf("\\fR");
        if (option->argument) {
            printf(" \\fI");
            print_roff(option->argument);
            printf("\\fR");
        }
        putchar('\n');
        print_roff(option->help);
        putchar('\n');
    }
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nShow the options.\n");
    if (spec->examples) {
        printf(".SH EXAMPLES\n.nf\n");
        print_roff(spec->examples);
        printf(".fi\n");
    }
    printf(".SH \"EXIT STATUS\"\n0: done, unknown instructions included. 1: a check failed or a difference was found. "
           "2: wrong usage, or no such kernel. 3: an input not readable; what could be read is reported.\n"
           ".SH \"SEE ALSO\"\n.BR sassprobe (1)\n");
}
