/* Base images and their registries: compares the digests of tags with the lock file. */
#include "image/lock.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/document.h"
#include "image/image_rows.h"
#include "matrix/matrix.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <string.h>

struct locking {
    struct arena *arena;
    struct lock *lock;
    const struct lock_wishes *wishes;
    struct registry *registry;
    struct data *taken;  /* as lock_outcome has it */
    struct data *failed; /* a list */
    struct err *err;
};

static struct data *needed_bases(struct arena *arena, const struct image_row *rows, size_t count)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < count; i++)
        if (!data_has_text(list, rows[i].base))
            data_push(arena, list, data_str(arena, rows[i].base));
    return list;
}

static struct data *needed_rows(struct arena *arena, const struct image_row *rows, size_t count)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < count; i++) {
        const char *colon = strrchr(rows[i].name, ':'), *slash = colon;
        while (slash > rows[i].name && slash[-1] != '/')
            slash--;
        data_push(arena, list, data_str(arena, slash));
    }
    return list;
}

static void tell_failed(struct locking *l, const char *reference, const char *why)
{
    data_push(l->arena, l->failed, data_str(l->arena, reference));
    l->wishes->tell(l->wishes->context, arena_printf(l->arena, "%s: %s", reference, why));
}

/* Takes the index's digest, never that of one platform. */
static void take(struct locking *l, const char *name, const struct registry_question *question)
{
    struct registry_platform *platforms;
    size_t count;
    ERR_SCRATCH(err);
    struct data *by_platform = data_map(l->arena);
    if (question->presence != IMAGE_THERE) {
        tell_failed(l, name,
                    question->presence == IMAGE_GONE ? "the registry has no such tag"
                                                     : question->failure);
        return;
    }
    if (registry_platforms(&platforms, &count, l->registry, question->reference,
                           &question->manifest, &err) < 0) {
        tell_failed(l, name, err.message);
        return;
    }
    for (size_t i = 0; i < count; i++)
        data_put_text(l->arena, by_platform, platforms[i].name, platforms[i].manifest.digest);
    struct data *map = data_of(l->arena, FIELD("digest", question->manifest.digest),
                               FIELD("media_type", question->manifest.media_type),
                               FIELD("platforms", by_platform));
    data_put(l->arena, l->taken, name, map);
    data_put(l->arena, l->lock->images, name, map);
}

/* Asks for each name of a list; `*out` has the answers in its order. */
static int ask(struct registry_question **out, struct arena *arena, struct registry *registry,
               const struct data *names, struct err *err)
{
    size_t count = names->list.count;
    struct image_reference *references = arena_array(arena, count + 1, sizeof(*references));
    *out = arena_array(arena, count + 1, sizeof(**out));
    for (size_t i = 0; i < count; i++) {
        if (image_reference_parse(&references[i], arena, data_text(names->list.items[i]), err) < 0)
            return -1;
        (*out)[i].reference = &references[i];
    }
    return registry_manifests(registry, *out, count, err);
}

/* The bases to ask for: those not locked yet, and those to be asked again. */
static struct data *open_questions(const struct locking *l, const struct data *needed)
{
    const struct lock_wishes *wishes = l->wishes;
    struct data *names = data_list(l->arena);
    for (size_t i = 0; i < needed->list.count; i++) {
        const char *name = data_text(needed->list.items[i]);
        bool again = wishes->update && (!wishes->again || !wishes->again->list.count ||
                                        data_has_text(wishes->again, name));
        if (again || !lock_digest(l->lock, name))
            data_push(l->arena, names, data_str(l->arena, name));
    }
    return names;
}

static int check_again(const struct locking *l, const struct data *needed)
{
    const struct data *again = l->wishes->again;
    for (size_t i = 0; again && i < again->list.count; i++) {
        const char *name = data_text(again->list.items[i]);
        if (!data_has_text(needed, name)) {
            (void)err_set(l->err, TG_USAGE, "unknown-base", "no row begins with '%s'", name);
            return err_hint(l->err, "`tmplgen image list` shows which images they begin with");
        }
    }
    return 0;
}

static struct data *list_locked(const struct locking *l, const struct data *needed,
                                const struct data *before)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < needed->list.count; i++) {
        const char *name = data_text(needed->list.items[i]);
        if (!lock_digest(l->lock, name) || data_has_text(l->failed, name))
            continue;
        data_push(l->arena, list,
                  data_of(l->arena, FIELD("reference", name),
                          FIELD("digest", lock_digest(l->lock, name)),
                          FIELD("was", data_get_text(data_get(before, name), "digest"))));
    }
    return list;
}

