/* Runs other programs and reads their output. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct buf;

/* Whether the program gets a terminal's signals, and may prompt there. */
enum process_group {
    PROCESS_GROUP,   /* a new process group: it cannot prompt at a terminal */
    PROCESS_SESSION, /* a new session without a terminal: a prompt fails at once */
    PROCESS_SHARED,  /* our process group: it may prompt, and Ctrl-C reaches it, too */
};

/*
 * Runs argv (NULL-terminated; looked up in PATH) with empty input, ignores its standard error, and
 * appends its output to `out`. `*status` is its exit code, or 128 plus the signal's number. Exit 1,
 * "process", if it cannot be started, prints more than `out` takes, or runs longer than `seconds`;
 * it is then ended as in process_stream.
 */
TG_CHECKED int process_capture(struct buf *out, int *status, const char *const *argv, int seconds,
                               struct err *err);

/* How to run a program, and the callbacks while it runs. */
struct process_watch {
    /*
     * Called with each line of both streams, without its end. A line redrawn with '\r' is passed as
     * drawn last, and a long one is cut to its first 8 KiB.
     */
    void (*line)(void *context, const char *line);
    void (*idle)(void *context); /* called at least ten times a second; or NULL */
    void *context;
    struct buf *out; /* takes standard output, which is then not passed to `line`; or NULL */
    int seconds;     /* time limit; 0: none */
    enum process_group group;
    const char *const *environment; /* NULL-terminated; NULL: ours */
    const char *input;              /* a file for its standard input; NULL: empty input */
    /* Returns -1 with an error to end the program; called as often as `idle`. May be NULL. */
    int (*stop)(void *context, struct err *err);
    bool whatever_comes; /* cleanup work: signals do not end it */
};

/*
 * Runs argv, by default in a process group of its own. `*status` as above. Exit 1, "process", if it
 * cannot be started, prints more than `out` takes, or takes too long; 130, 143 or 129 if a signal
 * came; or the error of `stop`. Then its group (only the process itself with PROCESS_SHARED) gets
 * SIGTERM, and SIGKILL after ten seconds. If a signal came before, nothing is started.
 */
TG_CHECKED int process_stream(int *status, const char *const *argv,
                              const struct process_watch *watch, struct err *err);

/* Kills all running programs without waiting, for a process that exits during its work. */
void process_end_all(void);
