! Correct Fortran programs, as right.c.
module objects
  implicit none
  integer, save :: me, pes, next, before
contains
  subroutine must(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a,i0,2a)', 'PE ', me, ': ', what
    call shmem_global_exit(1)
  end subroutine
end module

subroutine flag_behind_a_fence()
  use objects
  integer(4), save :: row(64), flag = 0
  integer(4) :: mine(64)
  mine = me
  call shmem_put4(row, mine, 64, next)
  call shmem_fence()
  call shmem_int4_set(flag, 1, next)
  call shmem_int4_wait_until(flag, 0, 1)
  call must(all(row == before), 'data behind a flag')
end subroutine

subroutine arrays_after_quiet()
  use objects
  integer(8), save :: row(64)
  integer(8), allocatable :: mine(:)
  integer :: round
  do round = 1, 4
    allocate (mine(64))
    mine = me + round
    call shmem_put8_nbi(row, mine, 64, next)
    call shmem_quiet()
    mine = -1
    deallocate (mine)
    call shmem_barrier_all()
    call must(row(64) == before + round, 'an array')
    call shmem_barrier_all()
  end do
end subroutine

subroutine sums_in_turn()
  use objects
  include 'shmem.fh'
  integer, save :: psync(SHMEM_REDUCE_SYNC_SIZE, 2)
  integer(4), save :: work(SHMEM_REDUCE_MIN_WRKDATA_SIZE), x, total
  integer :: round
  psync = SHMEM_SYNC_VALUE
  call shmem_barrier_all()
  do round = 1, 8
    x = me + round
    call shmem_int4_sum_to_all(total, x, 1, 0, 0, pes, work, psync(1, mod(round, 2) + 1))
    call must(total == 3 + 3 * round, 'a sum')
  end do
end subroutine

subroutine a_section()
  use objects
  integer(4), save :: table(8, 8)
  integer(4) :: mine(8)
  mine = me
  call shmem_iput32(table(3, 1), mine, 8, 1, 8, next)
  table(4, :) = me
  call shmem_barrier_all()
  call must(all(table(3, :) == before), 'a row')
end subroutine

program right
  use objects
  implicit none
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all
  external :: flag_behind_a_fence, arrays_after_quiet, sums_in_turn, a_section
  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)
  before = mod(me + pes - 1, pes)
  call run(flag_behind_a_fence)
  call run(arrays_after_quiet)
  call run(sums_in_turn)
  call run(a_section)
  if (me == 0) print '(a)', '4 right programs'
  call shmem_finalize()
contains
  subroutine run(act)
    external :: act
    call shmem_barrier_all()
    call act()
    call shmem_barrier_all()
  end subroutine
end program
