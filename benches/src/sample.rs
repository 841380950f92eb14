//! Reads the result lines of the programs: `bench TEST BYTES VALUE UNIT [P99 MAX]`, and `figure NAME=VALUE...` of applications.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Unit of a value, which determines whether a larger value is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub enum Unit {
    /// Nanoseconds of one operation.
    Ns,
    /// Milliseconds of a whole job.
    Ms,
    /// Millions of operations a second.
    MillionsPerSecond,
    /// Gigabytes (10^9) a second.
    GigabytesPerSecond,
    /// Number of events; fewer are better.
    Count,
    /// Percentage; more is better.
    Percent,
    /// Rate of an application: work per second.
    Figure(&'static str),
}

/// The units of applications.
const FIGURES: &[&str] = &["GUP/s", "Mkeys/s", "Mcells/s", "Mitems/s", "Mreads/s", "MB/s", "MTEPS"];

impl Unit {
    /// The name that the programs print.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Ms => "ms",
            Self::MillionsPerSecond => "M/s",
            Self::GigabytesPerSecond => "GB/s",
            Self::Count => "count",
            Self::Percent => "%",
            Self::Figure(name) => name,
        }
    }

    /// True if a larger value is better.
    pub fn more_is_better(self) -> bool {
        !matches!(self, Self::Ns | Self::Ms | Self::Count)
    }

    /// Parse the name that [`Unit::name`] returns.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = [Self::Ns, Self::Ms, Self::MillionsPerSecond, Self::GigabytesPerSecond, Self::Count, Self::Percent];
        let figures = FIGURES.iter().map(|name| Self::Figure(name));
        plain.into_iter().chain(figures).find(|unit| unit.name() == text)
    }
}

impl From<Unit> for &'static str {
    fn from(unit: Unit) -> Self {
        unit.name()
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format!("{text} is not a unit")))
    }
}

/// The slow ones of operations that were timed one by one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// 99th percentile, in nanoseconds.
    pub p99: f64,
    /// Maximum, in nanoseconds.
    pub max: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Name of the test, such as `put`.
    pub test: String,
    /// Bytes of one operation; 0 if it has no size.
    pub bytes: u64,
    /// Median over the program's batches.
    pub value: f64,
    /// Unit of `value`.
    pub unit: Unit,
    /// Slow operations, if operations were timed one by one.
    pub tail: Option<Tail>,
}

impl Sample {
    /// A value without a tail.
    pub fn new(test: &str, bytes: u64, value: f64, unit: Unit) -> Self {
        Self { test: test.to_owned(), bytes, value, unit, tail: None }
    }

    /// Parse one line. `None` if it is no result line, `Some(Err)` if it begins like one but is damaged.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_ascii_whitespace();
        (words.next()? == "bench").then(|| {
            let words: Vec<&str> = words.collect();
            Self::from_words(&words).ok_or_else(|| format!("'{line}' is not 'bench TEST BYTES VALUE UNIT [P99 MAX]'"))
        })
    }

    fn from_words(words: &[&str]) -> Option<Self> {
        let (head, tail) = words.split_at_checked(4)?;
        let number = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let tail = match tail {
            [] => None,
            [p99, max] => Some(Tail { p99: number(p99)?, max: number(max)? }),
            _ => return None,
        };
        let (bytes, value, unit) = (head[1].parse().ok()?, number(head[2])?, Unit::parse(head[3])?);
        Some(Self { test: head[0].to_owned(), bytes, value, unit, tail })
    }

    /// Convert the time of a transfer to a bandwidth; other samples are returned unchanged.
    pub fn into_bandwidth(self) -> Self {
        if self.unit == Unit::Ns && self.bytes > 0 && self.value > 0.0 {
            Self { value: self.bytes as f64 / self.value, unit: Unit::GigabytesPerSecond, tail: None, ..self }
        } else {
            self
        }
    }
}

/// Parse the line `figure program=NAME value=VALUE unit=UNIT ...` of an application.
pub fn parse_figure(output: &str) -> Result<Sample, String> {
    let line = output.lines().find(|line| line.starts_with("figure ")).ok_or("it printed no figure")?;
    let word = |key: &str| line.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let sample = || {
        let value: f64 = word("value")?.parse().ok()?;
        Some(Sample::new(word("program")?, 0, value, Unit::parse(word("unit")?)?))
    };
    let sample = sample().filter(|sample| sample.value.is_finite() && sample.value > 0.0);
    sample.ok_or_else(|| format!("'{line}' has no program, value and unit"))
}

/// The text of the line `skipped TEST: WHY`, by which a program says that it cannot measure a test with this library.
pub fn parse_skipped(output: &str) -> Option<&str> {
    output.lines().find_map(|line| line.strip_prefix("skipped "))
}

/// All samples of a program's output. A damaged result line is an error; other lines are ignored.
pub fn parse_output(output: &str) -> Result<Vec<Sample>, String> {
    output.lines().filter_map(Sample::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_result_lines_and_leaves_others() {
        let output = "hello\nbench put 8 23.5 ns\nbenchmark of something\nbench add 8 70 M/s\n";
        let samples = parse_output(output).unwrap();
        assert_eq!(samples.len(), 2);
        assert_eq!(samples[0], Sample::new("put", 8, 23.5, Unit::Ns));
        assert_eq!(samples[1].unit, Unit::MillionsPerSecond);
    }

    #[test]
    fn refuses_damaged_lines() {
        for line in [
            "bench",
            "bench put 8 23.5",
            "bench put -8 23.5 ns",
            "bench put 8 nan ns",
            "bench put 8 inf ns",
            "bench put 8 -1 ns",
            "bench put 8 1 furlong",
            "bench put 8 1 ns more",
            "bench put 8 1 ns 2 3 4",
            "bench put 8 1 ns 2 inf",
        ] {
            assert!(matches!(Sample::parse(line), Some(Err(_))), "{line}");
        }
    }

    #[test]
    fn a_transfer_becomes_a_bandwidth() {
        let put = Sample::new("put", 65_536, 512.0, Unit::Ns);
        let bandwidth = put.into_bandwidth();
        assert_eq!((bandwidth.value, bandwidth.unit), (128.0, Unit::GigabytesPerSecond));
    }

    #[test]
    fn tails_figures_and_what_is_not_there_are_read() {
        let sample = Sample::parse("bench put 8 23.5 ns 41 1200").unwrap().unwrap();
        assert_eq!(sample.tail, Some(Tail { p99: 41.0, max: 1200.0 }));
        let figure = parse_figure("a\nfigure program=gups value=0.02 unit=GUP/s seconds=1 pes=4\n").unwrap();
        assert_eq!(figure, Sample::new("gups", 0, 0.02, Unit::Figure("GUP/s")));
        assert!(parse_figure("figure program=gups value=0 unit=GUP/s").is_err());
        assert!(parse_figure("figure program=gups value=1 unit=furlongs").is_err());
        assert_eq!(parse_figure("nothing").unwrap_err(), "it printed no figure");
        assert_eq!(parse_skipped("affinity\nskipped teams: it needs 1.5\n"), Some("teams: it needs 1.5"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(line in ".{0,80}") {
            let _ = Sample::parse(&line);
        }

        #[test]
        fn what_a_program_prints_is_read_back(bytes in 0u64..1 << 40, value in 0.0..1e12f64) {
            let sample = Sample::parse(&format!("bench get {bytes} {value} ns")).unwrap().unwrap();
            prop_assert_eq!((sample.bytes, sample.value), (bytes, value));
        }
    }
}
