! Incorrect Fortran programs, one a subroutine, for three PEs; see mistakes.c. Lines that a finding must name end in a mark.
module objects
  implicit none
  integer, save :: me, pes
  integer(4), save :: x, y, flag, row(16), source(16)
  integer(4), volatile :: seen
end module

subroutine put_and_load()
  use objects
  if (me == 0) call shmem_put4(x, [1], 1, 1) !*!
  if (me == 1) seen = x !*!
end subroutine

subroutine flag_without_fence()
  use objects
  if (me == 0) then
    call shmem_put4(y, [1], 1, 1) !*!
    call shmem_int4_set(flag, 1, 1)
  end if
  if (me == 1) then
    call shmem_int4_wait_until(flag, 0, 1)
    seen = y !*!
  end if
end subroutine

subroutine source_changed()
  use objects
  source = me
  if (me == 0) then
    call shmem_put4_nbi(row, source, 16, 1) !*!
    source(4) = 5 !*!
    call shmem_quiet()
  end if
end subroutine

subroutine own_puts_without_fence()
  use objects
  integer(8), save :: word
  if (me == 0) then
    call shmem_put8(word, [1_8], 1, 2) !*!
    call shmem_put8(word, [2_8], 1, 2) !*!
  end if
end subroutine

subroutine strided_put()
  use objects
  integer(4), save :: column(16)
  if (me == 0) call shmem_iput32(column, [1, 2, 3, 4], 4, 1, 4, 1) !*!
  if (me == 1) seen = column(5) !*!
end subroutine

subroutine psync_not_initialised()
  use objects
  include 'shmem.fh'
  integer, save :: psync(SHMEM_BARRIER_SYNC_SIZE)
  psync = SHMEM_SYNC_VALUE
  psync(7) = 9
  call shmem_barrier_all()
  call shmem_barrier(0, 0, pes, psync) !*!
end subroutine

program mistakes
  use objects
  implicit none
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all
  external :: put_and_load, flag_without_fence, source_changed, own_puts_without_fence, strided_put, psync_not_initialised
  character(16) :: wanted
  call get_command_argument(1, wanted)
  if (wanted == '--list') then
    call list('race', 'put_and_load')
    call list('race', 'flag_without_fence')
    call list('race', 'source_changed')
    call list('race', 'own_puts_without_fence')
    call list('race', 'strided_put')
    call list('psync', 'psync_not_initialised')
    stop
  end if
  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  call run(put_and_load)
  call run(flag_without_fence)
  call run(source_changed)
  call run(own_puts_without_fence)
  call run(strided_put)
  call run(psync_not_initialised)
  call shmem_finalize()
contains
  subroutine list(kind, name)
    character(*), intent(in) :: kind, name
    print '(5a)', name, achar(9), kind, achar(9), 'mild'
  end subroutine
  subroutine run(act)
    external :: act
    call shmem_barrier_all()
    call act()
    call shmem_barrier_all()
  end subroutine
end program
