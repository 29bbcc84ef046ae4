//! The page of points: images under them, the map over them, and what is refused.

mod common;

use anchormatch_invariants::command::says;
use common::Bench;

/// The smallest file that is taken for a PNG of this size.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, 0]);
    for (kind, data) in [(b"IHDR", &header[..]), (b"IDAT", &[0]), (b"IEND", &[])] {
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(kind);
        bytes.extend(data);
        bytes.extend([0; 4]);
    }
    bytes
}

/// A JPEG's markers, without anything that could be decoded: a frame of 300 × 200 pixels, a scan, the end.
fn jpeg() -> Vec<u8> {
    let frame = [0xff, 0xc0, 0, 11, 8, 0, 200, 1, 44, 1, 1, 0x11, 0];
    let scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 7, 0xff, 0xd9];
    [&[0xff, 0xd8][..], &frame, &scan].concat()
}

/// `a.csv`, `b.csv` and `known.csv`: 24 points, their affine images, and six more on each side; five anchors.
fn sets() -> Bench {
    let (mut a, mut b) = ("id,x,y\n".to_owned(), "id,x,y\n".to_owned());
    for k in 0..36 {
        let along = |step: f64| k as f64 * step % 1.0;
        let (x, y) = (180.0 * along(0.754_877_666), 140.0 * along(0.569_840_291));
        let (u, v) = (1.2 * x + 0.3 * y + 9.0, 1.1 * y - 0.1 * x + 30.0);
        match k {
            0..24 => {
                a += &format!("p{k},{x},{y}\n");
                b += &format!("q{k},{u},{v}\n");
            }
            24..30 => a += &format!("p{k},{x},{y}\n"),
            _ => b += &format!("q{k},{u},{v}\n"),
        }
    }
    let bench = Bench::new();
    bench.file("a.csv", a);
    bench.file("b.csv", b);
    let known: String = (0..5).map(|k| format!("p{k},q{k}\n")).collect();
    bench.file("known.csv", format!("source,target\n{known}"));
    bench.file("a.png", png(180, 140));
    bench.file("b.jpg", jpeg());
    bench
}

const MATCH: &str =
    "match a.csv b.csv --points --anchors known.csv --allow-unmatched --report m.html";

#[test]
fn the_page_has_both_images_and_the_map() {
    let bench = sets();
    let line = format!("{MATCH} --points-model affine --source-image a.png --target-image b.jpg");
    let pairs = bench.run(&line).ok();
    let page = bench.read("m.html");
    says(
        &page,
        &[
            "preserveAspectRatio=\"none\" href=\"data:image/png;base64,iVBORw0KGgo",
            "preserveAspectRatio=\"none\" href=\"data:image/jpeg;base64,/9j/",
            "data-layer=\"images\"",
            "<g class=\"layer grid\" data-run=\"0\"><path d=\"M",
            "<ellipse data-s=",
            "<dt>map</dt><dd>affine",
            "<dt>points</dt><dd>30",
            "unmatched points",
            "data-export=\"png\"",
            "--source-image a.png --target-image b.jpg",
        ],
    );
    assert!(!page.contains("<dt>edges</dt>"), "points have no edges");
    assert!(!page.contains("outside the image"));
    // One image alone will do, and the pairs are the same.
    let one = format!("{MATCH} --points-model affine --target-image b.jpg");
    assert_eq!(bench.run(&one).ok(), pairs);
    let page = bench.read("m.html");
    assert_eq!(page.matches("href=\"data:image/").count(), 1);
    // Two views have epipolar lines in the grid's place.
    bench
        .run(&format!(
            "{MATCH} --points-model views --source-image a.png"
        ))
        .ok();
    let page = bench.read("m.html");
    says(
        &page,
        &["<line class=\"e told\" data-s", "data-layer=\"epipolar\""],
    );
    assert!(!page.contains("class=\"layer grid\""));
}

#[test]
fn what_is_no_image_is_refused_by_name() {
    let bench = sets();
    bench.file("cut.png", &png(180, 140)[..40]);
    bench.file("cut.jpg", &jpeg()[..20]);
    bench.file("empty.png", "");
    bench.file("film.gif", "GIF89a and so on");
    bench.file("large.png", [&png(9, 9)[..], &vec![0; 32 << 20]].concat());
    for (file, parts) in [
        (
            "cut.png",
            &["found a PNG image that ends too early", "a whole one"][..],
        ),
        ("cut.jpg", &["found a JPEG image that ends too early"]),
        ("empty.png", &["found an empty file", "a PNG or JPEG image"]),
        ("film.gif", &["found a GIF image", "a PNG or JPEG image"]),
        (
            "a.csv",
            &["begins with the bytes 69 64 2c 78", "a PNG or JPEG image"],
        ),
        ("large.png", &["found more than 32 MB", "a smaller image"]),
        ("none.png", &["No such file"]),
    ] {
        let parts: Vec<&str> = [file].into_iter().chain(parts.iter().copied()).collect();
        for option in ["--source-image", "--target-image"] {
            bench.refuses(&format!("{MATCH} {option} {file}"), &parts);
        }
    }
    assert!(!bench.exists("m.html"), "nothing is written");
}

#[test]
fn images_need_a_page_and_points_in_the_plane() {
    let bench = sets();
    bench.misused(
        "match a.csv b.csv --points --source-image a.png",
        "no --report",
        "--report FILE.html as well, the page that shows the image",
    );
    bench.misused(
        &format!("{MATCH} --target-image -"),
        "`-`, the standard input",
        "the name of a file",
    );
    // An image is an input, which no output overwrites.
    bench.refuses(
        "match a.csv b.csv --points --source-image a.png --report a.png",
        &["--report", "--source-image as well"],
    );
    let graphs = Bench::new().with_pair();
    graphs.file("a.png", png(9, 9));
    graphs.misused(
        "match a.csv b.csv --report m.html --target-image a.png",
        "graphs, whose nodes are no points",
        "tables of x and y on both sides, read with --points",
    );
    graphs.file("p.csv", "x,y,z\n0,0,1\n1,2,3\n4,5,9\n");
    graphs.misused(
        "match p.csv p.csv --points --report m.html --source-image a.png",
        "points of three coordinates",
        "tables of x and y on both sides, read with --points",
    );
}
