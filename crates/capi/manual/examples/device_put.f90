! Puts between the memories of GPUs. The host passes elements of device memory to routines, and never reads or writes them.
program device_put
  use shmem
  implicit none
  integer :: me, npes, provided, k
  type(c_ptr) :: block
  real(8), pointer, contiguous :: there(:)
  real(8) :: here(1000)

  k = shmem_init_thread(ior(SHMEM_THREAD_SINGLE, SHMEM_DEVICE_HOST_INIT), provided)
  me = shmem_my_pe()
  npes = shmem_n_pes()
  if (iand(provided, SHMEM_DEVICE_HOST_INIT) /= 0) then
    block = shmemg_malloc(2_c_size_t * 1000 * 8)
    call c_f_pointer(block, there, [2000])
    here = me + 0.5d0
    call shmem_put(there, here, 1000, me)
    call shmem_put(there(1001:), there, 1000, mod(me + 1, npes))
    call shmem_barrier_all()
    call shmem_get(here, there(1001:), 1000, me)
    print '(a,i0,a,f0.1)', 'PE ', me, ' has ', here(1000)
    call shmemg_free(block)
  end if
  call shmem_finalize()
end program
