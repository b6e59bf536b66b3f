/* The cases that a catalog's authors keep under tests/: answers, and their renders. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct fileset;
struct making;
struct render;
struct yaml_node;

/*
 *   tests/TYPE/test.yml             samples, files, check; optional
 *   tests/TYPE/NAME/answers.yml     as --answers takes it
 *   tests/TYPE/NAME/golden/...      what it renders to
 */
struct named_case {
    const char *type, *name;
    const char *folder; /* "tests/service/small" */
};

struct type_test {
    const struct yaml_node *samples; /* by question: the values for pairwise cases; or NULL */
    struct words files;              /* globs of the files in goldens; none: all */
    struct words *checks;            /* commands to run in each case */
    size_t check_count;
};

struct named_cases {
    const char *catalog;         /* the folder of the catalog */
    const struct fileset *files; /* NULL: there is no tests/; freed by catalog_folder_files_free */
    struct named_case *items;    /* sorted by type and name */
    size_t count;
};

/*
 * Finds the cases of the catalog in `folder`, whose types are given. A case of a type that does not
 * exist: exit 2, "unknown-type". Ignores other files in tests/.
 */
TG_CHECKED int named_cases_open(struct named_cases *out, struct arena *arena, const char *folder,
                                const char *const *types, size_t type_count, struct err *err);

/* Reads tests/TYPE/test.yml; empty where there is none. */
TG_CHECKED int named_cases_type(struct type_test *out, struct arena *arena,
                                const struct named_cases *cases, const char *type, struct err *err);

/* Renders a case of a making that has its type. */
TG_CHECKED int named_case_render(struct making *out, struct arena *arena,
                                 const struct named_cases *cases, const struct named_case *one,
                                 const struct making *type, struct err *err);
/* The part of a render that goldens have. */
struct render named_case_kept(struct arena *arena, const struct render *render,
                              const struct type_test *test);
/* Reads its golden as a render; `*found` is false where it has none. */
TG_CHECKED int named_case_golden(struct render *out, bool *found, struct arena *arena,
                                 const struct named_cases *cases, const struct named_case *one,
                                 struct err *err);
/* Makes the render its golden, and replaces the old one: all of it or nothing. */
TG_CHECKED int named_case_accept(const struct named_cases *cases, const struct named_case *one,
                                 const struct render *render, struct err *err);
