//! The environment variables, as the runtime's own table has them.

use ferrite_runtime::settings::{SETTINGS, Setting, current};

use super::report::{Row, Section};

/// Every setting with what holds for it now.
pub(super) fn section() -> Section {
    Section { key: "setting", title: "Settings (environment)", rows: SETTINGS.iter().map(row).collect() }
}

fn row(setting: &Setting) -> Row {
    let now = match current(setting) {
        Some((name, value)) if name == setting.name => format!("{value}  (set)"),
        Some((name, value)) => format!("{value}  (set by {name})"),
        None => setting.default.to_owned(),
    };
    let row = Row::new(setting.name, now)
        .with("meaning", setting.meaning)
        .with("accepts", setting.grammar)
        .with("default", setting.default);
    match setting.aliases.is_empty() {
        true => row,
        false => row.with("also", setting.aliases.join(", ")),
    }
}
