//! Points: matched by where they lie, without the complete graphs of their distances.

mod common;

use anchormatch_invariants::command::says;
use common::Bench;

/// A point of a set that is spread evenly, without symmetry.
fn place(k: usize) -> (f64, f64) {
    let along = |step: f64| 100.0 * (k as f64 * step % 1.0);
    (along(0.754_877_666), along(0.569_840_291))
}

/// The same turned by 30°, twice as large, moved and shaken a little.
fn image((x, y): (f64, f64), k: usize) -> (f64, f64) {
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let shake = |step: usize| 0.2 * ((k * step) % 101) as f64 / 101.0;
    (
        2.0 * (cos * x - sin * y) + 7.0 + shake(7919),
        2.0 * (sin * x + cos * y) - 3.0 - shake(6067),
    )
}

/// `a.csv` and `b.csv`: `common` points and their images in the other order, and `extras` more on each
/// side that have no partner; two anchors, and the truth.
fn sets(common: usize, extras: usize) -> Bench {
    let (mut a, mut b) = ("id,x,y\n".to_owned(), "id,x,y\n".to_owned());
    let mut truth = "source,target\n".to_owned();
    for k in 0..common + extras {
        let (x, y) = place(k);
        a += &format!("p{k},{x},{y}\n");
    }
    for k in (0..common + extras).rev() {
        let from = if k < common { k } else { k + extras };
        let (x, y) = image(place(from), k);
        b += &format!("q{from},{x},{y}\n");
    }
    for k in 0..common {
        truth += &format!("p{k},q{k}\n");
    }
    let bench = Bench::new();
    bench.file("a.csv", a);
    bench.file("b.csv", b);
    bench.file("known.csv", "source,target\np0,q0\np1,q1\n");
    bench.file("truth.csv", truth);
    bench
}

const MATCH: &str = "match a.csv b.csv --points --anchors known.csv --truth truth.csv";

#[test]
fn partners_are_found_and_extras_stay_alone() {
    let bench = sets(40, 10);
    let answer = bench.run(&format!("{MATCH} --allow-unmatched"));
    says(
        &answer.stderr,
        &["note: points: one set is the other turned", "similarity"],
    );
    let text = answer.ok();
    let pairs: Vec<(&str, &str)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let mut next = || fields.next().unwrap();
            (
                next().trim_start_matches('p'),
                next().trim_start_matches('q'),
            )
        })
        .collect();
    assert!((38..=41).contains(&pairs.len()), "{text}");
    let wrong = pairs.iter().filter(|(p, q)| p != q).count();
    assert!(wrong <= 1, "{text}");

    let value = bench
        .run(&format!("{MATCH} --allow-unmatched --preset fast --json"))
        .json();
    let model = &value["model"];
    assert_eq!(model["family"], "similarity", "{model:#}");
    assert!(value["f1"].as_f64().unwrap() > 0.95, "{value:#}");
    assert_eq!(value["parameters"]["preset"], "fast");
}

#[test]
fn the_model_is_chosen_by_hand() {
    let bench = sets(30, 0);
    for model in ["similarity", "affine", "projective", "smooth"] {
        let line = format!("{MATCH} --points-model {model} --json");
        let value = bench.run(&line).json();
        assert_eq!(value["model"]["family"], *model);
        assert_eq!(value["accuracy"], 1.0, "{model}");
    }
    let line = format!("{MATCH} --points-model distances --json");
    let value = bench.run(&line).json();
    assert_eq!(value.get("model"), None);
    assert_eq!(value["parameters"]["points model"], "distances");
    let line = "suggest a.csv b.csv --points --anchors known.csv --points-model affine -k 2";
    let answer = bench.run(line);
    says(&answer.stderr, &["note: points: ", "affine"]);
    assert_eq!(answer.ok().lines().count(), 4);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let bench = sets(8, 0).with_pair();
    bench.file("p.csv", "x,y\n0,0\n1,2\n");
    bench.file("q.csv", "x,y,z\n0,0,1\n1,2,3\n");
    for command in ["match", "suggest"] {
        bench.refuses(
            &format!("{command} p.csv q.csv --points"),
            &["q.csv", "points of 3 coordinates", "2 as in p.csv"],
        );
        bench.file(
            "g.graphml",
            "<graphml><graph><node id='a'/></graph></graphml>",
        );
        bench.refuses(
            &format!("{command} p.csv g.graphml --points"),
            &["g.graphml", "no table of points"],
        );
    }
    let bench = Bench::new().with_pair();
    bench.refuses(
        "match a.csv b.csv --points-model affine",
        &["--points-model", "no points", "--points"],
    );
    bench.refuses(
        "suggest a.csv b.csv --points-model affine",
        &["--points-model", "no points", "--points"],
    );
    bench.refuses(
        "match a.csv b.csv --points --points-model affine --solver faq",
        &["--points-model", "affine", "--solver", "distances"],
    );
    bench.refuses(
        "match a.csv b.csv --points --points-model affine --preset paper",
        &["--points-model", "--preset best or fast"],
    );
    bench.refuses(
        "suggest a.csv b.csv --points --points-model affine --preset paper",
        &["points_model", "paper"],
    );
}

