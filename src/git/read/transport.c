/* Runs the `git` command for what libgit2 cannot do: fetch from servers, verify signatures. */
#include "git/transport.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/io.h"
#include "io/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ARGUMENTS_MAX = 96,
    LINES_KEPT = 6,
    LINE_BYTES = 1024,
    WORDS_BYTES = 2000,
    NO_SUCH_PROGRAM = 127
};

extern char **environ;

struct running {
    const struct transport *how;
    struct arena *arena;
    const char *arguments[ARGUMENTS_MAX];
    size_t argument_count;
    char lines[LINES_KEPT][LINE_BYTES]; /* the last non-empty ones */
    size_t line_count;
    struct buf raw;
    time_t end;
};

static time_t seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* ---------------------------------------------------------------- arguments */

static void add(struct running *g, const char *word)
{
    if (g->argument_count + 1 < ARGUMENTS_MAX)
        g->arguments[g->argument_count++] = word;
}

/*
 * Runs git through a shell, which can limit its memory. These settings override the user's
 * configuration: packs stay packed, so that no process sees loose objects; objects are checked;
 * large ones are not held in memory; nothing else happens during a fetch.
 */
static void add_settings(struct running *g)
{
    static const char *const settings[] = {
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.bigFileThreshold=16m",
        "protocol.allow=never",
        "protocol.https.allow=always",
        "protocol.ssh.allow=always",
        "http.followRedirects=initial",
        "http.lowSpeedLimit=1",
        "http.lowSpeedTime=60",
        "submodule.recurse=false",
        "fetch.fsckObjects=true",
        "fetch.unpackLimit=1",
        "fetch.prune=false",
        "fetch.writeCommitGraph=false",
        "fetch.negotiationAlgorithm=noop",
        "transfer.bundleURI=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "log.showSignature=false",
    };
    add(g, "/bin/sh");
    add(g, "-c");
    add(g, arena_printf(g->arena, "ulimit -d %zu 2>/dev/null; ulimit -t %d; exec git \"$@\"",
                        LIMIT_FETCH_MEMORY_BYTES / LIMIT_KIB, g->how->seconds));
    add(g, "git");
    add(g, arena_printf(g->arena, "--git-dir=%s", g->how->git_dir));
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
        add(g, "-c");
        add(g, settings[i]);
    }
    if (g->how->protocol) {
        add(g, "-c");
        add(g, arena_printf(g->arena, "protocol.%s.allow=always", g->how->protocol));
    }
}

/* Keeps those of git's variables that say how this user reaches servers. */
static bool is_kept(const char *variable)
{
    static const char *const kept[] = {
        "GIT_ASKPASS=",        "GIT_SSH=",        "GIT_SSH_COMMAND=",   "GIT_SSH_VARIANT=",
        "GIT_SSL_CAINFO=",     "GIT_SSL_CAPATH=", "GIT_SSL_CERT=",      "GIT_SSL_KEY=",
        "GIT_PROXY_SSL_",      "GIT_HTTP_PROXY_", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=",
        "GIT_CONFIG_NOSYSTEM="};
    static const char *const ours[] = {"GIT_", "LC_", "LANG=", "LANGUAGE="};
    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (str_starts(variable, kept[i]))
            return true;
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        if (str_starts(variable, ours[i]))
            return false;
    return true;
}

static const char *const *make_environment(const struct running *g)
{
    const char **out;
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    out = arena_array(g->arena, count + 4, sizeof(*out));
    for (size_t i = 0; i < count; i++)
        if (is_kept(environ[i]))
            out[kept++] = environ[i];
    out[kept++] = "LC_ALL=C.UTF-8"; /* its messages are parsed */
    out[kept++] = "GIT_NO_LAZY_FETCH=1";
    out[kept++] = g->how->may_ask ? "GIT_TERMINAL_PROMPT=1" : "GIT_TERMINAL_PROMPT=0";
    return out;
}

/* ---------------------------------------------------------------- output */

