/* `image lock`, `image verify`: base images by digest, and the registry's answers for them. */
#include "base/str.h"
#include "catalog/catalog_source.h"
#include "cmd/cmd.h"
#include "cmd/image/image_session.h"
#include "cmd/matrix/matrix_session.h"
#include "data/document.h"
#include "image/lock.h"
#include "matrix/matrix.h"

#include <string.h>

/* True where there are more rows than those of this run. */
static bool is_part(const struct image_session *s)
{
    return s->selection.images.count || s->selection.only.count || s->selection.request;
}

/* ------------------------------------------------------------------ image lock */

static void tell(void *context, const char *text)
{
    struct image_session *s = context;
    cmd_say(s->run, "%s", text);
}

static void print_locked(struct image_session *s, const struct data *locked)
{
    for (size_t i = 0; i < locked->list.count; i++) {
        const struct data *map = locked->list.items[i];
        const char *was = data_get_text(map, "was"), *now = data_shown(map, "digest");
        const char *word = !was ? "new" : str_equal(was, now) ? "same" : "moved";
        cmd_print(s->run, "%-5s  %s  %s\n", word, data_shown(map, "reference"), now);
    }
}

static int image_lock_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, IMAGE_LOCKS, err) < 0)
        return -1;
    struct registry *registry;
    struct lock_outcome out;
    bool written;
    struct lock_wishes wishes = {.rows = s->rows,
                                 .count = s->count,
                                 .whole = !is_part(s),
                                 .update = opt_given(&run->options, "update"),
                                 .again = s->references,
                                 .tell = tell,
                                 .context = s};
    if (image_registry(&registry, s->run, s->err) < 0 ||
        lock_bases(&out, &run->arena, &s->lock, &wishes, registry, err) < 0)
        return -1;
    if (out.failed && !out.locked->list.count)
        return err_set(err, TG_RUNTIME, "not-locked", "no base image could be locked");
    if (lock_keep_bases(&out, &written, &run->arena, s->lock.path, &wishes, err) < 0)
        return -1;
    print_locked(s, out.locked);
    for (size_t i = 0; i < out.dropped->list.count; i++)
        cmd_print(run, "gone   %s: no row needs it\n", data_text(out.dropped->list.items[i]));
    for (size_t i = 0; i < out.dropped_packages->list.count; i++)
        cmd_say(run, "dropped the packages of %s: no row is called so",
                data_text(out.dropped_packages->list.items[i]));
    if (out.failed) {
        (void)err_set(err, TG_RUNTIME, "not-locked", "%zu of %zu base images could not be locked",
                      out.failed, out.failed + out.locked->list.count);
        return err_hint(err, "those that could be are in '%s'", s->lock.path);
    }
    cmd_say(run, written ? "wrote %s" : "%s is as it was", s->lock.path);
    cmd_tell(run, FIELD("locked", out.locked), FIELD("dropped", out.dropped),
             FIELD("dropped_packages", out.dropped_packages));
    return TG_OK;
}

static const struct option update_options[] = {
    {"update", NULL, "ask again for what is locked: all, or each REPO:TAG that is named", false},
    {NULL, NULL, NULL, false},
};

