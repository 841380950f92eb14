//! What one PE has gathered. Times are nanoseconds of its host's monotonic clock.

/// What a routine is for, as far as its time is told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Puts, with or without a signal, and items for aggregators.
    Put,
    /// Gets.
    Get,
    /// Atomics, and signals without data.
    Atomic,
    /// Fences and quiets.
    Order,
    /// Waits for this PE's memory, and tests of it.
    Wait,
    /// Collectives.
    Collective,
    /// Locks.
    Lock,
    /// Allocation.
    Heap,
    /// Teams and contexts.
    Setup,
}

impl Class {
    /// All of them, in the order of their numbers.
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

    /// The word for it.
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

    /// The class of a number.
    pub fn of(number: u8) -> Option<Class> {
        Class::ALL.get(usize::from(number)).copied()
    }

    /// Whether a call of it goes to one peer.
    pub fn has_peer(self) -> bool {
        matches!(self, Class::Put | Class::Get | Class::Atomic)
    }
}

/// Sizes are told apart by powers of two: bin 0 has no bytes, bin `n` has 2^(n-1) to 2^n - 1.
pub const SIZE_BINS: usize = 42;

/// The bin of a size.
pub fn size_bin(bytes: u64) -> usize {
    ((u64::BITS - bytes.leading_zeros()) as usize).min(SIZE_BINS - 1)
}

/// All calls of one routine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub class: Class,
    /// Calls.
    pub calls: u64,
    /// Time in them.
    pub ns: u64,
    /// In the longest.
    pub ns_max: u64,
    /// What they have moved.
    pub bytes: u64,
}

/// What a PE has asked of one peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Peer {
    /// Its number.
    pub pe: u32,
    /// Operations: puts, gets, atomics.
    pub ops: [u64; 3],
    /// Bytes that they have moved.
    pub bytes: [u64; 3],
    /// Which transport carries them, by its place in [`Record::transports`].
    pub transport: u8,
}

/// The members of a collective, as all of them know each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Team {
    /// Where it lives, and since when.
    pub slot: u32,
    /// The epoch that it began with.
    pub born: u64,
    /// Its first member.
    pub first: u32,
    /// How many there are.
    pub size: u32,
}

impl Team {
    /// Whether it is all PEs of a job of so many.
    pub fn is_world(&self, pes: u32) -> bool {
        self.slot == 0 && self.born == 0 && self.size == pes
    }
}

/// One PE's part in a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// Its members.
    pub team: Team,
    /// Which of the team's collectives it is.
    pub number: u64,
    /// The routine, by its place in [`Record::routines`].
    pub routine: u32,
    /// What each member gave.
    pub bytes: u64,
    /// When this PE came.
    pub begin: u64,
    /// When it went on.
    pub end: u64,
    /// Where in the program: 1 + the place in [`Record::sites`], or 0 where that was not looked for.
    pub site: u32,
}

/// One call, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// When it was entered.
    pub begin: u64,
    /// When it returned.
    pub end: u64,
    /// The routine, by its place in [`Record::routines`].
    pub routine: u32,
    /// The thread, in the order in which threads called first.
    pub thread: u32,
    /// The peer, if there is one.
    pub peer: Option<u32>,
    /// What was moved, or waited for.
    pub bytes: u64,
    /// Where the word lies by which it tells its peer something, or which it waits for: an offset that is the same on all PEs.
    pub word: Option<u64>,
    /// The collective.
    pub meeting: Option<(Team, u64)>,
    /// As for [`Meeting::site`].
    pub site: u32,
}

/// The symmetric heap at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapUse {
    /// When.
    pub at: u64,
    /// Bytes of blocks.
    pub live: u64,
    /// Bytes that were ever used, at once.
    pub extent: u64,
}

/// What one PE has gathered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Its number.
    pub pe: u32,
    /// How many there are.
    pub pes: u32,
    /// Its host, by the number that the launcher gave it.
    pub node: u32,
    /// The host's name.
    pub host: String,
    /// What runs: the program and its arguments.
    pub program: String,
    /// When it began to gather.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// For how long of that the profile was closed (`shmem_pcontrol`).
    pub closed: u64,
    /// The routines that were called.
    pub routines: Vec<Routine>,
    /// The peers that were.
    pub peers: Vec<Peer>,
    /// What carries operations: names.
    pub transports: Vec<String>,
    /// Calls by class and size.
    pub sizes: Vec<[u64; SIZE_BINS]>,
    /// The heap's changes.
    pub heap: Vec<HeapUse>,
    /// Parts in collectives: of each team those whose number is a multiple of [`Record::stride`].
    pub meetings: Vec<Meeting>,
    /// Which collectives are in `meetings`: a power of two.
    pub stride: u64,
    /// Places in the program.
    pub sites: Vec<String>,
    /// When this PE came to barriers of all, and left them, one after the other: what clocks are compared by.
    pub syncs: Vec<(u64, u64)>,
    /// All calls, if a trace is wanted.
    pub events: Vec<Event>,
    /// Calls that there was no room for.
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
