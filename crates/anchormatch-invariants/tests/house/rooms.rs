//! The rooms of the library reach along the flow.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Row, root, table};
use crate::source::{File, files};

fn library() -> Vec<File> {
    files(&root().join("crates/anchormatch/src"))
}

fn room_of(file: &File) -> Option<&str> {
    file.module.first().map(String::as_str)
}

/// What `lib.rs` offers under a shorter name, and the room that it comes from.
fn short_names(library: &[File]) -> BTreeMap<String, String> {
    let lib = library.iter().find(|file| file.module.is_empty()).unwrap();
    let uses = lib.named.iter().filter(|named| named.segments.len() > 1);
    uses.map(|named| {
        (
            named.segments.last().unwrap().clone(),
            named.segments[0].clone(),
        )
    })
    .collect()
}

/// The rooms that each room reaches, with the places where it does.
fn reached(library: &[File]) -> BTreeMap<(String, String), Vec<String>> {
    let short = short_names(library);
    let mut edges: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for file in library {
        let Some(room) = room_of(file) else { continue };
        for named in &file.named {
            let Some(path) = named.in_crate() else {
                continue;
            };
            let to = short.get(&path[0]).unwrap_or(&path[0]);
            if to != room {
                let place = format!("{}:{}", file.path.display(), named.line);
                edges
                    .entry((room.to_owned(), to.clone()))
                    .or_default()
                    .push(place);
            }
        }
    }
    edges
}

fn names_of(row: &Row) -> Vec<&str> {
    row.stands_on().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn every_room_has_a_row_and_every_row_a_room() {
    let library = library();
    let rooms: BTreeSet<&str> = library.iter().filter_map(room_of).collect();
    let table = table("room");
    let rows: BTreeSet<&str> = table.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        rooms, rows,
        "rooms of the library, and rows of ARCHITECTURE.md"
    );
}

#[test]
fn the_rows_stand_in_the_order_of_the_flow() {
    let table = table("room");
    for (place, row) in table.iter().enumerate() {
        for name in names_of(row) {
            let above = table[..place].iter().any(|other| other.name == name);
            assert!(
                above,
                "`{}` stands on `{name}`, which is no row above it",
                row.name
            );
        }
    }
}

#[test]
fn no_room_reaches_against_the_flow() {
    let table = table("room");
    let mut offences = Vec::new();
    for ((from, to), places) in reached(&library()) {
        let row = table.iter().find(|row| row.name == from);
        let permitted = row.map(names_of).unwrap_or_default();
        if !permitted.contains(&to.as_str()) {
            offences.push(format!(
                "`{from}` reaches `{to}` and may reach {permitted:?}:\n  {}",
                places.join("\n  ")
            ));
        }
    }
    assert!(
        offences.is_empty(),
        "against the flow of ARCHITECTURE.md:\n{}",
        offences.join("\n")
    );
}
