/* docker with buildx, and podman, which has the same commands except to build and to push. */
#include "image/build/engine.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"
#include "data/json.h"

#include <string.h>

static const char *const docker_probe[] = {"docker", "buildx", "version", NULL};
/* The program shows its own version even where no daemon runs. */
static const char *const docker_daemon[] = {"docker", "version", "--format", "{{.Server.Version}}",
                                            NULL};
/* Unlike --version it asks the service of a remote podman. */
static const char *const podman_probe[] = {"podman", "version", NULL};

/* ------------------------------------------------------------------ building */

static int docker_build(const struct engine_job *job, const struct engine_build *what)
{
    struct command_line line = command_line(
        job->arena, WORDS("docker", "buildx", "build", "--progress", "plain", "--output",
                          what->epoch ? "type=docker,rewrite-timestamp=true" : "type=docker"));
    if (what->epoch) {
        command_add(&line, "--build-arg");
        command_add(&line, arena_printf(job->arena, "SOURCE_DATE_EPOCH=%s", what->epoch));
    }
    for (size_t i = 0; i < what->arguments.count; i++) {
        command_add(&line, "--build-arg");
        command_add(&line, what->arguments.items[i]);
    }
    command_add(&line, "--iidfile");
    command_add(&line, what->id_file);
    command_add(&line, what->context);
    return command_run(job, &line);
}

/* ------------------------------------------------------------------ shared by both */

/* The client may be killed while its container lives on: the name lets us remove the container. */
static int run_in(int *status, const struct engine_job *job, const char *image,
                  const struct words *command)
{
    const char *container = command_container(job), *engine = job->engine->name;
    ERR_SCRATCH(left);
    const struct engine_job tidy = {job->engine, job->arena, job->watch, &left};
    struct command_line line = command_line(
        job->arena, WORDS(engine, "run", "--rm", "--name", container, "--entrypoint", "", image));
    struct command_line away = command_line(job->arena, WORDS(engine, "rm", "--force", container));
    command_add_all(&line, command);
    int rc = command_status(status, job, &line);
    if (rc < 0)
        (void)!command_tidy(&tidy, &away);
    return rc;
}

/* The digest from the registry of `name`, else from any registry, else the image's id. */
static const char *digest_of(const struct data *image, const char *name)
{
    const struct data *digests = data_get(image, "RepoDigests");
    const char *own = data_get_text(image, "Digest"), *other = NULL;
    const char *colon = strrchr(name, ':');
    size_t len = colon ? (size_t)(colon - name) : strlen(name);
    if (own && *own)
        return own;
    for (size_t i = 0; digests && digests->kind == DATA_LIST && i < digests->list.count; i++) {
        const char *text = data_text(digests->list.items[i]), *at = text ? strchr(text, '@') : NULL;
        if (at && (size_t)(at - text) == len && !strncmp(text, name, len))
            return at + 1;
        other = at && !other ? at + 1 : other;
    }
    return other ? other : data_get_text(image, "Id");
}

static void add_layer(struct engine_image *out, const struct data *step)
{
    const struct data *size = data_get(step, "Size");
    int64_t bytes = command_bytes(size ? size : data_get(step, "size"));
    if (!bytes)
        return;
    memmove(out->layers + 1, out->layers, out->layer_count * sizeof(*out->layers));
    out->layers[0] = (struct engine_layer){.bytes = bytes};
    out->layer_count++;
}

/*
 * One step a line, or in one list; the newest first. Steps without files have no layer, or an empty
 * one: steps and layers match reliably only where none is empty.
 */
static int read_history(struct engine_image *out, const struct engine_job *job, const char *text,
                        const struct data *digests)
{
    struct data *step;
    size_t most = strlen(text) / 2 + 2;
    out->layers = arena_array(job->arena, most, sizeof(*out->layers));
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\n");
        if (json_parse_large(&step, job->arena, "history", span_of(at, len), len + 1, job->err) < 0)
            return command_garbled(job);
        if (step->kind != DATA_LIST)
            add_layer(out, step);
        for (size_t i = 0; step->kind == DATA_LIST && i < step->list.count; i++)
            add_layer(out, step->list.items[i]);
        at += len + (at[len] == '\n');
    }
    if (digests && digests->kind == DATA_LIST && digests->list.count == out->layer_count)
        for (size_t i = 0; i < out->layer_count; i++)
            out->layers[i].digest = data_text(digests->list.items[i]);
    return 0;
}

static int describe(struct engine_image *out, const struct engine_job *job, const char *image)
{
    struct data *list;
    const char *history, *engine = job->engine->name;
    struct command_line inspect =
        command_line(job->arena, WORDS(engine, "image", "inspect", image));
    struct command_line steps =
        command_line(job->arena, WORDS(engine, "history", "--no-trunc", "--human=false", "--format",
                                       "{{json .}}", image));
    *out = (struct engine_image){0};
    if (command_json(&list, job, &inspect) < 0)
        return -1;
    if (list->kind != DATA_LIST || !list->list.count)
        return err_set(job->err, TG_RUNTIME, "engine", "'%s image inspect' does not know '%s'",
                       engine, image);
    const struct data *found = list->list.items[0];
    out->digest = digest_of(found, image);
    out->bytes = command_bytes(data_get(found, "Size"));
    if (command_text(&history, job, &steps) < 0)
        return -1;
    return read_history(out, job, history, data_get(data_get(found, "RootFS"), "Layers"));
}

/* ------------------------------------------------------------------ the engines */

/* docker uses plain HTTP for this machine without an option, and for no other. */
static int docker_push(const char **digest, const struct engine_job *job, const char *name,
                       const char *id_file, bool plain_http)
{
    struct engine_image image;
    struct command_line line = command_line(job->arena, WORDS("docker", "push", name));
    (void)id_file;
    (void)plain_http;
    if (command_run(job, &line) < 0 || describe(&image, job, name) < 0)
        return -1;
    *digest = image.digest;
    return 0;
}

const struct engine docker_engine = {.name = "docker",
                                     .probe = docker_probe,
                                     .daemon = docker_daemon,
                                     .build = docker_build,
                                     .run = run_in,
                                     .describe = describe,
                                     .tag = command_tag,
                                     .push = docker_push};

const struct engine podman_engine = {.name = "podman",
                                     .probe = podman_probe,
                                     .build = command_build,
                                     .run = run_in,
                                     .describe = describe,
                                     .tag = command_tag,
                                     .push = command_push};
