/* A package index: what it was asked and what it answered, live or recorded. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;
struct http;
struct package_index;

enum index_state {
    INDEX_THERE,
    INDEX_ABSENT,  /* the index says that there is none */
    INDEX_FAILED,  /* it could not be asked, or its answer could not be read */
    INDEX_UNKNOWN, /* not asked yet: index_ask will; of a record: never asked */
};

/*
 * Answers are kept as data, and questions that have none yet are noted: the reader runs over
 * the same ground again after each index_ask, until nothing new is wanted.
 */
struct index_settings {
    struct http *http;
    const char *url;   /* of the simple API, as pip has it: "https://host/simple" */
    const char *since; /* releases uploaded before this day are not looked into; or NULL */
    const char *today; /* for the record */
};

/* Lives in the arena. */
struct package_index *index_live(struct arena *arena, const struct index_settings *settings);
/* From what index_record made. Exit 2 where it is not of that form. */
TG_CHECKED int index_recorded(struct package_index **out, struct arena *arena, const char *name,
                              struct span text, struct err *err);

/*
 * Asks what is wanted, several questions at once; `*asked` says how many. Failures of single
 * questions are kept; -1 only where the run ended.
 */
TG_CHECKED int index_ask(size_t *asked, struct package_index *index, struct err *err);

/* The releases of a project: version -> a release as index_parse.h has it. */
enum index_state index_project(const struct data **out, struct package_index *index,
                               const char *name);
/* One release; its requirements are there or are wanted. */
enum index_state index_release(const struct data **out, struct package_index *index,
                               const char *name, const char *version);
/* It was uploaded before `since`: nothing but the date is known. */
bool index_is_old(const struct package_index *index, const struct data *release);
/* The requirements for a processor: a list, or NULL where they are not known. */
const struct data *index_requires(const struct data *release, const char *processor);

/*
 * -1 where a question failed: exit 1, with the code and the words of the first failure and how many
 * there were.
 */
TG_CHECKED int index_check(const struct package_index *index, struct err *err);
/* Exit 1, "answer", where it has none of the projects: nothing can be learnt there. */
TG_CHECKED int index_check_any(const struct package_index *index, struct err *err);
const char *index_since(const struct package_index *index);
const char *index_asked_on(const struct package_index *index);

/* Everything asked and answered, as data for a file. */
struct data *index_record(struct arena *arena, const struct package_index *index);
