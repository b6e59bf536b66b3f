/* The attributes of `resolution`, to check templates before they are rendered. */
#include "author/lint/lint_run.h"

#include "base/str.h"

#include <string.h>

/* From docs/json.md; a test compares them with its schema. */
static const char *const attributes[] = {
    "resolution",
    "resolution.arch",
    "resolution.archs",
    "resolution.build_image",
    "resolution.build_image.repository",
    "resolution.build_image.tag",
    "resolution.build_requirements",
    "resolution.companions",
    "resolution.cpu",
    "resolution.cpu.index_requirements",
    "resolution.cpu.index_url",
    "resolution.cpu.requirements",
    "resolution.cuda",
    "resolution.cuda.supply",
    "resolution.cuda.variant",
    "resolution.cuda.version",
    "resolution.cudnn",
    "resolution.driver",
    "resolution.driver.minimum",
    "resolution.driver.relies_on",
    "resolution.env",
    "resolution.find_links",
    "resolution.framework",
    "resolution.framework.name",
    "resolution.framework.version",
    "resolution.gpus",
    "resolution.image",
    "resolution.image.digest",
    "resolution.image.repository",
    "resolution.image.state",
    "resolution.image.tag",
    "resolution.index_requirements",
    "resolution.index_url",
    "resolution.notes",
    "resolution.python",
    "resolution.requirements",
    "resolution.sources",
    "resolution.team_image",
    "resolution.team_image.image",
    "resolution.team_image.repository",
    "resolution.team_image.tag",
};
static const size_t attribute_count = sizeof(attributes) / sizeof(*attributes);

static const char *const methods[] = {"copy", "get", "items", "keys", "values"};

static bool is_entry(struct span path)
{
    for (size_t i = 0; i < attribute_count; i++)
        if (span_equal(span_from(attributes[i]), path))
            return true;
    return false;
}

/* Lists the names directly below `owner`. */
static size_t list_below(const char **names, struct span owner)
{
    size_t count = 0;
    for (size_t i = 0; i < attribute_count; i++)
        if (strncmp(attributes[i], owner.ptr, owner.len) == 0 && attributes[i][owner.len] == '.' &&
            !strchr(attributes[i] + owner.len + 1, '.'))
            names[count++] = attributes[i] + owner.len + 1;
    return count;
}

bool attribute_is_known(const char **nearest, struct span path)
{
    const char *names[sizeof(attributes) / sizeof(*attributes)];
    char name[128];
    size_t dot = path.len;
    *nearest = NULL;
    while (dot > 0 && path.ptr[dot - 1] != '.')
        dot--;
    size_t len = path.len - dot;
    struct span owner = span_of(path.ptr, dot ? dot - 1 : 0);
    size_t count = dot ? list_below(names, owner) : 0;
    if (count == 0 || len >= sizeof(name) || is_entry(path))
        return true;
    memcpy(name, path.ptr + dot, len);
    name[len] = '\0';
    if (str_is_among(name, methods, sizeof(methods) / sizeof(*methods)))
        return true;
    *nearest = str_nearest(name, names, count);
    return false;
}
