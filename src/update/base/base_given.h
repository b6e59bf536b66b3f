/* The base that --base names, and its effect on the child's own files. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"

#include <stddef.h>

struct arena;
struct repo;

/* Resolves `name` to a commit; exit 2, "unknown-commit", where there is none. */
TG_CHECKED int base_given_resolve(struct oid *out, const struct repo *repo, const char *name,
                                  struct err *err);

struct base_claim {
    const struct plan_list *given; /* the files of the commit */
    const struct plan_list *child;
    const struct plan_list *render; /* the update's new render */
    const struct plan_list *known;  /* the renders of the template that can be made */
    size_t known_count;
    const struct plan_list *proven; /* the render of the record, where it is known; or NULL */
};

/* The lists of paths are sorted. */
struct base_judgement {
    struct plan_list files; /* the files that count as the template's */
    struct words own;       /* files in no render: they stay the child's */
    struct words deleted;   /* the child's own files that the base, used as it is, would delete */
    struct words undone; /* changes of the child that the base, used as it is, would undo; `files`
                            has these paths from `proven`, where that is known */
};

void base_given_judge(struct base_judgement *out, struct arena *arena,
                      const struct base_claim *claim);
/* "2 files WHOSE ('a', 'b')", at most ten of them by name. */
const char *base_given_list(struct arena *arena, const struct words *list, const char *whose);
