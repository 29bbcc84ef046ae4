//! All kinds of signatures behind one call.

use super::{
    Spectrum, Wave, anchored_signature, default_heat_times, default_wavelet_scales, diffusion_time,
    heat_signature, wave_signature, wavelet_signature,
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
}

impl std::str::FromStr for SignatureKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "heat" => Ok(Self::Heat),
            "wave" => Ok(Self::Wave),
            "wavelet" => Ok(Self::Wavelet),
            "anchored" => Ok(Self::Anchored),
            _ => Err(Error::parameter(
                "kind",
                format!("`{name}`"),
                "heat, wave, wavelet or anchored",
            )),
        }
    }
}

impl SignatureKind {
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
            Self::Wave | Self::Anchored => {
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
        for name in ["heat", "wave", "wavelet", "anchored"] {
            let kind: SignatureKind = name.parse().unwrap();
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
