//! Reads the result lines of the programs: `bench TEST BYTES VALUE UNIT`.

use serde::Serialize;

/// What a value counts, and so whether more of it is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Nanoseconds of one operation.
    #[serde(rename = "ns")]
    Ns,
    /// Milliseconds of a whole job.
    #[serde(rename = "ms")]
    Ms,
    /// Millions of operations a second.
    #[serde(rename = "M/s")]
    MillionsPerSecond,
    /// Gigabytes (10^9) a second.
    #[serde(rename = "GB/s")]
    GigabytesPerSecond,
    /// A bare number of events.
    #[serde(rename = "count")]
    Count,
}

impl Unit {
    /// As the programs print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Ms => "ms",
            Self::MillionsPerSecond => "M/s",
            Self::GigabytesPerSecond => "GB/s",
            Self::Count => "count",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Ns, Self::Ms, Self::MillionsPerSecond, Self::GigabytesPerSecond, Self::Count]
            .into_iter()
            .find(|unit| unit.name() == text)
    }
}

/// One measured value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// The test's name, such as `put`.
    pub test: String,
    /// Bytes of one operation; 0 where there are none.
    pub bytes: u64,
    /// The median over the program's batches.
    pub value: f64,
    /// What `value` counts.
    pub unit: Unit,
}

impl Sample {
    /// Reads one line. `None`: it is no result line. `Some(Err)`: it claims to be one and is not.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_ascii_whitespace();
        (words.next()? == "bench").then(|| {
            let words: Vec<&str> = words.collect();
            Self::from_words(&words).ok_or_else(|| format!("'{line}' is not 'bench TEST BYTES VALUE UNIT'"))
        })
    }

    fn from_words(words: &[&str]) -> Option<Self> {
        let [test, bytes, value, unit] = words else { return None };
        let value: f64 = value.parse().ok()?;
        let sample = Self { test: (*test).to_owned(), bytes: bytes.parse().ok()?, value, unit: Unit::parse(unit)? };
        (value.is_finite() && value >= 0.0).then_some(sample)
    }

    /// The same measurement as a bandwidth, where it is the time of a transfer.
    pub fn into_bandwidth(self) -> Self {
        if self.unit == Unit::Ns && self.bytes > 0 && self.value > 0.0 {
            Self { value: self.bytes as f64 / self.value, unit: Unit::GigabytesPerSecond, ..self }
        } else {
            self
        }
    }
}

/// All samples of a program's output; a damaged result line is an error, other lines are the program's own business.
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
        assert_eq!(samples[0], Sample { test: "put".into(), bytes: 8, value: 23.5, unit: Unit::Ns });
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
        ] {
            assert!(matches!(Sample::parse(line), Some(Err(_))), "{line}");
        }
    }

    #[test]
    fn a_transfer_becomes_a_bandwidth() {
        let put = Sample { test: "put".into(), bytes: 65_536, value: 512.0, unit: Unit::Ns };
        let bandwidth = put.into_bandwidth();
        assert_eq!((bandwidth.value, bandwidth.unit), (128.0, Unit::GigabytesPerSecond));
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
