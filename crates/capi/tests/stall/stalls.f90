! A Fortran program that is wrong: PE 1 reduces where the others broadcast.
program stalls
  use shmem
  implicit none
  integer, save :: source(4), dest(4), pwrk(64), psync(1024)
  call shmem_init()
  psync = SHMEM_SYNC_VALUE
  call shmem_barrier_all()
  if (shmem_my_pe() == 1) then
    call shmem_int4_sum_to_all(dest, source, 4, 0, 0, shmem_n_pes(), pwrk, psync)
  else
    call shmem_broadcast32(dest, source, 4, 0, 0, 0, shmem_n_pes(), psync)
  end if
  call shmem_barrier_all()
  call shmem_finalize()
end program stalls
