/* What a person has typed at questions: none of it is lost when the command fails. */
#include "cmd/project/typed_answers.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/manifest.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"

#include <string.h>

#define LONG_BYTES 1000 /* of a command that nobody likes to see */

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

static bool has_option(const struct run *run, const char *name)
{
    for (const struct option_group *group = run->command->options; group->options; group++)
        for (const struct option *option = group->options; option->name; option++)
            if (strcmp(option->name, name) == 0)
                return true;
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
    command_line_options(out, run, says_secret, manifest);
    for (size_t i = 0; i < typed->answers.count; i++) {
        const struct given *answer = &typed->answers.items[i];
        bool is_option = has_option(run, answer->name);
        command_line_option(out, run, is_option ? answer->name : "set",
                            is_option
                                ? answer->text
                                : arena_printf(&run->arena, "%s=%s", answer->name, answer->text));
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
