//! OTF2's numbers, by their names in its headers.

macro_rules! numbers {
    ($( $(#[$doc:meta])* $name:ident: $type:ty = $number:literal; )*) => {
        $( $(#[$doc])* pub const $name: $type = $number; )*
        /// All of them, by their names in the header without `OTF2_`.
        pub const ALL: &[(&str, u64)] = &[$( (stringify!($name), $name as u64), )*];
    };
}

numbers! {
    /// A file that is written.
    FILEMODE_WRITE: u8 = 0;
    /// Plain files.
    SUBSTRATE_POSIX: u8 = 1;
    /// As they are.
    COMPRESSION_NONE: u8 = 1;
    /// A full buffer goes to its file.
    FLUSH: u8 = 1;
    /// Nothing is referred to.
    UNDEFINED_UINT32: u32 = 0xffff_ffff;
    /// A time that is not known.
    UNDEFINED_TIMESTAMP: u64 = 0xffff_ffff_ffff_ffff;
    /// What routines belong to.
    PARADIGM_SHMEM: u8 = 13;
    /// A thread.
    LOCATION_TYPE_CPU_THREAD: u8 = 1;
    /// Threads that are a process.
    LOCATION_GROUP_TYPE_PROCESS: u8 = 1;
    /// The locations that communicate: the main thread of each process.
    GROUP_TYPE_COMM_LOCATIONS: u8 = 4;
    /// Some of those, by their places in that group.
    GROUP_TYPE_COMM_GROUP: u8 = 5;
    /// A routine that is none of the others.
    REGION_ROLE_FUNCTION: u8 = 1;
    /// One atomic.
    REGION_ROLE_ATOMIC: u8 = 14;
    /// A barrier.
    REGION_ROLE_BARRIER: u8 = 15;
    /// What orders memory.
    REGION_ROLE_FLUSH: u8 = 17;
    /// Another collective.
    REGION_ROLE_COLL_OTHER: u8 = 26;
    /// A put or a get.
    REGION_ROLE_RMA: u8 = 29;
    /// What allocates.
    REGION_ROLE_ALLOCATE: u8 = 35;
    /// And what frees.
    REGION_ROLE_DEALLOCATE: u8 = 36;
    /// An atomic that is none of the others.
    RMA_ATOMIC_TYPE_ACCUMULATE: u8 = 0;
    /// Adds one.
    RMA_ATOMIC_TYPE_INCREMENT: u8 = 1;
    /// Sets where it finds what is expected.
    RMA_ATOMIC_TYPE_COMPARE_AND_SWAP: u8 = 3;
    /// Sets and gives what was there.
    RMA_ATOMIC_TYPE_SWAP: u8 = 4;
    /// Adds and gives what was there.
    RMA_ATOMIC_TYPE_FETCH_AND_ADD: u8 = 5;
    /// Adds one and gives what was there.
    RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT: u8 = 6;
    /// Another that gives what was there.
    RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE: u8 = 7;
    /// All wait for all.
    COLLECTIVE_OP_BARRIER: u8 = 0;
    /// From one to all.
    COLLECTIVE_OP_BCAST: u8 = 1;
    /// From all to all, as much from each.
    COLLECTIVE_OP_ALLGATHER: u8 = 6;
    /// The same, not as much from each.
    COLLECTIVE_OP_ALLGATHERV: u8 = 7;
    /// From each to each something else.
    COLLECTIVE_OP_ALLTOALL: u8 = 8;
    /// The same, not as much from each.
    COLLECTIVE_OP_ALLTOALLV: u8 = 9;
    /// A sum of all, at all.
    COLLECTIVE_OP_ALLREDUCE: u8 = 11;
    /// Of all up to each.
    COLLECTIVE_OP_SCAN: u8 = 14;
    /// Of all before each.
    COLLECTIVE_OP_EXSCAN: u8 = 15;
    /// A team is made.
    COLLECTIVE_OP_CREATE_HANDLE: u8 = 17;
    /// And destroyed.
    COLLECTIVE_OP_DESTROY_HANDLE: u8 = 18;
    /// Memory is allocated by all.
    COLLECTIVE_OP_ALLOCATE: u8 = 19;
    /// And freed.
    COLLECTIVE_OP_DEALLOCATE: u8 = 20;
    /// Nothing is synchronized.
    RMA_SYNC_LEVEL_NONE: u32 = 0;
    /// Processes are.
    RMA_SYNC_LEVEL_PROCESS: u32 = 1;
    /// Their memory is.
    RMA_SYNC_LEVEL_MEMORY: u32 = 2;
    /// Of a communicator: events say when it is made.
    COMM_FLAG_NONE: u32 = 0;
    /// Of a window: events say when it is made.
    RMA_WIN_FLAG_CREATE_DESTROY_EVENTS: u32 = 1;
}
