/* A folder of one test, for what works below an open folder. */
#pragma once

struct place {
    char path[32];
    int fd; /* stays open */
};

/* For cmocka's setup and teardown. A run that leaves a descriptor open fails in the teardown. */
int place_make(void **state);
int place_remove(void **state);

void place_put(const struct place *place, const char *path, const char *text);
/* NULL text: nothing is there. */
void place_holds(const struct place *place, const char *path, const char *text);
