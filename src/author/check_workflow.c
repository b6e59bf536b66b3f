/* Workflows and actions of GitHub: what strangers could make of them. */
#include "author/file_checks.h"

#include "author/line_counter.h"
#include "base/arena.h"
#include "base/yaml.h"

#include <ctype.h>
#include <string.h>

struct workflow {
    const struct check_report *report;
    struct arena *arena;
    const struct yaml_doc *doc;
    struct line_counter lines;
    bool by_stranger; /* runs with the repository's rights on what others propose */
};

bool is_workflow(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool yaml = str_ends(path, ".yml") || str_ends(path, ".yaml");
    return yaml && (strstr(path, ".github/workflows/") || str_equal(name, "action.yml") ||
                    str_equal(name, "action.yaml"));
}

static void found(struct workflow *w, enum lint_rule rule, size_t offset, const char *message,
                  const char *subject, const char *hint)
{
    ERR_SCRATCH(wrong);
    (void)err_set(&wrong, TG_USAGE, "invalid", "%s%s%s%s", subject ? "'" : "",
                  subject ? subject : "", subject ? "' " : "", message);
    (void)err_hint(&wrong, "%s", hint);
    w->report->found(w->report->context, rule, line_counter_at(&w->lines, w->doc->source, offset),
                     &wrong);
}

static const char *text_of(const struct yaml_node *map, const char *name)
{
    const struct yaml_node *node = map && map->kind == YAML_MAP ? yaml_get(map, name) : NULL;
    return node && node->kind == YAML_SCALAR ? node->text.ptr : NULL;
}

/* ---------------------------------------------------------------- actions */

static bool is_pinned(const char *uses)
{
    const char *at = strrchr(uses, '@');
    if (str_starts(uses, "./") || (at && str_starts(at, "@sha256:")))
        return true;
    size_t hex = at ? strspn(at + 1, "0123456789abcdef") : 0;
    return at && (hex == 40 || hex == 64) && !at[1 + hex];
}

static void check_uses(struct workflow *w, const struct yaml_node *step)
{
    const char *uses = text_of(step, "uses");
    if (!uses)
        return;
    if (!is_pinned(uses))
        found(w, RULE_WORKFLOW_PIN, yaml_get(step, "uses")->offset,
              "can become another action at any time", uses,
              "name its commit: OWNER/NAME@<40 hex digits> # v1.2.3");
    const struct yaml_node *with = yaml_get(step, "with");
    const char *ref = text_of(with, "ref"), *repository = text_of(with, "repository");
    bool proposed = (ref && (strstr(ref, "pull_request.head") || strstr(ref, "head_ref") ||
                             strstr(ref, "/merge"))) ||
                    (repository && strstr(repository, "pull_request.head"));
    if (w->by_stranger && str_starts(uses, "actions/checkout") && proposed)
        found(w, RULE_WORKFLOW_TARGET, yaml_get(step, "uses")->offset,
              "takes a stranger's code, and pull_request_target runs it with your secrets", uses,
              "run it under pull_request, without secrets");
}

/* ---------------------------------------------------------------- scripts */

/* What only GitHub itself can say. */
static bool is_harmless(struct span name)
{
    static const char *const endings[] = {".number", ".id",    ".sha",   ".action",
                                          ".draft",  ".after", ".before"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        size_t len = strlen(endings[i]);
        if (name.len >= len && memcmp(name.ptr + name.len - len, endings[i], len) == 0)
            return true;
    }
    return false;
}

/* The first name in an expression that somebody else chooses, or an empty span. */
static struct span stranger_in(const char *expression, const char *end)
{
    static const char *const names[] = {"github.event.", "github.head_ref"};
    for (const char *at = expression; at < end; at++)
        for (size_t i = 0; i < 2; i++) {
            if (strncmp(at, names[i], strlen(names[i])) != 0)
                continue;
            size_t len = 0;
            while (at + len < end && (isalnum((unsigned char)at[len]) || strchr("._-*", at[len])))
                len++;
            if (!is_harmless(span_of(at, len)))
                return span_of(at, len);
        }
    return span_of("", 0);
}

