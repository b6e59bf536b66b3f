/* Layers: folders of files with their rules, and the questions that they bring. */
#pragma once

#include "base/err.h"
#include "catalog/manifest/manifest_reader.h"
#include "catalog/question.h"
#include "jinja/template.h"

#include <stdbool.h>
#include <stddef.h>

struct fileset;
struct yaml_doc;

enum file_policy { POLICY_MERGE, POLICY_SEED, POLICY_MANAGED, POLICY_COUNT };

/* A further policy needs a row here and a name; new behaviour needs a new member. */
struct policy {
    bool leaves_alone;     /* a file that exists, or once existed, is the user's */
    const char *conflicts; /* why a cleanly merged file still conflicts if both sides changed it;
                              NULL: it does not */
};

enum file_merge { MERGE_TEXT, MERGE_LINES, MERGE_COUNT };

/* A row of `files`. Its policy applies to matching paths of all layers. */
struct file_rule {
    const char *glob;          /* matches rendered paths */
    struct manifest_text when; /* false: the layer's own files of such paths are not there */
    bool has_policy, has_merge;
    enum file_policy policy;
    enum file_merge merge;
};

struct delimiter_rule {
    const char *glob; /* matches catalog paths below files/ */
    enum template_delimiters delimiters;
};

/* Answers that exclude each other. */
struct refusal {
    struct manifest_text when;
    struct manifest_text because; /* the reason, a template on the answers */
    bool no_row;                  /* it is rows of the matrix that rule it out: exit 4 */
    const char *layer;            /* applies only if this layer is used; NULL for a type */
    const struct layer_use *use;
};

/* One folder of files with its rules: a layer of templates/_layers, or the type's own. */
struct layer {
    const char *name;   /* "docker"; for the type's own folder, the type */
    const char *folder; /* "templates/_layers/docker/files/" */
    struct words overrides;
    struct delimiter_rule *delimiters;
    size_t delimiter_count;
    struct file_rule *rules;
    size_t rule_count;
    struct question *questions; /* of a layer: added to every type that uses it */
    size_t question_count;
    struct refusal *refusals; /* like `questions` */
    size_t refusal_count;
};

struct layer_use {
    struct manifest_text name; /* a template: may name the framework */
    struct manifest_text when;
    struct words overrides;
};

extern const struct policy file_policies[POLICY_COUNT];
/* Names of policies in manifests and reports. */
extern const char *const file_policy_names[POLICY_COUNT];
extern const char *const file_merge_names[MERGE_COUNT];

/* Reads templates/_layers/NAME/layer.yml. */
TG_CHECKED int layer_load(struct layer *out, struct arena *arena, const struct fileset *files,
                          const char *name, struct err *err);
/* The name in a row of `layers`; of a template, its fixed beginning and the '{' behind that. */
struct span layer_key(const struct layer_use *use);
/*
 * The layers that a row of `layers` may mean, sorted: the one with its name, or for a template all
 * that start with its fixed beginning, so that rows with the same key have the same. Empty if there
 * is no such layer.
 */
size_t layer_candidates(const char ***names, struct arena *arena, const struct fileset *files,
                        const struct layer_use *use);
/* The names of all layers of the catalog, sorted. */
size_t layer_names(const char ***names, struct arena *arena, const struct fileset *files);
/* The delimiters of a file by its path below the layer's folder: the last rule that matches. */
enum template_delimiters layer_delimiters(const struct layer *layer, const char *below);

/* Shared with manifests of types. */

/* Checks the number of rows in a list that is searched for each file. */
TG_CHECKED int layer_check_count(const struct reader *reader, const struct yaml_node *node,
                                 const char *what, size_t limit);
TG_CHECKED int layer_read_overrides(struct words *out, const struct reader *reader,
                                    const struct yaml_node *map);
/* Reads `refuse`. */
TG_CHECKED int layer_read_refusals(struct refusal **out, size_t *count, const struct reader *reader,
                                   const struct yaml_node *root);
/* `delimiters` and `files`. */
TG_CHECKED int layer_read_rules(struct layer *layer, const struct reader *reader,
                                const struct yaml_node *root);
/* Reads a manifest's document, which must be a mapping. */
TG_CHECKED int layer_document(struct yaml_doc **doc, const struct reader *reader,
                              const struct fileset *files, const char *path);
