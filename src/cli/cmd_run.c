/* sassprobe run: a kernel on the emulator, with its outputs, its counts and what it may not do. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum {
    ID_LAUNCH = 256,
    ID_KERNEL,
    ID_ARCH,
    ID_GRID,
    ID_BLOCK,
    ID_SHARED,
    ID_PARAM,
    ID_COUNTERS,
    ID_INSTRUCTIONS,
    ID_MEMORY,
    ID_FORMAT,
    ID_QUIET,
    PARAMS_MOST = 256,
};

static const struct cmd_option options[] = {
    {ID_LAUNCH, "launch", 'l', "FILE", "the launch: sizes, parameters, buffers, what is saved (JSON)"},
    {ID_KERNEL, "kernel", 'k', "NAME", "the kernel: mangled, demangled or base name, or a glob of one"},
    {ID_ARCH, "arch", 'a', "sm_NN", "the kernel of this architecture"},
    {ID_GRID, "grid", 'g', "X[,Y[,Z]]", "blocks of the grid (default: 1)"},
    {ID_BLOCK, "block", 'b', "X[,Y[,Z]]", "threads of a block (default: 1)"},
    {ID_SHARED, "shared", 's', "BYTES", "dynamic shared memory of a block"},
    {ID_PARAM, "param", 'p', "FORM",
     "the next parameter: in:TYPE:FILE, out:TYPE:COUNT:FILE, inout:TYPE:FILE:FILE or scalar:TYPE:VALUE"},
    {ID_COUNTERS, "counters", 'c', NULL, "counts beside every instruction"},
    {ID_INSTRUCTIONS, "instructions", 0, "N", "stop after so many instructions of warps (default: 2,000,000,000)"},
    {ID_MEMORY, "memory", 0, "BYTES", "most bytes that buffers may have together (default: 1 GiB)"},
    {ID_FORMAT, "format", 'f', "text|json", "how to write the report (default: text)"},
    {ID_QUIET, "quiet", 'q', NULL, "no warnings on standard error"},
    {0},
};

struct run {
    struct sp_run_options options;
    const char *params[PARAMS_MOST];
    bool quiet;
};

static bool take_triple(const char *option, const char *text, uint32_t out[3])
{
    const char *p = text;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        unsigned long long v = strtoull(p, &end, 10);
        if (*p < '0' || *p > '9' || v == 0 || v > INT32_MAX || (*end && *end != ',') || (*end && i == 2)) {
            cmd_error("run", "--%s takes one to three numbers, X,Y,Z, not '%s'", option, text);
            return false;
        }
        out[i] = (uint32_t)v;
        if (!*end)
            return true;
        p = end + 1;
    }
    return true;
}

static bool take_number(const char *option, const char *text, uint64_t *out)
{
    unsigned long long v;
    if (!cmd_number(text, &v)) {
        cmd_error("run", "--%s takes a number, not '%s'", option, text);
        return false;
    }
    *out = v;
    return true;
}

static bool take(void *user, int id, const char *value, const char *value2)
{
    static const char *const formats[] = {"text", "json", NULL};
    struct run *r = user;
    struct sp_run_options *o = &r->options;
    int choice;
    (void)value2;
    switch (id) {
    case ID_LAUNCH: o->launch = value; return true;
    case ID_KERNEL: o->kernel = value; return true;
    case ID_ARCH: o->arch = value; return true;
    case ID_GRID: return take_triple("grid", value, o->grid);
    case ID_BLOCK: return take_triple("block", value, o->block);
    case ID_SHARED: o->shared_set = true; return take_number("shared", value, &o->shared_bytes);
    case ID_PARAM:
        if (o->param_count == PARAMS_MOST) {
            cmd_error("run", "more than %d parameters: use a launch file", PARAMS_MOST);
            return false;
        }
        r->params[o->param_count++] = value;
        return true;
    case ID_COUNTERS: o->counters = true; return true;
    case ID_INSTRUCTIONS: return take_number("instructions", value, &o->instructions);
    case ID_MEMORY: return take_number("memory", value, &o->memory);
    case ID_FORMAT:
        choice = cmd_choice("run", "format", value, formats);
        o->format = choice == 1 ? SP_FORMAT_JSON : SP_FORMAT_TEXT;
        return choice >= 0;
    default: r->quiet = true; return true;
    }
}

int cmd_run(int argc, char **argv)
{
    struct run r = {.quiet = false};
    int first, code;
    size_t findings = 0;
    sp_run_options_init(&r.options);
    r.options.params = r.params;
    code = cmd_parse(&cmd_run_spec, argc, argv, take, &r, &first);
    if (code != CMD_GO)
        return cmd_finish("run", code);
    struct sp_session *session = cmd_open("run", r.options.arch, argv + first, argc - first);
    if (!session)
        return EXIT_USAGE;
    enum sp_status status = sp_run(session, &r.options, cmd_write, NULL, &findings);
    code = cmd_close("run", session, status, r.quiet, "no such kernel in the input");
    if (status == SP_ERR_IO)
        return EXIT_UNREADABLE;
    return code == EXIT_DONE && findings ? EXIT_DIFFERS : code;
}

const struct cmd_spec cmd_run_spec = {
    .name = "run",
    .summary = "a kernel on the emulator: outputs, counts, and what it may not do",
    .arguments = "FILE",
    .description =
        "Runs one kernel of a cubin (or of what holds some) on the CPU, instruction by instruction as the "
        "micro-operations say. Buffers come from files and are saved to files, all of them raw and little-endian. "
        "Accesses out of bounds or misaligned, uses of what nobody has written, races on shared memory, barriers that "
        "cannot complete and "
        "endless loops are reported with instruction, thread and source line. Exit code 1: it ran, with findings. "
        "Results of the special function unit are those of sm_90, bit for bit; on other architectures they are "
        "assumed, "
        "and that is said.",
    .options = options,
    .examples = "  sassprobe run --launch reduce.json kernels.cubin\n"
                "  sassprobe run --kernel add_f32_kernel --grid 4 --block 256 --param in:f32:a.bin \\\n"
                "      --param in:f32:b.bin --param out:f32:1000:c.bin --param scalar:s32:1000 kernels.cubin\n",
    .run = cmd_run,
};
