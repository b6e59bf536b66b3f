/* What a plan is made from: the files of base, child and new render. */
#ifndef TMPLGEN_PLAN_INPUT_H
#define TMPLGEN_PLAN_INPUT_H

#include "base/err.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct store;

/* The three trees. In a conflict they are the index's stages 1, 2 and 3. */
enum side { BASE, CHILD, RENDER, SIDES };

struct plan_file {
    const char *path;
    struct tree_entry leaf;
    struct span bytes; /* content, where it is at hand; else `ptr` is NULL and the store has it */
    bool nested;       /* of the child only: a child of its own has it, in a folder of this one */
    /* Of renders only: */
    const char *source; /* template file, for pairing; "" or NULL: none */
    enum file_policy policy;
    enum file_merge merge;
};

/* Sorted by path, bytewise, each once, without the record. */
struct plan_list {
    const struct plan_file *files;
    size_t count;
};

struct plan_input {
    struct plan_list side[SIDES];
    bool base_has_rules; /* sources and policies of the base are known */
    const char *const *rename_old, *const *rename_new; /* declared by migrations */
    size_t rename_count;
    const char *const *yours; /* globs of paths that are left alone */
    size_t yours_count;
    const char *const *restore; /* deleted paths to bring back */
    size_t restore_count;
    bool
        any_case; /* the child's disk ignores case: a file keeps its name where only that changes */
    const char *base_label, *render_label; /* "template 1.0.0", "template 1.1.0" */
};

/* The file at `path`, or NULL. */
const struct plan_file *plan_list_find(const struct plan_list *list, const char *path);
/* The same of paths that come in order: `*at`, 0 at first, is where the last one was looked for. */
const struct plan_file *plan_list_next(const struct plan_list *list, size_t *at, const char *path);
/* Index of the first file at or behind `path`. */
size_t plan_list_lower_bound(const struct plan_list *list, const char *path);
/*
 * The tree of the files; content that is at hand is put into the store, since a clone may have
 * none of it.
 */
TG_CHECKED int plan_list_put(struct oid *tree, struct store *store, struct arena *arena,
                             const struct plan_list *list, struct err *err);

#endif
