//! Logarithmic axes: their range, their marks, and the position of a value.

use super::text_width;

/// The quantity of an axis, which determines how its marks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Bytes: `64 Ki`.
    Bytes,
    /// Counts: `1,024`.
    Number,
    /// Nanoseconds: `10 us`.
    Time,
    /// Bytes of memory, in powers of ten: `10 MB`.
    Memory,
    /// Gigabytes a second: `10 MB/s`.
    Bandwidth,
    /// Millions a second: `10 k/s`.
    Rate,
    /// Ratios: `2 x`.
    Ratio,
}

/// An axis between two pixels.
#[derive(Clone, Debug)]
pub struct Axis {
    scale: Scale,
    values: (f64, f64),
    pixels: (f64, f64),
    marks: Vec<f64>,
}

/// Least distance between the texts of neighbouring marks.
const MARKS_APART: f64 = 14.0;

impl Axis {
    /// A horizontal axis for the given values, all above zero. Its marks are some of the values: from the largest down, those whose texts
    /// do not overlap.
    pub fn of_values(scale: Scale, values: &[f64], pixels: (f64, f64)) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let range = (sorted.first().copied().unwrap_or(1.0), sorted.last().copied().unwrap_or(1.0));
        let mut axis = Self { scale, values: widened(range, 1.0), pixels, marks: Vec::new() };
        let mut room_to = f64::INFINITY;
        for value in sorted.into_iter().rev() {
            let half = text_width(&axis.write(value)) / 2.0;
            if axis.at(value) + half <= room_to {
                room_to = axis.at(value) - half - MARKS_APART;
                axis.marks.push(value);
            }
        }
        axis
    }

    /// An axis for the given values, all above zero, whose range and marks are round numbers.
    pub fn round(scale: Scale, values: &[f64], pixels: (f64, f64)) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let (least, most) = if least.is_finite() { (least, most) } else { (1.0, 10.0) };
        let mut values = (round_below(least), round_above(most));
        if values.0 >= values.1 {
            values = (values.0 / 2.0, values.1 * 2.0);
        }
        let decades = (values.1 / values.0).log10();
        let marks = if decades > 2.5 { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
        let marks = (values.0.log10().floor() as i32..=values.1.log10().ceil() as i32)
            .flat_map(|power| marks.iter().map(move |mark| mark * 10_f64.powi(power)))
            .filter(|mark| (values.0 * 0.999..=values.1 * 1.001).contains(mark))
            .collect();
        Self { scale, values, pixels, marks }
    }

    /// The pixel of a value.
    pub fn at(&self, value: f64) -> f64 {
        let part = (value / self.values.0).ln() / (self.values.1 / self.values.0).ln();
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }

    /// The marks: pixel and text.
    pub fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        self.marks.iter().map(|&mark| (self.at(mark), self.write(mark)))
    }

    /// The pixels of both ends.
    pub fn pixels(&self) -> (f64, f64) {
        self.pixels
    }

    /// Format a value like the marks.
    pub fn write(&self, value: f64) -> String {
        match self.scale {
            Scale::Bytes => crate::table::bytes(value as u64),
            Scale::Number => grouped(value),
            Scale::Time => with_prefix(value, &[(1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"), (1e-3, "ps")]),
            Scale::Memory => with_prefix(value, &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")]),
            Scale::Bandwidth => with_prefix(value, &[(1e3, "TB/s"), (1.0, "GB/s"), (1e-3, "MB/s"), (1e-6, "kB/s")]),
            Scale::Rate => with_prefix(value, &[(1e3, "G/s"), (1.0, "M/s"), (1e-3, "k/s"), (1e-6, "/s")]),
            Scale::Ratio => format!("{} x", plain(value)),
        }
    }
}

/// If the range is a single value, widen it by the factor `1 + by` in both directions.
fn widened((least, most): (f64, f64), by: f64) -> (f64, f64) {
    if least < most { (least, most) } else { (least / (1.0 + by), most * (1.0 + by)) }
}

fn round_below(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digit = value / power * 1.000_001;
    power
        * if digit >= 5.0 {
            5.0
        } else if digit >= 2.0 {
            2.0
        } else {
            1.0
        }
}

fn round_above(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let digit = value / power * 0.999_999;
    power
        * if digit <= 1.0 {
            1.0
        } else if digit <= 2.0 {
            2.0
        } else if digit <= 5.0 {
            5.0
        } else {
            10.0
        }
}

fn with_prefix(value: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(factor, _)| value >= factor * 0.999).or(units.last());
    fits.map_or_else(String::new, |(factor, unit)| format!("{} {unit}", plain(value / factor)))
}

/// Up to three significant figures, without trailing zeros.
fn plain(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else if value >= 0.0995 {
        2
    } else {
        4
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marks(axis: &Axis) -> Vec<String> {
        axis.marks().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round_and_few() {
        let axis = Axis::round(Scale::Time, &[7.0, 90_000.0], (300.0, 0.0));
        assert_eq!(marks(&axis), ["10 ns", "100 ns", "1 us", "10 us", "100 us"]);
        let axis = Axis::round(Scale::Bandwidth, &[12.0, 61.0], (300.0, 0.0));
        assert_eq!(marks(&axis), ["10 GB/s", "20 GB/s", "50 GB/s", "100 GB/s"]);
        let sizes: Vec<f64> = (3..23).map(|power| f64::from(1 << power)).collect();
        let axis = Axis::of_values(Scale::Bytes, &sizes, (0.0, 500.0));
        assert_eq!(marks(&axis), ["4 Mi", "1 Mi", "256 Ki", "32 Ki", "8 Ki", "2 Ki", "512", "128", "32", "8"]);
        let axis = Axis::of_values(Scale::Number, &[2.0, 204.0, 256.0, 1_048_576.0], (0.0, 400.0));
        assert_eq!(marks(&axis), ["1,048,576", "256", "2"]);
    }

    #[test]
    fn one_value_and_none_have_an_axis_too() {
        assert!((Axis::of_values(Scale::Number, &[8.0], (0.0, 100.0)).at(8.0) - 50.0).abs() < 1e-9);
        assert!(Axis::round(Scale::Time, &[10.0], (0.0, 100.0)).at(10.0).is_finite());
        assert!(Axis::round(Scale::Time, &[], (0.0, 100.0)).at(3.0).is_finite());
    }

    proptest! {
        #[test]
        fn every_value_lies_between_the_ends(values in prop::collection::vec(1e-3..1e9f64, 1..20)) {
            let axis = Axis::round(Scale::Time, &values, (300.0, 20.0));
            for value in &values {
                let pixel = axis.at(*value);
                prop_assert!((19.9..=300.1).contains(&pixel), "{value} at {pixel} of {axis:?}");
            }
            prop_assert!(!axis.marks.is_empty() && axis.marks.len() <= 14, "{axis:?}");
        }
    }
}
