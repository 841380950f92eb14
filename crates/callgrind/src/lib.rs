//! Reads profiles of callgrind: what one call of each measured function costs, to the instruction.
//!
//! A measured program has one function for each operation that it measures, which repeats the operation in a loop. The function's name
//! begins with [`PREFIX`]; the name of the function with the empty loop ends with [`EMPTY`]. The program is run with different numbers of
//! iterations. The difference in cost between two runs, divided by their difference in iterations, is the exact cost of one iteration:
//! start-up, lazy binding and first calls are the same in both.

use serde::Serialize;
use std::collections::BTreeMap;

/// Prefix of the names of measured functions.
pub const PREFIX: &str = "measured_";
/// Name of the empty loop, after the prefix.
pub const EMPTY: &str = "nothing";

/// Instructions of one loop, over all its iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// In the loop itself: the iteration, the arguments, the call (and the jump through the PLT).
    pub caller: u64,
    /// In the functions that it calls.
    pub callee: u64,
}

/// Instructions of one call, averaged over a loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Count {
    /// Instructions inside the library.
    pub library: f64,
    /// Library and call site, without the loop.
    pub whole: f64,
}

/// Sums the costs of each measured function. `name` returns the name to sum a symbol under, or `None` if the symbol is not measured. In the
/// format (strings and positions uncompressed), `fn=` begins a function, a line of two numbers is a cost of the function itself, and the
/// line after `calls=` is the inclusive cost of that call.
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

/// The cost of one call of each function, from two runs that differ by `calls` calls.
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
