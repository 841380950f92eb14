//! The table of environment variables: what each is for, in the words of `oshmem_info` and the manual.

/// One environment variable.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Other libraries' names for it, honoured where the name itself is not set, in this order.
    pub aliases: &'static [&'static str],
    /// What holds when it is not set, in words or as a value.
    pub default: &'static str,
    /// What it may be set to.
    pub grammar: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

const ANY: &str = "any value";
const BOOLEAN: &str = "1, yes, on, true, y or 0, no, off, false, n";

/// All of them.
pub static SETTINGS: &[Setting] = &[
    Setting {
        name: "SHMEM_SYMMETRIC_SIZE",
        aliases: &["SMA_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE"],
        default: "as much as the node has",
        grammar: "bytes per PE, a number with an optional suffix k, m, g or t, after which nothing counts (20971520, 512m, 512MB, 1.5g, 1e9), or a share of the node's memory (80%)",
        meaning: "the most that the symmetric heap of a PE may grow to; memory is taken only as it is used",
    },
    Setting {
        name: "SHMEM_VERSION",
        aliases: &["SMA_VERSION", "SHMEM_VERSION_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "PE 0 prints the library's version at start-up",
    },
    Setting {
        name: "SHMEM_INFO",
        aliases: &["SMA_INFO", "SHMEM_ENV_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "PE 0 prints these settings, their values and meaning at start-up",
    },
    Setting {
        name: "SHMEM_DEBUG",
        aliases: &["SMA_DEBUG"],
        default: "off",
        grammar: ANY,
        meaning: "report on standard error what the library does and why (start-up, memory, waiting, errors)",
    },
    Setting {
        name: "FERRITE_LOG",
        aliases: &[],
        default: "off, or debug with SHMEM_DEBUG",
        grammar: "error, warn, info, debug or trace, or part=level such as ferrite_runtime::life=debug, separated by commas",
        meaning: "what is reported on standard error, by part and level; ferrite_runtime::life=debug tells how long each step of the \
                  start took, ferrite_runtime::coll=trace how long each collective took",
    },
    Setting {
        name: "SHMEM_TRANSPORT",
        aliases: &[],
        default: "auto",
        grammar: "auto, shm, tcp, libfabric (or ofi) or ucx; or shm and one of these, as shm,ucx",
        meaning: "what carries communication: auto is shared memory within a host and the best transport between hosts; shm \
                  refuses other hosts; shm,ucx is shared memory within a host and UCX between hosts, as are shm,libfabric and \
                  shm,tcp; tcp, libfabric and ucx alone carry everything, between the PEs of one host too",
    },
    Setting {
        name: "SHMEM_TCP_IFACE",
        aliases: &[],
        default: "loopback if all PEs are on one host, else what reaches the peers, real devices first",
        grammar: "an interface's name (eth0), an address, or a network (10.1.0.0/16)",
        meaning: "where the tcp transport listens",
    },
    Setting {
        name: "SHMEM_TCP_SEAL",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "encrypt and authenticate all that the tcp transport sends after a connection is open, the same for all PEs; auto is \
                  then tcp between hosts, and libfabric and ucx, which seal nothing, are refused",
    },
    Setting {
        name: "FERRITE_HOST_TIMEOUT",
        aliases: &[],
        default: "5",
        grammar: "seconds, as 2.5",
        meaning: "after how long without an answer of its host's kernel a peer counts as lost, over the tcp transport; \
                  the PEs of oshrun --host-timeout are told the same",
    },
    Setting {
        name: "FERRITE_LOST_TIMEOUT",
        aliases: &[],
        default: "60",
        grammar: "seconds, as 2.5",
        meaning: "how long a peer is tried to be reached over tcp; after how long without a sign of life one that is \
                  waited for counts as lost over libfabric and ucx, which cannot tell a host from a process that stands \
                  still (never with FERRITE_PROGRESS=program); the PEs of oshrun --lost-timeout are told the same",
    },
    Setting {
        name: "SHMEM_OFI_PROVIDER",
        aliases: &["SMA_OFI_PROVIDER"],
        default: "the best that this host has",
        grammar: "a provider as fi_info lists it (cxi, verbs, tcp, or exactly tcp;ofi_rxm)",
        meaning: "which provider of libfabric carries communication, where libfabric does",
    },
    Setting {
        name: "SHMEM_OFI_FABRIC",
        aliases: &["SMA_OFI_FABRIC"],
        default: "any",
        grammar: "a network as fi_info names it",
        meaning: "which network libfabric uses",
    },
    Setting {
        name: "SHMEM_OFI_DOMAIN",
        aliases: &["SMA_OFI_DOMAIN"],
        default: "any",
        grammar: "a NIC as fi_info names it",
        meaning: "which NIC libfabric uses",
    },
    Setting {
        name: "FERRITE_PROGRESS",
        aliases: &[],
        default: "auto",
        grammar: "auto, thread or program",
        meaning: "who serves the peers of a PE over libfabric and ucx: auto is the program while it is inside the library, and \
                  otherwise a thread, unless a NIC does it all; program is the program alone, which makes small operations \
                  faster, but peers wait for a PE that computes, or waits by other means than the library's, maybe for ever \
                  (ferrite(7) tells when), and none counts as lost because it is silent; thread is a thread beside a NIC too; the tcp transport always has its thread",
    },
    Setting {
        name: "FERRITE_WAIT",
        aliases: &[],
        default: "auto",
        grammar: "auto, spin, yield or turns",
        meaning: "how a waiting PE passes its time: auto spins where every PE of the node has a core; otherwise, and with yield, it gives its core away, and sleeps beside others that compute; \
                  auto counts PEs, not their threads: where several threads of a PE wait on few cores, yield is right; \
                  turns is auto, and has PEs that share a core take turns there for programs that poll memory in loops of their own (ferrite(7))",
    },
    Setting {
        name: "SHMEM_BARRIER_ALGORITHM",
        aliases: &["SHMEM_BARRIER_ALGO"],
        default: "auto",
        grammar: "auto, dissem (dissemination), central, tree, linear",
        meaning: "the algorithm of the barriers; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_BCAST_ALGORITHM",
        aliases: &["SHMEM_BROADCAST_ALGO"],
        default: "auto",
        grammar: "auto, knomial, tree, pull, scatter-allgather, binomial, linear",
        meaning: "the algorithm of broadcasts; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_REDUCE_ALGORITHM",
        aliases: &["SHMEM_REDUCE_ALGO"],
        default: "auto",
        grammar: "auto, recdbl (doubling), board, direct, whole, rabenseifner, relay, ring, tree, linear",
        meaning: "the algorithm of reductions; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_SCAN_ALGORITHM",
        aliases: &[],
        default: "auto",
        grammar: "auto, recdbl (doubling), chain, linear, ring",
        meaning: "the algorithm of scans; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_COLLECT_ALGORITHM",
        aliases: &["SHMEM_COLLECT_ALGO"],
        default: "auto",
        grammar: "auto, linear, bruck, tree",
        meaning: "the algorithm of collect; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_FCOLLECT_ALGORITHM",
        aliases: &["SHMEM_FCOLLECT_ALGO"],
        default: "auto",
        grammar: "auto, board, linear, ring, bruck, recdbl (doubling)",
        meaning: "the algorithm of fcollect; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_ALLTOALL_ALGORITHM",
        aliases: &["SHMEM_ALLTOALL_ALGO"],
        default: "auto",
        grammar: "auto, cells, bruck, pairwise, linear",
        meaning: "the algorithm of all-to-alls; a wish that cannot be met gives way to auto",
    },
    Setting {
        name: "SHMEM_COLL_RADIX",
        aliases: &[],
        default: "4",
        grammar: "2 to 8",
        meaning: "children of a node in the trees of collectives; where PEs outnumber cores, 4 means 8",
    },
    Setting {
        name: "SHMEM_COLL_CROSSOVER",
        aliases: &[],
        default: "4",
        grammar: "a number of PEs",
        meaning: "up to how many members collectives prefer linear forms",
    },
    Setting {
        name: "SHMEM_COLL_SIZE_CROSSOVER",
        aliases: &[],
        default: "16k",
        grammar: "a number of bytes, as for SHMEM_SYMMETRIC_SIZE",
        meaning: "from which size bandwidth counts for more than rounds in collectives",
    },
    Setting {
        name: "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES",
        aliases: &[],
        default: "on where the kernel offers them",
        grammar: BOOLEAN,
        meaning: "ask for huge pages for the symmetric heap; on says so if none can be had",
    },
    Setting {
        name: "SHMEM_TEAM_SHARED_ONLY_SELF",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "SHMEM_TEAM_SHARED holds this PE alone",
    },
    Setting {
        name: "SHMEM_BARRIERS_FLUSH",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "flush standard output and error in every shmem_barrier_all",
    },
    Setting {
        name: "SHMEM_MEMINFO_DISPLAY",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "each PE prints at finalize how much of the symmetric heap it used",
    },
    Setting {
        name: "FERRITE_COUNTERS",
        aliases: &[],
        default: "from the first call of a shmemx_pcntr_ routine",
        grammar: BOOLEAN,
        meaning: "count operations from shmem_init on, so that every PE counts and none is missed; it makes every put, get and atomic slower",
    },
    Setting {
        name: "SHMEM_CHECK",
        aliases: &[],
        default: "off; on in programs that oshcc --check has made",
        grammar: "1, yes, on, true, y or 0, no, off, false, n; or words separated by commas: error or warn, json, order or order:SEED",
        meaning: "look for mistakes of the program, as oshrun --check does: arguments, collectives that do not match, the heap, handles, \
                  locks, and races in programs of oshcc --check; the job ends with exit code 86 if there are any, with warn \
                  with its own; json tells them as lines of JSON; order has puts come late and in any order; ferrite_check(7) tells more",
    },
    Setting {
        name: "SHMEM_CHECK_SUPPRESSIONS",
        aliases: &[],
        default: "none",
        grammar: "the name of a file",
        meaning: "which findings of SHMEM_CHECK are not told: each line has a word of the finding's kind, or *, and a part of its text",
    },
    Setting {
        name: "SHMEM_PROFILE",
        aliases: &[],
        default: "off",
        grammar: "the name of a file",
        meaning: "gather what each PE does, and at finalize have PE 0 write it as one page for a browser (oshrun --profile)",
    },
    Setting {
        name: "SHMEM_TRACE",
        aliases: &[],
        default: "off",
        grammar: "the name of a file, or of a directory that ends in .otf2",
        meaning: "keep all calls of each PE, and at finalize have PE 0 write them as a trace in the JSON of Chrome and Perfetto, or in \
                  OTF2 (oshrun --trace)",
    },
    Setting {
        name: "SHMEM_BACKTRACE",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "print where the program was when the library ends the job because of an error",
    },
    Setting {
        name: "SHMEM_CRASH_REPORT",
        aliases: &[],
        default: "on",
        grammar: BOOLEAN,
        meaning: "say of a PE that dies by SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT where it was and what it touched; a handler of \
                  the program's own comes before",
    },
    Setting {
        name: "SHMEM_RECORD",
        aliases: &[],
        default: "some",
        grammar: "some or all",
        meaning: "which calls of each PE are recorded, of which the last 64 are told when something is wrong, and by oshmem_info --last-run: \
                  some are collectives, waits, locks and what goes over a transport; all are also those that are loads and stores of mapped \
                  memory, which then take longer",
    },
    Setting {
        name: "SHMEM_STALL_TIMEOUT",
        aliases: &[],
        default: "30",
        grammar: "seconds, as 2.5, or 0",
        meaning: "after how long each host says where its PEs are if all of them wait and none has moved: in the library, or asleep \
                  elsewhere; a PE that computes is no stall; 0 is never",
    },
    Setting {
        name: "SHMEM_ON_STALL",
        aliases: &[],
        default: "report",
        grammar: "report or abort",
        meaning: "what becomes of a job that cannot go on, because its PEs wait for each other or have called different \
                  collectives, or seems not to (SHMEM_STALL_TIMEOUT): report says which PE waits where, and leaves the job as it is, for a debugger; abort says so and ends it",
    },
];
