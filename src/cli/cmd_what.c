/* sassprobe what: what an instruction does, from the table of micro-operations. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { ID_FORMAT = 256, ID_ARCH };

static const struct cmd_option options[] = {
    {ID_FORMAT, "format", 'f', "text|markdown|json", "how to write the answer (default: text)"},
    {ID_ARCH, "arch", 'a', "sm_NN", "the architecture whose encoding is meant (default: any that has the instruction)"},
    {0},
};

struct what {
    enum sp_format format;
    const char *arch;
};

static bool take(void *user, int id, const char *value, const char *value2)
{
    static const char *const formats[] = {"text", "markdown", "json", NULL};
    struct what *w = user;
    (void)value2;
    if (id == ID_FORMAT) {
        int choice = cmd_choice("what", "format", value, formats);
        w->format = choice < 0 ? SP_FORMAT_TEXT : (enum sp_format)choice;
        return choice >= 0;
    }
    w->arch = value;
    return true;
}

int cmd_what(int argc, char **argv)
{
    struct what w = {.format = SP_FORMAT_TEXT};
    char spelling[512] = "";
    int first, code = cmd_parse(&cmd_what_spec, argc, argv, take, &w, &first);
    if (code != CMD_GO)
        return cmd_finish("what", code);
    if (first == argc) {
        cmd_error("what", "no instruction given, such as FSETP.GEU or 'FSEL R0, R2, c[0x0][0x170], P0'");
        return EXIT_USAGE;
    }
    for (int i = first; i < argc; i++) { /* an instruction's text may come as several words */
        size_t n = strlen(spelling);
        if (snprintf(spelling + n, sizeof spelling - n, "%s%s", i > first ? " " : "", argv[i]) >=
            (int)(sizeof spelling - n)) {
            cmd_error("what", "the instruction's text is too long");
            return EXIT_USAGE;
        }
    }
    enum sp_status status = sp_what(spelling, w.arch, w.format, cmd_write, NULL);
    if (status == SP_OK || (status == SP_ERR_IO && ferror(stdout)))
        return cmd_finish("what", EXIT_DONE);
    if (status == SP_ERR_NOT_FOUND || status == SP_ERR_FORMAT)
        cmd_error("what", "no instruction is spelled '%s'%s%s", spelling, w.arch ? " on " : "", w.arch ? w.arch : "");
    else
        cmd_error("what", "%s", sp_status_text(status));
    return EXIT_USAGE;
}

const struct cmd_spec cmd_what_spec = {
    .name = "what",
    .summary = "what an instruction does",
    .arguments = "INSTRUCTION",
    .description =
        "Says what an instruction does, from the same table of micro-operations that everything else is computed "
        "from. INSTRUCTION is an opcode with its modifiers, or a whole instruction's text.",
    .options = options,
    .examples = "  sassprobe what FSETP.GEU\n"
                "  sassprobe what 'IMAD.WIDE R2, R4, R5, c[0x0][0x160]'\n",
    .run = cmd_what,
};
