/* The curated rows of matrices/, in memory. */
#pragma once

#include "matrix/version.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct fileset;
struct yaml_member;
struct yaml_node;

enum confidence { CONFIDENCE_HIGH, CONFIDENCE_MEDIUM, CONFIDENCE_LOW };
extern const char *const confidence_names[]; /* NULL behind the last */

/* Common to all rows; the first member of each. */
struct fact {
    const char *source; /* texts of the named sources, joined by "; " */
    const char *as_of;
    const char *note; /* or NULL */
    enum confidence confidence;
    bool overlaid;                /* from a child's .tmplgen-matrix.yml */
    const struct yaml_node *node; /* for messages; NULL: from a table */
};

/* A name and its value. */
struct pair {
    const char *name, *value;
    const struct yaml_member *place; /* as `node` of a fact */
};

struct pairs {
    struct pair *items;
    size_t count;
};

/* Compute capabilities as numbers: 8.6 is 86, 12.0 is 120. */
struct ccs {
    int *items;
    size_t count;
};

/* The common start of an array of rows, so that the same code fills all of them. */
struct rows {
    void *items;
    size_t count, capacity;
};

/* ------------------------------------------------------------------ cuda.yml */

struct toolkit {
    struct fact fact;
    struct version cuda;   /* 12.6.3 */
    struct version driver; /* the first that supports all its functions */
};

struct minor_floor {
    struct fact fact;
    int64_t major;
    struct version driver;
};

struct capability {
    struct fact fact;
    struct spec cuda;
    struct ccs ccs;
};

struct cudnn {
    struct fact fact;
    struct spec cudnn, cuda;
    struct ccs range; /* lowest, highest */
    struct ccs without;
};

/* ------------------------------------------------------------------ drivers.yml */

struct branch {
    struct fact fact;
    int64_t number;
    struct version cuda; /* the version it includes */
    const char *kind, *eol;
    bool ended;
};

struct forward {
    struct fact fact;
    struct version cuda;
    const char *package;
    struct words branches;
};

/* ------------------------------------------------------------------ gpus.yml */

struct architecture {
    struct fact fact;
    int cc;
    const char *name;
    struct version first_cuda, last_cuda; /* `text` NULL: not known, or not yet */
    int64_t last_branch;                  /* 0: still supported */
};

struct gpu {
    struct fact fact;
    const char *name;
    const char *names; /* further ones, separated by commas */
    int cc;
    const char *class; /* datacenter, workstation, geforce, jetson, desktop */
    const char *host;  /* the only processor it comes with, or NULL */
    int64_t bandwidth; /* of memory in GB/s, minimum of its versions; 0: unknown */
    struct words memory, instances;
    struct words products; /* labels nvidia.com/gpu.product, as GPU feature discovery sets them */
    struct pairs on;       /* from platform to its name there */
    struct pairs mig;      /* memory: profile:instances ... */
};

/* ------------------------------------------------------------------ platforms.yml */

struct platform {
    struct fact fact;
    const char *name, *title, *library_path, *selector, *gpus;
    int64_t driver; /* the branch installed by default; 0: the user's choice */
    struct words latest;
    struct words processors; /* empty: any */
    int cc_min;              /* 0: no limit */
    bool no_forward;         /* does not support forward-compatibility packages */
};

/* ------------------------------------------------------------------ images.yml */

struct distribution {
    struct fact fact;
    const char *os, *family;
    struct version python;
    struct version first, last; /* CUDA images that use it; `text` NULL: no limit known */
    struct version glibc;       /* `text` NULL: not known */
    size_t rank;                /* position in the file: newer ones of a family come later */
    bool is_default;            /* the default of its family */
};

struct plain_image {
    struct fact fact;
    const char *os, *repository, *tag;
};

/* A repository whose images already contain a framework. */
struct stocked {
    struct fact fact;
    const char *repository;
    const char *holds;     /* the content, for messages; tags start with {version} */
    const char *framework; /* the matrix's name, if the version is that of a framework; or NULL */
};

struct library_path {
    struct fact fact;
    struct version from;
    const char *path;
    bool shadows;
};

