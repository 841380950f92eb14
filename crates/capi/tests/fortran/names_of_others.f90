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
  integer, save :: ints(2) = 0, int_source(2)
  logical, save :: flags(2) = .false., flag_source(2) = .true.
  real, save :: singles(2) = 0, single_source(2)
  complex, save :: pairs(2) = 0, pair_source(2)
  character(4), save :: text = '', text_source
  external :: shmem_put64_nb, shmem_get64_nb, shmem_double_put_nb, shmem_double_get_nb, shmem_putmem_nb
  external :: shmem_get, shmem_add, shmem_inc
  external :: shmem_integer_put_nb, shmem_integer_get_nb, shmem_logical_put_nb, shmem_logical_get_nb, shmem_real_put_nb
  external :: shmem_real_get_nb, shmem_complex_put_nb, shmem_complex_get_nb, shmem_character_put_nb, shmem_character_get_nb
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
  call each_type()
  call each_size()
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
  ! Puts arrive, and what they have brought is got back from there.
  subroutine each_type()
    int_source = me + [1, 2]
    single_source = me + [0.5, 0.25]
    pair_source = cmplx(single_source, 1.0)
    write (text_source, '(a,i1)') 'pe ', me
    call shmem_integer_put_nb(ints, int_source, 2, to)
    call shmem_logical_put_nb(flags, flag_source, 2, to)
    call shmem_real_put_nb(singles, single_source, 2, to)
    call shmem_complex_put_nb(pairs, pair_source, 2, to)
    call shmem_character_put_nb(text, text_source, 4, to)
    call shmem_quiet()
    call shmem_barrier_all()
    call check(all(ints == from + [1, 2]) .and. all(flags), 'integers and logicals')
    call check(all(singles == from + [0.5, 0.25]) .and. all(pairs == cmplx(from + [0.5, 0.25], 1.0)), 'reals and pairs')
    call check(text(4:4) == achar(iachar('0') + from), 'text')
    call shmem_barrier_all()
    int_source = 0
    flag_source = .false.
    single_source = 0
    pair_source = 0
    text_source = ''
    mine = 0
    call shmem_integer_get_nb(int_source, ints, 2, to)
    call shmem_logical_get_nb(flag_source, flags, 2, to)
    call shmem_real_get_nb(single_source, singles, 2, to)
    call shmem_complex_get_nb(pair_source, pairs, 2, to)
    call shmem_character_get_nb(text_source, text, 4, to)
    call shmem_double_get_nb(mine, halves, 2, to)
    call shmem_quiet()
    call check(all(int_source == me + [1, 2]) .and. all(flag_source), 'integers and logicals got')
    call check(all(single_source == me + [0.5, 0.25]) .and. all(pair_source == cmplx(single_source, 1.0)), 'reals got')
    call check(text_source(4:4) == achar(iachar('0') + me) .and. all(mine == me + [0.25d0, 0.5d0]), 'text and doubles got')
    call shmem_barrier_all()
  end subroutine
  subroutine each_size()
    external :: shmem_put4_nb, shmem_put8_nb, shmem_put32_nb, shmem_put128_nb
    external :: shmem_get4_nb, shmem_get8_nb, shmem_get32_nb, shmem_get128_nb, shmem_getmem_nb
    integer(8), save :: there(6) = 0, here(6), back(6) = 0
    here = [(100 * me + i, i = 1, 6)]
    call shmem_put4_nb(there(1), here(1), 2, to, handle)
    call shmem_put8_nb(there(2), here(2), 1, to)
    call shmem_put32_nb(there(3), here(3), 4, to)
    call shmem_put128_nb(there(5), here(5), 1, to)
    call shmem_quiet()
    call shmem_barrier_all()
    call check(all(there == [(100 * from + i, i = 1, 6)]), 'sizes put')
    call shmem_get4_nb(back(1), here(1), 2, to)
    call shmem_get8_nb(back(2), here(2), 1, to)
    call shmem_get32_nb(back(3), here(3), 2, to)
    call shmem_getmem_nb(back(4), here(4), 8, to)
    call shmem_get128_nb(back(5), here(5), 1, to)
    call shmem_quiet()
    call check(all(back == [(100 * to + i, i = 1, 6)]), 'sizes got')
    call shmem_barrier_all()
  end subroutine
  subroutine handled(d, s)
    integer(8) :: d(2), s(2)
    external :: shmem_put4_nb
    call shmem_put4_nb(d, s, 4, to, handle)
  end subroutine
  subroutine bytes(d, s)
    real(8) :: d(1), s(1)
    call shmem_putmem_nb(d, s, 8, to)
  end subroutine
end program
