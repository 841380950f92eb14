/* Puts, gets, atomics and signals. `at` is the symmetric argument, `pe` the target and `on` the context of a call; each kind of
 * call is made with one of them wrong at a time. */

/* The caller's own side of a call. */
#define OWN long own[8] = {0}; (void)own;
/* The errors of a call `stem` whose symmetric argument is called `what`, without and with a context. */
#define WRONG(stem, what, ...)                                                                                         \
    BAD(ONE, stem##_pe_beyond, "shmem_" #stem, "pe", long *at = word; int pe = npes; OWN __VA_ARGS__)                  \
    BAD(ONE, stem##_pe_negative, "shmem_" #stem, "pe", long *at = word; int pe = -1; OWN __VA_ARGS__)                  \
    BAD(ONE, stem##_pe_far, "shmem_" #stem, "pe", long *at = heap; int pe = INT32_MAX; OWN __VA_ARGS__)                \
    BAD(ONE, stem##_stack, "shmem_" #stem, what, long *at = stack; int pe = 0; OWN __VA_ARGS__)                        \
    BAD(ONE, stem##_null, "shmem_" #stem, what, long *at = NULL; int pe = 0; OWN __VA_ARGS__)                          \
    BAD(ONE, stem##_malloc, "shmem_" #stem, what, long *at = calloc(8, 8); int pe = 0; OWN __VA_ARGS__)                  \
    BAD(ONE, stem##_beyond, "shmem_" #stem, what, long *at = heap + ((size_t)1 << 36); int pe = 0; OWN __VA_ARGS__)
#define WRONG_ON(stem, what, ...)                                                                                      \
    BAD(ONE, ctx_##stem##_pe_beyond, "shmem_ctx_" #stem, "pe", shmem_ctx_t on = ctx; long *at = word; int pe = npes; OWN __VA_ARGS__)\
    BAD(ONE, ctx_##stem##_stack, "shmem_ctx_" #stem, what, shmem_ctx_t on = ctx; long *at = stack; int pe = 0; OWN __VA_ARGS__)\
    BAD(ONE, ctx_##stem##_none, "shmem_ctx_" #stem, "ctx", shmem_ctx_t on = SHMEM_CTX_INVALID; long *at = word; int pe = 0; OWN __VA_ARGS__)\
    BAD(ONE, ctx_##stem##_destroyed, "shmem_ctx_" #stem, "ctx", shmem_ctx_t on = dead_ctx; long *at = word; int pe = 0; OWN __VA_ARGS__)\
    BAD(ONE, ctx_##stem##_garbage, "shmem_ctx_" #stem, "ctx", shmem_ctx_t on = GARBAGE_CTX; long *at = word; int pe = 0; OWN __VA_ARGS__)
/* Words that the processor must reach in one piece. */
#define UNALIGNED(stem, what, ...)                                                                                     \
    BAD(ONE, stem##_unaligned, "shmem_" #stem, what, long *at = ODD(long, word); int pe = 0; OWN __VA_ARGS__)

/* `CALL(p, "dest", at, 1, pe)`: shmem_p(at, 1, pe) and shmem_ctx_p(on, at, 1, pe). */
#define CALL(stem, what, ...)                                                                                          \
    WRONG(stem, what, shmem_##stem(__VA_ARGS__))                                                                       \
    WRONG_ON(stem, what, shmem_ctx_##stem(on, __VA_ARGS__))
#define WORD(stem, what, ...)                                                                                          \
    CALL(stem, what, __VA_ARGS__)                                                                                      \
    UNALIGNED(stem, what, shmem_##stem(__VA_ARGS__))

CALL(long_put, "dest", at, own, 4, pe)
CALL(long_put_nbi, "dest", at, own, 4, pe)
CALL(long_get, "source", own, at, 4, pe)
CALL(long_get_nbi, "source", own, at, 4, pe)
CALL(long_p, "dest", at, 1, pe)
WRONG(long_g, "source", own[0] = shmem_long_g(at, pe))
WRONG_ON(long_g, "source", own[0] = shmem_ctx_long_g(on, at, pe))
CALL(longdouble_p, "dest", (long double *)at, 1, pe)
CALL(putmem, "dest", at, own, 5, pe)
CALL(getmem, "source", own, at, 5, pe)
CALL(putmem_nbi, "dest", at, own, 5, pe)
CALL(getmem_nbi, "source", own, at, 5, pe)
CALL(put128, "dest", at, own, 1, pe)
CALL(get8, "source", own, at, 3, pe)
CALL(long_iput, "dest", at, own, 2, 1, 3, pe)
CALL(long_iget, "source", own, at, 1, 2, 3, pe)
CALL(long_ibput, "dest", at, own, 2, 2, 2, 2, pe)
CALL(long_ibget, "source", own, at, 2, 2, 2, 2, pe)
CALL(iput32, "dest", at, own, 2, 1, 3, pe)
CALL(ibget64, "source", own, at, 2, 2, 2, 2, pe)
CALL(long_put_signal, "dest", at, own, 2, &sig, 1, SHMEM_SIGNAL_SET, pe)
CALL(long_put_signal_nbi, "dest", at, own, 2, &sig, 1, SHMEM_SIGNAL_ADD, pe)
CALL(putmem_signal, "dest", at, own, 2, &sig, 1, SHMEM_SIGNAL_SET, pe)
WORD(signal_add, "sig_addr", (uint64_t *)at, 1, pe)
WORD(signal_set, "sig_addr", (uint64_t *)at, 1, pe)

WORD(long_atomic_fetch, "source", at, pe)
WORD(long_atomic_set, "dest", at, 1, pe)
WORD(long_atomic_swap, "dest", at, 1, pe)
WORD(long_atomic_compare_swap, "dest", at, 1, 2, pe)
WORD(long_atomic_fetch_inc, "dest", at, pe)
WORD(long_atomic_inc, "dest", at, pe)
WORD(long_atomic_fetch_add, "dest", at, 1, pe)
WORD(long_atomic_add, "dest", at, 1, pe)
WORD(ulong_atomic_fetch_and, "dest", (unsigned long *)at, 1, pe)
WORD(ulong_atomic_and, "dest", (unsigned long *)at, 1, pe)
WORD(ulong_atomic_fetch_or, "dest", (unsigned long *)at, 1, pe)
WORD(ulong_atomic_or, "dest", (unsigned long *)at, 1, pe)
WORD(ulong_atomic_fetch_xor, "dest", (unsigned long *)at, 1, pe)
WORD(ulong_atomic_xor, "dest", (unsigned long *)at, 1, pe)
WORD(double_atomic_set, "dest", (double *)at, 1, pe)
WORD(int_atomic_fetch_add, "dest", (int *)at, 1, pe)
WORD(long_atomic_fetch_nbi, "source", own, at, pe)
WORD(long_atomic_swap_nbi, "dest", own, at, 1, pe)
WORD(long_atomic_compare_swap_nbi, "dest", own, at, 1, 2, pe)
WORD(long_atomic_fetch_inc_nbi, "dest", own, at, pe)
WORD(long_atomic_fetch_add_nbi, "dest", own, at, 1, pe)
WORD(ulong_atomic_fetch_or_nbi, "dest", (unsigned long *)own, (unsigned long *)at, 1, pe)

/* The names of before 1.4, and vendors' names, are of the same family. */
WRONG(long_fadd, "dest", shmem_long_fadd(at, 1, pe))
WRONG(long_swap, "dest", shmem_long_swap(at, 1, pe))
BAD(ONE, x_long_put_nb_pe, "shmemx_long_put_nb", "pe", shmemx_long_put_nb(word, more, 1, npes))
BAD(ONE, x_short_add_stack, "shmemx_short_add", "dest", shmemx_short_add((short *)stack, 1, 0))

/* Routines that exist only for some types. */
BAD(ONE, put_signal_op, "shmem_long_put_signal", "sig_op", shmem_long_put_signal(word, more, 1, &sig, 1, 815, 0))
BAD(ONE, put_signal_nbi_op, "shmem_putmem_signal_nbi", "sig_op", shmem_putmem_signal_nbi(word, more, 1, &sig, 1, -1, 0))
BAD(ONE, put_signal_stack, "shmem_long_put_signal", "sig_addr",
    shmem_long_put_signal(word, more, 1, (uint64_t *)stack, 1, SHMEM_SIGNAL_SET, 0))
BAD(ONE, put_signal_null, "shmem_long_put_signal", "sig_addr", shmem_long_put_signal(word, more, 1, NULL, 1, SHMEM_SIGNAL_SET, 0))
BAD(ONE, put_signal_unaligned, "shmem_long_put_signal", "sig_addr",
    shmem_long_put_signal(word, more, 1, ODD(uint64_t, &sig), 1, SHMEM_SIGNAL_ADD, 0))
BAD(ONE, put_signal_nothing_to_nobody, "shmem_long_put_signal", "pe",
    shmem_long_put_signal(word, more, 0, &sig, 1, SHMEM_SIGNAL_ADD, npes))
BAD(ONE, iput_stride_zero, "shmem_long_iput", "dst", shmem_long_iput(word, more, 0, 1, 3, 0))
BAD(ONE, iget_stride_negative, "shmem_long_iget", "sst", shmem_long_iget(word, more, 1, -1, 3, 0))
BAD(ONE, ibput_stride_below_block, "shmem_long_ibput", "dst", shmem_long_ibput(word, more, 1, 4, 2, 3, 0))
BAD(ONE, put_longer_than_memory, "shmem_long_put", "dest", shmem_long_put(heap, more, SIZE_MAX / 2, 0))
BAD(ONE, put_beyond_statics, "shmem_putmem", "dest", shmem_putmem(word, more, (size_t)1 << 40, 0))
BAD(ONE, iget_longer_than_memory, "shmem_long_iget", "source", shmem_long_iget(more, heap, 1, INT64_MAX / 2, 9, 0))

/* The own side is the program's own memory. */
BAD(FAULT, put_source_null, "", "", shmem_long_put(word, NULL, 4, 0))
BAD(FAULT, get_dest_null, "", "", shmem_long_get(NULL, word, 4, 0))
BAD(FAULT, iput_source_null, "", "", shmem_long_iput(word, NULL, 1, 1, 4, 0))
BAD(FAULT, fetch_null, "", "", shmem_long_atomic_fetch_nbi(NULL, word, 0))

/* Calls that may look wrong, but are correct. */
BAD(FINE, nothing_to_put, "", "", shmem_long_put(NULL, NULL, 0, 0); shmem_long_get(NULL, NULL, 0, 0))
BAD(FINE, nothing_to_put_strided, "", "", shmem_long_iput(NULL, NULL, 0, 0, 0, 0); shmem_long_ibget(NULL, NULL, 1, 1, 1, 0, 0))
BAD(FINE, nothing_but_a_signal, "", "", shmem_long_put_signal(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_SET, 0))
BAD(FINE, odd_addresses, "", "", long own[2] = {1, 2}; shmem_long_put(ODD(long, word), own, 2, 0);
    shmem_long_get(own, ODD(long, word), 2, 0); CHECK(own[0] == 1 && own[1] == 2);
    shmem_long_p(ODD(long, heap), 7, 0); CHECK(shmem_long_g(ODD(long, heap), 0) == 7))

#undef OWN
#undef WRONG
#undef WRONG_ON
#undef UNALIGNED
#undef CALL
#undef WORD
