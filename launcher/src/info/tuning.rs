//! `--tuning`: the algorithm that each collective would use here, and why.

use ferrite_collectives::select::{self, Collective, Facts, Row as Choice};
use ferrite_runtime::settings::Settings;

use super::report::{Row, Section};

const COLLECTIVES: [(Collective, &str); Collective::COUNT] = [
    (Collective::Barrier, "barrier"),
    (Collective::Broadcast, "broadcast"),
    (Collective::Reduce, "reduce"),
    (Collective::Fcollect, "fcollect"),
    (Collective::Collect, "collect"),
    (Collective::Alltoall, "alltoall"),
    (Collective::Scan, "scan"),
];

/// The team sizes and message lengths that are shown.
const MEMBERS: [u32; 3] = [2, 8, 64];
const BYTES: [usize; 6] = [8, 64, 1 << 10, 16 << 10, 64 << 10, 1 << 20];

/// The choices on this machine, with the current settings.
pub(super) fn section() -> Result<Section, String> {
    let choices = Settings::from_environment().map_err(|error| error.to_string())?.collectives;
    let cores = ferrite_topology::allowed().len() as u32;
    let mut rows = Vec::new();
    for (collective, name) in COLLECTIVES {
        for size in MEMBERS {
            let choose = |bytes| {
                let facts = Facts {
                    size,
                    bytes,
                    scratch: ferrite_runtime::SCRATCH_BYTES,
                    near: true,
                    crowded: size > cores,
                    in_place: false,
                    commutes: true,
                    tuning: choices.tuning,
                };
                select::choose(collective, &facts, choices.wish(collective))
            };
            rows.push(Row::new(format!("{name}.{size}"), describe(collective, choose)));
        }
    }
    Ok(Section { key: "tuning", title: "Algorithms of collectives on one node, by members and bytes of each", rows })
}

/// The choices by ascending length, one line for each change.
fn describe(collective: Collective, choose: impl Fn(usize) -> &'static Choice) -> String {
    let mut lines: Vec<(usize, &'static Choice)> = Vec::new();
    // Algorithms that depend on no length, or on a length that the members do not share, are chosen once.
    let lengths: &[usize] = if matches!(collective, Collective::Barrier | Collective::Collect) { &[0] } else { &BYTES };
    for &bytes in lengths {
        let choice = choose(bytes);
        if lines.last().is_none_or(|(_, last)| !std::ptr::eq(*last, choice)) {
            lines.push((bytes, choice));
        }
    }
    let text = lines.iter().map(|(bytes, choice)| match bytes {
        0 => format!("{}: {}", choice.names[0], choice.why),
        bytes => format!("from {bytes} bytes: {}: {}", choice.names[0], choice.why),
    });
    text.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_collective_has_a_choice_and_a_reason() {
        let section = section().expect("the environment of tests is sound");
        assert_eq!(section.rows.len(), COLLECTIVES.len() * MEMBERS.len());
        assert!(section.rows.iter().all(|row| row.value.contains(": ")), "{section:?}");
        let reduce = section.rows.iter().find(|row| row.key == "reduce.2").expect("two members reduce");
        assert!(reduce.value.lines().count() > 1, "short and long reductions are done alike: {}", reduce.value);
    }
}
