! pes: 1 2 3 4
! Cray's puts that set a signal, of every size and type: the data are there when the signal is, and elements have the size that
! the name says, no more of them than asked for.
program cray_signals
  implicit none
  include 'shmem.fh'
  include 'shmemx.fh'
  integer, parameter :: len = 5, room = 8
  integer(8), save, volatile :: sig = 0
  integer(1), save, volatile :: b(room)
  integer(2), save, volatile :: h(room)
  integer(4), save, volatile :: w(room)
  integer(8), save, volatile :: d(room)
  complex(8), save, volatile :: q(room)
  complex(4), save, volatile :: c(room)
  real(8), save, volatile :: r8(room)
  real(4), save, volatile :: r4(room)
  logical, save, volatile :: l(room)
  character(len=room), save, volatile :: text
  integer(1) :: ob(room)
  integer(2) :: oh(room)
  integer(4) :: ow(room)
  integer(8) :: od(room), number
  complex(8) :: oq(room)
  complex(4) :: oc(room)
  real(8) :: o8(room)
  real(4) :: o4(room)
  logical :: ol(room)
  integer :: me, n, next, from, i
  integer, external :: shmem_my_pe, shmem_n_pes
  external :: shmem_init, shmem_finalize, shmem_barrier_all, shmem_int8_wait_until, check
  external :: shmemx_put_signal, shmemx_putmem_signal, shmemx_put4_signal, shmemx_put8_signal, shmemx_put16_signal, &
    shmemx_put32_signal, shmemx_put64_signal, shmemx_put128_signal, shmemx_character_put_signal, &
    shmemx_complex_put_signal, shmemx_double_put_signal, shmemx_integer_put_signal, shmemx_logical_put_signal, &
    shmemx_real_put_signal

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  next = mod(me + 1, n)
  from = mod(me + n - 1, n)
  number = 0
  text = '........'
  do i = 1, room
    ob(i) = int(10 * me + i, 1)
    oh(i) = int(1000 * me + i, 2)
    ow(i) = 100000 * me + i
    od(i) = 10000000000_8 * me + i
    oq(i) = cmplx(me, i, 8)
    oc(i) = cmplx(i, me, 4)
    o8(i) = me + i / 8d0
    o4(i) = me + i / 4.0
    ol(i) = mod(me + i, 2) == 0
  end do
  call clear()
  call shmem_barrier_all()

  number = -7 ! a value that C takes for a large one
  call shmemx_put_signal(d, od, len, sig, number, next)
  call await('put')
  call check(all(d(:len) == [(10000000000_8 * from + i, i = 1, len)]) .and. all(d(len + 1:) == -1), 'put')
  call again()

  call shmemx_putmem_signal(b, ob, len, sig, number, next)
  call await('putmem')
  call check(all(b(:len) == [(10 * from + i, i = 1, len)]) .and. all(b(len + 1:) == -1), 'putmem')
  call again()

  call shmemx_put4_signal(w, ow, len, sig, number, next)
  call await('put4')
  call words('put4')
  call shmemx_put32_signal(w, ow, len, sig, number, next)
  call await('put32')
  call words('put32')
  call shmemx_integer_put_signal(w, ow, len, sig, number, next)
  call await('integer')
  call words('integer')

  call shmemx_put8_signal(d, od, len, sig, number, next)
  call await('put8')
  call longs('put8')
  call shmemx_put64_signal(d, od, len, sig, number, next)
  call await('put64')
  call longs('put64')

  call shmemx_put16_signal(h, oh, len, sig, number, next)
  call await('put16')
  call check(all(h(:len) == [(1000 * from + i, i = 1, len)]) .and. all(h(len + 1:) == -1), 'put16')
  call again()

  call shmemx_put128_signal(q, oq, len, sig, number, next)
  call await('put128')
  call check(all(q(:len) == [(cmplx(from, i, 8), i = 1, len)]) .and. all(q(len + 1:) == (-1, -1)), 'put128')
  call again()

  call shmemx_complex_put_signal(c, oc, len, sig, number, next)
  call await('complex')
  call check(all(c(:len) == [(cmplx(i, from, 4), i = 1, len)]) .and. all(c(len + 1:) == (-1, -1)), 'complex')
  call again()

  call shmemx_double_put_signal(r8, o8, len, sig, number, next)
  call await('double')
  call check(all(r8(:len) == [(from + i / 8d0, i = 1, len)]) .and. all(r8(len + 1:) == -1), 'double')
  call again()

  call shmemx_real_put_signal(r4, o4, len, sig, number, next)
  call await('real')
  call check(all(r4(:len) == [(from + i / 4.0, i = 1, len)]) .and. all(r4(len + 1:) == -1), 'real')
  call again()

  call shmemx_logical_put_signal(l, ol, len, sig, number, next)
  call await('logical')
  call check(all(l(:len) .eqv. [(mod(from + i, 2) == 0, i = 1, len)]) .and. all(.not. l(len + 1:)), 'logical')
  call again()

  call shmemx_character_put_signal(text, 'abc' // achar(iachar('0') + me) // 'e...', len, sig, number, next)
  call await('character')
  call check(text == 'abc' // achar(iachar('0') + from) // 'e...', 'character')
  call again()

  ! Nothing but the signal.
  call shmemx_put4_signal(w, ow, 0, sig, number, next)
  call await('nothing')
  call check(all(w == -1), 'nothing was put')
  call shmem_barrier_all()
  call shmem_finalize()
contains
  subroutine clear()
    b = -1
    h = -1
    w = -1
    d = -1
    q = (-1, -1)
    c = (-1, -1)
    r8 = -1
    r4 = -1
    l = .false.
  end subroutine

  subroutine await(what)
    character(*), intent(in) :: what
    call shmem_int8_wait_until(sig, SHMEM_CMP_EQ, number)
    call check(sig == number, 'signal of ' // what)
  end subroutine

  subroutine again()
    call clear()
    call shmem_barrier_all()
    number = number + 1000
  end subroutine

  subroutine words(what)
    character(*), intent(in) :: what
    call check(all(w(:len) == [(100000 * from + i, i = 1, len)]) .and. all(w(len + 1:) == -1), what)
    call again()
  end subroutine

  subroutine longs(what)
    character(*), intent(in) :: what
    call check(all(d(:len) == [(10000000000_8 * from + i, i = 1, len)]) .and. all(d(len + 1:) == -1), what)
    call again()
  end subroutine
end program
