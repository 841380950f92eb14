//! Worlds whose network is an adversary: operations arrive as late, in as many pieces and in as strange an order as the rules allow.
//!
//! The PEs are threads, and one of them runs at a time ([`turns`]). No memory is mapped, so every access to another PE goes over a network
//! ([`network`]) that decides from a seed when each operation arrives ([`choices`]); the rest is the library itself. So two runs with the
//! same seed are the same if the program is deterministic: one thread for each PE, and nothing that depends on time or on addresses.

mod choices;
mod fabric;
mod network;
mod turns;

use crate::{World, local, panics::Voice};
use choices::{Choice, smallest};
use core::fmt::Write as _;
pub(crate) use fabric::SimFabric;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
pub(crate) use turns::Turns;

/// Maximum number of runs to make a failing schedule smaller.
const RUNS_MAX: u32 = 400;
/// Maximum number of decisions that a report lists.
const TOLD: usize = 12;

/// Run `body` on `pes` PEs that are threads of this process, over a network that delivers as strangely as is legal: late, out of order, in
/// pieces. The network's behaviour follows from `seed`, so a failure can be reproduced. This finds mistakes that a [`local`](crate::local)
/// world seldom shows, such as a put that is not ordered before the flag that announces it.
///
/// ```
/// use ferrite::{Cmp, World};
///
/// fn send(world: &World, is_ordered: bool) {
///     let (data, flag) = (world.alloc::<u64>(2).unwrap(), world.alloc_box::<u64>().unwrap());
///     if world.my_pe() == 0 {
///         world.put_slice(&data, &[1, 2], 1);
///         if is_ordered {
///             world.fence();
///         }
///         world.put(&flag, 1, 1);
///     } else {
///         world.wait_until(&flag, Cmp::Eq(1));
///         assert_eq!(data.to_vec(), [1, 2]);
///     }
/// }
///
/// for seed in 0..20 {
///     ferrite::sim(seed, 2, |world| send(world, true));
/// }
/// let without = || (0..20).for_each(|seed| _ = ferrite::sim(seed, 2, |world| send(world, false)));
/// assert!(std::panic::catch_unwind(without).is_err());
/// ```
///
/// The program is the same as elsewhere, with three rules: a PE communicates from one thread; its behaviour depends only on its data; and a
/// loop that waits calls something that lets other PEs run, as [`wait_until`](crate::Ctx::wait_until), [`test`](crate::Ctx::test), atomics
/// and collectives do.
///
/// # Panics
/// If a PE panics, or if no PE can go on. The panic has the PE's number and message, the seed, and the smallest failing schedule that was
/// found; finding it runs `body` some more times.
#[track_caller]
pub fn sim<R: Send>(seed: u64, pes: u32, body: impl Fn(&World) -> R + Sync) -> Vec<R> {
    let (result, made) = run(seed, pes, None, &body, Voice::Loud);
    let why = match result {
        Ok(results) => return results,
        Err(why) => why,
    };
    let fails = |only: &BTreeSet<Choice>| run(seed, pes, Some(only.clone()), &body, Voice::Silent).0.is_err();
    let kept = smallest(made.into_keys().collect(), RUNS_MAX, fails);
    let (result, made) = run(seed, pes, Some(kept), &body, Voice::Silent);
    panic!("{}", report(seed, &why, result.err().as_deref(), &made));
}

/// One run. Returns the results, or the message of the first PE that panicked, and the adversary's decisions.
fn run<R: Send>(
    seed: u64,
    pes: u32,
    only: Option<BTreeSet<Choice>>,
    body: &(impl Fn(&World) -> R + Sync),
    voice: Voice,
) -> (Result<Vec<R>, String>, BTreeMap<Choice, String>) {
    let turns = Arc::new(Turns::new(pes, seed, only));
    let result = local::run(pes, body, Some(&turns), voice);
    let made = Arc::into_inner(turns).map(Turns::made).unwrap_or_default();
    (result, made)
}

/// The report of a failure.
fn report(seed: u64, first: &str, last: Option<&str>, made: &BTreeMap<Choice, String>) -> String {
    let mut text = format!("seed {seed}: {first}");
    let Some(last) = last else {
        return text + "\nthe same seed did not fail again: the program depends on more than its data";
    };
    let count = match made.len() {
        0 => return text + "\nit fails where everything arrives at once, too",
        1 => "1 decision".to_owned(),
        count => format!("{count} decisions"),
    };
    let _ = write!(text, "\nthe smallest schedule that fails has {count} of the network:");
    made.values().take(TOLD).for_each(|said| _ = write!(text, "\n  {said}"));
    if made.len() > TOLD {
        let _ = write!(text, "\n  and {} more", made.len() - TOLD);
    }
    if last != first {
        let _ = write!(text, "\nthere it ends so: {last}");
    }
    text
}
