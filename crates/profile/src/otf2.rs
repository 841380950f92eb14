//! A trace in OTF2, the format of Vampir, Score-P and similar tools, written by the OTF2 library if it is installed.
//!
//! Each PE is a process, each of its threads a location, and each routine a region. Each put, get and atomic is an operation on a window
//! of remote memory. It completes when its call returns; a non-blocking one completes at the next quiet or collective. The symmetric
//! memory of all PEs is one window. The collectives of a team are on a window of the team's own.

use crate::{
    Job, Record, Team,
    record::{Class, Event},
};
use otf2_sys::{Archive, Definitions, Events, Failed, Library, number::*};
use std::path::Path;

/// The name that all files of an archive begin with.
pub const NAME: &str = "traces";

/// Number of the window of all PEs' memory, and of their communicator.
const ALL: u32 = 0;

/// Write the trace of a job into a new directory.
pub fn write(job: &Job, directory: &Path) -> Result<(), Failed> {
    let library = Library::open(None)?;
    let mut archive = Archive::create(&library, directory, NAME, &job.program)?;
    let teams = teams(job);
    for record in &job.records {
        let regions = regions(job, record);
        for thread in 0..threads(record) {
            archive.events(location(record.pe, thread), |out| {
                write_events(&mut Writer { out, last: job.begin, open: Vec::new() }, record, thread, &regions, &teams)
            })?;
        }
    }
    archive.definitions(|out| define(out, job, &teams))
}

/// Location number of a PE's thread.
fn location(pe: u32, thread: u32) -> u64 {
    u64::from(pe) | u64::from(thread) << 32
}

/// Number of a PE's threads that have called the library, at least 1.
fn threads(record: &Record) -> u32 {
    record.events.iter().map(|event| event.thread + 1).max().unwrap_or(1)
}

/// Region of each of a PE's routines: its index into [`Job::routines`].
fn regions(job: &Job, record: &Record) -> Vec<u32> {
    let place = |name: &str| job.routines.iter().position(|one| one.name == name);
    record.routines.iter().map(|one| place(&one.name).map_or(UNDEFINED_UINT32, |place| place as u32)).collect()
}

/// Teams other than the team of all PEs, with their members. The index here gives the number of a team's communicator and window.
type Teams = Vec<(Team, Vec<u32>)>;

fn teams(job: &Job) -> Teams {
    let mut teams = Teams::new();
    for record in &job.records {
        let meetings = record.events.iter().filter_map(|event| event.meeting);
        for (team, _) in meetings.filter(|(team, _)| !team.is_world(job.pes)) {
            match teams.iter_mut().find(|(other, _)| *other == team) {
                Some((_, members)) if members.last() == Some(&record.pe) => {}
                Some((_, members)) => members.push(record.pe),
                None => teams.push((team, vec![record.pe])),
            }
        }
    }
    teams
}

/// The window of a team.
fn window(teams: &Teams, team: Team) -> u32 {
    teams.iter().position(|(other, _)| *other == team).map_or(ALL, |place| ALL + 1 + place as u32)
}

/// The windows that a PE is a member of.
fn windows_of(teams: &Teams, pe: u32) -> impl Iterator<Item = u32> {
    let teams = (ALL + 1..).zip(teams).filter(move |(_, (_, members))| members.contains(&pe));
    std::iter::once(ALL).chain(teams.map(|(number, _)| number))
}

/// Writes the events of one thread.
struct Writer<'a, 'o> {
    out: &'a mut Events<'o>,
    /// The time of the last event.
    last: u64,
    /// Non-blocking operations that are not complete yet.
    open: Vec<u64>,
}

impl Writer<'_, '_> {
    /// `time`, or the time of the last event if that is later, because times must not decrease. Calls of a thread overlap only where the
    /// clocks of several hosts were rounded.
    fn at(&mut self, time: u64) -> u64 {
        self.last = self.last.max(time);
        self.last
    }

    /// Complete all open operations.
    fn complete_all(&mut self, time: u64) -> Result<(), Failed> {
        self.open.drain(..).try_for_each(|number| self.out.complete_later(time, ALL, number))
    }

    fn call(&mut self, event: &Event, number: u64, name: &str, class: Class, teams: &Teams) -> Result<(), Failed> {
        let begin = self.at(event.begin);
        match (event.peer, class) {
            (Some(peer), Class::Put) => self.out.put(begin, ALL, peer, event.bytes, number)?,
            (Some(peer), Class::Get) => self.out.get(begin, ALL, peer, event.bytes, number)?,
            (Some(peer), Class::Atomic) => {
                let (kind, fetches) = atomic(name);
                let back = if fetches { event.bytes } else { 0 };
                self.out.atomic(begin, ALL, peer, kind, event.bytes, back, number)?;
            }
            _ => return self.no_operation(event, begin, name, class, teams),
        }
        let end = self.at(event.end);
        if name.contains("_nbi") {
            self.open.push(number);
            return Ok(());
        }
        self.out.complete(end, ALL, number)
    }

