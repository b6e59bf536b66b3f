/* Options, declared once: the parser, `help` and shell completion read the same tables. */
#pragma once

#include "base/err.h"
#include "base/option.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Options that every command has: --json, --quiet, --verbose, --help, --version. */
extern const struct option common_options[];
/* The long name of "--NAME" or "-X"; NULL: the word is neither. */
const char *opt_long(const char *word);
/* "-X" of a long name; NULL: it has no short form. */
const char *opt_short(const char *name);

struct option_group {
    const char *title;
    const struct option *options;
};

struct option_value {
    const struct option *option;
    const char *text; /* NULL: a switch */
};

/* The content of a command line, in its order. */
struct parsed {
    struct option_value *values;
    size_t count;
    const char **arguments; /* words that are no options */
    size_t argument_count;
};

/*
 * Reads `--name VALUE`, `--name=VALUE`, `--switch`, `--` and plain arguments. `groups` ends with a
 * group without options. Unknown, repeated or incomplete options: exit 2, "usage", with the nearest
 * name.
 */
TG_CHECKED int opt_parse(struct parsed *out, struct arena *arena, const struct option_group *groups,
                         const char *const *argv, size_t argc, struct err *err);

/* The option of that name; NULL: there is none. */
const struct option *opt_find(const struct option_group *groups, struct span name);
bool opt_given(const struct parsed *parsed, const char *name);
/* The value, or NULL where the option was not given. */
const char *opt_value(const struct parsed *parsed, const char *name);
/* Reads a number from 1 to `max`, if the option is given. A wrong one: exit 2, with `noun`. */
TG_CHECKED int opt_number(size_t *out, const struct parsed *parsed, const char *name,
                          const char *noun, size_t max, struct err *err);
/* All values of a repeatable option, in order. */
struct words opt_values(struct arena *arena, const struct parsed *parsed, const char *name);
