/* The user's configuration: $XDG_CONFIG_HOME/tmplgen/config.yml. */
#ifndef TMPLGEN_CONFIG_H
#define TMPLGEN_CONFIG_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct yaml_node;

/* A catalog that is not new to the user. */
struct trusted {
    const char *source;   /* exact, or ending in '*' */
    const char **signers; /* one of whom must have signed it; or none */
    size_t signer_count;
};

/* All NULL and 0 where there is no such file. */
struct config {
    const char *catalog;  /* SRC[@REF] */
    const char *registry; /* HOST/PATH */
    const char *mirror;   /* HOST[/PATH] where Docker Hub's images are looked for */
    struct trusted *trusted;
    size_t trusted_count;
    const char *allowed_signers;     /* a file, absolute; NULL: none */
    const struct yaml_node *answers; /* a map, or NULL */
};

/* Reads the file `path`; NULL: there is no place for one. */
TG_CHECKED int config_load(struct config *out, struct arena *arena, const char *path,
                           struct err *err);

#endif
