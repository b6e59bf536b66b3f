/* Writes commands for the user to type: each name in them is one word of a POSIX shell. */
#pragma once

#include "base/span.h"

#include <stdbool.h>

struct arena;
struct buf;

/* Whether `text` needs no quotes; appends it in quotes. Together they are Python's shlex.quote. */
bool shell_is_plain(struct span text);
void shell_put_quoted(struct buf *out, struct span text);

/*
 * `text` as one word that is safe to show and to copy: characters unfit for a terminal (control and
 * hidden characters, invalid UTF-8) become a call of printf in ASCII. SHELL_UNTYPABLE if there is
 * no such word: no POSIX shell keeps a last newline that way.
 */
#define SHELL_UNTYPABLE "NAME-THAT-CANNOT-BE-TYPED"
const char *shell_word(struct arena *arena, const char *text);

/*
 * Formats a command that contains names. `format` may convert only `%s`, which is written as
 * shell_word writes it. `make lint` finds commands written in any other way.
 */
const char *shell_command(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A path that commands do not take for an option and shells do not expand: "./-x". */
const char *shell_path(struct arena *arena, const char *path);
