//! All kinds of signatures behind one call.

use super::{
    Spectrum, Wave, anchored_signature, default_dampings, default_distances, default_heat_times,
    default_ranks, default_wavelet_scales, diffusion_time, heat_signature, neighbourhood_signature,
    node_signature, random_walk_signature, topological_signature, wave_signature,
    wavelet_signature,
};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::monitor::Monitor;

/// The kinds of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureKind {
    /// [`heat_signature`]; t are times.
    Heat,
    /// [`wave_signature`]; t are log-energies.
    Wave,
    /// [`wavelet_signature`]; t are scales.
    Wavelet,
    /// [`anchored_signature`]; t are times, and no eigenvector is needed.
    Anchored,
    /// [`random_walk_signature`]; t are dampings.
    RandomWalk,
    /// [`node_signature`]; t are ranks, 0 for the degree.
    Node,
    /// [`neighbourhood_signature`]; t are steps.
    Neighbourhood,
    /// [`topological_signature`]; t are ranks, from 1.
    Topological,
}

impl std::str::FromStr for SignatureKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let (last, others) = names.split_last().expect("there are kinds");
            let expected = format!("{} or {last}", others.join(", "));
            Error::parameter("kind", format!("`{name}`"), expected)
        })
    }
}

impl SignatureKind {
    /// All, the Laplacian family first.
    pub const ALL: [Self; 8] = [
        Self::Heat,
        Self::Wave,
        Self::Wavelet,
        Self::Anchored,
        Self::RandomWalk,
        Self::Node,
        Self::Neighbourhood,
        Self::Topological,
    ];

    /// The name by which a user picks it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heat => "heat",
            Self::Wave => "wave",
            Self::Wavelet => "wavelet",
            Self::Anchored => "anchored",
            Self::RandomWalk => "random-walk",
            Self::Node => "node",
            Self::Neighbourhood => "neighbourhood",
            Self::Topological => "topological",
        }
    }

    /// What it is and whose, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Heat => "heat that stays, by time (Sun et al. 2009)",
            Self::Wave => "waves, by log-energy (Aubry et al. 2011)",
            Self::Wavelet => "wavelets, by scale (Hammond et al. 2011)",
            Self::Anchored => "heat received from anchors, by time",
            Self::RandomWalk => "visits of a random walk, by damping (Gori et al. 2005)",
            Self::Node => "degree and edge weights, by rank (Jouili, Tabbone 2009)",
            Self::Neighbourhood => "nodes so many steps away (Wong et al. 2006)",
            Self::Topological => {
                "eigenvalue sums of the parts below, by rank (Shokoufandeh, Dickinson 2001)"
            }
        }
    }

    /// How many values of t there are when nobody says.
    #[must_use]
    pub fn default_count(self) -> usize {
        if self == Self::Wave { 100 } else { 16 }
    }

    /// The signature of every node and the values of t of its columns: those given, or `count` spread over
    /// the graph's spectrum. `anchors` are those of [`Anchored`](Self::Anchored).
    ///
    /// Log-energies that are given keep the width that `count` of them have.
    ///
    /// # Errors
    /// As those of the kinds.
    pub fn signature(
        self,
        graph: &Graph,
        times: Option<Vec<f64>>,
        count: usize,
        anchors: &[usize],
        monitor: &Monitor,
    ) -> Result<(Matrix, Vec<f64>)> {
        if self == Self::Anchored {
            let times = match times {
                Some(times) => times,
                None => default_anchored_times(graph, count)?,
            };
            let values = anchored_signature(graph, anchors, &times, monitor)?;
            return Ok((values, times));
        }
        match self {
            Self::RandomWalk => {
                let dampings = times.unwrap_or_else(|| default_dampings(count));
                return Ok((random_walk_signature(graph, &dampings, monitor)?, dampings));
            }
            Self::Node => {
                let ranks = times.unwrap_or_else(|| default_ranks(count));
                return Ok((node_signature(graph, &ranks)?, ranks));
            }
            Self::Neighbourhood => {
                let steps = times.unwrap_or_else(|| default_distances(count));
                return Ok((neighbourhood_signature(graph, &steps, monitor)?, steps));
            }
            Self::Topological => {
                let ranks = times.unwrap_or_else(|| default_distances(count));
                return Ok((topological_signature(graph, &ranks, monitor)?, ranks));
            }
            Self::Heat | Self::Wave | Self::Wavelet | Self::Anchored => {}
        }
        let spectrum = Spectrum::of(graph, monitor)?;
        match self {
            Self::Heat => {
                let times = times.unwrap_or_else(|| default_heat_times(&spectrum, count));
                Ok((heat_signature(&spectrum, &times)?, times))
            }
            Self::Wavelet => {
                let scales = times.unwrap_or_else(|| default_wavelet_scales(&spectrum, count));
                Ok((wavelet_signature(&spectrum, &scales)?, scales))
            }
            _ => {
                let mut wave = Wave::covering(&[(&spectrum, 1.0)], count)?;
                if let Some(energies) = times {
                    wave.energies = energies;
                }
                Ok((wave_signature(&spectrum, &wave, 1.0)?, wave.energies))
            }
        }
    }
}

/// Times in geometric steps around the graph's own diffusion time, which needs no eigenvalue.
fn default_anchored_times(graph: &Graph, count: usize) -> Result<Vec<f64>> {
    let (from, to) = (0.1f64, 10.0f64);
    let step = (to / from).ln() / (count.max(2) - 1) as f64;
    (0..count)
        .map(|k| diffusion_time(graph, from * (step * k as f64).exp()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_columns_that_are_asked_for() {
        let edges = [
            (0, 1, 1.0),
            (1, 2, 2.0),
            (2, 3, 0.5),
            (3, 0, 1.5),
            (1, 3, 1.0),
        ];
        let graph = Graph::from_edges(4, &edges).unwrap();
        for kind in SignatureKind::ALL {
            let name = kind.as_str();
            assert_eq!(name.parse::<SignatureKind>().unwrap(), kind);
            assert!(!kind.about().is_empty());
            let monitor = Monitor::silent();
            let anchors = [0, 2];
            let (values, times) = kind.signature(&graph, None, 5, &anchors, &monitor).unwrap();
            let each = if name == "anchored" { 2 } else { 1 };
            assert_eq!((values.rows(), values.cols()), (4, 5 * each), "{name}");
            assert!(times.windows(2).all(|w| w[0] < w[1]), "{name}: {times:?}");
            // The values of t that come out go in.
            let again = kind.signature(&graph, Some(times.clone()), 5, &anchors, &monitor);
            assert_eq!(again.unwrap(), (values, times));
        }
        assert!("shade".parse::<SignatureKind>().is_err());
    }

    #[test]
    fn anchored_times_lie_around_the_diffusion_time() {
        let graph = Graph::from_edges(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap();
        let times = default_anchored_times(&graph, 3).unwrap();
        for (time, tau) in times.iter().zip([0.1, 1.0, 10.0]) {
            let want = diffusion_time(&graph, tau).unwrap();
            assert!((time - want).abs() < 1e-12 * want);
        }
    }
}
