/* Parses the address of a catalog on a server, and refuses what git must not be given. */
#include "catalog/remote.h"

#include "base/arena.h"
#include "base/str.h"
#include "io/path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { ADDRESS_BYTES = 2048, USER_BYTES = 39 };

static const struct {
    const char *name;
    bool near; /* unprotected: only on this machine */
} protocols[] = {{"https", false}, {"ssh", false}, {"http", true}, {"git", true}};

/* The parts of an address, as given. */
struct address_parts {
    struct span scheme, user, host, path; /* host with port; path with folder */
    bool is_short;                        /* HOST:PATH */
};

bool address_is_remote(const char *source)
{
    struct stat info;
    if (str_starts(source, "file://"))
        return false;
    return strstr(source, "://") || (strcspn(source, ":") < strcspn(source, "/") &&
                                     source[strcspn(source, ":")] && stat(source, &info) < 0);
}

/* Removes what may be secret: the user, and what follows '?' and '#'. */
static const char *shown(struct arena *arena, const char *source)
{
    const char *scheme = strstr(source, "://"), *host = scheme ? scheme + 3 : source;
    size_t end = strcspn(source, "?#");
    const char *at = memrchr(source, '@', end);
    if (!at || at < host)
        return arena_memdup(arena, source, end);
    return arena_printf(arena, "%.*s***%.*s", (int)(host - source), source,
                        (int)(source + end - at), at);
}

static int refuse(struct arena *arena, const char *source, const char *why, struct err *err)
{
    (void)err_set(err, TG_USAGE, "invalid-source", "'%s' is no address of a catalog: %s",
                  shown(arena, source), why);
    return err_hint(err, "--catalog takes a folder, https://HOST/PATH, ssh://USER@HOST/PATH or "
                         "USER@HOST:PATH");
}

/* ---------------------------------------------------------------- parts */

static bool split_parts(struct address_parts *out, const char *source)
{
    const char *scheme = strstr(source, "://"), *rest = scheme ? scheme + 3 : source;
    const char *end = rest + strcspn(rest, scheme ? "/" : ":");
    const char *at = memrchr(rest, '@', (size_t)(end - rest)), *host = at ? at + 1 : rest;
    *out = (struct address_parts){.scheme = span_of(source, scheme ? (size_t)(scheme - source) : 0),
                                  .user = span_of(rest, at ? (size_t)(at - rest) : 0),
                                  .host = span_of(host, (size_t)(end - host)),
                                  .path = span_from(end + (!scheme && *end)),
                                  .is_short = !scheme};
    return *end != '\0';
}

static bool holds_only(struct span text, const char *bytes)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isalnum((unsigned char)text.ptr[i]) && !strchr(bytes, text.ptr[i]))
            return false;
    return true;
}

/* Some tokens replace the user name; they are as secret as a password. */
static bool is_token(struct span user)
{
    static const char *const beginnings[] = {"ghp_", "gho_",   "ghu_",  "ghs_",
                                             "ghr_", "glpat-", "gldt-", "github_pat_"};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (user.len > strlen(beginnings[i]) &&
            strncmp(user.ptr, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return user.len > USER_BYTES;
}

static const char *why_not_user(const struct address_parts *parts)
{
    if (parts->user.len == 0)
        return parts->user.ptr < parts->host.ptr ? "its user has no name" : NULL;
    if (*parts->user.ptr == '-')
        return "its user begins with '-'";
    return holds_only(parts->user, "._+-") ? NULL : "its user has a name that no user has";
}

/* The host, "[::1]" with its brackets. Any rest begins with the ':' of the port. */
static struct span host_name(struct span host)
{
    bool bracket = *host.ptr == '[';
    const char *end = memchr(host.ptr, bracket ? ']' : ':', host.len);
    if (end)
        return span_of(host.ptr, (size_t)(end - host.ptr) + bracket);
    return span_of(host.ptr, bracket ? 0 : host.len);
}

static const char *why_not_host(const struct address_parts *parts)
{
    struct span host = parts->host;
    if (host.len == 0)
        return "it names no host";
    if (*host.ptr == '-')
        return "its host begins with '-'";
    struct span name = host_name(host), port = span_of(name.ptr + name.len, host.len - name.len);
    if (name.len == 0 || !holds_only(name, *host.ptr == '[' ? ".:[]" : ".-_"))
        return "its host has a name that no host has";
    if (port.len && (*port.ptr != ':' || port.len == 1 || port.len > 6 ||
                     strspn(port.ptr + 1, "0123456789") < port.len - 1))
        return "its port is no number";
    return NULL;
}

/* One part of the path as the server will read it: %2e is a dot. */
static const char *why_not_part(struct span part)
{
    char text[ADDRESS_BYTES];
    size_t len = 0;
    for (size_t i = 0; i < part.len; i++) {
        int byte = (unsigned char)part.ptr[i];
        if (byte == '%') {
            char digits[3] = {0};
            if (i + 2 < part.len)
                memcpy(digits, part.ptr + i + 1, 2);
            if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1]))
                return "a '%' in it is followed by no two hexadecimal digits";
            byte = (int)strtol(digits, NULL, 16);
            i += 2;
        }
        if (byte < ' ' || byte == 127 || (part.ptr[i] != (char)byte && strchr("/\\%", byte)))
            return "it hides a character as %XX that no path holds";
        text[len++] = (char)byte;
    }
    if ((len == 1 && text[0] == '.') || (len == 2 && text[0] == '.' && text[1] == '.'))
        return "a part of its path is '.' or '..'";
    return NULL;
}

