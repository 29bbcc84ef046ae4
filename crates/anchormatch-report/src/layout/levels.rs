//! Layouts of large graphs, from coarse to fine (Walshaw, "A multilevel algorithm for force-directed graph drawing",
//! 2003): neighbours are drawn together into one node again and again until few are left, these are laid out, and going
//! back every node starts where its group lies and is pushed into place by springs on a grid of cells.

use anchormatch::{Graph, Monitor, Result};
use rayon::prelude::*;

use super::{Point, into_unit_square, scatter};

/// Groups are not made of more nodes than this, unless a node has no other neighbour.
const GROUP: usize = 6;
/// Neighbours of one cell that push a node; of more, some push for all.
const CROWD: usize = 24;
/// Steps on each level, and how far the first of them may go in distances between nodes.
const STEPS: usize = 24;
const REACH: f64 = 2.0;

/// A graph without weights: the neighbours of every node, and how many nodes of the first graph it stands for.
pub(super) struct Level {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    mass: Vec<f64>,
}

impl Level {
    pub(super) fn of(graph: &Graph) -> Self {
        let n = graph.node_count();
        let mut starts = vec![0];
        let mut neighbours = Vec::with_capacity(2 * graph.edge_count());
        for i in 0..n {
            neighbours.extend(graph.neighbours(i).map(|(j, _)| j as u32));
            starts.push(neighbours.len());
        }
        Self {
            starts,
            neighbours,
            mass: vec![1.0; n],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.mass.len()
    }

    fn of_node(&self, i: usize) -> &[u32] {
        &self.neighbours[self.starts[i]..self.starts[i + 1]]
    }

    /// The group of every node, and how many groups there are; isolated nodes go together.
    fn groups(&self) -> (Vec<u32>, usize) {
        let n = self.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| scatter(i, 7).total_cmp(&scatter(j, 7)));
        let mut group = vec![u32::MAX; n];
        let mut count = 0u32;
        let mut lonely: Option<(u32, usize)> = None;
        for i in order {
            if group[i] != u32::MAX {
                continue;
            }
            let open = |j: &&u32| group[**j as usize] == u32::MAX && **j as usize != i;
            let joined: Vec<u32> = self
                .of_node(i)
                .iter()
                .filter(open)
                .take(GROUP - 1)
                .copied()
                .collect();
            if !joined.is_empty() {
                group[i] = count;
                for j in joined {
                    group[j as usize] = count;
                }
                count += 1;
            } else if let Some(&j) = self.of_node(i).first() {
                group[i] = group[j as usize];
            } else {
                let (number, size) = match lonely {
                    Some((number, size)) if size < GROUP => (number, size + 1),
                    _ => {
                        count += 1;
                        (count - 1, 1)
                    }
                };
                group[i] = number;
                lonely = Some((number, size));
            }
        }
        (group, count as usize)
    }

