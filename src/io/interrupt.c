/* Turns SIGINT, SIGTERM and SIGHUP into a flag that long work polls, so that it can clean up. */
#include "io/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t received;
static bool settled;

/* The signals, and the exit codes that shells use for them. */
static const struct {
    int number;
    enum exit_code exit;
    const char *name;
} signals[] = {
    {SIGINT, TG_SIGINT, "SIGINT"}, {SIGTERM, TG_SIGTERM, "SIGTERM"}, {SIGHUP, TG_SIGHUP, "SIGHUP"}};

#define SIGNAL_COUNT (sizeof(signals) / sizeof(*signals))

static void on_signal(int number)
{
    received = number;
}

/* An ignored SIGHUP stays ignored (nohup). */
static bool stays_ignored(int number)
{
    struct sigaction before;
    return number == SIGHUP && sigaction(number, NULL, &before) == 0 &&
           before.sa_handler == SIG_IGN;
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (!stays_ignored(signals[i].number))
            (void)sigaction(signals[i].number, &action, NULL);
}

int interrupt_check(struct err *err)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (received == signals[i].number)
            return err_set(err, signals[i].exit, "interrupted", "interrupted by %s",
                           signals[i].name);
    return 0;
}

void interrupt_settle(void)
{
    settled = true;
}

bool interrupt_settled(void)
{
    return settled;
}

/* Signals are blocked until the wait itself, so that none is lost before it. */
int interrupt_wait(int fd, struct err *err)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    sigset_t held, before;
    (void)sigemptyset(&held);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        (void)sigaddset(&held, signals[i].number);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    int rc = interrupt_check(err);
    bool woken = rc == 0 && ppoll(&wanted, 1, NULL, &before) < 0 && errno == EINTR;
    rc = woken ? interrupt_check(err) : rc;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return rc < 0 ? -1 : woken;
}

int interrupt_read_byte(char *out, int fd, struct err *err)
{
    int rc = interrupt_wait(fd, err);
    if (rc < 0)
        return -1;
    ssize_t count = rc ? -1 : read(fd, out, 1);
    if (rc || (count < 0 && errno == EINTR))
        return interrupt_read_byte(out, fd, err);
    return count == 1;
}
