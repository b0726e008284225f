/* The spelling of every identifier that reports, JSON, checks and queries use.
 *
 * One table an enumeration, in the enumeration's order (ORDER ROLE, ORDER CLASS … in fact.h); the static
 * assertions catch a missing row, the unit test a row out of place. A value outside its enumeration is a
 * broken invariant. */
#include "facts/fact.h"

#include "base/str.h"

#include <assert.h>
#include <stddef.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const role_text[] = {
    "stack",   "special-register", "parameter", "constant",  "index",         "bounds-check", "early-exit",
    "address", "descriptor",       "load",      "store",     "atomic",        "compute",      "compare",
    "select",  "convert",          "move",      "predicate", "induction",     "loop-test",    "branch",
    "call",    "return",           "exit",      "barrier",   "reconvergence", "shuffle",      "vote",
    "tensor",  "async-copy",       "fence",     "spill",     "refill",        "slow-path",    "padding",
    "dead",    "unknown",
};
static_assert(COUNT(role_text) == FACT_ROLE_UNKNOWN + 1, "one spelling a role");

static const char *const class_text[] = {
    "register-only", "register-accumulator", "shared-materialized", "global-materialized",
    "spilled",       "local-array",          "recomputed",          "input",
    "result",
};
static_assert(COUNT(class_text) == FACT_RESULT + 1, "one spelling a class");

static const char *const where_text[] = {
    "register", "uniform", "predicate", "shared", "global", "local", "constant", "immediate", "tensor",
};
static_assert(COUNT(where_text) == FACT_TENSOR + 1, "one spelling a place");

static const char *const confidence_text[] = {"proved", "assumed", "matched"};
static_assert(COUNT(confidence_text) == FACT_MATCHED + 1, "one spelling a confidence");

static const char *const stage_text[] = {"source", "nvvm", "ptxas", "unknown"};
static_assert(COUNT(stage_text) == FACT_STAGE_UNKNOWN + 1, "one spelling a stage");

static const char *const why_text[] = {"encoding", "semantics", "indirect-branch", "memory"};
static_assert(COUNT(why_text) == FACT_WHY_MEMORY + 1, "one spelling a reason");

static const char *const access_text[] = {"read", "write", "readwrite", "none", "unknown"};
static_assert(COUNT(access_text) == FACT_ACCESS_UNKNOWN + 1, "one spelling an access");

static const char *const phase_text[] = {
    "load", "fill", "map", "reduce", "scan", "fold", "exchange", "finish", "other",
};
static_assert(COUNT(phase_text) == FACT_PHASE_OTHER + 1, "one spelling a phase");

static const char *const sync_text[] = {"own", "barrier", "warp", "warp-assumed", "unsynchronised", "unknown"};
static const char *const coalescing_text[] = {"full", "strided", "broadcast", "scattered", "unknown"};
static_assert(COUNT(coalescing_text) == FACT_COALESCING_UNKNOWN + 1, "one spelling a coalescing");

static const char *const match_text[] = {NULL, "size", "name", "shape"};

static const char *spell(const char *const *table, size_t count, size_t value)
{
    assert(value < count);
    return value < count ? table[value] : "unknown";
}

const char *fact_role_text(enum fact_role v)
{
    return spell(role_text, COUNT(role_text), v);
}

const char *fact_class_text(enum fact_class v)
{
    return spell(class_text, COUNT(class_text), v);
}

const char *fact_where_text(enum fact_where v)
{
    return spell(where_text, COUNT(where_text), v);
}

const char *fact_confidence_text(enum fact_confidence v)
{
    return spell(confidence_text, COUNT(confidence_text), v);
}

const char *fact_stage_text(enum fact_stage v)
{
    return spell(stage_text, COUNT(stage_text), v);
}

const char *fact_why_text(enum fact_unknown_why v)
{
    return spell(why_text, COUNT(why_text), v);
}

const char *fact_access_text(enum fact_access_mode v)
{
    return spell(access_text, COUNT(access_text), v);
}

const char *fact_phase_text(enum fact_phase_kind v)
{
    return spell(phase_text, COUNT(phase_text), v);
}

const char *fact_coalescing_text(enum fact_coalescing v)
{
    return spell(coalescing_text, COUNT(coalescing_text), v);
}

const char *fact_sync_text(enum fact_sync v)
{
    return spell(sync_text, COUNT(sync_text), v);
}

const char *fact_match_text(enum fact_match v)
{
    return v < COUNT(match_text) ? match_text[v] : NULL;
}

int fact_role_find(const char *text)
{
    for (size_t i = 0; i < COUNT(role_text); i++)
        if (str_equal(role_text[i], text))
            return (int)i;
    return -1;
}
