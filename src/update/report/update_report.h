/* The document of an update that ran, or would run (docs/json.md, update). */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"
#include "update/resume/branch_refresh.h"
#include "update/update.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct base;
struct beside;
struct child;
struct data;
struct oid;
struct target;

/* The facts that an update finds before it decides anything. Nothing changes them afterwards. */
struct update_facts {
    const struct update_options *options;
    const struct child *child;
    bool adopts; /* the child has no record yet, and so no earlier version */
    const struct target *target;
    struct plan_list render; /* the target's render as a list */
    const struct base *base; /* the base of the merge */
    struct refresh refresh;  /* of --refresh */
};

struct report {
    const char *result;               /* a word of update/resume/end_state.h */
    const struct update_facts *facts; /* NULL: no facts are known */
    const struct base *base;          /* NULL: none was needed */
    const struct plan *plan;          /* NULL: nothing was planned */
    const char *commit;               /* made by this run, hexadecimal; or NULL */
    const struct beside *beside;      /* conflicts that are committed */
    size_t beside_count;
    struct words adopted;             /* untracked files, from the top of the work tree */
    struct data *commits, *rewritten; /* of replayed commits; or NULL */
    struct words warnings;            /* besides those of target and plan */
};

/* The members after `schema` and `exit`, in their order. */
struct data *report_document(struct arena *arena, const struct report *report);

/* The document of an update without a plan. */
struct data *report_unplanned(const struct update_facts *facts, const struct words *warnings,
                              const char *result);

/* Stores a document as text, for a journal. */
TG_CHECKED int report_store(struct span *out, struct arena *arena, const struct data *document,
                            struct err *err);
/*
 * Reads a document from a journal, and sets its result and its commit (NULL: none). With a commit,
 * a conflict counts as merged; but a conflict that was committed as such keeps its result. An
 * undone update has no warnings.
 */
struct data *report_recall(struct arena *arena, struct span text, const char *result,
                           const struct oid *commit);
/* Warns of the user's files that a run kept or put aside. */
void report_kept(struct arena *arena, struct data *document, const struct words *kept);
/* The exit code of a recalled document: that of conflicts if they are committed, else `code`. */
int report_exit(const struct data *document, int code);
/* Sets the replayed commits and, at a stop, its paths; renews `next`. */
void report_put_replayed(struct arena *arena, struct data *document, const struct plan *stopped,
                         struct data *commits);
/*
 * Tells of the line, one of a document's `paths`, what the commit has: it is as it was before, or
 * `gone`. report_count has to follow.
 */
void report_taken_back(struct arena *arena, struct data *line, bool gone);
/* Counts the document's `paths` anew. */
void report_count(struct arena *arena, struct data *document);
/* Says that HEAD is at a commit, because the branch that it was on moved: "has moved", "is gone".
 */
void report_left(struct arena *arena, struct data *document, const char *branch, const char *what,
                 const char *commit);
/* Adds a text to the document's warnings. */
void report_warn(struct arena *arena, struct data *document, const char *text);
