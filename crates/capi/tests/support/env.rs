//! The environment that the suites themselves read.

/// A variable of the test run, if it is set and not empty.
#[expect(clippy::disallowed_methods, reason = "tests have no settings table; this is their one place")]
pub fn get(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
