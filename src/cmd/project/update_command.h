/* The command line of an `update` or `adopt` as what comes next needs it: its options again, its
 * PATH. */
#ifndef TMPLGEN_UPDATE_COMMAND_H
#define TMPLGEN_UPDATE_COMMAND_H

struct data;
struct run;

/* After --check and --dry-run the steps of `document` are this very command line, less those. */
void update_command_repeat(struct run *run, struct data *document);
/*
 * A step, or the words for it, as it works in the working folder where PATH was given: `git -C
 * PATH`, `update PATH`.
 */
const char *update_command_there(struct run *run, const char *step);

#endif
