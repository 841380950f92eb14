/* The reference for traffic over TCP: two pinned processes with one connection over loopback and no delay, both
 * polling continuously. Prints half a round trip and a round trip of 8 bytes, and for each given size
 * the time in which that number of bytes of a stream arrives: the receiver reads into one buffer, as a put's target does. */
#include "bare.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define WORD sizeof(long)

static void take(int from, char *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = recv(from, to + done, bytes - done, MSG_DONTWAIT);
        if (got == 0)
            _exit(0); /* the other side is done */
        if (got > 0)
            done += (size_t)got;
        else if (errno != EAGAIN && errno != EINTR)
            bare_fail("recv");
    }
}

static void give(int to, const char *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t sent = send(to, from + done, bytes - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if (errno != EAGAIN && errno != EINTR)
            bare_fail("send");
    }
}

/* A message is its length, followed by that number of bytes; a word comes back for each. */
static void answer(int peer, char *buffer)
{
    for (;;) {
        long bytes;
        take(peer, (char *)&bytes, WORD);
        if ((size_t)bytes > WORD)
            take(peer, buffer, (size_t)bytes);
        give(peer, (char *)&bytes, WORD);
    }
}

struct talk {
    int peer;
    char *buffer;
    long bytes;
};

static void round_trips(long n, void *arg)
{
    const struct talk *t = arg;
    for (long i = 0; i < n; i++) {
        long word = (long)WORD;
        give(t->peer, (char *)&word, WORD);
        take(t->peer, (char *)&word, WORD);
    }
}

static void stream(long n, void *arg)
{
    const struct talk *t = arg;
    for (long i = 0; i < n; i++) {
        long word = t->bytes;
        give(t->peer, (char *)&word, WORD);
        give(t->peer, t->buffer, (size_t)t->bytes);
        take(t->peer, (char *)&word, WORD);
    }
}

static void without_delay(int peer)
{
    int on = 1;
    if (setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        bare_fail("TCP_NODELAY");
    /* As Ferrite does over loopback, so that pacing does not slow down the reference. */
    if (setsockopt(peer, IPPROTO_TCP, TCP_CONGESTION, "reno", sizeof "reno" - 1) != 0)
        bare_fail("TCP_CONGESTION");
}

int main(int argc, char **argv)
{
    struct batch_settings settings = batch_arguments(argc, argv);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof here;
    size_t max = WORD;
    for (int i = 3; i < argc; i++) {
        size_t bytes = strtoull(argv[i], NULL, 10);
        if (bytes <= WORD)
            bare_fail(argv[i]);
        max = bytes > max ? bytes : max;
    }
    struct talk t = {socket(AF_INET, SOCK_STREAM, 0), aligned_alloc(4096, (max + 4095) / 4096 * 4096), 0};
    int ear = t.peer;
    if (ear < 0 || !t.buffer || bind(ear, (struct sockaddr *)&here, len) != 0 || listen(ear, 1) != 0 ||
        getsockname(ear, (struct sockaddr *)&here, &len) != 0)
        bare_fail("a socket over loopback");
    memset(t.buffer, 1, max);
    pid_t child = bare_fork();
    bare_pin(child == 0);
    if (child == 0) {
        int peer = socket(AF_INET, SOCK_STREAM, 0);
        if (peer < 0 || connect(peer, (struct sockaddr *)&here, len) != 0)
            bare_fail("connect");
        without_delay(peer);
        answer(peer, t.buffer);
    }
    if ((t.peer = accept(ear, NULL, NULL)) < 0)
        bare_fail("accept");
    without_delay(t.peer);
    struct batch_time round_trip = batch_alone(settings, round_trips, &t);
    batch_report("bare_tcp_half", WORD, round_trip.ns / 2, "ns");
    batch_report_time("bare_tcp_round", WORD, round_trip);
    for (int i = 3; i < argc; i++) {
        t.bytes = atol(argv[i]);
        batch_report_time("bare_tcp_stream", (size_t)t.bytes, batch_alone(settings, stream, &t));
    }
    close(t.peer);
    waitpid(child, NULL, 0);
    free(t.buffer);
    return 0;
}
