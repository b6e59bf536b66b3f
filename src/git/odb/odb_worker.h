/* The process that reads foreign objects, and what is said between it and src/git/odb/odb.c. */
#ifndef TMPLGEN_ODB_WORKER_H
#define TMPLGEN_ODB_WORKER_H

#include <stddef.h>
#include <stdint.h>

enum { ODB_ID = 20 }; /* bytes of an id */

enum odb_question {
    ODB_READ,   /* the bytes follow */
    ODB_LOOK,   /* type and size; the bytes follow where they are at most `limit`, and some */
    ODB_EXISTS, /* rc 0 or GIT_ENOTFOUND */
    ODB_PREFIX, /* the one id that begins with `digits` digits of `id` */
    ODB_REFRESH,
};

struct odb_request {
    enum odb_question question;
    union {
        uint32_t digits; /* of ODB_PREFIX */
        uint32_t limit;  /* of ODB_LOOK */
    };
    unsigned char id[ODB_ID];
};

/* `rc` is libgit2's; the rest only where it is 0. `size` bytes follow where `followed` is 1. */
struct odb_reply {
    int32_t rc;
    int32_t type;
    uint64_t size;
    uint32_t followed;
    unsigned char id[ODB_ID];
};

/* How it ends where no object is to blame: a limit that it was started with is too low. */
enum { ODB_EXIT_SETUP = 3, ODB_EXIT_MEMORY = 4 };

/*
 * Answers requests that come through `socket` until it is closed; never returns. For a process just
 * forked: it keeps `socket` and standard error, and gives up everything else. It may take so many
 * bytes of memory.
 */
_Noreturn void odb_worker_run(const char *objects, int socket, size_t memory);

#endif
