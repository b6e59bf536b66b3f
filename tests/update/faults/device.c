/*
 * A preload under which every file lies on another device, and has another number: as after a
 * reboot, on another mount, in a copy. Programs that remember either do not know their files again.
 */
#include <dlfcn.h>
#include <sys/stat.h>

enum { OTHER_DEVICE = 7, OTHER_INODE = 1000003 };

static int moved(int rc, struct stat *info)
{
    if (rc == 0) {
        info->st_dev += OTHER_DEVICE;
        info->st_ino += OTHER_INODE;
    }
    return rc;
}

#define WRAP(name, parameters, arguments)                                                          \
    int name parameters                                                                            \
    {                                                                                              \
        static __typeof__(&name) real;                                                             \
        if (!real)                                                                                 \
            real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                     \
        return moved(real arguments, info);                                                        \
    }

WRAP(stat, (const char *path, struct stat *info), (path, info))
WRAP(lstat, (const char *path, struct stat *info), (path, info))
WRAP(fstat, (int fd, struct stat *info), (fd, info))
WRAP(fstatat, (int fd, const char *path, struct stat *info, int flags), (fd, path, info, flags))
