// pes: 1 3
// needs: mapped
// A program may close descriptors that it did not open, and reuse their numbers: the library does not touch the program's own
// files. Descriptors of a transport are different: it receives through them.
#include "check.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    int me, npes;
    char block[4096];
    struct stat before, after;
    begin(&me, &npes);
    long *x = shmem_malloc(1 << 20);
    CHECK(x != NULL);
    FILE *stream = tmpfile();
    CHECK(stream != NULL);
    int file = fileno(stream);
    memset(block, 7, sizeof block);
    for (int i = 0; i < 4096; i++) CHECK(write(file, block, sizeof block) == (ssize_t)sizeof block);
    // Every number but the standard streams' and the launcher's is the data file now.
    for (int number = 3; number < 64; number++) {
        struct stat is;
        if (number == file || fstat(number, &is) != 0 || S_ISSOCK(is.st_mode)) continue;
        CHECK(dup2(file, number) == number);
    }
    CHECK(fsync(file) == 0 && fstat(file, &before) == 0);
    shmem_barrier_all();
    CHECK(shmem_malloc(64 << 20) != NULL);
    shmem_finalize();
    CHECK(fstat(file, &after) == 0);
    CHECK(after.st_blocks == before.st_blocks && after.st_size == before.st_size);
    CHECK(pread(file, block, sizeof block, 8 << 20) == (ssize_t)sizeof block && block[100] == 7);
    return 0;
}
