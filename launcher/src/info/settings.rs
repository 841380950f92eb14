//! The section about environment variables, read from the table of `ferrite-settings`.

use ferrite_settings::{SETTINGS, Setting, current, misspelt, remark};

use super::report::{Row, Section};

/// Every setting, with its current value.
pub(super) fn section() -> Section {
    let slips = misspelt()
        .into_iter()
        .map(|(name, meant)| Row::new(name, format!("(set, but unknown: did you mean {meant}?)")));
    let rows = SETTINGS.iter().map(row).chain(slips).collect();
    Section { key: "setting", title: "Settings (environment)", rows }
}

fn row(setting: &Setting) -> Row {
    let now = match current(setting) {
        Some((name, value)) => {
            let by = if name == setting.name { String::new() } else { format!(" by {name}") };
            let remark = remark(setting, &value).map_or(String::new(), |remark| format!("; {remark}"));
            format!("{value}  (set{by}{remark})")
        }
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
