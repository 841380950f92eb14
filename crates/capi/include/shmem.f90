! shmem.f90: OpenSHMEM for Fortran 2018: the procedures of 1.4, and C's of 1.6.
! Written by `cargo xtask codegen` from the tables in crates/abi: edit those.
!
! shmem.mod is for one compiler. With another compiler, compile this file first; there is nothing to link.
!
! - Symmetric are variables with SAVE, of modules and COMMON, and memory allocated by SHPALLOC or shmem_malloc. A variable that
!   peers write should be ASYNCHRONOUS or VOLATILE if it is also used between calls.
! - The generics (shmem_put, shmem_atomic_add, shmem_sum_reduce, ...) take scalars and arrays of one or two ranks; for an array
!   of more ranks pass its first element. Sections must be contiguous. Counts are of c_size_t; those of put and
!   get may also be of default INTEGER, but not with a context, nor for INTEGER(2), for which Fortran never had procedures.
! - Sizes in names: shmem_put8 moves elements of 8 bytes, as in Fortran's procedures; in C the size is 8 bits.
! - Handles are integers of kind shmem_handle. Two of C's constants have the names of routines; here they end in _OP:
!   SHMEM_SIGNAL_SET_OP, SHMEM_SIGNAL_ADD_OP.
! - Memory of GPUs: pass shmemg_malloc's result to c_f_pointer, and the elements of that pointer to routines only. The host
!   cannot read or write them.

