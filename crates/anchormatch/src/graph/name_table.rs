//! A table of names by their hashes: open addressing, one place after the other.
//!
//! A place has sixteen bytes: the hash, the number, and where the name stands in the text. The highest bits of the hash
//! say where to begin, so that a table grows from its own places, from the first to the last, and reads no name for it.

use std::ops::Range;

/// A name in the table.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    /// One more than the number of the name; 0 for an empty place.
    next: u32,
    hash: u32,
    /// Where the name begins, above its length, of which [`LENGTH`] bits stand here.
    span: u64,
}

/// Bits of a length.
const LENGTH: u32 = 24;

/// The length that stands for itself and all that are longer.
const LONG: u64 = (1 << LENGTH) - 1;

/// Of eight places so many are taken at most.
const FULL: usize = 5;

impl Slot {
    /// # Panics
    /// When the number has no successor or the text is longer than a terabyte.
    pub(super) fn new(number: u32, hash: u32, start: usize, length: usize) -> Self {
        let start = start as u64;
        assert!(start < 1 << (64 - LENGTH), "names fit a terabyte");
        Self {
            next: number.checked_add(1).expect("names fit 32-bit numbers"),
            hash,
            span: (start << LENGTH) | (length as u64).min(LONG),
        }
    }

    /// The number of the name.
    pub(super) fn number(&self) -> usize {
        self.next as usize - 1
    }

    /// Where the name begins.
    pub(super) fn start(&self) -> usize {
        (self.span >> LENGTH) as usize
    }

    /// Where the name stands; `None` when it is too long to be told from here.
    pub(super) fn text(&self) -> Option<Range<usize>> {
        let length = self.span & LONG;
        (length < LONG).then(|| self.start()..self.start() + length as usize)
    }
}

/// The table.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// None, or a power of two.
    slots: Vec<Slot>,
    taken: usize,
}

impl Table {
    /// Asks for the places where these hashes begin, all at once.
    pub(super) fn touch(&self, hashes: impl Iterator<Item = u32>) {
        if self.slots.is_empty() {
            return;
        }
        let places = hashes.map(|hash| self.slots[self.begin(hash)].next);
        std::hint::black_box(places.fold(0, u32::wrapping_add));
    }

    /// A name with this hash, the first that is met.
    pub(super) fn first(&self, hash: u32) -> Option<&Slot> {
        self.find(hash, |_| true)
    }

    /// The name with this hash that `is_it` knows.
    pub(super) fn find(&self, hash: u32, is_it: impl Fn(&Slot) -> bool) -> Option<&Slot> {
        if self.slots.is_empty() {
            return None;
        }
        let mut place = self.begin(hash);
        loop {
            let slot = &self.slots[place];
            if slot.next == 0 {
                return None;
            }
            if slot.hash == hash && is_it(slot) {
                return Some(slot);
            }
            place = self.after(place);
        }
    }

    /// Adds a name that is not there.
    pub(super) fn add(&mut self, slot: Slot) {
        // Hashes tell 2³² places apart; there are fewer names than that, so that one is always empty.
        let may_grow = self.slots.len() < 1 << 32;
        if 8 * (self.taken + 1) > FULL * self.slots.len() && may_grow {
            let places = (2 * self.slots.len()).max(16);
            let old = std::mem::replace(&mut self.slots, vec![Slot::default(); places]);
            for slot in old.into_iter().filter(|slot| slot.next > 0) {
                self.put(slot);
            }
        }
        self.put(slot);
        self.taken += 1;
    }

    fn put(&mut self, slot: Slot) {
        let mut place = self.begin(slot.hash);
        while self.slots[place].next > 0 {
            place = self.after(place);
        }
        self.slots[place] = slot;
    }

    /// The place where the search for a hash begins.
    fn begin(&self, hash: u32) -> usize {
        let bits = self.slots.len().trailing_zeros();
        (u64::from(hash) >> (32 - bits)) as usize
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_though_all_hashes_agree_or_lie_at_the_end() {
        for hash in [0, 7, u32::MAX] {
            let mut table = Table::default();
            assert!(table.first(hash).is_none());
            table.touch([hash].into_iter());
            for number in 0..200 {
                table.add(Slot::new(number, hash, 10 * number as usize, 10));
            }
            for number in 0..200 {
                let found = table.find(hash, |slot| slot.number() == number).unwrap();
                assert_eq!(found.text(), Some(10 * number..10 * number + 10));
            }
            assert!(table.first(hash).is_some());
            assert!(table.find(hash, |slot| slot.number() == 200).is_none());
            assert!(table.first(hash ^ 1).is_none());
        }
    }

    #[test]
    fn a_table_is_never_full_and_never_much_too_large() {
        let mut table = Table::default();
        for number in 0..5000u32 {
            table.add(Slot::new(number, number.wrapping_mul(0x9e37_79b9), 0, 0));
            let (taken, places) = (number as usize + 1, table.slots.len());
            assert!(8 * taken <= FULL * places);
            assert!(places <= 16 || 16 * taken >= FULL * places);
        }
    }

    #[test]
    fn long_names_are_told_to_be_long() {
        assert_eq!(
            Slot::new(0, 0, 3, LONG as usize - 1).text().unwrap().len(),
            0xfffffe
        );
        let long = Slot::new(0, 0, (1 << 40) - 1, LONG as usize);
        assert_eq!((long.text(), long.start()), (None, (1 << 40) - 1));
    }
}
