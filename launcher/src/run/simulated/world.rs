//! The hosts of a simulated job, its processes, and its mishaps.

use crate::run::event::Event;
use crate::run::process_end::ProcessEnd;
use ferrite_bootstrap::wire::ToPe;
use ferrite_fabric::Pe;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The network to a host fails silently.
    Cut(usize),
    /// No message leaves or reaches a host for this time; then all of them do.
    Stall(usize, Duration),
    /// The agent of a host is killed.
    Death(usize),
    /// A PE is killed.
    Killed(Pe),
    /// A PE exits early with this code.
    Exits(Pe, u8),
}

/// The parameters of a simulated world. Times are drawn between two bounds.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// Seed of all random choices.
    pub seed: u64,
    /// Delivery time of a message.
    pub delay: [Duration; 2],
    /// Time from the start of a remote shell to its agent's first message.
    pub shell: [Duration; 2],
    /// Time that a PE takes for each of its steps.
    pub step: [Duration; 2],
    /// PEs look up values that others have published, if the release does not carry them.
    pub looks_up: bool,
    /// A mishap, and the number of delivered messages at which it happens.
    pub mishap: Option<(u64, Mishap)>,
}

/// A process of a PE.
pub struct Process {
    pub host: usize,
    pub task: Option<AbortHandle>,
    pub inbox: UnboundedSender<ToPe>,
    /// SIGTERM does not end it.
    pub deaf: bool,
}

#[derive(Default)]
pub struct Host {
    /// The event queue of oshrun, or of the host's agent.
    pub events: Option<UnboundedSender<Event>>,
    pub agent: Option<AbortHandle>,
    /// Processes that have ended and were not reaped.
    pub ended: Vec<(Pe, ProcessEnd)>,
    pub stalled_until: Option<Instant>,
    pub cut: bool,
}

/// One direction of a connection: from, to, and where its bytes arrive.
pub struct Direction {
    pub ends: [usize; 2],
    pub arrives: UnboundedSender<Vec<u8>>,
}

pub struct World {
    pub weather: Weather,
    state: Cell<u64>,
    pub delivered: Cell<u64>,
    pub hosts: RefCell<Vec<Host>>,
    pub processes: RefCell<BTreeMap<Pe, Process>>,
    pub directions: RefCell<Vec<Direction>>,
    /// Number of PEs that were released from their first exchange, and the time of the last release.
    pub released: Cell<(u32, Option<Instant>)>,
    /// Violations that were found.
    pub wrong: RefCell<BTreeSet<String>>,
    /// Whether the mishap has happened.
    pub struck: Cell<bool>,
}

impl World {
    pub fn new(hosts: usize, weather: Weather) -> Rc<World> {
        Rc::new(World {
            weather,
            state: Cell::new(weather.seed),
            delivered: Cell::new(0),
            hosts: RefCell::new((0..hosts).map(|_| Host::default()).collect()),
            processes: RefCell::default(),
            directions: RefCell::default(),
            released: Cell::default(),
            wrong: RefCell::default(),
            struck: Cell::new(false),
        })
    }

    /// Draw a number below `limit`.
    pub fn draw(&self, limit: u64) -> u64 {
        // SplitMix64.
        let state = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }

    /// Draw a time between two bounds.
    pub fn between(&self, [least, most]: [Duration; 2]) -> Duration {
        least + Duration::from_micros(self.draw((most - least).as_micros() as u64 + 1))
    }

    /// Count a delivered message. Strike if it is the mishap's turn.
    pub fn count(&self) {
        self.delivered.set(self.delivered.get() + 1);
        if let Some((at, mishap)) = self.weather.mishap
            && at == self.delivered.get()
        {
            self.strike(mishap);
        }
    }

    fn strike(&self, mishap: Mishap) {
        self.struck.set(true);
        match mishap {
            Mishap::Cut(host) => self.hosts.borrow_mut()[host].cut = true,
            Mishap::Stall(host, time) => self.hosts.borrow_mut()[host].stalled_until = Some(Instant::now() + time),
            Mishap::Death(host) => self.kill_agent(host),
            Mishap::Killed(pe) => self.end(pe, ProcessEnd::Signal { number: libc::SIGKILL, core: false }),
            Mishap::Exits(pe, code) => self.end(pe, ProcessEnd::Exit(code)),
        }
    }

    /// Kill an agent. Everything that it has started ends with it: its PEs, and the remote shells of the agents below it.
    fn kill_agent(&self, host: usize) {
        let agent = self.hosts.borrow_mut()[host].agent.take();
        agent.inspect(AbortHandle::abort);
        self.kill_all(host);
        self.close(|[from, to]| from == host || to == host);
    }

    /// Kill the PEs of a host, without any event.
    pub fn kill_all(&self, host: usize) {
        self.processes.borrow_mut().retain(|_, process| {
            let dies = process.host == host;
            process.task.iter().filter(|_| dies).for_each(AbortHandle::abort);
            !dies
        });
    }

    pub fn end(&self, pe: Pe, end: ProcessEnd) {
        let Some(process) = self.processes.borrow_mut().remove(&pe) else { return };
        process.task.inspect(AbortHandle::abort);
        let host = &mut self.hosts.borrow_mut()[process.host];
        host.ended.push((pe, end));
        host.events.iter().for_each(|events| _ = events.send(Event::Signal(libc::SIGCHLD)));
    }

    /// Close connections. A connection to a host that is cut off delivers no end.
    pub fn close(&self, whose: impl Fn([usize; 2]) -> bool) {
        let hosts = self.hosts.borrow();
        self.directions.borrow_mut().retain(|direction| {
            let ends = whose(direction.ends);
            if ends && !direction.ends.iter().any(|&host| hosts[host].cut) {
                let _ = direction.arrives.send(Vec::new());
            }
            !ends
        });
    }

    pub fn is_wrong(&self, what: String) {
        self.wrong.borrow_mut().insert(what);
    }
}
