//! QAPLIB (Burkard, Karisch & Rendl, *QAPLIB: a quadratic assignment problem library*, J. Global
//! Optimization 1997): instances of the quadratic assignment problem with the best costs known.
//!
//! > minimise Σ_ij A_ij B_{p(i) p(j)} over permutations p
//!
//! `qaplib/index.csv` has the header `name,n,best_cost_found,dat_source,sln_source,sln_convention,
//! symmetric_A,symmetric_B,permutation_0based`; the permutation is n numbers from 0, separated by
//! blanks, and has the cost stated; both are empty where no solution is stored. `qaplib/dat/NAME.dat`
//! holds n, A and B. The costs of permutations are recomputed when the index is read.

use std::io::Read;
use std::path::Path;

use anchormatch::error::ParseError;
use anchormatch_io::{QapInstance, read_qap};

use super::DatasetError;

const NAME: &str = "QAPLIB";
const LAYOUT: &str =
    "qaplib/index.csv (name, n, best cost, …, permutation) and qaplib/dat/NAME.dat (n, A, B)";
const HEADER: &str = "name,n,best_cost_found,dat_source,sln_source,sln_convention,\
                      symmetric_A,symmetric_B,permutation_0based";
/// The real index has 12 kB; a much larger one is something else.
const MOST_BYTES: u64 = 1 << 20;

/// All instances of the index, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Qaplib {
    instances: Vec<NamedInstance>,
}

/// One instance.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedInstance {
    /// The name by which the literature knows it, such as `nug30`.
    pub name: String,
    /// n, A and B.
    pub instance: QapInstance,
    /// The best solution known, where one is stored.
    pub best: Option<BestKnown>,
}

/// The best solution that is known of an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct BestKnown {
    /// Its cost.
    pub cost: f64,
    /// p, counted from 0; its cost was recomputed.
    pub permutation: Vec<usize>,
}

impl Qaplib {
    /// A collection of one's own, or a part of the real one.
    #[must_use]
    pub fn new(instances: Vec<NamedInstance>) -> Self {
        Self { instances }
    }

    /// Reads `qaplib/index.csv` and the instances that it names from the data directory `dir`.
    ///
    /// # Errors
    /// When a file is missing or unreadable, a row is malformed, an instance has another size than its
    /// row, or a permutation does not have the cost stated.
    pub fn load(dir: &Path) -> Result<Self, DatasetError> {
        let folder = dir.join("qaplib");
        let path = folder.join("index.csv");
        let mut text = String::new();
        std::fs::File::open(&path)
            .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
            .map_err(|source| DatasetError::of_io(source, path.clone(), NAME, LAYOUT))?;
        let index = Index {
            file: path.display().to_string(),
        };
        let rows = index.rows(&text).map_err(DatasetError::Contents)?;
        let mut instances = Vec::with_capacity(rows.len());
        for row in rows {
            let path = folder.join("dat").join(&row.name).with_extension("dat");
            let instance = read_qap(&path)
                .map_err(|error| DatasetError::of_file(error, &path, NAME, LAYOUT))?;
            instances.push(index.join(row, instance).map_err(DatasetError::Contents)?);
        }
        Ok(Self { instances })
    }

    /// The instances in the order of the index.
    #[must_use]
    pub fn instances(&self) -> &[NamedInstance] {
        &self.instances
    }

    /// The instance called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&NamedInstance> {
        self.instances.iter().find(|known| known.name == name)
    }
}

/// The index, for its errors.
struct Index {
    file: String,
}

/// A row of the index, not yet compared with its instance.
struct Row {
    line: u64,
    name: String,
    n: usize,
    best: Option<BestKnown>,
}

