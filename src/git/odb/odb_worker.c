/* The worker: reads foreign objects with libgit2 in a process that may hang, swell or crash. */
#include "git/odb/odb_worker.h"

#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#if __has_include(<git2/sys/errors.h>) /* libgit2 1.8 and newer: out of git2.h */
#include <git2/sys/errors.h>
#endif
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZER 1
#endif

/* Exit codes for causes other than an object: a limit inherited from the parent is too low. */
enum { ODB_EXIT_SETUP = 3, ODB_EXIT_MEMORY = 4 };

/* Closes descriptors. Neither Linux before 5.9 nor glibc before 2.34 has close_range. */
static int close_from_to(int first, int last)
{
    if (syscall(SYS_close_range, first, last, 0) == 0)
        return 0;
    DIR *open = opendir("/proc/self/fd");
    if (!open)
        return -1;
    for (struct dirent *entry; (entry = readdir(open));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd >= first && fd <= last && fd != dirfd(open))
            (void)close(fd);
    }
    return closedir(open);
}

/* Closes inherited descriptors, so that the parent's locks and pipes end with the parent. */
static int keep_only(int socket)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
        return -1;
    if (socket > STDERR_FILENO + 1 && close_from_to(STDERR_FILENO + 1, socket - 1) < 0)
        return -1;
    return close_from_to(socket + 1, INT_MAX);
}

/*
 * Ctrl-C reaches the whole process group, but only the parent decides what it means; when the
 * parent ends, this process ends too.
 */
static int set_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP};
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || signal(SIGPROF, SIG_DFL) == SIG_ERR)
        return -1;
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        if (signal(ignored[i], SIG_IGN) == SIG_ERR)
            return -1;
    return 0;
}

/* The data size inherited from the parent: it counts for this process, but is paid for there. */
static rlim_t inherited_data(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1) /* data and stack: proc(5) */
        pages = 0;
    (void)fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Lowers a limit to `most`. If it is lower already, leaves it and sets `*tight`. */
static int lower(bool *tight, __rlimit_resource_t which, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) < 0)
        return -1;
    *tight = *tight || limit.rlim_cur < most;
    if (limit.rlim_cur <= most)
        return 0;
    limit.rlim_cur = most;
    if (limit.rlim_max > most)
        limit.rlim_max = most;
    return setrlimit(which, &limit);
}

/* Sets limits. Sets `*tight` if inherited limits allow less memory than ours. */
static int confine(bool *tight, size_t memory)
{
    const struct rlimit none = {0, 0};
    if (set_signals() < 0 || setrlimit(RLIMIT_CORE, &none) < 0)
        return -1;
#ifndef WITH_SANITIZER /* the sanitizer reserves terabytes */
    struct rlimit space;
    if (lower(tight, RLIMIT_DATA, inherited_data() + memory) < 0 ||
        getrlimit(RLIMIT_AS, &space) < 0)
        return -1;
    *tight = *tight || space.rlim_cur < memory;
#else
    (void)tight;
    (void)memory;
    (void)lower;
    (void)inherited_data;
#endif
    return 0;
}

/* Ends this process after `seconds` more of processor time. */
static void set_alarm(time_t seconds)
{
    const struct itimerval timer = {.it_value = {seconds, 0}};
    if (setitimer(ITIMER_PROF, &timer, NULL) < 0)
        _exit(1);
}

/* Questions that came together are answered together: each message costs more than most objects. */
struct talk {
    int socket;
    struct odb_request requests[256];
    size_t got, used; /* bytes of `requests` */
    char out[32 * LIMIT_KIB];
    size_t out_len;
};

static void send_all(int socket, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(1);
        at += sent;
        size -= (size_t)sent;
    }
}

static void say(struct talk *talk, const void *bytes, size_t size)
{
    if (size > sizeof(talk->out) - talk->out_len) {
        send_all(talk->socket, talk->out, talk->out_len);
        talk->out_len = 0;
    }
    if (size > sizeof(talk->out)) {
        send_all(talk->socket, bytes, size);
        return;
    }
    memcpy(talk->out + talk->out_len, bytes, size);
    talk->out_len += size;
}

/* The next question, or NULL at the end. Sends all pending answers before it waits. */
static const struct odb_request *listen_for_next(struct talk *talk)
{
    const size_t one = sizeof(*talk->requests);
    if (talk->used == talk->got) {
        send_all(talk->socket, talk->out, talk->out_len);
        talk->out_len = talk->used = talk->got = 0;
        ssize_t got = recv(talk->socket, talk->requests, sizeof(talk->requests), 0);
        talk->got = got > 0 ? (size_t)got : 0;
        size_t part = talk->got % one;
        if (part && recv(talk->socket, (char *)talk->requests + talk->got, one - part,
                         MSG_WAITALL) == (ssize_t)(one - part))
            talk->got += one - part;
    }
    if (talk->got - talk->used < one)
        return NULL;
    talk->used += one;
    return &talk->requests[talk->used / one - 1];
}

