//! Names by number and numbers by name: one text for all names, one table of numbers.
//!
//! A name costs its bytes, eight more for where it ends, and some twenty in the table, which holds its first
//! eleven bytes beside its number: a short name is found by one access to the memory. A map of strings would
//! take over a hundred. Hashes are keyed at random, as the standard library's are, so
//! that no file can be written whose names all collide.
//!
//! Most large graphs have numbers for names. Those that are not much larger than there are names
//! stand in a list by their value: finding one is one access where the table takes four, each to
//! another corner of the memory.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Distinct strings, numbered in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
    /// By the value of a name that is a number: one more than the name's number, 0 for none.
    numbers: Vec<u32>,
    /// All other names.
    table: HashTable<Entry>,
    hasher: RandomState,
}

/// Bytes of a name that stand in the table.
const HEAD: usize = 11;

/// A name in the table: its number and how it begins.
#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u32,
    /// Its length; 255 for all that are longer.
    len: u8,
    head: [u8; HEAD],
}

impl Entry {
    fn new(number: u32, name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut head = [0; HEAD];
        let shown = bytes.len().min(HEAD);
        head[..shown].copy_from_slice(&bytes[..shown]);
        Self {
            number,
            len: u8::try_from(bytes.len()).unwrap_or(u8::MAX),
            head,
        }
    }

    /// Whether it is the name that `other` begins with; `whole` compares what does not stand here.
    fn is(&self, other: &Self, whole: impl FnOnce(u32) -> bool) -> bool {
        self.len == other.len
            && self.head == other.head
            && (usize::from(self.len) <= HEAD || whole(self.number))
    }
}

impl Interner {
    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all names together.
    pub(super) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Name `i`.
    pub(super) fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// The number of `name`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        if let Some(found) = number(name).and_then(|value| self.find_number(value)) {
            return Some(found);
        }
        let (hash, wanted) = (self.hasher.hash_one(name), Entry::new(0, name));
        let is_it = |entry: &Entry| entry.is(&wanted, |i| self.get(i as usize) == name);
        let found = self.table.find(hash, is_it);
        found.map(|entry| entry.number as usize)
    }

    /// The number of `name`, and whether it is new.
    ///
    /// # Panics
    /// When there are more names than a 32-bit number can tell apart; the callers check.
    pub(super) fn insert(&mut self, name: &str) -> (usize, bool) {
        let value = number(name);
        if let Some(found) = value.and_then(|value| self.find_number(value)) {
            return (found, false);
        }
        // A number that was too large for the list when it came is in the table.
        let hash = self.hasher.hash_one(name);
        let (text, ends) = (&self.text, &self.ends);
        let name_of = |i: u32| {
            let i = i as usize;
            let start = if i == 0 { 0 } else { ends[i - 1] };
            &text[start..ends[i]]
        };
        let new = u32::try_from(ends.len()).expect("names fit 32-bit numbers");
        let entry = Entry::new(new, name);
        let is_it = |other: &Entry| other.is(&entry, |i| name_of(i) == name);
        if let Some(found) = self.table.find(hash, is_it) {
            return (found.number as usize, false);
        }
        match value {
            Some(value) if value < SPARE + SPARSE * ends.len() => {
                if value >= self.numbers.len() {
                    self.numbers.resize(value + 1, 0);
                }
                self.numbers[value] = new + 1;
            }
            _ => {
                let hasher = &self.hasher;
                self.table
                    .insert_unique(hash, entry, |other| hasher.hash_one(name_of(other.number)));
            }
        }
        self.text.push_str(name);
        self.ends.push(self.text.len());
        (new as usize, true)
    }
}

impl Interner {
    /// The number of the name with this value, if it is in the list.
    fn find_number(&self, value: usize) -> Option<usize> {
        let &entry = self.numbers.get(value)?;
        (entry > 0).then(|| entry as usize - 1)
    }
}

/// How many places the list of numbers may have, at first and for each name.
const SPARE: usize = 1024;
const SPARSE: usize = 4;

/// The value of a name that is a number of up to nine digits as it would be written: not `007`.
fn number(name: &str) -> Option<usize> {
    let digits = name.as_bytes();
    let is_plain = match digits {
        [] => false,
        [b'0', rest @ ..] => rest.is_empty(),
        _ => digits.len() <= 9,
    };
    if !is_plain {
        return None;
    }
    let mut value = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = 10 * value + usize::from(digit - b'0');
    }
    Some(value)
}

/// The same names in the same order; where the table keeps them does not matter.
impl PartialEq for Interner {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_through_growth() {
        let mut names = Interner::default();
        for round in 0..2 {
            for i in 0..5000usize {
                assert_eq!(names.insert(&format!("n{i}")), (i, round == 0));
            }
        }
        assert_eq!(names.insert(""), (5000, true));
        assert_eq!(names.find(""), Some(5000));
        assert_eq!(names.find("n4999"), Some(4999));
        assert_eq!(names.find("n5000"), None);
        assert_eq!((names.get(0), names.get(5000)), ("n0", ""));
    }

    #[test]
    fn numbers_are_found_wherever_they_are_kept() {
        let mut names = Interner::default();
        // Too large for the list at first, inside it later; and texts that only look alike.
        let ids = [
            "5000",
            "0",
            "00",
            "007",
            "7",
            "+7",
            "999999999",
            "1234567890",
            "7.0",
            "-7",
        ];
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.insert(id), (i, true), "{id}");
        }
        for i in 0..4000 {
            names.insert(&format!("{}", 10_000 + i));
        }
        assert!(names.numbers.len() > 5000);
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.insert(id), (i, false), "{id}");
            assert_eq!(names.find(id), Some(i));
            assert_eq!(names.get(i), *id);
        }
        assert_eq!(names.find("70"), None);
    }

    #[test]
    fn long_names_differ_wherever_they_differ() {
        let mut names = Interner::default();
        let long = "x".repeat(300);
        let mut ids = vec![long.clone(), format!("{long}x"), format!("{long}y")];
        ids.extend((8..14).map(|len| "z".repeat(len)));
        ids.extend(["zzzzzzzzzzza", "zzzzzzzzzzzb", "azzzzzzzzzzz"].map(str::to_owned));
        ids.extend([300, 255, 254].map(|len| "w".repeat(len)));
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.insert(id), (i, true), "{id}");
        }
        for (i, id) in ids.iter().enumerate() {
            assert_eq!((names.insert(id), names.find(id)), ((i, false), Some(i)));
        }
        assert_eq!(names.find(&"w".repeat(256)), None);
        assert_eq!(names.find("zzzzzzz"), None);
    }

    #[test]
    fn names_that_run_together_differ() {
        let of = |names: &[&str]| {
            let mut interner = Interner::default();
            for name in names {
                interner.insert(name);
            }
            interner
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
    }
}
