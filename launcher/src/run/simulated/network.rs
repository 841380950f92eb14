//! Connections between simulated hosts. They deliver in order and late, and can be cut off.

use super::world::{Direction, World};
use crate::run::agent_link::AgentLink;
use std::rc::Rc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

/// One end of a connection.
pub struct End {
    from: UnboundedReceiver<Vec<u8>>,
    to: UnboundedSender<Vec<u8>>,
}

impl End {
    /// The link over this end, and a function that closes it after all sent messages.
    pub fn link(self) -> (Rc<AgentLink>, impl FnOnce()) {
        let to = self.to.clone();
        (AgentLink::within(self.from, self.to), move || _ = to.send(Vec::new()))
    }
}

pub fn connect(world: &Rc<World>, [a, b]: [usize; 2]) -> [End; 2] {
    let (to_b, from_a) = direction(world, [a, b]);
    let (to_a, from_b) = direction(world, [b, a]);
    [End { from: from_b, to: to_b }, End { from: from_a, to: to_a }]
}

fn direction(world: &Rc<World>, ends: [usize; 2]) -> (UnboundedSender<Vec<u8>>, UnboundedReceiver<Vec<u8>>) {
    let (to, mut sent) = unbounded_channel::<Vec<u8>>();
    let (pass_on, mut passed) = unbounded_channel::<(Instant, Vec<u8>)>();
    let (arrives, from) = unbounded_channel();
    world.directions.borrow_mut().push(Direction { ends, arrives: arrives.clone() });
    let stamping = world.clone();
    tokio::task::spawn_local(async move {
        while let Some(bytes) = sent.recv().await {
            let at = Instant::now() + stamping.between(stamping.weather.delay);
            let _ = pass_on.send((at, bytes));
        }
    });
    let world = world.clone();
    tokio::task::spawn_local(async move {
        while let Some((at, bytes)) = passed.recv().await {
            sleep_until(at).await;
            if !is_passable(&world, ends).await {
                // The channel stays open, since a host that is cut off sees no end.
                std::future::pending::<()>().await;
            }
            if !bytes.is_empty() {
                world.count();
            }
            let is_end = bytes.is_empty();
            if arrives.send(bytes).is_err() || is_end {
                return;
            }
        }
    });
    (to, from)
}

/// Wait while an end is stalled. False if the connection is cut off.
async fn is_passable(world: &World, ends: [usize; 2]) -> bool {
    loop {
        let stalled = {
            let hosts = world.hosts.borrow();
            if ends.iter().any(|&host| hosts[host].cut) {
                return false;
            }
            ends.iter().filter_map(|&host| hosts[host].stalled_until).max()
        };
        match stalled {
            Some(until) if until > Instant::now() => sleep_until(until).await,
            _ => return true,
        }
    }
}
