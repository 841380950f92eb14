/* The reference for traffic over libfabric: two pinned processes, with one endpoint each, of the provider named by
 * the third argument. Prints a put with delivery complete, a get of 8 bytes, and for
 * each further argument both with that number of bytes. The target polls for progress continuously, as a PE in a barrier
 * does.
 *
 * Then the same between two processes that could serve a peer while they compute, as PEs must: each has a second thread,
 * which sleeps, and the target's queue has a descriptor that such a thread could sleep on. Neither is used. A provider
 * without descriptors is measured with the thread only. */
#include "bare.h"

#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/socket.h>

#define ADDRESS_MAX 256

struct end {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *peers;
    struct fid_cq *queue;
    struct fid_ep *endpoint;
    struct fid_mr *region;
    char *memory;
};

/* Sent by one process to the other. */
struct card {
    size_t length;
    char address[ADDRESS_MAX];
    uint64_t key;
    uint64_t base;
};

struct transfer {
    const char *what;
    struct end *end;
    fi_addr_t peer;
    struct card target;
    size_t bytes;
    uint64_t flags;
};

static void fabric_fail(const char *what, long code)
{
    fprintf(stderr, "%s: %s\n", what, fi_strerror(code < 0 ? (int)-code : (int)code));
    exit(1);
}

static void must(const char *what, long code)
{
    if (code < 0)
        fabric_fail(what, code);
}

static struct fi_info *offer(const char *provider)
{
    struct fi_info *hints = fi_allocinfo(), *info;
    int local = strstr(provider, "shm") != NULL;
    hints->caps = FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->fabric_attr->prov_name = strdup(provider);
    must("fi_getinfo",
         fi_getinfo(FI_VERSION(1, 14), local ? NULL : "127.0.0.1", NULL, local ? 0 : FI_SOURCE, hints, &info));
    fi_freeinfo(hints);
    return info;
}

static void open_end(struct end *end, const char *provider, size_t bytes, enum fi_wait_obj wait)
{
    struct fi_av_attr peers = {.type = FI_AV_TABLE, .count = 2};
    struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_CONTEXT, .size = 1024, .wait_obj = wait};
    uint64_t access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    end->info = offer(provider);
    end->memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!end->memory)
        bare_fail("memory");
    memset(end->memory, 1, bytes);
    must("fi_fabric", fi_fabric(end->info->fabric_attr, &end->fabric, NULL));
    must("fi_domain", fi_domain(end->fabric, end->info, &end->domain, NULL));
    must("fi_av_open", fi_av_open(end->domain, &peers, &end->peers, NULL));
    int opened = fi_cq_open(end->domain, &queue, &end->queue, NULL);
    if (opened != 0 && wait != FI_WAIT_NONE) {
        fprintf(stderr, "%s has no descriptor to sleep on\n", provider);
        queue.wait_obj = FI_WAIT_NONE;
        opened = fi_cq_open(end->domain, &queue, &end->queue, NULL);
    }
    must("fi_cq_open", opened);
    must("fi_endpoint", fi_endpoint(end->domain, end->info, &end->endpoint, NULL));
    must("fi_ep_bind", fi_ep_bind(end->endpoint, &end->peers->fid, 0));
    must("fi_ep_bind", fi_ep_bind(end->endpoint, &end->queue->fid, FI_TRANSMIT | FI_RECV));
    must("fi_enable", fi_enable(end->endpoint));
    must("fi_mr_reg", fi_mr_reg(end->domain, end->memory, bytes, access, 0, 17, 0, &end->region, NULL));
    if (end->info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
        must("fi_mr_bind", fi_mr_bind(end->region, &end->endpoint->fid, 0));
        must("fi_mr_enable", fi_mr_enable(end->region));
    }
}

/* Send the address of this end to the other process, and receive its address. */
static struct card meet(const struct end *end, int wire)
{
    struct card mine = {.length = ADDRESS_MAX, .key = fi_mr_key(end->region)}, other;
    if (end->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR)
        mine.base = (uint64_t)(uintptr_t)end->memory;
    must("fi_getname", fi_getname(&end->endpoint->fid, mine.address, &mine.length));
    if (send(wire, &mine, sizeof mine, 0) != sizeof mine || recv(wire, &other, sizeof other, MSG_WAITALL) != sizeof other)
        bare_fail("the other process");
    return other;
}

