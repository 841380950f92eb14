! pes: 1 3
! stdout: good
! Cray's names of before OpenSHMEM: transfers with and without a handle, and atomics of default INTEGER.
program names_of_others
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes, shmem_finc, shmem_fadd, shmem_cswap
  integer, save :: word = 5
  integer(8), save :: dest(4) = 0, source(4), got(4) = 0, handle = 0
  real(8), save :: halves(2) = 0, mine(2)
  integer :: me, npes, to, from, i
  external :: shmem_init, shmem_finalize, shmem_barrier_all, shmem_quiet, check
  external :: shmem_put64_nb, shmem_get64_nb, shmem_double_put_nb, shmem_putmem_nb, shmem_get, shmem_add, shmem_inc
  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  to = mod(me + 1, npes)
  from = mod(me + npes - 1, npes)
  source = [(10 * me + i, i = 1, 4)]
  mine = me + [0.25d0, 0.5d0]
  call shmem_put64_nb(dest, source, 2, to)
  call handled(dest(3:4), source(3:4))
  call shmem_double_put_nb(halves, mine, 1, to)
  call bytes(halves(2:2), mine(2:2))
  call shmem_quiet()
  call shmem_barrier_all()
  call check(all(dest == [(10 * from + i, i = 1, 4)]), 'puts')
  call check(all(halves == from + [0.25d0, 0.5d0]), 'doubles and bytes')
  call shmem_get(got, source, 2, to)
  call shmem_get64_nb(got(3), source(3), 2, to)
  call shmem_quiet()
  call check(all(got == [(10 * to + i, i = 1, 4)]), 'gets')
  call check(shmem_finc(word, to) == 5, 'finc')
  call check(shmem_fadd(word, 4, to) == 6, 'fadd')
  call shmem_add(word, 2, to)
  call shmem_inc(word, to)
  call check(shmem_cswap(word, 13, 20, to) == 13, 'cswap')
  call shmem_barrier_all()
  call check(word == 20, 'word')
  if (me == 0) print '(a)', 'good'
  call shmem_finalize()
contains
  subroutine handled(d, s)
    integer(8) :: d(2), s(2)
    external :: shmem_put32_nb
    call shmem_put32_nb(d, s, 4, to, handle)
  end subroutine
  subroutine bytes(d, s)
    real(8) :: d(1), s(1)
    call shmem_putmem_nb(d, s, 8, to)
  end subroutine
end program
