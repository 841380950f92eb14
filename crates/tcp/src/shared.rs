//! What the lanes, the service thread and the fabric itself share.

use crate::{
    address::Ears,
    channel::Channel,
    channels::Channels,
    dial::dial,
    end::End,
    pairs::Pairs,
    proof::{Admission, Secret},
};
use ferrite_fabric::{AddressBook, Bell, Doze, Error, Fate, Pe, Result, segments::Segments, tick::Visits};
use std::{
    net::TcpStream,
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Duration,
};

/// How long a connection is waited for of which the peer has said that it comes.
const CROSSING_MAX: Duration = Duration::from_secs(5);

/// How a PE takes part.
#[derive(Clone, Debug)]
pub struct Options {
    /// Its number.
    pub me: Pe,
    /// How many there are.
    pub size: u32,
    /// What they all know.
    pub secret: Secret,
    /// Listen only there: an interface's name, an address, or a network as `10.1.0.0/16`.
    pub interface: Option<String>,
    /// How long to try to reach a peer.
    pub patience: Duration,
    /// How long a stranger has to prove itself.
    pub proof_time: Duration,
    /// After how long without a sign of life, of the peer's kernel, an idle connection counts as lost.
    pub silence: Duration,
    /// Sizes of a connection's two buffers in the kernel, which chooses them well by itself: for tests of what happens
    /// when they are full.
    pub buffer_bytes: Option<usize>,
}

impl Options {
    /// What suits most: all interfaces, 30 s to reach a peer, 5 s for a proof and for a silent host.
    pub fn new(me: Pe, size: u32, secret: [u8; 16]) -> Self {
        Options {
            me,
            size,
            secret: Secret(secret),
            interface: None,
            patience: Duration::from_secs(30),
            proof_time: Duration::from_secs(5),
            silence: Duration::from_secs(5),
            buffer_bytes: None,
        }
    }
}

/// Who visits a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Visitor {
    /// A thread of the program, which will come again while it waits for something.
    Program,
    /// The service thread, which sleeps until it is woken.
    Service,
}

/// The state of a fabric.
pub struct Shared {
    pub options: Options,
    pub ears: Ears,
    pub memory: Segments,
    pub channels: Channels,
    pub pairs: Pairs,
    pub book: OnceLock<Arc<dyn AddressBook>>,
    pub bell: Bell,
    pub visits: Visits,
    pub fate: Fate,
    /// The service thread shall end.
    pub stopping: AtomicBool,
}

impl Shared {
    /// Nothing is connected yet.
    pub fn new(options: Options, ears: Ears) -> Result<Self> {
        Ok(Shared {
            fate: Fate::new(options.me),
            pairs: Pairs::new(options.me, CROSSING_MAX.min(options.patience)),
            options,
            ears,
            memory: Segments::default(),
            channels: Channels::new()?,
            book: OnceLock::new(),
            bell: Bell::new()?,
            visits: Visits::default(),
            stopping: AtomicBool::new(false),
        })
    }

    /// The connection for requests to `to`, made now if there is none.
    pub fn channel(&self, to: Pe) -> Result<Arc<Channel>> {
        let reach = || {
            let book = self.book.get().ok_or_else(|| Error::new("no address book: connect comes before operations"))?;
            dial(&self.options, &self.ears, to, &book.address(to)?)
        };
        let channel = self.pairs.join(to, reach, |socket| self.channels.add(socket, to))?;
        tracing::debug!(me = %self.options.me, %to, "connected");
        Ok(channel)
    }

    /// `from` has proven itself: what it is told. [`Shared::admit`] follows, or `Pairs::forget`.
    pub fn judge(&self, from: Pe) -> Admission {
        self.pairs.judge(from)
    }

    /// `from` has been told, and this is its connection.
    pub fn admit(&self, from: Pe, socket: TcpStream) {
        // Where it comes from is where others may be reached.
        if let Ok(at) = socket.peer_addr() {
            self.ears.networks.proven(at.ip());
        }
        match self.channels.add(socket, from) {
            Ok(channel) => self.pairs.admit(from, &channel),
            Err(error) => {
                self.pairs.forget(from);
                self.fate.fail(&error);
            }
        }
    }

    /// Visit whichever channels have something; gives the number of things that happened.
    pub fn visit_ready(&self, by: Visitor) -> usize {
        self.channels.visit_ready(|channel| self.try_visit(channel, by), |channel, end| self.ended(channel, &end))
    }

    /// Sleep until a peer speaks, or `limit` has passed. What a thread of the program does that waits for nothing else.
    pub fn doze(&self, limit: Duration) -> Doze {
        if self.channels.keep_watch() {
            self.watch();
        }
        Doze::on([self.channels.ready()], limit)
    }

    /// Have whoever sleeps on the channels woken by them.
    pub fn watch(&self) {
        if let Err(error) = self.channels.watch() {
            self.fate.fail(&error);
        }
    }

    /// Visit one.
    #[inline]
    pub fn visit(&self, channel: &Arc<Channel>, by: Visitor) -> usize {
        self.try_visit(channel, by).unwrap_or_else(|end| {
            self.ended(channel, &end);
            1
        })
    }

    #[inline]
    fn try_visit(&self, channel: &Channel, by: Visitor) -> Result<usize, End> {
        let sleeps = match by {
            Visitor::Program => !self.channels.are_few(),
            Visitor::Service => true,
        };
        let visited = self.channels.visit(channel, &self.memory, sleeps);
        if by == Visitor::Program && channel.marks.is_waiting() {
            self.bell.rouse();
        }
        visited
    }

    /// A peer that left without saying so is a fault; one that asked for what does not exist is sent away, and
    /// learns why: it is that peer whose job is in error.
    fn ended(&self, channel: &Arc<Channel>, end: &End) {
        self.channels.remove(channel, end);
        let (me, peer) = (self.options.me, channel.peer);
        match end {
            End::Over => tracing::debug!(%me, %peer, "a connection has ended"),
            End::Dropped(why) => tracing::warn!(%me, %peer, "a connection was dropped: {why}"),
            End::Fault(error) => self.fate.fail(error),
        }
    }
}
