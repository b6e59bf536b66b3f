/* Compares the image tags of a matrix with a registry. */
#include "package_index/verify.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/document.h"
#include "matrix/facts.h"
#include "registry/reference.h"
#include "registry/registry.h"

/* A tag to look for, and its state in the row. */
struct looks {
    struct arena *arena;
    const char *where;
    struct registry_question *images;
    const char **names, **states;
    size_t count;
};

static int add_look(struct looks *looks, const char *repository, const char *tag, const char *state,
                    struct err *err)
{
    struct image_reference *reference = arena_alloc(looks->arena, sizeof(*reference));
    const char *name = arena_printf(looks->arena, "%s/%s:%s", looks->where, repository, tag);
    if (image_reference_parse(reference, looks->arena, name, err) < 0)
        return -1;
    looks->names[looks->count] = name;
    looks->states[looks->count] = state;
    looks->images[looks->count++].reference = reference;
    return 0;
}

static int collect(struct looks *looks, const struct matrix *matrix, struct err *err)
{
    for (size_t i = 0; i < matrix->images.count; i++) {
        const struct image *image = ROW(struct image, matrix->images, i);
        for (size_t j = 0; j < image->tag_count; j++)
            if (add_look(looks, matrix->repository, tag_text(looks->arena, image, &image->tags[j]),
                         image->state, err) < 0)
                return -1;
    }
    for (size_t i = 0; i < matrix->plain.count; i++) {
        const struct plain_image *plain = ROW(struct plain_image, matrix->plain, i);
        if (add_look(looks, plain->repository, plain->tag, "supported", err) < 0)
            return -1;
    }
    return 0;
}

static struct data *look_row(const struct looks *looks, size_t i)
{
    const struct registry_question *image = &looks->images[i];
    bool failed = image->presence == IMAGE_FAILED;
    bool differs = image->presence == IMAGE_GONE && !str_equal(looks->states[i], "eol");
    return data_of(looks->arena, FIELD("image", looks->names[i]), FIELD("state", looks->states[i]),
                   FIELD("found", failed ? data_null(looks->arena)
                                         : data_bool(looks->arena, image->presence == IMAGE_THERE)),
                   FIELD("digest", image->manifest.digest), FIELD("differs", differs),
                   FIELD("why", image->failure));
}

int matrix_verify_images(struct data **rows, struct arena *arena, const struct matrix *matrix,
                         struct registry *registry, const char *where, struct err *err)
{
    size_t room = matrix->plain.count + 1;
    for (size_t i = 0; i < matrix->images.count; i++)
        room += ROW(struct image, matrix->images, i)->tag_count;
    struct looks looks = {.arena = arena,
                          .where = where,
                          .images = arena_array(arena, room, sizeof(struct registry_question)),
                          .names = arena_array(arena, room, sizeof(char *)),
                          .states = arena_array(arena, room, sizeof(char *))};
    if (collect(&looks, matrix, err) < 0 ||
        registry_look(registry, looks.images, looks.count, err) < 0)
        return -1;
    *rows = data_list(arena);
    for (size_t i = 0; i < looks.count; i++)
        data_push(arena, *rows, look_row(&looks, i));
    return 0;
}

struct data *matrix_images_counts(struct arena *arena, const struct data *rows)
{
    int64_t there = 0, gone = 0, differs = 0, failed = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct data *row = rows->list.items[i];
        bool asked = data_get(row, "found")->kind == DATA_BOOL;
        there += asked && data_is_true(row, "found");
        gone += asked && !data_is_true(row, "found");
        differs += data_is_true(row, "differs");
        failed += !asked;
    }
    return data_of(arena, FIELD("there", there), FIELD("gone", gone), FIELD("differs", differs),
                   FIELD("failed", failed));
}

int matrix_images_table(struct buf *out, const struct data *rows)
{
    size_t there = 0;
    for (size_t i = 0; i < rows->list.count; i++)
        there += data_is_true(rows->list.items[i], "found");
    (void)buf_printf(out, "images: %zu of %zu tags are there\n", there, rows->list.count);
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct data *row = rows->list.items[i];
        if (data_is_true(row, "differs"))
            (void)buf_printf(out, "%s: the row says '%s', the registry has none\n",
                             data_get_text(row, "image"), data_get_text(row, "state"));
    }
    return out->overflowed ? -1 : 0;
}
