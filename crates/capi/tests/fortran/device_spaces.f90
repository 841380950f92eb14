! pes: 1 2
! env: SHMEM_DEVICE_SYMMETRIC_SIZE=8m
! env: SHMEM_GPU_SUPPORT_ENABLED=1
! HPE's spaces: signals on the host's heap, data on the device's.
program device_spaces
  use shmem
  implicit none
  integer :: me, n, next, before
  type(shmem_space_config_t) :: config
  type(c_ptr) :: space, other, sent, received, signals
  real(8), pointer, contiguous :: send(:), receive(:)
  integer(c_int64_t), pointer, contiguous, asynchronous :: arrived(:)
  real(8) :: here(1000)
  external :: check

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)
  call check(shmemx_query_gpu_awareness(SHMEM_TEAM_WORLD) == 1, 'shmemx_query_gpu_awareness')
  config%size = 1048576
  config%mtype = SHMEM_MTYPE_GPU
  call check(shmemx_space_create(SHMEM_TEAM_WORLD, 0_c_long, config, space) == 0, 'shmemx_space_create')
  sent = shmemx_space_malloc(space, 8000_c_size_t)
  received = shmemx_space_malloc(space, 8000_c_size_t)
  call check(c_associated(sent) .and. c_associated(received), 'blocks')
  call check(.not. c_associated(shmemx_space_malloc(space, 1048576_c_size_t)), 'the space is full')
  signals = shmem_calloc(1_c_size_t, 8_c_size_t)
  call c_f_pointer(sent, send, [1000])
  call c_f_pointer(received, receive, [1000])
  call c_f_pointer(signals, arrived, [1])
  here = me
  call shmem_putmem(send, here, 8000, me)
  call shmem_putmem_signal_nbi(receive, send, 8000_c_size_t, arrived(1), 1_c_int64_t, SHMEM_SIGNAL_SET_OP, next)
  call check(shmem_signal_wait_until(arrived(1), SHMEM_CMP_EQ, 1_c_int64_t) == 1, 'the signal')
  call shmem_getmem(here, receive, 8000, me)
  call check(all(here == before), 'the data')
  call shmemx_space_free(space, received)
  call shmemx_space_free(space, sent)
  config%mtype = 77
  call check(shmemx_space_create(SHMEM_TEAM_WORLD, 0_c_long, config, other) /= 0, 'another kind of memory')
  call check(.not. c_associated(other), 'no space')
  call shmem_finalize()
end program
