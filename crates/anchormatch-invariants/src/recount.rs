//! The objective of a matching counted again, entry by entry, by other means than the matcher's.
//!
//! `paper`: xᵀWx = Σ u(i, a) + Σ_{i≠j} exp(−(x_ij − y_ab)²/s) over the pairs of free nodes, with s
//! from a mean over all quadruples where the matcher takes moments, and the kernel itself where the
//! matcher takes factors.
//!
//! `best` and `fast`: the logarithm of the posterior against nothing matched. With the scales fitted
//! to the matching, a share of Σ g over all pairs of its pairs, one by one where the matcher takes
//! sufficient statistics, what soft anchors say, and the prior 1/((1 + min) C(n, k) C(m, k) k!).

use std::collections::BTreeMap;

use anchormatch::affinity::first_order::{diffusion_loss, heat_to_anchors, wave_distance};
use anchormatch::affinity::likelihood::{
    Agreement, Observations, PairModel, Scale, are_counts, are_lengths, has_heavy_tails,
};
use anchormatch::affinity::proximity::Examples;
use anchormatch::anchors::Anchor;
use anchormatch::linalg::Matrix;
use anchormatch::matcher::{Best, Matcher, Paper, Terms};
use anchormatch::spectral::{Spectrum, diffusion_time, heat_kernel, mean_eigenvalue};
use anchormatch::{Anchors, Graph, Monitor, Result, Task};
use serde::de::DeserializeOwned;
use serde_json::Value;

type Pairs = [(usize, usize)];

/// The parameters of a matcher that follows the paper.
#[must_use]
pub fn as_paper(matcher: &dyn Matcher) -> Option<Paper> {
    read_as(matcher, &["paper"])
}

/// The parameters of `best` or `fast`.
#[must_use]
pub fn as_best(matcher: &dyn Matcher) -> Option<Best> {
    read_as(matcher, &["best", "fast"])
}

/// The parameters of a matcher that goes by one of the names.
fn read_as<T: DeserializeOwned>(matcher: &dyn Matcher, names: &[&str]) -> Option<T> {
    let own = names.contains(&matcher.name());
    let read = |parameters| serde_json::from_value(Value::Object(parameters));
    own.then(|| read(matcher.parameters()).expect("parameters are read as they were written"))
}

/// xᵀWx of the free pairs among `pairs` in the program of preset `paper`.
///
/// # Errors
/// When the matcher would fail in the same place.
pub fn paper(preset: &Paper, task: &Task<'_>, pairs: &Pairs) -> Result<f64> {
    let ([source, target], anchors) = (task.graphs(), task.anchors());
    let terms = if anchors.is_empty() {
        preset.terms.without_anchors()
    } else {
        preset.terms
    };
    let free = anchors.free_nodes(source, target);
    let (values, unary) = if terms.uses_heat() {
        let own = [source, target].map(in_ordinary_unit);
        heat_parts(preset, terms, [&own[0], &own[1]], anchors, &free)?
    } else {
        let unary = Matrix::zeros(free.0.len(), free.1.len());
        (common_unit([source.adjacency(), target.adjacency()]), unary)
    };
    let [x, y] = &values;
    let (mut squares, mut count) = (0.0, 0.0);
    for (&i, &j) in distinct(&free.0) {
        for (&a, &b) in distinct(&free.1) {
            squares += (x[(i, j)] - y[(a, b)]).powi(2);
            count += 1.0;
        }
    }
    let mean = squares / f64::max(count, 1.0);
    // Values that are equal but for rounding are equal.
    let largest = largest_of(&free.0, x).max(largest_of(&free.1, y));
    let s = if mean > (1e-12 * largest).powi(2) {
        preset.width * mean
    } else {
        0.0
    };
    let matched = places(&free, pairs);
    let mut total = 0.0;
    for &(k, l) in &matched {
        total += unary[(k, l)];
        for &(p, q) in matched.iter().filter(|other| **other != (k, l)) {
            let difference = x[(free.0[k], free.0[p])] - y[(free.1[l], free.1[q])];
            total += if s > 0.0 {
                (-difference * difference / s).exp()
            } else {
                1.0
            };
        }
    }
    Ok(total)
}

