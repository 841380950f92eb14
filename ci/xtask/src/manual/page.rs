//! A page: its head, and its body as blocks.
//!
//! ```text
//! # shmem_put(3)
//!
//! copy data into the memory of another PE
//!
//! - routines: shmem_TYPE_put, shmem_putSIZE
//! - topic: Remote memory access
//! - see: shmem_get(3), shmem_quiet(3)
//!
//! ## Description
//! ...
//! ```

use super::markup::{self, Block, Span};
use crate::{Result, repo};
use std::{fs, path::Path};

/// A page of the manual.
#[derive(Clone, Debug)]
pub struct Page {
    pub name: String,
    /// The section of the manual: 1, 3 or 7.
    pub section: char,
    pub summary: String,
    /// The families of routines that it describes.
    pub routines: Vec<String>,
    /// Other names of a command.
    pub aliases: Vec<String>,
    /// The topic in the index under which the page is listed.
    pub topic: String,
    pub see: Vec<Span>,
    pub body: Vec<Block>,
}

impl Page {
    pub fn parse(text: &str) -> Result<Page> {
        let (head, body) = text.split_at(text.find("\n## ").map_or(text.len(), |at| at + 1));
        let mut lines = head.lines();
        let title = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or("does not begin with `# name(3)`")?;
        let (name, section) = match &markup::spans(title)?[..] {
            [Span::Page(name, section)] => (name.clone(), *section),
            _ => return Err(format!("the title is `{title}`; expected one such as `name(3)`")),
        };
        let body = markup::parse(body)?;
        let mut page = Page {
            name,
            section,
            summary: String::new(),
            routines: Vec::new(),
            aliases: Vec::new(),
            topic: String::new(),
            see: Vec::new(),
            body,
        };
        for line in joined(lines) {
            page.fact(&line)?;
        }
        if page.summary.is_empty() || page.topic.is_empty() {
            return Err("the head of the page lacks a summary, or `- topic:`".to_owned());
        }
        Ok(page)
    }

    fn fact(&mut self, line: &str) -> Result {
        let words = |text: &str| text.split(", ").map(|word| word.trim().to_owned()).collect();
        match line.strip_prefix("- ").and_then(|fact| fact.split_once(": ")) {
            None => self.summary = line.to_owned(),
            Some(("routines", text)) => self.routines = words(text),
            Some(("aliases", text)) => self.aliases = words(text),
            Some(("topic", text)) => self.topic = text.to_owned(),
            Some(("see", text)) => self.see = markup::spans(text)?,
            Some((key, _)) => {
                return Err(format!("the head of the page has `{key}`; expected routines, aliases, topic or see"));
            }
        }
        Ok(())
    }

    /// The title: `shmem_put(3)`.
    pub fn title(&self) -> String {
        format!("{}({})", self.name, self.section)
    }

    /// The blocks of a section, with its heading.
    pub fn section_at(&self, heading: &str) -> Option<std::ops::Range<usize>> {
        let is_heading = |block: &Block| matches!(block, Block::Heading { level: 2, .. });
        let start =
            self.body.iter().position(|block| matches!(block, Block::Heading { level: 2, text } if text == heading))?;
        let len = self.body[start + 1..].iter().position(is_heading).unwrap_or(self.body.len() - start - 1);
        Some(start..start + 1 + len)
    }
}

/// Join continuation lines to the items that they belong to.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        match (line.strip_prefix("  "), out.last_mut()) {
            (Some(more), Some(last)) => *last += &format!(" {more}"),
            _ => out.push(line.to_owned()),
        }
    }
    out
}

/// All pages of a directory, sorted by section and name.
pub fn read_all(dir: &Path) -> Result<Vec<Page>> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut pages = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", dir.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".md").filter(|stem| stem.contains('.')) else { continue };
        let page = Page::parse(&repo::read(&path)?).map_err(|why| format!("{}: {why}", path.display()))?;
        if stem != format!("{}.{}", page.name, page.section) {
            return Err(format!(
                "{}: the title of the page is {}; expected the name of the file",
                path.display(),
                page.title()
            ));
        }
        pages.push(page);
    }
    pages.sort_by(|a, b| (a.section, &a.name).cmp(&(b.section, &b.name)));
    Ok(pages)
}
