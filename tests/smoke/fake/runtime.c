/* Prints what cudaGetDeviceCount of the libcudart given returns. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int (*count)(int *) = NULL;
    int n = 0;
    void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *at = lib ? dlsym(lib, "cudaGetDeviceCount") : NULL;

    memcpy(&count, &at, sizeof at);
    if (!count)
        return 1;
    printf("%d\n", count(&n));
    return 0;
}
