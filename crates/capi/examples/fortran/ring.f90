! A message goes around the ring of all PEs, and each adds its number to it. It is put into the neighbour's memory together
! with a signal, so there is no receive: a PE waits for the signal and finds the message in its memory.
!
!   oshfort ring.f90 -o ring && oshrun -n 4 ./ring
program ring
  use shmem
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_size_t
  implicit none
  integer(8), save, asynchronous :: message = 0
  integer(c_int64_t), save, asynchronous :: arrived = 0
  integer(8) :: sum, expected
  integer(c_int64_t) :: seen
  integer :: me, npes, next

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  next = mod(me + 1, npes)

  sum = 0
  if (me == 0) call shmem_put_signal(message, sum, 1_c_size_t, arrived, 1_c_int64_t, SHMEM_SIGNAL_SET_OP, next)
  seen = shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1_c_int64_t)
  if (me /= 0) then
    sum = message + me
    call shmem_put_signal(message, sum, 1_c_size_t, arrived, seen, SHMEM_SIGNAL_SET_OP, next)
  else
    expected = int(npes, 8) * (npes - 1) / 2
    print '(a,i0,a,i0,a)', 'the message came back to PE 0 as ', message, '; ', expected, ' was expected'
    if (message /= expected) call shmem_global_exit(1)
  end if
  call shmem_barrier_all()
  call shmem_finalize()
end program
