/* Runs the `git` command for what libgit2 cannot do: fetch from servers, verify signatures. */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * How to run git. It uses the user's configuration, credential helpers, ssh, proxies and CA files,
 * but no hooks, only the protocols https and ssh, and none of the variables that a caller such as a
 * hook may set to redirect it.
 */
struct transport {
    const char *git_dir;  /* the repository to work in, our own */
    const char *protocol; /* one more allowed protocol; NULL: none */
    const char *input;    /* a file for standard input; NULL: empty */
    bool may_ask;         /* a user at the terminal can enter passwords */
    size_t max_bytes;     /* most bytes of packs; 0: no packs */
    int seconds;          /* time limit */
};

/* Git's output and error messages: masked, without passwords, on one line. */
struct transport_answer {
    int status; /* exit code */
    struct span output;
    const char *words;
    const char *raw; /* the error messages, unmasked, one a line */
};

/*
 * Runs `git ARGUMENTS` (NULL-terminated). `status` reports git's failure. Exit 1 if git cannot be
 * run, "limit" if it exceeds a limit on bytes or time; 130 and 143 for signals.
 */
TG_CHECKED int transport_run(struct transport_answer *out, struct arena *arena,
                             const struct transport *how, const char *const *arguments,
                             struct err *err);
