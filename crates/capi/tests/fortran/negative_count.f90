! pes: 1 2
! exit: nonzero
! says: shmem_integer_get
! A negative count is invalid.
program negative_count
  implicit none
  integer, save :: d(4) = 0
  external :: shmem_init, shmem_integer_get, shmem_barrier_all
  call shmem_init()
  call shmem_integer_get(d, d, -1, 0)
  call shmem_barrier_all()
end program
