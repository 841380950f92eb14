/* Functions of glibc that were no symbols of its shared library before 2.33: each program has its own copies, which call the
 * symbols that existed. */

extern int __xstat64(int version, const char *path, void *found);
extern int __lxstat64(int version, const char *path, void *found);
extern int __fxstat64(int version, int file, void *found);
extern int __fxstatat64(int version, int at, const char *path, void *found, int flags);
extern int __cxa_atexit(void (*handler)(void *), void *argument, void *dso);
extern void *__dso_handle __attribute__((visibility("hidden")));

/* The layout of struct stat on x86-64, where the 32-bit and 64-bit forms are the same. */
enum { VERSION = 1 };

#define OWN __attribute__((visibility("hidden")))

OWN int stat(const char *path, void *found) { return __xstat64(VERSION, path, found); }
OWN int stat64(const char *path, void *found) { return __xstat64(VERSION, path, found); }
OWN int lstat(const char *path, void *found) { return __lxstat64(VERSION, path, found); }
OWN int lstat64(const char *path, void *found) { return __lxstat64(VERSION, path, found); }
OWN int fstat(int file, void *found) { return __fxstat64(VERSION, file, found); }
OWN int fstat64(int file, void *found) { return __fxstat64(VERSION, file, found); }

OWN int fstatat(int at, const char *path, void *found, int flags)
{
    return __fxstatat64(VERSION, at, path, found, flags);
}

OWN int fstatat64(int at, const char *path, void *found, int flags)
{
    return __fxstatat64(VERSION, at, path, found, flags);
}

OWN int atexit(void (*handler)(void))
{
    return __cxa_atexit((void (*)(void *))handler, 0, __dso_handle);
}
