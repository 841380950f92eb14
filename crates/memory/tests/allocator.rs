//! The allocator of the symmetric heap against a model that is too simple to be wrong.

use ferrite_memory::heap::alloc::{Allocator, GRAIN, LINE, Tag};
use proptest::prelude::*;

const CEILING: u64 = 1 << 20;

#[derive(Clone, Debug)]
enum Call {
    Alloc {
        bytes: u64,
        align: u32,
    },
    /// Frees the block of this rank among the live ones.
    Free(usize),
    Resize(usize, u64),
    /// A plan that the PEs do not agree on.
    Abandon(u64),
}

fn bytes() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..256u64, 3 => 0..20_000u64, 1 => Just(u64::MAX), 1 => CEILING - 64..CEILING + 64]
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => (bytes(), 0..16u32).prop_map(|(bytes, align)| Call::Alloc { bytes, align }),
        3 => any::<usize>().prop_map(Call::Free),
        2 => (any::<usize>(), bytes()).prop_map(|(which, bytes)| Call::Resize(which, bytes)),
        1 => bytes().prop_map(Call::Abandon),
    ]
}

/// The model: live blocks as (offset, bytes, hints, fill byte), and the heap's contents.
struct Model {
    blocks: Vec<(u64, u64, i64, u8)>,
    contents: Vec<u8>,
    extent: u64,
}

impl Model {
    fn new() -> Self {
        Model { blocks: Vec::new(), contents: vec![0; CEILING as usize], extent: 0 }
    }

    fn range(offset: u64, bytes: u64) -> std::ops::Range<usize> {
        offset as usize..(offset + bytes) as usize
    }

    fn add(&mut self, offset: u64, bytes: u64, hints: i64, fill: u8) {
        self.contents[Self::range(offset, bytes)].fill(fill);
        self.blocks.push((offset, bytes, hints, fill));
        self.extent = self.extent.max(offset + bytes.max(1).next_multiple_of(GRAIN));
    }

    /// Checks that every block has its fill byte: no block overlaps another, and no move has lost data.
    fn check(&self, heap: &Allocator) {
        for &(offset, bytes, hints, fill) in &self.blocks {
            assert!(
                self.contents[Self::range(offset, bytes)].iter().all(|&byte| byte == fill),
                "block at {offset} overwritten"
            );
            let block = heap.block_at(offset).expect("a live block");
            assert_eq!((block.bytes, block.tag.hints), (bytes, hints));
        }
        let mut live: Vec<_> = heap.live().map(|block| (block.offset, block.offset + block.occupied())).collect();
        assert_eq!(live.len(), self.blocks.len());
        assert!(live.is_sorted());
        assert!(live.windows(2).all(|pair| pair[0].1 <= pair[1].0), "blocks overlap");
        assert_eq!(heap.extent(), self.extent);
        let usage = heap.usage();
        assert_eq!(usage.live, live.iter().map(|(start, end)| end - start).sum::<u64>());
        assert_eq!(
            usage.live + usage.in_holes,
            live.pop().map_or(0, |(_, end)| end),
            "all below the last block is live or a hole"
        );
        assert!(
            usage.largest_hole <= usage.in_holes && usage.live <= usage.live_peak && usage.live_peak <= usage.extent
        );
    }
}

