//! Which threads make progress for a provider that does not make it by itself.

/// Which threads make progress. This is the same for all PEs of a job, because it also decides whether a silent peer counts as lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    /// A service thread, if the provider needs one.
    #[default]
    Needed,
    /// A service thread in any case.
    Thread,
    /// The program alone. Then a target must enter the library for operations that need its processor
    /// ([`Caps::needs_target_progress`](crate::Caps::needs_target_progress)). Nothing has to be kept ready to wake a thread, so small
    /// operations take less time.
    Program,
}

impl Progress {
    /// Whether a thread sleeps until the provider has something for it: the service thread, or, if PEs share cores, a thread that waits.
    pub fn sleeps(self, crowded: bool) -> bool {
        self != Progress::Program || crowded
    }
}
