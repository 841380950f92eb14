! pes: 1 2 3 4
! Every strided put and get: the chosen elements arrive, those between stay.
program strided
  implicit none
  integer, parameter :: most = 400
  integer(1) :: d(most), s(most)
  common /memory/ d, s
  integer(1) :: dp(most), sp(most)
  pointer (pd, dp), (ps, sp)
  integer :: me, n, err
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check, shpalloc
  external :: shmem_iput4, shmem_iget4, shmem_iput8, shmem_iget8, shmem_iput32, shmem_iget32
  external :: shmem_iput64, shmem_iget64, shmem_iput128, shmem_iget128, shmem_iputmem, shmem_igetmem
  external :: shmem_integer_iput, shmem_integer_iget, shmem_logical_iput, shmem_logical_iget
  external :: shmem_real_iput, shmem_real_iget, shmem_double_iput, shmem_double_iget
  external :: shmem_complex_iput, shmem_complex_iget, shmem_character_iput, shmem_character_iget

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call shpalloc(pd, most / 4, err, 1)
  call shpalloc(ps, most / 4, err, 1)
  call both('4', shmem_iput4, shmem_iget4, 4)
  call both('8', shmem_iput8, shmem_iget8, 8)
  call both('32', shmem_iput32, shmem_iget32, 4)
  call both('64', shmem_iput64, shmem_iget64, 8)
  call both('128', shmem_iput128, shmem_iget128, 16)
  call both('mem', shmem_iputmem, shmem_igetmem, 1)
  call both('integer', shmem_integer_iput, shmem_integer_iget, 4)
  call both('logical', shmem_logical_iput, shmem_logical_iget, 4)
  call both('real', shmem_real_iput, shmem_real_iget, 4)
  call both('double', shmem_double_iput, shmem_double_iget, 8)
  call both('complex', shmem_complex_iput, shmem_complex_iget, 8)
  call both('character', shmem_character_iput, shmem_character_iget, 1)
  call shmem_finalize()

contains

  integer(1) function byte(pe, at)
    integer, intent(in) :: pe, at
    byte = int(mod(pe * 31 + at * 7, 120) + 1, 1)
  end function

  subroutine both(name, iput, iget, bytes)
    character(*), intent(in) :: name
    external :: iput, iget
    integer, intent(in) :: bytes
    call one(name//' iput of COMMON', d, s, iput, mod(me + 1, n), mod(me + n - 1, n), bytes)
    call one(name//' iput of SHPALLOC', dp, sp, iput, mod(me + 1, n), mod(me + n - 1, n), bytes)
    call one(name//' iget of COMMON', d, s, iget, mod(me + 1, n), mod(me + 1, n), bytes)
    call one(name//' iget of SHPALLOC', dp, sp, iget, mod(me + 1, n), mod(me + 1, n), bytes)
  end subroutine

  ! Five elements, every second of the source to every third of the destination.
  subroutine one(name, dest, source, move, pe, from, bytes)
    character(*), intent(in) :: name
    integer(1) :: dest(most), source(most)
    external :: move
    integer, intent(in) :: pe, from, bytes
    integer :: k, element, within
    dest = 0
    source = [(byte(me, k), k = 1, most)]
    call shmem_barrier_all()
    call move(dest, source, 3, 2, 5, pe)
    call shmem_barrier_all()
    do k = 1, most
      element = (k - 1) / bytes
      within = mod(k - 1, bytes)
      if (mod(element, 3) == 0 .and. element / 3 < 5) then
        call check(dest(k) == byte(from, (element / 3) * 2 * bytes + within + 1), name)
      else
        call check(dest(k) == 0_1, name//' between elements')
      end if
    end do
    call shmem_barrier_all()
  end subroutine
end program
