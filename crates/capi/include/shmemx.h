/* shmemx.h: extensions to OpenSHMEM 1.6.
   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */

#ifndef _FERRITE_SHMEMX_H
#define _FERRITE_SHMEMX_H

#include "shmem.h"

/* A unique id: 128 bytes that any channel may carry. What shmemx_init_attr is told: its fields are set by
   shmemx_set_attr_uniqueid_args. */
typedef struct {
    int version;
    char internal[124];
} shmemx_uniqueid_t;
#define SHMEMX_UNIQUEID_INITIALIZER { 1, { 0 } }

typedef struct {
    int version;
    int myrank;
    int nranks;
    shmemx_uniqueid_t uniqueid;
    char reserved[116];
} shmemx_init_attr_t;
#define SHMEMX_INIT_ATTR_INITIALIZER { 1, -1, 0, SHMEMX_UNIQUEID_INITIALIZER, { 0 } }

/* A request: a non-blocking collective that was started, and must be tested or waited for. */
typedef struct _SHMEMX_req *shmemx_req_t;

/* A counter of the puts and gets that have arrived at this PE. */
typedef struct _SHMEMX_ct *shmemx_ct_t;

/* Operations of a context: issued ("pending" is Sandia OpenSHMEM's word) and complete;
   target: writes that have arrived at this PE. */
typedef struct {
    uint64_t pending_put;
    uint64_t pending_get;
    uint64_t completed_put;
    uint64_t completed_get;
    uint64_t target;
} shmemx_pcntr_t;

/* A function that returns the number of the calling thread. */
typedef uint64_t (*shmemx_gettid_t)(void);

/* A transfer, for shmemx_wait_req. */
typedef void *shmemx_request_handle_t;

/* Programs test this macro to find out whether shmemx_wtime exists. */
#define HAVE_SHMEMX_WTIME

/* Cray's generic broadcast over an active set: of 32-bit words if dest points to such words, otherwise of 64-bit words. */
#if !defined(__cplusplus) || __cplusplus >= 201103L
#define shmemx_broadcast(dest, ...) \
    (sizeof(*(dest)) == 4 ? shmem_broadcast32(dest, __VA_ARGS__) : shmem_broadcast64(dest, __VA_ARGS__))
#endif

/* HPE's space: a part of the device heap. */
typedef struct {
    size_t size;
    int mtype;
} shmem_space_config_t;
typedef struct _SHMEM_space *shmem_space_t;

/* An aggregator of items or of updates, and its handler of items: an array, its length, and the PE that sent them. */
typedef struct _SHMEMX_agg *shmemx_agg_t;
typedef void (*shmemx_agg_handler_t)(void *context, const void *items, size_t nitems, int source_pe);

#define SHMEM_COLOR_UNDEFINED (-1)
#define SHMEM_SESSION_BUNDLE 1L
#define SHMEM_SESSION_HRP 2L
#define SHMEM_SESSION_STAMO 4L
#define SHMEM_SESSION_NO_CNCR_TACCESS 8L
#define SHMEM_SESSION_OP_PUT 16L
#define SHMEM_SESSION_OP_AMO 32L
#define SHMEM_SESSION_OP_FAMO 64L
#define SHMEM_SESSION_OP_PWS 128L
#define SHMEM_SESSION_DC 256L
#define SHMEM_SESSION_UNIFORM_AMO 512L
#define SHMEMX_MALLOC_NO_BARRIER 4L
#define UPC_THREADS_ARE_PES 0
#define MPI_PROCESSES_ARE_PES 1
#define SHMEM_INITIALIZES_MPI 2
#define MPI_INITIALIZES_SHMEM 3
#define SHMEMX_PROGRESS_MPI 16
#define SHMEM_HINT_NONE 0L
#define SHMEM_HINT_LOW_LAT_MEM 1L
#define SHMEM_HINT_HIGH_BW_MEM 2L
#define SHMEM_HINT_NEAR_NIC_MEM 4L
#define SHMEM_HINT_DEVICE_GPU_MEM 8L
#define SHMEM_HINT_DEVICE_NIC_MEM 16L
#define SHMEM_HINT_PSYNC 65536L
#define SHMEM_HINT_PWORK 131072L
#define SHMEM_HINT_ATOMICS 262144L
#define SHMEM_MTYPE_GPU 1
#define SHMEMX_INIT_WITH_UNIQUEID 1
#define SHMEMX_LOSS_RETURNS 2
#define SHMEM_TEAM_NULL SHMEM_TEAM_INVALID
#define SHMEM_TEAM_NODE SHMEM_TEAM_SHARED
#define SHMEMX_TEAM_NODE SHMEM_TEAM_SHARED
#define SHMEMX_REQ_NULL _SHMEM_HANDLE(shmemx_req_t, 0)

