/* Challenges of registries to anonymous requests, and the token servers that they name. */
#include "registry/client/credentials.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/data.h"
#include "data/json.h"
#include "io/http.h"

#include <string.h>
#include <strings.h>

#define QUESTION_BYTES 4096

const char *challenge_of(struct arena *arena, const char *headers)
{
    static const char *const schemes[] = {"Bearer", "Basic", ""};
    static const char name[] = "www-authenticate";
    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
        for (const char *line = headers; line && *line;) {
            bool is = strncasecmp(line, name, strlen(name)) == 0;
            const char *value = is ? http_header(arena, line, name) : NULL;
            if (value && (!*schemes[i] || challenge_is(value, schemes[i])))
                return value;
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    return NULL;
}

bool challenge_is(const char *header, const char *scheme)
{
    size_t len = strlen(scheme);
    return header && strncasecmp(header, scheme, len) == 0 && (!header[len] || header[len] == ' ');
}

/* The value at `*at`, quoted or not; moves `*at` behind it. */
static const char *value_at(struct arena *arena, const char **at)
{
    bool quoted = **at == '"';
    const char *start = *at + quoted;
    size_t len = strcspn(start, quoted ? "\"" : ", ");
    *at = start + len + (quoted && start[len] == '"');
    return arena_memdup(arena, start, len);
}

const char *challenge_parameter(struct arena *arena, const char *header, const char *scheme,
                                const char *parameter)
{
    size_t name_len = strlen(parameter);
    if (!challenge_is(header, scheme))
        return NULL;
    for (const char *at = header + strlen(scheme); *at;) {
        at += strspn(at, ", \t");
        size_t name = strcspn(at, "=, \t");
        if (at[name] != '=') {
            at += name;
            continue;
        }
        const char *start = at;
        at += name + 1;
        const char *value = value_at(arena, &at);
        if (name == name_len && strncasecmp(start, parameter, name) == 0)
            return value;
    }
    return NULL;
}

/* The host of a URL, without its port. */
static const char *host_of(struct arena *arena, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *start = scheme ? scheme + 3 : url;
    size_t len = strcspn(start, "/?#");
    const char *at = memrchr(start, '@', len);
    if (at) {
        len -= (size_t)(at + 1 - start);
        start = at + 1;
    }
    const char *colon = *start == '[' ? NULL : memchr(start, ':', len);
    return arena_memdup(arena, start, colon ? (size_t)(colon - start) : len);
}

/*
 * Whether it is a public suffix below a country, such as "co" in "example.co.uk". Assumes so for
 * one or two letters, as most are (places and kinds of names): in doubt no password is sent.
 */
static bool is_second_level(const char *name, size_t len)
{
    static const char *const kinds[] = {
        "adv",  "app", "art",    "asn",    "asso", "bel",   "biz",  "blog", "com",  "dev",
        "edu",  "emp", "eng",    "eti",    "fin",  "firm",  "gen",  "gob",  "gouv", "gov",
        "govt", "gub", "ind",    "inf",    "info", "int",   "jus",  "k12",  "law",  "leg",
        "ltd",  "med", "mil",    "mod",    "muni", "name",  "net",  "ngo",  "nhs",  "nic",
        "nom",  "org", "plc",    "police", "pol",  "press", "priv", "pro",  "pvt",  "rec",
        "res",  "sch", "school", "srv",    "tec",  "tel",   "tmp",  "web"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strlen(kinds[i]) == len && strncasecmp(name, kinds[i], len) == 0)
            return true;
    return len <= 2;
}

/* The part that siblings share: "example.com", "example.co.uk"; the whole of an address. */
static const char *domain_of(const char *host)
{
    const char *last = strrchr(host, '.');
    if (!last || strspn(host, "0123456789.") == strlen(host) || *host == '[')
        return host;
    const char *second = memrchr(host, '.', (size_t)(last - host));
    if (!second)
        return host;
    if (strlen(last + 1) > 2 || !is_second_level(second + 1, (size_t)(last - second - 1)))
        return second + 1;
    const char *third = memrchr(host, '.', (size_t)(second - host));
    return third ? third + 1 : host;
}

/* Domains whose names belong to different owners: a sibling is not the registry's own. */
static bool is_shared_by_many(const char *domain)
{
    static const char *const shared[] = {
        "azurecr.io",     "jfrog.io",          "amazonaws.com", "pkg.dev", "github.io",
        "cloudfront.net", "azurewebsites.net", "windows.net",   "ocir.io", "scw.cloud",
        "appspot.com",    "run.app",           "herokuapp.com", "fly.dev", "ngrok.io",
        "nip.io",         "sslip.io",          "ts.net"};
    for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
        if (strcasecmp(domain, shared[i]) == 0)
            return true;
    return false;
}

bool challenge_may_have_password(struct arena *arena, const char *url, const char *realm)
{
    bool secure = str_starts(realm, "https:") || str_starts(url, "http:");
    const char *here = host_of(arena, url), *there = host_of(arena, realm);
    if (!secure || strcasecmp(here, there) == 0)
        return secure;
    return !is_shared_by_many(domain_of(here)) &&
           strcasecmp(domain_of(here), domain_of(there)) == 0;
}

static void put_escaped(struct buf *out, const char *value)
{
    for (const char *c = value; *c; c++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/", *c))
            (void)buf_putc(out, *c);
        else
            (void)buf_printf(out, "%%%02X", (unsigned char)*c);
}

static void put_query(struct buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    (void)buf_printf(out, "%s%s=", strchr(buf_text(out), '?') ? "&" : "?", name);
    put_escaped(out, value);
}

static int find_realm(const char **out, struct arena *arena,
                      const struct challenge_question *question, struct err *err)
{
    *out = challenge_parameter(arena, question->header, "Bearer", "realm");
    if (!*out || (!str_starts(*out, "https://") && !str_starts(question->url, "http://")))
        return err_set(err, TG_RUNTIME, "answer", "%s: it names no token server with https",
                       question->url);
    return 0;
}

static int too_long(struct err *err, const struct challenge_question *question)
{
    return err_set(err, TG_RUNTIME, "answer", "%s: what it wants of its token server is too long",
                   question->url);
}

static const char *service_of(struct arena *arena, const struct challenge_question *question)
{
    return challenge_parameter(arena, question->header, "Bearer", "service");
}

int challenge_token_url(const char **out, struct arena *arena,
                        const struct challenge_question *question, struct err *err)
{
    const char *realm;
    BUF_SCRATCH(text, QUESTION_BYTES);
    if (find_realm(&realm, arena, question, err) < 0)
        return -1;
    (void)buf_puts(&text, realm);
    put_query(&text, "service", service_of(arena, question));
    for (size_t i = 0; i < question->scopes.count; i++)
        put_query(&text, "scope", question->scopes.items[i]);
    if (text.overflowed)
        return too_long(err, question);
    *out = arena_strdup(arena, buf_text(&text));
    return 0;
}

int challenge_token_form(const char **url, struct span *form, struct arena *arena,
                         const struct challenge_question *question, const char *identity,
                         struct err *err)
{
    BUF_SCRATCH(text, QUESTION_BYTES + 3 * strlen(identity));
    const char *service = service_of(arena, question);
    if (find_realm(url, arena, question, err) < 0)
        return -1;
    (void)buf_puts(&text, "grant_type=refresh_token&client_id=tmplgen&service=");
    put_escaped(&text, service ? service : "");
    (void)buf_puts(&text, "&scope=");
    for (size_t i = 0; i < question->scopes.count; i++) {
        (void)buf_puts(&text, i ? "%20" : "");
        put_escaped(&text, question->scopes.items[i]);
    }
    (void)buf_puts(&text, "&refresh_token=");
    put_escaped(&text, identity);
    if (text.overflowed)
        return too_long(err, question);
    *form = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

int challenge_read_token(const char **out, struct arena *arena, const char *name,
                         struct span answer, struct err *err)
{
    struct data *document;
    if (json_parse(&document, arena, "the token", answer, err) < 0) {
        err->exit = TG_RUNTIME;
        err->code = "answer";
        return err_wrap(err, "%s", name);
    }
    const char *token = data_get_text(document, "token");
    if (!token || !*token)
        token = data_get_text(document, "access_token");
    if (!token || !*token)
        return err_set(err, TG_RUNTIME, "answer", "%s: it gives no token", name);
    *out = arena_printf(arena, "Bearer %s", token);
    return 0;
}