static const char *why_not_path(const struct address_parts *parts, struct span path)
{
    const char *why = NULL;
    if (parts->is_short && path.len && *path.ptr == '-')
        return "its path begins with '-'";
    for (size_t start = 0, end; !why && start < path.len; start = end + 1) {
        const char *slash = memchr(path.ptr + start, '/', path.len - start);
        end = slash ? (size_t)(slash - path.ptr) : path.len;
        why = why_not_part(span_of(path.ptr + start, end - start));
    }
    return why;
}

static const char *why_not_bytes(const char *source)
{
    if (*source == '-')
        return "it begins with '-'";
    if (strlen(source) > ADDRESS_BYTES - 1)
        return "it is longer than 2047 bytes";
    for (const char *at = source; *at; at++)
        if (*at <= ' ' || *at > '~' || strchr("\"<>\\^`{|}", *at))
            return "it holds a character that must be written as %XX there";
    if (strpbrk(source, "?#"))
        return "it has a '?' or a '#'";
    return NULL;
}

/* ---------------------------------------------------------------- protocols */

static bool is_near(struct span host)
{
    ARENA_SCRATCH(scratch);
    struct span name = host_name(host);
    const char *text = arena_memdup(&scratch, name.ptr, name.len);
    return strcasecmp(text, "localhost") == 0 || strcmp(text, "[::1]") == 0 ||
           (str_starts(text, "127.") && strspn(text, "0123456789.") == name.len);
}

static int choose_protocol(struct address *out, struct arena *arena,
                           const struct address_parts *parts, const char *source, struct err *err)
{
    struct span scheme = parts->is_short ? span_from("ssh") : parts->scheme;
    for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++) {
        if (scheme.len != strlen(protocols[i].name) ||
            strncasecmp(scheme.ptr, protocols[i].name, scheme.len) != 0)
            continue;
        out->protocol = protocols[i].name;
        if (!protocols[i].near || is_near(parts->host))
            return 0;
        (void)err_set(err, TG_REFUSED, "insecure-source",
                      "'%s' would be fetched by %s, which anybody on the way can change",
                      shown(arena, source), out->protocol);
        return err_hint(err, "give its address by https or ssh: %s is for this machine only",
                        out->protocol);
    }
    return refuse(arena, source, "tmplgen fetches by https and ssh", err);
}

static int check(struct address *out, struct arena *arena, struct address_parts *parts,
                 const char *source, struct err *err)
{
    const char *why = why_not_bytes(source), *first = strchr(source, ':');
    bool whole = split_parts(parts, source);
    bool secret = memchr(parts->user.ptr, ':', parts->user.len) || is_token(parts->user);
    if (secret) {
        (void)refuse(arena, source, "a password or token stands in it", err);
        return err_hint(err,
                        "leave it out: git's credential helpers keep it for you ('git help "
                        "credentials'), and every reader of the project's record would see it");
    }
    if (!why && first && first[1] == ':')
        why = "it names a program of git's ('::')";
    if (!why && !whole)
        why = "it names no repository";
    if (!why)
        why = why_not_user(parts);
    if (!why)
        why = why_not_host(parts);
    return why ? refuse(arena, source, why, err) : choose_protocol(out, arena, parts, source, err);
}

