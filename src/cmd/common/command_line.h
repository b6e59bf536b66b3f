/* The command line that is being run, as it can be typed again. */
#ifndef TMPLGEN_COMMAND_LINE_H
#define TMPLGEN_COMMAND_LINE_H

#include <stdbool.h>

struct buf;
struct option_value;
struct run;

/*
 * Appends its options, each with a blank before it, but for those that every command has (how a
 * result looks is not said again) and those that `leaves_out`.
 */
void command_line_options(struct buf *out, struct run *run,
                          bool (*leaves_out)(const struct option_value *value, const void *context),
                          const void *context);
/* One option, with a blank before it. `text` NULL: a switch. */
void command_line_option(struct buf *out, struct run *run, const char *name, const char *text);

#endif
