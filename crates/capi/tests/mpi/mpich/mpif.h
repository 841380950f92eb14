! What `hybrid.f90` needs of MPICH's binary interface (libmpichfort.so.12): see mpi.h here.
      integer, parameter :: MPI_COMM_WORLD = int(z'44000000'), MPI_INTEGER = int(z'4c00041b'), MPI_SUM = int(z'58000003')
      integer, parameter :: MPI_THREAD_FUNNELED = 1
