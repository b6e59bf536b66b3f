/* The attributes of a path, read from .gitattributes files as git reads them. */
#include "git/read/attributes.h"

#include "base/arena.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

static const char *const names[ATTRIBUTES] = {
    [ATTRIBUTE_TEXT] = "text",     [ATTRIBUTE_CRLF] = "crlf",
    [ATTRIBUTE_EOL] = "eol",       [ATTRIBUTE_IDENT] = "ident",
    [ATTRIBUTE_FILTER] = "filter", [ATTRIBUTE_ENCODING] = "working-tree-encoding",
};

/* "[attr]NAME assignments" defines NAME as a macro. */
struct macro {
    struct span name;
    struct span assignments;
    struct macro *next; /* the previous definition */
};

/* One attributes file. Its rules are parsed at each lookup: files are short. */
struct source {
    const char *folder; /* "" or "a/b/" */
    struct span text;
    struct source *next;
};

struct attributes {
    struct arena *arena;
    struct attribute_reader reader;
    const struct span *outside;
    size_t outside_count;
    struct span info;
    bool ignore_case;
    struct macro *macros;
    bool macros_read;
    struct source *folders; /* those read so far */
};

enum { MACRO_DEPTH = 8 };

struct lookup {
    struct attributes *attributes;
    struct attribute_value *out;
    const char *path, *base_name;
};

static const char blanks[] = " \t\r";

static struct span skip_blanks(struct span text)
{
    while (text.len && strchr(blanks, *text.ptr))
        text = span_of(text.ptr + 1, text.len - 1);
    return text;
}

static struct span take_word(struct span *text)
{
    struct span rest = skip_blanks(*text);
    size_t len = 0;
    while (len < rest.len && !strchr(blanks, rest.ptr[len]))
        len++;
    *text = span_of(rest.ptr + len, rest.len - len);
    return span_of(rest.ptr, len);
}

static char unescape(const char **at, const char *end)
{
    static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
    char letter = *(*at)++;
    const char *known = strchr(from, letter);
    if (known)
        return to[known - from];
    int value = letter - '0';
    for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '7'; i++)
        value = value * 8 + *(*at)++ - '0';
    return (char)value;
}

/* Takes a pattern, plain or C-quoted, off the front of a line. */
static const char *take_pattern(struct span *line, struct arena *arena)
{
    const char *end = line->ptr + line->len, *at = line->ptr + 1;
    if (*line->ptr != '"') {
        struct span word = take_word(line);
        return arena_memdup(arena, word.ptr, word.len);
    }
    char *out = arena_alloc(arena, line->len + 1);
    size_t len = 0;
    while (at < end && *at != '"') {
        char byte = *at++;
        out[len++] = byte == '\\' && at < end ? unescape(&at, end) : byte;
    }
    at += at < end;
    *line = span_of(at, (size_t)(end - at));
    return out;
}

static struct attribute_value parse_value(struct span *name, struct arena *arena)
{
    const char *equals = memchr(name->ptr, '=', name->len);
    struct attribute_value value = {ATTRIBUTE_SET, NULL};
    if (name->len && *name->ptr == '-')
        value.state = ATTRIBUTE_UNSET;
    else if (name->len && *name->ptr == '!')
        value.state = ATTRIBUTE_UNSPECIFIED;
    else if (equals)
        value.state = ATTRIBUTE_VALUE;
    if (value.state == ATTRIBUTE_VALUE) {
        size_t len = (size_t)(equals - name->ptr);
        value.value = arena_memdup(arena, equals + 1, name->len - len - 1);
        *name = span_of(name->ptr, len);
    } else if (value.state != ATTRIBUTE_SET) {
        *name = span_of(name->ptr + 1, name->len - 1);
    }
    return value;
}

static const struct macro *find_macro(const struct attributes *attributes, struct span name)
{
    for (const struct macro *macro = attributes->macros; macro; macro = macro->next)
        if (span_equal(macro->name, name))
            return macro;
    return NULL;
}

static void assign(const struct lookup *lookup, struct span assignments, int depth)
{
    const struct attributes *attributes = lookup->attributes;
    for (struct span word; word = take_word(&assignments), word.len;) {
        struct span name = word;
        struct attribute_value value = parse_value(&name, attributes->arena);
        for (int i = 0; i < ATTRIBUTES; i++)
            if (span_equal(name, span_from(names[i])))
                lookup->out[i] = value;
        const struct macro *macro = find_macro(attributes, name);
        if (macro && value.state == ATTRIBUTE_SET && depth < MACRO_DEPTH)
            assign(lookup, macro->assignments, depth + 1);
    }
}

