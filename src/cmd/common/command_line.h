/* The command line of this run, as the user can type it again: with the answers to questions,
 * and without options that only look. */
#pragma once

#include <stdbool.h>

struct data;
struct manifest;
struct option;
struct run;
struct typed;

/* True where every command has the option: those change only the output, and are not repeated. */
bool command_line_is_common(const struct option *option);

/* The answers typed to questions, in the run's arena, for terminal_asker. */
struct typed *typed_answers_new(struct run *run);
/* A further answer to a question replaces the one before it. */
void typed_answers_add(struct typed *typed, const char *name, const char *text);
void typed_answers_drop(struct typed *typed, const char *name);
/*
 * Adds the command that repeats the typed answers below the failure's message, if there are any.
 * Leaves out the command line's values for the secrets of `manifest` (or NULL).
 */
void typed_answers_tell(const struct typed *typed, const struct manifest *manifest);

/* After --check and --dry-run the steps of `document` repeat this command without the two. */
void update_command_repeat(struct run *run, struct data *document);
/*
 * A step, or words with it, changed to work in the working folder where PATH was given: `git -C
 * PATH`, `update PATH`.
 */
const char *update_command_there(struct run *run, const char *step);
