/* Maps in one expression. */
#include "data/fields.h"

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
        data_put(arena, map, field->name, value ? value : data_null(arena));
    }
    return map;
}
