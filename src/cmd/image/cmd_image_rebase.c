/* `image rebase`: moves a pushed image to another base. */
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "data/document.h"
#include "image/image_rebase.h"

static const struct option what_options[] = {
    {"onto", "BASE", "the new base, such as nvidia/cuda:13.0.3-base-ubuntu24.04", false},
    {"check", NULL, "only say what would be done: nothing is written", false},
    {NULL, NULL, NULL, false},
};

static void tell_words(struct run *run, const struct image_rebased *made, const char *name)
{
    bool check = opt_given(&run->options, "check");
    if (made->already) {
        cmd_print(run, "'%s' is on '%s' already: nothing to do\n", name, made->to);
        return;
    }
    cmd_print(run, "from    %s\nto      %s\n", made->from, made->to);
    for (size_t i = 0; i < made->layers->list.count; i++) {
        const struct data *row = made->layers->list.items[i];
        cmd_print(run, "layers  %s: %d for %d, %d kept\n", data_shown(row, "platform"),
                  (int)data_get(row, "added")->integer, (int)data_get(row, "removed")->integer,
                  (int)data_get(row, "kept")->integer);
    }
    cmd_print(run, "digest  %s\n", made->digest);
    if (check)
        cmd_print(run, "nothing was written: --check\n");
    else if (!made->tag)
        cmd_print(run, "no tag names it yet\n");
}

static void tell(struct run *run, const struct image_rebased *made, const char *name)
{
    cmd_tell(run, FIELD("image", name), FIELD("from", made->from), FIELD("to", made->to),
             FIELD("digest", made->digest), FIELD("layers", made->layers));
    if (made->attestations)
        cmd_warn(run, "%zu attestations were left behind: they are about the image as it was",
                 made->attestations);
    tell_words(run, made, name);
}

static int image_rebase_run(struct run *run, struct err *err)
{
    struct registry *registry;
    struct image_rebased made;
    const char *name = cmd_argument(run, NULL), *onto = opt_value(&run->options, "onto");
    if (!name || !onto) {
        (void)err_set(err, TG_USAGE, "usage", "%s", name ? "which base? (--onto)" : "which image?");
        return err_hint(err, "tmplgen image rebase HOST/REPO:TAG --onto BASE");
    }
    if (image_registry(&registry, run, err) < 0 ||
        image_rebase(&made, &run->arena, registry, name, onto, opt_given(&run->options, "check"),
                     err) < 0)
        return -1;
    tell(run, &made, name);
    return TG_OK;
}

const struct command image_rebase_command = {
    .name = "image rebase",
    .usage = "REF --onto BASE [--check]",
    .summary = "Exchange the base below a pushed image, without building it again.",
    .details =
        "The layers of the base that REF was built from are exchanged for BASE's through the "
        "registry alone; no layer is pulled. All platforms are done, or none, and the tag "
        "comes last. It is refused where it cannot be proven safe: another distribution "
        "release or CUDA minor, a base that is not below REF, system packages that REF "
        "installed itself. Where BASE is in another registry, copy it there first.",
    .options = OPTIONS({"What", what_options}, {"Registry", image_registry_options}),
    .max_arguments = 1,
    .run = image_rebase_run};
