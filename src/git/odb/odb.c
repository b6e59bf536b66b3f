/* Reads a repository's objects with libgit2 in a separate process. */
#include "git/odb.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "git/libgit2.h"
#include "git/odb/odb_worker.h"
#include "git/odb_failure.h"
#include "git/oid_map.h"
#include "git/tree_entry.h"

#include <errno.h>
#include <git2.h>
#if __has_include(<git2/sys/errors.h>) /* libgit2 1.8 and newer: out of git2.h */
#include <git2/sys/errors.h>
#endif
#include <git2/sys/odb_backend.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* So many questions are sent at once: unlike their answers they fit into the socket's buffer. */
#define QUESTIONS_MAX ((size_t)256)
/* Limits for prefetched objects: the size of one, and the total. */
#define AHEAD_OBJECT_BYTES (64 * LIMIT_KIB)
#define AHEAD_BYTES (8 * LIMIT_MIB)
/* Answers are read in pieces of this size: most are small. */
#define PIECE_BYTES (32 * LIMIT_KIB)

struct known {
    git_oid id;
    git_object_t type; /* GIT_OBJECT_INVALID: fetching failed */
    size_t size;
    char *bytes; /* NULL: only kind and size are known */
};

/*
 * A folder of objects, kept until the process exits: a command opens a catalog several times, and
 * shares the worker and the objects already read.
 */
struct odb_reader {
    struct odb_reader *next;
    char *objects;
    struct odb_worker worker;
    char *piece; /* read from the socket: `piece_at` of `piece_len` bytes are used */
    size_t piece_at, piece_len;
    struct known *known; /* prefetched objects */
    size_t known_count, known_bytes;
    struct oid_map places; /* from ids to indexes of `known` */
};

struct reader_backend {
    git_odb_backend backend; /* must come first: libgit2 passes it back */
    struct odb_reader *reader;
};

static struct odb_reader *readers;

static struct odb_reader *reader_of(const git_odb_backend *backend)
{
    return ((const struct reader_backend *)backend)->reader;
}

/* Ends the worker; returns the cause, or NULL if an object caused it. */
static const char *end_worker(struct odb_reader *reader)
{
    reader->piece_at = reader->piece_len = 0;
    return odb_worker_end(&reader->worker);
}

static ssize_t receive_some(char *bytes, size_t size, int socket)
{
    ssize_t got;
    while ((got = recv(socket, bytes, size, 0)) < 0 && errno == EINTR)
        ;
    return got;
}

static int receive(void *bytes, size_t size, struct odb_reader *reader)
{
    for (char *at = bytes; size;) {
        if (reader->piece_at == reader->piece_len) {
            ssize_t got = receive_some(reader->piece, PIECE_BYTES, reader->worker.socket);
            if (got <= 0)
                return -1;
            reader->piece_at = 0;
            reader->piece_len = (size_t)got;
        }
        size_t there = reader->piece_len - reader->piece_at, some = there < size ? there : size;
        memcpy(at, reader->piece + reader->piece_at, some);
        reader->piece_at += some;
        at += some;
        size -= some;
    }
    return 0;
}

/* Its id is the SHA-1 of "TYPE SIZE", a NUL and the bytes. */
static bool is_intact(const git_oid *id, git_object_t type, const void *bytes, size_t size)
{
    unsigned char sum[SHA1_SIZE];
    char head[40];
    int len = snprintf(head, sizeof(head), "%s %zu", git_object_type2string(type), size);
    sha1_sum(sum, span_of(head, (size_t)len + 1), span_of(bytes, size));
    return memcmp(sum, id->id, sizeof(sum)) == 0;
}

static int damaged(const git_oid *id)
{
    char message[80];
    (void)snprintf(message, sizeof(message), "object %s is damaged: see 'git fsck'",
                   git_oid_tostr_s(id));
    (void)git_error_set_str(GIT_ERROR_ODB, message);
    return GIT_ERROR;
}

