/* Builds on the terminal: what the builders say, above a line for each image that is being built.
 */
#ifndef TMPLGEN_BUILD_VIEW_H
#define TMPLGEN_BUILD_VIEW_H

#include "image/build.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct image_row;
struct row_view;
struct run;

#define BUILD_VIEW_LINES 16

struct build_view {
    size_t count;
    struct row_view *views;
    bool draws;   /* stderr is a terminal */
    size_t drawn; /* lines of progress that stand there now, and their widths */
    size_t widths[BUILD_VIEW_LINES];
    time_t last; /* when they were drawn */
    struct build_watch watch;
};

/*
 * Each line is told with the image's name where several are built. Elsewhere than on a terminal
 * nothing is drawn over. With --quiet nothing is told. The watch lives as long as the view.
 */
const struct build_watch *build_view_open(struct build_view *view, struct run *run,
                                          const struct image_row *rows, size_t count);
/* Takes the lines of progress away. */
void build_view_close(struct build_view *view);

#endif
