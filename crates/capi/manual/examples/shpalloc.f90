program heap
  use shmem
  implicit none
  integer :: block(3)
  pointer (addr, block)
  integer :: errcode, peer

  call shmem_init()
  call shpalloc(addr, 3, errcode, 0)
  if (errcode /= 0) call shmem_global_exit(1)

  peer = mod(shmem_my_pe() + 1, shmem_n_pes())
  call shmem_integer_put(block, [10, 20, 30], 3, peer)
  call shmem_barrier_all()
  print '(a, i0, a, 3(1x, i0))', 'PE ', shmem_my_pe(), ' has', block
  if (any(block /= [10, 20, 30])) call shmem_global_exit(1)

  call shpdeallc(addr, errcode, 1)
  call shmem_finalize()
end program