/* Splits the repository's path at the first "//" from the catalog's folder. */
static int split_folder(struct address *out, struct span *path, struct arena *arena,
                        const struct address_parts *parts, const char *source, struct err *err)
{
    const char *text = arena_memdup(arena, parts->path.ptr, parts->path.len);
    const char *folder = strstr(text, "//");
    size_t len = folder ? (size_t)(folder - text) : strlen(text);
    out->folder = folder ? folder + 2 : "";
    *path = span_trim_end(span_of(text, len), "/");
    const char *why = why_not_path(parts, *path);
    if (!why && path->len == 0)
        why = "it names no repository";
    if (why)
        return refuse(arena, source, why, err);
    return folder && path_check(out->folder, err) < 0 ? err_wrap(err, "the catalog's folder") : 0;
}

int address_parse(struct address *out, struct arena *arena, const char *source, struct err *err)
{
    struct address_parts parts;
    struct span path;
    *out = (struct address){.folder = ""};
    if (check(out, arena, &parts, source, err) < 0 ||
        split_folder(out, &path, arena, &parts, source, err) < 0)
        return -1;
    char *host = arena_memdup(arena, parts.host.ptr, parts.host.len);
    for (char *at = host; *at; at++)
        *at = (char)tolower(*at);
    out->url = arena_printf(arena, "%s%s%.*s%s%s%s%.*s", parts.is_short ? "" : out->protocol,
                            parts.is_short ? "" : "://", (int)parts.user.len, parts.user.ptr,
                            parts.user.len ? "@" : "", host, parts.is_short ? ":" : "",
                            (int)path.len, path.ptr);
    out->source = *out->folder ? arena_printf(arena, "%s//%s", out->url, out->folder) : out->url;
    return 0;
}

/* A '*' may follow only a complete host, or a longer name with another owner would match. */
static bool names_host(const char *pattern)
{
    const char *scheme = strstr(pattern, "://");
    return scheme ? strchr(scheme + 3, '/') != NULL : strchr(pattern, ':') != NULL;
}

/* Host names are compared ignoring case. */
static const char *fold_host(struct arena *arena, const char *pattern)
{
    char *out = arena_strdup(arena, pattern), *scheme = strstr(out, "://");
    char *host = scheme ? scheme + 3 : out, *end = host + strcspn(host, scheme ? "/" : ":");
    char *user = memchr(host, '@', (size_t)(end - host));
    for (char *at = user ? user : host; at < end; at++)
        *at = (char)tolower(*at);
    return out;
}

int address_pattern(const char **out, struct arena *arena, const char *pattern, struct err *err)
{
    struct address address;
    if (str_ends(pattern, "*")) {
        *out = fold_host(arena, pattern);
        return names_host(pattern)
                   ? 0
                   : err_set(err, TG_USAGE, "invalid-source",
                             "'%s' must name the host to its end, before the '*'", pattern);
    }
    if (address_parse(&address, arena, pattern, err) < 0)
        return -1;
    *out = address.source;
    return 0;
}

/* Strips endings that do not matter: the top folder of a repository is the repository. */
static size_t plain_len(const char *text)
{
    size_t len = strlen(text);
    for (;;) {
        while (len && text[len - 1] == '/')
            len--;
        if (len < 4 || strncmp(text + len - 4, ".git", 4) != 0)
            return len;
        len -= 4;
    }
}

static bool is_same(const char *pattern, const char *address)
{
    size_t len = plain_len(pattern);
    return len == plain_len(address) && strncmp(pattern, address, len) == 0;
}

bool address_matches(const struct address *address, const char *pattern)
{
    size_t len = strlen(pattern);
    if (len && pattern[len - 1] == '*')
        return names_host(pattern) && strncmp(address->source, pattern, len - 1) == 0;
    return is_same(pattern, address->url) || is_same(pattern, address->source);
}
