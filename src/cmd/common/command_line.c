/* The command line of this run, as the user can type it again: with the answers to questions,
 * and without options that only look. */
#include "cmd/common/command_line.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/manifest.h"
#include "cmd/cmd.h"
#include "data/data.h"

#include <string.h>

#define LONG_BYTES 1000 /* a longer command is unreadable */
#define UPDATE "tmplgen update"

bool command_line_is_common(const struct option *option)
{
    const struct option_group common[] = {{"", common_options}, {NULL, NULL}};
    return opt_find(common, span_from(option->name)) != NULL;
}

/* Puts one option, after a blank. `text` NULL: a switch. */
static void put_option(struct buf *out, struct run *run, const char *name, const char *text)
{
    (void)buf_printf(out, " --%s", name);
    if (text)
        (void)buf_printf(out, "%s%s", *text == '-' ? "=" : " ", shell_word(&run->arena, text));
}

/* Puts the options, except those of every command and those that `leaves_out`. */
static void put_options(struct buf *out, struct run *run,
                        bool (*leaves_out)(const struct option_value *value, const void *context),
                        const void *context)
{
    for (size_t i = 0; i < run->options.count; i++) {
        const struct option_value *value = &run->options.values[i];
        if (!command_line_is_common(value->option) && !leaves_out(value, context))
            put_option(out, run, value->option->name, value->text);
    }
}

/* ---------------------------------------------------------------- typed answers */

struct typed {
    struct run *run;
    struct given_list answers;
};

struct typed *typed_answers_new(struct run *run)
{
    struct typed *typed = arena_alloc(&run->arena, sizeof(*typed));
    typed->run = run;
    return typed;
}

void typed_answers_drop(struct typed *typed, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < typed->answers.count; i++)
        if (strcmp(typed->answers.items[i].name, name) != 0)
            typed->answers.items[kept++] = typed->answers.items[i];
    typed->answers.count = kept;
}

void typed_answers_add(struct typed *typed, const char *name, const char *text)
{
    typed_answers_drop(typed, name);
    given_add(&typed->answers, &typed->run->arena, (struct given){.name = name, .text = text});
}

/* `--set TOKEN=...` */
static bool says_secret(const struct option_value *value, const void *context)
{
    const struct manifest *manifest = context;
    const char *equals = value->text ? strchr(value->text, '=') : NULL;
    if (!manifest || !equals || strcmp(value->option->name, "set") != 0)
        return false;
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        if (question->secret && span_equal(span_from(question->name),
                                           span_of(value->text, (size_t)(equals - value->text))))
            return true;
    }
    return false;
}

static void put_command(struct buf *out, const struct typed *typed, const struct manifest *manifest)
{
    struct run *run = typed->run;
    (void)buf_printf(out, "tmplgen %s", run->command->name);
    for (size_t i = 0; i < run->options.argument_count; i++)
        (void)buf_printf(
            out, " %s",
            shell_word(&run->arena, shell_path(&run->arena, run->options.arguments[i])));
    put_options(out, run, says_secret, manifest);
    for (size_t i = 0; i < typed->answers.count; i++) {
        const struct given *answer = &typed->answers.items[i];
        const struct option *option = opt_find(run->command->options, span_from(answer->name));
        char *rest = arena_strdup(&run->arena, answer->text), *part;
        if (!option)
            put_option(out, run, "set",
                       arena_printf(&run->arena, "%s=%s", answer->name, answer->text));
        else if (!option->repeatable)
            put_option(out, run, answer->name, answer->text);
        else
            while ((part = strsep(&rest, ",")))
                put_option(out, run, answer->name, part);
    }
}

void typed_answers_tell(const struct typed *typed, const struct manifest *manifest)
{
    BUF_SCRATCH(command, LIMIT_MIB);
    struct run *run = typed->run;
    if (!typed->answers.count)
        return;
    put_command(&command, typed, manifest);
    const char *before = run->failure_text ? run->failure_text : "";
    run->failure_text = arena_printf(
        &run->arena, "%s%sTo go on with what was answered%s:\n  %s\n", before,
        *before && !str_ends(before, "\n") ? "\n" : "",
        command.len > LONG_BYTES ? " (a file of 'NAME: ANSWER' lines is as good: --answers FILE)"
                                 : "",
        buf_text(&command));
}

/* ---------------------------------------------------------------- next steps */

static bool only_looks(const struct run *run)
{
    return opt_given(&run->options, "check") || opt_given(&run->options, "dry-run");
}

/* PATH as a word that is no option; NULL where none was given, or it is the working folder. */
static const char *place(struct run *run)
{
    const char *path = cmd_argument(run, ".");
    if (strcmp(path, ".") == 0 || strcmp(path, "./") == 0)
        return NULL;
    return shell_path(&run->arena, path);
}

static bool looks(const struct option_value *value, const void *context)
{
    (void)context;
    return strcmp(value->option->name, "check") == 0 || strcmp(value->option->name, "dry-run") == 0;
}

static const char *command(struct run *run, const char *more)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    const char *path = place(run);
    (void)buf_printf(&out, "tmplgen %s%s%s", run->command->name,
                     path ? shell_command(&run->arena, " %s", path) : "", more);
    put_options(&out, run, looks, NULL);
    return arena_strdup(&run->arena, buf_text(&out));
}

void update_command_repeat(struct run *run, struct data *document)
{
    const struct data *next = data_get(document, "next");
    for (size_t i = 0; only_looks(run) && next && i < next->list.count; i++) {
        const char *step = data_get_text(next->list.items[i], "run");
        if (str_starts(step, UPDATE))
            data_put_text(&run->arena, next->list.items[i], "run",
                          command(run, step + strlen(UPDATE)));
    }
}

/* `words` with `more` inserted after `first`, which is a part of them. */
static const char *put_behind(struct run *run, const char *words, const char *first,
                              const char *more)
{
    const char *rest = strstr(words, first) + strlen(first);
    return arena_printf(&run->arena, "%.*s%s%s", (int)(rest - words), words, more, rest);
}

const char *update_command_there(struct run *run, const char *step)
{
    static const char git[] = "git ", or_git[] = "(or: git ";
    const char *path = only_looks(run) ? NULL : place(run);
    const char *also = strstr(step, or_git);
    if (path && str_starts(step, git))
        return put_behind(run, step, git, shell_command(&run->arena, "-C %s ", path));
    if (path && str_starts(step, UPDATE))
        return put_behind(run, step, UPDATE, shell_command(&run->arena, " %s", path));
    if (path && also)
        return put_behind(run, step, or_git, shell_command(&run->arena, "-C %s ", path));
    return step;
}
