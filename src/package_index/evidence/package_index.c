/* A package index: its questions and answers, live or recorded. */
#include "package_index/package_index.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "data/document.h"
#include "data/json.h"
#include "io/http.h"
#include "matrix/version.h"
#include "package_index/evidence/index_answer.h"
#include "package_index/evidence/wheel.h"
#include "package_index/evidence/zip.h"

#include <inttypes.h>
#include <string.h>

#define SCHEMA "tmplgen/index-record@1"
#define WANTS_MAX ((size_t)4000)
/* The answers to so many questions are in memory at once: a list may have megabytes. */
#define PROJECTS_AT_ONCE ((size_t)8)
#define RELEASES_AT_ONCE ((size_t)96)
#define PIECES_BYTES (16 * LIMIT_MIB)
/* The list of releases changes; the requirements of a release never change after its upload. */
#define LIST_FRESH_SECONDS (60L * 60)
#define RELEASE_FRESH_SECONDS (30L * 24 * 60 * 60)
#define ACCEPT_SIMPLE                                                                              \
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.2, "            \
    "text/html; q=0.1"

/* Whether the index has a part of the JSON API; the first question tells. */
enum having { UNTRIED, HAS, LACKS };

/* A project, or one release of it with its requirements. */
struct want {
    const char *name, *version; /* `version` NULL: the project */
    uint64_t bytes;             /* of a piece of a wheel: how many to ask for */
};

struct package_index {
    struct arena *arena;
    struct index_settings settings;
    bool live;
    const char *json_url; /* of the JSON API, or NULL */
    enum having json_projects, json_releases;
    struct data *projects;    /* name -> releases, null where there is no such project */
    struct data *files;       /* name -> files of the simple API */
    struct data *failed;      /* "name" or "name version" -> why */
    const char *failure_code; /* of the first */
    struct want *wants;
    size_t want_count;
};

/* PyPI's layout, which the others follow: /simple and /pypi side by side. */
static const char *json_url_of(struct arena *arena, const char *url)
{
    size_t len = strlen(url), ending = strlen("/simple");
    if (len <= ending || !str_ends(url, "/simple"))
        return NULL;
    return arena_printf(arena, "%.*s/pypi", (int)(len - ending), url);
}

static struct package_index *new_index(struct arena *arena, const struct index_settings *settings)
{
    struct package_index *index = arena_alloc(arena, sizeof(*index));
    *index = (struct package_index){.arena = arena, .settings = *settings};
    index->projects = data_map(arena);
    index->files = data_map(arena);
    index->failed = data_map(arena);
    return index;
}

struct package_index *index_live(struct arena *arena, const struct index_settings *settings)
{
    struct package_index *index = new_index(arena, settings);
    struct span url = span_trim_end(span_from(settings->url), "/");
    index->settings.url = arena_memdup(arena, url.ptr, url.len);
    index->json_url = json_url_of(arena, index->settings.url);
    index->live = true;
    return index;
}

/* ------------------------------------------------------------------ reading answers */

static void want(struct package_index *index, const char *name, const char *version)
{
    for (size_t i = 0; i < index->want_count; i++)
        if (str_equal(index->wants[i].name, name) && str_equal(index->wants[i].version, version))
            return;
    if (!index->live || index->want_count == WANTS_MAX)
        return;
    arena_push(index->arena, index->wants, index->want_count) = (struct want){
        arena_strdup(index->arena, name), version ? arena_strdup(index->arena, version) : NULL, 0};
}

static const char *failure_key(struct arena *arena, const char *name, const char *version)
{
    return version ? arena_printf(arena, "%s %s", name, version) : name;
}

static bool has_failed(const struct package_index *index, const char *name, const char *version)
{
    ARENA_SCRATCH(scratch);
    return data_get(index->failed, failure_key(&scratch, name, version)) != NULL;
}

enum index_state index_project(const struct data **out, struct package_index *index,
                               const char *name)
{
    *out = data_get(index->projects, name);
    if (*out)
        return (*out)->kind == DATA_MAP ? INDEX_THERE : INDEX_ABSENT;
    if (has_failed(index, name, NULL))
        return INDEX_FAILED;
    want(index, name, NULL);
    return INDEX_UNKNOWN;
}

