//! Charts of ratios: a strip for each group, a dot for each ratio, and a stroke at their geometric mean.

use super::{Axis, Drawing, Scale, text_width};
use crate::stats::geometric_mean;

#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// The ratio; above zero.
    pub ratio: f64,
    /// The class of its colour.
    pub class: &'static str,
    /// Tooltip of the dot.
    pub says: String,
}

/// The ratios of one group.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Name of the group.
    pub name: String,
    pub dots: Vec<Dot>,
}

/// A chart of strips.
#[derive(Clone, Debug)]
pub struct StripChart {
    pub title: String,
    /// Captions of the sides left and right of 1.
    pub sides: (String, String),
    /// The strips, from top to bottom.
    pub strips: Vec<Strip>,
}

const WIDTH: f64 = 620.0;
const STRIP: f64 = 22.0;
const TOP: f64 = 44.0;
const RIGHT: f64 = 62.0;
/// Ratios beyond these are drawn at the edge: for a ratio of more than fifty, the exact position does not matter.
const EDGES: (f64, f64) = (0.02, 50.0);

impl StripChart {
    pub fn draw(&self) -> Drawing {
        let height = TOP + STRIP * self.strips.len() as f64 + 14.0;
        let mut drawing = Drawing::new(WIDTH, height, &self.title);
        let left = self.strips.iter().map(|strip| text_width(&strip.name)).fold(60.0, f64::max) + 20.0;
        let mut ratios: Vec<f64> =
            self.strips.iter().flat_map(|strip| &strip.dots).map(|dot| shown(dot.ratio)).collect();
        ratios.extend([0.5, 2.0]);
        let x = Axis::round(Scale::Ratio, &ratios, (left, WIDTH - RIGHT));
        for (at, text) in x.marks() {
            drawing.stroke("grid", (at, TOP - 8.0), (at, height - 10.0));
            drawing.text("mark", "middle", (at, TOP - 14.0), &text);
        }
        let one = x.at(1.0);
        drawing.stroke("one", (one, TOP - 8.0), (one, height - 10.0));
        drawing.text("mark", "start", (left, 12.0), &format!("\u{2190} {}", self.sides.0));
        drawing.text("mark", "end", (WIDTH - RIGHT, 12.0), &format!("{} \u{2192}", self.sides.1));
        for (at, strip) in self.strips.iter().enumerate() {
            let y = TOP + STRIP * (at as f64 + 0.5);
            drawing.text("name", "end", (left - 12.0, y + 4.0), &strip.name);
            draw_dots(&mut drawing, strip, &x, y);
        }
        drawing
    }
}

fn shown(ratio: f64) -> f64 {
    ratio.clamp(EDGES.0, EDGES.1)
}

fn draw_dots(drawing: &mut Drawing, strip: &Strip, x: &Axis, y: f64) {
    for dot in &strip.dots {
        drawing.dot(&format!("strip {}", dot.class), (x.at(shown(dot.ratio)), y), 4.5, &dot.says);
    }
    let ratios: Vec<f64> = strip.dots.iter().map(|dot| dot.ratio).collect();
    if let Some(mean) = geometric_mean(&ratios) {
        let at = x.at(shown(mean));
        let class = if mean <= 1.0 { "ours" } else { "bad" };
        drawing.stroke(&format!("mean {class}"), (at, y - 7.0), (at, y + 7.0));
        drawing.text(&format!("label {class}"), "end", (WIDTH - 8.0, y + 4.0), &format!("{mean:.2} x"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ratio_is_a_dot_and_each_strip_has_its_mean() {
        let dot = |ratio| Dot { ratio, class: "ours", says: format!("put: {ratio}") };
        let chart = StripChart {
            title: "all".to_owned(),
            sides: ("faster".to_owned(), "slower".to_owned()),
            strips: vec![
                Strip { name: "put".to_owned(), dots: vec![dot(0.25), dot(1.0)] },
                Strip { name: "get".to_owned(), dots: vec![dot(3.0)] },
                Strip { name: "far".to_owned(), dots: vec![dot(1e6)] },
            ],
        };
        let svg = chart.draw().inline();
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains(">0.50 x<") && svg.contains(">3.00 x<") && svg.contains("mean bad"), "{svg}");
        assert!(svg.contains(">50 x<") && svg.contains("put: 1000000") && !svg.contains(">100 x<"), "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
    }
}
