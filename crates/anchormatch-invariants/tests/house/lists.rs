//! Lists that documents keep by hand are those of the registries.

use anchormatch::matcher::registry;
use anchormatch_io::Format;

use crate::document::root;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn python_names_the_presets_of_the_registry() {
    let text = read("python/anchormatch/_match.py");
    let (_, rest) = text.split_once("preset : {").unwrap();
    let (listed, _) = rest.split_once('}').unwrap();
    let listed: Vec<&str> = listed
        .split(", ")
        .map(|name| name.trim_matches('"'))
        .collect();
    let names: Vec<String> = registry::all()
        .iter()
        .map(|m| m.name().to_owned())
        .collect();
    assert_eq!(listed, names);
}

#[test]
fn the_table_of_formats_has_every_name_and_extension() {
    let text = read("docs/formats.md");
    for format in Format::ALL {
        assert!(text.contains(&format!("`{}`", format.name())), "{format:?}");
        for extension in format.extensions() {
            assert!(text.contains(&format!("`.{extension}`")), "{extension}");
        }
    }
}
