/* Judges what the steps of an image's history wrote, by builders' records. Pure. */
#include "image/rebase/rebase_parts.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define APP "/opt/app"
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+@:,="

/*
 * Every RUN of the Dockerfiles that templates render and that writes nothing of a base, with blanks
 * as one: '@' is the name of a file of requirements; the text after `fi;` never runs where the
 * environment exists. Where a template is edited, the new text is added here: images with the old
 * text remain in use. tests/registry/test_rebase_steps.py renders all of them.
 */
#define COMPILE                                                                                    \
    "venv/bin/python -c 'from importlib.util import cache_from_source as c; from pathlib import "  \
    "Path as P; print(*sorted(str(f) for d in (\"venv\", \"python\") for f in "                    \
    "P(d).rglob(\"*.py\") if not P(c(str(f))).exists()), sep=\"\\n\")' >/tmp/to-compile; "         \
    "PYTHONHASHSEED=0 venv/bin/python -m compileall -qq -i /tmp/to-compile "                       \
    "--invalidation-mode unchecked-hash || :; rm /tmp/to-compile"
#define IMAGE_PACKAGES(INDEX)                                                                      \
    "set -eu; index=" INDEX "; pip --disable-pip-version-check install ${index:+--index-url "      \
    "\"$index\"} --no-compile --constraint requirements/@.constraints.txt --requirement "          \
    "requirements/@.txt; mkdir -p packages; pip --disable-pip-version-check freeze "               \
    ">packages/@.txt; " COMPILE
#define PACKAGES                                                                                   \
    "venv/bin/pip install ${INDEX_URL:+--index-url \"$INDEX_URL\"} --constraint "                  \
    "requirements/constraints.txt "
static const struct rebase_form {
    const char *text;
    bool goes_on;
} forms[] = {
    {IMAGE_PACKAGES("${INDEX_URL:-$FRAMEWORK_INDEX_URL}"), false},
    {IMAGE_PACKAGES("${INDEX_URL:-}"), false},
    {"index=${INDEX_URL:-$FRAMEWORK_INDEX_URL}; venv/bin/pip install ${index:+--index-url "
     "\"$index\"} --constraint requirements/constraints.txt --requirement requirements/@.txt",
     false},
    {"index=${INDEX_URL:+--index-url $INDEX_URL}; lock=requirements/lock/@.txt; [ ! -e \"$lock\" ] "
     "|| "
     "venv/bin/pip install --require-hashes --no-deps ${index:-${FRAMEWORK_INDEX_URL:+"
     "--extra-index-url $FRAMEWORK_INDEX_URL}} --requirement \"$lock\"",
     false},
    {PACKAGES "--requirement requirements/framework.txt --requirement \"$REQUIREMENTS\"", false},
    {PACKAGES "--requirement requirements/indexed.txt --requirement requirements/framework.txt "
              "--requirement \"$REQUIREMENTS\"",
     false},
    {PACKAGES "--requirement \"$REQUIREMENTS\"", false},
    {"install -d -o 10001 -g 10001 /runs", false},
    {"install -d -o 10001 -g 10001 /runs /opt/app/data", false},
    {"if [ -x venv/bin/python ]; then found=$(venv/bin/python -c 'import sys; print(\"%d.%d\" % "
     "sys.version_info[:2])'); [ \"$found\" != \"$PYTHON_VERSION\" ] || exit 0; echo \"this image "
     "has Python $found, not $PYTHON_VERSION\" >&2; exit 1; fi; ",
     true},
};

/* Variables that make pip install elsewhere. */
static const char *const strange[] = {"PIP_CONFIG_FILE", "PIP_PREFIX", "PIP_PYTHON", "PIP_ROOT",
                                      "PIP_TARGET",      "PIP_USER",   "PYTHONHOME"};

/* ------------------------------------------------------------------ paths */

