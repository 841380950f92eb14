//! The page in a real browser: headless Chromium, which Debian has. It must run without an error, its tooltips must show the data, and it
//! must paint exactly the cells of the matrix that have traffic.

mod sample;

use ferrite_profile::{Job, page};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Maximum size of a page of 1,024 PEs, in bytes.
const PAGE_MAX: usize = 5 << 20;

/// A script that looks at the page as a user does, and writes down the errors, the colours of the cells of the matrix and the tooltips.
const EYES: &str = include_str!("browser/eyes.js");

fn chromium() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(runs);
    if found.is_none() {
        println!("skipped: there is no chromium, which opens the page (apt-get install chromium)");
    }
    found
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A browser that was killed has left its lock on the user's data.
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory of the test's own");
    path
}

/// The output of [`EYES`] for the page of a job, as JSON; `None` if there is no browser.
fn seen(name: &str, job: &Job, dark: bool) -> Option<serde_json::Value> {
    let page = page::page(job);
    assert!(page.len() < PAGE_MAX, "{} bytes", page.len());
    let chromium = chromium()?;
    let directory = directory(name);
    // Only code that runs before the page's own script sees the errors of that script.
    let before =
        "<script>window.faults = []; onerror = (what, file, line) => { faults.push(`${what} (${line})`); };</script>";
    let page = page.replacen("<body>", &format!("<body>{before}"), 1);
    let page = page.replacen("</body>", &format!("<script>{EYES}</script></body>"), 1);
    let file = directory.join("page.html");
    std::fs::write(&file, page).expect("a file of the test's own");
    let mut command = Command::new(chromium);
    // Chromium's sandbox needs a user other than root, and a machine that permits name spaces.
    command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    command.args(["--window-size=1300,1000", "--virtual-time-budget=20000"]);
    command.arg(format!("--user-data-dir={}", directory.join("user").display()));
    if dark {
        command.arg("--force-dark-mode").arg("--blink-settings=preferredColorScheme=0");
    }
    let out = command.arg(format!("file://{}", file.display())).output().expect("chromium runs");
    let dom = String::from_utf8_lossy(&out.stdout);
    let begin = dom.find("<output id=\"seen\">").map(|at| at + "<output id=\"seen\">".len());
    let Some(begin) = begin else {
        panic!("the page was not looked at: {}\n{dom:.2000}", String::from_utf8_lossy(&out.stderr))
    };
    let end = dom[begin..].find("</output>").expect("an end") + begin;
    let text = dom[begin..end].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    std::fs::remove_dir_all(&directory).expect("it was ours");
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

#[test]
fn neighbours_are_seen_in_the_matrix() {
    for (pes, dark) in [(2_u64, false), (8, true)] {
        let Some(seen) = seen(&format!("neighbours{pes}"), &sample::neighbours(pes as u32), dark) else { return };
        assert_eq!(seen["faults"], serde_json::json!([]));
        assert_eq!(seen["blank"], serde_json::json!([]));
        let wanted: Vec<Vec<bool>> = (0..pes)
            .map(|from| (0..pes).map(|to| to == (from + 1) % pes || from == (to + 1) % pes).collect())
            .collect();
        assert_eq!(seen["painted"], serde_json::json!(wanted), "{pes} PEs");
        assert_eq!(seen["dark"], serde_json::json!(dark));
        assert!(seen["cell"].as_f64().is_some_and(|width| (39.0..40.5).contains(&width)), "{}", seen["cell"]);
        let pointer = seen["pointer"].as_str().expect("a text");
        if pes > 2 {
            assert_eq!(pointer, "PE 0 → PE 1: 320 KiB in 40 operations, 8.00 KiB each");
        }
        assert!(seen["time"].as_str().is_some_and(|text| text.starts_with("PE 1 on node0: computes ")), "{seen}");
        assert!(seen["remarks"].as_u64() > Some(1), "{seen}");
        assert_eq!(seen["routines"], 4);
        assert_eq!(seen["slowest"], 40);
        assert_eq!(seen["program"], "./heat --rows 4096 <&>");
    }
}

#[test]
fn a_thousand_pes_make_a_page_that_is_drawn() {
    let Some(seen) = seen("everybody", &sample::everybody(1024), false) else { return };
    assert_eq!(seen["faults"], serde_json::json!([]));
    assert_eq!(seen["blank"], serde_json::json!([]));
    assert!(seen["heat"].as_str().is_some_and(|text| text.contains("Each row and column is 4 PEs.")), "{seen}");
    println!("drawn in {} ms: 2000 are allowed on a machine that does nothing else", seen["drawn_ms"]);
}
