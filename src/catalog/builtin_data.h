/* What tools/catalog_pack.c generates: the objects of the built-in catalog, and its versions. */
#ifndef TMPLGEN_CATALOG_BUILTIN_DATA_H
#define TMPLGEN_CATALOG_BUILTIN_DATA_H

struct builtin_object {
    unsigned char oid[20];
    unsigned char type; /* git's number: 1 commit, 2 tree, 3 blob */
    unsigned int size;
    const char *data;
    /* NULL where it would be of no use */
    const char *deflated; /* a zlib stream of the data, for files that are copied as they are */
    unsigned int deflated_size;
    unsigned int nodes_size;
    const char *nodes; /* YAML documents: what yaml_nodes_read takes */
};

/* Sorted by object id, each once. */
extern const struct builtin_object builtin_objects[];
extern const unsigned long builtin_object_count;

struct builtin_release {
    const char *version; /* "0.1.0" */
    const char *commit;  /* 40 hex digits */
};

/* Oldest first. */
extern const struct builtin_release builtin_releases[];
extern const unsigned long builtin_release_count;

/*
 * The commit of the catalog that the binary was built with: the newest release where nothing has
 * changed since, else a commit on top of it that is the same wherever it is built.
 */
extern const char builtin_head[];

#endif
