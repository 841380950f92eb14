//! A start by environment alone: `FERRITE_BOOT=tcp://host:port`, or `FERRITE_BOOT=torchrun`.
//!
//! | variable | meaning |
//! |---|---|
//! | `FERRITE_RANK`, `FERRITE_SIZE` | this PE's number, and the number of PEs |
//! | `FERRITE_SECRET` | what only the processes of the job know; at least [`SECRET_MIN`] characters |
//! | `FERRITE_SECRET_FILE` | the file that has it |
//! | `FERRITE_NETWORK=trusted` | there is no secret, and every process that reaches the port is admitted |
//!
//! With neither a secret nor a trusted network, only processes of the same user on the same host are admitted: the root listens on an
//! abstract Unix socket, where the kernel says whose the other end is.
//!
//! torchrun gives its workers `MASTER_ADDR`, `MASTER_PORT`, `RANK` and `WORLD_SIZE`. Many programs set these for other purposes, so they
//! count only where `FERRITE_BOOT=torchrun` says so. The port is the one after `MASTER_PORT`, at which torchrun listens itself.

use super::reach::Meeting;
use super::{LIMIT, Start};
use crate::{ON_LOSS, Secret, VARIABLE, host};
use ferrite_fabric::{Error, Result};
use ferrite_os::clock::parse_seconds;
use std::time::Duration;

/// Minimum length of a secret. A short one can be guessed: a process that overhears a knock can check guesses against it.
const SECRET_MIN: usize = 16;

/// The start that the variables describe. `None` if [`VARIABLE`] asks for another start.
pub(crate) fn read(env: &dyn Fn(&str) -> Option<String>) -> Result<Option<Start>> {
    let value = env(VARIABLE).unwrap_or_default();
    let (host, port, rank, size) = if let Some(place) = value.strip_prefix("tcp://") {
        let (host, port) = place_of(place, &value)?;
        (host, port, number(env, "FERRITE_RANK")?, number(env, "FERRITE_SIZE")?)
    } else if value == "torchrun" {
        let port: u16 = number(env, "MASTER_PORT")?;
        let port = port.checked_add(1).ok_or_else(|| Error::new("MASTER_PORT=65535: the port after it is needed"))?;
        (required(env, "MASTER_ADDR")?, port, number(env, "RANK")?, number(env, "WORLD_SIZE")?)
    } else {
        return Ok(None);
    };
    if rank >= size {
        return Err(Error::new(format!("PE {rank} of {size}: ranks are from 0 to the number of PEs - 1")));
    }
    let secret = secret(env)?;
    let is_trusted = match env("FERRITE_NETWORK").as_deref() {
        None | Some("") => false,
        Some("trusted") => true,
        Some(other) => return Err(Error::new(format!("FERRITE_NETWORK={other}: trusted is the only value"))),
    };
    let is_networked = secret.is_some() || is_trusted;
    Ok(Some(Start {
        rank,
        size,
        // Without a secret every process that gets this far is admitted.
        secret: secret.unwrap_or(Secret::of([0; Secret::BYTES])).for_port(port),
        meeting: if is_networked { Meeting::Network { host, port } } else { Meeting::Local { host, port } },
        limit: limit(env)?,
        launcher: if value == "torchrun" { "torchrun" } else { "the environment" },
        loss_returns: loss_returns(env)?,
    }))
}

impl Secret {
    /// Starts at different ports of one host are different starts, though they share a secret.
    fn for_port(&self, port: u16) -> Secret {
        self.child(&format!("the start at port {port}"))
    }
}

/// The time limit of a start.
pub(super) fn limit(env: &dyn Fn(&str) -> Option<String>) -> Result<Duration> {
    const NAME: &str = "FERRITE_START_TIMEOUT";
    let Some(value) = env(NAME).filter(|value| !value.is_empty()) else { return Ok(LIMIT) };
    parse_seconds(&value)
        .ok_or_else(|| Error::new(format!("{NAME}={value}: expected a number of seconds above 0, such as 90 or 2.5")))
}

/// Whether a loss is to return: [`ON_LOSS`].
pub(crate) fn loss_returns(env: &dyn Fn(&str) -> Option<String>) -> Result<bool> {
    match env(ON_LOSS).as_deref() {
        None | Some("" | "end") => Ok(false),
        Some("return") => Ok(true),
        Some(other) => Err(Error::new(format!("{ON_LOSS} is {other:?}; it must be end or return"))),
    }
}

