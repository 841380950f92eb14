/* A parameter server that survives kills of its workers: the others and the successor of the killed one form another job, and go on.
 *
 * torchrun, or anything else that sets RANK and WORLD_SIZE, starts this program once for each member:
 *
 *     torchrun --standalone --nproc-per-node 4 --no-python ./parameter_server DIRECTORY
 *
 * Rank 0 is the server. It keeps the parameters in its own memory, whatever job it is in, and draws the id of each job, which it writes to a
 * file in the directory; an empty file says that the work is done. The process of any other rank starts a worker, and another if that one
 * dies: torchrun would end all. The directory has no such file at the beginning. */

#include <limits.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The workers find the line y = 3 x - 2 by some of its points. */
static const double SLOPE = 3, OFFSET = -2, RATE = 0.05;
static const uint64_t DONE = UINT64_MAX; /* the signal that there are no more steps */
enum { DEATHS_MAX = 100, SECONDS_MAX = 300 };

static int rank, size;
static long steps;
static char id_file[PATH_MAX], new_file[PATH_MAX];

/* Symmetric memory of a job. */
struct shared {
    double *weights;   /* 2 */
    double *gradients; /* 2 of each worker, at the server */
    uint64_t *steps;   /* at the server, the last step of each worker; at a worker, in the first, the step to be done */
};

static int is_broken(void) {
    int n = 0;
    return shmemx_lost_pes(NULL, &n);
}

static void rest(long microseconds) {
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static int join(const shmemx_uniqueid_t *id) {
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    return shmemx_set_attr_uniqueid_args(rank, size, id, &attr) ||
           shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID | SHMEMX_LOSS_RETURNS, &attr);
}

/* Nonzero if there is no memory, or the job is broken. */
static int allocate(struct shared *shared) {
    const size_t n = (size_t)size;
    shared->weights = shmem_calloc(2, sizeof *shared->weights);
    shared->gradients = shmem_calloc(2 * n, sizeof *shared->gradients);
    shared->steps = shmem_calloc(n, sizeof *shared->steps);
    return !shared->weights || !shared->gradients || !shared->steps;
}

/* Leave the job. True if it was whole to its end. */
static int leave(void) {
    if (!is_broken()) shmem_finalize();
    const int was_whole = !is_broken();
    shmemx_abandon();
    return was_whole;
}

/* The parameters, and the number of steps that they have had. */
struct model {
    double weights[2];
    long step;
};

/* Replace the file as a whole: each reader finds one id or the next. */
static int publish(const shmemx_uniqueid_t *id) {
    FILE *file = fopen(new_file, "wb");
    if (!file) return 1;
    const int written = id == NULL || fwrite(id, sizeof *id, 1, file) == 1;
    return fclose(file) != 0 || !written || rename(new_file, id_file) != 0;
}

static void tell(const struct shared *shared, uint64_t step, const double *weights) {
    for (int worker = 1; worker < size; worker++)
        shmem_double_put_signal(shared->weights, weights, 2, shared->steps, step, SHMEM_SIGNAL_SET, worker);
}

/* The server's part of a job. A step changes the model only when all workers have done it, so a broken job leaves none half done. */
static void lead(struct model *model) {
    struct shared shared;
    if (allocate(&shared)) return;
    printf("%d workers from step %ld\n", size - 1, model->step + 1);
    while (model->step < steps) {
        const uint64_t step = (uint64_t)model->step + 1;
        tell(&shared, step, model->weights);
        for (int worker = 1; worker < size; worker++)
            shmem_signal_wait_until(shared.steps + worker, SHMEM_CMP_EQ, step);
        if (is_broken()) return; /* some waits have returned without the signal */
        for (int number = 0; number < 2; number++) {
            double sum = 0;
            for (int worker = 1; worker < size; worker++)
                sum += shared.gradients[2 * worker + number];
            model->weights[number] -= RATE * sum / (size - 1);
        }
        model->step++;
    }
    tell(&shared, DONE, model->weights);
}

