/* The template language: a strict subset of Jinja2 (docs/templates.md). Knows nothing of catalogs.
 */
#pragma once

#include "base/err.h"
#include "jinja/run/loader.h"

#include <stdbool.h>

struct data;

/*
 * The integer that is raised only when output bytes change for an input that was accepted before
 * (`engine` in the record).
 */
#define TEMPLATE_ENGINE 1

/*
 * Renders `source` with the names of `context` (a map) into `out`, exactly as Jinja2 does with
 * trim_blocks, lstrip_blocks, keep_trailing_newline and StrictUndefined. What the subset does not
 * hold is refused by name. Errors: exit 2 with place and include stack; code "template-syntax",
 * "template-undefined", "template-type", "template-limit". `loader` may be NULL: include is then an
 * error. `out->max` is honoured (LIMIT_RENDERED_BYTES is the caller's business).
 */
TG_CHECKED int template_render(struct buf *out, const struct template_source *source,
                               const struct data *context, const struct template_loader *loader,
                               struct err *err);

/* The same of a template that program_parse read, which is not changed: for many renders of one. */
TG_CHECKED int template_run(struct buf *out, const struct program *program,
                            const struct data *context, const struct template_loader *loader,
                            struct err *err);

/* Evaluates a bare expression (`when`) and takes its truth as Python does. */
TG_CHECKED int template_test(bool *out, const struct template_source *source,
                             const struct data *context, struct err *err);

/*
 * The free names that a template (or, with `expression`, a bare expression) may read from its
 * context, included templates too where `loader` is given, the include's name is a literal or one
 * of several, and the context goes with it: added to `names`, a map whose values are null. Fails on
 * syntax errors as rendering would.
 */
TG_CHECKED int template_names(struct data *names, struct arena *arena,
                              const struct template_source *source, bool expression,
                              const struct template_loader *loader, struct err *err);
