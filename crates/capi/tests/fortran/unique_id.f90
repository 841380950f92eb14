! pes: alone
! stdout: good
! A program that no launcher has started joins jobs of its own, one after the other, by unique ids.
program unique_id
  use shmem
  implicit none
  integer :: id(32), attributes(64), round
  external :: check

  do round = 1, 3
    call check(shmemx_get_uniqueid(id) == 0, 'an id')
    call check(shmemx_set_attr_uniqueid_args(0, 1, id, attributes) == 0, 'a place')
    call check(shmemx_init_attr(1, attributes) == 0, 'a start')
    call check(shmem_my_pe() == 0 .and. shmem_n_pes() == 1, 'the only PE')
    call shmem_barrier_all()
    call shmem_finalize()
  end do
  print '(a)', 'good'
end program
