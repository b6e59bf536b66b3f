/* Questions of a draft that nothing reads. */
#include "import/unread.h"

#include "base/arena.h"
#include "base/data.h"
#include "import/draft.h"
#include "template/template.h"

#include <string.h>

static int add_text(struct data *read, const struct draft *draft, struct span text, bool expression,
                    enum template_delimiters delimiters, struct err *err)
{
    struct template_source source = {.name = "", .text = text, .delimiters = delimiters};
    return template_names(read, draft->arena, &source, expression, NULL, err);
}

/* A text, a list of them, or of choices with their labels. */
static int add_value(struct data *read, const struct draft *draft, const struct data *value,
                     struct err *err)
{
    if (!value)
        return 0;
    if (value->kind == DATA_STR)
        return add_text(read, draft, value->str, false, DELIMITERS_JINJA, err);
    for (size_t i = 0; value->kind == DATA_LIST && i < value->list.count; i++)
        if (add_value(read, draft, value->list.items[i], err) < 0)
            return -1;
    for (size_t i = 0; value->kind == DATA_MAP && i < value->map.count; i++)
        if (add_value(read, draft, value->map.members[i].value, err) < 0)
            return -1;
    return 0;
}

static int add_condition(struct data *read, const struct draft *draft, const struct data *row,
                         struct err *err)
{
    const char *when = data_get_text(row, "when");
    return when ? add_text(read, draft, span_from(when), true, DELIMITERS_JINJA, err) : 0;
}

/* What a question itself reads of those before it. */
static int add_question(struct data *read, const struct draft *draft, const struct data *row,
                        struct err *err)
{
    static const char *const texts[] = {"help", "default", "computed", "choices"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (add_value(read, draft, data_get(row, texts[i]), err) < 0)
            return -1;
    return add_condition(read, draft, row, err);
}

/* What files of the type and its pieces read, and their names. */
static int add_files(struct data *read, const struct draft *draft, struct err *err)
{
    const char *files = arena_printf(draft->arena, "templates/%s/files/", draft->type);
    const char *pieces = arena_printf(draft->arena, "templates/%s/includes/", draft->type);
    for (size_t i = 0; i < draft->file_count; i++) {
        const struct draft_file *file = &draft->files[i];
        bool own = str_starts(file->path, files), piece = str_starts(file->path, pieces);
        enum template_delimiters to = piece ? DELIMITERS_JINJA : draft->dialect.files;
        if (own && add_text(read, draft, span_from(file->path + strlen(files)), false, to, err) < 0)
            return -1;
        if (((own && str_ends(file->path, ".j2")) || piece) &&
            add_text(read, draft, file->bytes, false, to, err) < 0)
            return -1;
    }
    return 0;
}

/* The rows of `refuse` that speak of questions which are there. */
static int keep_rules(struct draft *draft, const struct data *there, struct err *err)
{
    struct data *kept = data_list(draft->arena);
    for (size_t i = 0; i < draft->refuse->list.count; i++) {
        struct data *rule = draft->refuse->list.items[i], *read = data_map(draft->arena);
        bool speaks = true;
        if (add_condition(read, draft, rule, err) < 0 ||
            add_value(read, draft, data_get(rule, "because"), err) < 0)
            return -1;
        for (size_t j = 0; j < read->map.count; j++)
            speaks &= data_get_span(there, read->map.members[j].name) != NULL;
        if (speaks)
            data_push(draft->arena, kept, rule);
    }
    draft->refuse = kept;
    return 0;
}

static void leave_out(struct draft *draft, struct data *row)
{
    data_push(draft->arena, draft->left_out, row);
    if (!draft_is_computed(row))
        draft_tell(draft, "unused", NULL, 0, "no template reads the answer to '%s': it is left out",
                   data_get_text(row, "name"));
}

/* From the last question to the first: each reads only those before it. */
int unread_drop(struct draft *draft, struct err *err)
{
    struct data *read = data_map(draft->arena), *there = data_map(draft->arena);
    struct data *rows = draft->questions, *kept = data_list(draft->arena);
    bool *stays = arena_array(draft->arena, rows->list.count + 1, sizeof(*stays));
    if (add_files(read, draft, err) < 0)
        return -1;
    for (size_t i = 0; i < draft->rules->list.count; i++)
        if (add_condition(read, draft, draft->rules->list.items[i], err) < 0)
            return -1;
    for (size_t i = rows->list.count; i-- > 0;) {
        stays[i] = data_get(read, data_get_text(rows->list.items[i], "name"));
        if (stays[i] && add_question(read, draft, rows->list.items[i], err) < 0)
            return -1;
    }
    data_put(draft->arena, there, "name", data_null(draft->arena));
    for (size_t i = 0; i < rows->list.count; i++) {
        if (!stays[i]) {
            leave_out(draft, rows->list.items[i]);
            continue;
        }
        data_push(draft->arena, kept, rows->list.items[i]);
        data_put(draft->arena, there, data_get_text(rows->list.items[i], "name"),
                 rows->list.items[i]);
    }
    draft->questions = kept;
    return keep_rules(draft, there, err);
}
