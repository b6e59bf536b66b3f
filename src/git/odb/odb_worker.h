/* The process that reads foreign objects, and what is said between it and src/git/odb/odb.c. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* The worker, as its parent has it. */
struct odb_worker {
    pid_t pid; /* 0: none */
    int socket;
    int started;   /* that there were */
    size_t memory; /* in bytes: what it may take */
};

/* 0 where it runs; -1 where so many ended that no more is started; else an errno. */
TG_CHECKED int odb_worker_start(struct odb_worker *worker, const char *objects);
/*
 * Ends it, whatever it does. NULL where it hung, crashed or gave up over an object, or did nothing
 * wrong; else what ended it, as in "was ended by SIGKILL".
 */
const char *odb_worker_end(struct odb_worker *worker);
