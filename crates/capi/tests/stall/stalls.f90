! Incorrect Fortran programs: one for each name. `tests/stalls.rs` has the expected report of each.
program stalls
  use shmem
  implicit none
  integer, save :: source(4), dest(4), flag, pwrk(64), psync(1024)
  integer(8), save :: lock
  character(len=64) :: name
  integer :: me, zero
  call shmem_init()
  psync = SHMEM_SYNC_VALUE
  flag = 0
  lock = 0
  zero = 0
  me = shmem_my_pe()
  call shmem_barrier_all()
  call get_command_argument(1, name)
  select case (name)
  case ('reduces where others broadcast')
    if (me == 1) then
      call shmem_int4_sum_to_all(dest, source, 4, 0, 0, shmem_n_pes(), pwrk, psync)
    else
      call shmem_broadcast32(dest, source, 4, 0, 0, 0, shmem_n_pes(), psync)
    end if
  case ('waits for a word')
    if (me == 1) call shmem_int4_wait_until(flag, SHMEM_CMP_EQ, 1)
  case ('stops early')
    if (me == 1) stop
    call shmem_barrier_all()
  case ('takes a lock twice')
    if (me == 1) call shmem_set_lock(lock)
    if (me == 1) call shmem_set_lock(lock)
  case ('divides by zero')
    if (me == 1) flag = 7 / (flag + zero)
  end select
  call shmem_barrier_all()
  call shmem_finalize()
end program stalls
