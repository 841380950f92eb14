//! A small plotter: lines over logarithmic axes, and strips of ratios, as SVG that is legible on light and dark backgrounds.
//!
//! A drawing refers to colours by class. `style.css` defines them: a page includes it once, and a drawing with its own file contains a
//! copy.

mod axis;
mod lines;
mod strips;

use std::fmt::Write;

pub use axis::{Axis, Scale};
pub use lines::{Line, LineChart};
pub use strips::{Dot, Strip, StripChart};

/// The colours and strokes of all drawings.
pub const STYLE: &str = include_str!("style.css");

#[derive(Clone, Debug)]
pub struct Drawing {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Drawing {
    fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: title.to_owned(), body: String::new() }
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// The SVG element, for a page that includes the style.
    pub fn inline(&self) -> String {
        let Self { width, height, body, .. } = self;
        let title = escape(&self.title);
        format!(
            "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\" xmlns=\"http://www.w3.org/2000/svg\">\
             <title>{title}</title>{body}</svg>"
        )
    }

    /// A complete SVG file, with its style, its title and a background.
    pub fn file(&self) -> String {
        let (width, height, title) = (self.width, self.height + HEADLINE, escape(&self.title));
        format!(
            "<svg class=\"plot\" role=\"img\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             xmlns=\"http://www.w3.org/2000/svg\"><style>{STYLE}</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>\
             <text class=\"headline\" x=\"14\" y=\"22\">{title}</text><g transform=\"translate(0 {HEADLINE})\">{}</g></svg>\n",
            self.body
        )
    }

    fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        self.add(&format!("<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"));
    }

    fn stroke(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let line = format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
        self.add(&line);
    }

    /// A dot with a tooltip.
    fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, says: &str) {
        let says = escape(says);
        self.add(&format!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{says}</title></circle>"
        ));
    }

    fn add(&mut self, element: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.body, "{element}");
    }
}

/// Height of the title above a drawing in its own file.
const HEADLINE: f64 = 30.0;

/// Escape text for HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Approximate width of a text, in the size of labels.
fn text_width(text: &str) -> f64 {
    7.5 * text.chars().count() as f64
}
