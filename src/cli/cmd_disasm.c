/* sassprobe disasm: native disassembly in the forms the vendor's tools print, with control words, or as JSON. */
#include "cli.h"

enum { ID_FORMAT = 256, ID_KERNEL, ID_ARCH, ID_LINES, ID_RAW, ID_QUIET };

static const struct cmd_option options[] = {
    {ID_FORMAT, "format", 'f', "cuobjdump|nvdisasm|control|json",
     "cuobjdump's or nvdisasm's form, with control words, or one JSON object a kernel a line (default: cuobjdump)"},
    {ID_KERNEL, "kernel", 'k', "NAME", "only kernels of that mangled, demangled or base name, or a glob of one"},
    {ID_ARCH, "arch", 'a', "sm_NN",
     "only kernels built for that architecture; also that of listings which do not say theirs"},
    {ID_LINES, "line-info", 'g', NULL, "say which source line an instruction comes from"},
    {ID_RAW, "raw", 'r', "smNN",
     "the files are instructions of that architecture and nothing else, no container: each is printed as one kernel"},
    {ID_QUIET, "quiet", 'q', NULL, "no warnings on standard error"},
    {0},
};

struct disasm {
    struct sp_disasm_options o;
    const char *raw; /* architecture */
    bool quiet;
};

static bool take(void *user, int id, const char *value, const char *value2)
{
    static const char *const formats[] = {"cuobjdump", "nvdisasm", "control", "json", NULL};
    struct disasm *d = user;
    int choice;
    (void)value2;
    switch (id) {
    case ID_FORMAT:
        if ((choice = cmd_choice("disasm", "format", value, formats)) < 0)
            return false;
        d->o.format = (enum sp_disasm_format)choice;
        return true;
    case ID_KERNEL: d->o.kernel = value; return true;
    case ID_ARCH: d->o.arch = value; return true;
    case ID_LINES: d->o.line_info = true; return true;
    case ID_RAW: d->raw = value; return true;
    case ID_QUIET: d->quiet = true; return true;
    default: return false;
    }
}

/* NULL after saying why. */
static struct sp_session *open_raw(const char *arch, char **files, int count)
{
    struct sp_session *session = sp_session_new();
    enum sp_status status = session ? SP_OK : SP_ERR_MEMORY;
    for (int i = 0; i < count && status != SP_ERR_USAGE && status != SP_ERR_MEMORY; i++)
        status = sp_session_add_raw(session, files[i], arch); /* what else it says comes back as a diagnostic */
    if (status != SP_ERR_USAGE && status != SP_ERR_MEMORY)
        return session;
    if (status == SP_ERR_USAGE)
        cmd_error("disasm", "--raw '%s': an architecture is wanted, as sm86 or sm_90a", arch);
    else
        cmd_error("disasm", "out of memory");
    sp_session_free(session);
    return NULL;
}

int cmd_disasm(int argc, char **argv)
{
    struct disasm d = {0};
    int first;
    sp_disasm_options_init(&d.o);
    int code = cmd_parse(&cmd_disasm_spec, argc, argv, take, &d, &first);
    if (code != CMD_GO)
        return cmd_finish("disasm", code);
    struct sp_session *session = d.raw && argc > first ? open_raw(d.raw, argv + first, argc - first)
                                                       : cmd_open("disasm", d.o.arch, argv + first, argc - first);
    if (!session)
        return EXIT_USAGE;
    enum sp_status status = sp_disasm(session, &d.o, cmd_write, NULL);
    return cmd_close("disasm", session, status, d.quiet, "no such kernel; `sassprobe list` shows what there is");
}

const struct cmd_spec cmd_disasm_spec = {
    .name = "disasm",
    .summary = "native disassembly",
    .arguments = "FILE…",
    .description =
        "Prints the machine code of each kernel as cuobjdump or nvdisasm print it, with the scheduling control "
        "of every instruction, or as JSON with operands and registers. FILE may hold many modules, as programs, "
        "libraries and archives do. An encoding that is not known is shown "
        "as such with its bits. With --raw, FILE is bare instructions; where it ends within one, its offset is told, "
        "what stands before it is printed and the exit code is 3.",
    .options = options,
    .examples = "  sassprobe disasm kernel.cubin\n"
                "  sassprobe disasm --format control --kernel relu_f32_kernel kernel.cubin\n"
                "  sassprobe disasm --raw sm86 --format nvdisasm code.bin\n",
    .run = cmd_disasm,
};
