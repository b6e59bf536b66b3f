/* `template list`: the types of a catalog. */
#include "author/show_catalog.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/common/config.h"
#include "cmd/template/author_source.h"
#include "data/fields.h"

#include <string.h>

/* The texts of a list with commas between. */
static const char *joined(struct run *run, const struct data *list, const char *member)
{
    const char *all = "";
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *item = list->list.items[i];
        all = arena_printf(&run->arena, "%s%s%s", all, i ? ", " : "",
                           cmd_masked(run, member ? data_get_text(item, member) : data_text(item)));
    }
    return all;
}

static void print_type(struct run *run, const struct data *type, int width)
{
    const char *frameworks = joined(run, data_get(type, "frameworks"), NULL);
    cmd_print(run, "%-*s  %s\n", width, cmd_masked(run, data_get_text(type, "type")),
              cmd_masked(run, data_get_text(type, "description")));
    if (strcmp(data_shown(type, "stack"), "none") == 0)
        cmd_print(run, "%-*s  no stack\n", width, "");
    else
        cmd_print(run, "%-*s  with %s\n", width, "", *frameworks ? frameworks : "no framework");
    if (run->verbose)
        cmd_print(run, "%-*s  of %s\n", width, "", joined(run, data_get(type, "layers"), "name"));
}

static int list_types(struct run *run, const struct catalog *catalog, struct err *err)
{
    struct data *types;
    int width = 0;
    if (show_types(&types, &run->arena, catalog, err) < 0)
        return -1;
    data_add(&run->arena, run->document, FIELD("catalog", show_catalog(&run->arena, catalog)),
             FIELD("types", types));
    for (size_t i = 0; i < types->list.count; i++) {
        int len = (int)strlen(data_shown(types->list.items[i], "type"));
        width = len > width ? len : width;
    }
    for (size_t i = 0; i < types->list.count; i++)
        print_type(run, types->list.items[i], width);
    if (!types->list.count)
        cmd_say(run, "the catalog '%s' has no types", catalog->name);
    return TG_OK;
}

static int template_list_run(struct run *run, struct err *err)
{
    struct config config;
    struct catalog *catalog = NULL;
    if (config_load(&config, &run->arena, err) < 0 ||
        cmd_open_authored(&catalog, NULL, run, &config, err) < 0)
        return -1;
    int rc = list_types(run, catalog, err);
    catalog_close(catalog);
    return rc;
}

const struct command template_list_command = {
    .name = "template list",
    .usage = "[--verbose]",
    .summary = "Show the types of a catalog: what they make, and with which frameworks.",
    .details = "With --verbose their layers, too.",
    .options = {{"Catalog", author_options}, {"Output", common_options}},
    .run = template_list_run};
