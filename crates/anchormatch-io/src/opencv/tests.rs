//! Files as OpenCV writes them, and what is wrong with others.

use super::*;

const KEYPOINTS: &str = "%YAML:1.0\n---\nkeypoints:\n   - [ 1.5, 2., 31., 90., 1.0e-03, 0, -1 ]\n   \
    - [ 3., 4., 7., -1., 0.5, 2, 5 ]\ndescriptors: !!opencv-matrix\n   rows: 2\n   cols: 4\n   dt: u\n   \
    data: [ 1, 2, 3, 4,\n       5, 6, 7, 8 ]\n";

fn read(text: &str) -> Result<LoadedGraph> {
    read_with(text, &ReadOptions::default())
}

fn read_with(text: &str, options: &ReadOptions) -> Result<LoadedGraph> {
    read_opencv_from(text.as_bytes(), "k.yml", options)
}

fn places(text: &str) -> Vec<f64> {
    let positions = read(text).unwrap().positions.expect("points");
    positions.as_slice().to_vec()
}

#[test]
fn keypoints_are_read_from_lists_of_their_own_or_from_one() {
    let loaded = read(KEYPOINTS).unwrap();
    assert_eq!(loaded.notes, ["node `descriptors` was not read"]);
    let expected = [1.5, 2.0, 3.0, 4.0];
    assert_eq!(places(KEYPOINTS), expected);
    for text in [
        "%YAML:1.0\nkp:\n   [ 1.5, 2., 31., 90., 1.0e-03, 0, -1, 3., 4., 7.,\n   -1., 0.5, 2, 5 ]\n",
        "%YAML:1.0\r\n---\r\nkp: [ [ 1.5, 2., 3, 9, 1, 0, -1 ], [ 3., 4., 7., -1., 0.5, 2, 5 ] ]\r\n...\r\n",
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<kp>\n  1.5 2. 31. 90. 1.0e-03 0 -1 3. 4.\n  7. -1. \
         0.5 2 5</kp>\n</opencv_storage>\n",
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<kp>\n<_>\n 1.5 2. 31. 90. 1.0e-03 0 -1</_>\n<_>\n 3. \
         4. 7. -1. 0.5 2 5</_></kp>\n</opencv_storage>\n",
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
    let options = ReadOptions {
        node_columns: true,
        ..ReadOptions::default()
    };
    let columns = read_with(KEYPOINTS, &options).unwrap().columns;
    assert_eq!(
        columns.get("size").unwrap().words(2),
        [Some("31"), Some("7")]
    );
    assert_eq!(columns.iter().count(), BESIDE.len());
}

#[test]
fn matrices_are_read_with_columns_or_channels() {
    for text in [
        "%YAML:1.0\n---\np: !!opencv-matrix\n   rows: 2\n   cols: 3\n   dt: f\n   data: [ 1., 2., 3., 4., \
         5., 6. ]\n",
        "%YAML:1.0\n---\np: !!opencv-matrix\n   rows: 2\n   cols: 1\n   dt: \"3f\"\n   data: [ 1., 2., 3.,\n \
         4., 5., 6. ]\n",
        "<?xml version=\"1.0\"?>\n<opencv_storage><p type_id=\"opencv-matrix\"><rows>2</rows><cols>3</cols>\
         <dt>d</dt><data>1. 2. 3. 4. 5. 6.</data></p></opencv_storage>",
    ] {
        assert_eq!(places(text), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{text}");
    }
}

#[test]
fn several_sets_are_told_apart_by_their_names() {
    let text =
        "%YAML:1.0\n---\nleft: [ [ 1, 2 ], [ 3, 4 ] ]\nright: [ [ 5, 6 ], [ 7, 8 ] ]\nframe: 7\n";
    let error = read(text).unwrap_err().to_string();
    assert_eq!(
        error,
        "k.yml: found 2 nodes with points, `left, right`, expected one; choose it by its name"
    );
    let of = |name: &str| ReadOptions {
        variable: Some(name.to_owned()),
        ..ReadOptions::default()
    };
    let right = read_with(text, &of("right")).unwrap().positions.unwrap();
    assert_eq!(right.as_slice(), [5.0, 6.0, 7.0, 8.0]);
    let error = read_with(text, &of("frame")).unwrap_err().to_string();
    assert!(error.contains("no node `frame` with points, expected one of `left, right`"));
}

#[test]
fn every_fault_names_its_place() {
    for (text, words) in [
        ("", "k.yml: found no text"),
        ("x,y\n1,2\n", "line 1: found `x,y`, expected %YAML:1.0"),
        ("%YAML:1.0\n---\nframe: 7\n", "found no node with points"),
        ("%YAML:1.0\n   [ 1, 2 ]\n", "line 2: found `   [ 1, 2 ]`"),
        (
            "%YAML:1.0\nkp:\n   - [ 1, 2, 3, 4,\n",
            "line 3: found the end of the file in a list",
        ),
        (
            "%YAML:1.0\nkp: 1 ]\n",
            "line 2: found `]`, expected a list that is open",
        ),
        (
            "%YAML:1.0\nkp: [ .Nan, 2, 3, 4, 5, 6, 7 ]\n",
            "line 2: found the coordinate NaN",
        ),
        (
            "%YAML:1.0\n---\np: !!opencv-matrix\n   rows: 9\n   cols: 2\n   dt: f\n   data: [ 1., 2. ]\n",
            "line 3: found 2 numbers in the matrix `p`, expected 9 × 2",
        ),
        (
            "%YAML:1.0\n---\np: !!opencv-matrix\n   data: [ 1., 2. ]\n",
            "line 3: found the matrix `p` without them",
        ),
        ("<a></a>", "line 1: found `<a>`, expected <opencv_storage>"),
        ("<opencv_storage>\n<kp>1 2 3 4 5 6 7", "line 2"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}
