//! Writes pages of invented jobs into a directory, to look at after a change of the page.

#[path = "../tests/sample/mod.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (name, job) in [
        ("neighbours2", sample::neighbours(2)),
        ("neighbours16", sample::neighbours(16)),
        ("neighbours1024", sample::neighbours(1024)),
        ("everybody1024", sample::everybody(1024)),
    ] {
        let path = std::path::Path::new(&directory).join(name).with_extension("html");
        std::fs::write(&path, ferrite_profile::page::page(&job))?;
        println!("{}", path.display());
    }
    Ok(())
}
