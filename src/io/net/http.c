/* HTTP: parallel requests with limits, retries, a cache, and secrets bound to one host. */
#include "io/http.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "io/interrupt.h"
#include "io/io.h"
#include "io/net/http_cache.h"
#include "io/net/libcurl.h"
#include "tmplgen.h"

#include <arpa/inet.h>
/* What follows CURLOPT_PROTOCOLS no libcurl older than 7.85 knows. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define PARALLEL_DEFAULT 6
#define BACKOFF_MS 500
#define POLL_MS 100

/* ------------------------------------------------------------------ libcurl */

static int start_library(struct err *err)
{
    static bool started;
    if (started)
        return 0;
    if (libcurl_load(err) < 0)
        return -1;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return err_set(err, TG_RUNTIME, "network", "cannot start libcurl");
    started = true;
    (void)atexit(curl_global_cleanup);
    return 0;
}

const char *http_library(void)
{
    return libcurl_version();
}

/* ------------------------------------------------------------------ URLs */

static void cleanup_url(CURLU **url)
{
    if (*url)
        curl_url_cleanup(*url);
}

#define URL_SCRATCH(name) __attribute__((cleanup(cleanup_url))) CURLU *name = curl_url()

/* A part of a URL in the arena, or NULL. */
static const char *url_part(struct arena *arena, const CURLU *url, CURLUPart part, unsigned flags)
{
    char *text = NULL;
    if (curl_url_get((CURLU *)url, part, &text, flags) != CURLUE_OK)
        return NULL;
    const char *copy = arena_strdup(arena, text);
    curl_free(text);
    return copy;
}

/* Whether the text has a control character or one below `least`. */
static bool has_control(const char *text, unsigned char least)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < least || *text == 0x7F)
            return true;
    return false;
}

static bool url_parse(CURLU *url, const char *text)
{
    ARENA_SCRATCH(scratch);
    if (!url || has_control(text, ' ' + 1) ||
        curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
        return false;
    const char *scheme = url_part(&scratch, url, CURLUPART_SCHEME, 0);
    return str_equal(scheme, "https") || str_equal(scheme, "http");
}

/* Scheme, host and port: the scope of a secret. */
static const char *origin_of(struct arena *arena, const CURLU *url)
{
    return arena_printf(arena, "%s://%s:%s", url_part(arena, url, CURLUPART_SCHEME, 0),
                        url_part(arena, url, CURLUPART_HOST, 0),
                        url_part(arena, url, CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

bool http_is_this_machine(const char *host)
{
    char name[INET6_ADDRSTRLEN];
    struct in_addr address;
    size_t len = *host == '[' ? strcspn(host, "]") : strcspn(host, ":");
    len += host[len] == ']';
    const char *port = host + len;
    if (len >= sizeof(name) ||
        (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1))))
        return false;
    memcpy(name, host, len);
    name[len] = '\0';
    return strcasecmp(name, "localhost") == 0 || str_equal(name, "[::1]") ||
           (inet_pton(AF_INET, name, &address) == 1 &&
            ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET);
}

bool http_same_origin(const char *a, const char *b)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(err);
    if (start_library(&err) < 0)
        return false;
    URL_SCRATCH(one);
    URL_SCRATCH(two);
    return url_parse(one, a) && url_parse(two, b) &&
           str_equal(origin_of(&scratch, one), origin_of(&scratch, two));
}

const char *http_join(struct arena *arena, const char *base, const char *relative)
{
    ERR_SCRATCH(err);
    if (start_library(&err) < 0)
        return NULL;
    URL_SCRATCH(url);
    if (has_control(relative, ' ' + 1) || !url_parse(url, base) ||
        curl_url_set(url, CURLUPART_URL, relative, 0) != CURLUE_OK)
        return NULL;
    const char *scheme = url_part(arena, url, CURLUPART_SCHEME, 0);
    if (!str_equal(scheme, "https") && !str_equal(scheme, "http"))
        return NULL;
    return url_part(arena, url, CURLUPART_URL, 0);
}

const char *http_shown(struct arena *arena, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *rest = scheme ? scheme + 3 : url;
    size_t authority = strcspn(rest, "/?#"), end = strcspn(rest, "?#");
    const char *at = memrchr(rest, '@', authority);
    const char *host = at ? at + 1 : rest;
    return arena_printf(arena, "%.*s%.*s", (int)(rest - url), url, (int)(rest + end - host), host);
}

/* ------------------------------------------------------------------ a session */

struct http {
    CURLM *multi;
    struct http_settings settings;
    const char *ca_file, *ca_folder;
    int64_t waited; /* milliseconds, in finished runs */
    size_t taken;   /* bytes of bodies */
};

static const char *from_environment(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return value;
    }
    return NULL;
}

