/* The `git` command, for what libgit2 cannot do: fetching from servers, verifying signatures. */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * How git is run: with the user's own configuration, credential helpers, ssh, proxies and CA files,
 * but with none of the variables by which a caller such as a hook would lead it elsewhere, without
 * hooks, and with https and ssh as its only protocols.
 */
struct transport {
    const char *git_dir;  /* the repository that it works in, ours */
    const char *protocol; /* one more protocol that it may use; NULL: none */
    const char *input;    /* a file that it reads; NULL: nothing */
    bool may_ask;         /* a person is at the terminal, for passwords */
    size_t max_bytes;     /* that its packs may take; 0: none are made */
    int seconds;          /* that it may run */
};

/* What it answered, and its complaints: masked, without passwords, on one line. */
struct transport_answer {
    int status; /* its exit code */
    struct span output;
    const char *words;
    const char *raw; /* the complaints as they are, a line each */
};

/*
 * Runs `git ARGUMENTS` (NULL behind the last). That it failed is told by `status`. Exit 1 where it
 * cannot be run; "limit" where it takes more bytes or time than it may; 130 and 143.
 */
TG_CHECKED int transport_run(struct transport_answer *out, struct arena *arena,
                             const struct transport *how, const char *const *arguments,
                             struct err *err);