/* A pattern without a slash matches names at any depth; one with a slash matches paths. */
static bool matches(const struct lookup *lookup, const char *pattern, const char *folder)
{
    int flags = FNM_PATHNAME | (lookup->attributes->ignore_case ? FNM_CASEFOLD : 0);
    const char *path = lookup->path + strlen(folder);
    if (!strchr(pattern, '/'))
        return fnmatch(pattern, lookup->base_name, flags) == 0;
    if (*pattern == '/')
        pattern++;
    if (strstr(pattern, "**"))
        return glob_match(pattern, path);
    return fnmatch(pattern, path, flags) == 0;
}

static bool is_rule(struct span line)
{
    return line.len && *line.ptr != '#' && *line.ptr != '!' &&
           !(line.len > 6 && memcmp(line.ptr, "[attr]", 6) == 0);
}

static void apply(const struct lookup *lookup, const char *folder, struct span text)
{
    while (text.len) {
        struct span line = skip_blanks(span_cut_line(&text));
        if (!is_rule(line))
            continue;
        const char *pattern = take_pattern(&line, lookup->attributes->arena);
        if (matches(lookup, pattern, folder))
            assign(lookup, line, 0);
    }
}

static void add_macros(struct attributes *attributes, struct span text)
{
    while (text.len) {
        struct span line = skip_blanks(span_cut_line(&text));
        if (line.len <= 6 || memcmp(line.ptr, "[attr]", 6) != 0)
            continue;
        line = span_of(line.ptr + 6, line.len - 6);
        struct macro *macro = arena_alloc(attributes->arena, sizeof(*macro));
        macro->name = take_word(&line);
        macro->assignments = line;
        macro->next = attributes->macros;
        attributes->macros = macro;
    }
}

struct attributes *attributes_new(struct arena *arena, const struct attribute_reader *reader,
                                  const struct span *outside, size_t outside_count,
                                  struct span info, bool ignore_case)
{
    struct attributes *attributes = arena_alloc(arena, sizeof(*attributes));
    *attributes = (struct attributes){.arena = arena,
                                      .reader = *reader,
                                      .outside = outside,
                                      .outside_count = outside_count,
                                      .info = info,
                                      .ignore_case = ignore_case};
    return attributes;
}

/* Reads the attributes file of a folder, once. */
static int folder_text(struct span *out, struct attributes *attributes, const char *folder,
                       struct err *err)
{
    bool found;
    for (const struct source *source = attributes->folders; source; source = source->next)
        if (strcmp(source->folder, folder) == 0) {
            *out = source->text;
            return 0;
        }
    const char *path = arena_printf(attributes->arena, "%s.gitattributes", folder);
    struct source *source = arena_alloc(attributes->arena, sizeof(*source));
    if (attributes->reader.read(&source->text, &found, attributes->reader.context, path, err) < 0)
        return -1;
    if (!found)
        source->text = span_of("", 0);
    source->folder = folder;
    source->next = attributes->folders;
    attributes->folders = source;
    *out = source->text;
    return 0;
}

/* Macros may be defined only outside the tree and at its top. */
static int read_macros(struct attributes *attributes, struct err *err)
{
    struct span top;
    if (attributes->macros_read)
        return 0;
    if (folder_text(&top, attributes, "", err) < 0)
        return -1;
    add_macros(attributes, span_from("[attr]binary -diff -merge -text"));
    for (size_t i = 0; i < attributes->outside_count; i++)
        add_macros(attributes, attributes->outside[i]);
    add_macros(attributes, top);
    add_macros(attributes, attributes->info);
    attributes->macros_read = true;
    return 0;
}

int attributes_get(struct attribute_value out[ATTRIBUTES], struct attributes *attributes,
                   const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    struct lookup lookup = {attributes, out, path, slash ? slash + 1 : path};
    struct span text;
    memset(out, 0, ATTRIBUTES * sizeof(*out));
    if (read_macros(attributes, err) < 0)
        return -1;
    for (size_t i = 0; i < attributes->outside_count; i++)
        apply(&lookup, "", attributes->outside[i]);
    for (size_t len = 0;; len++) {
        const char *folder = arena_memdup(attributes->arena, path, len);
        if (folder_text(&text, attributes, folder, err) < 0)
            return -1;
        apply(&lookup, folder, text);
        const char *next = strchr(path + len, '/');
        if (!next)
            break;
        len = (size_t)(next - path);
    }
    apply(&lookup, "", attributes->info);
    return 0;
}
