//! Description of an address that the program accessed by mistake.

use crate::{live::Live, misuse::address_kind};
use ferrite_memory::heap::{
    alloc::{Allocator, Block},
    budget::Bytes,
};

/// Addresses below this one are described by their distance from NULL.
const NEAR_NULL: usize = 64 << 10;

/// Words for NULL and addresses near it; `None` for other addresses.
pub(super) fn from_null(address: usize) -> Option<String> {
    match address {
        0 => Some("NULL".to_owned()),
        _ => (address < NEAR_NULL).then(|| format!("{address:#x} (NULL + {address})")),
    }
}

pub(super) fn describe(live: &Live, address: usize) -> String {
    if let Some(null) = from_null(address) {
        return format!("address {null}");
    }
    if let Some((pe, offset)) = in_heap(live, address) {
        let whose =
            if pe == live.me { "its own symmetric heap".to_owned() } else { format!("PE {pe}'s symmetric heap") };
        let place = match live.memory.try_heap() {
            Some(heap) => beside(&heap, offset as u64),
            None => format!("at offset {offset:#x}"),
        };
        return format!("address {address:#x} of {whose}, {place}");
    }
    if let Some(pe) = in_statics(live, address) {
        return format!("address {address:#x}, of PE {pe}'s static data");
    }
    format!("address {address:#x}, which is not symmetric ({})", address_kind(address))
}

/// The PE in whose heap, or behind whose heap, an address lies, and the offset from the heap's beginning.
fn in_heap(live: &Live, address: usize) -> Option<(u32, usize)> {
    let (node, layout) = (&live.memory.node, live.memory.node.layout());
    let stride = if layout.pes > 1 { layout.heap_at(1) - layout.heap_at(0) } else { layout.reserve() };
    live.memory.local.iter().enumerate().find_map(|(index, &pe)| {
        let offset = address.wrapping_sub(node.heap(index) as usize);
        (offset < stride).then_some((pe, offset))
    })
}

fn in_statics(live: &Live, address: usize) -> Option<u32> {
    let node = &live.memory.node;
    let len = node.layout().statics;
    live.memory
        .local
        .iter()
        .enumerate()
        .find_map(|(index, &pe)| (address.wrapping_sub(node.statics(index) as usize) < len).then_some(pe))
}

/// Describe an offset of the heap by the block that it is in or behind. All PEs have the same blocks.
fn beside(heap: &Allocator, offset: u64) -> String {
    let Some(Block { offset: begin, bytes, tag }) = heap.live().filter(|block| block.offset <= offset).last() else {
        return match heap.live().next() {
            Some(first) => format!("{} before the first block", bytes_of(first.offset - offset)),
            None => "where nothing is allocated".to_owned(),
        };
    };
    let block = format!("the block of {bytes} bytes that {} gave", tag.routine);
    match (offset - begin).checked_sub(*bytes) {
        Some(0) => format!("just behind {block}"),
        Some(behind) => format!("{} behind {block}", bytes_of(behind)),
        None => format!("{} into {block}", bytes_of(offset - begin)),
    }
}

fn bytes_of(count: u64) -> String {
    if count < 10_000 { format!("{count} bytes") } else { Bytes(count).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrite_memory::heap::alloc::Tag;

    #[test]
    fn an_offset_is_told_from_its_block() {
        let mut heap = Allocator::new(1 << 30);
        assert_eq!(beside(&heap, 5), "where nothing is allocated");
        let tag = |routine| Tag { hints: 0, routine };
        let first = heap.alloc(512, 1, tag("shmem_malloc")).unwrap();
        let second = heap.alloc(4096, 4096, tag("shmem_align")).unwrap();
        for (offset, expected) in [
            (first + 8, "8 bytes into the block of 512 bytes that shmem_malloc gave"),
            (first + 512, "just behind the block of 512 bytes that shmem_malloc gave"),
            (first + 520, "8 bytes behind the block of 512 bytes that shmem_malloc gave"),
            (second + 4096 + (512 << 20), "512 MiB behind the block of 4096 bytes that shmem_align gave"),
        ] {
            assert_eq!(beside(&heap, offset), expected);
        }
    }
}
