/* The resolver: a request in, one consistent stack or reasons out. */
#ifndef TMPLGEN_RESOLVER_H
#define TMPLGEN_RESOLVER_H

#include "base/err.h"
#include "resolver/request.h"

struct arena;
struct buf;
struct data;
struct matrix;

/*
 * Resolves. Success: `*resolution` is the map of docs/json.md, keys in that order. No solution:
 * exit 4, code "unsatisfiable", and `*refusal` is a map {conflicts, nearest} of docs/json.md. Wrong
 * usage (an unknown word, a bad SPEC): exit 2 with the nearest names. Same input, same output,
 * always.
 */
TG_CHECKED int matrix_resolve(struct data **resolution, struct data **refusal, struct arena *arena,
                              const struct matrix *matrix, const struct stack_request *request,
                              struct err *err);

/*
 * For a request that resolves: a map of `chosen` (what, value, because) and `passed_over` (what,
 * reason, because, source), every build that would have been preferred. Exit 4 where nothing is
 * chosen.
 */
TG_CHECKED int matrix_why(struct data **out, struct arena *arena, const struct matrix *matrix,
                          const struct stack_request *request, struct err *err);
/* What differs between two resolutions: a list of {what, from, to}. */
struct data *matrix_diff(struct arena *arena, const struct data *from, const struct data *to);

/* Human words for a resolution and for a refusal, fitting a screen, appended to `out`. */
int matrix_explain(struct buf *out, const struct data *resolution);
int matrix_explain_refusal(struct buf *out, const struct data *refusal);
/* The same for what matrix_why and matrix_diff make. */
int matrix_explain_why(struct buf *out, const struct data *why);
int matrix_explain_diff(struct buf *out, const struct data *diff);

#endif
