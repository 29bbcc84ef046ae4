//! Faults by hand in every format: the file, the line and the column (the byte where there are no
//! lines), what was found and what was expected.

use anchormatch::Error;
use anchormatch_io::{Format, ReadOptions, read_graph_from};

/// A file, where its fault is (`line:column`, or `byte n`), a part of what is found there, and a part
/// of what is expected.
type Fault = (&'static [u8], &'static str, &'static str, &'static str);

const EDGES: [Fault; 6] = [
    (b"a,b,1\nb,c,heavy\n", "2:3", "heavy", "number"),
    (b"a,b,1\nb,c,nan\n", "2:3", "nan", "finite"),
    (b"a,b,1\nb,c\n", "2:3", "2 fields", "3 as in the first row"),
    (
        b"a,b,1\nb,c,2,3\n",
        "2:4",
        "4 fields",
        "3 as in the first row",
    ),
    (b"a,b,1\n,c,2\n", "2:1", "empty", "node id"),
    (b"a,b,1\n\"b,c,2\n", "2:1", "\"b,c,2", "quote"),
];

const POINTS: [Fault; 5] = [
    (b"x,y\n1,2\n3,up\n", "3:2", "up", "number"),
    (b"x,y\n1,2\n3,inf\n", "3:2", "inf", "finite"),
    (b"x,y\n1,2\n3\n", "3:2", "1 field", "2 as in the first row"),
    (b"id,x,y\na,1,2\na,3,4\n", "3:1", "a", "id of its own"),
    (b"id,x,y\na,1,2\n,3,4\n", "3:1", "empty", "node id"),
];

const ADJACENCY: [Fault; 5] = [
    (b"0,1\n1,x\n", "2:2", "x", "number"),
    (b"0,1\n1,0\n0,0\n", "3:1", "row 3", "2 rows"),
    (b"0,1\n1\n", "2:2", "1 field", "2 as in the first row"),
    (b",a,b\na,0,1\nc,1,0\n", "3:1", "c", "b"),
    (b"a,b\n", "1:1", "names without a matrix", "row of numbers"),
];

const MATRIX_MARKET: [Fault; 7] = [
    (b"%%MatrixMarket vector\n", "1:2", "vector", "matrix"),
    (
        b"%%MatrixMarket matrix coordinate complex general\n",
        "1:4",
        "complex",
        "real",
    ),
    (
        b"%%MatrixMarket matrix coordinate real general\n2 3 1\n",
        "2:2",
        "2×3",
        "square",
    ),
    (
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
        "3:2",
        "3",
        "1 to 2",
    ),
    (
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 x\n",
        "3:3",
        "x",
        "finite",
    ),
    (
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1 1\n",
        "3:4",
        "1",
        "3 numbers",
    ),
    (
        b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n2 2 1\n",
        "4:1",
        "entry 2",
        "1",
    ),
];

const GRAPHML: [Fault; 7] = [
    (b"<html>\n</html>", "1:1", "<html>", "<graphml>"),
    (b"<graphml><graph>\n<node/></graph></graphml>", "2:1", "without `id`", "id"),
    (b"<graphml><graph><node id='a'/>\n <node id='a'/></graph></graphml>", "2:2", "once more", "own"),
    (b"<graphml><graph><node id='a'/>\n<edge source='a' target='b'/></graph></graphml>", "2:1", "unknown node `b`", "declared"),
    (b"<graphml><key id='w' for='edge' attr.name='weight'/><graph><node id='a'/><node id='b'/>\n  <edge source='a' target='b'><data key='w'>x</data></edge></graph></graphml>", "2:31", "`x`", "finite"),
    (b"<graphml><graph>\n<hyperedge/></graph></graphml>", "2:1", "<hyperedge>", "two nodes"),
    (b"<graphml><graph><node id='a'>\n<graph/></node></graph></graphml>", "2:1", "inside a node", "not nested"),
];

