//! Texts as the trigrams of their characters, the rare ones counting more.

use std::collections::HashMap;

use crate::linalg::Csr;

/// A row of trigram weights for each text, columns shared by both sides; unknown texts have none.
///
/// Texts are compared without regard to case and to the kind of what is between words: ` ann smith `
/// has ` an`, `ann`, `nn `, `n s` and so on. A trigram that f of N texts have counts ln(1 + N/f).
pub(super) fn trigrams<S: AsRef<str>>(sides: [&[Option<S>]; 2]) -> [Csr<f64>; 2] {
    let mut columns: HashMap<[char; 3], usize> = HashMap::new();
    let mut occurring: Vec<f64> = Vec::new();
    let mut texts = 0.0;
    let rows = sides.map(|side| -> Vec<Vec<(usize, f64)>> {
        let row = |text: &Option<S>| {
            let Some(text) = text else { return Vec::new() };
            texts += 1.0;
            let letters = plain(text.as_ref());
            let mut found: Vec<usize> = letters
                .windows(3)
                .map(|w| {
                    let next = columns.len();
                    let column = *columns.entry([w[0], w[1], w[2]]).or_insert(next);
                    if column == next {
                        occurring.push(0.0);
                    }
                    column
                })
                .collect();
            found.sort_unstable();
            let groups = found.chunk_by(|c, d| c == d);
            groups
                .map(|group| {
                    occurring[group[0]] += 1.0;
                    (group[0], group.len() as f64)
                })
                .collect()
        };
        side.iter().map(row).collect()
    });
    rows.map(|rows| {
        let weighed = rows.into_iter().map(|row| {
            let weigh = |(column, count): (usize, f64)| {
                (column, count * (1.0 + texts / occurring[column]).ln())
            };
            row.into_iter().map(weigh).collect::<Vec<_>>()
        });
        Csr::from_rows(occurring.len(), weighed).expect("columns ascend")
    })
}

/// The letters and digits in lower case, words apart by one space, which stands at both ends too.
fn plain(text: &str) -> Vec<char> {
    let mut letters = vec![' '];
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            letters.push(letter);
        } else if letters.last() != Some(&' ') {
            letters.push(' ');
        }
    }
    if letters.last() != Some(&' ') {
        letters.push(' ');
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ_by_letters_alone() {
        let words = |w: &str| plain(w).into_iter().collect::<String>();
        assert_eq!(words("  Ann--SMITH, jr."), " ann smith jr ");
        assert_eq!(words("…"), " ");
        let [own, other] = trigrams([
            &[Some("Ann Smith"), None],
            &[Some("ann.smith"), Some("ANN")],
        ]);
        assert_eq!(own.parts(0), other.parts(0));
        assert!(own.range(1).is_empty());
        // ` an`, `ann`, `nn `; the last is in all three, the first too.
        assert_eq!(other.range(1).len(), 3);
        let (_, weights) = other.parts(1);
        assert!(
            weights.iter().all(|w| (w - 2f64.ln()).abs() < 1e-12),
            "{weights:?}"
        );
    }
}
