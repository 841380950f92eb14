//! Line charts with two logarithmic axes. Each line has its name at its right end, so no legend is needed.

use super::{Axis, Drawing, Scale, text_width};

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Label at the end of the line.
    pub name: String,
    /// The classes of its colour (`ours`, `peer`, `limit`, `c0` to `c5`) and of its dashes (`v0` to `v2`).
    pub class: String,
    /// The points, by rising x; all coordinates are above zero.
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct LineChart {
    pub title: String,
    /// The quantity on the x axis, and its scale.
    pub x: (&'static str, Scale),
    /// The quantity on the y axis, and its scale.
    pub y: (&'static str, Scale),
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 46.0;
/// A line that ends at least this far from the right end has its name beside its last point.
const INSIDE: f64 = 60.0;
/// Least distance between two names.
const NAME_HEIGHT: f64 = 15.0;

impl LineChart {
    pub fn draw(&self) -> Drawing {
        let mut drawing = Drawing::new(WIDTH, HEIGHT, &self.title);
        let longest = self.lines.iter().map(|line| text_width(&line.name)).fold(40.0, f64::max);
        let right = WIDTH - longest - 26.0;
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let xs: Vec<f64> = all().map(|point| point.0).collect();
        let ys: Vec<f64> = all().map(|point| point.1).collect();
        let x = Axis::of_values(self.x.1, &xs, (LEFT + 10.0, right));
        let y = Axis::round(self.y.1, &ys, (HEIGHT - BOTTOM, TOP));
        self.draw_axes(&mut drawing, &x, &y, right);
        for line in &self.lines {
            draw_line(&mut drawing, line, &x, &y);
        }
        self.draw_names(&mut drawing, &x, &y, right);
        drawing
    }

    fn draw_axes(&self, drawing: &mut Drawing, x: &Axis, y: &Axis, right: f64) {
        let (bottom, top) = y.pixels();
        for (at, text) in y.marks() {
            drawing.stroke("grid", (LEFT, at), (right + 6.0, at));
            drawing.text("mark", "end", (LEFT - 8.0, at + 4.0), &text);
        }
        for (at, text) in x.marks() {
            drawing.stroke("grid", (at, top), (at, bottom));
            drawing.text("mark", "middle", (at, bottom + 18.0), &text);
        }
        drawing.text("mark", "middle", ((LEFT + right) / 2.0, HEIGHT - 8.0), self.x.0);
        drawing.text("mark", "start", (8.0, 14.0), self.y.0);
    }

    /// Draw the names of the lines. The name of a line that ends at the right stands beside its end; such names are moved apart if they
    /// would overlap. Other names stand beside the last point of their line.
    fn draw_names(&self, drawing: &mut Drawing, x: &Axis, y: &Axis, right: f64) {
        let end = |line: &Line| line.points.last().map(|&(px, py)| (x.at(px), y.at(py)));
        let mut names: Vec<(&Line, (f64, f64))> =
            self.lines.iter().filter_map(|line| Some((line, end(line)?))).collect();
        names.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let (at_right, inside): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, end)| right - end.0 < INSIDE);
        let places = apart(&at_right.iter().map(|(_, end)| end.1).collect::<Vec<_>>(), (TOP, HEIGHT - BOTTOM));
        for ((line, (px, py)), place) in at_right.into_iter().zip(places) {
            let left = right + 14.0;
            drawing.add(&format!("<g class=\"{}\">", line.class));
            if (place - py).abs() > 2.0 || right - px > 8.0 {
                drawing.stroke("leader", (px + 5.0, py), (left - 3.0, place));
            }
            drawing.text("label", "start", (left, place + 4.0), &line.name);
            drawing.add("</g>");
        }
        for (line, (px, py)) in inside {
            drawing.add(&format!("<g class=\"{}\">", line.class));
            drawing.text("label", "start", (px + 8.0, py - 5.0), &line.name);
            drawing.add("</g>");
        }
    }
}

fn draw_line(drawing: &mut Drawing, line: &Line, x: &Axis, y: &Axis) {
    drawing.add(&format!("<g class=\"{}\">", line.class));
    let points: Vec<String> = line.points.iter().map(|&(px, py)| format!("{:.1},{:.1}", x.at(px), y.at(py))).collect();
    drawing.add(&format!("<polyline class=\"curve\" points=\"{}\"/>", points.join(" ")));
    for &(px, py) in &line.points {
        let says = format!("{}, {}: {}", line.name, x.write(px), y.write(py));
        drawing.dot("point", (x.at(px), y.at(py)), 3.5, &says);
    }
    drawing.add("</g>");
}

/// Move the given rising heights apart, so that neighbours keep their distance and all stay within the range, if it is large enough.
fn apart(wanted: &[f64], (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for at in 1..places.len() {
        places[at] = places[at].max(places[at - 1] + NAME_HEIGHT);
    }
    let mut limit = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - NAME_HEIGHT;
    }
    // Too many for the range: they begin at its top and go on below it.
    let over = top - places.first().copied().unwrap_or(top);
    if over > 0.0 {
        let mut least = top;
        for place in &mut places {
            *place = place.max(least);
            least = *place + NAME_HEIGHT;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chart(lines: Vec<Line>) -> String {
        let chart =
            LineChart { title: "put <8>".to_owned(), x: ("bytes", Scale::Bytes), y: ("time", Scale::Time), lines };
        chart.draw().file()
    }

    fn line(name: &str, class: &str, points: &[(f64, f64)]) -> Line {
        Line { name: name.to_owned(), class: class.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn every_line_has_its_points_its_name_and_its_colour() {
        let svg = chart(vec![
            line("Ferrite", "ours v0", &[(8.0, 7.0), (1024.0, 17.0)]),
            line("memcpy & more", "limit", &[(8.0, 1.6), (1024.0, 5.0)]),
        ]);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("put &lt;8&gt;") && svg.contains(">memcpy &amp; more<"), "{svg}");
        assert!(svg.contains("<title>Ferrite, 1 Ki: 17 ns</title>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_chart_of_nothing_is_drawn_without_numbers_that_are_none() {
        let svg = chart(vec![line("one", "ours", &[(8.0, 7.0)])]) + &chart(Vec::new());
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    proptest! {
        #[test]
        fn names_never_cover_each_other(mut wanted in prop::collection::vec(0.0..300.0f64, 0..20)) {
            wanted.sort_by(f64::total_cmp);
            let places = apart(&wanted, (20.0, 320.0));
            for pair in places.windows(2) {
                prop_assert!(pair[1] - pair[0] >= NAME_HEIGHT - 1e-9, "{places:?}");
            }
            prop_assert!(places.iter().all(|place| *place >= -1e-9), "{places:?}");
        }
    }
}
