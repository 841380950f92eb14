//! The engine of one-sided communication under an adversary: by seeds, by every interleaving, and with mistakes that must be found.

mod engines;
mod exhaustive;
mod mistakes;
mod parting;
mod pushes;
mod refusals;
mod seeds;
