/* Runs other programs and reads their output. */
#include "io/process.h"

#include "base/buf.h"
#include "io/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 100
#define CLOSED_POLL_MS 5
#define LAST_WORDS_SECONDS 2
#define GRACE_SECONDS 10
#define LINE_MAX_BYTES 8192

extern char **environ;

/* The program dies of a closed pipe (SIGPIPE), even if this process ignores that signal. */
static void set_attributes(posix_spawnattr_t *out, enum process_group group)
{
    static const int flags[] = {
        [PROCESS_GROUP] = POSIX_SPAWN_SETPGROUP,
        [PROCESS_SESSION] = POSIX_SPAWN_SETSID,
        [PROCESS_SHARED] = 0,
    };
    sigset_t pipe;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)posix_spawnattr_init(out);
    (void)posix_spawnattr_setsigdefault(out, &pipe);
    (void)posix_spawnattr_setflags(out, (short)(POSIX_SPAWN_SETSIGDEF | flags[group]));
}

static int start(pid_t *child, int answers, int complaints, const char *const *argv,
                 const struct process_watch *how)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc)
        return rc;
    set_attributes(&attributes, how->group);
    rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                          how->input ? how->input : "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, answers, STDOUT_FILENO);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    if (!rc) /* posix_spawn does not write to argv */
        rc = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv,
                          how->environment ? (char *const *)how->environment : environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return rc;
}

static time_t seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum { LINES, OUTPUT, PIPES };

/* A running program, and its text that is not yet a whole line. */
struct stream {
    const char *name;
    const struct process_watch *watch;
    pid_t child;
    int fds[PIPES]; /* its lines, its output; -1: closed or unused */
    time_t ended;   /* when we noticed; 0: still running */
    bool too_much;
    bool redrawn; /* after '\r': the next character starts the line anew */
    size_t len;
    char text[LINE_MAX_BYTES];
};

static void end_line(struct stream *s)
{
    s->text[s->len] = '\0';
    s->watch->line(s->watch->context, s->text);
    s->len = 0;
    s->redrawn = false;
}

/* Builders redraw a line with '\r': the last text counts. */
static void take_piece(struct stream *s, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (piece[i] == '\n') {
            end_line(s);
        } else if (piece[i] == '\r') {
            s->redrawn = true;
        } else {
            s->len = s->redrawn ? 0 : s->len;
            s->redrawn = false;
            if (piece[i] && s->len + 1 < sizeof(s->text))
                s->text[s->len++] = piece[i];
        }
    }
}

