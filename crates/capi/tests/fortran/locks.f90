! pes: 1 2 3 4 7
! Locks of INTEGER exclude other owners; the word beside one is not changed; the low half of a word of kind 8 also works.
program locks
  implicit none
  integer(4) :: lock, beside, wide(2)
  integer :: count, count_wide
  common /memory/ wide, lock, beside, count, count_wide
  integer :: me, n, k, value
  integer :: shmem_my_pe, shmem_n_pes, shmem_test_lock
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check
  external :: shmem_set_lock, shmem_clear_lock, shmem_test_lock, shmem_integer_get, shmem_integer_put

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  lock = 0
  wide = 0
  beside = 12345
  count = 0
  count_wide = 0
  call shmem_barrier_all()
  do k = 1, 100
    call shmem_set_lock(lock)
    call shmem_integer_get(value, count, 1, n - 1)
    value = value + 1
    call shmem_integer_put(count, value, 1, n - 1)
    call shmem_clear_lock(lock)
    if (mod(k, 10) == 0) then
      do while (shmem_test_lock(wide(1)) /= 0)
      end do
      call shmem_integer_get(value, count_wide, 1, 0)
      value = value + 1
      call shmem_integer_put(count_wide, value, 1, 0)
      call shmem_clear_lock(wide(1))
    end if
  end do
  call shmem_barrier_all()
  if (me == n - 1) call check(count == 100 * n, 'an update was lost')
  if (me == 0) call check(count_wide == 10 * n, 'an update was lost under test_lock')
  call check(lock == 0 .and. all(wide == 0) .and. beside == 12345, 'words are zero when nobody holds the lock')
  call shmem_barrier_all()
  if (me == 0) then
    call check(shmem_test_lock(lock) == 0, 'a free lock is taken')
    call check(shmem_test_lock(lock) == 1, 'and only once')
  end if
  call shmem_barrier_all()
  if (me /= 0) call check(shmem_test_lock(lock) == 1, 'a held lock is refused')
  call shmem_barrier_all()
  if (me == 0) call shmem_clear_lock(lock)
  call shmem_barrier_all()
  call check(lock == 0 .and. beside == 12345, 'words are zero again')
  call shmem_finalize()
end program
