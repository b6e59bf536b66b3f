/* Files whose form tmplgen can check: YAML, JSON and TOML. */
#include "plan/merge/syntax_check.h"

#include "base/arena.h"
#include "base/err.h"
#include "data/json.h"
#include "data/toml.h"
#include "data/yaml.h"

#include <string.h>

static bool parses_yaml(struct arena *arena, const char *path, struct span content)
{
    ERR_SCRATCH(err);
    struct yaml_doc *doc;
    return yaml_parse(&doc, arena, path, content, &err) == 0;
}

static bool parses_json(struct arena *arena, const char *path, struct span content)
{
    ERR_SCRATCH(err);
    struct data *data;
    return json_parse(&data, arena, path, content, &err) == 0;
}

static bool parses_toml(struct arena *arena, const char *path, struct span content)
{
    (void)arena, (void)path;
    return toml_valid(content);
}

typedef bool parses(struct arena *arena, const char *path, struct span content);

/* By the ending of a name, or the whole of it. */
static const struct form {
    const char *name, *ending, *whole;
    parses *parses;
} forms[] = {
    {"YAML", ".yml", NULL, parses_yaml},     {"YAML", ".yaml", NULL, parses_yaml},
    {"JSON", ".json", NULL, parses_json},    {"TOML", ".toml", NULL, parses_toml},
    {"TOML", NULL, "uv.lock", parses_toml},  {"TOML", NULL, "poetry.lock", parses_toml},
    {"TOML", NULL, "pdm.lock", parses_toml}, {"TOML", NULL, "Cargo.lock", parses_toml},
    {"TOML", NULL, "Pipfile", parses_toml},
};

static const struct form *form_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (forms[i].whole ? strcmp(name, forms[i].whole) == 0 : str_ends(name, forms[i].ending))
            return &forms[i];
    return NULL;
}

const char *syntax_known(const char *path)
{
    const struct form *form = form_of(path);
    return form ? form->name : NULL;
}

bool syntax_parses(const char *path, struct span content)
{
    ARENA_SCRATCH(scratch);
    const struct form *form = form_of(path);
    return form && form->parses(&scratch, path, content);
}
