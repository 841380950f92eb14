//! The records of all PEs in one.

use crate::{
    clock,
    record::{Class, Meeting, Peer, Record, SIZE_BINS, Team},
};
use std::collections::{BTreeMap, HashMap};

/// All calls of one routine by all PEs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub class: Class,
    /// Calls.
    pub calls: u64,
    /// Time in them, of all PEs together.
    pub ns: u64,
    /// In the longest.
    pub ns_max: u64,
    /// What they have moved.
    pub bytes: u64,
    /// The time of each PE.
    pub by_pe: Vec<u64>,
}

/// One collective, as all its members saw it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    /// The routine's name, as its last member called it.
    pub routine: String,
    /// The members.
    pub team: Team,
    /// Which of the team's collectives it is.
    pub number: u64,
    /// What each member gave, at most.
    pub bytes: u64,
    /// When the first came.
    pub begin: u64,
    /// When the last came.
    pub complete: u64,
    /// When the last went on.
    pub end: u64,
    /// Who came last.
    pub last: u32,
    /// For how long the others waited for the last to come, together.
    pub waited: u64,
    /// Where the last called it, if that is known, else where another did.
    pub site: Option<String>,
}

/// How often a PE came last, and what that cost the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// Collectives.
    pub times: u64,
    /// Time that others waited for it, together.
    pub waited: u64,
}

/// A job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// What ran.
    pub program: String,
    /// How many PEs there were.
    pub pes: u32,
    /// The records, in the order of PEs, all times by one clock.
    pub records: Vec<Record>,
    /// When the first began to gather.
    pub begin: u64,
    /// When the last ended.
    pub end: u64,
    /// The routines, those that took most time first.
    pub routines: Vec<Routine>,
    /// The time of each PE by class.
    pub classes: Vec<[u64; Class::ALL.len()]>,
    /// Collectives in the order in which they began.
    pub collectives: Vec<Collective>,
    /// One of so many of each team's collectives is among them.
    pub stride: u64,
    /// Who came last, by PE.
    pub lateness: Vec<Lateness>,
}

impl Job {
    /// The job of these records.
    pub fn of(mut records: Vec<Record>) -> Job {
        records.sort_by_key(|record| record.pe);
        to_one_clock(&mut records);
        let pes = records.iter().map(|record| record.pes).max().unwrap_or(0);
        records.retain(|record| record.pe < pes);
        let stride = records.iter().map(|record| record.stride).max().unwrap_or(1).max(1);
        let collectives = collectives(&records, stride);
        let mut lateness = vec![Lateness::default(); pes as usize];
        for one in collectives.iter().filter(|one| one.team.size > 1) {
            if let Some(late) = lateness.get_mut(one.last as usize) {
                late.times += 1;
                late.waited += one.waited;
            }
        }
        Job {
            program: records.first().map(|record| record.program.clone()).unwrap_or_default(),
            pes,
            begin: records.iter().map(|record| record.begin).min().unwrap_or(0),
            end: records.iter().map(|record| record.end).max().unwrap_or(0),
            routines: routines(&records, pes),
            classes: classes(&records, pes),
            collectives,
            stride,
            lateness,
            records,
        }
    }

    /// The time of all PEs together for which the profile was open.
    pub fn pe_time(&self) -> u64 {
        self.records.iter().map(open_time).sum()
    }

    /// The calls of all PEs by class and size.
    pub fn sizes(&self) -> Vec<[u64; SIZE_BINS]> {
        let mut sizes = vec![[0; SIZE_BINS]; Class::ALL.len()];
        for of_pe in self.records.iter().flat_map(|record| record.sizes.iter().enumerate()) {
            if let Some(sum) = sizes.get_mut(of_pe.0) {
                sum.iter_mut().zip(of_pe.1).for_each(|(sum, calls)| *sum += calls);
            }
        }
        sizes
    }

    /// What went by each transport: its name, operations, bytes, and pairs of PEs.
    pub fn transports(&self) -> Vec<(String, u64, u64, u64)> {
        let mut sums: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
        for (record, peer) in self.traffic() {
            let name = record.transports.get(usize::from(peer.transport)).map_or("unknown", String::as_str);
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + total(&peer.ops), sum.1 + total(&peer.bytes), sum.2 + 1);
        }
        sums.into_iter().map(|(name, (ops, bytes, pairs))| (name.to_owned(), ops, bytes, pairs)).collect()
    }

    /// All that PEs have asked of peers.
    pub fn traffic(&self) -> impl Iterator<Item = (&Record, &Peer)> {
        self.records.iter().flat_map(|record| record.peers.iter().map(move |peer| (record, peer)))
    }
}

/// For how long a PE's profile was open.
pub fn open_time(record: &Record) -> u64 {
    record.end.saturating_sub(record.begin).saturating_sub(record.closed)
}

/// Of puts, gets and atomics together.
pub fn total(by_kind: &[u64; 3]) -> u64 {
    by_kind.iter().sum()
}

fn to_one_clock(records: &mut [Record]) {
    let offsets = clock::offsets(records);
    for record in records {
        let node = record.node;
        let shift = |time: &mut u64| *time = clock::shifted(*time, node, &offsets);
        [&mut record.begin, &mut record.end].into_iter().for_each(shift);
        record.heap.iter_mut().for_each(|one| shift(&mut one.at));
        record.meetings.iter_mut().flat_map(|one| [&mut one.begin, &mut one.end]).for_each(shift);
        record.events.iter_mut().flat_map(|one| [&mut one.begin, &mut one.end]).for_each(shift);
    }
}

