/* A repository of several cookiecutter templates: each becomes a type. */
#include "import/menu.h"

#include "base/arena.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/json.h"
#include "import/draft.h"

#include <string.h>

#define MANIFEST "cookiecutter.json"

struct menu_reading {
    struct menu *out;
    struct arena *arena;
    const struct fileset *files;
    struct span text; /* of the manifest */
    struct err *err;
};

static int invalid(const struct menu_reading *r, const char *what, const char *shown)
{
    (void)err_set(r->err, TG_USAGE, "invalid", "the menu of templates has %s '%s'", what, shown);
    return err_at(r->err, MANIFEST, r->text.ptr, r->text.len, 0);
}

static bool has_type(const struct menu *menu, const char *type)
{
    for (size_t i = 0; i < menu->count; i++)
        if (strcmp(menu->entries[i].type, type) == 0)
            return true;
    return false;
}

static int add(const struct menu_reading *r, const char *name, const char *path,
               const char *description)
{
    struct menu *menu = r->out;
    while (str_starts(path, "./"))
        path += 2;
    size_t len = strlen(path);
    while (len && path[len - 1] == '/')
        len--;
    const char *folder = arena_printf(r->arena, "%.*s/", (int)len, path);
    const char *manifest = arena_printf(r->arena, "%s" MANIFEST, folder);
    const char *type = draft_type_name(r->arena, name);
    if (len == 0 || fileset_find(r->files, manifest) < 0)
        return invalid(r, "no " MANIFEST " in", path);
    if (has_type(menu, type))
        return invalid(r, "two templates that become", type);
    menu->entries = arena_grow(r->arena, menu->entries, menu->count, sizeof(*menu->entries));
    menu->entries[menu->count++] = (struct menu_entry){type, folder, description};
    return 0;
}

/* `templates`: a mapping of names to path, title, description. */
static int read_new(const struct menu_reading *r, const struct data *map)
{
    for (size_t i = 0; i < map->map.count; i++) {
        const char *name = map->map.members[i].name.ptr;
        const struct data *entry = map->map.members[i].value;
        const char *path = data_get_text(entry, "path"), *title = data_get_text(entry, "title");
        const char *description = data_get_text(entry, "description");
        if (!path)
            return invalid(r, "no path for", name);
        if (add(r, name, path, description ? description : title ? title : name) < 0)
            return -1;
    }
    return 0;
}

/* `template`: a list of "DESCRIPTION (PATH)". */
static int read_old(const struct menu_reading *r, const struct data *list)
{
    for (size_t i = 0; i < list->list.count; i++) {
        const char *text = data_text(list->list.items[i]);
        const char *open = text ? strchr(text, '(') : NULL, *end = open ? strrchr(open, ')') : NULL;
        if (!end)
            return invalid(r, "no path in", text ? text : "");
        const char *path = arena_memdup(r->arena, open + 1, (size_t)(end - open - 1));
        if (add(r, path, path, arena_memdup(r->arena, text, (size_t)(open - text))) < 0)
            return -1;
    }
    return 0;
}

int menu_read(struct menu *out, struct arena *arena, const struct fileset *files, struct err *err)
{
    struct menu_reading r = {.out = out, .arena = arena, .files = files, .err = err};
    struct data *root;
    *out = (struct menu){0};
    if (fileset_find(files, MANIFEST) < 0)
        return 0;
    if (fileset_get(&r.text, files, MANIFEST, err) < 0 ||
        json_parse(&root, arena, MANIFEST, r.text, err) < 0)
        return -1;
    const struct data *several = data_get(root, "templates"), *old = data_get(root, "template");
    if (several && several->kind == DATA_MAP)
        return read_new(&r, several);
    return old && old->kind == DATA_LIST ? read_old(&r, old) : 0;
}
