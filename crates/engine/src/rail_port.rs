//! A port over the ports of several rails (`rails`).
#![allow(unsafe_code)]

use crate::{Arm, Cut, Error, Event, Location, Pe, PeerNumber, Port, PostError, Posted, Result, Token, Update};
use ferrite_os::guarded_fd::GuardedFd;
use rustix::event::epoll;
use std::{io, mem, os::fd::BorrowedFd, time::Instant};

/// A port on each rail.
pub struct RailPort<P> {
    /// Names of the NICs, and the ports. The first is the nearest.
    rails: Vec<(String, P)>,
    cut: Cut,
    /// The rail whose turn it is.
    next: usize,
    /// Readable if the descriptor of any rail is. `None` if a rail has no descriptor.
    any: Option<GuardedFd>,
    /// Why a peer could not be met on a rail. The rails may number their peers differently from then on, so nothing more is posted.
    unmet: Option<String>,
}

impl<P: Port> RailPort<P> {
    pub(crate) fn new(rails: Vec<(String, P)>, cut: Cut) -> Result<RailPort<P>> {
        let any = together(&rails)?;
        Ok(RailPort { rails, cut, next: 0, any, unmet: None })
    }

    /// The first rail's port, to post on.
    #[inline]
    fn first(&mut self) -> Result<&mut P> {
        self.has_met_all()?;
        Ok(&mut self.rails[0].1)
    }

    #[inline]
    fn has_met_all(&self) -> Result<()> {
        self.unmet.as_ref().map_or(Ok(()), |why| Err(Error::new(why)))
    }

    /// Post a piece of a long operation on the rail whose turn it is, or on the next one that has room.
    fn post_piece(
        &mut self,
        len: usize,
        mut post: impl FnMut(&mut P, usize) -> Result<Posted, PostError>,
    ) -> Result<Posted, PostError> {
        self.has_met_all()?;
        let (count, len) = (self.rails.len(), len.min(self.cut.piece));
        for turn in 0..count {
            let rail = (self.next + turn) % count;
            let (nic, port) = &mut self.rails[rail];
            match post(port, len) {
                Err(PostError::Busy) => {}
                Err(PostError::Failed(error)) => return Err(PostError::Failed(at(nic, error))),
                Err(PostError::Lost(error)) => return Err(PostError::Lost(at(nic, error))),
                Ok(posted) => {
                    self.next = (rail + 1) % count;
                    return Ok(posted);
                }
            }
        }
        Err(PostError::Busy)
    }

    fn is_whole(&self, len: usize) -> bool {
        len <= self.cut.whole
    }
}

/// An epoll of the descriptors of all rails, if each has one.
fn together<P: Port>(rails: &[(String, P)]) -> Result<Option<GuardedFd>> {
    let fds: Option<Vec<BorrowedFd<'_>>> = rails.iter().map(|(_, port)| port.fd()).collect();
    let Some(fds) = fds else { return Ok(None) };
    let make = || -> io::Result<GuardedFd> {
        let any = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (number, fd) in fds.iter().enumerate() {
            epoll::add(&any, fd, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
        }
        GuardedFd::new(any)
    };
    make().map(Some).map_err(|cause| Error::because("making a descriptor for several NICs", cause))
}

/// The error with the name of the NIC.
fn at(nic: &str, error: Error) -> Error {
    Error::because(format!("NIC {nic}"), error)
}

impl<P: Port> Port for RailPort<P> {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        self.has_met_all()?;
        let met = self.rails.iter_mut().try_for_each(|(nic, port)| port.meet(pe).map_err(|error| at(nic, error)));
        self.unmet = met.as_ref().err().map(Error::to_string);
        met
    }

    unsafe fn send(
        &mut self,
        peer: PeerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        // SAFETY: as the caller says.
        unsafe { self.first()?.send(peer, head, data, len, token) }
    }

    unsafe fn read(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        if self.is_whole(len) {
            // SAFETY: as the caller says.
            return unsafe { self.first()?.read(peer, from, to, len, token) };
        }
        // SAFETY: as the caller says. A rail that refuses the call has kept neither token nor memory.
        self.post_piece(len, |port, len| unsafe { port.read(peer, from, to, len, token) })
    }

    unsafe fn write(
        &mut self,
        peer: PeerNumber,
        to: Location,
        from: *const u8,
        len: usize,
        copied: bool,
        token: Token,
    ) -> Result<Posted, PostError> {
        if copied || self.is_whole(len) {
            // SAFETY: as the caller says.
            return unsafe { self.first()?.write(peer, to, from, len, copied, token) };
        }
        // SAFETY: as in `read`.
        self.post_piece(len, |port, len| unsafe { port.write(peer, to, from, len, false, token) })
    }

    unsafe fn atomic(&mut self, peer: PeerNumber, update: &Update, token: Token) -> Result<Posted, PostError> {
        // SAFETY: as the caller says.
        unsafe { self.first()?.atomic(peer, update, token) }
    }

    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        let mut happened = 0;
        for (nic, port) in &mut self.rails {
            let before = events.len();
            happened += port.poll(events);
            for event in &mut events[before..] {
                if let Event::Lost(_, error) | Event::CallLost(_, error) | Event::Failed(error) = event {
                    let cause = mem::replace(error, Error::new(String::new()));
                    *error = at(nic, cause);
                }
            }
        }
        happened
    }

    fn has_unsent(&self) -> bool {
        self.rails.iter().any(|(_, port)| port.has_unsent())
    }

    fn push(&mut self) {
        self.rails.iter_mut().for_each(|(_, port)| port.push());
    }

    fn arm(&mut self) -> Arm {
        let mut all = Arm::Armed;
        for (_, port) in &mut self.rails {
            match port.arm() {
                Arm::Armed => {}
                Arm::Busy => return Arm::Busy,
                Arm::CannotArm => all = Arm::CannotArm,
            }
        }
        if self.any.is_none() { Arm::CannotArm } else { all }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.any.as_ref().and_then(GuardedFd::file)
    }

    fn close(&mut self, orderly: bool, deadline: Instant, serve: &mut dyn FnMut()) {
        for at in 0..self.rails.len() {
            let (before, rest) = self.rails.split_at_mut(at);
            let Some(((_, port), after)) = rest.split_first_mut() else { return };
            let mut events = Vec::new();
            let mut others = || {
                before.iter_mut().chain(&mut *after).for_each(|(_, port)| _ = port.poll(&mut events));
                serve();
            };
            port.close(orderly, deadline, &mut others);
        }
    }
}

#[cfg(test)]
#[path = "rail_port_tests.rs"]
mod tests;
