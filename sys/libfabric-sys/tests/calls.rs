//! The calls that `loopback` does not test, each by its effect: the compiler does not notice swapped arguments of one
//! type in a declaration.
#![cfg(bindings)]

mod support;

use libc::iovec;
use libfabric_sys::*;
use std::{ffi::c_void, ptr, slice};
use support::{Pair, Side, good, library, until};

/// Two sides that know each other, and the pieces that calls are made of.
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
    /// A word of ours.
    fn local(&self, word: usize) -> *mut c_void {
        assert!(word < 64);
        // SAFETY: it is one of 64.
        unsafe { self.ours.add(word) }.cast()
    }

    fn remote(&self, word: u64) -> u64 {
        self.base + 8 * word
    }

    /// A word of theirs, as it is now.
    fn there(&self, word: usize) -> u64 {
        assert!(word < 64);
        // SAFETY: it is one of 64; providers of this process write it from this thread, when they are progressed.
        unsafe { self.theirs.add(word).read_volatile() }
    }

    fn set(&self, word: usize, value: u64) {
        // SAFETY: it is one of 64, by the assertion of `local`, and no operation is under way.
        unsafe { self.local(word).cast::<u64>().write(value) };
    }

    /// Waits for an operation that does not report its completion.
    fn arrives(&self, word: usize, value: u64) {
        until("what was injected", || {
            assert!(self.origin.read().is_none(), "what was injected completed");
            self.target.read();
            (self.there(word) == value).then_some(())
        });
    }

    fn finish(&self, what: &str, post: impl FnMut() -> isize) {
        self.origin.finish(self.target, what, post);
    }
}

/// Calls `test` with two sides, or prints why not.
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
fn writes_of_all_forms_arrive() {
    with_calls(|c| {
        let (ep, peer, key, context) = (c.origin.ep, c.peer, c.key, c.context);
        let mut descs = [c.desc, c.desc];
        c.set(0, 10);
        c.set(1, 11);
        let buffers = [iovec { iov_base: c.local(0), iov_len: 8 }, iovec { iov_base: c.local(1), iov_len: 8 }];
        let place = fi_rma_iov { addr: c.remote(6), len: 16, key };
        let message = fi_msg_rma {
            msg_iov: buffers.as_ptr(),
            desc: descs.as_mut_ptr(),
            iov_count: 2,
            addr: peer,
            rma_iov: &raw const place,
            rma_iov_count: 1,
            context,
            data: 0,
        };
        // SAFETY: buffers, descriptors and messages live until each operation is finished.
        unsafe {
            let descs = descs.as_mut_ptr();
            c.finish("fi_writev", || fi_writev(ep, buffers.as_ptr(), descs, 2, peer, c.remote(4), key, context));
            assert_eq!((c.there(4), c.there(5), c.there(6)), (10, 11, 0));
            let flags = FI_COMPLETION | FI_DELIVERY_COMPLETE;
            c.finish("fi_writemsg", || fi_writemsg(ep, &raw const message, flags));
            assert_eq!((c.there(6), c.there(7), c.there(8)), (10, 11, 0), "delivered means visible");
            c.set(0, 12);
            c.origin.post(c.target, "fi_inject_write", || fi_inject_write(ep, c.local(0), 8, peer, c.remote(8), key));
            c.set(0, 0);
            c.arrives(8, 12);
        }
    });
}

#[test]
fn reads_of_all_forms_return() {
    with_calls(|c| {
        let (ep, peer, key, context) = (c.origin.ep, c.peer, c.key, c.context);
        // SAFETY: they are two of 64, and no operation is under way.
        unsafe { (c.theirs.add(4).write(20), c.theirs.add(5).write(21)) };
        let mut descs = [c.desc, c.desc];
        let descs = descs.as_mut_ptr();
        // In the other order, so that the parts show.
        let buffers = [iovec { iov_base: c.local(1), iov_len: 8 }, iovec { iov_base: c.local(0), iov_len: 8 }];
        let place = fi_rma_iov { addr: c.remote(4), len: 16, key };
        let message = fi_msg_rma {
            msg_iov: buffers.as_ptr(),
            desc: descs,
            iov_count: 2,
            addr: peer,
            rma_iov: &raw const place,
            rma_iov_count: 1,
            context,
            data: 0,
        };
        // SAFETY: buffers, descriptors and messages live until each operation is finished; words are read after it.
        unsafe {
            c.finish("fi_readv", || fi_readv(ep, buffers.as_ptr(), descs, 2, peer, c.remote(4), key, context));
            assert_eq!((c.ours.read(), c.ours.add(1).read()), (21, 20));
            c.set(0, 0);
            c.set(1, 0);
            c.finish("fi_readmsg", || fi_readmsg(ep, &raw const message, FI_COMPLETION));
            assert_eq!((c.ours.read(), c.ours.add(1).read()), (21, 20));
        }
    });
}

