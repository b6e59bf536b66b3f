/* Two layers that can render the same path, where nothing says which of them wins. */
#include "author/lint_run.h"

#include "author/worlds.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/fileset.h"
#include "catalog/catalog.h"

#include <string.h>

#define STEPS_EACH 100    /* that a pair of files counts as */
#define CONDITIONS_MAX 16 /* of two files; with more nobody can say */

struct clash_pair {
    const struct manifest_text *conditions[CONDITIONS_MAX];
    size_t condition_count;
    struct wanted_text wanted[2];
    size_t wanted_count;
    bool simple;
};

static void add_condition(struct clash_pair *pair, const struct manifest_text *when)
{
    if (!when->text)
        return;
    if (pair->condition_count == CONDITIONS_MAX)
        pair->simple = false;
    else
        pair->conditions[pair->condition_count++] = when;
}

/* Under what the file is there: its layer is taken, and none of the layer's rows leaves it out. */
static void add_file(struct clash_pair *pair, const struct part_file *file)
{
    const struct part_layer *part = file->layer;
    if (part->use) {
        add_condition(pair, &part->use->when);
        if (strchr(part->use->name.text, '{'))
            pair->wanted[pair->wanted_count++] =
                (struct wanted_text){&part->use->name, part->layer.name};
    }
    for (size_t i = 0; i < part->layer.rule_count; i++)
        if (part->layer.rules[i].when.text && parts_may_match(part->layer.rules[i].glob, file))
            add_condition(pair, &part->layer.rules[i].when);
}

static void tell_clash(struct lint *lint, const struct lint_type *type,
                       const struct part_file *first, const struct part_file *second,
                       const struct data *world)
{
    ERR_SCRATCH(wrong);
    const char *shown = worlds_shown(lint->arena, world);
    (void)err_set(&wrong, TG_USAGE, "path-clash", "'%s' and '%s' can both render to '%s'%s%s",
                  first->source, second->source, second->path, *shown ? ", such as with " : "",
                  shown);
    (void)err_hint(&wrong, "name '%s' under 'overrides' of %s%s%s", second->path,
                   second->layer->use ? "the layer '" : "the type",
                   second->layer->use ? second->layer->layer.name : "",
                   second->layer->use ? "'" : "");
    ERR_SCRATCH(ignored);
    struct span text = span_of("", 0);
    if (lint->files->read(&text, lint->files, second->index, &ignored) < 0)
        text = span_of("", 0);
    (void)err_at(&wrong, second->source, text.ptr, text.len, 0);
    findings_add_of(lint->findings, RULE_PATH_CLASH, &wrong, first->source, type->name);
}

static int check_pair(bool *clash, struct lint *lint, const struct lint_type *type,
                      const struct part_file *first, const struct part_file *second)
{
    struct data *world;
    struct clash_pair pair = {.simple = true};
    if (first->layer->order == second->layer->order || first->layer->broken ||
        second->layer->broken || parts_overrides(second))
        return 0;
    add_file(&pair, first);
    add_file(&pair, second);
    const struct worlds_input input = {type->manifest,       lint->files, pair.conditions,
                                       pair.condition_count, pair.wanted, pair.wanted_count};
    if (!pair.simple)
        return 0;
    if (worlds_find(&world, lint->arena, &input, lint->err) < 0)
        return -1;
    *clash = world != NULL;
    if (world && !findings_full(lint->findings, RULE_PATH_CLASH))
        tell_clash(lint, type, first, second, world);
    return 0;
}

/* Files of one path, in the order of the layers: the number of the one before each. */
static int check_type(struct lint *lint, const struct lint_type *type)
{
    const struct parts *parts = &type->parts;
    struct intern paths = {0};
    size_t *before = arena_array(lint->arena, parts->file_count + 1, sizeof(*before));
    size_t *last = arena_array(lint->arena, parts->file_count + 1, sizeof(*last));
    for (size_t i = 0; i < parts->file_count; i++) {
        size_t count = paths.count;
        size_t number = intern_add(&paths, lint->arena, span_from(parts->files[i].path));
        before[i] = number == count ? INTERN_NONE : last[number];
        last[number] = i;
        bool clash = false;
        for (size_t j = before[i]; j != INTERN_NONE && !clash; j = before[j])
            if (budget_steps(STEPS_EACH, lint->err) < 0 ||
                check_pair(&clash, lint, type, &parts->files[j], &parts->files[i]) < 0)
                return -1;
    }
    return 0;
}

int lint_clashes(struct lint *lint)
{
    for (size_t i = 0; i < lint->type_count; i++)
        if (lint->types[i].manifest && check_type(lint, &lint->types[i]) < 0)
            return -1;
    return 0;
}
