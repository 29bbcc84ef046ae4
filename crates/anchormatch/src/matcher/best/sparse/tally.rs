//! Sums by node, for nodes that are few among many: a small hash table that is emptied cheaply.

/// No node.
const EMPTY: u32 = u32::MAX;

/// Evidence that nodes collect while the neighbours of one node are visited.
pub(super) struct Tally {
    slots: Vec<Slot>,
    /// The slots in use, in the order in which their nodes came.
    used: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    node: u32,
    sum: f32,
    weight: f32,
}

const VACANT: Slot = Slot {
    node: EMPTY,
    sum: 0.0,
    weight: 0.0,
};

impl Default for Tally {
    fn default() -> Self {
        Self {
            slots: vec![VACANT; 1024],
            used: Vec::new(),
        }
    }
}

impl Tally {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for &slot in &self.used {
            self.slots[slot as usize] = VACANT;
        }
        self.used.clear();
    }

    /// Adds to what a node has.
    #[inline]
    pub(super) fn add(&mut self, node: u32, sum: f32, weight: f32) {
        let mask = self.slots.len() - 1;
        let mut place = (node.wrapping_mul(0x9E37_79B1) >> 7) as usize & mask;
        loop {
            let slot = &mut self.slots[place];
            if slot.node == node {
                slot.sum += sum;
                slot.weight += weight;
                return;
            }
            if slot.node == EMPTY {
                *slot = Slot { node, sum, weight };
                self.used.push(place as u32);
                break;
            }
            place = (place + 1) & mask;
        }
        if 2 * self.used.len() > mask {
            self.grow();
        }
    }

    /// Every node with its sum and weight, in the order in which they came.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u32, f32, f32)> + '_ {
        self.used.iter().map(|&place| {
            let slot = self.slots[place as usize];
            (slot.node, slot.sum, slot.weight)
        })
    }

    fn grow(&mut self) {
        let entries: Vec<_> = self.entries().collect();
        let size = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, VACANT);
        self.used.clear();
        for (node, sum, weight) in entries {
            self.add(node, sum, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn sums_are_those_of_a_map_however_many_there_are() {
        let mut tally = Tally::default();
        for round in 1..4u32 {
            tally.clear();
            let mut map: BTreeMap<u32, (f32, f32)> = BTreeMap::new();
            for k in 0..round * 3000 {
                // Some nodes come once, others often, and many fall into the same slots.
                let node = if k % 3 == 0 { k % 50 } else { k * 1024 };
                tally.add(node, k as f32, 1.0);
                let entry = map.entry(node).or_default();
                entry.0 += k as f32;
                entry.1 += 1.0;
            }
            let mut found: Vec<_> = tally.entries().collect();
            found.sort_by_key(|entry| entry.0);
            let wanted: Vec<_> = map.iter().map(|(&n, &(s, w))| (n, s, w)).collect();
            assert_eq!(found, wanted);
        }
    }
}
