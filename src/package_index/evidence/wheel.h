/* The name of a wheel: its Python, processor and glibc (PEP 427, 600). */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct wheel {
    struct span name, version;         /* as in the file's name */
    struct span python, abi, platform; /* each may be several, with dots between */
};

/* Parses NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl; -1 for another form. */
TG_CHECKED int wheel_parse(struct wheel *out, const char *filename);

/*
 * True where it installs on Linux with glibc and that processor. `*glibc` is the minor of glibc 2
 * that it needs (17 for manylinux2014); 0: none, or its name does not tell (`linux_x86_64`, `any`).
 */
bool wheel_fits_processor(int *glibc, const struct wheel *wheel, const char *processor);
/*
 * True where the wheel is for CPython `python` ("3.12"), but not a free-threaded build: for that
 * version, for the stable ABI of an older one, or for any 3.
 */
bool wheel_fits_python(const struct wheel *wheel, const char *python);
/* True where it is for future Pythons, too (py3-none, abi3): only Requires-Python bounds it. */
bool wheel_is_for_later_pythons(const struct wheel *wheel);
