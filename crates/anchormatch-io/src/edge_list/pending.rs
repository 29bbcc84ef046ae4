//! Rows whose nodes are looked up together, because many look-ups at once are faster than one after the other.

use anchormatch::error::Result;
use anchormatch::graph::{GraphBuilder, NameBlock};

/// Rows of a block: so many that the memory is kept busy, so few that what was asked for is still near.
const ROWS: usize = 64;

/// Bytes of ids in a block, past which it is full as well.
const BYTES: usize = 1 << 14;

/// The rows of a block.
#[derive(Debug, Default)]
pub(super) struct Pending {
    ids: NameBlock,
    bytes: usize,
    rows: Vec<Row>,
    nodes: Vec<usize>,
}

#[derive(Debug)]
struct Row {
    weight: f64,
    line: u64,
    is_arc: bool,
}

impl Pending {
    /// Adds the row of an edge between two ids.
    pub(super) fn push(&mut self, ends: [&str; 2], weight: f64, line: u64, is_arc: bool) {
        for id in ends {
            self.ids.push(id);
            self.bytes += id.len();
        }
        self.rows.push(Row {
            weight,
            line,
            is_arc,
        });
    }

    /// Whether the block should be added now.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= ROWS || self.bytes >= BYTES
    }

    /// Adds all rows to `builder`, in their order, and forgets them.
    pub(super) fn add_to(&mut self, builder: &mut GraphBuilder) -> Result<()> {
        builder.nodes(&mut self.ids, &mut self.nodes)?;
        for (row, ends) in self.rows.drain(..).zip(self.nodes.chunks_exact(2)) {
            let line = Some(row.line);
            if row.is_arc {
                builder.arc(ends[0], ends[1], row.weight, line)?;
            } else {
                builder.edge(ends[0], ends[1], row.weight, line)?;
            }
        }
        self.ids.clear();
        self.bytes = 0;
        Ok(())
    }
}
