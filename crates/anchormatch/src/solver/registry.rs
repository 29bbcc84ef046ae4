//! All solvers by name. A new one adds its file, and its line here.

use super::{
    Anneal, Faq, Gagm, Goat, Hgm, Ils, Ipfp, MeanField, Path, Portfolio, Rrwm, Sm, Smac, Solver,
    Spgm, Tabu, TwoOpt, Umeyama,
};
use crate::error::{Error, Result};

/// Every solver with its default parameters, relaxations first.
#[must_use]
pub fn all() -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(Rrwm::default()),
        Box::new(Sm::default()),
        Box::new(Smac::default()),
        Box::new(Hgm::default()),
        Box::new(Ipfp::default()),
        Box::new(Gagm::default()),
        Box::new(MeanField::default()),
        Box::new(Spgm::default()),
        Box::new(Faq::default()),
        Box::new(Goat::default()),
        Box::new(Path::default()),
        Box::new(Umeyama::default()),
        Box::new(TwoOpt::default()),
        Box::new(Ils::default()),
        Box::new(Tabu::default()),
        Box::new(Anneal::default()),
        Box::new(Portfolio::default()),
    ]
}

/// The solver called `name`.
///
/// # Errors
/// When there is none; the message lists the names.
pub fn by_name(name: &str) -> Result<Box<dyn Solver>> {
    let solvers = all();
    let names: Vec<&str> = solvers.iter().map(|s| s.info().name).collect();
    match names.iter().position(|known| *known == name) {
        Some(place) => Ok(solvers
            .into_iter()
            .nth(place)
            .expect("place within the list")),
        None => Err(Error::parameter(
            "solver",
            format!("`{name}`"),
            format!("one of {}", names.join(", ")),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_distinct_and_found() {
        let names: HashSet<&str> = all().iter().map(|s| s.info().name).collect();
        assert_eq!(names.len(), all().len());
        for name in names {
            assert_eq!(by_name(name).unwrap().info().name, name);
        }
        let message = by_name("magic").err().unwrap().to_string();
        assert!(message.contains("`magic`") && message.contains("rrwm"));
    }
}
