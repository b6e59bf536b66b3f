/* What the terminal can do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A person is at the other end: both questions and answers go through a terminal. */
bool term_interactive(void);
/* The cursor of `stream` can be moved: a terminal, and not the one that says it is none. */
bool term_moves(FILE *stream);
/* `coloured` where `stream` is a terminal that wants colour (NO_COLOR, TERM=dumb), else `plain`. */
const char *term_colour(FILE *stream, const char *coloured, const char *plain);
/* How many columns `stream` has: 80 where that is not known, 20 at least. */
size_t term_width(FILE *stream);
/* Whether what is typed is shown; returns whether it was. Nothing happens without a terminal. */
bool term_echo(bool shown);
