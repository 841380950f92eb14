! pes: 1 2 3
! SHPALLOC and related procedures: lengths in words of 32 bits, contents kept, errors by number.
program heap
  implicit none
  integer :: x(1000), y(1)
  pointer (px, x), (py, y)
  integer(8) :: whole
  integer :: err, me, n, k
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check
  external :: shpalloc, shpdeallc, shpclmove, shmem_integer_put

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  err = 99
  call shpalloc(px, 100, err, 0)
  call check(err == 0 .and. px /= 0, 'shpalloc')
  x(1:100) = [(me * 1000 + k, k = 1, 100)]
  call shpclmove(px, 50, err, 0)
  call check(err == 0 .or. err == 1, 'shpclmove to less')
  call check(all(x(1:50) == [(me * 1000 + k, k = 1, 50)]), 'contents stay in less')
  call shpalloc(py, 1, err, 1)
  call shpclmove(px, 1000, err, 1)
  call check(err == 1, 'a block moves where it cannot grow')
  call check(all(x(1:50) == [(me * 1000 + k, k = 1, 50)]), 'contents stay in more')
  call shmem_barrier_all()
  call shmem_integer_put(x(901), x(1), 50, mod(me + 1, n))
  call shmem_barrier_all()
  call check(x(950) == mod(me + n - 1, n) * 1000 + 50, 'a put to what was allocated')

  whole = px
  call shpalloc(py, 0, err, 0)
  call check(err == -1, 'a length of 0')
  call shpalloc(py, -5, err, 0)
  call check(err == -1, 'a negative length')
  call shpclmove(px, 0, err, 0)
  call check(err == -1 .and. px == whole, 'moved to a length of 0')
  call shpalloc(py, huge(k), err, 0)
  call check(err == 0 .or. err == -2, 'more than there may be')
  if (err == 0) call shpdeallc(py, err, 1)
  py = loc(err)
  call shpdeallc(py, err, 0)
  call check(err == -3, 'free what is not of the heap')
  py = px + 8
  call shpdeallc(py, err, 0)
  call check(err == -5, 'free a place within a block')
  call shpclmove(py, 10, err, 0)
  call check(err == -5, 'move a place within a block')
  call shpdeallc(px, err, 0)
  call check(err == 0, 'shpdeallc')
  px = whole
  call shpdeallc(px, err, 0)
  call check(err == -4, 'free twice')
  call shmem_finalize()
end program
