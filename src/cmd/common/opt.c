/* The only parser of command lines. */
#include "cmd/common/opt.h"

#include "base/arena.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct option common_options[] = {
    {"json", NULL, "print one JSON document on standard output", false},
    {"quiet", NULL, "say less on standard error", false},
    {"verbose", NULL, "say more on standard error", false},
    {"help", NULL, "show this help", false},
    {"version", NULL, "show the version of this program", false},
    {NULL, NULL, NULL, false},
};

/* The short forms of those. */
static const struct {
    const char *word, *name;
} short_options[] = {{"-q", "quiet"}, {"-v", "verbose"}, {"-h", "help"}, {"-V", "version"}};

const char *opt_long(const char *word)
{
    for (size_t i = 0; i < sizeof(short_options) / sizeof(*short_options); i++)
        if (strcmp(word, short_options[i].word) == 0)
            return short_options[i].name;
    return str_starts(word, "--") ? word + 2 : NULL;
}

const char *opt_short(const char *name)
{
    for (size_t i = 0; i < sizeof(short_options) / sizeof(*short_options); i++)
        if (strcmp(name, short_options[i].name) == 0)
            return short_options[i].word;
    return NULL;
}

static size_t count_options(const struct option_group *groups)
{
    size_t count = 0;
    for (; groups->options; groups++)
        for (const struct option *option = groups->options; option->name; option++)
            count++;
    return count;
}

const struct option *opt_find(const struct option_group *groups, struct span name)
{
    for (; groups->options; groups++)
        for (const struct option *option = groups->options; option->name; option++)
            if (span_equal(name, span_from(option->name)))
                return option;
    return NULL;
}

static int unknown_option(struct err *err, struct arena *arena, const struct option_group *groups,
                          struct span name)
{
    const char **names = arena_array(arena, count_options(groups) + 1, sizeof(*names));
    size_t count = 0;
    for (const struct option_group *group = groups; group->options; group++)
        for (const struct option *option = group->options; option->name; option++)
            names[count++] = option->name;
    const char *wrong = arena_memdup(arena, name.ptr, name.len);
    const char *nearest = str_nearest(wrong, names, count);
    (void)err_set(err, TG_USAGE, "usage", "unknown option '--%s'", wrong);
    if (str_equal(wrong, "cpu") || str_equal(wrong, "device"))
        return err_hint(err, "a project for CPUs alone is made by '--variant cpu'");
    return nearest ? err_hint(err, "did you mean '--%s'?", nearest)
                   : err_hint(err, "--help lists the options");
}

static int add_value(struct parsed *out, const struct option *option, const char *text,
                     struct err *err)
{
    if (!option->repeatable && opt_given(out, option->name))
        return err_set(err, TG_USAGE, "usage", "'--%s' is given twice", option->name);
    out->values[out->count++] = (struct option_value){.option = option, .text = text};
    return 0;
}

/* Parses one option at argv[*at], and moves `*at` past its value. */
static int parse_option(struct parsed *out, struct arena *arena, const struct option_group *groups,
                        const char *const *argv, size_t argc, size_t *at, struct err *err)
{
    const char *word = opt_long(argv[*at]), *equals = word ? strchr(word, '=') : NULL;
    if (!word) {
        (void)err_set(err, TG_USAGE, "usage", "unknown option '%s'", argv[*at]);
        return err_hint(err, "only -h, -q, -v and -V are short: --help lists the others");
    }
    struct span name = span_of(word, equals ? (size_t)(equals - word) : strlen(word));
    const struct option *option = opt_find(groups, name);
    const char *text = equals ? equals + 1 : NULL;
    if (!option)
        return unknown_option(err, arena, groups, name);
    if (!option->argument && text)
        return err_set(err, TG_USAGE, "usage", "'--%s' takes no value", option->name);
    if (option->argument && !text) {
        if (*at + 1 == argc)
            return err_set(err, TG_USAGE, "usage", "'--%s' needs a value: %s", option->name,
                           option->argument);
        text = argv[++*at];
    }
    return add_value(out, option, text, err);
}

int opt_parse(struct parsed *out, struct arena *arena, const struct option_group *groups,
              const char *const *argv, size_t argc, struct err *err)
{
    bool only_arguments = false;
    *out = (struct parsed){.values = arena_array(arena, argc + 1, sizeof(*out->values)),
                           .arguments = arena_array(arena, argc + 1, sizeof(*out->arguments))};
    for (size_t i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (only_arguments || word[0] != '-' || word[1] == '\0') {
            out->arguments[out->argument_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (parse_option(out, arena, groups, argv, argc, &i, err) < 0) {
            return -1;
        }
    }
    return 0;
}

bool opt_given(const struct parsed *parsed, const char *name)
{
    for (size_t i = 0; i < parsed->count; i++)
        if (strcmp(parsed->values[i].option->name, name) == 0)
            return true;
    return false;
}

const char *opt_value(const struct parsed *parsed, const char *name)
{
    for (size_t i = 0; i < parsed->count; i++)
        if (strcmp(parsed->values[i].option->name, name) == 0)
            return parsed->values[i].text;
    return NULL;
}

struct words opt_values(struct arena *arena, const struct parsed *parsed, const char *name)
{
    struct words values = {0};
    for (size_t i = 0; i < parsed->count; i++)
        if (strcmp(parsed->values[i].option->name, name) == 0)
            words_add(&values, arena, parsed->values[i].text);
    return values;
}

int opt_number(size_t *out, const struct parsed *parsed, const char *name, const char *noun,
               size_t max, struct err *err)
{
    const char *text = opt_value(parsed, name);
    if (!text)
        return 0;
    errno = 0;
    unsigned long number = strtoul(text, NULL, 10);
    if (errno || !number || number > max || strspn(text, "0123456789") != strlen(text))
        return err_set(err, TG_USAGE, "usage", "--%s: '%s' is no %s from 1 to %zu", name, text,
                       noun, max);
    *out = number;
    return 0;
}
