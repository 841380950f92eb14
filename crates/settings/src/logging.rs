//! The library's reports of its choices and their reasons: on standard error, off by default.

use super::Settings;
use ferrite_os::error_text;
use std::io::{self, Write};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, fmt::format::FmtSpan, layer::SubscriberExt, util::SubscriberInitExt};

/// Enable the reports that the settings ask for; each line is marked with the PE. The first world of a process decides.
pub fn start(settings: &Settings, pe: u32) {
    let filter = match (&settings.log, settings.debug) {
        (Some(filter), _) => filter.as_str(),
        (None, true) => "debug",
        (None, false) => return,
    };
    // The settings parser has already rejected filters that do not parse.
    let filter = parse(filter).unwrap_or_else(|| Targets::new().with_default(LevelFilter::DEBUG));
    // A span is reported when it ends, with its duration. Lines carry no time of day.
    let lines = tracing_subscriber::fmt::layer().with_timer(()).with_span_events(FmtSpan::CLOSE);
    let lines = lines.with_writer(move || Marked { pe }).with_ansi(false);
    // A second world of the same process finds the reports set up already.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
}

/// Parse a filter of reports. Its targets must be parts of Ferrite: any other name is a misspelled part or level.
pub(crate) fn parse(text: &str) -> Option<Targets> {
    let targets: Targets = text.parse().ok()?;
    targets.iter().all(|(part, _)| part.starts_with("ferrite")).then_some(targets)
}

/// Standard error; every line is prefixed with the PE and written with one call.
struct Marked {
    pe: u32,
}

impl Write for Marked {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut marked = format!("ferrite: PE {}: ", self.pe).into_bytes();
        let text = error_text::plain(&String::from_utf8_lossy(line));
        marked.extend_from_slice(text.trim_start().as_bytes());
        io::stderr().write_all(&marked)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_misspelled_level_is_no_part() {
        for good in ["debug", "warn,ferrite_runtime=trace", "ferrite_tcp", "ferrite_runtime::life=off"] {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in ["debgu", "foo=bar", "ferrite_runtime=loud", "start=debug", "info,nonsense"] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
