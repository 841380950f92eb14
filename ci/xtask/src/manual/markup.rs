//! The markup of the manual's sources: the part of Markdown that a manual page can show.
//!
//! It has headings, paragraphs, lists, tables of two columns, fenced code, `code`, *emphasis*, and references to pages, as in
//! `shmem_put(3)`. A list item that begins with code and a colon explains that word. A line `<!-- word -->` is a placeholder for generated
//! text.

use crate::Result;

/// A piece of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading: of a section, or (`level` 3) of a subsection.
    Heading { level: usize, text: String },
    /// A paragraph of running text.
    Paragraph(Vec<Span>),
    /// A list of items.
    List(Vec<Vec<Span>>),
    /// Words and their explanations.
    Terms(Vec<(Vec<Span>, Vec<Span>)>),
    /// A table of two columns; the first row is its head.
    Table(Vec<[Vec<Span>; 2]>),
    /// Verbatim lines, with the word after the fence.
    Code { lang: String, text: String },
    /// A placeholder for generated text.
    Place(String),
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    Text(String),
    Code(String),
    Emphasis(String),
    /// Another page: its name and section.
    Page(String, char),
}

/// Parse a text into blocks.
pub fn parse(text: &str) -> Result<Vec<Block>> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut blocks, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let line = lines[at];
        let (block, taken) = match line {
            "" => {
                at += 1;
                continue;
            }
            _ if line.starts_with("```") => code(&lines[at..])?,
            _ if line.starts_with('#') => (heading(line), 1),
            _ if line.starts_with("<!-- ") => (Block::Place(line[5..].trim_end_matches("-->").trim().to_owned()), 1),
            _ if line.starts_with("- ") => list(&lines[at..])?,
            _ if line.starts_with('|') => table(&lines[at..])?,
            _ => paragraph(&lines[at..])?,
        };
        blocks.push(block);
        at += taken;
    }
    Ok(blocks)
}

fn heading(line: &str) -> Block {
    let text = line.trim_start_matches('#');
    Block::Heading { level: line.len() - text.len(), text: text.trim().to_owned() }
}

fn code(lines: &[&str]) -> Result<(Block, usize)> {
    let inside = lines[1..].iter().position(|line| *line == "```").ok_or("a fence is not closed")?;
    let text = lines[1..=inside].iter().map(|line| format!("{line}\n")).collect();
    Ok((Block::Code { lang: lines[0][3..].to_owned(), text }, inside + 2))
}

fn paragraph(lines: &[&str]) -> Result<(Block, usize)> {
    let ends = |line: &&str| line.is_empty() || line.starts_with("```") || line.starts_with("- ");
    let taken = lines.iter().position(ends).unwrap_or(lines.len());
    Ok((Block::Paragraph(spans(&lines[..taken].join(" "))?), taken))
}

fn list(lines: &[&str]) -> Result<(Block, usize)> {
    let mut items: Vec<String> = Vec::new();
    let mut taken = 0;
    for line in lines {
        match (line.strip_prefix("- "), line.strip_prefix("  "), items.last_mut()) {
            (Some(item), _, _) => items.push(item.to_owned()),
            (None, Some(more), Some(item)) => *item += &format!(" {more}"),
            _ => break,
        }
        taken += 1;
    }
    let items: Vec<Vec<Span>> = items.iter().map(|item| spans(item)).collect::<Result<_>>()?;
    let terms: Option<Vec<_>> = items.iter().map(|item| term(item)).collect();
    Ok((terms.map_or(Block::List(items), Block::Terms), taken))
}

/// Split an item that explains a word: the code before the colon, and the explanation after it.
fn term(item: &[Span]) -> Option<(Vec<Span>, Vec<Span>)> {
    let colon = item.iter().position(|span| matches!(span, Span::Text(text) if text.starts_with(": ")))?;
    let separates = |span: &Span| matches!(span, Span::Code(_)) || *span == Span::Text(", ".to_owned());
    if colon == 0 || !item[..colon].iter().all(separates) {
        return None;
    }
    let Span::Text(text) = &item[colon] else { return None };
    let rest = std::iter::once(Span::Text(text[2..].to_owned())).chain(item[colon + 1..].iter().cloned());
    Some((item[..colon].to_vec(), rest.collect()))
}

