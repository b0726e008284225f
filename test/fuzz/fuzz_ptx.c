/* Fuzz target: any text as PTX through the whole house: explained as JSON and as text, listed. Text without a head gets
 * one, so that what is tried is the reader and not what tells PTX from other text. */
#include "sassprobe/sassprobe.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_bytes(void *user, const char *bytes, size_t n)
{
    size_t *total = user;
    for (size_t i = 0; i < n; i++)
        *total += (unsigned char)bytes[i] != 0;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = ".version 9.0\n.target sm_86\n.address_size 64\n";
    size_t total = 0, skip = sizeof head - 1;
    if (memchr(data, 0, size) || (size >= 4 && memcmp(data,
                                                      "\x7f"
                                                      "ELF",
                                                      4) == 0))
        return 0; /* no text */
    char *text = malloc(skip + size + 1);
    struct sp_session *session = sp_session_new();
    if (!session || !text) {
        sp_session_free(session);
        free(text);
        return 0;
    }
    memcpy(text, head, skip);
    if (size)
        memcpy(text + skip, data, size);
    (void)sp_session_add_memory(session, "fuzz.ptx", text, skip + size);
    struct sp_explain_options explain;
    sp_explain_options_init(&explain);
    explain.format = SP_FORMAT_JSON;
    (void)sp_explain(session, &explain, count_bytes, &total);
    explain.format = SP_FORMAT_TEXT;
    (void)sp_explain(session, &explain, count_bytes, &total);
    (void)sp_list(session, SP_FORMAT_JSON, count_bytes, &total);
    sp_session_diagnostics(session, count_bytes, &total);
    sp_session_free(session);
    free(text);
    return 0;
}