/* The spelling of "cudnn" in tags. */
struct cudnn_word {
    struct fact fact;
    struct spec cuda;
    const char *word;
};

/* The drivers that an image starts on; `cuda` without a text: unknown. */
struct gate {
    struct version cuda;
    struct words branches;
    bool geforce;
};

/* One tag: CUDA-FLAVOUR-DISTRIBUTION. */
struct tag {
    const char *flavour; /* base, runtime, devel, cudnn-runtime, cudnn-devel */
    const struct distribution *distribution;
};

struct image {
    struct fact fact;
    struct version cuda;
    const char *state; /* supported, superseded, eol, observed */
    const char *superseded_by, *cudnn, *nccl;
    const char *cudnn_word; /* the spelling of "cudnn" in its tags */
    struct gate gate;
    struct pairs tag_words; /* from flavours to distributions */
    struct tag *tags;       /* parsed from `tag_words` */
    size_t tag_count;
};

/* ------------------------------------------------------------------ frameworks, packages */

struct build;

struct release {
    struct fact fact;
    struct version version;
    struct words pythons, experimental;
    const char *default_variant, *pypi; /* or NULL */
    struct pairs companions;            /* name: version */
    const char *requires;               /* further requirements, separated by spaces */
    const char *pins;                   /* its wheel's own requirements, separated by spaces */
    struct words differs;               /* from an index's metadata; `note` explains it */
    struct version glibc;               /* required by its wheels; `text` NULL: any */
    struct words processors;            /* of a package: with wheels; empty: all */
    struct words variants;              /* of a package: matching builds of its framework; or all */
    struct version *python_versions;    /* of `pythons`, then of `experimental` */
    const struct build **builds;        /* in order of preference */
    size_t build_count;
};

struct build {
    struct fact fact;
    struct words releases; /* or "all" */
    const char *variant;
    struct version cuda;             /* `text` NULL: a CPU build */
    const struct toolkit *toolkit;   /* of `cuda`; or NULL */
    const struct minor_floor *floor; /* of `cuda`; or NULL */
    struct spec images;              /* CUDA versions of usable images; no clause: the same minor */
    const char *cudnn;               /* a version, or a SPEC if the wheel allows several; or NULL */
    struct version cudnn_version;
    struct spec cudnn_window;  /* has clauses if `cudnn` is a SPEC */
    const char *cudnn_package; /* provides it in that case */
    struct spec nccl;          /* required by its wheel; no clause: unknown */
    const char *supply, *index_url, *requirements, *extra, *channel;
    const char *find_links; /* a page with wheels that no index has; or NULL */
    struct ccs x86_64, aarch64, not_covered;
    struct words processors;      /* if the cubins are unknown or missing */
    int ptx;                      /* 0: none */
    int cc_min, cc_max;           /* 0: no limit */
    struct version glibc_aarch64; /* required by its aarch64 wheels; `text` NULL: as the release */
    struct version driver;        /* its own minimum; `text` NULL: CUDA's */
    enum confidence cubins;
    struct words differs;  /* as of a release */
    struct spec libraries; /* CUDA versions admitted by its requirements; no clause: any */
};

/* A framework, or a package that lives on one. */
struct framework {
    const char *name, *title, *supply, *library_path, *requirements, *index_url;
    const char *on;        /* the framework of a package; NULL: this is a framework */
    const char *index;     /* "framework": its wheels are on the index of that framework's build */
    const char *libraries; /* "exact": its requirements pin the libraries of its CUDA minor */
    bool by_companions;    /* its releases are those named in the framework's rows */
    struct words packages; /* other names in pip */
    struct pairs env;
    struct rows releases, builds; /* struct release, newest first; struct build */
};

/* All frameworks and packages of a catalog, read when they are first needed. */
struct whole {
    struct arena *arena;
    bool placed;
    const struct matrix *matrix; /* NULL: not read yet */
};

