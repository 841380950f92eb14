//! Waits for the remaining output when everything else of the job is over.

use super::event::Event;
use super::output::WriterStatus;
use super::signal_events;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep};

/// The way in which the writing of the remaining output ended.
#[derive(Debug)]
pub enum OutputEnd {
    /// All output was written.
    Written,
    /// The output was not read in time.
    Stuck,
    /// The user interrupted the writing with this signal.
    Unwanted(i32),
}

/// Wait for the output, for at most `grace`, or until a signal of the user ends the wait. Signals before `ignores_signals_until` do not
/// count.
pub async fn wait_for_output(
    written: &mut WriterStatus,
    happened: &mut UnboundedReceiver<Event>,
    grace: Duration,
    ignores_signals_until: Option<Instant>,
) -> OutputEnd {
    let insistence = async {
        loop {
            let signal = signal_events::next_ending_signal(happened).await;
            if !is_before(Instant::now(), ignores_signals_until) {
                return signal;
            }
        }
    };
    tokio::select! {
        biased;
        () = written.all() => OutputEnd::Written,
        signal = insistence => OutputEnd::Unwanted(signal),
        () = sleep(grace) => OutputEnd::Stuck,
    }
}

/// Whether `end` is set and still in the future.
pub fn is_before(now: Instant, end: Option<Instant>) -> bool {
    end.is_some_and(|end| now < end)
}

#[cfg(test)]
mod tests {
    use super::super::output::{Output, OutputOptions};
    use super::*;
    use tokio::sync::mpsc;
    use tokio::time::timeout;

    #[test]
    fn the_rest_is_waited_for_until_the_user_insists() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let (events, mut happened) = mpsc::unbounded_channel();
            let (output, writers) =
                Output::prepare(OutputOptions { tag: false, prompts: false, files: None }, events.clone());
            let mut written = writers.start().unwrap();
            let mut rest = async |grace, ignores_signals_until| {
                let waiting = wait_for_output(&mut written, &mut happened, grace, ignores_signals_until);
                timeout(Duration::from_secs(60), waiting).await.expect("it waits in vain")
            };
            // `output` is not dropped yet, so only the timeout and signals end the waiting.
            assert!(matches!(rest(Duration::from_millis(1), None).await, OutputEnd::Stuck));
            // A copy of an earlier signal.
            events.send(Event::Signal(libc::SIGTERM)).unwrap();
            assert!(matches!(
                rest(Duration::from_millis(1), Some(Instant::now() + Duration::from_secs(600))).await,
                OutputEnd::Stuck
            ));
            for number in [libc::SIGCHLD, libc::SIGUSR1, libc::SIGTERM] {
                events.send(Event::Signal(number)).unwrap();
            }
            assert!(matches!(rest(Duration::MAX, None).await, OutputEnd::Unwanted(libc::SIGTERM)));
            drop(output);
            assert!(matches!(rest(Duration::MAX, None).await, OutputEnd::Written));
            assert!(matches!(rest(Duration::MAX, None).await, OutputEnd::Written), "it stays so");
        });
    }
}