/* The process stays a zombie until wait_for(), so that its ids are not reused. */
static bool has_ended(struct stream *s)
{
    siginfo_t info = {0};
    if (!s->ended && waitid(P_PID, (id_t)s->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid)
        s->ended = seconds_now();
    return s->ended;
}

static void read_some(struct stream *s, int which)
{
    char piece[65536]; /* a pipe's capacity: one read gets all output before the end */
    ssize_t count = read(s->fds[which], piece, sizeof(piece));
    if (count > 0 && which == LINES)
        take_piece(s, piece, (size_t)count);
    else if (count > 0 && buf_append(s->watch->out, piece, (size_t)count) < 0)
        s->too_much = true;
    if (count == 0 || (count < 0 && errno != EINTR)) {
        (void)close(s->fds[which]);
        s->fds[which] = -1;
    }
}

/*
 * Reads once; false if nothing more can come. Checks for the program's end first, so that this call
 * still gets all output from before it. A child of the program may hold the pipes open or print for
 * ever: it is read until it is silent, for two seconds at most.
 */
static bool take_some(struct stream *s)
{
    struct pollfd wanted[PIPES];
    bool open = s->fds[LINES] >= 0 || s->fds[OUTPUT] >= 0, over = has_ended(s);
    if (over && !open)
        return false;
    for (size_t i = 0; i < PIPES; i++)
        wanted[i] = (struct pollfd){.fd = s->fds[i], .events = POLLIN};
    int ready = poll(wanted, PIPES, open ? POLL_MS : CLOSED_POLL_MS);
    for (int i = 0; ready > 0 && i < PIPES; i++)
        if (wanted[i].revents)
            read_some(s, i);
    if (s->watch->idle)
        s->watch->idle(s->watch->context);
    return !over || (ready != 0 && seconds_now() <= s->ended + LAST_WORDS_SECONDS);
}

/*
 * Keeps reading, so that no process of the group blocks on a full pipe. When the leader has ended,
 * the others have two seconds more, or until they close their pipes.
 */
static void end_group(struct stream *s)
{
    time_t end = seconds_now() + GRACE_SECONDS;
    pid_t whom = s->watch->group == PROCESS_SHARED ? s->child : -s->child;
    (void)kill(whom, SIGTERM);
    (void)kill(whom, SIGCONT);
    while (seconds_now() < end) {
        (void)take_some(s);
        bool open = s->fds[LINES] >= 0 || s->fds[OUTPUT] >= 0;
        if (s->ended && (!open || seconds_now() > s->ended + LAST_WORDS_SECONDS))
            break;
    }
    (void)kill(whom, SIGKILL);
}

/* Running programs, as arguments of kill(). Threads run several at once. */
static _Atomic pid_t streaming[64];

static void note_running(pid_t was, pid_t is)
{
    for (size_t i = 0; i < sizeof(streaming) / sizeof(*streaming); i++) {
        pid_t expected = was;
        if (atomic_compare_exchange_strong(&streaming[i], &expected, is))
            return;
    }
}

void process_end_all(void)
{
    for (size_t i = 0; i < sizeof(streaming) / sizeof(*streaming); i++)
        if (streaming[i])
            (void)kill(streaming[i], SIGKILL);
}

static int stream_all(struct stream *s, struct err *err)
{
    int seconds = s->watch->seconds, rc = 0;
    time_t end = seconds_now() + seconds;
    while (rc == 0 && take_some(s)) {
        if (!s->watch->whatever_comes)
            rc = interrupt_check(err);
        if (rc == 0 && s->too_much)
            rc = err_set(err, TG_RUNTIME, "process", "'%s' prints too much", s->name);
        if (rc == 0 && s->watch->stop)
            rc = s->watch->stop(s->watch->context, err);
        if (rc == 0 && seconds && seconds_now() >= end)
            rc = err_set(err, TG_RUNTIME, "process", "'%s' has not ended after %d s", s->name,
                         seconds);
    }
    if (rc < 0)
        end_group(s);
    else if (s->too_much)
        rc = err_set(err, TG_RUNTIME, "process", "'%s' prints too much", s->name);
    if (s->len)
        end_line(s);
    return rc;
}

static void close_pipes(int ends[PIPES][2], int side)
{
    for (int i = 0; i < PIPES; i++)
        if (ends[i][side] >= 0)
            (void)close(ends[i][side]);
}

int process_stream(int *status, const char *const *argv, const struct process_watch *watch,
                   struct err *err)
{
    int ends[PIPES][2] = {{-1, -1}, {-1, -1}};
    struct stream s = {.name = argv[0], .watch = watch};
    if (!watch->whatever_comes && interrupt_check(err) < 0)
        return -1;
    if (pipe2(ends[LINES], O_CLOEXEC) < 0 || (watch->out && pipe2(ends[OUTPUT], O_CLOEXEC) < 0)) {
        (void)err_errno(err, errno, "process", "cannot make a pipe");
        close_pipes(ends, 0);
        close_pipes(ends, 1);
        return -1;
    }
    int rc =
        start(&s.child, watch->out ? ends[OUTPUT][1] : ends[LINES][1], ends[LINES][1], argv, watch);
    close_pipes(ends, 1);
    if (rc) {
        close_pipes(ends, 0);
        return err_errno(err, rc, "process", "cannot run '%s'", argv[0]);
    }
    s.fds[LINES] = ends[LINES][0];
    s.fds[OUTPUT] = ends[OUTPUT][0];
    pid_t whom = watch->group == PROCESS_SHARED ? s.child : -s.child;
    note_running(0, whom);
    rc = stream_all(&s, err);
    note_running(whom, 0);
    for (int i = 0; i < PIPES; i++)
        if (s.fds[i] >= 0)
            (void)close(s.fds[i]);
    *status = wait_for(s.child);
    return rc;
}

static void hear_nothing(void *context, const char *line)
{
    (void)context;
    (void)line;
}

int process_capture(struct buf *out, int *status, const char *const *argv, int seconds,
                    struct err *err)
{
    const struct process_watch watch = {
        .line = hear_nothing, .out = out, .seconds = seconds, .group = PROCESS_SHARED};
    return process_stream(status, argv, &watch, err);
}
