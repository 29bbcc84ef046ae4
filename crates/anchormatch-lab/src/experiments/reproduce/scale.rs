//! How much is run.

/// The sizes of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// Trials at each point of a synthetic sweep.
    pub synthetic: usize,
    /// Offsets of a film: view f is compared with the views f ± d for so many d, all when there are no
    /// more.
    pub offsets: usize,
    /// Those among the offsets at which slow methods run, too.
    pub slow_offsets: usize,
    /// Trials of each ablation.
    pub ablations: usize,
    /// Draws of anchors of each example matching.
    pub draws: usize,
}

impl Scale {
    /// The full run.
    #[must_use]
    pub fn full() -> Self {
        Self {
            synthetic: 100,
            offsets: usize::MAX,
            slow_offsets: 5,
            ablations: 200,
            draws: 50,
        }
    }

    /// A first impression, in minutes.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            synthetic: 10,
            offsets: 3,
            slow_offsets: 1,
            ablations: 15,
            draws: 5,
        }
    }

    /// `trials` at every point of random graphs and of every example, three times as many of the
    /// ablations, whose differences are small, and a quarter as many offsets of films, each of which
    /// gives every view two partners.
    #[must_use]
    pub fn of(trials: usize) -> Self {
        Self {
            synthetic: trials,
            offsets: trials.div_ceil(4),
            slow_offsets: trials.div_ceil(16).min(5),
            ablations: 3 * trials,
            draws: trials,
        }
    }
}
