/* Collectives, of teams and of active sets. */

/* A collective of a team: destination, source, and an invalid team. */
#define TEAM(stem, ...)                                                                                                \
    BAD(ALL, stem##_dest_stack, "shmem_" #stem, "dest", shmem_team_t by = team; long *to = stack, *from = more;        \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    BAD(ALL, stem##_source_stack, "shmem_" #stem, "source", shmem_team_t by = team; long *to = word, *from = stack;    \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    BAD(ALL, stem##_dest_null, "shmem_" #stem, "dest", shmem_team_t by = team; long *to = NULL, *from = more;          \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    BAD(ALL, stem##_source_null, "shmem_" #stem, "source", shmem_team_t by = team; long *to = word, *from = NULL;      \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    NO_TEAM(stem, __VA_ARGS__)
#define NO_TEAM(stem, ...)                                                                                             \
    BAD(ALL, stem##_team_destroyed, "shmem_" #stem, "team", shmem_team_t by = dead_team; long *to = word, *from = more; \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    BAD(ONE, stem##_team_garbage, "shmem_" #stem, "team", shmem_team_t by = GARBAGE_TEAM; long *to = word, *from = more; \
        (void)to; (void)from; (void)shmem_##stem(__VA_ARGS__))                                                     \
    BAD(FINE, stem##_team_none, "", "", shmem_team_t by = SHMEM_TEAM_INVALID; long *to = word, *from = more;           \
        (void)to; (void)from; CHECK(shmem_##stem(__VA_ARGS__) != 0))

TEAM(long_collect, by, to, from, 2)
TEAM(long_fcollect, by, to, from, 2)
TEAM(long_alltoall, by, to, from, 2)
TEAM(long_alltoalls, by, to, from, 2, 1, 2)
TEAM(collectmem, by, to, from, 5)
TEAM(fcollectmem, by, to, from, 5)
TEAM(alltoallmem, by, to, from, 5)
TEAM(long_sum_reduce, by, to, from, 3)
TEAM(long_max_reduce, by, to, from, 3)
TEAM(double_prod_reduce, by, (double *)to, (double *)from, 3)
TEAM(ulong_xor_reduce, by, (unsigned long *)to, (unsigned long *)from, 3)
TEAM(long_sum_inscan, by, to, from, 3)
TEAM(long_sum_exscan, by, to, from, 3)
NO_TEAM(long_broadcast, by, to, from, 2, 0)
NO_TEAM(team_sync, by)
BAD(ALL, broadcast_dest_stack, "shmem_long_broadcast", "dest", (void)shmem_long_broadcast(team, stack, more, 1, 0))
BAD(ALL, broadcast_source_stack, "shmem_long_broadcast", "source", (void)shmem_long_broadcast(team, word, stack, 1, 0))
BAD(ALL, broadcast_root_beyond, "shmem_long_broadcast", "PE_root", (void)shmem_long_broadcast(team, word, more, 1, npes))
BAD(ALL, broadcast_root_negative, "shmem_broadcastmem", "PE_root", (void)shmem_broadcastmem(team, word, more, 1, -1))
BAD(ALL, alltoalls_dst_zero, "shmem_long_alltoalls", "dst", (void)shmem_long_alltoalls(team, word, more, 0, 1, 2))
BAD(ALL, alltoalls_sst_negative, "shmem_alltoallsmem", "sst", (void)shmem_alltoallsmem(team, word, more, 1, -3, 2))
BAD(ALL, fcollect_beyond_memory, "shmem_long_fcollect", "dest|source", (void)shmem_long_fcollect(team, heap, heap, SIZE_MAX / 4))
BAD(ALL, reduce_beyond_memory, "shmem_long_sum_reduce", "dest|source", (void)shmem_long_sum_reduce(team, heap, heap, SIZE_MAX / 8))
BAD(ONE, nothing_from_a_root_beyond, "shmem_long_broadcast", "PE_root", (void)shmem_long_broadcast(team, NULL, NULL, 0, npes))

/* An active set: the triplet and its arrays. */
#define SET(stem, ...)                                                                                                 \
    BAD(ALL, stem##_set_empty, "shmem_" #stem, "PE_size", int start = 0, log = 0, size = 0; long *sync = psync;        \
        shmem_##stem(__VA_ARGS__))                                                                                     \
    BAD(ALL, stem##_set_negative, "shmem_" #stem, "PE_size", int start = 0, log = 0, size = -2; long *sync = psync;    \
        shmem_##stem(__VA_ARGS__))                                                                                     \
    BAD(ALL, stem##_set_start_negative, "shmem_" #stem, "PE_start", int start = -1, log = 0, size = npes;              \
        long *sync = psync; shmem_##stem(__VA_ARGS__))                                                                 \
    BAD(ALL, stem##_set_beyond, "shmem_" #stem, "PE_size", int start = 1, log = 0, size = npes; long *sync = psync;    \
        shmem_##stem(__VA_ARGS__))                                                                                     \
    BAD(ALL, stem##_set_stride_negative, "shmem_" #stem, "logPE_stride", int start = 0, log = -1, size = npes;         \
        long *sync = psync; shmem_##stem(__VA_ARGS__))                                                                 \
    BAD(ALL, stem##_set_stride_huge, "shmem_" #stem, "logPE_stride", int start = 0, log = 1000, size = npes;           \
        long *sync = psync; shmem_##stem(__VA_ARGS__))                                                                 \
    BAD(ALL, stem##_psync_null, "shmem_" #stem, "pSync", int start = 0, log = 0, size = npes; long *sync = NULL;       \
        shmem_##stem(__VA_ARGS__))

SET(barrier, start, log, size, sync)
SET(sync, start, log, size, sync)
SET(broadcast64, word, more, 2, 0, start, log, size, sync)
SET(collect64, word, more, 2, start, log, size, sync)
SET(fcollect32, word, more, 2, start, log, size, sync)
SET(alltoall64, word, more, 2, start, log, size, sync)
SET(alltoalls32, word, more, 1, 1, 2, start, log, size, sync)
SET(long_sum_to_all, word, more, 2, start, log, size, pwrk, sync)
SET(long_xor_to_all, word, more, 2, start, log, size, pwrk, sync)
BAD(ALL, to_all_dest_stack, "shmem_long_sum_to_all", "dest", shmem_long_sum_to_all(stack, more, 2, 0, 0, npes, pwrk, psync))
BAD(ALL, to_all_source_null, "shmem_long_max_to_all", "source", shmem_long_max_to_all(word, NULL, 2, 0, 0, npes, pwrk, psync))
BAD(ALL, to_all_negative, "shmem_long_min_to_all", "nreduce", shmem_long_min_to_all(word, more, -1, 0, 0, npes, pwrk, psync))
BAD(FINE, to_all_pwrk_null, "", "", shmem_long_prod_to_all(word, more, 2, 1, 0, 1, NULL, psync))
BAD(ALL, set_broadcast_root, "shmem_broadcast32", "PE_root", shmem_broadcast32(word, more, 2, npes, 0, 0, npes, psync))
BAD(ALL, set_broadcast_stack, "shmem_broadcast64", "dest|source", shmem_broadcast64(stack, stack, 2, 0, 0, 0, npes, psync))
BAD(ALL, set_collect_stack, "shmem_collect32", "dest", shmem_collect32(stack, more, 2, 0, 0, npes, psync))
BAD(FINE, set_of_nothing, "", "", shmem_long_sum_to_all(NULL, NULL, 0, 1, 0, 1, pwrk, psync))

#undef TEAM
#undef NO_TEAM
#undef SET
