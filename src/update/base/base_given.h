/* The base that --base names: what it would do to the child's own files. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stddef.h>

struct arena;
struct repo;

/* The commit that `name` means; exit 2, "unknown-commit", where there is none. */
TG_CHECKED int base_given_resolve(struct oid *out, const struct repo *repo, const char *name,
                                  struct err *err);

struct base_claim {
    const struct plan_list *given; /* the files of the commit */
    const struct plan_list *child;
    const struct plan_list *render; /* where the update goes */
    const struct plan_list *known;  /* renders of the template, as many as can be made */
    size_t known_count;
    const struct plan_list *proven; /* the render of the record, where it is known; or NULL */
};

/* Lists of paths are sorted. */
struct base_judgement {
    struct plan_list files; /* those that count as the template's */
    struct words own;       /* in no render: they stay the child's */
    struct words deleted;   /* the child's own, which the base as it is would delete */
    struct words undone;    /* the base as it is would undo the child's changes; `files` has them
                               from `proven`, where that is known */
};

void base_given_judge(struct base_judgement *out, struct arena *arena,
                      const struct base_claim *claim);
/* "2 files WHOSE ('a', 'b')", at most ten of them by name. */
const char *base_given_list(struct arena *arena, const struct words *list, const char *whose);