/* Texts of several lines stand in the document with blanks before each: an expression does not. */
static size_t offset_in(struct workflow *w, size_t from, struct span expression)
{
    struct span source = w->doc->source;
    const char *found =
        memmem(source.ptr + from, source.len - from, expression.ptr, expression.len);
    return found ? (size_t)(found - source.ptr) : from;
}

static void check_script(struct workflow *w, const struct yaml_node *script)
{
    if (!script || script->kind != YAML_SCALAR)
        return;
    size_t offset = script->offset;
    for (const char *at = script->text.ptr; (at = strstr(at, "${{"));) {
        const char *end = strstr(at, "}}");
        if (!end)
            return;
        struct span name = stranger_in(at, end);
        offset = offset_in(w, offset, span_of(at, (size_t)(end - at)));
        if (name.len)
            found(w, RULE_WORKFLOW_INJECTION, offset,
                  "is what a stranger writes, and becomes a part of the script",
                  arena_memdup(w->arena, name.ptr, name.len),
                  "put it into 'env' of the step, and say \"$NAME\" in the script");
        at = end;
    }
}

/* ---------------------------------------------------------------- jobs */

static void check_steps(struct workflow *w, const struct yaml_node *job)
{
    const struct yaml_node *steps = job && job->kind == YAML_MAP ? yaml_get(job, "steps") : NULL;
    for (size_t i = 0; steps && steps->kind == YAML_LIST && i < steps->list.count; i++) {
        const struct yaml_node *step = steps->list.items[i];
        if (step->kind != YAML_MAP)
            continue;
        const struct yaml_node *with = yaml_get(step, "with");
        check_uses(w, step);
        check_script(w, yaml_get(step, "run"));
        if (with && with->kind == YAML_MAP)
            check_script(w, yaml_get(with, "script"));
    }
}

static bool names_event(const struct yaml_node *on, const char *event)
{
    if (!on || on->kind == YAML_SCALAR)
        return on && str_equal(on->text.ptr, event);
    if (on->kind == YAML_MAP)
        return yaml_get(on, event) != NULL;
    for (size_t i = 0; i < on->list.count; i++)
        if (on->list.items[i]->kind == YAML_SCALAR && str_equal(on->list.items[i]->text.ptr, event))
            return true;
    return false;
}

static void check_jobs(struct workflow *w, const struct yaml_node *root,
                       const struct yaml_node *jobs)
{
    bool all = yaml_get(root, "permissions") != NULL;
    for (size_t i = 0; i < jobs->map.count; i++) {
        const struct yaml_node *job = jobs->map.members[i].value;
        if (job->kind != YAML_MAP)
            continue;
        if (!all && !yaml_get(job, "permissions"))
            found(
                w, RULE_WORKFLOW_PERMISSIONS, jobs->map.members[i].key->offset,
                "has whatever rights the repository gives by default",
                jobs->map.members[i].key->text.ptr,
                "say 'permissions: {contents: read}' at the top, and more in a job that needs it");
        if (text_of(job, "uses"))
            check_uses(w, job);
        check_steps(w, job);
    }
}

void check_workflow(const struct check_report *report, struct arena *arena, const char *path,
                    struct span text)
{
    ERR_SCRATCH(ignored);
    struct yaml_doc *doc;
    if (yaml_parse(&doc, arena, path, text, &ignored) < 0 || !doc->root ||
        doc->root->kind != YAML_MAP)
        return;
    struct workflow w = {.report = report, .arena = arena, .doc = doc};
    const struct yaml_node *jobs = yaml_get(doc->root, "jobs");
    w.by_stranger = names_event(yaml_get(doc->root, "on"), "pull_request_target");
    if (jobs && jobs->kind == YAML_MAP)
        check_jobs(&w, doc->root, jobs);
    check_steps(&w, yaml_get(doc->root, "runs"));
}
