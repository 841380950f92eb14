//! The records of all PEs, merged.

use crate::{
    clock,
    record::{Class, Meeting, Peer, Record, SIZE_BINS, Team},
};
use std::collections::{BTreeMap, HashMap};

/// All calls of one routine by all PEs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Routine {
    /// Its name in the program.
    pub name: String,
    /// Purpose of the routine.
    pub class: Class,
    /// Number of calls.
    pub calls: u64,
    /// Time in these calls, summed over the PEs.
    pub ns: u64,
    /// Time of the longest call.
    pub ns_max: u64,
    /// Bytes that the calls moved.
    pub bytes: u64,
    /// Time in these calls, by PE.
    pub by_pe: Vec<u64>,
}

/// One collective, put together from the records of all its members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    /// The routine's name, as its last member called it.
    pub routine: String,
    /// The team of its members.
    pub team: Team,
    /// Sequence number among the team's collectives.
    pub number: u64,
    /// Bytes of one member's part: the maximum over the members.
    pub bytes: u64,
    /// When the first member came.
    pub begin: u64,
    /// When the last member came.
    pub complete: u64,
    /// When the last member returned.
    pub end: u64,
    /// The PE that came last.
    pub last: u32,
    /// Time that the other members waited for the last one to come, summed over them.
    pub waited: u64,
    /// Call site of the last member if it is known, otherwise of another member.
    pub site: Option<String>,
}

/// How often a PE came last, and what that cost the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lateness {
    /// Number of collectives to which it came last.
    pub times: u64,
    /// Time that the others waited for it, summed over them.
    pub waited: u64,
}

/// The profile of a whole job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The program and its arguments.
    pub program: String,
    /// Number of PEs.
    pub pes: u32,
    /// The records, in the order of PEs. All times are by one clock.
    pub records: Vec<Record>,
    /// When the first PE began to record.
    pub begin: u64,
    /// When the last PE ended.
    pub end: u64,
    /// The routines, sorted by time, longest first.
    pub routines: Vec<Routine>,
    /// The time of each PE by class.
    pub classes: Vec<[u64; Class::ALL.len()]>,
    /// Collectives in the order in which they began.
    pub collectives: Vec<Collective>,
    /// One of every `stride` collectives of each team is in `collectives`.
    pub stride: u64,
    /// For each PE, how often it came last.
    pub lateness: Vec<Lateness>,
}

impl Job {
    /// Merge the records of a job's PEs.
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

    /// Time for which the profile was open, summed over the PEs.
    pub fn pe_time(&self) -> u64 {
        self.records.iter().map(open_time).sum()
    }

    /// Number of calls by class and size, summed over the PEs.
    pub fn sizes(&self) -> Vec<[u64; SIZE_BINS]> {
        let mut sizes = vec![[0; SIZE_BINS]; Class::ALL.len()];
        for of_pe in self.records.iter().flat_map(|record| record.sizes.iter().enumerate()) {
            if let Some(sum) = sizes.get_mut(of_pe.0) {
                sum.iter_mut().zip(of_pe.1).for_each(|(sum, calls)| *sum += calls);
            }
        }
        sizes
    }

    /// Traffic of each transport: its name, operations, bytes, and pairs of PEs.
    pub fn transports(&self) -> Vec<(String, u64, u64, u64)> {
        let mut sums: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
        for (record, peer) in self.traffic() {
            let name = record.transports.get(usize::from(peer.transport)).map_or("unknown", String::as_str);
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + total(&peer.ops), sum.1 + total(&peer.bytes), sum.2 + 1);
        }
        sums.into_iter().map(|(name, (ops, bytes, pairs))| (name.to_owned(), ops, bytes, pairs)).collect()
    }

    /// All traffic: each record with each of its peers.
    pub fn traffic(&self) -> impl Iterator<Item = (&Record, &Peer)> {
        self.records.iter().flat_map(|record| record.peers.iter().map(move |peer| (record, peer)))
    }
}

/// Time for which a PE's profile was open.
pub fn open_time(record: &Record) -> u64 {
    record.end.saturating_sub(record.begin).saturating_sub(record.closed)
}

/// Sum over puts, gets and atomics.
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

/// The collectives of which every member recorded its part.
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
        // The third collective is left out: PE 0 has no record of it.
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
