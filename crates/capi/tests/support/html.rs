//! Just enough of an HTML parser to check that a page is well formed by the strict rules of XML: every tag closed, every attribute quoted,
//! no stray mark.

/// The parts of a page that tests look at.
pub struct Html {
    /// Local files that the page refers to, and places in itself, which begin with `#`.
    pub links: Vec<String>,
    /// The names of its places.
    pub ids: Vec<String>,
}

/// Reads a page; `Err` says what is wrong with it.
pub fn parse(text: &str) -> Result<Html, String> {
    let mut rest = text.strip_prefix("<!DOCTYPE html>").ok_or("does not begin with <!DOCTYPE html>")?;
    let (mut open, mut links, mut ids) = (Vec::<&str>::new(), Vec::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at])?;
        let end = at + rest[at..].find('>').ok_or("a tag is not closed")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => {}
                last => return Err(format!("</{name}> closes {last:?}")),
            }
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let name = tag.split_whitespace().next().unwrap_or_default();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("<{tag}> is no tag"));
        }
        for (key, value) in attributes(&tag[name.len()..])? {
            match key {
                "href" | "src" => links.push(value.to_owned()),
                "id" => ids.push(value.to_owned()),
                _ => {}
            }
        }
        if !empty {
            open.push(name);
        }
    }
    check_text(rest)?;
    if open.is_empty() { Ok(Html { links, ids }) } else { Err(format!("{open:?} are not closed")) }
}

/// Checks that text has no `>` and that each `&` begins a known entity.
fn check_text(text: &str) -> Result<(), String> {
    if text.contains('>') {
        return Err(format!("a stray > in `{text}`"));
    }
    let known = ["amp;", "lt;", "gt;", "quot;"];
    match text.split('&').skip(1).find(|after| !known.iter().any(|name| after.starts_with(name))) {
        Some(after) => Err(format!("a stray & before `{after:.20}`")),
        None => Ok(()),
    }
}

fn attributes(mut text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut all = Vec::new();
    while !text.trim().is_empty() {
        let (key, after) = text.trim_start().split_once("=\"").ok_or_else(|| format!("`{text}` is no attribute"))?;
        let (value, rest) = after.split_once('"').ok_or_else(|| format!("`{text}` is not closed"))?;
        all.push((key, value));
        text = rest;
    }
    Ok(all)
}
