/* Dockerfiles: instructions, and a table of what is wrong with them. */
#include "author/file_checks.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

struct instruction {
    const char *keyword; /* in capitals */
    const char *text;    /* behind it, on one line */
    size_t line;
};

struct dockerfile {
    const struct check_report *report;
    struct arena *arena;
    struct instruction *items;
    size_t count;
    struct data *arguments; /* the defaults of ARG before the first FROM */
    struct data *stages;
};

bool is_dockerfile(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return str_equal(name, "Dockerfile") || str_equal(name, "Containerfile") ||
           str_starts(name, "Dockerfile.") || str_ends(name, ".Dockerfile");
}

/* ---------------------------------------------------------------- reading */

struct docker_lines {
    struct span text;
    size_t at, line;
};

/* The next line without its end; false at the end. */
static bool next_line(struct span *out, struct docker_lines *lines)
{
    if (lines->at >= lines->text.len)
        return false;
    const char *start = lines->text.ptr + lines->at;
    const char *end = memchr(start, '\n', lines->text.len - lines->at);
    out->ptr = start;
    out->len = end ? (size_t)(end - start) : lines->text.len - lines->at;
    lines->at += out->len + 1;
    lines->line++;
    return true;
}

static struct span trim(struct span text)
{
    while (text.len && isspace((unsigned char)*text.ptr))
        text = span_of(text.ptr + 1, text.len - 1);
    while (text.len && isspace((unsigned char)text.ptr[text.len - 1]))
        text.len--;
    return text;
}