static int not_started(int number)
{
    odb_failure_note(
        "no-worker",
        "a limit on processes, open files or memory ('ulimit -a', or a container's) is in "
        "the way; nothing is wrong with the repository",
        "cannot start the process that reads objects: %s", strerror(number));
    (void)git_error_set_str(GIT_ERROR_OS, "the process that reads objects cannot be started");
    return GIT_ERROR;
}

/* Reports that the worker did not answer: because of this object, or for another cause. */
static int no_answer(struct odb_reader *reader, const git_oid *id)
{
    const char *reason = end_worker(reader);
    if (!reason)
        return damaged(id);
    odb_failure_note(
        "worker-ended",
        "a limit on memory or time, or somebody, has ended it: run this again with more; "
        "nothing is known to be wrong with the repository",
        "the process that reads objects %s", reason);
    (void)git_error_set_str(GIT_ERROR_OS, "the process that reads objects was ended");
    return GIT_ERROR;
}

static bool send_all(struct odb_reader *reader, const struct odb_request *requests, size_t count)
{
    const char *at = (const char *)requests;
    for (size_t left = count * sizeof(*requests); left;) {
        ssize_t sent = send(reader->worker.socket, at, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        left -= (size_t)sent;
    }
    return true;
}

/* Sends a question. If the worker dies of it, the object is damaged. */
static int ask(struct odb_reply *reply, struct odb_reader *reader, enum odb_question question,
               const git_oid *id, size_t digits)
{
    struct odb_request request = {.question = question, .digits = (uint32_t)digits};
    memcpy(request.id, id->id, ODB_ID);
    int number = odb_worker_start(&reader->worker, reader->objects);
    if (number)
        return number < 0 ? damaged(id) : not_started(number);
    if (!send_all(reader, &request, 1) || receive(reply, sizeof(*reply), reader) < 0)
        return no_answer(reader, id);
    if (reply->rc < 0 && reply->rc != GIT_ENOTFOUND && reply->rc != GIT_EAMBIGUOUS)
        return damaged(id);
    return reply->rc;
}

static const struct known *recall(const struct odb_reader *reader, const git_oid *id)
{
    struct oid wanted = oid_from(id);
    size_t at;
    return oid_map_find(&at, &reader->places, &wanted) &&
                   reader->known[at].type != GIT_OBJECT_INVALID
               ? &reader->known[at]
               : NULL;
}

/* Reads the answer number `number` of a series. */
typedef int answer_taker(void *context, size_t number, struct odb_reader *reader);

/* Asks the same of all ids. Ends the worker on failure, since answers may be left unread. */
static void ask_all(struct odb_reader *reader, const struct odb_request *kind, const git_oid *ids,
                    size_t count, answer_taker *take, void *context)
{
    struct odb_request requests[QUESTIONS_MAX];
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < QUESTIONS_MAX ? count - done : QUESTIONS_MAX;
        bool room = reader->known_bytes < AHEAD_BYTES; /* checked for each round */
        for (size_t i = 0; i < some; i++) {
            requests[i] = *kind;
            requests[i].limit = room ? kind->limit : 0;
            memcpy(requests[i].id, ids[done + i].id, ODB_ID);
        }
        if (odb_worker_start(&reader->worker, reader->objects))
            return;
        int rc = send_all(reader, requests, some) ? 0 : -1;
        for (size_t i = 0; rc == 0 && i < some; i++)
            rc = take(context, done + i, reader);
        if (rc < 0) {
            (void)end_worker(reader); /* each is asked for again, and then reported */
            return;
        }
    }
}

static int take_known(void *context, size_t number, struct odb_reader *reader)
{
    struct known *item = (struct known *)context + number;
    struct odb_reply reply;
    if (receive(&reply, sizeof(reply), reader) < 0)
        return -1;
    if (reply.rc < 0)
        return 0;
    if (reply.followed) {
        if (reply.size > AHEAD_OBJECT_BYTES)
            return -1;
        item->bytes = xmalloc(reply.size);
        reader->known_bytes += reply.size;
        if (receive(item->bytes, reply.size, reader) < 0 ||
            !is_intact(&item->id, (git_object_t)reply.type, item->bytes, reply.size))
            return -1;
    }
    item->size = reply.size;
    item->type = (git_object_t)reply.type;
    return 0;
}

