//! An epoll that copes with a program that closes descriptors which it has not opened.
//!
//! All epolls of a system have one inode. So the inode does not distinguish ours from an epoll of the program that has taken over its
//! number. A member does: a socket that is only in ours, and for which the kernel reports no events. And events of ours carry a random
//! mark: an event of another epoll has no name that we gave. So an event shows that its descriptor's file is open.

use ferrite_os::guarded_fd::{Closed, GuardedFd};
use rustix::{
    event::{
        Timespec,
        epoll::{self, CreateFlags, Event, EventData, EventFlags},
    },
    io::{Errno, fcntl_dupfd_cloexec},
    net::{AddressFamily, SocketFlags, SocketType, socket_with},
};
use std::{
    hash::{BuildHasher, RandomState},
    io,
    mem::MaybeUninit,
    os::fd::{AsRawFd, BorrowedFd, IntoRawFd, RawFd},
};

/// An epoll that the program may have closed. A member socket identifies it, since all epolls share one inode.
pub struct Epoll {
    number: RawFd,
    member: GuardedFd,
    /// Random number. Event data is the name XOR this number.
    mark: u64,
}

impl Epoll {
    /// An epoll that watches nothing.
    pub fn new() -> io::Result<Epoll> {
        let member = GuardedFd::new(socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?)?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        // Avoid the numbers of the standard streams, which are free in a program that was started without them.
        let epoll = if epoll.as_raw_fd() > 2 { epoll } else { fcntl_dupfd_cloexec(&epoll, 3)? };
        epoll::add(&epoll, member.get()?, EventData::new_u64(0), EventFlags::empty())?;
        let mark = RandomState::new().hash_one(epoll.as_raw_fd());
        Ok(Epoll { number: epoll.into_raw_fd(), member, mark })
    }

    /// The descriptor without a check: for a sleep, or for a call that has no effect if the descriptor is now an epoll of the program,
    /// because that contains none of our descriptors.
    pub fn unchecked(&self) -> BorrowedFd<'_> {
        // SAFETY: the number was open once, and is used only for calls that do no harm whatever it refers to now.
        unsafe { BorrowedFd::borrow_raw(self.number) }
    }

    /// The descriptor, if it still is this epoll.
    pub fn get(&self) -> Result<BorrowedFd<'_>, Closed> {
        let (member, nothing) = (self.member.get()?, EventFlags::empty());
        epoll::modify(self.unchecked(), member, EventData::new_u64(0), nothing)
            .map_err(|_| Closed { number: self.number })?;
        Ok(self.unchecked())
    }

    /// Watch one more descriptor. Its events carry `name`.
    pub fn add(&self, fd: BorrowedFd<'_>, name: u64, events: EventFlags) -> io::Result<()> {
        Ok(epoll::add(self.get()?, fd, self.data(name), events)?)
    }

    /// Change the events that a descriptor is watched for.
    pub fn modify(&self, fd: BorrowedFd<'_>, name: u64, events: EventFlags) -> io::Result<()> {
        Ok(epoll::modify(self.unchecked(), fd, self.data(name), events)?)
    }

    /// Stop watching a descriptor.
    pub fn delete(&self, fd: BorrowedFd<'_>) {
        let _ = epoll::delete(self.unchecked(), fd);
    }

    fn data(&self, name: u64) -> EventData {
        EventData::new_u64(name ^ self.mark)
    }

    /// The names of the descriptors that are ready, as many as `room` has room for. If the epoll is one of the program now, the names are
    /// random numbers.
    #[inline]
    pub fn ready<'a>(&self, room: &'a mut [MaybeUninit<Event>]) -> Result<impl Iterator<Item = u64> + use<'a>, Closed> {
        let (now, mark) = (Timespec { tv_sec: 0, tv_nsec: 0 }, self.mark);
        let ready: &[Event] = match epoll::wait(self.unchecked(), room, Some(&now)) {
            Ok((ready, _)) => ready,
            Err(Errno::BADF | Errno::INVAL) => return Err(Closed { number: self.number }),
            Err(_) => &[],
        };
        Ok(ready.iter().map(move |event| event.data.u64() ^ mark))
    }
}

impl Drop for Epoll {
    fn drop(&mut self) {
        if self.get().is_ok() {
            // SAFETY: the descriptor is ours, as just checked.
            unsafe { rustix::io::close(self.number) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    };

    fn programs_epoll() -> OwnedFd {
        epoll::create(CreateFlags::CLOEXEC).unwrap()
    }

    fn put_under(number: RawFd, other: BorrowedFd<'_>) {
        // SAFETY: the descriptor is the epoll's, and this test replaces it behind its back, as a program might.
        assert_eq!(unsafe { libc::dup2(other.as_raw_fd(), number) }, number);
    }

    #[test]
    fn it_tells_of_what_it_watches_alone() {
        let (epoll, (one, other)) = (Epoll::new().unwrap(), UnixStream::pair().unwrap());
        let ready = || {
            let mut room = [MaybeUninit::uninit(); 4];
            epoll.ready(&mut room).unwrap().collect::<Vec<_>>()
        };
        assert!(ready().is_empty());
        epoll.add(one.as_fd(), 7, EventFlags::IN).unwrap();
        io::Write::write_all(&mut &other, b"x").unwrap();
        assert_eq!(ready(), [7]);
        assert!(epoll.get().is_ok());
        epoll.delete(one.as_fd());
        assert!(ready().is_empty());
    }

    #[test]
    fn an_epoll_of_the_program_under_its_number_is_neither_changed_nor_closed() {
        let (epoll, programs) = (Epoll::new().unwrap(), programs_epoll());
        let (one, mut other) = UnixStream::pair().unwrap();
        epoll.add(one.as_fd(), 7, EventFlags::IN).unwrap();
        io::Write::write_all(&mut other, b"x").unwrap();
        let number = epoll.number;
        put_under(number, programs.as_fd());
        assert_eq!(epoll.get().err(), Some(Closed { number }));
        assert!(epoll.add(other.as_fd(), 8, EventFlags::IN | EventFlags::OUT).is_err());
        assert!(epoll.modify(one.as_fd(), 7, EventFlags::OUT).is_err());
        epoll.delete(one.as_fd());
        assert_eq!(epoll.ready(&mut [MaybeUninit::uninit(); 4]).unwrap().count(), 0);
        // The program's own event has the data 7, and its name here is none that we gave.
        epoll::add(&programs, one.as_fd(), EventData::new_u64(7), EventFlags::IN).unwrap();
        let mut room = [MaybeUninit::uninit(); 4];
        let names: Vec<u64> = epoll.ready(&mut room).unwrap().collect();
        assert!(matches!(names[..], [name] if name > u64::from(u32::MAX)), "{names:?}");
        drop(epoll);
        // SAFETY: the number is the copy that the test made above, which is still open.
        assert_eq!(unsafe { libc::close(number) }, 0);
    }

    #[test]
    fn what_is_no_epoll_is_told_at_the_first_look() {
        let (epoll, (one, _other)) = (Epoll::new().unwrap(), UnixStream::pair().unwrap());
        let number = epoll.number;
        put_under(number, one.as_fd());
        assert_eq!(epoll.ready(&mut [MaybeUninit::uninit(); 4]).err(), Some(Closed { number }));
        drop(epoll);
        // SAFETY: as above.
        assert_eq!(unsafe { libc::close(number) }, 0);
    }
}