/* The word that ends a here-document which the line begins, or NULL. */
static const char *heredoc_end(struct arena *arena, struct span line)
{
    char *text = arena_memdup(arena, line.ptr, line.len), *mark = strstr(text, "<<");
    if (!mark)
        return NULL;
    mark += 2 + (mark[2] == '-');
    mark += *mark == '"' || *mark == '\'';
    size_t len = strspn(mark, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return len ? arena_memdup(arena, mark, len) : NULL;
}

static void read_heredoc(struct buf *text, struct docker_lines *lines, const char *end)
{
    struct span line;
    while (next_line(&line, lines) && !span_equal(trim(line), span_from(end))) {
        (void)buf_puts(text, " ; ");
        (void)buf_append(text, line.ptr, line.len);
    }
}

/* An instruction with the lines that continue it; comments among them fall away. */
static void read_instruction(struct dockerfile *d, struct docker_lines *lines, struct span line)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    size_t first = lines->line;
    for (bool more = true; more;) {
        more = line.len && line.ptr[line.len - 1] == '\\';
        if (!line.len || *line.ptr != '#')
            (void)buf_append(&text, line.ptr, line.len - more);
        else
            more = true;
        (void)buf_putc(&text, ' ');
        const char *end = more ? NULL : heredoc_end(d->arena, line);
        if (end)
            read_heredoc(&text, lines, end);
        struct span next;
        if (!more || !next_line(&next, lines))
            break;
        line = trim(next);
    }
    const char *all = arena_strdup(d->arena, buf_text(&text));
    size_t len = strcspn(all, " \t");
    char *keyword = arena_memdup(d->arena, all, len);
    for (char *c = keyword; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    d->items = arena_grow(d->arena, d->items, d->count, sizeof(*d->items));
    d->items[d->count++] =
        (struct instruction){keyword, all + len + strspn(all + len, " \t"), first};
}

static void read_all(struct dockerfile *d, struct span text)
{
    struct docker_lines lines = {text, 0, 0};
    struct span line;
    while (next_line(&line, &lines)) {
        line = trim(line);
        if (line.len && *line.ptr != '#')
            read_instruction(d, &lines, line);
    }
}

/* The words of a text, up to the first of `ends`. */
static struct words split(struct arena *arena, const char *text, const char *ends)
{
    struct words words = {NULL, 0};
    for (;;) {
        text += strspn(text, " \t");
        size_t len = strcspn(text, " \t");
        if (!len || (len <= 2 && strchr(ends, *text)))
            return words;
        words.items = arena_grow(arena, words.items, words.count, sizeof(*words.items));
        words.items[words.count++] = arena_memdup(arena, text, len);
        text += len;
    }
}

/* ---------------------------------------------------------------- what is wrong */

static void found(const struct dockerfile *d, const struct instruction *at, enum lint_rule rule,
                  const char *hint, const char *format, ...) __attribute__((format(printf, 5, 6)));

static void found(const struct dockerfile *d, const struct instruction *at, enum lint_rule rule,
                  const char *hint, const char *format, ...)
{
    ERR_SCRATCH(wrong);
    va_list args;
    va_start(args, format);
    (void)err_set(&wrong, TG_USAGE, "invalid", "%s", arena_vprintf(d->arena, format, args));
    va_end(args);
    (void)err_hint(&wrong, "%s", hint);
    d->report->found(d->report->context, rule, at->line, &wrong);
}

/* `$NAME` or `${NAME}` alone, by the default of its ARG; anything else is itself. */
static const char *expand(const struct dockerfile *d, const char *word)
{
    size_t len = strlen(word);
    if (*word != '$')
        return word;
    const char *name =
        word[1] == '{' ? arena_memdup(d->arena, word + 2, len > 3 ? len - 3 : 0) : word + 1;
    const char *value = data_get_text(d->arguments, name);
    return value ? value : word;
}

static void check_from(struct dockerfile *d, const struct instruction *at)
{
    struct words words = split(d->arena, at->text, "");
    size_t i = 0;
    while (i < words.count && str_starts(words.items[i], "--"))
        i++;
    if (i == words.count)
        return;
    const char *image = expand(d, words.items[i]), *slash = strrchr(image, '/');
    const char *tag = strchr(slash ? slash : image, ':');
    bool named = str_equal(image, "scratch") || data_get(d->stages, image) || strchr(image, '$') ||
                 strchr(image, '@');
    if (!named && (!tag || str_equal(tag, ":latest")))
        found(d, at, RULE_DOCKER_TAG, "name the version that it is built and tested with",
              "the image '%s' is another one each time", image);
    if (i + 2 < words.count && strcasecmp(words.items[i + 1], "as") == 0)
        data_put(d->arena, d->stages, words.items[i + 2], data_bool(d->arena, true));
}

static void check_add(struct dockerfile *d, const struct instruction *at)
{
    bool remote = strstr(at->text, "http://") || strstr(at->text, "https://");
    if (remote && !strstr(at->text, "--checksum="))
        found(d, at, RULE_DOCKER_ADD,
              "say --checksum=sha256:..., or fetch it by RUN and compare its hash",
              "ADD takes whatever is at '%s' that day", strstr(at->text, "http"));
}

static void check_apt(struct dockerfile *d, const struct instruction *at)
{
    if (!strstr(at->text, "apt-get install") && !strstr(at->text, "apt install") &&
        !strstr(at->text, "apt-get -y install") && !strstr(at->text, "apt-get -qq install"))
        return;
    bool removes = strstr(at->text, "/var/lib/apt/lists") || strstr(at->text, "Dir::State::Lists");
    if (!strstr(at->text, "--no-install-recommends"))
        found(d, at, RULE_DOCKER_APT, "say --no-install-recommends, and name what is needed",
              "apt-get install takes what is only recommended, too");
    if (!removes)
        found(d, at, RULE_DOCKER_APT,
              "end the same RUN with rm -rf /var/lib/apt/lists/*, or mount a cache there",
              "the package lists stay in the image's layer");
}

/* Options of pip whose value is the next word. */
static bool takes_word(const char *option)
{
    static const char *const options[] = {"-r",
                                          "--requirement",
                                          "-c",
                                          "--constraint",
                                          "-i",
                                          "--index-url",
                                          "--extra-index-url",
                                          "-f",
                                          "--find-links",
                                          "-t",
                                          "--target",
                                          "--python",
                                          "-p",
                                          "--prefix",
                                          "--root",
                                          "--timeout",
                                          "--retries",
                                          "--cache-dir",
                                          "--platform",
                                          "--only-binary",
                                          "--no-binary",
                                          "--index-strategy",
                                          "--trusted-host"};
    return str_is_among(option, options, sizeof(options) / sizeof(*options));
}

static bool is_pinned(const char *word)
{
    static const char *const signs[] = {"==", "@", "$", "/", "`"};
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (strstr(word, signs[i]))
            return true;
    return *word == '.' || str_ends(word, ".whl") || !isalpha((unsigned char)*word);
}

/* The word without quotes around it, or what ends the command behind it. */
static const char *bare_word(struct arena *arena, const char *word)
{
    word += *word == '"' || *word == '\'';
    return arena_memdup(arena, word, strcspn(word, ";'\""));
}

static void check_pip(struct dockerfile *d, const struct instruction *at)
{
    for (const char *text = at->text; (text = strstr(text, "pip install"));) {
        text += strlen("pip install");
        struct words words = split(d->arena, text, "&;|");
        for (size_t i = 0; i < words.count; i++) {
            const char *word = bare_word(d->arena, words.items[i]);
            bool last = str_ends(words.items[i], ";");
            if (*word == '-')
                i += takes_word(word);
            else if (!is_pinned(word))
                found(d, at, RULE_DOCKER_PIP,
                      "name a version, as in NAME==1.2.3, or a file of them",
                      "pip installs another '%s' each time", word);
            if (last)
                break;
        }
    }
}

static void check_run(struct dockerfile *d, const struct instruction *at)
{
    check_apt(d, at);
    check_pip(d, at);
}

static bool is_secret(const char *name)
{
    static const char *const parts[] = {"PASSWORD", "PASSWD",     "SECRET",      "TOKEN",
                                        "API_KEY",  "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"};
    static const char *const harmless[] = {"_FILE", "_PATH", "_DIR", "_URL"};
    for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
        if (str_ends(name, harmless[i]))
            return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (strstr(name, parts[i]) && !strstr(name, "TOKENIZER") && !strstr(name, "TOKENS"))
            return true;
    return false;
}

static void check_variables(struct dockerfile *d, const struct instruction *at)
{
    struct words words = split(d->arena, at->text, "");
    for (size_t i = 0; i < words.count; i++) {
        size_t len = strcspn(words.items[i], "=");
        const char *name = arena_memdup(d->arena, words.items[i], len);
        const char *value = words.items[i][len] ? words.items[i] + len + 1 : NULL;
        if (str_equal(at->keyword, "ARG") && value && !d->stages->map.count)
            data_put_text(d->arena, d->arguments, name, value);
        bool empty = value && (!*value || str_equal(value, "\"\"") || str_equal(value, "''"));
        if (is_secret(name) && (str_equal(at->keyword, "ARG") || (value && !empty)))
            found(d, at, RULE_DOCKER_SECRET,
                  "give it to the one RUN that needs it: --mount=type=secret,id=...",
                  "'%s' stays in the image, or in its history", name);
    }
}

/* Whatever the last stage runs as. */
static void check_user(const struct dockerfile *d)
{
    const struct instruction *from = NULL, *user = NULL;
    for (size_t i = 0; i < d->count; i++) {
        if (str_equal(d->items[i].keyword, "FROM")) {
            from = &d->items[i];
            user = NULL;
        } else if (str_equal(d->items[i].keyword, "USER"))
            user = &d->items[i];
    }
    if (!from)
        return;
    size_t len = user ? strcspn(user->text, ": ") : 0;
    bool root =
        user && ((len == 4 && str_starts(user->text, "root")) || (len == 1 && *user->text == '0'));
    if (!user || root)
        found(d, root ? user : from, RULE_DOCKER_ROOT,
              "make a user, and end the last stage with USER of its number",
              "the last stage runs as root");
}

static const struct {
    const char *keyword;
    void (*check)(struct dockerfile *d, const struct instruction *at);
} checks[] = {
    {"ARG", check_variables}, {"ENV", check_variables}, {"FROM", check_from},
    {"ADD", check_add},       {"RUN", check_run},
};

void check_dockerfile(const struct check_report *report, struct arena *arena, struct span text)
{
    struct dockerfile d = {
        .report = report, .arena = arena, .arguments = data_map(arena), .stages = data_map(arena)};
    read_all(&d, text);
    for (size_t i = 0; i < d.count; i++)
        for (size_t j = 0; j < sizeof(checks) / sizeof(*checks); j++)
            if (str_equal(d.items[i].keyword, checks[j].keyword))
                checks[j].check(&d, &d.items[i]);
    check_user(&d);
}