#ifdef __cplusplus
extern "C" {
#endif

/* Cray: teams */
int shmemx_team_my_pe(shmem_team_t newteam);
int shmemx_team_n_pes(shmem_team_t newteam);
int shmemx_team_mype(shmem_team_t newteam);
int shmemx_team_npes(shmem_team_t newteam);
int shmemx_team_translate_pe(shmem_team_t team1, int team1_pe, shmem_team_t team2);
void shmemx_team_split_strided(shmem_team_t parent_team, int PE_start, int PE_stride, int PE_size, shmem_team_t *newteam);
void shmemx_team_create_strided(int PE_start, int PE_stride, int PE_size, shmem_team_t *newteam);
void shmemx_team_split_2d(shmem_team_t parent_team, int xrange, int yrange, shmem_team_t *xaxis_team, shmem_team_t *yaxis_team);
void shmemx_team_split_3d(shmem_team_t parent_team, int xrange, int yrange, int zrange, shmem_team_t *xaxis_team, shmem_team_t *yaxis_team, shmem_team_t *zaxis_team);
void shmemx_team_split(shmem_team_t parent_team, int color, int key, shmem_team_t *newteam);
void shmemx_team_split_color(shmem_team_t parent_team, int color, int key, shmem_team_t *newteam);
void shmemx_team_destroy(shmem_team_t *newteam);

/* Cray: collectives of teams */
void shmemx_team_barrier(shmem_team_t team, long *pSync);
void shmemx_team_alltoall(void *target, const void *source, size_t len, shmem_team_t team, long *pSync);

/* Cray: all-to-all of blocks of different lengths */
void shmemx_alltoallv(void *target, size_t *t_offsets, size_t *t_sizes, const void *source, size_t *s_offsets, size_t *s_sizes, int PE_start, int logPE_stride, int PE_size, long *pSync);
void shmemx_alltoallv_packed(void *target, size_t target_len, size_t *t_size, const void *source, size_t *s_offsets, size_t *s_sizes, int PE_start, int logPE_stride, int PE_size, long *pSync);
void shmemx_team_alltoallv(void *target, size_t *t_offsets, size_t *t_sizes, const void *source, size_t *s_offsets, size_t *s_sizes, shmem_team_t team, long *pSync);
void shmemx_team_alltoallv_packed(void *target, size_t target_len, size_t *t_size, const void *source, size_t *s_offsets, size_t *s_sizes, shmem_team_t team, long *pSync);

/* Cray: threads */
int shmemx_init_thread(int required);
int shmemx_query_thread(void);
void shmemx_thread_register(void);
void shmemx_thread_unregister(void);

/* Cray: sessions */
void shmemx_session_start(shmem_ctx_t ctx, long options);
void shmemx_session_stop(shmem_ctx_t ctx);

/* Cray: completion */
void shmemx_local_complete(void);
void shmemx_pe_quiet(int target_pe);

/* Cray: threads */
void shmemx_thread_fence(void);
void shmemx_thread_quiet(void);

/* Cray: signals */
void shmemx_signal_set(const uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_ctx_signal_set(shmem_ctx_t ctx, const uint64_t *sig_addr, uint64_t signal, int pe);

/* Cray: collectives of teams */
void shmemx_team_short_and_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_and_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_and_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_and_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_short_or_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_or_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_or_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_or_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_short_xor_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_xor_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_xor_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_xor_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_short_max_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_max_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_max_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_max_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_float_max_to_all(shmem_team_t team, float *dest, const float *source, int nreduce, float *pWrk, long *pSync);
void shmemx_team_double_max_to_all(shmem_team_t team, double *dest, const double *source, int nreduce, double *pWrk, long *pSync);
void shmemx_team_longdouble_max_to_all(shmem_team_t team, long double *dest, const long double *source, int nreduce, long double *pWrk, long *pSync);
void shmemx_team_short_min_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_min_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_min_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_min_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_float_min_to_all(shmem_team_t team, float *dest, const float *source, int nreduce, float *pWrk, long *pSync);
void shmemx_team_double_min_to_all(shmem_team_t team, double *dest, const double *source, int nreduce, double *pWrk, long *pSync);
void shmemx_team_longdouble_min_to_all(shmem_team_t team, long double *dest, const long double *source, int nreduce, long double *pWrk, long *pSync);
void shmemx_team_short_sum_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_sum_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_sum_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_sum_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_float_sum_to_all(shmem_team_t team, float *dest, const float *source, int nreduce, float *pWrk, long *pSync);
void shmemx_team_double_sum_to_all(shmem_team_t team, double *dest, const double *source, int nreduce, double *pWrk, long *pSync);
void shmemx_team_longdouble_sum_to_all(shmem_team_t team, long double *dest, const long double *source, int nreduce, long double *pWrk, long *pSync);
void shmemx_team_short_prod_to_all(shmem_team_t team, short *dest, const short *source, int nreduce, short *pWrk, long *pSync);
void shmemx_team_int_prod_to_all(shmem_team_t team, int *dest, const int *source, int nreduce, int *pWrk, long *pSync);
void shmemx_team_long_prod_to_all(shmem_team_t team, long *dest, const long *source, int nreduce, long *pWrk, long *pSync);
void shmemx_team_longlong_prod_to_all(shmem_team_t team, long long *dest, const long long *source, int nreduce, long long *pWrk, long *pSync);
void shmemx_team_float_prod_to_all(shmem_team_t team, float *dest, const float *source, int nreduce, float *pWrk, long *pSync);
void shmemx_team_double_prod_to_all(shmem_team_t team, double *dest, const double *source, int nreduce, double *pWrk, long *pSync);
void shmemx_team_longdouble_prod_to_all(shmem_team_t team, long double *dest, const long double *source, int nreduce, long double *pWrk, long *pSync);

/* Cray: explicit non-blocking transfers */
void shmemx_float_put_nb(float *dest, const float *source, size_t nelems, int pe, ...);
void shmemx_double_put_nb(double *dest, const double *source, size_t nelems, int pe, ...);
void shmemx_longdouble_put_nb(long double *dest, const long double *source, size_t nelems, int pe, ...);
void shmemx_char_put_nb(char *dest, const char *source, size_t nelems, int pe, ...);
void shmemx_schar_put_nb(signed char *dest, const signed char *source, size_t nelems, int pe, ...);
void shmemx_short_put_nb(short *dest, const short *source, size_t nelems, int pe, ...);
void shmemx_int_put_nb(int *dest, const int *source, size_t nelems, int pe, ...);
void shmemx_long_put_nb(long *dest, const long *source, size_t nelems, int pe, ...);
void shmemx_longlong_put_nb(long long *dest, const long long *source, size_t nelems, int pe, ...);
void shmemx_uchar_put_nb(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...);
void shmemx_ushort_put_nb(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...);
void shmemx_uint_put_nb(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...);
void shmemx_ulong_put_nb(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...);
void shmemx_ulonglong_put_nb(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...);
void shmemx_int8_put_nb(int8_t *dest, const int8_t *source, size_t nelems, int pe, ...);
void shmemx_int16_put_nb(int16_t *dest, const int16_t *source, size_t nelems, int pe, ...);
void shmemx_int32_put_nb(int32_t *dest, const int32_t *source, size_t nelems, int pe, ...);
void shmemx_int64_put_nb(int64_t *dest, const int64_t *source, size_t nelems, int pe, ...);
void shmemx_uint8_put_nb(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, ...);
void shmemx_uint16_put_nb(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, ...);
void shmemx_uint32_put_nb(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, ...);
void shmemx_uint64_put_nb(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, ...);
void shmemx_size_put_nb(size_t *dest, const size_t *source, size_t nelems, int pe, ...);
void shmemx_ptrdiff_put_nb(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_float_put_nb(shmem_ctx_t ctx, float *dest, const float *source, size_t nelems, int pe, ...);
void shmemx_ctx_double_put_nb(shmem_ctx_t ctx, double *dest, const double *source, size_t nelems, int pe, ...);
void shmemx_ctx_longdouble_put_nb(shmem_ctx_t ctx, long double *dest, const long double *source, size_t nelems, int pe, ...);
void shmemx_ctx_char_put_nb(shmem_ctx_t ctx, char *dest, const char *source, size_t nelems, int pe, ...);
void shmemx_ctx_schar_put_nb(shmem_ctx_t ctx, signed char *dest, const signed char *source, size_t nelems, int pe, ...);
void shmemx_ctx_short_put_nb(shmem_ctx_t ctx, short *dest, const short *source, size_t nelems, int pe, ...);
void shmemx_ctx_int_put_nb(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe, ...);
void shmemx_ctx_long_put_nb(shmem_ctx_t ctx, long *dest, const long *source, size_t nelems, int pe, ...);
void shmemx_ctx_longlong_put_nb(shmem_ctx_t ctx, long long *dest, const long long *source, size_t nelems, int pe, ...);
void shmemx_ctx_uchar_put_nb(shmem_ctx_t ctx, unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...);
void shmemx_ctx_ushort_put_nb(shmem_ctx_t ctx, unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint_put_nb(shmem_ctx_t ctx, unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...);
void shmemx_ctx_ulong_put_nb(shmem_ctx_t ctx, unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...);
void shmemx_ctx_ulonglong_put_nb(shmem_ctx_t ctx, unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...);
void shmemx_ctx_int8_put_nb(shmem_ctx_t ctx, int8_t *dest, const int8_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int16_put_nb(shmem_ctx_t ctx, int16_t *dest, const int16_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int32_put_nb(shmem_ctx_t ctx, int32_t *dest, const int32_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int64_put_nb(shmem_ctx_t ctx, int64_t *dest, const int64_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint8_put_nb(shmem_ctx_t ctx, uint8_t *dest, const uint8_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint16_put_nb(shmem_ctx_t ctx, uint16_t *dest, const uint16_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint32_put_nb(shmem_ctx_t ctx, uint32_t *dest, const uint32_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint64_put_nb(shmem_ctx_t ctx, uint64_t *dest, const uint64_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_size_put_nb(shmem_ctx_t ctx, size_t *dest, const size_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_ptrdiff_put_nb(shmem_ctx_t ctx, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, ...);
void shmemx_float_get_nb(float *dest, const float *source, size_t nelems, int pe, ...);
void shmemx_double_get_nb(double *dest, const double *source, size_t nelems, int pe, ...);
void shmemx_longdouble_get_nb(long double *dest, const long double *source, size_t nelems, int pe, ...);
void shmemx_char_get_nb(char *dest, const char *source, size_t nelems, int pe, ...);
void shmemx_schar_get_nb(signed char *dest, const signed char *source, size_t nelems, int pe, ...);
void shmemx_short_get_nb(short *dest, const short *source, size_t nelems, int pe, ...);
void shmemx_int_get_nb(int *dest, const int *source, size_t nelems, int pe, ...);
void shmemx_long_get_nb(long *dest, const long *source, size_t nelems, int pe, ...);
void shmemx_longlong_get_nb(long long *dest, const long long *source, size_t nelems, int pe, ...);
void shmemx_uchar_get_nb(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...);
void shmemx_ushort_get_nb(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...);
void shmemx_uint_get_nb(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...);
void shmemx_ulong_get_nb(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...);
void shmemx_ulonglong_get_nb(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...);
void shmemx_int8_get_nb(int8_t *dest, const int8_t *source, size_t nelems, int pe, ...);
void shmemx_int16_get_nb(int16_t *dest, const int16_t *source, size_t nelems, int pe, ...);
void shmemx_int32_get_nb(int32_t *dest, const int32_t *source, size_t nelems, int pe, ...);
void shmemx_int64_get_nb(int64_t *dest, const int64_t *source, size_t nelems, int pe, ...);
void shmemx_uint8_get_nb(uint8_t *dest, const uint8_t *source, size_t nelems, int pe, ...);
void shmemx_uint16_get_nb(uint16_t *dest, const uint16_t *source, size_t nelems, int pe, ...);
void shmemx_uint32_get_nb(uint32_t *dest, const uint32_t *source, size_t nelems, int pe, ...);
void shmemx_uint64_get_nb(uint64_t *dest, const uint64_t *source, size_t nelems, int pe, ...);
void shmemx_size_get_nb(size_t *dest, const size_t *source, size_t nelems, int pe, ...);
void shmemx_ptrdiff_get_nb(ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_float_get_nb(shmem_ctx_t ctx, float *dest, const float *source, size_t nelems, int pe, ...);
void shmemx_ctx_double_get_nb(shmem_ctx_t ctx, double *dest, const double *source, size_t nelems, int pe, ...);
void shmemx_ctx_longdouble_get_nb(shmem_ctx_t ctx, long double *dest, const long double *source, size_t nelems, int pe, ...);
void shmemx_ctx_char_get_nb(shmem_ctx_t ctx, char *dest, const char *source, size_t nelems, int pe, ...);
void shmemx_ctx_schar_get_nb(shmem_ctx_t ctx, signed char *dest, const signed char *source, size_t nelems, int pe, ...);
void shmemx_ctx_short_get_nb(shmem_ctx_t ctx, short *dest, const short *source, size_t nelems, int pe, ...);
void shmemx_ctx_int_get_nb(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe, ...);
void shmemx_ctx_long_get_nb(shmem_ctx_t ctx, long *dest, const long *source, size_t nelems, int pe, ...);
void shmemx_ctx_longlong_get_nb(shmem_ctx_t ctx, long long *dest, const long long *source, size_t nelems, int pe, ...);
void shmemx_ctx_uchar_get_nb(shmem_ctx_t ctx, unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...);
void shmemx_ctx_ushort_get_nb(shmem_ctx_t ctx, unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint_get_nb(shmem_ctx_t ctx, unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...);
void shmemx_ctx_ulong_get_nb(shmem_ctx_t ctx, unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...);
void shmemx_ctx_ulonglong_get_nb(shmem_ctx_t ctx, unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...);
void shmemx_ctx_int8_get_nb(shmem_ctx_t ctx, int8_t *dest, const int8_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int16_get_nb(shmem_ctx_t ctx, int16_t *dest, const int16_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int32_get_nb(shmem_ctx_t ctx, int32_t *dest, const int32_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_int64_get_nb(shmem_ctx_t ctx, int64_t *dest, const int64_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint8_get_nb(shmem_ctx_t ctx, uint8_t *dest, const uint8_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint16_get_nb(shmem_ctx_t ctx, uint16_t *dest, const uint16_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint32_get_nb(shmem_ctx_t ctx, uint32_t *dest, const uint32_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_uint64_get_nb(shmem_ctx_t ctx, uint64_t *dest, const uint64_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_size_get_nb(shmem_ctx_t ctx, size_t *dest, const size_t *source, size_t nelems, int pe, ...);
void shmemx_ctx_ptrdiff_get_nb(shmem_ctx_t ctx, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int pe, ...);
void shmemx_put8_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_put16_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_put32_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_put64_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_put128_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_putmem_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_put8_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_put16_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_put32_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_put64_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_put128_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_putmem_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_get8_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_get16_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_get32_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_get64_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_get128_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_getmem_nb(void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_get8_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_get16_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_get32_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_get64_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_get128_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);
void shmemx_ctx_getmem_nb(shmem_ctx_t ctx, void *dest, const void *source, size_t nelems, int pe, ...);

/* Cray: puts that set a signal */
void shmemx_float_put_signal(float *target, const float *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_double_put_signal(double *target, const double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_longdouble_put_signal(long double *target, const long double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_char_put_signal(char *target, const char *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_int_put_signal(int *target, const int *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_long_put_signal(long *target, const long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_longlong_put_signal(long long *target, const long long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_float_put_signal_nb(float *target, const float *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_double_put_signal_nb(double *target, const double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_longdouble_put_signal_nb(long double *target, const long double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_char_put_signal_nb(char *target, const char *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_int_put_signal_nb(int *target, const int *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_long_put_signal_nb(long *target, const long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_longlong_put_signal_nb(long long *target, const long long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put8_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put16_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put32_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put64_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put128_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_putmem_signal(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put8_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put16_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put32_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put64_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_put128_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_putmem_signal_nb(void *target, const void *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe);

/* Cray: explicit non-blocking atomics */
void shmemx_int_add_nb(int *target, int value, int pe, void **transfer_handle);
void shmemx_long_add_nb(long *target, long value, int pe, void **transfer_handle);
void shmemx_longlong_add_nb(long long *target, long long value, int pe, void **transfer_handle);
void shmemx_uint_add_nb(unsigned int *target, unsigned int value, int pe, void **transfer_handle);
void shmemx_ulong_add_nb(unsigned long *target, unsigned long value, int pe, void **transfer_handle);
void shmemx_ulonglong_add_nb(unsigned long long *target, unsigned long long value, int pe, void **transfer_handle);
void shmemx_int32_add_nb(int32_t *target, int32_t value, int pe, void **transfer_handle);
void shmemx_int64_add_nb(int64_t *target, int64_t value, int pe, void **transfer_handle);
void shmemx_uint32_add_nb(uint32_t *target, uint32_t value, int pe, void **transfer_handle);
void shmemx_uint64_add_nb(uint64_t *target, uint64_t value, int pe, void **transfer_handle);
void shmemx_size_add_nb(size_t *target, size_t value, int pe, void **transfer_handle);
void shmemx_ptrdiff_add_nb(ptrdiff_t *target, ptrdiff_t value, int pe, void **transfer_handle);
void shmemx_int_inc_nb(int *target, int pe, void **transfer_handle);
void shmemx_long_inc_nb(long *target, int pe, void **transfer_handle);
void shmemx_longlong_inc_nb(long long *target, int pe, void **transfer_handle);
void shmemx_uint_inc_nb(unsigned int *target, int pe, void **transfer_handle);
void shmemx_ulong_inc_nb(unsigned long *target, int pe, void **transfer_handle);
void shmemx_ulonglong_inc_nb(unsigned long long *target, int pe, void **transfer_handle);
void shmemx_int32_inc_nb(int32_t *target, int pe, void **transfer_handle);
void shmemx_int64_inc_nb(int64_t *target, int pe, void **transfer_handle);
void shmemx_uint32_inc_nb(uint32_t *target, int pe, void **transfer_handle);
void shmemx_uint64_inc_nb(uint64_t *target, int pe, void **transfer_handle);
void shmemx_size_inc_nb(size_t *target, int pe, void **transfer_handle);
void shmemx_ptrdiff_inc_nb(ptrdiff_t *target, int pe, void **transfer_handle);
void shmemx_int_cswap_nb(int *fetch, int *target, int cond, int value, int pe, void **transfer_handle);
void shmemx_long_cswap_nb(long *fetch, long *target, long cond, long value, int pe, void **transfer_handle);
void shmemx_longlong_cswap_nb(long long *fetch, long long *target, long long cond, long long value, int pe, void **transfer_handle);
void shmemx_uint_cswap_nb(unsigned int *fetch, unsigned int *target, unsigned int cond, unsigned int value, int pe, void **transfer_handle);
void shmemx_ulong_cswap_nb(unsigned long *fetch, unsigned long *target, unsigned long cond, unsigned long value, int pe, void **transfer_handle);
void shmemx_ulonglong_cswap_nb(unsigned long long *fetch, unsigned long long *target, unsigned long long cond, unsigned long long value, int pe, void **transfer_handle);
void shmemx_int32_cswap_nb(int32_t *fetch, int32_t *target, int32_t cond, int32_t value, int pe, void **transfer_handle);
void shmemx_int64_cswap_nb(int64_t *fetch, int64_t *target, int64_t cond, int64_t value, int pe, void **transfer_handle);
void shmemx_uint32_cswap_nb(uint32_t *fetch, uint32_t *target, uint32_t cond, uint32_t value, int pe, void **transfer_handle);
void shmemx_uint64_cswap_nb(uint64_t *fetch, uint64_t *target, uint64_t cond, uint64_t value, int pe, void **transfer_handle);
void shmemx_size_cswap_nb(size_t *fetch, size_t *target, size_t cond, size_t value, int pe, void **transfer_handle);
void shmemx_ptrdiff_cswap_nb(ptrdiff_t *fetch, ptrdiff_t *target, ptrdiff_t cond, ptrdiff_t value, int pe, void **transfer_handle);
void shmemx_int_fadd_nb(int *fetch, int *target, int value, int pe, void **transfer_handle);
void shmemx_long_fadd_nb(long *fetch, long *target, long value, int pe, void **transfer_handle);
void shmemx_longlong_fadd_nb(long long *fetch, long long *target, long long value, int pe, void **transfer_handle);
void shmemx_uint_fadd_nb(unsigned int *fetch, unsigned int *target, unsigned int value, int pe, void **transfer_handle);
void shmemx_ulong_fadd_nb(unsigned long *fetch, unsigned long *target, unsigned long value, int pe, void **transfer_handle);
void shmemx_ulonglong_fadd_nb(unsigned long long *fetch, unsigned long long *target, unsigned long long value, int pe, void **transfer_handle);
void shmemx_int32_fadd_nb(int32_t *fetch, int32_t *target, int32_t value, int pe, void **transfer_handle);
void shmemx_int64_fadd_nb(int64_t *fetch, int64_t *target, int64_t value, int pe, void **transfer_handle);
void shmemx_uint32_fadd_nb(uint32_t *fetch, uint32_t *target, uint32_t value, int pe, void **transfer_handle);
void shmemx_uint64_fadd_nb(uint64_t *fetch, uint64_t *target, uint64_t value, int pe, void **transfer_handle);
void shmemx_size_fadd_nb(size_t *fetch, size_t *target, size_t value, int pe, void **transfer_handle);
void shmemx_ptrdiff_fadd_nb(ptrdiff_t *fetch, ptrdiff_t *target, ptrdiff_t value, int pe, void **transfer_handle);
void shmemx_int_finc_nb(int *fetch, int *target, int pe, void **transfer_handle);
void shmemx_long_finc_nb(long *fetch, long *target, int pe, void **transfer_handle);
void shmemx_longlong_finc_nb(long long *fetch, long long *target, int pe, void **transfer_handle);
void shmemx_uint_finc_nb(unsigned int *fetch, unsigned int *target, int pe, void **transfer_handle);
void shmemx_ulong_finc_nb(unsigned long *fetch, unsigned long *target, int pe, void **transfer_handle);
void shmemx_ulonglong_finc_nb(unsigned long long *fetch, unsigned long long *target, int pe, void **transfer_handle);
void shmemx_int32_finc_nb(int32_t *fetch, int32_t *target, int pe, void **transfer_handle);
void shmemx_int64_finc_nb(int64_t *fetch, int64_t *target, int pe, void **transfer_handle);
void shmemx_uint32_finc_nb(uint32_t *fetch, uint32_t *target, int pe, void **transfer_handle);
void shmemx_uint64_finc_nb(uint64_t *fetch, uint64_t *target, int pe, void **transfer_handle);
void shmemx_size_finc_nb(size_t *fetch, size_t *target, int pe, void **transfer_handle);
void shmemx_ptrdiff_finc_nb(ptrdiff_t *fetch, ptrdiff_t *target, int pe, void **transfer_handle);
void shmemx_int_swap_nb(int *fetch, int *target, int value, int pe, void **transfer_handle);
void shmemx_long_swap_nb(long *fetch, long *target, long value, int pe, void **transfer_handle);
void shmemx_longlong_swap_nb(long long *fetch, long long *target, long long value, int pe, void **transfer_handle);
void shmemx_uint_swap_nb(unsigned int *fetch, unsigned int *target, unsigned int value, int pe, void **transfer_handle);
void shmemx_ulong_swap_nb(unsigned long *fetch, unsigned long *target, unsigned long value, int pe, void **transfer_handle);
void shmemx_ulonglong_swap_nb(unsigned long long *fetch, unsigned long long *target, unsigned long long value, int pe, void **transfer_handle);
void shmemx_int32_swap_nb(int32_t *fetch, int32_t *target, int32_t value, int pe, void **transfer_handle);
void shmemx_int64_swap_nb(int64_t *fetch, int64_t *target, int64_t value, int pe, void **transfer_handle);
void shmemx_uint32_swap_nb(uint32_t *fetch, uint32_t *target, uint32_t value, int pe, void **transfer_handle);
void shmemx_uint64_swap_nb(uint64_t *fetch, uint64_t *target, uint64_t value, int pe, void **transfer_handle);
void shmemx_size_swap_nb(size_t *fetch, size_t *target, size_t value, int pe, void **transfer_handle);
void shmemx_ptrdiff_swap_nb(ptrdiff_t *fetch, ptrdiff_t *target, ptrdiff_t value, int pe, void **transfer_handle);

/* Cray: atomics of 16 bits */
void shmemx_short_add(short *target, short value, int pe);
short shmemx_short_cswap(short *target, short cond, short value, int pe);
void shmemx_short_inc(short *target, int pe);
short shmemx_short_fadd(short *target, short value, int pe);
short shmemx_short_swap(short *target, short value, int pe);
short shmemx_short_finc(short *target, int pe);

/* SOS: the machine */
double shmemx_wtime(void);
char *shmemx_nodename(void);

/* SOS: threads */
void shmemx_register_gettid(shmemx_gettid_t gettid_fn);

/* SOS: performance counters */
void shmemx_pcntr_get_issued_write(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_issued_read(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_write(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_read(shmem_ctx_t ctx, uint64_t *cntr_value);
void shmemx_pcntr_get_completed_target(uint64_t *cntr_value);
void shmemx_pcntr_get_all(shmem_ctx_t ctx, shmemx_pcntr_t *pcntr);

/* SOS: puts and gets that count at their target */
void shmemx_ct_create(shmemx_ct_t *ct);
void shmemx_ct_free(shmemx_ct_t *ct);
long shmemx_ct_get(shmemx_ct_t ct);
void shmemx_ct_set(shmemx_ct_t ct, long value);
void shmemx_ct_wait(shmemx_ct_t ct, long wait_for);
void shmemx_putmem_ct(shmemx_ct_t ct, void *target, const void *source, size_t len, int pe);
void shmemx_getmem_ct(shmemx_ct_t ct, void *target, const void *source, size_t len, int pe);

/* SOS: signals */
void shmemx_signal_add(uint64_t *sig_addr, uint64_t signal, int pe);
void shmemx_ctx_signal_add(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe);

/* SOS: strided blocks */
void shmemx_float_ibput(float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_double_ibput(double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_longdouble_ibput(long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_char_ibput(char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_schar_ibput(signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_short_ibput(short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int_ibput(int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_long_ibput(long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_longlong_ibput(long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uchar_ibput(unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ushort_ibput(unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint_ibput(unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ulong_ibput(unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ulonglong_ibput(unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int8_ibput(int8_t *target, const int8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int16_ibput(int16_t *target, const int16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int32_ibput(int32_t *target, const int32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int64_ibput(int64_t *target, const int64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint8_ibput(uint8_t *target, const uint8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint16_ibput(uint16_t *target, const uint16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint32_ibput(uint32_t *target, const uint32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint64_ibput(uint64_t *target, const uint64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_size_ibput(size_t *target, const size_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ptrdiff_ibput(ptrdiff_t *target, const ptrdiff_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_float_ibput(shmem_ctx_t ctx, float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_double_ibput(shmem_ctx_t ctx, double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_longdouble_ibput(shmem_ctx_t ctx, long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_char_ibput(shmem_ctx_t ctx, char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_schar_ibput(shmem_ctx_t ctx, signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_short_ibput(shmem_ctx_t ctx, short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int_ibput(shmem_ctx_t ctx, int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_long_ibput(shmem_ctx_t ctx, long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_longlong_ibput(shmem_ctx_t ctx, long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uchar_ibput(shmem_ctx_t ctx, unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ushort_ibput(shmem_ctx_t ctx, unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint_ibput(shmem_ctx_t ctx, unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ulong_ibput(shmem_ctx_t ctx, unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ulonglong_ibput(shmem_ctx_t ctx, unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int8_ibput(shmem_ctx_t ctx, int8_t *target, const int8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int16_ibput(shmem_ctx_t ctx, int16_t *target, const int16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int32_ibput(shmem_ctx_t ctx, int32_t *target, const int32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int64_ibput(shmem_ctx_t ctx, int64_t *target, const int64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint8_ibput(shmem_ctx_t ctx, uint8_t *target, const uint8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint16_ibput(shmem_ctx_t ctx, uint16_t *target, const uint16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint32_ibput(shmem_ctx_t ctx, uint32_t *target, const uint32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint64_ibput(shmem_ctx_t ctx, uint64_t *target, const uint64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_size_ibput(shmem_ctx_t ctx, size_t *target, const size_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ptrdiff_ibput(shmem_ctx_t ctx, ptrdiff_t *target, const ptrdiff_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_float_ibget(float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_double_ibget(double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_longdouble_ibget(long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_char_ibget(char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_schar_ibget(signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_short_ibget(short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int_ibget(int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_long_ibget(long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_longlong_ibget(long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uchar_ibget(unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ushort_ibget(unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint_ibget(unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ulong_ibget(unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ulonglong_ibget(unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int8_ibget(int8_t *target, const int8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int16_ibget(int16_t *target, const int16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int32_ibget(int32_t *target, const int32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_int64_ibget(int64_t *target, const int64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint8_ibget(uint8_t *target, const uint8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint16_ibget(uint16_t *target, const uint16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint32_ibget(uint32_t *target, const uint32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_uint64_ibget(uint64_t *target, const uint64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_size_ibget(size_t *target, const size_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ptrdiff_ibget(ptrdiff_t *target, const ptrdiff_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_float_ibget(shmem_ctx_t ctx, float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_double_ibget(shmem_ctx_t ctx, double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_longdouble_ibget(shmem_ctx_t ctx, long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_char_ibget(shmem_ctx_t ctx, char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_schar_ibget(shmem_ctx_t ctx, signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_short_ibget(shmem_ctx_t ctx, short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int_ibget(shmem_ctx_t ctx, int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_long_ibget(shmem_ctx_t ctx, long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_longlong_ibget(shmem_ctx_t ctx, long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uchar_ibget(shmem_ctx_t ctx, unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ushort_ibget(shmem_ctx_t ctx, unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint_ibget(shmem_ctx_t ctx, unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ulong_ibget(shmem_ctx_t ctx, unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ulonglong_ibget(shmem_ctx_t ctx, unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int8_ibget(shmem_ctx_t ctx, int8_t *target, const int8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int16_ibget(shmem_ctx_t ctx, int16_t *target, const int16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int32_ibget(shmem_ctx_t ctx, int32_t *target, const int32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_int64_ibget(shmem_ctx_t ctx, int64_t *target, const int64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint8_ibget(shmem_ctx_t ctx, uint8_t *target, const uint8_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint16_ibget(shmem_ctx_t ctx, uint16_t *target, const uint16_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint32_ibget(shmem_ctx_t ctx, uint32_t *target, const uint32_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_uint64_ibget(shmem_ctx_t ctx, uint64_t *target, const uint64_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_size_ibget(shmem_ctx_t ctx, size_t *target, const size_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ptrdiff_ibget(shmem_ctx_t ctx, ptrdiff_t *target, const ptrdiff_t *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibput8(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibput16(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibput32(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibput64(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibput128(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibput8(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibput16(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibput32(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibput64(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibput128(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibget8(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibget16(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibget32(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibget64(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ibget128(void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibget8(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibget16(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibget32(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibget64(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);
void shmemx_ctx_ibget128(shmem_ctx_t ctx, void *target, const void *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe);

/* SOS: scans */
int shmemx_char_sum_inscan(shmem_team_t team, char *dest, const char *source, size_t nelems);
int shmemx_schar_sum_inscan(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
int shmemx_short_sum_inscan(shmem_team_t team, short *dest, const short *source, size_t nelems);
int shmemx_int_sum_inscan(shmem_team_t team, int *dest, const int *source, size_t nelems);
int shmemx_long_sum_inscan(shmem_team_t team, long *dest, const long *source, size_t nelems);
int shmemx_longlong_sum_inscan(shmem_team_t team, long long *dest, const long long *source, size_t nelems);
int shmemx_ptrdiff_sum_inscan(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
int shmemx_uchar_sum_inscan(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
int shmemx_ushort_sum_inscan(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
int shmemx_uint_sum_inscan(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
int shmemx_ulong_sum_inscan(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
int shmemx_ulonglong_sum_inscan(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
int shmemx_int8_sum_inscan(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
int shmemx_int16_sum_inscan(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
int shmemx_int32_sum_inscan(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
int shmemx_int64_sum_inscan(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
int shmemx_uint8_sum_inscan(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
int shmemx_uint16_sum_inscan(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
int shmemx_uint32_sum_inscan(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
int shmemx_uint64_sum_inscan(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
int shmemx_size_sum_inscan(shmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
int shmemx_float_sum_inscan(shmem_team_t team, float *dest, const float *source, size_t nelems);
int shmemx_double_sum_inscan(shmem_team_t team, double *dest, const double *source, size_t nelems);
int shmemx_longdouble_sum_inscan(shmem_team_t team, long double *dest, const long double *source, size_t nelems);
int shmemx_complexd_sum_inscan(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nelems);
int shmemx_complexf_sum_inscan(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nelems);
int shmemx_char_sum_exscan(shmem_team_t team, char *dest, const char *source, size_t nelems);
int shmemx_schar_sum_exscan(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems);
int shmemx_short_sum_exscan(shmem_team_t team, short *dest, const short *source, size_t nelems);
int shmemx_int_sum_exscan(shmem_team_t team, int *dest, const int *source, size_t nelems);
int shmemx_long_sum_exscan(shmem_team_t team, long *dest, const long *source, size_t nelems);
int shmemx_longlong_sum_exscan(shmem_team_t team, long long *dest, const long long *source, size_t nelems);
int shmemx_ptrdiff_sum_exscan(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems);
int shmemx_uchar_sum_exscan(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems);
int shmemx_ushort_sum_exscan(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems);
int shmemx_uint_sum_exscan(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems);
int shmemx_ulong_sum_exscan(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems);
int shmemx_ulonglong_sum_exscan(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems);
int shmemx_int8_sum_exscan(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems);
int shmemx_int16_sum_exscan(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems);
int shmemx_int32_sum_exscan(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems);
int shmemx_int64_sum_exscan(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems);
int shmemx_uint8_sum_exscan(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems);
int shmemx_uint16_sum_exscan(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems);
int shmemx_uint32_sum_exscan(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems);
int shmemx_uint64_sum_exscan(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems);
int shmemx_size_sum_exscan(shmem_team_t team, size_t *dest, const size_t *source, size_t nelems);
int shmemx_float_sum_exscan(shmem_team_t team, float *dest, const float *source, size_t nelems);
int shmemx_double_sum_exscan(shmem_team_t team, double *dest, const double *source, size_t nelems);
int shmemx_longdouble_sum_exscan(shmem_team_t team, long double *dest, const long double *source, size_t nelems);
int shmemx_complexd_sum_exscan(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nelems);
int shmemx_complexf_sum_exscan(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nelems);

/* Open MPI: memory with hints */
void *shmemx_malloc_with_hint(size_t size, long hint);

/* Open MPI: atomics by the widths of words */
int32_t shmemx_int32_fetch(const int32_t *source, int pe);
int64_t shmemx_int64_fetch(const int64_t *source, int pe);
void shmemx_int32_set(int32_t *dest, int32_t value, int pe);
void shmemx_int64_set(int64_t *dest, int64_t value, int pe);
int32_t shmemx_int32_swap(int32_t *dest, int32_t value, int pe);
int64_t shmemx_int64_swap(int64_t *dest, int64_t value, int pe);
int32_t shmemx_int32_cswap(int32_t *dest, int32_t cond, int32_t value, int pe);
int64_t shmemx_int64_cswap(int64_t *dest, int64_t cond, int64_t value, int pe);
int32_t shmemx_int32_finc(int32_t *dest, int pe);
int64_t shmemx_int64_finc(int64_t *dest, int pe);
void shmemx_int32_inc(int32_t *dest, int pe);
void shmemx_int64_inc(int64_t *dest, int pe);
int32_t shmemx_int32_fadd(int32_t *dest, int32_t value, int pe);
int64_t shmemx_int64_fadd(int64_t *dest, int64_t value, int pe);
void shmemx_int32_add(int32_t *dest, int32_t value, int pe);
void shmemx_int64_add(int64_t *dest, int64_t value, int pe);
int32_t shmemx_int32_atomic_fetch_and(int32_t *dest, int32_t value, int pe);
int64_t shmemx_int64_atomic_fetch_and(int64_t *dest, int64_t value, int pe);
uint32_t shmemx_uint32_atomic_fetch_and(uint32_t *dest, uint32_t value, int pe);
uint64_t shmemx_uint64_atomic_fetch_and(uint64_t *dest, uint64_t value, int pe);
void shmemx_int32_atomic_and(int32_t *dest, int32_t value, int pe);
void shmemx_int64_atomic_and(int64_t *dest, int64_t value, int pe);
void shmemx_uint32_atomic_and(uint32_t *dest, uint32_t value, int pe);
void shmemx_uint64_atomic_and(uint64_t *dest, uint64_t value, int pe);
int32_t shmemx_int32_atomic_fetch_or(int32_t *dest, int32_t value, int pe);
int64_t shmemx_int64_atomic_fetch_or(int64_t *dest, int64_t value, int pe);
uint32_t shmemx_uint32_atomic_fetch_or(uint32_t *dest, uint32_t value, int pe);
uint64_t shmemx_uint64_atomic_fetch_or(uint64_t *dest, uint64_t value, int pe);
void shmemx_int32_atomic_or(int32_t *dest, int32_t value, int pe);
void shmemx_int64_atomic_or(int64_t *dest, int64_t value, int pe);
void shmemx_uint32_atomic_or(uint32_t *dest, uint32_t value, int pe);
void shmemx_uint64_atomic_or(uint64_t *dest, uint64_t value, int pe);
int32_t shmemx_int32_atomic_fetch_xor(int32_t *dest, int32_t value, int pe);
int64_t shmemx_int64_atomic_fetch_xor(int64_t *dest, int64_t value, int pe);
uint32_t shmemx_uint32_atomic_fetch_xor(uint32_t *dest, uint32_t value, int pe);
uint64_t shmemx_uint64_atomic_fetch_xor(uint64_t *dest, uint64_t value, int pe);
void shmemx_int32_atomic_xor(int32_t *dest, int32_t value, int pe);
void shmemx_int64_atomic_xor(int64_t *dest, int64_t value, int pe);
void shmemx_uint32_atomic_xor(uint32_t *dest, uint32_t value, int pe);
void shmemx_uint64_atomic_xor(uint64_t *dest, uint64_t value, int pe);

/* Open MPI: words by their widths */
void shmemx_int16_p(int16_t *dest, int16_t value, int pe);
void shmemx_int32_p(int32_t *dest, int32_t value, int pe);
void shmemx_int64_p(int64_t *dest, int64_t value, int pe);
int16_t shmemx_int16_g(const int16_t *source, int pe);
int32_t shmemx_int32_g(const int32_t *source, int pe);
int64_t shmemx_int64_g(const int64_t *source, int pe);
void shmemx_int32_wait(int32_t *ivar, int32_t cmp_value);
void shmemx_int64_wait(int64_t *ivar, int64_t cmp_value);
void shmemx_int32_wait_until(int32_t *ivar, int cmp, int32_t cmp_value);
void shmemx_int64_wait_until(int64_t *ivar, int cmp, int64_t cmp_value);

/* Open MPI: reductions by the widths of words */
void shmemx_int16_and_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_and_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_and_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_or_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_or_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_or_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_xor_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_xor_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_xor_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_max_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_max_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_max_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_min_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_min_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_min_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_sum_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_sum_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_sum_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);
void shmemx_int16_prod_to_all(int16_t *dest, const int16_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int16_t *pWrk, long *pSync);
void shmemx_int32_prod_to_all(int32_t *dest, const int32_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int32_t *pWrk, long *pSync);
void shmemx_int64_prod_to_all(int64_t *dest, const int64_t *source, int nreduce, int PE_start, int logPE_stride, int PE_size, int64_t *pWrk, long *pSync);

/* reference: the machine */
int shmemx_query_interoperability(int property);

/* reference: handles of transfers */
void shmemx_wait_req(void *desc);
void shmemx_test_req(void *desc, int *flag);

/* reference: sessions */
void shmemx_ctx_session_start(shmem_ctx_t ctx);
void shmemx_ctx_session_stop(shmem_ctx_t ctx);

/* reference: completion */
int shmemx_fence_test(void);
int shmemx_ctx_fence_test(shmem_ctx_t ctx);
int shmemx_quiet_test(void);
int shmemx_ctx_quiet_test(shmem_ctx_t ctx);

/* Ferrite: starts */
int shmemx_get_uniqueid(shmemx_uniqueid_t *uid);
int shmemx_set_attr_uniqueid_args(int myrank, int nranks, const shmemx_uniqueid_t *uid, shmemx_init_attr_t *attr);
int shmemx_init_attr(unsigned int flags, shmemx_init_attr_t *attr);
int shmemx_lost_pes(int *pes, int *n);
void shmemx_abandon(void);

/* Ferrite: requests */
int shmemx_req_test(shmemx_req_t *request);
void shmemx_req_wait(shmemx_req_t *request);

/* Ferrite: non-blocking collectives */
void shmemx_barrier_all_nb(shmemx_req_t *request);
void shmemx_sync_all_nb(shmemx_req_t *request);
int shmemx_team_sync_nb(shmem_team_t team, shmemx_req_t *request);
int shmemx_float_broadcast_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_double_broadcast_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_longdouble_broadcast_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_char_broadcast_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_schar_broadcast_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_short_broadcast_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_int_broadcast_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_long_broadcast_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_longlong_broadcast_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uchar_broadcast_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_ushort_broadcast_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uint_broadcast_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_ulong_broadcast_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_ulonglong_broadcast_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_int8_broadcast_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_int16_broadcast_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_int32_broadcast_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_int64_broadcast_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uint8_broadcast_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uint16_broadcast_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uint32_broadcast_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_uint64_broadcast_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_size_broadcast_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_ptrdiff_broadcast_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_float_fcollect_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, shmemx_req_t *request);
int shmemx_double_fcollect_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, shmemx_req_t *request);
int shmemx_longdouble_fcollect_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, shmemx_req_t *request);
int shmemx_char_fcollect_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, shmemx_req_t *request);
int shmemx_schar_fcollect_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, shmemx_req_t *request);
int shmemx_short_fcollect_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, shmemx_req_t *request);
int shmemx_int_fcollect_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, shmemx_req_t *request);
int shmemx_long_fcollect_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, shmemx_req_t *request);
int shmemx_longlong_fcollect_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, shmemx_req_t *request);
int shmemx_uchar_fcollect_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, shmemx_req_t *request);
int shmemx_ushort_fcollect_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint_fcollect_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, shmemx_req_t *request);
int shmemx_ulong_fcollect_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, shmemx_req_t *request);
int shmemx_ulonglong_fcollect_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, shmemx_req_t *request);
int shmemx_int8_fcollect_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int16_fcollect_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int32_fcollect_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int64_fcollect_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint8_fcollect_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint16_fcollect_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint32_fcollect_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint64_fcollect_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_size_fcollect_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_ptrdiff_fcollect_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_float_alltoall_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, shmemx_req_t *request);
int shmemx_double_alltoall_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, shmemx_req_t *request);
int shmemx_longdouble_alltoall_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, shmemx_req_t *request);
int shmemx_char_alltoall_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, shmemx_req_t *request);
int shmemx_schar_alltoall_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, shmemx_req_t *request);
int shmemx_short_alltoall_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, shmemx_req_t *request);
int shmemx_int_alltoall_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, shmemx_req_t *request);
int shmemx_long_alltoall_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, shmemx_req_t *request);
int shmemx_longlong_alltoall_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, shmemx_req_t *request);
int shmemx_uchar_alltoall_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, shmemx_req_t *request);
int shmemx_ushort_alltoall_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint_alltoall_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, shmemx_req_t *request);
int shmemx_ulong_alltoall_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, shmemx_req_t *request);
int shmemx_ulonglong_alltoall_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, shmemx_req_t *request);
int shmemx_int8_alltoall_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int16_alltoall_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int32_alltoall_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_int64_alltoall_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint8_alltoall_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint16_alltoall_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint32_alltoall_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_uint64_alltoall_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_size_alltoall_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_ptrdiff_alltoall_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nelems, shmemx_req_t *request);
int shmemx_broadcastmem_nb(shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root, shmemx_req_t *request);
int shmemx_fcollectmem_nb(shmem_team_t team, void *dest, const void *source, size_t nelems, shmemx_req_t *request);
int shmemx_alltoallmem_nb(shmem_team_t team, void *dest, const void *source, size_t nelems, shmemx_req_t *request);
int shmemx_uchar_and_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_and_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_and_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_and_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_and_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_and_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_and_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_and_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_and_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_and_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_and_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_and_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_and_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_and_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_or_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_or_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_or_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_or_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_or_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_or_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_or_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_or_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_or_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_or_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_or_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_or_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_or_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_or_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_xor_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_xor_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_xor_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_xor_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_xor_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_xor_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_xor_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_xor_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_xor_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_xor_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_xor_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_xor_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_xor_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_xor_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_float_max_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request);
int shmemx_double_max_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longdouble_max_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_char_max_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_schar_max_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_short_max_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int_max_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_long_max_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longlong_max_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_max_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_max_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_max_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_max_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_max_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_max_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_max_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_max_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_max_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_max_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_max_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_max_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_max_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_max_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ptrdiff_max_reduce_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_float_min_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request);
int shmemx_double_min_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longdouble_min_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_char_min_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_schar_min_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_short_min_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int_min_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_long_min_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longlong_min_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_min_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_min_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_min_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_min_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_min_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_min_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_min_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_min_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_min_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_min_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_min_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_min_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_min_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_min_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ptrdiff_min_reduce_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_char_sum_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_schar_sum_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_short_sum_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int_sum_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_long_sum_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longlong_sum_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ptrdiff_sum_reduce_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_sum_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_sum_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_sum_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_sum_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_sum_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_sum_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_sum_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_sum_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_sum_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_sum_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_sum_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_sum_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_sum_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_sum_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_float_sum_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request);
int shmemx_double_sum_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longdouble_sum_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_complexd_sum_reduce_nb(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nreduce, shmemx_req_t *request);
int shmemx_complexf_sum_reduce_nb(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nreduce, shmemx_req_t *request);
int shmemx_char_prod_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_schar_prod_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_short_prod_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int_prod_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_long_prod_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longlong_prod_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ptrdiff_prod_reduce_nb(shmem_team_t team, ptrdiff_t *dest, const ptrdiff_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uchar_prod_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ushort_prod_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint_prod_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulong_prod_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_ulonglong_prod_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int8_prod_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int16_prod_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int32_prod_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_int64_prod_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint8_prod_reduce_nb(shmem_team_t team, uint8_t *dest, const uint8_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint16_prod_reduce_nb(shmem_team_t team, uint16_t *dest, const uint16_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint32_prod_reduce_nb(shmem_team_t team, uint32_t *dest, const uint32_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_uint64_prod_reduce_nb(shmem_team_t team, uint64_t *dest, const uint64_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_size_prod_reduce_nb(shmem_team_t team, size_t *dest, const size_t *source, size_t nreduce, shmemx_req_t *request);
int shmemx_float_prod_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request);
int shmemx_double_prod_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_longdouble_prod_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request);
int shmemx_complexd_prod_reduce_nb(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nreduce, shmemx_req_t *request);
int shmemx_complexf_prod_reduce_nb(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nreduce, shmemx_req_t *request);

/* Ferrite: aggregation */
int shmemx_agg_create(size_t item_size, shmemx_agg_handler_t handler, void *context, size_t buffer_size, shmemx_agg_t *agg);
void shmemx_agg_destroy(shmemx_agg_t *agg);
void shmemx_agg_send(shmemx_agg_t agg, const void *item, int pe);
void shmemx_agg_put(shmemx_agg_t agg, uint64_t *dest, uint64_t value, int pe);
void shmemx_agg_add(shmemx_agg_t agg, uint64_t *dest, uint64_t value, int pe);
void shmemx_agg_or(shmemx_agg_t agg, uint64_t *dest, uint64_t value, int pe);
void shmemx_agg_xor(shmemx_agg_t agg, uint64_t *dest, uint64_t value, int pe);
void shmemx_agg_flush(shmemx_agg_t agg);

/* Ferrite: completion */
void shmemx_ctx_local_complete(shmem_ctx_t ctx);

/* Ferrite: the machine */
size_t shmemx_heap_size(void);

/* Cray: memory of devices */
int shmemx_query_gpu_awareness(shmem_team_t team);
int shmemx_space_create(shmem_team_t team, long options, const shmem_space_config_t *config, shmem_space_t *space);
void *shmemx_space_malloc(shmem_space_t space, size_t size);
void shmemx_space_free(shmem_space_t space, void *ptr);

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L

extern "C++" {

_SHMEM_INLINE void shmemx_signal_set(shmem_ctx_t ctx, const uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_ctx_signal_set(ctx, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_nb(float *dest, const float *source, size_t nelems, int pe, ...) { shmemx_float_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(double *dest, const double *source, size_t nelems, int pe, ...) { shmemx_double_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(long double *dest, const long double *source, size_t nelems, int pe, ...) { shmemx_longdouble_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(char *dest, const char *source, size_t nelems, int pe, ...) { shmemx_char_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(signed char *dest, const signed char *source, size_t nelems, int pe, ...) { shmemx_schar_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(short *dest, const short *source, size_t nelems, int pe, ...) { shmemx_short_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(int *dest, const int *source, size_t nelems, int pe, ...) { shmemx_int_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(long *dest, const long *source, size_t nelems, int pe, ...) { shmemx_long_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(long long *dest, const long long *source, size_t nelems, int pe, ...) { shmemx_longlong_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...) { shmemx_uchar_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...) { shmemx_ushort_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...) { shmemx_uint_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...) { shmemx_ulong_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...) { shmemx_ulonglong_put_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, float *dest, const float *source, size_t nelems, int pe, ...) { shmemx_ctx_float_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, double *dest, const double *source, size_t nelems, int pe, ...) { shmemx_ctx_double_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, long double *dest, const long double *source, size_t nelems, int pe, ...) { shmemx_ctx_longdouble_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, char *dest, const char *source, size_t nelems, int pe, ...) { shmemx_ctx_char_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, signed char *dest, const signed char *source, size_t nelems, int pe, ...) { shmemx_ctx_schar_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, short *dest, const short *source, size_t nelems, int pe, ...) { shmemx_ctx_short_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe, ...) { shmemx_ctx_int_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, long *dest, const long *source, size_t nelems, int pe, ...) { shmemx_ctx_long_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, long long *dest, const long long *source, size_t nelems, int pe, ...) { shmemx_ctx_longlong_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...) { shmemx_ctx_uchar_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...) { shmemx_ctx_ushort_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...) { shmemx_ctx_uint_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...) { shmemx_ctx_ulong_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_nb(shmem_ctx_t ctx, unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...) { shmemx_ctx_ulonglong_put_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(float *dest, const float *source, size_t nelems, int pe, ...) { shmemx_float_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(double *dest, const double *source, size_t nelems, int pe, ...) { shmemx_double_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(long double *dest, const long double *source, size_t nelems, int pe, ...) { shmemx_longdouble_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(char *dest, const char *source, size_t nelems, int pe, ...) { shmemx_char_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(signed char *dest, const signed char *source, size_t nelems, int pe, ...) { shmemx_schar_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(short *dest, const short *source, size_t nelems, int pe, ...) { shmemx_short_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(int *dest, const int *source, size_t nelems, int pe, ...) { shmemx_int_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(long *dest, const long *source, size_t nelems, int pe, ...) { shmemx_long_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(long long *dest, const long long *source, size_t nelems, int pe, ...) { shmemx_longlong_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...) { shmemx_uchar_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...) { shmemx_ushort_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...) { shmemx_uint_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...) { shmemx_ulong_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...) { shmemx_ulonglong_get_nb(dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, float *dest, const float *source, size_t nelems, int pe, ...) { shmemx_ctx_float_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, double *dest, const double *source, size_t nelems, int pe, ...) { shmemx_ctx_double_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, long double *dest, const long double *source, size_t nelems, int pe, ...) { shmemx_ctx_longdouble_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, char *dest, const char *source, size_t nelems, int pe, ...) { shmemx_ctx_char_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, signed char *dest, const signed char *source, size_t nelems, int pe, ...) { shmemx_ctx_schar_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, short *dest, const short *source, size_t nelems, int pe, ...) { shmemx_ctx_short_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe, ...) { shmemx_ctx_int_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, long *dest, const long *source, size_t nelems, int pe, ...) { shmemx_ctx_long_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, long long *dest, const long long *source, size_t nelems, int pe, ...) { shmemx_ctx_longlong_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, unsigned char *dest, const unsigned char *source, size_t nelems, int pe, ...) { shmemx_ctx_uchar_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, unsigned short *dest, const unsigned short *source, size_t nelems, int pe, ...) { shmemx_ctx_ushort_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, unsigned int *dest, const unsigned int *source, size_t nelems, int pe, ...) { shmemx_ctx_uint_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, unsigned long *dest, const unsigned long *source, size_t nelems, int pe, ...) { shmemx_ctx_ulong_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_get_nb(shmem_ctx_t ctx, unsigned long long *dest, const unsigned long long *source, size_t nelems, int pe, ...) { shmemx_ctx_ulonglong_get_nb(ctx, dest, source, nelems, pe); }
_SHMEM_INLINE void shmemx_put_signal(float *target, const float *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_float_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(double *target, const double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_double_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(long double *target, const long double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_longdouble_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(char *target, const char *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_char_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(int *target, const int *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_int_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(long *target, const long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_long_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal(long long *target, const long long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_longlong_put_signal(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(float *target, const float *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_float_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(double *target, const double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_double_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(long double *target, const long double *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_longdouble_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(char *target, const char *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_char_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(int *target, const int *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_int_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(long *target, const long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_long_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_put_signal_nb(long long *target, const long long *source, size_t len, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_longlong_put_signal_nb(target, source, len, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_signal_add(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe) { shmemx_ctx_signal_add(ctx, sig_addr, signal, pe); }
_SHMEM_INLINE void shmemx_ibput(float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_float_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_double_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_longdouble_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_char_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_schar_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_short_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_int_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_long_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_longlong_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_uchar_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ushort_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_uint_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ulong_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ulonglong_ibput(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_float_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_double_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_longdouble_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_char_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_schar_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_short_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_int_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_long_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_longlong_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_uchar_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ushort_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_uint_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ulong_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibput(shmem_ctx_t ctx, unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ulonglong_ibput(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_float_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_double_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_longdouble_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_char_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_schar_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_short_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_int_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_long_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_longlong_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_uchar_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ushort_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_uint_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ulong_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ulonglong_ibget(target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, float *target, const float *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_float_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, double *target, const double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_double_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, long double *target, const long double *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_longdouble_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, char *target, const char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_char_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, signed char *target, const signed char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_schar_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, short *target, const short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_short_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, int *target, const int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_int_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, long *target, const long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_long_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, long long *target, const long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_longlong_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, unsigned char *target, const unsigned char *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_uchar_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, unsigned short *target, const unsigned short *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ushort_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, unsigned int *target, const unsigned int *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_uint_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, unsigned long *target, const unsigned long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ulong_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE void shmemx_ibget(shmem_ctx_t ctx, unsigned long long *target, const unsigned long long *source, ptrdiff_t tst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe) { shmemx_ctx_ulonglong_ibget(ctx, target, source, tst, sst, bsize, nblocks, pe); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, char *dest, const char *source, size_t nelems) { return shmemx_char_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return shmemx_schar_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, short *dest, const short *source, size_t nelems) { return shmemx_short_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, int *dest, const int *source, size_t nelems) { return shmemx_int_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, long *dest, const long *source, size_t nelems) { return shmemx_long_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, long long *dest, const long long *source, size_t nelems) { return shmemx_longlong_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return shmemx_uchar_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return shmemx_ushort_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return shmemx_uint_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return shmemx_ulong_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return shmemx_ulonglong_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, float *dest, const float *source, size_t nelems) { return shmemx_float_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, double *dest, const double *source, size_t nelems) { return shmemx_double_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, long double *dest, const long double *source, size_t nelems) { return shmemx_longdouble_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nelems) { return shmemx_complexd_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nelems) { return shmemx_complexd_sum_inscan(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nelems) { return shmemx_complexf_sum_inscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_inscan(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nelems) { return shmemx_complexf_sum_inscan(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, char *dest, const char *source, size_t nelems) { return shmemx_char_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems) { return shmemx_schar_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, short *dest, const short *source, size_t nelems) { return shmemx_short_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, int *dest, const int *source, size_t nelems) { return shmemx_int_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, long *dest, const long *source, size_t nelems) { return shmemx_long_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, long long *dest, const long long *source, size_t nelems) { return shmemx_longlong_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems) { return shmemx_uchar_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems) { return shmemx_ushort_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems) { return shmemx_uint_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems) { return shmemx_ulong_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems) { return shmemx_ulonglong_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, float *dest, const float *source, size_t nelems) { return shmemx_float_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, double *dest, const double *source, size_t nelems) { return shmemx_double_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, long double *dest, const long double *source, size_t nelems) { return shmemx_longdouble_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nelems) { return shmemx_complexd_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nelems) { return shmemx_complexd_sum_exscan(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nelems) { return shmemx_complexf_sum_exscan(team, dest, source, nelems); }
_SHMEM_INLINE int shmemx_sum_exscan(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nelems) { return shmemx_complexf_sum_exscan(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nelems); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_float_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_double_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_longdouble_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_char_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_schar_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_short_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_int_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_long_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_longlong_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_uchar_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_ushort_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_uint_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_ulong_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_broadcast_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, int PE_root, shmemx_req_t *request) { return shmemx_ulonglong_broadcast_nb(team, dest, source, nelems, PE_root, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, shmemx_req_t *request) { return shmemx_float_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, shmemx_req_t *request) { return shmemx_double_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, shmemx_req_t *request) { return shmemx_longdouble_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, shmemx_req_t *request) { return shmemx_char_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, shmemx_req_t *request) { return shmemx_schar_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, shmemx_req_t *request) { return shmemx_short_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, shmemx_req_t *request) { return shmemx_int_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, shmemx_req_t *request) { return shmemx_long_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, shmemx_req_t *request) { return shmemx_longlong_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, shmemx_req_t *request) { return shmemx_uchar_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, shmemx_req_t *request) { return shmemx_ushort_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, shmemx_req_t *request) { return shmemx_uint_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, shmemx_req_t *request) { return shmemx_ulong_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_fcollect_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, shmemx_req_t *request) { return shmemx_ulonglong_fcollect_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, float *dest, const float *source, size_t nelems, shmemx_req_t *request) { return shmemx_float_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, double *dest, const double *source, size_t nelems, shmemx_req_t *request) { return shmemx_double_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, long double *dest, const long double *source, size_t nelems, shmemx_req_t *request) { return shmemx_longdouble_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, char *dest, const char *source, size_t nelems, shmemx_req_t *request) { return shmemx_char_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nelems, shmemx_req_t *request) { return shmemx_schar_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, short *dest, const short *source, size_t nelems, shmemx_req_t *request) { return shmemx_short_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, int *dest, const int *source, size_t nelems, shmemx_req_t *request) { return shmemx_int_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, long *dest, const long *source, size_t nelems, shmemx_req_t *request) { return shmemx_long_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, long long *dest, const long long *source, size_t nelems, shmemx_req_t *request) { return shmemx_longlong_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nelems, shmemx_req_t *request) { return shmemx_uchar_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nelems, shmemx_req_t *request) { return shmemx_ushort_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nelems, shmemx_req_t *request) { return shmemx_uint_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nelems, shmemx_req_t *request) { return shmemx_ulong_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_alltoall_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nelems, shmemx_req_t *request) { return shmemx_ulonglong_alltoall_nb(team, dest, source, nelems, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int8_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int16_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int32_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_and_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int64_and_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int8_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int16_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int32_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_or_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int64_or_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, int8_t *dest, const int8_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int8_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, int16_t *dest, const int16_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int16_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, int32_t *dest, const int32_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int32_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_xor_reduce_nb(shmem_team_t team, int64_t *dest, const int64_t *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int64_xor_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request) { return shmemx_float_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_double_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longdouble_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_char_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_schar_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_short_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_long_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longlong_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_max_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_max_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request) { return shmemx_float_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_double_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longdouble_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_char_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_schar_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_short_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_long_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longlong_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_min_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_min_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_char_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_schar_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_short_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_long_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longlong_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request) { return shmemx_float_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_double_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longdouble_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_sum_reduce_nb(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_sum_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_sum_reduce_nb(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_sum_reduce_nb(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, char *dest, const char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_char_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, signed char *dest, const signed char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_schar_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, short *dest, const short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_short_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, int *dest, const int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_int_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, long *dest, const long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_long_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, long long *dest, const long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longlong_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, unsigned char *dest, const unsigned char *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uchar_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, unsigned short *dest, const unsigned short *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ushort_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, unsigned int *dest, const unsigned int *source, size_t nreduce, shmemx_req_t *request) { return shmemx_uint_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, unsigned long *dest, const unsigned long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulong_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, unsigned long long *dest, const unsigned long long *source, size_t nreduce, shmemx_req_t *request) { return shmemx_ulonglong_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, float *dest, const float *source, size_t nreduce, shmemx_req_t *request) { return shmemx_float_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, double *dest, const double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_double_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, long double *dest, const long double *source, size_t nreduce, shmemx_req_t *request) { return shmemx_longdouble_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, _SHMEM_complexd *dest, const _SHMEM_complexd *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_prod_reduce_nb(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, _SHMEM_complexf *dest, const _SHMEM_complexf *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_prod_reduce_nb(team, dest, source, nreduce, request); }
_SHMEM_INLINE int shmemx_prod_reduce_nb(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_prod_reduce_nb(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nreduce, request); }
template <int = 0> _SHMEM_INLINE int shmemx_complexd_sum_inscan(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nelems) { return shmemx_complexd_sum_inscan(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nelems); }
template <int = 0> _SHMEM_INLINE int shmemx_complexf_sum_inscan(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nelems) { return shmemx_complexf_sum_inscan(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nelems); }
template <int = 0> _SHMEM_INLINE int shmemx_complexd_sum_exscan(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nelems) { return shmemx_complexd_sum_exscan(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nelems); }
template <int = 0> _SHMEM_INLINE int shmemx_complexf_sum_exscan(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nelems) { return shmemx_complexf_sum_exscan(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nelems); }
template <int = 0> _SHMEM_INLINE int shmemx_complexd_sum_reduce_nb(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_sum_reduce_nb(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nreduce, request); }
template <int = 0> _SHMEM_INLINE int shmemx_complexf_sum_reduce_nb(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_sum_reduce_nb(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nreduce, request); }
template <int = 0> _SHMEM_INLINE int shmemx_complexd_prod_reduce_nb(shmem_team_t team, std::complex<double> *dest, const std::complex<double> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexd_prod_reduce_nb(team, reinterpret_cast<_SHMEM_complexd *>(dest), reinterpret_cast<const _SHMEM_complexd *>(source), nreduce, request); }
template <int = 0> _SHMEM_INLINE int shmemx_complexf_prod_reduce_nb(shmem_team_t team, std::complex<float> *dest, const std::complex<float> *source, size_t nreduce, shmemx_req_t *request) { return shmemx_complexf_prod_reduce_nb(team, reinterpret_cast<_SHMEM_complexf *>(dest), reinterpret_cast<const _SHMEM_complexf *>(source), nreduce, request); }

}

#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

#define _SHMEMX_TYPES1(prefix, stem) \
    float *: prefix##float_##stem, \
    double *: prefix##double_##stem, \
    long double *: prefix##longdouble_##stem, \
    char *: prefix##char_##stem, \
    signed char *: prefix##schar_##stem, \
    short *: prefix##short_##stem, \
    int *: prefix##int_##stem, \
    long *: prefix##long_##stem, \
    long long *: prefix##longlong_##stem, \
    unsigned char *: prefix##uchar_##stem, \
    unsigned short *: prefix##ushort_##stem, \
    unsigned int *: prefix##uint_##stem, \
    unsigned long *: prefix##ulong_##stem, \
    unsigned long long *: prefix##ulonglong_##stem
#define _SHMEMX_TYPES2(prefix, stem) \
    float *: prefix##float_##stem, \
    double *: prefix##double_##stem, \
    long double *: prefix##longdouble_##stem, \
    char *: prefix##char_##stem, \
    int *: prefix##int_##stem, \
    long *: prefix##long_##stem, \
    long long *: prefix##longlong_##stem
#define _SHMEMX_TYPES3(prefix, stem) \
    char *: prefix##char_##stem, \
    signed char *: prefix##schar_##stem, \
    short *: prefix##short_##stem, \
    int *: prefix##int_##stem, \
    long *: prefix##long_##stem, \
    long long *: prefix##longlong_##stem, \
    unsigned char *: prefix##uchar_##stem, \
    unsigned short *: prefix##ushort_##stem, \
    unsigned int *: prefix##uint_##stem, \
    unsigned long *: prefix##ulong_##stem, \
    unsigned long long *: prefix##ulonglong_##stem, \
    float *: prefix##float_##stem, \
    double *: prefix##double_##stem, \
    long double *: prefix##longdouble_##stem, \
    _SHMEM_complexd *: prefix##complexd_##stem, \
    _SHMEM_complexf *: prefix##complexf_##stem
#define _SHMEMX_TYPES4(prefix, stem) \
    unsigned char *: prefix##uchar_##stem, \
    unsigned short *: prefix##ushort_##stem, \
    unsigned int *: prefix##uint_##stem, \
    unsigned long *: prefix##ulong_##stem, \
    unsigned long long *: prefix##ulonglong_##stem, \
    int8_t *: prefix##int8_##stem, \
    int16_t *: prefix##int16_##stem, \
    int32_t *: prefix##int32_##stem, \
    int64_t *: prefix##int64_##stem

#define shmemx_signal_set(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    shmem_ctx_t: shmemx_ctx_signal_set, default: shmemx_signal_set)(__VA_ARGS__)
#define shmemx_put_nb(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES1(shmemx_, put_nb), \
    shmem_ctx_t: _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
        _SHMEMX_TYPES1(shmemx_ctx_, put_nb), \
        default: _shmem_no_routine_for_this_type))(__VA_ARGS__)
#define shmemx_get_nb(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES1(shmemx_, get_nb), \
    shmem_ctx_t: _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
        _SHMEMX_TYPES1(shmemx_ctx_, get_nb), \
        default: _shmem_no_routine_for_this_type))(__VA_ARGS__)
#define shmemx_put_signal(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES2(shmemx_, put_signal))(__VA_ARGS__)
#define shmemx_put_signal_nb(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES2(shmemx_, put_signal_nb))(__VA_ARGS__)
#define shmemx_signal_add(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    shmem_ctx_t: shmemx_ctx_signal_add, default: shmemx_signal_add)(__VA_ARGS__)
#define shmemx_ibput(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES1(shmemx_, ibput), \
    shmem_ctx_t: _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
        _SHMEMX_TYPES1(shmemx_ctx_, ibput), \
        default: _shmem_no_routine_for_this_type))(__VA_ARGS__)
#define shmemx_ibget(...) \
    _Generic((_SHMEM_ARG1(__VA_ARGS__, 0)), \
    _SHMEMX_TYPES1(shmemx_, ibget), \
    shmem_ctx_t: _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
        _SHMEMX_TYPES1(shmemx_ctx_, ibget), \
        default: _shmem_no_routine_for_this_type))(__VA_ARGS__)
#define shmemx_sum_inscan(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES3(shmemx_, sum_inscan))(__VA_ARGS__)
#define shmemx_sum_exscan(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES3(shmemx_, sum_exscan))(__VA_ARGS__)
#define shmemx_broadcast_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES1(shmemx_, broadcast_nb))(__VA_ARGS__)
#define shmemx_fcollect_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES1(shmemx_, fcollect_nb))(__VA_ARGS__)
#define shmemx_alltoall_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES1(shmemx_, alltoall_nb))(__VA_ARGS__)
#define shmemx_and_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES4(shmemx_, and_reduce_nb))(__VA_ARGS__)
#define shmemx_or_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES4(shmemx_, or_reduce_nb))(__VA_ARGS__)
#define shmemx_xor_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES4(shmemx_, xor_reduce_nb))(__VA_ARGS__)
#define shmemx_max_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES1(shmemx_, max_reduce_nb))(__VA_ARGS__)
#define shmemx_min_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES1(shmemx_, min_reduce_nb))(__VA_ARGS__)
#define shmemx_sum_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES3(shmemx_, sum_reduce_nb))(__VA_ARGS__)
#define shmemx_prod_reduce_nb(...) \
    _Generic((_SHMEM_ARG2(__VA_ARGS__, 0, 0)), \
    _SHMEMX_TYPES3(shmemx_, prod_reduce_nb))(__VA_ARGS__)

#endif

#endif