/* Indexes spell versions differently: 26.02.1 is 26.2.1. */
static const struct data_member *find_release(const struct data *releases, const char *version)
{
    struct version wanted, there;
    for (size_t i = 0; i < releases->map.count; i++)
        if (str_equal(releases->map.members[i].name.ptr, version))
            return &releases->map.members[i];
    if (version_parse(&wanted, version) < 0)
        return NULL;
    for (size_t i = 0; i < releases->map.count; i++)
        if (version_parse(&there, releases->map.members[i].name.ptr) == 0 &&
            version_compare(&wanted, &there) == 0)
            return &releases->map.members[i];
    return NULL;
}

bool index_is_old(const struct package_index *index, const struct data *release)
{
    const char *uploaded = data_get_text(release, "uploaded");
    return index->settings.since && uploaded && strcmp(uploaded, index->settings.since) < 0;
}

const struct data *index_requires(const struct data *release, const char *processor)
{
    const struct data *list = data_get(release, "requires");
    if (list && list->kind == DATA_MAP)
        list = data_get(list, processor);
    return list && list->kind == DATA_LIST ? list : NULL;
}

static bool has_requires(const struct data *release)
{
    const struct data *requires = data_get(release, "requires");
    return requires && requires->kind != DATA_NULL;
}

enum index_state index_release(const struct data **out, struct package_index *index,
                               const char *name, const char *version)
{
    const struct data *releases;
    enum index_state state = index_project(&releases, index, name);
    *out = NULL;
    if (state != INDEX_THERE)
        return state;
    const struct data_member *member = find_release(releases, version);
    if (!member)
        return INDEX_ABSENT;
    *out = member->value;
    if (data_is_true(*out, "yanked") /* with its files */ || index_is_old(index, *out) ||
        has_requires(*out))
        return INDEX_THERE;
    if (has_failed(index, name, member->name.ptr))
        return INDEX_FAILED;
    want(index, name, member->name.ptr);
    return INDEX_UNKNOWN;
}

int index_check(const struct package_index *index, struct err *err)
{
    size_t count = index->failed->map.count;
    if (!count)
        return 0;
    (void)err_set(err, TG_RUNTIME, index->failure_code,
                  "%zu question%s to the package index failed, first: %s", count,
                  count == 1 ? "" : "s", data_text(index->failed->map.members[0].value));
    return err_hint(err, "run it again; what was answered is in the cache");
}

int index_check_any(const struct package_index *index, struct err *err)
{
    size_t count = index->projects->map.count;
    for (size_t i = 0; i < count; i++)
        if (index->projects->map.members[i].value->kind != DATA_NULL)
            return 0;
    if (!count)
        return 0;
    (void)err_set(err, TG_RUNTIME, "answer",
                  "the package index has none of the %zu projects that it was asked for", count);
    return err_hint(err, "it may be none, but a page that stands in its way");
}

const char *index_since(const struct package_index *index)
{
    return index->settings.since;
}

const char *index_asked_on(const struct package_index *index)
{
    return index->settings.today;
}

/* ------------------------------------------------------------------ asking */

/* Takes the answer to a question of a batch. */
typedef int take_answer(struct package_index *index, const struct want *w,
                        const struct http_exchange *exchange, struct err *err);

struct batch {
    struct http_exchange *exchanges;
    const struct want **wants;
    size_t count;
};

static struct batch new_batch(struct package_index *index, size_t room)
{
    return (struct batch){arena_array(index->arena, room + 1, sizeof(struct http_exchange)),
                          arena_array(index->arena, room + 1, sizeof(struct want *)), 0};
}

static void add_question(struct batch *batch, const struct want *w, const char *url,
                         const char *accept)
{
    batch->wants[batch->count] = w;
    batch->exchanges[batch->count++] = (struct http_exchange){
        .url = url,
        .accept = accept,
        .max_bytes = LIMIT_HTTP_JSON_BYTES,
        .fresh_seconds = w->version ? RELEASE_FRESH_SECONDS : LIST_FRESH_SECONDS,
        .lasting = w->version != NULL};
}

/* The next part of a batch, from `at` on. */
static struct batch next_part(const struct batch *batch, size_t at)
{
    size_t most = batch->wants[at]->version ? RELEASES_AT_ONCE : PROJECTS_AT_ONCE, count = 0;
    uint64_t bytes = 0;
    while (at + count < batch->count && count < most &&
           (!count || bytes + batch->wants[at + count]->bytes <= PIECES_BYTES))
        bytes += batch->wants[at + count++]->bytes;
    return (struct batch){batch->exchanges + at, batch->wants + at, count};
}