impl Index {
    fn rows(&self, text: &str) -> Result<Vec<Row>, ParseError> {
        if text.len() as u64 > MOST_BYTES {
            let found = format!("more than {MOST_BYTES} bytes");
            return Err(self.fault(None, None, found, "an index of short rows"));
        }
        // Some editors put a byte-order mark before the first letter.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1u64..).zip(text.lines());
        let header = lines.next().map_or("", |(_, line)| line.trim());
        if header != HEADER {
            let expected = format!("the header {HEADER}");
            return Err(self.fault(Some(1), None, quoted(header), expected));
        }
        lines
            .filter(|(_, row)| !row.trim().is_empty())
            .map(|(line, row)| self.row(line, row))
            .collect()
    }

    fn row(&self, line: u64, text: &str) -> Result<Row, ParseError> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let &[name, n, cost, _, _, _, _, _, permutation] = fields.as_slice() else {
            let found = format!("{} fields", fields.len());
            return Err(self.fault(Some(line), None, found, "9"));
        };
        let fault = |column, found: &str, expected: &str| {
            Err(self.fault(Some(line), Some(column), quoted(found), expected))
        };
        // A name becomes part of a path: nothing but letters and digits.
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return fault(1, name, "a name of letters and digits");
        }
        let Ok(size) = n.parse::<usize>() else {
            return fault(2, n, "the number of nodes");
        };
        let best = if cost.is_empty() && permutation.is_empty() {
            None
        } else {
            let Some(cost) = cost.parse().ok().filter(|c: &f64| c.is_finite()) else {
                return fault(3, cost, "a cost, a finite number");
            };
            let parsed: Result<Vec<usize>, _> =
                permutation.split_whitespace().map(str::parse).collect();
            match parsed {
                Ok(values) if is_permutation(&values, size) => Some(BestKnown {
                    cost,
                    permutation: values,
                }),
                _ => return fault(9, permutation, "a permutation of n numbers from 0"),
            }
        };
        Ok(Row {
            line,
            name: name.to_owned(),
            n: size,
            best,
        })
    }

    /// Puts a row and its instance together when they agree.
    fn join(&self, row: Row, instance: QapInstance) -> Result<NamedInstance, ParseError> {
        if row.n != instance.n {
            let expected = format!("{}, as {}.dat has", instance.n, row.name);
            return Err(self.fault(Some(row.line), Some(2), row.n.to_string(), expected));
        }
        if let Some(best) = &row.best {
            let cost = instance.cost(&best.permutation);
            if (cost - best.cost).abs() > 1e-9 * best.cost.abs().max(1.0) {
                let found = format!("the cost {}", best.cost);
                let expected = format!("{cost}, which the permutation of {} has", row.name);
                return Err(self.fault(Some(row.line), Some(3), found, expected));
            }
        }
        Ok(NamedInstance {
            name: row.name,
            instance,
            best: row.best,
        })
    }

    fn fault(
        &self,
        line: Option<u64>,
        column: Option<u64>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ParseError {
        ParseError::new(&self.file, found, expected).at(line, column)
    }
}

/// Whether `values` has each number below n once.
fn is_permutation(values: &[usize], n: usize) -> bool {
    let mut seen = vec![false; values.len()];
    values.len() == n
        && values
            .iter()
            .all(|&v| v < n && !std::mem::replace(&mut seen[v], true))
}

