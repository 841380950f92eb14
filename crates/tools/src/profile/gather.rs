//! Brings some bytes of each PE to PE 0 through the symmetric heap, piece by piece, so that little room is enough.

use core::slice;
use ferrite_runtime::{Ctx, Site, observe::View};

/// Bytes of a piece.
const PIECE: usize = 1 << 18;
/// Bytes before a PE's own, which give the number of these.
const HEAD: usize = size_of::<u64>();

/// Return the bytes of all PEs at PE 0, and none at the others. `None` at all PEs if the symmetric heap has no room. Collective.
pub(super) fn gather(view: View<'_>, site: &'static Site, mine: &[u8]) -> Option<Vec<Vec<u8>>> {
    let stream = [&(mine.len() as u64).to_le_bytes()[..], mine].concat();
    let [longest] = view.agree_on(site, [stream.len() as u64], |_, a, b| a.max(b));
    let piece = PIECE.min(longest as usize);
    let block = view.malloc(site, piece).cast::<u8>();
    if block.is_null() {
        return None;
    }
    let sources = if view.me() == 0 { view.size() as usize } else { 0 };
    let mut all = vec![Vec::new(); sources];
    for begin in (0..longest as usize).step_by(piece) {
        let part = &stream[begin.min(stream.len())..(begin + piece).min(stream.len())];
        // SAFETY: a block of our own, which no peer reads before the barrier.
        unsafe { slice::from_raw_parts_mut(block, part.len()) }.copy_from_slice(part);
        view.barrier_all(site);
        for (pe, bytes) in all.iter_mut().enumerate() {
            let left = whole(bytes).map_or(piece, |whole| whole.saturating_sub(bytes.len()).min(piece));
            let at = bytes.len();
            bytes.resize(at + left, 0);
            // SAFETY: `left` bytes here, and a block of at least as many there.
            unsafe { view.get(site, Ctx::DEFAULT, bytes[at..].as_mut_ptr(), block, left, pe as i32) }
        }
        view.barrier_all(site);
    }
    // SAFETY: no PE reads the block after the last barrier.
    unsafe { view.free(site, block.cast()) }
    for bytes in &mut all {
        bytes.truncate(whole(bytes).unwrap_or(0));
        bytes.drain(..HEAD.min(bytes.len()));
    }
    Some(all)
}

/// Total length of a stream, once its head is here.
fn whole(bytes: &[u8]) -> Option<usize> {
    let head = bytes.first_chunk::<HEAD>()?;
    Some(HEAD + u64::from_le_bytes(*head) as usize)
}