static int run_part(struct package_index *index, const struct batch *part, take_answer *take,
                    struct err *err)
{
    ARENA_SCRATCH(answers); /* the parts to keep are copied out of them */
    int rc = http_run(index->settings.http, &answers, part->exchanges, part->count, err);
    for (size_t i = 0; rc == 0 && i < part->count; i++) {
        ERR_SCRATCH(one);
        const struct want *w = part->wants[i];
        if (take(index, w, &part->exchanges[i], &one) == 0) {
            http_keep(index->settings.http, &part->exchanges[i]);
            continue;
        }
        if (!index->failure_code)
            index->failure_code = one.code;
        data_put_text(index->arena, index->failed, failure_key(index->arena, w->name, w->version),
                      one.message);
    }
    http_release(part->exchanges, part->count);
    return rc;
}

static int run_batch(struct package_index *index, const struct batch *batch, take_answer *take,
                     struct err *err)
{
    for (size_t at = 0; at < batch->count;) {
        struct batch part = next_part(batch, at);
        if (run_part(index, &part, take, err) < 0)
            return -1;
        at += part.count;
    }
    return 0;
}

/* Keeps only the date of releases before `since`. */
static void drop_old(const struct package_index *index, struct data *releases)
{
    for (size_t i = 0; i < releases->map.count; i++) {
        struct data *release = releases->map.members[i].value;
        if (!index_is_old(index, release))
            continue;
        releases->map.members[i].value =
            data_of(index->arena, FIELD("uploaded", data_get(release, "uploaded")));
    }
}

static void keep_project(struct package_index *index, const char *name,
                         const struct project_parts *parts)
{
    drop_old(index, parts->releases);
    data_put(index->arena, index->projects, name, parts->releases);
}

static int take_json_project(struct package_index *index, const struct want *w,
                             const struct http_exchange *x, struct err *err)
{
    struct project_parts parts;
    if (x->status == 404)
        return 0; /* the simple API is asked next */
    if (x->status != 200)
        return http_fail(err, x);
    if (index_parse_project(&parts, index->arena, w->name, x->final_url, x->body, err) < 0)
        return -1;
    index->json_projects = HAS;
    keep_project(index, w->name, &parts);
    return 0;
}

static int take_simple_project(struct package_index *index, const struct want *w,
                               const struct http_exchange *x, struct err *err)
{
    struct project_parts parts;
    if (x->status == 404) {
        if (!data_get(index->projects, w->name))
            data_put(index->arena, index->projects, w->name, data_null(index->arena));
        return 0;
    }
    if (x->status != 200)
        return http_fail(err, x);
    const char *type = http_header(index->arena, x->headers, "content-type");
    bool html = type && strstr(type, "html");
    int rc = html ? index_parse_html(&parts, index->arena, w->name, x->final_url, x->body, err)
                  : index_parse_simple(&parts, index->arena, w->name, x->final_url, x->body, err);
    if (rc < 0)
        return -1;
    data_put(index->arena, index->files, w->name, parts.files);
    const struct data *known = data_get(index->projects, w->name);
    if (known && known->kind == DATA_MAP)
        return 0;
    if (index->json_projects == UNTRIED)
        index->json_projects = LACKS;
    keep_project(index, w->name, &parts);
    return 0;
}

static int ask_json_projects(struct package_index *index, const struct want *wants, size_t count,
                             struct err *err)
{
    struct batch batch = new_batch(index, count);
    if (!index->json_url || index->json_projects == LACKS)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!wants[i].version)
            add_question(&batch, &wants[i],
                         arena_printf(index->arena, "%s/%s/json", index->json_url, wants[i].name),
                         "application/json");
    return run_batch(index, &batch, take_json_project, err);
}

/* For projects that the JSON API did not know, and for those whose files' URLs are needed. */
static int ask_simple_projects(struct package_index *index, const struct want *wants, size_t count,
                               bool files, struct err *err)
{
    struct batch batch = new_batch(index, count);
    for (size_t i = 0; i < count; i++) {
        bool asked = has_failed(index, wants[i].name, NULL);
        for (size_t j = 0; j < batch.count; j++)
            asked |= str_equal(batch.wants[j]->name, wants[i].name);
        bool needed = files ? wants[i].version && !data_get(index->files, wants[i].name)
                            : !wants[i].version && !data_get(index->projects, wants[i].name);
        if (!needed || asked)
            continue;
        struct want *project = arena_alloc(index->arena, sizeof(*project));
        project->name = wants[i].name;
        add_question(&batch, project,
                     arena_printf(index->arena, "%s/%s/", index->settings.url, project->name),
                     ACCEPT_SIMPLE);
    }
    return run_batch(index, &batch, take_simple_project, err);
}

