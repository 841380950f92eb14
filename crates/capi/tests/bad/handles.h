/* Contexts, teams, memory and queries: destroyed and invalid handles, addresses that are not blocks, invalid places to write to. */

/* Contexts. */
#define HANDLE(name, routine, ...)                                                                                     \
    BAD(ONE, name##_destroyed, routine, "ctx", shmem_ctx_t on = dead_ctx; __VA_ARGS__)                                 \
    BAD(ONE, name##_garbage, routine, "ctx", shmem_ctx_t on = GARBAGE_CTX; __VA_ARGS__)                                \
    BAD(ONE, name##_small, routine, "ctx", shmem_ctx_t on = (shmem_ctx_t)(uintptr_t)7; __VA_ARGS__)
HANDLE(ctx_destroy, "shmem_ctx_destroy", shmem_ctx_destroy(on))
HANDLE(ctx_quiet, "shmem_ctx_quiet", shmem_ctx_quiet(on))
HANDLE(ctx_fence, "shmem_ctx_fence", shmem_ctx_fence(on))
HANDLE(ctx_pe_quiet, "shmem_ctx_pe_quiet", shmem_ctx_pe_quiet(on, &me, 1))
HANDLE(ctx_get_team, "shmem_ctx_get_team", shmem_team_t of; (void)shmem_ctx_get_team(on, &of))
HANDLE(ctx_session_start, "shmem_ctx_session_start", shmem_ctx_session_start(on, 0, NULL, 0))
HANDLE(ctx_session_stop, "shmem_ctx_session_stop", shmem_ctx_session_stop(on))
BAD(ONE, ctx_destroy_default, "shmem_ctx_destroy", "ctx", shmem_ctx_destroy(SHMEM_CTX_DEFAULT))
BAD(ONE, ctx_destroy_twice, "shmem_ctx_destroy", "ctx", shmem_ctx_destroy(ctx); shmem_ctx_destroy(ctx))
BAD(ONE, ctx_of_destroyed_team, "shmem_ctx_long_p", "ctx", shmem_ctx_t of; shmem_team_t alone;
    shmemx_team_split_strided(SHMEM_TEAM_WORLD, me, 1, 1, &alone); CHECK(shmem_team_create_ctx(alone, 0, &of) == 0);
    shmemx_team_destroy(&alone); shmem_ctx_long_p(of, word, 1, 0))
BAD(ONE, ctx_create_null, "shmem_ctx_create", "ctx", (void)shmem_ctx_create(0, NULL))
BAD(ONE, team_create_ctx_null, "shmem_team_create_ctx", "ctx", (void)shmem_team_create_ctx(team, 0, NULL))
BAD(ONE, ctx_get_team_null, "shmem_ctx_get_team", "team", (void)shmem_ctx_get_team(ctx, NULL))
BAD(ONE, pe_quiet_beyond, "shmem_pe_quiet", "pe", shmem_pe_quiet(&npes, 1))
BAD(ONE, pe_quiet_null, "shmem_pe_quiet", "target_pes", shmem_pe_quiet(NULL, 2))
BAD(ONE, session_config_null, "shmem_ctx_session_start", "config",
    shmem_ctx_session_start(ctx, 0, NULL, SHMEM_CTX_SESSION_TOTAL_OPS))
BAD(FINE, ctx_create_unknown_options, "", "", shmem_ctx_t no = SHMEM_CTX_DEFAULT;
    CHECK(shmem_ctx_create(1L << 40, &no) != 0 && no == SHMEM_CTX_INVALID))
BAD(FINE, session_unknown_options, "", "", shmem_ctx_session_start(ctx, 1L << 40, NULL, 0); shmem_ctx_session_stop(ctx);
    shmemx_session_start(SHMEM_CTX_DEFAULT, 1 << 20); shmemx_session_stop(SHMEM_CTX_DEFAULT))
BAD(FINE, ctx_invalid, "", "", shmem_ctx_quiet(SHMEM_CTX_INVALID); shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_destroy(SHMEM_CTX_INVALID); shmem_ctx_session_start(SHMEM_CTX_INVALID, ~0L, NULL, ~0L))

/* Counters of contexts. */
#define COUNTER(name)                                                                                                  \
    HANDLE(pcntr_##name, "shmemx_pcntr_get_" #name, uint64_t count; shmemx_pcntr_get_##name(on, &count))               \
    BAD(ONE, pcntr_##name##_none, "shmemx_pcntr_get_" #name, "ctx", uint64_t count;                                    \
        shmemx_pcntr_get_##name(SHMEM_CTX_INVALID, &count))                                                            \
    BAD(ONE, pcntr_##name##_null, "shmemx_pcntr_get_" #name, "cntr_value", shmemx_pcntr_get_##name(ctx, NULL))
COUNTER(issued_write)
COUNTER(issued_read)
COUNTER(completed_write)
COUNTER(completed_read)
BAD(ONE, pcntr_target_null, "shmemx_pcntr_get_completed_target", "cntr_value", shmemx_pcntr_get_completed_target(NULL))
HANDLE(pcntr_all, "shmemx_pcntr_get_all", shmemx_pcntr_t counts; shmemx_pcntr_get_all(on, &counts))
BAD(ONE, pcntr_all_none, "shmemx_pcntr_get_all", "ctx", shmemx_pcntr_t counts; shmemx_pcntr_get_all(SHMEM_CTX_INVALID, &counts))
BAD(ONE, pcntr_all_null, "shmemx_pcntr_get_all", "pcntr", shmemx_pcntr_get_all(ctx, NULL))
/* Routines that are counted reach the same errors on another path. */
#define COUNT uint64_t count; shmemx_pcntr_get_issued_write(ctx, &count)
BAD(ONE, counted_p_pe, "shmem_long_p", "pe", COUNT; shmem_long_p(word, 1, npes))
BAD(ONE, counted_put_stack, "shmem_long_put", "dest", COUNT; shmem_long_put(stack, more, 1, 0))
BAD(ONE, counted_get_beyond, "shmem_ctx_long_get", "source", COUNT;
    shmem_ctx_long_get(ctx, stack, heap + ((size_t)1 << 36), 1, 0))
BAD(ONE, counted_add_unaligned, "shmem_long_atomic_add", "dest", COUNT; shmem_long_atomic_add(ODD(long, word), 1, 0))
BAD(ONE, counted_put_destroyed, "shmem_ctx_long_put", "ctx", COUNT; shmem_ctx_long_put(dead_ctx, word, more, 1, 0))

/* Counters at targets. */
#define NO_COUNTER(name, routine, ...)                                                                                 \
    BAD(ONE, name##_null, routine, "ct", shmemx_ct_t by = NULL; __VA_ARGS__)                                           \
    BAD(ONE, name##_garbage, routine, "ct", shmemx_ct_t by = (shmemx_ct_t)(uintptr_t)0x7ffd12345678; __VA_ARGS__)      \
    BAD(ONE, name##_symmetric, routine, "ct", shmemx_ct_t by = (shmemx_ct_t)word; __VA_ARGS__)                         \
    BAD(ALL, name##_freed, routine, "ct", shmemx_ct_t by, gone; shmemx_ct_create(&gone); by = gone;                    \
        shmemx_ct_free(&gone); __VA_ARGS__)
NO_COUNTER(ct_get, "shmemx_ct_get", (void)shmemx_ct_get(by))
NO_COUNTER(ct_set, "shmemx_ct_set", shmemx_ct_set(by, 1))
NO_COUNTER(ct_wait, "shmemx_ct_wait", shmemx_ct_wait(by, 1))
NO_COUNTER(putmem_ct, "shmemx_putmem_ct", shmemx_putmem_ct(by, word, more, 8, 0))
NO_COUNTER(getmem_ct, "shmemx_getmem_ct", shmemx_getmem_ct(by, word, more, 8, 0))
BAD(ONE, ct_create_null, "shmemx_ct_create", "ct", shmemx_ct_create(NULL))
BAD(ONE, ct_free_null, "shmemx_ct_free", "ct", shmemx_ct_free(NULL))
BAD(ALL, ct_free_garbage, "shmemx_ct_free", "ct", shmemx_ct_t by = (shmemx_ct_t)(uintptr_t)0x7ffd12345678; shmemx_ct_free(&by))
BAD(ALL, ct_free_twice, "shmemx_ct_free", "ct", shmemx_ct_t by, again; shmemx_ct_create(&by); again = by;
    shmemx_ct_free(&by); shmemx_ct_free(&again))
BAD(ALL, putmem_ct_pe, "shmemx_putmem_ct", "pe", shmemx_ct_t by; shmemx_ct_create(&by); shmemx_putmem_ct(by, word, more, 8, npes))
BAD(ALL, putmem_ct_stack, "shmemx_putmem_ct", "dest", shmemx_ct_t by; shmemx_ct_create(&by); shmemx_putmem_ct(by, stack, more, 8, 0))
BAD(ALL, getmem_ct_pe, "shmemx_getmem_ct", "pe", shmemx_ct_t by; shmemx_ct_create(&by); shmemx_getmem_ct(by, word, more, 8, -1))
BAD(ALL, getmem_ct_from_null, "shmemx_getmem_ct", "source", shmemx_ct_t by; shmemx_ct_create(&by); shmemx_getmem_ct(by, word, NULL, 8, 0))

/* Aggregators. Updates of mapped words do not look at theirs. */
#define CARRIES(by, item, handler) CHECK(shmemx_agg_create(item, handler, NULL, 0, &by) == 0)
#define NO_AGGREGATOR(name, routine, ...)                                                                              \
    BAD(ONE, name##_null, routine, "agg", shmemx_agg_t by = NULL; __VA_ARGS__)                                         \
    BAD(ONE, name##_garbage, routine, "agg", shmemx_agg_t by = (shmemx_agg_t)(uintptr_t)0x7ffd12345678; __VA_ARGS__)   \
    BAD(ALL, name##_destroyed, routine, "agg", shmemx_agg_t by, gone; CARRIES(gone, 8, handle_items); by = gone;       \
        shmemx_agg_destroy(&gone); __VA_ARGS__)
NO_AGGREGATOR(agg_send, "shmemx_agg_send", shmemx_agg_send(by, more, 0))
NO_AGGREGATOR(agg_flush, "shmemx_agg_flush", shmemx_agg_flush(by))
BAD(ONE, agg_create_null, "shmemx_agg_create", "agg", (void)shmemx_agg_create(8, handle_items, NULL, 0, NULL))
BAD(ONE, agg_create_no_handler, "shmemx_agg_create", "handler", shmemx_agg_t by; (void)shmemx_agg_create(8, NULL, NULL, 0, &by))
BAD(ONE, agg_create_no_size, "shmemx_agg_create", "item_size", shmemx_agg_t by;
    (void)shmemx_agg_create(0, handle_items, NULL, 0, &by))
BAD(ONE, agg_create_large, "shmemx_agg_create", "item_size", shmemx_agg_t by;
    (void)shmemx_agg_create((1 << 20) + 1, handle_items, NULL, 0, &by))
BAD(ONE, agg_destroy_null, "shmemx_agg_destroy", "agg", shmemx_agg_destroy(NULL))
BAD(ALL, agg_destroy_twice, "shmemx_agg_destroy", "agg", shmemx_agg_t by, again; CARRIES(by, 8, handle_items); again = by;
    shmemx_agg_destroy(&by); shmemx_agg_destroy(&again))
BAD(ALL, agg_send_pe, "shmemx_agg_send", "pe", shmemx_agg_t by; CARRIES(by, 8, handle_items); shmemx_agg_send(by, more, npes))
BAD(ALL, agg_send_nothing, "shmemx_agg_send", "item", shmemx_agg_t by; CARRIES(by, 8, handle_items); shmemx_agg_send(by, NULL, 0))
BAD(ALL, agg_send_updates, "shmemx_agg_send", "agg", shmemx_agg_t by; CARRIES(by, 0, NULL); shmemx_agg_send(by, more, 0))
#define UPDATE(name)                                                                                                   \
    BAD(ALL, agg_##name##_pe, "shmemx_agg_" #name, "pe", shmemx_agg_t by; CARRIES(by, 0, NULL);                        \
        shmemx_agg_##name(by, (uint64_t *)word, 1, -1))                                                                \
    BAD(ALL, agg_##name##_stack, "shmemx_agg_" #name, "dest", shmemx_agg_t by; CARRIES(by, 0, NULL);                   \
        shmemx_agg_##name(by, (uint64_t *)stack, 1, 0))                                                                \
    BAD(ALL, agg_##name##_unaligned, "shmemx_agg_" #name, "dest", shmemx_agg_t by; CARRIES(by, 0, NULL);               \
        shmemx_agg_##name(by, (uint64_t *)ODD(long, word), 1, 0))                                                      \
    BAD(ALL, agg_##name##_items, "shmemx_agg_" #name, "agg", shmemx_agg_t by; CARRIES(by, 8, handle_items);            \
        shmemx_agg_##name(by, (uint64_t *)ODD(long, word), 1, 0))
UPDATE(put)
UPDATE(add)
UPDATE(or)
UPDATE(xor)

/* Teams. */
#undef HANDLE
#define HANDLE(name, routine, ...)                                                                                     \
    BAD(ONE, name##_destroyed, routine, "team", shmem_team_t by = dead_team, got = by; (void)got; __VA_ARGS__)         \
    BAD(ONE, name##_garbage, routine, "team", shmem_team_t by = GARBAGE_TEAM, got = by; (void)got; __VA_ARGS__)        \
    BAD(ONE, name##_small, routine, "team", shmem_team_t by = (shmem_team_t)(uintptr_t)9, got = by; (void)got; __VA_ARGS__)
HANDLE(team_destroy, "shmem_team_destroy", shmem_team_destroy(by))
HANDLE(team_my_pe, "shmem_team_my_pe", (void)shmem_team_my_pe(by))
HANDLE(team_n_pes, "shmem_team_n_pes", (void)shmem_team_n_pes(by))
HANDLE(team_translate, "shmem_team_translate_pe", (void)shmem_team_translate_pe(by, 0, SHMEM_TEAM_WORLD))
HANDLE(team_translate_to, "shmem_team_translate_pe", (void)shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, by))
HANDLE(team_get_config, "shmem_team_get_config", (void)shmem_team_get_config(by, 0, NULL))
HANDLE(team_ptr, "shmem_team_ptr", (void)shmem_team_ptr(by, word, 0))
HANDLE(team_create_ctx, "shmem_team_create_ctx", shmem_ctx_t of; (void)shmem_team_create_ctx(by, 0, &of))
HANDLE(team_split_strided, "shmem_team_split_strided", (void)shmem_team_split_strided(by, 0, 1, 1, NULL, 0, &got))
HANDLE(team_split_2d, "shmem_team_split_2d", (void)shmem_team_split_2d(by, 1, NULL, 0, &got, NULL, 0, &got))
HANDLE(x_team_split_strided, "shmemx_team_split_strided", shmemx_team_split_strided(by, 0, 1, 1, &got))
BAD(ALL, team_destroy_world, "shmem_team_destroy", "team", shmem_team_destroy(SHMEM_TEAM_WORLD))
BAD(ALL, team_destroy_twice, "shmem_team_destroy", "team", shmem_team_destroy(team); shmem_team_destroy(team))
BAD(ALL, team_split_nowhere, "shmem_team_split_strided", "new_team",
    (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, NULL))
BAD(ALL, team_split_2d_nowhere, "shmem_team_split_2d", "yaxis_team", shmem_team_t x;
    (void)shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &x, NULL, 0, NULL))
BAD(ONE, team_get_config_null, "shmem_team_get_config", "config", (void)shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, NULL))
BAD(ALL, x_team_no_parent, "shmemx_team_split_strided", "parent_team", shmemx_team_split_strided(SHMEM_TEAM_NULL, 0, 1, 1, &team))
BAD(ALL, x_team_2d_too_wide, "shmemx_team_split_2d", "ranges", shmemx_team_split_2d(SHMEM_TEAM_WORLD, npes, 2, &team, &team))
BAD(FINE, team_split_without_config, "", "", shmem_team_t got;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, SHMEM_TEAM_NUM_CONTEXTS, &got) != 0))
BAD(ALL, request_of_nobody, "shmemx_req_wait", "request", shmemx_req_t bad = (shmemx_req_t)(uintptr_t)0x12345; shmemx_req_wait(&bad))

/* Memory. All PEs call, as they would. */
BAD(ALL, free_stack, "shmem_free", "ptr", shmem_free(stack))
BAD(ALL, free_static, "shmem_free", "ptr", shmem_free(word))
BAD(ALL, free_malloc, "shmem_free", "ptr", shmem_free(malloc(64)))
BAD(ALL, free_inside, "shmem_free", "ptr", shmem_free(heap + 1))
BAD(ALL, free_twice, "shmem_free", "ptr", shmem_free(heap); shmem_free(heap))
BAD(ALL, free_beyond, "shmem_free", "ptr", shmem_free(heap + ((size_t)1 << 36)))
BAD(ALL, realloc_stack, "shmem_realloc", "ptr", heap = shmem_realloc(stack, 100))
BAD(ALL, realloc_inside, "shmem_realloc", "ptr", heap = shmem_realloc(heap + 2, 100))
BAD(ALL, realloc_freed, "shmem_realloc", "ptr", long *old = heap; shmem_free(heap); heap = shmem_realloc(old, 100))
BAD(FINE, no_such_alignment, "", "", CHECK(shmem_align(48, 64) == NULL && shmem_align(0, 64) == NULL))
BAD(FINE, free_nothing, "", "", shmem_free(NULL); CHECK(shmem_malloc(0) == NULL && shmem_realloc(NULL, 0) == NULL))

/* Queries have answers for every argument. */
BAD(FINE, nobody, "", "", CHECK(shmem_ptr(word, npes) == NULL && shmem_ptr(stack, 0) == NULL);
    CHECK(shmem_pe_accessible(-1) == 0 && shmem_addr_accessible(word, INT32_MIN) == 0);
    CHECK(shmem_team_translate_pe(team, npes, SHMEM_TEAM_WORLD) == -1))
BAD(FINE, no_such_thread_level, "", "", int level = -1; CHECK(shmem_init_thread(77, &level) != 0 && level == -1))
BAD(ONE, query_thread_null, "shmem_query_thread", "provided", shmem_query_thread(NULL))
BAD(ONE, query_initialized_null, "shmem_query_initialized", "initialized", shmem_query_initialized(NULL))
BAD(ONE, version_null, "shmem_info_get_version", "major", shmem_info_get_version(NULL, &me))
BAD(ONE, name_null, "shmem_info_get_name", "name", shmem_info_get_name(NULL))

#undef HANDLE
