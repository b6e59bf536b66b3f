/* `__complete WORD...`: what the last word may become, for the scripts of the shells. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/base_image.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/remote.h"
#include "catalog/render.h"
#include "catalog/revision.h"
#include "child/record.h"
#include "cmd/cmd.h"
#include "data/document.h"
#include "data/yaml.h"
#include "io/io.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "resolver/request.h"
#include "update/strategy.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    FOLDERS_UP = 16,   /* above the working folder, where a record is looked for */
    TYPES_READ = 50,   /* manifests, where no type was named */
    CANDIDATES = 2000, /* more help nobody */
};

/*
 * The word being typed is `lead` and `typed`: candidates stand for `typed` alone, as in
 * --ci=github,git. Catalog, record and matrix are read when a candidate needs them; what cannot be
 * read offers nothing.
 */
struct completion {
    struct run *run;
    struct arena *arena;
    const struct command *command;
    const char *lead, *typed;
    const char *name, *where; /* the option or KEY of the value, and `where` of its row */
    bool only_arguments;      /* after `--` */
    struct words offered;     /* each candidate is offered once */
    struct words chosen;      /* items of a list before the one that is typed */
    struct record *record;    /* of the child to update, or NULL */
    const char *source;       /* of the catalog; NULL: the one built in */
    bool is_far;              /* `source` is no folder here: the built-in catalog stands for it */
    struct matrix *matrix;
};

/* ---------------------------------------------------------------- candidates */

/*
 * Whether the terminal and every shell take it for text alone, in double quotes, too: candidates
 * may come from a foreign catalog.
 */
static bool is_plain(struct run *run, const char *value)
{
    return *value != ':' && !strpbrk(value, "$`\"'\\!") &&
           strcmp(cmd_masked(run, value), value) == 0;
}

static void offer(struct completion *c, const char *value, const char *description)
{
    if (!str_starts(value, c->typed) || !is_plain(c->run, value) ||
        c->offered.count == CANDIDATES || words_have(&c->offered, value) ||
        words_have(&c->chosen, value))
        return;
    words_add(&c->offered, c->arena, value);
    (void)buf_printf(&c->run->out, "%s%s\t%s\n", c->lead, value, cmd_masked(c->run, description));
}

/* Moves the first bytes that were typed to those that candidates do not repeat. */
static void advance(struct completion *c, size_t bytes)
{
    c->lead = arena_printf(c->arena, "%s%.*s", c->lead, (int)bytes, c->typed);
    c->typed += bytes;
}

/* Of "github,git" only the last item is being typed. */
static void take_commas(struct completion *c)
{
    for (size_t len; c->typed[len = strcspn(c->typed, ",")];) {
        words_add(&c->chosen, c->arena, arena_memdup(c->arena, c->typed, len));
        advance(c, len + 1);
    }
}

/* Has the script offer what lies on the disk, behind `lead`. */
static void offer_paths(struct completion *c)
{
    if (c->offered.count == 0 && is_plain(c->run, c->lead))
        (void)buf_printf(&c->run->out, "%s\t%s\n", c->where, c->lead);
}

/* ---------------------------------------------------------------- what is read */

/* Reads the record of PATH, or of a folder above it. */
static void find_record(struct completion *c)
{
    const char *path = arena_printf(c->arena, "%s/" RECORD_PATH, cmd_argument(c->run, "."));
    struct record *record = arena_alloc(c->arena, sizeof(*record));
    struct span text;
    ERR_SCRATCH(ignored);
    for (size_t i = 0; i < FOLDERS_UP && access(path, F_OK) != 0; i++)
        path = arena_printf(c->arena, "%.*s../" RECORD_PATH,
                            (int)(strlen(path) - strlen(RECORD_PATH)), path);
    if (io_read_file(&text, c->arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, &ignored) == 0 &&
        record_parse(record, c->arena, RECORD_PATH, text, &ignored) == 0)
        c->record = record;
}

static void find_source(struct completion *c)
{
    ERR_SCRATCH(ignored);
    c->source = opt_value(&c->run->options, "catalog");
    if (c->command == &update_command)
        find_record(c);
    if (!c->source && c->record)
        c->source = c->record->catalog.source;
    else if (!c->source && command_is_of(c->command->name, "template") &&
             access("catalog.yml", F_OK) == 0)
        c->source = ".";
    else if (!c->source && cmd_config(c->run, &ignored) == 0)
        c->source = c->run->config.catalog;
    if (str_equal(c->source, CATALOG_BUILTIN))
        c->source = NULL;
}

