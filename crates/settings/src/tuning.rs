//! The user's choice of algorithms, and the sizes from which the table prefers one algorithm to another.

use ferrite_collectives::select::{Algorithm, Tuning, Wishes, named};
use ferrite_fabric::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The tuning values, and the algorithms that the user asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Choices {
    pub tuning: Tuning,
    wishes: Wishes,
}

impl Choices {
    /// Read the variables. `lookup` returns the name under which a variable was found, and its text; `tuning` holds the numbers.
    pub fn read(lookup: impl Fn(&str) -> Option<(&'static str, String)>, tuning: Tuning) -> Result<Choices> {
        // Reduce, collect and the rest keep the names of other libraries.
        let wishes = Wishes {
            barrier: wish(&lookup, "SHMEM_BARRIER_ALGORITHM")?,
            broadcast: wish(&lookup, "SHMEM_BCAST_ALGORITHM")?,
            reduce: wish(&lookup, "SHMEM_REDUCE_ALGORITHM")?,
            fcollect: wish(&lookup, "SHMEM_FCOLLECT_ALGORITHM")?,
            collect: wish(&lookup, "SHMEM_COLLECT_ALGORITHM")?,
            alltoall: wish(&lookup, "SHMEM_ALLTOALL_ALGORITHM")?,
            scan: wish(&lookup, "SHMEM_SCAN_ALGORITHM")?,
        };
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
    pub fn wish<A: Algorithm>(&self) -> Option<A> {
        A::wish(&self.wishes)
    }
}

/// Whether this is Sandia OpenSHMEM's name for barriers that combine the PEs of each host first. `auto` does that where it saves messages.
pub fn is_hierarchical(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("hierarchical")
}

/// The algorithm that `variable` names.
fn wish<A: Algorithm>(lookup: impl Fn(&str) -> Option<(&'static str, String)>, variable: &str) -> Result<Option<A>> {
    match lookup(variable) {
        None => Ok(None),
        Some((_, name)) if variable == "SHMEM_BARRIER_ALGORITHM" && is_hierarchical(&name) => Ok(None),
        Some((found, name)) => named(&name).map_err(|why| Error::new(format!("{found} is {name:?}; {why}"))),
    }
}
