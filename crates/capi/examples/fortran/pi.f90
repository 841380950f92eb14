! Pi by a sum over all PEs, in the style of OpenSHMEM 1.4: with the include file, and with work arrays.
!
!   oshfort pi.f90 -o pi && oshrun -n 4 ./pi
program pi
  implicit none
  include 'shmem.fh'
  integer, parameter :: intervals = 1000000
  real(8) :: part, total, work(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  integer :: sync(SHMEM_REDUCE_SYNC_SIZE)
  common /symmetric/ part, total, work, sync
  data sync /SHMEM_REDUCE_SYNC_SIZE * SHMEM_SYNC_VALUE/
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_real8_sum_to_all
  integer :: me, npes, i
  real(8) :: x

  call shmem_init()
  me = shmem_my_pe()
  npes = shmem_n_pes()
  part = 0
  do i = me, intervals - 1, npes
    x = (i + 0.5d0) / intervals
    part = part + 4 / (1 + x * x) / intervals
  end do
  call shmem_real8_sum_to_all(total, part, 1, 0, 0, npes, work, sync)
  if (me == 0) print '(a,f14.12)', 'pi is about ', total
  call shmem_finalize()
end program