const GML: [Fault; 6] = [
    (
        b"graph [\n node [ label \"a\" ] ]",
        "2:2",
        "without an id",
        "id",
    ),
    (
        b"graph [\n node [ id 1 ]\n  node [ id 1 ] ]",
        "3:3",
        "once more",
        "own",
    ),
    (
        b"graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]",
        "2:2",
        "not declared",
        "node",
    ),
    (
        b"graph [\n node [ id one ] ]",
        "2:12",
        "one",
        "whole number",
    ),
    (
        b"graph [ node [ id 1 ]\n edge [ source 1 target 1 weight x ] ]",
        "2:34",
        "x",
        "finite",
    ),
    (
        b"graph [ node [ id 1 ]\n edge [ source 1 ] ]",
        "2:2",
        "without its ends",
        "source and target",
    ),
];

const PAJEK: [Fault; 6] = [
    (b"*Edges\n1 2\n", "1:1", "*Edges", "*Vertices"),
    (b"*Vertices many\n", "1:2", "many", "number of vertices"),
    (b"*Vertices 0\n", "1:2", "0 nodes", "at least one"),
    (b"*Vertices 2\n*Edges\n1 3\n", "3:2", "3", "1 to 2"),
    (b"*Vertices 2\n*Edges\n1 2 0x\n", "3:3", "0x", "finite"),
    (b"*Vertices 1\n1 \"a\n", "2:2", "\"a", "closing quote"),
];

const LEDA: [Fault; 6] = [
    (b"GRAPH\n", "1:1", "GRAPH", "LEDA.GRAPH"),
    (
        b"LEDA.GRAPH\nstring\nint\n-2\nx\n",
        "5:1",
        "x",
        "number of nodes",
    ),
    (
        b"LEDA.GRAPH\nstring\nint\n-2\n1\na\n",
        "6:1",
        "a",
        "|{label}|",
    ),
    (
        b"LEDA.GRAPH\nstring\nint\n-2\n1\n|{a}|\n1\n1 2 0 |{}|\n",
        "8:2",
        "2",
        "1 to 1",
    ),
    (
        b"LEDA.GRAPH\nstring\nint\n-2\n1\n|{a}|\n1\n1 1 0 |{x}|\n",
        "8:4",
        "x",
        "finite",
    ),
    (
        b"LEDA.GRAPH\nstring\nint\n-2\n1\n|{a}|\n1\n1 1 0 0 |{}|\n",
        "8:4",
        "0",
        "|{label}|",
    ),
];

const METIS: [Fault; 5] = [
    (b"x 1\n", "1:1", "x", "number of nodes"),
    (b"2 y\n", "1:2", "y", "number of edges"),
    (b"2 1 9\n", "1:3", "9", "0"),
    (b"2 1\n3\n1\n", "2:1", "3", "1 to 2"),
    (b"2 1 1\n2 x\n1 1\n", "2:2", "x", "number"),
];

const NPY: [Fault; 5] = [
    (b"NUMPY", "byte 5", "end of the data", "NumPy"),
    (
        b"\x94NUMPY\x01\x00\x04\x00{}  ",
        "byte 8",
        "other bytes",
        "NUMPY",
    ),
    (b"\x93NUMPY\x09\x00\x04\x00{}  ", "byte 8", "9", "1"),
    (b"\x93NUMPY\x01\x00\x04\x00{}  ", "byte 14", "", "descr"),
    (
        b"\x93NUMPY\x01\x00\x40\x00{}",
        "byte 12",
        "end of the data",
        "header",
    ),
];

/// An archive has its directory at its end: a fault of it has no place before it is found.
const NPZ: [Fault; 5] = [
    (b"", "", "no archive", "directory of a ZIP archive"),
    (b"PK", "", "cut", "directory of a ZIP archive"),
    (
        b"PK\x03\x04 and more, but no directory",
        "",
        "cut",
        "directory of a ZIP archive",
    ),
    (
        b"PK\x05\x06\0\0\0\0\x00\x00\x00\x00\0\0\0\0\0\0\0\0\0\0",
        "",
        "nothing",
        "a square array",
    ),
    (
        b"PK\x05\x06\0\0\0\0\x01\x00\x01\x00\xff\0\0\0\xff\0\0\0\0\0",
        "",
        "byte 255",
        "inside the file",
    ),
];

