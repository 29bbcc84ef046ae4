//! Names by number and numbers by name: one text for all names, one table of numbers.
//!
//! A name costs its bytes, eight more for where it ends, and 26 to 51 in the table. A map of strings would
//! take over a hundred. Hashes have a secret key ([`NameHash`]), so that no file can be written whose names all
//! collide.
//!
//! In a large graph a name is somewhere else in the memory each time, and waiting for it is most of the work. Names
//! are therefore looked up in [blocks](Interner::insert_all): first the places of all of them are asked for, then their
//! texts, so that the machine waits for many at once and not for one after the other.
//!
//! Most large graphs have numbers for names. Those that are not much larger than there are names
//! stand in a list by their value: finding one is one access where the table takes two, each to
//! another corner of the memory.

use super::name_hash::NameHash;
use super::name_table::{Slot, Table};

/// Names that are to be looked up together.
#[derive(Debug, Clone, Default)]
pub struct NameBlock {
    text: String,
    ends: Vec<usize>,
    /// What a look-up notes, kept so that nothing is allocated from block to block.
    keys: Vec<Key>,
    starts: Vec<usize>,
}

impl NameBlock {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// The names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends);
        spans.map(|(start, &end)| &self.text[start..end])
    }
}

/// Distinct strings, numbered in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
    /// By the value of a name that is a number: one more than the name's number, 0 for none.
    numbers: Vec<u32>,
    /// All other names.
    table: Table,
    hash: NameHash,
}

/// What is known of a name before it is looked up.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// Its value, where it is a number.
    value: Option<usize>,
    /// Its hash, unless its value is in the list.
    hash: Option<u32>,
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
        self.find_key(name, self.key(name))
    }

    /// The number of `name`, and whether it is new.
    ///
    /// # Panics
    /// When there are more names than a 32-bit number can tell apart; the callers check.
    pub(super) fn insert(&mut self, name: &str) -> (usize, bool) {
        self.insert_key(name, self.key(name))
    }

    /// The numbers of all names of a block, in their order, the new ones added; `numbers` is emptied before.
    ///
    /// # Panics
    /// As [`insert`](Self::insert).
    pub(super) fn insert_all(&mut self, block: &mut NameBlock, numbers: &mut Vec<usize>) {
        let mut keys = std::mem::take(&mut block.keys);
        let mut starts = std::mem::take(&mut block.starts);
        keys.clear();
        keys.extend(block.iter().map(|name| self.key(name)));
        // Nothing is decided before the last pass: the others bring what it needs near, for all names at once.
        let hashes = keys.iter().filter_map(|key| key.hash);
        self.table.touch(hashes.clone());
        starts.clear();
        starts.extend(hashes.filter_map(|hash| self.table.first(hash).map(Slot::start)));
        let near = starts.iter().map(|&start| self.text.as_bytes()[start]);
        std::hint::black_box(near.fold(0, u8::wrapping_add));
        numbers.clear();
        let known = block.iter().zip(&keys);
        numbers.extend(known.map(|(name, &key)| self.insert_key(name, key).0));
        (block.keys, block.starts) = (keys, starts);
    }

    fn key(&self, name: &str) -> Key {
        let value = number(name);
        let is_listed = value.is_some_and(|value| self.find_number(value).is_some());
        let hash = (!is_listed).then(|| self.hash.of(name));
        Key { value, hash }
    }

    fn find_key(&self, name: &str, key: Key) -> Option<usize> {
        if let Some(found) = key.value.and_then(|value| self.find_number(value)) {
            return Some(found);
        }
        // A number that was too large for the list when it came is in the table.
        let found = self.table.find(key.hash?, |slot| self.is_at(slot, name));
        found.map(Slot::number)
    }

    fn insert_key(&mut self, name: &str, key: Key) -> (usize, bool) {
        if let Some(found) = self.find_key(name, key) {
            return (found, false);
        }
        let new = u32::try_from(self.len()).expect("names fit 32-bit numbers");
        match key.value {
            Some(value) if value < SPARE + SPARSE * self.len() => {
                if value >= self.numbers.len() {
                    self.numbers.resize(value + 1, 0);
                }
                self.numbers[value] = new + 1;
            }
            _ => {
                let hash = key.hash.unwrap_or_else(|| self.hash.of(name));
                self.table
                    .add(Slot::new(new, hash, self.text.len(), name.len()));
            }
        }
        self.text.push_str(name);
        self.ends.push(self.text.len());
        (new as usize, true)
    }

    /// Whether the name of `slot` is `name`.
    fn is_at(&self, slot: &Slot, name: &str) -> bool {
        match slot.text() {
            Some(span) => self.text.as_bytes().get(span) == Some(name.as_bytes()),
            None => self.get(slot.number()) == name,
        }
    }

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
        // Beyond what a place in the table tells of lengths.
        ids.extend([(1 << 24) - 2, (1 << 24) - 1, 1 << 24].map(|len| "v".repeat(len)));
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(names.insert(id), (i, true));
        }
        for (i, id) in ids.iter().enumerate() {
            assert_eq!((names.insert(id), names.find(id)), ((i, false), Some(i)));
        }
        assert_eq!(names.find(&"w".repeat(256)), None);
        assert_eq!(names.find("zzzzzzz"), None);
    }

    #[test]
    fn blocks_number_names_as_one_after_the_other_does() {
        let mut one = Interner::default();
        let mut many = Interner::default();
        let (mut block, mut numbers) = (NameBlock::default(), Vec::new());
        let mut state = 1usize;
        for round in 0..60 {
            block.clear();
            let mut wanted = Vec::new();
            for _ in 0..100 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let k = (state >> 33) % (20 * (round + 1));
                let name = match k % 3 {
                    0 => k.to_string(),
                    1 => format!("w{k}"),
                    _ => format!("a longer word that ends in {k}"),
                };
                wanted.push(one.insert(&name).0);
                block.push(&name);
            }
            many.insert_all(&mut block, &mut numbers);
            assert_eq!(numbers, wanted);
            assert_eq!((block.len(), block.is_empty()), (100, false));
        }
        assert_eq!(one, many);
        many.insert_all(&mut NameBlock::default(), &mut numbers);
        assert!(numbers.is_empty());
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
