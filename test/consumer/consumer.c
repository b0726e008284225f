#include <sassprobe/sassprobe.h>
#include <stdio.h>

/* What a program outside the tree does first: find the header, link, call. */
int main(void)
{
    struct sp_session *session = sp_session_new();
    sp_session_free(session);
    return printf("sassprobe %s, %s\n", sp_version(), sp_status_text(SP_OK)) < 0 || !session;
}
