/* The process that reads foreign objects, as its parent has it: started, ended, and why it ended.
 */
#include "git/odb/odb_process.h"

#include "base/limits.h"
#include "git/odb/odb_worker.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A worker that ended is followed by another so often; then all is damaged. */
enum { WORKERS_MAX = 4 };

/* One that has closed its socket is about to end: it is waited for so long. */
enum { TURNS = 200, TURN_NANOSECONDS = 5000000 };

static int make_worker(struct odb_process *process, const char *objects, const int ends[2])
{
    const struct timeval patience = {.tv_sec = LIMIT_OBJECT_WAIT_SECONDS};
    if (setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
        return errno;
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        if (getppid() != parent)
            _exit(1);
        odb_worker_run(objects, ends[1], process->memory);
    }
    if (child < 0)
        return errno;
    process->pid = child;
    process->socket = ends[0];
    process->started++;
    return 0;
}

int odb_process_start(struct odb_process *process, const char *objects)
{
    int ends[2];
    if (process->pid)
        return 0;
    if (process->started == WORKERS_MAX)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return errno;
    int number = make_worker(process, objects, ends);
    (void)close(ends[1]);
    if (number)
        (void)close(ends[0]);
    return number;
}

/* Whether it ended by itself, or was ended by others, before we do it. */
static bool has_ended(int *status, const struct odb_process *process)
{
    const struct timespec turn = {.tv_nsec = TURN_NANOSECONDS};
    char byte;
    pid_t ended;
    while ((ended = waitpid(process->pid, status, WNOHANG)) < 0 && errno == EINTR)
        ;
    bool closed = recv(process->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ||
                  errno == ECONNRESET || errno == EPIPE;
    for (int i = 0; ended == 0 && closed && i < TURNS; i++) {
        (void)nanosleep(&turn, NULL);
        ended = waitpid(process->pid, status, WNOHANG);
    }
    return ended > 0;
}

/* Crashes and its own alarm are an object's doing. */
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

const char *odb_process_end(struct odb_process *process)
{
    const char *reason = NULL;
    int status;
    if (!process->pid)
        return NULL;
    if (has_ended(&status, process)) {
        reason = reason_of(status);
    } else {
        (void)kill(process->pid, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    (void)close(process->socket);
    process->pid = 0;
    return reason;
}
