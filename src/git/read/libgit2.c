/* Common use of libgit2: start, errors, blob ids. */
#define TG_GIT_C
#include "git/libgit2.h"

#include <git2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(LIBGIT2_VER_MAJOR) && LIBGIT2_VER_MAJOR != 1
#error "libgit2 1.5 to 1.9 is needed: the objects and ids of another major version are others"
#endif

int git_fail(struct err *err, const char *format, ...)
{
    const git_error *reason = git_error_last();
    char *why = reason && reason->message ? strdup(reason->message) : NULL;
    char *message = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&message, format, args);
    va_end(args);
    (void)err_set(err, TG_RUNTIME, "git", "%s: %s", len < 0 ? "git" : message,
                  why ? why : "no reason given");
    if (len >= 0)
        free(message);
    free(why);
    return -1;
}

static void git_stop(void)
{
    (void)git_libgit2_shutdown();
}

int git_start(struct err *err)
{
    static bool started;
    if (started)
        return 0;
    int major, minor, revision;
    (void)git_libgit2_version(&major, &minor, &revision);
    if (major != LIBGIT2_VER_MAJOR)
        return err_set(err, TG_RUNTIME, "git", "this is libgit2 %d.%d.%d: libgit2 1 is needed",
                       major, minor, revision);
    if (git_libgit2_init() < 0)
        return git_fail(err, "cannot start libgit2");
    started = true;
    (void)atexit(git_stop);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    /* a tree's id is often needed before its blobs are written, or without them */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    /* git/odb/odb.c checks objects against their ids; nothing else that is read can be damaged */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    return 0;
}

int git_hash_blob(unsigned char id[20], struct span bytes, struct err *err)
{
    git_oid made;
    if (git_start(err) < 0)
        return -1;
    if (git_odb_hash(&made, bytes.ptr, bytes.len, GIT_OBJECT_BLOB) < 0)
        return git_fail(err, "cannot hash a file");
    memcpy(id, made.id, sizeof(made.id));
    return 0;
}