/*
 * Opens a folder as it is, without its history: that needs neither trust nor git nor a server.
 * NULL: there is no catalog.
 */
static const struct catalog *catalog_of(struct completion *c)
{
    struct catalog **catalog = &c->run->catalog;
    const char *path = NULL, *folder = "";
    ERR_SCRATCH(ignored);
    if (c->run->catalog)
        return c->run->catalog;
    find_source(c);
    if (c->source)
        source_split(&path, &folder, c->arena, c->source);
    if (path && *folder)
        path = arena_printf(c->arena, "%s/%s", path, folder);
    c->is_far = c->source && (!path || catalog_open_folder(catalog, c->arena, path, &ignored) < 0);
    if (!*catalog && catalog_open(catalog, c->arena, NULL, NULL, &ignored) < 0)
        *catalog = NULL;
    return *catalog;
}

static const struct matrix *matrix_here(struct completion *c)
{
    const struct catalog *catalog = catalog_of(c);
    ERR_SCRATCH(ignored);
    if (!c->matrix && catalog &&
        matrix_load(&c->matrix, c->arena, catalog->files, span_of("", 0), NULL, &ignored) < 0)
        c->matrix = NULL;
    return c->matrix;
}

/* The type that was named, as a list of one; else all of the catalog. */
static struct words types_of(struct completion *c)
{
    const struct catalog *catalog = catalog_of(c);
    const char *type = opt_value(&c->run->options, "type");
    struct words types = {0};
    if (!catalog || c->is_far)
        return types;
    if (!type && c->record)
        type = c->record->type;
    if (!type && strstr(c->command->usage, "TYPE ") == c->command->usage)
        type = cmd_argument(c->run, NULL);
    if (type)
        words_add(&types, c->arena, type);
    else
        types.count = catalog_types(&types.items, c->arena, catalog->files);
    types.count = types.count < TYPES_READ ? types.count : TYPES_READ;
    return types;
}

/* NULL: the catalog has no such type, or a wrong one. */
static const struct manifest *manifest_of(struct completion *c, const char *type)
{
    struct manifest *manifest;
    ERR_SCRATCH(ignored);
    return manifest_load(&manifest, c->arena, catalog_of(c), type, &ignored) == 0 ? manifest : NULL;
}

/* ---------------------------------------------------------------- values of the matrix */

/* What a row says of itself; NULL: nothing. */
static const char *note_of(struct completion *c, const struct data *row)
{
    static const char *const names[] = {"title", "architecture", "state"};
    const char *note = NULL, *cuda = data_get_text(row, "cuda");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !note; i++)
        note = data_get_text(row, names[i]);
    return note || !cuda ? note : arena_printf(c->arena, "CUDA %s", cuda);
}

/* Offers `before` and each text at a path such as "builds.variant". */
static void offer_texts(struct completion *c, const struct data *data, const char *path,
                        const char *before, const char *note)
{
    size_t len = strcspn(path, ".");
    for (size_t i = 0; data && data->kind == DATA_LIST && i < data->list.count; i++)
        offer_texts(c, data->list.items[i], path, before, note);
    if (data && data->kind == DATA_MAP)
        offer_texts(c, data_get_span(data, span_of(path, len)), path + len + (path[len] == '.'),
                    before, note_of(c, data));
    if (data_text(data))
        offer(c, arena_printf(c->arena, "%s%s", before, data_text(data)), note);
}

/* The texts at the path `where` in what `matrix list TOPIC` shows. */
static void offer_topic(struct completion *c, const char *topic, const char *before)
{
    const struct matrix *matrix = matrix_here(c);
    if (matrix)
        offer_texts(c, matrix_list_data(c->arena, matrix, topic), c->where, before, NULL);
}

/* The same, whose first part is the topic. */
static void offer_listed(struct completion *c)
{
    advance(c, strspn(c->typed, "=<>!~"));
    offer_topic(c, arena_memdup(c->arena, c->where, strcspn(c->where, ".")), "");
}

static void offer_bases(struct completion *c)
{
    const struct matrix *matrix = matrix_here(c);
    if (matrix)
        offer_topic(c, "images", arena_printf(c->arena, "%s:", matrix->repository));
}

static void offer_distributions(struct completion *c)
{
    const struct matrix *matrix = matrix_here(c);
    for (size_t i = matrix ? matrix->distributions.count : 0; i-- > 0;)
        offer(c, ROW(struct distribution, matrix->distributions, i)->os, NULL);
}

