/* Texts of manifests that are templates: conditions, names, what `next` says, what they include. */
#pragma once

#include "base/str.h"
#include "jinja/template.h"

#include <stdbool.h>

struct fileset;
struct manifest;
struct manifest_text;

/* A text as a template, which its manifest is to blame for. */
struct template_source manifest_text_source(const struct manifest_text *text);
/* Whether a condition holds; one that is absent does. Exit 2 at its place. */
TG_CHECKED int manifest_text_holds(bool *out, const struct manifest_text *when,
                                   const struct data *context, struct err *err);
/*
 * The manifest's `next`, what `new` says is to be done with a child that it has made: each rendered
 * with `context`; an entry that renders to nothing is left out. Not masked. Exit 2 at the entry.
 */
TG_CHECKED int next_lines(struct words *out, struct arena *arena, const struct manifest *manifest,
                          const struct data *context, struct err *err);

struct include_source {
    struct arena *arena;
    const struct fileset *files;
    size_t bytes; /* that were included so far */
};

/*
 * The `load` of a template_loader whose context is a struct include_source. A name OWNER/FILE is
 * the first that exists of templates/_layers/OWNER/includes/FILE, templates/OWNER/includes/FILE and
 * templates/_includes/OWNER/FILE; a name without a slash is a file of templates/_includes/.
 */
int load_include(struct template_source *out, void *context, const char *name, struct err *err);
/* Which file that is, by its index; -1: there is none. */
long find_include(struct arena *arena, const struct fileset *files, const char *name);
