/* A package index on the command line: the user's own, or a record of one. */
#include "cmd/matrix/matrix_session.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "data/json.h"
#include "io/http.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "io/process.h"
#include "package_index/package_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIP_SECONDS 60
#define RECORD_BYTES LIMIT_HTTP_JSON_BYTES
#define BAR_WIDTH 30
#define INDEX_PARALLEL 24 /* questions are small, and there are hundreds */

const struct option live_options[] = {
    {"index-url", "URL", "the package index (default: the one that pip is set up for)", false},
    {"offline", "FILE", "ask nothing: read a record that --record made", false},
    {"timeout", "SECONDS", "give up on a question after this time (default: 120)", false},
    {"no-cache", NULL, "neither read nor keep answers of earlier runs", false},
    {NULL, NULL, NULL, false},
};

/* Redraws one line, and erases it at the end. */
static void draw_progress(void *context, size_t done, size_t count)
{
    const struct run *run = context;
    char bar[BAR_WIDTH + 1];
    if (run->quiet || !isatty(STDERR_FILENO) || count < 2)
        return;
    for (size_t i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < done * BAR_WIDTH / count ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    if (done == count)
        (void)fprintf(stderr, "\r\033[K");
    else
        (void)fprintf(stderr, "\r[%s] %zu of %zu", bar, done, count);
    (void)fflush(stderr);
}

int live_http(struct run *run, const struct pip_settings *pip, size_t parallel, struct err *err)
{
    size_t seconds = 0;
    struct http_settings settings = {.ca_file = pip ? pip->cert : NULL,
                                     .proxy = pip ? pip->proxy : NULL,
                                     .parallel = parallel,
                                     .progress = draw_progress,
                                     .context = run};
    if (opt_number(&seconds, &run->options, "timeout", "number of seconds", 3600, err) < 0)
        return -1;
    settings.seconds = (long)seconds;
    if (!opt_given(&run->options, "no-cache"))
        settings.cache = cmd_user_path(&run->arena, "XDG_CACHE_HOME", ".cache", "tmplgen/http");
    return http_open(&run->http, &settings, err);
}

static int ask_python(const char **out, struct arena *arena, const char *const *argv,
                      struct err *err)
{
    int status;
    BUF_SCRATCH(text, LIMIT_MIB);
    if (process_capture(&text, &status, argv, PIP_SECONDS, err) < 0)
        return -1;
    if (status != 0)
        return err_set(err, TG_RUNTIME, "no-index",
                       "python3's pip does not say which package index it uses: is it installed?");
    *out = arena_strdup(arena, buf_text(&text));
    return 0;
}

/*
 * The value of KEY in lines such as `global.index-url='https://...'`. As in pip, the command's
 * section ranks before [global], and variables before files.
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

/*
 * Reads the settings of python3's pip, from PIP_... variables and files. Where they name no index,
 * uses pip's default. Exit 1 where no pip answers.
 */
static int ask_pip(struct pip_settings *out, struct arena *arena, struct err *err)
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

static const char *today(struct arena *arena)
{
    time_t now = time(NULL);
    struct tm parts;
    char text[16];
    if (!gmtime_r(&now, &parts) || !strftime(text, sizeof(text), "%Y-%m-%d", &parts))
        return NULL;
    return arena_strdup(arena, text);
}

static int check_date(const char *text, struct err *err)
{
    struct tm parts = {0};
    const char *end =
        text && strlen(text) == strlen("2023-11-21") ? strptime(text, "%Y-%m-%d", &parts) : NULL;
    return !text || (end && !*end) ? 0
                                   : err_set(err, TG_USAGE, "usage",
                                             "--since: '%s' is no day, such as 2023-11-21", text);
}

static int open_record(struct live_index *out, struct run *run, const char *path, struct err *err)
{
    struct span text;
    out->name = path;
    if (io_read(&text, &run->arena, AT_FDCWD, path, RECORD_BYTES, err) < 0)
        return -1;
    return index_recorded(&out->index, &run->arena, path, text, err);
}

static int open_index(struct live_index *out, struct run *run, const char *since, struct err *err)
{
    struct pip_settings pip = {.index_url = opt_value(&run->options, "index-url"),
                               .cert = getenv("PIP_CERT")};
    if (!pip.index_url)
        pip.index_url = getenv("PIP_INDEX_URL");
    if ((!pip.index_url || !*pip.index_url) && ask_pip(&pip, &run->arena, err) < 0)
        return -1;
    if (live_http(run, &pip, INDEX_PARALLEL, err) < 0)
        return -1;
    out->name = http_shown(&run->arena, pip.index_url);
    out->index = index_live(&run->arena, &(struct index_settings){.http = run->http,
                                                                  .url = pip.index_url,
                                                                  .since = since,
                                                                  .today = today(&run->arena)});
    cmd_detail(run, "the package index is %s", out->name);
    return 0;
}

int live_open(struct live_index *out, struct run *run, struct err *err)
{
    const char *record = opt_value(&run->options, "offline");
    const char *since = opt_value(&run->options, "since");
    if (check_date(since, err) < 0)
        return -1;
    if (record && (since || opt_given(&run->options, "record")))
        return err_set(err, TG_USAGE, "usage", "--offline goes with neither --since nor --record");
    return record ? open_record(out, run, record, err) : open_index(out, run, since, err);
}

int live_record(const struct live_index *live, struct run *run, struct err *err)
{
    const char *path = opt_value(&run->options, "record");
    BUF_SCRATCH(text, RECORD_BYTES);
    if (!path)
        return 0;
    if (json_write(&text, index_record(&run->arena, live->index), false) < 0)
        return err_set(err, TG_RUNTIME, "limit", "the record is longer than 8 MiB, the limit");
    FILE *file = fopen(path, "we");
    bool written = file && fwrite(buf_text(&text), 1, text.len, file) == text.len;
    if (!file || fclose(file) != 0 || !written)
        return err_errno(err, errno, "io", "cannot write '%s'", path);
    interrupt_settle();
    return 0;
}
