//! The words of the command line, before clap parses them.

use super::foreign_options::{Translation, translated};
use super::options::{HELP_ALL, is_of_job};
use super::unknown_options;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Bring the words into a form that clap parses without guessing.
///
/// Long options may have one dash (`-np 4`, `-wdir DIR`), as in other launchers: they get the second. A `--` is inserted between the
/// options and the program, so that the rest is left alone. Options of other launchers are translated to options of oshrun; those without
/// effect, and those that differ, add a line to `notices`. Unknown options are refused here, as they were written and with advice: clap would
/// name the first letter of a word with one dash, and recommend options with other meanings.
pub fn normalised(
    words: &[OsString],
    command: &clap::Command,
    notices: &mut Vec<String>,
) -> Result<Vec<OsString>, clap::Error> {
    let mut out = Vec::with_capacity(words.len() + 1);
    let mut rest = words.iter();
    out.extend(rest.next().cloned());
    while let Some(word) = rest.as_slice().first() {
        let text = word.as_bytes();
        if text.len() < 2 || text[0] != b'-' {
            break;
        }
        rest.next();
        if text == b"--" {
            break;
        }
        if let Some(found) = word.to_str().and_then(|text| translated(text, rest.as_slice())) {
            let Translation { words, values, notice } = found;
            if let Some(name) = words.iter().find_map(|word| of_job_alone(word, command)) {
                return Err(unknown_options::refusal(command, &word.to_string_lossy(), name));
            }
            out.extend(words);
            notices.extend(notice);
            rest.by_ref().take(values).for_each(drop);
            continue;
        }
        let bare = &text[text.iter().take_while(|&&byte| byte == b'-').count()..];
        let has_value = bare.contains(&b'=');
        // A value may be any bytes: file names need not be UTF-8.
        let name =
            bare.split(|&byte| byte == b'=').next().and_then(|name| str::from_utf8(name).ok()).unwrap_or_default();
        let long = command.get_arguments().find(|option| name.len() > 1 && is_called(option, name));
        let is_short = |option: &&clap::Arg| {
            let aliases = option.get_all_short_aliases().unwrap_or_default();
            option.get_short().into_iter().chain(aliases).any(|c| text == format!("-{c}").as_bytes())
        };
        let short = command.get_arguments().find(is_short);
        let has_glued_value = has_glued_value(command, bare);
        let is_help = long.is_some_and(|option| option.get_long() == Some("help"));
        match long {
            Some(_) if is_help && bare == b"help=all" => out.push(format!("--{HELP_ALL}").into()),
            Some(_) => out.push(OsString::from_vec([b"--", bare].concat())),
            None if text == b"-version" || text == b"--version" => out.push("--version".into()),
            None if short.is_none() && (text.starts_with(b"--") || !has_glued_value && text != b"-V") => {
                return Err(unknown_options::refusal(command, &word.to_string_lossy(), name));
            }
            None => out.push(word.clone()),
        }
        if !has_value && long.or(short).is_some_and(takes_value) {
            out.extend(rest.next().cloned());
        }
    }
    if !rest.as_slice().is_empty() {
        out.push("--".into());
    }
    out.extend(rest.cloned());
    Ok(out)
}

/// Whether a word begins with a short option, and has its value too: `-n4`, `-xNAME`.
fn has_glued_value(command: &clap::Command, bare: &[u8]) -> bool {
    let Some((&first, value)) = bare.split_first() else { return false };
    let is_value = match first {
        // The error of `-np4` says how to write it.
        b'n' | b'c' | b'N' => value.strip_prefix(b"p").unwrap_or(value).first().is_some_and(u8::is_ascii_digit),
        b'x' => value.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_') || value.contains(&b'='),
        _ => true,
    };
    let is_first = |option: &&clap::Arg| {
        let aliases = option.get_all_short_aliases().unwrap_or_default();
        option.get_short().into_iter().chain(aliases).any(|c| u32::from(c) == u32::from(first))
    };
    is_value && command.get_arguments().find(is_first).is_some_and(takes_value)
}

/// The name of the option that a translated word is, if only the whole job has it and the command is that of a further program.
fn of_job_alone<'w>(word: &'w OsString, command: &clap::Command) -> Option<&'w str> {
    let name = word.to_str()?.strip_prefix("--")?.split('=').next()?;
    (is_of_job(name) && !command.get_arguments().any(|option| is_called(option, name))).then_some(name)
}

fn takes_value(option: &clap::Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}

/// Whether a long option has this name, without dashes.
pub fn is_called(option: &clap::Arg, name: &str) -> bool {
    option.get_long() == Some(name) || option.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
}
