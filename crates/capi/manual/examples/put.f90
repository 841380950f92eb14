program neighbours
  use shmem
  implicit none
  real(8), save :: received(2)
  integer :: me, npes, from

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  from = mod(me + npes - 1, npes)
  call shmem_put(received, [me + 0.5d0, me + 1.5d0], 2, mod(me + 1, npes))
  call shmem_barrier_all()
  print '(a, i0, a, 2(1x, f4.1))', 'PE ', me, ' received', received
  if (any(received /= [from + 0.5d0, from + 1.5d0])) call shmem_global_exit(1)
  call shmem_finalize()
end program
