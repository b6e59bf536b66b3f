/* A request as data, and back. */
#include "matrix/matrix.h"

#include "base/arena.h"
#include "base/data.h"

#include <string.h>

/* In the order of output. `list`: an array of texts and its count. */
static const struct {
    const char *name;
    size_t offset;
    size_t count_offset; /* 0: one text */
} members[] = {
    {"framework", offsetof(struct stack_request, framework), 0},
    {"python", offsetof(struct stack_request, python), 0},
    {"cuda", offsetof(struct stack_request, cuda), 0},
    {"variant", offsetof(struct stack_request, variant), 0},
    {"driver", offsetof(struct stack_request, driver), 0},
    {"gpu", offsetof(struct stack_request, gpus), offsetof(struct stack_request, gpu_count)},
    {"platform", offsetof(struct stack_request, platform), 0},
    {"os", offsetof(struct stack_request, os), 0},
    {"arch", offsetof(struct stack_request, arch), 0},
    {"runtime", offsetof(struct stack_request, runtime), 0},
    {"image", offsetof(struct stack_request, image), 0},
    {"with", offsetof(struct stack_request, with), offsetof(struct stack_request, with_count)},
};

#define MEMBERS (sizeof members / sizeof *members)

struct data *stack_request_data(struct arena *arena, const struct stack_request *request)
{
    struct data *map = data_map(arena);
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *base = (const char *)request;
        if (!members[i].count_offset) {
            const char *text = *(const char *const *)(base + members[i].offset);
            if (text)
                data_put(arena, map, members[i].name, data_str(arena, text));
            continue;
        }
        const char *const *texts = *(const char *const *const *)(base + members[i].offset);
        size_t count = *(const size_t *)(base + members[i].count_offset);
        struct data *list = data_list(arena);
        for (size_t j = 0; j < count; j++)
            data_push(arena, list, data_str(arena, texts[j]));
        if (count)
            data_put(arena, map, members[i].name, list);
    }
    return map;
}

static int invalid_member(struct err *err, const char *name, const char *wanted)
{
    return err_set(err, TG_USAGE, "invalid-request", "request: '%s' must be %s", name, wanted);
}

static int parse_list(char *base, size_t at, struct arena *arena, const struct data *list,
                      struct err *err)
{
    if (list->kind != DATA_LIST)
        return invalid_member(err, members[at].name, "a list of texts");
    const char **texts = arena_array(arena, list->list.count + 1, sizeof *texts);
    for (size_t i = 0; i < list->list.count; i++) {
        const char *text = data_text(list->list.items[i]);
        if (!text)
            return invalid_member(err, members[at].name, "a list of texts");
        texts[i] = arena_strdup(arena, text);
    }
    *(const char ***)(base + members[at].offset) = texts;
    *(size_t *)(base + members[at].count_offset) = list->list.count;
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
        size_t at = 0;
        while (at < MEMBERS && !span_equal(member->name, span_from(members[at].name)))
            at++;
        if (at == MEMBERS)
            return err_set(err, TG_USAGE, "invalid-request", "request: unknown key '%.*s'",
                           (int)member->name.len, member->name.ptr);
        if (members[at].count_offset) {
            if (parse_list((char *)out, at, arena, member->value, err))
                return -1;
            continue;
        }
        const char *text = data_text(member->value);
        if (!text)
            return invalid_member(err, members[at].name, "a text");
        *(const char **)((char *)out + members[at].offset) = arena_strdup(arena, text);
    }
    return 0;
}