/* Sets `*object` only if its bytes follow. */
static void answer(struct odb_reply *reply, git_odb_object **object, git_odb *odb,
                   const struct odb_request *request)
{
    git_oid id, found;
    git_object_t type = GIT_OBJECT_INVALID;
    size_t size = 0;
    memcpy(id.id, request->id, ODB_ID);
    switch (request->question) {
    case ODB_READ:
    case ODB_LOOK:
        reply->rc = git_odb_read_header(&size, &type, odb, &id);
        reply->size = size;
        reply->type = type;
        if (reply->rc < 0 ||
            (request->question == ODB_LOOK && (size == 0 || size > request->limit)))
            break;
        if (size > LIMIT_OBJECT_BYTES_A_SECOND)
            set_alarm(LIMIT_OBJECT_SECONDS + (time_t)(size / LIMIT_OBJECT_BYTES_A_SECOND));
        reply->rc = git_odb_read(object, odb, &id);
        break;
    case ODB_EXISTS:
        if (!git_odb_exists_ext(odb, &id, GIT_ODB_LOOKUP_NO_REFRESH))
            reply->rc = GIT_ENOTFOUND;
        break;
    case ODB_PREFIX:
        reply->rc = git_odb_exists_prefix(&found, odb, &id, request->digits);
        if (reply->rc == 0)
            memcpy(reply->id, found.id, ODB_ID);
        break;
    case ODB_REFRESH:
        reply->rc = git_odb_refresh(odb);
        break;
    }
}

static bool lacks_memory(const struct odb_reply *reply)
{
    const git_error *why = reply->rc < 0 ? git_error_last() : NULL;
    return why && why->klass == GIT_ERROR_NOMEMORY;
}

/* The alarm counts processor time, so it can stay set while waiting for a question. */
static void serve(git_odb *odb, int socket, bool tight)
{
    static struct talk talk;
    const struct odb_request *request;
    talk.socket = socket;
    while ((request = listen_for_next(&talk))) {
        struct odb_reply reply = {0};
        git_odb_object *object = NULL;
        set_alarm(LIMIT_OBJECT_SECONDS);
        git_error_clear();
        answer(&reply, &object, odb, request);
        if (tight && lacks_memory(&reply))
            _exit(ODB_EXIT_MEMORY);
        if (object && git_odb_object_size(object) != reply.size)
            _exit(1); /* the header lied */
        reply.followed = object != NULL;
        say(&talk, &reply, sizeof(reply));
        if (object)
            say(&talk, git_odb_object_data(object), git_odb_object_size(object));
        git_odb_object_free(object);
    }
}

/* Never returns. Keeps only `socket` and standard error of the parent's descriptors. */
static _Noreturn void run_worker(const char *objects, int socket, size_t memory)
{
    git_odb *odb = NULL;
    bool tight = false;
    if (keep_only(socket) < 0 || confine(&tight, memory) < 0)
        _exit(ODB_EXIT_SETUP);
    /* the parent checks content against id */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
    set_alarm(LIMIT_OBJECT_SECONDS);
    if (git_odb_open(&odb, objects) < 0)
        _exit(1);
    serve(odb, socket, tight);
    _exit(0);
}

/* ---------------------------------------------------------------- in the parent */

/* So often a dead worker is replaced; after that, all objects count as damaged. */
enum { WORKERS_MAX = 4 };

/* A worker that has closed its socket is about to end: waits this long for it. */
enum { TURNS = 200, TURN_NANOSECONDS = 5000000 };

static int make_worker(struct odb_worker *worker, const char *objects, const int ends[2])
{
    const struct timeval patience = {.tv_sec = LIMIT_OBJECT_WAIT_SECONDS};
    if (setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
        return errno;
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        if (getppid() != parent)
            _exit(1);
        run_worker(objects, ends[1], worker->memory);
    }
    if (child < 0)
        return errno;
    worker->pid = child;
    worker->socket = ends[0];
    worker->started++;
    return 0;
}

int odb_worker_start(struct odb_worker *worker, const char *objects)
{
    int ends[2];
    if (worker->pid)
        return 0;
    if (worker->started == WORKERS_MAX)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return errno;
    int number = make_worker(worker, objects, ends);
    (void)close(ends[1]);
    if (number)
        (void)close(ends[0]);
    return number;
}

/* Whether the worker has already ended, by itself or by a signal. */
static bool has_ended(int *status, const struct odb_worker *worker)
{
    const struct timespec turn = {.tv_nsec = TURN_NANOSECONDS};
    char byte;
    pid_t ended;
    while ((ended = waitpid(worker->pid, status, WNOHANG)) < 0 && errno == EINTR)
        ;
    bool closed = recv(worker->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ||
                  errno == ECONNRESET || errno == EPIPE;
    for (int i = 0; ended == 0 && closed && i < TURNS; i++) {
        (void)nanosleep(&turn, NULL);
        ended = waitpid(worker->pid, status, WNOHANG);
    }
    return ended > 0;
}

/* The cause, or NULL for a crash and the worker's own alarm, which an object causes. */
static const char *reason_of(int status)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGPROF};
    if (WIFEXITED(status) && WEXITSTATUS(status) == ODB_EXIT_SETUP)
        return "could not set itself up";
    if (WIFEXITED(status) && WEXITSTATUS(status) == ODB_EXIT_MEMORY)
        return "may not have the memory that it needs";
    for (size_t i = 0; WIFSIGNALED(status) && i < sizeof(crashes) / sizeof(*crashes); i++)
        if (WTERMSIG(status) == crashes[i])
            return NULL;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return "was ended by SIGKILL (out of memory?)";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return "was ended by a limit on its time (SIGXCPU)";
    return WIFSIGNALED(status) ? "was ended by a signal" : NULL;
}

const char *odb_worker_end(struct odb_worker *worker)
{
    const char *reason = NULL;
    int status;
    if (!worker->pid)
        return NULL;
    if (has_ended(&status, worker)) {
        reason = reason_of(status);
    } else {
        (void)kill(worker->pid, SIGKILL);
        while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    (void)close(worker->socket);
    worker->pid = 0;
    return reason;
}
