//! What a port makes of messages and failures that no well-behaved peer sends or causes.

use super::*;
use crate::{
    Options, UcxTransport,
    inbox::{REFUSED, data_head, hear_data},
};
use ferrite_engine::{SegmentId, Surroundings, Target, Transport};
use ferrite_fabric::{AddressBook, Key};
use std::ffi::c_void;

const PEER: Pe = Pe(1);
const TOKEN: Token = Token(5);

struct Book(Vec<u8>);

impl AddressBook for Book {
    fn address(&self, _: Pe) -> Result<Vec<u8>> {
        Ok(self.0.clone())
    }

    fn key(&self, _: Pe, _: SegmentId) -> Result<Key> {
        Err(Error::new("no key"))
    }
}

/// A port of PE 0 whose first peer is PE 1. `None` if UCX is missing.
fn port() -> Option<(UcxTransport, UcxPort)> {
    let surroundings = Surroundings { target: Arc::new(Target::new(Pe(0), 3)), sleeps: false };
    let transport = match UcxTransport::new(Options::new(Pe(0), 3, 7), &surroundings) {
        Ok(transport) => transport,
        Err(error) if error.to_string().starts_with("loading UCX") => {
            println!("skipped: {error}");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    transport.connect(Arc::new(Book(transport.address()))).unwrap();
    let mut port = transport.open().unwrap();
    port.meet(PEER).unwrap();
    Some((transport, port))
}

/// Data of a get arrive. Returns the events that follow.
fn arrive(port: &mut UcxPort, head: &[u8], mut data: Vec<u8>) -> Vec<Event> {
    let inbox = Rc::as_ptr(&port.inbox).cast_mut().cast::<c_void>();
    let (param, len) = (ucp_am_recv_param_t::default(), data.len());
    // SAFETY: UCX passes short data and heads alike.
    unsafe { hear_data(inbox, head.as_ptr().cast(), head.len(), data.as_mut_ptr().cast(), len, &raw const param) };
    let mut events = Vec::new();
    port.tell_troubles(&mut events);
    port.inbox.take_done(|token| events.push(Event::Done(token)));
    events
}

fn begin_get(port: &UcxPort, to: &mut u64) {
    let from = Location { segment: SegmentId::HEAP, offset: 8 };
    let get = Get { pe: PEER, from, to: (&raw mut *to).cast(), len: 8, is_asked: true, has_arrived: false };
    port.inbox.slot(TOKEN).begin_get(get);
}

#[test]
fn only_the_peer_that_was_asked_has_the_data_of_a_get() {
    let Some((_transport, mut port)) = port() else { return };
    let mut word = 1_u64;
    begin_get(&port, &mut word);
    let bytes = || 7_u64.to_ne_bytes().to_vec();
    for head in [&data_head(TOKEN.0, Pe(2), 0)[..], &data_head(TOKEN.0 + 1, PEER, 0), &data_head(TOKEN.0, PEER, 0)[..8]]
    {
        assert!(arrive(&mut port, head, bytes()).is_empty());
    }
    // A stranger refuses nothing either.
    assert!(arrive(&mut port, &data_head(TOKEN.0, Pe(2), REFUSED), Vec::new()).is_empty());
    assert_eq!(word, 1);
    let events = arrive(&mut port, &data_head(TOKEN.0, PEER, 0), bytes());
    assert!(matches!(events[..], [Event::Done(TOKEN)]), "{events:?}");
    assert_eq!(word, 7);
    // The same once more.
    assert!(arrive(&mut port, &data_head(TOKEN.0, PEER, 0), bytes()).is_empty());
}

#[test]
fn a_get_that_is_refused_is_no_loss() {
    let Some((_transport, mut port)) = port() else { return };
    let mut word = 1_u64;
    begin_get(&port, &mut word);
    let events = arrive(&mut port, &data_head(TOKEN.0, PEER, REFUSED), Vec::new());
    let [Event::Failed(error)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(error.to_string(), "PE 1 refused an operation: 8 bytes at offset 8 are outside of segment 0");
    assert_eq!(word, 1);
}

#[test]
fn a_call_that_fails_names_its_peer() {
    let Some((_transport, mut port)) = port() else { return };
    let mut end = |status| {
        let slot = port.inbox.slot(TOKEN);
        let _ = slot.param(&port.inbox, 0, 0);
        port.inbox.end(slot, status);
        let mut events = Vec::new();
        port.tell_troubles(&mut events);
        events
    };
    let events = end(UCS_ERR_CONNECTION_RESET);
    let [Event::CallLost(TOKEN, error)] = &events[..] else { panic!("{events:?}") };
    assert!(error.to_string().starts_with("the connection to PE 1 is lost"), "{error}");
    // Nobody is lost if this process has no memory.
    let events = end(UCS_ERR_NO_MEMORY);
    let [Event::Failed(error)] = &events[..] else { panic!("{events:?}") };
    assert!(error.to_string().starts_with("a call to PE 1 has failed"), "{error}");
}

/// A PE that cannot answer fails, since its peer would wait for ever. If the connection is broken, its peer sees that itself.
#[test]
fn an_answer_that_cannot_be_sent_is_a_failure() {
    let Some((_transport, mut port)) = port() else { return };
    for (status, fails) in [
        (UCS_ERR_CONNECTION_RESET, false),
        (UCS_ERR_ENDPOINT_TIMEOUT, false),
        (UCS_ERR_CANCELED, false),
        (UCS_ERR_UNREACHABLE, false),
        (UCS_ERR_NO_MEMORY, true),
    ] {
        port.inbox.not_sent(status);
        let mut events = Vec::new();
        port.tell_troubles(&mut events);
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Failed(_))).count(), usize::from(fails));
    }
}

/// Otherwise the flush of one thread would never begin while another thread writes.
#[test]
fn a_refused_flush_holds_up_further_writes() {
    let Some((_transport, mut port)) = port() else { return };
    let write = |port: &mut UcxPort| {
        let to = Location { segment: SegmentId::HEAP, offset: 0 };
        // SAFETY: the word outlives the call, which copies it.
        let written = unsafe { port.write(0, to, (&raw const WORD).cast(), 8, true, TOKEN) };
        written.unwrap_err()
    };
    static WORD: u64 = 7;
    port.inbox.begin_write(port.inbox.slot(TOKEN));
    assert!(matches!(write(&mut port), PostError::Failed(_)), "nobody flushes: it looks for the key, which is missing");
    assert!(matches!(port.flush(0, Token(6)), Err(PostError::Busy)));
    assert!(matches!(write(&mut port), PostError::Busy));
    port.inbox.end(port.inbox.slot(TOKEN), UCS_OK);
    assert!(matches!(write(&mut port), PostError::Failed(_)), "the flush might have begun");
}
