/* Breadth-first search on a Kronecker graph as in Graph500: 2^scale vertices, many of them with few edges and a few with
 * many. Vertices are distributed cyclically over the PEs. In each level a PE sends the pairs (vertex, parent) that it
 * found to their owners, one block for each owner, into room that it reserves there with a fetching add.
 *
 * The result is checked by the rules of Graph500: the parents form a tree of edges of the graph, whose levels differ by
 * one, and no edge joins vertices whose levels differ by more.
 *
 *     oshcc -O2 bfs.c -o bfs && oshrun -n 4 ./bfs --scale 16
 */
#include "example.h"

struct pair {
    uint64_t vertex, other;
};

/* Pairs sorted by owner before they are sent, and room for those that arrive. */
static struct {
    struct pair *unsorted, *sorted, *got;
    long held, *sizes, *begins, *received;
} post;

static struct {
    int me, npes;
    uint64_t vertices, mine; /* of the graph; the most on any PE */
    long *begins;            /* by local vertex: the start of its neighbours */
    uint64_t *neighbours;
    int64_t *parents, *levels; /* by local vertex, -1: not reached; levels are symmetric */
} graph;

static int owner(uint64_t vertex) {
    return (int)(vertex % (uint64_t)graph.npes);
}

static uint64_t local(uint64_t vertex) {
    return vertex / (uint64_t)graph.npes;
}

static uint64_t global(uint64_t local) {
    return local * (uint64_t)graph.npes + (uint64_t)graph.me;
}

/* Permute the vertices, so that their degree does not follow from their number. */
static uint64_t shuffled(uint64_t vertex, long scale) {
    const uint64_t mask = graph.vertices - 1;
    for (int i = 0; i < 3; i++) {
        vertex = (vertex * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x7f4a7c15)) & mask;
        vertex ^= vertex >> (scale / 2 + 1);
    }
    return vertex;
}

/* The next edge: for each bit one of four quarters, with probabilities 0.57, 0.19, 0.19, 0.05. */
static struct pair draw_edge(uint64_t *stream, long scale) {
    struct pair edge = {0, 0};
    for (long bit = 0; bit < scale; bit++) {
        const uint64_t percent = below(next_random(stream), 100);
        edge.vertex |= (uint64_t)(percent >= 76) << bit;
        edge.other |= (uint64_t)((percent >= 57 && percent < 76) || percent >= 95) << bit;
    }
    return (struct pair){shuffled(edge.vertex, scale), shuffled(edge.other, scale)};
}

static void post_pair(uint64_t vertex, uint64_t other) {
    post.unsorted[post.held++] = (struct pair){vertex, other};
}

static void count_posted(void) {
    memset(post.sizes, 0, (size_t)graph.npes * sizeof *post.sizes);
    for (long i = 0; i < post.held; i++) post.sizes[owner(post.unsorted[i].vertex)]++;
}

/* Send the posted pairs. Afterwards `post.got` contains the received ones, `*post.received` pairs. */
static void exchange_pairs(void) {
    *post.received = 0;
    count_posted();
    for (long pe = 0, at = 0; pe < graph.npes; at += post.sizes[pe++]) post.begins[pe] = at;
    for (long i = 0; i < post.held; i++) post.sorted[post.begins[owner(post.unsorted[i].vertex)]++] = post.unsorted[i];
    post.held = 0;
    shmem_barrier_all();
    for (int k = 0; k < graph.npes; k++) {
        const int pe = (graph.me + k) % graph.npes;
        if (post.sizes[pe] == 0) continue;
        const long at = shmem_long_atomic_fetch_add(post.received, post.sizes[pe], pe);
        shmem_putmem(post.got + at, post.sorted + post.begins[pe] - post.sizes[pe],
                     (size_t)post.sizes[pe] * sizeof *post.got, pe);
    }
    shmem_barrier_all();
}

/* Draw this PE's share of the edges, and send both ends of each to their owners. */
static void build(long scale, long degree) {
    const long all = degree << scale;
    const long share = all * (graph.me + 1) / graph.npes - all * graph.me / graph.npes;
    post.unsorted = private_memory((size_t)share * 2, sizeof *post.unsorted);
    post.sizes = private_memory((size_t)graph.npes, sizeof *post.sizes);
    post.begins = private_memory((size_t)graph.npes, sizeof *post.begins);
    post.received = symmetric(1, sizeof *post.received);
    uint64_t stream = random_stream(graph.me);
    for (long i = 0; i < share; i++) {
        const struct pair edge = draw_edge(&stream, scale);
        if (edge.vertex == edge.other) continue;
        post_pair(edge.vertex, edge.other);
        post_pair(edge.other, edge.vertex);
    }
    /* A search sends each pair of neighbours at most once, so room for the graph is room for every level. */
    count_posted();
    shmem_barrier_all();
    for (int pe = 0; pe < graph.npes; pe++) shmem_long_atomic_add(post.received, post.sizes[pe], pe);
    shmem_barrier_all();
    const long most = max_over_all(*post.received);
    if (most == 0) give_up("the graph has no edges");
    post.got = symmetric((size_t)most, sizeof *post.got);
    const size_t room = (size_t)(most > share * 2 ? most : share * 2);
    post.sorted = private_memory(room, sizeof *post.sorted);
    exchange_pairs();

    const long edges = *post.received;
    graph.begins = private_memory(graph.mine + 2, sizeof *graph.begins);
    graph.neighbours = private_memory((size_t)edges, sizeof *graph.neighbours);
    for (long i = 0; i < edges; i++) graph.begins[local(post.got[i].vertex) + 2]++;
    for (uint64_t v = 0; v < graph.mine; v++) graph.begins[v + 2] += graph.begins[v + 1];
    for (long i = 0; i < edges; i++) graph.neighbours[graph.begins[local(post.got[i].vertex) + 1]++] = post.got[i].other;
    free(post.unsorted);
    post.unsorted = private_memory(room, sizeof *post.unsorted);
}