int http_open(struct http **out, const struct http_settings *settings, struct err *err)
{
    static const char *const files[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE", NULL};
    static const char *const folders[] = {"SSL_CERT_DIR", NULL};
    *out = NULL;
    if (start_library(err) < 0)
        return -1;
    struct http *http = xmalloc(sizeof(*http));
    *http = (struct http){.multi = curl_multi_init(), .settings = *settings};
    if (!http->multi) {
        free(http);
        return err_set(err, TG_RUNTIME, "network", "cannot start libcurl");
    }
    if (!http->settings.parallel)
        http->settings.parallel = PARALLEL_DEFAULT;
    if (http->settings.seconds <= 0)
        http->settings.seconds = LIMIT_HTTP_SECONDS;
    if (http->settings.run_seconds <= 0)
        http->settings.run_seconds = 5 * http->settings.seconds > LIMIT_HTTP_RUN_SECONDS
                                         ? 5 * http->settings.seconds
                                         : LIMIT_HTTP_RUN_SECONDS;
    http->ca_file = settings->ca_file ? settings->ca_file : from_environment(files);
    http->ca_folder = settings->ca_file ? NULL : from_environment(folders);
    *out = http;
    return 0;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    curl_multi_cleanup(http->multi);
    free(http);
}

/* ------------------------------------------------------------------ transfers */

enum transfer_stop { STOP_NONE, STOP_BODY, STOP_HEADERS, STOP_FIRST_BYTE, STOP_TIME };

/* An exchange in progress. Times are milliseconds of the monotonic clock. */
struct transfer {
    struct http *http;
    struct arena *arena;
    struct http_exchange *exchange;
    const char *url;    /* of the next request */
    const char *origin; /* of the first URL: the scope of its authorization */
    const char *authorization;
    struct http_cached cached;
    bool has_cached, answered, done;
    CURL *easy; /* NULL: no request in progress */
    struct curl_slist *lines;
    struct buf body, headers;
    enum transfer_stop stop;
    unsigned tries, redirects;
    int64_t begun, deadline, wait_until;
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    t->answered = true;
    if (!account_is_spent() && buf_append(&t->body, data, size * count) == 0)
        return count;
    t->stop = STOP_BODY;
    return 0;
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    t->answered = true;
    if (size * count >= 5 && memcmp(data, "HTTP/", 5) == 0)
        buf_truncate(&t->headers, 0); /* after "100 Continue", a proxy's answer */
    if (buf_append(&t->headers, data, size * count) == 0)
        return count;
    t->stop = STOP_HEADERS;
    return 0;
}

static bool add_line(struct transfer *t, const char *name, const char *value)
{
    ARENA_SCRATCH(scratch);
    if (!value)
        return true;
    struct curl_slist *longer =
        curl_slist_append(t->lines, arena_printf(&scratch, "%s: %s", name, value));
    if (longer)
        t->lines = longer;
    return longer != NULL;
}

static bool same_origin(const struct transfer *t)
{
    ARENA_SCRATCH(scratch);
    URL_SCRATCH(url);
    return url_parse(url, t->url) && str_equal(origin_of(&scratch, url), t->origin);
}

static bool add_lines(struct transfer *t)
{
    bool ours = same_origin(t);
    return add_line(t, "Accept", t->exchange->accept ? t->exchange->accept : "*/*") &&
           add_line(t, "Authorization", ours ? t->authorization : NULL) &&
           add_line(t, "Content-Type", t->exchange->content_type) &&
           add_line(t, "Expect", t->exchange->method ? "" : NULL) &&
           add_line(t, "If-None-Match", t->has_cached ? t->cached.etag : NULL) &&
           add_line(t, "If-Modified-Since",
                    t->has_cached && !t->cached.etag ? t->cached.last_modified : NULL);
}

#define SET(option, value) (curl_easy_setopt(t->easy, (option), (value)) == CURLE_OK)

static bool set_protocols(struct transfer *t)
{
    return SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static bool set_trust(struct transfer *t)
{
    const struct http *http = t->http;
    return SET(CURLOPT_SSL_VERIFYPEER, 1L) && SET(CURLOPT_SSL_VERIFYHOST, 2L) &&
           SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
           (!http->ca_file || SET(CURLOPT_CAINFO, http->ca_file)) &&
           (!http->ca_folder || SET(CURLOPT_CAPATH, http->ca_folder)) &&
           (!http->settings.proxy || SET(CURLOPT_PROXY, http->settings.proxy));
}

/*
 * Sets the body to send. libcurl itself retries on a connection that turns out to be closed; a
 * `once` request must not be retried.
 */
static bool set_content(struct transfer *t)
{
    const struct http_exchange *x = t->exchange;
    if (!x->method)
        return true;
    return SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->content.len) &&
           SET(CURLOPT_POSTFIELDS, x->content.len ? x->content.ptr : "") &&
           SET(CURLOPT_CUSTOMREQUEST, x->method) && SET(CURLOPT_FRESH_CONNECT, x->once ? 1L : 0L);
}

/* Redirects are followed by our code: libcurl must not choose where a secret goes. */
static bool set_request(struct transfer *t)
{
    bool netrc = !t->authorization && same_origin(t) && str_starts(t->url, "https:");
    return SET(CURLOPT_URL, t->url) && set_protocols(t) && set_trust(t) &&
           SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_FOLLOWLOCATION, 0L) &&
           SET(CURLOPT_USERAGENT, "tmplgen/" TMPLGEN_VERSION) &&
           (t->exchange->range ? SET(CURLOPT_RANGE, t->exchange->range)
                               : SET(CURLOPT_ACCEPT_ENCODING, "")) &&
           SET(CURLOPT_HTTPHEADER, t->lines) &&
           SET(CURLOPT_NETRC, netrc ? (long)CURL_NETRC_OPTIONAL : (long)CURL_NETRC_IGNORED) &&
           SET(CURLOPT_NOBODY, t->exchange->head ? 1L : 0L) && set_content(t) &&
           SET(CURLOPT_PRIVATE, (void *)t) && SET(CURLOPT_WRITEFUNCTION, take_body) &&
           SET(CURLOPT_WRITEDATA, (void *)t) && SET(CURLOPT_HEADERFUNCTION, take_header) &&
           SET(CURLOPT_HEADERDATA, (void *)t);
}

