/* What `hybrid.c` and `threads.c` need of MPICH's binary interface (libmpich.so.12), so that its library is enough to build it: headers of MPICH are
 * rarely installed beside those of Open MPI. */
typedef int MPI_Comm, MPI_Datatype, MPI_Op;

#define MPI_SUCCESS 0
#define MPI_COMM_WORLD 0x44000000
#define MPI_INT 0x4c000405
#define MPI_SUM 0x58000003
#define MPI_STATUS_IGNORE ((void *)1)
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3

int MPI_Init(int *, char ***);
int MPI_Init_thread(int *, char ***, int, int *);
int MPI_Query_thread(int *);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm, int *);
int MPI_Comm_size(MPI_Comm, int *);
int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
int MPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, void *);
int MPI_Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, void *);
int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
