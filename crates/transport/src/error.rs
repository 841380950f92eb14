//! Errors of the crate.

use ferrite_os::error_text;
use std::{error, fmt};

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// An argument is wrong: the text says which, and what is expected.
    Argument(String),
    /// The group could not start: a member did not come, or the network cannot be used.
    Start(String),
    /// A member is lost, and with it the group.
    Lost {
        /// Rank of the member that was lost first. `None` if a process is lost that is no member, but had drawn the id, or if the network
        /// does not tell whom it cannot reach.
        rank: Option<u32>,
        /// What is known of the loss, in a line.
        why: String,
    },
    /// The awaited event has not occurred within the time limit.
    TimedOut,
}

/// Result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(text) | Error::Start(text) | Error::Lost { why: text, .. } => f.write_str(text),
            Error::TimedOut => f.write_str("the time limit has passed"),
        }
    }
}

impl error::Error for Error {}

/// Words of OpenSHMEM and of its settings in errors of the layers below, and the words of this crate. The first match counts.
const WORDS: [(&str, &str); 12] = [
    ("without finalize", "without leaving the group"),
    ("set SHMEM_TCP_IFACE=", "set `Options::interface` to "),
    ("SHMEM_TCP_IFACE=", "`Options::interface` "),
    ("SHMEM_TCP_IFACE", "`Options::interface`"),
    ("SHMEM_OFI_PROVIDER=", "`Over::Libfabric` with the provider "),
    ("set SHMEM_OFI_PROVIDER", "set the provider of `Over::Libfabric`"),
    ("SHMEM_OFI_PROVIDER", "the provider of `Over::Libfabric`"),
    (", or set SHMEM_SYMMETRIC_SIZE lower", ", or register less"),
    (" (FERRITE_SECRET)", ""),
    ("the unique id", "the id"),
    ("PEs", "members"),
    ("PE", "member"),
];

/// A text of the layers below, in the words of this crate: their PEs are members here.
pub(crate) fn in_words_of_groups(text: &str) -> String {
    let text = error_text::plain(text.trim_start_matches("ferrite: "));
    let (mut ours, mut rest) = (String::with_capacity(text.len()), &*text);
    while let Some(next) = rest.chars().next() {
        let goes_on = ours.ends_with(|before: char| before.is_ascii_alphanumeric() || before == '_');
        let is_whole = |after: &str| !after.starts_with(|after: char| after.is_ascii_alphanumeric() || after == '_');
        let word = WORDS.iter().find_map(|(theirs, ours)| {
            let after = rest.strip_prefix(theirs).filter(|_| !goes_on || theirs.starts_with([' ', ',']))?;
            (theirs.ends_with('=') || is_whole(after)).then_some((ours, after))
        });
        match word {
            Some((word, after)) => {
                ours.push_str(word);
                rest = after;
            }
            None => {
                ours.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    ours
}

/// The text of an error of the layers below.
pub(crate) fn text(error: &ferrite_fabric::Error) -> String {
    in_words_of_groups(&error.to_string())
}

pub(crate) fn start(error: ferrite_fabric::Error) -> Error {
    Error::Start(text(&error))
}

pub(crate) fn argument(error: ferrite_fabric::Error) -> Error {
    Error::Argument(text(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_layers_below_are_in_words_of_groups() {
        for (theirs, ours) in [
            (
                "ferrite: PE 2 (pid 7 on a) has ended without finalize",
                "member 2 (pid 7 on a) has ended without leaving the group",
            ),
            (
                "PE 0 uses libfabric's tcp and this PE verbs: set SHMEM_OFI_PROVIDER to one",
                "member 0 uses libfabric's tcp and this member verbs: set the provider of `Over::Libfabric` to one",
            ),
            ("PEs and PEER, OPEN, a PE", "members and PEER, OPEN, a member"),
            ("SHMEM_TCP_IFACE=eth7 is no network interface", "`Options::interface` eth7 is no network interface"),
            (
                "if the former does not, set SHMEM_TCP_IFACE=10.0.0.0/8",
                "if the former does not, set `Options::interface` to 10.0.0.0/8",
            ),
            ("if the secret is another (FERRITE_SECRET), or", "if the secret is another, or"),
            ("No such file or directory (os error 2) \u{e9}", "No such file or directory \u{e9}"),
            ("", ""),
        ] {
            assert_eq!(in_words_of_groups(theirs), ours);
        }
    }
}
