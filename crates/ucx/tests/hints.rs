//! The effect of the hint about devices.

mod support;

use ferrite_fabric::Pe;
use ferrite_ucx::{Options, survey};
use support::{is_absent, options};

#[test]
fn hint_at_missing_devices_is_ignored() {
    if is_absent() {
        return;
    }
    let resources = |devices: Option<&str>| {
        let options = Options { devices: devices.map(str::to_owned), ..options(Pe(0), 2) };
        survey(&options).unwrap().resources
    };
    let all = resources(None);
    assert_eq!(resources(Some("absent0:1,absent1:1")), all);
    // A device that exists is used.
    let Some(device) = all.iter().find_map(|resource| resource.strip_prefix("tcp/")) else {
        return println!("skipped: UCX has no TCP here");
    };
    let kept = resources(Some(&format!("absent0:1,{device}")));
    assert!(kept.contains(&format!("tcp/{device}")), "{kept:?}");
    assert_eq!(kept.iter().filter(|resource| resource.starts_with("tcp/")).count(), 1, "{kept:?}");
}
