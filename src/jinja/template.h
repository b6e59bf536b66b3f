/* The template language: a strict subset of Jinja2 (docs/templates.md). Knows nothing of catalogs.
 */
#pragma once

#include "base/err.h"
#include "jinja/run/loader.h"

#include <stdbool.h>

struct data;

/* `engine` in the record. Raised only when the output for a previously accepted input changes. */
#define TEMPLATE_ENGINE 1

/*
 * Renders `source` into `out` with the names of `context` (a map), exactly as Jinja2 does with
 * trim_blocks, lstrip_blocks, keep_trailing_newline and StrictUndefined. Refuses by name what the
 * subset lacks. Errors are exit 2 with place and include stack; code "template-syntax",
 * "template-undefined", "template-type" or "template-limit". Without a `loader` (NULL), include is
 * an error. Respects `out->max`: the caller applies LIMIT_RENDERED_BYTES.
 */
TG_CHECKED int template_render(struct buf *out, const struct template_source *source,
                               const struct data *context, const struct template_loader *loader,
                               struct err *err);

/* The same for a template parsed by program_parse, which stays unchanged: for repeated renders. */
TG_CHECKED int template_run(struct buf *out, const struct program *program,
                            const struct data *context, const struct template_loader *loader,
                            struct err *err);

/* Evaluates a bare expression (`when`) and takes its truth as Python does. */
TG_CHECKED int template_test(bool *out, const struct template_source *source,
                             const struct data *context, struct err *err);

/*
 * Adds to the map `names`, with null values, the free names that a template (or, with `expression`,
 * a bare expression) may read from its context. With a `loader`, this covers included templates
 * that get the context and whose name is one literal or one of several. Fails on syntax errors as
 * rendering would.
 */
TG_CHECKED int template_names(struct data *names, struct arena *arena,
                              const struct template_source *source, bool expression,
                              const struct template_loader *loader, struct err *err);
