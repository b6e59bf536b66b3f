/* The command line that is being run, as it can be typed again. */
#include "cmd/common/command_line.h"

#include "base/buf.h"
#include "base/shell.h"
#include "cmd/cmd.h"

#include <string.h>

static bool is_common(const struct option *option)
{
    for (const struct option *common = common_options; common->name; common++)
        if (strcmp(common->name, option->name) == 0)
            return true;
    return false;
}

void command_line_option(struct buf *out, struct run *run, const char *name, const char *text)
{
    (void)buf_printf(out, " --%s", name);
    if (text)
        (void)buf_printf(out, "%s%s", *text == '-' ? "=" : " ", shell_word(&run->arena, text));
}

void command_line_options(struct buf *out, struct run *run,
                          bool (*leaves_out)(const struct option_value *value, const void *context),
                          const void *context)
{
    for (size_t i = 0; i < run->options.count; i++) {
        const struct option_value *value = &run->options.values[i];
        if (!is_common(value->option) && !leaves_out(value, context))
            command_line_option(out, run, value->option->name, value->text);
    }
}