/* Poll for progress once; return whether an operation has completed. */
static int look(struct end *end)
{
    struct fi_cq_entry entry;
    ssize_t got = fi_cq_read(end->queue, &entry, 1);
    if (got < 0 && got != -FI_EAGAIN)
        fabric_fail("fi_cq_read", got);
    return got == 1;
}

static void put(long n, void *arg)
{
    struct transfer *t = arg;
    struct fi_context2 context;
    void *described = fi_mr_desc(t->end->region);
    struct iovec from = {t->end->memory, t->bytes};
    struct fi_rma_iov to = {t->target.base, t->bytes, t->target.key};
    struct fi_msg_rma message = {&from, &described, 1, t->peer, &to, 1, &context, 0};
    for (long i = 0; i < n; i++) {
        ssize_t posted;
        while ((posted = fi_writemsg(t->end->endpoint, &message, t->flags)) == -FI_EAGAIN)
            look(t->end);
        must("fi_writemsg", posted);
        while (!look(t->end)) {
        }
    }
}

static void get(long n, void *arg)
{
    struct transfer *t = arg;
    struct fi_context2 context;
    void *described = fi_mr_desc(t->end->region);
    for (long i = 0; i < n; i++) {
        ssize_t posted;
        while ((posted = fi_read(t->end->endpoint, t->end->memory, t->bytes, described, t->peer, t->target.base,
                                 t->target.key, &context)) == -FI_EAGAIN)
            look(t->end);
        must("fi_read", posted);
        while (!look(t->end)) {
        }
    }
}

/* The other process: it makes progress for the library until the wire is closed. */
static void serve(struct end *end, int wire)
{
    for (long looks = 0;; looks++) {
        char byte;
        look(end);
        if (looks % 1024 == 0 && recv(wire, &byte, 1, MSG_DONTWAIT) == 0)
            _exit(0);
    }
}

static void report(const struct transfer *t, const char *how, double ns)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", t->what, how);
    batch_report(name, t->bytes, ns, "ns");
}

static void measure(struct batch_settings settings, struct transfer *t)
{
    size_t inject = t->end->info->tx_attr->inject_size;
    t->flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | (t->bytes <= inject ? FI_INJECT : 0);
    report(t, "put", batch_alone_ns(settings, put, t));
    report(t, "get", batch_alone_ns(settings, get, t));
}

static void *sleep_on(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

static void with_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        bare_fail("pthread_create");
}

/* One of two processes, which receives from the other over `wire` until there is nothing more to measure. */
static void run(struct batch_settings settings, int target, int wire, int wakes, int argc, char **argv)
{
    struct end end;
    struct transfer t = {.what = wakes ? "bare_fabric_woken" : "bare_fabric", .end = &end, .bytes = sizeof(long)};
    size_t max = t.bytes;
    for (int i = 4; i < argc; i++) {
        size_t bytes = strtoull(argv[i], NULL, 10);
        max = bytes > max ? bytes : max;
    }
    bare_pin(target);
    if (wakes)
        with_thread();
    open_end(&end, argv[3], max, wakes && target ? FI_WAIT_FD : FI_WAIT_NONE);
    t.target = meet(&end, wire);
    if (fi_av_insert(end.peers, t.target.address, 1, &t.peer, 0, NULL) != 1)
        fabric_fail("fi_av_insert", FI_EOTHER);
    if (target)
        serve(&end, wire);
    measure(settings, &t);
    for (int i = 4; i < argc; i++) {
        t.bytes = strtoull(argv[i], NULL, 10);
        if (t.bytes != sizeof(long))
            measure(settings, &t);
    }
}

int main(int argc, char **argv)
{
    struct batch_settings settings = batch_arguments(argc, argv);
    if (argc < 4) {
        fprintf(stderr, "usage: %s BATCHES BATCH_US PROVIDER [BYTES...]\n", argv[0]);
        return 2;
    }
    for (int wakes = 0; wakes <= 1; wakes++) {
        int wire[2], status;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, wire) != 0)
            bare_fail("socketpair");
        /* Each process opens its own endpoints, and only one pair, since nothing of the library survives a fork. */
        pid_t initiator = bare_fork();
        if (initiator == 0) {
            pid_t target = bare_fork();
            close(wire[target == 0 ? 0 : 1]);
            run(settings, target == 0, wire[target == 0 ? 1 : 0], wakes, argc, argv);
            close(wire[0]);
            waitpid(target, NULL, 0);
            return 0;
        }
        close(wire[0]);
        close(wire[1]);
        if (waitpid(initiator, &status, 0) != initiator || status != 0)
            return 1;
    }
    return 0;
}
