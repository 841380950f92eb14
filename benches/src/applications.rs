//! The applications: whole programs, which any OpenSHMEM compiles, with sizes that take about a second.
//!
//! They are the examples that are installed, so that a user can read, change and run what was measured.

use crate::transport::Transport;

/// One application, with its arguments for three problem sizes.
pub struct Application {
    /// Source file without the `.c`.
    pub program: &'static str,
    small: &'static str,
    medium: &'static str,
    large: &'static str,
}

const fn application(
    program: &'static str,
    small: &'static str,
    medium: &'static str,
    large: &'static str,
) -> Application {
    Application { program, small, medium, large }
}

pub const APPLICATIONS: &[Application] = &[
    application("gups", "--updates 2000", "--updates 20000", "--updates 1000000"),
    application("sort", "--keys 20000", "--keys 100000", "--keys 1000000"),
    application("heat", "--steps 20", "--steps 200", "--rows 512 --columns 512 --steps 1000"),
    application("histogram", "--items 2000", "--items 20000", "--items 1000000"),
    application("index_gather", "--reads 5000", "--reads 50000", "--reads 1000000"),
    application("transpose", "--rows 64", "--rows 128", "--rows 512 --rounds 21"),
    application("bfs", "--scale 10 --searches 2", "--scale 13", "--scale 15"),
];

impl Application {
    /// Arguments of a run. Messages over a wire take a hundred times as long as stores, so a run over a wire sends fewer of them.
    pub fn arguments(&self, transport: &Transport, quick: bool) -> Vec<String> {
        let text = match (transport, quick) {
            (Transport::Shm, false) => self.large,
            (Transport::Shm, true) | (_, false) => self.medium,
            (_, true) => self.small,
        };
        text.split(' ').map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_lists_the_arguments() {
        let method = include_str!("../METHOD.md");
        for Application { program, medium, large, .. } in APPLICATIONS {
            let line = format!("| {program} | `{large}` | `{medium}` |");
            assert!(method.contains(&line), "METHOD.md does not contain: {line}");
        }
    }
}