/// The evidence in nats of a matching under the scales that are fitted to it, without similarities.
#[must_use]
pub fn best(task: &Task<'_>, pairs: &Pairs) -> f64 {
    let (graphs, anchors) = (task.graphs(), task.anchors());
    let [source, target] = graphs;
    let scale = if are_lengths(source) && are_lengths(target) {
        Scale::Roots
    } else if has_heavy_tails(source) || has_heavy_tails(target) {
        let counts = [source, target].map(are_counts);
        if counts == [true, true] && task.nodes() >= 64 {
            Scale::Counts
        } else {
            Scale::Ranks
        }
    } else {
        Scale::AsGiven
    };
    let [x, y] = graphs.map(|graph| Observations::of(graph, scale, task.is_directed()));
    let free = anchors.free_nodes(source, target);
    let matched = places(&free, pairs);
    let inner = matched.iter().map(|&(k, l)| (free.0[k], free.1[l]));
    let all: Vec<_> = anchors.hard().iter().copied().chain(inner).collect();
    let model = PairModel::fit(&Agreement::of(&all, &x, &y), &x, &y);
    let mut edges = 0.0;
    for (place, &(i, a)) in all.iter().enumerate() {
        for &(j, b) in &all[..place] {
            edges += model.evidence(x.get(i, j), y.get(a, b));
            if task.is_directed() {
                edges += model.evidence(x.get(j, i), y.get(b, a));
            }
        }
    }
    let mut soft = 0.0;
    let others = (free.1.len().max(2) - 1) as f64;
    for anchor in anchors.soft() {
        // A soft anchor on a pair that a hard one fixes adds nothing.
        let pair = (anchor.source, anchor.target);
        if pairs.contains(&pair) && !places(&free, &[pair]).is_empty() {
            soft += (anchor.weight / (1.0 - anchor.weight) * others).ln();
        }
    }
    let (n, m, k) = (free.0.len(), free.1.len(), matched.len());
    // n!/(n − k)! · m!/(m − k)! / k! · (1 + min), in logarithm.
    let mut choices = ((1 + n.min(m)) as f64).ln();
    for i in 0..k {
        choices += ((n - i) as f64 * (m - i) as f64 / (i + 1) as f64).ln();
    }
    let mut share = independent_share(&model, [&x, &y], &all);
    if scale == Scale::Counts {
        share *= measured_share(&model, [&x, &y], &all);
    }
    share * edges + soft - choices
}

/// (tr RRᵀ)²/tr (RRᵀ)² of the residuals, over what independent noise would give, less twice what that
/// varies by.
fn independent_share(model: &PairModel, [x, y]: [&Observations; 2], all: &Pairs) -> f64 {
    let n = all.len();
    let complete = x.is_complete() && y.is_complete();
    if !(4..=1000).contains(&n) || !complete || x.variance() <= 0.0 {
        return 1.0;
    }
    let residual = |k: usize, l: usize| {
        let ((i, a), (j, b)) = (all[k], all[l]);
        match (x.get(i, j), y.get(a, b)) {
            (Some(x), Some(y)) => model.residual(x, y),
            _ => 0.0,
        }
    };
    let (mut second, mut fourth) = (0.0, 0.0);
    for k in 0..n {
        for l in 0..n {
            let square: f64 = (0..n).map(|p| residual(k, p) * residual(l, p)).sum();
            fourth += square * square;
            second += if k == l { square } else { 0.0 };
        }
    }
    let n = n as f64;
    if fourth > 0.0 {
        let ratio = second * second / fourth * (2.0 * n - 1.0) / (n * (n - 1.0));
        f64::min(ratio / (1.0 - 2.8 / n), 1.0)
    } else {
        1.0
    }
}

/// The mutual information of the octaves of matched counts over what a Gaussian of the same correlation has.
fn measured_share(model: &PairModel, [x, y]: [&Observations; 2], all: &Pairs) -> f64 {
    let claimed = -0.5 * (1.0 - model.correlation().powi(2)).ln();
    if all.len() < 4 || x.variance() <= 0.0 || !(claimed > 0.0 && claimed.is_finite()) {
        return 1.0;
    }
    let octave = |v: f64| {
        ((v.exp() - 1.0).round() as u64 + 1)
            .next_power_of_two()
            .ilog2()
            .min(15)
    };
    let mut joint: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
    for &(i, a) in all {
        for &(j, b) in all.iter().filter(|pair| pair.0 != i) {
            let (k, l) = (x.get(i, j).map(octave), y.get(a, b).map(octave));
            let (k, l) = (k.unwrap_or(0), l.unwrap_or(0));
            *joint.entry((k, l)).or_default() += 1.0;
            *first.entry(k).or_insert(0.0) += 1.0;
            *second.entry(l).or_insert(0.0) += 1.0;
        }
    }
    let total: f64 = joint.values().sum();
    let entropy = |counts: &mut dyn Iterator<Item = &f64>| -> f64 {
        counts.map(|c| -c / total * (c / total).ln()).sum()
    };
    let information =
        entropy(&mut first.values()) + entropy(&mut second.values()) - entropy(&mut joint.values());
    let chance = ((first.len() - 1) * (second.len() - 1)) as f64 / (2.0 * total);
    ((information - chance).max(0.0) / claimed).min(1.0)
}

