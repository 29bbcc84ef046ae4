//! Faults by hand in the formats without lines: the file, the byte, what was found and what was expected.
//! The formats of text have such a table beside their readers.

use anchormatch::Error;
use anchormatch_io::{Format, ReadOptions, read_graph_from};

/// A file, where its fault is (`byte n`), a part of what is found there, and a part of what is expected.
type Fault = (&'static [u8], &'static str, &'static str, &'static str);

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
    let place = match parse.found.rsplit_once(" at byte ") {
        Some((_, byte)) => format!("byte {byte}"),
        None => String::new(),
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
        (Format::Npy, owned(&NPY)),
        (Format::Npz, owned(&NPZ)),
        (Format::Mat, matlab),
    ];
    let mut wrong = String::new();
    for (format, faults) in all {
        for (bytes, at, found, expected) in &faults {
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