fn required(env: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<String> {
    env(name).filter(|value| !value.trim().is_empty()).ok_or_else(|| {
        let value = env(VARIABLE).unwrap_or_default();
        Error::new(format!("{VARIABLE}={value} needs {name}, which is not set"))
    })
}

fn number<T: std::str::FromStr>(env: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<T> {
    let value = required(env, name)?;
    value.trim().parse().map_err(|_| Error::new(format!("{name}={value}: expected a number")))
}

/// Host and port of `host:port` or `[address]:port`.
fn place_of(place: &str, whole: &str) -> Result<(String, u16)> {
    let wrong = || Error::new(format!("{VARIABLE}={whole}: tcp://host:port is right, with a port from 1 to 65535"));
    let (host, port) = place.trim_end_matches('/').rsplit_once(':').ok_or_else(wrong)?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let port = port.parse::<u16>().ok().filter(|&port| port > 0).ok_or_else(wrong)?;
    if bare.is_empty() || (bare == host && host.contains(':')) {
        return Err(wrong());
    }
    Ok((bare.to_owned(), port))
}

/// The secret that the user has set, if any.
fn secret(env: &dyn Fn(&str) -> Option<String>) -> Result<Option<Secret>> {
    let (name, text) = match (env("FERRITE_SECRET"), env("FERRITE_SECRET_FILE")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => {
            return Err(Error::new("both FERRITE_SECRET and FERRITE_SECRET_FILE are set: one of them has the secret"));
        }
        (Some(text), None) => ("FERRITE_SECRET", text),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(&path);
            ("FERRITE_SECRET_FILE", text.map_err(|error| Error::because(format!("FERRITE_SECRET_FILE={path}"), error))?)
        }
    };
    // Files end in a newline, and variables do not.
    let text = text.trim();
    if text.len() < SECRET_MIN {
        return Err(Error::new(format!(
            "{name}: a secret of {} characters can be guessed, and at least {SECRET_MIN} are needed (openssl rand -hex 16)",
            text.len()
        )));
    }
    Ok(Some(Secret::of(host::digest(text.as_bytes()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> Result<Option<Start>> {
        super::read(&|name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    const SECRET: (&str, &str) = ("FERRITE_SECRET", "sixteen letters!");

    fn tcp<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        [&[(VARIABLE, "tcp://node1:7777"), ("FERRITE_RANK", "1"), ("FERRITE_SIZE", "3")], more].concat()
    }

    #[test]
    fn a_start_is_read_from_either_set_of_variables() {
        let found = read(&tcp(&[SECRET])).unwrap().unwrap();
        assert_eq!((found.rank, found.size, found.limit), (1, 3, LIMIT));
        assert_eq!(found.meeting, Meeting::Network { host: "node1".into(), port: 7777 });
        let torch = [("MASTER_ADDR", "::1"), ("MASTER_PORT", "500"), ("RANK", "0"), ("WORLD_SIZE", "2")];
        let found = read(&[&[(VARIABLE, "torchrun"), SECRET, ("FERRITE_START_TIMEOUT", "7")], &torch[..]].concat());
        let found = found.unwrap().unwrap();
        assert_eq!((found.rank, found.size, found.limit), (0, 2, Duration::from_secs(7)));
        assert_eq!(found.meeting, Meeting::Network { host: "::1".into(), port: 501 });
        assert!(!found.loss_returns && read(&tcp(&[SECRET, (ON_LOSS, "return")])).unwrap().unwrap().loss_returns);
        // torchrun's variables alone ask for nothing.
        assert_eq!(read(&torch).unwrap(), None);
    }

    #[test]
    fn only_a_secret_or_the_users_word_opens_the_network() {
        let local = Meeting::Local { host: "node1".into(), port: 7777 };
        assert_eq!(read(&tcp(&[])).unwrap().unwrap().meeting, local);
        let trusted = read(&tcp(&[("FERRITE_NETWORK", "trusted")])).unwrap().unwrap();
        assert!(matches!(trusted.meeting, Meeting::Network { .. }));
        for (wrong, named) in [
            (("FERRITE_NETWORK", "yes"), "trusted is the only value"),
            ((ON_LOSS, "survive"), "must be end or return"),
            (("FERRITE_SECRET", ""), "0 characters can be guessed"),
            (("FERRITE_SECRET", "fifteen letters"), "openssl rand"),
            (("FERRITE_SECRET_FILE", "/nowhere/secret"), "/nowhere/secret"),
        ] {
            let error = read(&tcp(&[wrong])).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        assert!(read(&tcp(&[SECRET, ("FERRITE_SECRET_FILE", "x")])).unwrap_err().to_string().contains("both"));
    }

    #[test]
    fn a_file_and_a_variable_with_the_same_secret_are_the_same() {
        let path = std::env::temp_dir().join(format!("ferrite-secret-{}", std::process::id()));
        std::fs::write(&path, "sixteen letters!\n").unwrap();
        let by_file = read(&tcp(&[("FERRITE_SECRET_FILE", path.to_str().unwrap())]));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(by_file.unwrap(), read(&tcp(&[SECRET])).unwrap());
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (set, named) in [
            (vec![(VARIABLE, "tcp://node1")], "tcp://host:port is right"),
            (vec![(VARIABLE, "tcp://node1:0")], "port from 1"),
            (vec![(VARIABLE, "tcp://:7")], "tcp://host:port"),
            (vec![(VARIABLE, "tcp://fd00::1:7")], "tcp://host:port"),
            (vec![(VARIABLE, "tcp://[fd00::1]:7")], "needs FERRITE_RANK"),
            (vec![(VARIABLE, "tcp://a:7"), ("FERRITE_RANK", "x")], "FERRITE_RANK=x"),
            (vec![(VARIABLE, "tcp://a:7"), ("FERRITE_RANK", "2"), ("FERRITE_SIZE", "2")], "PE 2 of 2"),
            (vec![(VARIABLE, "torchrun")], "needs MASTER_PORT"),
        ] {
            let error = read(&set).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
