//! Loops for the widest vectors that the machine has, not only for those that all machines have.

/// The vector instructions of the machine that runs the program.
#[derive(Debug, Clone, Copy)]
pub struct Vectors(pulp::Arch);

impl Vectors {
    /// Looks what there is.
    #[must_use]
    pub fn new() -> Self {
        Self(pulp::Arch::new())
    }

    /// Runs `work`, compiled for these instructions, with everything that is inlined into it.
    ///
    /// No operation is fused or reordered: the results are the same on all machines.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.dispatch(work)
    }
}

impl Default for Vectors {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_the_same_as_without() {
        let numbers: Vec<f64> = (0..100).map(|k| 0.1 * f64::from(k)).collect();
        let work = || numbers.iter().map(|v| v * v + 0.3).collect::<Vec<_>>();
        assert_eq!(Vectors::new().run(work), work());
    }
}
