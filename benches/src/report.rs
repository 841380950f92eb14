//! The report: a self-contained page for browsers.

use std::fmt::Write;

use crate::charts::{self, Section};
use crate::document::{Head, Results};
use crate::family::Family;
use crate::glance::{self, Beside};
use crate::plot::{Drawing, STYLE, escape};
use crate::rows::{Row, Standing};
use crate::summary::{Mean, Summary};
use crate::table::comparison;

const PAGE_STYLE: &str = include_str!("report.css");

pub fn page(results: &Results) -> String {
    let sections = charts::of(results);
    let families: Vec<Family> =
        Family::all().iter().copied().filter(|family| results.rows.iter().any(|row| row.family == *family)).collect();
    let mut body = nav(&families);
    body += "<main>";
    body += &head(&results.head);
    body += &glance(results);
    for family in families {
        body += &section(results, family, sections.iter().find(|section| section.family == family));
    }
    body += FOOTER;
    body += "</main>";
    document(&title(&results.head), &body)
}

/// An HTML page in the style of the reports.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{}</title>\
         <style>{PAGE_STYLE}{STYLE}</style></head><body>{body}</body></html>\n",
        escape(title)
    )
}

const FOOTER: &str = "<footer><p>A value is the median over batches of operations, and over runs; p99 and max are those of \
    operations that were timed one by one, with one reading of the clock in each. The sides ran in alternation, and only runs that met \
    the same distance between the cores are compared. A ratio has an interval that holds its median with 95 %; where that holds 1 and \
    much besides, noise has swallowed the ratio and none is shown. Dashed lines are what the machine can do: memcpy, a cache line that goes \
    to and fro, a bare socket, libfabric or UCX without SHMEM.</p></footer>";

fn title(head: &Head) -> String {
    match &head.peer {
        Some(peer) => format!("{} beside {}", head.ours.name(), peer.name()),
        None => head.ours.name().to_owned(),
    }
}

fn nav(families: &[Family]) -> String {
    let link = |family: &Family| format!("<a href=\"#{0}\">{0}</a>", family.name());
    format!("<nav><a href=\"#top\">oshbench</a>{}</nav>", families.iter().map(link).collect::<String>())
}

fn head(head: &Head) -> String {
    let mut facts = vec![("machine", head.machine.to_string()), ("measured", head.ours.to_string())];
    facts.extend(head.peer.as_ref().map(|peer| ("beside", peer.to_string())));
    facts.extend(head.hosts.as_ref().map(|hosts| ("hosts", hosts.clone())));
    let commit = head.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    facts.push(("when", format!("{}{commit}", head.date)));
    let fact = |(name, value): (&str, String)| format!("<dt>{name}</dt><dd>{}</dd>", escape(&value));
    let facts: String = facts.into_iter().map(fact).collect();
    let mut text = format!("<h1 id=\"top\">{}</h1><dl class=\"facts\">{facts}</dl>", escape(&title(head)));
    if head.machine.load > 0.5 {
        text += "<p class=\"note\">Something else was running on this machine: these numbers are noisy.</p>";
    }
    if head.quick {
        text += "<p class=\"note\">A glance (--quick): few sizes, short batches, few rounds. Measure without it before you judge.</p>";
    }
    text
}

/// The overview: numbers, strips, and the rows in which ours is slower.
fn glance(results: &Results) -> String {
    let summary = Summary::new(&results.rows);
    let (peer, beside) = if summary.is_empty() { (false, Beside::Limits) } else { (true, Beside::Peer) };
    let mut text = String::new();
    if peer {
        text += &cards(&summary);
    }
    let figures: String = results
        .transports()
        .into_iter()
        .filter_map(|transport| glance::families(results, transport, beside))
        .map(|drawing| figure(drawing.title(), &drawing))
        .collect();
    if !figures.is_empty() {
        text += &format!("<div class=\"figures\">{figures}</div>");
    }
    let lost = summary.lost();
    if !lost.is_empty() {
        text += "<h2 id=\"lost\">Where Ferrite is slower</h2><p class=\"soft\">Rows whose whole interval is on the slower side, the slowest first.</p>";
        text += &table(&lost);
    }
    text
}

