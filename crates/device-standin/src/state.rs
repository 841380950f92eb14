//! The state of the driver in this process, and failures on request.

use crate::{space::Space, streams::Streams};
use cuda_sys::{CUresult, result};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    str::FromStr,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Success, or the status of a failure.
pub(crate) type Outcome<T = ()> = Result<T, CUresult>;

/// A call that fails on request.
struct Failure {
    call: String,
    /// Number of calls until it fails.
    countdown: u64,
    status: CUresult,
}

/// State of the process on a device; destroyed with its last user.
pub(crate) struct Context {
    /// The device, by its number among the visible ones.
    pub device: i32,
    /// Number of users, for a primary context.
    pub references: u32,
    pub is_primary: bool,
}

/// Settings from the environment.
#[derive(Default)]
pub(crate) struct Wishes {
    failures: Vec<Failure>,
    /// The physical numbers of the visible devices.
    pub visible: Vec<i32>,
    pub memory_bytes: usize,
    pub has_dmabuf: bool,
    pub has_peers: bool,
    has_foreign_context: bool,
}

#[derive(Default)]
pub(crate) struct State {
    is_initialised: bool,
    lost: Option<CUresult>,
    next_handle: usize,
    pub wishes: Wishes,
    pub contexts: BTreeMap<usize, Context>,
    pub space: Space,
    pub streams: Streams,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

thread_local! {
    /// The stack of current contexts of the thread; `None` until it is first used.
    static CURRENT: RefCell<Option<Vec<usize>>> = const { RefCell::new(None) };
}

/// State that a call requires.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Init,
    Context,
}

/// Run a call: its preconditions, the failure that was requested for it, then its work.
pub(crate) fn call(name: &str, needs: Needs, work: impl FnOnce(&mut State) -> Outcome) -> CUresult {
    let mut guard: MutexGuard<'_, Option<State>> = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = guard.get_or_insert_default();
    let outcome = state.check(name, needs).and_then(|()| work(state));
    let status = outcome.err().unwrap_or(result::SUCCESS);
    if is_loss(status) {
        state.lost = Some(status);
    }
    status
}

/// True if no later call can succeed.
fn is_loss(status: CUresult) -> bool {
    matches!(status, result::ECC_UNCORRECTABLE | result::ILLEGAL_ADDRESS | 702 | 709 | 710 | 714..=719)
}

impl State {
    fn check(&mut self, name: &str, needs: Needs) -> Outcome {
        if needs != Needs::Nothing && !self.is_initialised {
            return Err(result::NOT_INITIALIZED);
        }
        if let Some(status) = self.lost
            && needs == Needs::Context
        {
            return Err(status);
        }
        for failure in self.wishes.failures.iter_mut().filter(|failure| failure.call == name) {
            failure.countdown = failure.countdown.wrapping_sub(1);
            if failure.countdown == 0 {
                return Err(failure.status);
            }
        }
        match needs {
            Needs::Context => self.current_context().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Read the environment. Later calls have no effect.
    pub fn initialise(&mut self) -> Outcome {
        if self.is_initialised {
            return Ok(());
        }
        self.wishes = Wishes::read();
        // A failure may be requested for this call too.
        self.check("cuInit", Needs::Nothing)?;
        if self.wishes.visible.is_empty() {
            return Err(result::NO_DEVICE);
        }
        self.is_initialised = true;
        Ok(())
    }

    /// A handle that no earlier object had.
    pub fn new_handle(&mut self) -> usize {
        self.next_handle += 1;
        0xc0da_0000 + self.next_handle * 16
    }

    /// The stack of current contexts of this thread.
    pub fn with_stack<T>(&mut self, change: impl FnOnce(&mut Vec<usize>) -> T) -> T {
        let foreign = self.wishes.has_foreign_context && !is_first_thread();
        CURRENT.with_borrow_mut(|stack| {
            let stack = stack.get_or_insert_with(|| {
                if !foreign {
                    return Vec::new();
                }
                let handle = self.new_handle();
                let device = self.wishes.visible.len() as i32 - 1;
                self.contexts.insert(handle, Context { device, references: 1, is_primary: false });
                vec![handle]
            });
            change(stack)
        })
    }

    /// The current context and its device.
    pub fn current_context(&mut self) -> Outcome<(usize, i32)> {
        let handle = self.with_stack(|stack| stack.last().copied()).filter(|handle| *handle != 0);
        let handle = handle.ok_or(result::INVALID_CONTEXT)?;
        let context = self.contexts.get(&handle).ok_or(result::CONTEXT_IS_DESTROYED)?;
        Ok((handle, context.device))
    }

    /// The physical number of a visible device.
    pub fn physical(&self, device: i32) -> Outcome<i32> {
        usize::try_from(device)
            .ok()
            .and_then(|index| self.wishes.visible.get(index))
            .copied()
            .ok_or(result::INVALID_DEVICE)
    }
}

impl Wishes {
    fn read() -> Wishes {
        let count = number("CUDA_STANDIN_DEVICES", 1);
        let visible = match variable("CUDA_VISIBLE_DEVICES") {
            // As CUDA does, ignore everything after the first number that is no device.
            Some(list) => list.split(',').map_while(|n| n.parse().ok().filter(|n| (0..count).contains(n))).collect(),
            None => (0..count).collect(),
        };
        let failures = variable("CUDA_STANDIN_FAIL").unwrap_or_default();
        Wishes {
            failures: failures.split(',').filter_map(Failure::parse).collect(),
            visible,
            memory_bytes: number("CUDA_STANDIN_MEMORY", 1 << 30),
            has_dmabuf: variable("CUDA_STANDIN_NO_DMABUF").is_none(),
            has_peers: variable("CUDA_STANDIN_NO_PEER").is_none(),
            has_foreign_context: variable("CUDA_STANDIN_FOREIGN_CONTEXT").is_some(),
        }
    }
}

impl Failure {
    fn parse(text: &str) -> Option<Failure> {
        let mut parts = text.split(':');
        let (call, nth, status) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Failure { call: call.to_owned(), countdown: nth.parse().ok()?, status: status.parse().ok()? })
    }
}

#[allow(clippy::disallowed_methods, reason = "a driver for tests, which is not part of the library")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn number<T: FromStr>(name: &str, default: T) -> T {
    variable(name).and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn is_first_thread() -> bool {
    // SAFETY: the calls have no arguments and cannot fail.
    unsafe { libc::getpid() == libc::gettid() }
}

/// Define exported functions: `fn NAME(arguments) needs NEEDS |state| work`.
macro_rules! export {
    ($( $(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) needs $needs:ident |$state:ident| $work:block )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            ///
            /// As CUDA's documentation of the call demands.
            #[allow(non_snake_case, reason = "CUDA's name")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($arg: $type),*) -> cuda_sys::CUresult {
                crate::state::call(stringify!($name), crate::state::Needs::$needs, |$state| $work)
            }
        )*
    };
}

pub(crate) use export;

/// Write a result to where the caller wants it.
///
/// # Safety
///
/// `to` is null or has room for a value.
pub(crate) unsafe fn give<T>(to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(result::INVALID_VALUE);
    }
    // SAFETY: the caller's promise.
    unsafe { to.write(value) };
    Ok(())
}
