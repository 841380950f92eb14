//! The root as a state machine: which messages members get, whatever the others do.

use super::*;
use crate::values::PAGE_MAX;
use crate::wire::{VALUE_MAX, VERSION};

fn here(rank: u32, size: u32) -> ToRoot {
    here_on(rank, size, 0)
}

/// A member of a job in which losses return.
fn enduring(rank: u32, size: u32) -> ToRoot {
    let ToRoot::Here(here) = here(rank, size) else { unreachable!() };
    ToRoot::Here(Here { loss_returns: true, ..here })
}

fn here_on(rank: u32, size: u32, host: u8) -> ToRoot {
    let who = format!("pid {}", 100 + rank);
    ToRoot::Here(Here { version: VERSION, rank, size, host: [host; 16], who, loss_returns: false })
}

/// A running job, whose members have the lines 10, 11, ...
fn running(size: u32) -> Root {
    let mut root = Root::new([1; 32], "pid 100".into());
    for rank in 0..size {
        assert!(root.is_gathering());
        root.hear(10 + Line::from(rank), here(rank, size));
    }
    assert!(!root.is_gathering() && !root.is_over());
    root
}

fn told(out: &[Outgoing]) -> Vec<Line> {
    out.iter().map(|(line, _)| *line).collect()
}

fn why(out: &[Outgoing]) -> &str {
    match &out[0].1 {
        ToMember::Job(ToPe::Refused { why }) | ToMember::Over { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn members_are_welcome_when_all_have_come_in_any_order() {
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut root = Root::new([1; 32], "pid 100".into());
        let hosts = [5, 7, 5];
        let hear = |root: &mut Root, rank: u32| root.hear(rank.into(), here_on(rank, 3, hosts[rank as usize]));
        assert!(hear(&mut root, order[0]).is_empty() && hear(&mut root, order[1]).is_empty());
        let out = hear(&mut root, order[2]);
        assert_eq!(told(&out), [0, 1, 2]);
        let nodes = NodeMap::of([0, 1, 0]);
        let root = "PE 0 (pid 100)".into();
        let welcome = ToMember::Welcome { nodes, round: [1; 32], root, root_pe: Some(0) };
        assert!(out.iter().all(|(_, said)| *said == welcome));
    }
}

#[test]
fn members_that_do_not_fit_are_refused_by_name() {
    let mut root = Root::new([1; 32], "pid 100".into());
    assert!(why(&root.hear(1, here(3, 3))).contains("PE 3 of 3 (pid 103) cannot be"));
    assert!(why(&root.hear(2, here(0, u32::MAX))).contains("cannot be"));
    assert!(root.hear(3, here(1, 3)).is_empty());
    assert!(why(&root.hear(4, here(0, 4))).contains("4 PEs, and others say 3"));
    assert!(why(&root.hear(5, here(1, 3))).contains("PE 1 has come twice: pid 101, then pid 101"));
    let ToRoot::Here(other) = here(0, 3) else { unreachable!() };
    assert!(why(&root.hear(6, ToRoot::Here(Here { version: 0, ..other }))).contains("another version"));
    root.hear(7, here(0, 3));
    root.hear(8, here(2, 3));
    assert!(why(&root.hear(9, here(2, 3))).contains("after the job had started"));
}

#[test]
fn a_member_that_dies_while_others_gather_may_come_again() {
    let mut root = Root::new([1; 32], "pid 100".into());
    root.hear(1, here(0, 2));
    assert!(root.lose(1).is_empty());
    assert!(root.hear(2, here(0, 2)).is_empty());
    assert_eq!(told(&root.hear(3, here(1, 2))), [2, 3]);
}

#[test]
fn members_that_never_come_are_named() {
    let mut root = Root::new([1; 32], "pid 100".into());
    for rank in [0, 4, 5] {
        root.hear(rank.into(), here(rank, 10));
    }
    let out = root.expire(Duration::from_secs(7));
    assert_eq!((told(&out), root.is_over()), (vec![0, 4, 5], true));
    assert_eq!(why(&out), "PEs 1-3,6-9 of 10 did not come within 7 s of the first; 3 did");
}

#[test]
fn values_are_seen_after_the_exchange_by_message_or_look_up() {
    for (value, sent) in [(vec![7; 10], true), (vec![7; PAGE_MAX], false)] {
        let mut root = running(2);
        let publish =
            |value: &[u8]| ToRoot::Job(ToLauncher::Exchange { published: vec![("key".into(), value.to_vec())] });
        assert!(root.hear(10, publish(&value)).is_empty());
        let look_up = || ToRoot::Job(ToLauncher::Lookup { pe: Pe(0), key: "key".into() });
        assert_eq!(root.hear(11, look_up()), [(11, ToMember::Job(ToPe::Found { entries: vec![] }))]);
        let out = root.hear(11, publish(b"other"));
        assert_eq!(told(&out), [10, 11]);
        let entry = Entry { pe: Pe(0), key: "key".into(), value: value.clone() };
        match &out[0].1 {
            ToMember::Job(ToPe::Released { entries: Some(entries) }) => assert!(sent && entries[0] == entry),
            ToMember::Job(ToPe::Released { entries: None }) => assert!(!sent),
            other => panic!("{other:?}"),
        }
        let own = Entry { pe: Pe(1), key: "key".into(), value: b"other".to_vec() };
        // Both are of one host, so the answer is a page, which has room for one long value.
        let entries = if sent { vec![entry, own] } else { vec![entry] };
        assert_eq!(root.hear(11, look_up()), [(11, ToMember::Job(ToPe::Found { entries }))]);
    }
}

#[test]
fn a_page_has_the_values_of_the_members_host_and_else_one_value() {
    let mut root = Root::new([1; 32], "pid 100".into());
    for (rank, host) in [(0, 1), (1, 1), (2, 2)] {
        root.hear(rank.into(), here_on(rank, 3, host));
    }
    for rank in 0..3 {
        let published = vec![("key".into(), vec![7; PAGE_MAX / 3])];
        root.hear(rank, ToRoot::Job(ToLauncher::Exchange { published }));
    }
    let mut found = |line: Line| {
        let out = root.hear(line, ToRoot::Job(ToLauncher::Lookup { pe: Pe(0), key: "key".into() }));
        let [(_, ToMember::Job(ToPe::Found { entries }))] = &out[..] else { panic!("{out:?}") };
        entries.iter().map(|entry| entry.pe.0).collect::<Vec<_>>()
    };
    assert_eq!((found(1), found(2)), (vec![0, 1], vec![0]));
    let out = root.hear(0, ToRoot::Job(ToLauncher::Lookup { pe: Pe(9), key: "key".into() }));
    assert_eq!(out, [(0, ToMember::Job(ToPe::Found { entries: vec![] }))]);
}

#[test]
fn the_job_ends_if_its_members_publish_without_bounds() {
    let mut root = running(1);
    let mut publish = |key: usize| {
        let published = vec![(key.to_string(), vec![7; VALUE_MAX])];
        root.hear(10, ToRoot::Job(ToLauncher::Exchange { published }))
    };
    let end = (0..2000).map(&mut publish).find(|out| matches!(out[0].1, ToMember::Over { .. }));
    assert!(why(&end.unwrap()).contains("publish more than"));
    assert!(root.is_over());
}

#[test]
fn all_part_together() {
    let mut root = running(3);
    let leave = || ToRoot::Job(ToLauncher::Leave);
    assert!(root.hear(11, leave()).is_empty());
    // A process that has left may end.
    assert!(root.lose(11).is_empty() && !root.is_over());
    assert!(root.hear(10, leave()).is_empty());
    let out = root.hear(12, leave());
    assert!(root.is_over() && out.iter().all(|(_, said)| *said == ToMember::Parted));
    assert_eq!(told(&out), [10, 11, 12]);
}

#[test]
fn the_end_of_one_is_the_end_of_all_and_names_it() {
    let mut root = running(3);
    let out = root.lose(11);
    assert_eq!(why(&out), "ferrite: PE 1 (pid 101) has ended without finalize");
    assert_eq!((told(&out), root.is_over()), (vec![10, 12, 11], true));

    let mut root = running(3);
    let out = root.hear(10, ToRoot::Job(ToLauncher::Abort { code: 5, why: "so".into() }));
    // The member that aborts gets its message last.
    assert_eq!(told(&out), [11, 12, 10]);
    assert!(out.iter().all(|(_, said)| *said == ToMember::Over { code: Some(5), why: "so".into() }));
    assert!(root.lose(11).is_empty());
}

#[test]
fn losses_that_return_are_told_to_those_that_are_left_until_none_is() {
    let mut root = Root::new([1; 32], "pid 100".into());
    (0..4).for_each(|rank| drop(root.hear(10 + Line::from(rank), enduring(rank, 4))));
    let job = ToRoot::Job;
    assert!(root.hear(10, job(ToLauncher::Exchange { published: vec![] })).is_empty());
    let out = root.lose(11);
    let lost = |pe: u32| {
        let why = format!("PE {pe} (pid {}) has ended without finalize", 100 + pe);
        ToMember::Lost { pe, why }
    };
    assert_eq!(told(&out), [10, 12, 13]);
    assert!(out.iter().all(|(_, said)| *said == lost(1)));
    // Nothing completes any more, and a member that has left is lost like any other.
    assert!(root.hear(12, job(ToLauncher::Exchange { published: vec![] })).is_empty());
    assert!(root.hear(13, job(ToLauncher::Leave)).is_empty());
    assert_eq!(root.lose(13), [(10, lost(3)), (12, lost(3))]);
    assert!(root.hear(12, ToRoot::Abandon).is_empty() && !root.is_over());
    assert!(root.lose(12).is_empty() && !root.is_over());
    // An abort ends those that are left.
    assert!(root.hear(10, ToRoot::Abandon).is_empty() && root.is_over());
}

#[test]
fn an_abort_ends_the_members_of_a_broken_job() {
    let mut root = Root::new([1; 32], "pid 100".into());
    (0..3).for_each(|rank| drop(root.hear(10 + Line::from(rank), enduring(rank, 3))));
    root.lose(10);
    let out = root.hear(11, ToRoot::Job(ToLauncher::Abort { code: 3, why: String::new() }));
    assert_eq!((told(&out), root.is_over()), (vec![12, 11], true));
}

#[test]
fn all_want_the_same_after_a_loss() {
    let mut root = Root::new([1; 32], "pid 100".into());
    root.hear(1, enduring(0, 2));
    let out = root.hear(2, here(1, 2));
    assert!(why(&out).contains("PE 1 (pid 101) wants losses to end the job, and PE 0 wants them to return"));
    assert!(root.hear(3, enduring(1, 2)).len() == 2);
    // Nobody abandons a job that is whole.
    assert_eq!(told(&root.hear(3, ToRoot::Abandon)), [1]);
}

#[test]
fn a_message_out_of_turn_is_a_loss() {
    let mut root = running(2);
    assert_eq!(why(&root.hear(10, here(0, 2))), "ferrite: PE 0 (pid 100) has ended without finalize");
    let mut root = running(2);
    assert!(!root.hear(11, ToRoot::Job(ToLauncher::Hello { version: 1 })).is_empty());
    let mut root = Root::new([1; 32], "pid 100".into());
    root.hear(1, here(0, 2));
    // Not a member yet; and one that does not wait for its welcome.
    assert!(root.hear(2, ToRoot::Job(ToLauncher::Leave)).is_empty());
    root.hear(1, ToRoot::Job(ToLauncher::Leave));
    assert!(root.ranks.is_empty());
}

#[test]
fn jobs_of_one_start_have_different_secrets() {
    let start = Secret::of([3; 16]);
    assert_ne!(job_secret(&start, &[1; 32]), job_secret(&start, &[2; 32]));
    assert_eq!(job_secret(&start, &[1; 32]), job_secret(&start, &[1; 32]));
}