static void keep_requires(struct package_index *index, const struct want *w, const char *processor,
                          struct data *requires)
{
    struct data *release = data_get(data_get(index->projects, w->name), w->version);
    struct data *map = data_get(release, "requires");
    if (!processor) {
        data_put(index->arena, release, "requires", requires);
        return;
    }
    if (!map || map->kind != DATA_MAP) {
        map = data_map(index->arena);
        data_put(index->arena, release, "requires", map);
    }
    data_put(index->arena, map, processor, requires);
}

static int take_json_release(struct package_index *index, const struct want *w,
                             const struct http_exchange *x, struct err *err)
{
    struct data *requires;
    if (x->status == 404) {
        index->json_releases = index->json_releases == HAS ? HAS : LACKS;
        return 0;
    }
    if (x->status != 200)
        return http_fail(err, x);
    if (index_parse_release(&requires, index->arena, w->name, w->version, x->body, err) < 0)
        return -1;
    index->json_releases = HAS;
    keep_requires(index, w, NULL, requires);
    return 0;
}

static bool is_open(const struct package_index *index, const struct want *w)
{
    const struct data *release =
        w->version ? data_get(data_get(index->projects, w->name), w->version) : NULL;
    return release && !has_requires(release) && !has_failed(index, w->name, w->version);
}

