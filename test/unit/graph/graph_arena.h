/* Test support: one arena a file, made before each test and freed after it. */
#ifndef SP_TEST_GRAPH_ARENA_H
#define SP_TEST_GRAPH_ARENA_H

#include "base/arena.h"

static struct arena arena;

static int make_arena(void **state)
{
    arena_init(&arena, 0);
    *state = &arena;
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

#endif
