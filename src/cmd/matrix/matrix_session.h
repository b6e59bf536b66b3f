/* A matrix on the command line: what `matrix` commands share. */
#ifndef TMPLGEN_MATRIX_SESSION_H
#define TMPLGEN_MATRIX_SESSION_H

#include "base/str.h"
#include "cmd/common/opt.h"
#include "cmd/matrix/live_index.h"

struct run;
struct catalog;

/* Where the matrix comes from, and what lies over it. */
struct session {
    struct run *run;
    struct catalog *catalog;
    struct span overlay;
    struct live_index live; /* of the commands that ask an index */
    struct err *err;
};

/* --catalog, --overlay, --trust. */
extern const struct option matrix_source_options[];
/* Closed also where it could not be opened. */
TG_CHECKED int matrix_session_open(struct session *s, struct run *run, struct err *err);
void matrix_session_close(struct session *s);
/* Does `act` in a session of its own; the exit code of a result, or -1. */
TG_CHECKED int matrix_in_session(struct run *run, int (*act)(struct session *s), struct err *err);

#endif
