/* What an update did, or would do, as a document (docs/json.md, update). */
#ifndef TMPLGEN_UPDATE_REPORT_H
#define TMPLGEN_UPDATE_REPORT_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct base;
struct beside;
struct data;
struct plan;
struct repo;
struct target;
struct provenance;

struct report {
    const char *result;                  /* a word of update/resume/end_state.h */
    const char *strategy;                /* its name */
    const struct provenance *provenance; /* NULL: nothing is known */
    const struct target *target;         /* NULL: no target was looked for */
    const struct base *base;             /* NULL: none was needed */
    const struct plan *plan;             /* NULL: nothing was planned */
    const char *prefix;                  /* the child's folder */
    const char *commit;                  /* made by this run, hexadecimal; or NULL */
    const char *branch;                  /* --branch, or NULL */
    const char *old_tip;                 /* of that branch, where it is renewed; or NULL */
    const struct beside *beside;         /* of conflicts that are committed */
    size_t beside_count;
    const char *const *adopted; /* untracked files, from the top of the work tree */
    size_t adopted_count;
    struct data *commits, *rewritten; /* of commits that are replayed; or NULL */
    const char *const *warnings;      /* on top of those of target and plan */
    size_t warning_count;
};

/* The members behind `schema` and `exit`, in their order. */
struct data *report_document(struct arena *arena, const struct report *report);

/*
 * A document kept in a journal: as text, and back with another result and commit. What was in
 * conflict and is committed now is merged; a conflict that was committed as such stays one, with
 * its result. Of what is undone no warning is left.
 */
TG_CHECKED int report_store(struct span *out, struct arena *arena, const struct data *document,
                            struct err *err);
struct data *report_recall(struct arena *arena, struct span text, const char *result,
                           const char *commit);
struct apply;
/* Tells in the warnings what of the user's was kept or put aside. */
void report_kept(struct arena *arena, struct data *document, const struct apply *apply);
/* The exit code of a recalled document: `code`, or that of conflicts where they are committed. */
int report_exit(const struct data *document, int code);
/* Other lines for the paths, or for commits that are replayed; `next` goes with them. */
void report_put_paths(struct arena *arena, struct data *document, const struct plan *plan);
void report_put_commits(struct arena *arena, struct data *document, struct data *commits);
/* Adds a text to the document's warnings. */
void report_warn(struct arena *arena, struct data *document, const char *text);

#endif
