! pes: alone 1 2
! exit: nonzero
! stdout: ^a line of results
! says: shmem_integer_put
! The output of a program is not lost if the library ends the program.
program printed_before_the_end
  implicit none
  integer, save :: word = 0
  external :: shmem_init, shmem_integer_put, shmem_finalize
  call shmem_init()
  print '(a)', 'a line of results'
  call shmem_integer_put(word, [1], 1, 99)
  call shmem_finalize()
end program
