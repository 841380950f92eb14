! pes: 1 3
! exit: 7
! The status of SHMEM_GLOBAL_EXIT is the job's.
program leave
  implicit none
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_barrier_all, shmem_global_exit
  call shmem_init()
  if (shmem_my_pe() == shmem_n_pes() - 1) call shmem_global_exit(7)
  call shmem_barrier_all()
  call shmem_barrier_all()
end program
