//! Operations: they are posted, stay under way for a while, and are executed in any order that is allowed.

use super::{Flying, What, World, objects::number, world};
use ferrite_engine::Sources;
use libfabric_sys::*;
use std::{
    ffi::{c_int, c_void},
    slice,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

const AGAIN: isize = -(FI_EAGAIN as isize);

pub fn messages() -> fi_ops_msg {
    let size = size_of::<fi_ops_msg>();
    fi_ops_msg { size, recv: Some(recv), sendmsg: Some(send), inject: Some(inject), ..Default::default() }
}

pub fn memory() -> fi_ops_rma {
    let size = size_of::<fi_ops_rma>();
    fi_ops_rma { size, readmsg: Some(read), writemsg: Some(write), ..Default::default() }
}

pub fn atomics() -> fi_ops_atomic {
    fi_ops_atomic {
        size: size_of::<fi_ops_atomic>(),
        writemsg: Some(update),
        readwritemsg: Some(fetch),
        compwritemsg: Some(compare),
        writevalid: Some(valid),
        readwritevalid: Some(valid),
        compwritevalid: Some(valid),
        ..Default::default()
    }
}

unsafe extern "C" fn valid(_: *mut fid_ep, _: fi_datatype, _: fi_op, count: *mut usize) -> c_int {
    // SAFETY: the place is the caller's.
    unsafe { count.write(1) };
    0
}

/// The bytes at an address.
///
/// # Safety
/// They are readable.
unsafe fn bytes(at: *const c_void, len: usize) -> Vec<u8> {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at.cast::<u8>(), len) }.to_vec()
}

/// Check that local memory is registered, if the provider requires that.
fn local(world: &mut World, ep: usize, at: usize, len: usize, desc: *mut c_void) {
    if world.profile.mr_mode & FI_MR_LOCAL == 0 {
        return;
    }
    let bound = world.profile.mr_mode & FI_MR_ENDPOINT != 0;
    let fits = |mr: &super::Mr| mr.base <= at && at + len <= mr.base + mr.len && (!bound || mr.ep == Some(ep));
    let kept = world.mrs.get(&(desc as usize)).is_some_and(fits);
    world.rule(kept, "local memory is registered, for this endpoint, and its descriptor passed");
}

fn take(ep: *mut fid_ep, name: &'static str, flying: impl FnOnce(&mut World, usize) -> Flying) -> isize {
    // SAFETY: it is an endpoint of ours.
    let number = unsafe { number(ep) };
    world(|world| {
        if world.refuses() || world.eps[&number].flying.len() >= world.profile.depth {
            return AGAIN;
        }
        *world.seen.entry(name).or_default() += 1;
        let flying = flying(world, number);
        let ep = &world.eps[&number];
        let (enabled, context) = (ep.enabled && !ep.closed, flying.context);
        let vni = |ep: usize| world.eps.get(&ep).and_then(|ep| world.vnis.get(&ep.domain));
        let connected = vni(number) == vni(flying.to);
        let unique = context == 0 || ep.flying.iter().all(|other| other.context != context);
        let told = flying.flags & FI_COMPLETION == 0 || context != 0;
        let allowed = ep.has_messages || !matches!(flying.what, What::Send(_));
        world.rule(connected, "endpoints of one VNI reach each other, and no others");
        world.rule(enabled, "operations follow the endpoint's enabling, and precede its closing");
        world.rule(allowed, "messages are sent where they were asked for");
        world.rule(unique && told, "each operation has a context of its own");
        if let Some(ep) = world.eps.get_mut(&number) {
            if let What::Write { len, .. } | What::Read { len, .. } = flying.what {
                *world.carried.entry(ep.domain).or_default() += len;
            }
            ep.flying.push(flying);
        }
        0
    })
}

unsafe extern "C" fn recv(
    ep: *mut fid_ep,
    buffer: *mut c_void,
    len: usize,
    desc: *mut c_void,
    _: fi_addr_t,
    context: *mut c_void,
) -> isize {
    // SAFETY: it is an endpoint of ours.
    let ep = unsafe { number(ep) };
    world(|world| {
        if world.refuses() {
            return AGAIN;
        }
        local(world, ep, buffer as usize, len, desc);
        let has_messages = world.eps[&ep].has_messages;
        world.rule(has_messages, "messages are received where they were asked for");
        if let Some(ep) = world.eps.get_mut(&ep) {
            ep.receives.push_back((buffer as usize, len, context as usize));
        }
        0
    })
}

