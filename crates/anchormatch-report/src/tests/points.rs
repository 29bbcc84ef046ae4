//! Points: images under them, and the map between them drawn over them.

use std::sync::Arc;

use anchormatch::matcher::{Best, Matcher};
use anchormatch::matching::Alternatives;
use anchormatch::points::{Family, FittedFamily, Grid, PointsModel, Sketch};
use anchormatch::{Anchors, Monitor, Task};

use super::super::overlay::Overlay;
use super::super::scene::Scene;
use super::*;

/// The smallest file that is taken for a PNG of this size.
fn image(width: u32, height: u32) -> Image {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, 0]);
    for (kind, data) in [(b"IHDR", &header[..]), (b"IDAT", &[0]), (b"IEND", &[])] {
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(kind);
        bytes.extend(data);
        bytes.extend([0; 4]);
    }
    Image::new("image", bytes).unwrap()
}

fn table(points: &[[f64; 2]]) -> Matrix {
    let values = points.iter().flatten().copied();
    Matrix::from_vec(points.len(), 2, values.collect())
}

fn points_side<'a>(graph: &'a Graph, positions: &'a Matrix) -> Side<'a> {
    Side {
        positions: Some(positions),
        points: true,
        ..side(graph)
    }
}

fn of_points<'a>(
    graph: &'a Graph,
    matching: &'a Matching,
    [source, target]: [&'a Matrix; 2],
) -> Report<'a> {
    Report {
        source: points_side(graph, source),
        target: points_side(graph, target),
        ..report(graph, graph, &[matching])
    }
}

const SOURCE: [[f64; 2]; 4] = [[0.0, 0.0], [100.0, 0.0], [100.0, 50.0], [20.0, 40.0]];

fn affine([x, y]: [f64; 2]) -> [f64; 2] {
    [2.0 * x + 0.5 * y + 10.0, 1.5 * y - 0.2 * x + 30.0]
}

/// A matching of the points above with their images under the affine map, whose residuals have this covariance.
fn fitted(covariance: [f64; 4]) -> (Matching, Matrix, Matrix) {
    let lines: Vec<[f64; 2]> = [0.0, 50.0, 100.0]
        .iter()
        .flat_map(|&x| [[x, 0.0], [x, 25.0], [x, 50.0]])
        .collect();
    let images: Vec<_> = lines.iter().copied().map(affine).collect();
    let expected: Vec<_> = SOURCE.iter().copied().map(affine).collect();
    let transform = [2.0, 0.5, 10.0, -0.2, 1.5, 30.0, 0.0, 0.0, 1.0];
    let mut family = FittedFamily::new(
        Family::Affine,
        0.98,
        Matrix::from_vec(3, 3, transform.to_vec()),
        Matrix::from_vec(2, 2, covariance.to_vec()),
        4.0,
    );
    family.sketch = Some(Sketch {
        expected: table(&expected),
        covariances: Matrix::from_fn(4, 4, |_, k| covariance[k]),
        directions: None,
        grid: Some(Grid {
            steps: 3,
            source: table(&lines),
            target: table(&images),
        }),
    });
    let pairs = [(0, 0, 1.0, true), (1, 1, 0.9, false), (2, 2, 0.6, false)];
    let mut matching = matching(&pairs, 4, 4);
    matching.model = vec![family];
    let lists = [
        vec![],
        vec![(1, 0.9), (3, 0.06), (0, 0.0001)],
        vec![(2, 0.6), (0, 0.3)],
        vec![(3, 0.2), (1, 0.1)],
    ];
    matching.alternatives = Some(Alternatives::new(lists));
    (matching, table(&SOURCE), table(&expected))
}

#[test]
fn the_grid_lies_where_the_transform_puts_it() {
    let graph = Graph::from_edges(4, &[]).unwrap();
    let (matching, source, target) = fitted([4.0, 0.0, 0.0, 1.0]);
    let report = of_points(&graph, &matching, [&source, &target]);
    let view = View::new(&report).unwrap();
    let scene = Scene::new(&view);
    let overlay = Overlay::of(&scene, &view.runs[0]).unwrap();
    // Three upright lines in each panel, all of them inside.
    assert_eq!(overlay.grid.len(), 6);
    let to = scene.target.placement.unwrap();
    for (line, x) in overlay.grid[3..].iter().zip([0.0, 50.0, 100.0]) {
        for (place, y) in line.iter().zip([0.0, 25.0, 50.0]) {
            let want = to.at(affine([x, y]));
            assert!((place[0] - want[0]).hypot(place[1] - want[1]) < 1e-9);
        }
    }
    // Corners of the grid are points of the set, and have their places.
    let near = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]) < 1e-9;
    assert!(near(overlay.grid[3][0], scene.target.places[0]));
    assert!(near(overlay.grid[5][2], scene.target.places[2]));
    assert!(near(overlay.grid[0][0], scene.source.places[0]));
}

