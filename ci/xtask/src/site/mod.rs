//! The site: one folder of files, for any web server or for a browser without one.
//!
//! Existing texts of the repository (the guide, the architecture, results of benchmarks, the changelog) are converted; the manual is copied
//! from an installation. The search is a script over an index that is itself a script, since browsers do not let a page from a local file
//! read other kinds of files.

mod frame;
mod markdown;
mod search;
#[cfg(test)]
mod tests;

use crate::{
    Result,
    package::{VERSION, tree},
    repo,
};
use frame::Frame;
use markdown::Page;
use search::Index;
use std::{
    collections::HashMap,
    fs,
    path::{self, Path, PathBuf},
};

/// Options of `site`.
#[derive(clap::Args)]
pub struct Options {
    /// Prefix of the installation whose manual is shown [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
    /// Directory of the packages to offer for download [default: target/packages, if it exists]
    #[arg(long)]
    packages: Option<PathBuf>,
    /// Directory for the site [default: target/site]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Pages that are made from one file each.
const SINGLE: [(&str, &str); 8] = [
    ("ci/xtask/src/site/pages/index.md", "index.html"),
    ("ci/xtask/src/site/pages/install.md", "install.html"),
    ("crates/ARCHITECTURE.md", "architecture.html"),
    ("CHANGELOG.md", "changes.html"),
    ("benches/METHOD.md", "benchmarks/method.html"),
    ("crates/transport/README.md", "transport.html"),
    ("ci/litmus/README.md", "litmus.html"),
    (".github/SECURITY.md", "security.html"),
];

/// Directories of Markdown files, and their places on the site.
const DIRECTORIES: [(&str, &str); 2] = [("crates/ferrite/guide/src", "guide"), ("benches/results", "benchmarks")];

/// The front page of the guide, whose list is the order of its chapters.
const GUIDE: &str = "guide/index.html";

/// Files that all pages use.
const ASSETS: [(&str, &str); 2] =
    [("style.css", include_str!("pages/style.css")), ("search.js", include_str!("pages/search.js"))];

pub fn run(options: &Options) -> Result {
    let target = repo::target_dir();
    let out = options.out.clone().unwrap_or_else(|| target.join("site"));
    let out = path::absolute(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let prefix = options.prefix.clone().unwrap_or_else(|| target.join("prefix"));
    let packages = options.packages.clone().unwrap_or_else(|| target.join("packages"));
    write(&out, Some(&prefix), &packages)?;
    let broken = broken_links(&out)?;
    if !broken.is_empty() {
        return Err(format!("links of the site that lead nowhere:\n{}", broken.join("\n")));
    }
    println!("the site: {}", out.join("index.html").display());
    Ok(())
}

/// Write the site; without the manual if no prefix is given.
fn write(out: &Path, prefix: Option<&Path>, packages: &Path) -> Result {
    if out.exists() {
        // A directory given by the user may contain other files.
        let is_site =
            out.join("search-index.js").exists() || fs::read_dir(out).is_ok_and(|mut all| all.next().is_none());
        match is_site {
            true => fs::remove_dir_all(out).map_err(|e| format!("removing {}: {e}", out.display()))?,
            false => return Err(format!("{} is there, and is no site: name another directory", out.display())),
        }
    }
    let mut index = Index::default();
    let downloads = downloads(out, packages)?;
    let pages = pages()?;
    let guide = pages.iter().find(|(_, to)| to == GUIDE).map_or_else(Vec::new, |(page, _)| page.chapters());
    for (page, to) in pages {
        let page = page.with("@VERSION@", VERSION).with("@DOWNLOADS@", &downloads);
        index.add(&page.title, &to, &page.text());
        let page = page.with_contents();
        let html = format!("{}{}", page.html, way_on(&guide, &to));
        repo::write(&out.join(&to), Frame::of(&to).page(&page.title, &html))?;
    }
    if let Some(prefix) = prefix {
        manual(out, prefix, &mut index)?;
    }
    for (name, text) in ASSETS {
        repo::write(&out.join(name), text)?;
    }
    repo::write(&out.join("search-index.js"), index.script())
}

/// The targets of the links, scripts and styles of a page.
fn links(html: &str) -> impl Iterator<Item = &str> {
    let of = |attribute| html.split(attribute).skip(1).filter_map(|rest: &str| rest.split('"').next());
    of("href=\"").chain(of("src=\""))
}

/// The pages of the site.
fn pages_of(site: &Path) -> Result<Vec<PathBuf>> {
    let all = tree::files(site)?.into_iter();
    Ok(all.filter(|path| path.extension().is_some_and(|end| end == "html")).collect())
}

/// The links within the site that lead to no file, or to no place in it.
fn broken_links(site: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    let mut texts = HashMap::<PathBuf, Option<String>>::new();
    for page in pages_of(site)? {
        let text = repo::read(&site.join(&page))?;
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { site.join(&page) } else { site.join(&page).with_file_name("").join(file) };
            let there = texts.entry(target).or_insert_with_key(|target| {
                fs::read(target).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            });
            let leads = |text: &String| place.is_empty() || text.contains(&format!("id=\"{place}\""));
            if !there.as_ref().is_some_and(leads) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    Ok(broken)
}

/// Links from a chapter of the guide to its neighbours, and from the guide's front page to the first chapter.
fn way_on(chapters: &[(String, String)], to: &str) -> String {
    let Some(file) = to.strip_prefix("guide/") else { return String::new() };
    let link = |nth: usize, class: &str, sign: &str| {
        chapters.get(nth).map_or_else(String::new, |(to, title)| {
            format!("<a class=\"{class}\" rel=\"{class}\" href=\"{to}\">{sign}{title}</a>\n")
        })
    };
    let (back, on) = match chapters.iter().position(|(chapter, _)| chapter == file) {
        Some(0) => (
            "<a class=\"prev\" rel=\"prev\" href=\"index.html\">Contents: the guide</a>\n".to_owned(),
            link(1, "next", "Next: "),
        ),
        Some(at) => (link(at - 1, "prev", "Back: "), link(at + 1, "next", "Next: ")),
        None => (String::new(), link(0, "next", "Next: ")),
    };
    format!("<nav class=\"way\" aria-label=\"Chapters\">\n{back}{on}</nav>\n")
}

/// All pages that are written in Markdown, with their places on the site.
fn pages() -> Result<Vec<(Page, String)>> {
    let mut all = Vec::new();
    for (file, to) in SINGLE {
        all.push((Page::read(&repo::root().join(file))?, to.to_owned()));
    }
    for (from, to) in DIRECTORIES {
        for name in tree::files(&repo::root().join(from))? {
            // The summary or the README of a directory becomes its front page.
            let page = match name.to_string_lossy().strip_suffix(".md") {
                Some("SUMMARY" | "README") => "index.html".to_owned(),
                Some(stem) => format!("{stem}.html"),
                None => continue,
            };
            all.push((Page::read(&repo::root().join(from).join(&name))?, format!("{to}/{page}")));
        }
    }
    Ok(all)
}

/// Copy the installed manual, and add links back to the site.
fn manual(out: &Path, prefix: &Path, index: &mut Index) -> Result {
    let from = prefix.join("share/doc/ferrite/html");
    if !from.join("index.html").exists() {
        return Err(format!(
            "{} has no manual: run `cargo xtask dist`, or give an installation with --prefix",
            prefix.display()
        ));
    }
    for name in tree::files(&from)? {
        let to = Path::new("manual").join(&name);
        if name.extension().is_none_or(|end| end != "html") {
            tree::copy(&from.join(&name), &out.join(&to))?;
            continue;
        }
        let html = repo::read(&from.join(&name))?;
        let title = html
            .split_once("<title>")
            .and_then(|(_, rest)| rest.split_once(" - Ferrite</title>"))
            .map(|(title, _)| title);
        let body = html.split_once("<main>").map_or("", |(_, body)| body);
        index.add(title.unwrap_or("Manual"), &to.to_string_lossy(), &markdown::text_of(body));
        let html = html.replacen("<nav>", "<nav><a href=\"../index.html\">Site</a> ", 1);
        repo::write(&out.join(&to), html)?;
    }
    Ok(())
}

/// Copy the packages, and return a list of links to them.
fn downloads(out: &Path, packages: &Path) -> Result<String> {
    let mut list = String::new();
    for name in tree::files(packages).unwrap_or_default() {
        let size = fs::metadata(packages.join(&name)).map_or(0, |meta| meta.len());
        tree::copy(&packages.join(&name), &out.join("download").join(&name))?;
        let name = name.display();
        list += &format!("<li><a href=\"download/{name}\">{name}</a> ({:.1} MB)</li>\n", size as f64 / 1e6);
    }
    Ok(if list.is_empty() {
        String::new()
    } else {
        format!("<h2 id=\"downloads\">Downloads</h2>\n<ul>\n{list}</ul>\n")
    })
}
