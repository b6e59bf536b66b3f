/* The stack choices, and a request: the user's words for each of them. */
#include "resolver/request.h"

#include "base/arena.h"
#include "data/data.h"
#include "data/yaml.h"
#include "registry/reference.h"

#include <ctype.h>
#include <string.h>

#define OPTION_OF(constant, ...) {__VA_ARGS__},
const struct option stack_options[] = {
    STACK_CHOICES(OPTION_OF){"unchecked", NULL,
                             "take a package of --with whatever its name is like", false},
    {NULL, NULL, NULL, false}};

enum stack_choice stack_choice_of(struct span name)
{
    enum stack_choice choice = 0;
    while (choice < CHOICE_COUNT && !span_equal(name, span_from(stack_options[choice].name)))
        choice++;
    return choice;
}

static size_t name_length(const char *said)
{
    size_t len = 0;
    while (said[len] && (isalnum((unsigned char)said[len]) || strchr("-_.", said[len])))
        len++;
    return len;
}

const char *package_name(struct arena *arena, const char *said)
{
    return arena_memdup(arena, said, name_length(said));
}

const char *package_spec(const char *said)
{
    const char *spec = said + name_length(said);
    if (*spec == '[')
        spec += strcspn(spec, "]") + (strchr(spec, ']') != NULL);
    return spec;
}

/* ------------------------------------------------------------------ texts of choices */

const char *request_text(const struct stack_request *request, enum stack_choice choice)
{
    return request->said[choice].count ? request->said[choice].items[0] : NULL;
}

const char *request_processor(const struct stack_request *request)
{
    /* Docker, Go and Debian have other words. */
    static const char *const others[][2] = {{"amd64", "x86_64"},
                                            {"x86-64", "x86_64"},
                                            {"x64", "x86_64"},
                                            {"arm64", "aarch64"},
                                            {"sbsa", "aarch64"}};
    const char *said = request_text(request, CHOICE_ARCH);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_equal(others[i][0], said))
            return others[i][1];
    return said;
}

void request_say(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text)
{
    request->said[choice] = (struct words){0};
    if (text)
        request_add(request, arena, choice, text);
}

void request_add(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                 const char *text)
{
    struct words *said = &request->said[choice];
    const char **items = arena_array(arena, said->count + 1, sizeof *items);
    if (said->count)
        memcpy(items, said->items, said->count * sizeof *items);
    items[said->count++] = text;
    said->items = items;
}

void request_take_back(struct stack_request *request, struct arena *arena, enum stack_choice choice,
                       const char *text)
{
    struct words said = request->said[choice];
    request_say(request, arena, choice, NULL);
    for (size_t i = 0; i < said.count; i++)
        if (!str_equal(said.items[i], text))
            request_add(request, arena, choice, said.items[i]);
}

void request_overlay(struct stack_request *request, const struct stack_request *over)
{
    for (enum stack_choice i = 0; i < CHOICE_COUNT; i++)
        if (over->said[i].count)
            request->said[i] = over->said[i];
    if (over->said[CHOICE_WITH].count)
        request->spelled = over->spelled;
}

const char *request_framework(const struct stack_request *request, struct arena *arena)
{
    return package_name(arena, request_text(request, CHOICE_FRAMEWORK));
}

/* ------------------------------------------------------------------ as data, and back */

struct data *stack_request_data(struct arena *arena, const struct stack_request *request)
{
    struct data *map = data_map(arena);
    for (enum stack_choice i = 0; i < CHOICE_COUNT; i++) {
        const struct words *said = &request->said[i];
        struct data *value = data_list(arena);
        for (size_t j = 0; j < said->count; j++)
            data_push(arena, value,
                      data_str(arena, i == CHOICE_IMAGE ? image_shown(arena, said->items[j])
                                                        : said->items[j]));
        if (said->count)
            data_put(arena, map, stack_options[i].name,
                     stack_options[i].repeatable ? value : value->list.items[0]);
    }
    return map;
}

static int invalid_member(struct err *err, enum stack_choice choice)
{
    return err_set(err, TG_USAGE, "invalid-request", "request: '%s' must be %s",
                   stack_options[choice].name,
                   stack_options[choice].repeatable ? "a list of texts" : "a text");
}

static int parse_member(struct stack_request *out, struct arena *arena, enum stack_choice choice,
                        const struct data *value, struct err *err)
{
    bool is_list = value->kind == DATA_LIST;
    size_t count = is_list ? value->list.count : 1;
    const char **texts = arena_array(arena, count + 1, sizeof *texts);
    if (is_list != stack_options[choice].repeatable)
        return invalid_member(err, choice);
    for (size_t i = 0; i < count; i++) {
        const char *text = data_text(is_list ? value->list.items[i] : value);
        if (!text)
            return invalid_member(err, choice);
        texts[i] = arena_strdup(arena, text);
    }
    out->said[choice] = (struct words){texts, count};
    return 0;
}

int stack_request_parse(struct stack_request *out, struct arena *arena, const struct data *data,
                        struct err *err)
{
    *out = (struct stack_request){0};
    if (!data || data->kind != DATA_MAP)
        return err_set(err, TG_USAGE, "invalid-request", "request: must be a mapping");
    for (size_t i = 0; i < data->map.count; i++) {
        const struct data_member *member = &data->map.members[i];
        enum stack_choice choice = stack_choice_of(member->name);
        if (choice == CHOICE_COUNT)
            return err_set(err, TG_USAGE, "invalid-request", "request: unknown key '%.*s'",
                           (int)member->name.len, member->name.ptr);
        if (parse_member(out, arena, choice, member->value, err))
            return -1;
    }
    return 0;
}

/* Takes one text as a list of one where a list is wanted: people write `gpu: T4`. */
static int read_member(struct stack_request *out, struct arena *arena, enum stack_choice choice,
                       const struct yaml_node *value, struct err *err)
{
    struct words *said = &out->said[choice];
    const char *name = stack_options[choice].name, *text = NULL;
    if (value->kind == YAML_LIST && stack_options[choice].repeatable)
        return yaml_texts(said, arena, value, name, err);
    if (yaml_text(&text, value, name, err) < 0)
        return -1;
    request_say(out, arena, choice, text);
    return 0;
}

int stack_request_read(struct stack_request *out, struct arena *arena, const struct yaml_node *node,
                       struct err *err)
{
    const char *keys[CHOICE_COUNT + 1] = {0};
    *out = (struct stack_request){0};
    for (enum stack_choice i = 0; i < CHOICE_COUNT; i++)
        keys[i] = stack_options[i].name;
    if (yaml_check_keys(node, keys, err) < 0)
        return -1;
    for (size_t i = 0; i < node->map.count; i++) {
        const struct yaml_member *member = &node->map.members[i];
        if (read_member(out, arena, stack_choice_of(member->key->text), member->value, err) < 0)
            return -1;
    }
    return 0;
}
