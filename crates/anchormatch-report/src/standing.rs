//! How a node stands, and the mark that says so: one table for the report and for the studio's page.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::sync::LazyLock;

use anchormatch::Matching;
use anchormatch::matching::{AnchorCheck, Pair};

use super::layout::Point;
use super::rules::line_opacity;
use super::text::Coordinate;

/// A pair of at least this confidence is called sure.
pub const SURE: f64 = 0.9;

/// How a node stands; the numbers are those of the table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Standing {
    /// It has no partner.
    Unmatched = 0,
    /// Its pair is less than [`SURE`].
    Doubtful = 1,
    /// Its pair is at least [`SURE`].
    Sure = 2,
    /// Its pair was given.
    Anchor = 3,
    /// Its pair was given, and the rest of the evidence speaks against it.
    Suspicious = 4,
    /// It was said to have no partner.
    Alone = 5,
}

impl Standing {
    /// All of them, by their numbers.
    pub const ALL: [Self; 6] = [
        Self::Unmatched,
        Self::Doubtful,
        Self::Sure,
        Self::Anchor,
        Self::Suspicious,
        Self::Alone,
    ];

    /// That of both nodes of a pair, where `suspicious` are the sources of the anchors that are.
    #[must_use]
    pub fn of(pair: &Pair, suspicious: &HashSet<usize>) -> Self {
        match pair.anchor {
            true if suspicious.contains(&pair.source) => Self::Suspicious,
            true => Self::Anchor,
            false if pair.confidence >= SURE => Self::Sure,
            false => Self::Doubtful,
        }
    }

    /// The sources of the anchors that the rest of the evidence speaks against.
    #[must_use]
    pub fn suspicious(matching: &Matching) -> HashSet<usize> {
        let checks = matching.anchor_report.iter();
        let wrong = checks.filter(|check: &&AnchorCheck| check.is_suspicious());
        wrong.map(|check| check.source).collect()
    }

    fn mark(self) -> &'static Mark {
        &MARKS[self as usize]
    }

    /// Its colour in the palette, and its class.
    pub(super) fn name(self) -> &'static str {
        self.mark().name
    }

    pub(super) fn word(self) -> &'static str {
        self.mark().word
    }

    /// The width of the match line of a pair that stands so, and its opacity among so many.
    pub(super) fn line(self, lines: usize) -> (f64, f64) {
        let mark = self.mark();
        (mark.width, (line_opacity(lines) * mark.strength).min(1.0))
    }

    /// What the opacity of such a line is multiplied by.
    pub(super) fn strength(self) -> f64 {
        self.mark().strength
    }

    /// Writes marks at places for nodes of these radii: their bodies in one path, their holes in another.
    pub(super) fn write_marks(self, out: &mut String, nodes: &[(Point, f64)]) -> fmt::Result {
        let mark = self.mark();
        let classes = [format!("body {}", mark.name), "hole".to_owned()];
        for (class, outline) in classes.iter().zip([Some(&mark.body), mark.hole.as_ref()]) {
            let Some(outline) = outline.filter(|_| !nodes.is_empty()) else {
                continue;
            };
            write!(out, "<path class=\"{class}\" d=\"")?;
            for &(place, radius) in nodes {
                outline.write(out, place, radius * mark.size)?;
            }
            out.push_str("\"/>");
        }
        Ok(())
    }
}

/// A row of the table.
#[derive(Debug)]
struct Mark {
    name: &'static str,
    word: &'static str,
    size: f64,
    body: Outline,
    hole: Option<Outline>,
    width: f64,
    strength: f64,
}

/// A shape about (0, 0), for a radius of 1.
#[derive(Debug)]
enum Outline {
    Disc(f64),
    Polygon(Vec<Point>),
}

impl Outline {
    fn read(text: &str) -> Option<Self> {
        let (kind, numbers) = text.split_once(' ')?;
        let numbers: Vec<f64> = numbers.split(' ').filter_map(|x| x.parse().ok()).collect();
        match (kind, &numbers[..]) {
            ("disc", &[radius]) => Some(Self::Disc(radius)),
            ("polygon", corners) => {
                let corners = corners.chunks_exact(2).map(|p| [p[0], p[1]]);
                Some(Self::Polygon(corners.collect()))
            }
            _ => None,
        }
    }

    fn write(&self, out: &mut String, [x, y]: Point, radius: f64) -> fmt::Result {
        match self {
            Self::Disc(share) => {
                let r = share * radius;
                let (left, y, wide) = (Coordinate(x - r), Coordinate(y), Coordinate(2.0 * r));
                let back = Coordinate(-2.0 * r);
                let r = Coordinate(r);
                write!(
                    out,
                    "M{left} {y}a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0 {back} 0z"
                )
            }
            Self::Polygon(corners) => {
                for (k, [dx, dy]) in corners.iter().enumerate() {
                    let pen = if k == 0 { 'M' } else { 'L' };
                    let (x, y) = (Coordinate(x + dx * radius), Coordinate(y + dy * radius));
                    write!(out, "{pen}{x} {y}")?;
                }
                out.push('z');
                Ok(())
            }
        }
    }
}

static MARKS: LazyLock<Vec<Mark>> = LazyLock::new(|| {
    let rows = include_str!("assets/standings.tsv").lines();
    let rows = rows.filter(|row| !row.starts_with('#'));
    let marks = rows.map(|row| {
        let mut cells = row.split('\t');
        let mut next = || cells.next().expect("a row of the table has seven cells");
        let number = |cell: &str| cell.parse().expect("sizes and strengths are numbers");
        Mark {
            name: next(),
            word: next(),
            size: number(next()),
            body: Outline::read(next()).expect("a mark has a body"),
            hole: Outline::read(next()),
            width: number(next()),
            strength: number(next()),
        }
    });
    marks.collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standing_has_its_row_its_colour_and_a_shape_of_its_own() {
        assert_eq!(MARKS.len(), Standing::ALL.len());
        let mut drawn = HashSet::new();
        for (k, standing) in Standing::ALL.into_iter().enumerate() {
            assert_eq!(standing as usize, k);
            let named = format!("{standing:?}").to_lowercase();
            assert_eq!(standing.name(), named);
            for palette in [
                include_str!("assets/palette-light.css"),
                include_str!("assets/palette-dark.css"),
            ] {
                assert!(palette.contains(&format!("--{named}: #")), "{named}");
            }
            let rule = format!(".body.{named} {{ fill: var(--{named}); }}");
            assert!(include_str!("assets/marks.css").contains(&rule), "{named}");
            let mut path = String::new();
            standing
                .write_marks(&mut path, &[([10.0, 10.0], 4.0)])
                .expect("a string takes everything");
            assert!(drawn.insert(path.replace(&named, "")), "{path}");
        }
    }

    #[test]
    fn marks_are_drawn_where_they_belong() {
        let mut path = String::new();
        Standing::Anchor
            .write_marks(&mut path, &[([10.0, 20.0], 2.0)])
            .expect("a string takes everything");
        let want = "<path class=\"body anchor\" d=\"M10 17.3L12.7 20L10 22.7L7.3 20z\"/>";
        assert_eq!(path, want);
    }
}
