/* Texts of enum sp_status. */
#include "sassprobe/status.h"

const char *sp_status_text(enum sp_status status)
{
    switch (status) {
    case SP_OK: return "ok";
    case SP_ERR_MEMORY: return "out of memory";
    case SP_ERR_IO: return "cannot be read or written";
    case SP_ERR_FORMAT: return "malformed input";
    case SP_ERR_ARCH: return "unknown architecture";
    case SP_ERR_ENCODING: return "unknown encoding";
    case SP_ERR_USAGE: return "wrong usage";
    case SP_ERR_NOT_FOUND: return "not found";
    case SP_ERR_UNSUPPORTED: return "not supported by this version";
    }
    return "unknown status";
}
