! pes: 2
! exit: nonzero
! says: shmem_put8.*\b2\b
! A PE that does not exist is named, with the procedure.
program wrong_pe
  implicit none
  real(8), save :: d(4) = 0
  external :: shmem_init, shmem_put8, shmem_barrier_all
  call shmem_init()
  call shmem_put8(d, d, 4, 2)
  call shmem_barrier_all()
end program
