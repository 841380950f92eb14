//! Calls between two endpoints of this process over the provider tcp, each tested by its effect: the compiler does not notice swapped
//! arguments of one type in a declaration.
#![cfg(bindings)]

mod support;

use libc::iovec;
use libfabric_sys::*;
use std::{ffi::c_void, ptr};
use support::{Pair, Side, good, library, until};

/// Two sides that know each other, and the parts of calls.
struct Calls<'a> {
    origin: &'a Side,
    target: &'a Side,
    peer: fi_addr_t,
    ours: *mut u64,
    theirs: *mut u64,
    base: u64,
    key: u64,
    desc: *mut c_void,
    context: *mut c_void,
}

impl Calls<'_> {
    /// The address of a word at the origin.
    fn local(&self, word: usize) -> *mut c_void {
        assert!(word < 64);
        // SAFETY: it is one of 64.
        unsafe { self.ours.add(word) }.cast()
    }

    /// A word at the origin.
    fn here(&self, word: usize) -> u64 {
        // SAFETY: it is one of 64, by the assertion of `local`; no operation is under way.
        unsafe { self.local(word).cast::<u64>().read_volatile() }
    }

    /// A word at the target.
    fn there(&self, word: usize) -> u64 {
        assert!(word < 64);
        // SAFETY: it is one of 64; providers of this process write it from this thread, when they are progressed.
        unsafe { self.theirs.add(word).read_volatile() }
    }

    fn set(&self, word: usize, value: u64) {
        // SAFETY: it is one of 64, by the assertion of `local`, and no operation is under way.
        unsafe { self.local(word).cast::<u64>().write(value) };
    }

    fn finish(&self, what: &str, post: impl FnMut() -> isize) {
        self.origin.finish(self.target, what, post);
    }

    /// Post a read or write of two buffers, words `words` at the origin, and of one range, which begins at word `place` of the target. Wait
    /// until it is complete.
    fn transfer(
        &self,
        what: &str,
        words: [usize; 2],
        place: u64,
        flags: u64,
        call: unsafe fn(*mut fid_ep, *const fi_msg_rma, u64) -> isize,
    ) {
        let buffers = words.map(|word| iovec { iov_base: self.local(word), iov_len: 8 });
        let mut descs = [self.desc; 2];
        let place = fi_rma_iov { addr: self.base + 8 * place, len: 16, key: self.key };
        let message = fi_msg_rma {
            msg_iov: buffers.as_ptr(),
            desc: descs.as_mut_ptr(),
            iov_count: 2,
            addr: self.peer,
            rma_iov: &raw const place,
            rma_iov_count: 1,
            context: self.context,
            data: 0,
        };
        // SAFETY: buffers, descriptors and the message live until the operation is complete.
        self.finish(what, || unsafe { call(self.origin.ep, &raw const message, flags) });
    }

    /// Post an atomic with word `word` of the origin on word 4 of the target, and wait until it is complete.
    fn atomic(
        &self,
        what: &str,
        word: usize,
        op: fi_op,
        call: impl Fn(*const fi_msg_atomic, *mut *mut c_void) -> isize,
    ) {
        let mut descs = [self.desc];
        let value = fi_ioc { addr: self.local(word), count: 1 };
        let place = fi_rma_ioc { addr: self.base + 8 * 4, count: 1, key: self.key };
        let message = fi_msg_atomic {
            msg_iov: &raw const value,
            desc: descs.as_mut_ptr(),
            iov_count: 1,
            addr: self.peer,
            rma_iov: &raw const place,
            rma_iov_count: 1,
            datatype: FI_UINT64,
            op,
            context: self.context,
            data: 0,
        };
        self.finish(what, || call(&raw const message, descs.as_mut_ptr()));
    }
}

