/* Fuzz target: any bytes through the whole house. Explained as JSON and as text, listed and disassembled; what comes
 * out is counted and thrown away. An error or a partial report is fine; a crash, a hang or a sanitizer's finding is
 * not. */
#include "sassprobe/sassprobe.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_bytes(void *user, const char *bytes, size_t n)
{
    size_t *total = user;
    /* Touches every byte, so that output from freed or uninitialised memory is seen. */
    for (size_t i = 0; i < n; i++)
        *total += (unsigned char)bytes[i] != 0;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t total = 0;
    struct sp_session *session = sp_session_new();
    if (!session)
        return 0;
    (void)sp_session_add_memory(session, "fuzz.cubin", data, size);

    struct sp_explain_options explain;
    sp_explain_options_init(&explain);
    explain.format = SP_FORMAT_JSON;
    (void)sp_explain(session, &explain, count_bytes, &total);
    explain.format = SP_FORMAT_TEXT;
    (void)sp_explain(session, &explain, count_bytes, &total);

    struct sp_disasm_options disasm;
    sp_disasm_options_init(&disasm);
    disasm.format = SP_DISASM_CONTROL;
    disasm.line_info = true;
    (void)sp_disasm(session, &disasm, count_bytes, &total);
    (void)sp_list(session, SP_FORMAT_JSON, count_bytes, &total);
    sp_session_diagnostics(session, count_bytes, &total);
    sp_session_free(session);
    return 0;
}
