/* SIGINT and SIGTERM as a flag that long work looks at, so that it can tidy up. */
#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t received;

static void on_signal(int number)
{
    received = number;
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

int interrupt_check(struct err *err)
{
    if (received == 0)
        return 0;
    return err_set(err, received == SIGTERM ? TG_SIGTERM : TG_SIGINT, "interrupted",
                   "interrupted by %s", received == SIGTERM ? "SIGTERM" : "SIGINT");
}

/* Waits with the signals held back until the wait itself: none can slip in between. */
static int wait_readable(int fd, struct err *err)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    sigset_t held, before;
    (void)sigemptyset(&held);
    (void)sigaddset(&held, SIGINT);
    (void)sigaddset(&held, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    int rc = interrupt_check(err);
    while (rc == 0 && ppoll(&wanted, 1, NULL, &before) < 0 && errno == EINTR)
        rc = interrupt_check(err);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int interrupt_read_byte(char *out, int fd, struct err *err)
{
    if (wait_readable(fd, err) < 0)
        return -1;
    ssize_t count = read(fd, out, 1);
    if (count < 0 && errno == EINTR)
        return interrupt_read_byte(out, fd, err);
    return count == 1;
}
