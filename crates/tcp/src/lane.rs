//! A context's stream of operations over the connections of its PE.

use crate::{
    asker::Local,
    channel::Channel,
    channels::TRIED_MAX,
    shared::{Shared, Visitor},
};
use ferrite_fabric::{Busy, Lane, Op, Pe, Stage, Ticket, mutex};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

/// So many completions may be outstanding that cannot be told by one number.
const RUNS_MAX: usize = 8 << 10;
/// A quarter of them is kept for peers to which nothing is under way, so that no peer that has stopped holds up all others.
const RUNS_SHARED: usize = RUNS_MAX / 4 * 3;
/// From so many on, targets are asked without anybody's asking here, once in so many operations.
const RUNS_ASKED: usize = RUNS_MAX / 4;

/// Full books are searched at one refusal in so many, for all that is in them may take its time.
const STRIKE_EVERY: u32 = 64;

/// Among many connections, a lane looks at those from which it expects something; once in so many times it looks for others
/// even if it found something there.
const OTHERS_EVERY: u64 = 16;

/// Consecutive tickets that are consecutive frames of one connection: a stream of operations to a peer is one run.
struct Run {
    number: usize,
    ticket: u64,
    frame: u64,
    len: u64,
}

impl Run {
    fn is_done(&self, used: &[Used]) -> bool {
        used[self.number].channel.marks.done() >= self.frame
    }
}

/// A ticket that is not complete here before something happens on its connection.
struct Pending {
    ticket: u64,
    number: usize,
    frame: u64,
    local: Local,
}

impl Pending {
    fn is_complete(&self, used: &[Used]) -> bool {
        let marks = &used[self.number].channel.marks;
        match self.local {
            Local::Now => true,
            Local::Sent(position) => marks.sent() >= position,
            Local::Done => marks.done() >= self.frame,
        }
    }
}

struct Used {
    channel: Arc<Channel>,
    active: bool,
    /// The last frame that was issued here.
    last: u64,
}

#[derive(Default)]
struct State {
    numbers: HashMap<Pe, usize>,
    used: Vec<Used>,
    /// The one that was used last.
    recent: usize,
    /// Those that have something to send or to hear.
    active: Vec<usize>,
    issued: u64,
    wanted: u64,
    runs: VecDeque<Run>,
    pending: VecDeque<Pending>,
    refusals: u32,
}

/// See [`Lane`].
pub struct TcpLane {
    shared: Arc<Shared>,
    state: Mutex<State>,
}

impl TcpLane {
    /// A new stream.
    pub fn new(shared: Arc<Shared>) -> Self {
        TcpLane { shared, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    /// Whether what is awaited has `arrived`, after one step of progress if it had not.
    #[inline]
    fn look(&self, arrived: impl Fn(&mut State) -> bool) -> bool {
        let mut state = self.state();
        arrived(&mut state) || state.progress(&self.shared) > 0 && arrived(&mut state)
    }
}

impl Lane for TcpLane {
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.fate.is_sound() {
            return Err(Busy);
        }
        let mut state = self.state();
        let number = state.number(&self.shared, op.target())?;
        if state.outstanding() >= RUNS_ASKED && !state.has_room_for(number) {
            return Err(Busy);
        }
        // SAFETY: as the caller says.
        let posted = unsafe { state.used[number].channel.post(op) };
        let (posted, turned) = posted.map_err(|error| {
            self.shared.fate.fail(&error);
            Busy
        })??;
        // The service thread moves what is left here, and keeps an eye on the host.
        if turned {
            self.shared.bell.rouse();
        }
        Ok(state.issue(number, posted.frame, posted.local))
    }

    /// Nothing to do: all operations at a PE travel on one connection and are applied in their order there.
    fn fence(&self) {}

    fn reached(&self, stage: Stage) -> Ticket {
        self.state().reached(stage)
    }

    fn progress(&self) -> usize {
        mutex::try_lock(&self.state).map_or(0, |mut state| state.progress(&self.shared))
    }

    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.look(|state| state.reached(stage) >= ticket)
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.look(|state| state.is_local(ticket.0))
    }

    fn is_quiet_at(&self, pe: Pe) -> bool {
        self.look(|state| state.is_quiet_at(pe))
    }
}

