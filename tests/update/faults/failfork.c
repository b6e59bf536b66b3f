/*
 * A preload that lets what the reading of objects needs fail.
 *
 *   FAILFORK=fork|socketpair    that call ends with EAGAIN or EMFILE
 *   FAILFORK=NUMBER             the forked process ends by that signal at its Nth read of a socket,
 *   FAILFORK_AT=N               from 1
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static int number, is_child;
static long at, count;
static const char *what;

__attribute__((constructor)) static void start(void)
{
    const char *when = getenv("FAILFORK_AT");
    what = getenv("FAILFORK");
    what = what ? what : "";
    number = atoi(what);
    at = when ? atol(when) : 1;
}

pid_t fork(void)
{
    __typeof__(&fork) real = (__typeof__(&fork))dlsym(RTLD_NEXT, "fork");
    if (strcmp(what, "fork") == 0) {
        errno = EAGAIN;
        return -1;
    }
    pid_t child = real();
    is_child = is_child || child == 0;
    return child;
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
    __typeof__(&socketpair) real = (__typeof__(&socketpair))dlsym(RTLD_NEXT, "socketpair");
    if (strcmp(what, "socketpair") == 0) {
        errno = EMFILE;
        return -1;
    }
    return real(domain, type, protocol, ends);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
    __typeof__(&recv) real = (__typeof__(&recv))dlsym(RTLD_NEXT, "recv");
    if (is_child && number && ++count == at) {
        (void)signal(number, SIG_DFL);
        (void)kill(getpid(), number);
    }
    return real(fd, bytes, size, flags);
}
