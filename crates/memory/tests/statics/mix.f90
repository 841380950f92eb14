! SAVE, COMMON and module variables move and come back; the C programs test a forked child.
module mine
  use iso_c_binding
  implicit none
  integer(c_int), save :: module_data(1000) = 5
  real(c_double) :: module_bss(100000)
  interface
    integer(c_int64_t) function probe_share(file, at) bind(c)
      import
      integer(c_int), value :: file
      integer(c_int64_t), value :: at
    end function
    integer(c_int64_t) function probe_unshare() bind(c)
      import
    end function
    integer(c_size_t) function probe_len() bind(c)
      import
    end function
    type(c_ptr) function probe_base() bind(c)
      import
    end function
    integer(c_int) function memfd_create(name, flags) bind(c)
      import
      character(kind=c_char) :: name(*)
      integer(c_int), value :: flags
    end function
    integer(c_int) function ftruncate(file, length) bind(c)
      import
      integer(c_int), value :: file
      integer(c_int64_t), value :: length
    end function
    integer(c_size_t) function pread(file, buffer, bytes, at) bind(c)
      import
      integer(c_int), value :: file
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: at
    end function
  end interface
end module

program mix
  use mine
  implicit none
  integer, save :: saved = 7
  integer, target :: seen
  integer, target :: in_common(50)
  common /block/ in_common
  integer(c_int) :: file
  integer(c_int64_t) :: care
  file = memfd_create("mix" // c_null_char, 0)
  if (ftruncate(file, int(probe_len(), c_int64_t)) /= 0) stop 2
  in_common = 3
  module_bss(77777) = 1.5d0
  care = probe_share(file, 0_c_int64_t)
  if (care /= 0) stop 3
  if (saved /= 7 .or. any(module_data /= 5) .or. any(in_common /= 3) .or. module_bss(77777) /= 1.5d0) stop 4
  saved = 8; in_common(9) = 99; module_bss(5) = 2.5d0
  ! A value stored by this program is in the file, where a peer would find it.
  if (pread(file, c_loc(seen), 4_c_size_t, offset(c_loc(in_common(9)))) /= 4) stop 5
  if (seen /= 99) stop 6
  if (probe_unshare() /= 0) stop 7
  if (saved /= 8 .or. in_common(9) /= 99 .or. module_bss(5) /= 2.5d0 .or. module_data(1000) /= 5) stop 8
  print '(a)', 'mix ok'
contains
  integer(c_int64_t) function offset(at)
    type(c_ptr), intent(in) :: at
    offset = transfer(at, 0_c_int64_t) - transfer(probe_base(), 0_c_int64_t)
  end function
end program