/* The first question tells whether the index has this API at all. */
static int ask_json_releases(struct package_index *index, const struct want *wants, size_t count,
                             struct err *err)
{
    bool likely = index->json_url && index->json_projects != LACKS;
    for (size_t at = 0; at < count && likely && index->json_releases != LACKS;) {
        struct batch batch = new_batch(index, count);
        size_t room = index->json_releases == HAS ? count : 1;
        for (; at < count && batch.count < room; at++)
            if (is_open(index, &wants[at]))
                add_question(&batch, &wants[at],
                             arena_printf(index->arena, "%s/%s/%s/json", index->json_url,
                                          wants[at].name, wants[at].version),
                             "application/json");
        if (run_batch(index, &batch, take_json_release, err) < 0)
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------ metadata files */

/* The newest wheel of a release for a processor, by its position in the list; or NULL. */
static const char *wheel_for(const struct data *release, const char *processor)
{
    const struct data *wheels = data_get(release, "wheels");
    const char *found = NULL;
    struct wheel wheel;
    int glibc;
    for (size_t i = 0; wheels && i < wheels->list.count; i++) {
        const char *name = data_text(wheels->list.items[i]);
        if (name && wheel_parse(&wheel, name) == 0 &&
            wheel_fits_processor(&glibc, &wheel, processor))
            found = name;
    }
    return found;
}

/*
 * The stages to the requirements of one wheel: its metadata file; where the index has none, the
 * same file in the wheel itself, which takes three pieces.
 */
enum metadata_stage { STAGE_FILE, STAGE_TAIL, STAGE_DIRECTORY, STAGE_ENTRY, STAGES };

struct metadata_task {
    struct want want;      /* first: a batch asks for this */
    const char *processor; /* NULL: for all */
    const char *url, *sum; /* of the wheel; of its metadata, or NULL */
    enum metadata_stage stage;
    struct zip_range range;
    bool done;
};

static void add_task(struct metadata_task *tasks, size_t *count, struct package_index *index,
                     const struct want *w, const char *wheel, const char *processor)
{
    const struct data *file = wheel ? data_get(data_get(index->files, w->name), wheel) : NULL;
    const char *url = data_get_text(file, "url");
    if (url)
        tasks[(*count)++] = (struct metadata_task){
            .want = *w, .processor = processor, .url = url, .sum = data_get_text(file, "sha256")};
}

/* Asks only once for a wheel for both processors. */
static void add_tasks(struct metadata_task *tasks, size_t *count, struct package_index *index,
                      const struct want *w)
{
    const struct data *release = data_get(data_get(index->projects, w->name), w->version);
    const char *x86_64 = wheel_for(release, "x86_64"), *aarch64 = wheel_for(release, "aarch64");
    if (str_equal(x86_64, aarch64)) {
        add_task(tasks, count, index, w, x86_64, NULL);
        return;
    }
    add_task(tasks, count, index, w, x86_64, "x86_64");
    add_task(tasks, count, index, w, aarch64, "aarch64");
}

static void add_task_question(struct batch *batch, struct package_index *index,
                              const struct metadata_task *task)
{
    const char *range = NULL, *url = task->url;
    if (task->stage == STAGE_FILE)
        url = arena_printf(index->arena, "%s.metadata", task->url);
    else if (task->stage == STAGE_TAIL)
        range = arena_printf(index->arena, "-%zu", ZIP_TAIL_BYTES);
    else
        range = arena_printf(index->arena, "%" PRIu64 "-%" PRIu64, task->range.offset,
                             task->range.offset + task->range.len - 1);
    add_question(batch, &task->want, url, NULL);
    batch->exchanges[batch->count - 1].range = range;
}

static int use_metadata(struct package_index *index, struct metadata_task *task, struct span text,
                        struct err *err)
{
    struct data *requires;
    task->done = true;
    if (index_parse_metadata(&requires, index->arena, task->want.name, task->want.version, text,
                             err) < 0)
        return -1;
    keep_requires(index, &task->want, task->processor, requires);
    return 0;
}

static int take_metadata_file(struct package_index *index, struct metadata_task *task,
                              const struct http_exchange *x, struct err *err)
{
    char actual[SHA256_HEX_SIZE];
    ARENA_SCRATCH(scratch);
    if (x->status == 404) {
        task->stage = STAGE_TAIL;
        return 0;
    }
    if (x->status != 200)
        return http_fail(err, x);
    sha256_hex(actual, x->body.ptr, x->body.len);
    if (task->sum && !str_equal(actual, task->sum))
        return err_set(err, TG_RUNTIME, "answer",
                       "%s: it is not what the index says: its SHA-256 is %s, not %s",
                       http_shown(&scratch, x->final_url), actual, task->sum);
    return use_metadata(index, task, x->body, err);
}

/* Keeps metadata from a wheel as if it had been a file beside it: without the description. */
static void keep_metadata(const struct package_index *index, const struct metadata_task *task,
                          const struct http_exchange *x, struct span text)
{
    ARENA_SCRATCH(scratch);
    const char *url = arena_printf(&scratch, "%s.metadata", task->url);
    const char *end = memmem(text.ptr, text.len, "\n\n", 2);
    if (task->sum)
        return;
    http_keep(index->settings.http,
              &(struct http_exchange){.url = url,
                                      .final_url = url,
                                      .headers = "",
                                      .status = 200,
                                      .body = end ? span_of(text.ptr, (size_t)(end - text.ptr) + 1)
                                                  : text,
                                      .fresh_seconds = RELEASE_FRESH_SECONDS,
                                      .may_keep = x->may_keep});
}

static int read_piece(struct package_index *index, struct metadata_task *task,
                      const struct http_exchange *x, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct span metadata;
    int rc = -1;
    if (task->stage == STAGE_FILE)
        return take_metadata_file(index, task, x, err);
    if (x->status != 206)
        return http_fail(err, x);
    if (task->stage == STAGE_TAIL)
        rc = zip_directory(&task->range, x->body);
    else if (task->stage == STAGE_DIRECTORY)
        rc = zip_find(&task->range, x->body, ".dist-info/METADATA");
    else if (zip_unpack(&metadata, &scratch, x->body, LIMIT_HTTP_JSON_BYTES) == 0) {
        if (use_metadata(index, task, metadata, err) < 0)
            return -1;
        keep_metadata(index, task, x, metadata);
        return 0;
    }
    if (rc < 0 || !task->range.len || task->range.len > LIMIT_HTTP_JSON_BYTES)
        return err_set(err, TG_RUNTIME, "answer", "%s: it is no wheel with metadata",
                       http_shown(&scratch, task->url));
    task->stage++;
    task->want.bytes = task->range.len; /* the directory of a large wheel may have a megabyte */
    return 0;
}

static int take_piece(struct package_index *index, const struct want *w,
                      const struct http_exchange *x, struct err *err)
{
    struct metadata_task *task = (struct metadata_task *)w;
    int rc = read_piece(index, task, x, err);
    task->done |= rc < 0;
    return rc;
}

/* Asks for one piece of each unfinished task. */
static int run_stage(struct package_index *index, struct metadata_task *tasks, size_t count,
                     struct err *err)
{
    struct batch batch = new_batch(index, count);
    for (size_t i = 0; i < count; i++)
        if (!tasks[i].done)
            add_task_question(&batch, index, &tasks[i]);
    return run_batch(index, &batch, take_piece, err);
}

static int ask_metadata(struct package_index *index, const struct want *wants, size_t count,
                        struct err *err)
{
    struct metadata_task *tasks = arena_array(index->arena, 2 * count + 1, sizeof(*tasks));
    size_t tasks_count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_open(index, &wants[i]))
            add_tasks(tasks, &tasks_count, index, &wants[i]);
    for (int stage = 0; stage < STAGES; stage++)
        if (run_stage(index, tasks, tasks_count, err) < 0)
            return -1;
    return 0;
}

/* Closes questions without an answer: no wheel for Linux, no metadata beside it. */
static void close_open(struct package_index *index, const struct want *wants, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_open(index, &wants[i]))
            keep_requires(index, &wants[i], NULL, data_bool(index->arena, false));
        if (!wants[i].version && !data_get(index->projects, wants[i].name) &&
            !has_failed(index, wants[i].name, NULL))
            data_put(index->arena, index->projects, wants[i].name, data_null(index->arena));
    }
}

