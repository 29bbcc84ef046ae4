use super::*;
use anchormatch::error::Error;

fn read(text: &str) -> Result<LoadedGraph> {
    read_points_from(text.as_bytes(), "p.csv", &ReadOptions::default())
}

#[test]
fn headers_and_ids_are_recognised_by_the_rule() {
    for (text, ids) in [
        ("0,0\n3,4\n", ["0", "1"]),
        ("x y\n0 0\n3 4\n", ["0", "1"]),
        ("id,x,y\n7,0,0\n9,3,4\n", ["7", "9"]),
        ("place;x;y\nann;0;0\nbob;3;4\n", ["ann", "bob"]),
        ("ann\t0\t0\nbob\t3\t4\n", ["ann", "bob"]),
    ] {
        let loaded = read(text).unwrap();
        assert_eq!(loaded.graph.labels().iter().collect::<Vec<_>>(), ids);
        assert_eq!(loaded.graph.weight(0, 1), 5.0, "{text}");
        let positions = loaded.positions.unwrap();
        assert_eq!(positions.as_slice(), [0.0, 0.0, 3.0, 4.0]);
    }
    let solid = read("x,y,z\n0,0,0\n2,3,6\n").unwrap();
    assert_eq!(solid.graph.weight(0, 1), 7.0);
    let solid = read("k,x,y,z\n5,0,0,0\n6,2,3,6\n").unwrap();
    assert_eq!(solid.graph.weight(0, 1), 7.0);
    assert_eq!(solid.graph.labels().find("6"), Some(1));
    assert_eq!(read("1,1").unwrap().graph.node_count(), 1);
}

