//! Options of other launchers, as scripts have them: each becomes ours, or is understood and does nothing here.
//!
//! The help lists them under "Also understood".

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

/// What an option of another launcher is here.
#[derive(Clone, Copy)]
enum Meaning {
    /// Our option, which takes the same value.
    Ours(&'static str),
    /// These words of ours, whatever it is given.
    Words(&'static [&'static str]),
    /// A variable and its value, as two words.
    Variable,
    /// Variables that travel, divided by commas.
    Variables,
    /// Nothing has to be done for what it asks.
    Always,
    /// It asks for what we have not, with so many values: said, and left out.
    Ignored(usize),
}

/// By their names without dashes; of those that are a single letter a single dash is meant.
const MEANINGS: &[(&str, Meaning)] = &[
    ("hosts", Meaning::Ours("--host")),
    ("f", Meaning::Ours("--hostfile")),
    ("perhost", Meaning::Ours("-N")),
    ("c", Meaning::Ours("-n")),
    ("genv", Meaning::Variable),
    ("env", Meaning::Variable),
    ("genvlist", Meaning::Variables),
    ("envlist", Meaning::Variables),
    ("genvall", Meaning::Always),
    ("envall", Meaning::Always),
    ("allow-run-as-root", Meaning::Always),
    ("display-map", Meaning::Words(&["--report-bindings"])),
    ("display-allocation", Meaning::Words(&["--report-bindings"])),
    ("rr", Meaning::Words(&["--map-by", "node"])),
    ("v", Meaning::Ignored(0)),
    ("verbose", Meaning::Ignored(0)),
    ("mca", Meaning::Ignored(2)),
    ("gmca", Meaning::Ignored(2)),
];

/// What becomes of an option of another launcher.
#[derive(Debug, PartialEq, Eq)]
pub struct Translation {
    /// Our words.
    pub words: Vec<OsString>,
    /// Words of what follows that belong to it.
    pub values: usize,
    /// It does nothing: how it was written.
    pub ignored: Option<String>,
}

/// What the option `text` with the words `after` it is here, if it is one of another launcher's and whole.
pub fn translated(text: &str, after: &[OsString]) -> Option<Translation> {
    let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let (name, own_value) = bare.split_once('=').map_or((bare, None), |(name, value)| (name, Some(value)));
    let has_dash_to_spare = name.len() == 1 && text.starts_with("--");
    let &(_, meaning) = MEANINGS.iter().find(|(known, _)| *known == name && !has_dash_to_spare)?;
    let translation = |words: Vec<OsString>, values| Some(Translation { words, values, ignored: None });
    match meaning {
        Meaning::Ours(option) => match own_value {
            Some(value) => translation(vec![option.into(), value.into()], 0),
            None => translation(vec![option.into(), after.first()?.clone()], 1),
        },
        Meaning::Words(words) => translation(words.iter().map(OsString::from).collect(), 0),
        Meaning::Variable => {
            let (name, value) = (after.first()?, after.get(1)?);
            let set = [name.clone().into_vec(), b"=".to_vec(), value.clone().into_vec()].concat();
            translation(vec!["-x".into(), OsString::from_vec(set)], 2)
        }
        Meaning::Variables => {
            let names = after.first()?.to_str()?;
            let words = names.split(',').filter(|name| !name.is_empty()).flat_map(|name| ["-x".into(), name.into()]);
            translation(words.collect(), 1)
        }
        Meaning::Always => translation(Vec::new(), 0),
        Meaning::Ignored(values) => {
            let told: Vec<_> = after.get(..values)?.iter().map(|value| value.to_string_lossy()).collect();
            let ignored = [&[text.into()], &told[..]].concat().join(" ");
            Some(Translation { words: Vec::new(), values, ignored: Some(ignored) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_becomes_ours() {
        for (line, ours) in [
            ("-hosts a,b", "--host a,b"),
            ("--hosts=a:2,b", "--host a:2,b"),
            ("-f file", "--hostfile file"),
            ("-perhost 2", "-N 2"),
            ("-c 3", "-n 3"),
            ("-genv K V", "-x K=V"),
            ("-env K a=b", "-x K=a=b"),
            ("-genvlist A,B", "-x A -x B"),
            ("-genvall", ""),
            ("--allow-run-as-root", ""),
            ("--display-map", "--report-bindings"),
            ("-rr", "--map-by node"),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let Translation { words, values, ignored } = translated(words[0].to_str().unwrap(), &words[1..]).unwrap();
            let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            assert_eq!((shown.join(" ").as_str(), ignored), (ours, None), "{line}");
            assert_eq!(values, line.split(' ').count() - 1, "{line}");
        }
    }

    #[test]
    fn what_does_nothing_is_told_as_it_was_written() {
        let after = ["btl", "self", "prog"].map(OsString::from);
        let translation = translated("--mca", &after).unwrap();
        assert_eq!((translation.values, translation.ignored.as_deref()), (2, Some("--mca btl self")));
        assert_eq!(translated("-v", &after).unwrap().ignored.as_deref(), Some("-v"));
    }

    #[test]
    fn nothing_else_is_touched() {
        for text in ["-n", "-np", "--host", "-x", "--f", "--c", "--v", "-nonsense", "prog", "-genv", "--mca"] {
            assert_eq!(translated(text, &["2".into()][..usize::from(text != "-genv")]), None, "{text}");
        }
    }
}
