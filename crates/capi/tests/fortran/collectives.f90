! pes: 1 2 3 4
! Every collective over all PEs and over every second one, with INTEGER pSync arrays.
program collectives
  implicit none
  include 'mpp/shmem.fh'
  integer, parameter :: most = 64
  integer(4) :: d4(most), s4(most)
  integer(8) :: d8(most), s8(most)
  integer :: sync(SHMEM_SYNC_SIZE, 2), after
  common /memory/ d8, s8, d4, s4, sync, after
  data sync /SHMEM_SYNC_SIZE * SHMEM_SYNC_VALUE, SHMEM_SYNC_SIZE * SHMEM_SYNC_VALUE/
  integer :: me, n, start, log_stride, size, index
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check, shmem_barrier
  external :: shmem_broadcast4, shmem_broadcast8, shmem_broadcast32, shmem_broadcast64
  external :: shmem_collect4, shmem_collect8, shmem_collect32, shmem_collect64
  external :: shmem_fcollect4, shmem_fcollect8, shmem_fcollect32, shmem_fcollect64
  external :: shmem_alltoall32, shmem_alltoall64, shmem_alltoalls32, shmem_alltoalls64

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  after = 4711
  call over(0, 0, n)
  call over(0, 1, (n + 1) / 2)
  call over(n - 1, 0, 1)
  call check(after == 4711 .and. all(sync == SHMEM_SYNC_VALUE), 'pSync, and the word behind it')
  call shmem_finalize()

contains

  subroutine over(first, log, count)
    integer, intent(in) :: first, log, count
    start = first
    log_stride = log
    size = count
    index = (me - start) / 2**log_stride
    call shmem_barrier_all()
    if (me >= start .and. mod(me - start, 2**log_stride) == 0 .and. index < size) then
      call four(shmem_broadcast4, shmem_collect4, shmem_fcollect4)
      call four(shmem_broadcast32, shmem_collect32, shmem_fcollect32)
      call eight(shmem_broadcast8, shmem_collect8, shmem_fcollect8)
      call eight(shmem_broadcast64, shmem_collect64, shmem_fcollect64)
      call alltoalls()
    end if
    call shmem_barrier_all()
  end subroutine

  subroutine barrier()
    call shmem_barrier(start, log_stride, size, sync(1, 1))
  end subroutine

  subroutine four(broadcast, collect, fcollect)
    external :: broadcast, collect, fcollect
    integer :: k, j, at
    d4 = -1
    s4 = [(index * 100 + k, k = 1, most)]
    call barrier()
    call broadcast(d4, s4, 3, size - 1, start, log_stride, size, sync(1, 2))
    if (index == size - 1) then
      call check(all(d4 == -1), 'the root of a broadcast of 4 bytes keeps what it has')
    else
      call check(all(d4(1:3) == [(size * 100 - 100 + k, k = 1, 3)]) .and. d4(4) == -1, 'broadcast of 4 bytes')
    end if
    call barrier()
    call fcollect(d4, s4, 2, start, log_stride, size, sync(1, 2))
    do k = 0, size - 1
      call check(d4(2 * k + 1) == k * 100 + 1 .and. d4(2 * k + 2) == k * 100 + 2, 'fcollect of 4 bytes')
    end do
    call barrier()
    d4 = -1
    call barrier()
    call collect(d4, s4, index, start, log_stride, size, sync(1, 2))
    at = 0
    do k = 0, size - 1
      do j = 1, k
        at = at + 1
        call check(d4(at) == k * 100 + j, 'collect of 4 bytes')
      end do
    end do
    call check(d4(at + 1) == -1, 'collect beyond the end')
    call barrier()
  end subroutine

  subroutine eight(broadcast, collect, fcollect)
    external :: broadcast, collect, fcollect
    integer :: k, j, at
    d8 = -1
    s8 = [(index * 2_8**33 + k, k = 1, most)]
    call barrier()
    call broadcast(d8, s8, 3, 0, start, log_stride, size, sync(1, 2))
    if (index /= 0) call check(all(d8(1:3) == [1, 2, 3]) .and. d8(4) == -1, 'broadcast of 8 bytes')
    call barrier()
    call fcollect(d8, s8, 2, start, log_stride, size, sync(1, 2))
    do k = 0, size - 1
      call check(d8(2 * k + 1) == k * 2_8**33 + 1 .and. d8(2 * k + 2) == k * 2_8**33 + 2, 'fcollect of 8 bytes')
    end do
    call barrier()
    d8 = -1
    call barrier()
    call collect(d8, s8, index + 1, start, log_stride, size, sync(1, 2))
    at = 0
    do k = 0, size - 1
      do j = 1, k + 1
        at = at + 1
        call check(d8(at) == k * 2_8**33 + j, 'collect of 8 bytes')
      end do
    end do
    call barrier()
  end subroutine

  ! Element j of PE i goes to element i of PE j; with strides to every second, from every third.
  subroutine alltoalls()
    integer :: k
    d4 = -1
    d8 = -1
    s4 = [(index * 100 + k, k = 0, most - 1)]
    s8 = s4
    call barrier()
    call shmem_alltoall32(d4, s4, 1, start, log_stride, size, sync(1, 2))
    call shmem_alltoall64(d8, s8, 1, start, log_stride, size, sync(1, 1))
    do k = 0, size - 1
      call check(d4(k + 1) == k * 100 + index .and. d8(k + 1) == k * 100 + index, 'alltoall')
    end do
    call barrier()
    d4 = -1
    d8 = -1
    call barrier()
    call shmem_alltoalls32(d4, s4, 2, 3, 1, start, log_stride, size, sync(1, 2))
    call shmem_alltoalls64(d8, s8, 2, 3, 1, start, log_stride, size, sync(1, 1))
    do k = 0, size - 1
      call check(d4(2 * k + 1) == k * 100 + 3 * index, 'alltoalls32')
      call check(d8(2 * k + 1) == k * 100 + 3 * index .and. d8(2 * k + 2) == -1, 'alltoalls64')
    end do
    call barrier()
  end subroutine
end program
