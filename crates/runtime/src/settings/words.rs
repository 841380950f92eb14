//! Parsers of the values of variables. Each gives `None` for a text that is no value.

use super::{OnStall, Waiting};
use ferrite_fabric::Progress;
use std::time::Duration;

pub fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "yes" | "on" | "true" | "y" => Some(true),
        "0" | "no" | "off" | "false" | "n" => Some(false),
        _ => None,
    }
}

pub fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9)?;
    Some(Duration::from_secs_f64(seconds))
}

pub fn name(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
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
