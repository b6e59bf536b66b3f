/* What the manifests of one template say: layers, questions, file rules, migrations. */
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
    const char *note; /* for the people of a child that it is applied to; or NULL */
    const struct yaml_node *node;
    const char *source; /* of the catalog whose versions `from` means */
    size_t depth;       /* how many below the catalog at hand that one is */
};

struct manifest {
    const char *type;
    const char *kind; /* what layers know the type as: the type that it extends, and so on */
    const char *description;
    bool has_stack; /* `stack: framework` */
    struct layer_use *layers;
    size_t layer_count;
    struct layer *inherited; /* files of types that it extends: below `own`, the lowest first */
    size_t inherited_count;
    struct layer own;
    const char *beside; /* path of a file of its own that is not below files/, or NULL */
    /*
     * In the order in which they are asked, those of all layers that the type may take among them,
     * each name once; `name` is always there.
     */
    struct question *questions;
    size_t question_count;
    struct intern question_names; /* each with the number of its question */
    struct refusal *refusals;
    size_t refusal_count;
    struct migration *migrations;
    size_t migration_count;
    struct words frameworks; /* that the type has files for; none listed: any of the catalog */
    const char *frameworks_because; /* why no others; or NULL */
    const char *python;             /* SPEC that the stack's Python must meet, or NULL: any */
    struct words distributions;     /* families of images that the files are for; none: any */
    struct manifest_text *next;     /* commands to show after `new`, to be run in the child */
    size_t next_count;
};

/* What a stack must have for the files of the type. */
struct stack_need manifest_need(const struct manifest *manifest);

/*
 * Reads and checks templates/TYPE/template.yml strictly (docs/catalogs.md). An unknown type: exit
 * 2, "unknown-type", with the nearest names. Lives in the arena.
 */
TG_CHECKED int manifest_load(struct manifest **out, struct arena *arena,
                             const struct catalog *catalog, const char *type, struct err *err);
/*
 * Which files there are of a base image: `layers`, `delimiters`, `overrides` and `files` of `root`,
 * for the files below base-images/NAME/files/. Nothing else of `out` is filled.
 */
TG_CHECKED int manifest_read_files(struct manifest *out, struct arena *arena, const char *name,
                                   const struct yaml_node *root, struct err *err);
const struct question *manifest_question(const struct manifest *manifest, const char *name);

/* Whether the migrations can be applied, and make sense. */

/*
 * Of a version that a child goes to, or is made from: each `from` is a SPEC, each path of
 * `rename_files` passes the one door (io/path). Exit 2, at the place. What a child was made from
 * is not asked: nothing of its migrations is applied again.
 */
TG_CHECKED int migrations_check(struct arena *arena, const struct manifest *manifest,
                                struct err *err);
/*
 * What only its author can mend, and what a version that is released may have: `new` and `adopt`
 * ask. No name becomes itself, no two become one, and what an answer is renamed to is a question,
 * or renamed on or dropped by a later migration. That a question of an old name is there again, or
 * still is, is right: names can be swapped, come back, and an answer that is dropped be asked anew.
 */
TG_CHECKED int migrations_check_names(struct arena *arena, const struct manifest *manifest,
                                      struct err *err);

#define UNUSED_QUESTION "unused-question" /* the code of the error */

/*
 * A question that no template, file name, `when`, default, layer or `next` of the type reads is an
 * error: exit 2, at the question. `name` is exempt: it names the child.
 */
TG_CHECKED int manifest_check_use(struct arena *arena, const struct catalog *catalog,
                                  const struct manifest *manifest, struct err *err);
