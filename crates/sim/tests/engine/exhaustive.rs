//! Every interleaving of small programs, over ports of every kind.

use ferrite_engine::{Amo, Answers, Atomics, Cut, Flush, Limits, Orders};
use ferrite_sim::engine::{
    explore::{Coverage, explore},
    limits::WEAKEST,
    network::Habits,
    program::Action::{self, Bit, Fence, Get, Put, PutSignal, Quiet, QuietAt, Set, Swap},
    trial::Trial,
};

const STATES_MAX: usize = 300_000;

/// Ports that require different work of the engine: puts are writes that are visible when complete; or writes that are flushed; or messages
/// that are each answered; or messages that are answered on request. Each with no order, and with all orders.
fn ports() -> Vec<Limits> {
    let mut all = Vec::new();
    for orders in [Orders::default(), Orders::ALL] {
        for answers in [Answers::Each, Answers::Asked] {
            for (writes, flush) in [(true, Flush::Done), (true, Flush::Call), (false, Flush::Done)] {
                all.push(Limits { orders, answers, writes, flush, ..WEAKEST });
            }
        }
        for fenced in [false, true] {
            all.push(Limits { orders, atomics: Atomics::Nic { fenced }, ..WEAKEST });
        }
    }
    all
}

/// A trial of these programs, in which transfers may take effect in pieces.
fn trial(pes: usize, limits: Limits, programs: &[&[Action]]) -> Trial {
    Trial {
        pes,
        limits,
        habits: Habits { pieces: 2, ..Habits::default() },
        rails: 0,
        one_at_last: false,
        cut: Cut::default(),
        overpromises: false,
        ports_max: 1,
        programs: programs.iter().map(|program| program.to_vec()).collect(),
        curious: 0,
        slow: None,
        dies: None,
        breach: None,
    }
}

fn check(pes: usize, programs: &[&[Action]]) {
    let mut sum = Coverage::default();
    for limits in ports() {
        let coverage = explore(&trial(pes, limits, programs), STATES_MAX).unwrap_or_else(|what| panic!("{what}"));
        assert!(coverage.finished > 0);
        sum = Coverage { states: sum.states + coverage.states, finished: sum.finished + coverage.finished };
    }
    println!("{programs:?}: {sum:?}");
}

/// The same over two rails, between which operations of more than one byte are cut.
fn check_over_rails(pes: usize, programs: &[&[Action]]) {
    let mut sum = Coverage::default();
    for limits in ports().into_iter().filter(|limits| limits.writes && limits.flush == Flush::Done) {
        for one_at_last in [false, true] {
            let cut = Cut { whole: 1, piece: 1 };
            let rails = Trial { rails: 2, one_at_last, cut, ..trial(pes, limits, programs) };
            let coverage = explore(&rails, STATES_MAX).unwrap_or_else(|what| panic!("{what}"));
            assert!(coverage.finished > 0);
            sum = Coverage { states: sum.states + coverage.states, finished: sum.finished + coverage.finished };
        }
    }
    println!("{programs:?} over two rails: {sum:?}");
}

#[test]
fn fences_and_quiets_hold_over_rails() {
    check_over_rails(2, &[&[LONG, Fence, Put { to: 1, at: 8, len: 1 }, Quiet], &[]]);
    check_over_rails(2, &[&[LONG, Fence, FLAG, Quiet], &[]]);
    check_over_rails(2, &[&[FLAG, Fence, LONG, Quiet], &[]]);
    check_over_rails(2, &[&[LONG, Quiet, FLAG, Quiet], &[]]);
    check_over_rails(2, &[&[PutSignal { to: 1, at: 0, len: 3, bit: None }, Quiet], &[]]);
}

#[test]
fn promise_of_an_order_among_rails_is_caught() {
    let limits = Limits { orders: Orders::ALL, flush: Flush::Done, ..WEAKEST };
    let programs: &[&[Action]] = &[&[LONG, Fence, FLAG, Quiet], &[]];
    let rails = Trial { rails: 2, cut: Cut { whole: 1, piece: 1 }, ..trial(2, limits, programs) };
    explore(&rails, STATES_MAX).unwrap();
    explore(&Trial { overpromises: true, ..rails }, STATES_MAX).unwrap_err();
}

/// One byte more than two rails take at once.
const LONG: Action = Put { to: 1, at: 0, len: 3 };
const PUT: Action = Put { to: 1, at: 0, len: 2 };
const FLAG: Action = Set { to: 1 };

#[test]
fn a_put_a_fence_and_a_flag() {
    check(2, &[&[PUT, Fence, Put { to: 1, at: 8, len: 1 }, Quiet], &[]]);
    check(2, &[&[PUT, Fence, FLAG, Quiet], &[]]);
    check(2, &[&[FLAG, Fence, PUT, Quiet], &[]]);
}

#[test]
fn a_put_with_a_signal() {
    check(2, &[&[PutSignal { to: 1, at: 0, len: 2, bit: None }, Quiet], &[]]);
    // The put is longer than one message.
    check(2, &[&[PutSignal { to: 1, at: 0, len: 9, bit: None }, Quiet], &[]]);
    check(2, &[&[PutSignal { to: 1, at: 0, len: 2, bit: Some(0) }, Fence, PUT, Quiet], &[]]);
}

#[test]
fn a_put_a_quiet_and_a_flag() {
    check(2, &[&[PUT, Quiet, FLAG, Quiet], &[]]);
}

#[test]
fn a_get_of_what_was_put() {
    let get = Get { from: 1, of: 0, at: 0, len: 2 };
    check(2, &[&[PUT, Quiet, get, Quiet], &[]]);
    check(2, &[&[PUT, Fence, get, Quiet], &[]]);
}

#[test]
fn two_atomics_at_one_word() {
    let swap = Swap { to: 2, word: 0, compare: false };
    check(3, &[&[swap, Quiet], &[swap, Quiet], &[]]);
    let add = Bit { to: 2, word: 0, op: Amo::Add, fetch: true };
    check(3, &[&[add, Quiet], &[add, Quiet], &[]]);
}

#[test]
fn quiet_at_one_pe_of_two() {
    check(3, &[&[PUT, Put { to: 2, at: 0, len: 1 }, QuietAt(1), FLAG, Quiet], &[], &[]]);
}

#[test]
fn both_put_to_each_other_and_wait() {
    check(2, &[&[PUT, Quiet], &[Put { to: 0, at: 0, len: 1 }, Quiet]]);
}
