//! Matchings of two point sets as a picture: both side by side, a row for each matching; yellow lines are
//! right, red ones wrong, blue rings anchors, as in Figures 2 and 4 of Hu, Rustamov & Guibas (CVPR 2013).

use std::fmt::Write;

use anchormatch::Assignment;
use anchormatch::linalg::Matrix;

use super::text::{Coordinate, Escaped, base64};

/// Units between the views, and above a row.
const GAP: f64 = 24.0;
const CAPTION: f64 = 34.0;

/// What lies behind the points.
#[derive(Debug, Clone, PartialEq)]
pub enum Backdrop {
    /// A grey field.
    Field,
    /// Two frames, as PNG files.
    Frames([Vec<u8>; 2]),
    /// Lines between points of the source, and between their partners in the truth.
    Wireframe(&'static [(usize, usize)]),
}

/// Two point sets, what is known of them, and matchings to compare.
#[derive(Debug, Clone)]
pub struct Views<'a> {
    /// The points on the left, a row each.
    pub source: &'a Matrix,
    /// The points on the right.
    pub target: &'a Matrix,
    /// The right pairs.
    pub truth: &'a [(usize, usize)],
    /// The pairs that were given.
    pub anchors: &'a [(usize, usize)],
    /// Width and height of a view.
    pub size: [f64; 2],
    /// What lies behind the points.
    pub backdrop: &'a Backdrop,
    /// A name for the frames that is unique on the page.
    pub id: &'a str,
}

impl Views<'_> {
    /// An SVG with a row for each caption and the pairs under it.
    #[must_use]
    pub fn svg(&self, rows: &[(String, Vec<(usize, usize)>)]) -> String {
        let mut svg = String::new();
        self.write(&mut svg, rows)
            .expect("writing into a string cannot fail");
        svg
    }

    fn write(&self, out: &mut String, rows: &[(String, Vec<(usize, usize)>)]) -> std::fmt::Result {
        let [w, h] = self.size;
        let row = h + CAPTION;
        let (width, height) = (2.0 * w + GAP, row * rows.len() as f64);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>"
        )?;
        if let Backdrop::Frames(frames) = self.backdrop {
            out.push_str("<defs>\n");
            for (side, png) in frames.iter().enumerate() {
                writeln!(
                    out,
                    "<image id=\"{}-{side}\" width=\"{w}\" height=\"{h}\" \
                     href=\"data:image/png;base64,{}\"/>",
                    Escaped(self.id),
                    base64(png)
                )?;
            }
            out.push_str("</defs>\n");
        }
        for (k, (caption, pairs)) in rows.iter().enumerate() {
            let top = k as f64 * row;
            writeln!(
                out,
                "<text x=\"4\" y=\"{}\" font-size=\"17\" fill=\"#333\">{}</text>",
                top + 20.0,
                Escaped(caption)
            )?;
            self.row(out, top + CAPTION - 6.0, pairs)?;
        }
        out.push_str("</svg>\n");
        Ok(())
    }

    fn row(&self, out: &mut String, top: f64, pairs: &[(usize, usize)]) -> std::fmt::Result {
        let [w, h] = self.size;
        let left = w + GAP;
        for (side, x) in [(0, 0.0), (1, left)] {
            match self.backdrop {
                Backdrop::Frames(_) => {
                    let id = Escaped(self.id);
                    writeln!(out, "<use href=\"#{id}-{side}\" x=\"{x}\" y=\"{top}\"/>")?;
                }
                _ => writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" fill=\"#5a5f68\"/>"
                )?,
            }
        }
        let from = |i: usize| [self.source[(i, 0)], self.source[(i, 1)] + top];
        let to = |a: usize| [self.target[(a, 0)] + left, self.target[(a, 1)] + top];
        if let Backdrop::Wireframe(lines) = self.backdrop {
            let truth = self.truth.iter().copied();
            let truth = Assignment::from_pairs(self.source.rows(), truth);
            for &(i, j) in *lines {
                line(out, from(i), from(j), "#8d949f", 1.0)?;
                if let (Some(a), Some(b)) = (truth.partner(i), truth.partner(j)) {
                    line(out, to(a), to(b), "#8d949f", 1.0)?;
                }
            }
        }
        let (right, wrong): (Vec<_>, Vec<_>) =
            pairs.iter().partition(|pair| self.truth.contains(pair));
        // Wrong lines lie on top.
        for (pairs, colour) in [(right, "#ffd42a"), (wrong, "#ff2a2a")] {
            for (i, a) in pairs {
                line(out, from(i), to(a), colour, 1.6)?;
            }
        }
        let places = (0..self.source.rows()).map(from);
        for place in places.chain((0..self.target.rows()).map(to)) {
            dot(out, place, 3.0, "#7fd4ff", "none")?;
        }
        for &(i, a) in self.anchors {
            dot(out, from(i), 7.0, "none", "#2aa5ff")?;
            dot(out, to(a), 7.0, "none", "#2aa5ff")?;
        }
        Ok(())
    }
}

fn line(
    out: &mut String,
    from: [f64; 2],
    to: [f64; 2],
    colour: &str,
    width: f64,
) -> std::fmt::Result {
    let ([x1, y1], [x2, y2]) = (from.map(Coordinate), to.map(Coordinate));
    writeln!(
        out,
        "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" \
         stroke-width=\"{width}\"/>"
    )
}

fn dot(out: &mut String, at: [f64; 2], radius: f64, fill: &str, ring: &str) -> std::fmt::Result {
    let [x, y] = at.map(Coordinate);
    writeln!(
        out,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{ring}\" \
         stroke-width=\"2\"/>"
    )
}
