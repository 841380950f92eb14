//! The trace in OTF2, as OTF2's own tool prints it.

mod sample;

use ferrite_profile::{Class, Event, Job, Record, Routine, Team, otf2};
use std::{
    path::PathBuf,
    process::{Command, Output},
};

/// The path of an archive that does not exist yet.
fn place(name: &str) -> PathBuf {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}.otf2", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    place
}

/// The output of `otf2-print` for an archive; `None` if the tool or the library is not installed.
fn printed(job: &Job, name: &str, option: &[&str]) -> Option<String> {
    if Command::new("otf2-print").arg("--version").output().is_err() {
        println!("skipped: there is no otf2-print here (otf2-tools) to read the trace");
        return None;
    }
    let place = place(name);
    otf2::write(job, &place).expect("the library is where its tool is");
    let archive = place.join(format!("{}.otf2", otf2::NAME));
    let Output { status, stdout, stderr } =
        Command::new("otf2-print").args(option).arg(archive).output().expect("it can be started");
    std::fs::remove_dir_all(&place).expect("the archive can be removed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(status.success() && stderr.is_empty(), "{status}: {}", text(&stderr));
    Some(text(&stdout))
}

/// Number of lines that begin with this word.
fn lines(text: &str, word: &str) -> usize {
    text.lines().filter(|line| line.split_whitespace().next() == Some(word)).count()
}

#[test]
fn every_call_is_there_for_otf2_print() {
    let Some(text) = printed(&sample::neighbours(4), "events", &[]) else { return };
    // 4 PEs, each with 40 puts, waits and barriers.
    for (word, times) in [
        ("ENTER", 480),
        ("LEAVE", 480),
        ("RMA_PUT", 160),
        ("RMA_OP_COMPLETE_BLOCKING", 160),
        ("RMA_COLLECTIVE_BEGIN", 160),
        ("RMA_COLLECTIVE_END", 160),
        ("RMA_WIN_CREATE", 4),
        ("RMA_WIN_DESTROY", 4),
    ] {
        assert_eq!(lines(&text, word), times, "{word}\n{}", &text[..text.len().min(4000)]);
    }
    let put = text.lines().find(|line| line.starts_with("RMA_PUT")).expect("there are puts");
    for part in ["symmetric memory", "Remote: 1", "Bytes: 8192"] {
        assert!(put.contains(part), "{put}");
    }
}

#[test]
fn numbers_stand_for_routines_hosts_and_pes() {
    let Some(text) = printed(&sample::neighbours(20), "definitions", &["-G"]) else { return };
    for part in ["shmem_signal_wait_until", "node0", "node1", "PE 19", "all PEs", "SHMEM"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!((lines(&text, "LOCATION_GROUP"), lines(&text, "LOCATION")), (20, 20));
}

/// Calls of two PEs with two threads, unfinished operations, a team, and all kinds of routines.
fn varied() -> Job {
    let calls = [
        ("shmem_putmem_nbi", Class::Put, Some(1)),
        ("shmem_getmem_nbi", Class::Get, Some(1)),
        ("shmem_fence", Class::Order, None),
        ("shmem_quiet", Class::Order, None),
        ("shmem_long_atomic_fetch_add", Class::Atomic, Some(0)),
        ("shmem_int_sum_reduce", Class::Collective, None),
        ("shmem_putmem_nbi", Class::Put, Some(0)),
        ("shmem_free", Class::Heap, None),
    ];
    let routine = |(name, class): (&str, _)| Routine { name: name.into(), class, calls: 1, ns: 5, ns_max: 5, bytes: 8 };
    let routines: Vec<Routine> = calls.iter().map(|&(name, class, _)| routine((name, class))).collect();
    let team = Team { slot: 3, born: 1, first: 0, size: 2 };
    let event = |(number, &(_, class, peer)): (usize, &(&str, Class, Option<u32>))| Event {
        begin: 100 + 10 * number as u64,
        end: 105 + 10 * number as u64,
        routine: number as u32,
        thread: u32::from(number == 4),
        peer,
        bytes: 8,
        word: None,
        meeting: (class == Class::Collective).then_some((team, 7)),
        site: 0,
    };
    let events: Vec<Event> = calls.iter().enumerate().map(event).collect();
    let record = |pe| Record {
        pe,
        pes: 2,
        host: "here".into(),
        begin: 90,
        end: 200,
        routines: routines.clone(),
        events: events.clone(),
        stride: 1,
        ..Record::default()
    };
    Job::of(vec![record(0), record(1)])
}

#[test]
fn operations_end_where_they_are_waited_for_and_teams_have_windows() {
    let Some(text) = printed(&varied(), "varied", &[]) else { return };
    // The events of the first thread of the first PE. In a line, attributes follow a location, a time and a name.
    let of_first = text.lines().filter(|line| line.split_whitespace().nth(1) == Some("0"));
    let words: Vec<&str> = of_first.filter_map(|line| line.split_whitespace().next()).collect();
    let wanted = "RMA_WIN_CREATE RMA_WIN_CREATE ENTER RMA_PUT LEAVE ENTER RMA_GET LEAVE ENTER LEAVE \
        ENTER RMA_OP_COMPLETE_NON_BLOCKING RMA_OP_COMPLETE_NON_BLOCKING LEAVE \
        ENTER RMA_COLLECTIVE_BEGIN RMA_COLLECTIVE_END LEAVE ENTER RMA_PUT LEAVE ENTER LEAVE \
        RMA_OP_COMPLETE_NON_BLOCKING RMA_WIN_DESTROY RMA_WIN_DESTROY";
    assert_eq!(words, wanted.split_whitespace().collect::<Vec<_>>(), "{text}");
    let line =
        |word: &str| text.lines().find(|line| line.starts_with(word)).unwrap_or_else(|| panic!("{word}: {text}"));
    let end = line("RMA_COLLECTIVE_END");
    assert!(end.contains("ALLREDUCE") && end.contains("team 1 of 2 from PE 0"), "{end}");
    let atomic = line("RMA_ATOMIC");
    assert!(atomic.contains("FETCH_AND_ADD") && atomic.contains("Remote: 0"), "{atomic}");
}

#[test]
fn where_nothing_can_be_written_one_line_says_so() {
    let Err(error) = otf2::write(&sample::neighbours(2), std::path::Path::new("/dev/null/trace.otf2")) else {
        panic!("nothing can be written there")
    };
    let error = error.to_string();
    assert!(error.starts_with("OTF2") && !error.contains('\n'), "{error}");
    println!("{error}");
}
