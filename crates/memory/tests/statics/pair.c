/* Two processes of this executable load and store each other's statics; C and C++. Prints "pair ok". */
#include "probe.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int data = 42;
static long hidden = 7;
char bss[64 << 20];
char *relocated = &bss[5];
const char *const constant[] = {"a", "b"};
static int *inner(void) {
    static int local = 3;
    return &local;
}
#ifdef __cplusplus
struct Counted {
    int value;
    Counted() : value(11) {}
};
static Counted constructed;
inline int inlined = 5;
#endif

static char *peer;
static char *base;
#define PEER(object) (*(__typeof__(&(object)))(peer + ((char *)&(object)-base)))

static int link_to_peer;
static void meet(void) {
    char byte = 'x';
    CHECK(write(link_to_peer, &byte, 1) == 1);
    CHECK(read(link_to_peer, &byte, 1) == 1);
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void check_contents(int me) {
    CHECK(data == 100 + me && hidden == 200 + me && *inner() == 300 + me);
    CHECK(bss[12345] == 9 && bss[0] == 0 && bss[sizeof bss - 1] == 8 && relocated == &bss[5]);
    CHECK(strcmp(constant[1], "b") == 0);
#ifdef __cplusplus
    CHECK(constructed.value == 11 && inlined == 5);
#endif
}

static void share_with_peer(int me, int file) {
    CHECK(probe_share(file, me * probe_len()) == 0);
    CHECK(probe_share(file, me * probe_len()) == -EINVAL); /* shared already */
    peer = (char *)mmap(0, probe_len(), PROT_READ | PROT_WRITE, MAP_SHARED, file, (1 - me) * probe_len());
    CHECK(peer != MAP_FAILED);
}

static void exchange(int me) {
    check_contents(me);
    meet();
    CHECK(PEER(data) == 101 - me && PEER(hidden) == 201 - me && PEER(bss[12345]) == 9);
    meet();
    PEER(data) = 500 + me;
    PEER(hidden) = 600 + me;
    memset(&PEER(bss[1 << 20]), me + 1, 4096);
    meet();
    CHECK(data == 501 - me && hidden == 601 - me && bss[(1 << 20) + 77] == 2 - me);
    meet();
}

/* A child's stores stay in the child. It sees the values of its parent, touched and untouched, including peers' stores. */
static void fork_and_check(int me) {
    data = 1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(data == 1 && hidden == 601 - me && bss[(1 << 20) + 77] == 2 - me && bss[2 << 20] == 0);
        data = 2;
        bss[3 << 20] = 1;
        pid_t grandchild = fork();
        if (grandchild == 0) {
            CHECK(data == 2);
            data = 3;
            _exit(0);
        }
        int status;
        CHECK(waitpid(grandchild, &status, 0) == grandchild && status == 0);
        CHECK(data == 2);
        CHECK(probe_unshare() == 0); /* nothing to do in a child */
        CHECK(data == 2);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(data == 1 && bss[3 << 20] == 0);
    CHECK(system("true") == 0);
    CHECK(data == 1);
}

static void run(int me, int file) {
    base = (char *)probe_base();
    CHECK(base != 0 && base <= (char *)&data && (char *)&bss[sizeof bss] <= base + probe_len());
#ifndef NO_RELRO
    CHECK((const char *)&constant[0] < base || (const char *)&constant[0] >= base + probe_len());
#endif
    data = 100 + me;
    hidden = 200 + me;
    *inner() = 300 + me;
    bss[12345] = 9;
    bss[sizeof bss - 1] = 8;
    double start = now_us();
    share_with_peer(me, file);
    double taken = now_us() - start;
    uint64_t copied = probe_copied();
    CHECK(copied < (4 << 20)); /* not the untouched bss */
    exchange(me);
    fork_and_check(me);
    meet();
    PEER(data) = 700 + me;
    meet();
    start = now_us();
    CHECK(probe_unshare() == 0);
    double back = now_us() - start;
    CHECK(data == 701 - me && hidden == 601 - me && bss[(1 << 20) + 77] == 2 - me && bss[12345] == 9);
    meet();
    PEER(data) = 0; /* no longer mapped by any process */
    meet();
    CHECK(data == 701 - me);
    munmap(peer, probe_len());
    /* The same again after a second init. */
    memset(&bss[1 << 20], 0, 4096);
    data = 100 + me;
    hidden = 200 + me;
    CHECK(probe_unshare() == -ENOENT);
    meet();
    share_with_peer(me, file);
    exchange(me);
    fork_and_check(me);
    if (me == 0)
        printf("range %zu KiB, copied %llu KiB, there in %.0f us, back in %.0f us\n", probe_len() >> 10,
               (unsigned long long)copied >> 10, taken, back);
}

int main(int argc, char **argv) {
    alarm(120); /* a hang is a failure */
    if (argc == 4) {
        link_to_peer = atoi(argv[3]);
        run(atoi(argv[1]), atoi(argv[2]));
        return 0;
    }
    int file = memfd_create("pair", 0);
    CHECK(file >= 0 && ftruncate(file, 2 * probe_len()) == 0);
    CHECK(probe_identity() != 0);
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    for (int me = 0; me < 2; me++) {
        if (fork() == 0) {
            char rank[12], memory[12], link[12];
            snprintf(rank, sizeof rank, "%d", me);
            snprintf(memory, sizeof memory, "%d", file);
            snprintf(link, sizeof link, "%d", ends[me]);
            execl(argv[0], argv[0], rank, memory, link, (char *)0);
            _exit(9);
        }
    }
    close(ends[0]);
    close(ends[1]);
    int status, bad = 0;
    while (wait(&status) > 0)
        bad |= status;
    if (!bad)
        puts("pair ok");
    return bad != 0;
}
