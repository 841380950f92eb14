! pes: 1 2 3 4
! Every wait, met by a peer's put.
program waits
  implicit none
  include 'shmem.fh'
  integer, save :: word = 0
  integer(4), save :: word4 = 0
  integer(8), save :: word8 = 0
  integer :: me, n, next
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check
  external :: shmem_wait, shmem_wait_until, shmem_int4_wait, shmem_int4_wait_until, shmem_int8_wait
  external :: shmem_int8_wait_until, shmem_int4_set, shmem_int8_set, shmem_integer_put

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)

  call shmem_integer_put(word, [5], 1, next)
  call shmem_wait(word, 0)
  call check(word == 5, 'wait')
  call shmem_int4_set(word4, 6, next)
  call shmem_int4_wait(word4, 0)
  call check(word4 == 6, 'int4_wait')
  call shmem_int8_set(word8, 7_8, next)
  call shmem_int8_wait(word8, 0_8)
  call check(word8 == 7, 'int8_wait')
  call shmem_barrier_all()

  call shmem_integer_put(word, [-1], 1, next)
  call shmem_wait_until(word, SHMEM_CMP_LT, 0)
  call shmem_barrier_all()
  call shmem_int4_set(word4, 8, next)
  call shmem_int4_wait_until(word4, SHMEM_CMP_GE, 8)
  call shmem_int4_wait_until(word4, SHMEM_CMP_LE, 8)
  call shmem_int8_set(word8, 2_8**40, next)
  call shmem_int8_wait_until(word8, SHMEM_CMP_GT, 2_8**39)
  call shmem_int8_wait_until(word8, SHMEM_CMP_EQ, 2_8**40)
  call shmem_int8_wait_until(word8, SHMEM_CMP_NE, 0_8)
  call check(word == -1 .and. word4 == 8 .and. word8 == 2_8**40, 'what was waited for')
  call shmem_barrier_all()
  call shmem_finalize()
end program