const struct command image_lock_command = {
    .name = "image lock",
    .usage = "[NAME...] [--update [REPO:TAG...]]",
    .summary = "Write the digests of the base images into the lock file.",
    .details =
        "Adds what is missing, and drops what no row needs where all rows are looked at. "
        "Everything that is rendered or built afterwards names the base image by its digest.",
    .options = OPTIONS({"Lock", update_options}, IMAGE_ROWS, {"Registry", image_registry_options},
                       {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_lock_run};

/* ------------------------------------------------------------------ image verify */

static void print_checked(struct image_session *s, const struct data *checked)
{
    for (size_t i = 0; i < checked->list.count; i++) {
        const struct data *map = checked->list.items[i];
        const char *state = data_get_text(map, "state"), *why = data_get_text(map, "why");
        bool told = state && !str_equal(state, "supported");
        cmd_print(s->run, "%-11s  %s%s%s%s%s\n", data_shown(map, "status"),
                  data_shown(map, "reference"), told ? ", " : "", told ? state : "",
                  why ? ": " : "", why ? cmd_masked(s->run, why) : "");
        if (str_equal(data_get_text(map, "status"), "moved"))
            cmd_print(s->run, "             was %s\n             now %s\n",
                      data_shown(map, "digest"), data_shown(map, "now"));
    }
}

/* Where the user picked rows, this run is only about their bases. */
static struct lock picked(const struct image_session *s)
{
    struct arena *arena = &s->run->arena;
    struct lock lock = s->lock;
    struct data *bases = data_list(arena);
    for (size_t i = 0; i < s->count; i++)
        data_push(arena, bases, data_str(arena, s->rows[i].base));
    if (is_part(s))
        (void)lock_drop(&lock.images, arena, bases);
    return lock;
}

static int check(struct data **checked, struct image_session *s)
{
    struct arena *arena = &s->run->arena;
    struct registry *registry;
    struct matrix *matrix;
    const struct lock lock = picked(s);
    if (image_registry(&registry, s->run, s->err) < 0 ||
        matrix_load(&matrix, arena, s->selection.catalog->files, s->selection.overlay, NULL,
                    s->err) < 0)
        return -1;
    return verify_bases(checked, arena, &lock, matrix, s->rows, s->count, registry, s->err);
}

/* Lists the unlocked bases of the rows, each once; `*rows` is the number of rows with one. */
static struct data *list_unlocked(size_t *rows, struct image_session *s)
{
    struct arena *arena = &s->run->arena;
    struct data *list = data_list(arena);
    *rows = 0;
    for (size_t i = 0; i < s->count; i++) {
        const char *base = s->rows[i].base;
        bool locked = lock_digest(&s->lock, base) != NULL;
        *rows += !locked;
        if (!locked && !data_has_text(list, base))
            data_push(arena, list, data_str(arena, base));
    }
    return list;
}

/* A run without any question has verified nothing. */
static int fail_verify(struct image_session *s, const struct data *checked)
{
    if (checked->list.count) {
        (void)err_set(s->err, TG_RUNTIME, "network", "not every base image could be asked for");
        return err_hint(s->err, "what was found out is above");
    }
    (void)err_set(s->err, TG_USAGE, "no-lock",
                  "nothing to verify: no base image of these rows is locked in '%s'", s->lock.path);
    return err_hint(s->err, "tmplgen image lock");
}

static int image_verify_run(struct run *run, struct err *err)
{
    struct image_session session, *s = &session;
    if (image_open(s, run, 0, err) < 0)
        return -1;
    struct data *checked;
    size_t rows;
    if (check(&checked, s) < 0)
        return -1;
    struct data *unlocked = list_unlocked(&rows, s);
    int code = checked->list.count ? verify_exit(checked) : TG_USAGE;
    bool failed = code == TG_RUNTIME || code == TG_USAGE;
    struct data *found = failed ? data_map(&run->arena) : run->document;
    print_checked(s, checked);
    if (rows && checked->list.count)
        cmd_warn(run, "%zu of %zu rows have a base image that is not locked: tmplgen image lock",
                 rows, s->count);
    data_add(&run->arena, found, FIELD("checked", checked), FIELD("unlocked", unlocked));
    run->failure = failed ? found : NULL;
    return failed ? fail_verify(s, checked) : code;
}

const struct command image_verify_command = {
    .name = "image verify",
    .usage = "[NAME...]",
    .summary = "Check the lock file against the registry: same, moved, gone, unreachable.",
    .details =
        "Exit code 6 where a tag moved or is gone, or where the matrix says that its support "
        "has ended; 1 where something could not be asked and nothing else is wrong; 2 where "
        "nothing is locked.",
    .options = OPTIONS(IMAGE_ROWS, {"Registry", image_registry_options},
                       {"Catalog", matrix_source_options}),
    .max_arguments = IMAGE_NAMES_MAX,
    .run = image_verify_run};
