/*
 * Runs a command and prints `SECONDS CPU KILOBYTES` on file descriptor 3: how long it took, the
 * processor time of it and its children, and its peak memory. Python cannot measure the latter: a
 * child of a big process begins with its peak.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    if (argc < 2)
        return 2;
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        close(3);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return 1;
    dprintf(3, "%.6f %.6f %ld\n", now() - start, seconds(usage.ru_utime) + seconds(usage.ru_stime),
            usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
