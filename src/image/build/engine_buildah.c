/* buildah: no daemon, and no privileges where it has none. */
#include "image/build/engine.h"

#include "base/arena.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"

static const char *const probe[] = {"buildah", "--version", NULL};

/* Gives the container a name of ours, so that it can be removed whatever else fails. */
static int run(int *status, const struct engine_job *job, const char *image,
               const struct words *command)
{
    const char *container = command_container(job), *said;
    ERR_SCRATCH(left);
    const struct engine_job tidy = {job->engine, job->arena, job->watch, &left};
    struct command_line from = command_line(
        job->arena, WORDS("buildah", "from", "--pull-never", "--name", container, image));
    struct command_line line = command_line(job->arena, WORDS("buildah", "run", container, "--"));
    struct command_line away = command_line(job->arena, WORDS("buildah", "rm", container));
    command_add_all(&line, command);
    int rc = command_text(&said, job, &from);
    if (rc == 0)
        rc = command_status(status, job, &line);
    if (command_tidy(&tidy, &away) < 0 && rc == 0)
        rc = err_set(job->err, left.exit, left.code, "%s", left.message);
    return rc;
}

/* A manifest in the local store lists layers in unpacked form. */
static int read_manifest(struct engine_image *out, const struct engine_job *job, const char *text)
{
    struct data *manifest;
    if (json_parse_large(&manifest, job->arena, "buildah", span_from(text), 8 * LIMIT_MIB,
                         job->err) < 0)
        return command_garbled(job);
    const struct data *layers = data_get(manifest, "layers");
    out->layer_count = layers && layers->kind == DATA_LIST ? layers->list.count : 0;
    out->layers = arena_array(job->arena, out->layer_count + 1, sizeof(*out->layers));
    for (size_t i = 0; i < out->layer_count; i++) {
        const struct data *layer = layers->list.items[i];
        out->layers[i].digest = data_get_text(layer, "digest");
        out->layers[i].bytes = command_bytes(data_get(layer, "size"));
        out->bytes += out->layers[i].bytes;
    }
    return 0;
}

static int describe(struct engine_image *out, const struct engine_job *job, const char *image)
{
    struct data *document;
    struct command_line line =
        command_line(job->arena, WORDS("buildah", "inspect", "--type", "image", image));
    *out = (struct engine_image){0};
    if (command_json(&document, job, &line) < 0)
        return -1;
    out->digest = data_get_text(document, "FromImageDigest");
    const char *manifest = data_get_text(document, "Manifest");
    return manifest ? read_manifest(out, job, manifest) : 0;
}

const struct engine buildah_engine = {.name = "buildah",
                                      .probe = probe,
                                      .build = command_build,
                                      .run = run,
                                      .describe = describe,
                                      .tag = command_tag,
                                      .push = command_push};