/// Heat relative to 1/n of both graphs, and W's diagonal.
fn heat_parts(
    preset: &Paper,
    terms: Terms,
    graphs: [&Graph; 2],
    anchors: &Anchors,
    free: &(Vec<usize>, Vec<usize>),
) -> Result<([Matrix; 2], Matrix)> {
    let monitor = Monitor::silent();
    let spectra = [
        Spectrum::of(graphs[0], &monitor)?,
        Spectrum::of(graphs[1], &monitor)?,
    ];
    let heat = |g: usize| -> Result<Matrix> {
        let kernel = heat_kernel(&spectra[g], diffusion_time(graphs[g], preset.tau)?);
        let n = graphs[g].node_count();
        Ok(Matrix::from_fn(n, n, |u, v| n as f64 * kernel[(u, v)]))
    };
    let kernels = [heat(0)?, heat(1)?];
    let both = [&kernels[0], &kernels[1]];
    let mut unary = Matrix::zeros(free.0.len(), free.1.len());
    let mut add = |distance: &Matrix, weight: f64| {
        let count = distance.as_slice().len().max(1) as f64;
        let mean = distance.as_slice().iter().sum::<f64>() / count;
        for (slot, d) in unary.as_mut_slice().iter_mut().zip(distance.as_slice()) {
            *slot += weight * if mean > 0.0 { (-d / mean).exp() } else { 1.0 };
        }
    };
    if terms.uses_wave() {
        let means = graphs.map(mean_eigenvalue);
        let energies = preset.wave_energies;
        let spectra = [&spectra[0], &spectra[1]];
        let distance = wave_distance(spectra, means, energies, &free.0, &free.1)?;
        add(&distance, preset.wave_weight);
    }
    if terms.uses_heat_to_anchors() {
        add(
            &heat_to_anchors(both, anchors, &free.0, &free.1),
            preset.anchor_weight,
        );
    }
    let fewest = graphs[0].node_count().min(graphs[1].node_count());
    let count = preset.eigenvectors.min(fewest - 1);
    if terms.uses_proximity() && count > 0 {
        let features = [0, 1].map(|g| spectra[g].squared_eigenvectors(count));
        let pairs: Vec<Anchor> = anchors.iter().collect();
        let nodes = |side: fn(&Anchor) -> usize| pairs.iter().map(side).collect::<Vec<_>>();
        let learned = preset.learner.learn(
            &Examples {
                source: &features[0],
                target: &features[1],
                anchors: &pairs,
                source_loss: &diffusion_loss(both[0], &nodes(|p| p.source)),
                target_loss: &diffusion_loss(both[1], &nodes(|p| p.target)),
            },
            &monitor,
        )?;
        let columns: Vec<usize> = (0..count).collect();
        let [s, t] =
            [(0, &free.0), (1, &free.1)].map(|(g, rows)| features[g].select(rows, &columns));
        add(&learned.distance(&s, &t), preset.proximity_weight);
    }
    Ok((kernels, unary))
}

/// Both matrices over their largest entry, so that squares are numbers.
fn common_unit(mut matrices: [Matrix; 2]) -> [Matrix; 2] {
    let all = matrices.iter().flat_map(|matrix| matrix.as_slice());
    let largest = all.fold(0.0f64, |most, v| most.max(v.abs()));
    for matrix in &mut matrices {
        for value in matrix.as_mut_slice() {
            *value = if largest > 0.0 { *value / largest } else { 0.0 };
        }
    }
    matrices
}

/// The graph with weights over the largest positive one where that is too large or small to square.
fn in_ordinary_unit(graph: &Graph) -> Graph {
    let edges = (0..graph.node_count()).flat_map(|i| {
        let earlier = graph.neighbours(i).filter(move |&(j, _)| j < i);
        earlier.map(move |(j, weight)| (j, i, weight))
    });
    let mut edges: Vec<_> = edges.collect();
    let largest = edges.iter().fold(0.0f64, |most, e| most.max(e.2));
    if largest > 0.0 && !(1e-50..1e50).contains(&largest) {
        for edge in &mut edges {
            edge.2 = (edge.2 / largest).max(-f64::MAX);
        }
    }
    Graph::from_edges(graph.node_count(), &edges).expect("the edges of a graph")
}

/// The largest absolute entry between the nodes, the diagonal among them.
fn largest_of(nodes: &[usize], matrix: &Matrix) -> f64 {
    let entries = nodes
        .iter()
        .flat_map(|&i| nodes.iter().map(move |&j| matrix[(i, j)]));
    entries.fold(0.0, |most, value| most.max(value.abs()))
}

/// Pairs of two different ones of the nodes.
fn distinct(nodes: &[usize]) -> impl Iterator<Item = (&usize, &usize)> {
    let pairs = nodes
        .iter()
        .flat_map(move |i| nodes.iter().map(move |j| (i, j)));
    pairs.filter(|(i, j)| i != j)
}

/// The places of the free pairs among the free nodes.
fn places(free: &(Vec<usize>, Vec<usize>), pairs: &Pairs) -> Vec<(usize, usize)> {
    let find = |(s, t): &(usize, usize)| {
        let row = free.0.binary_search(s).ok()?;
        Some((row, free.1.binary_search(t).ok()?))
    };
    pairs.iter().filter_map(find).collect()
}
