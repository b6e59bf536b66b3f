/*
 * A proposed row for a matrix, and the reasons for it: what the index proves of one release, in the
 * matrix's words.
 */
#pragma once

#include "base/limits.h"
#include "package_index/evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct build;
struct data;
struct framework;
struct matrix;
struct release;

#define ROW_BYTES (8 * LIMIT_KIB) /* the longest row as text */
/* The key in the table `sources` for rows of that day. */
#define ROW_SOURCE "index-%s"

/*
 * A release that the matrix lacks, seen as one of the builds of its newest releases; or a present
 * row that lacks companions. Its pointers lead into the arena or the matrix.
 */
struct proposal {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *model;  /* one of the newest rows of the framework */
    const struct build *build;    /* one of its builds; without builds, one with an empty variant */
    const struct release *before; /* the newest older row; else the oldest */
    const struct build *inherited; /* the same build of `before`, with the same CUDA; or NULL */
    const struct release *present; /* the row to complete; NULL: a new one */
    const char *version, *text;    /* the new release; the requirement that installs it */
    const char *variant;
    struct evidence evidence;
    struct data *said; /* the reasons for the row that is being made: a list of texts */
    size_t *wanted;    /* counts answers that the index's record lacks */
    struct package_index *index;
    bool gaps; /* a release between present rows counts as new, too */
};

/* True where there is no wheel: then the row keeps the Pythons of the row before. */
bool proposal_is_compiled(const struct proposal *p);
/* True where the row of its build is for all releases: a new release needs none. */
bool proposal_is_for_all(const struct proposal *p);
/* Adds a reason. */
void proposal_say(const struct proposal *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a field to a row, a buffer of ROW_BYTES that begins "- {"; nothing for NULL and "". */
void row_put(struct buf *row, const char *name, const char *value);
/* Appends a finished field, such as "companions: {torchvision: 0.28.0}"; nothing for "". */
void row_put_written(struct buf *row, const char *field);
/* Appends the fields that every row ends in, and the end. */
void row_put_end(struct buf *row, const struct proposal *p, const char *note,
                 const char *confidence);
/* `words` with one more word, in the arena. */
const char *append_word(struct arena *arena, const char *words, const char *word);

/*
 * Adds an element as in refresh.h to the list, in the arena; `said` becomes part of it. `row` is
 * laid out in lines; NULL: there is none, and `why` has the reason.
 */
void proposal_add(const struct proposal *p, struct data *list, const char *kind,
                  const char *variant, const char *row, const char *confidence, const char *why);

/* ------------------------------------------------------------------ the row of a build */

/*
 * The CUDA that the index proves, else the model's where the index leaves room for it, in the arena
 * or the matrix; NULL: neither. Needs the evidence; adds the reason.
 */
const char *proven_cuda(const struct proposal *p);
/* "cu132" in the arena where the model's variant is named after its CUDA, else the model's name. */
const char *variant_for(const struct proposal *p, const char *cuda);
/* Adds a row to the list, or why there is none. `cuda` is the proven one; NULL: none is. */
void propose_build(const struct proposal *p, struct data *list, const char *cuda);

/* ------------------------------------------------------------------ the row of a release */

/*
 * "companions: {torchvision: 0.28.0}" in the arena, or "". Needs the evidence, and the row before.
 * `*all` becomes false where one of that row's has no successor. Leaves out those that a present
 * row already has.
 */
const char *companions_field(const struct proposal *p, bool *all);
/* Adds a row to the list, or why there is none. Needs the whole proposal. */
void propose_release(const struct proposal *p, struct data *list);
