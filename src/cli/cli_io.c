/* What subcommands share around a session: output, colour, width, inputs, diagnostics and exit codes.
 *
 * Standard output is written through stdio with SIGPIPE ignored: a reader that had enough ends the work quietly. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int write_errno; /* of the first write that failed */

bool cmd_write(void *user, const char *bytes, size_t n)
{
    (void)user;
    errno = 0;
    if (fwrite(bytes, 1, n, stdout) == n)
        return true;
    write_errno = errno ? errno : EIO;
    return false;
}

int cmd_finish(const char *name, int code)
{
    errno = 0;
    if (fflush(stdout) != 0 && write_errno == 0)
        write_errno = errno ? errno : EIO;
    if (write_errno == 0 || write_errno == EPIPE)
        return code;
    cmd_error(name, "cannot write the output: %s", strerror(write_errno));
    return EXIT_UNREADABLE;
}

bool cmd_color(const char *when)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (when && strcmp(when, "always") == 0)
        return true;
    if (when && strcmp(when, "never") == 0)
        return false;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

int cmd_width(void)
{
    enum { COLUMNS = 100, NARROWEST = 60 };
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
        size.ws_col >= COLUMNS)
        return COLUMNS;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

int cmd_width_most(void)
{
    enum { USUAL = 120, NARROWEST = 80, WIDEST = 1000 };
    const char *columns = getenv("COLUMNS");
    unsigned long long told = 0;
    struct winsize size;
    if (!(columns && cmd_number(columns, &told) && told) && isatty(STDOUT_FILENO) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        told = size.ws_col;
    int width = told == 0 ? USUAL : told > WIDEST ? WIDEST : (int)told;
    return width < NARROWEST ? NARROWEST : width;
}

struct sp_session *cmd_open(const char *name, const char *arch, char **files, int count)
{
    struct sp_session *session;
    if (count == 0) {
        cmd_error(name,
                  "no input file (a cubin, a fatbin or what holds some, PTX, a listing, a folder, or - for standard "
                  "input); --help tells more");
        return NULL;
    }
    session = sp_session_new();
    if (!session || sp_session_set_arch(session, arch) != SP_OK) {
        cmd_error(name, "out of memory");
        sp_session_free(session);
        return NULL;
    }
    /* What an input's status was comes back with its diagnostic and in sp_session_damaged(). */
    for (int i = 0; i < count; i++)
        (void)sp_session_add_path(session, files[i]);
    return session;
}

struct lines {
    bool quiet;
    char text[2048];
    size_t n;
};

/* Notes stay in the report; warnings too when quiet. */
static void end_line(struct lines *l)
{
    l->text[l->n] = '\0';
    bool note = strstr(l->text, ": note: ") != NULL, warning = strstr(l->text, ": warning: ") != NULL;
    if (!note && !(warning && l->quiet))
        fprintf(stderr, "%s\n", l->text);
    l->n = 0;
}

static bool take_line(void *user, const char *bytes, size_t n)
{
    struct lines *l = user;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n')
            end_line(l);
        else if (l->n + 1 < sizeof l->text)
            l->text[l->n++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    return true;
}

int cmd_close(const char *name, struct sp_session *session, enum sp_status status, bool quiet, const char *not_found)
{
    struct lines lines = {.quiet = quiet};
    bool damaged = sp_session_damaged(session);
    int code = damaged ? EXIT_UNREADABLE : EXIT_DONE;
    code = cmd_finish(name, code); /* now, so that a terminal shows the report before what was wrong */
    sp_session_diagnostics(session, take_line, &lines);
    if (lines.n > 0)
        end_line(&lines);
    switch (status) {
    case SP_OK:
    case SP_ERR_FORMAT:
    case SP_ERR_ENCODING: break;
    case SP_ERR_NOT_FOUND:
        cmd_error(name, "%s", not_found);
        code = damaged ? EXIT_UNREADABLE : EXIT_USAGE;
        break;
    case SP_ERR_USAGE:
    case SP_ERR_UNSUPPORTED:
        cmd_error(name, "%s", sp_status_text(status));
        code = EXIT_USAGE;
        break;
    case SP_ERR_IO: /* an input, which sp_session_damaged() told, or the output, which cmd_finish() did */ break;
    case SP_ERR_ARCH:
    case SP_ERR_MEMORY:
        cmd_error(name, "%s", sp_status_text(status));
        code = EXIT_UNREADABLE;
        break;
    }
    sp_session_free(session);
    return code;
}
