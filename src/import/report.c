/* What an import says of itself: a document, and IMPORT.md. */
#include "import/report.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/unicode.h"
#include "base/yaml.h"
#include "import/draft.h"

#include <string.h>

static struct data *renames_of(const struct draft *draft)
{
    struct data *renames = data_list(draft->arena);
    for (size_t i = 0; i < draft->names->map.count; i++) {
        const struct data_member *member = &draft->names->map.members[i];
        if (span_equal(member->name, member->value->str) ||
            span_equal(member->name, span_from("_folder_name")))
            continue;
        struct data *rename = data_map(draft->arena);
        data_put_span(draft->arena, rename, span_from("from"),
                      data_span(draft->arena, member->name));
        data_put(draft->arena, rename, "to", member->value);
        data_push(draft->arena, renames, rename);
    }
    return renames;
}

struct data *report_type(const struct draft *draft)
{
    struct arena *arena = draft->arena;
    struct data *type = data_map(arena), *questions = data_list(arena), *files = data_map(arena);
    for (size_t i = 0; i < draft->questions->list.count; i++)
        data_push(arena, questions, data_get(draft->questions->list.items[i], "name"));
    data_put(arena, files, "templates", data_int(arena, (int64_t)draft->templates));
    data_put(arena, files, "copied", data_int(arena, (int64_t)draft->copied));
    data_put(arena, files, "unconverted", data_int(arena, (int64_t)draft->unconverted));
    data_put_text(arena, type, "name", draft->type);
    data_put(arena, type, "questions", questions);
    data_put(arena, type, "renames", renames_of(draft));
    data_put(arena, type, "files", files);
    data_put(arena, type, "decisions", draft->decisions);
    return type;
}

/* ---------------------------------------------------------------- IMPORT.md */

/* What each kind of decision asks of a person, in the order of the page. */
static const struct {
    const char *kind, *title, *advice;
} kinds[] = {
    {"hook", "Hooks",
     "Nothing runs code here. Files that a hook removes get a row of `files` with "
     "a `when`; what it checks becomes a `pattern` or a rule of `refuse`; what it "
     "runs can stand under `next`, to be run by whoever has made a project."},
    {"task", "Tasks",
     "Nothing runs code here. What a task removes gets a row of `files` with a "
     "`when`; commands can stand under `next`."},
    {"migration", "Migrations",
     "Answers and files that got other names go under `migrations`; "
     "what else a migration did is for a `note` there."},
    {"extension", "Extensions", "What templates use of them is listed with these."},
    {"template", "Templates",
     "Files under `unconverted/` are not rendered. Write them in what the "
     "template language has, and move them to `files/`."},
    {"ending", "Ends of lines", "These files are rendered: nothing need be done."},
    {"name", "Names of files",
     "Likewise; a row of `files` with a `when` replaces a condition in a "
     "name."},
    {"link", "Links and submodules", "A catalog holds files only: copy what they point at."},
    {"filter", "Filters", "Look at what these are used for."},
    {"question", "Questions", "Look at these in template.yml."},
    {"default", "Defaults", "These questions have an empty default; give them one."},
    {"condition", "Conditions", "Write these as a `when`."},
    {"validator", "Validators", "Write these as a `pattern`, or as a rule of `refuse`."},
    {"secret", "Secrets", "Rather than an answer use what the project reads where it runs."},
    {"unused", "Questions that nothing reads", "Their rows are below, for when a file comes back."},
    {"rule", "Rules of files", "Write these as rows of `files`."},
    {"setting", "Settings", "They have no meaning here."},
    {"message", "Messages", "Commands that people need next go under `next`."},
    {"render", "It does not render yet", "Mend this first."},
};

static bool is_kind(const struct data *decision, size_t kind)
{
    return str_equal(data_get_text(decision, "kind"), kinds[kind].kind);
}

/* One line of foreign text, as code. */
static void put_code(struct buf *out, const char *text)
{
    BUF_SCRATCH(masked, 4096);
    (void)unicode_mask(&masked, span_from(text), false);
    for (char *at = masked.ptr; at && *at; at++)
        if (*at == '`')
            *at = '\'';
    (void)buf_printf(out, "%s", buf_text(&masked));
}

static void put_decision(struct buf *out, const struct data *decision)
{
    const char *file = data_get_text(decision, "file");
    const struct data *line = data_get(decision, "line");
    (void)buf_puts(out, "- ");
    if (file) {
        (void)buf_putc(out, '`');
        put_code(out, file);
        if (line->kind == DATA_INT)
            (void)buf_printf(out, ":%lld", (long long)line->integer);
        (void)buf_puts(out, "`: ");
    }
    put_code(out, data_shown(decision, "what"));
    (void)buf_putc(out, '\n');
}

static void put_decisions(struct buf *out, const struct draft *draft)
{
    const struct data *all = draft->decisions;
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
        bool begun = false;
        for (size_t i = 0; i < all->list.count; i++) {
            if (!is_kind(all->list.items[i], kind))
                continue;
            if (!begun)
                (void)buf_printf(out, "\n### %s\n\n%s\n\n", kinds[kind].title, kinds[kind].advice);
            begun = true;
            put_decision(out, all->list.items[i]);
        }
    }
}

static void put_renames(struct buf *out, const struct draft *draft)
{
    const struct data *renames = renames_of(draft);
    if (renames->list.count)
        (void)buf_puts(out, "\n### Names that changed\n\n");
    for (size_t i = 0; i < renames->list.count; i++) {
        (void)buf_puts(out, "- `");
        put_code(out, data_shown(renames->list.items[i], "from"));
        (void)buf_printf(out, "` is `%s`\n", data_shown(renames->list.items[i], "to"));
    }
}

static void put_count(struct buf *out, size_t count, const char *one, const char *many,
                      const char *end)
{
    (void)buf_printf(out, "%zu %s%s", count, count == 1 ? one : many, end);
}

static void put_counts(struct buf *out, const struct draft *draft)
{
    (void)buf_printf(out, "\n## %s\n\n", draft->type);
    put_count(out, draft->questions->list.count, "question", "questions", ", ");
    put_count(out, draft->templates, "template", "templates", ", ");
    put_count(out, draft->copied, "copied file", "copied files", ", ");
    put_count(out, draft->unconverted, "file that is not rendered yet",
              "files that are not rendered yet", ", ");
    put_count(out, draft->decisions->list.count, "thing to decide", "things to decide", ".\n");
}

int report_write(struct buf *out, const struct data *document, const struct draft *drafts,
                 size_t count)
{
    (void)buf_puts(out, "# What was imported\n\nFrom `");
    put_code(out, data_shown(document, "source"));
    (void)buf_printf(out, "`, a template of %s. Nothing of it was run.\n",
                     data_shown(document, "format"));
    for (size_t i = 0; i < count; i++) {
        const struct draft *draft = &drafts[i];
        put_counts(out, draft);
        put_renames(out, draft);
        put_decisions(out, draft);
        if (draft->left_out->list.count == 0)
            continue;
        (void)buf_puts(out, "\n### Questions that were left out\n\n```yaml\n");
        (void)yaml_write(out, draft->left_out, 0);
        (void)buf_puts(out, "```\n");
    }
    return out->overflowed ? -1 : 0;
}
