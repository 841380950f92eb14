#![no_main]
#![doc = include_str!("../README.md")]

#[path = "../judges/launcher.rs"]
mod judges;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| judges::judge(bytes));
