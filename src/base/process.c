/* Another program, run for what it prints. */
#include "base/process.h"

#include "base/buf.h"
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 100

extern char **environ;

static int start(pid_t *child, int writing, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc)
        return rc;
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, writing, STDOUT_FILENO);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!rc) /* argv is not written to */
        rc = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static time_t seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Until the other end is closed. */
static int read_all(struct buf *out, int fd, const char *name, int seconds, struct err *err)
{
    char piece[4096];
    time_t end = seconds_now() + seconds;
    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        if (interrupt_check(err) < 0)
            return -1;
        if (seconds_now() >= end)
            return err_set(err, TG_RUNTIME, "process", "'%s' has not ended after %d s", name,
                           seconds);
        if (poll(&wanted, 1, POLL_MS) <= 0)
            continue;
        ssize_t count = read(fd, piece, sizeof(piece));
        if (count == 0)
            return 0;
        if (count < 0 && errno != EINTR)
            return err_errno(err, errno, "process", "cannot read from '%s'", name);
        if (count > 0 && buf_append(out, piece, (size_t)count) < 0)
            return err_set(err, TG_RUNTIME, "process", "'%s' prints too much", name);
    }
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_capture(struct buf *out, int *status, const char *const *argv, int seconds,
                    struct err *err)
{
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_errno(err, errno, "process", "cannot make a pipe");
    int rc = start(&child, ends[1], argv);
    (void)close(ends[1]);
    if (rc) {
        (void)close(ends[0]);
        return err_errno(err, rc, "process", "cannot run '%s'", argv[0]);
    }
    rc = read_all(out, ends[0], argv[0], seconds, err);
    (void)close(ends[0]);
    if (rc < 0)
        (void)kill(child, SIGKILL);
    *status = wait_for(child);
    return rc;
}
