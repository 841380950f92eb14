//! Worlds whose network is an adversary: everything arrives as late, as torn and in as strange an order as the rules allow.
//!
//! The PEs are threads, of which one at a time runs ([`turns`]). No memory is mapped, so all that they do to each other goes over a
//! network ([`network`]) that decides by a seed what arrives when ([`choices`]); the rest is the library as it is. So a run is the
//! same whenever it has the same seed, if the program itself is: one thread for each PE, and nothing that depends on time or on
//! addresses.

mod choices;
mod fabric;
mod network;
mod turns;

use crate::{World, local};
use choices::{Choice, smallest};
use core::fmt::Write as _;
pub(crate) use fabric::SimFabric;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
pub(crate) use turns::Turns;

/// Runs to make a failing schedule smaller, at most.
const RUNS_MAX: u32 = 400;
/// Decisions that a report names.
const TOLD: usize = 12;

/// Run `body` on `pes` PEs that are threads of this process, over a network that delivers as strangely as is legal: late, in another
/// order, in pieces. What it does follows from `seed`, so a failure can be looked at again. This finds what a
/// [`local`](crate::local) world seldom shows: a put that is not ordered before the flag that says that it is there.
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
/// The program is the same as anywhere, with three rules: a PE communicates from one thread; what it does depends on nothing but its
/// data; and a loop that waits calls something that lets others run, as [`wait_until`](crate::Ctx::wait_until),
/// [`test`](crate::Ctx::test), atomics and collectives do.
///
/// # Panics
/// If a PE panics, or if none can go on. The panic names the PE, what it said, the seed, and the smallest schedule that was found to
/// fail, for which `body` is run some more times.
#[track_caller]
pub fn sim<R: Send>(seed: u64, pes: u32, body: impl Fn(&World) -> R + Sync) -> Vec<R> {
    let (result, made) = run(seed, pes, None, &body, local::Voice::Loud);
    let why = match result {
        Ok(results) => return results,
        Err(why) => why,
    };
    let fails = |only: &BTreeSet<Choice>| run(seed, pes, Some(only.clone()), &body, local::Voice::Silent).0.is_err();
    let kept = smallest(made.into_keys().collect(), RUNS_MAX, fails);
    let (result, made) = run(seed, pes, Some(kept), &body, local::Voice::Silent);
    panic!("{}", report(seed, &why, result.err().as_deref(), &made));
}

/// One run: its results, or the panic of its first PE; and what the adversary decided.
fn run<R: Send>(
    seed: u64,
    pes: u32,
    only: Option<BTreeSet<Choice>>,
    body: &(impl Fn(&World) -> R + Sync),
    voice: local::Voice,
) -> (Result<Vec<R>, String>, BTreeMap<Choice, String>) {
    let turns = Arc::new(Turns::new(pes, seed, only));
    let result = local::run(pes, body, Some(&turns), voice);
    let made = Arc::into_inner(turns).map(Turns::made).unwrap_or_default();
    (result, made)
}

/// What is to be said of a failure.
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
