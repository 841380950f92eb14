//! Checks the site in a browser, and every link in it.

use super::*;
use std::process::Command;

/// A site with a manual of a few pages, so that no installation is needed.
fn site(name: &str) -> PathBuf {
    let dir = repo::scratch(name);
    let html = dir.join("prefix/share/doc/ferrite/html");
    for (page, words) in [
        ("index.html", "all pages"),
        ("shmem_put.html", "Copies zebras to another PE"),
        ("oshrun.1.html", "starts PEs"),
        ("ferrite.7.html", "the contract"),
    ] {
        let document = crate::manual::html::document(
            page.trim_end_matches(".html"),
            VERSION,
            &format!("<h1>{page}</h1><p>{words}</p>"),
        );
        repo::write(
            &html.join(page),
            document
                .replace("<link rel=\"stylesheet\" href=\"style.css\" />\n", "")
                .replace("names.html", "index.html"),
        )
        .unwrap();
    }
    repo::write(&dir.join("packages/ferrite.tar.xz"), "bytes").unwrap();
    let out = dir.join("site");
    write(&out, Some(&dir.join("prefix")), &dir.join("packages")).unwrap();
    out
}

#[test]
fn every_link_leads_to_a_page_and_to_a_place_in_it() {
    let site = site("site-links");
    assert!(pages_of(&site).unwrap().len() > 15);
    assert_eq!(broken_links(&site).unwrap(), [""; 0]);
    repo::write(
        &site.join("guide/broken.html"),
        "<a href=\"../install.html#no-place\">a</a> <a href=\"none.html\">b</a>",
    )
    .unwrap();
    let broken = ["guide/broken.html: ../install.html#no-place", "guide/broken.html: none.html"];
    assert_eq!(broken_links(&site).unwrap(), broken);
}

#[test]
fn the_front_page_says_what_it_is_how_to_install_and_how_to_say_hello() {
    let front = repo::read(&site("site-front").join("index.html")).unwrap();
    let text = markdown::text_of(&front);
    for words in
        ["OpenSHMEM", "pip install", "oshcc hello.c -o hello", "oshrun -n 4 ./hello", "ferrite.tar.xz", VERSION]
    {
        assert!(text.contains(words), "{words}");
    }
    assert!(!text.contains('@'), "a word was not filled in");
}

#[test]
fn a_directory_of_others_is_not_replaced() {
    let dir = repo::scratch("site-others");
    repo::write(&dir.join("theirs"), "theirs").unwrap();
    assert!(write(&dir, None, &dir.join("none")).unwrap_err().contains("is no site"));
    assert!(dir.join("theirs").exists());
}

/// A headless browser, if there is one.
fn browser() -> Option<Command> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        println!("skipped: there is no Chromium to look at the site with");
    }
    found.map(|name| {
        let mut command = Command::new(name);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--virtual-time-budget=2000",
        ]);
        command
    })
}

/// The DOM of a page after `script` has run, in a window of this width.
fn dom(site: &Path, page: &Path, script: &str, width: u32, is_dark: bool) -> Option<String> {
    let mut command = browser()?;
    let copy = site.join(page).with_extension("looked-at.html");
    let text = repo::read(&site.join(page)).unwrap();
    let looked_at = format!("<script>addEventListener('load', () => {{ {script} }});</script></body>");
    repo::write(&copy, text.replace("</body>", &looked_at)).unwrap();
    let profile = site.with_extension("profile");
    command.arg(format!("--user-data-dir={}", profile.display())).arg(format!("--window-size={width},844"));
    command.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!is_dark))).arg("--dump-dom");
    let dom = repo::output(command.arg(format!("file://{}", copy.display()))).unwrap();
    fs::remove_file(&copy).unwrap();
    Some(dom)
}

/// The text that the script has stored in the page.
fn noted(dom: &str) -> &str {
    dom.split_once("data-noted=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(noted, _)| noted)
}

/// Script that stores the window's width, whether the content is wider, and the colours of the background and the text.
const LOOK: &str = "const e = document.documentElement, s = getComputedStyle(document.body); \
    e.dataset.noted = [innerWidth, e.scrollWidth > innerWidth, s.backgroundColor, s.color].join(';');";

#[test]
fn pages_fit_phones_and_desks_by_day_and_by_night() {
    let site = site("site-looks");
    for (page, width, is_dark) in [
        ("index.html", 390, false),
        ("install.html", 390, true),
        ("architecture.html", 1280, false),
        ("benchmarks/index.html", 1280, true),
    ] {
        let Some(dom) = dom(&site, Path::new(page), LOOK, width, is_dark) else { return };
        let noted: Vec<&str> = noted(&dom).split(';').collect();
        let [wide, sticks_out, ground, text] = noted[..] else { panic!("{page}: {noted:?}") };
        assert!(wide.parse::<u32>().unwrap() <= width.max(500), "{page}: the window is {wide} wide");
        assert_eq!(sticks_out, "false", "{page} at {width}: something sticks out to the right");
        let bright =
            |colour: &str| colour.trim_start_matches("rgb(").split(',').next().unwrap().trim().parse::<u32>().unwrap();
        assert_eq!(bright(ground) < bright(text), is_dark, "{page}: {ground} and {text}");
    }
}

#[test]
fn the_search_finds_pages_from_files() {
    let site = site("site-search");
    let script = "const q = document.getElementById('query'); q.value = 'zebras another'; q.dispatchEvent(new Event('input')); \
        document.documentElement.dataset.noted = [...document.querySelectorAll('#found a')].map((a) => a.href.split('/site/')[1]).join(';');";
    let Some(dom) = dom(&site, Path::new("guide/first.html"), script, 1280, false) else { return };
    assert_eq!(noted(&dom), "manual/shmem_put.html");
}

#[test]
fn chapters_of_the_guide_lead_on_and_back() {
    let site = site("site-chapters");
    let chapters = Page::read(&repo::root().join("crates/ferrite/guide/src/SUMMARY.md")).unwrap().chapters();
    let linked = |page: &str, class: &str| {
        let html = repo::read(&site.join("guide").join(page)).unwrap();
        let (_, rest) = html.split_once(&format!("<a class=\"{class}\" rel=\"{class}\" href=\""))?;
        rest.split('"').next().map(str::to_owned)
    };
    let mut page = "index.html".to_owned();
    let mut way = Vec::new();
    while let Some(next) = linked(&page, "next") {
        assert_eq!(linked(&next, "prev").as_deref(), Some(&*page), "{next}");
        way.push(next.clone());
        page = next;
    }
    assert_eq!(way, chapters.into_iter().map(|(to, _)| to).collect::<Vec<_>>());
}
