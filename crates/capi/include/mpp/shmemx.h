/* mpp/shmemx.h: the name that shmemx.h had before OpenSHMEM 1.1.
   Written by `cargo xtask codegen` from the table in crates/abi: edit that. */

#ifndef _FERRITE_MPP_SHMEMX_H
#define _FERRITE_MPP_SHMEMX_H

#include "../shmemx.h"

#endif
