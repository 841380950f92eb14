//! The data that one PE gathers. Times are nanoseconds of its host's monotonic clock.

/// Purpose of a routine. Time is summed separately for each class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Puts, with or without a signal, and items for aggregators.
    Put,
    /// Reads of other PEs' memory.
    Get,
    /// Atomics, and signals without data.
    Atomic,
    /// Fences and quiets.
    Order,
    /// Waits for a change of this PE's memory, and tests for it.
    Wait,
    /// Collectives, barriers among them.
    Collective,
    /// Waits for locks, and their release.
    Lock,
    /// Allocation and release of symmetric memory.
    Heap,
    /// Teams and contexts.
    Setup,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Class; 9] = [
        Class::Put,
        Class::Get,
        Class::Atomic,
        Class::Order,
        Class::Wait,
        Class::Collective,
        Class::Lock,
        Class::Heap,
        Class::Setup,
    ];

    /// Name of the class, for people to read.
    pub fn name(self) -> &'static str {
        match self {
            Class::Put => "put",
            Class::Get => "get",
            Class::Atomic => "atomic",
            Class::Order => "fence, quiet",
            Class::Wait => "wait",
            Class::Collective => "collective",
            Class::Lock => "lock",
            Class::Heap => "heap",
            Class::Setup => "teams, contexts",
        }
    }

    /// The class with this number, if there is one.
    pub fn of(number: u8) -> Option<Class> {
        Class::ALL.get(usize::from(number)).copied()
    }

    /// Whether a call of this class addresses one peer.
    pub fn has_peer(self) -> bool {
        matches!(self, Class::Put | Class::Get | Class::Atomic)
    }
}

/// Number of size bins. Bin 0 is for 0 bytes, bin `n` for 2^(n-1) to 2^n - 1 bytes.
pub const SIZE_BINS: usize = 42;

/// The bin of a size.
pub fn size_bin(bytes: u64) -> usize {
    ((u64::BITS - bytes.leading_zeros()) as usize).min(SIZE_BINS - 1)
}

/// All calls of one routine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name in the program.
    pub name: String,
    /// Purpose of the routine.
    pub class: Class,
    /// Number of calls.
    pub calls: u64,
    /// Time in these calls.
    pub ns: u64,
    /// Time of the longest call.
    pub ns_max: u64,
    /// Bytes that the calls moved.
    pub bytes: u64,
}

/// Traffic that a PE posted to one peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peer {
    /// Number of the peer.
    pub pe: u32,
    /// Number of puts, gets and atomics.
    pub ops: [u64; 3],
    /// Bytes that the puts, gets and atomics moved.
    pub bytes: [u64; 3],
    /// The transport that carries them, as an index into [`Record::transports`].
    pub transport: u8,
}

/// Identity of a team: the same on all its members.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Team {
    /// The team's work area.
    pub slot: u32,
    /// The epoch in which the team began there. It distinguishes teams that have the same slot one after the other.
    pub born: u64,
    /// PE number of the first member.
    pub first: u32,
    /// Number of members.
    pub size: u32,
}

impl Team {
    /// Whether it is the team of all PEs, in a job of `pes` PEs.
    pub fn is_world(&self, pes: u32) -> bool {
        self.slot == 0 && self.born == 0 && self.size == pes
    }
}

/// One PE's part in a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The team of its members.
    pub team: Team,
    /// Sequence number among the team's collectives.
    pub number: u64,
    /// The routine, as an index into [`Record::routines`].
    pub routine: u32,
    /// Bytes of this PE's part.
    pub bytes: u64,
    /// When this PE entered the call.
    pub begin: u64,
    /// When this PE returned from the call.
    pub end: u64,
    /// Call site: 1 + the index into [`Record::sites`], or 0 if it was not looked up.
    pub site: u32,
}

/// One call, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When the call was entered.
    pub begin: u64,
    /// When the call returned.
    pub end: u64,
    /// The routine, as an index into [`Record::routines`].
    pub routine: u32,
    /// The thread. Threads are numbered in the order of their first calls.
    pub thread: u32,
    /// The peer, if there is one.
    pub peer: Option<u32>,
    /// Bytes moved, or waited for.
    pub bytes: u64,
    /// The word with which the call signals its peer, or for which it waits, as an offset that is the same on all PEs.
    pub word: Option<u64>,
    /// If the call is a collective: its team and sequence number.
    pub meeting: Option<(Team, u64)>,
    /// Call site, encoded as in [`Meeting::site`].
    pub site: u32,
}

/// The symmetric heap at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapUse {
    /// Time of the observation.
    pub at: u64,
    /// Bytes in allocated blocks.
    pub live: u64,
    /// Bytes of the heap that may be used without growing it.
    pub extent: u64,
}

/// The data that one PE gathers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Number of this PE.
    pub pe: u32,
    /// Number of PEs in the job.
    pub pes: u32,
    /// Number that the launcher gave to this PE's host.
    pub node: u32,
    /// The host's name.
    pub host: String,
    /// Number of CPUs of the host that its PEs share, if there are fewer cores than PEs; otherwise 0.
    pub shared_cpus: u32,
    /// The program and its arguments.
    pub program: String,
    /// When the profile began.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// Time between `begin` and `end` for which the profile was closed (`shmem_pcontrol`).
    pub closed: u64,
    /// The routines that were called.
    pub routines: Vec<Routine>,
    /// The peers that this PE posted operations to.
    pub peers: Vec<Peer>,
    /// Names of the transports that carry operations.
    pub transports: Vec<String>,
    /// Number of calls by class and size.
    pub sizes: Vec<[u64; SIZE_BINS]>,
    /// The state of the heap after each call that may change it.
    pub heap: Vec<HeapUse>,
    /// This PE's parts in collectives. Only collectives whose number is a multiple of [`Record::stride`] are kept.
    pub meetings: Vec<Meeting>,
    /// Distance between the numbers of collectives kept in `meetings`: a power of two.
    pub stride: u64,
    /// Call sites in the program.
    pub sites: Vec<String>,
    /// When this PE came to each barrier of all PEs, and when it left it, in order. The clocks of hosts are compared by these times.
    pub syncs: Vec<(u64, u64)>,
    /// All calls, if a trace is wanted.
    pub events: Vec<Event>,
    /// Number of calls that were dropped because there was no room for them.
    pub events_lost: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_bins() {
        let bins = [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (1023, 10), (1024, 11), (u64::MAX, SIZE_BINS - 1)];
        for (bytes, bin) in bins {
            assert_eq!(size_bin(bytes), bin, "{bytes}");
        }
    }

    #[test]
    fn classes_have_their_numbers() {
        for (number, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!((class as usize, Class::of(number as u8)), (number, Some(class)));
        }
        assert_eq!(Class::of(9), None);
    }
}
