/* The demands of a request, looked up in a matrix. */
#pragma once

#include "resolver/resolver.h"
#include "resolver/rules/gpu_name.h"
#include "resolver/search/members.h"

#include <stdint.h>

#define DEMANDS_MAX 64 /* a set of demands is the bits of a uint64_t */
#define GPUS_MAX 32
#define WITH_MAX 16
#define LATEST_MAX 8

/* After the choices: the needs of the project's type. */
enum {
    TYPE_PYTHON = CHOICE_COUNT,
    TYPE_OS, /* a family of distributions */
    DEMAND_KINDS
};

struct demand {
    int choice;       /* enum stack_choice, or a need of the type */
    size_t index;     /* of the GPU or the package in its list */
    const char *text; /* "driver 535", for messages */
};

struct asked_driver {
    const char *said;
    struct version version;      /* a bare branch's is later than every release of it */
    const struct branch *branch; /* its row, else that of the last branch before it; or NULL */
    bool listed;
};

struct asked_image {
    const char *said, *repository, *tag, *digest; /* digest: or NULL */
    bool curated;                                 /* its repository is one that images.yml lists */
    bool unseen;                 /* the tag was never sighted, but its row knows sightings only */
    const struct stocked *stock; /* the packages that the image has of its own; or NULL */
    const struct image *image;   /* its row; NULL: not in the lists, or another repository */
    const struct tag *row_tag;
    const struct distribution *distribution; /* NULL: not known */
};

struct demands;

struct asked_package {
    const char *name, *said;
    struct spec spec;
    const struct framework *row; /* NULL: no row has it */
    /* Then rows that give its newest Pythons, though any release may be taken (NumPy); or NULL. */
    const struct framework *like;
};

struct demands {
    const struct matrix *matrix;
    struct stack_request request;      /* the request itself */
    const struct framework *framework; /* the framework whose release and build are chosen first */
    const struct framework *named;     /* the same, or the named package that lives on it */
    struct spec specs[DEMAND_KINDS];   /* of the choices that have one; no clause: any version */
    const char *variant, *arch;
    bool cdi;
    struct asked_driver driver;
    const struct platform *platform;
    struct asked_driver platform_driver;
    struct asked_driver platform_latest[LATEST_MAX]; /* what it installs if the user asks for it */
    size_t latest_count;
    const struct distribution *os;
    bool os_elsewhere; /* the type's files cannot be built on the family that is the default */
    struct asked_image image;
    struct asked_gpu gpus[GPUS_MAX];
    size_t gpu_count;
    struct asked_package with[WITH_MAX];
    size_t with_count;
    struct members members; /* none where the framework is alone */
    struct demand demands[DEMANDS_MAX];
    size_t demand_count;
    int at[DEMAND_KINDS]; /* index of the first demand of that choice, or -1 */
};

/* Takes a request apart. Exit 2 for an unknown word, with the nearest one, and for a bad SPEC. */
TG_CHECKED int ask_compile(struct demands *out, struct arena *arena, const struct matrix *matrix,
                           const struct stack_request *request, struct err *err);
/* The set of all demands. */
uint64_t ask_all(const struct demands *ask);
/* True where the type's files can be built on it, as far as is known (NULL: not known). */
bool type_takes(const struct demands *ask, const struct distribution *distribution);
