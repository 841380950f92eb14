//! The first page of the HTML manual, and the list of all names.

use super::{
    Ready,
    html::{document, escape},
};
use std::collections::BTreeMap;

/// The order of topics; a page of another topic is refused.
pub const TOPICS: [&str; 14] = [
    "Overview",
    "Commands",
    "Set-up and queries",
    "Memory",
    "Teams",
    "Contexts",
    "Remote memory access",
    "Atomics",
    "Signals",
    "Waiting and testing",
    "Ordering",
    "Collectives",
    "Locks, caches, profiling",
    "Beside the specification",
];

/// File name of a page.
pub fn file(name: &str, section: char) -> String {
    let name = name.replace("++", "xx");
    if section == '3' { format!("{name}.html") } else { format!("{name}.{section}.html") }
}

pub fn index(pages: &[Ready], version: &str) -> String {
    let mut body = "<h1>Ferrite</h1>\n<p class=\"summary\">an OpenSHMEM runtime: the manual</p>\n".to_owned();
    for topic in TOPICS {
        body += &format!("<h2>{}</h2>\n<dl class=\"pages\">\n", escape(topic));
        for page in pages.iter().filter(|page| page.source.topic == topic) {
            let source = &page.source;
            body += &format!(
                "<dt><a href=\"{}\">{}({})</a></dt>\n<dd>{}</dd>\n",
                file(&source.name, source.section),
                escape(&source.name),
                source.section,
                escape(&source.summary)
            );
        }
        body += "</dl>\n";
    }
    document("Manual", version, &body)
}

/// The list of all names, each with a link to its page.
pub fn names(names: &BTreeMap<(char, String), &Ready>, version: &str) -> String {
    let mut body =
        format!("<h1>All names</h1>\n<p class=\"summary\">{} names</p>\n<ul class=\"names\">\n", names.len());
    for ((_, name), page) in names {
        let to = file(&page.source.name, page.source.section);
        body += &format!("<li><a href=\"{to}\">{}</a></li>\n", escape(name));
    }
    document("All names", version, &(body + "</ul>\n"))
}
