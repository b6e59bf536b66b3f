/* A matrix on the command line: what `matrix` commands share. */
#ifndef TMPLGEN_MATRIX_SESSION_H
#define TMPLGEN_MATRIX_SESSION_H

#include "base/str.h"
#include "cmd/matrix/live_index.h"

struct run;

/* The matrix of run->catalog, and what lies over it. */
struct session {
    struct run *run;
    struct span overlay;
    struct live_index live; /* of the commands that ask an index */
    struct err *err;
};

/* --catalog, --overlay, --trust. */
extern const struct option matrix_source_options[];
/* Opens the catalog without telling its warnings: they are about records of children. */
TG_CHECKED int matrix_session_open(struct session *s, struct run *run, struct err *err);
/* What --overlay names, which must be there, else the overlay of this folder, which may be. */
TG_CHECKED int matrix_overlay(struct span *out, struct run *run, struct err *err);

#endif
