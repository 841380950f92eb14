//! The manual: a page for each family of routines and each command, for `man` and for browsers.
//!
//! The text of a page is written by hand, in `crates/capi/manual`. Synopses, types and lists of names come from the tables, options and
//! settings from the installed programs, and examples from files that a test compiles and runs. The generated files are not committed.

mod catalogue;
mod commands;
mod fortran;
pub mod html;
mod index;
mod markup;
#[cfg(test)]
mod messages;
mod page;
mod roff;
mod synopsis;

use crate::{Result, inventory::Inventory, repo};
use catalogue::Catalogue;
use ferrite_abi::Status;
use markup::{Block, Span, plain};
use page::Page;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use synopsis::enumerated;

/// Options of `manual`.
#[derive(clap::Args)]
pub struct Options {
    /// Prefix of the installed programs, where the manual is written too [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
}

/// A complete page: all placeholders are filled.
pub struct Ready {
    source: Page,
    heads: Vec<String>,
    body: Vec<Block>,
}

/// Write the manual into an installation.
pub fn run(options: &Options) -> Result {
    let prefix = options.prefix.clone().unwrap_or_else(|| repo::target_dir().join("prefix"));
    let mut inventory = Inventory::open(&prefix)?;
    ["bin", "include", "lib", "libexec", "share/ferrite/oshbench"].into_iter().for_each(|rest| inventory.keep(rest));
    write(&mut inventory)?;
    inventory.finish()
}

/// The directory of the sources.
fn sources() -> PathBuf {
    repo::root().join("crates/capi/manual")
}

/// The directories of the pages for `man`, the pages for browsers, and the examples.
const MAN: &str = "share/man";
const HTML: &str = "share/doc/ferrite/html";
const EXAMPLES: &str = "share/doc/ferrite/examples";

/// Write the manual below a prefix in which the programs are already installed.
pub fn write(inventory: &mut Inventory) -> Result {
    let (pages, catalogue) = (page::read_all(&sources())?, Catalogue::read());
    let index = catalogue.index(&pages)?;
    let arguments = arguments()?;
    let maker =
        Maker { catalogue: &catalogue, pages: &pages, arguments: &arguments, bin: inventory.prefix().join("bin") };
    let ready: Vec<Ready> = pages
        .iter()
        .map(|page| maker.make(page).map_err(|e| format!("{}: {e}", page.title())))
        .collect::<Result<_>>()?;
    let of: BTreeMap<(char, String), &Ready> = index
        .iter()
        .filter_map(|(name, page)| Some((name.clone(), ready.iter().find(|one| one.source.title() == page.title())?)))
        .collect();
    write_man(inventory, &of)?;
    write_html(inventory, &ready, &of)?;
    copy_examples(inventory, &pages)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn write_man(inventory: &mut Inventory, of: &BTreeMap<(char, String), &Ready>) -> Result {
    for ((section, name), page) in of {
        let source = &page.source;
        let text = if *name == source.name {
            roff::page(page, VERSION)
        } else {
            format!(".so man{section}/{}.{section}\n", source.name)
        };
        inventory.write(format!("{MAN}/man{section}/{name}.{section}"), text)?;
    }
    Ok(())
}

fn write_html(inventory: &mut Inventory, ready: &[Ready], of: &BTreeMap<(char, String), &Ready>) -> Result {
    let exists = |name: &str, section: char| {
        let page = of.get(&(section, name.to_owned()))?;
        Some(index::file(&page.source.name, section))
    };
    for page in ready {
        let file = index::file(&page.source.name, page.source.section);
        inventory.write(format!("{HTML}/{file}"), html::page(page, VERSION, &exists))?;
    }
    inventory.write(format!("{HTML}/index.html"), index::index(ready, VERSION))?;
    inventory.write(format!("{HTML}/names.html"), index::names(of, VERSION))?;
    inventory.write(format!("{HTML}/style.css"), include_str!("style.css"))
}

/// Copy the examples, each with the command that its page shows, because many require a certain number of PEs.
fn copy_examples(inventory: &mut Inventory, pages: &[Page]) -> Result {
    for transcript in pages.iter().filter(|page| page.section == '3').flat_map(|page| transcripts(&page.body)) {
        let file = example(transcript)?;
        let command = transcript.lines().skip(1).find_map(|line| line.strip_prefix("$ "));
        let command = command.ok_or_else(|| format!("no page shows how to run {file}"))?;
        let comment = if file.ends_with(".f90") { format!("! {command}\n") } else { format!("/* {command} */\n") };
        inventory.write(Path::new(EXAMPLES).join(file), comment + &example_text(file)?)?;
    }
    Ok(())
}

/// The default explanation of each argument name; a page may override it.
type Arguments = BTreeMap<String, Vec<Span>>;

fn arguments() -> Result<Arguments> {
    let blocks = markup::parse(&repo::read(&sources().join("arguments.md"))?)?;
    let lists = blocks.into_iter().filter_map(|block| if let Block::Terms(terms) = block { Some(terms) } else { None });
    Ok(lists.flatten().map(|(term, text)| (plain(&term), text)).collect())
}

struct Maker<'m> {
    catalogue: &'m Catalogue,
    pages: &'m [Page],
    arguments: &'m Arguments,
    bin: PathBuf,
}

