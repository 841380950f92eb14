//! The user's choice of algorithms, and the sizes from which the table prefers one algorithm to another.

use ferrite_collectives::select::{Algorithm, Collective, Tuning, named};
use ferrite_fabric::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The tuning values, and the algorithm that the user asked for, by collective.
#[derive(Clone, PartialEq, Debug)]
pub struct Choices {
    /// Sizes and radix.
    pub tuning: Tuning,
    wishes: [Option<Algorithm>; VARIABLES.len()],
}

/// The environment variable that selects each collective's algorithm. Reduce, collect and the rest keep the names of other libraries.
pub(crate) const VARIABLES: [(Collective, &str); 7] = [
    (Collective::Barrier, "SHMEM_BARRIER_ALGORITHM"),
    (Collective::Broadcast, "SHMEM_BCAST_ALGORITHM"),
    (Collective::Reduce, "SHMEM_REDUCE_ALGORITHM"),
    (Collective::Scan, "SHMEM_SCAN_ALGORITHM"),
    (Collective::Collect, "SHMEM_COLLECT_ALGORITHM"),
    (Collective::Fcollect, "SHMEM_FCOLLECT_ALGORITHM"),
    (Collective::Alltoall, "SHMEM_ALLTOALL_ALGORITHM"),
];

impl Choices {
    /// Read the variables. `lookup` returns the name under which a variable was found, and its text; `tuning` holds the numbers.
    pub fn read(lookup: impl Fn(&str) -> Option<(&'static str, String)>, tuning: Tuning) -> Result<Choices> {
        let mut wishes = [None; VARIABLES.len()];
        for ((collective, variable), wish) in VARIABLES.iter().zip(&mut wishes) {
            if let Some((found, name)) = lookup(variable) {
                *wish = named(*collective, &name).map_err(|why| Error::new(format!("{found} is {name:?}; {why}")))?;
            }
        }
        Ok(Choices { tuning, wishes })
    }

    /// A number that is the same for the same choices, in every process of a job.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// The algorithm that the user asked for.
    #[inline]
    pub fn wish(&self, collective: Collective) -> Option<Algorithm> {
        let at = VARIABLES.iter().position(|(one, _)| *one == collective)?;
        self.wishes[at]
    }
}
