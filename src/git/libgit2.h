/* Common use of libgit2: start, errors, blob ids. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Starts libgit2 once, with fsync on, until the process exits. Further calls do nothing. */
TG_CHECKED int git_start(struct err *err);
/* Sets exit 1, "git", the message and libgit2's own reason; returns -1. Right after the failure. */
int git_fail(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifndef TG_GIT_C
#define git_fail(...) err_minus_one(git_fail(__VA_ARGS__))
#endif

/* The blob id of these bytes. */
TG_CHECKED int git_hash_blob(unsigned char id[20], struct span bytes, struct err *err);