#[test]
fn many_points_take_no_complete_graphs() {
    // Those would take 3.4 GiB a side.
    let bench = sets(10_000, 0);
    let line = format!("{MATCH} --points-model similarity --max-memory 200M --json");
    let value = bench.run(&line).json();
    assert!(value["accuracy"].as_f64().unwrap() > 0.9, "{value:#}");
    let line = bench
        .run(&format!("{MATCH} --preset paper --max-memory 200M"))
        .refused(4);
    says(&line, &["a.csv: the complete graph of 10000 points"]);
}

#[test]
fn columns_are_found_by_name_or_chosen() {
    let bench = Bench::new();
    bench.file("k.csv", "size,X,Y,name\n1,0,0,eye\n2,3,4,nose\n");
    let text = bench.run("info k.csv --points").ok();
    says(
        &text,
        &["weights         5 to 5", "column `size` was not read"],
    );
    let text = bench.run("info k.csv --columns size,y --points").ok();
    says(
        &text,
        &["weights         4.1231", "column `X` was not read"],
    );
    let text = bench.run("info k.csv --columns 2,3 --points").ok();
    says(&text, &["weights         5 to 5"]);
    bench.refuses(
        "info k.csv --points --columns x,q",
        &["k.csv, line 1", "the column `q`"],
    );
    bench.refuses(
        "info k.csv --points --columns x",
        &["columns", "two or three"],
    );
    bench.file("e.csv", "source,target\na,b\n");
    bench.refuses(
        "info e.csv --columns x,y",
        &["columns", "edges", "a table of points"],
    );
    bench.file("n.csv", "1,2,3,4,5\n");
    bench.refuses(
        "info n.csv --points",
        &[
            "n.csv, line 1",
            "5 numbers",
            "--columns X,Y[,Z]",
            "a header",
        ],
    );
}

#[test]
fn keypoints_clouds_and_meshes_are_points() {
    let bench = sets(12, 0);
    for name in ["a", "b"] {
        bench
            .run(&format!("convert {name}.csv {name}.json --points"))
            .ok();
        for to in ["ply", "xyz"] {
            let answer = bench.run(&format!("convert {name}.csv {name}.{to} --points"));
            says(&answer.stderr, &["ids became numbers"]);
        }
    }
    let line = "match a.csv b.csv --points --anchors known.csv";
    let wanted = bench.run(line).ok();
    let keypoints = bench.run("match a.json b.json --anchors known.csv");
    assert_eq!(keypoints.ok(), wanted);
    bench.file("first.csv", "source,target\n0,11\n1,10\n");
    for end in ["ply", "xyz"] {
        let line = format!("match a.{end} b.{end} --anchors first.csv --json");
        let value = bench.run(&line).json();
        assert_eq!(value["model"]["family"], "similarity");
        assert_eq!(value["pairs"][2]["target"], "9", "{value:#}");
    }
    bench.refuses(
        "match a.ply b.csv --format ply",
        &["b.csv, line 1", "`id,x,y`", "`ply`"],
    );
    bench.file("g.csv", "source,target\nu,v\n");
    bench.refuses(
        "match a.ply g.csv",
        &["g.csv: found a graph", "a.ply has points", "convert"],
    );
    bench.file(
        "two.json",
        r#"{"annotations": [{"id": 4, "keypoints": [1, 2, 2]}, {"id": 5, "keypoints": [1, 2, 2]}]}"#,
    );
    bench.refuses(
        "info two.json",
        &["two.json", "2 annotations", "4, 5", "--variable NAME"],
    );
    bench.run("info two.json --variable 5").ok();
    bench.refuses("info a.ply --columns x,y", &["columns", "the format ply"]);
}

