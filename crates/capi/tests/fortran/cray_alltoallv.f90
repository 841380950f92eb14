! pes: 1 2 3 4
! Cray's exchange of blocks of different lengths: to places chosen by the receiver, and contiguous, over all PEs and over every
! other one.
program cray_alltoallv
  implicit none
  include 'shmem.fh'
  include 'shmemx.fh'
  integer, parameter :: most = 4
  integer, save :: psync(SHMEM_ALLTOALL_SYNC_SIZE, 2)
  integer, save :: source(most * most * most), target(most * most * most)
  integer(8) :: t_offsets(most), t_sizes(most), s_offsets(most), s_sizes(most), come
  integer :: me, n, round
  integer, external :: shmem_my_pe, shmem_n_pes
  external :: shmem_init, shmem_finalize, shmem_barrier_all, check
  external :: shmemx_alltoallv, shmemx_alltoallv_packed, shmem_alltoallv_packed

  psync = SHMEM_SYNC_VALUE
  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call shmem_barrier_all()
  do round = 1, 20
    call exchange(0, n)
    if (mod(me, 2) == 0) call exchange(1, (n + 1) / 2)
    call shmem_barrier_all()
  end do
  call shmem_finalize()
contains
  ! Member i sends i + j numbers to member j (of the others nothing to the first member in even rounds).
  integer function count_of(i, j)
    integer, intent(in) :: i, j
    count_of = i + j
    if (mod(round, 2) == 0 .and. j == 0) count_of = 0
  end function

  integer function number(i, j, k)
    integer, intent(in) :: i, j, k
    number = 10000 * round + 1000 * i + 100 * j + k
  end function

  subroutine exchange(log_stride, members)
    integer, intent(in) :: log_stride, members
    integer :: i, j, k, mine, at, got
    mine = me / 2**log_stride
    source = -1
    do j = 0, members - 1
      ! Blocks lie in the reverse order, with room between.
      s_offsets(j + 1) = 4 * (members - 1 - j) * 2 * most
      s_sizes(j + 1) = 4 * count_of(mine, j)
      do k = 1, count_of(mine, j)
        source(s_offsets(j + 1) / 4 + k) = number(mine, j, k)
      end do
      t_offsets(j + 1) = 4 * j * 2 * most
    end do

    target = -5
    t_sizes = -1
    call shmemx_alltoallv(target, t_offsets, t_sizes, source, s_offsets, s_sizes, 0, log_stride, members, psync(:, 1))
    got = 0
    do i = 0, members - 1
      call check(t_sizes(i + 1) == 4 * count_of(i, mine), 'how much came')
      at = int(t_offsets(i + 1) / 4)
      do k = 1, count_of(i, mine)
        call check(target(at + k) == number(i, mine, k), 'what came to its place')
      end do
      got = got + count_of(i, mine)
    end do
    call check(count(target /= -5) == got, 'and nothing else')

    target = -5
    come = -1
    if (mod(round, 3) == 0) then
      call shmem_alltoallv_packed(target, int(4 * got, 8), come, source, s_offsets, s_sizes, 0, log_stride, members, psync(:, 2))
    else
      call shmemx_alltoallv_packed(target, int(4 * size(target), 8), come, source, s_offsets, s_sizes, 0, log_stride, members, &
        psync(:, 2))
    end if
    call check(come == 4 * got, 'how much came in all')
    at = 0
    do i = 0, members - 1
      do k = 1, count_of(i, mine)
        at = at + 1
        call check(target(at) == number(i, mine, k), 'side by side')
      end do
    end do
    call check(count(target /= -5) == got, 'and nothing behind')
  end subroutine
end program