int lock_bases(struct lock_outcome *out, struct arena *arena, struct lock *lock,
               const struct lock_wishes *wishes, struct registry *registry, struct err *err)
{
    struct locking l = {.arena = arena,
                        .lock = lock,
                        .wishes = wishes,
                        .registry = registry,
                        .taken = data_map(arena),
                        .failed = data_list(arena),
                        .err = err};
    struct data *needed = needed_bases(arena, wishes->rows, wishes->count);
    struct data *before = data_copy(arena, lock->images), *open = open_questions(&l, needed);
    struct registry_question *answers;
    if (check_again(&l, needed) < 0 || ask(&answers, arena, registry, open, err) < 0)
        return -1;
    for (size_t i = 0; i < open->list.count; i++)
        take(&l, data_text(open->list.items[i]), &answers[i]);
    out->locked = list_locked(&l, needed, before);
    out->taken = l.taken;
    out->failed = l.failed->list.count;
    return 0;
}

struct keeping {
    struct arena *arena;
    const struct lock_wishes *wishes;
    struct lock_outcome *outcome;
};

/* Another run may have locked other bases while the registry was asked. */
static void keep_bases(struct lock *now, void *context)
{
    struct keeping *k = context;
    const struct lock_wishes *wishes = k->wishes;
    const struct data *taken = k->outcome->taken;
    for (size_t i = 0; i < taken->map.count; i++)
        data_put_span(k->arena, now->images, taken->map.members[i].name,
                      taken->map.members[i].value);
    if (!wishes->whole)
        return;
    k->outcome->dropped =
        lock_drop(&now->images, k->arena, needed_bases(k->arena, wishes->rows, wishes->count));
    k->outcome->dropped_packages =
        lock_drop(&now->packages, k->arena, needed_rows(k->arena, wishes->rows, wishes->count));
}

int lock_keep_bases(struct lock_outcome *outcome, bool *written, struct arena *arena,
                    const char *path, const struct lock_wishes *wishes, struct err *err)
{
    struct keeping keeping = {arena, wishes, outcome};
    outcome->dropped = data_list(arena);
    outcome->dropped_packages = data_list(arena);
    return lock_edit(written, arena, path, keep_bases, &keeping, err);
}

/* ------------------------------------------------------------------ verify */

/* The matrix may know a base even where no row needs it any more. */
static const char *state_of(struct arena *arena, const char *name, const struct matrix *matrix,
                            const struct image_row *rows, size_t count)
{
    const char *colon = strrchr(name, ':');
    for (size_t i = 0; i < count; i++)
        if (str_equal(rows[i].base, name))
            return data_get_text(data_get(rows[i].resolution, "image"), "state");
    return matrix_tag_state(arena, matrix, arena_memdup(arena, name, (size_t)(colon - name)),
                            colon + 1);
}

static const char *status_of(const struct registry_question *question, const char *digest)
{
    if (question->presence == IMAGE_FAILED)
        return "unreachable";
    if (question->presence == IMAGE_GONE)
        return "gone";
    return str_equal(question->manifest.digest, digest) ? "same" : "moved";
}

int verify_bases(struct data **checked, struct arena *arena, const struct lock *lock,
                 const struct matrix *matrix, const struct image_row *rows, size_t count,
                 struct registry *registry, struct err *err)
{
    struct registry_question *questions;
    struct data *names = data_list(arena);
    for (size_t i = 0; i < lock->images->map.count; i++)
        data_push(arena, names, data_span(arena, lock->images->map.members[i].name));
    if (ask(&questions, arena, registry, names, err) < 0)
        return -1;
    *checked = data_list(arena);
    for (size_t i = 0; i < names->list.count; i++) {
        const char *name = data_text(names->list.items[i]), *digest = lock_digest(lock, name);
        bool there = questions[i].presence == IMAGE_THERE;
        struct data *map = data_of(
            arena, FIELD("reference", name), FIELD("status", status_of(&questions[i], digest)),
            FIELD("state", state_of(arena, name, matrix, rows, count)), FIELD("digest", digest),
            FIELD("now", there ? questions[i].manifest.digest : NULL),
            FIELD("why", questions[i].failure));
        data_push(arena, *checked, map);
    }
    return 0;
}

int verify_exit(const struct data *checked)
{
    bool differs = false, unreachable = false;
    for (size_t i = 0; i < checked->list.count; i++) {
        const char *status = data_get_text(checked->list.items[i], "status");
        differs |= str_equal(status, "moved") || str_equal(status, "gone") ||
                   str_equal(data_get_text(checked->list.items[i], "state"), "eol");
        unreachable |= str_equal(status, "unreachable");
    }
    return differs ? TG_DIFFERS : unreachable ? TG_RUNTIME : TG_OK;
}
