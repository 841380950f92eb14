//! Manual pages in HTML: no script, one style sheet, and links only to existing pages.

use super::{
    Ready,
    markup::{Block, Span, plain},
};

pub fn page(page: &Ready, version: &str, exists: &dyn Fn(&str, char) -> Option<String>) -> String {
    let source = &page.source;
    let mut body = format!("<h1>{}<small>({})</small></h1>\n", escape(&source.name), source.section);
    body += &format!("<p class=\"summary\">{}</p>\n", escape(&source.summary));
    page.body.iter().for_each(|block| body += &one(block, exists));
    document(&source.title(), version, &body)
}

/// A document with the common frame.
pub fn document(title: &str, version: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <title>{} - Ferrite</title>\n<link rel=\"stylesheet\" href=\"style.css\" />\n</head>\n<body>\n\
         <nav><a href=\"index.html\">Ferrite {version}</a> <a href=\"names.html\">All names</a></nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
        escape(title)
    )
}

fn one(block: &Block, exists: &dyn Fn(&str, char) -> Option<String>) -> String {
    let inline = |spans: &[Span]| line(spans, exists);
    match block {
        Block::Heading { level, text } => {
            format!("<h{level} id=\"{}\">{}</h{level}>\n", anchor(text), escape(text))
        }
        Block::Paragraph(spans) => format!("<p>{}</p>\n", inline(spans)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Terms(terms) => {
            let one = |(term, text): &(Vec<Span>, Vec<Span>)| {
                format!("<dt>{}</dt>\n<dd>{}</dd>\n", inline(term), inline(text))
            };
            format!("<dl>\n{}</dl>\n", terms.iter().map(one).collect::<String>())
        }
        Block::Table(rows) => {
            let row = |tag: &str, [k, v]: &[Vec<Span>; 2]| {
                format!("<tr><{tag}>{}</{tag}><{tag}>{}</{tag}></tr>\n", inline(k), inline(v))
            };
            let rest: String = rows[1..].iter().map(|cells| row("td", cells)).collect();
            format!("<div class=\"wide\"><table>\n{}{rest}</table></div>\n", row("th", &rows[0]))
        }
        Block::Code { lang, text } => format!("<pre class=\"{}\"><code>{}</code></pre>\n", escape(lang), escape(text)),
        Block::Place(what) => unreachable!("the place of {what} was filled"),
    }
}

pub fn line(spans: &[Span], exists: &dyn Fn(&str, char) -> Option<String>) -> String {
    let one = |span: &Span| match span {
        Span::Text(text) => escape(text),
        Span::Code(text) => format!("<code>{}</code>", escape(text)),
        Span::Emphasis(text) => format!("<em>{}</em>", escape(text)),
        Span::Page(name, section) => {
            let text = escape(&plain(std::slice::from_ref(span)));
            match exists(name, *section) {
                Some(file) => format!("<a href=\"{file}\">{text}</a>"),
                None => text,
            }
        }
    };
    spans.iter().map(one).collect()
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    heading.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Escape the special characters of HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
