/* The command line of an `update` or `adopt` as what comes next needs it: its options again, its
 * PATH. */
#include "cmd/project/update_command.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "data/data.h"

#include <string.h>

#define UPDATE "tmplgen update"

static bool only_looks(const struct run *run)
{
    return opt_given(&run->options, "check") || opt_given(&run->options, "dry-run");
}

/* As a word that is no option; NULL where none was given, or the working folder. */
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
    command_line_options(&out, run, looks, NULL);
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

/* `words`, with `more` put behind `first`, which is a part of them. */
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
