/* Chooses the program that builds images. */
#include "image/build.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "image/build/engine.h"
#include "io/http.h"
#include "io/process.h"

#include <stdlib.h>

#define PROBE_SECONDS 30

static const struct engine *const engines[] = {&docker_engine, &buildah_engine, &podman_engine};
static const size_t engine_count = sizeof(engines) / sizeof(*engines);

/* Returns -1 only where a signal came. */
static int succeeds(bool *out, const char *const *command, struct err *err)
{
    int status = -1;
    BUF_SCRATCH(said, 65536);
    ERR_SCRATCH(inner);
    int rc = process_capture(&said, &status, command, PROBE_SECONDS, &inner);
    *out = rc == 0 && status == 0;
    return rc < 0 && inner.exit != TG_RUNTIME
               ? err_set(err, inner.exit, inner.code, "%s", inner.message)
               : 0;
}

/* `*failed` is the engine's command that failed, or NULL. */
static int try_engine(const char *const **failed, const struct engine *engine, struct err *err)
{
    const char *const *commands[] = {engine->probe, engine->daemon};
    *failed = NULL;
    for (size_t i = 0; !*failed && i < 2; i++) {
        bool there = true;
        if (commands[i] && succeeds(&there, commands[i], err) < 0)
            return -1;
        if (!there)
            *failed = commands[i];
    }
    return 0;
}

static int refuse(struct err *err, const struct engine *engine, const char *const *failed)
{
    (void)err_set(err, TG_RUNTIME, "no-engine", "'%s' cannot be used here%s", engine->name,
                  failed == engine->daemon ? ": its daemon does not answer" : "");
    return err_hint(err, "'%s %s' must succeed", failed[0], failed[1]);
}

/* Takes the engine of that name, which must be usable. */
static int take_named(const struct engine **out, const char *name, const char *where,
                      struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *const *failed;
    for (size_t i = 0; i < engine_count; i++) {
        if (!str_equal(engines[i]->name, name))
            continue;
        *out = engines[i];
        if (try_engine(&failed, *out, err) < 0)
            return -1;
        return failed ? refuse(err, *out, failed) : 0;
    }
    (void)err_set(err, TG_USAGE, "usage", "%s: '%s' is no engine", where,
                  http_shown(&scratch, name));
    return err_hint(err, "there is: docker, buildah, podman");
}

int engine_choose(const struct engine **out, const char *name, struct err *err)
{
    const char *wanted = getenv("TMPLGEN_ENGINE");
    const char *const *failed;
    const struct engine *silent = NULL;
    if (name)
        return take_named(out, name, "--engine", err);
    if (wanted && *wanted)
        return take_named(out, wanted, "TMPLGEN_ENGINE", err);
    for (size_t i = 0; i < engine_count; i++) {
        *out = engines[i];
        if (try_engine(&failed, *out, err) < 0)
            return -1;
        if (!failed)
            return 0;
        if (failed == engines[i]->daemon)
            silent = engines[i];
    }
    if (silent)
        return refuse(err, silent, silent->daemon);
    (void)err_set(err, TG_RUNTIME, "no-engine",
                  "there is no docker with buildx, buildah or podman");
    return err_hint(err, "install one of them, or let CI build: tmplgen image bake");
}
