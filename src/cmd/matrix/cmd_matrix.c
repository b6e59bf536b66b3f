/* `matrix list`, `matrix resolve`, `matrix check`: the compatibility matrix on the command line. */
#include "base/budget.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/matrix/matrix_session.h"
#include "cmd/project/choices.h"
#include "data/document.h"
#include "io/io.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define OVERLAY_FILE ".tmplgen-matrix.yml"

const struct option matrix_source_options[] = {
    {"catalog", "SRC[@REF]", "take the matrix of this catalog (default: the one built in)", false},
    {"overlay", "FILE", "rows that go before the catalog's (default: .tmplgen-matrix.yml here)",
     false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

int matrix_overlay(struct span *out, struct run *run, struct err *err)
{
    const char *named = opt_value(&run->options, "overlay");
    const char *path = named ? named : OVERLAY_FILE;
    *out = span_of("", 0);
    if (!named && access(path, F_OK) != 0)
        return 0;
    if (io_read(out, &run->arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    cmd_warn(run, "rows of '%s' go before the catalog's", path);
    return 0;
}

int matrix_session_open(struct session *s, struct run *run, struct err *err)
{
    *s = (struct session){.run = run, .err = err};
    return cmd_config(run, err) < 0 || matrix_overlay(&s->overlay, run, err) < 0
               ? -1
               : cmd_open_untold(run, err);
}

void matrix_print(struct run *run, int (*write)(struct buf *, const struct data *),
                  const struct data *data)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    (void)write(&text, data);
    cmd_print(run, "%s", buf_text(&text));
}

/* ------------------------------------------------------------------ matrix resolve */

static int resolve_request(struct session *s, const struct stack_request *request,
                           struct data **resolution, const struct matrix **out)
{
    struct run *run = s->run;
    struct data *refusal = NULL;
    struct matrix *matrix;
    const char *name = request_framework(request, &run->arena);
    if (matrix_load(&matrix, &run->arena, s->run->catalog->files, s->overlay, name, s->err) < 0)
        return -1;
    *out = matrix;
    if (matrix_resolve(resolution, &refusal, &run->arena, matrix, request, s->err) == 0)
        return 0;
    if (refusal)
        cmd_refuse(run, refusal);
    return -1;
}

static int add_why(struct session *s, const struct matrix *matrix,
                   const struct stack_request *request)
{
    struct data *why;
    if (!opt_given(&s->run->options, "explain"))
        return 0;
    if (matrix_why(&why, &s->run->arena, matrix, request, s->err) < 0)
        return -1;
    cmd_tell(s->run, FIELD("why", why));
    matrix_print(s->run, matrix_explain_why, why);
    return 0;
}

/* Applies the changes of --diff: `--driver 580 --gpu T4`, or a framework's NAME[SPEC]. */
static int change_request(struct session *s, struct stack_request *request, const char *changes)
{
    struct arena *arena = &s->run->arena;
    char *words = arena_strdup(arena, changes), *save = NULL;
    struct stack_request said = {0};
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (!str_starts(word, "--")) {
            request_say(&said, arena, CHOICE_FRAMEWORK, word);
            continue;
        }
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        else
            value = strtok_r(NULL, " ", &save);
        enum stack_choice choice = stack_choice_of(span_from(word + 2));
        if (!value || choice == CHOICE_COUNT) {
            (void)err_set(s->err, TG_USAGE, "usage", "--diff: '%s' is no option of the stack %s",
                          word, value ? "" : "with a value");
            return err_hint(s->err, "such as --diff '--driver 580' or --diff pytorch==2.14.0");
        }
        if (stack_options[choice].repeatable)
            request_add(&said, arena, choice, value);
        else
            request_say(&said, arena, choice, value);
    }
    if (machine_fill_auto(&said, s->run, s->err) < 0)
        return -1;
    request_overlay(request, &said);
    return 0;
}

static int add_diff(struct session *s, struct stack_request request, const struct data *from)
{
    struct run *run = s->run;
    struct data *to, *diff;
    const struct matrix *matrix;
    const char *changes = opt_value(&run->options, "diff");
    if (!changes)
        return 0;
    if (change_request(s, &request, changes) < 0)
        return -1;
    if (resolve_request(s, &request, &to, &matrix) < 0)
        return err_wrap(s->err, "--diff");
    diff = matrix_diff(&run->arena, from, to);
    cmd_tell(run, FIELD("diff_request", stack_request_data(&run->arena, &request)),
             FIELD("diff_resolution", to), FIELD("diff", diff));
    matrix_print(run, matrix_explain_diff, diff);
    return 0;
}

static int answer_request(struct session *s, const struct stack_request *request)
{
    struct run *run = s->run;
    struct data *resolution;
    const struct matrix *matrix;
    if (resolve_request(s, request, &resolution, &matrix) < 0)
        return -1;
    cmd_tell(run, FIELD("resolution", resolution));
    if (!opt_given(&run->options, "diff"))
        cmd_print_stack(run, resolution);
    return add_why(s, matrix, request) < 0 || add_diff(s, *request, resolution) < 0 ? -1 : TG_OK;
}

static int matrix_resolve_run(struct run *run, struct err *err)
{
    struct stack_request request;
    (void)choices_said(&request, run);
    if (machine_fill_auto(&request, run, err) < 0)
        return -1;
    cmd_tell(run, FIELD("request", stack_request_data(&run->arena, &request)));
    if (!request_text(&request, CHOICE_FRAMEWORK)) {
        (void)err_set(err, TG_USAGE, "missing-framework", "--framework is missing");
        return err_hint(err, "such as --framework pytorch; `tmplgen matrix list` names them");
    }
    struct session s;
    return matrix_session_open(&s, run, err) < 0 ? -1 : answer_request(&s, &request);
}

static const struct option answer_options[] = {
    {"explain", NULL, "say why each part was chosen, and what was passed over", false},
    {"diff", "REQUEST", "what changes with these options, as in '--driver 580' or pytorch==2.14.0",
     false},
    {NULL, NULL, NULL, false},
};

const struct command matrix_resolve_command = {
    .name = "matrix resolve",
    .schema = "resolve",
    .usage = "--framework NAME[SPEC] [choices]",
    .summary = "Find the newest set of versions that meets every demand, or say why none does.",
    .details = "Nothing is written and nothing is fetched. When no set meets the demands, the exit "
               "code is 4: the output names the demands that conflict, with the reason and source "
               "of each, and the nearest requests that would work.",
    .options = OPTIONS({"Stack", stack_options}, {"Answer", answer_options},
                       {"How", matrix_source_options}),
    .run = matrix_resolve_run};

/* ------------------------------------------------------------------ matrix list */

/* The topics besides none, which lists frameworks and packages. */
struct topics {
    struct words frameworks, packages;
};

static int unknown_topic(struct session *s, const struct topics *topics, const char *topic)
{
    const struct words parts[] = {
        topics->frameworks, topics->packages, {(const char **)matrix_topics, matrix_topic_count}};
    struct words all = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        for (size_t j = 0; j < parts[i].count; j++)
            words_add(&all, &s->run->arena, parts[i].items[j]);
    const char *near = str_nearest(topic, all.items, all.count);
    (void)err_set(s->err, TG_USAGE, "unknown-topic", "the matrix has no '%s'", topic);
    return near ? err_hint(s->err, "did you mean '%s'?", near)
                : err_hint(s->err, "a framework, a package, or gpus, drivers, images, platforms");
}

/* Finds the framework whose rows the topic needs; NULL: it needs all rows. */
static int find_topic(const char **framework, struct session *s, const char *topic)
{
    struct topics topics;
    struct arena *arena = &s->run->arena;
    const struct fileset *files = s->run->catalog->files;
    *framework = NULL;
    topics.frameworks.count = matrix_frameworks(&topics.frameworks.items, arena, files);
    topics.packages.count = matrix_package_names(&topics.packages.items, arena, files);
    if (!topic || words_have(&topics.packages, topic))
        return 0;
    if (words_have(&topics.frameworks, topic))
        *framework = topic;
    else if (!str_is_among(topic, matrix_topics, matrix_topic_count))
        return unknown_topic(s, &topics, topic);
    else if (topics.frameworks.count)
        *framework = topics.frameworks.items[0]; /* every framework has the same other files */
    return 0;
}

static int matrix_list_run(struct run *run, struct err *err)
{
    struct session session, *s = &session;
    const char *topic = cmd_argument(run, NULL);
    struct matrix *matrix;
    const char *any;
    if (matrix_session_open(s, run, err) < 0 || find_topic(&any, s, topic) < 0 ||
        matrix_load(&matrix, &run->arena, s->run->catalog->files, s->overlay, any, s->err) < 0)
        return -1;
    run->document = matrix_list_data(&run->arena, matrix, topic);
    matrix_print(run, matrix_list_table, run->document);
    return TG_OK;
}

const struct command matrix_list_command = {
    .name = "matrix list",
    .usage = "[FRAMEWORK|PACKAGE|gpus|drivers|images|platforms]",
    .summary = "Show the rows of the compatibility matrix.",
    .details = "Without an argument: the frameworks, and the packages that live on one. With "
               "--json every row has its source, date "
               "and confidence.",
    .options = OPTIONS({"How", matrix_source_options}),
    .max_arguments = 1,
    .run = matrix_list_run};

/* ------------------------------------------------------------------ matrix check */

struct findings {
    struct run *run;
    struct data *list;
};

static void keep_finding(void *context, const struct err *finding)
{
    struct findings *findings = context;
    struct arena *arena = &findings->run->arena;
    const char *file = finding->where.file ? finding->where.file : "";
    data_push(arena, findings->list,
              data_of(arena, FIELD("file", finding->where.file), FIELD("line", finding->where.line),
                      FIELD("column", finding->where.column), FIELD("message", finding->message)));
    cmd_say(findings->run, "%s:%zu:%zu: %s", file, finding->where.line, finding->where.column,
            finding->message);
}

static int matrix_check_run(struct run *run, struct err *err)
{
    struct session session, *s = &session;
    struct findings findings = {run, data_list(&run->arena)};
    struct matrix *matrix;
    const char *path = opt_value(&run->options, "tags");
    struct span tags = span_of("", 0);
    if (matrix_session_open(s, run, err) < 0 ||
        (path && io_read(&tags, &run->arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0) ||
        matrix_load_placed(&matrix, &run->arena, s->run->catalog->files, s->overlay, NULL, s->err) <
            0)
        return -1;
    size_t count = matrix_check(&run->arena, matrix, tags, keep_finding, &findings);
    if (budget_steps(0, s->err) < 0)
        return -1;
    if (!count) {
        cmd_tell(run, FIELD("findings", findings.list));
        cmd_print(run, "the matrix is consistent\n");
        return TG_OK;
    }
    run->failure = data_map(&run->arena);
    data_put(&run->arena, run->failure, "findings", findings.list);
    return err_set(s->err, TG_USAGE, "invalid-matrix", "%zu finding%s in the matrix", count,
                   count == 1 ? "" : "s");
}

static const struct option check_options[] = {
    {"tags", "FILE", "the tags of nvidia/cuda that exist, one a line: no other may be in a row",
     false},
    {NULL, NULL, NULL, false},
};

const struct command matrix_check_command = {
    .name = "matrix check",
    .usage = "",
    .summary = "Check that the files of a matrix agree with themselves and with each other.",
    .details = "Every finding is told with its file, line and column; the exit code is then 2.",
    .options = OPTIONS({"What", check_options}, {"How", matrix_source_options}),
    .run = matrix_check_run};
