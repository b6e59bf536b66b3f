/* Any root: its files, links and records hold whatever they like, the report is made all the same.
 */
#define GPU_SMOKE_NO_MAIN
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../templates/_layers/gpu-smoke/files/smoke/gpu_smoke.c"
#include "hostile_root.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void report(char *root, FILE *null, int json)
{
    char *words[] = {"gpu-smoke", "--root", root, json ? "--json" : "--redact", NULL};
    static struct smoke s;

    memset(&s, 0, sizeof s);
    int code = smoke_main(&s, 4, words, null, null);
    pool_release(&s.host.pool);
    if (code != 0 && code != 77 && (code < 10 || code > 19))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char root[] = "/tmp/fuzz-smoke-XXXXXX";
    FILE *null = fopen("/dev/null", "w");

    if (!null || !mkdtemp(root))
        abort();
    hostile_root(root, bytes, size);
    report(root, null, 1);
    report(root, null, 0);
    hostile_remove(root);
    fclose(null);
    return 0;
}
