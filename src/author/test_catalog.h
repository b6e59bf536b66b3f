/* `template test`: every type of a catalog in many combinations, against what it was before. */
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
    const struct catalog *against; /* an older revision of it; NULL: none */
    const char *folder;            /* in which `catalog` lies as it is; NULL: it lies in none */
    struct words types;            /* none: all */
    bool accept;                   /* writes goldens instead of comparing */
    bool check;                    /* runs commands */
};

/* A command of the authors that was run in a child made for it. */
struct child_check {
    struct words command;
    const char *where;  /* the case */
    int status;         /* exit code, or 128 and the number of a signal */
    const char *output; /* of both streams, its last part */
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
    size_t unsafe;                  /* of the cases: left out, since a path of theirs is unsafe */
    const char *unsafe_path;        /* what is said of the first; or NULL */
    struct words unreached;         /* values that no case takes: "NAME=VALUE" */
    size_t compared;                /* with the older revision; others it does not know */
    struct differences differences;
    struct named_result *named;
    size_t named_count;
    struct child_check *checks;
    size_t check_count;
};

struct test_result {
    struct type_result *types;
    size_t count;
    const char *repeat; /* on failure, the command that renders the case at hand; or NULL */
};

/*
 * What is wrong with a catalog is an error; that something differs, or that a command failed, is
 * no failure of this. Everything lives in the arena.
 */
TG_CHECKED int catalog_test(struct test_result *out, struct arena *arena,
                            const struct test_run *testing, struct err *err);
/* Whether all is as it was and every command succeeded. */
bool test_passed(const struct test_result *result);
