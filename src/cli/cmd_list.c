/* sassprobe list: the modules, architectures and kernels of files, and what each kernel uses. */
#include "cli.h"

enum { ID_FORMAT = 256, ID_ARCH, ID_QUIET };

static const struct cmd_option options[] = {
    {ID_FORMAT, "format", 'f', "text|json", "how to write the list (default: text)"},
    {ID_ARCH, "arch", 'a', "sm_NN", "the architecture of listings which do not say theirs"},
    {ID_QUIET, "quiet", 'q', NULL, "no warnings on standard error"},
    {0},
};

struct list {
    enum sp_format format;
    const char *arch;
    bool quiet;
};

static bool take(void *user, int id, const char *value, const char *value2)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct list *l = user;
    (void)value2;
    if (id == ID_FORMAT) {
        int choice = cmd_choice("list", "format", value, formats);
        l->format = choice == 1 ? SP_FORMAT_JSON : SP_FORMAT_TEXT;
        return choice >= 0;
    }
    if (id == ID_ARCH)
        l->arch = value;
    else
        l->quiet = true;
    return true;
}

int cmd_list(int argc, char **argv)
{
    struct list l = {.format = SP_FORMAT_TEXT};
    int first, code = cmd_parse(&cmd_list_spec, argc, argv, take, &l, &first);
    if (code != CMD_GO)
        return cmd_finish("list", code);
    struct sp_session *session = cmd_open("list", l.arch, argv + first, argc - first);
    if (!session)
        return EXIT_USAGE;
    enum sp_status status = sp_list(session, l.format, cmd_write, NULL);
    return cmd_close("list", session, status, l.quiet, "no module in the input");
}

const struct cmd_spec cmd_list_spec = {
    .name = "list",
    .summary = "modules, architectures, kernels and their resources",
    .arguments = "FILE…",
    .description =
        "Lists what a file holds: modules (cubins, PTX and LTO-IR, of fatbins in programs, libraries and archives, "
        "too) "
        "with their place, packing, architecture and PTX, and for each kernel its registers, shared memory, stack and "
        "instructions.",
    .options = options,
    .examples = "  sassprobe list cubin/sm86\n"
                "  sassprobe list --format json libkernels.so\n",
    .run = cmd_list,
};
