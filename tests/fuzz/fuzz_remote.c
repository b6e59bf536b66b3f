/*
 * A line with the address of a catalog, as a record or a user names it; then what a server lists.
 * An address that is taken is one that git can be given, and means the same when it is read again.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/remote.h"
#include "catalog/revision.h"

#include <stdint.h>
#include <string.h>

static bool is_code(const struct err *err, const char *first, const char *second)
{
    return strcmp(err->code, first) == 0 || strcmp(err->code, second) == 0;
}

/* No option, no other program, no control character, nobody's password. */
static void check_url(const char *url)
{
    const char *colon = strchr(url, ':');
    must(*url != '-' && colon && colon[1] != ':' && strcspn(url, "\n\r\t\x1b") == strlen(url));
    const char *scheme = strstr(url, "://");
    const char *host = scheme ? scheme + strlen("://") : url;
    const char *at = memchr(host, '@', strcspn(host, scheme ? "/" : ":"));
    must(!at || !memchr(host, ':', (size_t)(at - host)));
    must(*(at ? at + 1 : host) != '-');
}

static void check_address(const char *text, struct arena *arena)
{
    ERR_SCRATCH(err);
    struct address address, again;
    if (!address_is_remote(text))
        return;
    if (address_parse(&address, arena, text, &err)) {
        must(err.exit == TG_USAGE ? is_code(&err, "invalid-source", "limit")
                                  : is_code(&err, "insecure-source", "unsafe-path"));
        return;
    }
    check_url(address.url);
    must(!strstr(address.folder, "..") || !str_starts(address.folder, "../"));
    must(address_is_remote(address.source));
    must(address_parse(&again, arena, address.source, &err) == 0);
    must(strcmp(again.url, address.url) == 0 && strcmp(again.folder, address.folder) == 0 &&
         strcmp(again.source, address.source) == 0 && again.protocol == address.protocol);
    must(address_matches(&address, address.source) && address_matches(&address, address.url));
    must(!address_matches(&address, "*") && !address_matches(&address, "https://*"));
}

static void check_listing(struct span text, struct arena *arena)
{
    ERR_SCRATCH(err);
    struct ref_listing listing;
    if (listing_parse(&listing, arena, text, &err)) {
        must(is_code(&err, "answer", "limit") || strcmp(err.code, "repository-form") == 0);
        return;
    }
    must(listing.count <= LIMIT_REFS);
    for (size_t i = 0; i < listing.count; i++) {
        const struct catalog_revision *it = &listing.items[i];
        must(*it->name && strcspn(it->name, " ~^:?*[\\") == strlen(it->name));
        must(strlen(it->commit) == 40 && strlen(it->object) == 40);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    const char *text = arena_memdup(&arena, bytes, size);
    size_t len = strcspn(text, "\n");
    check_address(arena_memdup(&arena, text, len), &arena);
    if (len < size)
        check_listing(span_of(text + len + 1, size - len - 1), &arena);
    return 0;
}
