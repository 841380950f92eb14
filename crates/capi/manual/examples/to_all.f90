program sums
  use shmem
  implicit none
  real(8), save :: mine, total, work(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  integer, save :: psync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
  integer :: npes

  call shmem_init()
  npes = shmem_n_pes()
  mine = shmem_my_pe()
  call shmem_barrier_all()
  call shmem_real8_sum_to_all(total, mine, 1, 0, 0, npes, work, psync)
  if (shmem_my_pe() == 0) print '(a, f3.1)', 'the sum is ', total
  if (total /= npes * (npes - 1) / 2) call shmem_global_exit(1)
  call shmem_finalize()
end program
