! pes: 1 2 4
! env: SHMEM_DEVICE_SYMMETRIC_SIZE=64m
! env: SHMEM_GPU_SUPPORT_ENABLED=1
! A halo exchange in the form of Neko: interfaces of its own for the routines in C, addresses of type(c_ptr), buffers in a space of the
! GPU that take turns, signals on the host that grow by one each round, and no message that says that a buffer is free.
module hpe_shmem
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(c) :: shmem_space_config_t
    integer(c_size_t) :: size
    integer(c_int) :: mtype
  end type
  interface
    integer(c_int) function shmemx_query_gpu_awareness(team) bind(c, name='shmemx_query_gpu_awareness')
      import :: c_int, c_ptr
      type(c_ptr), value :: team
    end function
    integer(c_int) function shmemx_space_create(team, options, config, space) bind(c, name='shmemx_space_create')
      import :: c_int, c_long, c_ptr, shmem_space_config_t
      type(c_ptr), value :: team
      integer(c_long), value :: options
      type(shmem_space_config_t), intent(in) :: config
      type(c_ptr), intent(out) :: space
    end function
    type(c_ptr) function shmemx_space_malloc(space, bytes) bind(c, name='shmemx_space_malloc')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: space
      integer(c_size_t), value :: bytes
    end function
    subroutine shmemx_space_free(space, block) bind(c, name='shmemx_space_free')
      import :: c_ptr
      type(c_ptr), value :: space, block
    end subroutine
    type(c_ptr) function shmem_calloc(count, size) bind(c, name='shmem_calloc')
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: count, size
    end function
    subroutine shmem_free(block) bind(c, name='shmem_free')
      import :: c_ptr
      type(c_ptr), value :: block
    end subroutine
    subroutine shmem_putmem(dest, source, bytes, pe) bind(c, name='shmem_putmem')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: dest, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_getmem(dest, source, bytes, pe) bind(c, name='shmem_getmem')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: dest, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_putmem_signal_nbi(dest, source, bytes, word, signal, operation, pe) bind(c, name='shmem_putmem_signal_nbi')
      import :: c_int, c_int64_t, c_ptr, c_size_t
      type(c_ptr), value :: dest, source, word
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: signal
      integer(c_int), value :: operation, pe
    end subroutine
    integer(c_int64_t) function shmem_signal_wait_until(word, cmp, value) bind(c, name='shmem_signal_wait_until')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: word
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: value
    end function
    subroutine shmem_init() bind(c, name='shmem_init')
    end subroutine
    subroutine shmem_finalize() bind(c, name='shmem_finalize')
    end subroutine
    subroutine shmem_barrier_all() bind(c, name='shmem_barrier_all')
    end subroutine
    integer(c_int) function shmem_my_pe() bind(c, name='shmem_my_pe')
      import :: c_int
    end function
    integer(c_int) function shmem_n_pes() bind(c, name='shmem_n_pes')
      import :: c_int
    end function
  end interface
end module

program device_halo
  use hpe_shmem
  use shmem, only: SHMEM_TEAM_WORLD, SHMEM_MTYPE_GPU, SHMEM_SIGNAL_SET_OP, SHMEM_CMP_GE
  implicit none
  integer, parameter :: rounds = 12, send_buffers = 3, receive_buffers = 2, most = 700
  integer(c_size_t), parameter :: element = 8
  integer :: round, pe, me, n, send_at, receive_at, k
  integer(c_int64_t) :: seen
  type(shmem_space_config_t) :: config
  type(c_ptr) :: space, world, send_block, receive_block, signal_block
  real(c_double), pointer, contiguous :: send(:), receive(:)
  integer(c_int64_t), pointer, contiguous, asynchronous :: signals(:)
  real(c_double), allocatable, target :: here(:)
  external :: check

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  world = transfer(SHMEM_TEAM_WORLD, world)
  call check(shmemx_query_gpu_awareness(world) == 1, 'shmemx_query_gpu_awareness')
  config = shmem_space_config_t(32_c_size_t * 1048576, SHMEM_MTYPE_GPU)
  call check(shmemx_space_create(world, 0_c_long, config, space) == 0, 'shmemx_space_create')
  send_block = shmemx_space_malloc(space, element * send_buffers * n * most)
  receive_block = shmemx_space_malloc(space, element * receive_buffers * n * most)
  signal_block = shmem_calloc(int(n, c_size_t), 8_c_size_t)
  call check(c_associated(send_block) .and. c_associated(receive_block) .and. c_associated(signal_block), 'blocks')
  ! Only the addresses of elements of the first two are used.
  call c_f_pointer(send_block, send, [send_buffers * n * most])
  call c_f_pointer(receive_block, receive, [receive_buffers * n * most])
  call c_f_pointer(signal_block, signals, [n])
  allocate (here(n * most))
  call shmem_barrier_all()

  do round = 1, rounds
    send_at = mod(round, send_buffers) * n * most
    receive_at = mod(round, receive_buffers) * n * most
    ! A kernel would fill the buffer.
    here = [(value_of(me, (k - 1) / most, round, mod(k - 1, most)), k = 1, n * most)]
    call shmem_putmem(c_loc(send(send_at + 1)), c_loc(here), element * n * most, me)
    do pe = 0, n - 1
      ! A part of the buffer for each pair of PEs, of a length of their own.
      call shmem_putmem_signal_nbi(c_loc(receive(receive_at + me * most + 1)), c_loc(send(send_at + pe * most + 1)), &
                                   element * length(me, pe), c_loc(signals(me + 1)), int(round, c_int64_t), SHMEM_SIGNAL_SET_OP, pe)
    end do
    do pe = 0, n - 1
      seen = shmem_signal_wait_until(c_loc(signals(pe + 1)), SHMEM_CMP_GE, int(round, c_int64_t))
      call check(seen == round .or. seen == round + 1, 'a signal at most one round ahead')
      ! A kernel would add the part to the field.
      here = 0
      call shmem_getmem(c_loc(here), c_loc(receive(receive_at + pe * most + 1)), element * length(pe, me), me)
      call check(all(here(:length(pe, me)) == [(value_of(pe, me, round, k - 1), k = 1, int(length(pe, me)))]), 'what came')
    end do
  end do

  call shmem_barrier_all()
  call shmem_free(signal_block)
  call shmemx_space_free(space, send_block)
  call shmemx_space_free(space, receive_block)
  call shmem_finalize()

contains
  ! The number of elements between two PEs: not the same in both directions.
  integer(c_size_t) function length(from, to)
    integer, intent(in) :: from, to
    length = most - 100 * mod(from, 3) - 31 * mod(to, 5)
  end function

  real(c_double) function value_of(from, to, round, at)
    integer, intent(in) :: from, to, round, at
    value_of = 1d6 * round + 1d5 * from + 1d4 * to + at
  end function
end program