/* Of the framework on the command line, or in the record; else of all. */
static void offer_of_framework(struct completion *c)
{
    const struct matrix *matrix = matrix_here(c);
    const char *said = opt_value(&c->run->options, "framework");
    if (!said && c->record && c->record->resolution)
        said = data_get_text(c->record->resolution, "framework");
    if (!said && c->command == &matrix_accept_command)
        said = cmd_argument(c->run, NULL);
    said = said ? package_name(c->arena, said) : NULL;
    advance(c, strspn(c->typed, "=<>!~"));
    for (size_t i = 0; matrix && i < matrix->framework_count; i++)
        if (!said || str_equal(said, matrix->frameworks[i].name))
            offer_topic(c, matrix->frameworks[i].name, "");
}

/* Releases of a name that was typed in full: NAME==2.9.1, or after the signs that were typed. */
static void offer_releases(struct completion *c)
{
    const struct matrix *matrix = matrix_here(c);
    size_t len = strcspn(c->typed, "=<>!~"), signs = strspn(c->typed + len, "=<>!~");
    char *name = arena_memdup(c->arena, c->typed, len);
    bool is_open = signs == 0 || strcmp(c->typed + len, "=") == 0;
    if (!matrix || !framework_or_package(matrix, name))
        return;
    c->where = "releases.release";
    advance(c, len + (is_open ? 0 : signs));
    offer_topic(c, name, is_open ? "==" : "");
}

static void offer_named(struct completion *c)
{
    offer_listed(c);
    offer_releases(c);
}

/* ---------------------------------------------------------------- values of the catalog */

/* Those that the type has files for. */
static void offer_frameworks(struct completion *c)
{
    struct words types = types_of(c);
    const struct manifest *manifest = types.count == 1 ? manifest_of(c, types.items[0]) : NULL;
    if (manifest && !manifest->has_stack)
        return;
    for (size_t i = 0; manifest && i < manifest->frameworks.count; i++)
        offer(c, manifest->frameworks.items[i], NULL);
    if (!manifest || !manifest->frameworks.count)
        offer_listed(c);
    offer_releases(c);
}

static void offer_types(struct completion *c)
{
    const struct catalog *catalog = catalog_of(c);
    const char **types;
    size_t count = catalog && !c->is_far ? catalog_types(&types, c->arena, catalog->files) : 0;
    if (c->command == &template_new_command && !*c->name)
        return; /* the name of a type that is not there yet */
    for (size_t i = 0; i < count && i < TYPES_READ; i++) {
        const struct manifest *manifest = manifest_of(c, types[i]);
        offer(c, types[i], manifest ? manifest->description : NULL);
    }
}

static void offer_images(struct completion *c)
{
    const struct catalog *catalog = catalog_of(c);
    const char **names;
    size_t count = catalog ? base_image_names(&names, c->arena, catalog->files) : 0;
    c->chosen = (struct words){c->run->options.arguments, c->run->options.argument_count};
    for (size_t i = 0; i < count; i++)
        offer(c, names[i], NULL);
}

/* Tags and branches, the newest release first. A catalog on a server is not asked. */
static void offer_revisions(struct completion *c)
{
    struct catalog_revision *revisions;
    size_t count;
    ERR_SCRATCH(ignored);
    if (!catalog_of(c) || (c->source && address_is_remote(c->source)) ||
        catalog_revisions(&revisions, &count, c->arena, c->source, &ignored) < 0)
        return;
    while (count-- > 0)
        offer(c, revisions[count].name, revisions[count].kind == REVISION_TAG ? "tag" : "branch");
}

/* ---------------------------------------------------------------- answers */

/* A text that is no template. */
static const char *plain_text(const char *text)
{
    return text && !strchr(text, '{') ? text : NULL;
}

/* The profiles of MIG of the GPUs that were named, else of all. */
static void offer_profiles(struct completion *c)
{
    const struct matrix *matrix = matrix_here(c);
    struct words said = opt_values(c->arena, &c->run->options, "gpu");
    for (size_t i = 0; matrix && i < matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, matrix->gpus, i);
        for (size_t j = 0; j < gpu->mig.count && (!said.count || words_have(&said, gpu->name));
             j++) {
            struct words words = words_read(c->arena, gpu->mig.items[j].value);
            for (size_t k = 0; k < words.count; k++) {
                int len = (int)strcspn(words.items[k], ":");
                offer(c, arena_printf(c->arena, "mig:%.*s", len, words.items[k]), gpu->name);
            }
        }
    }
}

