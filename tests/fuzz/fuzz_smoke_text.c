/* Any text: pasted for --explain, in a Python file, as a list of architectures, as a version. */
#define GPU_SMOKE_NO_MAIN
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "smoke/explain_texts.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(int held)
{
    if (!held)
        abort();
}

static void explain_it(struct host *h, const char *bytes, size_t size)
{
    static struct explanation e;
    FILE *null = fopen("/dev/null", "w"), *in = fmemopen((void *)(uintptr_t)bytes, size, "r");

    must(null && in);
    memset(&e, 0, sizeof e);
    tellings_read(h, &e);
    explain_itself(&e, bytes);
    must(explain_stream(&e, in) == 0 && e.bytes == size);
    must(explanation_end(&e) <= MAX_SHOWN && e.gpus <= MAX_SHOWN);
    for (enum quoting q = PLAIN; q <= XML; q++) {
        struct sink k = {.out = null, .quoting = q, .redact = 1, .name = "host"};
        (q == JSON ? json_explanation : put_explanation)(&k, &e, explanation_end(&e));
        put_wrapped(&k, "seen", bytes);
    }
    fclose(in);
    fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct host h = {.root = NULL};
    struct facts f = {.h = &h};
    char *text = malloc(size + 1);

    must(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (size)
        explain_it(&h, text, size);
    (void)archs_cover(text, 90);
    (void)version_compare(text, find_version(&h, text));
    must(version_compare(text, text) == 0);
    (void)python_value(&f, text, "cuda");
    f.devices = text;
    (void)device_major(&f, "nvidia-uvm");
    (void)value_of(&h, text, "LD_LIBRARY_PATH", '=');
    for (const char *list = text, *item; (item = list_next(&h, &list, ":;"));)
        must(strlen(item) <= size);
    for (char *rest = text, *line; (line = next_line(&rest));)
        while (*next_word(&line)) {
        }
    free(text);
    pool_release(&h.pool);
    return 0;
}
