/* Values of YAML nodes: lookups, typed readers, conversion to data, merging. */
#include "data/yaml.h"

#include "base/arena.h"
#include "base/budget.h"
#include "data/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct yaml_node *yaml_get(const struct yaml_node *map, const char *name)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    struct span wanted = span_from(name);
    for (size_t i = 0; i < map->map.count; i++)
        if (span_equal(map->map.members[i].key->text, wanted))
            return map->map.members[i].value;
    return NULL;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* The words of YAML 1.2's core schema. */
static const char *const null_words[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const true_words[] = {"true", "True", "TRUE", NULL};
static const char *const false_words[] = {"false", "False", "FALSE", NULL};

bool yaml_is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->plain && is_one_of(node->text.ptr, null_words);
}

static const char *kind_name(const struct yaml_node *node)
{
    if (node->kind == YAML_LIST)
        return "a list";
    if (node->kind == YAML_MAP)
        return "a mapping";
    return yaml_is_null(node) ? "nothing" : "a text";
}

static int unknown_key(const struct yaml_node *key, const char *const *names, struct err *err)
{
    size_t count = 0;
    while (names[count])
        count++;
    (void)yaml_error(err, key, "unknown key '%.60s'", key->text.ptr);
    const char *nearest = str_nearest(key->text.ptr, names, count);
    if (nearest)
        return err_hint(err, "did you mean '%s'?", nearest);
    return -1;
}

int yaml_check_keys(const struct yaml_node *map, const char *const *names, struct err *err)
{
    if (!map)
        return err_set(err, TG_USAGE, "invalid", "a mapping is wanted here, but there is nothing");
    if (map->kind != YAML_MAP)
        return yaml_error(err, map, "a mapping is wanted here, not %s", kind_name(map));
    for (size_t i = 0; i < map->map.count; i++)
        if (!is_one_of(map->map.members[i].key->text.ptr, names))
            return unknown_key(map->map.members[i].key, names, err);
    return 0;
}

static int wrong_kind(const struct yaml_node *node, const char *what, const char *wanted,
                      struct err *err)
{
    (void)yaml_error(err, node, "'%s' must be %s, not %s", what, wanted, kind_name(node));
    if (node->kind != YAML_SCALAR)
        return -1;
    if (yaml_is_null(node))
        return err_hint(err, "give a value, or leave the key out");
    return node->plain ? -1 : err_hint(err, "write it without quotes");
}

int yaml_text(const char **out, const struct yaml_node *node, const char *what, struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_SCALAR)
        return wrong_kind(node, what, "a text", err);
    if (yaml_is_null(node)) {
        (void)yaml_error(err, node, "'%s' must be a text, not nothing", what);
        return err_hint(err, "put the text in quotes (\"%s\"), or leave the key out",
                        node->text.ptr);
    }
    *out = node->text.ptr;
    return 0;
}

int yaml_bool(bool *out, const struct yaml_node *node, const char *what, struct err *err)
{
    if (!node)
        return 0;
    bool plain = node->kind == YAML_SCALAR && node->plain;
    if (!plain || (strcmp(node->text.ptr, "true") != 0 && strcmp(node->text.ptr, "false") != 0))
        return wrong_kind(node, what, "true or false", err);
    *out = node->text.ptr[0] == 't';
    return 0;
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

static size_t sign(const char *text)
{
    return *text == '-' || *text == '+';
}

static bool is_decimal(const char *text)
{
    size_t at = sign(text), count = digits(text + at);
    return count > 0 && text[at + count] == '\0';
}

/* Returns 0 if `text`, already checked to be digits of `base`, fits into 64 bits. */
static int to_integer(int64_t *out, const char *text, int base)
{
    errno = 0;
    long long value = strtoll(text, NULL, base);
    if (errno)
        return -1;
    *out = value;
    return 0;
}

int yaml_int(int64_t *out, const struct yaml_node *node, const char *what, struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_SCALAR || !node->plain || !is_decimal(node->text.ptr))
        return wrong_kind(node, what, "an integer", err);
    const char *text = node->text.ptr, *number = text + sign(text);
    if (number[0] == '0' && number[1])
        return yaml_error(err, node, "'%s' must be an integer without leading zeros", what);
    if (to_integer(out, text, 10))
        return yaml_error(err, node, "'%s' must be an integer of 64 bits", what);
    return 0;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_number(const char *text)
{
    text += sign(text);
    size_t whole = digits(text);
    text += whole;
    if (*text == '.') {
        size_t fraction = digits(text + 1);
        if (!whole && !fraction)
            return false;
        text += 1 + fraction;
    } else if (!whole) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += sign(text);
        if (!digits(text))
            return false;
        text += digits(text);
    }
    return *text == '\0';
}

