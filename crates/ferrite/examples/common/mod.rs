//! Code of all examples: sizes from the command line, random numbers, and the line that reports the speed of a program.
//!
//! A program is a [`Program`]: its `run` does the work and checks the result. PE 0 then prints one line of NAME=VALUE words,
//!
//! ```text
//! figure program=gups value=0.0214 unit=GUP/s seconds=0.0122 pes=4 words=65536 updates=65536
//! ```
//!
//! or, if results are wrong, prints their number on standard error. The exit status is then 1.
#![allow(dead_code, reason = "each example uses some of it")]

use ferrite::prelude::*;
use std::{ops::RangeInclusive, time::Instant};

/// A size that the user may set.
pub struct Size {
    pub name: &'static str,
    pub default: u64,
    pub range: RangeInclusive<u64>,
    pub what: &'static str,
}

/// A row of a program's sizes.
pub const fn size(name: &'static str, default: u64, range: RangeInclusive<u64>, what: &'static str) -> Size {
    Size { name, default, range, what }
}

pub struct Program {
    pub name: &'static str,
    pub about: &'static str,
    pub sizes: &'static [Size],
    /// Run the program. The sizes are in the order of the rows.
    pub run: fn(&World, &[u64]) -> Result<Figure, AnyError>,
}

/// Any error of a program.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The speed of the program on this PE, and the number of wrong results.
pub struct Figure {
    /// Number of wrong results.
    pub wrong: u64,
    /// Work of all PEs together, in the unit `unit` times seconds.
    pub amount: f64,
    pub unit: &'static str,
    pub seconds: f64,
}

impl Program {
    /// Run the program as a command.
    pub fn main(&self, world: &World) -> Result<(), AnyError> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let speaks = world.my_pe() == 0;
        if arguments.iter().any(|argument| argument == "--help") {
            if speaks {
                print!("{}", self.help());
            }
            return Ok(());
        }
        // All PEs have the same arguments, so all of them fail or none does.
        let sizes = self.parse(&arguments)?;
        let figure = (self.run)(world, &sizes)?;
        let wrong = world.sum(figure.wrong);
        if wrong > 0 {
            return Err(format!("{}: {wrong} results are wrong", self.name).into());
        }
        let seconds = world.max(figure.seconds);
        if speaks {
            let value = figure.amount / seconds;
            print!("figure program={} value={value:.6} unit={} seconds={seconds:.6}", self.name, figure.unit);
            print!(" pes={}", world.n_pes());
            self.sizes.iter().zip(&sizes).for_each(|(size, value)| print!(" {}={value}", size.name));
            println!();
        }
        Ok(())
    }

    /// The values of `--NAME NUMBER` and `--NAME=NUMBER`.
    pub fn parse(&self, arguments: &[String]) -> Result<Vec<u64>, String> {
        let mut values: Vec<u64> = self.sizes.iter().map(|size| size.default).collect();
        let mut words = arguments.iter().flat_map(|argument| match argument.split_once('=') {
            Some((name, value)) => vec![name, value],
            None => vec![argument.as_str()],
        });
        while let Some(word) = words.next() {
            let named = word.strip_prefix("--").and_then(|name| self.sizes.iter().position(|size| size.name == name));
            let Some(at) = named else {
                return Err(format!("{}: there is no option {word}; --help lists those there are", self.name));
            };
            let (Size { name, range, .. }, given) = (&self.sizes[at], words.next().unwrap_or(""));
            let number = given.parse().ok().filter(|number| range.contains(number));
            values[at] = number.ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                format!("{}: --{name} is '{given}', but should be a number from {least} to {most}", self.name)
            })?;
        }
        Ok(values)
    }

    fn help(&self) -> String {
        let mut text = format!("{}: {}\n\nUsage: oshrun -n PES {0} [--OPTION NUMBER]...\n\n", self.name, self.about);
        for Size { name, default, range, what } in self.sizes {
            let (least, most) = (range.start(), range.end());
            text += &format!("  --{name:<10} {what}, {least} to {most} [default: {default}]\n");
        }
        text + "  --help       this text\n"
    }
}

/// Measures the time since a barrier.
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start(world: &World) -> Stopwatch {
        world.barrier();
        Stopwatch(Instant::now())
    }

    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Random numbers: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014). Any PE can reproduce the numbers of any
/// other.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// The random numbers of one PE.
    pub fn of(pe: u32) -> Random {
        let mut seed = Random(0x5eed + u64::from(pe));
        Random(seed.draw())
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`, which has at most 32 bits.
    pub fn below(&mut self, limit: u64) -> u64 {
        below(self.draw(), limit)
    }
}

/// Scramble the bits of a number. The result differs for different numbers.
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Scale 32 random bits to a number below `limit`, without a division.
pub fn below(bits: u64, limit: u64) -> u64 {
    ((bits & 0xffff_ffff) * limit) >> 32
}

/// The PE that a random number chooses, and the place on that PE.
pub fn chosen(random: u64, pes: u32, places: u64) -> (u32, usize) {
    (below(random >> 32, u64::from(pes)) as u32, below(random, places) as usize)
}
