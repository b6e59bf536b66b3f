/*
 * A preload that ends a run of tmplgen with 97 where it leaves a descriptor open at its end, and
 * says which: each run of the update tests has it. What was open at its start does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST = 3, MANY = 256, CODE = 97 };

static bool by_libgit2; /* `new` writes its refs so; an update does not */

/* libgit2 1.5 leaves the lock of a ref open whose sync fails. */
static bool is_libgit2s(const char *path)
{
    static const char end[] = ".lock (deleted)";
    size_t len = strlen(path), tail = sizeof(end) - 1;
    return by_libgit2 && strstr(path, "/.git/refs/") && len > tail &&
           strcmp(path + len - tail, end) == 0;
}

static bool before[MANY];
static pid_t owner;

__attribute__((constructor)) static void start(int argc, char **argv)
{
    by_libgit2 = argc > 1 && strcmp(argv[1], "new") == 0;
    owner = strncmp(program_invocation_short_name, "tmplgen", 7) == 0 ? getpid() : 0;
    for (int fd = FIRST; fd < MANY; fd++)
        before[fd] = fcntl(fd, F_GETFD) >= 0;
}

__attribute__((destructor)) static void end(void)
{
    int left = 0;
    for (int fd = FIRST; owner == getpid() && fd < MANY; fd++) {
        char link[64], path[512] = "";
        if (before[fd] || fcntl(fd, F_GETFD) < 0)
            continue;
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        (void)syscall(SYS_readlink, link, path, sizeof(path) - 1);
        if (is_libgit2s(path))
            continue;
        (void)fprintf(stderr, "left open: %d %s\n", fd, path);
        left++;
    }
    if (left)
        _exit(CODE);
}
