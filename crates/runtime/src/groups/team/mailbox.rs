//! Mailboxes: a member of a meeting (the guest) talks to its parent (the host) through a mailbox in the guest's control area. The host
//! reads and writes the mailbox in mapped memory, or over the fabric.

use crate::{
    area::{MEETING, MEETING_AT},
    far::{Far, SignalUpdate},
    live::Live,
    teams::slots::WORDS,
};
use core::{
    ffi::c_int,
    mem::offset_of,
    ptr,
    sync::atomic::{
        AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};
use ferrite_fabric::{Op, Pe, Remote, SegmentId, SignalOp};

/// Maximum number of threads of one PE that can be in a meeting at once. With more threads than mailboxes, meetings that occupy the
/// mailboxes of two PEs could wait for meetings that wait for a free mailbox.
const MAILBOXES: usize = 64;

/// The mailboxes of one guest.
#[repr(C, align(64))]
pub(super) struct Mailboxes {
    /// The key of the question in each mailbox, once the guest has asked. The keys are adjacent, so a remote host reads them all with one
    /// get.
    asked: [AtomicU64; MAILBOXES],
    mailboxes: [Mailbox; MAILBOXES],
}

/// One guest's conversation with its host.
#[repr(C, align(64))]
pub(super) struct Mailbox {
    /// 1 while a thread of the guest uses the mailbox.
    taken: AtomicU64,
    vacant: [AtomicU64; WORDS],
    /// Whether the guest could claim the proposed slot, and the guest's horizon.
    claimed: AtomicU64,
    horizon: AtomicU64,
    /// The key, once the host has answered.
    pub answered: AtomicU64,
    /// The host's answer: first the proposed slot plus 1, or 0 for none; later 1 for yes or 0 for no.
    pub word: AtomicU64,
    pub epoch: AtomicU64,
}

const _: () = assert!(size_of::<Mailboxes>() <= MEETING, "the mailboxes fit into their part of the control area");
const _: () = assert!(offset_of!(Mailbox, epoch) == offset_of!(Mailbox, word) + 8, "a host says both at once");

/// The words of a guest's question.
#[derive(Clone, Copy)]
pub(super) struct Said {
    pub vacant: [u64; WORDS],
    pub claimed: u64,
    pub horizon: u64,
}

impl Mailboxes {
    /// Take a mailbox for a thread of the guest that owns them; `None` if all are taken. Release it with [`leave`](Self::leave).
    pub fn enter(&self) -> Option<usize> {
        self.mailboxes.iter().position(|mailbox| mailbox.taken.compare_exchange(0, 1, AcqRel, Relaxed).is_ok())
    }

    pub fn leave(&self, mailbox: usize) {
        self.mailboxes[mailbox].taken.store(0, Release);
    }

    /// A mailbox that the thread has taken.
    pub fn mailbox(&self, mailbox: usize) -> &Mailbox {
        &self.mailboxes[mailbox]
    }

    /// Publish the question in `mailbox`. Release: the words stored before are visible to a host that sees the key.
    pub fn ask(&self, mailbox: usize, key: u64) {
        self.asked[mailbox].store(key, Release);
    }
}

impl Mailbox {
    /// Store the words of a question, before [`Mailboxes::ask`].
    pub fn say(&self, Said { vacant, claimed, horizon }: &Said) {
        self.vacant.iter().zip(vacant).for_each(|(word, &free)| word.store(free, Relaxed));
        self.claimed.store(*claimed, Relaxed);
        self.horizon.store(*horizon, Relaxed);
    }

    fn said(&self) -> Said {
        Said {
            vacant: core::array::from_fn(|i| self.vacant[i].load(Relaxed)),
            claimed: self.claimed.load(Relaxed),
            horizon: self.horizon.load(Relaxed),
        }
    }
}

/// A guest, as its host reaches it.
pub(super) enum Guest<'l> {
    /// The guest is mapped.
    Near(&'l Mailboxes),
    /// The guest is reached over the fabric.
    Far(Distant<'l>),
}

/// The mailboxes of a guest that is not mapped.
pub(super) struct Distant<'l> {
    live: &'l Live,
    far: &'l Far,
    pe: Pe,
}

impl Live {
    /// The mailboxes of a mapped PE, by its index among the mapped PEs.
    pub(super) fn mailboxes(&self, index: usize) -> &Mailboxes {
        // SAFETY: mapped, aligned, zero at first, and every field is atomic.
        unsafe { &*self.memory.node.control(index).wrapping_add(MEETING_AT).cast() }
    }

    /// The mailboxes of a guest, by its world number.
    pub(super) fn guest(&self, pe: c_int) -> Guest<'_> {
        match (self.memory.local.binary_search(&(pe as u32)), &self.far) {
            (Ok(index), _) => Guest::Near(self.mailboxes(index)),
            (Err(_), Some(far)) => Guest::Far(Distant { live: self, far, pe: Pe(pe as u32) }),
            (Err(_), None) => unreachable!("PE {pe} is not mapped, and there is no fabric"),
        }
    }
}

