/* The message of an update's commit: subject, stack changes, notes, trailers. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

struct arena;
struct data;
struct identity;
struct repo;

struct message {
    const char *subject;           /* tmplgen's own */
    const char *given;             /* --message, in place of the subject; or NULL */
    const struct data *stack;      /* as reports have it; or NULL */
    const struct data *notes;      /* the same */
    const struct identity *signer; /* for --signoff; or NULL */
    char comment;                  /* no line of `given` may begin with it; or 0 */
};

/*
 * The message ends in a newline. Foreign text is indented: no line of it is a comment of git's or a
 * trailer. A space splits its "@name" and "#1", so that no forge links its own people and issues.
 */
const char *message_format(struct arena *arena, const struct message *message);

/*
 * Adds a last trailer to the message, "Tmplgen-Update: HASH", which marks a commit of tmplgen's.
 * The hash is over parents, tree and message.
 */
const char *message_seal(struct arena *arena, const char *message, const struct oid *parents,
                         size_t parent_count, const struct oid *tree);
/*
 * Reads the hash of a commit that is as tmplgen made it: it has a parent, and its seal is right.
 * Else NULL. The first parent is the project's; the second one, of a merge, the template's.
 */
TG_CHECKED int message_seal_of(const char **out, const struct repo *repo, const struct oid *commit,
                               struct err *err);
