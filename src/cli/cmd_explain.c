/* sassprobe explain: the analyst's note on each kernel. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum {
    ID_FORMAT = 256,
    ID_KERNEL,
    ID_ARCH,
    ID_SOURCE,
    ID_PTX,
    ID_LEVEL,
    ID_AT,
    ID_LINE,
    ID_VALUE,
    ID_WHY,
    ID_LINES,
    ID_COMPARE,
    ID_WIDTH,
    ID_COLOR,
    ID_QUIET,
};

static const struct cmd_option options[] = {
    {ID_FORMAT, "format", 'f', "text|markdown|json", "how to write the report (default: text)"},
    {ID_KERNEL, "kernel", 'k', "NAME", "only kernels of that mangled, demangled or base name, or a glob of one"},
    {ID_ARCH, "arch", 'a', "sm_NN",
     "only kernels built for that architecture; also that of listings which do not say theirs"},
    {ID_SOURCE, "source", 's', "FILE.cu",
     "take parameter names and the text of lines from this source (may be given more than once)"},
    {ID_PTX, "ptx", 0, "FILE",
     "the PTX that the machine code was made of, where none is embedded: text, or a file that holds some, such as a "
     "fatbin (may be given more than once)"},
    {ID_LEVEL, "level", 'l', "summary|full",
     "summary leaves out parameters, registers, costs and listing, and cuts long lists (default: full); never changes "
     "JSON"},
    {ID_AT, "at", 0, "OFFSET", "one instruction only: role, expression, registers before and after (0x120)"},
    {ID_LINE, "line", 0, "N", "one source line only: its instructions"},
    {ID_VALUE, "value", 0, "NAME", "one value only, by its id or name: its life"},
    {ID_WHY, "why", 0, "N",
     "the evidence of statement [N] of the full report on the same selection of kernels (also with --compare)"},
    {ID_LINES, "lines", 0, NULL,
     "source, PTX and machine code beside each other, line by line, with roles, and rewrites between (with --source, "
     "and embedded PTX or --ptx; as wide as the terminal, at least 80 columns)"},
    {ID_COMPARE, "compare", 0, "A B",
     "compare two kernels by outputs, patterns, places, phases, instruction classes, resources, with the reasons that "
     "follow"},
    {ID_WIDTH, "width", 0, "COLUMNS", "width of text (default: 100, or the terminal's when narrower)"},
    {ID_COLOR, "color", 0, "auto|always|never",
     "colours in text (default: auto: on a terminal, unless NO_COLOR is set)"},
    {ID_QUIET, "quiet", 'q', NULL, "no warnings on standard error"},
    {0},
};

struct explain {
    struct sp_explain_options o;
    const char *sources[16], *ptx[16];
    int source_count, ptx_count, only;
    const char *color;
    bool quiet, lines;
};

static bool take_number(const char *option, const char *value, unsigned long long most, unsigned long long *number)
{
    if (cmd_number(value, number) && *number <= most)
        return true;
    cmd_error("explain", "--%s takes a number, not '%s'", option, value);
    return false;
}

static bool take(void *user, int id, const char *value, const char *value2)
{
    static const char *const formats[] = {"text", "markdown", "json", NULL},
                             *const levels[] = {"full", "summary", NULL},
                             *const colors[] = {"auto", "always", "never", NULL};
    struct explain *e = user;
    unsigned long long number;
    int choice;
    switch (id) {
    case ID_FORMAT:
        if ((choice = cmd_choice("explain", "format", value, formats)) < 0)
            return false;
        e->o.format = (enum sp_format)choice;
        return true;
    case ID_LEVEL:
        if ((choice = cmd_choice("explain", "level", value, levels)) < 0)
            return false;
        e->o.level = (enum sp_level)choice;
        return true;
    case ID_COLOR: e->color = value; return cmd_choice("explain", "color", value, colors) >= 0;
    case ID_KERNEL: e->o.kernel = value; return true;
    case ID_ARCH: e->o.arch = value; return true;
    case ID_SOURCE:
        if (e->source_count == (int)(sizeof e->sources / sizeof *e->sources)) {
            cmd_error("explain", "at most %d sources", e->source_count);
            return false;
        }
        e->sources[e->source_count++] = value;
        return true;
    case ID_PTX:
        if (e->ptx_count == (int)(sizeof e->ptx / sizeof *e->ptx)) {
            cmd_error("explain", "at most %d files of PTX", e->ptx_count);
            return false;
        }
        e->ptx[e->ptx_count++] = value;
        return true;
    case ID_AT:
        e->only++;
        e->o.at_set = true;
        if (!take_number("at", value, UINT32_MAX, &number))
            return false;
        e->o.at = (uint32_t)number;
        return true;
    case ID_LINE:
        e->only++;
        if (!take_number("line", value, INT32_MAX, &number))
            return false;
        if (number == 0) {
            cmd_error("explain", "source lines start at 1");
            return false;
        }
        e->o.line = (uint32_t)number;
        return true;
    case ID_VALUE:
        e->only++;
        e->o.value = value;
        return true;
    case ID_WHY:
        e->only++;
        if (!take_number("why", value, UINT32_MAX, &number))
            return false;
        e->o.why = (int64_t)number;
        return true;
    case ID_LINES:
        e->lines = true;
        e->o.lines = true;
        return true;
    case ID_COMPARE:
        e->o.compare_a = value;
        e->o.compare_b = value2;
        return true;
    case ID_WIDTH:
        if (!take_number("width", value, 10000, &number))
            return false;
        e->o.width = (int)number;
        return true;
    case ID_QUIET: e->quiet = true; return true;
    default: return false;
    }
}

static const char *not_found(const struct explain *e, char *text, size_t n)
{
    if (e->o.at_set)
        snprintf(text, n, "no instruction at 0x%x in the kernels selected", e->o.at);
    else if (e->o.line)
        snprintf(text, n, "no instruction of source line %u (does the input have a line table? compile with -lineinfo)",
                 e->o.line);
    else if (e->o.value)
        snprintf(text, n, "no value '%s' in the kernels selected", e->o.value);
    else if (e->o.why >= 0)
        snprintf(text, n, "the full report on the kernels selected has no statement [%lld]", (long long)e->o.why);
    else if (e->o.compare_a)
        snprintf(text, n, "no two kernels '%s' and '%s'; `sassprobe list` shows what there is", e->o.compare_a,
                 e->o.compare_b);
    else if (e->o.kernel || e->o.arch)
        snprintf(text, n, "no kernel%s%s%s%s; `sassprobe list` shows what there is", e->o.kernel ? " named " : "",
                 e->o.kernel ? e->o.kernel : "", e->o.arch ? " for " : "", e->o.arch ? e->o.arch : "");
    else
        snprintf(text, n, "no kernel in the input");
    return text;
}

int cmd_explain(int argc, char **argv)
{
    struct explain e = {0};
    char text[512];
    int first;
    sp_explain_options_init(&e.o);
    int code = cmd_parse(&cmd_explain_spec, argc, argv, take, &e, &first);
    if (code != CMD_GO)
        return cmd_finish("explain", code);
    if (e.only > 1 || (e.only == 1 && e.o.compare_a && e.o.why < 0)) { /* the rows of a comparison have numbers, too */
        cmd_error("explain",
                  "--at, --line, --value and --why exclude each other, and --compare excludes the first three");
        return EXIT_USAGE;
    }
    if (e.lines && (e.only || e.o.compare_a)) {
        cmd_error("explain", "--lines shows whole kernels: it excludes --at, --line, --value, --why and --compare");
        return EXIT_USAGE;
    }
    if (e.only == 1 && e.o.format == SP_FORMAT_JSON) {
        cmd_error("explain",
                  "--at, --line, --value and --why are for text and Markdown; the JSON document holds all of it");
        return EXIT_USAGE;
    }
    e.o.color = e.o.format == SP_FORMAT_TEXT && cmd_color(e.color);
    if (e.o.width == 0)
        e.o.width = e.lines ? cmd_width_most() : cmd_width();
    struct sp_session *session = cmd_open("explain", e.o.arch, argv + first, argc - first);
    if (!session)
        return EXIT_USAGE;
    bool sources = true;
    for (int i = 0; i < e.source_count; i++)
        sources &= sp_session_add_source(session, e.sources[i]) == SP_OK;
    for (int i = 0; i < e.ptx_count; i++)
        sources &= sp_session_add_ptx(session, e.ptx[i]) == SP_OK;
    enum sp_status status = sp_explain(session, &e.o, cmd_write, NULL);
    code = cmd_close("explain", session, status, e.quiet, not_found(&e, text, sizeof text));
    return code == EXIT_DONE && !sources ? EXIT_UNREADABLE : code;
}

