//! One-sided communication between workers of this process, over the transports self and tcp.
#![cfg(bindings)]

mod support;

use std::{ffi::CStr, ptr};
use support::{Place, good, library};
use ucx_sys::*;

#[test]
fn the_version_is_one_of_those_accepted() {
    let Some(library) = library() else { return };
    let (major, minor, release) = library.version;
    println!("UCX {major}.{minor}.{release} from {}", library.file.display());
    assert!((1, 13) <= (major, minor) && (major, minor) <= (1, 22), "{major}.{minor}");
    assert!(library.file.is_absolute(), "{}", library.file.display());
    assert!(!library.status_string(UCS_ERR_UNREACHABLE).is_empty());
}

/// Memory that the target registered, with the key that the origin unpacked.
struct Window<'a> {
    place: &'a Place,
    ep: ucp_ep_h,
    memh: ucp_mem_h,
    rkey: ucp_rkey_h,
    memory: Box<[u64; 64]>,
}

impl<'a> Window<'a> {
    fn new(place: &'a Place, ep: ucp_ep_h) -> Self {
        let (library, call) = (&place.library, &place.library.call);
        let mut memory = Box::new([0u64; 64]);
        let params = ucp_mem_map_params_t {
            field_mask: (UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH).into(),
            address: memory.as_mut_ptr().cast(),
            length: size_of_val(&*memory),
            ..Default::default()
        };
        let (mut memh, mut packed, mut len, mut rkey) = (ptr::null_mut(), ptr::null_mut(), 0, ptr::null_mut());
        // SAFETY: the memory lives in a box until it is unmapped; the packed key is released after its use.
        unsafe {
            good(library, "ucp_mem_map", (call.ucp_mem_map)(place.context, &raw const params, &raw mut memh));
            let status = (call.ucp_rkey_pack)(place.context, memh, &raw mut packed, &raw mut len);
            good(library, "ucp_rkey_pack", status);
            good(library, "ucp_ep_rkey_unpack", (call.ucp_ep_rkey_unpack)(ep, packed, &raw mut rkey));
            (call.ucp_rkey_buffer_release)(packed);
        }
        Self { place, ep, memh, rkey, memory }
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let (library, call) = (&self.place.library, &self.place.library.call);
        let param = ucp_request_param_t::default();
        // SAFETY: all operations are complete, so nothing uses the key, the registration or the endpoint any more.
        unsafe {
            (call.ucp_rkey_destroy)(self.rkey);
            self.place.finish("ucp_ep_close_nbx", (call.ucp_ep_close_nbx)(self.ep, &raw const param));
            good(library, "ucp_mem_unmap", (call.ucp_mem_unmap)(self.place.context, self.memh));
        }
    }
}

fn exercise(library: &Ucx, transports: &CStr, workers: usize) {
    let place = Place::new(library, transports, workers);
    let ep = place.connect();
    let mut window = Window::new(&place, ep);
    let theirs = window.memory.as_mut_ptr();
    let (call, rkey) = (&library.call, window.rkey);
    let remote = |word: u64| theirs as u64 + 8 * word;
    let plain = ucp_request_param_t::default();
    let mut local = [0x0123_4567_89ab_cdef_u64, 0];
    let ours = local.as_mut_ptr();
    // SAFETY: local words and the window outlive each operation, since it is finished before the next; words of the
    // window are read when nothing is under way.
    unsafe {
        let put = (call.ucp_put_nbx)(ep, ours.cast(), 8, remote(3), rkey, &raw const plain);
        place.finish("ucp_put_nbx", put);
        place.flush();
        assert_eq!(theirs.add(3).read(), 0x0123_4567_89ab_cdef, "what was put did not arrive");
        assert_eq!((theirs.add(2).read(), theirs.add(4).read()), (0, 0), "the put touched its neighbours");

        let get = (call.ucp_get_nbx)(ep, ours.add(1).cast(), 8, remote(3), rkey, &raw const plain);
        place.finish("ucp_get_nbx", get);
        place.flush();
        assert_eq!(ours.add(1).read(), 0x0123_4567_89ab_cdef, "what was got is not what was put");
    }
}

#[test]
fn one_worker_reaches_itself() {
    let Some(library) = library() else { return };
    exercise(&library, c"self", 1);
}

#[test]
fn two_workers_reach_each_other_by_tcp() {
    let Some(library) = library() else { return };
    exercise(&library, c"tcp,self", 2);
}