/* The target without "." and doubled slashes; NULL where that is not certain. */
static const char *whole_path(struct arena *arena, const char *folder, const char *path)
{
    if (!*path || path[strspn(path, PLAIN)] || (*path != '/' && !folder))
        return NULL;
    char *save = NULL, *parts = arena_printf(arena, "%s/%s", *path == '/' ? "" : folder, path);
    char *out = arena_alloc(arena, strlen(parts) + 1), *end = out;
    for (char *part = strtok_r(parts, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        if (str_equal(part, ".."))
            return NULL;
        if (str_equal(part, "."))
            continue;
        *end++ = '/';
        end = stpcpy(end, part);
    }
    return out;
}

static bool matches_any(const char *const *patterns, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (glob_match(patterns[i], path))
            return true;
    return false;
}

#define MATCHES(patterns, path) matches_any(patterns, sizeof(patterns) / sizeof(*(patterns)), path)

/* By FHS 3.0, 3.13 and 4.9; but CUDA's images have files in two of them. */
bool rebase_is_left_to_others(struct arena *arena, const char *path)
{
    static const char *const left[] = {"/opt/**", "/usr/local/**", "/srv",
                                       "/srv/**", "/runs",         "/runs/**"};
    static const char *const taken[] = {"/opt/nvidia*", "/opt/nvidia*/**", "/usr/local/cuda*",
                                        "/usr/local/cuda*/**"};
    const char *whole = whole_path(arena, NULL, path);
    return whole && MATCHES(left, whole) && !MATCHES(taken, whole);
}

/* ------------------------------------------------------------------ builders' records */

/* Reduces blanks to one: builders keep the indents of continued lines. */
static char *squeezed(struct arena *arena, const char *text)
{
    char *save = NULL, *words = arena_strdup(arena, text);
    char *out = arena_alloc(arena, strlen(text) + 1), *end = out;
    for (char *word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        if (end > out)
            *end++ = ' ';
        end = stpcpy(end, word);
    }
    return out;
}

static const char *without(const char *text, const char *prefix)
{
    return str_starts(text, prefix) ? text + strlen(prefix) : text;
}

/* "COPY dir:... in /opt/app/", without the text that builders add around instructions. */
static const char *instruction_of(struct arena *arena, const char *created_by)
{
    static const char buildkit[] = " # buildkit";
    char *text = squeezed(arena, created_by);
    if (str_ends(text, buildkit))
        text[strlen(text) - strlen(buildkit)] = '\0';
    return without(text, "/bin/sh -c #(nop) ");
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Finds where the text sets a variable of this name. */
static const char *find_name(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[len]))
            return at;
    return NULL;
}

static bool is_strange(const char *text)
{
    for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
        if (find_name(text, strange[i]))
            return true;
    return false;
}

/*
 * Skips the build arguments before a command: "|1 PYTHON_SOURCE=apt /bin/sh -c ...". A value may
 * contain blanks, and so even a shell. NULL where there are fewer words than arguments, or two
 * shells.
 */
static const char *skip_arguments(const char *text)
{
    static const char shell[] = " /bin/sh -c ";
    char *at;
    unsigned long count = strtoul(text + 1, &at, 10);
    if (!isdigit((unsigned char)text[1]))
        return NULL;
    for (; count; count--) {
        if (*at != ' ')
            return NULL;
        size_t name = 1;
        while (is_of_name(at[name]))
            name++;
        if (name == 1 || at[name] != '=')
            return NULL;
        at += name + strcspn(at + name, " ");
    }
    return str_starts(at, shell) && !strstr(at + 1, shell) ? at + strlen(shell) : NULL;
}

/* '@' is a name, once; what follows is a dot, so there is only one reading. */
static bool is_form(const struct rebase_form *form, const char *text)
{
    for (const char *at = form->text; *at; at++) {
        if (*at != '@') {
            if (*text++ != *at)
                return false;
            continue;
        }
        if (!isalnum((unsigned char)*text))
            return false;
        while (is_of_name(*text) || *text == '-')
            text++;
    }
    return form->goes_on || !*text;
}

/* ------------------------------------------------------------------ steps */

/* True for a RUN that templates render, in a place where it has the templates' effect. */
static bool is_own_run(const struct rebase_place *place, const char *step)
{
    const char *text = without(step, "RUN "), *command = NULL;
    if (!place->folder || !str_equal(place->folder, APP) || !place->has_python ||
        !place->has_path || place->is_strange)
        return false;
    command = *text == '|' ? skip_arguments(text) : without(text, "/bin/sh -c ");
    if (!command || is_strange(step))
        return false;
    command = without(command, "--mount=type=cache,target=/root/.cache/pip ");
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (is_form(&forms[i], command))
            return true;
    return false;
}

