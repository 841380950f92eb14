//! Arguments that are wrong although the library would accept them: ranges beyond the end of a block, and ranges that overlap.
//!
//! Calls that the library itself refuses (`misuse`) become findings there.

use super::{
    Check,
    findings::{Finding, Weight},
};
use ferrite_check::Place;
use ferrite_memory::statics::locate::kind_of;
use ferrite_os::mutex;
use ferrite_runtime::observe::{Call, Kind, Layout, View};

/// Offset of the lowest byte of blocks that are `stride` bytes apart, and the number of bytes from there to the highest.
pub(super) fn extent(layout: Layout, stride: isize) -> (isize, usize) {
    let Layout { block, count, .. } = layout;
    let Some(gaps) = count.checked_sub(1) else { return (0, 0) };
    if block == 0 {
        return (0, 0);
    }
    let whole = stride.saturating_mul(gaps as isize);
    (whole.min(0), whole.unsigned_abs().saturating_add(block))
}

impl Check {
    /// Check the ranges of an operation on a peer.
    pub(super) fn judge_ranges(&self, view: View<'_>, call: &Call, site: u16) {
        let (there_from, there) = extent(call.layout, call.layout.there);
        self.judge_range(view, call.remote.wrapping_add_signed(there_from), there, site);
        let (here_from, here) = extent(call.layout, call.layout.here);
        let from = call.local.wrapping_add_signed(here_from);
        if call.kind != Kind::Atomic {
            self.judge_range(view, from, here, site);
        }
        if call.pe == view.me() as i32
            && matches!(call.kind, Kind::Put | Kind::Get | Kind::PutSignal)
            && call.layout.count == 1
            && from != call.remote
            && overlap((from, here), (call.remote, there))
        {
            self.tell_overlap(view, site, from.abs_diff(call.remote), here);
        }
    }

    /// Check the ranges of a collective. Source and destination may be identical in some collectives, and must not overlap otherwise.
    pub(super) fn judge_collective(&self, view: View<'_>, call: &Call, site: u16) {
        let (given, taken) = call.extents();
        if call.kind == Kind::Collect || given == 0 {
            return;
        }
        self.judge_range(view, call.remote, given, site);
        self.judge_range(view, call.local, taken, site);
        let may_be_same = matches!(call.kind, Kind::Reduce | Kind::Scan | Kind::Broadcast);
        if overlap((call.remote, given), (call.local, taken)) && !(may_be_same && call.remote == call.local) {
            self.tell_overlap(view, site, call.remote.abs_diff(call.local), given);
        }
    }

    /// Check the address of a wait: no PE can change memory that is not symmetric.
    pub(super) fn judge_wait(&self, view: View<'_>, call: &Call, site: u16) {
        let (from, len) = extent(call.layout, call.layout.there);
        // Words of the device heap are symmetric too; the routine checks their range.
        let is_on_device = view.is_in_device_heap(call.remote);
        if call.remote == 0 || len == 0 || is_on_device {
            return;
        }
        let at = call.remote.wrapping_add_signed(from);
        if !matches!(self.here(view, at), Place::Private(_)) {
            return self.judge_range(view, at, len, site);
        }
        let here = self.place_of(site);
        self.tell(
            &view,
            &Finding {
                kind: "argument",
                weight: Weight::Error,
                what: format!(
                    "{} at {}: {at:#x} is not symmetric ({}): no PE can change it",
                    here.what,
                    here.at,
                    kind_of(at)
                ),
                right: "wait for symmetric memory, or for a global or static variable of the executable".into(),
                places: vec![here.at],
            },
        );
    }

    fn tell_overlap(&self, view: View<'_>, site: u16, apart: usize, len: usize) {
        let here = self.place_of(site);
        self.tell(
            &view,
            &Finding {
                kind: "overlap",
                weight: Weight::Error,
                what: format!(
                    "{} at {}: source and dest are {apart} bytes apart, and {len} bytes are moved: they overlap",
                    here.what, here.at
                ),
                right: "copy them through another buffer".into(),
                places: vec![here.at],
            },
        );
    }

    /// Check that a range of the heap lies within one block. The library itself checks ranges elsewhere.
    pub(super) fn judge_range(&self, view: View<'_>, address: usize, len: usize, site: u16) {
        let at = address.wrapping_sub(view.memory().heap_base());
        if len == 0 || at >= view.memory().heap_extent() {
            return;
        }
        let block = mutex::lock(&self.blocks).before(at as u64);
        let offset = block.map_or(0, |(start, _)| at - start as usize);
        if let Some((_, block)) = block
            && offset < block.bytes
        {
            if len > block.bytes - offset {
                let (here, from) = (self.place_of(site), self.place_of(block.site).at);
                self.tell(&view, &Finding {
                    kind: "range",
                    weight: Weight::Error,
                    what: format!(
                        "{} at {}: {len} bytes from byte {offset} on reach {} bytes beyond the end of the block of {} bytes \
                         allocated at {from}",
                        here.what,
                        here.at,
                        len - (block.bytes - offset),
                        block.bytes
                    ),
                    right: "stay within the block, or allocate more".into(),
                    places: vec![here.at, from],
                });
            }
            return;
        }
        let here = self.place_of(site);
        let freed = mutex::lock(&self.blocks).was(at as u64);
        if let Some((start, block, by)) = freed {
            let (from, by) = (self.place_of(block.site).at, self.place_of(by).at);
            self.tell(
                &view,
                &Finding {
                    kind: "use-after-free",
                    weight: Weight::Error,
                    what: format!(
                        "{} at {} uses byte {} of the block of {} bytes allocated at {from}, which was freed at {by}",
                        here.what,
                        here.at,
                        at - start as usize,
                        block.bytes
                    ),
                    right: "free the block when no PE uses it any more".into(),
                    places: vec![here.at, by],
                },
            );
        } else if let Some((_, block)) = block {
            let from = self.place_of(block.site).at;
            self.tell(&view, &Finding {
                kind: "range",
                weight: Weight::Error,
                what: format!(
                    "{} at {} uses memory {} bytes beyond the end of the block of {} bytes allocated at {from}, which is in no \
                     block",
                    here.what,
                    here.at,
                    offset - block.bytes,
                    block.bytes
                ),
                right: "stay within the block, or allocate more".into(),
                places: vec![here.at, from],
            });
        }
    }
}

fn overlap((one, one_len): (usize, usize), (other, other_len): (usize, usize)) -> bool {
    one_len > 0 && other_len > 0 && one < other.saturating_add(other_len) && other < one.saturating_add(one_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strided_ranges_span_all_their_blocks() {
        let layout = |block, count| Layout { block, count, here: 0, there: 0 };
        for (block, count, stride, expected) in
            [(8, 1, 0, (0, 8)), (8, 0, 16, (0, 0)), (0, 4, 16, (0, 0)), (8, 4, 16, (0, 56)), (8, 4, -16, (-48, 56))]
        {
            assert_eq!(extent(layout(block, count), stride), expected, "{block} {count} {stride}");
        }
    }

    #[test]
    fn ranges_overlap_in_a_byte_at_least() {
        assert!(overlap((10, 4), (13, 9)) && overlap((13, 1), (10, 4)));
        assert!(!overlap((10, 4), (14, 4)) && !overlap((10, 0), (10, 4)));
    }
}
