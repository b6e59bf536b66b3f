/* What the steps of an image's history wrote, by what builders tell of them. Pure. */
#ifndef TMPLGEN_REBASE_STEPS_H
#define TMPLGEN_REBASE_STEPS_H

#include <stdbool.h>

struct arena;
struct data;

/* What the steps before have set: a step means another thing elsewhere. */
struct rebase_place {
    struct arena *arena;
    const char *folder; /* the WORKDIR; NULL: the base's, which nobody knows */
    bool has_python;    /* the environment was copied to where templates have it */
    bool has_path;      /* and PATH begins with it */
    bool is_strange;    /* a setting leads pip or the shell elsewhere */
};

enum rebase_wrote {
    REBASE_WROTE_NOTHING,
    REBASE_WROTE_OTHERS, /* and no file where its base may have some */
    REBASE_WROTE_UNKNOWN,
};

/* Before the first step of an image on a base with this config. */
struct rebase_place rebase_place_on(struct arena *arena, const struct data *base_config);
/* One step after the other: `place` is what it is after it. The text is from outside. */
enum rebase_wrote rebase_wrote(struct rebase_place *place, const char *created_by);
/* Is it the label that tells what was written until then? */
bool rebase_step_speaks(struct arena *arena, const char *created_by, const char *label);
/* A whole path in a folder that distributions leave to others: nothing of a base is there. */
bool rebase_is_left_to_others(struct arena *arena, const char *path);

#endif
