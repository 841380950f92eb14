! pes: 1 2
! flags: -fdefault-integer-8
! stdout: good
! Functions with a default INTEGER of 8 bytes: negative results and logical values fill all of it. Elements remain 4 bytes.
program wide_integers
  implicit none
  include 'shmem.fh'
  include 'shmemx.fh'
  integer :: shmem_my_pe, shmem_n_pes, shmem_swap, shmem_test_lock, shmemx_team_my_pe, shmemx_team_translate_pe
  external :: shmem_my_pe, shmem_n_pes, shmem_swap, shmem_test_lock, shmemx_team_my_pe, shmemx_team_translate_pe
  external :: shmem_init, shmem_finalize, shmem_barrier_all, shmem_put8, shmem_clear_lock, check
  integer, save :: word = 0, lock = 0
  integer(4), save :: half = -5
  integer :: me, n

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call check(me >= 0 .and. me < n, 'my number')
  call check(shmem_swap(half, -7, me) == -5, 'a negative value of SHMEM_SWAP')
  call check(half == -7, 'what SHMEM_SWAP leaves')
  call check(shmemx_team_my_pe(SHMEM_TEAM_NULL) == -1, 'nobody is in the null team')
  call check(shmemx_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_NULL) == -1, 'no member')
  call check(shmem_pe_accessible(0) .eqv. .true., 'a PE is accessible')
  call check(shmem_addr_accessible(me, 0) .eqv. .false., 'a local variable is not')
  if (me == 0) call check(shmem_test_lock(lock) == 0, 'the lock was free')
  if (me == 0) call shmem_clear_lock(lock)
  call shmem_put8(word, -me - 1, 1, mod(me + 1, n))
  call shmem_barrier_all()
  call check(word == -mod(me + n - 1, n) - 1, 'words of 8 bytes go by SHMEM_PUT8')
  if (me == 0) print '(a)', 'good'
  call shmem_finalize()
end program
