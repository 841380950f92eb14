// pes: 1
// A program that was started without standard streams does not print into a descriptor of the library.
#include "check.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct stat is;
    if (argc == 1) {
        char *again[] = {argv[0], "again", NULL};
        for (int number = 0; number < 3; number++) close(number);
        execv("/proc/self/exe", again);
        return 9;
    }
    shmem_init();
    for (int number = 0; number < 3; number++)
        if (fstat(number, &is) == 0) return 10 + number;
    shmem_finalize();
    return 0;
}
