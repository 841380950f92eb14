//! Parsers of the values of variables. Each gives `None` for a text that is no value.

use super::{Executor, OnStall, Waiting};
use ferrite_collectives::{Rank, pattern::knomial::RADIX_MAX};
use ferrite_fabric::Progress;
use ferrite_memory::heap::size::{self, Size};
use std::ops::RangeInclusive;

pub fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "on" | "true" | "y" => Some(true),
        "0" | "no" | "off" | "false" | "n" => Some(false),
        _ => None,
    }
}

/// Values of SHMEM_BACKTRACE in Sandia OpenSHMEM: the tools that it may take a backtrace by.
pub const BACKTRACE_TOOLS: [&str; 3] = ["auto", "execinfo", "gdb"];

/// Whether a backtrace is printed. The tools of the other library ask for one; here there is only one way to take it.
pub fn backtrace(text: &str) -> Option<bool> {
    boolean(text).or_else(|| BACKTRACE_TOOLS.contains(&text).then_some(true))
}

pub fn name(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a name chooses something. Sandia OpenSHMEM calls its default `auto`.
pub fn is_chosen(name: &String) -> bool {
    name != "auto"
}

/// The radix of trees. Values of Sandia OpenSHMEM may be above the largest one.
pub fn radix(text: &str) -> Option<Rank> {
    text.parse().ok().filter(|&radix| radix >= 2).map(|radix: Rank| radix.min(RADIX_MAX))
}

pub fn waiting(text: &str) -> Option<Waiting> {
    match text {
        "auto" => Some(Waiting::Auto),
        "spin" => Some(Waiting::Spin),
        "yield" => Some(Waiting::Yield),
        "turns" => Some(Waiting::Turns),
        _ => None,
    }
}

pub fn progress(text: &str) -> Option<Progress> {
    match text {
        "auto" => Some(Progress::Needed),
        "thread" => Some(Progress::Thread),
        "program" => Some(Progress::Program),
        _ => None,
    }
}

pub fn executor(text: &str) -> Option<Executor> {
    match text {
        "auto" => Some(Executor::Auto),
        "nic" => Some(Executor::Nic),
        "processor" => Some(Executor::Processor),
        _ => None,
    }
}

/// A range of ports, as `5000-5100`.
pub fn ports(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (0 < first && first <= last).then_some(first..=last)
}

pub fn count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&count| count > 0)
}

/// A number of operations under way. 0 is Sandia OpenSHMEM's word for no limit.
pub fn depth(text: &str) -> Option<usize> {
    text.parse().ok().map(|count| if count == 0 { usize::MAX } else { count })
}

/// Whether all calls are recorded.
pub fn record(text: &str) -> Option<bool> {
    match text {
        "some" => Some(false),
        "all" => Some(true),
        _ => None,
    }
}

pub fn on_stall(text: &str) -> Option<OnStall> {
    match text {
        "report" => Some(OnStall::Report),
        "abort" => Some(OnStall::Abort),
        _ => None,
    }
}

/// A size that is no share of the memory of the host.
pub(super) fn device_size(text: &str) -> Option<u64> {
    match size::parse(text) {
        Ok(Size::Bytes(bytes)) => Some(bytes),
        Ok(Size::Percent(_)) | Err(_) => None,
    }
}
