/* Puts proposed rows into the text of their file, the newest first. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "package_index/refresh.h"
#include "package_index/refresh/proposal.h"

#include <string.h>

/* A row of the file; all rows of releases have one variant. */
struct listed_row {
    struct version newest;
    const char *variant;
    size_t line;
};

/* The rows of one list, in their order in the file. */
struct listed_rows {
    struct listed_row *rows;
    size_t count;
};

/* A file that is rewritten line by line. */
struct patching {
    struct arena *arena;
    const struct framework *framework;
    const struct data *proposals;
    const char *path;
    struct span text;
    size_t line;
    struct buf *out;
};

/* ------------------------------------------------------------------ present rows */

static void add_standing(struct listed_rows *s, const char *path, const struct fact *fact,
                         const struct version *version, const char *variant)
{
    ERR_SCRATCH(err);
    if (!fact->node || strcmp(fact->node->doc->name, path) != 0)
        return;
    (void)yaml_error(&err, fact->node, "here");
    size_t at = s->count++;
    for (; at && s->rows[at - 1].line > err.where.line; at--)
        s->rows[at] = s->rows[at - 1];
    s->rows[at] = (struct listed_row){*version, variant, err.where.line};
}

static struct version newest_of(const struct framework *framework, const struct words *releases)
{
    struct version newest = {.text = NULL}, version;
    for (size_t i = 0; i < releases->count; i++)
        if (version_parse(&version, releases->items[i]) == 0 &&
            (!newest.text || version_compare(&version, &newest) > 0))
            newest = version;
    if (!newest.text && framework->releases.count) /* "all" */
        newest = ROW(struct release, framework->releases, 0)->version;
    return newest;
}

static struct listed_rows find_standing(const struct patching *p, bool builds)
{
    const struct rows *rows = builds ? &p->framework->builds : &p->framework->releases;
    struct listed_rows s = {arena_array(p->arena, rows->count + 1, sizeof(*s.rows)), 0};
    for (size_t i = 0; i < rows->count; i++) {
        if (!builds) {
            const struct release *release = ROW(struct release, *rows, i);
            add_standing(&s, p->path, &release->fact, &release->version, "");
            continue;
        }
        const struct build *build = ROW(struct build, *rows, i);
        const struct version newest = newest_of(p->framework, &build->releases);
        add_standing(&s, p->path, &build->fact, &newest, build->variant);
    }
    return s;
}

/* ------------------------------------------------------------------ the place of a new row */

/*
 * The line before which a row goes; 0: after the last one. That is above the first older row of its
 * variant, else after the rows of its variant, else above the first older row.
 */
static size_t line_for(const struct listed_rows *s, const struct version *version,
                       const char *variant)
{
    size_t behind = s->count, older = s->count;
    bool has_variant = false;
    for (size_t i = 0; i < s->count; i++) {
        bool same = str_equal(s->rows[i].variant, variant);
        bool is_older = version_compare(&s->rows[i].newest, version) < 0;
        if (same && is_older)
            return s->rows[i].line;
        if (same) {
            has_variant = true;
            behind = i + 1;
        }
        if (is_older && older == s->count)
            older = i;
    }
    size_t at = has_variant ? behind : older;
    return at < s->count ? s->rows[at].line : 0;
}

static bool is_for(const struct patching *p, const struct data *proposal, const char *kind)
{
    return data_get_text(proposal, "row") &&
           str_equal(data_get_text(proposal, "framework"), p->framework->name) &&
           str_equal(data_get_text(proposal, "kind"), kind);
}

/* The rows that go before that line; proposals come the oldest first, several of a release in
 * order. */
static void put_rows(const struct patching *p, const struct listed_rows *s, const char *kind,
                     size_t line)
{
    struct version version;
    for (size_t end = p->proposals->list.count; end > 0;) {
        size_t begin = end - 1;
        const char *release = data_get_text(p->proposals->list.items[begin], "release");
        while (begin &&
               str_equal(data_get_text(p->proposals->list.items[begin - 1], "release"), release))
            begin--;
        for (size_t i = begin; i < end && version_parse(&version, release) == 0; i++) {
            const struct data *proposal = p->proposals->list.items[i];
            const char *variant = data_get_text(proposal, "variant");
            if (is_for(p, proposal, kind) && line_for(s, &version, variant ? variant : "") == line)
                (void)buf_printf(p->out, "%s\n", data_get_text(proposal, "row"));
        }
        end = begin;
    }
}

/* ------------------------------------------------------------------ a field of a present row */

/* The place for companions: before the first one, or after the version. */
static size_t place_of(const struct release *release)
{
    const struct yaml_node *own = yaml_get(release->fact.node, "companions");
    if (own && own->kind == YAML_MAP && own->map.count)
        return own->map.members[0].key->offset;
    const struct yaml_node *version = yaml_get(release->fact.node, "version");
    return version->offset + version->text.len + (version->plain ? 0 : 2);
}

