//! The rooms of the library, and the stages of `best`, reach along the flow.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Row, root, table};
use crate::source::{File, files};

/// Modules side by side in one module, and the table that says which of them may reach which.
struct Floor {
    /// The first column of its table.
    table: &'static str,
    /// The module that they are in.
    module: &'static [&'static str],
    /// What that module defines itself, for all of them.
    common: &'static [&'static str],
}

const FLOORS: [Floor; 2] = [
    Floor {
        table: "room",
        module: &[],
        common: &[],
    },
    Floor {
        table: "stage",
        module: &["matcher", "best"],
        common: &["Best", "Effort", "Ingredients", "RegimeChoice"],
    },
];

impl Floor {
    fn files(&self) -> Vec<File> {
        let mut found = files(&root().join("crates/anchormatch/src"));
        found.retain(|file| starts_with(&file.module, self.module));
        found
    }

    /// The room that a path of the crate leads to, if it is on this floor.
    fn room<'a>(&self, path: &'a [String]) -> Option<&'a String> {
        path.get(self.module.len())
            .filter(|_| starts_with(path, self.module))
    }

    /// What the module offers under a shorter name, and the room that it comes from.
    fn short_names(&self, files: &[File]) -> BTreeMap<String, String> {
        let lobby = files
            .iter()
            .find(|file| self.room(&file.module).is_none())
            .unwrap();
        let paths = lobby.named.iter().map(|named| match &named.segments[..] {
            [first, rest @ ..] if first == "self" => rest,
            all => all,
        });
        paths
            .filter(|path| path.len() > 1)
            .map(|path| (path[path.len() - 1].clone(), path[0].clone()))
            .collect()
    }

    /// The rooms that each room reaches, with the places where it does.
    fn reached(&self) -> BTreeMap<(String, String), Vec<String>> {
        let files = self.files();
        let short = self.short_names(&files);
        let mut edges: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for file in &files {
            let Some(room) = self.room(&file.module) else {
                continue;
            };
            for named in &file.named {
                let path = named.in_crate().unwrap_or_default();
                let Some(first) = self.room(&path) else {
                    continue;
                };
                let to = short.get(first).unwrap_or(first);
                if to != room && !self.common.contains(&first.as_str()) {
                    let place = format!("{}:{}", file.path.display(), named.line);
                    edges
                        .entry((room.clone(), to.clone()))
                        .or_default()
                        .push(place);
                }
            }
        }
        edges
    }
}

fn starts_with(path: &[String], start: &[&str]) -> bool {
    path.len() >= start.len() && path.iter().zip(start).all(|(one, other)| one == other)
}

fn names_of(row: &Row) -> Vec<&str> {
    row.stands_on().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn every_room_has_a_row_and_every_row_a_room() {
    for floor in FLOORS {
        let files = floor.files();
        let rooms: BTreeSet<&String> = files
            .iter()
            .filter_map(|file| floor.room(&file.module))
            .collect();
        let rows = table(floor.table);
        let rows: BTreeSet<&String> = rows.iter().map(|row| &row.name).collect();
        assert_eq!(
            rooms, rows,
            "{}s of the library, and rows of ARCHITECTURE.md",
            floor.table
        );
    }
}

#[test]
fn the_rows_stand_in_the_order_of_the_flow() {
    for floor in FLOORS {
        let rows = table(floor.table);
        for (place, row) in rows.iter().enumerate() {
            for name in names_of(row) {
                let above = rows[..place].iter().any(|other| other.name == name);
                assert!(
                    above,
                    "`{}` stands on `{name}`, which is no row above it",
                    row.name
                );
            }
        }
    }
}

#[test]
fn nothing_reaches_against_the_flow() {
    let mut offences = Vec::new();
    for floor in FLOORS {
        let rows = table(floor.table);
        for ((from, to), places) in floor.reached() {
            let row = rows.iter().find(|row| row.name == from);
            let permitted = row.map(names_of).unwrap_or_default();
            if !permitted.contains(&to.as_str()) {
                let places = places.join("\n  ");
                offences.push(format!(
                    "`{from}` reaches `{to}` and may reach {permitted:?}:\n  {places}"
                ));
            }
        }
    }
    assert!(
        offences.is_empty(),
        "against the flow of ARCHITECTURE.md:\n{}",
        offences.join("\n")
    );
}

#[test]
fn no_row_permits_what_nobody_does() {
    for floor in FLOORS {
        let reached: BTreeSet<(String, String)> = floor.reached().into_keys().collect();
        for row in table(floor.table) {
            for name in names_of(&row) {
                let edge = (row.name.clone(), name.to_owned());
                assert!(
                    reached.contains(&edge),
                    "`{}` no longer reaches `{name}`: its row permits too much",
                    row.name
                );
            }
        }
    }
}
