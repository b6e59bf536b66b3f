/* `update --summary FILE`: opened before anything is changed, written last of all. */
#ifndef TMPLGEN_UPDATE_SUMMARY_H
#define TMPLGEN_UPDATE_SUMMARY_H

#include "base/err.h"
#include "io/output.h"

#include <stdbool.h>

struct data;
struct run;

/* Whether it takes the place of the report. */
bool update_summary_is_printed(const struct run *run);
/* A summary that cannot be written is no reason to have updated. */
TG_CHECKED int update_summary_open(struct output *out, struct run *run, struct err *err);
/* Where it lies in the work tree, the update has not seen it. Notes the file in the document. */
TG_CHECKED int update_summary_write(struct output *summary, struct run *run, struct data *document,
                                    struct err *err);

#endif
