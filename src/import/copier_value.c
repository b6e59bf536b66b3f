/* Values of copier.yml, which Python reads as YAML 1.1. */
#include "import/copier_value.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/yaml.h"

#include <string.h>

/* Words of YAML 1.1 that 1.2 has not. */
static const struct {
    const char *word;
    bool truth;
} words[] = {{"yes", true}, {"Yes", true},  {"YES", true},  {"on", true},
             {"On", true},  {"ON", true},   {"no", false},  {"No", false},
             {"NO", false}, {"off", false}, {"Off", false}, {"OFF", false}};

struct data *copier_value(struct arena *arena, const struct yaml_node *node)
{
    if (node->kind == YAML_LIST) {
        struct data *list = data_list(arena);
        for (size_t i = 0; i < node->list.count; i++)
            data_push(arena, list, copier_value(arena, node->list.items[i]));
        return list;
    }
    if (node->kind == YAML_MAP) {
        struct data *map = data_map(arena);
        for (size_t i = 0; i < node->map.count; i++)
            data_append(arena, map, node->map.members[i].key->text,
                        copier_value(arena, node->map.members[i].value));
        return map;
    }
    for (size_t i = 0; node->plain && i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(node->text.ptr, words[i].word) == 0)
            return data_bool(arena, words[i].truth);
    return yaml_to_data(arena, node);
}

const char *copier_text(struct arena *arena, const struct data *value)
{
    BUF_SCRATCH(out, 64);
    switch (value->kind) {
    case DATA_STR:
        return data_text(value);
    case DATA_BOOL:
        return value->boolean ? "True" : "False";
    case DATA_INT:
        return arena_printf(arena, "%lld", (long long)value->integer);
    case DATA_FLOAT:
        (void)data_put_real(&out, value->real);
        return arena_strdup(arena, buf_text(&out));
    default:
        return NULL;
    }
}

bool copier_is_scalars(const struct data *list)
{
    for (size_t i = 0; list->kind == DATA_LIST && i < list->list.count; i++) {
        enum data_kind kind = list->list.items[i]->kind;
        if (kind == DATA_LIST || kind == DATA_MAP || kind == DATA_NULL)
            return false;
    }
    return list->kind == DATA_LIST;
}
