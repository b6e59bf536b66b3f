/* Reads the answers of a package index, of whatever form, into one plain form. */
#include "package_index/evidence/index_answer.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "data/document.h"
#include "data/json.h"
#include "io/http.h"
#include "matrix/version.h"
#include "package_index/evidence/wheel.h"
#include "package_index/requirement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define FILES_MAX ((size_t)20000)
#define REQUIREMENTS_MAX ((size_t)2000)
#define NAME_MAX_BYTES 300
#define DATE_BYTES 10

/* One file of a project, as an index lists it. NULL: not given. */
struct listed_file {
    const char *filename, *url, *uploaded, *python, *metadata_sha256;
    bool yanked;
};

struct project_reader {
    struct arena *arena, *scratch;
    const char *name, *page;
    struct project_parts *out;
    size_t count;
};

/* Turns the parser's error into a failure of the run: the fault is not the user's. */
static int bad_answer(struct err *err, const char *page)
{
    err->exit = TG_RUNTIME;
    err->code = str_equal(err->code, "limit") ? "limit" : "answer";
    ARENA_SCRATCH(scratch);
    return err_wrap(err, "%s", http_shown(&scratch, page));
}

static int not_of_form(struct err *err, const char *page, const char *what)
{
    (void)err_set(err, TG_RUNTIME, "answer", "%s", what);
    return bad_answer(err, page);
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

/* "2025-08-06T14:56:44Z" -> "2025-08-06", or NULL. */
static const char *date_of(struct arena *arena, const char *text)
{
    static const char form[] = "0000-00-00";
    if (!text || strlen(text) < DATE_BYTES)
        return NULL;
    for (size_t i = 0; i < DATE_BYTES; i++)
        if (form[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
            return NULL;
    return arena_memdup(arena, text, DATE_BYTES);
}

static struct data *new_release(const struct project_reader *r, const char *version)
{
    struct data *release =
        data_of(r->arena, FIELD("uploaded", data_null(r->arena)), FIELD("yanked", true),
                FIELD("python", data_null(r->arena)), FIELD("wheels", data_list(r->arena)),
                FIELD("requires", data_null(r->arena)));
    data_put(r->arena, r->out->releases, version, release);
    return release;
}

/* Takes from each file, wheel or not, its facts about the release. */
static struct data *touch_release(const struct project_reader *r, const char *version,
                                  const struct listed_file *file)
{
    struct data *release = data_get(r->out->releases, version);
    const char *date = date_of(r->scratch, file->uploaded);
    if (!release)
        release = new_release(r, version);
    const char *first = data_get_text(release, "uploaded");
    if (date && (!first || strcmp(date, first) < 0))
        data_put_text(r->arena, release, "uploaded", date);
    if (!file->yanked)
        data_put(r->arena, release, "yanked", data_bool(r->arena, false));
    if (file->python && is_plain(file->python) && strlen(file->python) < NAME_MAX_BYTES)
        data_put_text(r->arena, release, "python", file->python);
    return release;
}

/* "torch-2.8.0.tar.gz" is a source of 2.8.0. */
static const char *source_version(const struct project_reader *r, const char *filename)
{
    static const char *const endings[] = {".tar.gz", ".zip", NULL};
    size_t len = strlen(filename);
    for (const char *const *ending = endings; *ending; ending++) {
        const char *dash = strrchr(filename, '-');
        if (str_ends(filename, *ending) && dash)
            return arena_memdup(r->scratch, dash + 1,
                                (size_t)(filename + len - strlen(*ending) - dash - 1));
    }
    return NULL;
}

static void add_wheel(const struct project_reader *r, struct data *release,
                      const struct listed_file *file)
{
    data_push(r->arena, data_get(release, "wheels"), data_str(r->arena, file->filename));
    const char *url = r->out->files && file->url ? http_join(r->arena, r->page, file->url) : NULL;
    if (!url)
        return;
    struct data *entry =
        data_of(r->arena, FIELD("url", url), FIELD("sha256", file->metadata_sha256));
    data_append(r->arena, r->out->files, span_from(arena_strdup(r->arena, file->filename)), entry);
}

/* The file's name tells its release, as for pip; a file with another name is skipped. */
static void add_file(struct project_reader *r, const struct listed_file *file)
{
    struct wheel wheel;
    struct version parsed;
    int glibc;
    if (!file->filename || ++r->count > FILES_MAX || strlen(file->filename) > NAME_MAX_BYTES ||
        !is_plain(file->filename))
        return;
    bool is_wheel = wheel_parse(&wheel, file->filename) == 0;
    const char *version = is_wheel ? arena_memdup(r->scratch, wheel.version.ptr, wheel.version.len)
                                   : source_version(r, file->filename);
    if (!version || version_parse(&parsed, version) < 0)
        return;
    const char *name = is_wheel ? arena_memdup(r->scratch, wheel.name.ptr, wheel.name.len) : NULL;
    if (name && !str_equal(requirement_name(r->scratch, name), r->name))
        return;
    struct data *release = touch_release(r, version, file);
    if (is_wheel && !file->yanked &&
        (wheel_fits_processor(&glibc, &wheel, "x86_64") ||
         wheel_fits_processor(&glibc, &wheel, "aarch64")))
        add_wheel(r, release, file);
}

static struct project_reader begin_project(struct project_parts *out, struct arena *arena,
                                           struct arena *scratch, const char *name,
                                           const char *page)
{
    *out = (struct project_parts){data_map(arena), data_map(arena)};
    return (struct project_reader){arena, scratch, requirement_name(scratch, name), page, out, 0};
}

static bool is_true(const struct data *data)
{
    return data && ((data->kind == DATA_BOOL && data->boolean) || data->kind == DATA_STR);
}

static int parse_json(struct data **out, struct arena *arena, const char *page, struct span text,
                      struct err *err)
{
    if (json_parse_large(out, arena, page, text, LIMIT_HTTP_JSON_BYTES, err) < 0)
        return bad_answer(err, page);
    return 0;
}

/* ------------------------------------------------------------------ the APIs that speak JSON */

static const char *metadata_sum(const struct data *item)
{
    const struct data *metadata = data_get(item, "core-metadata");
    if (!metadata || metadata->kind != DATA_MAP)
        metadata = data_get(item, "dist-info-metadata");
    return data_get_text(metadata, "sha256");
}

/* The JSON API and the simple one spell their names differently. */
static void add_files(struct project_reader *r, const struct data *files)
{
    for (size_t i = 0; files && files->kind == DATA_LIST && i < files->list.count; i++) {
        const struct data *item = files->list.items[i];
        const char *days[] = {data_get_text(item, "upload_time_iso_8601"),
                              data_get_text(item, "upload_time"),
                              data_get_text(item, "upload-time")};
        const char *python = data_get_text(item, "requires_python");
        add_file(r, &(struct listed_file){.filename = data_get_text(item, "filename"),
                                          .url = data_get_text(item, "url"),
                                          .uploaded = days[0]   ? days[0]
                                                      : days[1] ? days[1]
                                                                : days[2],
                                          .python = python ? python
                                                           : data_get_text(item, "requires-python"),
                                          .metadata_sha256 = metadata_sum(item),
                                          .yanked = is_true(data_get(item, "yanked"))});
    }
}

static bool is_of_project(struct arena *arena, const struct data *info, const char *name)
{
    const char *said = data_get_text(info, "name");
    return said && str_equal(requirement_name(arena, said), requirement_name(arena, name));
}

int index_parse_project(struct project_parts *out, struct arena *arena, const char *name,
                        const char *page, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch); /* documents are large, and little of them is kept */
    struct data *document;
    struct project_reader reader = begin_project(out, arena, &scratch, name, page);
    out->files = NULL; /* this API does not tell where their metadata is */
    if (parse_json(&document, &scratch, page, text, err) < 0)
        return -1;
    const struct data *releases = data_get(document, "releases");
    if (!is_of_project(arena, data_get(document, "info"), name))
        return not_of_form(err, page, "it is not about the project that was asked for");
    if (!releases || releases->kind != DATA_MAP)
        return not_of_form(err, page, "it lists no releases");
    for (size_t i = 0; i < releases->map.count; i++)
        add_files(&reader, releases->map.members[i].value);
    return 0;
}

int index_parse_simple(struct project_parts *out, struct arena *arena, const char *name,
                       const char *page, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct data *document;
    struct project_reader reader = begin_project(out, arena, &scratch, name, page);
    if (parse_json(&document, &scratch, page, text, err) < 0)
        return -1;
    const struct data *files = data_get(document, "files");
    if (!is_of_project(arena, document, name))
        return not_of_form(err, page, "it is not about the project that was asked for");
    if (!files || files->kind != DATA_LIST)
        return not_of_form(err, page, "it lists no files");
    add_files(&reader, files);
    return 0;
}

/* ------------------------------------------------------------------ the simple API as HTML */

/* An attribute's value, with the entities that URLs and SPECs need decoded; or NULL. */
static const char *unescape(struct arena *arena, struct span value)
{
    static const char *const entities[][2] = {{"&amp;", "&"},   {"&lt;", "<"},  {"&gt;", ">"},
                                              {"&quot;", "\""}, {"&#39;", "'"}, {"&#x27;", "'"}};
    BUF_SCRATCH(out, value.len + 1);
    for (size_t i = 0, taken; i < value.len; i += taken) {
        const char *put = NULL;
        taken = 1;
        for (size_t j = 0; !put && j < sizeof(entities) / sizeof(*entities); j++) {
            size_t len = strlen(entities[j][0]);
            if (value.len - i >= len && memcmp(value.ptr + i, entities[j][0], len) == 0) {
                put = entities[j][1];
                taken = len;
            }
        }
        (void)buf_putc(&out, put ? *put : value.ptr[i]);
    }
    const char *text = buf_text(&out);
    return strlen(text) == out.len && utf8_valid(span_of(text, out.len)) ? arena_strdup(arena, text)
                                                                         : NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Takes the next NAME="VALUE" (or NAME alone) of a tag; false at the tag's end. */
static bool next_attribute(struct span *name, struct span *value, struct span *tag)
{
    const char *at = tag->ptr, *end = tag->ptr + tag->len;
    while (at < end && (is_blank(*at) || *at == '/'))
        at++;
    const char *start = at;
    while (at < end && !is_blank(*at) && *at != '=')
        at++;
    *name = span_of(start, (size_t)(at - start));
    *value = span_of("", 0);
    if (at < end && *at == '=') {
        char quote = at + 1 < end ? at[1] : '\0';
        bool quoted = quote == '"' || quote == '\'';
        at += quoted ? 2 : 1;
        start = at;
        while (at < end && (quoted ? *at != quote : !is_blank(*at)))
            at++;
        *value = span_of(start, (size_t)(at - start));
        at += quoted && at < end;
    }
    *tag = span_of(at, (size_t)(end - at));
    return name->len > 0;
}

/* The file's name is the last part of its link; an attribute has the hash of its metadata. */
static void read_anchor(struct project_reader *r, struct span tag)
{
    struct listed_file file = {0};
    struct span name, raw;
    while (next_attribute(&name, &raw, &tag)) {
        const char *value = unescape(r->arena, raw);
        if (span_equal(name, span_from("href")))
            file.url = value;
        else if (span_equal(name, span_from("data-requires-python")))
            file.python = value;
        else if (span_equal(name, span_from("data-upload-time")))
            file.uploaded = value;
        else if (span_equal(name, span_from("data-yanked")))
            file.yanked = true;
        else if ((span_equal(name, span_from("data-core-metadata")) ||
                  span_equal(name, span_from("data-dist-info-metadata"))) &&
                 value && str_starts(value, "sha256="))
            file.metadata_sha256 = value + strlen("sha256=");
    }
    if (!file.url)
        return;
    size_t len = strcspn(file.url, "?#");
    const char *path = arena_memdup(r->arena, file.url, len);
    const char *slash = strrchr(path, '/');
    file.filename = slash ? slash + 1 : path;
    file.url = path;
    add_file(r, &file);
}

int index_parse_html(struct project_parts *out, struct arena *arena, const char *name,
                     const char *page, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct project_reader reader = begin_project(out, arena, &scratch, name, page);
    const char *at = text.ptr, *end = text.ptr + text.len;
    size_t anchors = 0;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
        const char *close = memchr(at, '>', (size_t)(end - at));
        if (!close)
            break;
        if (close - at > 2 && (at[1] == 'a' || at[1] == 'A') && is_blank(at[2])) {
            read_anchor(&reader, span_of(at + 2, (size_t)(close - at) - 2));
            anchors++;
        }
        at = close + 1;
    }
    return anchors ? 0 : not_of_form(err, page, "it holds no links");
}

/* ------------------------------------------------------------------ requirements */

/* Always required, or tells of CUDA, pins a package of the same release, or bounds PyTorch. */
static bool is_telling(const char *text)
{
    ARENA_SCRATCH(scratch);
    struct requirement requirement;
    if (requirement_parse(&requirement, &scratch, text) < 0)
        return false;
    return !requirement.marker || !strstr(requirement.marker, "extra") ||
           str_equal(requirement.name, "torch") || str_starts(requirement.name, "nvidia-") ||
           str_starts(requirement.name, "cuda-") || requirement_pin(&requirement) ||
           requirement_most(&requirement);
}

static void keep_requirement(struct data *list, struct arena *arena, const char *text)
{
    if (text && list->list.count < REQUIREMENTS_MAX && strlen(text) < LIMIT_KIB && is_telling(text))
        data_push(arena, list, data_str(arena, text));
}

/* True for 2.8 and 2.8.0: they are one version. */
static bool same_version(const char *a, const char *b)
{
    struct version first, second;
    return a && version_parse(&first, a) == 0 && version_parse(&second, b) == 0 &&
           version_compare(&first, &second) == 0;
}

int index_parse_release(struct data **requires, struct arena *arena, const char *name,
                        const char *version, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct data *document;
    *requires = data_list(arena);
    if (parse_json(&document, &scratch, name, text, err) < 0)
        return -1;
    const struct data *info = data_get(document, "info");
    if (!is_of_project(arena, info, name) || !same_version(data_get_text(info, "version"), version))
        return not_of_form(err, name, "it is not about the release that was asked for");
    const struct data *list = data_get(info, "requires_dist");
    for (size_t i = 0; list && list->kind == DATA_LIST && i < list->list.count; i++)
        keep_requirement(*requires, arena, data_text(list->list.items[i]));
    return 0;
}

/* The value of "Header: value", whatever the case of the name; or NULL. */
static const char *field_value(const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncasecmp(line, name, len) != 0 || line[len] != ':')
        return NULL;
    return line + len + 1 + strspn(line + len + 1, " \t");
}

int index_parse_metadata(struct data **requires, struct arena *arena, const char *name,
                         const char *version, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *said_name = NULL, *said_version = NULL, *value;
    *requires = data_list(arena);
    while (text.len) {
        struct span whole = span_cut_line(&text);
        char *line = arena_memdup(&scratch, whole.ptr, whole.len);
        line[strcspn(line, "\r")] = '\0';
        if (!*line)
            break; /* the description follows */
        if (!said_name && (value = field_value(line, "Name")))
            said_name = value;
        else if (!said_version && (value = field_value(line, "Version")))
            said_version = value;
        else if ((value = field_value(line, "Requires-Dist")))
            keep_requirement(*requires, arena, value);
    }
    if (!said_name ||
        !str_equal(requirement_name(arena, said_name), requirement_name(arena, name)) ||
        !same_version(said_version, version))
        return not_of_form(err, name, "its metadata is not that of the release asked for");
    return 0;
}
