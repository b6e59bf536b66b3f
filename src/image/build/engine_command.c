/* Shared by the engines: command lines, running them, and cleaning up their output. */
#include "image/build/engine.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "data/data.h"
#include "data/json.h"
#include "io/io.h"
#include "io/process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_SECONDS 120
#define ANSWER_BYTES (8 * LIMIT_MIB)
#define UNBELIEVABLE_BYTES (1LL << 40)
#define NOTE_BYTES ((size_t)1024)

struct command_line command_line(struct arena *arena, const char *const *words)
{
    struct command_line line = {.arena = arena};
    do
        command_add(&line, *words);
    while (*++words);
    return line;
}

void command_add(struct command_line *line, const char *word)
{
    const char **words = arena_array(line->arena, line->count + 2, sizeof(*words));
    if (line->count)
        memcpy(words, line->words, line->count * sizeof(*words));
    words[line->count++] = word;
    line->words = words;
}

void command_add_all(struct command_line *line, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        command_add(line, words->items[i]);
}

int command_status(int *status, const struct engine_job *job, const struct command_line *line)
{
    return process_stream(status, line->words, job->watch, job->err);
}

/* The command's failure is one of the job. */
static int run_watched(const struct engine_job *job, const struct command_line *line,
                       const struct process_watch *watch)
{
    int status;
    if (process_stream(&status, line->words, watch, job->err) < 0)
        return -1;
    return status ? err_set(job->err, TG_RUNTIME, "engine", "'%s %s' ended with status %d",
                            line->words[0], line->count > 1 ? line->words[1] : "", status)
                  : 0;
}

int command_run(const struct engine_job *job, const struct command_line *line)
{
    return run_watched(job, line, job->watch);
}

static void ignore(void *context, const char *line)
{
    (void)context;
    (void)line;
}

int command_tidy(const struct engine_job *job, const struct command_line *line)
{
    const struct process_watch watch = {
        .line = ignore, .seconds = ANSWER_SECONDS, .whatever_comes = true};
    return run_watched(job, line, &watch);
}

/* Captures the command's stdout; its stderr goes to the watch. */
static int capture(struct buf *out, const struct engine_job *job, const struct command_line *line)
{
    struct process_watch watch = *job->watch;
    watch.out = out;
    watch.seconds = ANSWER_SECONDS;
    return run_watched(job, line, &watch);
}

int command_text(const char **out, const struct engine_job *job, const struct command_line *line)
{
    BUF_SCRATCH(text, ANSWER_BYTES);
    if (capture(&text, job, line) < 0)
        return -1;
    struct span said = span_trim_end(span_of(buf_text(&text), text.len), " \r\n");
    *out = arena_memdup(job->arena, said.ptr, said.len);
    return 0;
}

int command_json(struct data **out, const struct engine_job *job, const struct command_line *line)
{
    BUF_SCRATCH(text, ANSWER_BYTES);
    if (capture(&text, job, line) < 0)
        return -1;
    struct span bytes = span_of(arena_memdup(job->arena, buf_text(&text), text.len), text.len);
    if (json_parse_large(out, job->arena, line->words[0], bytes, ANSWER_BYTES, job->err) == 0)
        return 0;
    return command_garbled(job);
}

int command_garbled(const struct engine_job *job)
{
    job->err->exit = TG_RUNTIME;
    job->err->code = "engine";
    return -1;
}

const char *command_container(const struct engine_job *job)
{
    return arena_printf(job->arena, "tmplgen-%016" PRIx64, io_random());
}

int64_t command_bytes(const struct data *data)
{
    int64_t bytes = data && data->kind == DATA_INT ? data->integer : 0;
    if (data && data->kind == DATA_STR)
        bytes = strtoll(data->str.ptr, NULL, 10);
    return bytes > 0 && bytes < UNBELIEVABLE_BYTES ? bytes : 0;
}

