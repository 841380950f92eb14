//! Scheduling of PEs that are threads: one runs at a time.
//!
//! # Turns
//!
//! Before the PEs have entered, and after the world is over, all threads run freely, and operations arrive at once. In between, one PE has
//! the turn; every other thread sleeps in a call of the network. The turn passes only within such calls: sometimes because the adversary
//! decides so, and always when the PE *waits*. A PE waits if its calls have found nothing [`LOOKS`] times since something arrived or since
//! it issued something. If all PEs wait, an operation under way arrives. If none is under way, and for a while no PE has done anything but
//! look, no PE will ever go on.
//!
//! One mutex guards all of this, and each PE sleeps on a condition variable of its own. So one thread at a time accesses symmetric memory,
//! and the mutex orders each turn after the one before.

use super::{
    choices::{Choice, Choices, What},
    network::{Network, Stream},
};
use core::time::Duration;
use ferrite_fabric::{Op, Segment, Ticket};
use ferrite_os::mutex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Number of calls that find nothing, after which a PE counts as waiting.
const LOOKS: u32 = 3;
/// Number of looks per PE, while all PEs wait and nothing is under way, after which no PE is expected to go on by itself.
const LAST_LOOKS: u32 = 4_000;
/// Number of consecutive looks of one PE in that state, before another PE gets the turn.
const IN_A_ROW: u32 = 64;
/// On average, one call in `SWITCH` passes the turn to another PE.
const SWITCH: u64 = 6;
/// Longest sleep while all threads run freely. It is bounded because events on the launcher's side wake no sleeper.
const NAP: Duration = Duration::from_millis(2);
/// Time that a PE may compute without a call before a message explains what a loop that waits needs.
const SILENCE: Duration = Duration::from_secs(60);

/// The PEs of a simulated world.
pub struct Turns {
    state: Mutex<State>,
    /// The condition variable of each PE.
    beds: Box<[Condvar]>,
}

struct State {
    network: Network,
    choices: Choices,
    turn: Turn,
    pes: Box<[Member]>,
    /// Consecutive looks in which nothing was under way and all PEs waited.
    last_looks: u32,
    streams: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// All threads run.
    Free,
    /// This PE runs, and no other.
    Of(u32),
    /// The world has failed, and all threads run to their end.
    Over,
}

#[derive(Default, Clone)]
struct Member {
    entered: bool,
    left: bool,
    /// Number of calls that have found nothing since `arrivals` was recorded.
    looks: u32,
    /// The network's count of arrivals at the last look.
    arrivals: u64,
}

impl State {
    fn waits(&self, pe: u32) -> bool {
        let member = &self.pes[pe as usize];
        member.left || member.looks >= LOOKS && member.arrivals == self.network.arrivals
    }

    /// A PE that does not wait, other than `pe`, if there is one.
    fn another(&mut self, pe: u32) -> Option<u32> {
        let count = self.pes.len() as u32;
        let able: Vec<u32> = (1..count).map(|step| (pe + step) % count).filter(|&other| !self.waits(other)).collect();
        if able.is_empty() {
            return None;
        }
        let said = |chosen: u64| format!("PE {} goes on where PE {pe} waits", able[chosen as usize]);
        let chosen = self.choices.make((What::Next, pe), 1, able.len() as u64 - 1, said);
        Some(able[chosen as usize])
    }
}

impl Turns {
    pub fn new(pes: u32, seed: u64, only: Option<BTreeSet<Choice>>) -> Turns {
        let state = State {
            network: Network::default(),
            choices: Choices::new(seed, only),
            turn: Turn::Free,
            pes: vec![Member::default(); pes as usize].into(),
            last_looks: 0,
            streams: 0,
        };
        Turns { state: Mutex::new(state), beds: (0..pes).map(|_| Condvar::new()).collect() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    pub fn new_stream(&self, pe: u32) -> Stream {
        let mut state = self.state();
        state.streams += 1;
        Stream { pe, number: state.streams }
    }

    pub fn register(&self, pe: u32, segment: Segment) {
        self.state().network.register(pe, segment);
    }

    /// Unregister the memory of `pe`.
    pub fn take_out(&self, pe: u32) {
        self.state().network.take_out(pe);
    }

    /// `pe` has started. Returns when `pe` has the turn. Turns begin when all PEs have started.
    pub fn enter(&self, pe: u32) {
        let mut state = self.state();
        state.pes[pe as usize].entered = true;
        if state.pes.iter().all(|member| member.entered) && state.turn == Turn::Free {
            state.network.begin();
            state.pes.iter_mut().for_each(|member| member.looks = 0);
            self.pass_to(&mut state, 0);
        }
        drop(self.sleep(state, pe, |turn| turn == Turn::Free));
    }

    /// `pe` does not call the network any more.
    pub fn leave(&self, pe: u32) {
        let mut state = self.state();
        state.pes[pe as usize].left = true;
        if state.turn == Turn::Of(pe) {
            self.pass_on(&mut state, pe);
        }
    }

    /// The world has failed: wake all threads, and let them run without turns. Operations under way never arrive, since the threads unwind and do
    /// not keep the memory of operations.
    pub fn end(&self) {
        let mut state = self.state();
        state.turn = Turn::Over;
        state.network.drop_all();
        drop(state);
        self.beds.iter().for_each(Condvar::notify_all);
    }

    /// The adversary's decisions. Called after the world has ended.
    pub fn made(self) -> BTreeMap<Choice, String> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).choices.made()
    }

