//! Manual pages in HTML: no script, one style sheet, and links only to existing pages.

use super::{
    Ready,
    markup::{Block, Span, plain},
};

/// Bytes of HTML from which a page has a list of its sections: about five screens.
const LONG: usize = 12_000;

pub fn page(page: &Ready, version: &str, exists: &dyn Fn(&str, char) -> Option<String>) -> String {
    let source = &page.source;
    let mut body = format!("<h1>{}<small>({})</small></h1>\n", escape(&source.name), source.section);
    body += &format!("<p class=\"summary\">{}</p>\n", escape(&source.summary));
    let text: String = page.body.iter().map(|block| one(block, exists)).collect();
    if text.len() >= LONG {
        body += &contents(&page.body);
    }
    body += &text;
    document(&source.title(), version, &body)
}

/// The list of a page's sections.
fn contents(body: &[Block]) -> String {
    let item = |block: &Block| match block {
        Block::Heading { level: 2, text } => {
            Some(format!("<li><a href=\"#{}\">{}</a></li>\n", anchor(text), escape(text)))
        }
        _ => None,
    };
    let items: String = body.iter().filter_map(item).collect();
    format!("<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n{items}</ul>\n</nav>\n")
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
pub fn anchor(heading: &str) -> String {
    heading.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Escape the special characters of HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_lead_to_the_sections_of_a_page() {
        let heading = |level, text: &str| Block::Heading { level, text: text.to_owned() };
        let body = [heading(2, "See also"), heading(3, "Deeper"), heading(2, "A <b>")];
        let list = contents(&body);
        assert!(
            list.contains("<li><a href=\"#see-also\">See also</a></li>\n<li><a href=\"#a--b-\">A &lt;b&gt;</a></li>"),
            "{list}"
        );
        assert!(!list.contains("Deeper"), "{list}");
        let page: String = body.iter().map(|block| one(block, &|_, _| None)).collect();
        assert!(page.contains("id=\"see-also\"") && page.contains("id=\"a--b-\""), "{page}");
    }
}