#[test]
fn ellipses_are_two_deviations_around_the_expected_places() {
    let graph = Graph::from_edges(4, &[]).unwrap();
    let (matching, source, target) = fitted([9.0, 0.0, 0.0, 1.0]);
    let report = of_points(&graph, &matching, [&source, &target]);
    let view = View::new(&report).unwrap();
    let scene = Scene::new(&view);
    let overlay = Overlay::of(&scene, &view.runs[0]).unwrap();
    let scale = scene.target.placement.unwrap().scale();
    assert_eq!(overlay.ellipses.len(), 4);
    for (i, ellipse) in &overlay.ellipses {
        let place = scene.target.places[*i];
        assert!((ellipse.centre[0] - place[0]).hypot(ellipse.centre[1] - place[1]) < 1e-9);
        assert!((ellipse.radii[0] - 6.0 * scale).abs() < 1e-9);
        assert!((ellipse.radii[1] - 2.0 * scale).abs() < 1e-9);
        assert_eq!(ellipse.degrees, 0.0);
    }
    assert!(overlay.epipolar.is_empty());
}

#[test]
fn the_page_speaks_of_points_their_map_and_their_alternatives() {
    let graph = Graph::from_edges(4, &[]).unwrap();
    let (matching, source, target) = fitted([4.0, 1.0, 1.0, 2.0]);
    let mut report = of_points(&graph, &matching, [&source, &target]);
    let html = report.html().unwrap();
    assert_sound(&html);
    for wanted in [
        "<dt>points</dt>",
        "<dt>map</dt><dd>affine<small>98\u{202f}% sure</small>",
        "<g class=\"layer grid\" data-run=\"0\"><path d=\"M",
        "<g class=\"layer ellipses\" data-run=\"0\">",
        "data-layer=\"grid\"",
        "data-layer=\"ellipses\"",
        "id=\"floor\"",
        "data-export=\"svg\"",
        "data-export=\"png\"",
        "data-export=\"csv\"",
        "1 → 1 · confidence 0.9 · or 3 0.06<",
        "3 · unmatched · perhaps 3 0.2, 1 0.1<",
        // Of the target's side: who might have wanted it.
        "3 · unmatched · perhaps 3 0.2, 1 0.06<",
        "<td>0 0.3</td>",
        "unmatched points",
        "2σ",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    for unwanted in [
        "<dt>edges</dt>",
        "<dt>nodes</dt>",
        "data-layer=\"images\"",
        "data-layer=\"epipolar\"",
        "both graphs",
    ] {
        assert!(!html.contains(unwanted), "{unwanted}");
    }
    assert_eq!(html.matches("<ellipse data-s=").count(), 4);
    // A graph has none of it but the slider and the exports.
    report.source.points = false;
    let mut bare = matching.clone();
    bare.model.clear();
    bare.alternatives = None;
    report.runs[0].matching = &bare;
    let html = report.html().unwrap();
    assert_sound(&html);
    assert!(html.contains("<dt>edges</dt>") && html.contains("data-export=\"csv\""));
    assert!(!html.contains("<ellipse data-s") && !html.contains("or else"));
}

#[test]
fn images_lie_under_the_pixels_that_the_points_name() {
    let graph = Graph::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap();
    let (matching, source, target) = fitted([4.0, 0.0, 0.0, 1.0]);
    let (left, right) = (image(100, 80), image(300, 200));
    let mut report = report(&graph, &graph, &[&matching]);
    report.source = Side {
        image: Some(&left),
        ..points_side(&graph, &source)
    };
    report.target = Side {
        image: Some(&right),
        ..points_side(&graph, &target)
    };
    let [drawn, other] = report.drawing(&Monitor::silent()).unwrap();
    let [x, y, width, height] = drawn.image.unwrap();
    assert!((width / height - 1.25).abs() < 1e-12);
    // The first point is the upper left corner, the second the upper right one.
    assert!((drawn.places[0][0] - x).abs() < 1e-9 && (drawn.places[0][1] - y).abs() < 1e-9);
    assert!((drawn.places[1][0] - x - width).abs() < 1e-9);
    assert!((drawn.places[2][1] - y - height * 50.0 / 80.0).abs() < 1e-9);
    assert!(drawn.edges.is_empty() && other.image.is_some());
    let html = report.html().unwrap();
    assert_sound(&html);
    assert_eq!(html.matches("href=\"data:image/png;base64,").count(), 2);
    assert!(html.contains("data-layer=\"images\""));
    assert!(!html.contains("outside the image"));

    // A point beyond the image is drawn all the same, and said.
    let small = image(90, 80);
    report.source.image = Some(&small);
    let html = report.html().unwrap();
    assert_sound(&html);
    assert!(html.contains("2 points lie outside the image of 90 × 80 pixels"));

    let space = Matrix::zeros(4, 3);
    for (positions, found) in [
        (Some(&space), "three coordinates"),
        (None, "no coordinates"),
    ] {
        report.source.positions = positions;
        let message = report.html().unwrap_err().to_string();
        let wanted = found.replace("no coordinates", "without coordinates");
        assert!(message.starts_with("image: found under") && message.contains(&wanted));
    }
}

#[test]
fn a_map_of_other_points_is_refused() {
    let graph = Graph::from_edges(4, &[]).unwrap();
    let (matching, source, target) = fitted([4.0, 0.0, 0.0, 1.0]);
    type Spoil = fn(&mut Sketch);
    let spoilers: [Spoil; 5] = [
        |sketch| sketch.expected = Matrix::zeros(3, 2),
        |sketch| sketch.covariances = Matrix::zeros(4, 3),
        |sketch| sketch.directions = Some(Matrix::zeros(5, 2)),
        |sketch| sketch.grid.as_mut().unwrap().steps = 0,
        |sketch| sketch.grid.as_mut().unwrap().target = Matrix::zeros(9, 3),
    ];
    for spoil in spoilers {
        let mut spoilt = matching.clone();
        spoil(spoilt.model[0].sketch.as_mut().unwrap());
        let report = of_points(&graph, &spoilt, [&source, &target]);
        let message = report.html().unwrap_err().to_string();
        assert!(message.starts_with("model: found"), "{message}");
    }
    let mut outside = matching.clone();
    outside.alternatives = Some(Alternatives::new([vec![(4, 0.5)]]));
    assert!(report(&graph, &graph, &[&outside]).html().is_err());
    // Numbers that are none are not drawn.
    let mut odd = matching.clone();
    let sketch = odd.model[0].sketch.as_mut().unwrap();
    sketch.expected = Matrix::filled(4, 2, f64::NAN);
    sketch.covariances = Matrix::filled(4, 4, f64::INFINITY);
    sketch.grid.as_mut().unwrap().target = Matrix::filled(9, 2, f64::INFINITY);
    sketch.directions = Some(Matrix::filled(4, 2, f64::NAN));
    let report = of_points(&graph, &odd, [&source, &target]);
    let html = report.html().unwrap();
    assert_sound(&html);
    let markup = markup(&html);
    assert!(!markup.contains("<ellipse data-s") && !markup.contains("NaN"));
}

#[test]
fn epipolar_lines_pass_through_the_true_partners() {
    // A cloud before two cameras, without noise; every fourth point is known.
    let along = |k: usize, step: f64| 2.8 * (k as f64 * step % 1.0) - 1.4;
    let cloud: Vec<[f64; 3]> = (0..48)
        .map(|k| [0.754_877_666, 0.569_840_291, 0.819_172_513].map(|step| along(k + 1, step)))
        .collect();
    let (sin, cos) = 0.3f64.sin_cos();
    let view = |[x, y, z]: [f64; 3]| {
        let depth = 1.0 - 0.2 * z;
        [320.0 + 150.0 * x / depth, 240.0 + 150.0 * y / depth]
    };
    let turned = |[x, y, z]: [f64; 3]| [cos * x + sin * z, y, cos * z - sin * x];
    let source = table(&cloud.iter().map(|p| view(*p)).collect::<Vec<_>>());
    let target = table(&cloud.iter().map(|p| view(turned(*p))).collect::<Vec<_>>());
    let graph = Graph::from_edges(cloud.len(), &[]).unwrap();
    let known: Vec<_> = (0..cloud.len()).step_by(4).map(|i| (i, i)).collect();
    let anchors = Anchors::from_indices(&graph, &graph, &known).unwrap();
    let task = Task::new(&graph, &graph, &anchors).unwrap();
    let task = task
        .with_points(Arc::new(source.clone()), Arc::new(target.clone()))
        .unwrap();
    let mut preset = Best::default();
    preset.points_model = PointsModel::Views;
    let matching = preset.run(&task, &Monitor::silent()).unwrap();

    let report = of_points(&graph, &matching, [&source, &target]);
    let view = View::new(&report).unwrap();
    let scene = Scene::new(&view);
    let overlay = Overlay::of(&scene, &view.runs[0]).unwrap();
    assert!(overlay.grid.is_empty());
    assert_eq!(overlay.epipolar.len(), cloud.len());
    for (i, [from, to], _) in &overlay.epipolar {
        let place = scene.target.places[*i];
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let cross = dx * (place[1] - from[1]) - dy * (place[0] - from[0]);
        let off = cross.abs() / dx.hypot(dy);
        assert!(off < 2.0, "{i}: {off} units off its line");
    }
    let told = overlay.epipolar.iter().filter(|line| line.2).count();
    assert_eq!(told, 12);
    let html = report.html().unwrap();
    assert_sound(&html);
    assert_eq!(html.matches("<line class=\"e told\" data-s").count(), 12);
    assert!(
        html.contains("data-layer=\"epipolar\" checked") && !html.contains("data-layer=\"grid\"")
    );
    // Long ellipses are there, but wait to be asked for.
    assert!(html.contains("<svg id=\"picture\" class=\"no-ellipses\""));
    assert!(html.contains("data-layer=\"ellipses\"/>") && html.contains("<ellipse data-s"));
}
