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

/* A further policy is a row here and in the names; what it cannot say is a member more. */
struct policy {
    bool leaves_alone;     /* what is there, or was there once, is the user's own */
    const char *conflicts; /* why a file that both sides changed is a conflict although it merges;
                              NULL: it is none */
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

/* Answers that do not go together. */
struct refusal {
    struct manifest_text when;
    struct manifest_text because; /* the reason, rendered from the answers */
    bool no_row;                  /* it is rows of the matrix that rule it out: exit 4 */
    const char *layer;            /* that says so, and has to be taken; of a type NULL */
    const struct layer_use *use;
};

/* One folder of files with its rules: a layer of templates/_layers, or the type's own. */
struct layer {
    const char *name;   /* "docker"; the type's own: its type */
    const char *folder; /* "templates/_layers/docker/files/" */
    struct words overrides;
    struct delimiter_rule *delimiters;
    size_t delimiter_count;
    struct file_rule *rules;
    size_t rule_count;
    struct question *questions; /* of a layer: those of every type that takes it */
    size_t question_count;
    struct refusal *refusals; /* likewise */
    size_t refusal_count;
};

struct layer_use {
    struct manifest_text name; /* a template: may name the framework */
    struct manifest_text when;
    struct words overrides;
};

extern const struct policy file_policies[POLICY_COUNT];
/* As manifests and reports have them. */
extern const char *const file_policy_names[POLICY_COUNT];
extern const char *const file_merge_names[MERGE_COUNT];

/* Reads templates/_layers/NAME/layer.yml. */
TG_CHECKED int layer_load(struct layer *out, struct arena *arena, const struct fileset *files,
                          const char *name, struct err *err);
/* The name of a row of `layers`; where it is rendered, its plain part and the '{' behind that. */
struct span layer_key(const struct layer_use *use);
/*
 * Names of the catalog's layers that a row of `layers` may mean: the one, or, where the name is
 * rendered, all that begin with its plain part: the same for rows of one key. Sorted; none where
 * there is no such layer.
 */
size_t layer_candidates(const char ***names, struct arena *arena, const struct fileset *files,
                        const struct layer_use *use);
/* The names of all layers of the catalog, sorted. */
size_t layer_names(const char ***names, struct arena *arena, const struct fileset *files);
/* The delimiters of a file by its path below the layer's folder: the last rule that matches. */
enum template_delimiters layer_delimiters(const struct layer *layer, const char *below);

/* What manifests of types have, too. */

/* How many rows a list may have that is gone through for each file. */
TG_CHECKED int layer_check_count(const struct reader *reader, const struct yaml_node *node,
                                 const char *what, size_t limit);
TG_CHECKED int layer_read_overrides(struct words *out, const struct reader *reader,
                                    const struct yaml_node *map);
/* `refuse`. */
TG_CHECKED int layer_read_refusals(struct refusal **out, size_t *count, const struct reader *reader,
                                   const struct yaml_node *root);
/* `delimiters` and `files`. */
TG_CHECKED int layer_read_rules(struct layer *layer, const struct reader *reader,
                                const struct yaml_node *root);
/* The document of a manifest, which is a mapping. */
TG_CHECKED int layer_document(struct yaml_doc **doc, const struct reader *reader,
                              const struct fileset *files, const char *path);
