/* Runs a fuzz target on files without a fuzzer: each argument is a file, or a folder whose files are all run. So what a
 * fuzzer once found stays a plain test. `--part K N` first: every N-th file from the K-th on, so that several processes
 * share the work. Prints how many inputs ran; a crash is the failure. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_path(const char *path, long *count);

static unsigned long part, parts = 1, seen;

static int run_folder(const char *path, long *count)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0) {
        perror(path);
        return 1;
    }
    int status = 0;
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            char child[4096];
            int length = snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
            if (length > 0 && (size_t)length < sizeof child)
                status |= run_path(child, count);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int run_file(const char *path, size_t size, long *count)
{
    if (seen++ % parts != part)
        return 0;
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    /* Exactly as large as the input, so that a sanitizer sees a read past its end. */
    uint8_t *data = malloc(size ? size : 1);
    size_t got = data ? fread(data, 1, size, f) : 0;
    fclose(f);
    if (data && got == size) {
        LLVMFuzzerTestOneInput(data, size);
        ++*count;
    }
    free(data);
    return got != size;
}

static int run_path(const char *path, long *count)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        perror(path);
        return 1;
    }
    return S_ISDIR(st.st_mode) ? run_folder(path, count) : run_file(path, (size_t)st.st_size, count);
}

int main(int argc, char **argv)
{
    long count = 0;
    int status = 0, first = 1;
    if (argc > 4 && strcmp(argv[1], "--part") == 0) {
        part = strtoul(argv[2], NULL, 10);
        parts = strtoul(argv[3], NULL, 10);
        first = 4;
    }
    if (!parts)
        return 2;
    for (int i = first; i < argc; i++)
        status |= run_path(argv[i], &count);
    printf("%s: %ld inputs\n", argv[0], count);
    return status || count == 0;
}