/* Find the parent and the level of every vertex that can be reached from `root`. */
static void search(uint64_t root, uint64_t *frontier) {
    for (uint64_t v = 0; v < graph.mine; v++) graph.parents[v] = graph.levels[v] = -1;
    long width = 0;
    if (owner(root) == graph.me) {
        graph.parents[local(root)] = (int64_t)root;
        graph.levels[local(root)] = 0;
        frontier[width++] = local(root);
    }
    for (int64_t level = 1; sum_over_all(width) > 0; level++) {
        for (long i = 0; i < width; i++)
            for (long e = graph.begins[frontier[i]]; e < graph.begins[frontier[i] + 1]; e++)
                post_pair(graph.neighbours[e], global(frontier[i]));
        exchange_pairs();
        width = 0;
        for (long i = 0; i < *post.received; i++) {
            const uint64_t v = local(post.got[i].vertex);
            if (graph.levels[v] >= 0) continue;
            graph.levels[v] = level;
            graph.parents[v] = (int64_t)post.got[i].other;
            frontier[width++] = v;
        }
    }
}

/* The number of rules that the result breaks. `levels` has room for the levels of all PEs. `*reached` is the number of edges
 * between reached vertices, each counted from both ends. */
static long check(uint64_t root, int64_t *levels, long *reached) {
    shmem_barrier_all();
    for (int pe = 0; pe < graph.npes; pe++)
        shmem_getmem(levels + (uint64_t)pe * graph.mine, graph.levels, graph.mine * sizeof *levels, pe);
    long wrong = 0;
    *reached = 0;
    for (uint64_t v = 0; v < graph.mine && global(v) < graph.vertices; v++) {
        int is_edge = global(v) == root && graph.parents[v] == (int64_t)root && graph.levels[v] == 0;
        for (long e = graph.begins[v]; e < graph.begins[v + 1]; e++) {
            const uint64_t w = graph.neighbours[e];
            const int64_t level = levels[(uint64_t)owner(w) * graph.mine + local(w)];
            wrong += (level < 0) != (graph.levels[v] < 0) || llabs(level - graph.levels[v]) > 1;
            is_edge |= graph.parents[v] == (int64_t)w && graph.levels[v] == level + 1;
            *reached += graph.levels[v] >= 0;
        }
        wrong += graph.levels[v] >= 0 && !is_edge;
    }
    shmem_barrier_all();
    return wrong;
}

int main(int argc, char **argv) {
    shmem_init();
    struct option_row options[] = {
        {"scale", 13, 1, 36, "the graph has 2^scale vertices"},
        {"degree", 16, 1, 1024, "edges drawn for each vertex"},
        {"searches", 4, 1, 1000000, "searches, each from another vertex"},
    };
    read_options(argc, argv, "bfs", "breadth-first search on a Kronecker graph", options, OPTIONS(options));
    const long scale = options[0].value, searches = options[2].value;
    graph.me = shmem_my_pe();
    graph.npes = shmem_n_pes();
    graph.vertices = UINT64_C(1) << scale;
    graph.mine = (graph.vertices + (uint64_t)graph.npes - 1) / (uint64_t)graph.npes;
    build(scale, options[1].value);
    graph.parents = private_memory(graph.mine, sizeof *graph.parents);
    graph.levels = symmetric(graph.mine, sizeof *graph.levels);
    uint64_t *frontier = private_memory(graph.mine, sizeof *frontier);
    int64_t *levels = private_memory(graph.mine * (uint64_t)graph.npes, sizeof *levels);

    long wrong = 0;
    double edges = 0, took = 0;
    uint64_t roots = random_stream(-1); /* the same on all PEs */
    for (long done = 0; done < searches;) {
        const uint64_t root = next_random(&roots) & (graph.vertices - 1);
        const int mine = owner(root) == graph.me;
        const long degree = mine ? graph.begins[local(root) + 1] - graph.begins[local(root)] : 0;
        if (sum_over_all(degree) == 0) continue; /* no other vertex can be reached from it */
        const double begin = seconds();
        search(root, frontier);
        took += real_max_over_all(seconds() - begin);
        long reached;
        wrong += check(root, levels, &reached);
        edges += (double)sum_over_all(reached) / 2;
        done++;
    }
    return finish("bfs", wrong, edges / took / 1e6, "MTEPS", took, options, OPTIONS(options));
}