#[test]
fn data_written_along_is_seen_by_the_target() {
    with_calls(|c| {
        let (ep, peer, key) = (c.origin.ep, c.peer, c.key);
        let seen = |what: &str| until(what, || (c.origin.read(), c.target.read()).1);
        c.set(0, 30);
        // SAFETY: the word lives until the operation is finished.
        unsafe {
            c.origin.post(c.target, "fi_writedata", || {
                fi_writedata(ep, c.local(0), 8, c.desc, 77, peer, c.remote(4), key, c.context)
            });
            let entry = seen("fi_writedata");
            assert_eq!((entry.data, c.there(4)), (77, 30));
            assert_ne!(entry.flags & FI_REMOTE_CQ_DATA, 0);
            c.set(1, 31);
            // The completion of the first at its origin may still come.
            until("fi_inject_writedata", || {
                c.origin.read();
                let posted = fi_inject_writedata(ep, c.local(1), 8, 78, peer, c.remote(5), key);
                (posted != -(FI_EAGAIN as isize)).then(|| good(&c.origin.library, "fi_inject_writedata", posted))
            });
            let entry = seen("fi_inject_writedata");
            assert_eq!((entry.data, c.there(5)), (78, 31));
        }
    });
}

#[test]
fn atomics_of_all_forms_combine() {
    with_calls(|c| {
        let (ep, peer, key, context) = (c.origin.ep, c.peer, c.key, c.context);
        let mut count = 0;
        // SAFETY: words live until each operation is finished, and are read after it.
        unsafe {
            assert_eq!(fi_atomicvalid(ep, FI_UINT64, FI_SUM, &raw mut count), 0);
            assert!(count > 0);
            assert_eq!(fi_compare_atomicvalid(ep, FI_UINT64, FI_CSWAP, &raw mut count), 0);
            assert_ne!(fi_compare_atomicvalid(ep, FI_UINT64, FI_SUM, &raw mut count), 0, "a sum compares nothing");
            c.theirs.add(4).write(0b1100);
            c.set(0, 0b1010);
            c.finish("fi_atomic", || {
                fi_atomic(ep, c.local(0), 1, c.desc, peer, c.remote(4), key, FI_UINT64, FI_BXOR, context)
            });
            until("fi_atomic", || (c.origin.read(), c.target.read(), (c.there(4) == 0b0110).then_some(())).2);
            c.set(0, 5);
            c.origin.post(c.target, "fi_inject_atomic", || {
                fi_inject_atomic(ep, c.local(0), 1, peer, c.remote(4), key, FI_UINT64, FI_SUM)
            });
            c.arrives(4, 11);

            let mut descs = [c.desc];
            let (value, place) =
                (fi_ioc { addr: c.local(1), count: 1 }, fi_rma_ioc { addr: c.remote(4), count: 1, key });
            let message = fi_msg_atomic {
                msg_iov: &raw const value,
                desc: descs.as_mut_ptr(),
                iov_count: 1,
                addr: peer,
                rma_iov: &raw const place,
                rma_iov_count: 1,
                datatype: FI_UINT64,
                op: FI_ATOMIC_WRITE,
                context,
                data: 0,
            };
            let mut before = fi_ioc { addr: c.local(2), count: 1 };
            let (before, message, descs) = (&raw mut before, &raw const message, descs.as_mut_ptr());
            c.set(1, 99);
            c.finish("fi_fetch_atomicmsg", || fi_fetch_atomicmsg(ep, message, before, descs, 1, FI_COMPLETION));
            assert_eq!((c.ours.add(2).read(), c.there(4)), (11, 99));
        }
    });
}

#[test]
fn counters_count_and_names_are_kept() {
    with_calls(|c| {
        let (origin, ep, peer) = (c.origin, c.origin.ep, c.peer);
        // SAFETY: the counter, the endpoint and the address vector are open; the word lives until it is written.
        unsafe {
            for done in 1..=3 {
                let remote = c.remote(4);
                c.finish("fi_write", || fi_write(ep, c.local(0), 8, c.desc, peer, remote, c.key, c.context));
                until("fi_cntr_read", || (fi_cntr_read(origin.cntr) == done).then_some(()));
            }
            assert_eq!(fi_cntr_readerr(origin.cntr), 0);
            assert_eq!(fi_cntr_set(origin.cntr, 7), 0);
            assert_eq!(fi_cntr_add(origin.cntr, 2), 0);
            until("fi_cntr_read", || (fi_cntr_read(origin.cntr) == 9).then_some(()));

            let (mut name, mut found) = ([0u8; 256], [0u8; 256]);
            let (mut name_len, mut found_len) = (name.len(), found.len());
            let object = &raw mut (*c.target.ep).fid;
            assert_eq!(fi_getname(object, name.as_mut_ptr().cast(), &raw mut name_len), 0);
            let result = fi_av_lookup(origin.av, peer, found.as_mut_ptr().cast(), &raw mut found_len);
            good(&origin.library, "fi_av_lookup", result as isize);
            assert_eq!(name[..name_len], found[..found_len]);
            let mut small = 1;
            let result = fi_getname(object, name.as_mut_ptr().cast(), &raw mut small);
            assert_eq!((result, small), (-FI_ETOOSMALL, name_len));
        }
    });
}

