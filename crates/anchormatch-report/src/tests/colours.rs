//! Colours that everybody can read and tell apart.
//!
//! Contrasts are those of WCAG 2.2: (L₁ + 0.05) / (L₂ + 0.05) for relative luminances L₁ ≥ L₂, at least 4.5 for text
//! (7 for the text that is read most) and 3 for marks. Who sees two kinds of cones instead of three is simulated by the
//! matrices of Machado, Oliveira, Fernandes (IEEE TVCG 15, 2009), severity 1, on linear RGB; what two colours then have
//! between them is CIEDE2000 (Sharma, Wu, Dalal, Color Research & Application 30, 2005), of which 1 is just noticeable.

use std::collections::HashMap;

use super::super::standing::Standing;

type Triple = [f64; 3];

const LIGHT: &str = include_str!("../assets/palette-light.css");
const DARK: &str = include_str!("../assets/palette-dark.css");

/// The least distance between the colours of two standings, for any eye.
const APART: f64 = 11.0;

fn palette(text: &str) -> HashMap<&str, Triple> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--"));
    let lines = lines.filter_map(|line| line.trim_end_matches(';').split_once(": #"));
    lines.map(|(name, hex)| (name, linear(hex))).collect()
}

/// A colour in sRGB as linear RGB.
fn linear(hex: &str) -> Triple {
    [0, 2, 4].map(|k| {
        let byte = u8::from_str_radix(&hex[k..k + 2], 16).expect("two digits");
        let c = f64::from(byte) / 255.0;
        match c <= 0.04045 {
            true => c / 12.92,
            false => ((c + 0.055) / 1.055).powf(2.4),
        }
    })
}

fn times(matrix: [Triple; 3], v: Triple) -> Triple {
    matrix.map(|row| row.iter().zip(v).map(|(m, x)| m * x).sum())
}

fn contrast(one: Triple, two: Triple) -> f64 {
    let luminance = |[r, g, b]: Triple| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let (a, b) = (luminance(one) + 0.05, luminance(two) + 0.05);
    (a / b).max(b / a)
}

