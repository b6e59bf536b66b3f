/* A package index: its questions and answers, live or recorded. */
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
    INDEX_ABSENT,  /* the index has none */
    INDEX_FAILED,  /* the question failed, or its answer could not be read */
    INDEX_UNKNOWN, /* not asked yet: index_ask will; in a record: never asked */
};

/*
 * The index keeps its answers as data, and notes questions without an answer. The reader starts
 * again after each index_ask, until no new question is noted.
 */
struct index_settings {
    struct http *http;
    const char *url;   /* of the simple API, as for pip: "https://host/simple" */
    const char *since; /* releases uploaded before this day are not examined; or NULL */
    const char *today; /* for the record */
};

/* Lives in the arena. */
struct package_index *index_live(struct arena *arena, const struct index_settings *settings);
/* Reads the text of index_record. Exit 2 for another form. */
TG_CHECKED int index_recorded(struct package_index **out, struct arena *arena, const char *name,
                              struct span text, struct err *err);

/*
 * Asks the noted questions, several at once; `*asked` is their number. Failures of single questions
 * are kept; -1 only where the run ended.
 */
TG_CHECKED int index_ask(size_t *asked, struct package_index *index, struct err *err);

/* The releases of a project: version -> a release as in index_answer.h. */
enum index_state index_project(const struct data **out, struct package_index *index,
                               const char *name);
/* One release; its requirements are known, or are now wanted. */
enum index_state index_release(const struct data **out, struct package_index *index,
                               const char *name, const char *version);
/* True where it was uploaded before `since`: only its date is known. */
bool index_is_old(const struct package_index *index, const struct data *release);
/* The requirements for a processor: a list; NULL: not known. */
const struct data *index_requires(const struct data *release, const char *processor);

/*
 * Returns -1 where a question failed: exit 1, with the code and the text of the first failure and
 * the number of failures.
 */
TG_CHECKED int index_check(const struct package_index *index, struct err *err);
/* Exit 1, "answer", where the index has none of the projects: it proves nothing. */
TG_CHECKED int index_check_any(const struct package_index *index, struct err *err);
const char *index_since(const struct package_index *index);
const char *index_asked_on(const struct package_index *index);

/* Every question and answer, as data for a file. */
struct data *index_record(struct arena *arena, const struct package_index *index);
