/* The pages of patterns/ as they were at build time, so that the command needs no files. Made by tools/embed.c. */
#include "pattern/pat.h"

static const struct pat_page_text pages[] = {
#include "pat_pages.inc"
};

const struct pat_page_text *pat_embedded_pages(size_t *count)
{
    *count = sizeof pages / sizeof pages[0];
    return pages;
}
