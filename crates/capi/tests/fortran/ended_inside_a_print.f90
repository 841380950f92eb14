! pes: alone 2
! exit: nonzero
! says: shmem_integer_put
! A program that the library ends while it holds the lock of a unit: its output cannot be written, and nothing hangs.
program ended_inside_a_print
  implicit none
  external :: shmem_init, shmem_finalize
  call shmem_init()
  print *, wrong()
  call shmem_finalize()
contains
  integer function wrong()
    integer, save :: word = 0
    external :: shmem_integer_put
    call shmem_integer_put(word, [1], 1, 99)
    wrong = word
  end function
end program
