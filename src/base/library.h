/* Shared libraries that only some commands need, loaded when they are. */
#pragma once

#include "base/err.h"

/*
 * Has to come before the first call of a function of that library ("libcurl"); more calls do
 * nothing, and nor does any where the program is linked with it (`make LAZY=`, unit tests,
 * sanitizers). Exit 1 where the library is not there.
 *
 * The functions are called by their own names: src/base/library.S says how.
 */
TG_CHECKED int library_load(const char *library, struct err *err);
