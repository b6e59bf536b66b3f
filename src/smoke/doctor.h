/* The built-in gpu-smoke: runs, results, and captures of machines. */
#pragma once

#include "smoke/capture/tar.h"

#include <stdio.h>

enum { SMOKE_GPUS_MAX = 32, SMOKE_TEXT_MAX = 128 };

struct smoke_gpu {
    char name[SMOKE_TEXT_MAX]; /* from the driver */
    int compute_capability;    /* 90 for 9.0; 0: unknown */
};

/* The machine, as found by a run. */
struct smoke_machine {
    char driver[SMOKE_TEXT_MAX]; /* version of the kernel module; "": unknown */
    const char *arch;            /* "x86_64", "aarch64" */
    struct smoke_gpu gpus[SMOKE_GPUS_MAX];
    size_t gpu_count;
};

/*
 * Runs gpu-smoke with a command line (argv[0] is ignored), its report going to `out` and its errors
 * to `err`. Returns its exit code; fills in `machine` if there is a GPU. With `capture`, writes a
 * tar archive with which --root gives the same report; if that fails, returns -1 with `error`.
 * During the call SIGINT and SIGTERM end the process (130, 143).
 */
int smoke_doctor(struct smoke_machine *machine, int argc, char **argv, const char *capture,
                 FILE *out, FILE *err, tar_error error);

/* Environment variables in a capture; NULL-terminated. */
extern const char *const smoke_variables[];
