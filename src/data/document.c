/* Maps in one expression. */
#include "data/document.h"

#include "base/arena.h"

struct data *data_put_fields(struct arena *arena, struct data *map, const struct data_field *fields,
                             size_t count)
{
    for (const struct data_field *field = fields; field < fields + count; field++) {
        struct data *value = field->data;
        if (field->kind == DATA_STR)
            value = data_str(arena, field->text);
        else if (field->kind == DATA_BOOL)
            value = data_bool(arena, field->number);
        else if (field->kind == DATA_INT)
            value = data_int(arena, field->number);
        else if (field->kind == DATA_LIST)
            value = data_texts(arena, field->words.items, field->words.count);
        data_put(arena, map, field->name, value ? value : data_null(arena));
    }
    return map;
}

const char *data_join(struct arena *arena, const struct data *list, const char *member)
{
    const char *all = "";
    for (size_t i = 0; list && i < list->list.count; i++) {
        const struct data *item = list->list.items[i];
        const char *text = data_text(member ? data_get(item, member) : item);
        all = arena_printf(arena, "%s%s%s", all, i ? ", " : "", text ? text : "");
    }
    return all;
}
