/* What changes from one stack to another. */
#include "resolver/resolver.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/data.h"

#include <string.h>

/* A value as one text: lists with spaces between, null as nothing. */
static const char *flat(struct arena *arena, const struct data *value)
{
    const char *text = "";
    if (!value || value->kind == DATA_NULL)
        return NULL;
    if (value->kind != DATA_LIST)
        return data_text(value);
    for (size_t i = 0; i < value->list.count; i++) {
        const struct data *item = value->list.items[i];
        if (item->kind == DATA_MAP)
            item = data_get(item, data_get(item, "code") ? "code" : "name");
        text = arena_printf(arena, "%s%s%s", text, i ? " " : "", data_text(item));
    }
    return *text ? text : NULL;
}

static void compare(struct data *list, struct arena *arena, const char *what, const char *from,
                    const char *to)
{
    if (str_equal(from, to))
        return;
    struct data *map = data_map(arena);
    data_put_text(arena, map, "what", what);
    data_put_text(arena, map, "from", from);
    data_put_text(arena, map, "to", to);
    data_push(arena, list, map);
}

/* The members of two maps, those of `from` first. */
static void compare_maps(struct data *list, struct arena *arena, const char *what,
                         const struct data *from, const struct data *to)
{
    for (size_t i = 0; i < from->map.count; i++)
        compare(list, arena, arena_printf(arena, "%s.%s", what, from->map.members[i].name.ptr),
                flat(arena, from->map.members[i].value),
                flat(arena, data_get(to, from->map.members[i].name.ptr)));
    for (size_t i = 0; i < to->map.count; i++)
        if (!data_get(from, to->map.members[i].name.ptr))
            compare(list, arena, arena_printf(arena, "%s.%s", what, to->map.members[i].name.ptr),
                    NULL, flat(arena, to->map.members[i].value));
}

static const char *image_name(struct arena *arena, const struct data *resolution)
{
    const struct data *image = data_get(resolution, "image");
    return arena_printf(arena, "%s:%s", data_get_text(image, "repository"),
                        data_get_text(image, "tag"));
}

struct data *matrix_diff(struct arena *arena, const struct data *from, const struct data *to)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < from->map.count; i++) {
        const char *name = from->map.members[i].name.ptr;
        const struct data *a = from->map.members[i].value, *b = data_get(to, name);
        if (str_equal(name, "sources"))
            continue;
        if (str_equal(name, "image")) {
            compare(list, arena, name, image_name(arena, from), image_name(arena, to));
            compare(list, arena, "image.state", data_get_text(a, "state"),
                    data_get_text(b, "state"));
        } else if (a->kind == DATA_MAP && b && b->kind == DATA_MAP) {
            compare_maps(list, arena, name, a, b);
        } else {
            compare(list, arena, name, flat(arena, a), flat(arena, b));
        }
    }
    return list;
}

int matrix_explain_diff(struct buf *out, const struct data *diff)
{
    size_t width = 0;
    for (size_t i = 0; i < diff->list.count; i++) {
        size_t len = strlen(data_get_text(diff->list.items[i], "what"));
        width = len > width ? len : width;
    }
    if (!diff->list.count)
        buf_puts(out, "no difference\n");
    for (size_t i = 0; i < diff->list.count; i++) {
        const char *from = data_get_text(diff->list.items[i], "from");
        const char *to = data_get_text(diff->list.items[i], "to");
        buf_printf(out, "%-*s  %s -> %s\n", (int)width, data_get_text(diff->list.items[i], "what"),
                   from ? from : "nothing", to ? to : "nothing");
    }
    return out->overflowed ? -1 : 0;
}