/* Words of a pattern such as "none|mig:[1-7]g[.]5gb|mps". */
static void offer_pattern(struct completion *c, const char *pattern)
{
    for (size_t len; pattern && *pattern; pattern += len + (pattern[len] == '|')) {
        len = strcspn(pattern, "|");
        const char *word = arena_memdup(c->arena, pattern, len);
        if (str_starts(word, "mig:"))
            offer_profiles(c);
        else if (!strpbrk(word, ".[](){}*+?^$\\"))
            offer(c, word, NULL);
    }
}

static void offer_choices(struct completion *c, const struct question *question)
{
    const struct yaml_node *choices = question->choices;
    ERR_SCRATCH(ignored);
    if (question->type == QUESTION_LIST)
        take_commas(c);
    for (size_t i = 0; choices && choices->kind == YAML_LIST && i < choices->list.count; i++) {
        const char *value = NULL, *label = NULL;
        if (yaml_text(&value, choice_value(choices->list.items[i]), "", &ignored) == 0 && value) {
            if (yaml_text(&label, choice_label(choices->list.items[i]), "", &ignored) < 0)
                label = NULL;
            offer(c, value, plain_text(label));
        }
    }
    if (question->type == QUESTION_LIST && choices && c->chosen.count == 0)
        offer(c, "none", NULL);
    if (question->type == QUESTION_BOOL) {
        offer(c, "yes", NULL);
        offer(c, "no", NULL);
    }
    if (question->type == QUESTION_STR)
        offer_pattern(c, question->pattern);
}

/* The answers to the question that an option, or a KEY, is about. */
static void offer_answers(struct completion *c)
{
    struct words types = types_of(c);
    char *asked = arena_strdup(c->arena, c->name);
    for (char *dash = asked; (dash = strchr(dash, '-'));)
        *dash = '_';
    for (size_t i = 0; i < types.count; i++) {
        const struct manifest *manifest = manifest_of(c, types.items[i]);
        const struct question *question = manifest ? manifest_question(manifest, asked) : NULL;
        if (question && !question->secret && !question->computed.text)
            offer_choices(c, question);
    }
}

static void offer_keys(struct completion *c)
{
    struct words types = types_of(c);
    bool has_stack = false;
    for (size_t i = 0; i < types.count; i++) {
        const struct manifest *manifest = manifest_of(c, types.items[i]);
        has_stack |= manifest && manifest->has_stack;
        for (size_t j = 0; manifest && j < manifest->question_count; j++) {
            const struct question *question = &manifest->questions[j];
            if (!question->computed.text)
                offer(c, arena_printf(c->arena, "%s=", question->name),
                      plain_text(question->help.text));
        }
    }
    for (size_t i = 0; (has_stack || c->is_far) && i < CHOICE_COUNT; i++)
        offer(c, arena_printf(c->arena, "%s=", stack_options[i].name), stack_options[i].help);
}

/* ---------------------------------------------------------------- other values */

static void offer_log(struct completion *c)
{
    if (*c->typed != '@')
        return;
    advance(c, 1);
    offer_paths(c);
}

static void offer_strategies(struct completion *c)
{
    char *names = arena_strdup(c->arena, strategy_names(c->arena)), *save = NULL;
    for (char *one = strtok_r(names, ", ", &save); one; one = strtok_r(NULL, ", ", &save))
        offer(c, one, NULL);
}

/* "list, resolve, check" of matrix. */
static const char *second_words(struct completion *c, const char *first)
{
    const struct command *const *commands = c->run->commands;
    struct words words = {0};
    for (size_t i = 0; commands[i]; i++)
        if (command_is_of(commands[i]->name, first))
            words_add(&words, c->arena, strchr(commands[i]->name, ' ') + 1);
    return str_join(c->arena, words.items, words.count, ", ");
}

/* The second words after `first`; all first words where that is NULL. */
static void offer_commands(struct completion *c, const char *first)
{
    const struct command *const *commands = c->run->commands;
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name, *space = strchr(name, ' ');
        char *word = arena_memdup(c->arena, name, strcspn(name, " "));
        if (!first)
            offer(c, word, space ? second_words(c, word) : commands[i]->summary);
        else if (command_is_of(name, first))
            offer(c, space + 1, commands[i]->summary);
    }
}

static void offer_help(struct completion *c)
{
    offer_commands(c, cmd_argument(c->run, NULL));
}

static void offer_sets(struct completion *c);

