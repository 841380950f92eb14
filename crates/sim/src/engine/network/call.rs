//! A call under way, and the order that it keeps.

use ferrite_engine::{Answer, Class, Limits, Location, Token, Update};
use std::{ops::Range, ptr};

/// Memory of the program that posted a call.
#[derive(Clone, Copy, Debug)]
pub struct Memory(pub *mut u8);

// SAFETY: it is accessed only while a call is under way, and the engine keeps it valid until then; a run has one thread.
unsafe impl Send for Memory {}

/// The action of a call.
#[derive(Debug)]
pub enum Action {
    Write(Location, Source),
    Read(Location, Memory),
    /// Deliver a message: its head and its data.
    Message(Vec<u8>, Source),
    /// Deliver an answer to this port.
    Answer(usize, Answer),
    Atomic(Update),
    /// Wait for the writes before it.
    Flush,
}

/// The place of a call's data.
#[derive(Debug)]
pub enum Source {
    /// In the program's memory, which may be read until the token is given back.
    Program(Memory),
    /// In a copy, which the call owns.
    Copied(Vec<u8>),
}

// SAFETY: as for `Memory`; an update's place for the old value is such memory.
unsafe impl Send for Action {}

impl Source {
    /// The bytes at `from`: copied now if `copied`, otherwise left where they are.
    ///
    /// # Safety
    /// The bytes are readable: now if they are copied, otherwise until the call is complete.
    pub unsafe fn new(from: *const u8, len: usize, copied: bool) -> Source {
        if !copied {
            return Source::Program(Memory(from.cast_mut()));
        }
        let mut copy = vec![0; len];
        // SAFETY: as the caller says.
        unsafe { ptr::copy_nonoverlapping(from, copy.as_mut_ptr(), len) };
        Source::Copied(copy)
    }

    /// Where the bytes are.
    pub fn start(&self) -> *const u8 {
        match self {
            Source::Program(memory) => memory.0,
            Source::Copied(copy) => copy.as_ptr(),
        }
    }
}

/// The progress of a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    Away,
    /// At its port, which may receive it.
    There,
    /// Received, and not yet executed.
    Taken,
}

/// A call under way.
#[derive(Debug)]
pub struct Call {
    /// Identifies the call: the port, and the number of its earlier calls.
    pub id: (usize, usize),
    pub from: usize,
    pub to: usize,
    /// The token to give back when the call completes; `None` if it was given back.
    pub token: Option<Token>,
    pub action: Action,
    pub len: usize,
    /// The range of bytes that has not taken effect yet.
    pub left: Range<usize>,
    /// The progress of a message.
    pub stage: Stage,
}

impl Call {
    pub fn class(&self) -> Option<Class> {
        match self.action {
            Action::Write(..) => Some(Class::Write),
            Action::Read(..) => Some(Class::Read),
            Action::Message(..) => Some(Class::Message),
            Action::Atomic(_) => Some(Class::Atomic),
            Action::Answer(..) | Action::Flush => None,
        }
    }

    /// Copy the data, so that the program may reuse its memory.
    pub fn capture(&mut self) {
        if let Action::Write(_, source) | Action::Message(_, source) = &mut self.action
            && let Source::Program(memory) = *source
        {
            // SAFETY: the program keeps its memory until the token is given back.
            *source = unsafe { Source::new(memory.0, self.len, true) };
        }
    }

    /// True if this call takes effect before `later`, which the same port posted later to the same peer.
    pub fn holds_back(&self, later: &Call, limits: &Limits) -> bool {
        match (self.class(), &later.action) {
            (Some(Class::Write), Action::Flush) => true,
            (Some(Class::Write), Action::Atomic(update)) if update.fenced => true,
            (None | Some(Class::Read), _) => false,
            (Some(before), _) => {
                later.class().is_some_and(|after| limits.orders.keep(before, after, self.len.max(later.len)))
            }
        }
    }
}
