#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| anchormatch_invariants::check("opencv", bytes));