#[test]
fn every_fault_has_its_message() {
    for (text, message) in [
        (
            "1,2\n3,x\n",
            "p.csv, line 2, column 2: found `x`, expected a number such as 1.5 or 2e-3",
        ),
        (
            "1,2\n3,inf\n",
            "p.csv, line 2, column 2: found `inf`, expected a finite number",
        ),
        (
            "a,1,2\nb,1,2\na,3,4\n",
            "p.csv, line 3, column 1: found `a`, which line 1 has as well, \
             expected an id of its own for every point",
        ),
        (
            "a,1\n",
            "p.csv, line 1, column 2: found 1 coordinate, expected two or three",
        ),
        (
            "x,y\na,b\n",
            "p.csv, line 2, column 1: found `a`, expected a number such as 1.5 or 2e-3",
        ),
        (
            "u,v\na,b\n",
            "p.csv, line 2, column 2: found 1 coordinate, expected two or three",
        ),
        (
            "1,2,eye\n",
            "p.csv, line 1, column 3: found `eye`, expected a number such as 1.5 or 2e-3",
        ),
        (
            "x,y,X\n1,2,3\n",
            "p.csv, line 1, column 3: found a second column `X`, expected one column of each name; \
             choose the columns of the coordinates",
        ),
        (
            "p,q,r,s,t\n1,2,3,4,5\n",
            "p.csv, line 2, column 4: found 5 columns, none of them called x and y, expected a header \
             with x and y, or two or three columns after an id; choose the columns of the coordinates",
        ),
        (
            "ann,1,2,3,4,5\n",
            "p.csv, line 1, column 5: found 5 numbers, expected x,y or x,y,z, or a header that says \
             which columns they are, such as id,x,y,z; choose the columns of the coordinates",
        ),
        (
            "1,2,3,4\n",
            "p.csv, line 1, column 4: found 4 numbers, expected x,y or x,y,z, or a header that says \
             which columns they are, such as id,x,y,z; choose the columns of the coordinates",
        ),
        (
            "x,y\n",
            "p.csv: found no point, expected at least one row of x,y[,z]",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
    }
    let far = read("1e308,0\n-1e308,0\n").unwrap_err().to_string();
    assert!(far.contains("p.csv") && far.contains("finite"), "{far}");
}

#[test]
fn too_many_points_are_refused_with_the_whole_need() {
    let options = ReadOptions {
        max_memory: Some(100_000),
        ..ReadOptions::default()
    };
    let text = "1,2\n".repeat(1000);
    let error = read_points_from(text.as_bytes(), "p.csv", &options).unwrap_err();
    let Error::Memory { needed, limit, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((*needed, *limit), (36_000_000, 100_000));
    assert!(error.to_string().contains("complete graph of 1000 points"));
}

#[test]
fn coinciding_points_are_noted() {
    let loaded = read("1,1\n1,1\n2,2\n").unwrap();
    assert_eq!(loaded.graph.edge_count(), 2);
    assert_eq!(
        loaded.notes,
        ["1 pair of points coincides; no edge joins it"]
    );
}

#[test]
fn columns_go_by_their_names() {
    for (text, ids, notes) in [
        ("Y,X\n4,3\n0,0\n", ["0", "1"], vec![]),
        (
            "frame,X,Y\n7,3,4\n7,0,0\n",
            ["0", "1"],
            vec!["column `frame` was not read"],
        ),
        (
            "x,y,confidence,Label,size\n3,4,.5,eye,1\n0,0,.1,nose,2\n",
            ["eye", "nose"],
            vec!["columns `confidence` and `size` were not read"],
        ),
        (",x,y\n5,3,4\n6,0,0\n", ["5", "6"], vec![]),
        ("point,y,x\na,4,3\nb,0,0\n", ["a", "b"], vec![]),
        (
            "name,id,x,y\na,1,3,4\na,2,0,0\n",
            ["1", "2"],
            vec!["column `name` was not read"],
        ),
        (
            "part\tscore\tx\ty\nl eye\t1\t3\t4\nr eye\t1\t0\t0\n",
            ["l eye", "r eye"],
            vec!["column `score` was not read"],
        ),
    ] {
        let loaded = read(text).unwrap();
        assert_eq!(
            loaded.graph.labels().iter().collect::<Vec<_>>(),
            ids,
            "{text}"
        );
        assert_eq!(
            loaded.positions.unwrap().as_slice(),
            [3.0, 4.0, 0.0, 0.0],
            "{text}"
        );
        assert_eq!(loaded.notes, notes, "{text}");
    }
    let solid = read("z,response,y,x\n1,9,2,3\n").unwrap();
    assert_eq!(solid.positions.unwrap().as_slice(), [3.0, 2.0, 1.0]);
    let wide: String = (0..20).map(|k| format!("d{k},")).collect();
    let text = format!("{wide}x,y\n{}1,2\n", "0,".repeat(20));
    let note = &read(&text).unwrap().notes[0];
    assert!(note.ends_with("`d7` and 12 more were not read"), "{note}");
}

#[test]
fn what_looks_like_something_else_is_noted() {
    let notes = |text: &str| read(text).unwrap().notes;
    let counted =
        "column 1 counts the rows and was read as x; a header such as id,x,y makes ids of it";
    for first in 0..2 {
        let rows = (first..first + 4).map(|k| format!("{k},{},{}\n", 3 * k, k * k));
        assert_eq!(notes(&rows.collect::<String>()), [counted]);
    }
    assert!(notes("0,1,2\n1,3,5\n7,2,2\n").is_empty());
    assert!(notes("0,1\n1,3\n2,2\n").is_empty());
    assert_eq!(
        notes("Label,PosX,PosY,score\na,1,2,3\nb,4,5,6\n"),
        ["columns `PosX`, `PosY` and `score` were read as x, y and z"]
    );
    assert!(notes("label,lon,lat\na,1,2\nb,4,5\n").is_empty());
}

#[test]
fn other_columns_are_kept_where_they_are_asked_for() {
    let options = ReadOptions {
        node_columns: true,
        ..ReadOptions::default()
    };
    let text = "id,x,size,,y,kind\na,3,1.5,?,4,corner\nb,0,2,?,0,\n";
    let loaded = read_points_from(text.as_bytes(), "p.csv", &options).unwrap();
    assert_eq!(loaded.notes, ["column 4 was not read"]);
    let names: Vec<&str> = loaded.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["size", "kind"]);
    let words = |name: &str| loaded.columns.get(name).unwrap().words(2);
    assert_eq!(words("size"), [Some("1.5"), Some("2")]);
    assert_eq!(words("kind"), [Some("corner"), None]);
    assert_eq!(read(text).unwrap().columns.iter().count(), 0);
}

#[test]
fn columns_may_be_chosen() {
    let read = |text: &str, columns: &str| {
        let columns = columns.split(',').map(String::from).collect();
        let options = ReadOptions {
            columns: Some(columns),
            ..ReadOptions::default()
        };
        options.check_columns(Format::Points)?;
        read_points_from(text.as_bytes(), "p.csv", &options)
    };
    for (text, columns, ids) in [
        (
            "lon,lat,alt,who\n1,2,3,ann\n4,5,6,bob\n",
            "lat,LON",
            ["0", "1"],
        ),
        ("id,u,v,q\na,2,1,0\nb,5,4,0\n", "2,3", ["a", "b"]),
        ("7,2,1,0\n8,5,4,0\n", "2,3", ["0", "1"]),
        ("a,0,2,1\nb,0,5,4\n", "3,4", ["a", "b"]),
        ("u,v,id\n2,1,a\n5,4,b\n", "1,2", ["a", "b"]),
    ] {
        let loaded = match read(text, columns) {
            Ok(loaded) => loaded,
            Err(error) => panic!("{text}: {error}"),
        };
        let positions = loaded.positions.unwrap();
        assert_eq!(positions.as_slice(), [2.0, 1.0, 5.0, 4.0], "{text}");
        assert_eq!(
            loaded.graph.labels().iter().collect::<Vec<_>>(),
            ids,
            "{text}"
        );
    }
    for (text, columns, message) in [
        (
            "a,b,c\n1,2,3\n",
            "a,d",
            "p.csv, line 1, column 1: found a header without it, expected a header with the column `d`",
        ),
        (
            "1,2,3\n",
            "a,b",
            "p.csv, line 1, column 1: found no header, expected a header with the column `a`",
        ),
        (
            "1,2,3\n",
            "1,9",
            "p.csv, line 1, column 3: found 3 columns, expected a column 9",
        ),
    ] {
        assert_eq!(read(text, columns).unwrap_err().to_string(), message);
    }
    for columns in ["1", "1,2,3,4", "1,1", "1,,2"] {
        let error = read("1,2,3\n", columns).unwrap_err().to_string();
        assert!(error.contains("columns"), "{error}");
    }
    let options = ReadOptions {
        columns: Some(vec!["1".into(), "2".into()]),
        ..ReadOptions::default()
    };
    let error = options.check_columns(Format::GraphMl).unwrap_err();
    assert!(error.to_string().contains("a table of points"), "{error}");
}

#[test]
fn edgeless_points_are_ids_and_places() {
    let options = ReadOptions {
        edgeless: true,
        max_memory: Some(1_000_000),
        ..ReadOptions::default()
    };
    let read = |text: &str| read_points_from(text.as_bytes(), "p.csv", &options);
    let loaded = read("id,x,y\na,1,1\nb,1,1\n").unwrap();
    assert_eq!(
        (loaded.graph.node_count(), loaded.graph.edge_count()),
        (2, 0)
    );
    assert_eq!(loaded.graph.labels().find("b"), Some(1));
    // The complete graph of these would take 36 MB.
    assert_eq!(
        read(&"1,2\n".repeat(1000)).unwrap().graph.node_count(),
        1000
    );
    let error = read(&"1,2\n".repeat(10_000)).unwrap_err();
    assert!(error.to_string().contains("p.csv: 10000 points"), "{error}");
    let far = read("1e308,0\n-1e308,0\n").unwrap_err().to_string();
    assert!(far.contains("p.csv") && far.contains("finite"), "{far}");
}

#[test]
fn clouds_begin_with_their_coordinates() {
    let read = |text: &str| read_xyz_from(text.as_bytes(), "p.xyz", &ReadOptions::default());
    for (text, notes) in [
        ("1 2 3\n4 5 6\n", vec![]),
        (
            "1 2 3 255 0 9\n4 5 6 0 0 0\n",
            vec!["columns 4, 5 and 6 were not read"],
        ),
        (
            "//X Y Z Intensity\n1 2 3 7\n4 5 6 8\n",
            vec!["column `Intensity` was not read"],
        ),
        (
            "z,y,x,id\n3,2,1,a\n6,5,4,b\n",
            vec!["column `id` was not read"],
        ),
    ] {
        let loaded = read(text).unwrap();
        let positions = loaded.positions.unwrap();
        assert_eq!(
            positions.as_slice(),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "{text}"
        );
        assert_eq!(loaded.graph.labels().get(1), "1");
        assert_eq!(loaded.notes, notes, "{text}");
        assert_eq!(loaded.format, Format::Xyz);
    }
    for (text, message) in [
        (
            "2\nwater\nH 0 0 0\n",
            "p.xyz, line 1, column 2: found 1 field, expected x y z at the beginning of every row; \
             a number of atoms or points before them is not read",
        ),
        (
            "1 2 nan\n",
            "p.xyz, line 1, column 3: found `nan`, expected a finite number",
        ),
        (
            "1 2 3\n4 5\n",
            "p.xyz, line 2, column 3: found 2 fields, expected 3 as in the first row",
        ),
        (
            "",
            "p.xyz: found no point, expected at least one row of x,y[,z]",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
    }
}
