! pes: alone 1 2 4
! stdout: good
! The number of this PE and of PEs, accessible PEs and objects, the version of the library; and routines that do nothing.
program setup
  implicit none
  include 'shmem.fh'
  integer :: shmem_my_pe, shmem_n_pes, my_pe, num_pes
  external :: shmem_my_pe, shmem_n_pes, my_pe, num_pes, check
  external :: shmem_init, shmem_finalize, start_pes, shmem_barrier_all, shmem_fence, shmem_quiet
  external :: shmem_info_get_name, shmem_info_get_version
  external :: shmem_clear_cache_inv, shmem_set_cache_inv, shmem_udcflush
  external :: shmem_clear_cache_line_inv, shmem_set_cache_line_inv, shmem_udcflush_line
  integer, save :: here = 7
  integer :: there
  pointer (at, there)
  integer :: me, n, pe, major, minor
  character(SHMEM_MAX_NAME_LEN) :: name
  character(3) :: short
  logical :: yes

  call start_pes(0)
  me = shmem_my_pe()
  n = shmem_n_pes()
  call check(me >= 0 .and. me < n, 'my number')
  call check(my_pe() == me .and. num_pes() == n, 'old names')
  here = 100 + me
  call shmem_barrier_all()
  do pe = 0, n - 1
    yes = shmem_pe_accessible(pe)
    call check(yes .eqv. .true., 'a PE is accessible')
    call check(shmem_addr_accessible(here, pe), 'a SAVE variable is accessible')
    at = shmem_ptr(here, pe)
    call check(at /= 0, 'a pointer to a peer')
    call check(there == 100 + pe, 'a peer by its pointer')
  end do
  call check(.not. shmem_pe_accessible(n) .and. .not. shmem_pe_accessible(-1), 'no such PE')
  call check(.not. shmem_addr_accessible(me, 0), 'a local variable is not symmetric')
  call check(shmem_ptr(me, 0) == 0, 'no pointer to a local variable')

  call shmem_info_get_version(major, minor)
  call check(major == SHMEM_MAJOR_VERSION .and. minor == SHMEM_MINOR_VERSION, 'version')
  call shmem_info_get_name(name)
  call check(name == SHMEM_VENDOR_STRING .and. len_trim(name) > 0, 'name')
  call shmem_info_get_name(short)
  call check(short == name(1:3), 'a short name is cut')

  call shmem_clear_cache_inv()
  call shmem_set_cache_inv()
  call shmem_udcflush()
  call shmem_clear_cache_line_inv(here)
  call shmem_set_cache_line_inv(here)
  call shmem_udcflush_line(here)
  call check(here == 100 + me, 'cache routines touch nothing')
  call shmem_fence()
  call shmem_quiet()
  call shmem_barrier_all()
  if (me == 0) print '(a)', 'good'
  call shmem_finalize()
end program