/// Call `test` with two sides, or print why not.
fn with_calls(test: impl FnOnce(&Calls<'_>)) {
    let Some(library) = library() else { return };
    let mut pair = Pair::open(&library);
    let (origin, target, base) = pair.sides();
    let mut context = fi_context2::default();
    let (ours, theirs) = (origin.memory.as_mut_ptr(), target.memory.as_mut_ptr());
    // SAFETY: both regions are open.
    let (key, desc) = unsafe { (fi_mr_key(target.mr), fi_mr_desc(origin.mr)) };
    let (peer, context) = (origin.meet(target), (&raw mut context).cast());
    test(&Calls { origin, target, peer, ours, theirs, base, key, desc, context });
}

#[test]
fn writes_arrive_and_reads_return() {
    with_calls(|c| {
        c.set(0, 10);
        c.set(1, 11);
        c.transfer("fi_writemsg", [0, 1], 6, FI_COMPLETION | FI_DELIVERY_COMPLETE, fi_writemsg);
        assert_eq!([5, 6, 7, 8].map(|word| c.there(word)), [0, 10, 11, 0], "delivered means visible");
        // In the other order, so that the parts show.
        c.transfer("fi_readmsg", [3, 2], 6, FI_COMPLETION, fi_readmsg);
        assert_eq!([2, 3].map(|word| c.here(word)), [11, 10]);
    });
}

#[test]
fn atomics_combine_fetch_and_compare() {
    with_calls(|c| {
        let ep = c.origin.ep;
        let mut count = 0;
        // SAFETY: the endpoint is open.
        unsafe {
            assert_eq!(fi_atomicvalid(ep, FI_UINT64, FI_BXOR, &raw mut count), 0);
            assert_eq!(fi_fetch_atomicvalid(ep, FI_UINT64, FI_SUM, &raw mut count), 0);
            assert_eq!(fi_compare_atomicvalid(ep, FI_UINT64, FI_CSWAP, &raw mut count), 0);
            assert_ne!(fi_compare_atomicvalid(ep, FI_UINT64, FI_SUM, &raw mut count), 0, "a sum compares nothing");
        }
        assert!(count > 0);
        let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
        let word = |word: usize| fi_ioc { addr: c.local(word), count: 1 };
        c.set(0, 0b1010);
        // SAFETY: the word is one of 64, and no operation is under way.
        unsafe { c.theirs.add(4).write(0b1100) };
        // SAFETY: words and descriptions live until the operation is complete.
        c.atomic("fi_atomicmsg", 0, FI_BXOR, |message, _| unsafe { fi_atomicmsg(ep, message, flags) });
        assert_eq!(c.there(4), 0b0110);

        c.set(1, 36);
        let mut before = word(2);
        let before = &raw mut before;
        c.atomic("fi_fetch_atomicmsg", 1, FI_SUM, |message, descs| {
            // SAFETY: as above.
            unsafe { fi_fetch_atomicmsg(ep, message, before, descs, 1, flags) }
        });
        assert_eq!((c.here(2), c.there(4)), (6, 42), "fetched and left");

        c.set(3, 42);
        c.set(4, 7);
        let (compare, mut before) = (word(3), word(5));
        let (compare, before) = (&raw const compare, &raw mut before);
        c.atomic("fi_compare_atomicmsg", 4, FI_CSWAP, |message, descs| {
            // SAFETY: as above.
            unsafe { fi_compare_atomicmsg(ep, message, compare, descs, 1, before, descs, 1, flags) }
        });
        assert_eq!((c.here(5), c.there(4)), (42, 7), "compared and left");
    });
}

#[test]
fn counters_count_and_names_need_room() {
    with_calls(|c| {
        for done in 1..=3 {
            c.transfer("fi_writemsg", [0, 1], 4, FI_COMPLETION, fi_writemsg);
            // SAFETY: the counter is open.
            until("fi_cntr_read", || unsafe { fi_cntr_read(c.origin.cntr) == done }.then_some(()));
        }
        let (mut name, mut len, mut small) = ([0u8; 256], 256, 1);
        // SAFETY: the endpoint is open; the lengths are within the room.
        unsafe {
            let object = &raw mut (*c.target.ep).fid;
            assert_eq!(fi_getname(object, name.as_mut_ptr().cast(), &raw mut len), 0);
            let result = fi_getname(object, name.as_mut_ptr().cast(), &raw mut small);
            assert_eq!((result, small), (-FI_ETOOSMALL, len));
        }
    });
}

#[test]
fn messages_are_received() {
    with_calls(|c| {
        let (sender, receiver) = (c.origin.ep, c.target.ep);
        let mut room = fi_context2::default();
        let room = (&raw mut room).cast();
        // SAFETY: the region is open.
        let desc = unsafe { fi_mr_desc(c.target.mr) };
        let offer = |word: usize| {
            let into = c.theirs.wrapping_add(word).cast();
            // SAFETY: the word lives until the message is received.
            let offered = unsafe { fi_recv(receiver, into, 8, desc, FI_ADDR_UNSPEC, room) };
            good(&c.target.library, "fi_recv", offered);
        };
        let (buffer, mut descs) = (iovec { iov_base: c.local(0), iov_len: 8 }, [c.desc]);
        let message = fi_msg {
            msg_iov: &raw const buffer,
            desc: descs.as_mut_ptr(),
            iov_count: 1,
            addr: c.peer,
            context: c.context,
            data: 0,
        };
        c.set(0, 50);
        offer(9);
        c.origin.post(c.target, "fi_sendmsg", || {
            // SAFETY: the word and the message live until it is sent.
            unsafe { fi_sendmsg(sender, &raw const message, FI_COMPLETION) }
        });
        let (mut sent, mut received) = (false, None);
        until("fi_sendmsg", || {
            sent |= c.origin.read().is_some();
            received = received.or(c.target.read());
            (sent && received.is_some()).then_some(())
        });
        assert_eq!((received.map(|r| r.len), c.there(9)), (Some(8), 50));

        c.set(0, 51);
        offer(10);
        // SAFETY: the provider copies the word before it returns.
        c.origin.post(c.target, "fi_inject", || unsafe { fi_inject(sender, c.local(0), 8, c.peer) });
        c.set(0, 0);
        let received = until("fi_inject", || {
            assert!(c.origin.read().is_none(), "an injected message completed");
            c.target.read()
        });
        assert_eq!((received.len, c.there(10)), (8, 51));
    });
}

#[test]
fn an_object_without_tables_answers_that_it_cannot() {
    let mut ep = fid_ep::default();
    let (ep, none, missing) = (&raw mut ep, ptr::null_mut(), -FI_ENOSYS);
    // SAFETY: the tables are null, so the calls follow no pointer.
    unsafe {
        assert_eq!(fi_writemsg(ep, ptr::null(), 0), missing as isize);
        assert_eq!(fi_atomicmsg(ep, ptr::null(), 0), missing as isize);
        assert_eq!(fi_enable(ep), missing);
        assert_eq!(fi_ep_bind(ep, ptr::null_mut(), 0), missing);
        assert_eq!(fi_getname(&raw mut (*ep).fid, none, ptr::null_mut()), missing);
        assert_eq!(fi_cntr_read(&mut fid_cntr::default()), 0);
        let mut table = fi_ops_rma { size: size_of::<fi_ops_rma>(), ..Default::default() };
        (*ep).rma = &raw mut table;
        assert_eq!(fi_readmsg(ep, ptr::null(), 0), missing as isize, "a table with an empty entry");
    }
}
