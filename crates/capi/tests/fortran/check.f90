! Shared by the programs: an error prints one line and ends the job.
subroutine check(good, what)
  implicit none
  logical, intent(in) :: good
  character(*), intent(in) :: what
  integer :: shmem_my_pe
  external :: shmem_my_pe, shmem_global_exit
  if (good) return
  print '(a,i0,2a)', 'PE ', shmem_my_pe(), ': wrong: ', what
  flush (6)
  call shmem_global_exit(1)
end subroutine
