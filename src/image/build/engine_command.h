/* What the engines share: command lines, and running them. */
#ifndef TMPLGEN_ENGINE_COMMAND_H
#define TMPLGEN_ENGINE_COMMAND_H

#include "base/err.h"
#include "image/build/engine.h"

struct arena;
struct data;

/* A command line that grows; NULL behind the last word. */
struct command_line {
    struct arena *arena;
    const char **words;
    size_t count;
};

struct command_line command_line(struct arena *arena, const char *const *words);
void command_add(struct command_line *line, const char *word);
void command_add_all(struct command_line *line, const struct words *words);
/* Runs it under the job's watch. Exit 1, "engine", where it cannot run or fails. */
TG_CHECKED int command_run(const struct engine_job *job, const struct command_line *line);
/* The same, but that a failure of the command is `*status`. */
TG_CHECKED int command_status(int *status, const struct engine_job *job,
                              const struct command_line *line);
/* Runs it whatever signal comes, for what must not be left behind. As command_run; nothing is
 * heard. */
TG_CHECKED int command_tidy(const struct engine_job *job, const struct command_line *line);
/* What all but docker do to build and to push, and all to tag: see struct engine. */
TG_CHECKED int command_build(const struct engine_job *job, const struct engine_build *what);
TG_CHECKED int command_push(const char **digest, const struct engine_job *job, const char *name,
                            const char *id_file, bool plain_http);
TG_CHECKED int command_tag(const struct engine_job *job, const char *image, const char *name);
/* A name for a container, that no other run takes; in the job's arena. */
const char *command_container(const struct engine_job *job);
/* What it prints, without the line's end; exit 1 where it fails. */
TG_CHECKED int command_text(const char **out, const struct engine_job *job,
                            const struct command_line *line);
/* What it prints, as JSON. */
TG_CHECKED int command_json(struct data **out, const struct engine_job *job,
                            const struct command_line *line);
/* What an engine said is not what it should be: the error is the engine's, not the user's. -1. */
int command_garbled(const struct engine_job *job);
/* A size that an engine tells, as a number or as text; 0 for what cannot be one. */
int64_t command_bytes(const struct data *data);

#endif
