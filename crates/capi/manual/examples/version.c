#include <shmem.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int major, minor;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    int same = strcmp(name, SHMEM_VENDOR_STRING) == 0;
    printf("OpenSHMEM %d.%d; the library is %s\n", major, minor,
           same ? "the one that the header belongs to" : name);
    return same && major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION ? 0 : 1;
}
