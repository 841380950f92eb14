! pes: 1 2 3 4
! Every atomic, alone and contended.
program atomics
  implicit none
  integer(4), save :: i4 = 0, count4 = 0
  integer(8), save :: i8 = 0, count8 = 0
  real(4), save :: r4 = 0
  real(8), save :: r8 = 0
  integer, save :: plain = 0
  integer :: me, n, k, next
  integer(4) :: old4
  integer(8) :: old8, seen
  integer :: shmem_my_pe, shmem_n_pes, shmem_swap
  integer(4) :: shmem_int4_cswap, shmem_int4_fadd, shmem_int4_fetch, shmem_int4_finc, shmem_int4_swap
  integer(8) :: shmem_int8_cswap, shmem_int8_fadd, shmem_int8_fetch, shmem_int8_finc, shmem_int8_swap
  real(4) :: shmem_real4_fetch, shmem_real4_swap
  real(8) :: shmem_real8_fetch, shmem_real8_swap
  external :: shmem_int4_add, shmem_int8_add, shmem_int4_inc, shmem_int8_inc, shmem_int4_set, shmem_int8_set
  external :: shmem_real4_set, shmem_real8_set, shmem_init, shmem_finalize, shmem_barrier_all, check

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)

  call shmem_int4_set(i4, -5, next)
  call check(shmem_int4_fetch(i4, next) == -5, 'int4 set, fetch')
  call check(shmem_int4_swap(i4, 7, next) == -5, 'int4 swap')
  call check(shmem_int4_cswap(i4, 6, 9, next) == 7, 'int4 cswap that fails')
  call check(shmem_int4_cswap(i4, 7, 9, next) == 7, 'int4 cswap')
  call check(shmem_int4_fadd(i4, 10, next) == 9, 'int4 fadd')
  call check(shmem_int4_finc(i4, next) == 19, 'int4 finc')
  call shmem_int4_add(i4, -3, next)
  call shmem_int4_inc(i4, next)
  call check(shmem_int4_fetch(i4, next) == 18, 'int4 add, inc')

  call shmem_int8_set(i8, -5000000000_8, next)
  call check(shmem_int8_fetch(i8, next) == -5000000000_8, 'int8 set, fetch')
  call check(shmem_int8_swap(i8, 7_8, next) == -5000000000_8, 'int8 swap')
  call check(shmem_int8_cswap(i8, 6_8, 9_8, next) == 7, 'int8 cswap that fails')
  call check(shmem_int8_cswap(i8, 7_8, 2_8**40, next) == 7, 'int8 cswap')
  call check(shmem_int8_fadd(i8, 10_8, next) == 2_8**40, 'int8 fadd')
  call check(shmem_int8_finc(i8, next) == 2_8**40 + 10, 'int8 finc')
  call shmem_int8_add(i8, -3_8, next)
  call shmem_int8_inc(i8, next)
  call check(shmem_int8_fetch(i8, next) == 2_8**40 + 9, 'int8 add, inc')

  call shmem_real4_set(r4, 1.5, next)
  call check(shmem_real4_swap(r4, -2.25, next) == 1.5, 'real4 set, swap')
  call check(shmem_real4_fetch(r4, next) == -2.25, 'real4 fetch')
  call shmem_real8_set(r8, 1d300, next)
  call check(shmem_real8_swap(r8, -2d-300, next) == 1d300, 'real8 set, swap')
  call check(shmem_real8_fetch(r8, next) == -2d-300, 'real8 fetch')
  call check(shmem_swap(plain, 5, next) == 0, 'swap')
  call check(shmem_swap(plain, 0, next) == 5, 'swap again')

  call shmem_barrier_all()
  seen = 0
  do k = 1, 500
    call shmem_int4_inc(count4, 0)
    call shmem_int4_add(count4, 2, 0)
    old4 = shmem_int4_finc(count4, 0)
    old4 = shmem_int4_fadd(count4, 3, 0)
    old8 = shmem_int8_finc(count8, 0)
    call check(old8 >= seen, 'a counter only grows')
    seen = old8 + 1
  end do
  call shmem_barrier_all()
  call check(shmem_int4_fetch(count4, 0) == 3500 * n, 'nothing is lost of int4')
  call check(shmem_int8_fetch(count8, 0) == 500 * n, 'nothing is lost of int8')
  call shmem_finalize()
end program