int command_build(const struct engine_job *job, const struct engine_build *what)
{
    /*
     * The docker format records the build container's name, which always differs. Without
     * --force-rm a failing build leaves its container.
     */
    struct command_line line = command_line(
        job->arena, WORDS(job->engine->name, "build", "--layers", "--force-rm", "--format", "oci"));
    if (what->plain_http)
        command_add(&line, "--tls-verify=false");
    if (what->epoch)
        command_add(&line, arena_printf(job->arena, "--timestamp=%s", what->epoch));
    for (size_t i = 0; i < what->arguments.count; i++)
        command_add(&line, arena_printf(job->arena, "--build-arg=%s", what->arguments.items[i]));
    command_add(&line, arena_printf(job->arena, "--iidfile=%s", what->id_file));
    command_add(&line, what->context);
    return command_run(job, &line);
}

/* The first line of a small file that a builder wrote, or NULL. */
static const char *read_note(struct arena *arena, const char *path)
{
    struct span text;
    ERR_SCRATCH(err);
    if (io_read_file(&text, arena, AT_FDCWD, path, NOTE_BYTES, &err) < 0)
        return NULL;
    size_t len = strcspn(text.ptr, " \r\n");
    return len ? arena_memdup(arena, text.ptr, len) : NULL;
}

int command_push(const char **digest, const struct engine_job *job, const char *name,
                 const char *id_file, bool plain_http)
{
    struct command_line line = command_line(job->arena, WORDS(job->engine->name, "push"));
    if (plain_http)
        command_add(&line, "--tls-verify=false");
    command_add(&line, arena_printf(job->arena, "--digestfile=%s", id_file));
    command_add(&line, name);
    if (command_run(job, &line) < 0)
        return -1;
    *digest = read_note(job->arena, id_file);
    return 0;
}

int command_tag(const struct engine_job *job, const char *image, const char *name)
{
    struct command_line line =
        command_line(job->arena, WORDS(job->engine->name, "tag", image, name));
    return command_run(job, &line);
}

/* ------------------------------------------------------------------ builders' output */

#define ESCAPE '\033'
#define HEARD_BYTES ((size_t)128 * 1024)

/* Skips the parameters and the final byte of a control sequence. */
static const char *skip_control(const char *at)
{
    while (*at >= 0x20 && *at < 0x40)
        at++;
    return *at >= 0x40 && *at < 0x7f ? at + 1 : at;
}

/* Skips a text for the terminal, such as a window's title: up to BEL or ESC \. */
static const char *skip_text(const char *at)
{
    at += strcspn(at, "\a\033");
    return *at == '\a' ? at + 1 : *at && at[1] == '\\' ? at + 2 : at;
}

static const char *skip_escape(const char *at)
{
    if (at[1] == '[')
        return skip_control(at + 2);
    if (at[1] && strchr("]P^_X", at[1]))
        return skip_text(at + 2);
    return at[1] > 0x20 && at[1] < 0x7f ? at + 2 : at + 1;
}

/* The builder colours its output for a terminal that it supposes. */
static void drop_escapes(struct buf *out, const char *line)
{
    while (*line) {
        size_t plain = strcspn(line, "\033\t\xc2");
        (void)buf_append(out, line, plain);
        line += plain;
        if (*line == ESCAPE) {
            line = skip_escape(line);
        } else if (*line == '\t') {
            (void)buf_putc(out, ' ');
            line++;
        } else if (*line && line[1] == '\x9b') { /* U+009B: ESC [ in one character */
            line = skip_control(line + 2);
        } else if (*line) {
            (void)buf_putc(out, *line++);
        }
    }
}

static void hide_users(struct buf *out, const char *line)
{
    for (const char *scheme; (scheme = strstr(line, "://"));) {
        const char *authority = scheme + 3;
        const char *at = memrchr(authority, '@', strcspn(authority, "/?# \"'<>\\"));
        (void)buf_append(out, line, (size_t)(authority - line));
        if (at)
            (void)buf_puts(out, "***");
        line = at ? at : authority;
    }
    (void)buf_puts(out, line);
}

void builder_output_line(struct buf *out, const char *line)
{
    BUF_SCRATCH(plain, HEARD_BYTES);
    BUF_SCRATCH(hidden, HEARD_BYTES);
    drop_escapes(&plain, line);
    hide_users(&hidden, buf_text(&plain));
    (void)unicode_mask(out, span_of(buf_text(&hidden), hidden.len), false);
}

bool builder_output_is_unknown(const char *line)
{
    return strcasestr(line, "image not known") || strcasestr(line, "no such image");
}
