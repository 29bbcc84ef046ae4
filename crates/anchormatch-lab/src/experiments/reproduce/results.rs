//! What an experiment gave, and its tables.

use std::fmt::Write;

use super::entry::{Entry, Outcome};
use super::estimate::{Clustered, Estimate};
use super::journal::{Outcomes, Trials};
use super::protocol::{Point, Protocol};

/// An experiment with the trials that are finished, sorted: nothing depends on when they came.
#[derive(Debug, Clone)]
pub struct Results {
    /// What was run.
    pub protocol: Protocol,
    /// Point, trial, and an outcome for each entry that ran.
    rows: Vec<(usize, usize, Outcomes)>,
    /// Whether all trials are there.
    pub complete: bool,
}

impl Results {
    /// Sorts the trials that belong to the protocol.
    #[must_use]
    pub fn new(protocol: Protocol, trials: &Trials) -> Self {
        let mut rows = Vec::new();
        let mut complete = true;
        for (p, point) in protocol.points.iter().enumerate() {
            for k in 0..point.trials {
                match trials.get(&(point.name.clone(), k)) {
                    Some(outcomes) => rows.push((p, k, outcomes.clone())),
                    None => complete = false,
                }
            }
        }
        Self {
            protocol,
            rows,
            complete,
        }
    }

    /// The same trials, seen as those of other entries: `places[k]` is where what the k-th of them did stands.
    #[must_use]
    pub fn seen_as(&self, entries: Vec<Entry>, places: &[usize]) -> Self {
        let rows = self.rows.iter().map(|(p, k, outcomes)| {
            let chosen = places.iter().map(|&place| outcomes[place]).collect();
            (*p, *k, chosen)
        });
        Self {
            rows: rows.collect(),
            complete: self.complete,
            protocol: Protocol {
                entries,
                ..self.protocol.clone()
            },
        }
    }

    /// All trials, by the names of their points and their numbers.
    pub(super) fn trials(&self) -> impl Iterator<Item = ((&str, usize), &Outcomes)> {
        let named = |(p, k, outcomes): (usize, usize, _)| {
            ((self.protocol.points[p].name.as_str(), k), outcomes)
        };
        self.rows.iter().map(|(p, k, o)| (*p, *k, o)).map(named)
    }

    /// How many trials are there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `figure` of each trial of the points that `keep` takes; trials without the figure are left out.
    pub fn values<T>(
        &self,
        keep: impl Fn(usize, &Point) -> bool,
        figure: impl Fn(&Point, &[Option<Outcome>]) -> Option<T>,
    ) -> Vec<Clustered<T>> {
        let kept = self.rows.iter().filter_map(|(p, k, outcomes)| {
            let point = &self.protocol.points[*p];
            if !keep(*p, point) {
                return None;
            }
            Some(Clustered {
                clusters: point.clusters_of(*k),
                value: figure(point, outcomes)?,
            })
        });
        kept.collect()
    }

    /// As [`values`](Self::values), of the points listed, in their order.
    pub fn values_at<T>(
        &self,
        points: &[usize],
        figure: impl Fn(&Point, &[Option<Outcome>]) -> Option<T>,
    ) -> Vec<Clustered<T>> {
        let rows = points.iter().flat_map(|&p| {
            let first = self.rows.partition_point(|row| row.0 < p);
            self.rows[first..].iter().take_while(move |row| row.0 == p)
        });
        let kept = rows.filter_map(|(p, k, outcomes)| {
            let point = &self.protocol.points[*p];
            Some(Clustered {
                clusters: point.clusters_of(*k),
                value: figure(point, outcomes)?,
            })
        });
        kept.collect()
    }

    /// Mean accuracy of an entry over the points that `keep` takes.
    pub fn accuracy(&self, entry: usize, keep: impl Fn(usize, &Point) -> bool) -> Estimate {
        Estimate::mean(&self.values(keep, |_, o| Some(o[entry]?.accuracy())))
    }

    /// The mean difference of accuracy between two entries, trial by trial.
    pub fn gain(
        &self,
        better: usize,
        worse: usize,
        keep: impl Fn(usize, &Point) -> bool,
    ) -> Estimate {
        let difference =
            |_: &Point, o: &[Option<Outcome>]| Some(o[better]?.accuracy() - o[worse]?.accuracy());
        Estimate::mean(&self.values(keep, difference))
    }

