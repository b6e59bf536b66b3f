/* The cases that a catalog's authors keep under tests/: answers, and what they render to. */
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
    const struct yaml_node *samples; /* by question: what pairwise cases try; or NULL */
    struct words files;              /* globs of what goldens hold; none: all */
    struct words *checks;            /* commands to be run in each case */
    size_t check_count;
};

struct named_cases {
    const char *catalog;         /* the folder that they lie in */
    const struct fileset *files; /* NULL: there is no tests/; for catalog_folder_files_free */
    struct named_case *items;    /* sorted by type and name */
    size_t count;
};

/*
 * Those of the catalog in `folder`, whose types are given; one of a type that is not there: exit 2,
 * "unknown-type". Whatever else lies in tests/ is not looked at.
 */
TG_CHECKED int named_cases_open(struct named_cases *out, struct arena *arena, const char *folder,
                                const char *const *types, size_t type_count, struct err *err);

/* What tests/TYPE/test.yml says; nothing where there is none. */
TG_CHECKED int named_cases_type(struct type_test *out, struct arena *arena,
                                const struct named_cases *cases, const char *type, struct err *err);

/* Renders a case of a making that has its type. */
TG_CHECKED int named_case_render(struct making *out, struct arena *arena,
                                 const struct named_cases *cases, const struct named_case *one,
                                 const struct making *type, struct err *err);
/* What goldens hold of a render. */
struct render named_case_kept(struct arena *arena, const struct render *render,
                              const struct type_test *test);
/* Its golden, as if it had been rendered; `*found` is false where it has none. */
TG_CHECKED int named_case_golden(struct render *out, bool *found, struct arena *arena,
                                 const struct named_cases *cases, const struct named_case *one,
                                 struct err *err);
/* Makes that of a case of it, in the place of what there is: all of it or nothing. */
TG_CHECKED int named_case_accept(const struct named_cases *cases, const struct named_case *one,
                                 const struct render *render, struct err *err);
