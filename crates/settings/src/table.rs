//! The table of environment variables, with the texts of `oshmem_info` and the manual.

/// A row: one environment variable.
#[derive(Debug)]
pub struct Setting {
    /// The variable, as the environment has it.
    pub name: &'static str,
    /// Names in other libraries. If the name itself is not set, the first of these that is set counts.
    pub aliases: &'static [&'static str],
    /// The default, in words or as a value.
    pub default: &'static str,
    /// The values that it accepts, in words.
    pub grammar: &'static str,
    /// The effect, for users.
    pub meaning: &'static str,
}

const ANY: &str = "any value";
const BOOLEAN: &str = "1, yes, on, true, y or 0, no, off, false, n";

/// All environment variables of the runtime.
pub static SETTINGS: &[Setting] = &[
    Setting {
        name: "SHMEM_SYMMETRIC_SIZE",
        aliases: &[
            "SMA_SYMMETRIC_SIZE",
            "SHMEM_SYMMETRIC_HEAP_SIZE",
            "XT_SYMMETRIC_HEAP_SIZE",
            "OMPI_MCA_shmem_symmetric_heap_size",
        ],
        default: "the memory of the host",
        grammar: "bytes per PE, as a number with an optional suffix k, m, g or t (20971520, 512m, 1.5g, 1e9; more letters are ignored: 512MB), \
                  or a share of the host's memory, which its PEs divide (80%: with 4 PEs, 20% for each)",
        meaning: "maximum size of each PE's symmetric heap; the heap uses memory only when the program touches it",
    },
    Setting {
        name: "SHMEM_DEVICE_SYMMETRIC_SIZE",
        aliases: &[],
        default: "1g",
        grammar: "bytes per PE, a number with an optional suffix k, m, g or t (268435456, 512m, 1.5g)",
        meaning: "size of the symmetric heap in device memory, which exists if the program requests it (ferrite_gpu(7)); the same for all \
                  PEs, and allocated at init",
    },
    Setting {
        name: "SHMEM_GPU_SUPPORT_ENABLED",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "make a symmetric heap in device memory at init also if the program does not request it, for programs that use HPE's \
                  shmemx_space_create",
    },
    Setting {
        name: "SHMEM_VERSION",
        aliases: &["SMA_VERSION", "SHMEM_VERSION_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "print the library's version at start-up, on PE 0",
    },
    Setting {
        name: "SHMEM_INFO",
        aliases: &["SMA_INFO", "SHMEM_ENV_DISPLAY"],
        default: "off",
        grammar: ANY,
        meaning: "print these settings, their values and meanings at start-up, on PE 0",
    },
    Setting {
        name: "SHMEM_DEBUG",
        aliases: &["SMA_DEBUG"],
        default: "off",
        grammar: ANY,
        meaning: "log the library's decisions and their reasons on standard error (start-up, memory, waiting, errors)",
    },
    Setting {
        name: "FERRITE_LOG",
        aliases: &[],
        default: "off, or debug with SHMEM_DEBUG",
        grammar: "error, warn, info, debug or trace; or part=level, such as ferrite_runtime::life=debug; several of these separated by commas",
        meaning: "log messages of this level on standard error, from the whole library or from a part of it: \
                  ferrite_runtime::life=debug logs the duration of each step of the start, ferrite_runtime::coll=trace \
                  that of each collective",
    },
    Setting {
        name: "SHMEM_TRANSPORT",
        aliases: &[],
        default: "auto",
        grammar: "auto, hardware, shm, tcp, libfabric (or ofi) or ucx; or shm and one of these, such as shm,ucx",
        meaning: "transport between PEs: auto is shared memory within a host and the best transport between hosts; \
                  hardware is like auto, but without a usable RDMA NIC the job ends instead of using TCP; shm is only for \
                  jobs on one host; shm,ucx is shared memory within a host and UCX between hosts (shm,libfabric and \
                  shm,tcp likewise); tcp, libfabric or ucx alone is used within hosts too",
    },
    Setting {
        name: "FERRITE_REPORT_TRANSPORT",
        aliases: &[],
        default: "off; on under oshrun --report-bindings",
        grammar: BOOLEAN,
        meaning: "each PE reports on standard error how it reaches other hosts: the library and its provider, NICs with \
                  their NUMA nodes, the executor of atomics, endpoints and pages; SHMEM_INFO prints the line of PE 0, \
                  and so does the report of a running job after SIGUSR1",
    },
    Setting {
        name: "SHMEM_TCP_IFACE",
        aliases: &[],
        default: "loopback if all PEs are on one host, else the interfaces that reach the peers, real devices first",
        grammar: "an interface's name (eth0), an address, or a network (10.1.0.0/16)",
        meaning: "network interface on which the tcp transport listens",
    },
    Setting {
        name: "SHMEM_TCP_PORTS",
        aliases: &[],
        default: "any",
        grammar: "the first and the last port, such as 5000-5255",
        meaning: "ports on which the tcp transport listens, for hosts whose firewall blocks all others; each PE of a host needs one",
    },
    Setting {
        name: "SHMEM_TCP_SEAL",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "encrypt and authenticate the connections of the tcp transport; must be the same on all PEs; auto \
                  then chooses tcp between hosts; libfabric and ucx are refused, because they cannot encrypt",
    },
    Setting {
        name: "FERRITE_HOST_TIMEOUT",
        aliases: &[],
        default: "5",
        grammar: "seconds, such as 2.5",
        meaning: "over tcp, a peer is lost if the kernel of its host does not answer for this time; oshrun \
                  --host-timeout sets it",
    },
    Setting {
        name: "FERRITE_LOST_TIMEOUT",
        aliases: &[],
        default: "60",
        grammar: "seconds, such as 2.5",
        meaning: "over tcp, time limit for connecting to a peer; over libfabric and ucx, a peer that owes an answer \
                  is lost if it shows no sign of life for this time, even if its process is only stopped (never with \
                  FERRITE_PROGRESS=program); oshrun --lost-timeout sets it",
    },
    Setting {
        name: "FERRITE_START_TIMEOUT",
        aliases: &[],
        default: "60 under oshrun, 300 without a launcher",
        grammar: "seconds, such as 2.5",
        meaning: "time limit for a start: under oshrun, for the agent of each host (at least FERRITE_HOST_TIMEOUT; oshrun \
                  --start-timeout sets it); without a launcher, for connecting to the root, and for all PEs to arrive after \
                  the first; see ferrite_start(7)",
    },
    Setting {
        name: "SHMEM_OFI_PROVIDER",
        aliases: &["SMA_OFI_PROVIDER"],
        default: "the best one on this host",
        grammar: "a provider as fi_info lists it: its name (cxi, verbs, tcp), or its name with layers (tcp;ofi_rxm)",
        meaning: "libfabric provider to use",
    },
    Setting {
        name: "SHMEM_OFI_FABRIC",
        aliases: &["SMA_OFI_FABRIC"],
        default: "any",
        grammar: "a network as fi_info names it",
        meaning: "libfabric fabric (network) to use",
    },
    Setting {
        name: "SHMEM_OFI_DOMAIN",
        aliases: &["SMA_OFI_DOMAIN"],
        default: "any",
        grammar: "a NIC as fi_info names it",
        meaning: "libfabric domain (NIC) to use",
    },
    Setting {
        name: "SHMEM_NICS",
        aliases: &[],
        default: "those nearest to each PE, divided among the PEs of a host",
        grammar: "names of NICs separated by commas, such as mlx5_0,mlx5_1, or ^ and such names",
        meaning: "NICs to use over libfabric and UCX, or, after ^, not to use; a PE with several cuts long puts and gets over them. \
                  SHMEM_OFI_DOMAIN and UCX_NET_DEVICES overrule it",
    },
    Setting {
        name: "SHMEM_ATOMICS",
        aliases: &[],
        default: "auto",
        grammar: "auto, nic or processor",
        meaning: "executor of atomics, which must be the same for all PEs: auto is the NIC if it has all atomics (Slingshot) \
                  and the job has several hosts, else processors; nic is the NIC, and ends the job if the NIC lacks \
                  some; with processor, atomics within a host take nanoseconds instead of microseconds, and atomics \
                  between hosts are slower",
    },
    Setting {
        name: "SHMEM_OFI_PUT_PIPELINE_DEPTH",
        aliases: &[],
        default: "512 over Slingshot, else what the provider offers, at most 1024",
        grammar: "a number of operations",
        meaning: "maximum number of puts, gets and messages that a context may have under way over libfabric",
    },
    Setting {
        name: "SHMEM_OFI_AMO_PIPELINE_DEPTH",
        aliases: &[],
        default: "416 divided by the PEs of the host, at least 4",
        grammar: "a number of operations",
        meaning: "maximum number of atomics that a context may have under way at a NIC; many at once slow down all traffic to their target",
    },
    Setting {
        name: "FERRITE_PROGRESS",
        aliases: &[],
        default: "auto",
        grammar: "auto, thread or program",
        meaning: "progress over libfabric and ucx: with auto, the program makes progress inside the library and a \
                  thread does at other times, unless a NIC does everything; with program, only the program does: \
                  small operations are faster, but peers may wait without limit for a PE that computes or waits \
                  outside the library (see ferrite(7)), and silent PEs are never considered lost; with thread, there \
                  is a thread even with such a NIC; the tcp transport always has one",
    },
    Setting {
        name: "FERRITE_WAIT",
        aliases: &[],
        default: "auto",
        grammar: "auto, spin, yield or turns",
        meaning: "how PEs wait: auto spins if each PE of the host has its own core; otherwise, and with yield, a \
                  waiting PE yields its core, and sleeps if other threads compute there; auto counts PEs, not threads, so \
                  use yield if several threads of a PE wait on few cores; turns is like auto, but PEs that share a \
                  core take turns on it, for programs that poll memory in their own loops (see ferrite(7))",
    },
    Setting {
        name: "SHMEM_BARRIER_ALGORITHM",
        aliases: &["SHMEM_BARRIER_ALGO"],
        default: "auto",
        grammar: "auto, dissem (dissemination), central, tree, linear",
        meaning: "algorithm of barriers; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_BCAST_ALGORITHM",
        aliases: &["SHMEM_BROADCAST_ALGO"],
        default: "auto",
        grammar: "auto, knomial, tree, pull, scatter-allgather, binomial, linear",
        meaning: "algorithm of broadcasts; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_REDUCE_ALGORITHM",
        aliases: &["SHMEM_REDUCE_ALGO"],
        default: "auto",
        grammar: "auto, recdbl (doubling), board, direct, whole, rabenseifner, relay, ring, tree, linear",
        meaning: "algorithm of reductions; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_SCAN_ALGORITHM",
        aliases: &[],
        default: "auto",
        grammar: "auto, recdbl (doubling), chain, linear, ring",
        meaning: "algorithm of scans; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_COLLECT_ALGORITHM",
        aliases: &["SHMEM_COLLECT_ALGO"],
        default: "auto",
        grammar: "auto, linear, bruck, tree",
        meaning: "algorithm of collect; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_FCOLLECT_ALGORITHM",
        aliases: &["SHMEM_FCOLLECT_ALGO"],
        default: "auto",
        grammar: "auto, board, linear, ring, bruck, recdbl (doubling)",
        meaning: "algorithm of fcollect; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_ALLTOALL_ALGORITHM",
        aliases: &["SHMEM_ALLTOALL_ALGO"],
        default: "auto",
        grammar: "auto, cells, bruck, pairwise, linear",
        meaning: "algorithm of all-to-alls; auto is used where the chosen one is impossible",
    },
    Setting {
        name: "SHMEM_COLL_RADIX",
        aliases: &[],
        default: "4",
        grammar: "2 to 8; more counts as 8",
        meaning: "number of children of a node in the trees of collectives; if PEs outnumber cores, 4 is taken as 8",
    },
    Setting {
        name: "SHMEM_COLL_CROSSOVER",
        aliases: &[],
        default: "4",
        grammar: "a number of PEs",
        meaning: "largest team for which collectives prefer linear algorithms",
    },
    Setting {
        name: "SHMEM_COLL_SIZE_CROSSOVER",
        aliases: &[],
        default: "16k",
        grammar: "a number of bytes, as for SHMEM_SYMMETRIC_SIZE",
        meaning: "for data of at least this size, collectives minimise the bytes sent instead of the number of rounds",
    },
    Setting {
        name: "SHMEM_HUGEPAGES",
        aliases: &[],
        default: "auto",
        grammar: "auto, 2m, 1g or off",
        meaning: "pages of the symmetric heap: of 2 MiB or 1 GiB from the kernel's pool (nr_hugepages, nr_overcommit_hugepages), reserved as \
                  the heap grows, until the pool is used up; the first page's worth of each heap, and heaps where there is no pool, are on \
                  pages of shared memory, huge ones if the kernel offers them (shmem_enabled). auto is 2m without a warning if there are \
                  none. The value of each host's first PE holds",
    },
    Setting {
        name: "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES",
        aliases: &[],
        default: "not used",
        grammar: BOOLEAN,
        meaning: "if SHMEM_HUGEPAGES is not set: on means 2m, off means off",
    },
    Setting {
        name: "SHMEM_TEAM_SHARED_ONLY_SELF",
        aliases: &[],
        default: "off",
        grammar: BOOLEAN,
        meaning: "make SHMEM_TEAM_SHARED a team of the calling PE only",
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
        meaning: "print at finalize how many bytes of the symmetric heap each PE used",
    },
    Setting {
        name: "FERRITE_COUNTERS",
        aliases: &[],
        default: "off until the first call of a shmemx_pcntr_ routine",
        grammar: BOOLEAN,
        meaning: "count operations from shmem_init on, on every PE; this slows down every put, get and atomic",
    },
    Setting {
        name: "SHMEM_CHECK",
        aliases: &[],
        default: "off; on in programs compiled with oshcc --check",
        grammar: "1, yes, on, true, y or 0, no, off, false, n; or words separated by commas: error or warn, json, order or order:SEED",
        meaning: "check the program for mistakes, as oshrun --check does: arguments, mismatched collectives, the \
                  heap, handles, locks, and races in programs compiled with oshcc --check; after a mistake the \
                  job ends with exit code 86, or, with warn, with the program's own; json prints findings as lines of \
                  JSON; order delays and reorders operations; see ferrite_check(7)",
    },
    Setting {
        name: "SHMEM_CHECK_SUPPRESSIONS",
        aliases: &[],
        default: "none",
        grammar: "the name of a file",
        meaning: "file of findings that SHMEM_CHECK suppresses: each line has a kind of finding, or *, and a part of its text",
    },
    Setting {
        name: "SHMEM_PROFILE",
        aliases: &[],
        default: "off",
        grammar: "the name of a file",
        meaning: "write a profile of all PEs at finalize, as a page for browsers (oshrun --profile)",
    },
    Setting {
        name: "SHMEM_TRACE",
        aliases: &[],
        default: "off",
        grammar: "the name of a file, or of a directory that ends in .otf2",
        meaning: "write a trace of all calls at finalize, in JSON for Chrome and Perfetto, or in OTF2 (oshrun --trace)",
    },
    Setting {
        name: "SHMEM_BACKTRACE",
        aliases: &[],
        default: "off",
        grammar: "1, yes, on, true, y or 0, no, off, false, n; auto, execinfo or gdb, as in Sandia OpenSHMEM, mean 1",
        meaning: "print a backtrace when the library ends the job because of an error",
    },
    Setting {
        name: "SHMEM_CRASH_REPORT",
        aliases: &[],
        default: "on",
        grammar: BOOLEAN,
        meaning: "report where a PE was, and which address it accessed, when it dies by SIGSEGV, SIGBUS, SIGFPE, \
                  SIGILL or SIGABRT; the program's own handlers run first",
    },
    Setting {
        name: "SHMEM_RECORD",
        aliases: &[],
        default: "some",
        grammar: "some or all",
        meaning: "calls that each PE records (reports and oshmem_info --last-run show the last 64): some records \
                  collectives, waits, locks and operations over a transport; all also records operations on mapped \
                  memory, and slows them down",
    },
    Setting {
        name: "SHMEM_STALL_TIMEOUT",
        aliases: &[],
        default: "30",
        grammar: "seconds, such as 2.5, or 0",
        meaning: "time without progress after which a host reports where its PEs are, if all of them wait, in the library \
                  or asleep elsewhere; if the variable is set, also if one PE has waited for this time while others \
                  compute or wake up now and then; 0 turns these reports off",
    },
    Setting {
        name: "SHMEM_ON_LOSS",
        aliases: &[],
        default: "end",
        grammar: "end or return",
        meaning: "what the loss of a PE does to the others: end ends the job; return makes calls return, and the process may go on with \
                  another job; in starts by environment, and under oshrun, as --on-loss; Rust programs call ferrite::with_world; see \
                  ferrite_start(7)",
    },
    Setting {
        name: "SHMEM_ON_STALL",
        aliases: &[],
        default: "report",
        grammar: "report or abort",
        meaning: "action when the job is in a deadlock, or makes no progress (SHMEM_STALL_TIMEOUT): report prints where each \
                  PE waits and leaves the job running for a debugger; abort prints it and ends the job",
    },
];
