/* A base that somebody names: what it would do to the child's own files. */
#ifndef TMPLGEN_BASE_GIVEN_H
#define TMPLGEN_BASE_GIVEN_H

#include "base/err.h"
#include "plan/plan_input.h"

#include <stddef.h>

struct arena;
struct repo;

/* The commit that `name` stands for: exit 2, "unknown-commit", where there is none. */
TG_CHECKED int base_given_resolve(struct oid *out, const struct repo *repo, const char *name,
                                  struct err *err);

struct base_claim {
    const struct plan_list *given; /* the files of the commit */
    const struct plan_list *child;
    const struct plan_list *render;       /* where the update goes */
    const struct plan_list *const *known; /* renders of the template, as many as can be made */
    size_t known_count;
    const struct plan_list
        *proven; /* what the record says, where that is known after all; or NULL */
};

/* Paths, sorted. */
struct path_list {
    const char **paths;
    size_t count;
};

struct base_judgement {
    struct plan_list files;   /* what of it may count as the template's */
    struct path_list own;     /* in no render: stay the child's */
    struct path_list deleted; /* taken as it is, the base would delete these of the child's own, */
    struct path_list undone;  /* and replace what the child had made of these by then: in `files`
                                 they are as `proven` has them, if that is known */
};

void base_given_judge(struct base_judgement *out, struct arena *arena,
                      const struct base_claim *claim);
/* "2 files WHOSE ('a', 'b')", at most ten of them by name. */
const char *base_given_list(struct arena *arena, const struct path_list *list, const char *whose);

#endif
