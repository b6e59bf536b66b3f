/* Reads the nodes of a manifest and checks them against its schema. */
#include "catalog/manifest/manifest_reader.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/yaml.h"

#include <string.h>

/* Names of the same thing in other formats. */
static const char *const aliases[][2] = {
    {"integer", "int"}, {"number", "float"}, {"double", "float"}, {"boolean", "bool"},
    {"string", "str"},  {"text", "str"},     {"array", "list"},   {"enum", "choice"},
};

static const char *meant(const char *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
        if (strcasecmp(word, aliases[i][0]) == 0 && str_is_among(aliases[i][1], names, count))
            return aliases[i][1];
    return str_nearest(word, names, count);
}

int reader_word(size_t *out, const struct reader *reader, const struct yaml_node *node,
                const char *what, const char *const *names, size_t count)
{
    const char *word = NULL;
    if (yaml_text(&word, node, what, reader->err) < 0)
        return -1;
    if (!word)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0) {
            *out = i;
            return 0;
        }
    const char *nearest = meant(word, names, count);
    (void)yaml_error(reader->err, node, "'%s' is no %s", word, what);
    if (nearest)
        return err_hint(reader->err, "did you mean '%s'?", nearest);
    return err_hint(reader->err, "there is: %s", str_join(reader->arena, names, count, ", "));
}

int reader_want_list(const struct reader *reader, const struct yaml_node *node, const char *what)
{
    return node->kind == YAML_LIST ? 0 : yaml_error(reader->err, node, "'%s' must be a list", what);
}

int reader_want_map(const struct reader *reader, const struct yaml_node *node, const char *what)
{
    return node->kind == YAML_MAP ? 0 : yaml_error(reader->err, node, "%s must be a mapping", what);
}

int reader_required(const char **out, const struct reader *reader, const struct yaml_node *map,
                    const char *key)
{
    *out = NULL;
    if (yaml_text(out, yaml_get(map, key), key, reader->err) < 0)
        return -1;
    return *out ? 0 : yaml_error(reader->err, map, "'%s' is missing", key);
}

int reader_text(struct manifest_text *out, const struct reader *reader, const struct yaml_node *map,
                const char *key)
{
    out->node = yaml_get(map, key);
    return yaml_text(&out->text, out->node, key, reader->err);
}

int reader_list(void **out, size_t *count, size_t size, const struct reader *reader,
                const struct yaml_node *node, const char *what,
                int (*read)(void *, const struct reader *, const struct yaml_node *))
{
    *count = 0;
    if (!node)
        return 0;
    if (reader_want_list(reader, node, what) < 0)
        return -1;
    char *items = arena_array(reader->arena, node->list.count + 1, size);
    for (size_t i = 0; i < node->list.count; i++)
        if (reader_want_map(reader, node->list.items[i], "an entry here") < 0 ||
            read(items + i * size, reader, node->list.items[i]) < 0)
            return -1;
    *out = items;
    *count = node->list.count;
    return 0;
}
