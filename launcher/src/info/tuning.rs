//! `--tuning`: the algorithm that each collective would use here, and why.

use ferrite_collectives::select::{
    self, Algorithm, Alltoall, Barrier, Broadcast, Collect, Collective, Facts, Fcollect, Reduce, Row as Choice, Scan,
    Tuning,
};
use ferrite_settings::Settings;

use super::report::{Row, Section};

/// The team sizes and message lengths that are shown.
const MEMBERS: [u32; 3] = [2, 8, 64];
const BYTES: [usize; 6] = [8, 64, 1 << 10, 16 << 10, 64 << 10, 1 << 20];

/// The choices on this machine, with the current settings.
pub(super) fn section() -> Result<Section, String> {
    let choices = Settings::from_environment().map_err(|error| error.to_string())?.collectives;
    let tuning = choices.tuning;
    let rows = [
        rows::<Barrier>("barrier", tuning, choices.wish()),
        rows::<Broadcast>("broadcast", tuning, choices.wish()),
        rows::<Reduce>("reduce", tuning, choices.wish()),
        rows::<Fcollect>("fcollect", tuning, choices.wish()),
        rows::<Collect>("collect", tuning, choices.wish()),
        rows::<Alltoall>("alltoall", tuning, choices.wish()),
        rows::<Scan>("scan", tuning, choices.wish()),
    ];
    let rows = rows.into_iter().flatten().collect();
    Ok(Section { key: "tuning", title: "Algorithms of collectives on one host, by team size and bytes per PE", rows })
}

/// The choices of one collective, one row for each team size.
fn rows<A: Algorithm>(name: &str, tuning: Tuning, wish: Option<A>) -> [Row; MEMBERS.len()] {
    let cores = ferrite_topology::allowed().len() as u32;
    MEMBERS.map(|size| {
        let choose = |bytes| {
            let facts = Facts {
                size,
                bytes,
                scratch: ferrite_collectives::SCRATCH_BYTES,
                near: true,
                crowded: size > cores,
                in_place: false,
                commutes: true,
                tuning,
            };
            select::choose(&facts, wish)
        };
        Row::new(format!("{name}.{size}"), describe(choose))
    })
}

/// The choices by ascending length, one line for each change.
fn describe<A: Algorithm>(choose: impl Fn(usize) -> &'static Choice<A>) -> String {
    let mut lines: Vec<(usize, &'static Choice<A>)> = Vec::new();
    // Algorithms that depend on no length, or on a length that the members do not share, are chosen once.
    let once = matches!(A::COLLECTIVE, Collective::Barrier | Collective::Collect);
    let lengths: &[usize] = if once { &[0] } else { &BYTES };
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
        assert_eq!(section.rows.len(), Collective::COUNT * MEMBERS.len());
        assert!(section.rows.iter().all(|row| row.value.contains(": ")), "{section:?}");
        let reduce = section.rows.iter().find(|row| row.key == "reduce.2").expect("two members reduce");
        assert!(reduce.value.lines().count() > 1, "short and long reductions are done alike: {}", reduce.value);
    }
}
