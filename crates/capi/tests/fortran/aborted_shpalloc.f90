! pes: 1 2
! exit: nonzero
! says: shpalloc.*length
! With a nonzero abort argument, an error ends the job and names the reason.
program aborted
  implicit none
  integer :: x(1), err
  pointer (px, x)
  external :: shmem_init, shpalloc, shmem_barrier_all
  call shmem_init()
  call shpalloc(px, -1, err, 1)
  call shmem_barrier_all()
end program
