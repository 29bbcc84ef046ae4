//! Sparse matrices as `scipy.sparse.save_npz` writes them: a text `format`, the `shape`, and arrays
//! that depend on the kind.

use anchormatch::error::Result;
use anchormatch::graph::GraphBuilder;

use super::super::fault::quoted;
use super::npy::ended;
use super::npz::Arrays;

impl Arrays<'_> {
    /// A sparse matrix of SciPy's.
    pub(super) fn sparse(&self) -> Result<GraphBuilder> {
        let (header, mut binary) = self.open("format")?;
        if header.count() != 1 {
            return Err(binary.fault(header.shown(), "one text"));
        }
        let format = header.texts(&mut binary, self.options)?.remove(0);
        let shape = self.indices("shape")?;
        let &[rows, columns] = &shape[..] else {
            return Err(self.fault(format!("{} sides", shape.len()), "two, for a matrix"));
        };
        if rows != columns {
            let found = format!("a {rows}×{columns} matrix");
            let wanted = "a square one, as the adjacency matrix of a graph is";
            return Err(self.fault(found, wanted));
        }
        let mut builder = self.options.counted_builder(self.name, 0, rows, None)?;
        let entries = match format.as_str() {
            "csr" => self.compressed(&mut builder, rows, false)?,
            "csc" => self.compressed(&mut builder, rows, true)?,
            "coo" => self.triplets(&mut builder, rows)?,
            "dia" => self.diagonals(&mut builder, rows)?,
            other => {
                let found = format!("a sparse matrix of the kind {}", quoted(other));
                let wanted = "csr, csc, coo or dia, such as save_npz(…, matrix.tocsr()) writes";
                return Err(self.fault(found, wanted));
            }
        };
        self.options.reserve_nodes(self.name, rows, entries)?;
        Ok(builder)
    }

    /// Adds an entry.
    fn entry(&self, builder: &mut GraphBuilder, row: u64, column: u64, value: f64) -> Result<()> {
        let nodes = builder.node_count() as u64;
        if row >= nodes || column >= nodes {
            let found = format!("an entry in row {row} and column {column}");
            return Err(self.fault(found, format!("both below {nodes}")));
        }
        if !value.is_finite() {
            let found = format!("{value} in row {row} and column {column}");
            return Err(self.fault(found, "a finite number"));
        }
        builder.entry(row as usize, column as usize, value, None)?;
        self.options
            .reserve_beside(self.name, builder, self.held.get())
    }

    /// Rows, or columns, one after the other; returns how many entries there are.
    fn compressed(&self, builder: &mut GraphBuilder, n: u64, by_columns: bool) -> Result<u64> {
        let starts = self.indices("indptr")?;
        let indices = self.indices("indices")?;
        let data = self.numbers("data")?;
        let is_whole = starts.len() as u64 == n + 1
            && starts.first() == Some(&0)
            && starts.last() == Some(&(indices.len() as u64))
            && starts.windows(2).all(|pair| pair[0] <= pair[1])
            && indices.len() == data.len();
        if !is_whole {
            let found = format!(
                "{} starts, {} indices and {} numbers that do not fit together",
                starts.len(),
                indices.len(),
                data.len()
            );
            return Err(self.fault(found, format!("the rows of a matrix of {n}×{n}")));
        }
        for (row, range) in starts.windows(2).enumerate() {
            for k in range[0] as usize..range[1] as usize {
                let (row, column) = if by_columns {
                    (indices[k], row as u64)
                } else {
                    (row as u64, indices[k])
                };
                self.entry(builder, row, column, data[k])?;
            }
        }
        Ok(indices.len() as u64)
    }

    /// Entries in any order; returns how many there are.
    fn triplets(&self, builder: &mut GraphBuilder, n: u64) -> Result<u64> {
        let (rows, columns) = if self.has("coords") {
            // One array of two rows, as sparse arrays are saved.
            let both = self.indices("coords")?;
            let (rows, columns) = both.split_at(both.len() / 2);
            (rows.to_vec(), columns.to_vec())
        } else {
            (self.indices("row")?, self.indices("col")?)
        };
        let data = self.numbers("data")?;
        if rows.len() != data.len() || columns.len() != data.len() {
            let found = format!(
                "{} rows, {} columns and {} numbers",
                rows.len(),
                columns.len(),
                data.len()
            );
            return Err(self.fault(found, format!("as many of each, for a matrix of {n}×{n}")));
        }
        for ((&row, &column), &value) in rows.iter().zip(&columns).zip(&data) {
            self.entry(builder, row, column, value)?;
        }
        Ok(data.len() as u64)
    }

    /// Diagonals: number j of a diagonal stands in column j; returns how many numbers there are.
    fn diagonals(&self, builder: &mut GraphBuilder, n: u64) -> Result<u64> {
        let offsets = {
            let (header, mut binary) = self.open("offsets")?;
            self.reserve("offsets", header.count())?;
            let kind = header.number(&binary)?;
            let offsets = binary.numbers(kind, header.count())?;
            ended(&mut binary)?;
            offsets
        };
        let (header, mut binary) = self.open("data")?;
        let &[count, width] = &header.shape[..] else {
            return Err(binary.fault(header.shown(), "a row for each diagonal"));
        };
        if count != offsets.len() as u64 {
            let wanted = format!("{}, as there are offsets", offsets.len());
            return Err(binary.fault(format!("{count} diagonals"), wanted));
        }
        self.reserve("data", header.count())?;
        let kind = header.number(&binary)?;
        let mut values = binary.numbers(kind, header.count())?;
        ended(&mut binary)?;
        if header.by_columns {
            let (rows, width) = (count as usize, width as usize);
            let columns = std::mem::take(&mut values);
            for row in 0..rows {
                values.extend((0..width).map(|j| columns[j * rows + row]));
            }
        }
        for (d, &offset) in offsets.iter().enumerate() {
            for column in 0..width.min(n) {
                let row = column as f64 - offset;
                let value = values[d * width as usize + column as usize];
                // Zero pads a diagonal that is stored for its neighbours' sake.
                if (0.0..n as f64).contains(&row) && row.fract() == 0.0 && value != 0.0 {
                    self.entry(builder, row as u64, column, value)?;
                }
            }
        }
        Ok(header.count())
    }
}
