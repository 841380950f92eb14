//! Manual pages in roff, for `man`.

use super::{
    Ready,
    markup::{Block, Span},
};

pub fn page(page: &Ready, version: &str) -> String {
    let source = &page.source;
    let mut text = format!(
        ".TH {} {} \"\" \"Ferrite {version}\" \"OpenSHMEM 1.6\"\n",
        quoted(&source.name.to_uppercase()),
        source.section
    );
    // Left-aligned and without hyphenation: most words are names.
    text += ".ad l\n.nh\n.SH NAME\n";
    let names: Vec<String> = page.heads.iter().map(|name| escape(name)).collect();
    text += &format!("{} \\- {}\n", names.join(", "), escape(&source.summary));
    text + &blocks(&page.body)
}

fn blocks(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        // A heading begins a paragraph anyway.
        if matches!(block, Block::Paragraph(_) | Block::Code { .. }) && !after_heading(&text) {
            text += ".PP\n";
        }
        text += &one(block);
    }
    text
}

fn after_heading(text: &str) -> bool {
    text.lines().next_back().is_some_and(|line| line.starts_with(".SH ") || line.starts_with(".SS "))
}

fn one(block: &Block) -> String {
    match block {
        Block::Heading { level: 2, text } => format!(".SH {}\n", quoted(&text.to_uppercase())),
        Block::Heading { text, .. } => format!(".SS {}\n", quoted(text)),
        Block::Paragraph(spans) => format!("{}\n", line(spans)),
        Block::List(items) => items.iter().map(|item| format!(".IP \\(bu 2\n{}\n", line(item))).collect(),
        Block::Terms(terms) => {
            terms.iter().map(|(term, text)| format!(".TP\n{}\n{}\n", line(term), line(text))).collect()
        }
        Block::Table(rows) => rows[1..].iter().map(|[k, v]| format!(".TP\n{}\n{}\n", line(k), line(v))).collect(),
        Block::Code { text, .. } => {
            let lines: Vec<String> = text.lines().map(|line| protected(&escape(line))).collect();
            format!(".RS 4\n.nf\n{}\n.fi\n.RE\n", lines.join("\n"))
        }
        Block::Place(what) => unreachable!("the place of {what} was filled"),
    }
}

fn line(spans: &[Span]) -> String {
    let one = |span: &Span| match span {
        Span::Text(text) => escape(text),
        Span::Code(text) => format!("\\fB{}\\fR", escape(text)),
        Span::Emphasis(text) => format!("\\fI{}\\fR", escape(text)),
        Span::Page(name, section) => format!("\\fB{}\\fR({section})", escape(name)),
    };
    protected(&spans.iter().map(one).collect::<String>())
}

/// Escape the special characters of roff.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out += "\\e",
            '-' => out += "\\-",
            '\'' => out += "\\(aq",
            '`' => out += "\\(ga",
            '^' => out += "\\(ha",
            '~' => out += "\\(ti",
            c => out.push(c),
        }
    }
    out
}

/// Protect a line that begins with a dot, which would be a request.
fn protected(line: &str) -> String {
    if line.starts_with('.') { format!("\\&{line}") } else { line.to_owned() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('"', "\\(dq"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::markup;

    #[test]
    fn roff_sees_no_request_in_text() {
        let source = markup::parse("## A\n\n.so x\n\n```c\n.x \"\\n\" 'a' -1\n```\n").unwrap();
        assert_eq!(
            blocks(&source),
            ".SH \"A\"\n\\&.so x\n.PP\n.RS 4\n.nf\n\\&.x \"\\en\" \\(aqa\\(aq \\-1\n.fi\n.RE\n"
        );
    }
}
