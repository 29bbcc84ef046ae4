use super::*;

fn panel(y: Axis, points: Vec<Point>) -> Panel {
    Panel {
        title: Some("(a)".into()),
        x: Axis::around("noise σ", points.iter().map(|p| p.x), 0.03),
        y,
        lines: vec![Line {
            style: Style::of(COLOURS[0]).marked(Mark::Disc),
            points,
        }],
    }
}

fn chart(panels: Vec<Panel>) -> Chart {
    Chart {
        title: None,
        panels,
        columns: 2,
        size: (400, 300),
        legend: Vec::new(),
        place: LegendPlace::Below,
        ink: Ink::PRINT,
    }
}

#[test]
fn odd_values_are_drawn_without_nonsense() {
    let bar = |x: f64, y: f64, half: f64| Point {
        x,
        y,
        bar: Some((y - half, y + half)),
    };
    let strange = [
        vec![],
        vec![bar(0.0, 0.5, f64::INFINITY)],
        vec![bar(0.0, f64::NAN, f64::INFINITY), bar(1.0, 0.2, 0.0)],
        vec![
            bar(f64::INFINITY, 0.5, 0.1),
            Point::at(1.0, -3.0),
            Point::at(2.0, 0.0),
        ],
        vec![Point::at(1.0, 1e-299), Point::at(2.0, 1e299)],
        (0..60).map(|k| bar(f64::from(k), 0.9, 0.3)).collect(),
    ];
    for points in strange {
        let ys = points.iter().map(|p| p.y);
        for y in [Axis::share("accuracy"), Axis::logarithmic("time, ms", ys)] {
            let name = y.name.clone();
            let svg = chart(vec![panel(y, points.clone())]).svg().unwrap();
            assert!(svg.contains("noise σ") && svg.contains(&name) && svg.contains("(a)"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        }
    }
}

#[test]
fn every_style_is_drawn_and_explained() {
    let marks = [
        (Mark::Plain, ""),
        (Mark::Dot, "r=\"2\""),
        (Mark::Disc, "r=\"3\""),
        (Mark::Triangle, "<polygon"),
        (Mark::Cross, ""),
    ];
    for (mark, shape) in marks {
        for dashed in [false, true] {
            let style = Style::of(Colour(1, 2, 3)).marked(mark).dashed(dashed);
            let points = vec![Point::at(0.0, 0.1), Point::at(1.0, 0.9)];
            let mut one = panel(Axis::share("share"), points);
            one.lines[0].style = style;
            let mut both = chart(vec![one.clone(), one]);
            both.title = Some("Everything".into());
            let entry = |style, text: &str| Entry {
                style,
                text: text.into(),
            };
            both.legend = vec![entry(Some(style), "a line"), entry(None, "a remark")];
            for place in [LegendPlace::Below, LegendPlace::Beside(150)] {
                both.place = place;
                let svg = both.svg().unwrap();
                assert_eq!(svg, both.svg().unwrap());
                assert!(svg.contains("#010203") && svg.contains(shape), "{svg}");
                for text in ["Everything", "a line", "a remark"] {
                    assert_eq!(svg.matches(text).count(), 1, "{text}");
                }
                assert_eq!(svg.matches("(a)").count(), 2);
            }
        }
    }
}

/// A legend beside a low panel makes the picture higher; paper that is not there is not drawn.
#[test]
fn the_picture_has_room_for_all() {
    let height = |chart: &Chart| -> u32 {
        let svg = chart.svg().unwrap();
        let at = svg.find("height=\"").unwrap() + 8;
        svg[at..].split('"').next().unwrap().parse().unwrap()
    };
    let mut low = chart(vec![panel(Axis::share("share"), vec![])]);
    low.place = LegendPlace::Beside(100);
    assert_eq!(height(&low), 300);
    low.legend = (0..30)
        .map(|k| Entry {
            style: None,
            text: k.to_string(),
        })
        .collect();
    assert!(height(&low) >= 30 * 20);
    let white = |chart: &Chart| chart.svg().unwrap().contains("#FFFFFF");
    assert!(white(&low));
    low.ink.paper = None;
    assert!(!white(&low));
}

#[test]
fn axes_have_room_around_their_values() {
    let around = |values: &[f64]| Axis::around("x", values.iter().copied(), 0.1).range;
    assert_eq!(around(&[0.0, 10.0, f64::NAN]), -1.0..11.0);
    assert_eq!(around(&[3.0]), 2.5..3.5);
    assert_eq!(around(&[]), 0.0..1.0);
    let logarithmic = |values: &[f64]| Axis::logarithmic("y", values.iter().copied()).range;
    assert_eq!(logarithmic(&[-1.0, 0.0, 3.0, 6.0]), 2.0..9.0);
    assert_eq!(logarithmic(&[20.0]), 2.0..200.0);
    assert_eq!(logarithmic(&[]), 0.1..10.0);
}

#[test]
fn nothing_and_axes_without_length_are_refused() {
    assert!(chart(vec![]).svg().is_err());
    for range in [1.0..1.0, 2.0..1.0, f64::NAN..1.0, 0.0..f64::INFINITY] {
        let axis = Axis::linear("y", range);
        assert!(chart(vec![panel(axis, vec![])]).svg().is_err());
    }
    let mut zero = Axis::logarithmic("y", [1.0].into_iter());
    zero.range = 0.0..1.0;
    assert!(chart(vec![panel(zero, vec![])]).svg().is_err());
}
