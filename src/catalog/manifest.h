/* The manifest of one template: layers, questions, file rules, migrations. */
#pragma once

#include "base/err.h"
#include "base/intern.h"
#include "catalog/manifest/layer.h"
#include "catalog/question.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct catalog;

struct migration {
    const char *from; /* SPEC on the recorded catalog version */
    struct renames {
        const char **old, **new;
        size_t count;
    } rename_answers, rename_files;
    struct words drop_answers;
    const char *note; /* shown in children that it is applied to; or NULL */
    const struct yaml_node *node;
    const char *source; /* the catalog whose versions `from` means */
    size_t depth;       /* levels below the current catalog */
};

struct manifest {
    const char *type;
    const char *kind; /* the type's name for layers: that of the last type that it extends */
    const char *description;
    bool has_stack; /* `stack: framework` */
    struct layer_use *layers;
    size_t layer_count;
    struct layer *inherited; /* files of the types that it extends, lowest first, below `own` */
    size_t inherited_count;
    struct layer own;
    const char *beside; /* path of its one file outside files/, or NULL */
    /*
     * In the order of asking, including those of all layers that the type may use; names are
     * unique, and `name` is always there.
     */
    struct question *questions;
    size_t question_count;
    struct intern question_names; /* from a name to its index in `questions` */
    struct refusal *refusals;
    size_t refusal_count;
    struct migration *migrations;
    size_t migration_count;
    struct words frameworks;        /* supported by the type's files; empty: all of the catalog */
    const char *frameworks_because; /* the reason for that limit; or NULL */
    const char *python;             /* SPEC for the stack's Python, or NULL: any */
    struct words distributions;     /* families of images supported by the files; empty: any */
    struct manifest_text *next;     /* commands to show after `new`, to be run in the child */
    size_t next_count;
};

/* What the files of the type require of a stack. */
struct stack_need manifest_need(const struct manifest *manifest);

/*
 * Reads and checks templates/TYPE/template.yml strictly (docs/catalogs.md). An unknown type is exit
 * 2, "unknown-type", with the nearest names. Lives in the arena.
 */
TG_CHECKED int manifest_load(struct manifest **out, struct arena *arena,
                             const struct catalog *catalog, const char *type, struct err *err);
/*
 * Reads the file rules of a base image: `layers`, `delimiters`, `overrides` and `files` of `root`,
 * for the files below base-images/NAME/files/. Fills in nothing else of `out`.
 */
TG_CHECKED int manifest_read_files(struct manifest *out, struct arena *arena, const char *name,
                                   const struct yaml_node *root, struct err *err);
const struct question *manifest_question(const struct manifest *manifest, const char *name);

/* Whether the migrations can be applied, and make sense. */

/*
 * For the version that a child is made from or updated to: each `from` must be a SPEC, each path of
 * `rename_files` must pass io/path. Exit 2, at the place. Migrations of the version that a child
 * leaves are not checked, because they are not applied again.
 */
TG_CHECKED int migrations_check(struct arena *arena, const struct manifest *manifest,
                                struct err *err);
/*
 * Checks what a released version may break but its author should fix, for `new` and `adopt`: no
 * name is renamed to itself, no two names to the same one, and the new name of an answer is a
 * question, or is renamed or dropped by a later migration. An old name may be a question again, or
 * still: names can be swapped or reused, and a dropped answer may be asked anew.
 */
TG_CHECKED int migrations_check_names(struct arena *arena, const struct manifest *manifest,
                                      struct err *err);

#define UNUSED_QUESTION "unused-question" /* error code */

/*
 * A question that no template, file name, `when`, default, layer or `next` of the type reads is
 * exit 2, at the question. `name` is exempt: it names the child.
 */
TG_CHECKED int manifest_check_use(struct arena *arena, const struct catalog *catalog,
                                  const struct manifest *manifest, struct err *err);
