! pes: 1 2
! flags: -static
! stdout: good
! Linked without shared libraries, and ended in order.
program static
  implicit none
  integer, save :: word = 0
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, shmem_int4_add, check
  call shmem_init()
  call shmem_int4_add(word, 1, 0)
  call shmem_barrier_all()
  if (shmem_my_pe() == 0) call check(word == shmem_n_pes(), 'all have added')
  if (shmem_my_pe() == 0) print '(a)', 'good'
  call shmem_finalize()
end program
