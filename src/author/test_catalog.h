/* `template test`: renders every type of a catalog in many combinations, and compares. */
#pragma once

#include "author/differences.h"
#include "author/test/named_cases.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct catalog;

struct test_run {
    const struct catalog *catalog;
    const struct catalog *against; /* an older revision to compare with; NULL: none */
    const char *folder; /* the folder of `catalog`, as it lies there; NULL: it has none */
    struct words types; /* none: all */
    bool accept;        /* writes goldens instead of comparing */
    bool check;         /* runs commands */
};

/* The run of an author's command in a child made for it. */
struct child_check {
    struct words command;
    const char *where;  /* the case */
    int status;         /* exit code, or 128 and the number of a signal */
    const char *output; /* the last part of both streams */
};

enum golden_state { GOLDEN_SAME, GOLDEN_DIFFERS, GOLDEN_MISSING, GOLDEN_ACCEPTED, GOLDEN_STATES };
extern const char *const golden_state_names[GOLDEN_STATES];

struct named_result {
    const char *name;
    enum golden_state state;
    struct differences differences;
};

struct type_result {
    const char *type;
    size_t cases, pairs, ruled_out; /* pairwise ones */
    size_t unsafe;                  /* cases that are left out because of an unsafe path */
    const char *unsafe_path;        /* the message for the first one; or NULL */
    struct words unreached;         /* values that no case has: "NAME=VALUE" */
    size_t compared;                /* cases that the older revision has, too */
    struct differences differences;
    struct named_result *named;
    size_t named_count;
    struct child_check *checks;
    size_t check_count;
};

struct test_result {
    struct type_result *types;
    size_t count;
    const char *repeat; /* on failure, the command that renders the present case; or NULL */
};

/*
 * A mistake in the catalog is an error; a difference, or a command that failed, is not. Everything
 * lives in the arena.
 */
TG_CHECKED int catalog_test(struct test_result *out, struct arena *arena,
                            const struct test_run *testing, struct err *err);
/* True where nothing differs and every command succeeded. */
bool test_passed(const struct test_result *result);