#[test]
fn tables_of_points_are_recognised_without_the_option() {
    let bench = sets(12, 0);
    let line = "match a.csv b.csv --anchors known.csv --truth truth.csv";
    let answer = bench.run(line);
    says(
        &answer.stderr,
        &[
            "a.csv: its header has x and y",
            "note: points: ",
            "accuracy 1.000",
        ],
    );
    assert_eq!(answer.ok(), bench.run(&format!("{line} --points")).ok());
    // Who asks for edges gets them.
    let info = bench.run("info a.csv --format edges").ok();
    says(
        &info,
        &["format          edges", "it looks like a table of points"],
    );

    // Without a header a table may be anything; unknown ids tell that it was not what was meant.
    let without = |name: &str| bench.read(name).split_once('\n').unwrap().1.to_owned();
    let (a, b) = (without("a.csv"), without("b.csv"));
    bench.file("a2.csv", a);
    bench.file("b2.csv", b);
    bench.file("wrong.csv", "source,target\np0,zoe\n");
    for command in ["match", "suggest"] {
        bench.refuses(
            &format!("{command} a2.csv b2.csv --anchors wrong.csv"),
            &[
                "wrong.csv, line 2",
                "`zoe`",
                "looks like a table of points",
                "--points",
            ],
        );
    }
    let answer = bench.run("match a2.csv b2.csv --anchors known.csv");
    says(&answer.stderr, &["a2.csv: it looks like a table of points"]);
    bench.refuses(
        "match a.csv b2.csv",
        &["b2.csv: found a graph", "a.csv has points", "--points"],
    );
}

#[test]
fn points_may_carry_attributes() {
    let bench = Bench::new();
    // A square tells its corners apart by nothing but what they carry.
    bench.file(
        "p.csv",
        "id,x,y,hue\na,0,0,red\nb,0,1,green\nc,1,1,blue\nd,1,0,black\n",
    );
    bench.file(
        "q.csv",
        "id,x,y,hue\nu,1,1,green\nv,0,1,blue\nw,0,0,black\nx,1,0,red\n",
    );
    let found = |options: &str| {
        let pairs = bench
            .run(&format!("match p.csv q.csv --points {options}"))
            .ok();
        let mut rows: Vec<String> = pairs
            .lines()
            .skip(1)
            .map(|row| row.rsplit_once(',').expect("a confidence").0.to_owned())
            .collect();
        rows.sort();
        rows
    };
    let right = ["a,x", "b,u", "c,v", "d,w"];
    assert_eq!(found("--same hue"), right);
    assert_eq!(found("--attributes hue"), right);
    bench.file("pn.csv", "id,tint\na,red\nb,green\nc,blue\nd,black\n");
    bench.file("qn.csv", "id,tint\nu,green\nv,blue\nw,black\nx,red\n");
    assert_eq!(found("--source-nodes pn.csv --target-nodes qn.csv"), right);
    bench.refuses(
        "match p.csv q.csv --points --attributes colour",
        &[
            "--attributes",
            "`colour`",
            "columns that both sides have: hue",
        ],
    );
    assert_eq!(
        found("--attributes hue --points-model similarity"),
        right,
        "a map takes attributes as well"
    );
    bench.file("p.csv", "x,y\n0,0\n0,1\n1,1\n");
    bench.refuses(
        "match p.csv p.csv --points --attributes hue",
        &["--attributes", "`hue`", "in their headers"],
    );
}
