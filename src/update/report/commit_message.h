/* The message of an update's commit: subject, stack changes, notes, trailers. */
#ifndef TMPLGEN_COMMIT_MESSAGE_H
#define TMPLGEN_COMMIT_MESSAGE_H

#include "base/err.h"
#include "git/tree_entry.h"

struct arena;
struct data;
struct identity;
struct repo;

struct message {
    const char *subject;           /* of tmplgen's own */
    const char *given;             /* --message: takes the subject's place; or NULL */
    const struct data *stack;      /* as reports have it; or NULL */
    const struct data *notes;      /* likewise */
    const struct identity *signer; /* of --signoff; or NULL */
    char comment;                  /* no line of `given` may begin with it; or 0 */
};

/*
 * Ends in a newline. What is foreign is indented, so that no line of it begins with a character
 * that git takes for a comment's, and none is a trailer; "@name" and "#1" are told apart by a
 * space, so that no forge takes them for its own people and issues.
 */
const char *message_format(struct arena *arena, const struct message *message);

/*
 * The same with a last trailer, "Tmplgen-Update: HASH", by which a commit of tmplgen's is known
 * again: over its parents, its tree and its message.
 */
const char *message_seal(struct arena *arena, const char *message, const struct oid *parents,
                         size_t parent_count, const struct oid *tree);
/*
 * The hash of a commit that is as tmplgen made it: it has a parent (the first is the project's, the
 * second of a merge the template's), and a seal that agrees; else NULL.
 */
TG_CHECKED int message_seal_of(const char **out, const struct repo *repo, const struct oid *commit,
                               struct err *err);

#endif
