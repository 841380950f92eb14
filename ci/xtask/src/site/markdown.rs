//! Converts the repository's Markdown texts to HTML.

use crate::{
    Result,
    manual::html::{anchor, escape},
    repo,
};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::path::Path;

pub struct Page {
    /// Text of the first heading.
    pub title: String,
    /// Content of `<main>`.
    pub html: String,
    /// The second-level headings: anchor and text.
    sections: Vec<(String, String)>,
}

/// Part of the paths of the manual's pages in the repository.
const MANUAL: &str = "capi/manual/";

/// Number of sections from which a page has a table of contents.
const SECTIONS_MANY: usize = 4;

impl Page {
    /// Read and convert a file.
    pub fn read(file: &Path) -> Result<Page> {
        let page = Page::parse(&repo::read(file)?);
        if page.title.is_empty() { Err(format!("{} has no heading", file.display())) } else { Ok(page) }
    }

    pub fn parse(text: &str) -> Page {
        let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
        let mut title = String::new();
        let mut sections = Vec::new();
        let mut out = Vec::with_capacity(events.len());
        let mut is_rust = false;
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let heading = words(&events[at + 1..]);
                    if *level == HeadingLevel::H1 && title.is_empty() {
                        title.clone_from(&heading);
                    }
                    if *level == HeadingLevel::H2 {
                        sections.push((anchor(&heading), heading.clone()));
                    }
                    out.push(Event::Html(format!("<{level} id=\"{}\">", anchor(&heading)).into()));
                }
                Event::End(TagEnd::Heading(level)) => out.push(Event::Html(format!("</{level}>\n").into())),
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => out.push(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: link(dest_url),
                    title: title.clone(),
                    id: id.clone(),
                })),
                Event::Start(Tag::CodeBlock(kind)) => {
                    is_rust = matches!(kind, CodeBlockKind::Fenced(lang) if lang.split(',').next() == Some("rust"));
                    out.push(event.clone());
                }
                Event::End(TagEnd::CodeBlock) => {
                    is_rust = false;
                    out.push(event.clone());
                }
                Event::Text(text) if is_rust => out.push(Event::Text(shown(text).into())),
                // A wide table scrolls separately.
                Event::Start(Tag::Table(_)) => out.extend([Event::Html("<div class=\"wide\">".into()), event.clone()]),
                Event::End(TagEnd::Table) => out.extend([event.clone(), Event::Html("</div>\n".into())]),
                _ => out.push(event.clone()),
            }
        }
        let mut html = String::new();
        html::push_html(&mut html, out.into_iter());
        Page { title, html, sections }
    }

    /// Add a table of contents after the title, if the page is long.
    pub fn with_contents(mut self) -> Page {
        if self.sections.len() >= SECTIONS_MANY {
            let item = |(at, text): &(String, String)| format!("<li><a href=\"#{at}\">{}</a></li>\n", escape(text));
            let items: String = self.sections.iter().map(item).collect();
            let contents =
                format!("</h1>\n<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n{items}</ul>\n</nav>\n");
            self.html = self.html.replacen("</h1>\n", &contents, 1);
        }
        self
    }

    /// The pages that this page's list links to, in order: file and text.
    pub fn chapters(&self) -> Vec<(String, String)> {
        let item = |text: &str| {
            let (to, rest) = text.split_once("\">")?;
            let (title, _) = rest.split_once("</a>")?;
            to.ends_with(".html").then(|| (to.to_owned(), title.to_owned()))
        };
        self.html.split("<li><a href=\"").skip(1).filter_map(item).collect()
    }

    pub fn with(mut self, word: &str, by: &str) -> Page {
        // A word that stands for a block is a paragraph of its own.
        self.html = self.html.replace(&format!("<p>{word}</p>\n"), by).replace(word, by);
        self
    }

    /// The text without markup.
    pub fn text(&self) -> String {
        text_of(&self.html)
    }
}

/// The text of a heading, from the events after its start.
fn words(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|event| if let Event::Text(text) | Event::Code(text) = event { Some(&**text) } else { None })
        .collect()
}

