/* Files into memory, what bytes are by their magic, and look-ups in the line tables of a kernel.
 * requires: nothing · gives: bytes on the arena, enum img_kind, rows */
#define _GNU_SOURCE /* memmem, fileno */
#include "base/bits.h"
#include "image/img.h"
#include "image/img_elf.h"
#include "image/img_holder.h"
#include "image/img_listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 64 * 1024, LOOK_AHEAD = 64 * 1024, MZ_BYTES = 64, FATBIN_MAGIC = (int)0xba55ed50 };

static const size_t default_limit = (size_t)2 << 30;

/* The first line that is not blank and no comment starts with `word`. */
static bool first_line_is(const uint8_t *bytes, size_t size, const char *word)
{
    size_t length = strlen(word), at = 0, end = size < LOOK_AHEAD ? size : LOOK_AHEAD;
    while (at < end) {
        while (at < end && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n'))
            at++;
        if (end - at < 2 || bytes[at] != '/' || bytes[at + 1] != '/')
            break;
        while (at < end && bytes[at] != '\n')
            at++;
    }
    return end - at >= length && memcmp(bytes + at, word, length) == 0;
}

static bool holds(const uint8_t *bytes, size_t size, const char *text)
{
    return memmem(bytes, size < LOOK_AHEAD ? size : LOOK_AHEAD, text, strlen(text)) != NULL;
}

/* Signs that stand in listings only, or two lines that are instructions. */
static bool looks_like_listing(const uint8_t *bytes, size_t size)
{
    static const char *const signs[] = {"Function : ", ".section\t.text.", "/*0000*/", "\"sass-instructions\"",
                                        "EF_CUDA_SM"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (holds(bytes, size, signs[i]))
            return true;
    const char *text = (const char *)bytes;
    size_t end = size < LOOK_AHEAD ? size : LOOK_AHEAD, found = 0;
    for (size_t at = 0; at < end && found < 2;) {
        const char *feed = memchr(text + at, '\n', end - at);
        size_t n = feed ? (size_t)(feed - text) - at : end - at;
        struct listing_line line;
        img_listing_line((struct slice){text + at, n}, &line);
        if (line.kind == LISTING_INSN)
            found += line.has_offset || line.has_control || line.word_count ? 2 : 1;
        at += n + 1;
    }
    return found >= 2;
}

enum img_kind img_detect_binary(const uint8_t *bytes, size_t size)
{
    if (size >= 4 && memcmp(bytes,
                            "\x7f"
                            "ELF",
                            4) == 0) {
        bool cuda = size < 20 || bits_le16(bytes + 18) == ELF_MACHINE_CUDA || bytes[7] == 0x33 ||
                    bytes[7] == 0x41; /* either of machine and OS ABI may be damaged */
        return cuda ? IMG_CUBIN : IMG_HOST_ELF;
    }
    if (size >= 4 && bits_le32(bytes) == (uint32_t)FATBIN_MAGIC)
        return IMG_FATBIN;
    if (size >= 8 && (memcmp(bytes, "!<arch>\n", 8) == 0 || memcmp(bytes, "!<thin>\n", 8) == 0))
        return IMG_ARCHIVE;
    if (size >= 2 && memcmp(bytes, "MZ", 2) == 0 && memchr(bytes, 0, size < MZ_BYTES ? size : MZ_BYTES) != NULL)
        return IMG_HOST_PE;
    return img_host_is_coff(bytes, size) ? IMG_HOST_PE : IMG_UNKNOWN;
}

enum img_kind img_detect(const uint8_t *bytes, size_t size)
{
    enum img_kind kind = img_detect_binary(bytes, size);
    if (kind != IMG_UNKNOWN)
        return kind;
    if (size == 0 || memchr(bytes, 0, size < LOOK_AHEAD ? size : LOOK_AHEAD) != NULL)
        return IMG_UNKNOWN;
    if (first_line_is(bytes, size, ".version"))
        return IMG_PTX;
    return looks_like_listing(bytes, size) ? IMG_LISTING : IMG_UNKNOWN;
}

/* Reads to the end of the stream, growing as bytes really come: a size that the file system claims is only a hint. */
static enum sp_status read_stream(struct arena *a, struct diag_sink *diags, FILE *file, size_t hint, size_t limit,
                                  uint8_t **bytes, size_t *size)
{
    size_t cap = hint < FIRST_READ ? FIRST_READ : hint + 1, n = 0;
    uint8_t *buffer = arena_alloc(a, cap);
    while (buffer != NULL) {
        n += fread(buffer + n, 1, cap - n, file);
        if (n > limit) {
            diag_add(diags, DIAG_ERROR, "too-large", NULL, -1, "the file is larger than %zu bytes", limit);
            return SP_ERR_MEMORY;
        }
        if (n < cap)
            break;
        buffer = arena_grow(a, buffer, cap, cap * 2);
        cap *= 2;
    }
    if (buffer == NULL) {
        diag_add(diags, DIAG_ERROR, "out-of-memory", NULL, -1, "reading the file took more memory than allowed");
        return SP_ERR_MEMORY;
    }
    if (ferror(file)) {
        diag_add(diags, DIAG_ERROR, "io", NULL, -1, "cannot read: %s", strerror(errno));
        return SP_ERR_IO;
    }
    *bytes = buffer;
    *size = n;
    return SP_OK;
}

enum sp_status img_load_file(struct arena *a, struct diag_sink *diags, const char *path, size_t limit, uint8_t **bytes,
                             size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (limit == 0)
        limit = default_limit;
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (file == NULL || fstat(fileno(file), &st) != 0) {
        diag_add(diags, DIAG_ERROR, "io", NULL, -1, "cannot open: %s", strerror(errno));
        if (file != NULL)
            fclose(file);
        return SP_ERR_IO;
    }
    enum sp_status status;
    if (S_ISDIR(st.st_mode)) {
        diag_add(diags, DIAG_ERROR, "io", NULL, -1, "cannot read: %s", strerror(EISDIR));
        errno = EISDIR;
        status = SP_ERR_IO;
    } else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > limit) {
        diag_add(diags, DIAG_ERROR, "too-large", NULL, -1, "the file is larger than %zu bytes", limit);
        status = SP_ERR_MEMORY;
    } else {
        size_t hint = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
        status = read_stream(a, diags, file, hint, limit, bytes, size);
    }
    fclose(file);
    return status;
}

bool img_map_file(const char *path, const uint8_t **bytes, size_t *size)
{
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    void *p = MAP_FAILED;
    if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= SIZE_MAX / 2)
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (p == MAP_FAILED)
        return false;
    *bytes = p;
    *size = (size_t)st.st_size;
    return true;
}

void img_unmap_file(const uint8_t *bytes, size_t size)
{
    munmap((void *)(uintptr_t)bytes, size);
}

const struct img_line *img_line_at(const struct img_kernel *kernel, uint32_t offset)
{
    uint32_t low = 0, high = kernel->line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 ? &kernel->lines[low - 1] : NULL;
}

uint32_t img_ptx_line_at(const struct img_kernel *kernel, uint32_t offset)
{
    uint32_t low = 0, high = kernel->ptx_line_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->ptx_lines[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 ? kernel->ptx_lines[low - 1].line : 0;
}