fn run(calls: &[Call]) -> (Allocator, Model) {
    let mut heap = Allocator::new(CEILING);
    let mut model = Model::new();
    for (step, call) in calls.iter().enumerate() {
        let before = heap.clone();
        match *call {
            Call::Alloc { bytes, align } => {
                let (align, hints) = (1u64 << align, step as i64);
                let plan = heap.plan(bytes, align, Tag { hints, routine: "shmem_malloc" });
                assert_eq!(heap, before, "a plan changes nothing");
                if let Some(plan) = plan {
                    let offset = heap.commit(plan);
                    assert_eq!((offset, heap.extent()), (plan.offset(), plan.extent()));
                    assert_eq!(offset % align.max(GRAIN), 0);
                    assert!(bytes < LINE || offset.is_multiple_of(LINE));
                    assert!(offset + bytes <= CEILING);
                    model.add(offset, bytes, hints, step as u8);
                }
            }
            Call::Free(which) if !model.blocks.is_empty() => {
                let (offset, bytes, ..) = model.blocks.swap_remove(which % model.blocks.len());
                assert_eq!(heap.free(offset).expect("a live block").bytes, bytes);
                let again = heap.free(offset).expect_err("freed already");
                assert_eq!(again.inside, None);
            }
            Call::Resize(which, bytes) if !model.blocks.is_empty() => {
                let which = which % model.blocks.len();
                let (offset, old_bytes, hints, fill) = model.blocks[which];
                let Some(plan) = heap.plan_resize(offset, bytes).expect("a live block") else {
                    assert_eq!(heap, before, "a failed resize keeps the old block");
                    continue;
                };
                heap.commit(plan);
                assert_eq!(plan.moves_from().is_some(), plan.offset() != offset);
                model.blocks.swap_remove(which);
                let kept = old_bytes.min(bytes);
                let new = plan.offset();
                model.contents.copy_within(Model::range(offset, kept), new as usize);
                assert!(
                    model.contents[Model::range(new, kept)].iter().all(|&byte| byte == fill),
                    "resize lost contents"
                );
                model.add(new, bytes, hints, fill);
            }
            Call::Abandon(bytes) => {
                let _ = heap.plan(bytes, 16, Tag::default());
                assert_eq!(heap, before, "an abandoned plan changes nothing");
            }
            Call::Free(_) | Call::Resize(..) => {
                let stray = heap.free(step as u64 * 16).expect_err("an empty heap has no block");
                assert_eq!(heap, before);
                assert!(stray.to_string().contains("no allocated block"));
            }
        }
        model.check(&heap);
    }
    (heap, model)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn blocks_are_disjoint_aligned_and_keep_their_contents(calls in prop::collection::vec(call(), 1..120)) {
        run(&calls);
    }

    #[test]
    fn equal_calls_give_equal_heaps(calls in prop::collection::vec(call(), 1..80)) {
        let (one, _) = run(&calls);
        let (other, _) = run(&calls);
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(one.history(), other.history());
    }

    #[test]
    fn freeing_all_leaves_one_free_heap(calls in prop::collection::vec(call(), 1..80), seed in any::<u64>()) {
        let (mut heap, mut model) = run(&calls);
        let extent = heap.extent();
        while !model.blocks.is_empty() {
            let which = seed as usize % model.blocks.len();
            heap.free(model.blocks.remove(which).0).expect("a live block");
        }
        let usage = heap.usage();
        prop_assert_eq!((usage.blocks, usage.live, usage.in_holes, usage.extent), (0, 0, 0, extent));
        prop_assert_eq!(heap.alloc(CEILING, 16, Tag::default()), Some(0));
    }

    #[test]
    fn nothing_overflows(bytes in any::<u64>(), align in 0..64u32, ceiling in any::<u64>()) {
        let mut heap = Allocator::new(ceiling);
        for _ in 0..3 {
            if let Some(offset) = heap.alloc(bytes, 1 << align, Tag::default()) {
                prop_assert!(offset.checked_add(bytes).is_some_and(|end| end <= heap.ceiling()));
                prop_assert_eq!(offset % (1 << align), 0);
                let _ = heap.plan_resize(offset, bytes.wrapping_mul(3)).expect("a live block");
            }
        }
    }
}

fn tag(hints: i64) -> Tag {
    Tag { hints, routine: "shmem_malloc" }
}

#[test]
fn a_heap_of_nothing_has_room_for_nothing() {
    assert_eq!(Allocator::new(0).alloc(0, 16, tag(0)), None);
    assert_eq!(Allocator::new(0).alloc(1, 16, tag(0)), None);
}

#[test]
fn a_heap_has_room_for_all_its_bytes() {
    for bytes in [1, 15, 16, 17, 3_250_586] {
        let mut heap = Allocator::new(bytes);
        assert_eq!(heap.alloc(bytes + 16, 16, tag(0)), None);
        assert_eq!(heap.alloc(bytes, 16, tag(0)), Some(0));
        assert_eq!(heap.alloc(1, 16, tag(0)), None);
    }
}

#[test]
fn an_alignment_is_a_power_of_two() {
    let mut heap = Allocator::new(CEILING);
    assert_eq!(heap.alloc(8, 24, tag(0)), None);
    assert_eq!(heap.alloc(8, 0, tag(0)), None);
    assert_eq!(heap.alloc(8, 1, tag(0)), Some(0));
    assert_eq!(heap.alloc(8, 4096, tag(0)), Some(4096));
    assert_eq!(heap.alloc(8, 16, tag(0)), Some(16), "the gap before an aligned block is used");
}

#[test]
fn a_full_heap_still_finds_the_one_hole_whose_alignment_fits() {
    let mut heap = Allocator::new(64 << 10);
    let blocks: Vec<u64> = std::iter::from_fn(|| heap.alloc(64, 16, tag(0))).collect();
    assert_eq!(blocks.len(), 1024);
    // Many holes of the right size, of which only the last is aligned. There are more of them than the allocator tries before it looks
    // elsewhere.
    for index in (1..100).step_by(2).chain([512]) {
        heap.free(blocks[index]).expect("a live block");
    }
    assert_eq!(heap.alloc(64, 4096, tag(0)), Some(blocks[512]));
    assert_eq!(heap.alloc(64, 4096, tag(0)), None);
}

