/* A small machine for tests: registers and memory in arrays, one thread, micro-operation lists run one after the
 * other. Any operation it does not know fails the test. */
#ifndef SUPPORT_MACHINE_H
#define SUPPORT_MACHINE_H

#include "uop/uop.h"

enum { MACHINE_BUFFERS = 5, MACHINE_BANK = 4096, MACHINE_LOCAL = 1024 };

struct machine {
    uint32_t r[257], ur[257];
    bool p[8], up[8];
    unsigned tid, ctaid;
    uint8_t bank[MACHINE_BANK];    /* constant bank 0 */
    void *buffer[MACHINE_BUFFERS]; /* global memory: buffer k stands at machine_base(k) */
    uint64_t buffer_bytes;
    uint8_t local[MACHINE_LOCAL];
};

/* Registers hold values no result may depend on, everything else is zero. */
void machine_start(struct machine *m);
uint64_t machine_base(unsigned buffer);
/* Bytes of constant bank 0. */
void machine_set(struct machine *m, uint32_t offset, const void *bytes, size_t n);
/* Runs `lists`, one for each 16 bytes of a section, from its start until the thread ends. */
void machine_run(struct machine *m, const struct uop_list *lists, unsigned count);

#endif
