/* The reference for whole jobs: as many plain processes as PEs are started and end. As for the jobs, the harness measures the time
 * from outside. The argument after the batches is the number of processes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 4)
        return 0; /* one of the processes */
    for (long left = atol(argv[3]); left > 0; left--) {
        pid_t child = fork();
        if (child == 0)
            execl("/proc/self/exe", argv[0], (char *)NULL);
        if (child <= 0) {
            perror("bare_start");
            return 1;
        }
    }
    for (int status; wait(&status) > 0;)
        if (status != 0)
            return 1;
    return 0;
}
