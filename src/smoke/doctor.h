/* gpu-smoke for the program that has it built in: a run, what it found, captures of machines. */
#pragma once

#include "smoke/capture/tar.h"

#include <stdio.h>

enum { SMOKE_GPUS_MAX = 32, SMOKE_TEXT_MAX = 128 };

struct smoke_gpu {
    char name[SMOKE_TEXT_MAX]; /* as the driver says it */
    int compute_capability;    /* 90; 0: not known */
};

/* What a run found out about its machine. */
struct smoke_machine {
    char driver[SMOKE_TEXT_MAX]; /* the kernel module's version; "": not known */
    const char *arch;            /* "x86_64", "aarch64" */
    struct smoke_gpu gpus[SMOKE_GPUS_MAX];
    size_t gpu_count;
};

/*
 * Runs gpu-smoke with the words of a command line (argv[0] is not looked at): its report goes to
 * `out`, its complaints to `err`. The exit code; `machine` is filled where there is a GPU. With
 * `capture` a tar is written that --root reads to the same report; where that fails, the code is -1
 * and `error` tells why. SIGINT and SIGTERM end the process meanwhile (130, 143).
 */
int smoke_doctor(struct smoke_machine *machine, int argc, char **argv, const char *capture,
                 FILE *out, FILE *err, tar_error error);

/* The variables of the environment that a capture holds; NULL-terminated. */
extern const char *const smoke_variables[];
