/* Loads shared libraries that only some commands need, on demand. */
#pragma once

#include "base/err.h"

/*
 * Must be called before the first call of a function of `library` ("libcurl"). Further calls do
 * nothing. Where the program is linked with the library (`make LAZY=`, unit tests, sanitizers), no
 * call does anything. Exit 1 if the library is missing.
 *
 * The library's functions keep their own names: src/base/library.S explains how.
 */
TG_CHECKED int library_load(const char *library, struct err *err);
