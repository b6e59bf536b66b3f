/* libcurl, opened at run time. */
#include "io/net/libcurl.h"

#include <curl/curl.h>

#ifndef TG_PORTABLE

int libcurl_load(struct err *err)
{
    (void)err;
    return 0;
}

const char *libcurl_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

#else

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

#undef curl_easy_getinfo
#undef curl_easy_setopt

/* The version with curl_multi_poll. */
#define OLDEST 0x074200

static void *library;

/* Looks for the library; NULL: there is none. */
static const curl_version_info_data *find(void)
{
    /* Both have had their names since 2006; the git of Debian and Ubuntu brings the second. */
    static const char *const files[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    for (size_t i = 0; !library && i < sizeof(files) / sizeof(*files); i++)
        library = dlopen(files[i], RTLD_LAZY | RTLD_LOCAL);
    curl_version_info_data *(*info)(CURLversion) = NULL;
    if (library)
        *(void **)&info = dlsym(library, "curl_version_info");
    return info ? info(CURLVERSION_NOW) : NULL;
}

const char *libcurl_version(void)
{
    const curl_version_info_data *is = find();
    return is ? is->version : NULL;
}

int libcurl_load(struct err *err)
{
    const curl_version_info_data *is = find();
    if (is && is->version_num >= OLDEST)
        return 0;
    if (is)
        (void)err_set(err, TG_RUNTIME, "library", "libcurl %s is too old: 7.66 or newer is needed",
                      is->version);
    else
        (void)err_set(err, TG_RUNTIME, "library",
                      "this needs the network, and libcurl.so.4 is not installed");
    return err_hint(err, "Debian, Ubuntu: apt-get install libcurl4; Fedora, RHEL: dnf install "
                         "libcurl");
}

/* libcurl's function, of its own name and type; a libcurl that is new enough has it. */
#define FORWARD(type, name, parameters, arguments)                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        static __typeof__(&name) function;                                                         \
        if (!function)                                                                             \
            *(void **)&function = dlsym(library, #name);                                           \
        return function arguments;                                                                 \
    }

/* A third argument is a number or an address, and as wide as a register: curl_easy_setopt(3). */
#define FORWARD_OPTION(name, option)                                                               \
    CURLcode name(CURL *easy, option which, ...)                                                   \
    {                                                                                              \
        static __typeof__(&name) function;                                                         \
        if (!function)                                                                             \
            *(void **)&function = dlsym(library, #name);                                           \
        va_list arguments;                                                                         \
        va_start(arguments, which);                                                                \
        void *value = va_arg(arguments, void *);                                                   \
        va_end(arguments);                                                                         \
        return function(easy, which, value);                                                       \
    }

FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(void, curl_global_cleanup, (void), ())
FORWARD(void, curl_free, (void *p), (p))
FORWARD(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))
FORWARD(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text),
        (list, text))
FORWARD(void, curl_slist_free_all, (struct curl_slist * list), (list))
FORWARD(CURLU *, curl_url, (void), ())
FORWARD(void, curl_url_cleanup, (CURLU * url), (url))
FORWARD(CURLUcode, curl_url_get, (const CURLU *url, CURLUPart what, char **part, unsigned flags),
        (url, what, part, flags))
FORWARD(CURLUcode, curl_url_set, (CURLU * url, CURLUPart what, const char *part, unsigned flags),
        (url, what, part, flags))
FORWARD(CURL *, curl_easy_init, (void), ())
FORWARD(void, curl_easy_cleanup, (CURL * easy), (easy))
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code))
FORWARD_OPTION(curl_easy_setopt, CURLoption)
FORWARD_OPTION(curl_easy_getinfo, CURLINFO)
FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy))
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *easy), (multi, easy))
FORWARD(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))
FORWARD(CURLMcode, curl_multi_poll,
        (CURLM * multi, struct curl_waitfd fds[], unsigned count, int ms, int *got),
        (multi, fds, count, ms, got))
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))

#endif
