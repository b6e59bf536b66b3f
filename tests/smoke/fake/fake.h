/* What the fake vendor libraries share: a script in an environment variable.
 *
 * The script is a list of items, separated by ';':
 *   ENTRY=CODE     the entry point returns CODE, always
 *   ENTRY@N=CODE   ... at its Nth call only
 *   ENTRY=hang | segv | abort | bus | exit | print
 *   ENTRY=nothing  it does nothing and says that all is well
 *   KEY=VALUE      a setting (count, cc, driver, memory, ...), read by fake_text and fake_number
 */
#ifndef FAKE_H
#define FAKE_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAKE_NOTHING = -1 };

/* The value of an item into out; 0 when the script does not have it. */
static int fake_text(const char *script, const char *key, char *out, size_t size)
{
    const char *at = getenv(script);
    size_t n = strlen(key);

    while (at && *at) {
        size_t len = strcspn(at, ";");
        if (len > n && strncmp(at, key, n) == 0 && at[n] == '=') {
            size_t value = len - n - 1;
            if (value >= size)
                value = size - 1;
            memcpy(out, at + n + 1, value);
            out[value] = '\0';
            return 1;
        }
        at += len + (at[len] == ';');
    }
    return 0;
}

static double fake_number(const char *script, const char *key, double otherwise)
{
    char value[64];

    return fake_text(script, key, value, sizeof value) ? atof(value) : otherwise;
}

static int fake_act(const char *action)
{
    if (strcmp(action, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(action, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(action, "abort") == 0)
        abort();
    if (strcmp(action, "bus") == 0)
        raise(SIGBUS);
    if (strcmp(action, "exit") == 0)
        _exit(3);
    if (strcmp(action, "print") == 0) {
        printf("a message of the vendor's own\n");
        fflush(stdout);
        return 0;
    }
    return strcmp(action, "nothing") == 0 ? FAKE_NOTHING : atoi(action);
}

/* What the entry point must return; 0 means: do the work. */
static int fake_enter(const char *script, const char *entry, int *calls)
{
    char key[96], action[64];

    snprintf(key, sizeof key, "%s@%d", entry, ++*calls);
    if (fake_text(script, key, action, sizeof action) ||
        fake_text(script, entry, action, sizeof action))
        return fake_act(action);
    return 0;
}

#define FAKE_ENTER(script)                                                                         \
    do {                                                                                           \
        static int calls;                                                                          \
        int code = fake_enter(script, __func__, &calls);                                           \
        if (code)                                                                                  \
            return code == FAKE_NOTHING ? 0 : code;                                                \
    } while (0)

#endif