unsafe extern "C" fn send(ep: *mut fid_ep, message: *const fi_msg, flags: u64) -> isize {
    // SAFETY: the description is whole during the call.
    let (message, piece) = unsafe { (&*message, &*(*message).msg_iov) };
    take(ep, "send", |world, ep| {
        // SAFETY: the memory is readable, and there is a descriptor for each piece.
        let (data, desc) = unsafe { (bytes(piece.iov_base, piece.iov_len), *message.desc) };
        local(world, ep, piece.iov_base as usize, piece.iov_len, desc);
        let (to, context) = (message.addr as usize, message.context as usize);
        Flying { what: What::Send(data), to, addr: 0, key: 0, context, flags, size: 0, desc: 0 }
    })
}

unsafe extern "C" fn inject(ep: *mut fid_ep, buffer: *const c_void, len: usize, to: fi_addr_t) -> isize {
    take(ep, "inject", |world, _| {
        let small = len <= world.profile.inject;
        world.rule(small, "what is injected is small enough");
        // SAFETY: the memory is readable.
        let what = What::Send(unsafe { bytes(buffer, len) });
        Flying { what, to: to as usize, addr: 0, key: 0, context: 0, flags: 0, size: 0, desc: 0 }
    })
}

unsafe extern "C" fn write(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize {
    // SAFETY: the description is whole during the call.
    let (message, piece, remote) = unsafe { (&*message, &*(*message).msg_iov, &*(*message).rma_iov) };
    let injects = flags & FI_INJECT != 0;
    let seals = world(|world| world.profile.maps_for_writing) && !injects;
    if seals && !Sources::default().are_writable(piece.iov_base.cast(), piece.iov_len) {
        return -(libc::EFAULT as isize);
    }
    take(ep, if injects { "write inject" } else { "write" }, |world, ep| {
        let (from, len) = (piece.iov_base as usize, piece.iov_len);
        let (small, short) = (!injects || len <= world.profile.inject, len <= world.profile.message_max);
        world.rule(small, "what is injected is small enough");
        world.rule(short && remote.len == len, "no operation is longer than the provider's longest");
        world.rule(flags & FI_DELIVERY_COMPLETE != 0, "a write completes when it has been delivered");
        // SAFETY: the memory is readable, and there is a descriptor for each piece.
        let (copy, desc) = unsafe { (injects.then(|| bytes(piece.iov_base, len)), *message.desc) };
        if !injects {
            local(world, ep, from, len, desc);
        }
        let what = What::Write { from, len, copy };
        let (to, context, desc) = (message.addr as usize, message.context as usize, desc as usize);
        Flying { what, to, addr: remote.addr, key: remote.key, context, flags, size: 0, desc }
    })
}

unsafe extern "C" fn read(ep: *mut fid_ep, message: *const fi_msg_rma, flags: u64) -> isize {
    // SAFETY: the description is whole during the call.
    let (message, piece, remote) = unsafe { (&*message, &*(*message).msg_iov, &*(*message).rma_iov) };
    take(ep, "read", |world, ep| {
        let (at, len) = (piece.iov_base as usize, piece.iov_len);
        let short = len <= world.profile.message_max;
        world.rule(short, "no operation is longer than the provider's longest");
        // SAFETY: there is a descriptor for each piece.
        let desc = unsafe { *message.desc };
        local(world, ep, at, len, desc);
        let desc = desc as usize;
        let (what, to, context) = (What::Read { to: at, len }, message.addr as usize, message.context as usize);
        Flying { what, to, addr: remote.addr, key: remote.key, context, flags, size: 0, desc }
    })
}

/// # Safety
/// The descriptions are whole; `compare` and `result` are null or readable.
unsafe fn atomic(
    ep: *mut fid_ep,
    name: &'static str,
    message: *const fi_msg_atomic,
    compare: *const fi_ioc,
    result: *const fi_ioc,
    flags: u64,
) -> isize {
    // SAFETY: the caller's promise.
    let (message, value, remote) = unsafe { (&*message, &*(*message).msg_iov, &*(*message).rma_iov) };
    let size = if message.datatype == FI_UINT32 { 4 } else { 8 };
    let word = |ioc: *const fi_ioc| {
        let mut word = [0; 8];
        if !ioc.is_null() {
            // SAFETY: it describes one value of this size.
            word[..size].copy_from_slice(&unsafe { bytes((*ioc).addr, size) });
        }
        u64::from_ne_bytes(word)
    };
    take(ep, name, |world, ep| {
        world.rule(flags & FI_DELIVERY_COMPLETE != 0, "an atomic completes when it has been delivered");
        // libfabric's cxi, from 2.3 on, counts the operation there without checking that there is a counter.
        let counts_reads = result.is_null() || world.eps[&ep].reads != 0;
        world.rule(counts_reads, "what fetches and is to be delivered has a counter of reads");
        // SAFETY: there is a descriptor for each piece.
        local(world, ep, value.addr as usize, size, unsafe { *message.desc });
        // SAFETY: null or a description.
        let result = if result.is_null() { 0 } else { unsafe { (*result).addr as usize } };
        let what = What::Atomic { op: message.op, operand: word(value), compare: word(compare), result };
        let (to, context) = (message.addr as usize, message.context as usize);
        Flying { what, to, addr: remote.addr, key: remote.key, context, flags, size, desc: 0 }
    })
}

unsafe extern "C" fn update(ep: *mut fid_ep, message: *const fi_msg_atomic, flags: u64) -> isize {
    let none = std::ptr::null();
    // SAFETY: the interface's contract.
    unsafe { atomic(ep, if flags & FI_FENCE != 0 { "fenced" } else { "atomic" }, message, none, none, flags) }
}

unsafe extern "C" fn fetch(
    ep: *mut fid_ep,
    message: *const fi_msg_atomic,
    result: *mut fi_ioc,
    _: *mut *mut c_void,
    _: usize,
    flags: u64,
) -> isize {
    // SAFETY: the interface's contract.
    unsafe { atomic(ep, "fetch", message, std::ptr::null(), result, flags) }
}

unsafe extern "C" fn compare(
    ep: *mut fid_ep,
    message: *const fi_msg_atomic,
    compare: *const fi_ioc,
    _: *mut *mut c_void,
    _: usize,
    result: *mut fi_ioc,
    _: *mut *mut c_void,
    _: usize,
    flags: u64,
) -> isize {
    // SAFETY: the interface's contract.
    unsafe { atomic(ep, "compare", message, compare, result, flags) }
}

/// Address of the accessed remote memory; `None` if the key does not permit the access.
fn reach(world: &mut World, flying: &Flying, len: usize, right: u64) -> Option<usize> {
    let (domain, mode) = (world.eps.get(&flying.to)?.domain, world.profile.mr_mode);
    let found = world.mrs.values().find(|mr| mr.domain == domain && mr.key == flying.key)?;
    let bound = mode & FI_MR_ENDPOINT == 0 || found.ep == Some(flying.to);
    let at = if mode & FI_MR_VIRT_ADDR != 0 { flying.addr as usize } else { found.base + flying.addr as usize };
    let within = found.base <= at && at + len <= found.base + found.len;
    (found.enabled && bound && within && found.access & right != 0).then_some(at)
}

/// Execute one operation of those that may be executed now.
pub fn execute(world: &mut World, number: usize) {
    let ordered = world.profile.orders & FI_ORDER_WAW != 0;
    let count = world.eps[&number].flying.len();
    if count == 0 {
        return;
    }
    let mut pick = if ordered { 0 } else { world.draw(count) };
    let flying = &world.eps[&number].flying;
    // Messages keep their order. A fenced operation waits for all earlier ones.
    let is_send = |f: &Flying| matches!(f.what, What::Send(_));
    if flying[pick].flags & FI_FENCE != 0 {
        pick = 0;
    } else if is_send(&flying[pick]) {
        pick = flying.iter().position(is_send).unwrap_or(pick);
    }
    if let Some(fence) = flying[..pick].iter().position(|f| f.flags & FI_FENCE != 0) {
        pick = if fence == 0 { 0 } else { pick.min(fence - 1) };
    }
    let to = flying[pick].to;
    if is_send(&flying[pick]) && world.eps[&to].receives.is_empty() {
        return;
    }
    let Some(ep) = world.eps.get_mut(&number) else { return };
    let flying = ep.flying.remove(pick);
    let error = perform(world, &flying).err();
    let ep = &world.eps[&number];
    let (cq, counter, selective) = (ep.cq, ep.counter, ep.selective);
    if let Some(error) = error {
        world.errors.entry(cq).or_default().push_back((flying.context, error));
        return;
    }
    if matches!(flying.what, What::Write { .. } | What::Atomic { result: 0, .. }) {
        *world.counters.entry(counter).or_default() += 1;
    }
    if flying.context != 0 && (!selective || flying.flags & FI_COMPLETION != 0) {
        let entry = fi_cq_msg_entry { op_context: flying.context as *mut c_void, ..Default::default() };
        world.complete(cq, entry);
    }
}

fn perform(world: &mut World, flying: &Flying) -> Result<(), c_int> {
    match &flying.what {
        What::Send(data) => {
            let Some(ep) = world.eps.get_mut(&flying.to) else { return Err(FI_EIO) };
            let Some((buffer, len, context)) = ep.receives.pop_front() else { return Err(FI_ENORX) };
            assert!(data.len() <= len, "a message fits its buffer");
            // SAFETY: the buffer was offered, and has that room.
            unsafe { (buffer as *mut u8).copy_from_nonoverlapping(data.as_ptr(), data.len()) };
            let (cq, op_context) = (ep.cq, context as *mut c_void);
            let entry = fi_cq_msg_entry { op_context, flags: FI_RECV, len: data.len() };
            world.complete(cq, entry);
        }
        What::Write { from, len, copy } => {
            let at = reach(world, flying, *len, FI_REMOTE_WRITE).ok_or(FI_ENOKEY)?;
            // SAFETY: both are registered, or promised to stay until the completion.
            let data = copy.clone().unwrap_or_else(|| unsafe { bytes(*from as *const c_void, *len) });
            store(at, &data);
        }
        What::Read { to, len } => {
            let at = reach(world, flying, *len, FI_REMOTE_READ).ok_or(FI_ENOKEY)?;
            // SAFETY: as above.
            unsafe { (*to as *mut u8).copy_from_nonoverlapping(at as *const u8, *len) };
        }
        What::Atomic { op, operand, compare, result } => {
            let at = reach(world, flying, flying.size, FI_REMOTE_WRITE).ok_or(FI_ENOKEY)?;
            let old = combine(at, flying.size, *op, *operand, *compare);
            if *result != 0 {
                // SAFETY: the result's place has this size.
                unsafe { (*result as *mut u8).copy_from_nonoverlapping(old.to_ne_bytes().as_ptr(), flying.size) };
            }
        }
    }
    Ok(())
}

/// Store a word with one instruction, and other lengths by copying.
fn store(at: usize, data: &[u8]) {
    match <[u8; 8]>::try_from(data) {
        // SAFETY: registered and aligned.
        Ok(word) if at.is_multiple_of(8) => unsafe {
            AtomicU64::from_ptr(at as *mut u64).store(u64::from_ne_bytes(word), Ordering::Release);
        },
        // SAFETY: registered for this length.
        _ => unsafe { (at as *mut u8).copy_from_nonoverlapping(data.as_ptr(), data.len()) },
    }
}

fn combine(at: usize, size: usize, op: fi_op, operand: u64, compare: u64) -> u64 {
    let next = |old: u64| match op {
        FI_ATOMIC_READ => old,
        FI_ATOMIC_WRITE => operand,
        FI_SUM => old.wrapping_add(operand),
        FI_BAND => old & operand,
        FI_BOR => old | operand,
        FI_BXOR => old ^ operand,
        FI_CSWAP if old == compare => operand,
        FI_CSWAP => old,
        other => panic!("no such atomic: {other}"),
    };
    let order = Ordering::SeqCst;
    // SAFETY: registered and aligned.
    unsafe {
        if size == 4 {
            let word = AtomicU32::from_ptr(at as *mut u32);
            word.fetch_update(order, order, |old| Some(next(old.into()) as u32)).unwrap_or_default().into()
        } else {
            let word = AtomicU64::from_ptr(at as *mut u64);
            word.fetch_update(order, order, |old| Some(next(old))).unwrap_or_default()
        }
    }
}

pub unsafe extern "C" fn read_queue(cq: *mut fid_cq, into: *mut c_void, count: usize) -> isize {
    // SAFETY: it is a queue of ours.
    let number = unsafe { number(cq) };
    world(|world| {
        let eps: Vec<usize> = world.eps.iter().filter(|(_, ep)| ep.cq == number).map(|(&ep, _)| ep).collect();
        for ep in eps {
            for _ in 0..world.draw(4) {
                execute(world, ep);
            }
        }
        if world.errors.get(&number).is_some_and(|errors| !errors.is_empty()) {
            return -(FI_EAVAIL as isize);
        }
        let Some(queue) = world.cqs.get_mut(&number) else { return -(FI_EINVAL as isize) };
        let mut read = 0;
        while read < count
            && let Some(entry) = queue.pop_front()
        {
            // SAFETY: there is room for `count` entries of this format.
            unsafe { into.cast::<fi_cq_msg_entry>().add(read).write(entry) };
            read += 1;
        }
        if read == 0 { AGAIN } else { read as isize }
    })
}

pub unsafe extern "C" fn read_error(cq: *mut fid_cq, entry: *mut fi_cq_err_entry, _: u64) -> isize {
    // SAFETY: it is a queue of ours.
    let number = unsafe { number(cq) };
    let Some((context, error)) = world(|world| world.errors.entry(number).or_default().pop_front()) else {
        return AGAIN;
    };
    // SAFETY: the entry is the caller's.
    unsafe { ((*entry).op_context, (*entry).err) = (context as *mut c_void, error) };
    1
}

pub unsafe extern "C" fn read_counter(counter: *mut fid_cntr) -> u64 {
    // SAFETY: it is a counter of ours.
    let number = unsafe { number(counter) };
    world(|world| world.counters[&number])
}
