//! Example matchings as pictures: both views side by side, a row for each method; yellow lines are
//! right, red ones wrong, blue rings anchors, as in the paper's Figures 2 and 4.

use std::fmt::Write;

use anchormatch::{Monitor, Result};

use super::protocol::{Protocol, derived_seed};
use crate::experiments::Trial;

/// Units between the views, and above a row.
const GAP: f64 = 24.0;
const CAPTION: f64 = 34.0;

/// What lies behind the points.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Behind {
    /// A grey field of this size.
    Field([f64; 2]),
    /// Two frames of this size, as PNG files.
    Frames([f64; 2], [Vec<u8>; 2]),
    /// Lines between points, on a field of this size.
    Wireframe([f64; 2], &'static [(usize, usize)]),
}

/// The first draw of the anchors at a point, matched by each of `methods` (name and caption).
///
/// # Errors
/// When a method fails; the trial must have positions.
pub(super) fn picture(
    protocol: &Protocol,
    point: usize,
    methods: &[(&str, String)],
    behind: &Behind,
    id: &str,
    monitor: &Monitor,
) -> Result<String> {
    let trial = protocol.points[point].trial(0)?;
    let name = &protocol.points[point].name;
    let seed = derived_seed(protocol.seed, &[&protocol.name, name, &0, &"methods"]);
    let size = match behind {
        Behind::Field(size) | Behind::Frames(size, _) | Behind::Wireframe(size, _) => *size,
    };
    let row = size[1] + CAPTION;
    let (width, height) = (2.0 * size[0] + GAP, row * methods.len() as f64);
    let mut svg = String::new();
    let wrote = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    wrote.expect("writing into a string cannot fail");
    if let Behind::Frames([w, h], frames) = behind {
        svg.push_str("<defs>\n");
        for (side, png) in frames.iter().enumerate() {
            let data = base64(png);
            writeln!(
                svg,
                "<image id=\"{id}-{side}\" width=\"{w}\" height=\"{h}\" \
                 href=\"data:image/png;base64,{data}\"/>"
            )
            .expect("writing into a string cannot fail");
        }
        svg.push_str("</defs>\n");
    }
    for (k, (method, caption)) in methods.iter().enumerate() {
        let Some(place) = protocol.place(method) else {
            continue;
        };
        let (matching, outcome) = protocol.entries[place].run(&trial, seed, monitor)?;
        let pairs = matching.pairs.iter().map(|p| (p.source, p.target));
        let pairs: Vec<_> = pairs.collect();
        let caption = format!("{caption}: {} of {} right", outcome.right, outcome.asked);
        let frame = Frame {
            trial: &trial,
            size,
            behind,
            id,
            top: k as f64 * row,
        };
        frame
            .write(&mut svg, &caption, &pairs)
            .expect("writing into a string cannot fail");
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// One row of the picture.
struct Frame<'a> {
    trial: &'a Trial,
    size: [f64; 2],
    behind: &'a Behind,
    id: &'a str,
    top: f64,
}

impl Frame<'_> {
    fn write(&self, out: &mut String, caption: &str, pairs: &[(usize, usize)]) -> std::fmt::Result {
        let [w, h] = self.size;
        let instance = &self.trial.instance;
        let (Some(source), Some(target)) = (&instance.source_positions, &instance.target_positions)
        else {
            return Ok(());
        };
        let top = self.top + CAPTION - 6.0;
        let left = w + GAP;
        writeln!(
            out,
            "<text x=\"4\" y=\"{}\" font-size=\"17\" fill=\"#333\">{caption}</text>",
            self.top + 20.0
        )?;
        for (side, x) in [(0, 0.0), (1, left)] {
            match self.behind {
                Behind::Frames(..) => writeln!(
                    out,
                    "<use href=\"#{}-{side}\" x=\"{x}\" y=\"{top}\"/>",
                    self.id
                )?,
                _ => writeln!(
                    out,
                    "<rect x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" fill=\"#5a5f68\"/>"
                )?,
            }
        }
        let from = |i: usize| [source[(i, 0)], source[(i, 1)] + top];
        let to = |a: usize| [target[(a, 0)] + left, target[(a, 1)] + top];
        if let Behind::Wireframe(_, lines) = self.behind {
            // The target's points are shuffled: the truth says where each landmark went.
            let mut partner = vec![None; source.rows()];
            for &(i, a) in &instance.truth {
                partner[i] = Some(a);
            }
            for &(i, j) in *lines {
                line(out, from(i), from(j), "#8d949f", 1.0)?;
                if let (Some(a), Some(b)) = (partner[i], partner[j]) {
                    line(out, to(a), to(b), "#8d949f", 1.0)?;
                }
            }
        }
        let mut order: Vec<&(usize, usize)> = pairs.iter().collect();
        // Wrong lines lie on top.
        order.sort_by_key(|pair| !instance.truth.contains(pair));
        for &&(i, a) in &order {
            let right = instance.truth.contains(&(i, a));
            let colour = if right { "#ffd42a" } else { "#ff2a2a" };
            line(out, from(i), to(a), colour, 1.6)?;
        }
        for i in 0..source.rows() {
            dot(out, from(i), 3.0, "#7fd4ff", "none")?;
        }
        for a in 0..target.rows() {
            dot(out, to(a), 3.0, "#7fd4ff", "none")?;
        }
        for &(i, a) in &self.trial.anchors {
            dot(out, from(i), 7.0, "none", "#2aa5ff")?;
            dot(out, to(a), 7.0, "none", "#2aa5ff")?;
        }
        Ok(())
    }
}