/*
 * What a value is, by the name of its option (or KEY, with '-'), else by the word for it in help.
 * Words in small letters, as in "VERSION|auto", are candidates in any case.
 */
static const struct completed_value {
    const char *of;
    void (*offer)(struct completion *c); /* NULL: nothing is known */
    const char *where;
} completed_values[] = {
    {"against", offer_revisions, NULL},
    {"branch", NULL, NULL},
    {"ci", offer_answers, NULL},
    {"cuda", offer_listed, "drivers.cuda"},
    {"deploy", offer_answers, NULL},
    {"driver", offer_listed, "drivers.branch"},
    {"explain", offer_log, ":files"},
    {"framework", offer_frameworks, "frameworks.framework"},
    {"gpu", offer_listed, "gpus.gpu"},
    {"gpu-sharing", offer_answers, NULL},
    {"image", offer_bases, "images.tags"},
    {"name", NULL, NULL},
    {"onto", offer_bases, "images.tags"},
    {"orchestrator", offer_answers, NULL},
    {"os", offer_distributions, NULL},
    {"platform", offer_listed, "platforms.platform"},
    {"python", offer_of_framework, "releases.pythons"},
    {"restore", offer_paths, ":files"},
    {"root", offer_paths, ":files"},
    {"strategy", offer_strategies, NULL},
    {"to", offer_revisions, NULL},
    {"variant", offer_of_framework, "releases.builds.variant"},
    {"with", offer_named, "packages.package"},
    {"COMMAND", offer_help, NULL},
    {"COMMIT", NULL, NULL},
    {"DATE", NULL, NULL},
    {"DIR", offer_paths, ":folders"},
    {"FILE", offer_paths, ":files"},
    {"FILE.tar[.gz]", offer_paths, ":files"},
    {"FOLDER", offer_paths, ":folders"},
    {"FRAMEWORK", offer_listed, "frameworks.framework"},
    {"FRAMEWORK==VERSION", offer_named, "frameworks.framework"},
    {"GLOB", offer_paths, ":files"},
    {"HOST/PATH", NULL, NULL},
    {"HOST[/PATH]", NULL, NULL},
    {"IMAGE:TAG", NULL, NULL},
    {"K=V", NULL, NULL},
    {"KEY=VALUE", offer_sets, NULL},
    {"N", NULL, NULL},
    {"NAME...", offer_images, NULL},
    {"PACKAGE", offer_listed, "packages.package"},
    {"PACKAGE==VERSION", offer_named, "packages.package"},
    {"PATH", offer_paths, ":folders"},
    {"REF", NULL, NULL},
    {"REQUEST", NULL, NULL},
    {"SECONDS", NULL, NULL},
    {"SRC[@REF]", offer_paths, ":folders"},
    {"TEXT", NULL, NULL},
    {"TYPE", offer_types, NULL},
    {"TYPE...", offer_types, NULL},
    {"URL", NULL, NULL},
};

/* Offers what the row of that name has; false: there is none. */
static bool offer_by(struct completion *c, const char *of)
{
    for (size_t i = 0; i < sizeof(completed_values) / sizeof(*completed_values); i++) {
        const struct completed_value *value = &completed_values[i];
        if (strcmp(value->of, of) != 0)
            continue;
        c->where = value->where;
        if (value->offer)
            value->offer(c);
        return true;
    }
    return false;
}

static bool is_literal(const char *word)
{
    for (const char *at = word; *at; at++)
        if (isupper((unsigned char)*at))
            return false;
    return isalpha((unsigned char)*word);
}

/* The values of an option, an argument or a KEY, for which help has `word`. */
static void offer_values(struct completion *c, const char *name, const char *word)
{
    char *words = arena_strdup(c->arena, word), *save = NULL;
    c->name = name;
    for (char *one = strtok_r(words, "|", &save); one; one = strtok_r(NULL, "|", &save))
        if (is_literal(one))
            offer(c, one, NULL);
    if (offer_by(c, name))
        return;
    words = arena_strdup(c->arena, word);
    for (char *one = strtok_r(words, "|", &save); one; one = strtok_r(NULL, "|", &save))
        if (!is_literal(one) && !offer_by(c, one))
            (void)buf_puts(&c->run->out, ":unknown\t\n"); /* a test looks for it */
}

