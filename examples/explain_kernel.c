/* What a kernel became, in a few lines: explain_kernel FILE NAME */
#include <sassprobe/sassprobe.h>
#include <stdio.h>

static bool print(void *user, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n;
}

int main(int argc, char **argv)
{
    struct sp_session *session = argc == 3 ? sp_session_new() : NULL;
    struct sp_explain_options options;
    if (!session)
        return 2;
    sp_explain_options_init(&options);
    options.level = SP_LEVEL_SUMMARY;
    options.kernel = argv[2];
    sp_session_add_path(session, argv[1]);
    enum sp_status status = sp_explain(session, &options, print, stdout);
    if (status != SP_OK)
        fprintf(stderr, "%s\n", sp_status_text(status));
    sp_session_diagnostics(session, print, stderr);
    sp_session_free(session);
    return status != SP_OK;
}
