// SPDX-License-Identifier: MIT OR Apache-2.0
//! blst as oracle and as timing peer.
//!
//!   blst-peer FILE             recompute every record of peer_blst_ours; exit 1 on a difference
//!   blst-peer --bench [K]      CSV of blst's kernels, one thread, sums of up to 2^K points
mod bench;
mod oracle;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let code = match args.get(1).map(String::as_str) {
        Some("--bench") => match args.get(2).map_or(Ok(18), |k| k.parse()) {
            Ok(k) if (1..=26).contains(&k) => bench::run(k),
            _ => usage(),
        },
        Some(path) if args.len() == 2 => oracle::run(path),
        _ => usage(),
    };
    std::process::exit(code);
}

fn usage() -> i32 {
    eprintln!("usage: blst-peer FILE | blst-peer --bench [LOG2_POINTS]");
    2
}
