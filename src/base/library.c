/* Loads shared libraries that only some commands need, on demand. */
#include "base/library.h"

#include "base/str.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of such a library: src/base/library.S makes them, and the linker joins them. */
struct library_function {
    const char *file; /* "libcurl.so.4" */
    const char *name;
    void (*address)(void);
};

/* Absent if the program is linked with its libraries. */
extern struct library_function __start_library_functions[] __attribute__((weak));
extern struct library_function __stop_library_functions[] __attribute__((weak));

/* The target of a function until its library is loaded. */
void library_not_loaded(void);

void library_not_loaded(void)
{
    (void)fputs("tmplgen: a library is used before it is loaded\n", stderr);
    abort();
}

/*
 * The same for functions that free: without the library there is nothing to free, so that cleaning
 * up after an early error is harmless.
 */
void library_frees_nothing(void);

void library_frees_nothing(void)
{
}

static bool is_loaded(const struct library_function *f)
{
    return f->address != library_not_loaded && f->address != library_frees_nothing;
}

static int fail(struct err *err, const char *file)
{
    (void)err_set(err, TG_RUNTIME, "library", "cannot load '%s': %s", file, dlerror());
    return err_hint(err, "install the package that '%s' comes from", file);
}

int library_load(const char *library, struct err *err)
{
    struct library_function *f = __start_library_functions;
    void *handle = NULL;
    /* cppcheck-suppress comparePointers ; the linker makes both ends of one array */
    for (; f < __stop_library_functions; f++) {
        if (!str_starts(f->file, library) || is_loaded(f))
            continue;
        if (!handle && !(handle = dlopen(f->file, RTLD_LAZY | RTLD_LOCAL)))
            return fail(err, f->file);
        void *address = dlsym(handle, f->name);
        if (!address)
            return fail(err, f->file);
        memcpy(&f->address, &address, sizeof(address));
    }
    return 0;
}
