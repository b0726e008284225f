/* The command: one file a subcommand over the public headers of libsassprobe. Exit codes: 0 done, 1 a
 * difference or failed check, 2 wrong usage or no such kernel, 3 an input not readable (what could be read
 * is still reported). */
#ifndef SP_CLI_H
#define SP_CLI_H

#include "sassprobe/sassprobe.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_DONE = 0, EXIT_DIFFERS = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3 };

/* One option of a subcommand. The table makes the parsing, the help and the manual page. */
struct cmd_option {
    int id;               /* what the subcommand's taker switches on; unique in the table, >= 256 */
    const char *name;     /* "format" */
    char letter;          /* short form, or 0 */
    const char *argument; /* "text|markdown|json", "N"; NULL: takes none; "A B": takes two */
    const char *help;     /* NULL: hidden */
};

struct cmd_spec {
    const char *name;      /* "explain" */
    const char *summary;   /* half a sentence, for the list of subcommands */
    const char *arguments; /* "FILE…" */
    const char *description;
    const struct cmd_option *options;  /* ends with an entry without a name */
    const char *examples;              /* lines, or NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the name; answers the exit code */
};

/* `value2` is NULL unless the option takes two. False: the value is wrong (the taker has said so with
 * cmd_error()). */
typedef bool (*cmd_take_fn)(void *user, int id, const char *value, const char *value2);

/* Parses argv by the table. CMD_GO: go on, argv[*first] is the first file. Else the exit code: help or the
 * manual page was asked for, or the usage was wrong (and said so). --help, --print-man come with every
 * table. */
enum { CMD_GO = -1 };
int cmd_parse(const struct cmd_spec *spec, int argc, char **argv, cmd_take_fn take, void *user, int *first);

void cmd_print_help(const struct cmd_spec *spec);
void cmd_print_man(const struct cmd_spec *spec);

/* "sassprobe NAME: message" on stderr. */
void cmd_error(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number in C notation without sign, all of the text. */
bool cmd_number(const char *text, unsigned long long *value);
/* The index of `word` in a NULL-terminated list, or -1 after saying which words there are. */
int cmd_choice(const char *name, const char *option, const char *word, const char *const *words);
/* The word of the list that is spelled most like `word`, or NULL when none is near. */
const char *cmd_nearest(const char *word, const char *const *words, size_t n);

/* Writes to standard output; false when it is closed or full. */
bool cmd_write(void *user, const char *bytes, size_t n);
/* Flushes standard output and answers the exit code: `code`, or EXIT_UNREADABLE when output was lost (a
 * closed pipe is not a loss: the reader had enough). */
int cmd_finish(const char *name, int code);
/* Colour for "auto", "always", "never" (NULL: auto): on a terminal, without NO_COLOR. */
bool cmd_color(const char *when);
/* Columns for text: at most 100, fewer on a narrower terminal. */
int cmd_width(void);
/* The same for what wants all the room there is: $COLUMNS, else the terminal, else 120; at least 80. */
int cmd_width_most(void);

/* Opens a session on files (and sources, NULL-terminated or NULL). NULL after saying why. */
struct sp_session *cmd_open(const char *name, const char *arch, char **files, int count);
/* Diagnostics on stderr (errors only when quiet), then the exit code for what `status` says and the inputs were. */
int cmd_close(const char *name, struct sp_session *session, enum sp_status status, bool quiet, const char *not_found);

extern const struct cmd_spec cmd_explain_spec, cmd_disasm_spec, cmd_list_spec, cmd_what_spec, cmd_lab_spec,
    cmd_run_spec;

int cmd_explain(int argc, char **argv);
int cmd_disasm(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_what(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_run(int argc, char **argv);

#endif
