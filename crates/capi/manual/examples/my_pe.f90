program numbers
  use shmem
  implicit none

  call shmem_init()
  print '(a, i0, a, i0)', 'PE ', shmem_my_pe(), ' of ', shmem_n_pes()
  call shmem_finalize()
end program
