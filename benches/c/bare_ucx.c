/* The reference for traffic over UCX: UCX's own ucx_perftest (Debian: ucx-utils) between two pinned processes. This program
 * prints its results. The third argument is the value of UCX_TLS; sizes may follow, by default 8 bytes.
 * Prints for each size half a round trip: the time of one put to a process that polls for it. */
#include "bare.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* The number of round trips; fewer for slow ones. */
#define SHORT_ITERATIONS "10000"
#define LONG_ITERATIONS "1000"
#define SHORT_BYTES 4096

/* A port that is free at the moment. */
static int free_port(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof here;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&here, len) != 0 || getsockname(s, (struct sockaddr *)&here, &len) != 0)
        bare_fail("a port");
    close(s);
    return ntohs(here.sin_port);
}

/* Replace this process by ucx_perftest, pinned to the nth CPU and writing to `out`. */
static void become(int nth, int out, const char *const *arguments)
{
    bare_pin(nth);
    if (dup2(out, STDOUT_FILENO) < 0)
        bare_fail("dup2");
    execvp("ucx_perftest", (char *const *)arguments);
    bare_fail("ucx_perftest (Debian: ucx-utils)");
}

/* Microseconds of one operation over the whole run: the fourth column of the last line. 0 if there is none. */
static double overall_us(FILE *table)
{
    char line[512];
    double iterations, half, average, overall = 0;
    while (fgets(line, sizeof line, table))
        if (sscanf(line, "%lf,%lf,%lf,%lf,", &iterations, &half, &average, &overall) != 4)
            overall = 0;
    return overall;
}

/* Run one test. Return 0 if the client could not connect, which happens until the server listens. */
static double measure(const char *test, const char *bytes)
{
    char port[16];
    int out[2], status;
    const char *iterations = atol(bytes) > SHORT_BYTES ? LONG_ITERATIONS : SHORT_ITERATIONS;
    snprintf(port, sizeof port, "%d", free_port());
    pid_t server = bare_fork();
    if (server == 0)
        become(1, STDERR_FILENO, (const char *[]){"ucx_perftest", "-p", port, NULL});
    if (pipe(out) != 0)
        bare_fail("pipe");
    usleep(300 * 1000);
    pid_t client = bare_fork();
    if (client == 0)
        become(0, out[1], (const char *[]){"ucx_perftest", "127.0.0.1", "-p", port, "-t", test, "-s", bytes, "-n",
                                           iterations, "-w", LONG_ITERATIONS, "-f", "-v", NULL});
    close(out[1]);
    FILE *table = fdopen(out[0], "r");
    double us = table ? overall_us(table) : 0;
    fclose(table);
    if (waitpid(client, &status, 0) != client || status != 0)
        us = 0;
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return us;
}

static void report(const char *bytes)
{
    double us = 0;
    for (int attempt = 0; attempt < 3 && us == 0; attempt++)
        us = measure("ucp_put_lat", bytes);
    if (us == 0) {
        fprintf(stderr, "ucx_perftest gave no figure for %s bytes\n", bytes);
        exit(1);
    }
    batch_report("bare_ucx_put_half", (size_t)atol(bytes), us * 1e3, "ns");
}

int main(int argc, char **argv)
{
    batch_arguments(argc, argv);
    if (argc < 4) {
        fprintf(stderr, "usage: %s BATCHES BATCH_US TRANSPORTS [BYTES]...\n", argv[0]);
        return 2;
    }
    setenv("UCX_TLS", argv[3], 1);
    if (argc == 4)
        report("8");
    for (int i = 4; i < argc; i++)
        report(argv[i]);
    return 0;
}