/// A field as an error message shows it; long ones are cut.
fn quoted(field: &str) -> String {
    const SHOWN: usize = 40;
    match field.char_indices().nth(SHOWN) {
        None => format!("`{}`", field.escape_debug()),
        Some((end, _)) => format!("`{}…`", field[..end].escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchormatch::error::Hint;

    /// A data directory with two instances of three and one node.
    fn directory(rows: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("qaplib");
        std::fs::create_dir_all(folder.join("dat")).unwrap();
        std::fs::write(folder.join("index.csv"), format!("{HEADER}\n{rows}")).unwrap();
        std::fs::write(
            folder.join("dat/tri3.dat"),
            "3\n0 1 2\n1 0 0\n0 0 0\n0 5 7\n5 0 9\n7 9 0\n",
        )
        .unwrap();
        std::fs::write(folder.join("dat/one1.dat"), "1 4 5").unwrap();
        dir
    }

    fn message(rows: &str) -> String {
        let error = Qaplib::load(directory(rows).path()).unwrap_err();
        error.to_string()
    }

    // A_01 + A_10 = 2 and A_02 = 2, so p = (1, 0, 2) costs 2·5 + 2·9 = 28 and p = (0, 1, 2) 24.
    const GOOD: &str = "tri3,3,24,x,x,p,0,1,0 1 2\none1,1,,x,,,1,1,\n";

    #[test]
    fn instances_come_with_their_best_solutions() {
        let qaplib = Qaplib::load(directory(GOOD).path()).unwrap();
        assert_eq!(qaplib.instances().len(), 2);
        let best = qaplib.find("tri3").unwrap().best.as_ref().unwrap();
        assert_eq!((best.cost, &best.permutation[..]), (24.0, &[0, 1, 2][..]));
        let one = qaplib.find("one1").unwrap();
        assert_eq!((one.instance.n, one.best.as_ref()), (1, None));
        assert_eq!(qaplib.find("two2"), None);
    }

    #[test]
    fn missing_files_say_what_to_put_where() {
        let dir = tempfile::tempdir().unwrap();
        let error = Qaplib::load(dir.path()).unwrap_err();
        assert!(matches!(error, DatasetError::Missing { .. }));
        assert!(
            error.to_string().contains("qaplib/index.csv") && error.hints() == [Hint::DataFolder]
        );
        let error = Qaplib::load(directory("nug5,5,,x,,,1,1,\n").path()).unwrap_err();
        assert!(matches!(error, DatasetError::Missing { .. }));
        assert!(error.to_string().contains("nug5.dat"), "{error}");
    }

    #[test]
    fn rows_that_do_not_hold_are_named() {
        for (row, part) in [
            (
                "tri3,3,25,x,x,p,0,1,0 1 2",
                "line 2, column 3: found the cost 25, expected 24, which",
            ),
            (
                "tri3,3,24,x,x,p,0,1,1 0 2",
                "found the cost 24, expected 28",
            ),
            (
                "tri3,3,24,x,x,p,0,1,1 2 3",
                "column 9: found `1 2 3`, expected a permutation",
            ),
            ("tri3,3,24,x,x,p,0,1,0 0 2", "column 9: found `0 0 2`"),
            ("tri3,3,24,x,x,p,0,1,0 1", "column 9: found `0 1`"),
            ("tri3,3,24,x,x,p,0,1,", "column 9: found ``"),
            (
                "tri3,3,,x,x,p,0,1,0 1 2",
                "column 3: found ``, expected a cost",
            ),
            ("tri3,3,nan,x,x,p,0,1,0 1 2", "column 3: found `nan`"),
            (
                "tri3,4,,x,x,p,0,1,",
                "column 2: found 4, expected 3, as tri3.dat has",
            ),
            ("tri3,-1,,x,x,p,0,1,", "column 2: found `-1`"),
            ("../tri3,3,,x,x,p,0,1,", "column 1: found `../tri3`"),
            ("tri3,3", "line 2: found 2 fields, expected 9"),
        ] {
            let message = message(row);
            assert!(message.contains(part), "{message}");
        }
        let dir = directory("");
        std::fs::write(dir.path().join("qaplib/index.csv"), "name,n\n").unwrap();
        let message = Qaplib::load(dir.path()).unwrap_err().to_string();
        assert!(message.contains("line 1: found `name,n`, expected the header name,n,best"));
        std::fs::write(dir.path().join("qaplib/dat/one1.dat"), "1 4").unwrap();
        std::fs::write(
            dir.path().join("qaplib/index.csv"),
            format!("{HEADER}\none1,1,,x,,,1,1,\n"),
        )
        .unwrap();
        let error = Qaplib::load(dir.path()).unwrap_err();
        assert!(matches!(error, DatasetError::Contents(_)));
        assert!(
            error
                .to_string()
                .contains("one1.dat: found the end of the file"),
            "{error}"
        );
    }
}
