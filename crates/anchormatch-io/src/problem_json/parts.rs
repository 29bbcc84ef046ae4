//! How the pieces of a saved problem look in JSON.

use std::fmt;

use anchormatch::linalg::Matrix;
use anchormatch::problem::{Coverage, Listed, Sense};
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::VERSION;

#[derive(Serialize, Deserialize)]
#[serde(remote = "Sense", rename_all = "snake_case")]
pub(super) enum SenseName {
    Maximise,
    Minimise,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Coverage", rename_all = "snake_case")]
pub(super) enum CoverageName {
    Full,
    Partial,
}

pub(super) fn full() -> Coverage {
    Coverage::Full
}

pub(super) fn tolerance() -> f64 {
    1e-6
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Listed", deny_unknown_fields)]
pub(super) struct ListedFields {
    rows: usize,
    cols: usize,
    assignments: Vec<(usize, usize, f64)>,
    pairs: Vec<(usize, usize, f64)>,
}

/// The version, which is a promise and no data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            version if version == u64::from(VERSION) => Ok(Self),
            other => Err(D::Error::custom(format!(
                "version {other}, expected version {VERSION}"
            ))),
        }
    }
}

/// A matrix as rows of equal length.
pub(super) mod rows {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(
        matrix: &Matrix,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..matrix.rows()).map(|i| matrix.row(i)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Matrix, D::Error> {
        deserializer.deserialize_seq(Rows)
    }
}

/// A matrix that may be left out.
pub(super) mod optional_rows {
    use super::*;

    // The signature is serde's.
    #[allow(clippy::ref_option)]
    pub(in super::super) fn serialize<S: Serializer>(
        matrix: &Option<Matrix>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match matrix {
            Some(matrix) => rows::serialize(matrix, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Matrix>, D::Error> {
        rows::deserialize(deserializer).map(Some)
    }
}

struct Rows;

impl<'de> Visitor<'de> for Rows {
    type Value = Matrix;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Matrix, A::Error> {
        // One list for all rows: no row is allocated by itself.
        let mut data = Vec::new();
        let (mut rows, mut cols) = (0, 0);
        while list.next_element_seed(Row(&mut data))?.is_some() {
            rows += 1;
            if rows == 1 {
                cols = data.len();
            } else if data.len() != rows * cols {
                let found = data.len() - (rows - 1) * cols;
                return Err(A::Error::custom(format!(
                    "a row of {found} numbers, expected {cols} as in the first row"
                )));
            }
        }
        Ok(Matrix::from_vec(rows, cols, data))
    }
}

/// Appends the numbers of one row.
struct Row<'a>(&'a mut Vec<f64>);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            self.0.push(value);
        }
        Ok(())
    }
}
