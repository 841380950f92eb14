//! Checks the sources against the tables. The installed manual is tested in `crates/capi/tests`, where programs are run.

use super::*;
use std::collections::BTreeSet;
use std::fs;

fn pages() -> Vec<Page> {
    page::read_all(&sources()).unwrap()
}

#[test]
fn every_routine_has_a_page_and_every_page_its_routines() {
    let (pages, catalogue) = (pages(), Catalogue::read());
    let index = catalogue.index(&pages).unwrap();
    let c = catalogue.rows.iter().flat_map(ferrite_abi::symbols).map(|symbol| symbol.name);
    let fortran = catalogue.procedures.iter().map(|procedure| procedure.name.clone());
    let mut count = 0;
    for name in c.chain(fortran) {
        count += 1;
        assert!(index.contains_key(&('3', name.clone())), "{name}");
    }
    assert!(count > 1788, "{count}");
}

#[test]
fn every_constant_has_a_page() {
    let pages = pages();
    let known: BTreeSet<&str> = pages.iter().flat_map(|page| &page.aliases).map(String::as_str).collect();
    let all = ferrite_abi::constants::all().chain(ferrite_abi::extensions::all_constants());
    let missing: Vec<_> = all.map(|one| one.name).filter(|name| !known.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
    for name in ["openshmem", "shmem", "intro_shmem", "shmem.h"] {
        assert!(pages.iter().any(|page| page.aliases.iter().any(|alias| alias == name)), "{name}");
    }
}

#[test]
fn a_page_of_nothing_and_a_routine_without_page_are_said() {
    let catalogue = Catalogue::read();
    let mut pages = pages();
    let at = pages.iter().position(|page| page.name == "shmem_ptr").unwrap();
    pages[at].routines[0] = "shmem_pointer".to_owned();
    let wrong = catalogue.index(&pages).map(|_| ()).unwrap_err();
    assert!(wrong.contains("shmem_ptr(3) describes shmem_pointer"), "{wrong}");
    assert!(wrong.contains("no page describes shmem_ptr"), "{wrong}");
}

#[test]
fn every_page_of_routines_has_an_example_and_every_example_a_page() {
    let mut shown = BTreeSet::new();
    for page in pages().iter().filter(|page| page.section == '3') {
        let range = page.section_at("Example").unwrap_or_else(|| panic!("{} has no example", page.title()));
        let file = |text| example(text).unwrap_or_else(|why| panic!("{}: {why}", page.title())).to_owned();
        let files: Vec<String> = transcripts(&page.body[range]).map(file).collect();
        assert!(!files.is_empty(), "{} has no transcript", page.title());
        shown.extend(files);
    }
    let there: BTreeSet<String> = fs::read_dir(sources().join("examples"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, shown);
}

fn synopsis_of(name: &str) -> String {
    let (pages, catalogue) = (pages(), Catalogue::read());
    let page = pages.iter().find(|page| page.name == name).unwrap();
    synopsis::of(&catalogue, page)
        .iter()
        .map(|block| match block {
            Block::Code { text, .. } => text.clone(),
            Block::Paragraph(spans) => plain(spans) + "\n",
            _ => String::new(),
        })
        .collect()
}

#[test]
fn lists_of_types_do_not_contradict_each_other() {
    for (page, family) in [("shmem_wait_until", "shmem_TYPE_wait_until"), ("shmem_test", "shmem_TYPE_test")] {
        let text = synopsis_of(page);
        let lists = text.lines().filter(|line| line.contains(" is one of ") && line.contains(&format!("{family} ")));
        assert_eq!(lists.count(), 1, "{text}");
        assert!(text.contains(" is also one of short, ushort"), "{text}");
        assert!(text.contains(", which are deprecated since OpenSHMEM 1.5."), "{text}");
    }
}

#[test]
fn a_synopsis_shows_every_form() {
    let text = synopsis_of("shmem_put");
    for part in [
        "void shmem_TYPE_put(TYPE *dest, const TYPE *source, size_t nelems,\n        int pe);",
        "void shmem_ctx_putSIZE(shmem_ctx_t ctx, void *dest,",
        "void shmem_put([shmem_ctx_t ctx,] TYPE *dest,",
        "longdouble (long double)",
        "SIZE is one of 8, 16, 32, 64, 128 (bits), mem (bytes).",
        "subroutine shmem_TYPE_put(dest, source, nelems, pe)",
        "8 (bytes)",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}
