/* The questions of a type: its own and those of the layers that it may use. */
#include "catalog/manifest/manifest_parts.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/intern.h"
#include "base/str.h"
#include "catalog/manifest/layer.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

/* An entry of a type's `questions`: a question, or the place for those of a layer. */
struct question_row {
    struct question question;
    const char *layer; /* or NULL */
    const struct yaml_node *node;
};

struct joining {
    const struct reader *reader;
    const struct fileset *files;
    struct questions *out;
    const struct layer_use *uses;
    size_t use_count;
    struct question_row *rows;
    size_t row_count;
    struct intern own;   /* names of the type's own questions */
    struct intern names; /* of layers already read */
    struct layer *layers;
    struct intern keys; /* of rows of `layers`, with the layers that each may mean */
    struct words *meant;
    bool *placed; /* by row of `layers` */
};

static int read_question_row(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"layer", NULL};
    struct question_row *row = out;
    row->node = node;
    if (!yaml_get(node, "layer"))
        return question_read(&row->question, reader, node);
    return yaml_check_keys(node, keys, reader->err) < 0
               ? -1
               : reader_required(&row->layer, reader, node, "layer");
}

static void append_question(const struct joining *j, struct question question)
{
    struct questions *out = j->out;
    (void)intern_add(&out->names, j->reader->arena, span_from(question.name));
    arena_push(j->reader->arena, out->items, out->count) = question;
}

/* Adds a layer's question. Two layers with the same question must define it equally. */
static int add_brought(const struct joining *j, const struct question *question,
                       struct bringer bringer)
{
    if (strcmp(question->name, "name") == 0)
        return yaml_error(j->reader->err, question->node, "'name' is a question of types alone");
    if (intern_find(&j->own, span_from(question->name)) != INTERN_NONE)
        return 0;
    size_t at = intern_find(&j->out->names, span_from(question->name));
    if (at == INTERN_NONE) {
        at = j->out->count;
        append_question(j, *question);
    }
    struct question *known = &j->out->items[at];
    if (known->node != question->node && !question_is_same(j->reader, known, question)) {
        (void)yaml_error(j->reader->err, question->node,
                         "the layers '%s' and '%s' both ask '%s', and not the same",
                         known->bringers[0].layer, bringer.layer, question->name);
        return err_hint(j->reader->err, "the question of a type takes the place of both");
    }
    arena_push(j->reader->arena, known->bringers, known->bringer_count) = bringer;
    return 0;
}

/* Adds the layer's refusals for each row of `layers` that may take it. */
static void add_refusals(const struct joining *j, const struct layer *layer,
                         const struct layer_use *use)
{
    struct questions *out = j->out;
    for (size_t i = 0; i < layer->refusal_count; i++) {
        struct refusal *added = &arena_push(j->reader->arena, out->refusals, out->refusal_count);
        *added = layer->refusals[i];
        added->layer = layer->name;
        added->use = use;
    }
}

static int join_layer(struct joining *j, const struct layer_use *use, const char *name)
{
    size_t read = j->names.count;
    size_t number = intern_add(&j->names, j->reader->arena, span_from(name));
    if (number == read) {
        j->layers = arena_grow(j->reader->arena, j->layers, read, sizeof(*j->layers));
        if (layer_load(&j->layers[read], j->reader->arena, j->files, name, j->reader->err) < 0)
            return -1;
    }
    const struct layer *layer = &j->layers[number];
    for (size_t i = 0; i < layer->question_count; i++)
        if (add_brought(j, &layer->questions[i], (struct bringer){layer->name, use}) < 0)
            return -1;
    add_refusals(j, layer, use);
    return budget_steps(1 + layer->question_count + layer->refusal_count, j->reader->err);
}

/* Cached by key, because rows with templates as names often mean the same many layers. */
static struct words candidates(struct joining *j, const struct layer_use *use)
{
    struct arena *arena = j->reader->arena;
    size_t count = j->keys.count, number = intern_add(&j->keys, arena, layer_key(use));
    if (number == count) {
        j->meant = arena_grow(arena, j->meant, count, sizeof(*j->meant));
        j->meant[number].count = layer_candidates(&j->meant[number].items, arena, j->files, use);
    }
    return j->meant[number];
}

/* The questions of the layers that a row of `layers` may take. */
static int join_use(struct joining *j, size_t index)
{
    const struct layer_use *use = &j->uses[index];
    if (j->placed[index])
        return 0;
    j->placed[index] = true;
    struct words names = candidates(j, use);
    for (size_t i = 0; i < names.count; i++)
        if (join_layer(j, use, names.items[i]) < 0)
            return -1;
    return 0;
}

/* Handles `- layer: NAME`, where NAME is a row of `layers`. */
static int join_row(struct joining *j, const struct question_row *row)
{
    const char **names = arena_array(j->reader->arena, j->use_count + 1, sizeof(*names));
    bool found = false;
    for (size_t i = 0; i < j->use_count; i++) {
        names[i] = j->uses[i].name.text;
        if (strcmp(names[i], row->layer) != 0)
            continue;
        found = true;
        if (join_use(j, i) < 0)
            return -1;
    }
    if (found)
        return 0;
    const char *nearest = str_nearest(row->layer, names, j->use_count);
    (void)yaml_error(j->reader->err, row->node, "'layers' does not name '%s'", row->layer);
    return nearest ? err_hint(j->reader->err, "did you mean '%s'?", nearest) : -1;
}

/* Numbers the type's own questions; tells whether `name` is one of them. */
static int number_own(bool *has_name, struct joining *j)
{
    *has_name = false;
    for (size_t i = 0; i < j->row_count; i++) {
        const struct question *question = &j->rows[i].question;
        size_t count = j->own.count;
        if (j->rows[i].layer)
            continue;
        *has_name |= strcmp(question->name, "name") == 0;
        if (intern_add(&j->own, j->reader->arena, span_from(question->name)) < count)
            return yaml_error(j->reader->err, question->node, "the question '%s' is asked twice",
                              question->name);
    }
    return 0;
}

static int check_name_type(const struct reader *reader, const struct questions *all)
{
    const struct question *name = &all->items[intern_find(&all->names, span_from("name"))];
    if (name->type != QUESTION_STR || name->when.text || name->fallback || name->computed.text)
        return yaml_error(reader->err, name->node,
                          "'name' must be of type str, without 'when' and 'default'");
    return 0;
}

int questions_join(struct questions *out, const struct reader *reader, const struct fileset *files,
                   const struct layer_use *uses, size_t use_count, const struct yaml_node *root)
{
    struct joining j = {
        .reader = reader, .files = files, .out = out, .uses = uses, .use_count = use_count};
    bool has_name;
    *out = (struct questions){.count = 0};
    j.placed = arena_array(reader->arena, use_count + 1, sizeof(*j.placed));
    if (READER_LIST(j.rows, j.row_count, reader, root, "questions", read_question_row) < 0 ||
        number_own(&has_name, &j) < 0)
        return -1;
    if (!has_name)
        append_question(
            &j, (struct question){.name = "name",
                                  .type = QUESTION_STR,
                                  .help = {.text = "name of the project: letters, digits, . _ -"},
                                  .pattern = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
                                  .node = root});
    for (size_t i = 0; i < j.row_count; i++) {
        if (j.rows[i].layer && join_row(&j, &j.rows[i]) < 0)
            return -1;
        if (!j.rows[i].layer)
            append_question(&j, j.rows[i].question);
    }
    for (size_t i = 0; i < use_count; i++)
        if (join_use(&j, i) < 0)
            return -1;
    return check_name_type(reader, out);
}
