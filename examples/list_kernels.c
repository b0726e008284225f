/* What is in a file: list_kernels FILE. Any container: a cubin, a program, a library, an archive. */
#include <sassprobe/sassprobe.h>
#include <stdio.h>

static bool print(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n;
}

int main(int argc, char **argv)
{
    struct sp_session *session = argc == 2 ? sp_session_new() : NULL;
    if (!session)
        return 2;
    sp_session_add_path(session, argv[1]); /* what was wrong is among the diagnostics */
    enum sp_status status = sp_list(session, SP_FORMAT_TEXT, print, stdout);
    sp_session_diagnostics(session, print, stderr);
    bool damaged = sp_session_damaged(session);
    sp_session_free(session);
    return status != SP_OK || damaged;
}
