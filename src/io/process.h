/* Another program, run for what it prints. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct buf;

/* Whom a terminal's signals reach, and who may ask at it. */
enum process_group {
    PROCESS_GROUP,   /* a group of its own: at a terminal it may not ask */
    PROCESS_SESSION, /* likewise, and no terminal: whatever would ask there fails at once */
    PROCESS_SHARED,  /* our group: it may ask, and Ctrl-C reaches it as it reaches us */
};

/*
 * Runs argv (NULL-terminated; looked up in PATH) with nothing to read and its complaints dropped,
 * and appends what it prints to `out`. `*status` is its exit code, or 128 and the signal's number.
 * Exit 1, "process", where it cannot be started, prints more than `out` takes, or has not ended
 * after `seconds`; it is ended then, as process_stream does it.
 */
TG_CHECKED int process_capture(struct buf *out, int *status, const char *const *argv, int seconds,
                               struct err *err);

/* Who hears what a program says while it runs. */
struct process_watch {
    /*
     * Each line of both streams, without its end; of one that is drawn over, what was drawn last;
     * of a long one its first 8 KiB.
     */
    void (*line)(void *context, const char *line);
    void (*idle)(void *context); /* ten times a second at least; or NULL */
    void *context;
    struct buf *out; /* takes its standard output, which is no lines then; or NULL */
    int seconds;     /* it may run; 0: as long as it likes */
    enum process_group group;
    const char *const *environment; /* NULL-terminated; NULL: ours */
    const char *input;              /* a file that it reads; NULL: nothing to read */
    /* Ends it: -1 with an error, asked as often as `idle`; or NULL. */
    int (*stop)(void *context, struct err *err);
    bool whatever_comes; /* it tidies up: no signal ends it */
};

/*
 * Runs argv in a process group of its own, if not told otherwise. `*status` as above. Exit 1,
 * "process", where it cannot be started, prints more than `out` takes, or takes too long; 130, 143
 * or 129 where a signal came; whatever `stop` says. Its group (it alone, where that is ours) is
 * asked to end then, and killed after ten seconds. Nothing is started where a signal came before.
 */
TG_CHECKED int process_stream(int *status, const char *const *argv,
                              const struct process_watch *watch, struct err *err);

/* Kills whatever still runs, for a process that ends in the middle of things. Waits for nobody. */
void process_end_all(void);
