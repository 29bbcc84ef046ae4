//! `anchormatch suggest`: which node to ask a person for next.

use anchormatch::Matching;
use anchormatch::graph::Labels;
use anchormatch::settings::Settings;
use clap::Args;
use serde_json::{Value, json};

use super::asking::{Answered, Asking};
use crate::exit::{Failure, Outcome};
use crate::files::print;
use crate::table::Table;

const LONG_ABOUT: &str = "\
Match the nodes of SOURCE to the nodes of TARGET, and name the nodes of SOURCE whose partners, if a \
person told them, would settle the most.

The gain is the expected number of nodes, the one asked for included, that become right by the answer; \
each row takes the answers to the rows before it for granted. The partner is where the node goes now, \
with its confidence.";

const EXAMPLES: &str = "\
Examples:
  anchormatch suggest old.csv new.csv --anchors known.csv
  anchormatch suggest left.csv right.csv --points --anchors clicked.csv -k 3 --json";

/// Name the nodes whose partners would settle the most
#[derive(Debug, Args)]
#[command(long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) asking: Asking,

    /// How many nodes to name
    #[arg(short = 'k', long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
}

impl Options {
    /// Matches and suggests.
    pub(crate) fn run(&self) -> Outcome {
        let answered = self.asking.matched(Settings::new(), |_| Ok(()))?;
        self.tell(&answered)?;
        Ok(answered.ended())
    }

    fn tell(&self, answered: &Answered) -> Result<(), Failure> {
        let [source, target] = answered.sides.labels();
        let rows = rows(&answered.matching, self.count as usize, source, target);
        if self.asking.json {
            return print(&format!("{:#}\n", document(&rows)));
        }
        if rows.is_empty() {
            return print("every node is anchored\n");
        }
        let mut table = Table::new(["node", "gain", "partner", "confidence"]).with_words([2]);
        for row in &rows {
            table.row([
                row.node.clone(),
                format!("{:.3}", row.gain),
                row.partner.clone().unwrap_or_else(|| "–".to_owned()),
                format!("{:.3}", row.confidence),
            ]);
        }
        print(&table.text())
    }
}

/// One suggestion in the ids of the input.
struct Row {
    node: String,
    gain: f64,
    partner: Option<String>,
    confidence: f64,
}

fn rows(matching: &Matching, count: usize, source: &Labels, target: &Labels) -> Vec<Row> {
    let row = |suggestion: anchormatch::matching::Suggestion| {
        let node = suggestion.source;
        let pair = matching.pairs.iter().find(|pair| pair.source == node);
        Row {
            node: source.get(node).into_owned(),
            gain: suggestion.gain,
            partner: pair.map(|pair| target.get(pair.target).into_owned()),
            confidence: pair.map_or(0.0, |pair| pair.confidence),
        }
    };
    matching.suggest(count).into_iter().map(row).collect()
}

fn document(rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "source": row.node,
            "gain": row.gain,
            "partner": row.partner,
            "confidence": row.confidence,
        })
    };
    json!({ "suggestions": rows.iter().map(row).collect::<Vec<_>>() })
}
