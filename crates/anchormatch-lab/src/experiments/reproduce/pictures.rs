//! Example matchings as pictures, as in the paper's Figures 2 and 4.

use anchormatch::{Error, Monitor, Result};
use anchormatch_report::views::{Backdrop, Views};

use super::protocol::{Protocol, derived_seed};

/// The first draw of the anchors at a point, matched by each of `methods` (name and caption), in views of
/// this size.
///
/// # Errors
/// When a method fails, or the trial has no positions.
pub(super) fn picture(
    protocol: &Protocol,
    point: usize,
    methods: &[(&str, String)],
    (size, backdrop): ([f64; 2], &Backdrop),
    id: &str,
    monitor: &Monitor,
) -> Result<String> {
    let trial = protocol.points[point].trial(0)?;
    let name = &protocol.points[point].name;
    let seed = derived_seed(protocol.seed, &[&protocol.name, name, &0, &"methods"]);
    let mut rows = Vec::with_capacity(methods.len());
    for (method, caption) in methods {
        let Some(place) = protocol.place(method) else {
            continue;
        };
        let (matching, outcome) = protocol.entries[place].run(&trial, seed, monitor)?;
        let pairs = matching.pairs.iter().map(|p| (p.source, p.target));
        let pairs: Vec<_> = pairs.collect();
        let caption = format!("{caption}: {} of {} right", outcome.right, outcome.asked);
        rows.push((caption, pairs));
    }
    let instance = &trial.instance;
    let (Some(source), Some(target)) = (&instance.source_positions, &instance.target_positions)
    else {
        return Err(Error::parameter(
            "positions",
            "none",
            "a point for every node",
        ));
    };
    let views = Views {
        source,
        target,
        truth: &instance.truth,
        anchors: &trial.anchors,
        size,
        backdrop,
        id,
    };
    Ok(views.svg(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Scale;
    use crate::experiments::reproduce::films::{Film, matchings};
    use anchormatch_generate::house;

    #[test]
    fn every_pair_has_a_line_in_its_colour() {
        let protocol = matchings(None, &Film::our_house(), &Scale::of(1), 3);
        let methods = [
            ("adjacency", "RRWM".to_owned()),
            ("heat+ap", "ours".to_owned()),
        ];
        let house = Backdrop::Wireframe(house::wireframe());
        let draw = |methods: &[(&str, String)], backdrop: &Backdrop| {
            let view = (house::IMAGE_SIZE, backdrop);
            picture(&protocol, 0, methods, view, "h", &Monitor::silent()).unwrap()
        };
        let svg = draw(&methods, &house);
        let count = |colour: &str| svg.matches(&format!("stroke=\"{colour}\"")).count();
        assert_eq!(count("#ffd42a") + count("#ff2a2a"), 2 * 51);
        assert_eq!(count("#8d949f"), 2 * 2 * house::wireframe().len());
        assert_eq!(count("#2aa5ff"), 2 * 2 * 2);
        // The captions say what the lines show; anchors are right and not asked.
        let told = |method: &str| -> usize {
            let at = svg.find(&format!("{method}: ")).unwrap() + method.len() + 2;
            svg[at..].split(' ').next().unwrap().parse().unwrap()
        };
        assert_eq!(told("RRWM") + told("ours") + 4, count("#ffd42a"));
        let frames = Backdrop::Frames([b"one".to_vec(), b"two".to_vec()]);
        let svg = draw(&methods[..1], &frames);
        assert!(
            svg.contains("id=\"h-1\"")
                && svg.contains("href=\"#h-1\"")
                && svg.contains("base64,b25l")
        );
    }
}