    fn pass_to(&self, state: &mut State, pe: u32) {
        state.turn = Turn::Of(pe);
        self.beds[pe as usize].notify_all();
    }

    /// Pass the turn to a PE that does not wait; if all wait, let an operation arrive. Returns true if a PE can go on.
    fn pass_on(&self, state: &mut State, pe: u32) -> bool {
        loop {
            if let Some(next) = state.another(pe) {
                self.pass_to(state, next);
                return true;
            }
            if !state.waits(pe) {
                return true;
            }
            let State { network, choices, .. } = &mut *state;
            if !network.deliver_any(choices) {
                state.last_looks += 1;
                if state.pes[pe as usize].left || state.last_looks.is_multiple_of(IN_A_ROW) {
                    let count = state.pes.len() as u32;
                    let here = |&other: &u32| !state.pes[other as usize].left;
                    let next = (1..=count).map(|step| (pe + step) % count).find(here);
                    next.into_iter().for_each(|next| self.pass_to(state, next));
                }
                return false;
            }
        }
    }

    /// Sleep until `pe` has the turn or the world is over. While no PE has the turn, sleep only as long as `still` returns true for it.
    fn sleep<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        pe: u32,
        still: impl Fn(Turn) -> bool,
    ) -> MutexGuard<'s, State> {
        let mut told = false;
        loop {
            let sleeps = match state.turn {
                Turn::Of(other) => other != pe,
                turn => turn != Turn::Over && still(turn),
            };
            if !sleeps {
                return state;
            }
            let before = state.network.arrivals;
            let (woken, timeout) =
                self.beds[pe as usize].wait_timeout(state, SILENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if let (Turn::Of(busy), true, false) = (state.turn, timeout.timed_out(), told)
                && busy != pe
                && state.network.arrivals == before
            {
                told = true;
                eprintln!(
                    "ferrite: PE {busy} has computed for {} s without a call that lets others run; a loop that waits needs one \
                     (wait_until, test, fetch)",
                    SILENCE.as_secs()
                );
            }
        }
    }

    /// Sleep until something arrives, for at most [`NAP`]. For times when no PE has the turn.
    fn nap<'s>(&'s self, guard: MutexGuard<'s, State>, pe: u32) -> MutexGuard<'s, State> {
        let woken = self.beds[pe as usize].wait_timeout(guard, NAP);
        woken.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Issue an operation.
    ///
    /// # Safety
    /// The operation's local pointers stay valid until it is complete.
    pub unsafe fn issue(&self, stream: Stream, op: &Op) -> Ticket {
        let mut guard = self.state();
        let state = &mut *guard;
        let in_turns = matches!(state.turn, Turn::Of(_));
        // SAFETY: passed on.
        let ticket = unsafe { state.network.issue(stream, op, in_turns.then_some(&mut state.choices)) };
        state.last_looks = 0;
        state.pes[stream.pe as usize].looks = 0;
        drop(self.call(guard, stream.pe));
        ticket
    }

    pub fn fence(&self, stream: Stream) {
        self.state().network.fence(stream);
    }

    /// Query the network. If the answer is no, let other PEs run, and query again.
    pub fn ask(&self, pe: u32, answer: impl Fn(&Network) -> bool) -> bool {
        let state = self.state();
        if answer(&state.network) {
            return true;
        }
        answer(&self.look(state, pe).network)
    }

    /// Query the network, without letting other PEs run.
    pub fn see<T>(&self, answer: impl FnOnce(&Network) -> T) -> T {
        answer(&self.state().network)
    }

    /// `pe` looks for arrivals, and lets other PEs run. Returns the number of arrivals meanwhile.
    pub fn progress(&self, pe: u32) -> usize {
        let state = self.state();
        let before = state.network.arrivals;
        (self.look(state, pe).network.arrivals - before) as usize
    }

    fn look<'s>(&'s self, mut state: MutexGuard<'s, State>, pe: u32) -> MutexGuard<'s, State> {
        let arrivals = state.network.arrivals;
        let member = &mut state.pes[pe as usize];
        member.looks = if member.arrivals == arrivals { member.looks.saturating_add(1) } else { 1 };
        member.arrivals = arrivals;
        self.call(state, pe)
    }

    /// A call of `pe`: operations that are due arrive, and the turn may pass.
    fn call<'s>(&'s self, mut guard: MutexGuard<'s, State>, pe: u32) -> MutexGuard<'s, State> {
        let state = &mut *guard;
        state.network.step();
        let arrived = state.network.deliver_due();
        match state.turn {
            Turn::Over => return guard,
            Turn::Free => {
                if arrived > 0 {
                    self.beds.iter().for_each(Condvar::notify_all);
                }
                return if state.waits(pe) { self.nap(guard, pe) } else { guard };
            }
            Turn::Of(_) => {}
        }
        if arrived > 0 {
            state.last_looks = 0;
        }
        let said = |_| format!("PE {pe} is kept from running at a call");
        if state.waits(pe) {
            if !self.pass_on(state, pe) && state.last_looks > LAST_LOOKS * state.pes.len() as u32 {
                drop(guard);
                panic!("all PEs wait, and nothing is under way: no PE will ever go on");
            }
        } else if state.choices.make((What::Switch, pe), SWITCH - 1, 1, said) > 0
            && let Some(next) = state.another(pe)
        {
            self.pass_to(state, next);
        }
        self.sleep(guard, pe, |_| false)
    }
}