static void end_transfer(struct transfer *t)
{
    if (t->easy) {
        (void)curl_multi_remove_handle(t->http->multi, t->easy);
        curl_easy_cleanup(t->easy);
    }
    curl_slist_free_all(t->lines);
    t->easy = NULL;
    t->lines = NULL;
}

static int fail_transfer(struct transfer *t, const char *code, const char *format, const char *why)
{
    struct err *err = &t->exchange->err;
    char *text = arena_printf(t->arena, "%s: %s", http_shown(t->arena, t->url), format);
    if (why)
        text = arena_printf(t->arena, "%s%s", text, why);
    t->done = true;
    buf_release(&t->body); /* frees memory early: the other transfers continue */
    t->exchange->status = 0;
    return err_set(err, TG_RUNTIME, code, "%s", text);
}

static void begin_transfer(struct transfer *t)
{
    t->easy = curl_easy_init();
    buf_truncate(&t->body, 0);
    buf_truncate(&t->headers, 0);
    t->body.overflowed = t->headers.overflowed = t->answered = false;
    t->stop = STOP_NONE;
    t->begun = now_ms();
    t->tries++;
    if (!t->easy || !add_lines(t) || !set_request(t) ||
        curl_multi_add_handle(t->http->multi, t->easy) != CURLM_OK) {
        end_transfer(t);
        (void)fail_transfer(t, "network", "the request cannot be made", NULL);
    }
}

