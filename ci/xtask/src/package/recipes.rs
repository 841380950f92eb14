//! The recipes of Spack, EasyBuild and containers for this version. They contain the checksum of the source archive, so the completed
//! recipes cannot be part of it.

use super::{Job, VERSION, archive, tree};
use crate::{Result, repo};
use std::{path::Path, process::Command};

/// The directory of the recipes, with placeholders for the version and the checksum.
const RECIPES: &str = "launcher/recipes";

/// Make the archive of recipes, for the source archive made before.
pub fn package(job: &Job) -> Result {
    let sums = repo::output(Command::new("sha256sum").arg(job.package(&format!("ferrite-{VERSION}-source.tar.xz"))))?;
    let checksum = sums.split_whitespace().next().unwrap_or_default().to_owned();
    let root = job.scratch("recipes")?;
    fill(&root, &checksum)?;
    let name = format!("ferrite-{VERSION}-recipes");
    archive::pack(&root, &name, &job.package(&format!("{name}.tar.xz")), &archive::XZ, job.epoch)
}

/// Write the recipes for a source archive with this checksum.
fn fill(root: &Path, checksum: &str) -> Result {
    let from = repo::root().join(RECIPES);
    for path in tree::files(&from)? {
        let text = repo::read(&from.join(&path))?.replace("@VERSION@", VERSION).replace("@SHA256@", checksum);
        // EasyBuild requires the version in the file name.
        let name = path.to_string_lossy().replace("Ferrite-", &format!("Ferrite-{VERSION}-"));
        repo::write(&root.join(name), text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_name_this_version_and_are_python_where_they_should_be() {
        let root = repo::scratch("recipes");
        fill(&root, "0123abcd").unwrap();
        let spack = root.join("spack/packages/ferrite/package.py");
        let easybuild = root.join(format!("easybuild/Ferrite-{VERSION}-GCCcore-14.3.0.eb"));
        for file in [&spack, &easybuild] {
            let text = repo::read(file).unwrap();
            assert!(
                text.contains("0123abcd") && text.contains(VERSION) && !text.contains("@VERSION@"),
                "{}",
                file.display()
            );
            let parse = "import ast, sys\nast.parse(open(sys.argv[1]).read())";
            repo::output(Command::new("python3").args(["-c", parse]).arg(file)).unwrap();
        }
        assert!(repo::read(&root.join("Containerfile")).unwrap().contains(&format!("ferrite_{VERSION}_amd64.deb")));
        // The site's instructions use the recipe's file name.
        let page = repo::read(&repo::root().join("ci/xtask/src/site/pages/install.md")).unwrap();
        let easyconfig = easybuild.file_name().unwrap().to_string_lossy().replace(VERSION, "@VERSION@");
        assert!(page.contains(&easyconfig), "the page of installations does not name {easyconfig}");
    }

    #[test]
    fn documents_name_this_version() {
        for (file, text) in [
            ("CITATION.cff", format!("\nversion: {VERSION}\n")),
            ("CHANGELOG.md", format!("\n## {VERSION}\n")),
            ("crates/capi/manual/ferrite_clusters.7.md", format!("tar -xf ferrite-{VERSION}-linux-x86_64.tar.xz")),
        ] {
            assert!(repo::read(&repo::root().join(file)).unwrap().contains(&text), "{file} does not contain {text:?}");
        }
    }
}