int yaml_texts(struct words *out, struct arena *arena, const struct yaml_node *node,
               const char *what, struct err *err)
{
    if (!node)
        return 0;
    if (node->kind != YAML_LIST)
        return wrong_kind(node, what, "a list of texts", err);
    const char **texts = arena_array(arena, node->list.count, sizeof(*texts));
    for (size_t i = 0; i < node->list.count; i++) {
        if (yaml_text(&texts[i], node->list.items[i], what, err))
            return -1;
        texts[i] = arena_memdup(arena, texts[i], node->list.items[i]->text.len);
    }
    *out = (struct words){texts, node->list.count};
    return 0;
}

static struct data *special_float(struct arena *arena, const char *text)
{
    static const char *const infinity[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nan[] = {".nan", ".NaN", ".NAN", NULL};
    if (is_one_of(text + sign(text), infinity))
        return data_float(arena, *text == '-' ? -INFINITY : INFINITY);
    if (is_one_of(text, nan))
        return data_float(arena, NAN);
    return NULL;
}

/* Whether it is `prefix` and digits of `set`: 0o17, 0x1F. */
static bool is_based(const char *text, const char *prefix, const char *set)
{
    size_t count;
    if (!str_starts(text, prefix))
        return false;
    count = strspn(text + 2, set);
    return count > 0 && text[2 + count] == '\0';
}

static struct data *number_data(struct arena *arena, const char *text)
{
    int64_t value;
    int base = 0;
    const char *number = text;
    if (is_decimal(text))
        base = 10;
    else if (is_based(text, "0o", "01234567"))
        base = 8;
    else if (is_based(text, "0x", "0123456789abcdefABCDEF"))
        base = 16;
    if (base) {
        number += base == 10 ? 0 : 2;
        return to_integer(&value, number, base) ? NULL : data_int(arena, value);
    }
    return is_number(text) ? data_float(arena, strtod(text, NULL)) : special_float(arena, text);
}

static struct data *scalar_data(struct arena *arena, const struct yaml_node *node)
{
    struct data *number = NULL;
    if (!node->plain)
        return data_span(arena, node->text);
    if (is_one_of(node->text.ptr, null_words))
        return data_null(arena);
    if (is_one_of(node->text.ptr, true_words))
        return data_bool(arena, true);
    if (is_one_of(node->text.ptr, false_words))
        return data_bool(arena, false);
    if (strchr("-+.0123456789", node->text.ptr[0]))
        number = number_data(arena, node->text.ptr);
    return number ? number : data_span(arena, node->text);
}

struct data *yaml_to_data(struct arena *arena, const struct yaml_node *node)
{
    if (node->kind == YAML_SCALAR)
        return scalar_data(arena, node);
    struct data *data = node->kind == YAML_MAP ? data_map(arena) : data_list(arena);
    if (node->kind == YAML_MAP)
        for (size_t i = 0; i < node->map.count; i++)
            data_append(arena, data, node->map.members[i].key->text,
                        yaml_to_data(arena, node->map.members[i].value));
    else
        for (size_t i = 0; i < node->list.count; i++)
            data_push(arena, data, yaml_to_data(arena, node->list.items[i]));
    return data;
}

/* ---------------------------------------------------------------- merging nodes */

static struct yaml_node *node_like(struct arena *arena, const struct yaml_node *like)
{
    struct yaml_node *node = arena_alloc(arena, sizeof(*node));
    *node = *like;
    return node;
}

struct yaml_node *yaml_join_maps(struct arena *arena, const struct yaml_node *first,
                                 const struct yaml_node *second)
{
    struct yaml_node *out = node_like(arena, first);
    size_t count = first->map.count;
    if (!budget_try_steps(count * second->map.count))
        return out;
    out->map.members = arena_array(arena, count + second->map.count + 1, sizeof(*out->map.members));
    if (count)
        memcpy(out->map.members, first->map.members, count * sizeof(*out->map.members));
    for (size_t i = 0; i < second->map.count; i++)
        if (!yaml_get(first, second->map.members[i].key->text.ptr))
            out->map.members[count++] = second->map.members[i];
    out->map.count = count;
    return out;
}

struct yaml_node *yaml_join_lists(struct arena *arena, const struct yaml_node *first,
                                  const struct yaml_node *second)
{
    struct yaml_node *out = node_like(arena, second);
    out->list.items = arena_join(arena, first->list.items, first->list.count, second->list.items,
                                 second->list.count, sizeof(*out->list.items));
    out->list.count = first->list.count + second->list.count;
    return out;
}
