//! The help of the installed programs: usage, options, settings. The pages are generated from it, so that they agree with `--help` and
//! `oshmem_info`.

use super::{
    markup::{Block, Span},
    synopsis::{code, said},
};
use crate::{Result, repo};
use std::{path::Path, process::Command};

/// The help of a program with all of its options, as blocks: its usage, and the rest.
pub fn help(bin: &Path, name: &str) -> Result<(Block, Vec<Block>)> {
    let option = if name == "oshrun" { "--help=all" } else { "--help" };
    let text = repo::output(Command::new(bin.join(name)).arg(option))?;
    understand(&text).map_err(|why| format!("{name} {option}: {why}"))
}

/// The environment variables, one term for each.
pub fn settings(bin: &Path) -> Result<Block> {
    let text = repo::output(Command::new(bin.join("oshmem_info")).arg("--parsable"))?;
    let terms = variables(&text);
    if terms.is_empty() { Err("oshmem_info --parsable prints no setting".to_owned()) } else { Ok(Block::Terms(terms)) }
}

/// A term and its text.
type Term = (Vec<Span>, Vec<Span>);

fn variables(text: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for line in text.lines() {
        let Some((name, fact)) = line.strip_prefix("setting:").and_then(|line| line.split_once(':')) else { continue };
        let known = terms.last().is_some_and(|(term, _)| *term == [Span::Code(name.to_owned())]);
        match (known, terms.last_mut(), fact.split_once(':')) {
            (true, Some((_, said_so_far)), Some((key, value))) => said_so_far.extend(sentence(key, value)),
            // The first line has the present value, which is left out.
            _ => terms.push((vec![Span::Code(name.to_owned())], Vec::new())),
        }
    }
    terms
}

fn sentence(key: &str, value: &str) -> Vec<Span> {
    let label = match key {
        "meaning" => return vec![said(&format!("{}{}.", value[..1].to_uppercase(), &value[1..]))],
        "accepts" => " Accepts ",
        "default" => " Default: ",
        "also" => " Other names: ",
        _ => return vec![said(&format!(" {key}: {value}."))],
    };
    vec![said(&format!("{label}{value}."))]
}

/// Split a help text into the usage and the rest: headings, options as terms, indented lines as code, text as paragraphs.
fn understand(text: &str) -> Result<(Block, Vec<Block>)> {
    let is_usage = |line: &&str| line.to_lowercase().starts_with("usage: ");
    let usage = text.lines().find(is_usage).ok_or("has no usage line")?;
    let usage = code("", format!("{}\n", &usage["usage: ".len()..]));
    let mut reader = Reader::default();
    text.lines().skip_while(|line| !is_usage(line)).skip(1).for_each(|line| reader.line(line));
    let mut blocks = reader.blocks;
    // Not every help has a heading above its options.
    let options = blocks.iter().position(|block| matches!(block, Block::Terms(_)));
    if let Some(at) = options.filter(|at| !blocks[..*at].iter().any(|block| matches!(block, Block::Heading { .. }))) {
        blocks.insert(at, Block::Heading { level: 2, text: "Options".to_owned() });
    }
    Ok((usage, blocks))
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    as_is: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        // Options are indented by 6 at most; a wrapped line of an option's text may begin with the name of another option. The text may
        // have several paragraphs.
        if indent > 6
            && !self.as_is
            && !text.is_empty()
            && let Some((_, spans)) = self.last_term()
        {
            return append(spans, text);
        }
        let last = self.blocks.last_mut();
        match (indent, last) {
            (_, last) if text.is_empty() => {
                if !matches!(last, None | Some(Block::Heading { .. })) {
                    self.as_is = false;
                    self.blocks.push(Block::Paragraph(Vec::new()));
                }
            }
            (0, _) if text.ends_with(':') && !text.contains(": ") => {
                self.as_is = text == "Examples:";
                self.drop_empty();
                self.blocks.push(Block::Heading { level: 2, text: text.trim_end_matches(':').to_owned() });
            }
            (0, Some(Block::Paragraph(spans))) if continues(spans, text) => append(spans, text),
            (0, _) => {
                self.drop_empty();
                self.blocks.push(Block::Paragraph(vec![said(text)]));
            }
            (_, Some(Block::Code { text: shown, .. })) if self.as_is => *shown += &format!("{text}\n"),
            _ if self.as_is => self.blocks.push(code("console", format!("{text}\n"))),
            _ => self.term(text),
        }
    }

    /// The last option, if nothing but an empty line follows it. Removes that line.
    fn last_term(&mut self) -> Option<&mut Term> {
        self.drop_empty();
        match self.blocks.last_mut() {
            Some(Block::Terms(terms)) => terms.last_mut(),
            _ => None,
        }
    }

    fn term(&mut self, text: &str) {
        let (term, meaning) = text.split_once("  ").unwrap_or((text, ""));
        let term = (vec![Span::Code(term.to_owned())], vec![said(meaning.trim())]);
        match self.blocks.last_mut() {
            Some(Block::Terms(terms)) => return terms.push(term),
            // An empty line between options.
            Some(Block::Paragraph(spans)) if spans.is_empty() => {
                self.blocks.pop();
                if let Some(Block::Terms(terms)) = self.blocks.last_mut() {
                    return terms.push(term);
                }
            }
            _ => {}
        }
        self.blocks.push(Block::Terms(vec![term]));
    }

    fn drop_empty(&mut self) {
        if matches!(self.blocks.last(), Some(Block::Paragraph(spans)) if spans.is_empty()) {
            self.blocks.pop();
        }
    }
}

