! pes: alone
! stdout: good
! A job in which losses return is abandoned, and another one joined. Nothing is lost.
program losses
  use shmem
  implicit none
  integer :: id(32), attributes(64), round, pes(4), n
  external :: check

  n = 4
  call check(shmemx_lost_pes(pes, n) == 0 .and. n == 0, 'no job')
  do round = 1, 3
    call check(shmemx_get_uniqueid(id) == 0, 'an id')
    call check(shmemx_set_attr_uniqueid_args(0, 1, id, attributes) == 0, 'a place')
    call check(shmemx_init_attr(3, attributes) == 0, 'a start')
    call shmem_barrier_all()
    n = 4
    call check(shmemx_lost_pes(pes, n) == 0 .and. n == 0, 'nothing is lost')
    call shmemx_abandon()
    call check(shmemx_lost_pes(pes, n) == 0 .and. n == 0, 'nothing was lost')
  end do
  call shmemx_abandon()
  print '(a)', 'good'
end program
