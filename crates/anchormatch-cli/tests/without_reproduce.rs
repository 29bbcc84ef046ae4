//! A build without the laboratory still knows `reproduce`, and says how to get it.
#![cfg(not(feature = "reproduce"))]

mod common;

use common::Bench;

#[test]
fn reproduce_says_how_to_build_it_in() {
    let bench = Bench::new();
    assert!(bench.run("--help").ok().contains("  reproduce "));
    let how = "cargo build --release -p anchormatch-cli --features reproduce";
    assert!(bench.run("reproduce --help").ok().contains(how));
    for line in [
        "reproduce",
        "reproduce all",
        "reproduce hotel --trials 3 --data x",
    ] {
        let refused = bench.run(line).refused(2);
        assert!(
            refused.contains(how) && refused.contains("make reproduce"),
            "{refused}"
        );
    }
    let error = bench.error("reproduce all --quick");
    assert_eq!(error["kind"], "usage");
}
