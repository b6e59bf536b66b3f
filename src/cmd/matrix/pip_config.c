/* What the user's pip is set up for. */
#include "cmd/matrix/pip_config.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/process.h"

#include <string.h>

#define PIP_SECONDS 60

static int ask_python(const char **out, struct arena *arena, const char *const *argv,
                      struct err *err)
{
    int status;
    BUF_SCRATCH(text, LIMIT_MIB);
    if (process_capture(&text, &status, argv, PIP_SECONDS, err) < 0)
        return -1;
    if (status != 0)
        return err_set(err, TG_RUNTIME, "no-index",
                       "python3's pip does not say which package "
                       "index it uses");
    *out = arena_strdup(arena, buf_text(&text));
    return 0;
}

/*
 * The value of KEY in lines such as `global.index-url='https://...'`. pip takes what the command's
 * section says before [global], and variables before files.
 */
static const char *find_setting(struct arena *arena, const char *lines, const char *key)
{
    static const char *const sections[] = {":env:.", "install.", "global.", NULL};
    for (const char *const *section = sections; *section; section++) {
        const char *start = arena_printf(arena, "%s%s='", *section, key);
        for (const char *line = lines; line && *line;) {
            size_t len = strcspn(line, "\n"), skip = strlen(start);
            if (str_starts(line, start) && len > skip && line[len - 1] == '\'')
                return arena_memdup(arena, line + skip, len - skip - 1);
            line += len + (line[len] == '\n');
        }
    }
    return NULL;
}

int pip_settings(struct pip_settings *out, struct arena *arena, struct err *err)
{
    static const char *const list[] = {"python3", "-m", "pip", "config", "list", NULL};
    static const char *const builtin[] = {
        "python3", "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)",
        NULL};
    const char *lines;
    *out = (struct pip_settings){0};
    if (ask_python(&lines, arena, list, err) < 0)
        return err_hint(err, "give --index-url");
    out->index_url = find_setting(arena, lines, "index-url");
    out->cert = find_setting(arena, lines, "cert");
    out->proxy = find_setting(arena, lines, "proxy");
    if (out->index_url)
        return 0;
    if (ask_python(&lines, arena, builtin, err) < 0)
        return err_hint(err, "give --index-url");
    out->index_url = arena_memdup(arena, lines, strcspn(lines, "\r\n"));
    return 0;
}
