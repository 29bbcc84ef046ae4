//! `anchormatch signature`: signatures of every node, as a table.

use std::path::{Path, PathBuf};

use anchormatch::error::Hint;
use anchormatch::linalg::Matrix;
use anchormatch::spectral::SignatureKind;
use anchormatch::{Error, Graph, Monitor};
use anchormatch_io::write_whole;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::args::{Output, Reading, Resources};
use crate::exit::{Done, Failure, Outcome};
use crate::files::{check_distinct, check_writable, is_standard, write_field};
use crate::job::Job;
use crate::values;

const LONG_ABOUT: &str = "\
Compute a signature of every node: how heat, waves, wavelets or a random walk on the graph look from there, \
or what its edges and its surroundings are. Nodes \
with similar surroundings have similar signatures, whatever the nodes are called.

The table has a row for each node and a column for each value of t.";

const EXAMPLES: &str = "\
Examples:
  anchormatch signature graph.csv --kind heat --count 8
  anchormatch signature graph.csv --kind heat --times 0.1,1,10 --output heat.csv
  anchormatch signature graph.csv --kind anchored --anchors ann,bob --count 3
      has the columns ann@t1, bob@t1, ann@t2, …: the heat that each node receives from ann and bob";

/// Compute a signature of every node
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The graph; `-` is standard input
    graph: PathBuf,

    /// The kind of signature
    #[arg(long, value_name = "KIND")]
    kind: Kind,

    /// How many values of t, spread over the graph's spectrum [default: 16; for wave 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: Option<u32>,

    /// The values of t: times for heat and anchored, log-energies for wave, scales for wavelet, dampings for
    /// random-walk, ranks for node and topological, steps for neighbourhood
    #[arg(
        long, value_name = "T,…", value_delimiter = ',', allow_hyphen_values = true,
        value_parser = values::finite, conflicts_with = "count"
    )]
    times: Option<Vec<f64>>,

    /// Nodes whose heat the anchored signature measures, by their ids
    #[arg(
        long,
        value_name = "ID,…",
        value_delimiter = ',',
        conflicts_with = "anchors_file"
    )]
    anchors: Option<Vec<String>>,

    /// The same from a file, one id a line
    #[arg(long, value_name = "FILE")]
    anchors_file: Option<PathBuf>,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    resources: Resources,
}

/// The library's kinds, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind(SignatureKind);

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        const KINDS: [Kind; SignatureKind::ALL.len()] = {
            let mut kinds = [Kind(SignatureKind::Heat); SignatureKind::ALL.len()];
            let mut k = 0;
            while k < kinds.len() {
                kinds[k] = Kind(SignatureKind::ALL[k]);
                k += 1;
            }
            kinds
        };
        &KINDS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()).help(self.0.about()))
    }
}

/// A signature and the names of its columns.
struct Signature {
    columns: Vec<String>,
    values: Matrix,
}

impl Options {
    /// Computes and writes.
    pub(crate) fn run(&self) -> Outcome {
        self.check()?;
        let job = Job::start(&self.resources, None, false)?;
        let loaded = self.reading.graph(&self.graph, job.max_memory())?;
        let anchors = self.anchor_nodes(&loaded.graph)?;
        let signature = self.compute(&loaded.graph, &anchors, job.monitor())?;
        job.finish();
        let labels = loaded.graph.labels();
        write_whole(&self.output.output, |out| {
            out.write_all(b"node")?;
            for column in &signature.columns {
                out.write_all(b",")?;
                write_field(out, column)?;
            }
            writeln!(out)?;
            for (i, id) in labels.iter().enumerate() {
                write_field(out, &id)?;
                for value in signature.values.row(i) {
                    write!(out, ",{value}")?;
                }
                writeln!(out)?;
            }
            Ok(())
        })?;
        Ok(Done::Complete)
    }

    fn check(&self) -> Result<(), Failure> {
        let given = self.anchors.is_some() || self.anchors_file.is_some();
        if given != (self.kind == Kind(SignatureKind::Anchored)) {
            return Err(if given {
                let found = format!("with --kind {}", name(self.kind));
                Failure::usage("--anchors", found, "--kind anchored")
            } else {
                Failure::usage(
                    "--kind anchored",
                    "no --anchors",
                    "--anchors ID,… or --anchors-file",
                )
            });
        }
        let output = self.output.output.as_path();
        let mut inputs: Vec<(_, &Path)> = vec![("GRAPH", &self.graph)];
        inputs.extend(self.anchors_file.as_deref().map(|p| ("--anchors-file", p)));
        if inputs.iter().filter(|(_, path)| is_standard(path)).count() > 1 {
            return Err(Failure::usage(
                "--anchors-file",
                "`-`, which GRAPH reads as well",
                "a file: standard input can be read once",
            ));
        }
        check_distinct(&inputs, &[("--output", output)])?;
        check_writable(output)
    }

    fn anchor_nodes(&self, graph: &Graph) -> Result<Vec<usize>, Failure> {
        let (ids, place) = match &self.anchors_file {
            Some(path) => {
                let text = if is_standard(path) {
                    std::io::read_to_string(std::io::stdin().lock())
                } else {
                    std::fs::read_to_string(path)
                };
                let text = text.map_err(|source| Error::io(path, source))?;
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let ids: Vec<String> = text
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(str::to_owned)
                    .collect();
                (ids, path.display().to_string())
            }
            None => (
                self.anchors.clone().unwrap_or_default(),
                "--anchors".to_owned(),
            ),
        };
        if self.kind == Kind(SignatureKind::Anchored) && ids.is_empty() {
            return Err(Failure::usage(place, "no id", "at least one"));
        }
        ids.iter()
            .map(|id| {
                graph.labels().find(id).ok_or_else(|| {
                    let expected = format!(
                        "the id of a node of the graph, such as `{}`",
                        graph.labels().get(0)
                    );
                    Failure::usage(&place, format!("the unknown id `{id}`"), expected)
                })
            })
            .collect()
    }

    fn compute(
        &self,
        graph: &Graph,
        anchors: &[usize],
        monitor: &Monitor,
    ) -> Result<Signature, Failure> {
        let count = self.columns();
        let bytes = (graph.node_count() as u64)
            .saturating_mul(count as u64)
            .saturating_mul(anchors.len().max(1) as u64)
            .saturating_mul(8);
        monitor.reserve(
            "the signature",
            bytes,
            &[Hint::MoreMemory, Hint::FewerColumns],
        )?;
        let monitor = &monitor.holding(bytes);
        let kind = self.kind.0;
        let (values, times) = kind.signature(graph, self.times.clone(), count, anchors, monitor)?;
        let labels = graph.labels();
        let columns = if self.kind == Kind(SignatureKind::Anchored) {
            let of_time = |t: &f64| {
                let name = |&p: &usize| format!("{}@{t}", labels.get(p));
                anchors.iter().map(name).collect::<Vec<_>>()
            };
            times.iter().flat_map(of_time).collect()
        } else {
            times.iter().map(f64::to_string).collect()
        };
        Ok(Signature { columns, values })
    }

    /// The number of values of t.
    fn columns(&self) -> usize {
        match (&self.times, self.count) {
            // Energies that the user gives keep the width that the default ones have.
            (Some(times), _) if self.kind.0 != SignatureKind::Wave => times.len(),
            (None, Some(count)) => count as usize,
            _ => self.kind.0.default_count(),
        }
    }
}

fn name(kind: Kind) -> String {
    kind.to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}
