//! The points at which solvers are compared: one parameter moves, the others stay.
//!
//! After Cho, Lee & Lee (ECCV 2010), with 20 inliers unless said otherwise. Density and size come with
//! some noise, without which every solver is right.

use anchormatch_generate::Synthetic;

use super::{SolverPoint, SolverScore};

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// σ from 0.1 to 0.5.
    Noise,
    /// 6 and 10 outliers on either side, without noise.
    Outliers,
    /// ρ = 0.3 and 0.9 at σ = 0.25.
    Density,
    /// 50 and 100 inliers at σ = 0.3.
    Size,
}

/// A point of a sweep.
#[derive(Debug, Clone)]
pub struct SweepPoint {
    /// The sweep that it belongs to.
    pub sweep: Sweep,
    /// The parameter that moves.
    pub x: f64,
    /// The trials.
    pub point: SolverPoint,
}

/// What the solvers did at a point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepScores {
    /// The sweep.
    pub sweep: Sweep,
    /// The parameter that moves.
    pub x: f64,
    /// A score for each solver, in the order of the solvers.
    pub scores: Vec<SolverScore>,
}

impl Sweep {
    /// All sweeps in the order in which tables show them.
    pub const ALL: [Self; 4] = [Self::Noise, Self::Outliers, Self::Density, Self::Size];

    /// The sweep's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Outliers => "outliers",
            Self::Density => "density",
            Self::Size => "size",
        }
    }

    /// What moves and what stays, in words.
    #[must_use]
    pub fn axis(self) -> &'static str {
        match self {
            Self::Noise => "noise σ",
            Self::Outliers => "outliers on either side",
            Self::Density => "density ρ at σ = 0.25",
            Self::Size => "inliers n at σ = 0.3",
        }
    }

    /// A point's short name: `σ 0.3`.
    #[must_use]
    pub fn label(self, x: f64) -> String {
        let symbol = match self {
            Self::Noise => "σ",
            Self::Outliers => "out",
            Self::Density => "ρ",
            Self::Size => "n",
        };
        format!("{symbol} {x}")
    }

    /// The sweep's points; each has the trials, anchors and seed of `template`.
    #[must_use]
    pub fn points(self, template: &SolverPoint) -> Vec<SweepPoint> {
        let of = |x: f64, graphs: Synthetic| SweepPoint {
            sweep: self,
            x,
            point: SolverPoint {
                graphs,
                ..template.clone()
            },
        };
        let noisy = |noise: f64| Synthetic {
            noise,
            ..Synthetic::default()
        };
        match self {
            Self::Noise => [0.1, 0.2, 0.3, 0.4, 0.5].map(|x| of(x, noisy(x))).to_vec(),
            Self::Outliers => [6, 10]
                .map(|count: u8| {
                    let graphs = Synthetic {
                        source_outliers: usize::from(count),
                        target_outliers: usize::from(count),
                        ..Synthetic::default()
                    };
                    of(f64::from(count), graphs)
                })
                .to_vec(),
            Self::Density => [0.3, 0.9]
                .map(|density| {
                    let graphs = Synthetic {
                        density,
                        ..noisy(0.25)
                    };
                    of(density, graphs)
                })
                .to_vec(),
            Self::Size => [50, 100]
                .map(|inliers: u8| {
                    let graphs = Synthetic {
                        inliers: usize::from(inliers),
                        ..noisy(0.3)
                    };
                    of(f64::from(inliers), graphs)
                })
                .to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_protocol() {
        let template = SolverPoint {
            trials: 7,
            ..SolverPoint::default()
        };
        let all: Vec<SweepPoint> = Sweep::ALL
            .into_iter()
            .flat_map(|sweep| sweep.points(&template))
            .collect();
        let labels: Vec<String> = all.iter().map(|p| p.sweep.label(p.x)).collect();
        assert_eq!(
            labels,
            [
                "σ 0.1", "σ 0.2", "σ 0.3", "σ 0.4", "σ 0.5", "out 6", "out 10", "ρ 0.3", "ρ 0.9",
                "n 50", "n 100"
            ]
        );
        assert!(all.iter().all(|p| p.point.trials == 7));
        let graphs = |place: usize| &all[place].point.graphs;
        assert_eq!((graphs(2).inliers, graphs(2).noise), (20, 0.3));
        assert_eq!((graphs(6).target_outliers, graphs(6).noise), (10, 0.0));
        assert_eq!((graphs(7).density, graphs(7).noise), (0.3, 0.25));
        assert_eq!((graphs(10).inliers, graphs(10).noise), (100, 0.3));
    }
}