const struct cmd_spec cmd_explain_spec = {
    .name = "explain",
    .summary = "what each kernel computes, where its values live, and what it was made of",
    .arguments = "FILE…",
    .description =
        "Reads machine code and writes the analyst's note on each kernel: what it computes in one sentence, its "
        "outputs "
        "exactly and as real numbers, where every intermediate value lives, by which threads and through which memory "
        "it is read, the patterns and rewrites found with their evidence, phases, loops, memory accesses and their "
        "cost, parameters, register flow, and the listing with the role of every instruction.\n"
        "FILE is a cubin, a fatbin, a program, library, object or archive that holds some (ELF or Windows), a listing "
        "(what cuobjdump -sass or nvdisasm print, pasted or cut), PTX text, a folder of cubins, or - for standard "
        "input. "
        "Of PTX the same is told as of machine code, as far as it is decided there: registers, spills and scheduling "
        "are "
        "not. PTX in a fatbin stands beside the machine code made of it; where a fatbin has PTX only, that is "
        "explained. "
        "--arch and --kernel choose among many modules. No GPU and no CUDA toolkit are needed.",
    .options = options,
    .examples = "  sassprobe explain kernel.cubin\n"
                "  sassprobe explain --level summary --kernel 'clamp*' --source clamp.cu kernel.cubin\n"
                "  sassprobe explain --arch sm_90a --kernel scale program\n"
                "  sassprobe explain --why 7 kernel.cubin\n"
                "  sassprobe explain --compare clamp_f32_kernel relu_f32_kernel cubin/sm86\n"
                "  sassprobe explain --compare online_softmax_f32_kernel softmax_small_f32_kernel cubin/sm86\n"
                "  sassprobe explain --format json kernel.cubin\n",
    .run = cmd_explain,
};
