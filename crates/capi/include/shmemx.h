/* shmemx.h: what Ferrite offers beside OpenSHMEM 1.6, and what older versions had.
   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */

#ifndef _FERRITE_SHMEMX_H
#define _FERRITE_SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 9.11 of earlier versions, removed in 1.5 */
void shmem_clear_cache_inv(void);
void shmem_clear_cache_line_inv(void *dest);
void shmem_set_cache_inv(void);
void shmem_set_cache_line_inv(void *dest);
void shmem_udcflush(void);
void shmem_udcflush_line(void *dest);

#ifdef __cplusplus
}
#endif

#endif
