/* shmemg.h: memory of GPUs, of OpenSHMEM's auxiliary specification for GPU support 0.1.
   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */

#ifndef _FERRITE_SHMEMG_H
#define _FERRITE_SHMEMG_H

#include "shmem.h"

#define SHMEM_DEVICE_HOST_INIT 256
#define SHMEM_DEVICE_KERNEL_INIT 512
#define SHMEM_DEVICE_CTX 256L
#define SHMEM_DEVICE_TEAM_WORLD SHMEM_TEAM_WORLD
#define SHMEM_DEVICE_TEAM_SHARED SHMEM_TEAM_SHARED

#ifdef __cplusplus
extern "C" {
#endif

/* GPU support: memory of devices */
void *shmemg_malloc(size_t size);
void *shmemg_calloc(size_t count, size_t size);
void *shmemg_align(size_t alignment, size_t size);
void shmemg_free(void *ptr);

#ifdef __cplusplus
}
#endif

#endif
