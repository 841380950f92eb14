! pes: 1 2 3 4
! Cray's teams: handles of 8 bytes, the null team for PEs outside, translation of numbers; and Cray's threads.
program cray_teams
  implicit none
  include 'shmem.fh'
  include 'shmemx.fh'
  integer(8) :: team, pair
  integer :: me, n, k
  integer :: shmem_my_pe, shmem_n_pes, shmemx_team_my_pe, shmemx_team_n_pes, shmemx_team_translate_pe
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check
  external :: shmemx_team_split_strided, shmemx_team_split, shmemx_team_destroy, shmem_put4_nbi
  external :: shmemx_wtime, shmemx_thread_register, shmemx_thread_unregister, shmemx_thread_fence, shmemx_thread_quiet
  integer, save :: word = 0
  external :: shmemx_local_complete, shmemx_heap_size
  integer, save :: source = 0
  integer(8) :: shmemx_heap_size
  double precision :: shmemx_wtime, earlier

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call shmemx_thread_register()
  source = me + 1
  call shmem_put4_nbi(word, source, 1, mod(me + 1, n))
  call shmemx_local_complete()
  source = -1
  call shmemx_thread_fence()
  call shmemx_thread_quiet()
  call shmemx_thread_unregister()
  call shmem_barrier_all()
  call check(word == mod(me + n - 1, n) + 1, 'what a registered thread has put')
  call check(shmemx_heap_size() > 0, 'the size of the heap')
  earlier = shmemx_wtime()
  call check(earlier > 0 .and. shmemx_wtime() >= earlier, 'a clock that goes on')
  call check(shmemx_team_my_pe(SHMEM_TEAM_WORLD) == me, 'the world')
  call check(shmemx_team_n_pes(SHMEM_TEAM_WORLD) == n, 'its size')
  call check(shmemx_team_my_pe(SHMEM_TEAM_NULL) == -1, 'nobody is in the null team')
  call check(shmemx_team_n_pes(SHMEM_TEAM_NODE) == n, 'all are on one node')

  call shmemx_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, team)
  if (mod(me, 2) == 0) then
    call check(shmemx_team_my_pe(team) == me / 2, 'my number among the even ones')
    call check(shmemx_team_n_pes(team) == (n + 1) / 2, 'how many they are')
    do k = 0, n - 1
      if (mod(k, 2) == 0) then
        call check(shmemx_team_translate_pe(SHMEM_TEAM_WORLD, k, team) == k / 2, 'a member')
        call check(shmemx_team_translate_pe(team, k / 2, SHMEM_TEAM_WORLD) == k, 'and back')
      else
        call check(shmemx_team_translate_pe(SHMEM_TEAM_WORLD, k, team) == -1, 'no member')
      end if
    end do
    call shmemx_team_destroy(team)
  end if
  call check(team == SHMEM_TEAM_NULL, 'the null team')

  ! Two colors, in the opposite order; the last PE has none.
  k = mod(me, 2)
  if (me == n - 1) k = SHMEM_COLOR_UNDEFINED
  call shmemx_team_split(SHMEM_TEAM_WORLD, k, -me, pair)
  if (me == n - 1) then
    call check(pair == SHMEM_TEAM_NULL, 'without a color')
  else
    call check(shmemx_team_n_pes(pair) == count([(mod(k, 2) == mod(me, 2), k = 0, n - 2)]), 'of my color')
    call shmemx_team_destroy(pair)
  end if
  call shmem_barrier_all()
  call shmem_finalize()
end program