#[test]
fn messages_are_received() {
    with_calls(|c| {
        c.set(0, 50);
        let (sender, receiver) = (c.origin.ep, c.target.ep);
        let mut room = fi_context2::default();
        let (into, room) = (c.theirs.wrapping_add(9).cast(), (&raw mut room).cast());
        // SAFETY: both words live until the message is received.
        unsafe {
            let desc = fi_mr_desc(c.target.mr);
            let offered = fi_recv(receiver, into, 8, desc, FI_ADDR_UNSPEC, room);
            good(&c.target.library, "fi_recv", offered);
            c.origin.post(c.target, "fi_send", || fi_send(sender, c.local(0), 8, c.desc, c.peer, c.context));
            let (mut sent, mut received) = (false, None);
            until("fi_send", || {
                sent |= c.origin.read().is_some();
                received = received.or(c.target.read());
                (sent && received.is_some()).then_some(())
            });
            assert_eq!((received.map(|r| r.len), c.there(9)), (Some(8), 50));
        }
    });
}

#[test]
fn memory_is_registered_by_its_attributes() {
    let Some(library) = library() else { return };
    let mut pair = Pair::open(&library);
    let domain = pair.domain;
    let (origin, target, _) = pair.sides();
    let peer = origin.meet(target);
    let mut words = [60u64, 61];
    let part = iovec { iov_base: (&raw mut words[1]).cast(), iov_len: 8 };
    let attr = headers::mr_attr(slice::from_ref(&part), FI_REMOTE_READ, 19, ptr::null_mut());
    let mut mr = ptr::null_mut();
    let mut context = fi_context2::default();
    let (ours, context) = (origin.memory.as_mut_ptr(), (&raw mut context).cast());
    // SAFETY: the words live until the region is closed, ours until the read is finished.
    unsafe {
        good(&library, "fi_mr_regattr", fi_mr_regattr(domain, &raw const attr, 0, &raw mut mr) as isize);
        let mode = (*(*pair.info).domain_attr).mr_mode;
        let (origin, target) = (pair.origin.as_ref().unwrap(), pair.target.as_ref().unwrap());
        if mode & FI_MR_ENDPOINT != 0 {
            assert_eq!(fi_mr_bind(mr, &raw mut (*target.ep).fid, 0), 0);
            assert_eq!(fi_mr_enable(mr), 0);
        }
        let remote = if mode & FI_MR_VIRT_ADDR != 0 { part.iov_base as u64 } else { 0 };
        let (desc, key) = (fi_mr_desc(origin.mr), fi_mr_key(mr));
        assert!(mode & FI_MR_PROV_KEY != 0 || key == 19, "the key that was asked for is {key}");
        origin.finish(target, "fi_read", || fi_read(origin.ep, ours.cast(), 8, desc, peer, remote, key, context));
        assert_eq!(ours.read(), 61);
        assert_eq!(fi_close(&raw mut (*mr).fid), 0);
    }
}

#[test]
fn an_object_without_tables_answers_that_it_cannot() {
    let mut ep = fid_ep::default();
    let (ep, none, missing) = (&raw mut ep, ptr::null_mut(), -FI_ENOSYS);
    // SAFETY: an object whose tables are null is one that no call follows any pointer of.
    unsafe {
        assert_eq!(fi_write(ep, none, 0, none, 0, 0, 0, none), missing as isize);
        assert_eq!(fi_atomic(ep, none, 0, none, 0, 0, 0, FI_UINT64, FI_SUM, none), missing as isize);
        assert_eq!(fi_enable(ep), missing);
        assert_eq!(fi_ep_bind(ep, ptr::null_mut(), 0), missing);
        assert_eq!(fi_getname(&raw mut (*ep).fid, none, ptr::null_mut()), missing);
        let mut cntr = fid_cntr::default();
        assert_eq!((fi_cntr_read(&raw mut cntr), fi_cntr_readerr(&raw mut cntr)), (0, u64::MAX));
        let mut table = fi_ops_rma { size: size_of::<fi_ops_rma>(), ..Default::default() };
        (*ep).rma = &raw mut table;
        assert_eq!(fi_read(ep, none, 0, none, 0, 0, 0, none), missing as isize, "a table with an empty entry");
    }
}
