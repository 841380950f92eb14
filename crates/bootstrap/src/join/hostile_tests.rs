//! Starts that others disturb: the wrong secret, floods of strangers, and roots that die at any moment.

use super::messages::ToMember;
use super::opening::{CLAIM_BYTES, GREETING_BYTES};
use super::tests::{LONG, leave, members_of, root_that, within};
use super::*;
use crate::{Boot, NodeMap};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

#[test]
fn an_id_with_another_secret_is_refused_and_members_still_meet() {
    within(&[1, 10], |seconds| {
        let id = draw_id(LONG).unwrap();
        let targets = id.targets();
        let forged =
            UniqueId::new(Secret::of([9; 16]), targets[0].port(), targets.iter().map(SocketAddr::ip).collect());
        let error = join(&forged, 1, 2, Duration::from_secs(seconds), false).err().unwrap().to_string();
        leave(members_of(&id, &[0, 1]));
        let is_told =
            error.contains(&format!("was not reached within {seconds} s")) && error.contains("secret is another");
        is_told.then_some(()).ok_or(error)
    });
}

#[test]
fn members_meet_during_a_flood_of_strangers() {
    /// More than the root keeps, many times over.
    const STRANGERS: u32 = 4000;
    let id = draw_id(LONG).unwrap();
    let (door, have_met, came) = (*id.targets().last().unwrap(), AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for nth in 0..4 {
            let (have_met, came) = (&have_met, &came);
            scope.spawn(move || {
                let mut open = std::collections::VecDeque::new();
                while !have_met.load(Relaxed) && came.fetch_add(1, Relaxed) < STRANGERS {
                    // The root hangs up on some, and listens no longer once all members have come.
                    let Ok(mut stranger) = TcpStream::connect(door) else { continue };
                    let _ = stranger.write_all(&b"ferriteJ and more"[..nth * 5]);
                    open.push_back(stranger);
                    if open.len() > 100 {
                        open.pop_front();
                    }
                }
            });
        }
        let members = members_of(&id, &[3, 1, 2, 0]);
        have_met.store(true, Relaxed);
        assert!(members.iter().all(|member| member.size() == 4));
        leave(members);
    });
}

/// Bytes of the root's welcome.
fn welcome() -> Vec<u8> {
    ToMember::Welcome { nodes: NodeMap::one(1), round: [3; 32], root: "PE 0".into(), root_pe: Some(0) }.frame()
}

/// A root that is gone after it has sent this many bytes to its only member.
fn root_that_sends(count: usize) -> UniqueId {
    root_that(move |mut socket, challenge, key| {
        socket.write_all(&challenge.encode(key)[..count.min(GREETING_BYTES)]).unwrap();
        let Some(rest) = count.checked_sub(GREETING_BYTES) else { return };
        // The claim, and the length of the member's first message.
        socket.read_exact(&mut [0; CLAIM_BYTES + 4]).unwrap();
        socket.write_all(&welcome()[..rest]).unwrap();
    })
}

#[test]
fn a_root_that_dies_after_any_byte_is_named_at_once() {
    let whole = GREETING_BYTES + welcome().len();
    // Most of the greeting is random bytes; what matters is where it ends.
    for count in (0..whole).filter(|count| *count >= GREETING_BYTES - 1 || count % 10 == 0) {
        let begun = Instant::now();
        let error = join(&root_that_sends(count), 0, 1, LONG, false).err().unwrap().to_string();
        let expected = if count < GREETING_BYTES { "nothing listens at 127.0.0.1:" } else { "the root at 127.0.0.1:" };
        assert!(error.contains(expected), "after {count} bytes: {error}");
        assert!(count < GREETING_BYTES || error.contains("has ended"), "after {count} bytes: {error}");
        // Far from the limit of the start, even on a busy machine.
        assert!(begun.elapsed() < LONG / 2, "after {count} bytes: {:?}", begun.elapsed());
    }
    let member = join(&root_that_sends(whole), 0, 1, LONG, false).unwrap();
    assert!(member.exchange().unwrap_err().to_string().contains("PE 0 has ended"));
}
