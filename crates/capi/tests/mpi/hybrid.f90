! The hybrid of Fortran: `hybrid FIRST LAST` initialises the library that FIRST names (mpi or shmem) before the other, and finalizes the
! one that LAST names after it. In between both communicate, with a static variable and with a part of the heap. With a third word, both
! are initialised for threads of which the main one communicates.
program hybrid
  use shmem
  implicit none
  include 'mpif.h'
  integer(4), save :: given = 0, got = 0, rank(1) = 0, ranks(64) = 0
  integer :: me = -1, npes = 0, failure
  ! At least as long as the status of any MPI.
  integer :: status(16)
  integer :: there
  character(8) :: first, last
  call get_command_argument(1, first)
  call get_command_argument(2, last)
  call init(first)
  call init(other(first))
  me = shmem_my_pe()
  npes = shmem_n_pes()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank(1), failure)
  call MPI_Comm_size(MPI_COMM_WORLD, there, failure)
  call right(there == npes, 'as many ranks as PEs')
  call right(shmem_fcollect(SHMEM_TEAM_WORLD, ranks, rank, 1_c_size_t) == 0, 'shmem_fcollect')
  call rounds()
  given = 7
  call shmem_barrier_all()
  if (npes > 1) call read_from_a_pe_that_waits_in_mpi()
  if (me == 0) print '(5a)', 'both, ', trim(first), ' first, ', trim(last), ' last'
  flush (6)
  call finalize(other(last))
  call finalize(last)
contains
  subroutine right(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(a,i0,2a)', 'PE ', me, ': wrong: ', what
    flush (6)
    call shmem_global_exit(1)
  end subroutine

  subroutine init(which)
    character(*), intent(in) :: which
    integer :: level
    failure = 0
    level = 1
    if (command_argument_count() > 2) then
      if (which == 'mpi') call MPI_Init_thread(MPI_THREAD_FUNNELED, level, failure)
      if (which == 'shmem') failure = shmem_init_thread(SHMEM_THREAD_FUNNELED, level)
    else
      if (which == 'mpi') call MPI_Init(failure)
      if (which == 'shmem') call shmem_init()
    end if
    call right(failure == 0 .and. level >= 1, 'init')
  end subroutine

  subroutine finalize(which)
    character(*), intent(in) :: which
    failure = 0
    if (which == 'mpi') call MPI_Finalize(failure)
    if (which == 'shmem') call shmem_finalize()
    call right(failure == 0, 'MPI_Finalize')
  end subroutine

  function other(which)
    character(*), intent(in) :: which
    character(:), allocatable :: other
    other = trim(merge('shmem', 'mpi  ', which == 'mpi'))
  end function

  ! PE 1 waits in MPI until PE 0 has read its memory and sends it a message.
  subroutine read_from_a_pe_that_waits_in_mpi()
    integer(4) :: seen
    if (me == 0) then
      call shmem_get(seen, given, 1, 1)
      call right(seen == 7, 'a get from a PE that waits in MPI')
      call MPI_Send(me, 1, MPI_INTEGER, ranks(2), 8, MPI_COMM_WORLD, failure)
    else if (me == 1) then
      call MPI_Recv(got, 1, MPI_INTEGER, ranks(1), 8, MPI_COMM_WORLD, status, failure)
    end if
  end subroutine

  ! Each PE puts into the heap of the next, which sends on by MPI what came.
  subroutine rounds()
    integer(4), pointer :: heap(:)
    type(c_ptr) :: block
    integer :: round, to, from, total
    block = shmem_malloc(4_c_size_t)
    call c_f_pointer(block, heap, [1])
    to = mod(me + 1, npes)
    from = mod(me + npes - 1, npes)
    do round = 0, 99
      call shmem_put(heap, [me + round], 1, to)
      call shmem_barrier_all()
      call right(heap(1) == from + round, 'a put beside MPI')
      call MPI_Sendrecv(heap, 1, MPI_INTEGER, ranks(to + 1), 7, &
           got, 1, MPI_INTEGER, ranks(from + 1), 7, MPI_COMM_WORLD, status, failure)
      call right(got == mod(from + npes - 1, npes) + round, 'a message from symmetric memory')
      call MPI_Allreduce(round, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, failure)
      call right(total == npes * round, 'a sum of MPI')
    end do
    call shmem_free(block)
  end subroutine
end program
