/* Any root is captured, and the capture is diagnosed like the root. */
#include "hostile_root.h"
#include "smoke/doctor.h"

#include <fcntl.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The report on a root; with `capture` a tar of it too. */
static int report(char **text, char *root, const char *capture)
{
    char *words[] = {"gpu-smoke", "--json", "--root", root, NULL};
    struct smoke_machine machine;
    tar_error error = "";
    size_t size = 0;
    FILE *out = open_memstream(text, &size), *null = fopen("/dev/null", "w");

    if (!out || !null)
        abort();
    int code = smoke_doctor(&machine, 4, words, capture, out, null, error);
    fclose(out);
    fclose(null);
    if (code < 0 && (!capture || access(capture, F_OK) == 0))
        abort();
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char base[] = "/tmp/fuzz-smoke-XXXXXX", root[64], again[64], tar[64], *first, *second;
    tar_error error;

    if (!mkdtemp(base))
        abort();
    (void)snprintf(root, sizeof root, "%s/root", base);
    (void)snprintf(again, sizeof again, "%s/back", base);
    (void)snprintf(tar, sizeof tar, "%s/tar", base);
    if (mkdir(root, 0700) || mkdir(again, 0700))
        abort();
    hostile_root(root, bytes, size);
    int code = report(&first, root, tar), fd = open(again, O_RDONLY | O_DIRECTORY);
    if (code >= 0 && tar_unpack(tar, fd, error) == 0) {
        int same = report(&second, again, NULL);
        if (same != code || strcmp(first, second) != 0) {
            fprintf(stderr, "%s\n%s\n", first, second);
            abort();
        }
        free(second);
    }
    close(fd);
    free(first);
    hostile_remove(base);
    return 0;
}
