//! Programs that must not compile: one for each race and each misuse that types exclude. They are doc tests that have to fail.
//! `tests/refused.rs` checks that each fails for the intended reason: it compares the compiler's error with the number given.
//!
//! A buffer that ends before the scope cannot be lent to it.
//!
//! ```compile_fail,E0597
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let words = world.alloc::<u64>(2).unwrap();
//!         world.scope(|s| {
//!             let buffer = [1, 2];
//!             s.put(&words, &buffer, 0);
//!         });
//!     });
//! }
//! ```
//!
//! Memory that a scope's put reads cannot be written before the scope has ended.
//!
//! ```compile_fail,E0506
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let words = world.alloc::<u64>(2).unwrap();
//!         let mut buffer = [1, 2];
//!         world.scope(|s| {
//!             s.put(&words, &buffer, 0);
//!             buffer[0] = 3;
//!         });
//!     });
//! }
//! ```
//!
//! A context ends before its team does.
//!
//! ```compile_fail,E0505
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let (row, _column) = world.split_2d(2).unwrap();
//!         let ctx = row.shared_context().unwrap();
//!         row.destroy();
//!         ctx.quiet();
//!     });
//! }
//! ```
//!
//! A pointer means nothing to another PE.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| world.alloc::<&'static str>(2).unwrap().len());
//! }
//! ```
//!
//! Padding has no value that could be sent.
//!
//! ```compile_fail,E0277
//! #[derive(Clone, Copy, bytemuck::AnyBitPattern)]
//! #[repr(C)]
//! struct Padded {
//!     small: u8,
//!     large: u64,
//! }
//! fn main() {
//!     ferrite::local(2, |world| world.alloc::<Padded>(2).unwrap().len());
//! }
//! ```
//!
//! There is no reference into symmetric memory, so no index and no dereference.
//!
//! ```compile_fail,E0608
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let words = world.alloc::<u64>(2).unwrap();
//!         let first: &u64 = &words[0];
//!         println!("{first}");
//!     });
//! }
//! ```
//!
//! Peers cannot know what an operator has captured.
//!
//! ```compile_fail,E0080
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let (source, mut dest) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
//!         let me = u64::from(world.my_pe());
//!         world.reduce_with(&source, &mut dest, move |a, b| a + b + me);
//!     });
//! }
//! ```
//!
//! A PRIVATE context belongs to the thread that made it.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let ctx = world.private_context().unwrap();
//!         std::thread::scope(|threads| {
//!             threads.spawn(move || ctx.quiet());
//!         });
//!     });
//! }
//! ```
//!
//! Only atomics change an atomic word.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let word = world.alloc_atomic::<u64>().unwrap();
//!         world.put(&word, 1, 0);
//!     });
//! }
//! ```
//!
//! One value needs the place of one value.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let words = world.alloc::<u64>(2).unwrap();
//!         world.put(&words, 1, 0);
//!     });
//! }
//! ```
//!
//! A slice needs consecutive values in symmetric memory.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut words = [0_u64; 2];
//!         world.get_slice(&mut words, &[1_u64, 2], 0);
//!     });
//! }
//! ```
//!
//! A slice that is in a phase cannot be put to.
//!
//! ```compile_fail,E0502
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut words = world.alloc::<u64>(2).unwrap();
//!         world.phase(&mut words, |mine| {
//!             world.put(words.at(0), 1, 0);
//!             mine[0] = 1;
//!         });
//!     });
//! }
//! ```
//!
//! A phase's slice stays within it.
//!
//! ```compile_fail
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut words = world.alloc::<u64>(2).unwrap();
//!         let mine: &mut [u64] = world.phase(&mut words, |mine| mine);
//!         mine[0] = 1;
//!     });
//! }
//! ```
//!
//! The destination of a collective under way is lent to it.
//!
//! ```compile_fail,E0502
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let (source, mut dest) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
//!         let request = world.sum_reduce_later(&source, &mut dest);
//!         println!("{}", dest.read(0));
//!         request.wait();
//!     });
//! }
//! ```
//!
//! A scope's handle stays within it.
//!
//! ```compile_fail,E0521
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let words = world.alloc::<u64>(2).unwrap();
//!         let buffer = [1, 2];
//!         let mut outside = None;
//!         world.scope(|s| outside = Some(s));
//!         outside.unwrap().put(&words, &buffer, 0);
//!     });
//! }
//! ```
//!
//! A SERIALIZED context is used by one thread at a time.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let ctx = world.serialized_context().unwrap();
//!         std::thread::scope(|threads| {
//!             threads.spawn(|| ctx.quiet());
//!         });
//!     });
//! }
//! ```
//!
//! A team that was destroyed cannot be used.
//!
//! ```compile_fail,E0382
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let (row, _column) = world.split_2d(2).unwrap();
//!         row.destroy();
//!         row.sync();
//!     });
//! }
//! ```
//!
//! A slice is in one phase at a time.
//!
//! ```compile_fail,E0499
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut words = world.alloc::<u64>(2).unwrap();
//!         world.phase((&mut words, &mut words), |(a, b)| a[0] = b[0]);
//!     });
//! }
//! ```
//!
//! The size of a static is limited to one that a machine may have.
//!
//! ```compile_fail,E0080
//! ferrite::statics! { static BIG: [u64; 1 << 61]; }
//! fn main() {
//!     ferrite::local(1, |world| BIG.all(world).at(1 << 40).write(1));
//! }
//! ```
//!
//! One thread at a time uses the world.
//!
//! ```compile_fail,E0277
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         std::thread::scope(|threads| {
//!             threads.spawn(|| world.barrier());
//!         });
//!     });
//! }
//! ```
//!
//! Variables that a handler changes are lent to it until all items are handled.
//!
//! ```compile_fail,E0502
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut sum = 0;
//!         world.aggregate(|_, item: u64| sum += item, |items| {
//!             items.send(1, 0);
//!             println!("{sum}");
//!         }).unwrap();
//!     });
//! }
//! ```
//!
//! A handler cannot capture the world, so it cannot begin a collective.
//!
//! ```compile_fail,E0277
//! use ferrite::prelude::*;
//! fn main() {
//!     ferrite::local(2, |world| {
//!         world.aggregate(|_, _: u64| world.barrier(), |items| items.send(1, 0)).unwrap();
//!     });
//! }
//! ```
//!
//! An aggregator ends with its body.
//!
//! ```compile_fail,E0521
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let mut outside = None;
//!         world.aggregate(|_, _: u64| (), |items| outside = Some(items)).unwrap();
//!         outside.unwrap().send(1, 0);
//!     });
//! }
//! ```
//!
//! A lock's guard stays on its thread.
//!
//! ```compile_fail,E0277
//! fn main() {
//!     ferrite::local(2, |world| {
//!         let lock = world.alloc_lock().unwrap();
//!         let held = world.acquire(&lock);
//!         std::thread::scope(|threads| _ = threads.spawn(move || drop(held)));
//!     });
//! }
//! ```
//!
//! A program that must compile: it forbids `unsafe`, and can use all of the library, its macros included.
//!
//! ```
//! #![forbid(unsafe_code)]
//!
//! use ferrite::prelude::*;
//!
//! ferrite::statics! {
//!     static HITS: Atomic<u64>;
//! }
//!
//! #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
//! #[repr(C)]
//! struct Point {
//!     x: f64,
//!     y: f64,
//! }
//!
//! #[ferrite::main]
//! fn main(world: &World) -> Result<(), ferrite::AllocError> {
//!     let mut points = world.alloc::<Point>(4)?;
//!     world.inc(HITS.on(world), 0);
//!     world.phase(&mut points, |points| points.fill(Point { x: 1.0, y: 2.0 }));
//!     world.scope(|s| s.put(points.range(..1), &[Point { x: 3.0, y: 4.0 }], 0));
//!     Ok(())
//! }
//! ```
