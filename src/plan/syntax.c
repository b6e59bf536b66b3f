/* Files whose form tmplgen can check: YAML and JSON. */
#include "plan/syntax.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/yaml.h"

static const struct {
    const char *ending, *name;
} forms[] = {{".yml", "YAML"}, {".yaml", "YAML"}, {".json", "JSON"}};

const char *syntax_known(const char *path)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (str_ends(path, forms[i].ending))
            return forms[i].name;
    return NULL;
}

bool syntax_parses(const char *path, struct span content)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(err);
    struct yaml_doc *doc;
    struct data *data;
    if (str_equal(syntax_known(path), "JSON"))
        return json_parse(&data, &scratch, path, content, &err) == 0;
    return yaml_parse(&doc, &scratch, path, content, &err) == 0;
}