fn line(
    out: &mut String,
    [x1, y1]: [f64; 2],
    [x2, y2]: [f64; 2],
    colour: &str,
    width: f64,
) -> std::fmt::Result {
    writeln!(
        out,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" \
         stroke-width=\"{width}\"/>"
    )
}

fn dot(
    out: &mut String,
    [x, y]: [f64; 2],
    radius: f64,
    fill: &str,
    ring: &str,
) -> std::fmt::Result {
    writeln!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{ring}\" \
         stroke-width=\"2\"/>"
    )
}

/// Bytes as the text that a data address holds (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            if k <= chunk.len() {
                text.push(char::from(LETTERS[(bits >> (18 - 6 * k) & 63) as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Scale;
    use crate::experiments::reproduce::films::{Film, matchings};
    use anchormatch_generate::house;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The test vectors of RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn every_pair_has_a_line_in_its_colour() {
        let protocol = matchings(None, &Film::our_house(), &Scale::of(1), 3);
        let methods = [
            ("adjacency", "RRWM".to_owned()),
            ("heat+ap", "ours".to_owned()),
        ];
        let behind = Behind::Wireframe(house::IMAGE_SIZE, house::wireframe());
        let svg = picture(&protocol, 0, &methods, &behind, "h", &Monitor::silent()).unwrap();
        let count = |colour: &str| svg.matches(&format!("stroke=\"{colour}\"")).count();
        assert_eq!(count("#ffd42a") + count("#ff2a2a"), 2 * 51);
        assert_eq!(count("#8d949f"), 2 * 2 * house::wireframe().len());
        assert_eq!(count("#2aa5ff"), 2 * 2 * 2);
        // The captions say what the lines show; anchors are right and not asked.
        let told = |method: &str| -> usize {
            let at = svg.find(&format!("{method}: ")).unwrap() + method.len() + 2;
            svg[at..].split(' ').next().unwrap().parse().unwrap()
        };
        assert_eq!(told("RRWM") + told("ours") + 4, count("#ffd42a"));
        let frames = Behind::Frames(house::IMAGE_SIZE, [b"one".to_vec(), b"two".to_vec()]);
        let svg = picture(
            &protocol,
            0,
            &methods[..1],
            &frames,
            "h",
            &Monitor::silent(),
        )
        .unwrap();
        assert!(
            svg.contains("id=\"h-1\"")
                && svg.contains("href=\"#h-1\"")
                && svg.contains("base64,b25l")
        );
    }
}
