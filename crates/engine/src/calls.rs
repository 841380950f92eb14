//! The calls of a port that are under way, by token.

use crate::{Class, PeerNumber, Token};

/// Kind of the call that a token names.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// Part of an operation, and the fence behind which it was posted.
    Part { ticket: u64, class: Class, fence: u32, holds_memory: bool },
    /// A call that uses the caller's memory. Its completion implies nothing about the target.
    Source { ticket: u64 },
    /// A flush: writes up to ticket `upto` become visible.
    Flush { upto: u64 },
    /// A call whose completion only frees its token.
    Own,
    /// A request for the answers of a peer. Its completion only frees its token.
    Ask,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub call: Call,
    pub peer: PeerNumber,
}

/// The calls under way, and the tokens that are free.
#[derive(Debug)]
pub struct Calls {
    flights: Box<[Option<Flight>]>,
    free: Vec<u32>,
}

impl Calls {
    /// No calls, of at most `depth` at once.
    pub fn new(depth: usize) -> Calls {
        Calls { flights: vec![None; depth].into(), free: (0..depth as u32).rev().collect() }
    }

    /// The token of the next call, if one is free.
    #[inline]
    pub fn token(&self) -> Option<Token> {
        self.free.last().copied().map(Token)
    }

    /// The call of the token that [`Calls::token`] returned is under way.
    #[inline]
    pub fn begin(&mut self, token: Token, flight: Flight) {
        let free = self.free.pop();
        debug_assert_eq!(free, Some(token.0), "the call has the next token");
        let before = self.flights[token.0 as usize].replace(flight);
        debug_assert!(before.is_none(), "{token:?} is used twice: {before:?}");
    }

    /// The call under way with this token.
    pub fn at(&self, token: Token) -> Flight {
        self.flights[token.0 as usize]
            .unwrap_or_else(|| panic!("a port reported a call of {token:?}, which was not under way"))
    }

    /// A call is over. Its token is free.
    #[inline]
    pub fn end(&mut self, token: Token) -> Flight {
        let flight = self.flights[token.0 as usize].take();
        let flight = flight.unwrap_or_else(|| panic!("a port ended the call of {token:?}, which was not under way"));
        self.free.push(token.0);
        flight
    }

    /// Whether no call is under way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.free.len() == self.flights.len()
    }

    /// Number of calls that can still begin.
    #[inline]
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// The calls under way.
    pub fn under_way(&self) -> impl Iterator<Item = &Flight> {
        self.flights.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Flight = Flight { call: Call::Own, peer: 0 };

    #[test]
    fn tokens_return_when_calls_end() {
        let mut calls = Calls::new(2);
        let first = calls.token().unwrap();
        calls.begin(first, OWN);
        let second = calls.token().unwrap();
        calls.begin(second, OWN);
        assert_ne!(first, second);
        assert_eq!((calls.token(), calls.free(), calls.under_way().count()), (None, 0, 2));
        calls.end(first);
        assert_eq!((calls.token(), calls.is_empty()), (Some(first), false));
        calls.end(second);
        assert!(calls.is_empty());
    }

    #[test]
    #[should_panic(expected = "which was not under way")]
    fn a_call_ends_once() {
        let mut calls = Calls::new(1);
        let token = calls.token().unwrap();
        calls.begin(token, OWN);
        calls.end(token);
        calls.end(token);
    }
}
