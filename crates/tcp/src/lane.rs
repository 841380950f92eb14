//! A context's stream of operations over the links of its PE.

use crate::{
    link::{Link, Local},
    shared::Shared,
};
use ferrite_fabric::{Busy, Lane, Op, Pe, Stage, Ticket};
use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    sync::{Arc, atomic::Ordering},
};

/// So many completions may be outstanding that cannot be told by one number.
const RUNS_MAX: usize = 8 << 10;
/// From so many on, targets are asked without anybody's asking here, once in so many operations.
const RUNS_ASKED: usize = RUNS_MAX / 4;

/// Consecutive tickets that are consecutive frames of one link: a stream of operations to a peer is one run.
struct Run {
    link: usize,
    ticket: u64,
    frame: u64,
    len: u64,
}

/// A ticket that is not complete here before something happens on its link.
struct Pending {
    ticket: u64,
    link: usize,
    frame: u64,
    local: Local,
}

struct Used {
    link: Arc<Link>,
    active: bool,
}

#[derive(Default)]
struct State {
    numbers: HashMap<Pe, usize>,
    links: Vec<Used>,
    /// The link that was used last.
    recent: usize,
    /// Links that have something to send or to hear.
    active: Vec<usize>,
    issued: u64,
    wanted: u64,
    runs: VecDeque<Run>,
    pending: VecDeque<Pending>,
}

/// See [`Lane`].
pub struct TcpLane {
    shared: Arc<Shared>,
    state: RefCell<State>,
}

impl TcpLane {
    /// A new stream.
    pub fn new(shared: Arc<Shared>) -> Self {
        TcpLane { shared, state: RefCell::default() }
    }
}

impl Lane for TcpLane {
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.is_sound() {
            return Err(Busy);
        }
        let state = &mut *self.state.borrow_mut();
        if state.outstanding() >= RUNS_ASKED && state.tidy() >= RUNS_MAX {
            return Err(Busy);
        }
        let number = state.number(&self.shared, target(op))?;
        // SAFETY: as the caller says.
        let posted = unsafe { state.links[number].link.post(op) };
        let (posted, turned) = posted.map_err(|error| {
            self.shared.fail(&error);
            Busy
        })??;
        // The service thread moves what is left here: it must know that there is something (see `service`).
        if turned && self.shared.parked.load(Ordering::Acquire) {
            self.shared.bell.ring();
        }
        Ok(state.issue(number, posted.frame, posted.local))
    }

    /// Nothing to do: all operations at a PE travel on one connection and are applied in their order there.
    fn fence(&self) {}

    fn reached(&self, stage: Stage) -> Ticket {
        let state = &mut *self.state.borrow_mut();
        Ticket(match stage {
            Stage::Local => state.local(),
            Stage::Remote => {
                state.want();
                state.remote()
            }
        })
    }

    fn progress(&self) -> usize {
        // Only that it changes matters, so a count lost between threads is none.
        let visits = &self.shared.visits;
        visits.store(visits.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        let mut happened = 0;
        let state = &mut *self.state.borrow_mut();
        let links = &mut state.links;
        state.active.retain(|&number| {
            let used = &mut links[number];
            match used.link.progress() {
                Ok(n) => happened += n,
                Err(error) => self.shared.fail(&error),
            }
            used.active = !used.link.is_idle();
            used.active
        });
        happened + self.shared.serve()
    }
}

#[inline]
fn target(op: &Op) -> Pe {
    match op {
        Op::Put { to, .. } | Op::PutSignal { to, .. } => to.pe,
        Op::Get { from, .. } => from.pe,
        Op::Amo { at, .. } => at.pe,
    }
}

impl State {
    #[inline]
    fn number(&mut self, shared: &Shared, pe: Pe) -> Result<usize, Busy> {
        match self.links.get(self.recent) {
            Some(used) if used.link.to == pe => {}
            _ => self.recent = self.find(shared, pe)?,
        }
        Ok(self.recent)
    }

    fn find(&mut self, shared: &Shared, pe: Pe) -> Result<usize, Busy> {
        if let Some(&number) = self.numbers.get(&pe) {
            return Ok(number);
        }
        let link = shared.link(pe).map_err(|error| {
            shared.fail(&error);
            Busy
        })?;
        let number = self.links.len();
        self.links.push(Used { link, active: false });
        self.numbers.insert(pe, number);
        Ok(number)
    }

    /// Completions that the books hold.
    #[inline]
    fn outstanding(&self) -> usize {
        self.runs.len().max(self.pending.len())
    }

    /// Strike out what is complete, and see to it that there will be more; gives what is left. Programs need not ask.
    #[cold]
    fn tidy(&mut self) -> usize {
        if self.issued - self.wanted >= RUNS_ASKED as u64 || self.outstanding() >= RUNS_MAX {
            self.want();
        }
        self.remote();
        self.local();
        self.outstanding()
    }

    #[inline]
    fn activate(&mut self, number: usize) {
        if !self.links[number].active {
            self.links[number].active = true;
            self.active.push(number);
        }
    }

    #[inline]
    fn issue(&mut self, link: usize, frame: u64, local: Local) -> Ticket {
        self.activate(link);
        self.issued += 1;
        let ticket = self.issued;
        match self.runs.back_mut() {
            Some(run) if run.link == link && run.frame + 1 == frame => {
                run.ticket = ticket;
                run.frame = frame;
                run.len += 1;
            }
            _ => self.runs.push_back(Run { link, ticket, frame, len: 1 }),
        }
        if local != Local::Now {
            self.pending.push_back(Pending { ticket, link, frame, local });
        }
        Ticket(ticket)
    }

    /// Ask the targets of what was issued since the last time.
    fn want(&mut self) {
        if self.wanted == self.issued {
            return;
        }
        for at in (0..self.runs.len()).rev() {
            let Run { link, ticket, frame, .. } = self.runs[at];
            if ticket <= self.wanted {
                break;
            }
            self.links[link].link.want(frame);
            self.activate(link);
        }
        self.wanted = self.issued;
    }

    fn remote(&mut self) -> u64 {
        while let Some(run) = self.runs.front() {
            let done = self.links[run.link].link.done();
            if done < run.frame {
                return run.ticket - (run.frame - done).min(run.len);
            }
            self.runs.pop_front();
        }
        self.issued
    }

    fn local(&mut self) -> u64 {
        while let Some(pending) = self.pending.front() {
            let link = &self.links[pending.link].link;
            let complete = match pending.local {
                Local::Now => true,
                Local::Sent(position) => link.sent() >= position,
                Local::Done => link.done() >= pending.frame,
            };
            if !complete {
                return pending.ticket - 1;
            }
            self.pending.pop_front();
        }
        self.issued
    }
}
