/* Properties of the terminal. */
#pragma once

#include "base/err.h"

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
/* The number of its rows: 24 if unknown. */
size_t term_height(FILE *stream);
/* Switches echo on or off; returns whether it was on. No effect without a terminal. */
bool term_echo(bool shown);

/*
 * Hands each key over as it is typed, unshown, until term_keys_end. Ctrl-C, Ctrl-Z and Ctrl-\ keep
 * their effects; the terminal is as before while the program is stopped, and when a signal ends it.
 * False without a terminal.
 */
bool term_keys_begin(void);
/* No effect where it has not begun. Safe in a signal handler. */
void term_keys_end(void);
/*
 * Reads a byte of stdin. Returns 1; 0 at the end of the input; 2 where nothing was read, since the
 * program was stopped and goes on: what it had shown may be gone; -1 on a signal.
 */
TG_CHECKED int term_read_key(char *out, struct err *err);
/* Whether a further byte is there: what is pasted, or was typed ahead. */
bool term_key_waits(void);
