//! Threads of the test that compute on every core, as other programs beside a job do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads that compute until this is dropped.
pub struct Burners {
    end: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Burners {
    /// Start one thread for each core.
    pub fn start() -> Burners {
        let end = Arc::new(AtomicBool::new(false));
        let burn = |_| {
            let end = Arc::clone(&end);
            std::thread::spawn(move || while !end.load(Ordering::Relaxed) {})
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (0..cores).map(burn).collect();
        Burners { end, threads }
    }
}

impl Drop for Burners {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().expect("a burner does nothing that fails"));
    }
}
