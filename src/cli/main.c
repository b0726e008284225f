/* sassprobe: finds the subcommand and runs it. */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct cmd_spec *const commands[] = {
    &cmd_explain_spec, &cmd_disasm_spec, &cmd_list_spec, &cmd_what_spec, &cmd_run_spec, &cmd_lab_spec,
};
/* Named in the design, not done by this version. */
static const char *const later[] = {"lift", "diff", "check", "grep", "verify", "index", "query"};

enum { COMMANDS = sizeof commands / sizeof *commands, LATER = sizeof later / sizeof *later };

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: sassprobe SUBCOMMAND [options] FILE…\n\n"
                "Reads NVIDIA GPU machine code (SASS) and tells what a kernel became.\n\nSubcommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n`sassprobe SUBCOMMAND --help` tells a subcommand's options; `sassprobe --version` the version.\n");
}

/* The manual page of the command itself. */
static void print_man(void)
{
    printf(".TH \"SASSPROBE\" \"1\" \"\" \"sassprobe %s\" \"User Commands\"\n"
           ".SH NAME\nsassprobe \\- reads NVIDIA GPU machine code and tells what a kernel became\n"
           ".SH SYNOPSIS\n.B sassprobe\n.I SUBCOMMAND\n[options] FILE…\n.SH SUBCOMMANDS\n",
           sp_version());
    for (size_t i = 0; i < COMMANDS; i++)
        printf(".TP\n.BR sassprobe\\-%s (1)\n%s\n", commands[i]->name, commands[i]->summary);
    printf(".SH \"EXIT STATUS\"\n0: done, unknown instructions included. 1: a check failed or a difference was found. "
           "2: wrong usage, or no such kernel. 3: an input not readable; what could be read is reported.\n"
           ".SH ENVIRONMENT\n.TP\nNO_COLOR\nWhen set and not empty: no colours.\n");
}

static const struct cmd_spec *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < LATER; i++)
        if (strcmp(later[i], name) == 0) {
            cmd_error(NULL, "'%s' is not in this version (%s)", name, sp_version());
            return EXIT_USAGE;
        }
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    const char *near = cmd_nearest(name, names, COMMANDS);
    if (near)
        cmd_error(NULL, "no subcommand '%s' (did you mean %s?); --help lists them", name, near);
    else
        cmd_error(NULL, "no subcommand '%s'; --help lists them", name);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen as a failed write, see cmd_finish() */
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("sassprobe %s\n", sp_version());
        return cmd_finish(NULL, EXIT_DONE);
    }
    if (strcmp(name, "--print-man") == 0) {
        print_man();
        return cmd_finish(NULL, EXIT_DONE);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        const struct cmd_spec *spec = argc > 2 ? find(argv[2]) : NULL;
        if (argc > 2 && !spec)
            return unknown(argv[2]);
        if (spec)
            cmd_print_help(spec);
        else
            print_usage(stdout);
        return cmd_finish(NULL, EXIT_DONE);
    }
    const struct cmd_spec *spec = find(name);
    return spec ? spec->run(argc - 1, argv + 1) : unknown(name);
}
