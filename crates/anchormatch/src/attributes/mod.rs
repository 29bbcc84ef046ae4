//! What nodes carry beside their edges: numbers, words, texts, weights of many features.
//!
//! An attribute of two nodes speaks for or against them as partners, in nats: ln P(values | partners) −
//! ln P(values | strangers). What partners have in common is fitted from pairs that are known or believed
//! ([`Attributes::fit`]), with pseudo-observations of a mild agreement, so that few pairs claim little; a
//! value that is not known says nothing.
//!
//! | kind | file | what is fitted |
//! |---|---|---|
//! | numbers | `numbers` | the correlation of standardised values |
//! | words | `words` | how often partners agree, and which words of the two sides go together |
//! | text | `text` | how alike the character trigrams of partners are |
//! | weights | `weights` | how often a feature is on both sides, and at which levels |
//! | scores | `scores` | which of the scores that pairs were given partners have |

mod fitted;
mod inference;
mod numbers;
mod scores;
mod similarity;
mod trigrams;
mod vectors;
mod weights;
mod words;

pub use fitted::AttributeModel;
pub use inference::Kind;

use std::cmp::Ordering;
use std::fmt::Display;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::linalg::Csr;

/// The attributes of the nodes of two graphs.
///
/// ```
/// use anchormatch::Attributes;
///
/// let attributes = Attributes::new(2, 3)
///     .with_column("age", &[Some("31"), None], &[Some("30"), Some("52"), Some("77")])?
///     .with_column("city", &[Some("Rome"), Some("Oslo")], &[Some("Oslo"), None, Some("Rome")])?;
/// assert_eq!(attributes.names().collect::<Vec<_>>(), ["age", "city"]);
/// # Ok::<(), anchormatch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    nodes: [usize; 2],
    list: Vec<Arc<Attribute>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Attribute {
    name: String,
    values: Values,
}

/// The values of both sides, made ready to be compared.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    Numbers(numbers::Numbers),
    Words(words::Words),
    /// Trigrams of texts, or weights that most nodes have.
    Vectors(vectors::Vectors),
    Weights(weights::Weights),
    Scores(scores::Scores),
}

impl Attributes {
    /// No attributes yet, of so many source and target nodes.
    #[must_use]
    pub fn new(source: usize, target: usize) -> Self {
        Self {
            nodes: [source, target],
            list: Vec::new(),
        }
    }

