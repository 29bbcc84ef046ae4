//! A hash of names under a secret key, fast on the few bytes that names have.
//!
//! A name of n bytes is the polynomial n xᵏ + c₁ xᵏ⁻¹ + … + cₖ over the field of p = 2⁶¹ − 1 elements, its
//! coefficients seven bytes each, and its hash begins with the value at a secret point (Carter, Wegman, *Universal
//! classes of hash functions*, JCSS 18, 1979). Two polynomials of degree k agree on at most k points: two names that
//! somebody wrote without the point collide with probability k/p at most, so that no file makes all its names
//! collide. What follows is a one-to-one map that leaves no pattern of the names in the bits.

use std::hash::{BuildHasher, RandomState};

/// 2⁶¹ − 1, a prime.
const PRIME: u64 = (1 << 61) - 1;

/// Bytes of a coefficient.
const CHUNK: usize = 7;

/// The secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameHash {
    point: u64,
    salt: u64,
}

impl Default for NameHash {
    /// A key that nobody knows, from the system's randomness as the standard library's maps have theirs.
    fn default() -> Self {
        let random = RandomState::new();
        Self::keyed(random.hash_one(0u8), random.hash_one(1u8))
    }
}

impl NameHash {
    fn keyed(point: u64, salt: u64) -> Self {
        Self {
            point: (point % (PRIME - 2)) + 2,
            salt,
        }
    }

    /// The hash of `name`.
    pub(super) fn of(&self, name: &str) -> u32 {
        let bytes = name.as_bytes();
        let mut value = bytes.len() as u64;
        let mut chunks = bytes.chunks_exact(CHUNK);
        for chunk in &mut chunks {
            let mut wide = [0; 8];
            wide[..CHUNK].copy_from_slice(chunk);
            value = self.step(value, u64::from_le_bytes(wide));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let word = rest
                .iter()
                .rev()
                .fold(0, |word, &byte| (word << 8) | u64::from(byte));
            value = self.step(value, word);
        }
        self.scattered(value)
    }

    /// value · point + coefficient modulo p, not always fully reduced: below 2⁶¹ + 4.
    fn step(&self, value: u64, coefficient: u64) -> u64 {
        let wide = u128::from(value) * u128::from(self.point) + u128::from(coefficient);
        // 2⁶¹ ≡ 1: what stands above is added below.
        let folded = (wide as u64 & PRIME) + (wide >> 61) as u64;
        (folded & PRIME) + (folded >> 61)
    }

    /// The upper half of a one-to-one map of 64 bits.
    fn scattered(&self, value: u64) -> u32 {
        let mut bits = (value ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 32;
        (bits.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn steps_are_those_of_the_field() {
        let hash = NameHash::keyed(0x1234_5678_9abc_def0, 7);
        let p = u128::from(PRIME);
        let mut value = PRIME - 1;
        for coefficient in [0, 1, (1 << 56) - 1, 0xaa_bbcc_ddee_ff00] {
            let next = hash.step(value, coefficient);
            let wanted = (u128::from(value) * u128::from(hash.point) + u128::from(coefficient)) % p;
            assert_eq!(u128::from(next) % p, wanted);
            assert!(next < PRIME + 4);
            value = next;
        }
    }

    #[test]
    fn every_byte_and_the_length_count() {
        let hash = NameHash::default();
        let mut names: HashSet<String> = (0..40).map(|len| "\0".repeat(len)).collect();
        for place in 0..30 {
            let mut name = vec![b'x'; 30];
            for byte in [b'a', b'b', b'y'] {
                name[place] = byte;
                names.insert(String::from_utf8(name.clone()).unwrap());
            }
        }
        let hashes: HashSet<u32> = names.iter().map(|name| hash.of(name)).collect();
        // 130 names: two agree by chance once in half a million runs.
        assert_eq!(hashes.len(), names.len());
    }

    #[test]
    fn names_in_a_row_fill_the_places_of_a_table_as_chance_would() {
        let hash = NameHash::keyed(99, 1);
        let mut places = vec![0u32; 1 << 12];
        for i in 0..1 << 14 {
            places[(hash.of(&format!("node{i:07}")) >> 20) as usize] += 1;
        }
        // χ² of 4 095 degrees of freedom: 4 095 ± 90.
        let squares: f64 = places
            .iter()
            .map(|&n| (f64::from(n) - 4.0).powi(2) / 4.0)
            .sum();
        assert!((squares - 4095.0).abs() < 500.0, "{squares}");
    }
}