/// True if a line continues a paragraph. After the end of a sentence, a capital letter begins a new paragraph.
fn continues(spans: &[Span], text: &str) -> bool {
    let said = super::markup::plain(spans);
    said.is_empty() || !(said.ends_with('.') && text.starts_with(|c: char| c.is_uppercase()))
}

fn append(spans: &mut Vec<Span>, text: &str) {
    match spans.last_mut() {
        Some(Span::Text(said)) if said.is_empty() => *said = text.to_owned(),
        Some(Span::Text(said)) => *said += &format!(" {text}"),
        _ => spans.push(said(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::markup::plain;

    const HELP: &str = "Do it\n\nUsage: do [OPTIONS] X\n\nOptions:\n  -n, --np <N>  How many, as\n                was said\n      \
                        --wd <D>\n          Where, without\n          --np too.\n          \n          More.\n\n  -x\n          \
                        Sets\n\nExamples:\n  do -n 2 x    two\n  do y\n\nExit code: that of\nthe first.\n\
                        Ctrl-C ends it.\n";

    #[test]
    fn help_becomes_terms_examples_and_text() {
        let (usage, blocks) = understand(HELP).unwrap();
        assert_eq!(usage, code("", "do [OPTIONS] X\n".to_owned()));
        let [heading, Block::Terms(terms), examples, shown, Block::Paragraph(exit), Block::Paragraph(end)] =
            &blocks[..]
        else {
            panic!("{blocks:#?}")
        };
        assert_eq!(*heading, Block::Heading { level: 2, text: "Options".to_owned() });
        assert_eq!(*examples, Block::Heading { level: 2, text: "Examples".to_owned() });
        let terms: Vec<_> = terms.iter().map(|(term, text)| format!("{} = {}", plain(term), plain(text))).collect();
        assert_eq!(
            terms,
            ["-n, --np <N> = How many, as was said", "--wd <D> = Where, without --np too. More.", "-x = Sets"]
        );
        assert_eq!(*shown, code("console", "do -n 2 x    two\ndo y\n".to_owned()));
        assert_eq!([plain(exit), plain(end)], ["Exit code: that of the first.", "Ctrl-C ends it."]);
    }

    #[test]
    fn options_get_a_heading() {
        let (_, blocks) = understand("usage: cc FILE\n\nDoes it.\n\n  -c    compiles\n\n  X=1   sets X\n").unwrap();
        let [text, heading, Block::Terms(terms)] = &blocks[..] else { panic!("{blocks:#?}") };
        assert_eq!(*text, Block::Paragraph(vec![said("Does it.")]));
        assert_eq!(*heading, Block::Heading { level: 2, text: "Options".to_owned() });
        assert_eq!(terms.len(), 2);
    }

    #[test]
    fn settings_become_terms() {
        let text =
            "path:prefix:/x\nsetting:A:1:2\nsetting:A:meaning:what it is\nsetting:A:accepts:a:b\nsetting:B:off\n";
        let terms = variables(text);
        let terms: Vec<_> = terms.iter().map(|(term, text)| format!("{} = {}", plain(term), plain(text))).collect();
        assert_eq!(terms, ["A = What it is. Accepts a:b.", "B = "]);
    }
}
