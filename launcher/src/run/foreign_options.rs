//! Options of other launchers that are more than another name for an option of oshrun. Each is translated to words of oshrun, or is
//! accepted and ignored. Plain aliases are clap's (`options`).
//!
//! The help lists both under "Also understood".

use std::{ffi::OsString, os::unix::ffi::OsStringExt};

/// The translation of an option.
#[derive(Clone, Copy)]
enum Meaning {
    /// Replaced with these words. Empty if oshrun does by default what the option asks for.
    Words(&'static [&'static str]),
    /// A variable and its value, as two words.
    Variable,
    /// A list of variables to pass on, separated by commas.
    Variables,
    /// An option with this many values that oshrun does not have. It is ignored, with a message.
    Ignored(usize),
}

/// Keyed by the name without dashes. A name of one letter is an option with a single dash only.
const MEANINGS: &[(&str, Meaning)] = &[
    ("genv", Meaning::Variable),
    ("env", Meaning::Variable),
    ("genvlist", Meaning::Variables),
    ("envlist", Meaning::Variables),
    ("genvall", Meaning::Words(&[])),
    ("envall", Meaning::Words(&[])),
    ("allow-run-as-root", Meaning::Words(&[])),
    ("rr", Meaning::Words(&["--map-by", "node"])),
    ("v", Meaning::Ignored(0)),
    ("verbose", Meaning::Ignored(0)),
    ("mca", Meaning::Ignored(2)),
    ("gmca", Meaning::Ignored(2)),
];

/// The result of translating an option of another launcher.
#[derive(Debug, PartialEq, Eq)]
pub struct Translation {
    /// The words of oshrun.
    pub words: Vec<OsString>,
    /// Number of the following words that are values of the option.
    pub values: usize,
    /// The option as written, if it is ignored.
    pub ignored: Option<String>,
}

/// Translate the option `text` of another launcher, with the words `after` it. `None` if it is no such option, or lacks a value.
pub fn translated(text: &str, after: &[OsString]) -> Option<Translation> {
    let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let is_other = bare.len() == 1 && text.starts_with("--");
    let &(_, meaning) = MEANINGS.iter().find(|(known, _)| *known == bare && !is_other)?;
    let translation = |words: Vec<OsString>, values| Some(Translation { words, values, ignored: None });
    match meaning {
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
            ("-genv K V", "-x K=V"),
            ("-env K a=b", "-x K=a=b"),
            ("-genvlist A,B", "-x A -x B"),
            ("-genvall", ""),
            ("--allow-run-as-root", ""),
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
        for text in [
            "-n",
            "-np",
            "--host",
            "-hosts",
            "-f",
            "-c",
            "-x",
            "--f",
            "--c",
            "--v",
            "-nonsense",
            "prog",
            "-genv",
            "--mca",
        ] {
            assert_eq!(translated(text, &["2".into()][..usize::from(text != "-genv")]), None, "{text}");
        }
    }
}
