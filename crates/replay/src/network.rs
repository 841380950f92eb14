//! Machines, by name or from a file.

use ferrite_sim::model::{Link, Machine};

/// Networks that are known by name, with the figures that vendors and users publish for small and for long messages.
const KNOWN: [(&str, Link); 3] = [
    // 200 Gbit/s a port; 1.6 us from memory to memory.
    ("slingshot", Link { latency: 1_450_000, overhead: 150_000, gap: 10_000, gap_per_byte: 40 }),
    // NDR, 400 Gbit/s a port; 1 us.
    ("infiniband", Link { latency: 900_000, overhead: 100_000, gap: 8_000, gap_per_byte: 20 }),
    // 10 Gbit/s by TCP; 15 us.
    ("ethernet", Link { latency: 12_000_000, overhead: 2_500_000, gap: 1_000_000, gap_per_byte: 800 }),
];

/// Names of the known networks.
pub fn names() -> Vec<&'static str> {
    KNOWN.iter().map(|(name, _)| *name).collect()
}

/// The machine with the network of this name between its nodes.
pub fn known(name: &str) -> Option<Machine> {
    let far = KNOWN.iter().find(|(known, _)| *known == name)?.1;
    Some(Machine { far, ..Machine::TYPICAL })
}

/// The machine that a file describes: lines of `name = number`, and comments after `#`. Other values are taken from [`Machine::TYPICAL`].
pub fn described(text: &str) -> Result<Machine, String> {
    let mut machine = Machine::TYPICAL;
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("line {}: {what}: `{line}`", at + 1);
        let (name, value) = line.split_once('=').ok_or_else(|| wrong("no `=`"))?;
        let value: f64 = value.trim().parse().map_err(|_| wrong("no number"))?;
        if !(value.is_finite() && value >= 0.0) {
            return Err(wrong("no time"));
        }
        let link = if name.starts_with("far") { &mut machine.far } else { &mut machine.near };
        let ns = (value * 1000.0) as u64;
        match name.trim().trim_start_matches("far_").trim_start_matches("near_") {
            "latency_ns" => link.latency = ns,
            "overhead_ns" => link.overhead = ns,
            "gap_ns" => link.gap = ns,
            // 1 GB/s is one byte in a nanosecond, 1000 ps.
            "gbytes_per_s" if value > 0.0 => link.gap_per_byte = (1000.0 / value) as u64,
            "copy_gbytes_per_s" if value > 0.0 => machine.touch_per_byte = (1000.0 / value) as u64,
            _ => {
                return Err(wrong(
                    "use far_latency_ns, far_overhead_ns, far_gap_ns, far_gbytes_per_s, the same with near_, or copy_gbytes_per_s",
                ));
            }
        }
    }
    Ok(machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_what_differs() {
        let machine =
            described("# ours\nfar_latency_ns = 800.5\nfar_gbytes_per_s=50 # port\nnear_gap_ns = 3\n").unwrap();
        assert_eq!((machine.far.latency, machine.far.gap_per_byte, machine.near.gap), (800_500, 20, 3_000));
        assert_eq!(machine.far.overhead, Machine::TYPICAL.far.overhead);
        for bad in
            ["far_latency_ns 3", "far_latency_ns = x", "far_speed = 3", "far_gap_ns = -1", "far_gbytes_per_s = 0"]
        {
            assert!(described(bad).is_err_and(|error| error.starts_with("line 1: ")), "{bad}");
        }
        assert!(names().into_iter().all(|name| known(name).is_some()));
    }
}