/// The first 128 bytes of a MATLAB file, and what follows.
fn mat(version: &[u8], end: &[u8], rest: &[u8]) -> Vec<u8> {
    let mut bytes = version.to_vec();
    bytes.resize(124, b' ');
    bytes.extend(end);
    bytes.extend(rest);
    bytes
}

/// Where an error is, in the words of the table.
fn place(error: &Error) -> Option<(String, String, String)> {
    let Error::Parse(parse) = error else {
        return None;
    };
    let place = match (parse.line, parse.column) {
        (Some(line), Some(column)) => format!("{line}:{column}"),
        (Some(line), None) => format!("{line}"),
        _ => match parse.found.rsplit_once(" at byte ") {
            Some((_, byte)) => format!("byte {byte}"),
            None => String::new(),
        },
    };
    Some((place, parse.found.clone(), parse.expected.clone()))
}

#[test]
fn every_fault_names_its_place_and_both_sides() {
    let owned = |faults: &[Fault]| -> Vec<(Vec<u8>, &str, &str, &str)> {
        let own =
            |&(bytes, place, found, expected): &Fault| (bytes.to_vec(), place, found, expected);
        faults.iter().map(own).collect()
    };
    let matlab = vec![
        (b"MATLAB 5".to_vec(), "byte 8", "end of the data", "MATLAB"),
        (
            mat(b"MATLAB 7.3 MAT-file", b"\0\x02IM", b""),
            "byte 116",
            "HDF5",
            "-v7",
        ),
        (
            mat(b"MATLAB 5.0", b"\0\x01XX", b""),
            "byte 128",
            "",
            "version 5",
        ),
        (
            mat(b"MATLAB 5.0", b"\0\x01IM", b"\x0e\0\0"),
            "byte 131",
            "end of the data",
            "variable",
        ),
        (
            mat(
                b"MATLAB 5.0",
                b"\0\x01IM",
                b"\x63\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0",
            ),
            "byte 136",
            "kind 99",
            "variable",
        ),
    ];
    let all = [
        (Format::EdgeList, owned(&EDGES)),
        (Format::Points, owned(&POINTS)),
        (Format::Adjacency, owned(&ADJACENCY)),
        (Format::MatrixMarket, owned(&MATRIX_MARKET)),
        (Format::GraphMl, owned(&GRAPHML)),
        (Format::Gml, owned(&GML)),
        (Format::Pajek, owned(&PAJEK)),
        (Format::Leda, owned(&LEDA)),
        (Format::Metis, owned(&METIS)),
        (Format::Npy, owned(&NPY)),
        (Format::Npz, owned(&NPZ)),
        (Format::Mat, matlab),
    ];
    let mut wrong = String::new();
    for format in Format::ALL {
        let (_, faults) = all
            .iter()
            .find(|(of, _)| *of == format)
            .expect("every format");
        assert!(faults.len() >= 5, "{format:?}");
        for (bytes, at, found, expected) in faults {
            let options = ReadOptions::default();
            let error = read_graph_from(&bytes[..], "the-file", format, &options)
                .expect_err("a file with a fault");
            let told = place(&error);
            let is_told = error.to_string().starts_with("the-file")
                && told.is_some_and(|(place, was, wanted)| {
                    place == *at
                        && !was.is_empty()
                        && was.contains(found)
                        && !wanted.is_empty()
                        && wanted.contains(expected)
                });
            if !is_told {
                let text = String::from_utf8_lossy(bytes);
                wrong += &format!("{format:?} {text:?}, wanted {at} {found} {expected}: {error}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
