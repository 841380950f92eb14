//! The public APIs of the crates that are for others, as lists in the repository: a change of an API shows up as a change of its list.
//!
//! The list is read from the pages of rustdoc, which contain signatures and the auto traits of types. So it does not depend on rustdoc's
//! JSON, which requires an unstable compiler.

use crate::{Result, repo};
use std::{collections::HashMap, path::Path};

/// Options of `api`.
#[derive(clap::Args)]
pub struct Options {
    /// Write the lists instead of comparing them
    #[arg(long)]
    write: bool,
}

/// The packages, the directories of their pages, and their lists.
const LISTS: [(&str, &str, &str); 2] = [
    ("ferrite-shmem", "doc/ferrite", "crates/ferrite/api.txt"),
    ("ferrite-transport", "doc/ferrite_transport", "crates/transport/api.txt"),
];

/// Compare the APIs with their lists, or write the lists.
pub fn run(options: &Options) -> Result {
    let mut doc = repo::cargo();
    doc.current_dir(repo::root()).args(["doc", "--quiet", "--no-deps"]);
    repo::run(doc.args(LISTS.iter().flat_map(|(package, ..)| ["--package", package])))?;
    let mut wrong = Vec::new();
    for (package, pages, list) in LISTS {
        let found = listing(&repo::target_dir().join(pages))?;
        let path = repo::root().join(list);
        if options.write {
            repo::write(&path, found)?;
            continue;
        }
        let kept = repo::read(&path)?;
        let differences = [lines_only_in(&kept, &found, '-'), lines_only_in(&found, &kept, '+')].concat();
        if !differences.is_empty() {
            wrong.push(format!("{list} differs from the public items of {package}:\n{}", differences.join("\n")));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nif the change is intended, run `cargo xtask api --write`; a line that is removed is a breaking change, which needs a new minor \
         version before 1.0",
        wrong.join("\n")
    ))
}

/// The lines of a list that the other list lacks, or has less often. A declaration counts with its item: many items have the same method.
fn lines_only_in(text: &str, other: &str, mark: char) -> Vec<String> {
    let mut there = HashMap::<String, usize>::new();
    lines_with_items(other).for_each(|line| *there.entry(line).or_default() += 1);
    let is_missing = |line: &String| match there.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    lines_with_items(text).filter(is_missing).map(|line| format!("{mark} {line}")).collect()
}

fn lines_with_items(list: &str) -> impl Iterator<Item = String> {
    list.lines().scan("", |item, line| {
        let declaration = line.strip_prefix("    ");
        if declaration.is_none() {
            *item = line;
        }
        Some(declaration.map_or_else(|| line.to_owned(), |declaration| format!("{item}: {declaration}")))
    })
}

/// Every item with the declarations on its page, sorted.
fn listing(pages: &Path) -> Result<String> {
    // The folder is not listed, because pages of removed items stay there.
    let index = repo::read(&pages.join("all.html"))?;
    let links = index.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let is_item = |name: &&str| {
        ["struct", "enum", "trait", "fn", "type", "constant", "static", "macro", "attr"].contains(&kind(name))
    };
    let mut names: Vec<&str> = links.filter(is_item).collect();
    names.sort();
    let mut list = String::new();
    for name in names {
        let page = page(&repo::read(&pages.join(name))?);
        if page.is_empty() {
            return Err(format!("{name}: this page of rustdoc has none of the marks that its items are found by"));
        }
        list += &format!("{}\n", name.trim_end_matches(".html"));
        page.iter().for_each(|line| list += &format!("    {line}\n"));
    }
    Ok(list)
}

/// The kind of a page's item: the first word of its file name.
fn kind(name: &str) -> &str {
    name.split('.').next().unwrap_or("")
}

/// The declarations on a page. Methods and traits that come from other items are listed on those items' pages.
fn page(html: &str) -> Vec<String> {
    let (own, rest) = html.split_once("id=\"deref-methods").unwrap_or((html, ""));
    let traits = rest.split_once("id=\"trait-implementations\"").map_or("", |(_, traits)| traits);
    let whole = format!("{own}{traits}");
    let own = whole.split("id=\"blanket-implementations\"").next().unwrap_or("");
    let (told, automatic) = own.split_once("id=\"synthetic-implementations\"").unwrap_or((own, ""));
    let mut lines = declarations(told);
    // Of the auto traits, keep those that users rely on.
    let threads = |line: &String| ["Send for", "Sync for"].iter().any(|name| line.contains(name));
    lines.extend(declarations(automatic).into_iter().filter(threads));
    lines
}

fn declarations(html: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = html;
    let marks = [("class=\"rust item-decl\">", "</pre>"), ("class=\"code-header\">", "</h")];
    while let Some((at, mark, end)) =
        marks.iter().filter_map(|(mark, end)| rest.find(mark).map(|at| (at, mark, end))).min_by_key(|found| found.0)
    {
        let after = &rest[at + mark.len()..];
        let (inner, beyond) = after.split_once(end).unwrap_or((after, ""));
        lines.push(text(inner));
        rest = beyond;
    }
    lines
}

/// The visible text, in one line.
fn text(html: &str) -> String {
    let mut seen = String::new();
    let mut in_tag = false;
    for character in html.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if !in_tag => seen.push(character),
            _ => {}
        }
    }
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    let plain = marks.iter().fold(seen, |text, (mark, meant)| text.replace(mark, meant));
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_missed_though_another_item_has_it() {
        let kept = "struct.A\n    fn size()\n    fn eq()\n    fn eq()\nstruct.B\n    fn size()\n";
        let found = "struct.A\n    fn size()\n    fn eq()\nstruct.B\nfn.size\n";
        assert_eq!(lines_only_in(kept, found, '-'), ["- struct.A: fn eq()", "- struct.B: fn size()"]);
        assert_eq!(lines_only_in(found, kept, '+'), ["+ fn.size"]);
        assert_eq!(lines_only_in(kept, kept, '-'), [""; 0]);
    }

    #[test]
    fn declarations_are_found_and_what_others_bring_is_not() {
        let header = |text: &str| format!("<section><h4 class=\"code-header\">{text}</h4></section>");
        let html = [
            "<pre class=\"rust item-decl\"><code>pub struct <a href=\"x\">A</a>&lt;T&gt;;</code></pre>",
            &header("pub fn <a>own</a>(&amp;self) -&gt; T"),
            "<h2 id=\"deref-methods-B\">",
            &header("pub fn of_b()"),
            "<h2 id=\"trait-implementations\">",
            &header("impl Drop for A"),
            "<h2 id=\"synthetic-implementations\">",
            &header("impl !Sync for A"),
            &header("impl Unpin for A"),
            "<h2 id=\"blanket-implementations\">",
            &header("impl&lt;T&gt; Any for T"),
        ];
        let expected = ["pub struct A<T>;", "pub fn own(&self) -> T", "impl Drop for A", "impl !Sync for A"];
        assert_eq!(page(&html.concat()), expected);
    }
}
