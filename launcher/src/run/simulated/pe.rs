//! A simulated PE: joins, exchanges values, prints, leaves.

use super::world::World;
use crate::run::event::Event;
use crate::run::output_stream::OutputStream;
use crate::run::process_end::ProcessEnd;
use ferrite_bootstrap::wire::{ToLauncher, ToPe, VERSION};
use ferrite_fabric::Pe;
use std::rc::Rc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep};

/// The output of every PE.
pub const PRINTED: &[u8] = b"hi\n";

/// The process id of a PE.
pub fn pid(pe: Pe) -> i32 {
    1000 + pe.0.cast_signed()
}

/// Run the PE to its end.
pub async fn run(
    world: Rc<World>,
    pe: Pe,
    size: u32,
    mut inbox: UnboundedReceiver<ToPe>,
    events: UnboundedSender<Event>,
) {
    let say = |message| _ = events.send(Event::PeMessage { pe, pid: pid(pe), message });
    let pass = || sleep(world.between(world.weather.step));
    pass().await;
    say(ToLauncher::Hello { version: VERSION });
    if !matches!(inbox.recv().await, Some(ToPe::Welcome { me, .. }) if me == pe) {
        return world.is_wrong(format!("{pe} is not welcomed"));
    }
    say(ToLauncher::Join);
    for turn in 0..2_u8 {
        pass().await;
        say(ToLauncher::Exchange { published: vec![("key".into(), value(pe, turn))] });
        let Some(ToPe::Released { entries }) = inbox.recv().await else {
            return world.is_wrong(format!("{pe} is not released"));
        };
        let (released, _) = world.released.get();
        world.released.set((released + 1, Some(Instant::now())));
        let other = Pe((pe.0 + 1) % size);
        let entries = match entries {
            Some(entries) => entries,
            None if !world.weather.looks_up => continue,
            None => {
                say(ToLauncher::Lookup { pe: other, key: "key".into() });
                match inbox.recv().await {
                    Some(ToPe::Found { entries }) => entries,
                    other => return world.is_wrong(format!("a look-up of {pe} is answered by {other:?}")),
                }
            }
        };
        if !entries.iter().any(|entry| entry.pe == other && entry.value == value(other, turn)) {
            world.is_wrong(format!("{pe} does not learn what {other} has published"));
        }
    }
    let _ = events.send(Event::PeOutput { pe, stream: OutputStream::Out, bytes: PRINTED.to_vec() });
    pass().await;
    say(ToLauncher::Leave);
    pass().await;
    world.end(pe, ProcessEnd::Exit(0));
}

fn value(pe: Pe, turn: u8) -> Vec<u8> {
    [&pe.0.to_le_bytes()[..], &[turn]].concat()
}