impl Maker<'_> {
    fn make(&self, page: &Page) -> Result<Ready> {
        if !index::TOPICS.contains(&page.topic.as_str()) {
            return Err(format!("the topic is `{}`; expected one of {}", page.topic, index::TOPICS.join("; ")));
        }
        let own = self.own_arguments(page)?;
        let mut body = self.synopsis(page)?;
        let mut blocks = page.body.clone();
        if let Some(range) = page.section_at("Arguments") {
            blocks.drain(range);
        }
        for (at, block) in blocks.into_iter().enumerate() {
            let heading = matches!(&block, Block::Heading { level: 2, text } if text != "Description");
            if heading && at > 0 && !has_heading(&body, "Arguments") && !own.is_empty() {
                body.push(title("Arguments"));
                body.push(Block::Terms(own.clone()));
            }
            match block {
                Block::Place(what) => body.extend(self.fill(page, &what)?),
                Block::Code { lang, text } if lang == "console" && page.section == '3' => {
                    body.push(source_of(&text)?);
                    body.push(Block::Code { lang, text });
                }
                other => body.push(other),
            }
        }
        self.check_references(page, &body)?;
        if !page.see.is_empty() {
            body.extend([title("See also"), Block::Paragraph(page.see.clone())]);
        }
        let others = page.routines.iter().chain(&page.aliases).filter(|name| **name != page.name);
        let heads = [&page.name].into_iter().chain(others).cloned().collect();
        Ok(Ready { source: page.clone(), heads, body })
    }

    fn synopsis(&self, page: &Page) -> Result<Vec<Block>> {
        Ok(match page.section {
            '3' => [vec![title("Synopsis")], synopsis::of(self.catalogue, page)].concat(),
            '1' => vec![title("Synopsis"), commands::help(&self.bin, &page.name)?.0],
            _ => Vec::new(),
        })
    }

    /// Every argument of the page's routines, with the page's own explanation or the default one.
    fn own_arguments(&self, page: &Page) -> Result<Vec<(Vec<Span>, Vec<Span>)>> {
        let written: Arguments = match page.section_at("Arguments") {
            None => Arguments::new(),
            Some(range) => page.body[range]
                .iter()
                .flat_map(|block| if let Block::Terms(terms) = block { terms.as_slice() } else { &[] })
                .map(|(term, text)| (plain(term), text.clone()))
                .collect(),
        };
        let rows = self.catalogue.rows_of(page);
        let twin = rows.iter().any(|row| row.context == ferrite_abi::Context::Twin).then_some("ctx");
        let in_c = rows.iter().flat_map(|row| row.args.iter().map(|arg| arg.name));
        let mut names: Vec<&str> = twin.into_iter().chain(in_c).collect();
        let fortran = self.catalogue.procedures_of(page);
        names.extend(fortran.iter().flat_map(|procedure| procedure.args.iter().map(|(name, _)| *name)));
        let mut terms: Vec<(Vec<Span>, Vec<Span>)> = Vec::new();
        for name in names {
            if terms.iter().any(|(term, _)| plain(term).eq_ignore_ascii_case(name)) {
                continue;
            }
            let text = written.get(name).or_else(|| self.arguments.get(name));
            let text = text.ok_or_else(|| format!("the argument {name} is not explained"))?;
            terms.push((vec![Span::Code(name.to_owned())], text.clone()));
        }
        match written.keys().find(|name| !terms.iter().any(|(term, _)| plain(term) == **name)) {
            Some(name) => Err(format!("explains {name}, which is not an argument of a routine of the page")),
            None => Ok(terms),
        }
    }

    /// The generated text for a placeholder.
    fn fill(&self, page: &Page, what: &str) -> Result<Vec<Block>> {
        match what.split_once(' ').unwrap_or((what, "")) {
            ("help", "") => Ok(commands::help(&self.bin, &page.name)?.1),
            ("environment", "") => Ok(vec![commands::settings(&self.bin)?]),
            ("names", vendor) => Ok(vec![self.vendors_names(vendor)?]),
            _ => Err(format!("unknown place `{what}`; expected help, environment or names VENDOR")),
        }
    }

    /// The families of a vendor, by the pages that describe them.
    fn vendors_names(&self, vendor: &str) -> Result<Block> {
        let of_vendor = |page: &Page| {
            let rows = self.catalogue.rows_of(page).into_iter();
            let mut families: Vec<String> = rows
                .filter(|row| matches!(row.facts.status, Status::Vendor(whose) if whose == vendor))
                .map(|row| row.family())
                .collect();
            families.dedup();
            families
        };
        let terms: Vec<_> = self
            .pages
            .iter()
            .map(|page| (page, of_vendor(page)))
            .filter(|(_, families)| !families.is_empty())
            .map(|(page, families)| {
                (vec![Span::Page(page.name.clone(), page.section)], enumerated(families.iter().map(String::as_str)))
            })
            .collect();
        if terms.is_empty() { Err(format!("the tables have no routine of {vendor}")) } else { Ok(Block::Terms(terms)) }
    }

    fn check_references(&self, page: &Page, body: &[Block]) -> Result {
        let mut spans: Vec<&Span> = page.see.iter().collect();
        for block in body {
            match block {
                Block::Paragraph(text) => spans.extend(text),
                Block::List(items) => spans.extend(items.iter().flatten()),
                Block::Terms(terms) => spans.extend(terms.iter().flat_map(|(term, text)| term.iter().chain(text))),
                Block::Table(rows) => spans.extend(rows.iter().flatten().flatten()),
                _ => {}
            }
        }
        for span in spans {
            let Span::Page(name, section) = span else { continue };
            if !self.pages.iter().any(|page| page.section == *section && self.catalogue.names_of(page).contains(name)) {
                return Err(format!("refers to {name}({section}), which does not exist"));
            }
        }
        Ok(())
    }
}

