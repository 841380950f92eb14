! pes: 1 2 4
! stdout: Result
C     Fixed form, implicit types, and the declarations of old.
      PROGRAM FIXED
      INCLUDE 'mpp/shmem.fh'
      INTEGER PSYNC(SHMEM_REDUCE_SYNC_SIZE)
      DATA PSYNC /SHMEM_REDUCE_SYNC_SIZE*SHMEM_SYNC_VALUE/
      PARAMETER (NR=1)
      REAL*8 FOO, FOOMAX
      REAL*8 PWRK(MAX(NR/2+1,SHMEM_REDUCE_MIN_WRKDATA_SIZE))
      COMMON /COM/ FOO, FOOMAX, PWRK, PSYNC
      CALL START_PES(0)
      FOO = MY_PE()
      CALL SHMEM_BARRIER_ALL
      IF (MOD(MY_PE(),2) .EQ. 0) THEN
        CALL SHMEM_REAL8_MAX_TO_ALL(FOOMAX, FOO, NR, 0, 1,
     &  (NUM_PES() + 1)/2, PWRK, PSYNC)
        IF (FOOMAX .NE. 2*((NUM_PES() + 1)/2) - 2)
     &  CALL SHMEM_GLOBAL_EXIT(1)
        PRINT *, 'Result on PE ', MY_PE(), ' is ', FOOMAX
      ENDIF
      END
