/* Commands that are shown to be typed: whatever they name is one word of a POSIX shell. */
#pragma once

#include "base/span.h"

#include <stdbool.h>

struct arena;
struct buf;

/* Whether the text is one word as it stands, and the text in quotes: together Python's shlex.quote.
 */
bool shell_is_plain(struct span text);
void shell_put_quoted(struct buf *out, struct span text);

/*
 * `text` as one word that can be shown and copied: what no terminal may be sent (control and hidden
 * characters, bytes that are no UTF-8) is left to printf, in ASCII. SHELL_UNTYPABLE where there is
 * no such word: no POSIX shell keeps a last newline that way.
 */
#define SHELL_UNTYPABLE "NAME-THAT-CANNOT-BE-TYPED"
const char *shell_word(struct arena *arena, const char *text);

/*
 * The one way to write a command that names something: `format` with each `%s` as shell_word has
 * it, and nothing else to convert. `make lint` finds those that are written past it.
 */
const char *shell_command(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A path that no command takes for an option, and no shell for more than a name: "./-x". */
const char *shell_path(struct arena *arena, const char *path);
