! pes: 1 2 3
! env: SHMEM_DEVICE_SYMMETRIC_SIZE=16m
! Memory of GPUs through the module: allocation, and the generics on pointers to device memory, whose elements the host cannot
! read or write.
program device
  use shmem
  implicit none
  integer, parameter :: many = 5000
  integer :: me, n, next, before, provided, k
  integer(shmem_handle) :: ctx
  type(c_ptr) :: block, words_block, aligned
  real(8), pointer, contiguous :: there(:)
  integer(c_int64_t), pointer, contiguous :: words(:)
  integer(c_int64_t) :: word
  real(8) :: here(many), back(many)
  integer(c_int64_t), save :: arrived = 0
  real(8), save :: on_host(many) = 0
  external :: check

  k = shmem_init_thread(ior(SHMEM_THREAD_SINGLE, SHMEM_DEVICE_HOST_INIT), provided)
  call check(k == 0 .and. provided == ior(SHMEM_THREAD_SINGLE, SHMEM_DEVICE_HOST_INIT), 'device memory is granted')
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)
  call check(shmem_team_n_pes(SHMEM_DEVICE_TEAM_WORLD) == n, 'SHMEM_DEVICE_TEAM_WORLD')
  call check(shmem_team_n_pes(SHMEM_DEVICE_TEAM_SHARED) >= 1, 'SHMEM_DEVICE_TEAM_SHARED')
  call check(shmem_ctx_create(SHMEM_DEVICE_CTX, ctx) /= 0, 'no context for kernels')

  block = shmemg_malloc(2_c_size_t * many * 8)
  words_block = shmemg_calloc(16_c_size_t, 8_c_size_t)
  aligned = shmemg_align(4096_c_size_t, 100_c_size_t)
  call check(c_associated(block) .and. c_associated(words_block) .and. c_associated(aligned), 'blocks')
  call check(.not. c_associated(shmemg_malloc(0_c_size_t)), 'a block of nothing')
  call check(mod(transfer(aligned, 0_c_intptr_t), 4096_c_intptr_t) == 0, 'an aligned block')
  call c_f_pointer(block, there, [2 * many])
  call c_f_pointer(words_block, words, [16])
  call check(shmem_ptr(there, me) == transfer(block, 0_c_intptr_t), 'shmem_ptr to itself')
  call check(shmem_addr_accessible(there, next), 'shmem_addr_accessible')

  ! Host to device, device to device with a signal on the host, and back.
  here = [(1000d0 * me + k, k = 1, many)]
  call shmem_put(there, here, many, me)
  call shmem_put_signal(there(many + 1), there(1), int(many, c_size_t), arrived, 1_c_int64_t, SHMEM_SIGNAL_SET_OP, next)
  call check(shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1_c_int64_t) == 1, 'the signal')
  call shmem_get(back, there(many + 1:), many, me)
  call check(all(back == [(1000d0 * before + k, k = 1, many)]), 'a put from device to device')
  call shmem_barrier_all()
  back = 0
  call shmem_get8(back, there, many, next)
  call check(all(back == [(1000d0 * next + k, k = 1, many)]), 'a get by a procedure of 1.4')

  ! Words: an atomic, a wait and a signal in device memory.
  call check(shmem_atomic_fetch_add(words(1), 5_c_int64_t, 0) >= 0, 'an atomic')
  call shmem_barrier_all()
  call check(shmem_g(words(1), 0) == 5 * n, 'the sum of all')
  call shmem_putmem_signal(there, here, 8_c_size_t, words(2), 3_c_int64_t, SHMEM_SIGNAL_ADD_OP, next)
  call shmem_wait_until(words(2), SHMEM_CMP_EQ, 3_c_int64_t)
  word = shmem_signal_fetch(words(2))
  call check(word == 3, 'a signal on the device')
  call shmem_barrier_all()

  ! A collective from the device to the host.
  call shmem_put(there, here, many, me)
  call check(shmem_max_reduce(SHMEM_TEAM_WORLD, on_host, there, int(many, c_size_t)) == 0, 'a reduction')
  call check(all(on_host == [(1000d0 * (n - 1) + k, k = 1, many)]), 'its result')

  call shmemg_free(aligned)
  call shmemg_free(words_block)
  call shmemg_free(block)
  call shmem_finalize()
end program
