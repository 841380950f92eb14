//! The common frame of the site's pages.

use crate::{manual::html::escape, package::VERSION};

/// The parts of the site, in the order of the navigation bar.
const PARTS: [(&str, &str); 6] = [
    ("Install", "install.html"),
    ("Guide", "guide/index.html"),
    ("Manual", "manual/index.html"),
    ("Benchmarks", "benchmarks/index.html"),
    ("Architecture", "architecture.html"),
    ("Changes", "changes.html"),
];

/// The frame of one page.
pub struct Frame<'a> {
    path: &'a str,
    /// The path from the page to the root of the site.
    up: String,
}

impl Frame<'_> {
    /// The frame of the page at `path`, relative to the root of the site.
    pub fn of(path: &str) -> Frame<'_> {
        Frame { path, up: "../".repeat(path.matches('/').count()) }
    }

    /// The complete HTML page.
    pub fn page(&self, title: &str, body: &str) -> String {
        let up = &self.up;
        let part = |(name, to): &(&str, &str)| {
            let here = if self.path.split('/').next() == to.split('/').next() { " aria-current=\"page\"" } else { "" };
            format!("<a href=\"{up}{to}\"{here}>{name}</a>\n")
        };
        let parts: String = PARTS.iter().map(part).collect();
        let title = if title == "Ferrite" { title.to_owned() } else { format!("{} - Ferrite", escape(title)) };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{up}style.css\">\n</head>\n<body>\n\
             <header>\n<a class=\"name\" href=\"{up}index.html\">Ferrite</a> <span class=\"version\">{VERSION}</span>\n<nav>\n{parts}</nav>\n\
             <search><input id=\"query\" type=\"search\" placeholder=\"Search\" aria-label=\"Search the site\" data-up=\"{up}\" autocomplete=\"off\">\n\
             <ol id=\"found\" hidden></ol></search>\n</header>\n<main>\n{body}</main>\n\
             <script src=\"{up}search-index.js\"></script>\n<script src=\"{up}search.js\"></script>\n</body>\n</html>\n"
        )
    }
}