static int serve(void) {
    struct model model = {{0, 0}, 0};
    if (access(id_file, F_OK) == 0) {
        fprintf(stderr, "parameter_server: %s is there already: another run has left it\n", id_file);
        return 1;
    }
    for (int deaths = 0; deaths < DEATHS_MAX; deaths++) {
        shmemx_uniqueid_t id = SHMEMX_UNIQUEID_INITIALIZER;
        if (shmemx_get_uniqueid(&id) || publish(&id)) return 1;
        if (join(&id)) continue;
        lead(&model);
        const int was_whole = leave();
        if (model.step == steps) {
            printf("%ld steps: y = %.6f x + %.6f\n", model.step, model.weights[0], model.weights[1]);
            return publish(NULL);
        }
        if (was_whole) return 1; /* without memory */
        printf("lost a worker after step %ld\n", model.step);
    }
    fprintf(stderr, "parameter_server: %d jobs have been broken\n", DEATHS_MAX);
    return 1;
}

/* A worker's part of a job: the gradient of the squared error at its own points, for each step. */
static void follow(void) {
    struct shared shared;
    if (allocate(&shared)) return;
    const double points[2] = {(double)rank / size, -(double)rank / 2 / size};
    for (uint64_t last = 0, step;; last = step) {
        step = shmem_signal_wait_until(shared.steps, SHMEM_CMP_NE, last);
        if (step == DONE || is_broken()) return;
        double gradient[2] = {0, 0};
        for (int point = 0; point < 2; point++) {
            const double x = points[point];
            const double error = (shared.weights[0] - SLOPE) * x + (shared.weights[1] - OFFSET);
            gradient[0] += error * x;
            gradient[1] += error;
        }
        rest(1000); /* in place of more to compute */
        shmem_double_put_signal(shared.gradients + 2 * rank, gradient, 2, shared.steps + rank, step, SHMEM_SIGNAL_SET,
                                0);
    }
}

/* Wait for another id than this one, which is replaced. Returns its length: 0 if the work is done, or -1 if none comes. */
static int next_id(shmemx_uniqueid_t *id) {
    const time_t end = time(NULL) + SECONDS_MAX;
    for (; time(NULL) < end; rest(5000)) {
        shmemx_uniqueid_t found;
        FILE *file = fopen(id_file, "rb");
        if (!file) continue;
        const size_t length = fread(&found, 1, sizeof found, file);
        fclose(file);
        if (length == 0) return 0;
        if (memcmp(&found, id, sizeof found) == 0) continue;
        *id = found;
        return (int)length;
    }
    fprintf(stderr, "worker %d: no other id came within %d s\n", rank, SECONDS_MAX);
    return -1;
}

static int work(void) {
    shmemx_uniqueid_t id = SHMEMX_UNIQUEID_INITIALIZER;
    printf("worker %d is process %d\n", rank, (int)getpid());
    for (;;) {
        const int length = next_id(&id);
        if (length <= 0) return length != 0;
        if (join(&id)) continue;
        follow();
        if (leave()) return 0;
    }
}

/* Start a worker, again and again until one has come to its end. Workers do not outlive this process. */
static int supervise(void) {
    const pid_t supervisor = getpid();
    for (int deaths = 0; deaths < DEATHS_MAX; deaths++) {
        const pid_t worker = fork();
        if (worker < 0) return 1;
        if (worker == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            return getppid() == supervisor ? work() : 1;
        }
        int status;
        if (waitpid(worker, &status, 0) != worker) return 1;
        if (status == 0) return 0;
    }
    fprintf(stderr, "parameter_server: %d workers have died\n", DEATHS_MAX);
    return 1;
}

int main(int argc, char **argv) {
    const char *rank_word = getenv("RANK"), *size_word = getenv("WORLD_SIZE");
    if (argc < 2 || !rank_word || !size_word) {
        fprintf(stderr, "usage: parameter_server DIRECTORY [STEPS], with RANK and WORLD_SIZE\n");
        return 2;
    }
    rank = atoi(rank_word);
    size = atoi(size_word);
    steps = argc > 2 ? atol(argv[2]) : 1000;
    snprintf(id_file, sizeof id_file, "%s/id", argv[1]);
    snprintf(new_file, sizeof new_file, "%s/id.new", argv[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    return rank == 0 ? serve() : supervise();
}