/* ------------------------------------------------------------------ answers */

static int64_t random_below(int64_t limit)
{
    return limit > 0 ? (int64_t)(io_random() % (uint64_t)limit) : 0;
}

/* Milliseconds that the server asks us to wait; 0 if it does not, or asks for nonsense. */
static int64_t retry_after(struct transfer *t)
{
    const char *text = http_header(t->arena, buf_text(&t->headers), "retry-after");
    if (!text || !*text)
        return 0;
    if (strspn(text, "0123456789") == strlen(text))
        return strlen(text) > 9 ? INT32_MAX : strtoll(text, NULL, 10) * 1000;
    time_t when = curl_getdate(text, NULL), now = time(NULL);
    return when > now ? (int64_t)(when - now) * 1000 : 0;
}

/* Schedules another try; false if no try is left, or none in time. */
static bool put_off(struct transfer *t, int64_t asked)
{
    int64_t wait = asked + random_below((int64_t)BACKOFF_MS << t->tries);
    if (t->tries >= LIMIT_HTTP_TRIES || asked > LIMIT_HTTP_WAIT_SECONDS * 1000 ||
        now_ms() + wait >= t->deadline)
        return false;
    t->wait_until = now_ms() + wait;
    return true;
}

static bool is_worth_retry(long status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Following a redirect does not count as another try. */
static int redirect(struct transfer *t)
{
    const char *to = http_header(t->arena, buf_text(&t->headers), "location");
    const char *url = to && *to ? http_join(t->arena, t->url, to) : NULL;
    if (++t->redirects > LIMIT_HTTP_REDIRECTS)
        return fail_transfer(t, "limit", "more than 5 redirects, the limit", NULL);
    if (!url)
        return fail_transfer(t, "network", "a redirect to what is no http or https URL", NULL);
    if (str_starts(t->url, "https:") && !str_starts(url, "https:"))
        return fail_transfer(t, "network", "a redirect from https to http is not followed: ",
                             http_shown(t->arena, url));
    URL_SCRATCH(parsed);
    if (!url_parse(parsed, url) || url_part(t->arena, parsed, CURLUPART_USER, 0))
        return fail_transfer(t, "network", "a redirect to a URL with a user is not followed", NULL);
    t->url = url;
    t->tries--;
    t->wait_until = 0;
    return 0;
}

/* Content stays within its origin, and keeps its method (307, 308). */
static bool may_redirect(const struct transfer *t, long status)
{
    const char *to = http_header(t->arena, buf_text(&t->headers), "location");
    if (!to || !is_redirect(status))
        return false;
    if (!t->exchange->method)
        return true;
    const char *url = http_join(t->arena, t->url, to);
    return (status == 307 || status == 308) && url && http_same_origin(t->url, url);
}

/* ------------------------------------------------------------------ the cache */

static bool may_be_cached(const struct transfer *t)
{
    const struct http_exchange *x = t->exchange;
    return t->http->settings.cache && !x->head && !x->method && !t->authorization;
}

void http_keep(const struct http *http, const struct http_exchange *x)
{
    ARENA_SCRATCH(scratch);
    const char *control = http_header(&scratch, x->headers, "cache-control");
    struct http_cached answer = {.etag = http_header(&scratch, x->headers, "etag"),
                                 .last_modified =
                                     http_header(&scratch, x->headers, "last-modified"),
                                 .type = http_header(&scratch, x->headers, "content-type"),
                                 .place = x->final_url,
                                 .body = x->body};
    bool can_ask = answer.etag || answer.last_modified;
    if (!x->may_keep || x->from_cache || x->range || x->status != 200 ||
        (!can_ask && !x->fresh_seconds) ||
        (control &&
         (strcasestr(control, "no-store") || (!can_ask && strcasestr(control, "no-cache")))))
        return;
    http_cache_store(http->settings.cache, x->url, x->accept, &answer);
}

static void use_cached(struct transfer *t, const char *headers)
{
    struct http_exchange *x = t->exchange;
    x->status = 200;
    x->body = t->cached.body;
    x->from_cache = true;
    x->headers = headers;
    if (t->cached.type)
        x->headers = arena_printf(t->arena, "Content-Type: %s\r\n%s", t->cached.type, headers);
}

/* Uses a cached answer if it is fresh. A file from the future counts as not fresh. */
static void load_from_cache(struct transfer *t)
{
    const struct http_exchange *x = t->exchange;
    struct http_cached *cached = &t->cached;
    t->has_cached =
        may_be_cached(t) && !x->range &&
        http_cache_load(cached, t->arena, t->http->settings.cache, x->url, x->accept, x->max_bytes);
    bool can_ask = t->has_cached && (cached->etag || cached->last_modified);
    if (!t->has_cached || cached->age < 0 || cached->age >= x->fresh_seconds ||
        (can_ask && !x->lasting))
        return;
    use_cached(t, "");
    t->exchange->final_url = cached->place;
    t->done = true;
}

static void take_answer(struct transfer *t, long status)
{
    struct http_exchange *x = t->exchange;
    t->done = true;
    x->status = status;
    x->final_url = t->url;
    x->headers = arena_strdup(t->arena, buf_text(&t->headers));
    x->body = span_of(arena_memdup(t->arena, buf_text(&t->body), t->body.len), t->body.len);
    t->http->taken += t->body.len;
    buf_release(&t->body);
    if (status == 304 && t->has_cached) {
        use_cached(t, x->headers);
        return;
    }
    x->may_keep = may_be_cached(t);
    if (!x->fresh_seconds)
        http_keep(t->http, x);
}

static int too_much(struct transfer *t)
{
    if (t->stop == STOP_HEADERS)
        return fail_transfer(t, "limit", "the headers are longer than 64 KiB, the limit", NULL);
    return fail_transfer(t, "limit", "the answer is longer than the limit of ",
                         arena_printf(t->arena, "%zu bytes", t->exchange->max_bytes));
}

static bool is_break(CURLcode code)
{
    return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
           code == CURLE_PARTIAL_FILE || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

static void finish_broken(struct transfer *t, CURLcode code)
{
    const struct http_exchange *x = t->exchange;
    if (t->stop == STOP_BODY || t->stop == STOP_HEADERS)
        (void)too_much(t);
    else if (t->stop == STOP_TIME)
        (void)fail_transfer(t, "network", "it took longer than the limit of ",
                            arena_printf(t->arena, "%ld s", t->http->settings.seconds));
    else if (!x->once && (x->late || (is_break(code) && !x->hasty)) && put_off(t, 0))
        return;
    else if (t->stop == STOP_FIRST_BYTE)
        (void)fail_transfer(t, "network", "no answer in time", NULL);
    else
        (void)fail_transfer(t, "network", curl_easy_strerror(code), NULL);
}

static void finish(struct transfer *t, CURLcode code)
{
    long status = 0;
    t->exchange->late = code == CURLE_OPERATION_TIMEDOUT;
    if (code == CURLE_OK && t->stop == STOP_NONE)
        (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    end_transfer(t);
    if (status == 0) {
        finish_broken(t, code);
        return;
    }
    bool again = t->exchange->once ? status == 429 : is_worth_retry(status);
    int64_t asked = again ? retry_after(t) : 0;
    if (may_redirect(t, status))
        (void)redirect(t);
    else if (!again || !put_off(t, asked))
        take_answer(t, status);
}

/* ------------------------------------------------------------------ the loop */

const char *http_basic(struct arena *arena, const char *user, const char *password)
{
    ARENA_SCRATCH(scratch);
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *pair = arena_printf(&scratch, "%s:%s", user, password);
    size_t len = strlen(pair);
    BUF_SCRATCH(text, 2 * len + 64);
    (void)buf_puts(&text, "Basic ");
    for (size_t i = 0; i < len; i += 3) {
        unsigned bits = (unsigned)(unsigned char)pair[i] << 16;
        bits |= i + 1 < len ? (unsigned)(unsigned char)pair[i + 1] << 8 : 0;
        bits |= i + 2 < len ? (unsigned)(unsigned char)pair[i + 2] : 0;
        (void)buf_printf(&text, "%c%c%c%c", digits[bits >> 18], digits[bits >> 12 & 63],
                         i + 1 < len ? digits[bits >> 6 & 63] : '=',
                         i + 2 < len ? digits[bits & 63] : '=');
    }
    return arena_strdup(arena, buf_text(&text));
}

/* Turns user and password of a URL into a header, and removes them from the URL. */
static void take_credentials(struct transfer *t, CURLU *url)
{
    ARENA_SCRATCH(scratch);
    const char *user = url_part(&scratch, url, CURLUPART_USER, CURLU_URLDECODE);
    const char *password = url_part(&scratch, url, CURLUPART_PASSWORD, CURLU_URLDECODE);
    if (!user && !password)
        return;
    t->authorization = http_basic(t->arena, user ? user : "", password ? password : "");
    (void)curl_url_set(url, CURLUPART_USER, NULL, 0);
    (void)curl_url_set(url, CURLUPART_PASSWORD, NULL, 0);
}

static int prepare(struct transfer *t)
{
    URL_SCRATCH(url);
    t->url = t->exchange->url;
    if (!url_parse(url, t->exchange->url))
        return fail_transfer(t, "network", "that is no http or https URL", NULL);
    t->authorization = t->exchange->authorization;
    take_credentials(t, url);
    if (has_control(t->authorization, ' '))
        return fail_transfer(t, "network", "the credentials hold control characters", NULL);
    (void)curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0);
    t->url = url_part(t->arena, url, CURLUPART_URL, 0);
    t->origin = origin_of(t->arena, url);
    const char *host = url_part(t->arena, url, CURLUPART_HOST, 0);
    if (t->authorization && str_starts(t->url, "http:") && !http_is_this_machine(host))
        return fail_transfer(t, "network", "credentials are not sent over plain http", NULL);
    load_from_cache(t);
    return 0;
}

static void init_transfer(struct transfer *t, struct http *http, struct arena *arena,
                          struct http_exchange *exchange)
{
    *t = (struct transfer){.http = http,
                           .arena = arena,
                           .exchange = exchange,
                           .body = BUF_INIT(exchange->max_bytes),
                           .headers = BUF_INIT(LIMIT_HTTP_HEADER_BYTES)};
    (void)prepare(t);
}

static void release_transfer(struct transfer *t)
{
    end_transfer(t);
    buf_release(&t->body);
    buf_release(&t->headers);
}

/* Ends a request that has taken too long. */
static void check_time(struct transfer *t, int64_t now)
{
    long seconds = t->http->settings.seconds;
    int64_t first =
        seconds < LIMIT_HTTP_FIRST_BYTE_SECONDS ? seconds : LIMIT_HTTP_FIRST_BYTE_SECONDS;
    if (now >= t->deadline)
        t->stop = STOP_TIME;
    else if (!t->answered && now - t->begun >= first * 1000)
        t->stop = STOP_FIRST_BYTE;
    else
        return;
    finish(t, CURLE_OPERATION_TIMEDOUT);
}

struct transfer_batch {
    struct http *http;
    struct transfer *transfers;
    size_t count, done, active;
    int64_t begun;
};

/* Returns the number of requests that ended. */
static size_t read_messages(struct http *http)
{
    CURLMsg *message;
    size_t ended = 0;
    int left;
    while ((message = curl_multi_info_read(http->multi, &left))) {
        struct transfer *t = NULL;
        CURLcode code = message->data.result;
        ended++;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t) == CURLE_OK)
            finish(t, code);
    }
    return ended;
}

