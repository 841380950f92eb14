//! The manual as installed: pages for every name, examples that do what their pages show, and roff and HTML without errors.

mod support;

use ferrite_abi::{everything, fortran::procedures, symbols};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use support::{env::Conditions, html, job::Job, prefix::Prefix, scratch, turn};

/// Bound for a hang.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(240);

fn man() -> PathBuf {
    let man = Prefix::get().root().join("share/man");
    assert!(man.is_dir(), "{} is missing: run `cargo xtask dist` first", man.display());
    man
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("reading {}: {error}", path.display()))
}

fn names_in(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    entries.map(|entry| entry.expect("a readable directory").file_name().to_string_lossy().into_owned()).collect()
}

/// Every name that a program can call, in C or in Fortran.
fn routines() -> BTreeSet<String> {
    let rows: Vec<_> = everything().into_iter().filter(|row| row.served).collect();
    let c = rows.iter().flat_map(symbols).map(|symbol| symbol.name);
    c.chain(procedures().into_iter().map(|procedure| procedure.name)).collect()
}

#[test]
fn every_routine_has_a_page() {
    let pages = names_in(&man().join("man3"));
    let missing: Vec<_> = routines().into_iter().filter(|name| !pages.contains(&format!("{name}.3"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_page_answers_to_routines_alone() {
    let routines = routines();
    // Other names that a page may have: the C11 generics, and families without their type or size.
    let rows = everything();
    let generics = rows.iter().filter_map(|row| row.generic());
    let families = rows.iter().map(|row| row.family()).chain(procedures().into_iter().map(|one| one.family));
    let others: BTreeSet<String> =
        generics.chain(families.map(|family| family.replace("TYPE_", "").replace("SIZE", ""))).collect();
    for page in names_in(&man().join("man3")) {
        let name = page.strip_suffix(".3").unwrap_or_else(|| panic!("{page} is no page of section 3"));
        assert!(routines.contains(name) || others.contains(name), "{page} is about nothing that there is");
    }
}

/// The files below a directory of the prefix.
fn below(prefix: &Path, dir: &str) -> BTreeSet<PathBuf> {
    let all = support::prefix::files(&prefix.join(dir));
    all.iter().map(|file| file.strip_prefix(prefix).expect("it is below").to_owned()).collect()
}

/// A file that an older version installed and this version does not would be a page about nothing.
#[test]
fn the_list_of_what_is_installed_is_exact() {
    let prefix = Prefix::get().root();
    let list = read(&prefix.join("share/ferrite/installed"));
    let listed: BTreeSet<PathBuf> = list.lines().map(PathBuf::from).collect();
    let missing: Vec<_> = listed.iter().filter(|file| prefix.join(file).symlink_metadata().is_err()).collect();
    assert!(missing.is_empty(), "listed and not there: {missing:?}");
    assert!(listed.contains(Path::new("bin/oshrun")) && listed.contains(Path::new("lib/libsma.so.1")), "{list}");
    let there: BTreeSet<PathBuf> =
        ["share/man", "share/doc/ferrite"].into_iter().flat_map(|dir| below(prefix, dir)).collect();
    assert!(there.len() > 1788, "{}", there.len());
    let beyond: Vec<_> = there.difference(&listed).collect();
    assert!(beyond.is_empty(), "there, but not listed (install into a fresh prefix once): {beyond:?}");
}

#[test]
fn links_lead_to_pages() {
    let man = man();
    let mut links = 0;
    for section in ["man1", "man3", "man7"] {
        for page in names_in(&man.join(section)) {
            let text = read(&man.join(section).join(&page));
            let Some(to) = text.strip_prefix(".so ") else {
                assert!(text.starts_with(".TH "), "{page}");
                continue;
            };
            links += 1;
            assert!(read(&man.join(to.trim_end())).starts_with(".TH "), "{page} leads to {to}");
        }
    }
    assert!(links > 1788, "{links}");
}

#[test]
fn man_finds_commands_and_routines() {
    let pages = [
        ("oshrun", "shmemrun, oshexec - start"),
        ("shmemc++", "shmemc++"),
        ("shmem_int_put", "shmem_putSIZE"),
        ("shmem_ctx_long_p", "shmem_TYPE_g"),
        ("shmem_put", "SYNOPSIS"),
        ("ferrite", "SHMEM_SYMMETRIC_SIZE"),
        ("shmemx", "SANDIA OPENSHMEM"),
    ];
    for (name, expected) in pages {
        let mut command = Command::new("man");
        command.env("MANPATH", man()).env("MANWIDTH", "80").env("LC_ALL", "C.UTF-8").arg("-P").arg("cat").arg(name);
        let Ok(Output { status, stdout, .. }) = command.output() else {
            println!("skipped: there is no man here");
            return;
        };
        let text = String::from_utf8_lossy(&stdout).replace('\u{8}', "");
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(status.success() && plain(&text).contains(&plain(expected)), "man {name}: {text:.400}");
    }
}

/// The output of an installed command.
fn said_by(tool: &str, argument: &str) -> String {
    let output = Command::new(Prefix::get().tool(tool)).arg(argument).output();
    let output = output.unwrap_or_else(|error| panic!("{tool} {argument}: {error}"));
    String::from_utf8(output.stdout).unwrap_or_else(|error| panic!("{tool} {argument}: {error}"))
}

#[test]
fn pages_of_commands_name_every_option_and_every_setting() {
    let page = |name: &str| read(&man().join(name)).replace("\\-", "-");
    for (tool, page) in [
        ("oshrun", page("man1/oshrun.1")),
        ("oshcc", page("man1/oshcc.1")),
        ("oshmem_info", page("man1/oshmem_info.1")),
    ] {
        let help = said_by(tool, if tool == "oshrun" { "--help=all" } else { "--help" });
        let options: Vec<&str> = help.split([' ', ',', '\n']).filter(|word| word.starts_with("--")).collect();
        assert!(options.len() > 3, "{help}");
        for option in options {
            assert!(page.contains(option.trim_end_matches([')', ';', '.'])), "the page of {tool} lacks {option}");
        }
    }
    let (report, overview) = (said_by("oshmem_info", "--parsable"), page("man7/ferrite.7"));
    let settings: BTreeSet<&str> =
        report.lines().filter_map(|line| line.strip_prefix("setting:")?.split(':').next()).collect();
    assert!(settings.len() > 10, "{report}");
    for setting in settings {
        assert!(overview.contains(setting), "ferrite(7) lacks {setting}");
    }
}

/// The text without whitespace, which depends on the terminal's width.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn roff_is_without_warnings() {
    for section in ["man1", "man3", "man7"] {
        let dir = man().join(section);
        for page in names_in(&dir) {
            if read(&dir.join(&page)).starts_with(".so ") {
                continue;
            }
            // A wide page, since lines of programs are not wrapped.
            let mut groff = Command::new("groff");
            groff.args(["-ww", "-mandoc", "-Tutf8", "-rLL=150n", "-z"]).arg(dir.join(&page));
            let Ok(output) = groff.output() else {
                println!("skipped: there is no groff here");
                return;
            };
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "{page}: {said}");
        }
    }
}

#[test]
fn html_is_well_formed_and_its_links_lead_somewhere() {
    let dir = Prefix::get().root().join("share/doc/ferrite/html");
    let files = names_in(&dir);
    assert!(files.len() > 50 && files.contains("index.html") && files.contains("style.css"), "{files:?}");
    for file in files.iter().filter(|file| file.ends_with(".html")) {
        let page = html::parse(&read(&dir.join(file))).unwrap_or_else(|why| panic!("{file}: {why}"));
        for link in &page.links {
            let leads = link.strip_prefix('#').map_or(files.contains(link), |id| page.ids.iter().any(|one| one == id));
            assert!(leads, "{file} links to {link}");
        }
    }
    let index = html::parse(&read(&dir.join("index.html"))).expect("parsed before");
    for file in files.iter().filter(|file| file.ends_with(".html") && *file != "index.html") {
        assert!(index.links.contains(file), "the index does not lead to {file}");
    }
}

/// A transcript of a page: commands with what they print.
struct Transcript {
    page: String,
    commands: Vec<(String, Vec<String>)>,
}

/// The transcripts in the sources of all pages about routines.
fn transcripts() -> Vec<Transcript> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("manual");
    let mut all = Vec::new();
    for page in names_in(&sources).into_iter().filter(|name| name.ends_with(".3.md")) {
        let text = read(&sources.join(&page));
        let before = all.len();
        for part in text.split("```console\n").skip(1) {
            let lines = part.split("```").next().unwrap_or_default().lines();
            let mut commands: Vec<(String, Vec<String>)> = Vec::new();
            for line in lines {
                match (line.strip_prefix("$ "), commands.last_mut()) {
                    (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                    (None, Some((_, printed))) => printed.push(line.to_owned()),
                    (None, None) => panic!("{page}: a transcript begins with `{line}`, and not with a command"),
                }
            }
            all.push(Transcript { page: page.clone(), commands });
        }
        assert!(all.len() > before, "{page} has no transcript");
    }
    all
}

#[test]
fn every_example_does_what_its_page_shows() {
    examples("manual", &Conditions::get().variables, &as_shown);
}

#[test]
fn no_example_relies_on_mapped_memory() {
    examples("manual-otherwise", &[("SHMEM_TRANSPORT".to_owned(), "tcp".to_owned())], &as_shown);
}

/// Pages whose programs end the job at once, or are no PEs: the checker has no last word on them.
const UNCONCLUDED: [&str; 2] = ["shmem_global_exit.3.md", "shmem_info_get_version.3.md"];

#[test]
fn manual_examples_pass_the_checker() {
    let checked = |command: &str| {
        ["oshcc ", "oshfort ", "oshrun "]
            .iter()
            .fold(command.to_owned(), |command, tool| command.replace(tool, &format!("{tool}--check ")))
    };
    examples("manual-checked", &[], &checked);
}

fn as_shown(command: &str) -> String {
    command.to_owned()
}

/// Runs all examples with these environment variables, in a directory of their own. `rewrite` changes the commands of their pages.
fn examples(directory: &str, variables: &[(String, String)], rewrite: &dyn Fn(&str) -> String) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("manual/examples");
    let dir = scratch(directory);
    for file in names_in(&sources) {
        fs::copy(sources.join(&file), dir.join(&file)).unwrap_or_else(|error| panic!("copying {file}: {error}"));
    }
    let fortran = Command::new("gfortran").arg("--version").output().is_ok();
    let mut failures = Vec::new();
    for transcript in transcripts() {
        if !fortran && transcript.commands[0].0.starts_with("oshfort") {
            println!("skipped: {}: there is no gfortran here", transcript.page);
            continue;
        }
        failures.extend(run(&transcript, &dir, variables, rewrite).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs the commands, which `rewrite` changes. Lines of several PEs may come in any order. If the checker runs, it finds nothing.
fn run(
    transcript: &Transcript,
    dir: &Path,
    variables: &[(String, String)],
    rewrite: &dyn Fn(&str) -> String,
) -> Result<(), String> {
    let bin = Prefix::get().root().join("bin");
    let path = format!("{}:{}", bin.display(), support::env::get("PATH").unwrap_or_default());
    let is_about_devices =
        ["shmemg_malloc", "shmemx_space_create"].iter().any(|page| transcript.page.starts_with(page));
    let stand_in = if is_about_devices { support::stand_in_driver() } else { Vec::new() };
    let variables = [variables, &[("PATH".to_owned(), path)], &stand_in].concat();
    for (command, printed) in &transcript.commands {
        let _turn = turn();
        let mut shell = Command::new("sh");
        let rewritten = rewrite(command);
        shell.current_dir(dir).arg("-c").arg(&rewritten);
        let outcome = Job::start(shell, &variables).finish(LIMIT);
        let mut lines: Vec<&str> = outcome.stdout.lines().collect();
        let mut expected: Vec<&str> = printed.iter().map(String::as_str).collect();
        lines.sort_unstable();
        expected.sort_unstable();
        let what = match outcome.code() {
            _ if outcome.stderr.contains("ferrite: check: PE ") => "has findings".to_owned(),
            _ if rewritten.contains("oshrun --check ")
                && !UNCONCLUDED.contains(&&*transcript.page)
                && !outcome.stderr.contains("no mistakes found") =>
            {
                "was not checked".to_owned()
            }
            Some(0) if lines == expected && outcome.outlived.is_empty() => continue,
            Some(0) => format!("printed other than {expected:#?}"),
            code => format!("ended with {code:?}"),
        };
        return Err(format!("{}: {}", transcript.page, outcome.report(&what)));
    }
    Ok(())
}

#[test]
fn malformed_pages_are_detected() {
    let page = |body: &str| html::parse(&format!("<!DOCTYPE html>{body}")).map(|page| page.links);
    assert_eq!(page("<p><a href=\"x\">&lt;</a><br /></p>").unwrap(), ["x"]);
    for wrong in ["<p>", "<p></q>", "<p>a > b</p>", "<p>a & b</p>", "<p x=1></p>", "</p>", "<p"] {
        assert!(page(wrong).is_err(), "{wrong}");
    }
}
