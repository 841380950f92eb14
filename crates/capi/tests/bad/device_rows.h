/* Operands of device memory: the rows of `device.c`. What the specification allows is in the programs of `c/device`. */

/* A symmetric operand `at` that is device memory, but not symmetric; or private, beside an operand on the device; or too long. */
#define REMOTE(stem, what, ...)                                                                                        \
    BAD(ONE, stem##_device, "shmem_" #stem, what " 0x.*device memory", long *at = outside; shmem_##stem(__VA_ARGS__))  \
    BAD(ONE, stem##_private, "shmem_" #stem, what " 0x.*not symmetric", long *at = own; shmem_##stem(__VA_ARGS__))     \
    BAD(ONE, stem##_beyond, "shmem_" #stem, what " 0x.*beyond the end of the device heap",                             \
        long *at = device + DEVICE_BYTES / sizeof *device - 1; at = (long *)((char *)at + 4); shmem_##stem(__VA_ARGS__))
/* The same for a word, which must also be aligned. */
#define WORD(stem, what, ...)                                                                                          \
    BAD(ONE, stem##_device, "shmem_" #stem, what " 0x.*device memory", long *at = outside; (void)shmem_##stem(__VA_ARGS__)) \
    BAD(ONE, stem##_private, "shmem_" #stem, what " 0x.*not symmetric", long *at = own; (void)shmem_##stem(__VA_ARGS__)) \
    BAD(ONE, stem##_unaligned, "shmem_" #stem, what " 0x.*not aligned",                                                \
        long *at = (long *)((char *)device + 4); (void)shmem_##stem(__VA_ARGS__))

REMOTE(long_put, "dest", at, device, N, to)
REMOTE(long_put_nbi, "dest", at, device, N, to)
REMOTE(putmem, "dest", at, device, 9, to)
REMOTE(long_p, "dest", at, 5, to)
REMOTE(long_iput, "dest", at, device, 2, 1, N, to)
REMOTE(long_ibput, "dest", at, device, 2, 2, 1, N, to)
REMOTE(long_get, "source", device, at, N, to)
REMOTE(long_get_nbi, "source", device, at, N, to)
REMOTE(getmem, "source", device, at, 9, to)
REMOTE(long_g, "source", at, to)
REMOTE(long_iget, "source", device, at, 1, 2, N, to)
REMOTE(long_ibget, "source", device, at, 2, 2, 1, N, to)
REMOTE(long_put_signal, "dest", at, device, N, sig, 1, SHMEM_SIGNAL_SET, to)
REMOTE(long_put_signal_nbi, "dest", at, device, N, sig, 1, SHMEM_SIGNAL_ADD, to)
WORD(signal_add, "sig_addr", (uint64_t *)at, 1, to)
WORD(signal_set, "sig_addr", (uint64_t *)at, 1, to)
WORD(signal_fetch, "sig_addr", (uint64_t *)at)
WORD(signal_wait_until, "sig_addr", (uint64_t *)at, SHMEM_CMP_EQ, 7)
#define SIGNAL(kind, says, address)                                                                                    \
    BAD(ONE, put_signal_sig_##kind, "shmem_long_put_signal", "sig_addr 0x.*" says,                                     \
        shmem_long_put_signal(device, own, N, (uint64_t *)(address), 1, SHMEM_SIGNAL_SET, to))                         \
    BAD(ONE, put_signal_nbi_sig_##kind, "shmem_long_put_signal_nbi", "sig_addr 0x.*" says,                             \
        shmem_long_put_signal_nbi(host, outside, N, (uint64_t *)(address), 1, SHMEM_SIGNAL_ADD, to))
SIGNAL(device, "device memory", outside)
SIGNAL(private, "not symmetric", own)
SIGNAL(unaligned, "not aligned", (char *)device + 4)

WORD(long_atomic_fetch, "source", at, to)
WORD(long_atomic_set, "dest", at, 1, to)
WORD(long_atomic_inc, "dest", at, to)
WORD(long_atomic_add, "dest", at, 1, to)
WORD(long_atomic_swap, "dest", at, 1, to)
WORD(long_atomic_compare_swap, "dest", at, 1, 2, to)
WORD(long_atomic_fetch_inc, "dest", at, to)
WORD(long_atomic_fetch_add, "dest", at, 1, to)
WORD(ulong_atomic_and, "dest", (unsigned long *)at, 1, to)
WORD(ulong_atomic_or, "dest", (unsigned long *)at, 1, to)
WORD(ulong_atomic_xor, "dest", (unsigned long *)at, 1, to)
WORD(ulong_atomic_fetch_and, "dest", (unsigned long *)at, 1, to)
WORD(ulong_atomic_fetch_or, "dest", (unsigned long *)at, 1, to)
WORD(ulong_atomic_fetch_xor, "dest", (unsigned long *)at, 1, to)
WORD(long_atomic_fetch_nbi, "source", device, at, to)
WORD(long_atomic_swap_nbi, "dest", device, at, 1, to)
WORD(long_atomic_compare_swap_nbi, "dest", device, at, 1, 2, to)
WORD(long_atomic_fetch_inc_nbi, "dest", device, at, to)
WORD(long_atomic_fetch_add_nbi, "dest", device, at, 1, to)
WORD(ulong_atomic_fetch_and_nbi, "dest", (unsigned long *)device, (unsigned long *)at, 1, to)
WORD(ulong_atomic_fetch_or_nbi, "dest", (unsigned long *)device, (unsigned long *)at, 1, to)
WORD(ulong_atomic_fetch_xor_nbi, "dest", (unsigned long *)device, (unsigned long *)at, 1, to)

/* Waits and tests: words that no peer can reach, and arrays that only the host reads. */
WORD(long_wait_until, "ivar", at, SHMEM_CMP_EQ, 7)
WORD(long_test, "ivar", at, SHMEM_CMP_EQ, 7)
WORD(long_wait, "ivar", at, 0)
#define ON_HOST(stem, what, ...)                                                                                       \
    BAD(ONE, stem##_##what##_device, "shmem_" #stem, #what " 0x.*device memory", void *bad = outside; (void)shmem_##stem(__VA_ARGS__)) \
    BAD(ONE, stem##_##what##_symmetric, "shmem_" #stem, #what " 0x.*device memory", void *bad = device; (void)shmem_##stem(__VA_ARGS__))
#define VECTOR(stem, wanted)                                                                                           \
    WORD(stem, "ivars", at, N, NULL, SHMEM_CMP_EQ, wanted)                                                             \
    ON_HOST(stem, status, device, N, bad, SHMEM_CMP_EQ, wanted)
#define SOME(stem, wanted)                                                                                             \
    WORD(stem, "ivars", at, N, indices, NULL, SHMEM_CMP_EQ, wanted)                                                    \
    ON_HOST(stem, status, device, N, indices, bad, SHMEM_CMP_EQ, wanted)                                               \
    ON_HOST(stem, indices, host, N, bad, status, SHMEM_CMP_EQ, wanted)
VECTOR(long_wait_until_all, 7)
VECTOR(long_wait_until_any, 7)
SOME(long_wait_until_some, 7)
VECTOR(long_test_all, 7)
VECTOR(long_test_any, 7)
SOME(long_test_some, 7)
VECTOR(long_wait_until_all_vector, wants)
VECTOR(long_wait_until_any_vector, wants)
SOME(long_wait_until_some_vector, wants)
VECTOR(long_test_all_vector, wants)
VECTOR(long_test_any_vector, wants)
SOME(long_test_some_vector, wants)
ON_HOST(long_wait_until_all_vector, cmp_values, host, N, NULL, SHMEM_CMP_EQ, bad)
ON_HOST(long_test_any_vector, cmp_values, device, N, NULL, SHMEM_CMP_EQ, bad)
ON_HOST(long_test_some_vector, cmp_values, device, N, indices, NULL, SHMEM_CMP_EQ, bad)

/* Local operands that reach beyond the device memory that they begin in. */
BAD(ONE, put_source_beyond, "shmem_putmem", "source 0x.*beyond the end of the device memory", shmem_putmem(host, outside, 4 << 20, to))
BAD(ONE, iput_source_beyond, "shmem_long_iput", "source 0x.*beyond the end of the device memory",
    shmem_long_iput(device, outside, 1, 1 << 17, N, to))
BAD(ONE, get_dest_beyond, "shmem_getmem", "dest 0x.*beyond the end of the device memory", shmem_getmem(outside, host, 4 << 20, to))
BAD(ONE, ibget_dest_beyond, "shmem_long_ibget", "dest 0x.*beyond the end of the device memory",
    shmem_long_ibget(outside, device, 1 << 17, 2, 2, N, to))
BAD(ONE, put_signal_source_beyond, "shmem_putmem_signal", "source 0x.*beyond the end of the device memory",
    shmem_putmem_signal(device, outside, 4 << 20, sig, 1, SHMEM_SIGNAL_SET, to))
BAD(ONE, fetch_beyond, "shmem_long_atomic_fetch_nbi", "fetch 0x.*beyond the end of the device memory",
    shmem_long_atomic_fetch_nbi((long *)((char *)outside + (2 << 20) - 4), device, to))

/* Collectives: both operands are symmetric, in either memory. */
#define COLLECTIVE(stem, ...)                                                                                          \
    BAD(ALL, stem##_dest_device, "shmem_" #stem, "dest 0x.*device memory", long *dest = outside, *source = device; shmem_##stem(__VA_ARGS__)) \
    BAD(ALL, stem##_dest_private, "shmem_" #stem, "dest 0x.*not symmetric", long *dest = own, *source = device; shmem_##stem(__VA_ARGS__)) \
    BAD(ALL, stem##_source_device, "shmem_" #stem, "source 0x.*device memory", long *dest = device, *source = outside; shmem_##stem(__VA_ARGS__)) \
    BAD(ALL, stem##_source_private, "shmem_" #stem, "source 0x.*not symmetric", long *dest = device, *source = own; shmem_##stem(__VA_ARGS__))
#define TEAM SHMEM_TEAM_WORLD
#define SET 0, 0, npes
COLLECTIVE(long_collect, TEAM, dest, source, N)
COLLECTIVE(long_fcollect, TEAM, dest, source, N)
COLLECTIVE(long_alltoall, TEAM, dest, source, N)
COLLECTIVE(long_alltoalls, TEAM, dest, source, 2, 1, N)
#define REDUCTION(op) COLLECTIVE(ulong_##op##_reduce, TEAM, (unsigned long *)dest, (unsigned long *)source, N)
REDUCTION(and)
REDUCTION(or)
REDUCTION(xor)
REDUCTION(max)
REDUCTION(min)
REDUCTION(sum)
REDUCTION(prod)
COLLECTIVE(long_sum_inscan, TEAM, dest, source, N)
COLLECTIVE(long_sum_exscan, TEAM, dest, source, N)
COLLECTIVE(collect64, dest, source, N, SET, psync)
COLLECTIVE(fcollect64, dest, source, N, SET, psync)
COLLECTIVE(alltoall64, dest, source, N, SET, psync)
COLLECTIVE(alltoalls64, dest, source, 2, 1, N, SET, psync)
#define TO_ALL(op) COLLECTIVE(long_##op##_to_all, dest, source, N, SET, pwork, psync)
TO_ALL(and)
TO_ALL(or)
TO_ALL(xor)
TO_ALL(max)
TO_ALL(min)
TO_ALL(sum)
TO_ALL(prod)
/* Only the root's source is read, and only the others' destination is written by the form over active sets. */
BAD(ALL, broadcast_dest_device, "shmem_long_broadcast", "dest 0x.*device memory", shmem_long_broadcast(TEAM, outside, device, N, 0))
BAD(ALL, broadcast_dest_private, "shmem_long_broadcast", "dest 0x.*not symmetric", shmem_long_broadcast(TEAM, own, device, N, 0))
BAD(ALL, broadcast_source_device, "shmem_long_broadcast", "source 0x.*device memory", shmem_long_broadcast(TEAM, device, outside, N, 0))
BAD(ALL, broadcast_source_private, "shmem_long_broadcast", "source 0x.*not symmetric", shmem_long_broadcast(TEAM, device, own, N, 0))
BAD(ALL, broadcast64_dest_device, "shmem_broadcast64", "dest 0x.*device memory", shmem_broadcast64(outside, device, N, 0, SET, psync))
BAD(ALL, broadcast64_dest_private, "shmem_broadcast64", "dest 0x.*not symmetric", shmem_broadcast64(own, device, N, 0, SET, psync))
BAD(ALL, broadcast64_source_device, "shmem_broadcast64", "source 0x.*device memory", shmem_broadcast64(device, outside, N, 0, SET, psync))
BAD(ALL, broadcast64_source_private, "shmem_broadcast64", "source 0x.*not symmetric", shmem_broadcast64(device, own, N, 0, SET, psync))

/* What ferrite_gpu(7) lists as memory of the host only, and the wrong routine for a block. */
BAD(ONE, set_lock, "shmem_set_lock", "lock 0x.*device memory", shmem_set_lock(device))
BAD(ONE, test_lock, "shmem_test_lock", "lock 0x.*device memory", (void)shmem_test_lock(device))
BAD(ONE, clear_lock, "shmem_clear_lock", "lock 0x.*device memory", shmem_clear_lock(device))
#define LATER(stem, ...)                                                                                               \
    BAD(ALL, stem##_dest, "shmemx_long_" #stem, "dest or source .*device", long *dest = device, *source = host; shmemx_long_##stem(__VA_ARGS__)) \
    BAD(ALL, stem##_source, "shmemx_long_" #stem, "dest or source .*device", long *dest = host, *source = device; shmemx_long_##stem(__VA_ARGS__))
LATER(broadcast_nb, TEAM, dest, source, N, 0, &request)
LATER(fcollect_nb, TEAM, dest, source, N, &request)
LATER(alltoall_nb, TEAM, dest, source, N, &request)
LATER(max_reduce_nb, TEAM, dest, source, N, &request)
#define UNEVEN(target, source) shmemx_team_alltoallv(target, places, lens, source, places, lens, TEAM, psync)
#define PACKED(target, source) shmemx_team_alltoallv_packed(target, 64, &total, source, places, lens, TEAM, psync)
BAD(ALL, alltoallv_target, "shmemx_team_alltoallv", "dest or source .*device", UNEVEN(device, host))
BAD(ALL, alltoallv_source, "shmemx_team_alltoallv", "dest or source .*device", UNEVEN(host, device))
BAD(ALL, alltoallv_packed_target, "shmemx_team_alltoallv_packed", "dest or source .*device", PACKED(device, host))
BAD(ALL, alltoallv_packed_source, "shmemx_team_alltoallv_packed", "dest or source .*device", PACKED(host, device))
#define CARRIED(op)                                                                                                    \
    BAD(ALL, agg_##op, "shmemx_agg_" #op, "dest 0x.*device memory", shmemx_agg_t by;                                   \
        CHECK_EQ(shmemx_agg_create(0, NULL, NULL, 0, &by), 0); shmemx_agg_##op(by, (uint64_t *)device, 1, to))
CARRIED(put)
CARRIED(add)
CARRIED(or)
CARRIED(xor)
BAD(ALL, free_of_the_device, "shmem_free", "ptr 0x.*device memory", shmem_free(device))
BAD(ALL, realloc_of_the_device, "shmem_realloc", "ptr 0x.*device memory", host = shmem_realloc(device, 100))
BAD(ALL, shmemg_free_of_the_host, "shmemg_free", "ptr 0x.*not from the device heap", shmemg_free(host))
BAD(ALL, shmemg_free_within_a_block, "shmemg_free", "ptr 0x.*not its start", shmemg_free(device + 1))

#undef REMOTE
#undef WORD
#undef SIGNAL
#undef ON_HOST
#undef VECTOR
#undef SOME
#undef COLLECTIVE
#undef REDUCTION
#undef TO_ALL
#undef LATER
#undef UNEVEN
#undef PACKED
#undef CARRIED
#undef TEAM
#undef SET
