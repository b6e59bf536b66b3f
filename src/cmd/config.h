/* The user's configuration: $XDG_CONFIG_HOME/tmplgen/config.yml. */
#ifndef TMPLGEN_CMD_CONFIG_H
#define TMPLGEN_CMD_CONFIG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct yaml_node;

/* All NULL and 0 where there is no such file. */
struct config {
    const char *catalog;  /* SRC[@REF] */
    const char *registry; /* HOST/PATH */
    const char *mirror;   /* HOST[/PATH] where Docker Hub's images are looked for */
    const char **trusted; /* catalog sources, exact, or ending in '*' */
    size_t trusted_count;
    const struct yaml_node *answers; /* a map, or NULL */
};

TG_CHECKED int config_load(struct config *out, struct arena *arena, struct err *err);
/* Whether `source` is among the trusted ones. */
bool config_trusts(const struct config *config, const char *source);

#endif
