/* Says which libcuda.so.1 the loader takes; 1 when it takes none. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

int main(void)
{
    struct link_map *map;
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);

    if (!lib || dlinfo(lib, RTLD_DI_LINKMAP, &map))
        return 1;
    puts(map->l_name);
    return 0;
}
