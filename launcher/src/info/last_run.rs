//! `oshmem_info --last-run`: the record that oshrun has written of the last run.

use crate::run::last_run;
use std::{fs, path::PathBuf, time::SystemTime};

/// The record as text. An error if there is none.
pub fn report() -> Result<String, String> {
    let places = last_run::places();
    let ended = |path: &PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
    let newest = places.iter().filter_map(|path| Some((ended(path)?, path))).max();
    let Some((when, path)) = newest else {
        let places: Vec<String> = places.iter().map(|path| path.display().to_string()).collect();
        return Err(match &places[..] {
            [] => format!("no run is recorded: {} is empty, or there is no home directory", last_run::VARIABLE),
            places => format!("no run is recorded in {}", places.join(" or ")),
        });
    };
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ago = SystemTime::now().duration_since(when).unwrap_or_default().as_secs();
    Ok(format!("{} ago: {text}", span(ago)))
}

/// A time in its largest unit.
fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn a_time_has_one_unit() {
        assert_eq!([5, 119, 120, 7_300, 200_000].map(span), ["5 s", "119 s", "2 min", "2 h", "2 days"]);
    }
}
