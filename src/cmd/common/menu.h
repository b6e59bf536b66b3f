/* A line that a person types at a terminal, or chooses by arrow keys. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct data;

/* What Enter takes as long as nothing is typed; the keys change it. */
struct menu {
    const struct data *choices; /* a list of texts; NULL: there is only the line */
    bool several;               /* any number of them may be taken */
    size_t at;                  /* the choice that the cursor is at */
    bool *taken;                /* of several: each that is taken */
    bool touched;               /* Enter means what is taken; else it means the default */
    /* Puts the lines above, and what stands before the typed text. */
    void (*put)(struct buf *out, const struct menu *menu, const void *context);
    const void *context;
};

/*
 * Reads a line of stdin, its keys shown on stderr: up, down, and j and k where no choice begins
 * with them; the space bar takes one of several; Backspace, Ctrl-U and Ctrl-W change what is typed.
 * Typed text wins over the choices, which Enter replaces by one line. "": the default. Returns 1; 0
 * where the input has ended; -1. The terminal is as before then.
 */
TG_CHECKED int menu_read(char **line, struct menu *menu, struct arena *arena, struct err *err);
/* The choices that Enter takes, separated by `separator`. */
const char *menu_taken(struct arena *arena, const struct menu *menu, const char *separator);
