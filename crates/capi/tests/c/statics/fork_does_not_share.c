// pes: 1 2 4
// A child made by fork has its own statics, as in POSIX: neither its parent nor any peer sees its stores, and system() works;
// the parent's statics stay symmetric.
#include "check.h"
#include <sys/wait.h>

static long word = 1, filler[5000];

int main(void)
{
    int me, npes, status = -1;
    begin(&me, &npes);
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    for (int round = 0; round < 5; round++) {
        word = 10 + round, filler[4999] = round;
        shmem_barrier_all();
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            int kept = word == 10 + round && filler[4999] == round;
            word = 99, filler[4999] = 99;
            _exit(kept ? 42 : 43);
        }
        CHECK(child > 0);
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 42) FAIL("the child saw other statics than its parent: status %#x", (unsigned)status);
        CHECK_EQ(word, 10 + round);
        CHECK_EQ(filler[4999], round);
        shmem_barrier_all();
        shmem_long_p(&word, 1000 + me, to);
        shmem_barrier_all();
        CHECK_EQ(word, 1000 + from);
        CHECK(system("exit 0") == 0);
        shmem_barrier_all();
    }
    end();
    return 0;
}
