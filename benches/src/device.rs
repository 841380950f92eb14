//! `oshbench device`: puts and gets of device memory, beside the driver's own copies between the same buffers and beside puts between host
//! memory.
//!
//! One program measures all three, over shared memory and over TCP in alternation, so that a ratio compares values of one run. Over TCP
//! the PEs share no memory, and the data pass through host memory.

use std::process::Command;
use std::time::Duration;

use crate::Error;
use crate::installation::{Binding, Installation};
use crate::sample::{Sample, Unit, parse_output, parse_skipped};
use crate::stats::median;
use crate::subprocess::run;
use crate::table::{Table, bytes, value_with_unit};
use crate::transport::Transport;

const TRANSPORTS: [(Transport, &str); 2] = [
    (Transport::Shm, "Over shm: the driver copies between the PEs."),
    (Transport::Tcp, "Over tcp: device memory of the peer is reached through host memory."),
];
const PES: u32 = 2;
/// Room in the device heap besides the two buffers.
const HEAP_REST_BYTES: u64 = 16 << 20;

/// Size from which transfers are shown as bandwidths.
const LONG_BYTES: u64 = 16 << 10;

/// The sizes, repetitions and conditions of a measurement.
pub struct Plan {
    pub sizes: Vec<u64>,
    pub rounds: u32,
    pub binding: Binding,
    /// Time limit of one run.
    pub limit: Duration,
}

/// Measure and return the text to print: tables, or the line that says why there are none.
pub fn measure(side: &Installation, plan: &Plan) -> Result<String, Error> {
    let mut device = String::new();
    let mut runs = TRANSPORTS.map(|_| Vec::new());
    for _ in 0..plan.rounds {
        for ((transport, _), runs) in TRANSPORTS.iter().zip(&mut runs) {
            let output = run(command(side, plan, transport)?, plan.limit)?.stdout;
            if let Some(why) = parse_skipped(&output) {
                return Ok(format!("skipped: {}\n", why.trim_start_matches("device: ")));
            }
            device = output.lines().find_map(|line| line.strip_prefix("device ")).unwrap_or_default().to_owned();
            runs.push(parse_output(&output)?);
        }
    }
    let mut text = heading(&device);
    for ((_, title), runs) in TRANSPORTS.iter().zip(&runs) {
        text += &format!("\n{title}\n\n{}", table(runs).text());
    }
    Ok(text)
}

fn command(side: &Installation, plan: &Plan, transport: &Transport) -> Result<Command, Error> {
    let max = plan.sizes.iter().max().copied().unwrap_or_default();
    let mut command = side.launch(PES, plan.binding, transport);
    command.env("SHMEM_DEVICE_SYMMETRIC_SIZE", (2 * max + HEAP_REST_BYTES).to_string());
    // Batches of 1 ms: few operations of a size that takes longer.
    command.arg(side.builder().program("device")?).args(["11", "1000"]);
    command.args(plan.sizes.iter().map(u64::to_string));
    Ok(command)
}

fn heading(device: &str) -> String {
    let remark = if device.starts_with("stand-in") {
        "\nThis is a stand-in for CUDA's driver, not a GPU: its copies are copies of the processor."
    } else {
        ""
    };
    format!("Device: {device}{remark}\n")
}

/// The rows of all puts and gets in which device memory takes part. Each value is the median of the runs.
fn table(runs: &[Vec<Sample>]) -> Table {
    let mut table = Table::new(&["test", "bytes", "ours", "driver's copy", "ratio", "between hosts", "ratio"]);
    let Some(first) = runs.first() else { return table };
    for sample in first {
        let Some((call, memory)) = sample.test.split_once('_').filter(|(call, _)| *call != "copy") else { continue };
        if memory.ends_with("host_host") {
            continue;
        }
        let scope = memory.split('_').next().unwrap_or_default();
        let copied = beside(runs, sample, &format!("copy_{memory}"));
        let between_hosts = beside(runs, sample, &format!("{call}_{scope}_host_host"));
        let ours = median(&values(runs, &sample.test, sample.bytes));
        let mut line = vec![sample.test.clone(), bytes(sample.bytes), shown(ours, sample.bytes)];
        for (time, ratio) in [copied, between_hosts] {
            line.extend([shown(time, sample.bytes), ratio.map_or_else(dash, |ratio| format!("{ratio:.2}"))]);
        }
        table.line(line);
    }
    table
}

/// The time of the reference `test`, and the bandwidth of `sample`'s test as a part of the reference's: medians of the runs.
fn beside(runs: &[Vec<Sample>], sample: &Sample, test: &str) -> (Option<f64>, Option<f64>) {
    let ratio = |run: &Vec<Sample>| Some(value(run, test, sample.bytes)? / value(run, &sample.test, sample.bytes)?);
    let ratios: Vec<f64> = runs.iter().filter_map(ratio).collect();
    (median(&values(runs, test, sample.bytes)), median(&ratios))
}

fn value(run: &[Sample], test: &str, bytes: u64) -> Option<f64> {
    run.iter().find(|sample| sample.test == test && sample.bytes == bytes).map(|sample| sample.value)
}

fn values(runs: &[Vec<Sample>], test: &str, bytes: u64) -> Vec<f64> {
    runs.iter().filter_map(|run| value(run, test, bytes)).collect()
}

fn dash() -> String {
    "-".to_owned()
}

/// A time, or the bandwidth if the transfer is long.
fn shown(ns: Option<f64>, bytes: u64) -> String {
    let value = |ns: f64| match bytes {
        LONG_BYTES.. => value_with_unit(bytes as f64 / ns, Unit::GigabytesPerSecond),
        _ => value_with_unit(ns, Unit::Ns),
    };
    ns.map_or_else(dash, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(put: f64, copy: f64, host: f64) -> Vec<Sample> {
        let of = |test: &str, ns| Sample::new(test, 64_000, ns, Unit::Ns);
        vec![
            of("put_peer_host_host", host),
            of("get_peer_host_host", host),
            of("put_peer_device_device", put),
            of("copy_peer_device_device", copy),
            of("get_peer_device_device", 2.0 * put),
        ]
    }

    #[test]
    fn a_put_of_device_memory_stands_beside_both_references_of_its_run() {
        // All times of the third run are ten times as long, so its ratios equal the ratios of the other runs.
        let table = table(&[run(32e3, 28.8e3, 25.6e3), run(32e3, 28.8e3, 25.6e3), run(32e4, 28.8e4, 25.6e4)]);
        let rows: Vec<String> = table.lines().iter().map(|line| line.join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "put_peer_device_device | 64000 | 2.00 GB/s | 2.22 GB/s | 0.90 | 2.50 GB/s | 0.80",
                "get_peer_device_device | 64000 | 1.00 GB/s | 2.22 GB/s | 0.45 | 2.50 GB/s | 0.40",
            ]
        );
    }

    #[test]
    fn a_reference_that_was_not_run_is_left_out() {
        let alone = vec![Sample::new("put_peer_host_device", 8, 900.0, Unit::Ns)];
        assert_eq!(table(&[alone]).lines()[0][2..], ["900 ns", "-", "-", "-", "-"]);
        assert!(table(&[]).lines().is_empty());
    }

    #[test]
    fn a_stand_in_is_named() {
        assert!(heading("stand-in 0").contains("not a GPU"));
        assert_eq!(heading("NVIDIA H100"), "Device: NVIDIA H100\n");
    }
}