/*
 * The target, the last word of a COPY or ADD: Docker and buildah write "... in /opt/app/", BuildKit
 * "... /opt/app". None quotes blanks: "x /etc/a b" may mean "/etc/a b". NULL where the words before
 * may be a part of it, unless it is relative.
 */
static const char *target_of(struct arena *arena, const char *words)
{
    char *save = NULL, *text = arena_strdup(arena, words);
    const char *last = NULL;
    size_t before = 0;
    bool absolute = false, odd = false;
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (str_starts(word, "--"))
            continue;
        if (last) {
            before++;
            absolute = absolute || *last == '/';
            odd = odd || strpbrk(last, "$\"'`\\\n") || strstr(last, "..");
        }
        last = word;
    }
    return before == 0 || (before > 1 && (absolute || odd)) ? NULL : last;
}

static enum rebase_wrote copied(struct rebase_place *place, const char *words)
{
    const char *target = target_of(place->arena, words);
    const char *path = target ? whole_path(place->arena, place->folder, target) : NULL;
    if (!path || !rebase_is_left_to_others(place->arena, path))
        return REBASE_WROTE_UNKNOWN;
    place->has_python = place->has_python || str_equal(path, APP "/venv");
    return REBASE_WROTE_OTHERS;
}

static void set(struct rebase_place *place, const char *text)
{
    const char *path = find_name(text, "PATH");
    place->is_strange = place->is_strange || str_starts(text, "SHELL ") || is_strange(text);
    if (path)
        place->has_path = str_starts(path, "PATH=" APP "/venv/bin:");
}

/* Whether the step has a layer proves less: if all steps make one layer, the last step has it. */
static bool writes_nothing(const char *text)
{
    static const char *const words[] = {"ARG ",     "CMD ",         "ENTRYPOINT ", "ENV ",
                                        "EXPOSE ",  "HEALTHCHECK ", "LABEL ",      "MAINTAINER ",
                                        "ONBUILD ", "SHELL ",       "STOPSIGNAL ", "USER ",
                                        "VOLUME "};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (str_starts(text, words[i]))
            return true;
    return false;
}

enum rebase_wrote rebase_wrote(struct rebase_place *place, const char *created_by)
{
    const char *text = instruction_of(place->arena, created_by);
    if (str_starts(text, "COPY ") || str_starts(text, "ADD "))
        return copied(place, strchr(text, ' ') + 1);
    if (str_starts(text, "WORKDIR ")) {
        place->folder = whole_path(place->arena, place->folder, without(text, "WORKDIR "));
        return place->folder && rebase_is_left_to_others(place->arena, place->folder)
                   ? REBASE_WROTE_OTHERS
                   : REBASE_WROTE_UNKNOWN;
    }
    if (!writes_nothing(text))
        return is_own_run(place, text) ? REBASE_WROTE_OTHERS : REBASE_WROTE_UNKNOWN;
    if (str_starts(text, "ENV ") || str_starts(text, "ARG ") || str_starts(text, "SHELL "))
        set(place, text);
    return REBASE_WROTE_NOTHING;
}

bool rebase_step_speaks(struct arena *arena, const char *created_by)
{
    const char *text = instruction_of(arena, created_by);
    return str_starts(text, "LABEL ") && strstr(text, REBASE_LABEL_WRITES "=");
}

struct rebase_place rebase_place_on(struct arena *arena, const struct data *base_config)
{
    const struct data *config = data_get(base_config, "config");
    const struct data *env = data_get(config, "Env"), *shell = data_get(config, "Shell");
    struct rebase_place place = {.arena = arena};
    place.is_strange = shell && shell->kind == DATA_LIST;
    for (size_t i = 0; env && env->kind == DATA_LIST && i < env->list.count; i++) {
        const char *text = data_text(env->list.items[i]);
        place.is_strange = place.is_strange || (text && is_strange(text));
    }
    return place;
}
