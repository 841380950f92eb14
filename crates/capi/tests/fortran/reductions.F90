! pes: 1 2 3 4
! Every reduction, over all PEs and over some, against what a PE computes by itself. The scalar arguments in COMMON
! are those of old programs.
#define ORDERED
#define LOGIC
#define TOLERANCE 0
#define NAME int2
#define SMALL(x) int(x, 2)
#define TYPE integer(2)
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#define NAME int4
#define SMALL(x) int(x, 4)
#define TYPE integer(4)
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#define NAME int8
#define SMALL(x) int(x, 8)
#define TYPE integer(8)
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#undef LOGIC

#undef TOLERANCE
#define INEXACT 0
#define NAME real4
#define SMALL(x) real(x, 4)
#define TYPE real(4)
#define TOLERANCE 1e-4_4
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#undef TOLERANCE
#define NAME real8
#define SMALL(x) real(x, 8)
#define TYPE real(8)
#define TOLERANCE 1e-13_8
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#undef TOLERANCE
! Less than any type but a quad has.
#define NAME real16
#define SMALL(x) real(x, 16)
#define TYPE real(16)
#define TOLERANCE 1e-31_16
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#undef TOLERANCE

#undef ORDERED
#undef INEXACT
#define INEXACT (0.5, 2.5)
#define NAME comp4
#define SMALL(x) cmplx(x, 0, 4)
#define TYPE complex(4)
#define TOLERANCE 1e-4_4
#include "reduction.inc"
#undef NAME
#undef SMALL
#undef TYPE
#undef TOLERANCE
#define NAME comp8
#define SMALL(x) cmplx(x, 0, 8)
#define TYPE complex(8)
#define TOLERANCE 1e-13_8
#include "reduction.inc"

program reductions
  implicit none
  include 'shmem.fh'
  integer :: sync(SHMEM_REDUCE_SYNC_SIZE)
  real(8) :: foo, foomax, work(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
  common /scalars/ foo, foomax, work, sync
  data sync /SHMEM_REDUCE_SYNC_SIZE * SHMEM_SYNC_VALUE/
  integer :: me, n
  integer :: shmem_my_pe, shmem_n_pes
  external :: shmem_my_pe, shmem_n_pes, shmem_init, shmem_finalize, shmem_barrier_all, check, shmem_real8_max_to_all
  external :: of_int2, of_int4, of_int8, of_real4, of_real8, of_real16, of_comp4, of_comp8

  call shmem_init()
  me = shmem_my_pe()
  n = shmem_n_pes()
  call over(0, 0, n)
  call over(0, 1, (n + 1) / 2)
  if (n > 2) call over(1, 0, n - 1)
  foo = -1.5d0 * me
  call shmem_barrier_all()
  call shmem_real8_max_to_all(foomax, foo, 1, 0, 0, n, work, sync)
  call check(foomax == 0, 'a scalar of COMMON')
  call shmem_barrier_all()
  call shmem_finalize()

contains

  subroutine over(start, log_stride, size)
    integer, intent(in) :: start, log_stride, size
    call shmem_barrier_all()
    if (me >= start .and. mod(me - start, 2**log_stride) == 0 .and. (me - start) / 2**log_stride < size) then
      call of_int2(start, log_stride, size, me)
      call of_int4(start, log_stride, size, me)
      call of_int8(start, log_stride, size, me)
      call of_real4(start, log_stride, size, me)
      call of_real8(start, log_stride, size, me)
      call of_real16(start, log_stride, size, me)
      call of_comp4(start, log_stride, size, me)
      call of_comp8(start, log_stride, size, me)
    end if
    call shmem_barrier_all()
  end subroutine
end program
