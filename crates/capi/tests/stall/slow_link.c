/* Loaded before a program: after its first megabyte, PE 1 can send nothing for some seconds, as if its link were busy. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { SENT_BEFORE = 1 << 20, SECONDS = 6 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_busy(size_t len) {
    static size_t sent;
    static double until;
    const char *pe = getenv("FERRITE_PE");
    if (!pe || strcmp(pe, "1") != 0) return 0;
    sent += len;
    if (until == 0 && sent > SENT_BEFORE) until = now() + SECONDS;
    if (now() >= until) return 0;
    errno = EAGAIN;
    return 1;
}

ssize_t send(int socket, const void *data, size_t len, int flags) {
    return sendto(socket, data, len, flags, NULL, 0);
}

ssize_t sendto(int socket, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t to_len) {
    ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
    return is_busy(len) ? -1 : real(socket, data, len, flags, to, to_len);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    ssize_t (*real)(int, const struct msghdr *, int) = dlsym(RTLD_NEXT, "sendmsg");
    size_t len = 0;
    for (size_t part = 0; part < message->msg_iovlen; part++) len += message->msg_iov[part].iov_len;
    return is_busy(len) ? -1 : real(socket, message, flags);
}
