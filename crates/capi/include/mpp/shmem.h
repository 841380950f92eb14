/* mpp/shmem.h: the name that shmem.h had before OpenSHMEM 1.1.
   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */

#ifndef _FERRITE_MPP_SHMEM_H
#define _FERRITE_MPP_SHMEM_H

#include "../shmem.h"

#endif