fn cards(summary: &Summary) -> String {
    let mut text = String::from("<div class=\"cards\">");
    let mut card = |class: &str, value: &str, what: &str| {
        // Writing to a string does not fail.
        let _ = write!(text, "<div class=\"card\"><b class=\"{class}\">{value}</b><span>{}</span></div>", escape(what));
    };
    for (what, means) in [("operations", summary.operations()), ("applications", summary.applications())] {
        for mean in means {
            let Mean { cost, of, .. } = mean;
            let class = if cost <= 1.0 { "good" } else { "lost" };
            let what = format!("of the peer's time: {what} over {}, geometric mean of {of}", mean.over());
            card(class, &format!("{cost:.2} x"), &what);
        }
    }
    let counted = [
        (Standing::Faster, "good", "rows faster"),
        (Standing::Alike, "", "rows alike, within 5 %"),
        (Standing::Noise, "", "rows within noise"),
        (Standing::Slower, "lost", "rows slower"),
        (Standing::Few, "", "rows of too few runs to judge"),
    ];
    for (standing, class, what) in counted {
        let count = summary.count(standing);
        if count > 0 {
            card(class, &count.to_string(), what);
        }
    }
    text + "</div>"
}

fn section(results: &Results, family: Family, section: Option<&Section>) -> String {
    let name = family.name();
    let mut text = format!("<h2 id=\"{name}\">{name}</h2><p class=\"soft\">{}</p>", escape(&family.about()));
    let mut figures: String = section
        .iter()
        .flat_map(|section| &section.figures)
        .map(|one| figure(one.drawing.title(), &one.drawing))
        .collect();
    if family == Family::Applications {
        for transport in results.transports() {
            if let Some(drawing) = glance::applications(results, transport) {
                figures += &figure(drawing.title(), &drawing);
            }
        }
    }
    let rows: Vec<&Row> = results.rows.iter().filter(|row| row.family == family).collect();
    let open = if figures.is_empty() { " open" } else { "" };
    if !figures.is_empty() {
        text += &format!("<div class=\"figures\">{figures}</div>");
    }
    text + &format!("<details{open}><summary>{} rows</summary>{}</details>", rows.len(), table(&rows))
}

fn figure(caption: &str, drawing: &Drawing) -> String {
    format!("<figure><figcaption>{}</figcaption>{}</figure>", escape(caption), drawing.inline())
}

fn table(rows: &[&Row]) -> String {
    let table = comparison(rows, false);
    let head: String = table.head().iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
    let mut text = format!("<div class=\"wide\"><table><thead><tr><th>over</th>{head}</tr></thead><tbody>");
    for (row, cells) in rows.iter().zip(table.lines()) {
        let class = match row.standing() {
            Some(Standing::Faster) => "faster",
            Some(Standing::Slower) => "slower",
            _ => "",
        };
        let last = cells.len() - 1;
        let cell = |(at, cell): (usize, &String)| {
            let class = if at == last && !class.is_empty() { format!(" class=\"{class}\"") } else { String::new() };
            format!("<td{class}>{}</td>", escape(cell))
        };
        let cells: String = cells.iter().enumerate().map(cell).collect();
        // Writing to a string does not fail.
        let _ = write!(text, "<tr><td>{}</td>{cells}</tr>", escape(&row.transport.to_string()));
    }
    text + "</tbody></table></div>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_results::results;

    #[test]
    fn the_page_needs_nothing_but_itself_and_names_everything() {
        let page = page(&results());
        for outside in ["src=", "http://www.w3.org/1999", "https://", "<script", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        for inside in [
            "Ferrite beside Open MPI",
            "Some, processor",
            "commit abc",
            "Where Ferrite is slower",
            "id=\"put\"",
            "0.50 x",
        ] {
            assert!(page.contains(inside), "{inside}");
        }
        assert!(!page.contains("NaN") && !page.contains("A glance"));
        for tag in ["figure", "table", "svg", "details", "div", "g"] {
            let open = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn without_a_peer_the_bare_machine_is_the_measure() {
        let mut results = results();
        results.head.peer = None;
        results.rows.retain(|row| !row.beside_peer());
        let page = page(&results);
        assert!(page.contains("the bare machine is faster") && !page.contains("Where Ferrite is slower"), "{page}");
    }
}
