//! `anchormatch nominate`: who could be the partner of these nodes?

use anchormatch::settings::Settings;
use clap::Args;
use serde_json::{Value, json};

use super::asking::{Answered, Asking};
use crate::exit::{Failure, Outcome};
use crate::files::print;
use crate::table::Table;

const LONG_ABOUT: &str = "\
Match the nodes of SOURCE to the nodes of TARGET, and rank the possible partners of the nodes that you ask for, \
each with its probability.

The probabilities of a node's candidates and of having no partner add up to at most 1; what is missing belongs to \
candidates further down.";

const EXAMPLES: &str = "\
Examples:
  anchormatch nominate old.csv new.csv ann bob --anchors known.csv
  anchormatch nominate old.csv new.csv ann --anchors known.csv --top 20 --json";

/// Rank the possible partners of the nodes that you ask for
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) asking: Asking,

    /// The nodes of SOURCE to ask for
    #[arg(required = true, value_name = "NODE")]
    nodes: Vec<String>,

    /// How many candidates to list for each
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: u32,
}

/// A candidate in the ids of the input.
struct Row {
    node: String,
    rank: usize,
    /// `None` is no partner at all.
    partner: Option<String>,
    probability: f64,
    /// Target nodes that nothing tells apart from this one, itself among them.
    alike: usize,
}

impl Options {
    /// Matches and ranks.
    pub(crate) fn run(&self) -> Outcome {
        let mut settings = Settings::new();
        settings.insert("top".to_owned(), json!(self.top));
        let answered = self.asking.matched(settings, |sides| {
            sides.places("NODE", &self.nodes)?;
            Ok(())
        })?;
        let rows = self.rows(&answered)?;
        if self.asking.json {
            print(&format!("{:#}\n", document(&rows)))?;
        } else {
            print(&table(&rows).text())?;
        }
        Ok(answered.ended())
    }

    fn rows(&self, answered: &Answered) -> Result<Vec<Row>, Failure> {
        let [source, target] = answered.sides.labels();
        let matching = &answered.matching;
        let mut rows = Vec::new();
        for i in answered.sides.places("NODE", &self.nodes)? {
            let pair = matching.pairs.iter().find(|pair| pair.source == i);
            let given = pair.filter(|pair| pair.anchor);
            let listed = matching.alternatives.as_ref();
            let mut ranked: Vec<(Option<usize>, f64)> = match given {
                Some(anchor) => vec![(Some(anchor.target), 1.0)],
                None => listed.map_or_else(Vec::new, |all| all.ranked(i).collect()),
            };
            if ranked.is_empty() {
                // Nothing speaks for anybody: where it went is as good a guess as any.
                ranked.extend(pair.map(|pair| (Some(pair.target), pair.confidence)));
            }
            rows.extend(
                ranked
                    .into_iter()
                    .enumerate()
                    .map(|(rank, (a, probability))| Row {
                        node: source.get(i).into_owned(),
                        rank: rank + 1,
                        partner: a.map(|a| target.get(a).into_owned()),
                        probability,
                        alike: a.map_or(1, |a| matching.trust.orbits[1].alike(a)),
                    }),
            );
        }
        Ok(rows)
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(["node", "rank", "partner", "probability", ""]).with_words([2, 4]);
    for row in rows {
        table.row([
            row.node.clone(),
            row.rank.to_string(),
            row.partner
                .clone()
                .unwrap_or_else(|| "no partner".to_owned()),
            format!("{:.3}", row.probability),
            match row.alike {
                1 => String::new(),
                several => format!("one of {several} alike"),
            },
        ]);
    }
    table
}

fn document(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "source": row.node,
            "rank": row.rank,
            "target": row.partner,
            "probability": row.probability,
            "alike": row.alike,
        })
    };
    json!({ "nominations": rows.iter().map(row).collect::<Vec<_>>() })
}