    /// The graph between the groups.
    fn coarser(&self, group: &[u32], count: usize) -> Self {
        let mut mass = vec![0.0; count];
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(self.neighbours.len());
        for i in 0..self.len() {
            mass[group[i] as usize] += self.mass[i];
            let others = self.of_node(i).iter().map(|&j| group[j as usize]);
            pairs.extend(
                others
                    .filter(|&other| other != group[i])
                    .map(|other| (group[i], other)),
            );
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; count + 1];
        for (from, _) in &pairs {
            starts[*from as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        Self {
            starts,
            neighbours: pairs.into_iter().map(|(_, to)| to).collect(),
            mass,
        }
    }

    /// Edges of a graph that is small enough to be laid out by stress.
    fn edges(&self) -> Vec<(usize, usize)> {
        let of = |i: usize| self.of_node(i).iter().map(move |&j| (i, j as usize));
        (0..self.len())
            .flat_map(of)
            .filter(|(i, j)| i < j)
            .collect()
    }

    /// Untangles places in the unit square by `steps` force steps, the first of at most `reach` distances.
    pub(super) fn relax(
        &self,
        points: &mut [Point],
        steps: usize,
        reach: f64,
        monitor: &Monitor,
    ) -> Result<()> {
        let ideal = (1.0 / self.len().max(1) as f64).sqrt();
        let mut cells = Cells::default();
        for step in 0..steps {
            monitor.go_on()?;
            let cooling = 1.0 - step as f64 / steps as f64;
            cells.fill(points, ideal);
            let furthest = reach * ideal * cooling;
            let moved: Vec<Point> = (0..points.len())
                .into_par_iter()
                .map(|i| self.moved(points, &cells, i, ideal, furthest))
                .collect();
            points.copy_from_slice(&moved);
        }
        Ok(())
    }

    fn moved(&self, points: &[Point], cells: &Cells, i: usize, ideal: f64, furthest: f64) -> Point {
        let at = points[i];
        let mut force = [0.0; 2];
        cells.around(at, |members| {
            // Of a crowd every so manieth pushes, for the others as well.
            let stride = members.len().div_ceil(CROWD).max(1);
            for &j in members.iter().skip(i % stride).step_by(stride) {
                let j = j as usize;
                if j == i {
                    continue;
                }
                let (mut dx, mut dy) = (at[0] - points[j][0], at[1] - points[j][1]);
                if dx == 0.0 && dy == 0.0 {
                    let angle = std::f64::consts::TAU * scatter(i, 8);
                    (dx, dy) = (1e-3 * ideal * angle.cos(), 1e-3 * ideal * angle.sin());
                }
                let square = dx * dx + dy * dy;
                let fade = (1.0 - square / (cells.reach * cells.reach)).max(0.0);
                let push = stride as f64 * fade * ideal * ideal / square;
                force[0] += push * dx;
                force[1] += push * dy;
            }
        });
        let own = self.of_node(i);
        // A hub is drawn by the mean of its neighbours, not by their number.
        let share = 1.0 / (own.len() as f64).max(1.0).sqrt();
        for &j in own {
            let (dx, dy) = (points[j as usize][0] - at[0], points[j as usize][1] - at[1]);
            let attraction = share * dx.hypot(dy) / ideal;
            force[0] += attraction * dx;
            force[1] += attraction * dy;
        }
        let length = force[0].hypot(force[1]);
        let scale = if length > furthest {
            furthest / length
        } else {
            1.0
        };
        [
            (at[0] + scale * force[0]).clamp(0.0, 1.0),
            (at[1] + scale * force[1]).clamp(0.0, 1.0),
        ]
    }
}

/// Which nodes lie in each cell of a grid over the unit square.
#[derive(Default)]
struct Cells {
    side: usize,
    reach: f64,
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Cells {
    fn at(&self, value: f64) -> usize {
        ((value * self.side as f64) as usize).min(self.side - 1)
    }

    fn fill(&mut self, points: &[Point], ideal: f64) {
        self.side = ((0.4 / ideal) as usize).max(1);
        self.reach = 1.0 / self.side as f64;
        let cell = |cells: &Self, p: &Point| cells.at(p[1]) * cells.side + cells.at(p[0]);
        self.starts.clear();
        self.starts.resize(self.side * self.side + 1, 0);
        for p in points {
            let k = cell(self, p);
            self.starts[k + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        let mut next = self.starts.clone();
        self.members.clear();
        self.members.resize(points.len(), 0);
        for (i, p) in points.iter().enumerate() {
            let k = cell(self, p);
            self.members[next[k]] = i as u32;
            next[k] += 1;
        }
    }

    /// The members of the nine cells about a place.
    fn around(&self, [x, y]: Point, mut each: impl FnMut(&[u32])) {
        let (cx, cy) = (self.at(x), self.at(y));
        for row in cy.saturating_sub(1)..=(cy + 1).min(self.side - 1) {
            for column in cx.saturating_sub(1)..=(cx + 1).min(self.side - 1) {
                let k = row * self.side + column;
                each(&self.members[self.starts[k]..self.starts[k + 1]]);
            }
        }
    }
}

/// Places in the unit square; `small` lays out graphs of up to `most` nodes by their edges.
pub(super) fn laid_out(
    graph: &Graph,
    most: usize,
    small: impl Fn(usize, &[(usize, usize)]) -> Result<Vec<Point>>,
    monitor: &Monitor,
) -> Result<Vec<Point>> {
    let mut levels = vec![Level::of(graph)];
    let mut groups = Vec::new();
    loop {
        let level = &levels[levels.len() - 1];
        if level.len() <= most {
            break;
        }
        monitor.go_on()?;
        let (group, count) = level.groups();
        let next = level.coarser(&group, count);
        groups.push(group);
        levels.push(next);
    }
    let coarsest = &levels[levels.len() - 1];
    let mut points = small(coarsest.len(), &coarsest.edges())?;
    into_unit_square(&mut points);
    for (level, group) in levels.iter().zip(&groups).rev() {
        let spread = 0.7 / (level.len() as f64).sqrt();
        let apart = |k: usize, i: usize| spread * (scatter(i, 9 + k as u64) - 0.5);
        let coarse = points;
        points = group
            .iter()
            .enumerate()
            .map(|(i, &g)| {
                let [x, y] = coarse[g as usize];
                [x + apart(0, i), y + apart(1, i)]
            })
            .collect();
        into_unit_square(&mut points);
        level.relax(&mut points, STEPS, REACH, monitor)?;
        into_unit_square(&mut points);
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::super::tests::graph;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_level_is_smaller_whatever_the_shape() {
        let star: Vec<_> = (1..500).map(|i| (0, i)).collect();
        let path: Vec<_> = (1..500).map(|i| (i - 1, i)).collect();
        for edges in [star, path, Vec::new()] {
            let mut level = Level::of(&graph(500, &edges));
            while level.len() > 1 {
                let (group, count) = level.groups();
                assert!(group.iter().all(|&g| (g as usize) < count));
                if count == level.len() {
                    panic!("no two of {count} nodes were drawn together");
                }
                level = level.coarser(&group, count);
                assert_eq!(level.mass.iter().sum::<f64>(), 500.0);
            }
        }
    }

    #[test]
    fn a_large_grid_lies_flat() {
        let side = 40;
        let at = |x: usize, y: usize| y * side + x;
        let mut edges = Vec::new();
        for y in 0..side {
            for x in 0..side {
                if x + 1 < side {
                    edges.push((at(x, y), at(x + 1, y)));
                }
                if y + 1 < side {
                    edges.push((at(x, y), at(x, y + 1)));
                }
            }
        }
        let grid = graph(side * side, &edges);
        let points = super::super::fresh(&grid, &[], &Monitor::silent()).unwrap();
        let length =
            |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]);
        let mean: f64 = edges.iter().map(|&(u, v)| length(u, v)).sum::<f64>() / edges.len() as f64;
        // Neighbours are near, corners far apart.
        assert!(mean < 0.06, "{mean}");
        let corners = [
            at(0, 0),
            at(side - 1, 0),
            at(0, side - 1),
            at(side - 1, side - 1),
        ];
        for (k, &a) in corners.iter().enumerate() {
            for &b in &corners[..k] {
                assert!(length(a, b) > 0.3, "{}", length(a, b));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn places_are_in_the_square_and_always_the_same(
            n in 1usize..900,
            raw in prop::collection::vec((0usize..900, 0usize..900), 0..1500),
        ) {
            let edges: Vec<_> = raw.into_iter().filter(|&(u, v)| u < n && v < n && u != v).collect();
            let mut edges: Vec<_> = edges.into_iter().map(|(u, v)| (u.min(v), u.max(v))).collect();
            edges.sort_unstable();
            edges.dedup();
            let graph = graph(n, &edges);
            let small = |n: usize, _: &[(usize, usize)]| Ok((0..n).map(|i| [scatter(i, 1), scatter(i, 2)]).collect());
            let laid_out = || laid_out(&graph, 50, small, &Monitor::silent()).unwrap();
            let points = laid_out();
            prop_assert_eq!(points.len(), n);
            prop_assert!(points.iter().flatten().all(|v| (0.0..=1.0).contains(v)));
            prop_assert_eq!(laid_out(), points);
        }
    }
}
