! Invalid input from Fortran, one case a run: the argument names the case. PE 1 makes the call, or all PEs if it is
! collective; otherwise the others wait in a barrier.
program bad
  implicit none
  integer(8), save :: sig = 0
  integer(8) :: none(8) = 0, lens(8) = 8, much(8) = 2_8**40, come
  integer, save :: words(64) = 0, psync(64) = 0, pwrk(64) = 0, lock = 0
  real(8), save :: reals(64) = 0
  integer :: me, n
  character(len=32) :: what
  integer, external :: my_pe, num_pes, shmem_int4_fadd, shmem_int8_cswap
  external :: shmem_init, shmem_finalize, shmem_barrier_all, shmem_put8, shmem_get4, shmem_iput8, shmem_putmem, &
    shmem_int4_wait_until, shmem_set_lock, shmem_clear_lock, shmem_barrier, shmem_broadcast8, shmem_int4_sum_to_all, &
    shmemx_put8_signal, shmemx_alltoallv, shmem_alltoallv_packed
  call shmem_init()
  me = my_pe()
  n = num_pes()
  call get_command_argument(1, what)
  select case (what)
  case ('barrier_beyond')
    call shmem_barrier(1, 0, n, psync)
  case ('broadcast_root')
    call shmem_broadcast8(reals, reals, 4, n, 0, 0, n, psync)
  case ('reduce_negative')
    call shmem_int4_sum_to_all(words, words, -1, 0, 0, n, pwrk, psync)
  case ('alltoallv_beyond')
    call shmemx_alltoallv(reals, none, lens, reals, none, much, 0, 0, n, psync)
  case ('packed_without_room')
    call shmem_alltoallv_packed(reals, 15_8, come, words, none, lens, 0, 0, n, psync)
  case default
    if (me == 1) call alone()
  end select
  call shmem_barrier_all()
  call shmem_finalize()
contains
  subroutine alone()
    integer :: own(8), got
    integer(8) :: old
    real(8) :: mine(8)
    own = 0
    mine = 0
    select case (what)
    case ('put_pe')
      call shmem_put8(reals, mine, 4, n)
    case ('get_pe')
      call shmem_get4(own, words, 4, -1)
    case ('put_stack')
      call shmem_put8(mine, mine, 4, 0)
    case ('get_stack')
      call shmem_get4(words, own, 4, 0)
    case ('put_negative')
      call shmem_put8(reals, mine, -4, 0)
    case ('iput_stride')
      call shmem_iput8(reals, mine, 0, 1, 4, 0)
    case ('putmem_beyond')
      call shmem_putmem(words, own, 2147483647, 0)
    case ('fadd_pe')
      got = shmem_int4_fadd(words(1), 1, n)
    case ('fadd_stack')
      got = shmem_int4_fadd(own(1), 1, 0)
    case ('cswap_unaligned')
      old = shmem_int8_cswap(words(2), 0_8, 1_8, 0)
    case ('wait_stack')
      call shmem_int4_wait_until(own(1), 0, 5)
    case ('wait_cmp')
      call shmem_int4_wait_until(words(1), 99, 5)
    case ('lock_stack')
      call shmem_set_lock(own(1))
    case ('lock_free')
      call shmem_clear_lock(lock)
    case ('put_signal_pe')
      call shmemx_put8_signal(reals, mine, 4, sig, 1_8, n)
    case ('put_signal_stack')
      call shmemx_put8_signal(mine, reals, 4, sig, 1_8, 0)
    case ('put_signal_negative')
      call shmemx_put8_signal(reals, mine, -4, sig, 1_8, 0)
    case ('put_signal_nowhere')
      call shmemx_put8_signal(reals, mine, 4, old, 1_8, 0)
    end select
  end subroutine
end program