/* Starts the requests that are due, and counts. */
static void step(struct transfer_batch *run)
{
    int64_t now = now_ms();
    size_t done = 0, active = 0;
    for (size_t i = 0; i < run->count; i++)
        active += run->transfers[i].easy != NULL;
    for (size_t i = 0; i < run->count; i++) {
        struct transfer *t = &run->transfers[i];
        if (t->easy)
            check_time(t, now);
        if (!t->done && !t->easy && t->wait_until <= now && active < run->http->settings.parallel) {
            if (!t->deadline)
                t->deadline = now + run->http->settings.seconds * 1000;
            begin_transfer(t);
            active++;
        }
        done += t->done;
    }
    if (done != run->done && run->http->settings.progress)
        run->http->settings.progress(run->http->settings.context, done, run->count);
    run->done = done;
}

/* Many slow or large answers may each be within their own limits. */
static int check_run(const struct transfer_batch *run, struct err *err)
{
    const struct http *http = run->http;
    if (http->taken > LIMIT_HTTP_RUN_BYTES)
        return err_set(err, TG_RUNTIME, "limit",
                       "the servers' answers are longer than %zu MiB in all, the limit of a run",
                       (size_t)(LIMIT_HTTP_RUN_BYTES / LIMIT_MIB));
    if (http->waited + now_ms() - run->begun < http->settings.run_seconds * 1000)
        return 0;
    (void)err_set(err, TG_RUNTIME, "limit",
                  "the servers were waited for longer than %ld s in all, the limit of a run",
                  http->settings.run_seconds);
    return err_hint(err, "--timeout SECONDS, for one question, raises it to five times as much");
}

