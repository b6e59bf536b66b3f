/* The rows of a matrix for people and programs. */
#ifndef TMPLGEN_LIST_MATRIX_H
#define TMPLGEN_LIST_MATRIX_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct matrix;

/* What can be listed beside the frameworks: "gpus", "drivers", "images", "platforms". */
extern const char *const matrix_topics[];
extern const size_t matrix_topic_count;

/*
 * The rows of `topic`: a framework's name, one of matrix_topics, or NULL for the frameworks
 * themselves. A map of one list, called like the topic ("releases" for a framework).
 */
struct data *matrix_list_data(struct arena *arena, const struct matrix *matrix, const char *topic);
/* The same as a table with a line of headings; its lines are at most 100 wide where rows allow. */
int matrix_list_table(struct buf *out, struct arena *arena, const struct data *list);

#endif
