//! Reads profiles of callgrind: what one call of each measured function costs, to the instruction.
//!
//! A measured program has a function for each thing that it measures, which does it in a loop; its name begins with [`PREFIX`], and that
//! of the loop around nothing ends with [`EMPTY`]. It is run with different numbers of turns. What two runs differ by, divided by the
//! turns that they differ by, is the exact cost of one: start-up, lazy binding and first calls are the same in both.

use serde::Serialize;
use std::collections::BTreeMap;

/// What the functions that are measured begin with.
pub const PREFIX: &str = "measured_";
/// The loop around nothing.
pub const EMPTY: &str = "nothing";

/// Instructions of one loop, over all its turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// In the loop itself: its turn, the arguments, the call (and the jump through the PLT).
    pub caller: u64,
    /// In what it calls.
    pub callee: u64,
}

/// Instructions of one call, averaged over a loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Count {
    /// Inside the library.
    pub library: f64,
    /// Library and call site, without the loop.
    pub whole: f64,
}

/// Sums what each measured function cost, by what `name` makes of a symbol; `None`: it is not measured. In the format (strings and
/// positions uncompressed), `fn=` begins a function, a line of two numbers is a cost of its own, and the line after `calls=` is what
/// that call cost inclusive.
pub fn parse(profile: &str, name: impl Fn(&str) -> Option<&str>) -> BTreeMap<String, Cost> {
    let mut costs: BTreeMap<String, Cost> = BTreeMap::new();
    let mut function: Option<String> = None;
    let mut of_call = false;
    for line in profile.lines() {
        if let Some(symbol) = line.strip_prefix("fn=") {
            function = name(symbol).map(str::to_owned);
        } else if line.starts_with("calls=") {
            of_call = true;
        } else if let (Some(function), Some(cost)) = (&function, cost_line(line)) {
            let sum = costs.entry(function.clone()).or_default();
            *if of_call { &mut sum.callee } else { &mut sum.caller } += cost;
            of_call = false;
        } else if cost_line(line).is_some() {
            of_call = false;
        }
    }
    costs
}

fn cost_line(line: &str) -> Option<u64> {
    let (position, cost) = line.split_once(' ')?;
    position.parse::<u64>().ok()?;
    cost.trim().parse().ok()
}

/// What one call costs, from two runs that differ by so many calls.
pub fn difference(
    fewer: &BTreeMap<String, Cost>,
    more: &BTreeMap<String, Cost>,
    calls: u64,
) -> BTreeMap<String, Count> {
    let each = |name: &str, part: fn(&Cost) -> u64| {
        let of = |costs: &BTreeMap<String, Cost>| costs.get(name).map_or(0, part) as f64;
        (of(more) - of(fewer)) / calls as f64
    };
    let turn = each(EMPTY, |cost| cost.caller);
    let count = |name: &String| {
        let library = each(name, |cost| cost.callee);
        (name.clone(), Count { library, whole: library + each(name, |cost| cost.caller) - turn })
    };
    more.keys().filter(|name| *name != EMPTY).map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(profile: &str) -> BTreeMap<String, Cost> {
        super::parse(profile, |symbol| symbol.strip_prefix(PREFIX))
    }

    fn profile(calls: u64) -> String {
        format!(
            "events: Ir\n\nfn=main\n3 7\ncfn=measured_p\ncalls=1 12\n3 99999\n\n\
             fn=measured_nothing\n12 5\n12 {}\n\n\
             fn=measured_p\n12 17\ncob=/lib/libsma.so.1\ncfn=shmem_long_p\ncalls=1 0\n12 900\n\
             cfn=shmem_long_p\ncalls={} 0\n12 {}\n12 {}\nfi=other.h\n12 2\n\nfn=other\n1 1000\n",
            2 * calls,
            calls - 1,
            15 * (calls - 1),
            6 * calls
        )
    }

    #[test]
    fn costs_are_split_between_caller_and_callee() {
        let costs = parse(&profile(10));
        assert_eq!(costs.len(), 2);
        assert_eq!(costs["p"], Cost { caller: 17 + 60 + 2, callee: 900 + 15 * 9 });
        assert_eq!(costs["nothing"], Cost { caller: 25, callee: 0 });
    }

    #[test]
    fn the_difference_is_exact_whatever_the_first_call_cost() {
        let counts = difference(&parse(&profile(10)), &parse(&profile(20)), 10);
        assert_eq!(counts.len(), 1);
        assert_eq!(counts["p"], Count { library: 15.0, whole: 15.0 + 6.0 - 2.0 });
    }

    #[test]
    fn a_profile_without_the_loops_is_empty() {
        assert!(parse("fn=main\n1 2\ncalls=1 2\n3 4\n").is_empty());
        assert!(parse("").is_empty());
    }
}
