/* What the manifests of one template say: layers, questions, file rules, migrations. */
#ifndef TMPLGEN_CATALOG_MANIFEST_H
#define TMPLGEN_CATALOG_MANIFEST_H

#include "base/err.h"
#include "base/intern.h"
#include "catalog/policy.h"
#include "resolver/request.h"
#include "template/template.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog;
struct fileset;
struct yaml_node;

enum question_type {
    QUESTION_STR,
    QUESTION_INT,
    QUESTION_FLOAT,
    QUESTION_BOOL,
    QUESTION_CHOICE,
    QUESTION_LIST,
    QUESTION_TYPE_COUNT
};

/* A text of a manifest that is a template or an expression, with its place for messages. */
struct manifest_text {
    const char *text; /* NULL: absent */
    const struct yaml_node *node;
};

struct question {
    const char *name;
    enum question_type type;
    struct manifest_text help;        /* rendered from earlier answers */
    const struct yaml_node *fallback; /* `default`; NULL: an answer is required */
    const struct yaml_node *choices;  /* list of texts, or a text that renders to one a line */
    const char *pattern;              /* extended regular expression, whole answer; or NULL */
    struct manifest_text when;
    const struct yaml_node *node;
};

enum file_merge { MERGE_TEXT, MERGE_LINES, MERGE_COUNT };

/* A row of `files`. Its policy is for that path, whichever layer the file is of. */
struct file_rule {
    const char *glob;          /* on rendered paths */
    struct manifest_text when; /* false: the layer's own files of such paths are not there */
    bool has_policy, has_merge;
    enum file_policy policy;
    enum file_merge merge;
};

struct delimiter_rule {
    const char *glob; /* on paths below files/, as they stand in the catalog */
    enum template_delimiters delimiters;
};

/* One folder of files with its rules: a layer of templates/_layers, or the type's own. */
struct layer {
    const char *name;   /* "docker"; the type's own: its type */
    const char *folder; /* "templates/_layers/docker/files/" */
    const char **overrides;
    size_t override_count;
    struct delimiter_rule *delimiters;
    size_t delimiter_count;
    struct file_rule *rules;
    size_t rule_count;
};

struct layer_use {
    struct manifest_text name; /* a template: may name the framework */
    struct manifest_text when;
    const char **overrides;
    size_t override_count;
};

/* Answers that do not go together. */
struct refusal {
    struct manifest_text when;
    struct manifest_text because; /* the reason, rendered from the answers */
};

struct migration {
    const char *from; /* SPEC on the recorded catalog version */
    struct {
        const char **old, **new;
        size_t count;
    } rename_answers, rename_files;
    const char **drop_answers;
    size_t drop_count;
    const char *note; /* for the people of a child that it is applied to; or NULL */
    const struct yaml_node *node;
};

struct manifest {
    const char *type;
    const char *description;
    bool has_stack; /* `stack: framework` */
    struct layer_use *layers;
    size_t layer_count;
    struct layer own;
    const char *beside;         /* path of a file of its own that is not below files/, or NULL */
    struct question *questions; /* in the order in which they are asked; `name` is among them */
    size_t question_count;
    struct intern question_names; /* each with the number of its question */
    struct refusal *refusals;
    size_t refusal_count;
    struct migration *migrations;
    size_t migration_count;
    const char **frameworks; /* that the type has files for; none listed: any of the catalog */
    const char *frameworks_because; /* why no others; or NULL */
    size_t framework_count;
    const char *python;         /* SPEC that the stack's Python must meet, or NULL: any */
    struct words distributions; /* families of images that the files are for; none: any */
    struct manifest_text *next; /* commands to show after `new`, to be run in the child */
    size_t next_count;
};

/* What a stack must have for the files of the type. */
struct stack_need manifest_need(const struct manifest *manifest);

extern const char *const question_type_names[QUESTION_TYPE_COUNT];
extern const char *const file_merge_names[MERGE_COUNT];

/*
 * Reads and checks templates/TYPE/template.yml as strictly as DESIGN 4 says. An unknown type: exit
 * 2, "unknown-type", with the nearest names. Lives in the arena.
 */
TG_CHECKED int manifest_load(struct manifest **out, struct arena *arena,
                             const struct catalog *catalog, const char *type, struct err *err);
/*
 * Which files there are, of any manifest: `layers`, `delimiters`, `overrides` and `files` of
 * `root`, for the files below FOLDER/NAME/files/. Nothing else of `out` is filled.
 */
TG_CHECKED int manifest_read_files(struct manifest *out, struct arena *arena, const char *folder,
                                   const char *name, const struct yaml_node *root, struct err *err);
/* Reads templates/_layers/NAME/layer.yml. */
TG_CHECKED int layer_load(struct layer *out, struct arena *arena, const struct fileset *files,
                          const char *name, struct err *err);
/* The delimiters of a file by its path below the layer's folder: the last rule that matches. */
enum template_delimiters layer_delimiters(const struct layer *layer, const char *below);
const struct question *manifest_question(const struct manifest *manifest, const char *name);

#endif