    /// Write a call that moves no data to or from a single peer.
    fn no_operation(
        &mut self,
        event: &Event,
        begin: u64,
        name: &str,
        class: Class,
        teams: &Teams,
    ) -> Result<(), Failed> {
        if event.meeting.is_some() {
            self.out.collective_begin(begin)?;
        }
        let end = self.at(event.end);
        // A fence orders, and completes nothing.
        if class == Class::Collective || class == Class::Order && !name.ends_with("fence") {
            self.complete_all(end)?;
        }
        let Some((team, _)) = event.meeting else { return Ok(()) };
        let (kind, synchronizes) = collective(name);
        self.out.collective_end(end, kind, synchronizes, window(teams, team), UNDEFINED_UINT32, event.bytes, 0)
    }
}

fn write_events(
    writer: &mut Writer<'_, '_>,
    record: &Record,
    thread: u32,
    regions: &[u32],
    teams: &Teams,
) -> Result<(), Failed> {
    // Only the main thread creates and destroys windows.
    let is_main = thread == 0;
    let begin = writer.at(record.begin);
    for window in windows_of(teams, record.pe).filter(|_| is_main) {
        writer.out.window_create(begin, window)?;
    }
    for (event, number) in record.events.iter().filter(|event| event.thread == thread).zip(0..) {
        let place = event.routine as usize;
        let (Some(routine), Some(&region)) = (record.routines.get(place), regions.get(place)) else { continue };
        let begin = writer.at(event.begin);
        writer.out.enter(begin, region)?;
        writer.call(event, number, &routine.name, routine.class, teams)?;
        writer.out.leave(writer.last, region)?;
    }
    let end = writer.at(record.end);
    writer.complete_all(end)?;
    for window in windows_of(teams, record.pe).filter(|_| is_main) {
        writer.out.window_destroy(end, window)?;
    }
    Ok(())
}

/// Kind of an atomic, and whether it fetches.
fn atomic(name: &str) -> (u8, bool) {
    let kinds = [
        ("compare_swap", RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, true),
        ("cswap", RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, true),
        ("swap", RMA_ATOMIC_TYPE_SWAP, true),
        ("fetch_add", RMA_ATOMIC_TYPE_FETCH_AND_ADD, true),
        ("fadd", RMA_ATOMIC_TYPE_FETCH_AND_ADD, true),
        ("fetch_inc", RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, true),
        ("finc", RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, true),
        ("fetch", RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, true),
        ("inc", RMA_ATOMIC_TYPE_INCREMENT, false),
    ];
    let known = kinds.iter().find(|(word, ..)| name.contains(word));
    known.map_or((RMA_ATOMIC_TYPE_ACCUMULATE, false), |&(_, kind, fetches)| (kind, fetches))
}

/// Kind of a collective, and whether it synchronizes nothing, processes, or processes and their memory.
fn collective(name: &str) -> (u8, u32) {
    const NOTHING: u32 = RMA_SYNC_LEVEL_NONE;
    const PROCESSES: u32 = RMA_SYNC_LEVEL_PROCESS;
    const BOTH: u32 = RMA_SYNC_LEVEL_PROCESS | RMA_SYNC_LEVEL_MEMORY;
    let kinds = [
        ("barrier", COLLECTIVE_OP_BARRIER, BOTH),
        ("sync", COLLECTIVE_OP_BARRIER, PROCESSES),
        ("broadcast", COLLECTIVE_OP_BCAST, NOTHING),
        ("fcollect", COLLECTIVE_OP_ALLGATHER, NOTHING),
        ("collect", COLLECTIVE_OP_ALLGATHERV, NOTHING),
        ("alltoallv", COLLECTIVE_OP_ALLTOALLV, NOTHING),
        ("alltoall", COLLECTIVE_OP_ALLTOALL, NOTHING),
        ("inscan", COLLECTIVE_OP_SCAN, NOTHING),
        ("exscan", COLLECTIVE_OP_EXSCAN, NOTHING),
        ("reduce", COLLECTIVE_OP_ALLREDUCE, NOTHING),
        ("to_all", COLLECTIVE_OP_ALLREDUCE, NOTHING),
        ("free", COLLECTIVE_OP_DEALLOCATE, BOTH),
        ("destroy", COLLECTIVE_OP_DESTROY_HANDLE, PROCESSES),
        ("split", COLLECTIVE_OP_CREATE_HANDLE, PROCESSES),
        ("alloc", COLLECTIVE_OP_ALLOCATE, BOTH),
        ("align", COLLECTIVE_OP_ALLOCATE, BOTH),
    ];
    let known = kinds.iter().find(|(word, ..)| name.contains(word));
    known.map_or((COLLECTIVE_OP_BARRIER, PROCESSES), |&(_, kind, what)| (kind, what))
}

