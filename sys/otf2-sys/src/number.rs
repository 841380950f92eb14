//! OTF2's numbers, by their names in its headers.

macro_rules! numbers {
    ($( $(#[$doc:meta])* $name:ident: $type:ty = $number:literal; )*) => {
        $( $(#[$doc])* pub const $name: $type = $number; )*
        /// All numbers, by their names in the header without `OTF2_`.
        pub const ALL: &[(&str, u64)] = &[$( (stringify!($name), $name as u64), )*];
    };
}

numbers! {
    /// The archive is opened for writing.
    FILEMODE_WRITE: u8 = 0;
    /// Plain files.
    SUBSTRATE_POSIX: u8 = 1;
    /// No compression.
    COMPRESSION_NONE: u8 = 1;
    /// A full buffer is written to its file.
    FLUSH: u8 = 1;
    /// An undefined reference.
    UNDEFINED_UINT32: u32 = 0xffff_ffff;
    /// A time that is not known.
    UNDEFINED_TIMESTAMP: u64 = 0xffff_ffff_ffff_ffff;
    /// The paradigm of the routines.
    PARADIGM_SHMEM: u8 = 13;
    /// A thread.
    LOCATION_TYPE_CPU_THREAD: u8 = 1;
    /// Threads that are a process.
    LOCATION_GROUP_TYPE_PROCESS: u8 = 1;
    /// The locations that communicate: the main thread of each process.
    GROUP_TYPE_COMM_LOCATIONS: u8 = 4;
    /// Some of the locations that communicate, by their indices in that group.
    GROUP_TYPE_COMM_GROUP: u8 = 5;
    /// Any other routine.
    REGION_ROLE_FUNCTION: u8 = 1;
    /// One atomic.
    REGION_ROLE_ATOMIC: u8 = 14;
    /// A barrier.
    REGION_ROLE_BARRIER: u8 = 15;
    /// A routine that orders memory.
    REGION_ROLE_FLUSH: u8 = 17;
    /// Another collective.
    REGION_ROLE_COLL_OTHER: u8 = 26;
    /// A put or a get.
    REGION_ROLE_RMA: u8 = 29;
    /// A routine that allocates memory.
    REGION_ROLE_ALLOCATE: u8 = 35;
    /// A routine that frees memory.
    REGION_ROLE_DEALLOCATE: u8 = 36;
    /// Any other atomic.
    RMA_ATOMIC_TYPE_ACCUMULATE: u8 = 0;
    /// Adds one.
    RMA_ATOMIC_TYPE_INCREMENT: u8 = 1;
    /// Sets the value if it is the expected one.
    RMA_ATOMIC_TYPE_COMPARE_AND_SWAP: u8 = 3;
    /// Sets, and returns the previous value.
    RMA_ATOMIC_TYPE_SWAP: u8 = 4;
    /// Adds, and returns the previous value.
    RMA_ATOMIC_TYPE_FETCH_AND_ADD: u8 = 5;
    /// Adds one, and returns the previous value.
    RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT: u8 = 6;
    /// Any other atomic that returns the previous value.
    RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE: u8 = 7;
    /// All wait for all.
    COLLECTIVE_OP_BARRIER: u8 = 0;
    /// From one to all.
    COLLECTIVE_OP_BCAST: u8 = 1;
    /// From all to all, the same amount from each.
    COLLECTIVE_OP_ALLGATHER: u8 = 6;
    /// From all to all, a different amount from each.
    COLLECTIVE_OP_ALLGATHERV: u8 = 7;
    /// From each to each, different data for each.
    COLLECTIVE_OP_ALLTOALL: u8 = 8;
    /// From each to each, a different amount for each.
    COLLECTIVE_OP_ALLTOALLV: u8 = 9;
    /// A sum of all, at all.
    COLLECTIVE_OP_ALLREDUCE: u8 = 11;
    /// An inclusive scan: of all up to each.
    COLLECTIVE_OP_SCAN: u8 = 14;
    /// An exclusive scan: of all before each.
    COLLECTIVE_OP_EXSCAN: u8 = 15;
    /// A team is made.
    COLLECTIVE_OP_CREATE_HANDLE: u8 = 17;
    /// A team is destroyed.
    COLLECTIVE_OP_DESTROY_HANDLE: u8 = 18;
    /// Memory is allocated by all.
    COLLECTIVE_OP_ALLOCATE: u8 = 19;
    /// Memory is freed by all.
    COLLECTIVE_OP_DEALLOCATE: u8 = 20;
    /// Nothing is synchronized.
    RMA_SYNC_LEVEL_NONE: u32 = 0;
    /// Processes are synchronized.
    RMA_SYNC_LEVEL_PROCESS: u32 = 1;
    /// The memory of processes is synchronized.
    RMA_SYNC_LEVEL_MEMORY: u32 = 2;
    /// No flag of a communicator is set.
    COMM_FLAG_NONE: u32 = 0;
    /// Flag of a window: events record when it is made.
    RMA_WIN_FLAG_CREATE_DESTROY_EVENTS: u32 = 1;
}
