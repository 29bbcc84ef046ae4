//! Nothing that ships stands on the laboratory.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::document::{Row, root, table};

const LABORATORY: &str = "anchormatch-lab";

/// A crate of the workspace, as its manifest has it.
struct Manifest {
    name: String,
    /// Crates of the workspace that it is built with, and the features that ask for those that are optional.
    stands_on: BTreeSet<(String, Option<String>)>,
    default_features: Vec<String>,
}

fn manifests() -> Vec<Manifest> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root());
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(manifest)
        .collect()
}

fn manifest(package: &Value) -> Manifest {
    let features: BTreeMap<String, Vec<String>> =
        serde_json::from_value(package["features"].clone()).unwrap();
    let asked_for_by = |dependency: &str| {
        let asks = |list: &Vec<String>| list.contains(&format!("dep:{dependency}"));
        features
            .iter()
            .find(|(_, list)| asks(list))
            .map(|(feature, _)| feature.clone())
    };
    let mut stands_on = BTreeSet::new();
    for dependency in package["dependencies"].as_array().unwrap() {
        let name = dependency["name"].as_str().unwrap();
        if name.starts_with("anchormatch") && dependency["kind"] != "dev" {
            let optional = dependency["optional"] == true;
            stands_on.insert((
                name.to_owned(),
                optional.then(|| asked_for_by(name).unwrap()),
            ));
        }
    }
    Manifest {
        name: package["name"].as_str().unwrap().to_owned(),
        stands_on,
        default_features: features.get("default").cloned().unwrap_or_default(),
    }
}

/// "`anchormatch-lab` with feature `reproduce`": what follows a crate's name may be the feature that asks for it.
fn permitted(row: &Row) -> BTreeSet<(String, Option<String>)> {
    let mut found = BTreeSet::new();
    let mut last = None;
    for (name, after) in row.stands_on() {
        if name.starts_with("anchormatch") {
            let has_feature = after.ends_with("feature ");
            if has_feature {
                last = Some(name);
            } else {
                found.insert((name.to_owned(), None));
            }
        } else if let Some(of) = last.take() {
            found.insert((of.to_owned(), Some(name.to_owned())));
        }
    }
    found
}

#[test]
fn crates_stand_on_what_their_rows_say() {
    let rows = table("crate");
    let manifests = manifests();
    let names: BTreeSet<&str> = manifests
        .iter()
        .map(|crate_| crate_.name.as_str())
        .collect();
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        names, listed,
        "crates of the workspace, and rows of ARCHITECTURE.md"
    );
    for row in &rows {
        let found = manifests
            .iter()
            .find(|crate_| crate_.name == row.name)
            .unwrap();
        assert_eq!(
            found.stands_on,
            permitted(row),
            "what `{}` stands on, and its row",
            row.name
        );
    }
}

#[test]
fn what_ships_is_built_without_the_laboratory() {
    let manifests = manifests();
    for row in table("crate")
        .iter()
        .filter(|row| row.cell("ships") != "no")
    {
        let mut reached = BTreeSet::from([row.name.clone()]);
        let mut open = vec![row.name.clone()];
        while let Some(name) = open.pop() {
            let found = manifests.iter().find(|crate_| crate_.name == name).unwrap();
            let is_asked_for = |feature: &String| found.default_features.contains(feature);
            for (next, feature) in &found.stands_on {
                if feature.as_ref().is_none_or(is_asked_for) && reached.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        assert!(
            !reached.contains(LABORATORY),
            "`{}` is built with the laboratory",
            row.name
        );
    }
}