/// Progress where it would cost too much to try every connection: those from which this lane expects something are tried,
/// unless they are many as well, and the kernel is asked for others.
fn among_many(shared: &Shared, used: &[Used], active: &[usize]) -> usize {
    let active = active.iter().map(|&number| &used[number].channel);
    let others_turn = shared.visits.so_far().is_multiple_of(OTHERS_EVERY);
    if others_turn {
        // What was posted on another lane may be what this one waits for, and the kernel tells nothing of it.
        shared.channels.push_waiting();
    }
    if active.len() > TRIED_MAX {
        return active.map(|channel| channel.push()).sum::<usize>() + shared.visit_ready(Visitor::Program);
    }
    let happened = active.map(|channel| shared.visit(channel, Visitor::Program)).sum();
    if happened > 0 && !others_turn {
        return happened;
    }
    happened + shared.visit_ready(Visitor::Program)
}

impl State {
    #[inline]
    fn reached(&mut self, stage: Stage) -> Ticket {
        Ticket(match stage {
            Stage::Local => self.local(),
            Stage::Remote => {
                self.want();
                self.remote()
            }
        })
    }

    fn progress(&mut self, shared: &Shared) -> usize {
        shared.visits.count(1);
        let happened = if shared.channels.are_few() {
            shared.visit_ready(Visitor::Program)
        } else {
            among_many(shared, &self.used, &self.active)
        };
        let used = &mut self.used;
        self.active.retain(|&number| {
            let used = &mut used[number];
            used.active = !used.channel.marks.is_idle();
            used.active
        });
        happened
    }

    #[inline]
    fn number(&mut self, shared: &Shared, pe: Pe) -> Result<usize, Busy> {
        match self.used.get(self.recent) {
            Some(used) if used.channel.peer == pe => {}
            _ => self.recent = self.find(shared, pe)?,
        }
        Ok(self.recent)
    }

    fn find(&mut self, shared: &Shared, pe: Pe) -> Result<usize, Busy> {
        if let Some(&number) = self.numbers.get(&pe) {
            return Ok(number);
        }
        let channel = shared.channel(pe).map_err(|error| {
            shared.fate.fail(&error);
            Busy
        })?;
        let number = self.used.len();
        self.used.push(Used { channel, active: false, last: 0 });
        self.numbers.insert(pe, number);
        Ok(number)
    }

    /// Completions that the books hold.
    #[inline]
    fn outstanding(&self) -> usize {
        self.runs.len().max(self.pending.len())
    }

    /// Whether the books have room for an operation at this peer.
    fn has_room_for(&mut self, number: usize) -> bool {
        let held = self.tidy();
        held < RUNS_SHARED || held < RUNS_MAX && self.is_quiet(number)
    }

    /// Strike out what is complete, and see to it that there will be more; gives what is left. Programs need not ask.
    #[cold]
    fn tidy(&mut self) -> usize {
        if self.issued - self.wanted >= RUNS_ASKED as u64 || self.outstanding() >= RUNS_MAX {
            self.want();
        }
        self.remote();
        self.local();
        if self.outstanding() >= RUNS_MAX {
            self.refusals = self.refusals.wrapping_add(1);
            if self.refusals.is_multiple_of(STRIKE_EVERY) {
                self.strike_out();
            }
        }
        self.outstanding()
    }

    /// Strike out also what was complete behind something that takes long, lest a large put hold up what goes on beside it.
    #[cold]
    fn strike_out(&mut self) {
        let used = &self.used;
        self.pending.retain(|pending| !pending.is_complete(used));
        self.runs.retain(|run| !run.is_done(used));
    }

    #[inline]
    fn activate(&mut self, number: usize) {
        if !self.used[number].active {
            self.used[number].active = true;
            self.active.push(number);
        }
    }

    #[inline]
    fn issue(&mut self, number: usize, frame: u64, local: Local) -> Ticket {
        self.activate(number);
        self.used[number].last = frame;
        self.issued += 1;
        let ticket = self.issued;
        match self.runs.back_mut() {
            Some(run) if run.number == number && run.frame + 1 == frame && run.ticket + 1 == ticket => {
                run.ticket = ticket;
                run.frame = frame;
                run.len += 1;
            }
            _ => self.runs.push_back(Run { number, ticket, frame, len: 1 }),
        }
        if local != Local::Now {
            self.pending.push_back(Pending { ticket, number, frame, local });
        }
        Ticket(ticket)
    }

    /// Ask the targets of what was issued since the last time.
    fn want(&mut self) {
        if self.wanted == self.issued {
            return;
        }
        for at in (0..self.runs.len()).rev() {
            let Run { number, ticket, frame, .. } = self.runs[at];
            if ticket <= self.wanted {
                break;
            }
            self.used[number].channel.marks.want(frame);
            self.activate(number);
        }
        self.wanted = self.issued;
    }

