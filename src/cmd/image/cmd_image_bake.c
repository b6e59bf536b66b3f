/* `image bake`: all rows for BuildKit, which spreads them over its builders. */
#include "image/build_context.h"

#include "base/str.h"
#include "catalog/base_image.h"
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "cmd/matrix/matrix_session.h"
#include "data/data.h"

#define CONTEXTS "images"

/* Those of the row that its base image has, too, where the lock file knows. */
static int platforms_of(const struct data **out, struct image_session *s,
                        const struct image_row *row)
{
    struct data *all, *kept = data_list(&s->run->arena);
    const struct data *base = data_get(data_get(s->lock.images, row->base), "platforms");
    if (image_row_platforms(&all, &s->run->arena, &s->selection, row, s->err) < 0)
        return -1;
    for (size_t i = 0; i < all->list.count; i++)
        if (!base || !base->map.count || data_get(base, data_text(all->list.items[i])))
            data_push(&s->run->arena, kept, all->list.items[i]);
    *out = kept;
    if (kept->list.count)
        return 0;
    return err_set(s->err, TG_USAGE, "no-platform",
                   "%s: its base '%s' is for none of its platforms", row->name, row->base);
}

/* The folders of the rows are those of --contexts here; --output is the bake file. */
static int fail_contexts(struct err *err)
{
    return str_equal(err->code, "target-not-empty")
               ? err_hint(err, "remove it, or name another folder: --contexts DIR")
               : -1;
}

static int bake(struct image_session *s)
{
    struct run *run = s->run;
    const char *output = opt_value(&run->options, "output");
    const char *contexts = opt_value(&run->options, "contexts"), **paths;
    struct bake_row *rows = arena_array(&run->arena, s->count + 1, sizeof(*rows));
    const struct image_contexts what = {
        s->in->catalog, s->rows, s->count, &s->lock, contexts && *contexts ? contexts : CONTEXTS,
        image_marks(s)};
    struct data *targets, *document;
    if (!output || !*output)
        return err_set(s->err, TG_USAGE, "usage", "--output is missing");
    if (image_contexts_check(&paths, &run->arena, &what, s->err) < 0)
        return fail_contexts(s->err);
    for (size_t i = 0; i < s->count; i++) {
        rows[i] = (struct bake_row){.row = &s->rows[i], .context = paths[i]};
        if (platforms_of(&rows[i].platforms, s, &s->rows[i]) < 0)
            return -1;
    }
    document = bake_document(&targets, &run->arena, rows, s->count, s->selection.registry);
    if (bake_write(&run->arena, output, document, &what, s->err) < 0)
        return -1;
    if (!s->selection.registry)
        cmd_warn(run, "without a registry the targets have no cache: --registry HOST/PATH");
    cmd_print(run, "%s: %zu targets, their contexts in %s\n", output, s->count, what.output);
    data_put(&run->arena, run->document, "targets", targets);
    data_put_text(&run->arena, run->document, "output", output);
    return TG_OK;
}

static int image_bake_run(struct run *run, struct err *err)
{
    static const struct image_work work = {.act = bake, .uses_bases = true};
    return image_in_session(run, &work, err);
}

static const struct option bake_options[] = {
    {"output", "FILE", "the bake file, such as docker-bake.json", false},
    {"contexts", "DIR", "the folder of the Dockerfiles, as of image render (default: images)",
     false},
    {NULL, NULL, NULL, false},
};

static const struct option_group groups[] = {
    {"Files", bake_options},
    {"Rows", image_row_options},
    {"Stack, for one row of one image", stack_options},
    {"How", image_lock_options},
    {"Catalog", matrix_source_options},
    {"Output", common_options},
    {NULL, NULL},
};

const struct command image_bake_command = {
    .name = "image bake",
    .schema = "image-bake",
    .usage = "[NAME...] --output FILE [--contexts DIR]",
    .summary = "Write a bake file for BuildKit, a target for each row, and their Dockerfiles.",
    .details = "Then: docker buildx bake -f FILE [IMAGE...]. A row is built for amd64 and arm64 "
               "where it has the same wheels for both. docs/images.md shows a whole matrix on the "
               "kubernetes driver.",
    .options = groups,
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_bake_run};
