/* The name of a wheel: which Python, processor and glibc it is for (PEP 427, 600). */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct wheel {
    struct span name, version;         /* as in the file's name */
    struct span python, abi, platform; /* may each be several, with dots between */
};

/* NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl; -1 where it is no such name. */
TG_CHECKED int wheel_parse(struct wheel *out, const char *filename);

/*
 * Whether it installs on Linux with glibc and that processor. `*glibc` is the minor of glibc 2 that
 * it wants (17 for manylinux2014), 0 where it wants none or does not say (`linux_x86_64`, `any`).
 */
bool wheel_fits_processor(int *glibc, const struct wheel *wheel, const char *processor);
/*
 * Whether it is for CPython `python` ("3.12"), free-threaded builds aside: its own, the stable ABI
 * of an older one, or any 3.
 */
bool wheel_fits_python(const struct wheel *wheel, const char *python);
/* It is for Pythons yet to come (py3-none, abi3): only Requires-Python bounds it. */
bool wheel_is_for_later_pythons(const struct wheel *wheel);
