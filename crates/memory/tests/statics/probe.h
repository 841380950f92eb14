/* The functions exported by examples/statics_probe.rs, and checks that name their line. */
#ifndef PROBE_H
#define PROBE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
void *probe_base(void);
size_t probe_len(void);
uint64_t probe_identity(void);
int64_t probe_share(int file, uint64_t at);
uint64_t probe_copied(void);
int64_t probe_unshare(void);
#ifdef __cplusplus
}
#endif
#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
#endif
