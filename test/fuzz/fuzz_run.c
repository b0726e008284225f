/* Fuzz target: the kernels of any bytes on the emulator, with buffers and scalars for parameters as many as they take.
 * A finding or a refusal is fine; a crash, a run beyond its limits or a sanitizer's finding is not. */
#include "sassprobe/sassprobe.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POINTERS_MOST = 4, SCALARS_MOST = 3 };

static bool count_bytes(void *user, const char *bytes, size_t n)
{
    size_t *total = user;
    for (size_t i = 0; i < n; i++)
        *total += (unsigned char)bytes[i] != 0;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *params[POINTERS_MOST + SCALARS_MOST];
    size_t total = 0, findings;
    struct sp_session *session = sp_session_new();
    if (!session)
        return 0;
    (void)sp_session_add_memory(session, "fuzz.cubin", data, size);
    enum sp_status status = SP_ERR_USAGE;
    for (unsigned pointers = 1; pointers <= POINTERS_MOST && status == SP_ERR_USAGE; pointers++) {
        for (unsigned scalars = 1; scalars <= SCALARS_MOST && status == SP_ERR_USAGE; scalars++) {
            struct sp_run_options run;
            sp_run_options_init(&run);
            for (unsigned i = 0; i < pointers + scalars; i++)
                params[i] = i < pointers ? "out:u8:4096:/dev/null" : "scalar:s32:100";
            run.params = params;
            run.param_count = pointers + scalars;
            run.grid[0] = 2;
            run.block[0] = 64;
            run.shared_set = true;
            run.shared_bytes = 512;
            run.instructions = 5000;
            run.counters = true;
            run.format = SP_FORMAT_JSON;
            status = sp_run(session, &run, count_bytes, &total, &findings);
        }
    }
    sp_session_diagnostics(session, count_bytes, &total);
    sp_session_free(session);
    return 0;
}
