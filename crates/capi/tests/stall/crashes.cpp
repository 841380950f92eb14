// A program in C++ that dies in a template of a namespace. With the word `throws` it needs the C++ library, else it needs nothing of it
// (`-DALONE`).
#include <shmem.h>
#ifndef ALONE
#include <stdexcept>
#endif

namespace stencil {
template <typename Cell> struct Grid {
    Cell *cells;
    __attribute__((noinline)) void relax(int row) { cells[row] = Cell(1); }
};
} // namespace stencil

int main(int count, char **) {
    shmem_init();
#ifndef ALONE
    if (count > 1) throw std::runtime_error("words are not expected");
#endif
    stencil::Grid<double> grid{nullptr};
    if (shmem_my_pe() == 1) grid.relax(count);
    shmem_barrier_all();
    shmem_finalize();
}