static int take_found(void *context, size_t number, struct odb_reader *reader)
{
    bool *there = context;
    struct odb_reply reply;
    if (receive(&reply, sizeof(reply), reader) < 0)
        return -1;
    there[number] = reply.rc == 0;
    return 0;
}

/* Makes room for those of `ids` that are not known yet, each once. */
static void add_unknown(struct odb_reader *reader, const git_oid *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct oid id = oid_from(&ids[i]);
        if (!oid_map_add(&reader->places, &id, reader->known_count))
            continue;
        reader->known = xgrow(reader->known, reader->known_count, sizeof(*reader->known));
        reader->known[reader->known_count++] =
            (struct known){.id = ids[i], .type = GIT_OBJECT_INVALID};
    }
}

static int reader_read(void **data, size_t *size, git_object_t *type, git_odb_backend *backend,
                       const git_oid *id)
{
    struct odb_reader *reader = reader_of(backend);
    const struct known *known = recall(reader, id);
    struct odb_reply reply;
    if (known && known->bytes) {
        *size = known->size;
        *type = known->type;
        *data = git_odb_backend_data_alloc(backend, known->size + 1);
        if (!*data)
            return GIT_ERROR;
        memcpy(*data, known->bytes, known->size);
        ((char *)*data)[known->size] = '\0';
        return 0;
    }
    int rc = ask(&reply, reader, ODB_READ, id, 0);
    if (rc < 0)
        return rc;
    char *bytes = git_odb_backend_data_alloc(backend, reply.size + 1);
    if (!bytes || receive(bytes, reply.size, reader) < 0) {
        git_odb_backend_data_free(backend, bytes);
        return no_answer(reader, id);
    }
    if (!is_intact(id, (git_object_t)reply.type, bytes, reply.size)) {
        git_odb_backend_data_free(backend, bytes);
        return damaged(id);
    }
    bytes[reply.size] = '\0';
    *data = bytes;
    *size = reply.size;
    *type = (git_object_t)reply.type;
    return 0;
}

static int reader_read_header(size_t *size, git_object_t *type, git_odb_backend *backend,
                              const git_oid *id)
{
    const struct known *known = recall(reader_of(backend), id);
    if (known) {
        *size = known->size;
        *type = known->type;
        return 0;
    }
    struct odb_reply reply;
    int rc = ask(&reply, reader_of(backend), ODB_LOOK, id, 0);
    if (rc == 0) {
        *size = reply.size;
        *type = (git_object_t)reply.type;
    }
    return rc;
}

static int reader_exists(git_odb_backend *backend, const git_oid *id)
{
    struct odb_reply reply;
    return recall(reader_of(backend), id) ||
           ask(&reply, reader_of(backend), ODB_EXISTS, id, 0) == 0;
}

static int reader_exists_prefix(git_oid *out, git_odb_backend *backend, const git_oid *shortened,
                                size_t digits)
{
    struct odb_reply reply;
    int rc = ask(&reply, reader_of(backend), ODB_PREFIX, shortened, digits);
    if (rc == 0)
        memcpy(out->id, reply.id, ODB_ID);
    return rc;
}

static int reader_read_prefix(git_oid *out, void **data, size_t *size, git_object_t *type,
                              git_odb_backend *backend, const git_oid *shortened, size_t digits)
{
    int rc = reader_exists_prefix(out, backend, shortened, digits);
    return rc < 0 ? rc : reader_read(data, size, type, backend, out);
}

/* Another process may have packed objects since. */
static int reader_refresh(git_odb_backend *backend)
{
    struct odb_reply reply;
    const git_oid none = {{0}};
    return ask(&reply, reader_of(backend), ODB_REFRESH, &none, 0);
}

