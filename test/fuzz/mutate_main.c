/* Runs a fuzz target on damaged cubins, always the same ones: mutate COUNT FILE-OR-FOLDER...
 *
 * Each input is one of the files with one to four kinds of damage. Half of it is blind (cut short, bits flipped, a run
 * of bytes overwritten); the other half knows ELF and aims at what a reader is tempted to trust: counts, offsets and
 * sizes of the section table, links between sections, lengths in .nv.info, indices in relocations and symbols, names
 * that are hard to demangle, opcodes of line programs, branch targets; in files that hold modules, headers of fatbins
 * and their entries. A crash or a sanitizer's finding ends the
 * program; so does an input that takes longer than LIMIT seconds. The number of that input is printed: mutate COUNT
 * --only NUMBER FILE... --part K OF: every OF-th input from the K-th on, to share the work out. */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 20, MAX_FILES = 4096 };

struct file {
    char *path;
    uint8_t *bytes;
    size_t size;
};
static struct file files[MAX_FILES];
static int n_files;

/* ---- a small generator of numbers, the same everywhere ---- */

static uint64_t state;

static uint64_t next_number(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t n)
{
    return n ? (size_t)(next_number() % n) : 0;
}

/* Numbers that break readers: limits, neighbours of what stood there, and any number. */
static uint64_t nasty(uint64_t old, size_t size)
{
    static const uint64_t edges[] = {
        0,         1,         2,      3,      7,      8,       15,         16,          0x7f,        0x80,
        0xff,      0x100,     0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000u, 0xffffffffu, 0x100000000u,
        INT64_MAX, UINT64_MAX};
    switch (below(6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old * 2;
    case 3: return size - below(32);
    case 4: return edges[below(sizeof edges / sizeof *edges)];
    default: return next_number() >> below(64);
    }
}

static void write_nasty(uint8_t *p, size_t width, size_t size)
{
    uint64_t old = 0;
    memcpy(&old, p, width);
    uint64_t value = nasty(old, size);
    memcpy(p, &value, width);
}

/* ---- damage that knows ELF ---- */

static bool section_at(const uint8_t *d, size_t size, size_t index, Elf64_Shdr *out)
{
    Elf64_Ehdr e;
    if (size < sizeof e)
        return false;
    memcpy(&e, d, sizeof e);
    if (e.e_shoff > size || index >= e.e_shnum || (size - e.e_shoff) / sizeof *out <= index)
        return false;
    memcpy(out, d + e.e_shoff + index * sizeof *out, sizeof *out);
    return true;
}

/* A section whose bytes are in the file and whose name holds `part`. */
static bool find_section(const uint8_t *d, size_t size, const char *part, Elf64_Shdr *out)
{
    Elf64_Ehdr e;
    Elf64_Shdr names;
    if (size < sizeof e)
        return false;
    memcpy(&e, d, sizeof e);
    if (!section_at(d, size, e.e_shstrndx, &names) || names.sh_offset > size || names.sh_size > size - names.sh_offset)
        return false;
    size_t start = below(e.e_shnum);
    for (size_t i = 0; i < e.e_shnum; i++) {
        if (!section_at(d, size, (start + i) % e.e_shnum, out) || out->sh_name >= names.sh_size)
            continue;
        const char *name = (const char *)d + names.sh_offset + out->sh_name;
        size_t room = names.sh_size - out->sh_name;
        if (memmem(name, strnlen(name, room), part, strlen(part)) && out->sh_type != SHT_NOBITS && out->sh_size > 0 &&
            out->sh_offset <= size && out->sh_size <= size - out->sh_offset)
            return true;
    }
    return false;
}

static void damage_header(uint8_t *d, size_t size)
{
    static const struct {
        size_t at, width;
    } fields[] = {{4, 1},  {5, 1},  {7, 1},  {8, 1},  {16, 2}, {18, 2}, {20, 4}, {32, 8},
                  {40, 8}, {48, 4}, {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}};
    size_t i = below(sizeof fields / sizeof *fields);
    if (size >= sizeof(Elf64_Ehdr))
        write_nasty(d + fields[i].at, fields[i].width, size);
}

static void damage_section_table(uint8_t *d, size_t size)
{
    static const uint8_t offsets[] = {0, 4, 8, 24, 32, 40, 44, 56};
    static const uint8_t widths[] = {4, 4, 8, 8, 8, 4, 4, 8};
    Elf64_Ehdr e;
    Elf64_Shdr s;
    if (size < sizeof e)
        return;
    memcpy(&e, d, sizeof e);
    size_t index = below(e.e_shnum), field = below(sizeof offsets);
    if (section_at(d, size, index, &s))
        write_nasty(d + e.e_shoff + index * sizeof s + offsets[field], widths[field], size);
}

/* Overwrites 1, 2, 4 or 8 bytes at a multiple of `step` inside a section of that name. */
static void damage_section(uint8_t *d, size_t size, const char *part, size_t step)
{
    Elf64_Shdr s;
    if (!find_section(d, size, part, &s))
        return;
    size_t width = (size_t)1 << below(4), at = below(s.sh_size / step) * step;
    if (at + width <= s.sh_size)
        write_nasty(d + s.sh_offset + at, width, s.sh_size);
}

/* A symbol's name becomes something a demangler chokes on; it may run over the names behind it. */
static void damage_names(uint8_t *d, size_t size)
{
    static const char *const bombs[] = {"_Z",     "_ZN",           "_Z1",         "_Z999999999", "_ZNNNNNNNNNNNNNNNN",
                                        "_Z1fIJ", "_ZL1fS_S_S_S_", "_Z1fPPPPPPPP"};
    Elf64_Shdr s;
    if (!find_section(d, size, ".strtab", &s))
        return;
    const char *bomb = bombs[below(sizeof bombs / sizeof *bombs)];
    size_t at = below(s.sh_size), room = s.sh_size - at, length = strlen(bomb);
    memcpy(d + s.sh_offset + at, bomb, length < room ? length : room);
    for (size_t i = length; i < room && i < 600 && below(40); i++)
        d[s.sh_offset + at + i] = (uint8_t) "NISPKT_0E1f"[below(11)];
}

/* One field of an instruction: its opcode, its immediate or target, its predicates, its control word. */
static void damage_code(uint8_t *d, size_t size)
{
    Elf64_Shdr s;
    if (!find_section(d, size, ".text", &s) || s.sh_size < 16)
        return;
    uint8_t *word = d + s.sh_offset + below(s.sh_size / 16) * 16;
    switch (below(4)) {
    case 0: write_nasty(word, 2, 4096); break;
    case 1: write_nasty(word + 4, 4, s.sh_size); break;
    case 2: word[below(16)] ^= (uint8_t)(1u << below(8)); break;
    default: memcpy(word, d + s.sh_offset + below(s.sh_size / 16) * 16, 16); break;
    }
}

/* A number in the header of a fatbin, of one of its entries, or of an archive's member. False: there is none. */
static bool damage_container(uint8_t *d, size_t size)
{
    static const uint8_t magic[8] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    static const struct {
        size_t at, width;
    } header[] = {{0, 4}, {4, 2}, {6, 2}, {8, 8}},
      entry[] = {{0, 2}, {4, 4}, {8, 8}, {16, 4}, {20, 4}, {28, 4}, {32, 4}, {36, 4}, {40, 8}, {56, 8}};
    uint8_t *fatbin = memmem(d, size, magic, sizeof magic);
    if (!fatbin)
        return false;
    for (size_t skip = below(3); skip--;) {
        size_t from = (size_t)(fatbin - d) + sizeof magic;
        uint8_t *next = memmem(d + from, size - from, magic, sizeof magic);
        fatbin = next ? next : fatbin;
    }
    size_t at = (size_t)(fatbin - d);
    if (below(4) == 0) {
        size_t i = below(sizeof header / sizeof *header);
        if (at + 16 <= size)
            write_nasty(d + at + header[i].at, header[i].width, size);
        return true;
    }
    at += 16;
    for (size_t skip = below(4); skip-- && at + 64 <= size;) {
        uint64_t payload;
        uint32_t bytes;
        memcpy(&bytes, d + at + 4, sizeof bytes);
        memcpy(&payload, d + at + 8, sizeof payload);
        if (payload > size || bytes > size || at + bytes + payload + 64 > size)
            break;
        at += bytes + (size_t)payload;
    }
    size_t i = below(sizeof entry / sizeof *entry);
    if (at + 64 <= size)
        write_nasty(d + at + entry[i].at, entry[i].width, size);
    return true;
}

static size_t damage(uint8_t *d, size_t size)
{
    switch (below(16)) {
    case 0: return below(size + 1);
    case 1: return size - below(size < 64 ? size : 64);
    case 2:
    case 3:
    case 4:
        for (size_t flips = 1 + below(16); flips-- && size;)
            d[below(size)] ^= (uint8_t)(1u << below(8));
        break;
    case 5: {
        size_t at = below(size), n = below(64);
        for (size_t i = at; i < size && i < at + n; i++)
            d[i] = (uint8_t)next_number();
        break;
    }
    case 6: damage_header(d, size); break;
    case 7:
    case 8: damage_section_table(d, size); break;
    case 9: damage_section(d, size, ".nv.info", 1); break;
    case 10: damage_section(d, size, ".rel", 4); break;
    case 11: damage_section(d, size, ".symtab", 4); break;
    case 12: damage_section(d, size, "debug_line", 1); break;
    case 13: damage_names(d, size); break;
    default: damage_code(d, size); break;
    }
    return size;
}

/* ---- the run ---- */

static void add_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        exit(1);
    }
    if (S_ISDIR(st.st_mode)) {
        struct dirent **entries;
        int n = scandir(path, &entries, NULL, alphasort);
        for (int i = 0; i < n; i++) {
            char child[4096];
            if (entries[i]->d_name[0] != '.' &&
                snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name) < (int)sizeof child)
                add_path(child);
            free(entries[i]);
        }
        if (n >= 0)
            free(entries);
        return;
    }
    struct file *f = &files[n_files];
    FILE *in = fopen(path, "rb");
    if (n_files == MAX_FILES || !in || !(f->bytes = malloc((size_t)st.st_size + 1))) {
        fprintf(stderr, "%s: cannot be taken\n", path);
        exit(1);
    }
    f->path = strdup(path);
    f->size = fread(f->bytes, 1, (size_t)st.st_size, in);
    fclose(in);
    n_files++;
}

