/* What the engines share: command lines, and running them. */
#include "image/build/engine_command.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "io/io.h"
#include "io/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_SECONDS 120
#define ANSWER_BYTES (8 * LIMIT_MIB)
#define UNBELIEVABLE_BYTES (1LL << 40)
#define NOTE_BYTES ((size_t)1024)

struct command_line command_line(struct arena *arena, const char *const *words)
{
    struct command_line line = {.arena = arena};
    for (; *words; words++)
        command_add(&line, *words);
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

static int failed(const struct engine_job *job, const struct command_line *line, int status)
{
    return err_set(job->err, TG_RUNTIME, "engine", "'%s %s' ended with status %d", line->words[0],
                   line->count > 1 ? line->words[1] : "", status);
}

int command_status(int *status, const struct engine_job *job, const struct command_line *line)
{
    return process_stream(status, line->words, job->watch, job->err);
}

int command_run(const struct engine_job *job, const struct command_line *line)
{
    int status;
    if (command_status(&status, job, line) < 0)
        return -1;
    return status ? failed(job, line, status) : 0;
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
    int status;
    if (process_stream(&status, line->words, &watch, job->err) < 0)
        return -1;
    return status ? failed(job, line, status) : 0;
}

/* What it answers; what it complains of is heard. */
static int capture(struct buf *out, const struct engine_job *job, const struct command_line *line)
{
    struct process_watch watch = *job->watch;
    int status;
    watch.out = out;
    watch.seconds = ANSWER_SECONDS;
    if (process_stream(&status, line->words, &watch, job->err) < 0)
        return -1;
    return status ? failed(job, line, status) : 0;
}

int command_text(const char **out, const struct engine_job *job, const struct command_line *line)
{
    BUF_SCRATCH(text, ANSWER_BYTES);
    if (capture(&text, job, line) < 0)
        return -1;
    size_t len = text.len;
    while (len && strchr(" \r\n", buf_text(&text)[len - 1]))
        len--;
    *out = arena_memdup(job->arena, buf_text(&text), len);
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
    return arena_printf(job->arena, "tmplgen-%08x%08x", arc4random(), arc4random());
}

int64_t command_bytes(const struct data *data)
{
    int64_t bytes = data && data->kind == DATA_INT ? data->integer : 0;
    if (data && data->kind == DATA_STR)
        bytes = strtoll(data->str.ptr, NULL, 10);
    return bytes > 0 && bytes < UNBELIEVABLE_BYTES ? bytes : 0;
}

const char *command_note(struct arena *arena, const char *path)
{
    struct span text;
    ERR_SCRATCH(err);
    if (io_read_file(&text, arena, AT_FDCWD, path, NOTE_BYTES, &err) < 0)
        return NULL;
    size_t len = strcspn(text.ptr, " \r\n");
    return len ? arena_memdup(arena, text.ptr, len) : NULL;
}