/* Puts "companions: {torchvision: 0.29.2}" at a line's end; returns the bytes of text left out. */
static size_t put_companions(const struct patching *p, const struct release *release,
                             const char *field, const char *rest)
{
    const struct yaml_node *own = yaml_get(release->fact.node, "companions");
    if (own && own->kind == YAML_MAP && own->map.count) {
        const char *inner = strchr(field, '{') + 1;
        (void)buf_printf(p->out, "\n   %.*s,\n   ", (int)strcspn(inner, "}"), inner);
        return 0;
    }
    bool more = rest[0] == ',' && rest[1] == ' ';
    (void)buf_printf(p->out, ", %s%s", field, more ? ",\n   " : "");
    return more ? 2 : 0;
}

/* Copies a line of the file, with the companions that belong into it. */
static void copy_line(const struct patching *p, size_t begin, size_t end)
{
    size_t mark = 0;
    for (size_t i = 0; i < p->proposals->list.count; i++) {
        const struct data *proposal = p->proposals->list.items[i];
        const struct release *release =
            is_for(p, proposal, "companions")
                ? release_named(p->framework, data_get_text(proposal, "release"))
                : NULL;
        if (!release || !release->fact.node || strcmp(release->fact.node->doc->name, p->path) != 0)
            continue;
        mark = p->text.len - release->fact.node->doc->source.len; /* a byte order mark */
        size_t at = mark + place_of(release);
        if (at < begin || at > end)
            continue;
        (void)buf_append(p->out, p->text.ptr + begin, at - begin);
        begin = at + put_companions(p, release, data_get_text(proposal, "row"), p->text.ptr + at);
    }
    (void)buf_append(p->out, p->text.ptr + begin, end - begin);
    (void)buf_putc(p->out, '\n');
}

/* ------------------------------------------------------------------ the file */

/* True where there are whole rows to write, or with `fields` fields of rows. */
static bool has_rows(const struct patching *p, bool fields)
{
    for (size_t i = 0; i < p->proposals->list.count; i++)
        if (is_for(p, p->proposals->list.items[i], "release") ||
            is_for(p, p->proposals->list.items[i], "build") ||
            (fields && is_for(p, p->proposals->list.items[i], "companions")))
            return true;
    return false;
}

static void put_source(const struct patching *p, const char *today)
{
    const char *key = arena_printf(p->arena, "\n  " ROW_SOURCE ":", today);
    if (has_rows(p, false) && !memmem(p->text.ptr, p->text.len, key, strlen(key)))
        (void)buf_printf(
            p->out, "  " ROW_SOURCE ": \"wheels and requirements on the package index (%s)\"\n",
            today, today);
}

static void patch_text(struct patching *p, const char *today)
{
    const struct listed_rows releases = find_standing(p, false), builds = find_standing(p, true);
    const struct listed_rows *in = NULL;
    const char *kind = NULL;
    for (size_t at = 0; at < p->text.len; p->line++) {
        const char *newline = memchr(p->text.ptr + at, '\n', p->text.len - at);
        size_t end = newline ? (size_t)(newline - p->text.ptr) : p->text.len;
        struct span line = span_of(p->text.ptr + at, end - at);
        if (in && line.len && !strchr(" -#", *line.ptr)) { /* neither a row nor a comment */
            put_rows(p, in, kind, 0);
            in = NULL;
        }
        if (in)
            put_rows(p, in, kind, p->line);
        copy_line(p, at, end);
        if (span_equal(line, span_from("sources:")))
            put_source(p, today);
        if (span_equal(line, span_from("releases:")) || span_equal(line, span_from("builds:"))) {
            in = *line.ptr == 'r' ? &releases : &builds;
            kind = *line.ptr == 'r' ? "release" : "build";
        }
        at = end + 1;
    }
    if (in)
        put_rows(p, in, kind, 0);
}

static int patch_file(struct patch *out, struct arena *arena, const struct framework *framework,
                      const struct matrix *matrix, const struct data *proposals, const char *today,
                      struct err *err)
{
    ARENA_SCRATCH(scratch);
    BUF_SCRATCH(patched, LIMIT_DOCUMENT_BYTES);
    struct patching p = {.arena = &scratch,
                         .framework = framework,
                         .proposals = proposals,
                         .line = 1,
                         .out = &patched};
    out->path = p.path = matrix_file_of(arena, matrix, framework->name);
    if (fileset_get(&p.text, matrix->files, out->path, err) < 0)
        return -1;
    patch_text(&p, today);
    if (patched.overflowed)
        return err_set(err, TG_USAGE, "limit", "'%s' would be longer than 1 MiB, the limit",
                       out->path);
    out->text = span_from(arena_strdup(arena, buf_text(&patched)));
    return 0;
}

int matrix_refresh_files(struct patch **out, size_t *count, struct arena *arena,
                         const struct matrix *matrix, const struct data *proposals,
                         const char *today, struct err *err)
{
    struct patching all = {.proposals = proposals};
    *out = arena_array(arena, matrix->framework_count + matrix->package_count + 1, sizeof(**out));
    *count = 0;
    for (size_t i = 0; (all.framework = any_framework(matrix, i)); i++)
        if (has_rows(&all, true) && patch_file(&(*out)[(*count)++], arena, all.framework, matrix,
                                               proposals, today, err) < 0)
            return -1;
    return *count ? matrix_patch_check(matrix, *out, *count, "the proposed rows", err) : 0;
}