    /// Whether a PE has applied all that was issued for it; it is asked, if nobody has.
    fn is_quiet_at(&mut self, pe: Pe) -> bool {
        self.numbers.get(&pe).copied().is_none_or(|number| self.is_quiet(number))
    }

    fn is_quiet(&mut self, number: usize) -> bool {
        let Used { channel, last, .. } = &self.used[number];
        if channel.marks.done() >= *last {
            return true;
        }
        channel.marks.want(*last);
        self.activate(number);
        false
    }

    fn remote(&mut self) -> u64 {
        while let Some(run) = self.runs.front() {
            let done = self.used[run.number].channel.marks.done();
            if done < run.frame {
                return run.ticket - (run.frame - done).min(run.len);
            }
            self.runs.pop_front();
        }
        self.issued
    }

    fn local(&mut self) -> u64 {
        while let Some(pending) = self.pending.front() {
            if !pending.is_complete(&self.used) {
                return pending.ticket - 1;
            }
            self.pending.pop_front();
        }
        self.issued
    }

    /// This operation is complete here, whatever is pending before it.
    fn is_local(&mut self, ticket: u64) -> bool {
        if self.local() >= ticket {
            return true;
        }
        let found = self.pending.binary_search_by_key(&ticket, |pending| pending.ticket);
        found.map_or(ticket <= self.issued, |at| self.pending[at].is_complete(&self.used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, TcpFabric};
    use ferrite_fabric::{AddressBook, Error, Fabric, Key, Remote, Segment, SegmentId};
    use std::time::{Duration, Instant};

    struct Addresses(Vec<Vec<u8>>);

    impl AddressBook for Addresses {
        fn address(&self, pe: Pe) -> ferrite_fabric::Result<Vec<u8>> {
            Ok(self.0[pe.0 as usize].clone())
        }

        fn key(&self, _: Pe, _: SegmentId) -> ferrite_fabric::Result<Key> {
            Err(Error::new("no keys"))
        }
    }

    /// Where connections are many, a lane that is waited on sends what another has posted.
    #[test]
    fn what_another_lane_has_posted_goes_out() {
        const SIZE: u32 = 5;
        const ROUNDS: u32 = 50;
        let words = [const { std::sync::atomic::AtomicU64::new(0) }; SIZE as usize];
        let fabrics: Vec<_> = (0..SIZE)
            .map(|me| {
                let interface = Some("127.0.0.1".to_owned());
                let fabric = TcpFabric::new(Options { interface, ..Options::new(Pe(me), SIZE, [5; 16]) }).unwrap();
                let segment = Segment { id: SegmentId::HEAP, base: words[me as usize].as_ptr().cast(), len: 8 };
                // SAFETY: the fabrics end before the words.
                unsafe { fabric.register(segment) }.unwrap();
                fabric
            })
            .collect();
        let book = Arc::new(Addresses(fabrics.iter().map(|fabric| fabric.address()).collect()));
        fabrics.iter().for_each(|fabric| fabric.connect(book.clone()).unwrap());
        let (one, other) = (fabrics[0].lane().unwrap(), fabrics[0].lane().unwrap());
        let value = 7_u64.to_ne_bytes();
        let put = |pe| {
            let op = Op::Put {
                to: Remote { pe: Pe(pe), segment: SegmentId::HEAP, offset: 0 },
                from: value.as_ptr(),
                len: value.len(),
            };
            loop {
                // SAFETY: the value outlives the lanes.
                match unsafe { one.post(&op) } {
                    Ok(ticket) => return ticket,
                    Err(Busy) => _ = one.progress(),
                }
            }
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut sent = 0;
        for _ in 0..ROUNDS {
            let last = (1..SIZE).map(put).last().unwrap();
            for _ in 0..2 * OTHERS_EVERY {
                other.progress();
            }
            let waiting = |channel: &Arc<Channel>| channel.marks.is_waiting();
            sent += u32::from(!fabrics[0].shared.channels.all().iter().any(waiting));
            while one.reached(Stage::Remote) < last {
                assert!(Instant::now() < deadline);
                one.progress();
            }
        }
        // Not in all: the service thread may have a connection in its hands.
        assert!(sent > ROUNDS / 2, "{sent} of {ROUNDS}");
    }
}
