// pes: 1 2 4
// flags: -std=c++17
// C++ calls the plain names with C linkage; std::vector, std::complex and references to statics go through them; the header
// compiles as C++17 without warnings and its constants initialise constexpr and static objects.
#include "types.h"
#include <complex>
#include <type_traits>
#include <vector>

namespace app
{
static shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
static shmem_team_t team = SHMEM_TEAM_WORLD;
constexpr int comparison = SHMEM_CMP_EQ;
} // namespace app

static_assert(std::is_same_v<decltype(&shmem_long_put), void (*)(long *, const long *, size_t, int)>, "C's own prototype");
static_assert(std::is_same_v<decltype(shmem_double_g(nullptr, 0)), double>, "C's own prototype");

#define ROUND_TRIP(NAME, T)                                                                                            \
    {                                                                                                                  \
        static T place;                                                                                                \
        shmem_##NAME##_p(&place, static_cast<T>(me + 1), to);                                                                       \
        shmem_barrier_all();                                                                                           \
        CHECK_EQ(place, from + 1);                                                                                     \
        CHECK_EQ(shmem_ctx_##NAME##_g(app::ctx, &place, to), me + 1);                                                  \
        shmem_barrier_all();                                                                                           \
    }

int main()
{
    int me, npes;
    begin(&me, &npes);
    const int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    RMA_TYPES(ROUND_TRIP)
    static std::complex<double> numbers[10];
    std::vector<std::complex<double>> source(10, {1.5 + me, -2.5});
    shmem_putmem(numbers, source.data(), sizeof numbers, to);
    shmem_barrier_all();
    for (const auto &n : numbers) CHECK(n == std::complex<double>(1.5 + from, -2.5));
    static long word = 3;
    shmem_long_wait_until(&word, app::comparison, 3);
    shmem_team_t of = SHMEM_TEAM_INVALID;
    CHECK(shmem_ctx_get_team(app::ctx, &of) == 0 && of == app::team);
    end();
    return 0;
}