impl Guest<'_> {
    /// The mailbox in which the guest has asked with `key`, and the words of the question. The question is cleared.
    pub fn take_question(&self, key: u64) -> Option<(usize, Said)> {
        match self {
            Guest::Near(mailboxes) => {
                let mailbox = mailboxes.asked.iter().position(|asked| asked.load(Acquire) == key)?;
                let said = mailboxes.mailboxes[mailbox].said();
                mailboxes.asked[mailbox].store(0, Relaxed);
                Some((mailbox, said))
            }
            Guest::Far(distant) => distant.take_question(key),
        }
    }

    /// Answer in this mailbox.
    pub fn tell(&self, mailbox: usize, key: u64, word: u64, epoch: u64) {
        match self {
            Guest::Near(mailboxes) => {
                let mailbox = &mailboxes.mailboxes[mailbox];
                mailbox.word.store(word, Relaxed);
                mailbox.epoch.store(epoch, Relaxed);
                mailbox.answered.store(key, Release);
            }
            Guest::Far(distant) => distant.tell(mailbox, key, word, epoch),
        }
    }
}

impl Distant<'_> {
    fn at(&self, mailbox: usize, offset: usize) -> Remote {
        self.within(offset_of!(Mailboxes, mailboxes) + mailbox * size_of::<Mailbox>() + offset)
    }

    fn asked_at(&self, mailbox: usize) -> Remote {
        self.within(offset_of!(Mailboxes, asked) + mailbox * size_of::<AtomicU64>())
    }

    fn within(&self, offset: usize) -> Remote {
        Remote { pe: self.pe, segment: SegmentId::CONTROL, offset: (MEETING_AT + offset) as u64 }
    }

    fn get<const N: usize>(&self, from: Remote) -> [u64; N] {
        let mut words = [0; N];
        let (to, len) = (words.as_mut_ptr().cast(), size_of::<[u64; N]>());
        // SAFETY: `words` outlives the fetch.
        unsafe { self.live.fetch(&self.far.stream, &Op::Get { from, to, len }) };
        words
    }

    fn take_question(&self, key: u64) -> Option<(usize, Said)> {
        // A word that is just being written may arrive torn; half a key is not the key.
        let mailbox = self.get::<MAILBOXES>(self.asked_at(0)).iter().position(|&asked| asked == key)?;
        // Fetch after the key was seen: the guest does not change its words until it is answered.
        const _: () = assert!(offset_of!(Mailbox, horizon) == offset_of!(Mailbox, vacant) + 8 * (WORDS + 1));
        let words: [u64; WORDS + 2] = self.get(self.at(mailbox, offset_of!(Mailbox, vacant)));
        let said =
            Said { vacant: core::array::from_fn(|i| words[i]), claimed: words[WORDS], horizon: words[WORDS + 1] };
        let signal = SignalUpdate { at: self.asked_at(mailbox), op: SignalOp::Set, value: 0 };
        // SAFETY: no bytes are sent.
        unsafe { self.live.send_signal(self.far, signal.at, ptr::null(), 0, signal) };
        Some((mailbox, said))
    }

    fn tell(&self, mailbox: usize, key: u64, word: u64, epoch: u64) {
        // The answer must arrive after the question is cleared, since the guest may ask again as soon as it has the answer.
        self.far.stream.fence();
        let words = [word, epoch];
        let to = self.at(mailbox, offset_of!(Mailbox, word));
        let signal =
            SignalUpdate { at: self.at(mailbox, offset_of!(Mailbox, answered)), op: SignalOp::Set, value: key };
        // SAFETY: `words` outlives the wait below.
        let ticket = unsafe { self.live.send_signal(self.far, to, words.as_ptr().cast(), size_of_val(&words), signal) };
        if let Some(ticket) = ticket {
            self.live.wait_for_one(&self.far.stream, ticket);
        }
    }
}
