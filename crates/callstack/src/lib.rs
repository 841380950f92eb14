//! The program's call stack, as the library sees it from below: the place that has called the library ([`caller`]), and the frames of a
//! thread that dies ([`frames`]). Both tell the program's functions from the library's own.

pub mod caller;
pub mod frames;
