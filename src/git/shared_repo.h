/* Repositories of several users: core.sharedRepository. */
#ifndef TMPLGEN_SHARED_REPO_H
#define TMPLGEN_SHARED_REPO_H

#include <sys/types.h>

/*
 * The umask for what is made in git's folder, by the value of core.sharedRepository (git-config(1);
 * NULL: not set) and the user's umask: "group" and "all" add rights to those that the umask leaves,
 * an octal mode is them all. Folders inherit the group of the one they are in, as git has set it
 * up.
 */
mode_t shared_repo_mask(const char *value, mode_t mask);
/* The mode of a file that is replaced, as the index is; 0 where nothing is shared: it keeps its
 * own.
 */
mode_t shared_repo_mode(const char *value, mode_t mask);

#endif
