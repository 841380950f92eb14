! pes: 2
! stdout: good
! A tool takes the calls of a procedure, and reaches the library by its second name.
module counted
  integer :: calls = 0
end module

subroutine shmem_int4_add(dest, value, pe)
  use counted
  implicit none
  integer(4) :: dest, value
  integer :: pe
  external :: pshmem_int4_add
  calls = calls + 1
  call pshmem_int4_add(dest, value, pe)
end subroutine

program wrapped
  use counted
  implicit none
  integer(4), save :: word = 0
  integer :: shmem_my_pe, pshmem_n_pes
  external :: shmem_int4_add, shmem_init, shmem_finalize, shmem_barrier_all, check
  call shmem_init()
  call shmem_int4_add(word, 5, mod(shmem_my_pe() + 1, pshmem_n_pes()))
  call shmem_barrier_all()
  call check(word == 5 .and. calls == 1, 'the call and what it did')
  if (shmem_my_pe() == 0) print '(a)', 'good'
  call shmem_finalize()
end program