    /// A line for each curve, place and method: the same bytes for the same trials.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = "curve,x,method,trials,accuracy,low,high,iterations\n".to_owned();
        self.table(&mut text, |text, values| {
            let accuracy = Estimate::mean(&map(values, Outcome::accuracy));
            let iterations = Estimate::mean(&map(values, |o| f64::from(o.iterations)));
            let Estimate { value, count, .. } = accuracy;
            let (low, high) = (cell(accuracy.low()), cell(accuracy.high()));
            write!(
                text,
                "{count},{value:.6},{low},{high},{:.2}",
                iterations.value
            )
        });
        text
    }

    /// As [`csv`](Self::csv), with milliseconds: clocks differ from run to run.
    #[must_use]
    pub fn times_csv(&self) -> String {
        let mut text =
            "curve,x,method,trials,milliseconds,low,high,solver_milliseconds\n".to_owned();
        self.table(&mut text, |text, values| {
            let total = Estimate::mean(&map(values, |o| 1e3 * o.seconds));
            let solve = Estimate::mean(&map(values, |o| 1e3 * o.solve_seconds));
            let (low, high) = (cell(total.low()), cell(total.high()));
            write!(
                text,
                "{},{:.4},{low},{high},{:.4}",
                total.count, total.value, solve.value
            )
        });
        text
    }

    /// A line for each trial and method.
    #[must_use]
    pub fn trials_csv(&self) -> String {
        let mut text = "point,trial,method,asked,right,iterations\n".to_owned();
        for (p, k, outcomes) in &self.rows {
            let point = &self.protocol.points[*p].name;
            for (entry, outcome) in self.protocol.entries.iter().zip(outcomes) {
                if let Some(o) = outcome {
                    let name = &entry.name;
                    let Outcome {
                        asked,
                        right,
                        iterations,
                        ..
                    } = o;
                    writeln!(text, "{point},{k},{name},{asked},{right},{iterations}")
                        .expect("writing into a string cannot fail");
                }
            }
        }
        text
    }

    fn table(
        &self,
        text: &mut String,
        figures: impl Fn(&mut String, &[Clustered<Outcome>]) -> std::fmt::Result,
    ) {
        for curve in &self.protocol.curves {
            for (x, members) in &curve.places {
                for (place, entry) in self.protocol.entries.iter().enumerate() {
                    let values = self.values_at(members, |_, o| o[place]);
                    if values.is_empty() {
                        continue;
                    }
                    let line = write!(text, "{},{x},{},", curve.name, entry.name)
                        .and_then(|()| figures(text, &values))
                        .and_then(|()| writeln!(text));
                    line.expect("writing into a string cannot fail");
                }
            }
        }
    }
}

fn map(values: &[Clustered<Outcome>], figure: impl Fn(&Outcome) -> f64) -> Vec<Clustered<f64>> {
    let each = values.iter().map(|v| Clustered {
        clusters: v.clusters,
        value: figure(&v.value),
    });
    each.collect()
}

/// A number, or nothing where there is none.
fn cell(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.6}")
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Entry;
    use anchormatch_generate::Synthetic;

    fn outcome(right: u32) -> Option<Outcome> {
        Some(Outcome {
            asked: 4,
            right,
            iterations: right + 1,
            seconds: 0.002,
            solve_seconds: 0.001,
        })
    }

    fn results(fill: impl Fn(usize, usize) -> Outcomes) -> Results {
        let point = |noise: f64| {
            let graphs = Synthetic {
                noise,
                ..Synthetic::default()
            };
            (noise, Point::synthetic("p", graphs, 2, 2, 3))
        };
        let entries = Entry::standard()[..2].to_vec();
        let protocol = Protocol::sweep("some", "x", vec![point(0.0), point(0.5)], entries, 3);
        let mut trials = Trials::new();
        for (p, k) in protocol.tasks() {
            trials.insert((protocol.points[p].name.clone(), k), fill(p, k));
        }
        trials.insert(("another".to_owned(), 0), vec![None, None]);
        Results::new(protocol, &trials)
    }

    #[test]
    fn tables_are_sorted_and_leave_out_what_did_not_run() {
        let results = results(|p, k| {
            let second = if p == 0 { None } else { outcome(2) };
            vec![outcome(k as u32 + 3), second]
        });
        assert!(results.complete && results.len() == 4);
        let csv = results.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 4, "{csv}");
        // Two trials, .75 and 1: half the range is .125, the quantile 12.706.
        assert_eq!(
            lines[1],
            "some,0,adjacency,2,0.875000,-0.713250,2.463250,4.50"
        );
        assert_eq!(lines[3], "some,0.5,heat,2,0.500000,0.500000,0.500000,3.00");
        let times = results.times_csv();
        assert!(
            times.contains("some,0,adjacency,2,2.0000,2.000000,2.000000,1.0000"),
            "{times}"
        );
        assert_eq!(results.trials_csv().lines().count(), 7);
        let gain = results.gain(0, 1, |_, _| true);
        assert_eq!((gain.value, gain.count), (0.375, 2));
    }

    #[test]
    fn missing_trials_are_noticed() {
        let mut trials = Trials::new();
        let whole = results(|_, _| vec![outcome(1), outcome(2)]);
        let name = whole.protocol.points[0].name.clone();
        trials.insert((name, 1), vec![outcome(1), None]);
        let part = Results::new(whole.protocol, &trials);
        assert!(!part.complete && part.len() == 1);
        assert!(part.accuracy(1, |_, _| true).value.is_nan());
    }
}