/* KEY=, then a value of that KEY; of a list the last item. */
static void offer_sets(struct completion *c)
{
    const struct option_group stack[] = {{"", stack_options}, {NULL, NULL}};
    const char *equals = strchr(c->typed, '=');
    if (!equals) {
        offer_keys(c);
        return;
    }
    char *key = arena_memdup(c->arena, c->typed, (size_t)(equals - c->typed));
    const struct option *option = opt_find(stack, span_from(key));
    advance(c, strlen(key) + 1);
    if (option && option->repeatable)
        take_commas(c);
    c->name = key;
    if (option)
        offer_values(c, key, option->argument);
    else
        offer_answers(c);
}

/* ---------------------------------------------------------------- words */

static void offer_options(struct completion *c)
{
    for (const struct option_group *group = c->command->options; group->options; group++)
        for (const struct option *option = group->options; option->name; option++)
            if (option->help && (option->repeatable || !opt_given(&c->run->options, option->name)))
                offer(c, arena_printf(c->arena, "--%s", option->name), option->help);
}

/* The n-th argument in the usage, without its brackets; the last one where that repeats. */
static const char *argument_word(struct completion *c)
{
    const char *usage = c->command->usage;
    size_t len = strcspn(usage, " ");
    for (size_t n = c->run->options.argument_count; n && !strstr(usage, "..."); n--)
        usage += len + (usage[len] == ' '), len = strcspn(usage, " ");
    if (len > 1 && *usage == '[')
        usage++, len -= 2;
    return arena_memdup(c->arena, usage, len);
}

static void offer_argument(struct completion *c)
{
    if (c->run->options.argument_count < c->command->max_arguments)
        offer_values(c, "", c->command == &help_command ? "COMMAND" : argument_word(c));
    else if (!*c->typed && !c->only_arguments)
        offer_options(c);
}

/* Keeps what can be read of the words before; returns the option that waits for its value. */
static const struct option *read_words(struct completion *c, const char *const *argv, size_t argc)
{
    struct parsed *out = &c->run->options;
    *out = (struct parsed){.values = arena_array(c->arena, argc + 1, sizeof(*out->values)),
                           .arguments = arena_array(c->arena, argc + 1, sizeof(*out->arguments))};
    for (size_t i = 0; i < argc; i++) {
        const char *name = opt_long(argv[i]);
        if (c->only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
            out->arguments[out->argument_count++] = argv[i];
            continue;
        }
        size_t len = name ? strcspn(name, "=") : 0;
        const struct option *option =
            len ? opt_find(c->command->options, span_of(name, len)) : NULL;
        c->only_arguments = strcmp(argv[i], "--") == 0;
        if (!option)
            continue;
        const char *text = name[len] ? name + len + 1 : NULL;
        if (option->argument && !text && i + 1 == argc)
            return option;
        if (option->argument && !text)
            text = argv[++i];
        out->values[out->count++] = (struct option_value){option, text};
    }
    return NULL;
}

static void offer_words(struct completion *c, const char *const *argv, size_t argc)
{
    const struct option *option = read_words(c, argv, argc);
    const char *equals = str_starts(c->typed, "--") ? strchr(c->typed, '=') : NULL;
    bool is_option = !option && !c->only_arguments && *c->typed == '-';
    if (is_option && equals) {
        option =
            opt_find(c->command->options, span_of(c->typed + 2, (size_t)(equals - c->typed) - 2));
        advance(c, (size_t)(equals - c->typed) + 1);
    }
    if (option && option->argument)
        offer_values(c, option->name, option->argument);
    else if (is_option && !equals)
        offer_options(c);
    else if (!is_option)
        offer_argument(c);
}

int complete_words(struct run *run, const char *const *argv, size_t argc)
{
    size_t words = 0, leading = argc ? command_count_leading(argv, argc - 1) : 0;
    argv += leading;
    argc -= leading;
    size_t before = argc ? argc - 1 : 0;
    struct completion c = {.run = run,
                           .arena = &run->arena,
                           .lead = "",
                           .typed = argc ? argv[before] : "",
                           .command = command_find(&words, run->commands, argv, before)};
    run->command = &completion_command;
    if (strcmp(cmd_masked(run, c.typed), c.typed) != 0)
        return TG_OK; /* it would be more than a line */
    if (c.command) {
        offer_words(&c, argv + words, before - words);
    } else if (before < 2) {
        offer_commands(&c, before ? argv[0] : NULL);
        for (const struct option *it = common_options; *c.typed == '-' && it->name; it++) {
            const char *word = arena_printf(c.arena, "--%s", it->name);
            if (before == 0 || !command_count_leading(&word, 1))
                offer(&c, word, it->help);
        }
    }
    return TG_OK;
}
