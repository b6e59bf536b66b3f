/* Templates in manifests: conditions, names, `next`, and the files that they include. */
#pragma once

#include "base/str.h"
#include "jinja/template.h"

#include <stdbool.h>

struct fileset;
struct manifest;
struct manifest_text;

/* Wraps a text as a template; errors point into its manifest. */
struct template_source manifest_text_source(const struct manifest_text *text);
/* Evaluates a condition; an absent one is true. Exit 2 at its place. */
TG_CHECKED int manifest_text_holds(bool *out, const struct manifest_text *when,
                                   const struct data *context, struct err *err);
/*
 * Renders the manifest's `next`, the instructions that `new` prints for a new child, with
 * `context`. Skips entries that render to nothing. The lines are not masked. Exit 2 at the entry.
 */
TG_CHECKED int next_lines(struct words *out, struct arena *arena, const struct manifest *manifest,
                          const struct data *context, struct err *err);

struct include_source {
    struct arena *arena;
    const struct fileset *files;
    size_t bytes; /* included so far */
};

/*
 * The `load` of a template_loader whose context is a struct include_source. OWNER/FILE is the first
 * that exists of templates/_layers/OWNER/includes/FILE, templates/OWNER/includes/FILE and
 * templates/_includes/OWNER/FILE. A name without a slash is a file of templates/_includes/.
 */
int load_include(struct template_source *out, void *context, const char *name, struct err *err);
/* The index of the file that a name includes, or -1. */
long find_include(struct arena *arena, const struct fileset *files, const char *name);