#[test]
fn resize_grows_in_place_over_a_hole_and_over_the_end() {
    let mut heap = Allocator::new(CEILING);
    let [a, b, c] = [100, 200, 300].map(|bytes| heap.alloc(bytes, 16, tag(7)).expect("room"));
    heap.free(b).expect("a live block");
    for (block, bytes) in [(a, 300), (c, 5000), (a, 50)] {
        let plan = heap.plan_resize(block, bytes).expect("a block").expect("room");
        assert_eq!((plan.offset(), plan.moves_from()), (block, None));
        heap.commit(plan);
    }
    let plan = heap.plan_resize(a, 10_000).expect("a block").expect("room");
    assert_eq!(plan.moves_from(), Some(a));
    let moved = heap.commit(plan);
    assert_eq!(heap.block_at(moved).map(|block| block.tag), Some(tag(7)), "hints stay");
    assert_eq!(heap.block_at(a), None);
    assert_eq!(heap.plan_resize(moved, CEILING + 1), Ok(None));
    assert_eq!(heap.plan_resize(moved, u64::MAX), Ok(None));
    assert!(heap.block_at(moved).is_some());
}

#[test]
fn a_stray_offset_is_named_with_the_block_that_it_is_in() {
    let mut heap = Allocator::new(CEILING);
    let block = heap.alloc(100, 16, tag(0)).expect("room");
    let stray = heap.free(block + 24).expect_err("not the start");
    assert_eq!(
        stray.to_string(),
        "heap offset 0x18 is 24 bytes into a block of 100 bytes made by shmem_malloc, not its start"
    );
    assert!(heap.plan_resize(block + 24, 10).is_err());
    assert_eq!(heap.block_around(99).map(|block| block.offset), Some(block));
    assert_eq!(heap.block_around(112), None);
}

#[test]
#[should_panic(expected = "changed between plan and commit")]
fn a_plan_from_before_a_change_is_refused() {
    let mut heap = Allocator::new(CEILING);
    let old = heap.plan(100, 16, tag(0)).expect("room");
    heap.alloc(100, 16, tag(0)).expect("room");
    heap.commit(old);
}

#[test]
fn different_calls_have_different_histories() {
    let mut one = Allocator::new(CEILING);
    let mut other = one.clone();
    one.alloc(100, 16, tag(0)).expect("room");
    other.alloc(101, 16, tag(0)).expect("room");
    assert_ne!(one.history(), other.history());
}

#[test]
fn the_largest_blocks_come_first() {
    let mut heap = Allocator::new(CEILING);
    for bytes in [10, 500, 30, 500, 70] {
        heap.alloc(bytes, 16, tag(0)).expect("room");
    }
    let top: Vec<u64> = heap.largest(3).iter().map(|block| block.bytes).collect();
    assert_eq!(top, [500, 500, 70]);
}

/// A small generator, so that the traces below are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// Sizes spread evenly over their logarithm, as programs' sizes are: 16 B to 1 MiB.
    fn size(&mut self) -> u64 {
        let class = 4 + self.next() % 16;
        (1 << class) + self.next() % (1 << class)
    }
}

/// Address-ordered first fit, the policy that was rejected, for comparison: blocks as (start, end) in order.
#[derive(Default)]
struct FirstFit {
    blocks: Vec<(u64, u64)>,
    extent: u64,
}

impl FirstFit {
    fn alloc(&mut self, bytes: u64) -> u64 {
        let size = bytes.next_multiple_of(GRAIN);
        let align = if size >= LINE { LINE } else { GRAIN };
        let mut at = 0;
        let mut index = 0;
        for (position, &(start, end)) in self.blocks.iter().enumerate() {
            if at + size <= start {
                break;
            }
            at = end.next_multiple_of(align);
            index = position + 1;
        }
        self.blocks.insert(index, (at, at + size));
        self.extent = self.extent.max(at + size);
        at
    }

    fn free(&mut self, offset: u64) {
        self.blocks.retain(|&(start, _)| start != offset);
    }
}

#[test]
fn fragmentation_stays_small_on_random_traces() {
    for seed in 1..=5 {
        let mut random = Random(seed);
        let mut heap = Allocator::new(1 << 40);
        let mut first_fit = FirstFit::default();
        let mut live: Vec<(u64, u64)> = Vec::new();
        for _ in 0..6000 {
            // Around 400 blocks are live; blocks die at random.
            if live.len() < 400 || random.next().is_multiple_of(2) && live.len() < 600 {
                let bytes = random.size();
                live.push((heap.alloc(bytes, 16, tag(0)).expect("room"), first_fit.alloc(bytes)));
            } else {
                let (ours, theirs) = live.swap_remove(random.next() as usize % live.len());
                heap.free(ours).expect("a live block");
                first_fit.free(theirs);
            }
        }
        let usage = heap.usage();
        let ratio = usage.extent as f64 / usage.live_peak as f64;
        let other = first_fit.extent as f64 / usage.live_peak as f64;
        println!("seed {seed}: extent over peak of live bytes: best fit {ratio:.3}, first fit {other:.3}");
        assert!(ratio < 1.35, "seed {seed}: {ratio}");
        assert!(ratio < other * 1.1, "seed {seed}: best fit {ratio}, first fit {other}");
    }
}