fn role(name: &str, class: Class) -> u8 {
    match class {
        Class::Put | Class::Get => REGION_ROLE_RMA,
        Class::Atomic => REGION_ROLE_ATOMIC,
        Class::Order => REGION_ROLE_FLUSH,
        Class::Collective if collective(name).0 == COLLECTIVE_OP_BARRIER => REGION_ROLE_BARRIER,
        Class::Collective => REGION_ROLE_COLL_OTHER,
        Class::Heap if collective(name).0 == COLLECTIVE_OP_DEALLOCATE => REGION_ROLE_DEALLOCATE,
        Class::Heap => REGION_ROLE_ALLOCATE,
        Class::Wait | Class::Lock | Class::Setup => REGION_ROLE_FUNCTION,
    }
}

/// Writes texts, and numbers them in the order in which they are written.
struct Texts<'a, 'o> {
    out: &'a mut Definitions<'o>,
    count: u32,
}

impl Texts<'_, '_> {
    fn number(&mut self, text: &str) -> Result<u32, Failed> {
        self.out.string(self.count, text)?;
        self.count += 1;
        Ok(self.count - 1)
    }
}

fn define(out: &mut Definitions<'_>, job: &Job, teams: &Teams) -> Result<(), Failed> {
    out.clock(1_000_000_000, job.begin, job.end.saturating_sub(job.begin) + 1, UNDEFINED_TIMESTAMP)?;
    let mut texts = Texts { out, count: 0 };
    let empty = texts.number("")?;
    for (number, routine) in (0..).zip(&job.routines) {
        let (name, role) = (texts.number(&routine.name)?, role(&routine.name, routine.class));
        texts.out.region(number, name, name, empty, role, PARADIGM_SHMEM, 0, UNDEFINED_UINT32, 0, 0)?;
    }
    define_processes(&mut texts, job)?;
    define_teams(&mut texts, job, teams, empty)
}

/// Define hosts, PEs and their threads.
fn define_processes(texts: &mut Texts<'_, '_>, job: &Job) -> Result<(), Failed> {
    let (machine, node, main) = (texts.number("machine")?, texts.number("node")?, texts.number("main")?);
    texts.out.node(0, machine, machine, UNDEFINED_UINT32)?;
    let host = |record: &Record| 1 + record.node;
    for record in &job.records {
        let first = job.records.iter().find(|other| other.node == record.node);
        if first.is_some_and(|first| first.pe == record.pe) {
            let name = texts.number(&record.host)?;
            texts.out.node(host(record), name, node, 0)?;
        }
        let name = texts.number(&format!("PE {}", record.pe))?;
        texts.out.process(record.pe, name, LOCATION_GROUP_TYPE_PROCESS, host(record), UNDEFINED_UINT32)?;
        for thread in 0..threads(record) {
            let name = if thread == 0 { main } else { texts.number(&format!("thread {thread}"))? };
            texts.out.location(location(record.pe, thread), name, LOCATION_TYPE_CPU_THREAD, record.pe)?;
        }
    }
    Ok(())
}

/// Define groups, communicators and windows: of all PEs, and of each team.
fn define_teams(texts: &mut Texts<'_, '_>, job: &Job, teams: &Teams, empty: u32) -> Result<(), Failed> {
    let all: Vec<u64> = job.records.iter().map(|record| location(record.pe, 0)).collect();
    let (world, heap) = (texts.number("all PEs")?, texts.number("symmetric memory")?);
    // Group 0 holds the locations of the main threads. The members of the other groups are indices into it.
    texts.out.group(0, empty, GROUP_TYPE_COMM_LOCATIONS, PARADIGM_SHMEM, &all)?;
    texts.out.group(1, world, GROUP_TYPE_COMM_GROUP, PARADIGM_SHMEM, &all)?;
    texts.out.communicator(ALL, world, 1, UNDEFINED_UINT32, COMM_FLAG_NONE)?;
    texts.out.window(ALL, heap, ALL, RMA_WIN_FLAG_CREATE_DESTROY_EVENTS)?;
    for (number, (team, members)) in (ALL + 1..).zip(teams) {
        let name = texts.number(&format!("team {number} of {} from PE {}", team.size, team.first))?;
        let members: Vec<u64> = members.iter().copied().map(u64::from).collect();
        texts.out.group(1 + number, name, GROUP_TYPE_COMM_GROUP, PARADIGM_SHMEM, &members)?;
        texts.out.communicator(number, name, 1 + number, ALL, COMM_FLAG_NONE)?;
        texts.out.window(number, name, number, RMA_WIN_FLAG_CREATE_DESTROY_EVENTS)?;
    }
    Ok(())
}