fn routines(records: &[Record], pes: u32) -> Vec<Routine> {
    let mut by_name: HashMap<&str, Routine> = HashMap::new();
    for (record, one) in records.iter().flat_map(|record| record.routines.iter().map(move |one| (record, one))) {
        let sum = by_name.entry(&one.name).or_insert_with(|| Routine {
            name: one.name.clone(),
            class: one.class,
            calls: 0,
            ns: 0,
            ns_max: 0,
            bytes: 0,
            by_pe: vec![0; pes as usize],
        });
        sum.calls += one.calls;
        sum.ns += one.ns;
        sum.ns_max = sum.ns_max.max(one.ns_max);
        sum.bytes += one.bytes;
        if let Some(of_pe) = sum.by_pe.get_mut(record.pe as usize) {
            *of_pe += one.ns;
        }
    }
    let mut routines: Vec<Routine> = by_name.into_values().collect();
    routines.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.name.cmp(&b.name)));
    routines
}

fn classes(records: &[Record], pes: u32) -> Vec<[u64; Class::ALL.len()]> {
    let mut classes = vec![[0; Class::ALL.len()]; pes as usize];
    for record in records {
        if let Some(times) = classes.get_mut(record.pe as usize) {
            record.routines.iter().for_each(|one| times[one.class as usize] += one.ns);
        }
    }
    classes
}

/// The collectives of which every member has kept its part.
fn collectives(records: &[Record], stride: u64) -> Vec<Collective> {
    let mut parts: HashMap<(Team, u64), Vec<(&Record, &Meeting)>> = HashMap::new();
    for record in records {
        for part in record.meetings.iter().filter(|part| part.number.is_multiple_of(stride)) {
            parts.entry((part.team, part.number)).or_default().push((record, part));
        }
    }
    let mut collectives: Vec<Collective> = parts
        .into_iter()
        .filter(|((team, _), parts)| parts.len() == team.size as usize)
        .filter_map(|((team, number), parts)| collective(team, number, &parts))
        .collect();
    collectives.sort_by_key(|one| (one.begin, one.team, one.number));
    collectives
}

fn collective(team: Team, number: u64, parts: &[(&Record, &Meeting)]) -> Option<Collective> {
    let &(last, final_part) = parts.iter().max_by_key(|(record, part)| (part.begin, record.pe))?;
    let complete = final_part.begin;
    let name = |record: &Record, part: &Meeting| record.sites.get((part.site as usize).checked_sub(1)?).cloned();
    Some(Collective {
        routine: last.routines.get(final_part.routine as usize)?.name.clone(),
        team,
        number,
        bytes: parts.iter().map(|(_, part)| part.bytes).max()?,
        begin: parts.iter().map(|(_, part)| part.begin).min()?,
        complete,
        end: parts.iter().map(|(_, part)| part.end).max()?,
        last: last.pe,
        waited: parts.iter().map(|(_, part)| complete - part.begin).sum(),
        site: name(last, final_part).or_else(|| parts.iter().find_map(|(record, part)| name(record, part))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Routine as OfPe;

    fn barrier(pe: u32, number: u64, begin: u64, end: u64) -> Meeting {
        let team = Team { slot: 0, born: 0, first: 0, size: 2 };
        Meeting { team, number, routine: 0, bytes: 0, begin, end, site: pe + 1 }
    }

    fn record(pe: u32, meetings: Vec<Meeting>) -> Record {
        let ns = meetings.iter().map(|one| one.end - one.begin).sum();
        let calls = meetings.len() as u64;
        Record {
            pe,
            pes: 2,
            begin: 10 * u64::from(pe),
            end: 1000,
            routines: vec![OfPe { name: "barrier".into(), class: Class::Collective, calls, ns, ns_max: ns, bytes: 0 }],
            meetings,
            stride: 1,
            sites: vec!["a.c:1".into(), "b.c:2".into()],
            ..Record::default()
        }
    }

    #[test]
    fn who_comes_last_keeps_the_others_waiting() {
        let job = Job::of(vec![
            record(1, vec![barrier(1, 0, 150, 160), barrier(1, 1, 300, 420), barrier(1, 2, 500, 510)]),
            record(0, vec![barrier(0, 0, 100, 161), barrier(0, 1, 400, 421)]),
        ]);
        let seen: Vec<_> = job.collectives.iter().map(|one| (one.last, one.waited, one.end - one.begin)).collect();
        // The third is not whole.
        assert_eq!(seen, [(1, 50, 61), (0, 100, 121)]);
        assert_eq!(job.collectives[0].site.as_deref(), Some("b.c:2"));
        assert_eq!(job.lateness, [Lateness { times: 1, waited: 100 }, Lateness { times: 1, waited: 50 }]);
        assert_eq!((job.begin, job.end, job.pe_time()), (0, 1000, 1990));
        assert_eq!((job.routines[0].calls, &job.routines[0].by_pe[..]), (5, &[82, 140][..]));
        assert_eq!(job.classes[1][Class::Collective as usize], 140);
    }

    #[test]
    fn what_some_have_thinned_out_is_compared_where_all_have_it() {
        let mut coarse = record(0, vec![barrier(0, 0, 1, 9), barrier(0, 2, 20, 29)]);
        coarse.stride = 2;
        let fine = record(1, (0..4).map(|number| barrier(1, number, 10 * number + 2, 10 * number + 9)).collect());
        let job = Job::of(vec![coarse, fine]);
        assert_eq!((job.stride, job.collectives.iter().map(|one| one.number).collect::<Vec<_>>()), (2, vec![0, 2]));
    }
}
