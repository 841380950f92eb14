/* Prints only the line that every program prints first: where its PEs are. */
#include "bench.h"

int main(int argc, char **argv)
{
    bench_start(argc, argv);
    bench_end();
    return 0;
}
