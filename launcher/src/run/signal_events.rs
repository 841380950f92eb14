//! Turns signals, and the end of the supervisor, into events.

use super::Refusal;
use super::event::Event;
use super::supervisor::{ENDING, is_ignored};
use std::os::fd::OwnedFd;
use tokio::net::unix::pipe;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Turn signals into events. Call it before the first process is started. A signal that was ignored when oshrun was started (nohup, a
/// shell's `&`) stays ignored.
pub fn forward_signals(numbers: &[i32], events: &UnboundedSender<Event>) -> Result<(), Refusal> {
    for &number in numbers {
        if is_ignored(number) {
            continue;
        }
        let mut stream = signal(SignalKind::from_raw(number))
            .map_err(|error| Refusal::new(format!("cannot listen for signal {number}: {error}")))?;
        let events = events.clone();
        tokio::task::spawn_local(async move {
            while stream.recv().await.is_some() && events.send(Event::Signal(number)).is_ok() {}
        });
    }
    Ok(())
}

/// Send an event when the supervisor ends.
pub fn watch_supervisor(lifeline: OwnedFd, events: &UnboundedSender<Event>) -> Result<(), Refusal> {
    let pipe = pipe::Receiver::from_owned_fd(lifeline)
        .map_err(|error| Refusal::new(format!("cannot watch its parent: {error}")))?;
    let events = events.clone();
    tokio::task::spawn_local(async move {
        let _ = pipe.readable().await;
        let _ = events.send(Event::SupervisorEnded);
    });
    Ok(())
}

/// Wait for the next signal that ends a job, and return its number.
pub async fn next_ending_signal(happened: &mut UnboundedReceiver<Event>) -> i32 {
    loop {
        match happened.recv().await {
            Some(Event::Signal(number)) if ENDING.contains(&number) => return number,
            Some(_) => {}
            None => std::future::pending().await,
        }
    }
}