static int run_loop(struct transfer_batch *run, struct err *err)
{
    int running;
    for (;;) {
        if (interrupt_check(err) < 0 || check_run(run, err) < 0)
            return -1;
        step(run);
        if (run->done == run->count)
            return 0;
        if (curl_multi_perform(run->http->multi, &running) != CURLM_OK)
            return err_set(err, TG_RUNTIME, "network", "libcurl failed");
        if (read_messages(run->http))
            continue; /* a request may be due, or all are done */
        if (curl_multi_poll(run->http->multi, NULL, 0, POLL_MS, NULL) != CURLM_OK)
            return err_set(err, TG_RUNTIME, "network", "libcurl failed");
    }
}

int http_run(struct http *http, struct arena *arena, struct http_exchange *exchanges, size_t count,
             struct err *err)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    struct transfer_batch run = {.http = http, .count = count, .begun = now_ms()};
    run.transfers = xmalloc((count + 1) * sizeof(*run.transfers));
    for (size_t i = 0; i < count; i++)
        init_transfer(&run.transfers[i], http, arena, &exchanges[i]);
    (void)sigaction(SIGPIPE, &ignore, &before); /* a closed connection is an ordinary error */
    int rc = run_loop(&run, err);
    http->waited += now_ms() - run.begun;
    for (size_t i = 0; i < count; i++)
        release_transfer(&run.transfers[i]);
    (void)sigaction(SIGPIPE, &before, NULL);
    free(run.transfers);
    return rc;
}

