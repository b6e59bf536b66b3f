/* Properties of the terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a person can answer: input and prompts both are a terminal. */
bool term_interactive(void);
/* Whether the cursor of `stream` can be moved: a terminal that is not TERM=dumb. */
bool term_moves(FILE *stream);
/* `coloured` if `stream` is a terminal that wants colour (NO_COLOR, TERM=dumb), else `plain`. */
const char *term_colour(FILE *stream, const char *coloured, const char *plain);
/* The number of columns of `stream`: 80 if unknown, at least 20. */
size_t term_width(FILE *stream);
/* Switches echo on or off; returns whether it was on. No effect without a terminal. */
bool term_echo(bool shown);
