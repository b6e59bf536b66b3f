/* The record of a child, `.tmplgen.yml`: what the child was made from. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

struct data;

#define RECORD_SCHEMA 1

struct record {
    struct catalog_origin catalog;
    const char *type;              /* `template` */
    const struct data *answers;    /* map */
    const struct data *request;    /* map, or NULL with `stack: none` */
    const struct data *resolution; /* map, or NULL */
    char tree[41];                 /* render tree, hex */
    char inputs[65];               /* sha256 of the canonical inputs, hex */
    int engine;
    struct words yours;
    /* Only after record_parse: the same as nodes, with the text as typed. */
    const struct yaml_node *answers_node, *request_node;
};

/*
 * sha256 over the canonical inputs: catalog commit, those of the catalogs that it extends,
 * template, answers, request, resolution, engine and the matrix overlay's bytes (empty: none), as
 * JSON with sorted keys and no spaces.
 */
void record_hash_inputs(char inputs[65], const struct record *record, struct span overlay);
/* True where `inputs` is the hash of the record's content: nobody edited it by hand. */
bool record_is_genuine(const struct record *record, struct span overlay);

/* Formats the record as YAML, with a head comment for people. Deterministic. */
int record_format(struct buf *out, const struct record *record);
/* The same, in the arena; exit 2, "limit", where it is too large. */
TG_CHECKED int record_text(struct span *out, struct arena *arena, const struct record *record,
                           struct err *err);
/* The first glob of `yours` whose start or end no path has, as 'docs/' and '/docs'; or NULL. */
const char *record_idle_glob(const struct record *record);
/* The warning for such a glob. */
#define RECORD_IDLE_GLOB                                                                           \
    "'%s' under `yours` matches no file: paths begin at the project's folder, without '/' or "     \
    "'./', and all of a folder is 'FOLDER/**'"
/* True where both would be written as the same file. */
bool record_is_same(const struct record *a, const struct record *b);
/*
 * Reads a record strictly: exit 2, code "invalid-record", with place; for a newer schema the error
 * says to update tmplgen. `name` is for messages. Everything lives in the arena.
 */
TG_CHECKED int record_parse(struct record *out, struct arena *arena, const char *name,
                            struct span text, struct err *err);
