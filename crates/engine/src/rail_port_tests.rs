//! What becomes of a port over rails if one rail fails.

use super::*;
use crate::SegmentId;
use std::ptr;

/// A rail that meets some peers, and posts whatever it is given.
struct Fake {
    /// Peers that it cannot meet.
    unreachable: &'static [u32],
    posted: u32,
}

impl Fake {
    fn post(&mut self, len: usize) -> Result<Posted, PostError> {
        self.posted += 1;
        Ok(Posted::Done(len))
    }
}

impl Port for Fake {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        if self.unreachable.contains(&pe.0) { Err(Error::new(format!("no route to {pe}"))) } else { Ok(()) }
    }

    unsafe fn send(
        &mut self,
        _: PeerNumber,
        _: &[u8],
        _: *const u8,
        len: usize,
        _: Token,
    ) -> Result<Posted, PostError> {
        self.post(len)
    }

    unsafe fn read(
        &mut self,
        _: PeerNumber,
        _: Location,
        _: *mut u8,
        len: usize,
        _: Token,
    ) -> Result<Posted, PostError> {
        self.post(len)
    }

    unsafe fn write(
        &mut self,
        _: PeerNumber,
        _: Location,
        _: *const u8,
        len: usize,
        _: bool,
        _: Token,
    ) -> Result<Posted, PostError> {
        self.post(len)
    }

    fn poll(&mut self, _: &mut Vec<Event>) -> usize {
        0
    }

    fn arm(&mut self) -> Arm {
        Arm::CannotArm
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// Two rails, the second of which cannot meet PE 1.
fn port() -> RailPort<Fake> {
    let rail = |nic: &str, unreachable| (nic.to_owned(), Fake { unreachable, posted: 0 });
    RailPort::new(vec![rail("eth0", &[]), rail("eth1", &[1])], Cut { whole: 8, piece: 16 }).unwrap()
}

/// The errors of posts of each kind to peer 0.
fn errors(port: &mut RailPort<Fake>) -> Vec<Option<String>> {
    let at = Location { segment: SegmentId::HEAP, offset: 0 };
    let token = Token(0);
    // SAFETY: the rails touch no memory.
    let posts = unsafe {
        [
            port.send(0, &[], ptr::null(), 0, token),
            port.read(0, at, ptr::null_mut(), 8, token),
            port.read(0, at, ptr::null_mut(), 64, token),
            port.write(0, at, ptr::null(), 8, true, token),
            port.write(0, at, ptr::null(), 64, false, token),
        ]
    };
    let error = |posted: Result<Posted, PostError>| match posted {
        Ok(_) => None,
        Err(PostError::Busy) => Some("busy".to_owned()),
        Err(PostError::Failed(error) | PostError::Lost(error)) => Some(error.to_string()),
    };
    posts.map(error).into()
}

#[test]
fn nothing_is_posted_after_a_peer_was_met_on_some_rails_only() {
    let mut port = port();
    port.meet(Pe(2)).unwrap();
    assert_eq!(errors(&mut port), [const { None }; 5]);
    let posted: Vec<u32> = port.rails.iter().map(|(_, rail)| rail.posted).collect();
    let why = "NIC eth1: no route to PE 1";
    assert_eq!(port.meet(Pe(1)).unwrap_err().to_string(), why);
    // The first rail would send to PE 1 what is meant for PE 3.
    assert_eq!(port.meet(Pe(3)).unwrap_err().to_string(), why);
    assert!(errors(&mut port).iter().all(|error| error.as_deref() == Some(why)));
    assert_eq!(port.rails.iter().map(|(_, rail)| rail.posted).collect::<Vec<_>>(), posted);
}