module shmem
  use, intrinsic :: iso_c_binding
  implicit none
  public

  ! Contexts and teams.
  integer, parameter :: shmem_handle = c_intptr_t

  type, bind(C) :: shmem_team_config_t
    integer(c_int) :: num_contexts
  end type

  type, bind(C) :: shmem_ctx_session_config_t
    integer(c_size_t) :: total_ops
  end type

  ! A space of device memory, HPE's; its handle is of type(c_ptr).
  type, bind(C) :: shmem_space_config_t
    integer(c_size_t) :: size
    integer(c_int) :: mtype
  end type

  ! Constants of 1.4, default INTEGER as in shmem.fh.
      INTEGER SHMEM_MAJOR_VERSION
      PARAMETER (SHMEM_MAJOR_VERSION=1)
      INTEGER SHMEM_MINOR_VERSION
      PARAMETER (SHMEM_MINOR_VERSION=6)
      INTEGER SHMEM_MAX_NAME_LEN
      PARAMETER (SHMEM_MAX_NAME_LEN=256)
      CHARACTER(LEN=SHMEM_MAX_NAME_LEN) SHMEM_VENDOR_STRING
      PARAMETER (SHMEM_VENDOR_STRING='Ferrite 0.3.0')
      INTEGER SHMEM_CMP_EQ
      PARAMETER (SHMEM_CMP_EQ=0)
      INTEGER SHMEM_CMP_NE
      PARAMETER (SHMEM_CMP_NE=1)
      INTEGER SHMEM_CMP_GT
      PARAMETER (SHMEM_CMP_GT=2)
      INTEGER SHMEM_CMP_LE
      PARAMETER (SHMEM_CMP_LE=3)
      INTEGER SHMEM_CMP_LT
      PARAMETER (SHMEM_CMP_LT=4)
      INTEGER SHMEM_CMP_GE
      PARAMETER (SHMEM_CMP_GE=5)
      INTEGER SHMEM_SYNC_VALUE
      PARAMETER (SHMEM_SYNC_VALUE=0)
      INTEGER SHMEM_SYNC_SIZE
      PARAMETER (SHMEM_SYNC_SIZE=64)
      INTEGER SHMEM_BCAST_SYNC_SIZE
      PARAMETER (SHMEM_BCAST_SYNC_SIZE=64)
      INTEGER SHMEM_REDUCE_SYNC_SIZE
      PARAMETER (SHMEM_REDUCE_SYNC_SIZE=64)
      INTEGER SHMEM_BARRIER_SYNC_SIZE
      PARAMETER (SHMEM_BARRIER_SYNC_SIZE=64)
      INTEGER SHMEM_COLLECT_SYNC_SIZE
      PARAMETER (SHMEM_COLLECT_SYNC_SIZE=64)
      INTEGER SHMEM_ALLTOALL_SYNC_SIZE
      PARAMETER (SHMEM_ALLTOALL_SYNC_SIZE=64)
      INTEGER SHMEM_ALLTOALLS_SYNC_SIZE
      PARAMETER (SHMEM_ALLTOALLS_SYNC_SIZE=64)
      INTEGER SHMEM_REDUCE_MIN_WRKDATA_SIZE
      PARAMETER (SHMEM_REDUCE_MIN_WRKDATA_SIZE=1)

  ! Constants of C, with the kinds that its routines expect.
  integer(c_int), parameter :: OSHMEM_SPEC_VERSION = 10600_c_int
  integer(c_int), parameter :: SHMEM_THREAD_SINGLE = 0_c_int
  integer(c_int), parameter :: SHMEM_THREAD_FUNNELED = 1_c_int
  integer(c_int), parameter :: SHMEM_THREAD_SERIALIZED = 2_c_int
  integer(c_int), parameter :: SHMEM_THREAD_MULTIPLE = 3_c_int
  integer(c_long), parameter :: SHMEM_TEAM_NUM_CONTEXTS = 1_c_long
  integer(c_long), parameter :: SHMEM_CTX_PRIVATE = 1_c_long
  integer(c_long), parameter :: SHMEM_CTX_SERIALIZED = 2_c_long
  integer(c_long), parameter :: SHMEM_CTX_NOSTORE = 4_c_long
  integer(c_long), parameter :: SHMEM_CTX_SESSION_BATCH = 1_c_long
  integer(c_long), parameter :: SHMEM_CTX_SESSION_TOTAL_OPS = 1_c_long
  integer(c_int), parameter :: SHMEM_SIGNAL_SET_OP = 0_c_int
  integer(c_int), parameter :: SHMEM_SIGNAL_ADD_OP = 1_c_int
  integer(c_long), parameter :: SHMEM_MALLOC_ATOMICS_REMOTE = 1_c_long
  integer(c_long), parameter :: SHMEM_MALLOC_SIGNAL_REMOTE = 2_c_long
  integer(shmem_handle), parameter :: SHMEM_CTX_INVALID = 0_shmem_handle
  integer(shmem_handle), parameter :: SHMEM_CTX_DEFAULT = 1_shmem_handle
      INTEGER(KIND=8) SHMEM_TEAM_WORLD
      PARAMETER (SHMEM_TEAM_WORLD=1_8)
      INTEGER(KIND=8) SHMEM_TEAM_SHARED
      PARAMETER (SHMEM_TEAM_SHARED=2_8)
      INTEGER(KIND=8) SHMEM_TEAM_NODE
      PARAMETER (SHMEM_TEAM_NODE=2_8)
      INTEGER(KIND=8) SHMEM_TEAM_INVALID
      PARAMETER (SHMEM_TEAM_INVALID=0_8)
      INTEGER(KIND=8) SHMEM_TEAM_NULL
      PARAMETER (SHMEM_TEAM_NULL=0_8)
      INTEGER SHMEM_COLOR_UNDEFINED
      PARAMETER (SHMEM_COLOR_UNDEFINED=-1)

  ! Constants for memory of GPUs.
  integer(c_int), parameter :: SHMEM_MTYPE_GPU = 1_c_int
  integer(c_int), parameter :: SHMEM_DEVICE_HOST_INIT = 256_c_int
  integer(c_int), parameter :: SHMEM_DEVICE_KERNEL_INIT = 512_c_int
  integer(c_long), parameter :: SHMEM_DEVICE_CTX = 256_c_long
  integer(shmem_handle), parameter :: SHMEM_DEVICE_TEAM_WORLD = SHMEM_TEAM_WORLD
  integer(shmem_handle), parameter :: SHMEM_DEVICE_TEAM_SHARED = SHMEM_TEAM_SHARED

  ! Procedures of 1.4: arguments by reference, counts and pSync of default INTEGER. Two of them, shmem_put and
  ! shmem_wait_until, are generics below.
  interface
    subroutine shmem_init()
      import
    end subroutine
    subroutine start_pes(npes)
      import
      integer, intent(in) :: npes
    end subroutine
    function shmem_my_pe() result(answer)
      import
      integer :: answer
    end function
    function my_pe() result(answer)
      import
      integer :: answer
    end function
    function shmem_n_pes() result(answer)
      import
      integer :: answer
    end function
    function num_pes() result(answer)
      import
      integer :: answer
    end function
    subroutine shmem_finalize()
      import
    end subroutine
    subroutine shmem_global_exit(status)
      import
      integer, intent(in) :: status
    end subroutine
    function shmem_pe_accessible(pe) result(answer)
      import
      integer, intent(in) :: pe
      logical :: answer
    end function
    function shmem_addr_accessible(addr, pe) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: addr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: addr
      !DIR$ IGNORE_TKR addr
      type(*) :: addr(*)
      integer, intent(in) :: pe
      logical :: answer
    end function
    function shmem_ptr(dest, pe) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DIR$ IGNORE_TKR dest
      type(*) :: dest(*)
      integer, intent(in) :: pe
      integer(c_intptr_t) :: answer
    end function
    subroutine shmem_info_get_version(major, minor)
      import
      integer, intent(out) :: major, minor
    end subroutine
    subroutine shmem_barrier_all()
      import
    end subroutine
    subroutine shmem_info_get_name(name)
      import
      character(*), intent(out) :: name
    end subroutine
    subroutine shpalloc(addr, length, errcode, abort)
      import
      integer(c_intptr_t) :: addr
      integer, intent(in) :: length, abort
      integer, intent(out) :: errcode
    end subroutine
    subroutine shpdeallc(addr, errcode, abort)
      import
      integer(c_intptr_t) :: addr
      integer, intent(out) :: errcode
      integer, intent(in) :: abort
    end subroutine
    subroutine shpclmove(addr, length, status, abort)
      import
      integer(c_intptr_t) :: addr
      integer, intent(in) :: length, abort
      integer, intent(out) :: status
    end subroutine
    subroutine shmem_set_lock(lock)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DIR$ IGNORE_TKR lock
      type(*) :: lock(*)
    end subroutine
    subroutine shmem_clear_lock(lock)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DIR$ IGNORE_TKR lock
      type(*) :: lock(*)
    end subroutine
    function shmem_test_lock(lock) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: lock
      !DIR$ IGNORE_TKR lock
      type(*) :: lock(*)
      integer :: answer
    end function
    subroutine shmem_fence()
      import
    end subroutine
    subroutine shmem_quiet()
      import
    end subroutine
    subroutine shmem_clear_cache_inv()
      import
    end subroutine
    subroutine shmem_set_cache_inv()
      import
    end subroutine
    subroutine shmem_set_cache_line_inv(dest)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DIR$ IGNORE_TKR dest
      type(*) :: dest(*)
    end subroutine
    subroutine shmem_udcflush()
      import
    end subroutine
    subroutine shmem_udcflush_line(dest)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DIR$ IGNORE_TKR dest
      type(*) :: dest(*)
    end subroutine
    subroutine shmem_clear_cache_line_inv(dest)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DIR$ IGNORE_TKR dest
      type(*) :: dest(*)
    end subroutine
    subroutine shmem_character_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_character_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_character_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_character_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_put(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_get(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_put_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_get_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_complex_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_double_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_double_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_integer_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_integer_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_logical_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_logical_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_real_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_real_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_character_iput(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_character_iget(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_put4(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get4(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put4_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get4_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put8(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get8(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put8_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get8_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put32(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get32(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put32_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get32_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put64(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get64(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put64_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get64_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put128(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get128(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put128_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get128_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_putmem(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_getmem(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_putmem_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_getmem_nbi(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_iput4(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iget4(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iput8(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iget8(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iput32(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iget32(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iput64(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iget64(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iput128(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iget128(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_iputmem(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_igetmem(dest, source, dst, sst, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_character_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_character_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_complex_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_double_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_integer_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_logical_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_put_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_real_get_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put4_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get4_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put8_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get8_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put32_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get32_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put64_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get64_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_put128_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_get128_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_putmem_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_getmem_nb(dest, source, nelems, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int4_add(dest, value, pe)
      import
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_int4_cswap(dest, cond, value, pe) result(answer)
      import
      integer(4) :: dest
      integer(4), intent(in) :: cond, value
      integer, intent(in) :: pe
      integer(4) :: answer
    end function
    function shmem_int4_fadd(dest, value, pe) result(answer)
      import
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
      integer(4) :: answer
    end function
    function shmem_int4_finc(dest, pe) result(answer)
      import
      integer(4) :: dest
      integer, intent(in) :: pe
      integer(4) :: answer
    end function
    subroutine shmem_int4_inc(dest, pe)
      import
      integer(4) :: dest
      integer, intent(in) :: pe
    end subroutine
    subroutine shmem_int8_add(dest, value, pe)
      import
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_int8_cswap(dest, cond, value, pe) result(answer)
      import
      integer(8) :: dest
      integer(8), intent(in) :: cond, value
      integer, intent(in) :: pe
      integer(8) :: answer
    end function
    function shmem_int8_fadd(dest, value, pe) result(answer)
      import
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
      integer(8) :: answer
    end function
    function shmem_int8_finc(dest, pe) result(answer)
      import
      integer(8) :: dest
      integer, intent(in) :: pe
      integer(8) :: answer
    end function
    subroutine shmem_int8_inc(dest, pe)
      import
      integer(8) :: dest
      integer, intent(in) :: pe
    end subroutine
    function shmem_int4_fetch(source, pe) result(answer)
      import
      integer(4) :: source
      integer, intent(in) :: pe
      integer(4) :: answer
    end function
    subroutine shmem_int4_set(dest, value, pe)
      import
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_int4_swap(dest, value, pe) result(answer)
      import
      integer(4) :: dest
      integer(4), intent(in) :: value
      integer, intent(in) :: pe
      integer(4) :: answer
    end function
    function shmem_int8_fetch(source, pe) result(answer)
      import
      integer(8) :: source
      integer, intent(in) :: pe
      integer(8) :: answer
    end function
    subroutine shmem_int8_set(dest, value, pe)
      import
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_int8_swap(dest, value, pe) result(answer)
      import
      integer(8) :: dest
      integer(8), intent(in) :: value
      integer, intent(in) :: pe
      integer(8) :: answer
    end function
    function shmem_real4_fetch(source, pe) result(answer)
      import
      real(4) :: source
      integer, intent(in) :: pe
      real(4) :: answer
    end function
    subroutine shmem_real4_set(dest, value, pe)
      import
      real(4) :: dest
      real(4), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_real4_swap(dest, value, pe) result(answer)
      import
      real(4) :: dest
      real(4), intent(in) :: value
      integer, intent(in) :: pe
      real(4) :: answer
    end function
    function shmem_real8_fetch(source, pe) result(answer)
      import
      real(8) :: source
      integer, intent(in) :: pe
      real(8) :: answer
    end function
    subroutine shmem_real8_set(dest, value, pe)
      import
      real(8) :: dest
      real(8), intent(in) :: value
      integer, intent(in) :: pe
    end subroutine
    function shmem_real8_swap(dest, value, pe) result(answer)
      import
      real(8) :: dest
      real(8), intent(in) :: value
      integer, intent(in) :: pe
      real(8) :: answer
    end function
    function shmem_swap(dest, value, pe) result(answer)
      import
      integer :: dest
      integer, intent(in) :: value, pe
      integer :: answer
    end function
    function shmem_cswap(dest, cond, value, pe) result(answer)
      import
      integer :: dest
      integer, intent(in) :: cond, value, pe
      integer :: answer
    end function
    function shmem_fadd(dest, value, pe) result(answer)
      import
      integer :: dest
      integer, intent(in) :: value, pe
      integer :: answer
    end function
    function shmem_finc(dest, pe) result(answer)
      import
      integer :: dest
      integer, intent(in) :: pe
      integer :: answer
    end function
    subroutine shmem_add(dest, value, pe)
      import
      integer :: dest
      integer, intent(in) :: value, pe
    end subroutine
    subroutine shmem_inc(dest, pe)
      import
      integer :: dest
      integer, intent(in) :: pe
    end subroutine
    subroutine shmem_int4_wait(ivar, cmp_value)
      import
      integer(4) :: ivar
      integer(4), intent(in) :: cmp_value
    end subroutine
    subroutine shmem_int4_wait_until(ivar, cmp, cmp_value)
      import
      integer(4) :: ivar
      integer, intent(in) :: cmp
      integer(4), intent(in) :: cmp_value
    end subroutine
    subroutine shmem_int8_wait(ivar, cmp_value)
      import
      integer(8) :: ivar
      integer(8), intent(in) :: cmp_value
    end subroutine
    subroutine shmem_int8_wait_until(ivar, cmp, cmp_value)
      import
      integer(8) :: ivar
      integer, intent(in) :: cmp
      integer(8), intent(in) :: cmp_value
    end subroutine
    subroutine shmem_wait(ivar, cmp_value)
      import
      integer :: ivar
      integer, intent(in) :: cmp_value
    end subroutine
    subroutine shmemx_team_split_strided(parent_team, pe_start, pe_stride, pe_size, newteam)
      import
      integer(shmem_handle), intent(in) :: parent_team
      integer, intent(in) :: pe_start, pe_stride, pe_size
      integer(shmem_handle), intent(inout) :: newteam
    end subroutine
    subroutine shmemx_team_split(parent_team, color, key, newteam)
      import
      integer(shmem_handle), intent(in) :: parent_team
      integer, intent(in) :: color, key
      integer(shmem_handle), intent(inout) :: newteam
    end subroutine
    subroutine shmemx_team_destroy(newteam)
      import
      integer(shmem_handle), intent(inout) :: newteam
    end subroutine
    function shmemx_team_my_pe(newteam) result(answer)
      import
      integer(shmem_handle), intent(in) :: newteam
      integer :: answer
    end function
    function shmemx_team_n_pes(newteam) result(answer)
      import
      integer(shmem_handle), intent(in) :: newteam
      integer :: answer
    end function
    function shmemx_team_translate_pe(team1, team1_pe, team2) result(answer)
      import
      integer(shmem_handle), intent(in) :: team1, team2
      integer, intent(in) :: team1_pe
      integer :: answer
    end function
    subroutine shmemx_thread_register()
      import
    end subroutine
    subroutine shmemx_thread_unregister()
      import
    end subroutine
    subroutine shmemx_thread_fence()
      import
    end subroutine
    subroutine shmemx_thread_quiet()
      import
    end subroutine
    function shmemx_get_uniqueid(uid) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: uid
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: uid
      !DIR$ IGNORE_TKR uid
      type(*) :: uid(*)
      integer :: answer
    end function
    function shmemx_set_attr_uniqueid_args(myrank, nranks, uid, attr) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: uid, attr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: uid, attr
      !DIR$ IGNORE_TKR uid, attr
      integer, intent(in) :: myrank, nranks
      type(*) :: uid(*), attr(*)
      integer :: answer
    end function
    function shmemx_init_attr(flags, attr) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: attr
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: attr
      !DIR$ IGNORE_TKR attr
      integer, intent(in) :: flags
      type(*) :: attr(*)
      integer :: answer
    end function
    function shmemx_lost_pes(pes, n) result(answer)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: pes, n
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: pes, n
      !DIR$ IGNORE_TKR pes, n
      type(*) :: pes(*), n(*)
      integer :: answer
    end function
    subroutine shmemx_abandon()
      import
    end subroutine
    function shmemx_wtime() result(answer)
      import
      double precision :: answer
    end function
    subroutine shmemx_local_complete()
      import
    end subroutine
    function shmemx_heap_size() result(answer)
      import
      integer(c_int64_t) :: answer
    end function
    subroutine shmemx_put4_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put8_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put16_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put32_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put64_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put128_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_putmem_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_character_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_complex_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_double_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_integer_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_logical_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_real_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_put_signal(target, source, len, sig_addr, signal, pe)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer, intent(in) :: len, pe
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), intent(in) :: signal
    end subroutine
    subroutine shmemx_alltoallv( &
        target, t_offsets, t_sizes, source, s_offsets, s_sizes, pe_start, logpe_stride, pe_size, psync &
        )
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer(c_int64_t) :: t_offsets(*), t_sizes(*), s_offsets(*), s_sizes(*)
      integer, intent(in) :: pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_alltoallv_packed( &
        target, target_len, t_size, source, s_offsets, s_sizes, pe_start, logpe_stride, pe_size, psync &
        )
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer(c_int64_t), intent(in) :: target_len
      integer(c_int64_t), intent(out) :: t_size
      integer(c_int64_t) :: s_offsets(*), s_sizes(*)
      integer, intent(in) :: pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmemx_alltoallv_packed( &
        target, target_len, t_size, source, s_offsets, s_sizes, pe_start, logpe_stride, pe_size, psync &
        )
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: target, source
      !DIR$ IGNORE_TKR target, source
      type(*) :: target(*), source(*)
      integer(c_int64_t), intent(in) :: target_len
      integer(c_int64_t), intent(out) :: t_size
      integer(c_int64_t) :: s_offsets(*), s_sizes(*)
      integer, intent(in) :: pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_barrier(pe_start, logpe_stride, pe_size, psync)
      import
      integer, intent(in) :: pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_broadcast4(dest, source, nelems, pe_root, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_root, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_collect4(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_fcollect4(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_broadcast8(dest, source, nelems, pe_root, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_root, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_collect8(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_fcollect8(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_broadcast32(dest, source, nelems, pe_root, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_root, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_collect32(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_fcollect32(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_broadcast64(dest, source, nelems, pe_root, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_root, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_collect64(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_fcollect64(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_alltoall32(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_alltoalls32(dest, source, dst, sst, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_alltoall64(dest, source, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_alltoalls64(dest, source, dst, sst, nelems, pe_start, logpe_stride, pe_size, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer, intent(in) :: dst, sst, nelems, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_and_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_or_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_xor_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_and_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_or_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_xor_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real4_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real4_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real8_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real8_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real16_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real16_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int4_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int8_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real4_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real4_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real8_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real8_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real16_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_real16_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_comp4_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_comp4_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_comp8_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_comp8_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_and_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_or_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_xor_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_max_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_min_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_sum_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
    subroutine shmem_int2_prod_to_all(dest, source, nreduce, pe_start, logpe_stride, pe_size, pwrk, psync)
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source, pwrk
      !DIR$ IGNORE_TKR dest, source, pwrk
      type(*) :: dest(*), source(*), pwrk(*)
      integer, intent(in) :: nreduce, pe_start, logpe_stride, pe_size
      integer :: psync(*)
    end subroutine
  end interface

  ! C's routines, with their own names.
  interface
    subroutine shmem_query_initialized(initialized) bind(C, name="shmem_query_initialized")
      import
      integer(c_int), intent(out) :: initialized
    end subroutine
    function shmem_team_ptr(team, dest, pe) result(answer) bind(C, name="shmem_team_ptr")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest
      !DIR$ IGNORE_TKR dest
      integer(shmem_handle), value :: team
      type(*) :: dest(*)
      integer(c_int), value :: pe
      type(c_ptr) :: answer
    end function
    function shmem_init_thread(requested, provided) result(answer) bind(C, name="shmem_init_thread")
      import
      integer(c_int), value :: requested
      integer(c_int), intent(out) :: provided
      integer(c_int) :: answer
    end function
    subroutine shmem_query_thread(provided) bind(C, name="shmem_query_thread")
      import
      integer(c_int), intent(out) :: provided
    end subroutine
    function shmem_malloc(size) result(answer) bind(C, name="shmem_malloc")
      import
      integer(c_size_t), value :: size
      type(c_ptr) :: answer
    end function
    subroutine shmem_free(ptr) bind(C, name="shmem_free")
      import
      type(c_ptr), value :: ptr
    end subroutine
    function shmem_realloc(ptr, size) result(answer) bind(C, name="shmem_realloc")
      import
      type(c_ptr), value :: ptr
      integer(c_size_t), value :: size
      type(c_ptr) :: answer
    end function
    function shmem_align(alignment, size) result(answer) bind(C, name="shmem_align")
      import
      integer(c_size_t), value :: alignment, size
      type(c_ptr) :: answer
    end function
    function shmem_malloc_with_hints(size, hints) result(answer) bind(C, name="shmem_malloc_with_hints")
      import
      integer(c_size_t), value :: size
      integer(c_long), value :: hints
      type(c_ptr) :: answer
    end function
    function shmem_calloc(count, size) result(answer) bind(C, name="shmem_calloc")
      import
      integer(c_size_t), value :: count, size
      type(c_ptr) :: answer
    end function
    function shmem_ctx_create(options, ctx) result(answer) bind(C, name="shmem_ctx_create")
      import
      integer(c_long), value :: options
      integer(shmem_handle), intent(out) :: ctx
      integer(c_int) :: answer
    end function
    function shmem_team_create_ctx(team, options, ctx) result(answer) bind(C, name="shmem_team_create_ctx")
      import
      integer(shmem_handle), value :: team
      integer(c_long), value :: options
      integer(shmem_handle), intent(out) :: ctx
      integer(c_int) :: answer
    end function
    subroutine shmem_ctx_destroy(ctx) bind(C, name="shmem_ctx_destroy")
      import
      integer(shmem_handle), value :: ctx
    end subroutine
    function shmem_ctx_get_team(ctx, team) result(answer) bind(C, name="shmem_ctx_get_team")
      import
      integer(shmem_handle), value :: ctx
      integer(shmem_handle), intent(out) :: team
      integer(c_int) :: answer
    end function
    subroutine shmem_ctx_session_start(ctx, options, config, config_mask) bind(C, name="shmem_ctx_session_start")
      import
      integer(shmem_handle), value :: ctx
      integer(c_long), value :: options, config_mask
      type(shmem_ctx_session_config_t), intent(in), optional :: config
    end subroutine
    subroutine shmem_ctx_session_stop(ctx) bind(C, name="shmem_ctx_session_stop")
      import
      integer(shmem_handle), value :: ctx
    end subroutine
    subroutine shmem_sync_all() bind(C, name="shmem_sync_all")
      import
    end subroutine
    subroutine shmem_ctx_fence(ctx) bind(C, name="shmem_ctx_fence")
      import
      integer(shmem_handle), value :: ctx
    end subroutine
    subroutine shmem_ctx_quiet(ctx) bind(C, name="shmem_ctx_quiet")
      import
      integer(shmem_handle), value :: ctx
    end subroutine
    subroutine shmem_pe_quiet(target_pes, npes) bind(C, name="shmem_pe_quiet")
      import
      integer(c_int), intent(in) :: target_pes(*)
      integer(c_size_t), value :: npes
    end subroutine
    subroutine shmem_ctx_pe_quiet(ctx, target_pes, npes) bind(C, name="shmem_ctx_pe_quiet")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int), intent(in) :: target_pes(*)
      integer(c_size_t), value :: npes
    end subroutine
    subroutine shmem_put16(dest, source, nelems, pe) bind(C, name="shmem_put16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put16(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put32(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put64(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put128(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_putmem(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_putmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get16(dest, source, nelems, pe) bind(C, name="shmem_get16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get16(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get32(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get64(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get128(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_getmem(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_getmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put16_nbi(dest, source, nelems, pe) bind(C, name="shmem_put16_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put16_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put16_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put32_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put32_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put64_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put128_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_putmem_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_putmem_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get16_nbi(dest, source, nelems, pe) bind(C, name="shmem_get16_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get16_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get16_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get32_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get32_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get64_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get128_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_getmem_nbi(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_getmem_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put16_signal( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put16_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put32_signal( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put32_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put64_signal( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put128_signal( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_putmem_signal( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_putmem_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put16_signal( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put16_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put32_signal( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put32_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put64_signal( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put128_signal( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_putmem_signal( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_putmem_signal")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put16_signal_nbi( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put16_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put32_signal_nbi( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put32_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put64_signal_nbi( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put128_signal_nbi( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_putmem_signal_nbi( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_putmem_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put16_signal_nbi( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put16_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put32_signal_nbi( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put32_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put64_signal_nbi( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put128_signal_nbi( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_putmem_signal_nbi( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_putmem_signal_nbi")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_iput16(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput16(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iput16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput32(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iput32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput64(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iput64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iput128(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iput128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput16(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput32(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput64(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput128(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput16(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibput16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput32(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibput32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput64(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibput64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibput128(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibput128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget16(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget16(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iget16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget32(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iget32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget64(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iget64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_iget128(ctx, dest, source, dst, sst, nelems, pe) bind(C, name="shmem_ctx_iget128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget16(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget32(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget64(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget128(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget16(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibget16")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget32(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibget32")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget64(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibget64")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_ibget128(ctx, dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ctx_ibget128")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: ctx
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_signal_add(sig_addr, signal, pe) bind(C, name="shmem_signal_add")
      import
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_signal_add(ctx, sig_addr, signal, pe) bind(C, name="shmem_ctx_signal_add")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_signal_set(sig_addr, signal, pe) bind(C, name="shmem_signal_set")
      import
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_signal_set(ctx, sig_addr, signal, pe) bind(C, name="shmem_ctx_signal_set")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: pe
    end subroutine
    function shmem_signal_fetch(sig_addr) result(answer) bind(C, name="shmem_signal_fetch")
      import
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t) :: answer
    end function
    function shmem_signal_wait_until(sig_addr, cmp, cmp_value) result(answer) bind(C, name="shmem_signal_wait_until")
      import
      integer(c_int64_t) :: sig_addr
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_int64_t) :: answer
    end function
    function shmem_team_my_pe(team) result(answer) bind(C, name="shmem_team_my_pe")
      import
      integer(shmem_handle), value :: team
      integer(c_int) :: answer
    end function
    function shmem_team_n_pes(team) result(answer) bind(C, name="shmem_team_n_pes")
      import
      integer(shmem_handle), value :: team
      integer(c_int) :: answer
    end function
    function shmem_team_get_config(team, config_mask, config) result(answer) bind(C, name="shmem_team_get_config")
      import
      integer(shmem_handle), value :: team
      integer(c_long), value :: config_mask
      type(shmem_team_config_t), intent(out) :: config
      integer(c_int) :: answer
    end function
    function shmem_team_translate_pe( &
        src_team, src_pe, dest_team &
        ) result(answer) bind(C, name="shmem_team_translate_pe")
      import
      integer(shmem_handle), value :: src_team, dest_team
      integer(c_int), value :: src_pe
      integer(c_int) :: answer
    end function
    function shmem_team_split_strided( &
        parent_team, start, stride, size, config, config_mask, new_team &
        ) result(answer) bind(C, name="shmem_team_split_strided")
      import
      integer(shmem_handle), value :: parent_team
      integer(c_int), value :: start, stride, size
      type(shmem_team_config_t), intent(in), optional :: config
      integer(c_long), value :: config_mask
      integer(shmem_handle), intent(out) :: new_team
      integer(c_int) :: answer
    end function
    function shmem_team_split_2d( &
        parent_team, xrange, xaxis_config, xaxis_mask, xaxis_team, yaxis_config, yaxis_mask, yaxis_team &
        ) result(answer) bind(C, name="shmem_team_split_2d")
      import
      integer(shmem_handle), value :: parent_team
      integer(c_int), value :: xrange
      type(shmem_team_config_t), intent(in), optional :: xaxis_config, yaxis_config
      integer(c_long), value :: xaxis_mask, yaxis_mask
      integer(shmem_handle), intent(out) :: xaxis_team, yaxis_team
      integer(c_int) :: answer
    end function
    subroutine shmem_team_destroy(team) bind(C, name="shmem_team_destroy")
      import
      integer(shmem_handle), value :: team
    end subroutine
    function shmem_team_sync(team) result(answer) bind(C, name="shmem_team_sync")
      import
      integer(shmem_handle), value :: team
      integer(c_int) :: answer
    end function
    function shmem_alltoallmem(team, dest, source, nelems) result(answer) bind(C, name="shmem_alltoallmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: team
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoallsmem(team, dest, source, dst, sst, nelems) result(answer) bind(C, name="shmem_alltoallsmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: team
      type(*) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_broadcastmem(team, dest, source, nelems, PE_root) result(answer) bind(C, name="shmem_broadcastmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: team
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_collectmem(team, dest, source, nelems) result(answer) bind(C, name="shmem_collectmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: team
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollectmem(team, dest, source, nelems) result(answer) bind(C, name="shmem_fcollectmem")
      import
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: dest, source
      !DIR$ IGNORE_TKR dest, source
      integer(shmem_handle), value :: team
      type(*) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmemg_malloc(size) result(answer) bind(C, name="shmemg_malloc")
      import
      integer(c_size_t), value :: size
      type(c_ptr) :: answer
    end function
    function shmemg_calloc(count, size) result(answer) bind(C, name="shmemg_calloc")
      import
      integer(c_size_t), value :: count, size
      type(c_ptr) :: answer
    end function
    function shmemg_align(alignment, size) result(answer) bind(C, name="shmemg_align")
      import
      integer(c_size_t), value :: alignment, size
      type(c_ptr) :: answer
    end function
    subroutine shmemg_free(ptr) bind(C, name="shmemg_free")
      import
      type(c_ptr), value :: ptr
    end subroutine
    function shmemx_query_gpu_awareness(team) result(answer) bind(C, name="shmemx_query_gpu_awareness")
      import
      integer(shmem_handle), value :: team
      integer(c_int) :: answer
    end function
    function shmemx_space_create(team, options, config, space) result(answer) bind(C, name="shmemx_space_create")
      import
      integer(shmem_handle), value :: team
      integer(c_long), value :: options
      type(shmem_space_config_t), intent(in) :: config
      type(c_ptr), intent(out) :: space
      integer(c_int) :: answer
    end function
    function shmemx_space_malloc(space, size) result(answer) bind(C, name="shmemx_space_malloc")
      import
      type(c_ptr), value :: space
      integer(c_size_t), value :: size
      type(c_ptr) :: answer
    end function
    subroutine shmemx_space_free(space, ptr) bind(C, name="shmemx_space_free")
      import
      type(c_ptr), value :: space, ptr
    end subroutine
  end interface

  interface shmem_put
    subroutine shmem_put_i1r0(dest, source, nelems, pe) bind(C, name="shmem_int8_put")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i1r1(dest, source, nelems, pe) bind(C, name="shmem_int8_put")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i1r2(dest, source, nelems, pe) bind(C, name="shmem_int8_put")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i1r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i1r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i1r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i2r0(dest, source, nelems, pe) bind(C, name="shmem_int16_put")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i2r1(dest, source, nelems, pe) bind(C, name="shmem_int16_put")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i2r2(dest, source, nelems, pe) bind(C, name="shmem_int16_put")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i2r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i2r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i2r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i4r0(dest, source, nelems, pe) bind(C, name="shmem_int32_put")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i4r1(dest, source, nelems, pe) bind(C, name="shmem_int32_put")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i4r2(dest, source, nelems, pe) bind(C, name="shmem_int32_put")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i8r0(dest, source, nelems, pe) bind(C, name="shmem_int64_put")
      import
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i8r1(dest, source, nelems, pe) bind(C, name="shmem_int64_put")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_i8r2(dest, source, nelems, pe) bind(C, name="shmem_int64_put")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_i8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r4r0(dest, source, nelems, pe) bind(C, name="shmem_float_put")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r4r1(dest, source, nelems, pe) bind(C, name="shmem_float_put")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r4r2(dest, source, nelems, pe) bind(C, name="shmem_float_put")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r8r0(dest, source, nelems, pe) bind(C, name="shmem_double_put")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r8r1(dest, source, nelems, pe) bind(C, name="shmem_double_put")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_r8r2(dest, source, nelems, pe) bind(C, name="shmem_double_put")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_r8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c4r0(dest, source, nelems, pe) bind(C, name="shmem_put64")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c4r1(dest, source, nelems, pe) bind(C, name="shmem_put64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c4r2(dest, source, nelems, pe) bind(C, name="shmem_put64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c8r0(dest, source, nelems, pe) bind(C, name="shmem_put128")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c8r1(dest, source, nelems, pe) bind(C, name="shmem_put128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_c8r2(dest, source, nelems, pe) bind(C, name="shmem_put128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_c8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_put_i1r0(dest, source, nelems, pe) bind(C, name="shmem_putmem_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i1r1(dest, source, nelems, pe) bind(C, name="shmem_putmem_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i1r2(dest, source, nelems, pe) bind(C, name="shmem_putmem_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i4r0(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i4r1(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i4r2(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i8r0(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i8r1(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_i8r2(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r4r0(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r4r1(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r4r2(dest, source, nelems, pe) bind(C, name="shmem_put4_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r8r0(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r8r1(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_r8r2(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c4r0(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c4r1(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c4r2(dest, source, nelems, pe) bind(C, name="shmem_put8_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c8r0(dest, source, nelems, pe) bind(C, name="shmem_put128_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c8r1(dest, source, nelems, pe) bind(C, name="shmem_put128_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_c8r2(dest, source, nelems, pe) bind(C, name="shmem_put128_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
  end interface

  interface shmem_p
    subroutine shmem_p_i1r0(dest, value, pe) bind(C, name="shmem_int8_p")
      import
      integer(c_int8_t) :: dest
      integer(c_int8_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_i1r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int8_p")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest
      integer(c_int8_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_p_i2r0(dest, value, pe) bind(C, name="shmem_int16_p")
      import
      integer(c_int16_t) :: dest
      integer(c_int16_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_i2r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int16_p")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest
      integer(c_int16_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_p_i4r0(dest, value, pe) bind(C, name="shmem_int32_p")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_p")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_p_i8r0(dest, value, pe) bind(C, name="shmem_int64_p")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_p")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_p_r4r0(dest, value, pe) bind(C, name="shmem_float_p")
      import
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_r4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_float_p")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_p_r8r0(dest, value, pe) bind(C, name="shmem_double_p")
      import
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_p_r8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_double_p")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_iput
    subroutine shmem_iput_i1r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iput")
      import
      integer(c_int8_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i1r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iput")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i1r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iput")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i2r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iput")
      import
      integer(c_int16_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i2r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iput")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i2r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iput")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iput")
      import
      integer(c_int32_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iput")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iput")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iput")
      import
      integer(c_int64_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iput")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_i8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iput")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iput")
      import
      real(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iput")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iput")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iput")
      import
      real(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iput")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_r8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iput")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput64")
      import
      complex(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128")
      import
      complex(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iput_c8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_iput_i1r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iputmem_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i1r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iputmem_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i1r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iputmem_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_i8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput4_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_r8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput8_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iput_c8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iput128_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
  end interface

  interface shmem_ibput
    subroutine shmem_ibput_i1r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibput")
      import
      integer(c_int8_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i1r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibput")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i1r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibput")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i2r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibput")
      import
      integer(c_int16_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i2r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibput")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i2r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibput")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibput")
      import
      integer(c_int32_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibput")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibput")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibput")
      import
      integer(c_int64_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibput")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_i8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibput")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibput")
      import
      real(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibput")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibput")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibput")
      import
      real(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibput")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_r8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibput")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput64")
      import
      complex(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput128")
      import
      complex(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibput_c8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibput128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_get
    subroutine shmem_get_i1r0(dest, source, nelems, pe) bind(C, name="shmem_int8_get")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i1r1(dest, source, nelems, pe) bind(C, name="shmem_int8_get")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i1r2(dest, source, nelems, pe) bind(C, name="shmem_int8_get")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i1r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i1r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i1r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i2r0(dest, source, nelems, pe) bind(C, name="shmem_int16_get")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i2r1(dest, source, nelems, pe) bind(C, name="shmem_int16_get")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i2r2(dest, source, nelems, pe) bind(C, name="shmem_int16_get")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i2r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i2r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i2r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i4r0(dest, source, nelems, pe) bind(C, name="shmem_int32_get")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i4r1(dest, source, nelems, pe) bind(C, name="shmem_int32_get")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i4r2(dest, source, nelems, pe) bind(C, name="shmem_int32_get")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i8r0(dest, source, nelems, pe) bind(C, name="shmem_int64_get")
      import
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i8r1(dest, source, nelems, pe) bind(C, name="shmem_int64_get")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_i8r2(dest, source, nelems, pe) bind(C, name="shmem_int64_get")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_i8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r4r0(dest, source, nelems, pe) bind(C, name="shmem_float_get")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r4r1(dest, source, nelems, pe) bind(C, name="shmem_float_get")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r4r2(dest, source, nelems, pe) bind(C, name="shmem_float_get")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r8r0(dest, source, nelems, pe) bind(C, name="shmem_double_get")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r8r1(dest, source, nelems, pe) bind(C, name="shmem_double_get")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_r8r2(dest, source, nelems, pe) bind(C, name="shmem_double_get")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_r8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c4r0(dest, source, nelems, pe) bind(C, name="shmem_get64")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c4r1(dest, source, nelems, pe) bind(C, name="shmem_get64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c4r2(dest, source, nelems, pe) bind(C, name="shmem_get64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c8r0(dest, source, nelems, pe) bind(C, name="shmem_get128")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c8r1(dest, source, nelems, pe) bind(C, name="shmem_get128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_c8r2(dest, source, nelems, pe) bind(C, name="shmem_get128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_c8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_get_i1r0(dest, source, nelems, pe) bind(C, name="shmem_getmem_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i1r1(dest, source, nelems, pe) bind(C, name="shmem_getmem_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i1r2(dest, source, nelems, pe) bind(C, name="shmem_getmem_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i4r0(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i4r1(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i4r2(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i8r0(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i8r1(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_i8r2(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r4r0(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r4r1(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r4r2(dest, source, nelems, pe) bind(C, name="shmem_get4_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r8r0(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r8r1(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_r8r2(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c4r0(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c4r1(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c4r2(dest, source, nelems, pe) bind(C, name="shmem_get8_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c8r0(dest, source, nelems, pe) bind(C, name="shmem_get128_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c8r1(dest, source, nelems, pe) bind(C, name="shmem_get128_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_c8r2(dest, source, nelems, pe) bind(C, name="shmem_get128_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
  end interface

  interface shmem_g
    function shmem_g_i1r0(source, pe) result(answer) bind(C, name="shmem_int8_g")
      import
      integer(c_int8_t) :: source
      integer(c_int), value :: pe
      integer(c_int8_t) :: answer
    end function
    function shmem_ctx_g_i1r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int8_g")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: source
      integer(c_int), value :: pe
      integer(c_int8_t) :: answer
    end function
    function shmem_g_i2r0(source, pe) result(answer) bind(C, name="shmem_int16_g")
      import
      integer(c_int16_t) :: source
      integer(c_int), value :: pe
      integer(c_int16_t) :: answer
    end function
    function shmem_ctx_g_i2r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int16_g")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: source
      integer(c_int), value :: pe
      integer(c_int16_t) :: answer
    end function
    function shmem_g_i4r0(source, pe) result(answer) bind(C, name="shmem_int32_g")
      import
      integer(c_int32_t) :: source
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_g_i4r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int32_g")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: source
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_g_i8r0(source, pe) result(answer) bind(C, name="shmem_int64_g")
      import
      integer(c_int64_t) :: source
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_g_i8r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int64_g")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: source
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_g_r4r0(source, pe) result(answer) bind(C, name="shmem_float_g")
      import
      real(c_float) :: source
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_ctx_g_r4r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_float_g")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: source
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_g_r8r0(source, pe) result(answer) bind(C, name="shmem_double_g")
      import
      real(c_double) :: source
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
    function shmem_ctx_g_r8r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_double_g")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: source
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
  end interface

  interface shmem_iget
    subroutine shmem_iget_i1r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iget")
      import
      integer(c_int8_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i1r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iget")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i1r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int8_iget")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i2r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iget")
      import
      integer(c_int16_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i2r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iget")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i2r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int16_iget")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iget")
      import
      integer(c_int32_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iget")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int32_iget")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iget")
      import
      integer(c_int64_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iget")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_i8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_int64_iget")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iget")
      import
      real(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iget")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_float_iget")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iget")
      import
      real(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iget")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_r8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_double_iget")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget64")
      import
      complex(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128")
      import
      complex(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_iget_c8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_iget_i1r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_igetmem_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i1r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_igetmem_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i1r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_igetmem_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_i8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget4_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_r8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c4r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c4r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c4r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget8_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c8r0(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c8r1(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
    subroutine shmem_int_iget_c8r2(dest, source, dst, sst, nelems, pe) bind(C, name="shmem_iget128_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: dst, sst, nelems, pe
    end subroutine
  end interface

  interface shmem_ibget
    subroutine shmem_ibget_i1r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibget")
      import
      integer(c_int8_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i1r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibget")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i1r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int8_ibget")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i2r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibget")
      import
      integer(c_int16_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i2r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibget")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i2r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int16_ibget")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibget")
      import
      integer(c_int32_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibget")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int32_ibget")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibget")
      import
      integer(c_int64_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibget")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_i8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_int64_ibget")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibget")
      import
      real(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibget")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_float_ibget")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibget")
      import
      real(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibget")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_r8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_double_ibget")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c4r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget64")
      import
      complex(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c4r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget64")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c4r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget64")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c8r0(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget128")
      import
      complex(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c8r1(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget128")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ibget_c8r2(dest, source, dst, sst, bsize, nblocks, pe) bind(C, name="shmem_ibget128")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: bsize, nblocks
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_put_nbi
    subroutine shmem_put_nbi_i1r0(dest, source, nelems, pe) bind(C, name="shmem_int8_put_nbi")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i1r1(dest, source, nelems, pe) bind(C, name="shmem_int8_put_nbi")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i1r2(dest, source, nelems, pe) bind(C, name="shmem_int8_put_nbi")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i1r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i1r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i1r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i2r0(dest, source, nelems, pe) bind(C, name="shmem_int16_put_nbi")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i2r1(dest, source, nelems, pe) bind(C, name="shmem_int16_put_nbi")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i2r2(dest, source, nelems, pe) bind(C, name="shmem_int16_put_nbi")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i2r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i2r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i2r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i4r0(dest, source, nelems, pe) bind(C, name="shmem_int32_put_nbi")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i4r1(dest, source, nelems, pe) bind(C, name="shmem_int32_put_nbi")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i4r2(dest, source, nelems, pe) bind(C, name="shmem_int32_put_nbi")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i8r0(dest, source, nelems, pe) bind(C, name="shmem_int64_put_nbi")
      import
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i8r1(dest, source, nelems, pe) bind(C, name="shmem_int64_put_nbi")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_i8r2(dest, source, nelems, pe) bind(C, name="shmem_int64_put_nbi")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_i8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r4r0(dest, source, nelems, pe) bind(C, name="shmem_float_put_nbi")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r4r1(dest, source, nelems, pe) bind(C, name="shmem_float_put_nbi")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r4r2(dest, source, nelems, pe) bind(C, name="shmem_float_put_nbi")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r8r0(dest, source, nelems, pe) bind(C, name="shmem_double_put_nbi")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r8r1(dest, source, nelems, pe) bind(C, name="shmem_double_put_nbi")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_r8r2(dest, source, nelems, pe) bind(C, name="shmem_double_put_nbi")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_r8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_put_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c4r0(dest, source, nelems, pe) bind(C, name="shmem_put64_nbi")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c4r1(dest, source, nelems, pe) bind(C, name="shmem_put64_nbi")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c4r2(dest, source, nelems, pe) bind(C, name="shmem_put64_nbi")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c8r0(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c8r1(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_put_nbi_c8r2(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_put_nbi_c8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_put128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_put_nbi_i1r0(dest, source, nelems, pe) bind(C, name="shmem_putmem_nbi_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i1r1(dest, source, nelems, pe) bind(C, name="shmem_putmem_nbi_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i1r2(dest, source, nelems, pe) bind(C, name="shmem_putmem_nbi_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i4r0(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i4r1(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i4r2(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i8r0(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i8r1(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_i8r2(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r4r0(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r4r1(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r4r2(dest, source, nelems, pe) bind(C, name="shmem_put4_nbi_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r8r0(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r8r1(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_r8r2(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c4r0(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c4r1(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c4r2(dest, source, nelems, pe) bind(C, name="shmem_put8_nbi_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c8r0(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c8r1(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_put_nbi_c8r2(dest, source, nelems, pe) bind(C, name="shmem_put128_nbi_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
  end interface

  interface shmem_get_nbi
    subroutine shmem_get_nbi_i1r0(dest, source, nelems, pe) bind(C, name="shmem_int8_get_nbi")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i1r1(dest, source, nelems, pe) bind(C, name="shmem_int8_get_nbi")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i1r2(dest, source, nelems, pe) bind(C, name="shmem_int8_get_nbi")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i1r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i1r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i1r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int8_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i2r0(dest, source, nelems, pe) bind(C, name="shmem_int16_get_nbi")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i2r1(dest, source, nelems, pe) bind(C, name="shmem_int16_get_nbi")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i2r2(dest, source, nelems, pe) bind(C, name="shmem_int16_get_nbi")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i2r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i2r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i2r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int16_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i4r0(dest, source, nelems, pe) bind(C, name="shmem_int32_get_nbi")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i4r1(dest, source, nelems, pe) bind(C, name="shmem_int32_get_nbi")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i4r2(dest, source, nelems, pe) bind(C, name="shmem_int32_get_nbi")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int32_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i8r0(dest, source, nelems, pe) bind(C, name="shmem_int64_get_nbi")
      import
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i8r1(dest, source, nelems, pe) bind(C, name="shmem_int64_get_nbi")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_i8r2(dest, source, nelems, pe) bind(C, name="shmem_int64_get_nbi")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_i8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_int64_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r4r0(dest, source, nelems, pe) bind(C, name="shmem_float_get_nbi")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r4r1(dest, source, nelems, pe) bind(C, name="shmem_float_get_nbi")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r4r2(dest, source, nelems, pe) bind(C, name="shmem_float_get_nbi")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_float_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r8r0(dest, source, nelems, pe) bind(C, name="shmem_double_get_nbi")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r8r1(dest, source, nelems, pe) bind(C, name="shmem_double_get_nbi")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_r8r2(dest, source, nelems, pe) bind(C, name="shmem_double_get_nbi")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_r8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_double_get_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c4r0(dest, source, nelems, pe) bind(C, name="shmem_get64_nbi")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c4r1(dest, source, nelems, pe) bind(C, name="shmem_get64_nbi")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c4r2(dest, source, nelems, pe) bind(C, name="shmem_get64_nbi")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c4r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c4r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c4r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get64_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c8r0(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c8r1(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_get_nbi_c8r2(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c8r0(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c8r1(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_get_nbi_c8r2(ctx, dest, source, nelems, pe) bind(C, name="shmem_ctx_get128_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_int_get_nbi_i1r0(dest, source, nelems, pe) bind(C, name="shmem_getmem_nbi_")
      import
      integer(c_int8_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i1r1(dest, source, nelems, pe) bind(C, name="shmem_getmem_nbi_")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i1r2(dest, source, nelems, pe) bind(C, name="shmem_getmem_nbi_")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i4r0(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      integer(c_int32_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i4r1(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i4r2(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i8r0(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      integer(c_int64_t) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i8r1(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_i8r2(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r4r0(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      real(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r4r1(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r4r2(dest, source, nelems, pe) bind(C, name="shmem_get4_nbi_")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r8r0(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      real(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r8r1(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_r8r2(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c4r0(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      complex(c_float) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c4r1(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c4r2(dest, source, nelems, pe) bind(C, name="shmem_get8_nbi_")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c8r0(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi_")
      import
      complex(c_double) :: dest, source
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c8r1(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi_")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
    subroutine shmem_int_get_nbi_c8r2(dest, source, nelems, pe) bind(C, name="shmem_get128_nbi_")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_int), intent(in) :: nelems, pe
    end subroutine
  end interface

  interface shmem_put_signal
    subroutine shmem_put_signal_i1r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i1r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i1r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i1r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i1r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i1r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i2r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i2r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i2r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i2r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i2r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i2r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal")
      import
      integer(c_int64_t) :: dest, source, sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal")
      import
      integer(c_int64_t) :: dest(*), source(*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_i8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source, sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_i8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_r8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_r8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_c8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_c8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
  end interface

  interface shmem_put_signal_nbi
    subroutine shmem_put_signal_nbi_i1r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal_nbi")
      import
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i1r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal_nbi")
      import
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i1r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int8_put_signal_nbi")
      import
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i1r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i1r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i1r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int8_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i2r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal_nbi")
      import
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i2r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal_nbi")
      import
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i2r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int16_put_signal_nbi")
      import
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i2r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i2r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i2r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int16_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal_nbi")
      import
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal_nbi")
      import
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int32_put_signal_nbi")
      import
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int32_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal_nbi")
      import
      integer(c_int64_t) :: dest, source, sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal_nbi")
      import
      integer(c_int64_t) :: dest(*), source(*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_i8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_int64_put_signal_nbi")
      import
      integer(c_int64_t) :: dest(1,*), source(1,*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest, source, sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(*), source(*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_i8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_int64_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest(1,*), source(1,*), sig_addr
      integer(c_size_t), value :: nelems
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal_nbi")
      import
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal_nbi")
      import
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_float_put_signal_nbi")
      import
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_float_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal_nbi")
      import
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal_nbi")
      import
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_r8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_double_put_signal_nbi")
      import
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_r8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_double_put_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c4r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal_nbi")
      import
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c4r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal_nbi")
      import
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c4r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put64_signal_nbi")
      import
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c4r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c4r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c4r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put64_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c8r0( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal_nbi")
      import
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c8r1( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal_nbi")
      import
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_put_signal_nbi_c8r2( &
        dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_put128_signal_nbi")
      import
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c8r0( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c8r1( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
    subroutine shmem_ctx_put_signal_nbi_c8r2( &
        ctx, dest, source, nelems, sig_addr, signal, sig_op, pe &
        ) bind(C, name="shmem_ctx_put128_signal_nbi")
      import
      integer(shmem_handle), value :: ctx
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int64_t) :: sig_addr
      integer(c_int64_t), value :: signal
      integer(c_int), value :: sig_op, pe
    end subroutine
  end interface

  interface shmem_atomic_fetch
    function shmem_atomic_fetch_i4r0(source, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch")
      import
      integer(c_int32_t) :: source
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_i4r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: source
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_i8r0(source, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch")
      import
      integer(c_int64_t) :: source
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_i8r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: source
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_atomic_fetch_r4r0(source, pe) result(answer) bind(C, name="shmem_float_atomic_fetch")
      import
      real(c_float) :: source
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_ctx_atomic_fetch_r4r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_float_atomic_fetch")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: source
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_atomic_fetch_r8r0(source, pe) result(answer) bind(C, name="shmem_double_atomic_fetch")
      import
      real(c_double) :: source
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
    function shmem_ctx_atomic_fetch_r8r0(ctx, source, pe) result(answer) bind(C, name="shmem_ctx_double_atomic_fetch")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: source
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
  end interface

  interface shmem_atomic_set
    subroutine shmem_atomic_set_i4r0(dest, value, pe) bind(C, name="shmem_int32_atomic_set")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_set_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_atomic_set")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_set_i8r0(dest, value, pe) bind(C, name="shmem_int64_atomic_set")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_set_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_atomic_set")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_set_r4r0(dest, value, pe) bind(C, name="shmem_float_atomic_set")
      import
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_set_r4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_float_atomic_set")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_set_r8r0(dest, value, pe) bind(C, name="shmem_double_atomic_set")
      import
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_set_r8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_double_atomic_set")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_swap
    function shmem_atomic_swap_i4r0(dest, value, pe) result(answer) bind(C, name="shmem_int32_atomic_swap")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_swap_i4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_swap")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_swap_i8r0(dest, value, pe) result(answer) bind(C, name="shmem_int64_atomic_swap")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_swap_i8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_swap")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_atomic_swap_r4r0(dest, value, pe) result(answer) bind(C, name="shmem_float_atomic_swap")
      import
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_ctx_atomic_swap_r4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_float_atomic_swap")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: dest
      real(c_float), value :: value
      integer(c_int), value :: pe
      real(c_float) :: answer
    end function
    function shmem_atomic_swap_r8r0(dest, value, pe) result(answer) bind(C, name="shmem_double_atomic_swap")
      import
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
    function shmem_ctx_atomic_swap_r8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_double_atomic_swap")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: dest
      real(c_double), value :: value
      integer(c_int), value :: pe
      real(c_double) :: answer
    end function
  end interface

  interface shmem_atomic_fetch_nbi
    subroutine shmem_atomic_fetch_nbi_i4r0(fetch, source, pe) bind(C, name="shmem_int32_atomic_fetch_nbi")
      import
      integer(c_int32_t) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_nbi_i4r0(ctx, fetch, source, pe) bind(C, name="shmem_ctx_int32_atomic_fetch_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_nbi_i8r0(fetch, source, pe) bind(C, name="shmem_int64_atomic_fetch_nbi")
      import
      integer(c_int64_t) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_nbi_i8r0(ctx, fetch, source, pe) bind(C, name="shmem_ctx_int64_atomic_fetch_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_nbi_r4r0(fetch, source, pe) bind(C, name="shmem_float_atomic_fetch_nbi")
      import
      real(c_float) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_nbi_r4r0(ctx, fetch, source, pe) bind(C, name="shmem_ctx_float_atomic_fetch_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_nbi_r8r0(fetch, source, pe) bind(C, name="shmem_double_atomic_fetch_nbi")
      import
      real(c_double) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_nbi_r8r0( &
        ctx, fetch, source, pe &
        ) bind(C, name="shmem_ctx_double_atomic_fetch_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: fetch, source
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_swap_nbi
    subroutine shmem_atomic_swap_nbi_i4r0(fetch, dest, value, pe) bind(C, name="shmem_int32_atomic_swap_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_swap_nbi_i4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_swap_nbi_i8r0(fetch, dest, value, pe) bind(C, name="shmem_int64_atomic_swap_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_swap_nbi_i8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_swap_nbi_r4r0(fetch, dest, value, pe) bind(C, name="shmem_float_atomic_swap_nbi")
      import
      real(c_float) :: fetch, dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_swap_nbi_r4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_float_atomic_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_float) :: fetch, dest
      real(c_float), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_swap_nbi_r8r0(fetch, dest, value, pe) bind(C, name="shmem_double_atomic_swap_nbi")
      import
      real(c_double) :: fetch, dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_swap_nbi_r8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_double_atomic_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      real(c_double) :: fetch, dest
      real(c_double), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_compare_swap
    function shmem_atomic_compare_swap_i4r0( &
        dest, cond, value, pe &
        ) result(answer) bind(C, name="shmem_int32_atomic_compare_swap")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_compare_swap_i4r0( &
        ctx, dest, cond, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_compare_swap")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_compare_swap_i8r0( &
        dest, cond, value, pe &
        ) result(answer) bind(C, name="shmem_int64_atomic_compare_swap")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_compare_swap_i8r0( &
        ctx, dest, cond, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_compare_swap")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_fetch_inc
    function shmem_atomic_fetch_inc_i4r0(dest, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch_inc")
      import
      integer(c_int32_t) :: dest
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_inc_i4r0( &
        ctx, dest, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch_inc")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_inc_i8r0(dest, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch_inc")
      import
      integer(c_int64_t) :: dest
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_inc_i8r0( &
        ctx, dest, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch_inc")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_inc
    subroutine shmem_atomic_inc_i4r0(dest, pe) bind(C, name="shmem_int32_atomic_inc")
      import
      integer(c_int32_t) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_inc_i4r0(ctx, dest, pe) bind(C, name="shmem_ctx_int32_atomic_inc")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_inc_i8r0(dest, pe) bind(C, name="shmem_int64_atomic_inc")
      import
      integer(c_int64_t) :: dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_inc_i8r0(ctx, dest, pe) bind(C, name="shmem_ctx_int64_atomic_inc")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_add
    function shmem_atomic_fetch_add_i4r0(dest, value, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch_add")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_add_i4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch_add")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_add_i8r0(dest, value, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch_add")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_add_i8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch_add")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_add
    subroutine shmem_atomic_add_i4r0(dest, value, pe) bind(C, name="shmem_int32_atomic_add")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_add_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_atomic_add")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_add_i8r0(dest, value, pe) bind(C, name="shmem_int64_atomic_add")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_add_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_atomic_add")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_compare_swap_nbi
    subroutine shmem_atomic_compare_swap_nbi_i4r0( &
        fetch, dest, cond, value, pe &
        ) bind(C, name="shmem_int32_atomic_compare_swap_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_compare_swap_nbi_i4r0( &
        ctx, fetch, dest, cond, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_compare_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_compare_swap_nbi_i8r0( &
        fetch, dest, cond, value, pe &
        ) bind(C, name="shmem_int64_atomic_compare_swap_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_compare_swap_nbi_i8r0( &
        ctx, fetch, dest, cond, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_compare_swap_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: cond, value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_inc_nbi
    subroutine shmem_atomic_fetch_inc_nbi_i4r0(fetch, dest, pe) bind(C, name="shmem_int32_atomic_fetch_inc_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_inc_nbi_i4r0( &
        ctx, fetch, dest, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_fetch_inc_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_inc_nbi_i8r0(fetch, dest, pe) bind(C, name="shmem_int64_atomic_fetch_inc_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_inc_nbi_i8r0( &
        ctx, fetch, dest, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_fetch_inc_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_add_nbi
    subroutine shmem_atomic_fetch_add_nbi_i4r0(fetch, dest, value, pe) bind(C, name="shmem_int32_atomic_fetch_add_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_add_nbi_i4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_fetch_add_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_add_nbi_i8r0(fetch, dest, value, pe) bind(C, name="shmem_int64_atomic_fetch_add_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_add_nbi_i8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_fetch_add_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_and
    function shmem_atomic_fetch_and_i4r0(dest, value, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch_and")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_and_i4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch_and")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_and_i8r0(dest, value, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch_and")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_and_i8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch_and")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_and
    subroutine shmem_atomic_and_i4r0(dest, value, pe) bind(C, name="shmem_int32_atomic_and")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_and_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_atomic_and")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_and_i8r0(dest, value, pe) bind(C, name="shmem_int64_atomic_and")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_and_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_atomic_and")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_or
    function shmem_atomic_fetch_or_i4r0(dest, value, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch_or")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_or_i4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch_or")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_or_i8r0(dest, value, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch_or")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_or_i8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch_or")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_or
    subroutine shmem_atomic_or_i4r0(dest, value, pe) bind(C, name="shmem_int32_atomic_or")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_or_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_atomic_or")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_or_i8r0(dest, value, pe) bind(C, name="shmem_int64_atomic_or")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_or_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_atomic_or")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_xor
    function shmem_atomic_fetch_xor_i4r0(dest, value, pe) result(answer) bind(C, name="shmem_int32_atomic_fetch_xor")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_xor_i4r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int32_atomic_fetch_xor")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
      integer(c_int32_t) :: answer
    end function
    function shmem_atomic_fetch_xor_i8r0(dest, value, pe) result(answer) bind(C, name="shmem_int64_atomic_fetch_xor")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
    function shmem_ctx_atomic_fetch_xor_i8r0( &
        ctx, dest, value, pe &
        ) result(answer) bind(C, name="shmem_ctx_int64_atomic_fetch_xor")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
      integer(c_int64_t) :: answer
    end function
  end interface

  interface shmem_atomic_xor
    subroutine shmem_atomic_xor_i4r0(dest, value, pe) bind(C, name="shmem_int32_atomic_xor")
      import
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_xor_i4r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int32_atomic_xor")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_xor_i8r0(dest, value, pe) bind(C, name="shmem_int64_atomic_xor")
      import
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_xor_i8r0(ctx, dest, value, pe) bind(C, name="shmem_ctx_int64_atomic_xor")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_and_nbi
    subroutine shmem_atomic_fetch_and_nbi_i4r0(fetch, dest, value, pe) bind(C, name="shmem_int32_atomic_fetch_and_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_and_nbi_i4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_fetch_and_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_and_nbi_i8r0(fetch, dest, value, pe) bind(C, name="shmem_int64_atomic_fetch_and_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_and_nbi_i8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_fetch_and_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_or_nbi
    subroutine shmem_atomic_fetch_or_nbi_i4r0(fetch, dest, value, pe) bind(C, name="shmem_int32_atomic_fetch_or_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_or_nbi_i4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_fetch_or_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_or_nbi_i8r0(fetch, dest, value, pe) bind(C, name="shmem_int64_atomic_fetch_or_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_or_nbi_i8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_fetch_or_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_atomic_fetch_xor_nbi
    subroutine shmem_atomic_fetch_xor_nbi_i4r0(fetch, dest, value, pe) bind(C, name="shmem_int32_atomic_fetch_xor_nbi")
      import
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_xor_nbi_i4r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int32_atomic_fetch_xor_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int32_t) :: fetch, dest
      integer(c_int32_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_atomic_fetch_xor_nbi_i8r0(fetch, dest, value, pe) bind(C, name="shmem_int64_atomic_fetch_xor_nbi")
      import
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
    subroutine shmem_ctx_atomic_fetch_xor_nbi_i8r0( &
        ctx, fetch, dest, value, pe &
        ) bind(C, name="shmem_ctx_int64_atomic_fetch_xor_nbi")
      import
      integer(shmem_handle), value :: ctx
      integer(c_int64_t) :: fetch, dest
      integer(c_int64_t), value :: value
      integer(c_int), value :: pe
    end subroutine
  end interface

  interface shmem_wait_until
    subroutine shmem_wait_until_i4r0(ivar, cmp, cmp_value) bind(C, name="shmem_int32_wait_until")
      import
      integer(c_int32_t) :: ivar
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end subroutine
    subroutine shmem_wait_until_i8r0(ivar, cmp, cmp_value) bind(C, name="shmem_int64_wait_until")
      import
      integer(c_int64_t) :: ivar
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end subroutine
  end interface

  interface shmem_test
    function shmem_test_i4r0(ivar, cmp, cmp_value) result(answer) bind(C, name="shmem_int32_test")
      import
      integer(c_int32_t) :: ivar
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_int) :: answer
    end function
    function shmem_test_i8r0(ivar, cmp, cmp_value) result(answer) bind(C, name="shmem_int64_test")
      import
      integer(c_int64_t) :: ivar
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_wait_until_all
    subroutine shmem_wait_until_all_i4r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) bind(C, name="shmem_int32_wait_until_all")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
    end subroutine
    subroutine shmem_wait_until_all_i8r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) bind(C, name="shmem_int64_wait_until_all")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
    end subroutine
  end interface

  interface shmem_wait_until_any
    function shmem_wait_until_any_i4r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int32_wait_until_any")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
    function shmem_wait_until_any_i8r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int64_wait_until_any")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_wait_until_some
    function shmem_wait_until_some_i4r1( &
        ivars, nelems, indices, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int32_wait_until_some")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
    function shmem_wait_until_some_i8r1( &
        ivars, nelems, indices, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int64_wait_until_some")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_wait_until_all_vector
    subroutine shmem_wait_until_all_vector_i4r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) bind(C, name="shmem_int32_wait_until_all_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
    end subroutine
    subroutine shmem_wait_until_all_vector_i8r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) bind(C, name="shmem_int64_wait_until_all_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
    end subroutine
  end interface

  interface shmem_wait_until_any_vector
    function shmem_wait_until_any_vector_i4r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int32_wait_until_any_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
    function shmem_wait_until_any_vector_i8r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int64_wait_until_any_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_wait_until_some_vector
    function shmem_wait_until_some_vector_i4r1( &
        ivars, nelems, indices, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int32_wait_until_some_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
    function shmem_wait_until_some_vector_i8r1( &
        ivars, nelems, indices, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int64_wait_until_some_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_test_all
    function shmem_test_all_i4r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int32_test_all")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_int) :: answer
    end function
    function shmem_test_all_i8r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int64_test_all")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_test_any
    function shmem_test_any_i4r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int32_test_any")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
    function shmem_test_any_i8r1( &
        ivars, nelems, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int64_test_any")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_test_some
    function shmem_test_some_i4r1( &
        ivars, nelems, indices, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int32_test_some")
      import
      integer(c_int32_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int32_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
    function shmem_test_some_i8r1( &
        ivars, nelems, indices, status, cmp, cmp_value &
        ) result(answer) bind(C, name="shmem_int64_test_some")
      import
      integer(c_int64_t) :: ivars(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int64_t), value :: cmp_value
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_test_all_vector
    function shmem_test_all_vector_i4r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int32_test_all_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int) :: answer
    end function
    function shmem_test_all_vector_i8r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int64_test_all_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_test_any_vector
    function shmem_test_any_vector_i4r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int32_test_any_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
    function shmem_test_any_vector_i8r1( &
        ivars, nelems, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int64_test_any_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_test_some_vector
    function shmem_test_some_vector_i4r1( &
        ivars, nelems, indices, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int32_test_some_vector")
      import
      integer(c_int32_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
    function shmem_test_some_vector_i8r1( &
        ivars, nelems, indices, status, cmp, cmp_values &
        ) result(answer) bind(C, name="shmem_int64_test_some_vector")
      import
      integer(c_int64_t) :: ivars(*), cmp_values(*)
      integer(c_size_t), value :: nelems
      integer(c_size_t), intent(out) :: indices(*)
      integer(c_int), intent(in), optional :: status(*)
      integer(c_int), value :: cmp
      integer(c_size_t) :: answer
    end function
  end interface

  interface shmem_alltoall
    function shmem_alltoall_i1r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i1r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i1r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i2r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i2r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i2r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_i8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_alltoall")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoall_r8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_alltoall")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_alltoalls
    function shmem_alltoalls_i1r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int8_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i1r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int8_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i1r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int8_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i2r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int16_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i2r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int16_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i2r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int16_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i4r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int32_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i4r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int32_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i4r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int32_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i8r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int64_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i8r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int64_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_i8r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_int64_alltoalls")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r4r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_float_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r4r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_float_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r4r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_float_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r8r0( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_double_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r8r1( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_double_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_alltoalls_r8r2( &
        team, dest, source, dst, sst, nelems &
        ) result(answer) bind(C, name="shmem_double_alltoalls")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_intptr_t), value :: dst, sst
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_broadcast
    function shmem_broadcast_i1r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int8_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i1r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int8_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i1r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int8_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i2r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int16_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i2r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int16_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i2r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int16_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i4r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int32_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i4r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int32_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i4r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int32_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i8r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int64_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i8r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int64_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_i8r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_int64_broadcast")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r4r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_float_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r4r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_float_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r4r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_float_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r8r0( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_double_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r8r1( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_double_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
    function shmem_broadcast_r8r2( &
        team, dest, source, nelems, PE_root &
        ) result(answer) bind(C, name="shmem_double_broadcast")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int), value :: PE_root
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_collect
    function shmem_collect_i1r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i1r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i1r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i2r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i2r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i2r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_i8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_collect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_collect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_collect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_collect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_collect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_collect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_collect_r8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_collect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_fcollect
    function shmem_fcollect_i1r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i1r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i1r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i2r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i2r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i2r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_i8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_fcollect")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_fcollect_r8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_fcollect")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_and_reduce
    function shmem_and_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_and_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_and_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_or_reduce
    function shmem_or_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_or_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_or_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_xor_reduce
    function shmem_xor_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_xor_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_xor_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_max_reduce
    function shmem_max_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_max_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_max_reduce_r8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_max_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_min_reduce
    function shmem_min_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_min_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_min_reduce_r8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_min_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_sum_reduce
    function shmem_sum_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_sum_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_r8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_double_sum_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c4r0( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c4r1( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c4r2( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c8r0( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c8r1( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_sum_reduce_c8r2( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_sum_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_prod_reduce
    function shmem_prod_reduce_i1r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i1r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i1r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int8_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i2r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i2r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i2r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int16_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int32_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i8r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i8r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_i8r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_int64_prod_reduce")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r4r0(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r4r1(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r4r2(team, dest, source, nreduce) result(answer) bind(C, name="shmem_float_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r8r0( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_double_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r8r1( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_double_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_r8r2( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_double_prod_reduce")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c4r0( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c4r1( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c4r2( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexf_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c8r0( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c8r1( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
    function shmem_prod_reduce_c8r2( &
        team, dest, source, nreduce &
        ) result(answer) bind(C, name="shmem_complexd_prod_reduce")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nreduce
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_sum_inscan
    function shmem_sum_inscan_i1r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i1r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i1r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i2r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i2r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i2r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_i8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_inscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_r8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_inscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_inscan_c8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_inscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface

  interface shmem_sum_exscan
    function shmem_sum_exscan_i1r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i1r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i1r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int8_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int8_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i2r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i2r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i2r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int16_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int16_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int32_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int32_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_i8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_int64_sum_exscan")
      import
      integer(shmem_handle), value :: team
      integer(c_int64_t) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_float_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_r8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_double_sum_exscan")
      import
      integer(shmem_handle), value :: team
      real(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c4r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c4r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c4r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexf_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_float) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c8r0(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest, source
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c8r1(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(*), source(*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
    function shmem_sum_exscan_c8r2(team, dest, source, nelems) result(answer) bind(C, name="shmem_complexd_sum_exscan")
      import
      integer(shmem_handle), value :: team
      complex(c_double) :: dest(1,*), source(1,*)
      integer(c_size_t), value :: nelems
      integer(c_int) :: answer
    end function
  end interface
end module shmem