static volatile long running; /* the number of the input at work, for say_which() */

/* Where a run ends badly: what to run again. The sanitizers end in SIGABRT too, see below. */
static void say_which(int signal_number)
{
    char line[96];
    int n = snprintf(line, sizeof line, "%s on input %ld: run again with --only %ld\n",
                     signal_number == SIGALRM ? "too slow" : "failed", running, running);
    if (write(STDERR_FILENO, line, (size_t)n) == n)
        _exit(1);
    _exit(2);
}

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}
const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

static void run_one(long number)
{
    running = number;
    state = 0x5a55u + (uint64_t)number * 0x2545f4914f6cdd1du;
    const struct file *f = &files[below((size_t)n_files)];
    uint8_t *work = malloc(f->size + 1);
    size_t size = f->size;
    if (!work)
        exit(1);
    memcpy(work, f->bytes, size);
    bool holds_modules = memmem(work, size, "\x50\xed\x55\xba", 4) != NULL;
    for (size_t times = 1 + below(4); times--;)
        if (!holds_modules || below(2) || !damage_container(work, size))
            size = damage(work, size);
    /* Exactly as large as the input, so that a sanitizer sees a read past its end. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        exit(1);
    memcpy(exact, work, size);
    free(work);
    alarm(LIMIT);
    LLVMFuzzerTestOneInput(exact, size);
    alarm(0);
    free(exact);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 0) : 0, only = -1, part = 0, parts = 1, done = 0;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = strtol(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--part") == 0 && i + 2 < argc) {
            part = strtol(argv[++i], NULL, 0);
            parts = strtol(argv[++i], NULL, 0);
        } else
            add_path(argv[i]);
    }
    if (count <= 0 || n_files == 0 || parts < 1) {
        fprintf(stderr, "usage: %s COUNT [--only N] [--part K OF] FILE-OR-FOLDER...\n", argv[0]);
        return 2;
    }
    signal(SIGABRT, say_which);
    signal(SIGALRM, say_which);
    for (long i = 0; i < count; i++) {
        if (only >= 0 ? i == only : i % parts == part) {
            run_one(i);
            done++;
        }
    }
    printf("%s: %ld damaged inputs made of %d files: no crash, no hang\n", argv[0], done, n_files);
    for (int i = 0; i < n_files; i++) {
        free(files[i].path);
        free(files[i].bytes);
    }
    return 0;
}
