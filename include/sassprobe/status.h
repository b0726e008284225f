/* What a call of libsassprobe can answer. Input errors are values: they come back as a status and as a
 * diagnostic that names file, section and offset. Asserts stand for broken invariants only. */
#ifndef SASSPROBE_STATUS_H
#define SASSPROBE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum sp_status {
    SP_OK = 0,
    SP_ERR_MEMORY,      /* an allocation failed, or an input asked for more than the limits allow */
    SP_ERR_IO,          /* a file could not be opened, read or written; errno tells why */
    SP_ERR_FORMAT,      /* the bytes are not what they claim to be; what could be read is kept */
    SP_ERR_ARCH,        /* an architecture this build has no encodings for */
    SP_ERR_ENCODING,    /* a word that no encoding of the architecture covers */
    SP_ERR_USAGE,       /* arguments that make no sense together */
    SP_ERR_NOT_FOUND,   /* no such kernel, value, line, opcode */
    SP_ERR_UNSUPPORTED, /* understood, but not done by this version */
};

/* A short English text for a status. Never NULL; static storage. */
const char *sp_status_text(enum sp_status status);

#ifdef __cplusplus
}
#endif
#endif
