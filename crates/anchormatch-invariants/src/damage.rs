//! Damage of every kind that files come to, with a fixed seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a damaged number, tag, word or row may turn into.
const FRAGMENTS: [&[u8]; 26] = [
    b"\"",
    b"'",
    b",",
    b";",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"9",
    b"999999999",
    b"-",
    b"e",
    b"e308",
    b"nan",
    b"inf",
    b"<",
    b">",
    b"&",
    b"%",
    b" ",
    b"[",
    b"]",
    b"{",
    b"*",
    b"\xef\xbb\xbf",
    b"\xf0\x9f",
];

/// Numbers that no file can back.
const HUGE: [&str; 8] = [
    "4294967296",
    "4000000000",
    "100000000",
    "2147483648",
    "1000000000000000000",
    "18446744073709551615",
    "99999999999999999999999999",
    "-1",
];

/// A source of damage.
#[derive(Debug)]
pub struct Damage(ChaCha8Rng);

impl Damage {
    /// The damage of one seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    /// Damages `bytes` in one to three places.
    pub fn strike(&mut self, bytes: &mut Vec<u8>) {
        let rng = &mut self.0;
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..=bytes.len());
            match rng.random_range(0..9) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
                2 if at < bytes.len() => {
                    bytes.remove(at);
                }
                3 => {
                    let fragment = FRAGMENTS[rng.random_range(0..FRAGMENTS.len())];
                    bytes.splice(at..at, fragment.iter().copied());
                }
                4 => {
                    // A piece of the file once more, somewhere else.
                    let start = rng.random_range(0..=bytes.len());
                    let end = (start + rng.random_range(0..40)).min(bytes.len());
                    let piece = bytes[start..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                5 => {
                    // A written number becomes a huge one.
                    let digits = |b: &u8| b.is_ascii_digit();
                    let start = bytes[at..].iter().position(digits).map(|k| at + k);
                    if let Some(start) = start {
                        let length = bytes[start..].iter().take_while(|b| digits(b)).count();
                        let huge = HUGE[rng.random_range(0..HUGE.len())];
                        bytes.splice(start..start + length, huge.bytes());
                    }
                }
                6 => {
                    // So does a number in binary.
                    let number: u64 = match rng.random_range(0..4) {
                        0 => u64::MAX,
                        1 => 1 << 31,
                        2 => 0x7fff_ffff,
                        _ => rng.random(),
                    };
                    let width = [2, 4, 8][rng.random_range(0..3)];
                    let new = number.to_le_bytes();
                    for (slot, byte) in bytes.iter_mut().skip(at).zip(&new[..width]) {
                        *slot = *byte;
                    }
                }
                _ => {
                    let end = (at + rng.random_range(0..20)).min(bytes.len());
                    bytes.drain(at..end);
                }
            }
        }
    }
}

/// A message for one person on one line.
pub fn assert_one_line(message: &str, file: &str) {
    assert!(message.contains(file) && message.len() < 600, "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

/// Fails when this process has ever held more than `most` MiB, where the system says so.
pub fn assert_memory_below(most: u64) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return;
    };
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let peak: u64 = line
        .and_then(|l| l.trim().strip_suffix("kB"))
        .and_then(|l| l.trim().parse().ok())
        .expect("a number of kB");
    assert!(
        peak / 1024 < most,
        "{} MiB at the worst moment",
        peak / 1024
    );
}
