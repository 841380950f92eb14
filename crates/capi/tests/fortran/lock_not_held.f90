! pes: 1 2
! exit: nonzero
! says: shmem_clear_lock.*not held
! Only the owner of a lock may clear it.
program lock_not_held
  implicit none
  integer, save :: lock = 0
  external :: shmem_init, shmem_clear_lock, shmem_barrier_all
  call shmem_init()
  call shmem_clear_lock(lock)
  call shmem_barrier_all()
end program
