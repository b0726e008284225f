/* sassprobe lab: bytes, the files of the tree, and what becomes of a made one: written, or compared. */
#define _GNU_SOURCE
#include "cmd_lab.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void *lab_need(void *p)
{
    if (!p) {
        cmd_error("lab", "out of memory");
        exit(EXIT_UNREADABLE);
    }
    return p;
}

bool lab_bytes_take(void *user, const char *p, size_t n)
{
    struct lab_bytes *b = user;
    if (b->n + n + 1 > b->capacity) {
        b->capacity = (b->n + n + 1) * 2;
        b->p = lab_need(realloc(b->p, b->capacity));
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
    return true;
}

void lab_bytes_free(struct lab_bytes *b)
{
    free(b->p);
    *b = (struct lab_bytes){0};
}

bool lab_read_file(const char *path, struct lab_bytes *out)
{
    char chunk[16384];
    size_t n;
    FILE *f = fopen(path, "rb");
    *out = (struct lab_bytes){0};
    if (!f)
        return false;
    lab_bytes_take(out, "", 0);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        lab_bytes_take(out, chunk, n);
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

bool lab_write_file(const char *path, const char *p, size_t n)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(p, 1, n, f) == n;
    return fclose(f) == 0 && ok;
}

int lab_complain(const char *path, const char *what)
{
    cmd_error("lab", "%s: %s", path, what);
    return EXIT_UNREADABLE;
}

int lab_deliver(struct lab *lab, const char *path, const struct lab_bytes *made)
{
    struct lab_bytes old;
    bool there = lab_read_file(path, &old);
    bool equal = there && old.n == made->n && memcmp(old.p, made->p, made->n) == 0;
    lab_bytes_free(&old);
    if (equal) {
        lab->same++;
        return EXIT_DONE;
    }
    if (lab->check) {
        lab->different++;
        printf("%s: %s\n", path, there ? "differs from what is made now" : "missing");
        return EXIT_DONE;
    }
    if (!lab_write_file(path, made->p, made->n))
        return lab_complain(path, strerror(errno));
    lab->written++;
    return EXIT_DONE;
}

int lab_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

int lab_list_files(const char *folder, const char *end, char ***out)
{
    int n = 0;
    *out = NULL;
    DIR *top = opendir(folder);
    if (!top)
        return -1;
    for (struct dirent *group; (group = readdir(top));) {
        char path[PATH_MAX];
        if (group->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, group->d_name) >= (int)sizeof path)
            continue;
        DIR *inside = opendir(path);
        if (!inside)
            continue;
        for (struct dirent *file; (file = readdir(inside));) {
            if (!ends_with(file->d_name, end))
                continue;
            char *name = NULL;
            if (asprintf(&name, "%s/%.*s", group->d_name, (int)(strlen(file->d_name) - strlen(end)), file->d_name) < 0)
                lab_need(NULL);
            *out = lab_need(realloc(*out, (size_t)(n + 1) * sizeof **out));
            (*out)[n++] = name;
        }
        closedir(inside);
    }
    closedir(top);
    if (n)
        qsort(*out, (size_t)n, sizeof **out, lab_by_name);
    return n;
}

void lab_free_names(char **names, int n)
{
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}
