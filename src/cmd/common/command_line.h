/* The command line that is being run, as it can be typed again: with what was answered at
 * questions, without what only looks. */
#pragma once

#include <stdbool.h>

struct data;
struct manifest;
struct option;
struct run;
struct typed;

/* Whether every command has the option: how a result looks is not said again. */
bool command_line_is_common(const struct option *option);

/* What a person has typed at questions, in the run's arena, for terminal_asker. */
struct typed *typed_answers_new(struct run *run);
/* Another answer to the question takes the place of the one before it. */
void typed_answers_add(struct typed *typed, const char *name, const char *text);
void typed_answers_drop(struct typed *typed, const char *name);
/*
 * Puts the command that says again what was typed below the failure's message, where there is any.
 * What the command line said of the secrets of `manifest` (or NULL) is left out.
 */
void typed_answers_tell(const struct typed *typed, const struct manifest *manifest);

/* After --check and --dry-run the steps of `document` are this very command line, less those. */
void update_command_repeat(struct run *run, struct data *document);
/*
 * A step, or the words for it, as it works in the working folder where PATH was given: `git -C
 * PATH`, `update PATH`.
 */
const char *update_command_there(struct run *run, const char *step);