void http_release(struct http_exchange *exchanges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        err_release(&exchanges[i].err);
}

/* ------------------------------------------------------------------ reading answers */

const char *http_header(struct arena *arena, const char *headers, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = headers; line && *line;) {
        size_t end = strcspn(line, "\r\n");
        if (end > len && line[len] == ':' && strncasecmp(line, name, len) == 0) {
            const char *value = line + len + 1;
            size_t left = end - len - 1;
            for (; left && (*value == ' ' || *value == '\t'); left--)
                value++;
            while (left && (value[left - 1] == ' ' || value[left - 1] == '\t'))
                left--;
            return arena_memdup(arena, value, left);
        }
        line += end + strspn(line + end, "\r\n");
    }
    return NULL;
}

int http_fail(struct err *err, const struct http_exchange *exchange)
{
    ARENA_SCRATCH(scratch);
    const char *wait = http_header(&scratch, exchange->headers, "retry-after");
    if (!exchange->status)
        return err_set(err, exchange->err.exit, exchange->err.code, "%s", exchange->err.message);
    (void)err_set(err, TG_RUNTIME, "network", "%s: the server answered %ld",
                  http_shown(&scratch, exchange->final_url), exchange->status);
    if (exchange->status == 401 || exchange->status == 403)
        return err_hint(err, "it wants other credentials");
    if (wait && is_worth_retry(exchange->status))
        return err_hint(err, "it asks to come back after: %s", wait);
    return -1;
}