struct matrix {
    const struct fileset *files;
    struct span overlay; /* as given */
    struct whole *whole;
    struct rows toolkits, floors, capabilities, cudnns;
    struct rows branches, forwards;
    struct rows architectures, gpus;
    struct rows platforms;
    struct rows distributions, plain, library_paths, cudnn_words, images, stocked;
    const char *repository; /* of `images` */
    struct words mirrors;   /* with the same tags */
    struct framework *frameworks;
    size_t framework_count;
    struct framework *packages; /* empty until everything is read */
    size_t package_count;
    bool overlaid;
};

/* The same catalog with every framework and package, in the arena of `matrix`; read once. */
TG_CHECKED int matrix_whole(const struct matrix **out, const struct matrix *matrix,
                            struct err *err);

/* Row `i` of `rows`, whose items have this type. */
#define ROW(type, rows, i) (&((const type *)(rows).items)[i])

/* Whether major and minor are equal, as in 12.6.3 and 12.6. */
bool same_minor(const struct version *a, const struct version *b);
/* First toolkit of that minor, or NULL. */
const struct toolkit *toolkit_of(const struct matrix *matrix, const struct version *cuda);
const struct minor_floor *floor_of(const struct matrix *matrix, const struct version *cuda);
const struct architecture *architecture_of(const struct matrix *matrix, int cc);
const struct distribution *distribution_of(const struct matrix *matrix, const char *os);
const struct platform *platform_of(const struct matrix *matrix, const char *name);
const struct framework *framework_of(const struct matrix *matrix, const char *name);
/* Item `i` of all frameworks followed by all packages, or NULL at the end. */
const struct framework *any_framework(const struct matrix *matrix, size_t i);
/* The one with exactly this name in the files; or NULL. */
const struct framework *framework_or_package(const struct matrix *matrix, const char *name);
/* The release with this text, or else this version; or NULL. */
const struct release *release_named(const struct framework *framework, const char *text);
const struct release *release_of(const struct framework *framework, const struct version *version);
/* Splits a text at blanks; in the arena. */
struct words words_read(struct arena *arena, const char *text);
/* The framework or package that users or pip call so; or NULL. */
const struct framework *package_of(const struct matrix *matrix, const char *name);
/* How a build is supplied (wheel, image, install or build): its own value or the framework's. */
const char *supply_of(const struct framework *framework, const struct build *build);
/* Whether users or pip call it so. */
bool is_called(const struct framework *framework, const char *name);
/* Compares names as pip does: Flash_Attn equals flash-attn. */
bool same_package(const char *a, const char *b);
/* The value of a name, or NULL. */
const char *pair_value(const struct pairs *pairs, const char *name);
/* "8.6" for 86, in the arena. */
const char *cc_text(struct arena *arena, int cc);
/* "12.6.3-cudnn-runtime-ubuntu24.04", in the arena. */
const char *tag_text(struct arena *arena, const struct image *image, const struct tag *tag);
/* base, runtime, devel, cudnn-runtime, cudnn-devel; ended by NULL. */
extern const char *const image_flavours[];
/* Whether the distribution has images of that CUDA, as far as is known. */
bool has_images_of(const struct distribution *distribution, const struct version *cuda);
/* Whether that repository has the tags of `images`. */
bool holds_cuda_tags(const struct matrix *matrix, const char *repository);
/* The gate of an image: its own, or that of the newest patch of its minor that has one; or NULL. */
const struct gate *gate_of(const struct matrix *matrix, const struct image *image);
/* The cuDNN of an image, or of the newest patch of its minor that has one; or NULL. */
const char *cudnn_of(const struct matrix *matrix, const struct image *image);
/* The compute capabilities that a toolkit can compile cubins for; NULL if unknown. */
const struct ccs *capabilities_of(const struct matrix *matrix, const struct version *cuda);
bool has_cc(const struct ccs *ccs, int cc);
/* Whether images of that CUDA will do for a build. */
bool image_fits(const struct build *build, const struct version *cuda);
/* LD_LIBRARY_PATH in an image of that version, or NULL. */
const struct library_path *library_path_of(const struct matrix *matrix, const struct version *cuda);
/* Fills in {version}, {variant} and {extra} in a text of the rows; in the arena. */
const char *fill_text(struct arena *arena, const char *text, const struct release *release,
                      const struct build *build);
bool build_has_processor(const struct build *build, const char *arch);
