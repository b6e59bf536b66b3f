/*
 * A preload in which one call always fails.
 *
 *   FAILCALL=flock|linkat
 *   FAILCALL_ERRNO=NUMBER
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *what;
static int number;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAILCALL_ERRNO");
    what = getenv("FAILCALL");
    what = what ? what : "";
    number = text ? atoi(text) : EIO;
}

static int fails(const char *name)
{
    if (strcmp(what, name) != 0)
        return 0;
    errno = number;
    return 1;
}

int flock(int fd, int operation)
{
    __typeof__(&flock) real = (__typeof__(&flock))dlsym(RTLD_NEXT, "flock");
    return fails("flock") ? -1 : real(fd, operation);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    __typeof__(&linkat) real = (__typeof__(&linkat))dlsym(RTLD_NEXT, "linkat");
    return fails("linkat") ? -1 : real(from, old, to, new, flags);
}
