! pes: 1
! exit: nonzero
! says: shmem_integer_put.*dest 0x.* is not symmetric .*SAVE, in COMMON .*SHPALLOC.*do not pass a non-contiguous section
! A section that is not contiguous is passed as the compiler's copy, which is not symmetric: the message explains this.
program section_not_contiguous
  implicit none
  integer, save :: all(64) = 0
  integer :: mine(32) = 1, step
  external :: shmem_init, shmem_integer_put, shmem_finalize
  call shmem_init()
  step = 2
  call shmem_integer_put(all(1:64:step), mine, 32, 0)
  call shmem_finalize()
end program