/// The target of a text's link on the site.
fn link<'a>(to: &CowStr<'a>) -> CowStr<'a> {
    if to.contains("://") {
        return to.clone();
    }
    let (file, place) = to.split_once('#').map_or((&**to, String::new()), |(file, place)| (file, format!("#{place}")));
    match file.strip_suffix(".md") {
        // From a page beside the manual's directory.
        Some(stem) if file.contains(MANUAL) => {
            format!("manual/{}.html{place}", stem.rsplit('/').next().unwrap_or(stem)).into()
        }
        Some(stem) => format!("{stem}.html{place}").into(),
        None => to.clone(),
    }
}

/// The visible lines of a Rust program: rustdoc hides lines that begin with `# `.
fn shown(program: &str) -> String {
    let hidden = |line: &&str| line.trim_start() == "#" || line.trim_start().starts_with("# ");
    program.lines().filter(|line| !hidden(line)).map(|line| format!("{line}\n")).collect()
}

/// The text of a piece of HTML.
pub fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            c if !inside => text.push(c),
            _ => {}
        }
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_titles_anchors_and_links_among_themselves() {
        let page = Page::parse("# A `b` c\n\nsee [d](d.md#e) and [f](https://f.example/g.md)\n\n## Two words\n");
        assert_eq!(page.title, "A b c");
        assert!(page.html.contains("<h2 id=\"two-words\">Two words</h2>"), "{}", page.html);
        assert!(
            page.html.contains("href=\"d.html#e\"") && page.html.contains("href=\"https://f.example/g.md\""),
            "{}",
            page.html
        );
    }

    #[test]
    fn long_pages_have_a_table_of_contents_and_short_ones_none() {
        let page = |sections: usize| {
            let sections: String = (0..sections).map(|nth| format!("## Part <{nth}>\n\ntext\n\n")).collect();
            Page::parse(&format!("# T\n\n{sections}")).with_contents().html
        };
        let long = page(SECTIONS_MANY);
        assert!(long.contains("<li><a href=\"#part--1-\">Part &lt;1&gt;</a></li>"), "{long}");
        assert!(long.contains("id=\"part--1-\""), "{long}");
        assert!(!page(SECTIONS_MANY - 1).contains("<nav"));
    }

    #[test]
    fn chapters_are_the_links_of_the_list_in_order() {
        let page = Page::parse("# T\n\nsee [x](x.md)\n\n- [A `b`](a.md)\n- [C](c.md)\n- [web](https://c.example/)\n");
        assert_eq!(
            page.chapters(),
            [("a.html", "A <code>b</code>"), ("c.html", "C")].map(|(to, text)| (to.into(), text.into()))
        );
    }

    #[test]
    fn links_to_the_manuals_sources_lead_to_its_pages() {
        let page = Page::parse("# T\n\n[a](../crates/capi/manual/ferrite.7.md#security)\n");
        assert!(page.html.contains("href=\"manual/ferrite.7.html#security\""), "{}", page.html);
    }

    #[test]
    fn hidden_lines_of_programs_are_not_shown() {
        let page = Page::parse(
            "# T\n\n```rust,no_run\n# use hidden;\nlet a = 1;\n#[derive(Clone)]\n```\n\n```sh\n# a comment\n```\n",
        );
        assert!(!page.html.contains("hidden") && page.html.contains("#[derive(Clone)]"), "{}", page.html);
        assert!(page.html.contains("# a comment"), "{}", page.html);
    }

    #[test]
    fn words_are_taken_out_of_html() {
        assert_eq!(text_of("<p>a <code>b&lt;c</code></p>\n<p>d</p>"), "a b<c d");
    }

    #[test]
    fn a_word_that_stands_for_a_block_takes_its_paragraph_with_it() {
        let page = Page::parse("# T\n\n@LIST@\n\nversion @V@\n").with("@LIST@", "<ul></ul>\n").with("@V@", "7");
        assert!(page.html.contains("<ul></ul>\n<p>version 7</p>") && !page.html.contains("<p><ul>"), "{}", page.html);
    }
}