void odb_forget(void)
{
    while (readers) {
        struct odb_reader *reader = readers;
        readers = reader->next;
        (void)end_worker(reader);
        for (size_t i = 0; i < reader->known_count; i++)
            free(reader->known[i].bytes);
        free(reader->known);
        oid_map_release(&reader->places);
        free(reader->piece);
        free(reader->objects);
        free(reader);
    }
}

/* The account (own or foreign) decides how much memory reading an object may take. */
static struct odb_reader *get_reader(const char *objects)
{
    size_t memory = account_current() == ACCOUNT_OWN ? LIMIT_OBJECT_MEMORY_BYTES
                                                     : LIMIT_FOREIGN_OBJECT_MEMORY_BYTES;
    if (!readers)
        (void)atexit(odb_forget);
    for (struct odb_reader *reader = readers; reader; reader = reader->next)
        if (str_equal(reader->objects, objects) && reader->worker.memory == memory)
            return reader;
    struct odb_reader *reader = xmalloc(sizeof(*reader));
    *reader = (struct odb_reader){.next = readers,
                                  .objects = xstrdup(objects),
                                  .piece = xmalloc(PIECE_BYTES),
                                  .worker = {.memory = memory}};
    readers = reader;
    return reader;
}

static void reader_free(git_odb_backend *backend)
{
    free(backend);
}

static int add_reader(git_odb *odb, const char *objects)
{
    struct reader_backend *made = xmalloc(sizeof(*made));
    git_odb_backend *backend = &made->backend;
    *made = (struct reader_backend){.reader = get_reader(objects)};
    int rc = git_odb_init_backend(backend, GIT_ODB_BACKEND_VERSION);
    backend->read = reader_read;
    backend->read_header = reader_read_header;
    backend->read_prefix = reader_read_prefix;
    backend->exists = reader_exists;
    backend->exists_prefix = reader_exists_prefix;
    backend->refresh = reader_refresh;
    backend->free = reader_free;
    if (rc == 0)
        rc = git_odb_add_backend(odb, backend, 1);
    if (rc < 0)
        reader_free(backend);
    return rc;
}

static struct odb_reader *find_reader(git_odb *odb)
{
    git_odb_backend *backend = NULL;
    for (size_t i = 0; i < git_odb_num_backends(odb); i++)
        if (git_odb_get_backend(&backend, odb, i) == 0 && backend->read == reader_read)
            return reader_of(backend);
    return NULL;
}

void odb_look_ahead(git_odb *odb, const git_oid *ids, size_t count)
{
    ARENA_SCRATCH(scratch);
    struct odb_reader *reader = find_reader(odb);
    if (!reader)
        return;
    size_t old = reader->known_count;
    add_unknown(reader, ids, count);
    size_t more = reader->known_count - old;
    git_oid *unknown = arena_array(&scratch, more + 1, sizeof(*unknown));
    for (size_t i = 0; i < more; i++)
        unknown[i] = reader->known[old + i].id;
    struct odb_request look = {.question = ODB_LOOK, .limit = AHEAD_OBJECT_BYTES};
    ask_all(reader, &look, unknown, more, take_known, reader->known + old);
}

void odb_find(bool *there, git_odb *odb, const git_oid *ids, size_t count)
{
    struct odb_reader *reader = find_reader(odb);
    memset(there, 0, count * sizeof(*there));
    if (reader)
        ask_all(reader, &(struct odb_request){.question = ODB_EXISTS}, ids, count, take_found,
                there);
}

int odb_open(git_odb **out, const char *objects, struct err *err)
{
    struct stat info;
    *out = NULL;
    if (git_start(err) < 0)
        return -1;
    if (stat(objects, &info) < 0)
        return err_errno(err, errno, "git", "cannot open the objects in '%s'", objects);
    if (git_odb_new(out) < 0 || add_reader(*out, objects) < 0) {
        (void)git_fail(err, "cannot open the objects in '%s'", objects);
        git_odb_free(*out);
        *out = NULL;
        return -1;
    }
    return 0;
}