int index_ask(size_t *asked, struct package_index *index, struct err *err)
{
    const struct want *wants = index->wants;
    size_t count = index->want_count;
    *asked = count;
    index->wants = NULL;
    index->want_count = 0;
    if (!count)
        return 0;
    if (ask_json_projects(index, wants, count, err) < 0 ||
        ask_simple_projects(index, wants, count, false, err) < 0 ||
        ask_json_releases(index, wants, count, err) < 0)
        return -1;
    size_t open = 0;
    struct want *rest = arena_array(index->arena, count, sizeof(*rest));
    for (size_t i = 0; i < count; i++)
        if (is_open(index, &wants[i]))
            rest[open++] = wants[i];
    if (ask_simple_projects(index, rest, open, true, err) < 0 ||
        ask_metadata(index, rest, open, err) < 0)
        return -1;
    close_open(index, wants, count);
    return 0;
}

/* ------------------------------------------------------------------ the record */

struct data *index_record(struct arena *arena, const struct package_index *index)
{
    return data_of(arena, FIELD("schema", SCHEMA), FIELD("asked", index->settings.today),
                   FIELD("since", index->settings.since), FIELD("projects", index->projects));
}

static bool is_list_of_texts(const struct data *list)
{
    if (!list || list->kind != DATA_LIST)
        return false;
    for (size_t i = 0; i < list->list.count; i++)
        if (!data_text(list->list.items[i]))
            return false;
    return true;
}

static bool is_requires(const struct data *requires)
{
    if (!requires || requires->kind == DATA_NULL || requires->kind == DATA_BOOL)
        return true;
    if (requires->kind != DATA_MAP)
        return is_list_of_texts(requires);
    for (size_t i = 0; i < requires->map.count; i++)
        if (!is_list_of_texts(requires->map.members[i].value))
            return false;
    return true;
}

static bool is_project(const struct data *releases)
{
    if (releases->kind == DATA_NULL)
        return true;
    for (size_t i = 0; releases->kind == DATA_MAP && i < releases->map.count; i++) {
        const struct data *release = releases->map.members[i].value;
        const struct data *wheels = data_get(release, "wheels");
        if (release->kind != DATA_MAP || (wheels && !is_list_of_texts(wheels)) ||
            !is_requires(data_get(release, "requires")))
            return false;
    }
    return releases->kind == DATA_MAP;
}

int index_recorded(struct package_index **out, struct arena *arena, const char *name,
                   struct span text, struct err *err)
{
    struct data *record;
    if (json_parse_large(&record, arena, name, text, LIMIT_HTTP_JSON_BYTES, err) < 0)
        return -1;
    struct data *projects = data_get(record, "projects");
    bool good = str_equal(data_get_text(record, "schema"), SCHEMA) && projects &&
                projects->kind == DATA_MAP;
    for (size_t i = 0; good && i < projects->map.count; i++)
        good = is_project(projects->map.members[i].value);
    if (!good) {
        (void)err_set(err, TG_USAGE, "invalid", "'%s' is no record of an index", name);
        return err_hint(err, "`tmplgen matrix verify --record FILE` makes one");
    }
    *out = new_index(arena, &(struct index_settings){.since = data_get_text(record, "since"),
                                                     .today = data_get_text(record, "asked")});
    (*out)->projects = projects;
    return 0;
}
