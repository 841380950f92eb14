//! Who moves what a provider does not move by itself.

/// Who makes progress: the same for all PEs of a job, for it is also whether they mind each other's silence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// A thread of ours where the provider needs one.
    #[default]
    Needed,
    /// A thread of ours in any case.
    Thread,
    /// The program alone: then a target must enter the library for what needs a processor there
    /// ([`Caps::needs_target_progress`](crate::Caps::needs_target_progress)). Nothing has to be ready to wake a thread, so
    /// small operations take less.
    Program,
}

impl Progress {
    /// Whether a thread is to sleep until the provider has something for it: one of ours, or, where PEs share cores, one that waits.
    pub fn sleeps(self, crowded: bool) -> bool {
        self != Progress::Program || crowded
    }
}
