//! The engine of one-sided communication under an adversary: by seeds, by every interleaving, and over networks that break promises.

mod breaches;
mod engines;
mod exhaustive;
mod parting;
mod pushes;
mod refusals;
mod seeds;
