//! The day, and the commit that an installation was built from.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Today's date in UTC, as `2026-01-31`.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    day(seconds / 86_400)
}

/// The date `days` days after 1970-01-01. Years are counted from March, so that the leap day is the last day of a year.
fn day(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    format!("{:04}-{month:02}-{day:02}", year_of_era + 400 * era + u64::from(month <= 2))
}

/// The commit of the source tree that contains the installation, or else the working directory: only then is it known what was built. A `+`
/// follows if tracked files have uncommitted changes.
pub fn commit(prefix: &Path) -> Option<String> {
    let tree = [prefix, Path::new(".")].into_iter().find_map(|place| {
        let root = git(place, &["rev-parse", "--show-toplevel"])?;
        Path::new(&root).join("benches/METHOD.md").exists().then_some(root)
    })?;
    let commit = git(Path::new(&tree), &["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(Path::new(&tree), &["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { commit + "+" })
}

fn git(place: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(place).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, date) in [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_453, "2025-12-31")]
        {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn a_directory_outside_any_tree_has_no_commit_of_its_own() {
        assert_eq!(git(Path::new("/"), &["rev-parse", "--show-toplevel"]), None);
    }
}
