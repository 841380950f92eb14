// pes: 1 2 4
// flags: -std=c++17
// C++ objects of static storage are symmetric: inline variables, static members of classes and templates, locals of inline
// functions, namespace objects with constructors, anonymous namespaces.
#include "check.h"

inline long inline_variable = 3;

template <class T> struct Holder {
    static inline T member = 4;
    static T &local()
    {
        static T value = 5;
        return value;
    }
};

struct Counted {
    long value;
    Counted() : value(getpid() > 0 ? 6 : 0) {} // run by a dynamic initialiser
};
static Counted object;

namespace
{
long hidden = 7;
}

inline long &of_inline_function()
{
    static long value = 8;
    return value;
}

static void one(long *word, long initial, int me, int npes)
{
    int to = (me + 1) % npes, from = (me + npes - 1) % npes;
    CHECK_EQ(*word, initial);
    CHECK_EQ(shmem_addr_accessible(word, to), 1);
    shmem_barrier_all();
    shmem_long_p(word, 100 + me, to);
    shmem_barrier_all();
    CHECK_EQ(*word, 100 + from);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_atomic_fetch_add(word, 1, to), 100 + me);
    shmem_barrier_all();
}

int main()
{
    int me, npes;
    begin(&me, &npes);
    one(&inline_variable, 3, me, npes);
    one(&Holder<long>::member, 4, me, npes);
    one(&Holder<long>::local(), 5, me, npes);
    one(&object.value, 6, me, npes);
    one(&hidden, 7, me, npes);
    one(&of_inline_function(), 8, me, npes);
    end();
    return 0;
}