fn table(lines: &[&str]) -> Result<(Block, usize)> {
    let taken = lines.iter().position(|line| !line.starts_with('|')).unwrap_or(lines.len());
    let row = |line: &&str| -> Result<[Vec<Span>; 2]> {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [left, right] = cells[..] else { return Err(format!("a row of a table must have two cells: {line}")) };
        Ok([spans(left)?, spans(right)?])
    };
    let rows = lines[..taken].iter().filter(|line| !line.starts_with("|--")).map(row).collect::<Result<_>>()?;
    Ok((Block::Table(rows), taken))
}

pub fn spans(text: &str) -> Result<Vec<Span>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*']) {
        references(&rest[..at], &mut out);
        let mark = &rest[at..=at];
        let inside = &rest[at + 1..];
        let end = inside.find(mark).ok_or_else(|| format!("a {mark} is not closed: {text}"))?;
        let piece = inside[..end].to_owned();
        out.push(if mark == "`" { Span::Code(piece) } else { Span::Emphasis(piece) });
        rest = &inside[end + 1..];
    }
    references(rest, &mut out);
    Ok(out)
}

/// Append text, in which `name(3)` is a reference to a page.
fn references(text: &str, out: &mut Vec<Span>) {
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('(').map(|at| from + at) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_+".contains(c);
        let start = rest[..open].rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
        let section = rest[open + 1..].chars().next().filter(|c| "137".contains(*c));
        match section {
            Some(section) if start < open && rest[open + 2..].starts_with(')') => {
                if start > 0 {
                    out.push(Span::Text(rest[..start].to_owned()));
                }
                out.push(Span::Page(rest[start..open].to_owned(), section));
                (rest, from) = (&rest[open + 3..], 0);
            }
            _ => from = open + 1,
        }
    }
    if !rest.is_empty() {
        out.push(Span::Text(rest.to_owned()));
    }
}

/// The text without markup.
pub fn plain(spans: &[Span]) -> String {
    let one = |span: &Span| match span {
        Span::Text(text) | Span::Code(text) | Span::Emphasis(text) => text.clone(),
        Span::Page(name, section) => format!("{name}({section})"),
    };
    spans.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Span {
        Span::Text(of.to_owned())
    }

    fn code(of: &str) -> Span {
        Span::Code(of.to_owned())
    }

    #[test]
    fn running_text_has_code_emphasis_and_pages() {
        let page = Span::Page("shmem_put".to_owned(), '3');
        let found = spans("a `b` (see shmem_put(3), f(x)) *c*.").unwrap();
        let expected =
            [text("a "), code("b"), text(" (see "), page, text(", f(x)) "), Span::Emphasis("c".to_owned()), text(".")];
        assert_eq!(found, expected);
        assert!(spans("a `b").is_err() && spans("a *b").is_err());
        assert_eq!(plain(&found), "a b (see shmem_put(3), f(x)) c.");
    }

    #[test]
    fn every_kind_of_block_is_read() {
        let source = "## H\n\ntext\nmore\n\n- a\n  b\n- c\n\n- `x`, `y`: z\n\n| k | v |\n|---|---|\n| `a` | b |\n\n\
                      ```c\n  int;\n\n```\n<!-- names -->\n";
        let expected = [
            Block::Heading { level: 2, text: "H".to_owned() },
            Block::Paragraph(vec![text("text more")]),
            Block::List(vec![vec![text("a b")], vec![text("c")]]),
            Block::Terms(vec![(vec![code("x"), text(", "), code("y")], vec![text("z")])]),
            Block::Table(vec![[vec![text("k")], vec![text("v")]], [vec![code("a")], vec![text("b")]]]),
            Block::Code { lang: "c".to_owned(), text: "  int;\n\n".to_owned() },
            Block::Place("names".to_owned()),
        ];
        assert_eq!(parse(source).unwrap(), expected);
        assert!(parse("```c\nint;\n").is_err());
        assert!(parse("| a | b | c |\n").is_err());
    }
}
