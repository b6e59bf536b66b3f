/* A catalog out of a cookiecutter or copier template. */
#include "import/import.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/yaml.h"
#include "catalog/catalog.h"
#include "import/convert.h"
#include "import/draft.h"
#include "import/format.h"
#include "import/menu.h"
#include "import/report.h"
#include "import/settle.h"
#include "import/write.h"

#include <string.h>

static const struct import_format *const formats[] = {&cookiecutter_format, &copier_format};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

/* One import, filled step by step. */
struct importing {
    struct arena *arena;
    const struct catalog *source;
    const struct import_format *format;
    const struct menu *menu; /* of several templates */
    const struct import_links *links;
    struct draft *drafts;
    size_t count;
    struct data *document;
    struct err *err;
};

/* ---------------------------------------------------------------- the source */

static bool counts(const char *path)
{
    return strcmp(path, ".git/") != 0;
}

static void leave_out(void *context, const char *path, const char *what)
{
    struct import_links *links = context;
    data_put_text(links->arena, links->paths, path, what);
}

struct source_scope import_scope(struct import_links *links)
{
    return (struct source_scope){.counts = counts, .leave_out = leave_out, .context = links};
}

static int find_format(struct importing *i)
{
    for (size_t row = 0; row < FORMATS && !i->format; row++)
        if (formats[row]->find(i->source->files, ""))
            i->format = formats[row];
    if (i->format)
        return 0;
    (void)err_set(i->err, TG_USAGE, "invalid",
                  "'%s' is no template: it has no cookiecutter.json and no copier.yml",
                  i->source->origin.source);
    return err_hint(i->err, "give the folder, or the repository, that holds one of them");
}

/* ---------------------------------------------------------------- types */

/* Links that are, or may be, part of what a project gets. */
static void tell_links(const struct importing *i, struct draft *draft, const char *folder)
{
    for (size_t n = 0; n < i->links->paths->map.count; n++) {
        const struct data_member *link = &i->links->paths->map.members[n];
        if (str_starts(link->name.ptr, folder))
            draft_tell(draft, "link", link->name.ptr, 0, "%s", data_text(link->value));
    }
}

static int make_type(const struct importing *i, struct draft *draft, const char *folder)
{
    if (i->format->read(draft, folder, i->err) < 0)
        return -1;
    tell_links(i, draft, folder);
    if (convert_files(draft, i->err) < 0)
        return -1;
    return settle_type(draft, i->err);
}

static int make_types(struct importing *i, const char *called)
{
    const char *name = draft_type_name(i->arena, called);
    i->count = i->menu->count ? i->menu->count : 1;
    i->drafts = arena_array(i->arena, i->count, sizeof(*i->drafts));
    for (size_t n = 0; n < i->count; n++) {
        const struct menu_entry *entry = i->menu->count ? &i->menu->entries[n] : NULL;
        draft_init(&i->drafts[n], i->arena, i->source->files, entry ? entry->type : name,
                   entry ? entry->description
                         : arena_printf(i->arena, "%s, imported from %s", name, i->format->name));
        if (make_type(i, &i->drafts[n], entry ? entry->folder : "") < 0)
            return -1;
    }
    return 0;
}

/* ---------------------------------------------------------------- what is written */

static void fill_document(struct importing *i, const char *called, const char *output)
{
    struct arena *arena = i->arena;
    struct data *types = data_list(arena);
    size_t decisions = 0;
    for (size_t n = 0; n < i->count; n++) {
        data_push(arena, types, report_type(&i->drafts[n]));
        decisions += i->drafts[n].decisions->list.count;
    }
    i->document = data_map(arena);
    data_put_text(arena, i->document, "source", called);
    data_put_text(arena, i->document, "ref", i->source->origin.ref);
    data_put_text(arena, i->document, "commit", i->source->origin.commit);
    data_put_text(arena, i->document, "format", i->format->name);
    data_put_text(arena, i->document, "output", output);
    data_put(arena, i->document, "types", types);
    data_put(arena, i->document, "decisions", data_int(arena, (int64_t)decisions));
}

/* The catalog's own files beside the types'. */
static int write_all(const struct importing *i, const char *called, const char *output)
{
    BUF_SCRATCH(page, 4 * LIMIT_DOCUMENT_BYTES);
    const char *catalog =
        arena_printf(i->arena, "name: %s\nversion: 0.1.0\n", draft_type_name(i->arena, called));
    size_t count = 2;
    if (report_write(&page, i->document, i->drafts, i->count) < 0)
        return err_set(i->err, TG_USAGE, "limit", "there is too much to tell of this template");
    for (size_t n = 0; n < i->count; n++)
        count += i->drafts[n].file_count;
    struct draft_file *files = arena_array(i->arena, count, sizeof(*files));
    files[0] = (struct draft_file){.path = "catalog.yml", .bytes = span_from(catalog)};
    files[1] = (struct draft_file){.path = "IMPORT.md", .bytes = span_of(page.ptr, page.len)};
    count = 2;
    for (size_t n = 0; n < i->count; n++)
        for (size_t file = 0; file < i->drafts[n].file_count; file++)
            files[count++] = i->drafts[n].files[file];
    return write_folder(i->arena, output, files, count, i->err);
}

int import_run(struct data **out, struct arena *arena, const struct catalog *source,
               const char *called, const struct import_links *links, const char *output,
               struct err *err)
{
    struct menu menu;
    struct importing i = {
        .arena = arena, .source = source, .menu = &menu, .links = links, .err = err};
    if (write_check(output, err) < 0 || find_format(&i) < 0 ||
        menu_read(&menu, arena, source->files, err) < 0 || make_types(&i, called) < 0)
        return -1;
    fill_document(&i, called, output);
    *out = i.document;
    return write_all(&i, called, output);
}