/* Removes the part before '@' from "https://user:password@host". */
static char *without_passwords(struct arena *arena, const char *line)
{
    char *out = arena_strdup(arena, line);
    for (char *at = strstr(out, "://"); at; at = strstr(at + 3, "://")) {
        char *who = at + 3, *end = who + strcspn(who, "/ '\"");
        char *host = memrchr(who, '@', (size_t)(end - who));
        if (host)
            memmove(who, host + 1, strlen(host + 1) + 1);
    }
    return out;
}

static void take_line(void *context, const char *line)
{
    static const char *const empty[] = {"Please make sure you have the correct access rights",
                                        "and the repository exists."};
    static const char *const heads[] = {"fatal: ", "error: ", "remote: ", "ERROR: "};
    struct running *g = context;
    (void)buf_printf(&g->raw, "%s\n", line);
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        line += str_starts(line, heads[i]) ? strlen(heads[i]) : 0;
    line += strspn(line, " \t");
    if (!*line || str_is_among(line, empty, sizeof(empty) / sizeof(*empty)) ||
        str_starts(line, "warning: "))
        return;
    if (g->line_count == LINES_KEPT)
        memmove(g->lines, g->lines + 1, --g->line_count * sizeof(*g->lines));
    ARENA_SCRATCH(scratch); /* freed for each line: a server may send any number of them */
    (void)snprintf(g->lines[g->line_count++], LINE_BYTES, "%s", without_passwords(&scratch, line));
}

static const char *words_of(const struct running *g)
{
    const char *lines[LINES_KEPT];
    for (size_t i = 0; i < g->line_count; i++)
        lines[i] = g->lines[i];
    const char *words = str_join(g->arena, lines, g->line_count, "; ");
    size_t len = strlen(words);
    return len > WORDS_BYTES ? words + len - WORDS_BYTES : words;
}

/* ---------------------------------------------------------------- limits */

static size_t bytes_in(const char *folder)
{
    IO_DIR_SCRATCH(dir) = opendir(folder);
    struct dirent *entry;
    struct stat info;
    size_t sum = 0;
    while (dir && (entry = io_next(dir)))
        if (fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
            sum += (size_t)info.st_size;
    return sum;
}

static int check_limits(void *context, struct err *err)
{
    const struct running *g = context;
    const struct transport *how = g->how;
    ARENA_SCRATCH(scratch);
    if (seconds_now() >= g->end)
        return err_set(err, TG_RUNTIME, "limit", "git has not ended after %d s", how->seconds);
    if (how->max_bytes &&
        bytes_in(arena_printf(&scratch, "%s/objects/pack", how->git_dir)) > how->max_bytes)
        return err_set(err, TG_RUNTIME, "limit", "more than %zu MiB came",
                       how->max_bytes / LIMIT_MIB);
    return 0;
}

int transport_run(struct transport_answer *out, struct arena *arena, const struct transport *how,
                  const char *const *arguments, struct err *err)
{
    struct running g = {.how = how,
                        .arena = arena,
                        .raw = BUF_INIT(64 * LIMIT_KIB),
                        .end = seconds_now() + how->seconds};
    BUF_SCRATCH(output, LIMIT_PACKED_REFS_BYTES);
    *out = (struct transport_answer){.words = ""};
    add_settings(&g);
    for (size_t i = 0; arguments[i]; i++)
        add(&g, arguments[i]);
    struct process_watch watch = {.line = take_line,
                                  .context = &g,
                                  .out = &output,
                                  .group = how->may_ask ? PROCESS_SHARED : PROCESS_SESSION,
                                  .environment = make_environment(&g),
                                  .input = how->input,
                                  .stop = check_limits};
    int rc = process_stream(&out->status, g.arguments, &watch, err);
    out->output = span_of(arena_memdup(arena, buf_text(&output), output.len), output.len);
    out->words = words_of(&g);
    out->raw = arena_strdup(arena, buf_text(&g.raw));
    buf_release(&g.raw);
    if (rc == 0 && out->status == NO_SUCH_PROGRAM)
        return err_set(err, TG_RUNTIME, "process", "cannot run 'git': %s", out->words);
    return rc;
}
