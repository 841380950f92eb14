//! The steps of a trial's lane: take the next step of its program, or wait for it.

use super::{Buffer, LaneRun, Posted, Run, buffer, bytes};
use crate::engine::{
    model::{NOBODY, Plan},
    network::SEGMENT,
    program::Action,
};
use ferrite_engine::{Amo, Pe, SignalOp};
use ferrite_fabric::{Op, Remote, Stage, Ticket};
use std::sync::atomic::Ordering::Relaxed;

/// Number of polls after which a lane has polled its own port and the service's, and after which it has polled the ports of other lanes,
/// too.
const POLLS_OF_OWN: usize = 17;
const POLLS_OF_OTHERS: usize = 65;

impl Run<'_> {
    /// Step a lane until there is news for its PE, or its program has advanced. Returns true if so, false after the maximum number of
    /// polls.
    pub fn step_until_news(&mut self, lane: usize) -> Result<bool, String> {
        let pe = self.lanes[lane].pe;
        let state = |run: &Self| (run.lanes[lane].next, run.network().told(pe));
        let before = state(self);
        let polls = if self.trial.lanes_each() > 1 { POLLS_OF_OTHERS } else { POLLS_OF_OWN };
        for _ in 0..polls {
            self.step(lane)?;
            if state(self) != before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A lane takes the next step of its program, or waits for it. At the end of its program it serves peers.
    pub fn step(&mut self, lane: usize) -> Result<(), String> {
        let program = &self.trial.programs[lane];
        let action = program.get(self.lanes[lane].next).filter(|_| !self.has_ended(lane)).copied();
        let LaneRun { lane: handle, last, pe, .. } = &self.lanes[lane];
        let (last, pe) = (*last, *pe);
        let may_fail = self.awaits_the_dead(pe);
        let is_done = match action {
            None => {
                handle.progress();
                false
            }
            Some(Action::Fence) => {
                handle.fence();
                self.model.fence(lane);
                true
            }
            Some(Action::Local) => {
                let is_local = handle.is_local(last);
                self.look()?;
                if is_local {
                    self.are_local(lane, |posted| posted.ticket == last)?;
                }
                is_local
            }
            Some(Action::AllLocal) => {
                let is_local = handle.has_reached(Stage::Local, last);
                self.look()?;
                if is_local {
                    self.are_local(lane, |posted| posted.ticket <= last)?;
                }
                is_local
            }
            Some(Action::Quiet) => {
                let is_quiet = handle.has_reached(Stage::Remote, last);
                self.look()?;
                if is_quiet {
                    self.are_complete(lane, |posted| posted.ticket <= last)?;
                }
                is_quiet
            }
            Some(Action::QuietAt(peer)) => {
                let is_quiet = handle.is_quiet_at(Pe(peer as u32));
                self.look()?;
                if is_quiet {
                    self.are_complete(lane, |posted| posted.target == peer)?;
                }
                is_quiet
            }
            Some(action) => self.post(lane, &action)?,
        };
        self.lanes[lane].next += usize::from(is_done);
        let is_curious = {
            let times = self.trial.curious;
            self.network().adversary.once_in(times)
        };
        if is_curious {
            self.ask(lane)?;
        }
        self.look()?;
        self.check()?;
        match self.engines[pe].fault() {
            Some(fault) if !self.faulty[pe] && !may_fail => Err(format!("PE {pe} has a fault: {fault}")),
            fault => {
                self.faulty[pe] = fault.is_some();
                Ok(())
            }
        }
    }

    /// True if `pe` waits for a PE that is dead: an operation to it was posted, or is about to be.
    fn awaits_the_dead(&self, pe: usize) -> bool {
        let Some((dead, _)) = self.trial.dies.filter(|_| self.is_lost) else { return false };
        let mut lanes = self.beside(pe * self.trial.lanes_each());
        lanes.any(|number| {
            let lane = &self.lanes[number];
            let next = self.trial.programs[number].get(lane.next);
            let is_posting =
                next.is_some_and(|action| !matches!(action, Action::QuietAt(_)) && action.target() == Some(dead));
            is_posting || lane.posted.iter().any(|posted| posted.target == dead)
        })
    }

    /// Query the tickets up to which all operations are complete, and check them.
    fn ask(&mut self, lane: usize) -> Result<(), String> {
        let handle = &self.lanes[lane].lane;
        let now = [handle.reached(Stage::Remote), handle.reached(Stage::Local)];
        let before = std::mem::replace(&mut self.lanes[lane].reached, now);
        if now[0] < before[0] || now[1] < before[1] || now[1] < now[0] {
            return Err(format!("lane {lane} was told {before:?} and then {now:?}"));
        }
        self.look()?;
        self.are_local(lane, |posted| posted.ticket <= now[1])?;
        self.are_complete(lane, |posted| posted.ticket <= now[0])
    }

    /// The engine has reported that these operations do not need the program's memory any more.
    fn are_local(&mut self, lane: usize, which: impl Fn(&Posted) -> bool) -> Result<(), String> {
        let LaneRun { posted, given_back, .. } = &mut self.lanes[lane];
        for posted in posted.iter_mut().filter(|posted| which(posted)) {
            let Some(memory) = posted.memory.take() else { continue };
            if posted.fetches {
                self.model.fetched(lane, posted.number, &bytes(&memory))?;
            } else {
                memory.iter().for_each(|byte| byte.store(NOBODY, Relaxed));
            }
            let left = bytes(&memory);
            given_back.push((memory, left));
        }
        posted.retain(|posted| !posted.fetches || posted.memory.is_some());
        Ok(())
    }

    /// The engine has reported that these operations are complete at their targets.
    fn are_complete(&mut self, lane: usize, which: impl Fn(&Posted) -> bool) -> Result<(), String> {
        self.are_local(lane, &which)?;
        let model = &mut self.model;
        self.lanes[lane].posted.retain(|posted| {
            let is_complete = which(posted);
            if is_complete {
                model.complete(lane, posted.number);
            }
            !is_complete
        });
        Ok(())
    }

    /// Post an operation. Returns false if it was refused; true if it was accepted, or if the model has no place for it.
    pub(super) fn post(&mut self, lane: usize, action: &Action) -> Result<bool, String> {
        let (Some(plan), Some(target)) = (self.model.begin(lane, action), action.target()) else { return Ok(true) };
        let (op, memory, fetches) = self.operation(lane, action, target, plan);
        let copied = !fetches && memory.len() <= self.engines[self.lanes[lane].pe].caps().inject_bytes_max;
        let LaneRun { lane: handle, last, posted, .. } = &mut self.lanes[lane];
        // SAFETY: the memory is kept until the run ends.
        let Ok(ticket) = (unsafe { handle.post(&op) }) else {
            handle.progress();
            self.model.retract(lane);
            return Ok(false);
        };
        if ticket != Ticket::NONE && ticket <= std::mem::replace(last, ticket) {
            return Err(format!("lane {lane} got {ticket:?} after {last:?}"));
        }
        self.count += 1;
        posted.push(Posted { ticket, number: plan.number, target, fetches, memory: Some(memory) });
        self.look()?;
        if ticket == Ticket::NONE {
            self.are_complete(lane, |posted| posted.number == plan.number)?;
        } else if copied {
            self.are_local(lane, |posted| posted.number == plan.number)?;
        }
        Ok(true)
    }

    /// The operation of an action, the memory that it uses, and whether it fetches.
    fn operation(&self, lane: usize, action: &Action, target: usize, plan: Plan) -> (Op, Buffer, bool) {
        let remote = |offset: usize| Remote { pe: Pe(target as u32), segment: SEGMENT, offset: offset as u64 };
        let atomic = |(at, width), op, fetch: bool| {
            let result = buffer(if fetch { 8 } else { 0 }, NOBODY);
            let place = if fetch { result.as_ptr().cast_mut().cast() } else { std::ptr::null_mut() };
            let Plan { operand, compare, .. } = plan;
            (Op::Amo { at: remote(at), width, op, operand, compare, fetch: place }, result, fetch)
        };
        match *action {
            Action::Put { at, len, .. } => {
                let source = buffer(len, plan.number as u8);
                let to = remote(self.layout.data(lane) + at);
                (Op::Put { to, from: source.as_ptr().cast(), len }, source, false)
            }
            Action::PutSignal { at, len, bit, .. } => {
                let source = buffer(len, plan.number as u8);
                let (to, from) = (remote(self.layout.data(lane) + at), source.as_ptr().cast());
                let (signal, op) = match bit {
                    Some(word) => (self.layout.bits(word).0, SignalOp::Add),
                    None => (self.layout.own_word(lane), SignalOp::Set),
                };
                (Op::PutSignal { to, from, len, signal: remote(signal), op, value: plan.operand }, source, false)
            }
            Action::Get { of, at, len, .. } => {
                let result = buffer(len, NOBODY);
                let from = remote(self.layout.data(of) + at);
                (Op::Get { from, to: result.as_ptr().cast_mut().cast(), len }, result, true)
            }
            Action::Bit { word, op, fetch, .. } => atomic(self.layout.bits(word), op, fetch),
            Action::Swap { word, compare, .. } => {
                atomic(self.layout.swap(word), if compare { Amo::CompareSwap } else { Amo::Swap }, true)
            }
            _ => atomic((self.layout.own_word(lane), ferrite_engine::Width::W64), Amo::Set, false),
        }
    }
}