fn title(text: &str) -> Block {
    Block::Heading { level: 2, text: text.to_owned() }
}

fn has_heading(blocks: &[Block], heading: &str) -> bool {
    blocks.iter().any(|block| matches!(block, Block::Heading { level: 2, text } if text == heading))
}

/// The transcripts of a page's examples: the commands that compile and run them, and their output.
fn transcripts(body: &[Block]) -> impl Iterator<Item = &str> {
    body.iter().filter_map(|block| match block {
        Block::Code { lang, text } if lang == "console" => Some(text.as_str()),
        _ => None,
    })
}

/// The file that the first command of a transcript compiles.
fn example(transcript: &str) -> Result<&str> {
    let ends = [".c", ".cpp", ".f90"];
    let command = transcript.lines().next().unwrap_or_default();
    let file = command.split_whitespace().find(|word| ends.iter().any(|end| word.ends_with(end)));
    file.ok_or_else(|| format!("the first line of an example must compile a file: {command}"))
}

fn example_text(file: &str) -> Result<String> {
    repo::read(&sources().join("examples").join(file))
}

/// An example, as its page shows it.
fn source_of(transcript: &str) -> Result<Block> {
    let file = example(transcript)?;
    let lang = if file.ends_with(".f90") { "fortran" } else { "c" };
    Ok(Block::Code { lang: lang.to_owned(), text: example_text(file)? })
}

#[cfg(test)]
mod tests;
