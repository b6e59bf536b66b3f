/* The worker process for foreign objects, and its protocol with src/git/odb/odb.c. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ODB_ID = 20 }; /* bytes of an id */

enum odb_question {
    ODB_READ,   /* the bytes follow */
    ODB_LOOK,   /* type and size; the bytes follow if there are 1 to `limit` */
    ODB_EXISTS, /* rc 0 or GIT_ENOTFOUND */
    ODB_PREFIX, /* finds the only id with the first `digits` digits of `id` */
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

/* `rc` is libgit2's. The rest is valid only if it is 0. `size` bytes follow if `followed`. */
struct odb_reply {
    int32_t rc;
    int32_t type;
    uint64_t size;
    uint32_t followed;
    unsigned char id[ODB_ID];
};

/* The worker, seen from its parent. */
struct odb_worker {
    pid_t pid; /* 0: none */
    int socket;
    int started;   /* number of workers so far */
    size_t memory; /* memory limit in bytes */
};

/* Returns 0 if the worker runs, -1 if too many have died to start another, else an errno. */
TG_CHECKED int odb_worker_start(struct odb_worker *worker, const char *objects);
/*
 * Ends the worker. Returns NULL if it was healthy, or if an object made it hang, crash or give up;
 * else the cause, as in "was ended by SIGKILL".
 */
const char *odb_worker_end(struct odb_worker *worker);