/// CIELAB of linear RGB, in the light of D65.
fn lab(rgb: Triple) -> Triple {
    const XYZ: [Triple; 3] = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let white = [0.95047, 1.0, 1.08883];
    let xyz = times(XYZ, rgb);
    let edge = 6.0 / 29.0_f64;
    let [x, y, z] = [0, 1, 2].map(|k| {
        let t = xyz[k] / white[k];
        match t > edge.powi(3) {
            true => t.cbrt(),
            false => t / (3.0 * edge * edge) + 4.0 / 29.0,
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// CIEDE2000.
fn distance([l1, a1, b1]: Triple, [l2, a2, b2]: Triple) -> f64 {
    let seventh = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
    let stretch = 1.5 - 0.5 * seventh(f64::midpoint(a1.hypot(b1), a2.hypot(b2)));
    let (a1, a2) = (stretch * a1, stretch * a2);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let is_grey = c1 * c2 == 0.0;
    let turn = match h2 - h1 {
        _ if is_grey => 0.0,
        d if d > 180.0 => d - 360.0,
        d if d < -180.0 => d + 360.0,
        d => d,
    };
    let mean_hue = match (h1 - h2).abs() <= 180.0 {
        _ if is_grey => h1 + h2,
        true => f64::midpoint(h1, h2),
        false if h1 + h2 < 360.0 => f64::midpoint(h1, h2) + 180.0,
        false => f64::midpoint(h1, h2) - 180.0,
    };
    let (l, c) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2));
    let cos = |factor: f64, shift: f64| (factor * mean_hue + shift).to_radians().cos();
    let t = 1.0 - 0.17 * cos(1.0, -30.0) + 0.24 * cos(2.0, 0.0) + 0.32 * cos(3.0, 6.0)
        - 0.20 * cos(4.0, -63.0);
    let from_middle = (l - 50.0).powi(2);
    let lightness = (l2 - l1) / (1.0 + 0.015 * from_middle / (20.0 + from_middle).sqrt());
    let chroma = (c2 - c1) / (1.0 + 0.045 * c);
    let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * c * t);
    let blue = 60.0 * (-((mean_hue - 275.0) / 25.0).powi(2)).exp();
    let rotation = -2.0 * blue.to_radians().sin() * seventh(c);
    (lightness.powi(2) + chroma.powi(2) + hue.powi(2) + rotation * chroma * hue).sqrt()
}

/// Eyes: what they make of linear RGB.
const EYES: [(&str, [Triple; 3]); 4] = [
    (
        "three cones",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

#[test]
fn distances_are_those_of_the_paper() {
    // Rows of table 1 of Sharma et al., which reach every case of the formula.
    for (one, two, want) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, -1.3802, -84.2814], [50.0, 0.0, -82.7485], 1.0),
        ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
        ([50.0, 2.49, -0.001], [50.0, -2.49, 0.0011], 7.2195),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        (
            [60.2574, -34.0099, 36.2677],
            [60.4626, -34.1751, 39.4387],
            1.2644,
        ),
        (
            [22.7233, 20.0904, -46.694],
            [23.0331, 14.973, -42.5619],
            2.0373,
        ),
        ([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082),
    ] {
        assert!((distance(one, two) - want).abs() < 1e-4, "{one:?} {two:?}");
        assert!((distance(two, one) - want).abs() < 1e-4, "{one:?} {two:?}");
    }
    let white = lab(linear("ffffff"));
    assert!((white[0] - 100.0).abs() < 1e-3 && white[1].hypot(white[2]) < 0.02);
    assert!((contrast(linear("ffffff"), linear("000000")) - 21.0).abs() < 1e-9);
    assert!((contrast(linear("777777"), linear("ffffff")) - 4.478).abs() < 1e-3);
    // Grey is grey to every eye.
    for (eye, seen) in EYES {
        let grey = times(seen, [0.3; 3]);
        assert!(grey.iter().all(|x| (x - 0.3).abs() < 1e-4), "{eye}");
    }
}

#[test]
fn every_eye_tells_the_standings_apart() {
    for (shade, text) in [("light", LIGHT), ("dark", DARK)] {
        let colours = palette(text);
        for (eye, seen) in EYES {
            let seen = |standing: Standing| {
                let clipped = times(seen, colours[standing.name()]).map(|x| x.clamp(0.0, 1.0));
                lab(clipped)
            };
            for (k, &one) in Standing::ALL.iter().enumerate() {
                for &two in &Standing::ALL[..k] {
                    let far = distance(seen(one), seen(two));
                    assert!(far >= APART, "{shade}, {eye}: {one:?} and {two:?} {far:.1}");
                }
            }
        }
    }
}

#[test]
fn text_and_marks_stand_out() {
    for (shade, text) in [("light", LIGHT), ("dark", DARK)] {
        let colours = palette(text);
        let grounds = ["paper", "card", "hover"];
        let mut wanted: Vec<(&str, &str, f64)> = Vec::new();
        wanted.extend(grounds.map(|ground| ("ink", ground, 7.0)));
        wanted.extend(grounds.map(|ground| ("dim", ground, 4.5)));
        wanted.extend([
            ("accent", "paper", 4.5),
            ("accent", "card", 4.5),
            ("on-accent", "accent", 4.5),
            ("on-sure", "sure", 4.5),
            ("paper", "suspicious", 4.5),
            ("faint", "paper", 3.0),
            ("faint", "card", 3.0),
            ("edge", "paper", 3.0),
        ]);
        wanted.extend(Standing::ALL.map(|standing| (standing.name(), "paper", 3.0)));
        for (name, ground, least) in wanted {
            let found = contrast(colours[name], colours[ground]);
            assert!(found >= least, "{shade}: {name} on {ground} {found:.2}");
        }
    }
}
