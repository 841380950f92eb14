! pes: 3
! env: SHMEM_ON_LOSS=return
! stdout: PE 0 went on
! stdout: PE 1 went on
! A PE holds a lock when another one dies. No PE can clear the lock or take it any more, and both go on.
program lock_in_a_broken_job
  use shmem
  implicit none
  integer, save :: lock = 0
  integer :: me, lost(3), n
  external :: check

  call shmem_init()
  me = shmem_my_pe()
  if (me == 1) call shmem_set_lock(lock)
  call shmem_barrier_all()
  if (me == 2) call kill(getpid(), 9)
  n = 3
  do while (shmemx_lost_pes(lost, n) == 0)
    n = 3
  end do
  if (me == 1) call shmem_clear_lock(lock)
  call check(shmem_test_lock(lock) == -1, 'a lock in a broken job')
  call shmemx_abandon()
  print '(a,i0,a)', 'PE ', me, ' went on'
end program
