/* What the terminal can do. */
#ifndef TMPLGEN_BASE_TERM_H
#define TMPLGEN_BASE_TERM_H

#include <stdbool.h>
#include <stdio.h>

/* A person is at the other end: both questions and answers go through a terminal. */
bool term_interactive(void);
/* The cursor of `stream` can be moved: a terminal, and not the one that says it is none. */
bool term_moves(FILE *stream);
/* `coloured` where `stream` is a terminal that wants colour (NO_COLOR, TERM=dumb), else `plain`. */
const char *term_colour(FILE *stream, const char *coloured, const char *plain);

#endif
