//! How two graphs agree on the pairs of a matching: the model's sufficient statistics.

use super::Observations;

/// Counts of presences, and sums over the edges that both graphs have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Agreement {
    /// How many pairs are an edge in the source (first index) and in the target (second).
    pub counts: [[f64; 2]; 2],
    /// Σ x over edges of both, x less the source's mean; the others alike.
    pub sum_x: f64,
    /// Σ y.
    pub sum_y: f64,
    /// Σ x².
    pub sum_xx: f64,
    /// Σ y².
    pub sum_yy: f64,
    /// Σ x y.
    pub sum_xy: f64,
}

impl Agreement {
    /// The agreement on all pairs of a matching's nodes, in both directions where edges have them.
    ///
    /// # Complexity
    /// O(k²) for k matched nodes.
    #[must_use]
    pub fn of(matched: &[(usize, usize)], source: &Observations, target: &Observations) -> Self {
        let mut agreement = Self::default();
        for (place, &(i, a)) in matched.iter().enumerate() {
            for &(j, b) in &matched[..place] {
                agreement.add(source.get(i, j), target.get(a, b), source, target, 1.0);
                if source.is_directed() {
                    agreement.add(source.get(j, i), target.get(b, a), source, target, 1.0);
                }
            }
        }
        agreement
    }

    /// Adds one pair of pairs with a weight.
    pub fn add(
        &mut self,
        x: Option<f64>,
        y: Option<f64>,
        source: &Observations,
        target: &Observations,
        weight: f64,
    ) {
        self.counts[usize::from(x.is_some())][usize::from(y.is_some())] += weight;
        if let (Some(x), Some(y)) = (x, y) {
            let (x, y) = (x - source.mean(), y - target.mean());
            self.sum_x += weight * x;
            self.sum_y += weight * y;
            self.sum_xx += weight * x * x;
            self.sum_yy += weight * y * y;
            self.sum_xy += weight * x * y;
        }
    }

    /// Adds another agreement.
    pub fn merge(&mut self, other: &Self) {
        for e in 0..2 {
            for f in 0..2 {
                self.counts[e][f] += other.counts[e][f];
            }
        }
        self.sum_x += other.sum_x;
        self.sum_y += other.sum_y;
        self.sum_xx += other.sum_xx;
        self.sum_yy += other.sum_yy;
        self.sum_xy += other.sum_xy;
    }

    /// Scales all counts and sums.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for row in &mut self.counts {
            for count in row {
                *count *= factor;
            }
        }
        self.sum_x *= factor;
        self.sum_y *= factor;
        self.sum_xx *= factor;
        self.sum_yy *= factor;
        self.sum_xy *= factor;
        self
    }

    /// The number of pairs of pairs.
    #[must_use]
    pub fn pairs(&self) -> f64 {
        self.counts.iter().flatten().sum()
    }

    /// Edges that both graphs have.
    #[must_use]
    pub fn conserved(&self) -> f64 {
        self.counts[1][1]
    }
}
