//! Who lies near a place: points sorted into the cells of a grid.

use super::small::{Vector, difference, dot};

/// Cells along one side at most.
const MOST_CELLS: usize = 512;

/// Points of a set by the cell they lie in.
#[derive(Debug, Clone)]
pub(super) struct Index<const D: usize> {
    cell: f64,
    low: Vector<D>,
    cells: [usize; D],
    offsets: Vec<u32>,
    /// Points in the order of their cells, with their places in the set.
    points: Vec<(u32, Vector<D>)>,
    density: f64,
}

impl<const D: usize> Index<D> {
    /// An index with about two points a cell.
    pub(super) fn new(points: &[Vector<D>]) -> Self {
        let bound = |pick: fn(f64, f64) -> f64, start: f64| -> Vector<D> {
            std::array::from_fn(|k| points.iter().map(|p| p[k]).fold(start, pick))
        };
        let low = bound(f64::min, f64::INFINITY);
        let high = bound(f64::max, f64::NEG_INFINITY);
        let longest = (0..D).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let across = (points.len() as f64 / 2.0)
            .powf(1.0 / D as f64)
            .ceil()
            .max(1.0);
        let cell = (longest / across)
            .max(longest / MOST_CELLS as f64)
            .max(1e-9);
        let cells = std::array::from_fn(|k| ((high[k] - low[k]) / cell) as usize + 1);
        let mut index = Self {
            cell,
            low,
            cells,
            offsets: vec![0; cells.iter().product::<usize>() + 1],
            points: Vec::with_capacity(points.len()),
            density: 0.0,
        };
        let mut order: Vec<(usize, u32)> = (0..points.len())
            .map(|a| (index.cell_of(&points[a]), a as u32))
            .collect();
        order.sort_unstable();
        for &(cell, a) in &order {
            index.offsets[cell + 1] += 1;
            index.points.push((a, points[a as usize]));
        }
        for c in 1..index.offsets.len() {
            index.offsets[c] += index.offsets[c - 1];
        }
        let filled = index.offsets.windows(2).filter(|w| w[0] < w[1]).count();
        let volume = filled.max(1) as f64 * cell.powi(D as i32);
        index.density = points.len() as f64 / volume;
        index
    }

    /// Points for each unit of volume, on average over the cells that hold any.
    pub(super) fn density(&self) -> f64 {
        self.density
    }

    fn coordinate(&self, x: f64, k: usize) -> usize {
        // A float below zero becomes 0, one beyond the last cell is cut off.
        (((x - self.low[k]) / self.cell) as usize).min(self.cells[k] - 1)
    }

    fn cell_of(&self, point: &Vector<D>) -> usize {
        (0..D).fold(0, |cell, k| {
            cell * self.cells[k] + self.coordinate(point[k], k)
        })
    }

    /// Visits the points within `radius` of `centre` in each coordinate, and some beyond.
    pub(super) fn around(
        &self,
        centre: &Vector<D>,
        radius: f64,
        mut visit: impl FnMut(usize, &Vector<D>),
    ) {
        let outside = |k: usize| {
            let high = self.low[k] + self.cells[k] as f64 * self.cell;
            !(centre[k] + radius >= self.low[k] && centre[k] - radius <= high)
        };
        if (0..D).any(outside) {
            return;
        }
        let first: [usize; D] = std::array::from_fn(|k| self.coordinate(centre[k] - radius, k));
        let last: [usize; D] = std::array::from_fn(|k| self.coordinate(centre[k] + radius, k));
        let mut at = first;
        loop {
            // A row of cells along the last coordinate lies in one piece.
            let start = (0..D).fold(0, |cell, k| cell * self.cells[k] + at[k]);
            let end = start + last[D - 1] - at[D - 1];
            let range = self.offsets[start] as usize..self.offsets[end + 1] as usize;
            for (a, point) in &self.points[range] {
                visit(*a as usize, point);
            }
            let Some(k) = (0..D - 1).rev().find(|&k| at[k] < last[k]) else {
                return;
            };
            at[k] += 1;
            at[k + 1..].copy_from_slice(&first[k + 1..]);
        }
    }

    /// The squared distance to the nearest point within `radius`.
    pub(super) fn nearest(&self, centre: &Vector<D>, radius: f64) -> Option<f64> {
        let mut best = radius * radius;
        let mut found = None;
        self.around(centre, radius, |_, point| {
            let along = difference(point, centre);
            let squared = dot(&along, &along);
            if squared < best {
                best = squared;
                found = Some(squared);
            }
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::small::squared_distance;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn check<const D: usize>(count: usize) {
        let mut random = ChaCha8Rng::seed_from_u64(count as u64);
        let points: Vec<Vector<D>> = (0..count)
            .map(|_| std::array::from_fn(|_| random.random_range(-2.0..2.0)))
            .collect();
        let index = Index::new(&points);
        for _ in 0..50 {
            let centre: Vector<D> = std::array::from_fn(|_| random.random_range(-3.0..3.0));
            let radius = random.random_range(0.0..1.5);
            let within = |p: &Vector<D>| squared_distance(p, &centre) <= radius * radius;
            let mut found = Vec::new();
            index.around(&centre, radius, |a, p| {
                assert_eq!(*p, points[a]);
                if within(p) {
                    found.push(a);
                }
            });
            found.sort_unstable();
            let wanted: Vec<usize> = (0..count).filter(|&a| within(&points[a])).collect();
            assert_eq!(found, wanted);
            let nearest = points.iter().map(|p| squared_distance(p, &centre));
            let nearest = nearest
                .filter(|d| *d < radius * radius)
                .min_by(f64::total_cmp);
            assert_eq!(index.nearest(&centre, radius), nearest);
        }
    }

    #[test]
    fn what_is_found_is_what_a_walk_over_all_points_finds() {
        for count in [1, 2, 30, 700] {
            check::<2>(count);
            check::<3>(count);
        }
    }

    #[test]
    fn coincident_points_and_places_that_are_no_number_are_no_trouble() {
        let index = Index::new(&[[1.0, 1.0]; 5]);
        let mut count = 0;
        index.around(&[1.0, 1.0], 0.1, |_, _| count += 1);
        assert_eq!(count, 5);
        assert_eq!(index.nearest(&[f64::NAN, 0.0], 1.0), None);
    }
}