    /// A number that nodes of one side share which nothing here tells apart.
    pub(crate) fn digest(&self, side: usize, node: usize) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        for attribute in &self.list {
            match &attribute.values {
                Values::Numbers(numbers) => numbers.bits(side, node).hash(&mut hasher),
                Values::Words(words) => words.code(side, node).hash(&mut hasher),
                Values::Vectors(vectors) => vectors.bits(side, node).hash(&mut hasher),
                Values::Weights(weights) => weights.row(side, node).hash(&mut hasher),
                // Each pair has a score of its own.
                Values::Scores(_) => (side, node).hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// With a column of a table, whose [kind](Kind::of) its words show; an empty word is none.
    ///
    /// # Errors
    /// When there is not a value, or none, for each node, or the name is taken.
    pub fn with_column<S: AsRef<str>>(
        self,
        name: &str,
        source: &[Option<S>],
        target: &[Option<S>],
    ) -> Result<Self> {
        match Kind::of(source, target) {
            Kind::Numbers => {
                let number = |word: &Option<S>| match word.as_ref().map(|w| w.as_ref().trim()) {
                    None | Some("") => f64::NAN,
                    Some(word) => word.parse().unwrap_or(f64::NAN),
                };
                let source: Vec<f64> = source.iter().map(number).collect();
                let target: Vec<f64> = target.iter().map(number).collect();
                self.with_numbers(name, &source, &target)
            }
            Kind::Words => self.with_words(name, source, target),
            Kind::Text => self.with_text(name, source, target),
        }
    }

    /// With numbers; NaN where one is not known.
    ///
    /// # Errors
    /// When there is not one for each node, one is infinite, or the name is taken.
    pub fn with_numbers(self, name: &str, source: &[f64], target: &[f64]) -> Result<Self> {
        if let Some(value) = source.iter().chain(target).find(|v| v.is_infinite()) {
            return Err(wrong(name, value, "finite numbers"));
        }
        let found = [source.len(), target.len()];
        self.with(name, found, || {
            Values::Numbers(numbers::Numbers::new(source, target))
        })
    }

    /// With words of a vocabulary, such as types.
    ///
    /// # Errors
    /// When there is not a word, or none, for each node, or the name is taken.
    pub fn with_words<S: AsRef<str>>(
        self,
        name: &str,
        source: &[Option<S>],
        target: &[Option<S>],
    ) -> Result<Self> {
        let found = [source.len(), target.len()];
        let values = || Values::Words(words::Words::new(&known(source), &known(target)));
        self.with(name, found, values)
    }

    /// With texts, such as names, which partners may write differently.
    ///
    /// # Errors
    /// When there is not a text, or none, for each node, or the name is taken.
    pub fn with_text<S: AsRef<str>>(
        self,
        name: &str,
        source: &[Option<S>],
        target: &[Option<S>],
    ) -> Result<Self> {
        let found = [source.len(), target.len()];
        let values = || {
            let texts = [known(source), known(target)];
            let [source, target] = trigrams::trigrams([&texts[0], &texts[1]]);
            Values::Vectors(vectors::Vectors::new([source, target]))
        };
        self.with(name, found, values)
    }

    /// With the weights of many features, a row for each node and the same columns on both sides; what is
    /// not listed is zero, and a node without any is not known.
    ///
    /// # Errors
    /// When there is not a row for each node, the columns differ, a weight is not finite, or the name is
    /// taken.
    pub fn with_weights(self, name: &str, source: Csr<f64>, target: Csr<f64>) -> Result<Self> {
        if source.cols() != target.cols() {
            return Err(wrong(
                name,
                format!("{} and {} columns", source.cols(), target.cols()),
                "the same columns on both sides",
            ));
        }
        let mut values = source.values().iter().chain(target.values());
        if let Some(value) = values.find(|v| !v.is_finite()) {
            return Err(wrong(name, value, "finite numbers"));
        }
        let found = [source.rows(), target.rows()];
        let sides = [source, target];
        let values = || {
            if weights::are_sparse(&sides) {
                Values::Weights(weights::Weights::new(&sides))
            } else {
                Values::Vectors(vectors::Vectors::new(sides))
            }
        };
        self.with(name, found, values)
    }

    /// With scores of some pairs of a source and a target node; other pairs have none.
    ///
    /// # Errors
    /// When the shape is another, a score is not finite, or the name is taken.
    pub fn with_scores(self, name: &str, scores: &Csr<f64>) -> Result<Self> {
        if let Some(value) = scores.values().iter().find(|v| !v.is_finite()) {
            return Err(wrong(name, value, "finite numbers"));
        }
        let found = [scores.rows(), scores.cols()];
        self.with(name, found, || Values::Scores(scores::Scores::new(scores)))
    }

    fn with(
        mut self,
        name: &str,
        found: [usize; 2],
        values: impl FnOnce() -> Values,
    ) -> Result<Self> {
        let [n, m] = self.nodes;
        if found != self.nodes {
            let [rows, cols] = found;
            return Err(wrong(
                name,
                format!("values of {rows} and {cols} nodes"),
                format!("{n} and {m}, one for each node"),
            ));
        }
        if self.names().any(|known| known == name) {
            return Err(wrong(name, "twice", "every name once"));
        }
        self.list.push(Arc::new(Attribute {
            name: name.to_owned(),
            values: values(),
        }));
        Ok(self)
    }

    /// The numbers of source and target nodes.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.nodes[0], self.nodes[1])
    }

    /// The names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|attribute| attribute.name.as_str())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Calls `meet` with the places of what two ascending lists have in common.
fn in_common(own: &[u32], other: &[u32], mut meet: impl FnMut(usize, usize)) {
    let (mut k, mut l) = (0, 0);
    while k < own.len() && l < other.len() {
        match own[k].cmp(&other[l]) {
            Ordering::Less => k += 1,
            Ordering::Greater => l += 1,
            Ordering::Equal => {
                meet(k, l);
                (k, l) = (k + 1, l + 1);
            }
        }
    }
}

/// Keeps the features that the fewest nodes have, in that order, as long as they are no more than `visits` in
/// all: what everybody has brings up everybody, and tells nothing.
fn rarest<T, V>(
    features: &mut Vec<T>,
    by_feature: &Csr<V>,
    visits: usize,
    number: impl Fn(&T) -> usize,
) where
    V: Copy,
{
    let nodes = |feature: &T| by_feature.range(number(feature)).len();
    features.sort_by_key(|feature| (nodes(feature), number(feature)));
    let mut left = visits;
    let kept = features.iter().take_while(|feature| {
        let enough = nodes(feature) <= left;
        left = left.saturating_sub(nodes(feature));
        enough
    });
    let kept = kept.count();
    features.truncate(kept);
}

/// The error of an attribute that is not as it should be.
fn wrong(name: &str, found: impl Display, expected: impl Display) -> Error {
    Error::parameter("attributes", format!("{found} in `{name}`"), expected)
}

/// Words without the space around them; empty ones are none.
fn known<S: AsRef<str>>(words: &[Option<S>]) -> Vec<Option<&str>> {
    let mut known = Vec::with_capacity(words.len());
    for word in words {
        let word = word.as_ref().map(|word| word.as_ref().trim());
        known.push(word.filter(|word| !word.is_empty()));
    }
    known
}
