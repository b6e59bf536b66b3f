/*
 * A row that is proposed for a matrix, and why: what the index proves of one release, in the words
 * of the matrix.
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
/* The key of the table `sources` that rows of that day name. */
#define ROW_SOURCE "index-%s"

/*
 * A release that the matrix does not have, seen as one of the builds of its newest releases; or a
 * row that is there and lacks companions. What it points to lives in the arena or in the matrix.
 */
struct proposal {
    struct arena *arena;
    const struct matrix *matrix;
    const struct framework *framework;
    const struct release *model;   /* one of the newest rows of the framework */
    const struct build *build;     /* one of its builds, or one without a variant: it has none */
    const struct release *before;  /* the newest row that is older; or the oldest */
    const struct build *inherited; /* the same build of it, with the same CUDA; or NULL */
    const struct release *present; /* the row that is completed; NULL: a new one */
    const char *version, *text;    /* of the new release; what it is installed by */
    const char *variant;
    struct evidence evidence;
    struct data *said; /* why: a list of texts, of the row that is being made */
    size_t *wanted;    /* counts what is not in the index's record yet */
    struct package_index *index;
    bool gaps; /* releases between present rows count as new, too */
};

/* There is no wheel: which Pythons it is for is as it was. */
bool proposal_is_compiled(const struct proposal *p);
/* The row of its build is for all releases: a new one needs none. */
bool proposal_is_for_all(const struct proposal *p);
/* One reason more. */
void proposal_say(const struct proposal *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A row as text begins with "- {", in a buffer of ROW_BYTES. A field; nothing for NULL and "". */
void row_put(struct buf *row, const char *name, const char *value);
/* A field that is text already, such as "companions: {torchvision: 0.28.0}"; nothing for "". */
void row_put_written(struct buf *row, const char *field);
/* The fields that every row ends in, and its end. */
void row_put_end(struct buf *row, const struct proposal *p, const char *note,
                 const char *confidence);
/* `words` and one more, in the arena. */
const char *append_word(struct arena *arena, const char *words, const char *word);

/*
 * Adds to the list what refresh.h says of its elements, in the arena; `said` becomes part of it.
 * `row` is laid out in lines; NULL: there is none, and `why` says why.
 */
void proposal_add(const struct proposal *p, struct data *list, const char *kind,
                  const char *variant, const char *row, const char *confidence, const char *why);

/* ------------------------------------------------------------------ the row of a build */

/*
 * The CUDA that the index proves, else that of the model where the index leaves room for it, in the
 * arena or the matrix; NULL: neither. Needs the evidence; says why.
 */
const char *proven_cuda(const struct proposal *p);
/* "cu132" in the arena where the model's variant is written by its CUDA, else its own name. */
const char *variant_for(const struct proposal *p, const char *cuda);
/* Adds the row to the list, or why there is none. `cuda` is what is proven; NULL: nothing. */
void propose_build(const struct proposal *p, struct data *list, const char *cuda);

/* ------------------------------------------------------------------ the row of a release */

/*
 * "companions: {torchvision: 0.28.0}" in the arena, or "". Needs the evidence, and the row before.
 * `*all` becomes false where one of that row has no successor. Those that a present row names
 * already are left out.
 */
const char *companions_field(const struct proposal *p, bool *all);
/* Adds the row to the list, or why there is none. Needs all of the proposal. */
void propose_release(const struct proposal *p, struct data *list);
