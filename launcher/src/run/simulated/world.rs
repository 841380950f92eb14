//! The hosts of a simulated job, its processes, and what befalls them.

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

/// A mishap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// The network to a host is gone, without a word.
    Cut(usize),
    /// For so long nothing comes from a host or reaches it; then all of it does.
    Stall(usize, Duration),
    /// The agent of a host is killed.
    Death(usize),
    /// A PE is killed.
    Killed(Pe),
    /// A PE exits with a code before its time.
    Exits(Pe, u8),
}

/// How a world is.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// Decides what is left to chance.
    pub seed: u64,
    /// A message takes so long, between the two.
    pub delay: [Duration; 2],
    /// A remote shell takes so long until its agent speaks.
    pub shell: [Duration; 2],
    /// A PE takes so long for each of its steps.
    pub step: [Duration; 2],
    /// PEs look up what others have published, where that does not come with the release.
    pub looks_up: bool,
    /// What happens when so many messages were delivered.
    pub mishap: Option<(u64, Mishap)>,
}

/// A process of a PE.
pub struct Process {
    pub host: usize,
    pub task: Option<AbortHandle>,
    pub inbox: UnboundedSender<ToPe>,
    /// It does not end by SIGTERM.
    pub deaf: bool,
}

#[derive(Default)]
pub struct Host {
    /// What oshrun or the agent of the host handles.
    pub events: Option<UnboundedSender<Event>>,
    pub agent: Option<AbortHandle>,
    /// Processes that have ended, and were not reaped.
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
    /// PEs that were released from their first exchange, and when the last was.
    pub released: Cell<(u32, Option<Instant>)>,
    /// What was wrong.
    pub wrong: RefCell<BTreeSet<String>>,
    /// The mishap has happened.
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

    /// A number below `limit`.
    pub fn draw(&self, limit: u64) -> u64 {
        // SplitMix64.
        let state = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit.max(1)
    }

    /// A time between two.
    pub fn between(&self, [least, most]: [Duration; 2]) -> Duration {
        least + Duration::from_micros(self.draw((most - least).as_micros() as u64 + 1))
    }

    /// A message was delivered.
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

    /// Everything that an agent has started ends with it: its PEs, and the remote shells of the agents below it.
    fn kill_agent(&self, host: usize) {
        let agent = self.hosts.borrow_mut()[host].agent.take();
        agent.inspect(AbortHandle::abort);
        self.kill_all(host);
        self.close(|[from, to]| from == host || to == host);
    }

    /// The PEs of a host are killed, and nobody is told.
    pub fn kill_all(&self, host: usize) {
        self.processes.borrow_mut().retain(|_, process| {
            let dies = process.host == host;
            process.task.iter().filter(|_| dies).for_each(AbortHandle::abort);
            !dies
        });
    }

    /// A PE ends.
    pub fn end(&self, pe: Pe, end: ProcessEnd) {
        let Some(process) = self.processes.borrow_mut().remove(&pe) else { return };
        process.task.inspect(AbortHandle::abort);
        let host = &mut self.hosts.borrow_mut()[process.host];
        host.ended.push((pe, end));
        host.events.iter().for_each(|events| _ = events.send(Event::Signal(libc::SIGCHLD)));
    }

    /// Connections end, for those who can be reached.
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
