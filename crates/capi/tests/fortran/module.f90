! pes: 1 2 3 4
! The module: generics of both kinds of counts, module variables as symmetric memory, contexts, signals, teams.
module data
  use shmem
  implicit none
  integer(4), save :: i1(8) = 0, i2(2, 4) = 0, i0 = 0, many(32) = 0
  real(8), save :: d1(8) = 0
  complex(8), save :: z1(4) = 0
  integer(8), save :: signal = 0, counter = 0
  integer, save :: sync(SHMEM_BARRIER_SYNC_SIZE) = SHMEM_SYNC_VALUE
contains
  subroutine right(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(a,i0,2a)', 'PE ', shmem_my_pe(), ': wrong: ', what
    flush (6)
    call shmem_global_exit(1)
  end subroutine
end module

program main
  use data
  implicit none
  integer :: me, n, next, before, k
  integer(shmem_handle) :: ctx, team
  integer(c_size_t) :: index
  type(shmem_team_config_t) :: config
  integer(4), save :: mine(8)
  integer(4), pointer :: heap(:)
  type(c_ptr) :: block

  k = shmem_init_thread(SHMEM_THREAD_SINGLE, n)
  call right(k == 0, 'shmem_init_thread')
  call right(shmemx_wtime() > 0d0, 'shmemx_wtime')
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)

  mine = [(me * 10 + k, k = 1, 8)]
  call shmem_put(i1, mine, 8, next)
  call shmem_put(i2, reshape(mine, [2, 4]), 8_c_size_t, next)
  call shmem_put(i0, me + 1, 1, next)
  call shmem_put_nbi(d1, real(mine, 8), 8_c_size_t, next)
  call shmem_quiet()
  call shmem_barrier(0, 0, n, sync)
  call right(all(i1 == [(before * 10 + k, k = 1, 8)]), 'put of rank 1')
  call right(i2(2, 4) == before * 10 + 8 .and. i0 == before + 1, 'put of ranks 2 and 0')
  call right(all(d1 == i1), 'put_nbi')
  call shmem_barrier_all()

  call right(shmem_ctx_create(0_c_long, ctx) == 0, 'shmem_ctx_create')
  z1 = cmplx(me, -me, 8)
  call shmem_barrier_all()
  call shmem_get(ctx, z1(3:4), z1, 2_c_size_t, next)
  call right(all(z1(3:4) == cmplx(next, -next, 8)), 'get on a context')
  call right(shmem_atomic_fetch_add(ctx, counter, 5_8, 0) >= 0, 'an atomic on a context')
  call shmem_ctx_quiet(ctx)
  call shmem_ctx_destroy(ctx)
  call shmem_barrier_all()
  call right(shmem_atomic_fetch(counter, 0) == 5 * n, 'the sum of all')
  call shmem_barrier_all()

  call shmem_put_signal(i1, mine, 8_c_size_t, signal, 7_c_int64_t, SHMEM_SIGNAL_SET_OP, next)
  call right(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 7_c_int64_t) == 7, 'shmem_signal_wait_until')
  call right(i1(8) == before * 10 + 8, 'what a signal brings')
  call shmem_barrier_all()
  call shmem_signal_add(signal, 3_c_int64_t, next)
  call shmem_wait_until(signal, SHMEM_CMP_EQ, 10_8)
  i0 = 0
  call shmem_barrier_all()
  call shmem_p(i0, 42, next)
  index = shmem_wait_until_any(i1(1:1), 0_c_size_t, cmp=SHMEM_CMP_EQ, cmp_value=1)
  call right(index == -1, 'waiting for nothing')
  call shmem_wait_until(i0, SHMEM_CMP_NE, 0)
  call right(i0 == 42, 'p')
  call right(shmem_g(i0, next) == 42, 'g')
  call shmem_barrier_all()

  config%num_contexts = 1
  k = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, config, SHMEM_TEAM_NUM_CONTEXTS, team)
  call right(k == 0, 'shmem_team_split_strided')
  call right((team == SHMEM_TEAM_INVALID) .eqv. (mod(me, 2) == 1), 'who is a member')
  if (team /= SHMEM_TEAM_INVALID) then
    call right(shmem_team_my_pe(team) == me / 2, 'my number in the team')
    call right(shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD) == 0, 'shmem_team_translate_pe')
    call right(shmem_broadcast(team, i1, mine, 8_c_size_t, 0) == 0, 'shmem_broadcast')
    if (me /= 0) call right(i1(3) == 3, 'a broadcast')
    call right(shmem_fcollect(team, many, mine, 4_c_size_t) == 0 .and. many(1) == 1, 'shmem_fcollect')
    k = shmem_team_sync(team)
    call shmem_team_destroy(team)
  end if
  d1 = me
  call shmem_barrier_all()
  call right(shmem_sum_reduce(SHMEM_TEAM_WORLD, d1(5:8), d1(1:4), 4_c_size_t) == 0, 'shmem_sum_reduce')
  call right(all(d1(5:8) == n * (n - 1) / 2), 'a sum')

  block = shmem_malloc(32_c_size_t)
  call c_f_pointer(block, heap, [8])
  heap = -1
  call shmem_barrier_all()
  call shmem_put(heap, mine, 8, next)
  call shmem_barrier_all()
  call right(heap(8) == before * 10 + 8, 'a put to shmem_malloc''s memory')
  call shmem_free(block)
  call shmem_finalize()
end program
