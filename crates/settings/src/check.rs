//! `SHMEM_CHECK`: whether mistakes of the program are looked for, and what becomes of those that are found.

/// The checks that are made, and the form of their reports.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckMode {
    /// Mistakes are looked for.
    pub on: bool,
    /// The program goes on, and ends with its own exit code.
    pub warn: bool,
    /// Findings are lines of JSON.
    pub json: bool,
    /// Deliveries are late and in any order, by this seed.
    pub order: Option<u64>,
}

impl CheckMode {
    /// Parse the value of the variable; `None` if it is not valid.
    pub fn parse(text: &str) -> Option<CheckMode> {
        if let Some(on) = super::words::boolean(text) {
            return Some(CheckMode { on, ..CheckMode::default() });
        }
        let on = CheckMode { on: true, ..CheckMode::default() };
        text.split(',').try_fold(on, |mode, word| match word {
            "error" => Some(CheckMode { warn: false, ..mode }),
            "warn" => Some(CheckMode { warn: true, ..mode }),
            "json" => Some(CheckMode { json: true, ..mode }),
            "order" => Some(CheckMode { order: Some(1), ..mode }),
            _ => {
                let seed = word.strip_prefix("order:")?.parse().ok()?;
                Some(CheckMode { order: Some(seed), ..mode })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_commas() {
        let mode = |on, warn, json| Some(CheckMode { on, warn, json, order: None });
        for (text, expected) in [
            ("1", mode(true, false, false)),
            ("off", mode(false, false, false)),
            ("warn", mode(true, true, false)),
            ("json", mode(true, false, true)),
            ("json,warn", mode(true, true, true)),
            ("warn,error", mode(true, false, false)),
            ("order", Some(CheckMode { on: true, order: Some(1), ..CheckMode::default() })),
            ("warn,order:77", Some(CheckMode { on: true, warn: true, order: Some(77), ..CheckMode::default() })),
            ("order:", None),
            ("", None),
            ("warn,", None),
            ("loud", None),
        ] {
            assert_eq!(CheckMode::parse(text), expected, "{text}");
        }
    }
}
