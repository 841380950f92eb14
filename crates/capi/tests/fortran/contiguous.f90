! pes: 1 2 3 4
! Every put and get, of COMMON, SAVE and allocated memory: the right number of elements arrives, and no further byte.
program contiguous
  implicit none
  integer, parameter :: most = 200
  integer(1) :: d(most), s(most)
  common /memory/ d, s
  integer(1), save :: ds(most), ss(most)
  integer(1) :: dp(most), sp(most)
  pointer (pd, dp), (ps, sp)
  integer :: me, n, err, i
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, shmem_quiet, check, shpalloc
  external :: shmem_put4, shmem_get4, shmem_put4_nbi, shmem_get4_nbi
  external :: shmem_put8, shmem_get8, shmem_put8_nbi, shmem_get8_nbi
  external :: shmem_put32, shmem_get32, shmem_put32_nbi, shmem_get32_nbi
  external :: shmem_put64, shmem_get64, shmem_put64_nbi, shmem_get64_nbi
  external :: shmem_put128, shmem_get128, shmem_put128_nbi, shmem_get128_nbi
  external :: shmem_putmem, shmem_getmem, shmem_putmem_nbi, shmem_getmem_nbi
  external :: shmem_integer_put, shmem_integer_get, shmem_integer_put_nbi, shmem_integer_get_nbi
  external :: shmem_logical_put, shmem_logical_get, shmem_logical_put_nbi, shmem_logical_get_nbi
  external :: shmem_real_put, shmem_real_get, shmem_real_put_nbi, shmem_real_get_nbi
  external :: shmem_double_put, shmem_double_get, shmem_double_put_nbi, shmem_double_get_nbi
  external :: shmem_complex_put, shmem_complex_get, shmem_complex_put_nbi, shmem_complex_get_nbi
  external :: shmem_put

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call shpalloc(pd, most / 4, err, 1)
  call shpalloc(ps, most / 4, err, 1)
  do i = 1, 3
    call all('4', shmem_put4, shmem_get4, shmem_put4_nbi, shmem_get4_nbi, 4)
    call all('8', shmem_put8, shmem_get8, shmem_put8_nbi, shmem_get8_nbi, 8)
    call all('32', shmem_put32, shmem_get32, shmem_put32_nbi, shmem_get32_nbi, 4)
    call all('64', shmem_put64, shmem_get64, shmem_put64_nbi, shmem_get64_nbi, 8)
    call all('128', shmem_put128, shmem_get128, shmem_put128_nbi, shmem_get128_nbi, 16)
    call all('mem', shmem_putmem, shmem_getmem, shmem_putmem_nbi, shmem_getmem_nbi, 1)
    call all('integer', shmem_integer_put, shmem_integer_get, shmem_integer_put_nbi, shmem_integer_get_nbi, 4)
    call all('logical', shmem_logical_put, shmem_logical_get, shmem_logical_put_nbi, shmem_logical_get_nbi, 4)
    call all('real', shmem_real_put, shmem_real_get, shmem_real_put_nbi, shmem_real_get_nbi, 4)
    call all('double', shmem_double_put, shmem_double_get, shmem_double_put_nbi, shmem_double_get_nbi, 8)
    call all('complex', shmem_complex_put, shmem_complex_get, shmem_complex_put_nbi, shmem_complex_get_nbi, 8)
    call all('put', shmem_put, shmem_get64, shmem_put64_nbi, shmem_get64_nbi, 8)
  end do
  call characters()
  call shmem_barrier_all()
  call shmem_finalize()

contains

  ! A pattern by which a PE's bytes are known.
  integer(1) function byte(pe, at)
    integer, intent(in) :: pe, at
    byte = int(mod(pe * 31 + at * 7, 120) + 1, 1)
  end function

  subroutine all(name, put, get, put_nbi, get_nbi, bytes)
    character(*), intent(in) :: name
    external :: put, get, put_nbi, get_nbi
    integer, intent(in) :: bytes
    call four(name//' of COMMON', d, s, put, get, put_nbi, get_nbi, bytes)
    call four(name//' of SAVE', ds, ss, put, get, put_nbi, get_nbi, bytes)
    call four(name//' of SHPALLOC', dp, sp, put, get, put_nbi, get_nbi, bytes)
  end subroutine

  subroutine four(name, dest, source, put, get, put_nbi, get_nbi, bytes)
    character(*), intent(in) :: name
    integer(1) :: dest(most), source(most)
    external :: put, get, put_nbi, get_nbi
    integer, intent(in) :: bytes
    call puts(name//', put', dest, source, put, bytes)
    call puts(name//', put_nbi', dest, source, put_nbi, bytes)
    call gets(name//', get', dest, source, get, bytes)
    call gets(name//', get_nbi', dest, source, get_nbi, bytes)
  end subroutine

  subroutine fill(dest, source)
    integer(1) :: dest(most), source(most)
    integer :: k
    dest = 0
    source = [(byte(me, k), k = 1, most)]
    call shmem_barrier_all()
  end subroutine

  subroutine arrived(name, dest, from, bytes)
    character(*), intent(in) :: name
    integer(1) :: dest(most)
    integer, intent(in) :: from, bytes
    integer :: k, count
    count = 11 * bytes
    do k = 1, most
      if (k <= count) call check(dest(k) == byte(from, k), name)
      if (k > count) call check(dest(k) == 0_1, name//' beyond the end')
    end do
    call shmem_barrier_all()
  end subroutine

  subroutine puts(name, dest, source, put, bytes)
    character(*), intent(in) :: name
    integer(1) :: dest(most), source(most)
    external :: put
    integer, intent(in) :: bytes
    call fill(dest, source)
    call put(dest, source, 11, mod(me + 1, n))
    call put(dest, source, 0, mod(me + 1, n))
    call shmem_quiet()
    call shmem_barrier_all()
    call arrived(name, dest, mod(me + n - 1, n), bytes)
  end subroutine

  subroutine gets(name, dest, source, get, bytes)
    character(*), intent(in) :: name
    integer(1) :: dest(most), source(most)
    external :: get
    integer, intent(in) :: bytes
    call fill(dest, source)
    call get(dest, source, 11, mod(me + 1, n))
    call shmem_quiet()
    call arrived(name, dest, mod(me + 1, n), bytes)
  end subroutine

  ! Counts are of characters, and lengths of variables do not matter.
  subroutine characters()
    character(8), save :: into, from
    character(1), save :: letters(8)
    external :: shmem_character_put, shmem_character_get, shmem_character_put_nbi, shmem_character_get_nbi
    integer :: next, before
    next = mod(me + 1, n)
    before = mod(me + n - 1, n)
    from = 'letters'//achar(65 + me)
    into = '--------'
    call shmem_barrier_all()
    call shmem_character_put(into, from, 5, next)
    call shmem_character_put_nbi(into(8:8), from(8:8), 1, next)
    call shmem_quiet()
    call shmem_barrier_all()
    call check(into == 'lette--'//achar(65 + before), 'character_put')
    call shmem_character_get(into, from, 8, next)
    call check(into == 'letters'//achar(65 + next), 'character_get')
    letters = '-'
    call shmem_character_get_nbi(letters(2), from, 7, next)
    call shmem_quiet()
    call check(letters(1) == '-' .and. letters(2) == 'l' .and. letters(8) == 's', 'character_get_nbi')
  end subroutine
end program
