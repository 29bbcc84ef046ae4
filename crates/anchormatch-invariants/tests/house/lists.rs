//! Lists that documents keep by hand are those of the registries.

use anchormatch::matcher::registry;
use anchormatch_io::Format;

use crate::document::root;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn python_names_the_presets_of_the_registry() {
    let names: Vec<String> = registry::all()
        .iter()
        .map(|m| m.name().to_owned())
        .collect();
    for (file, before, after) in [
        ("python/anchormatch/_match.py", "preset : {", '}'),
        ("python/anchormatch/_presets.py", "Preset = Literal[", ']'),
    ] {
        let text = read(file);
        let (_, rest) = text.split_once(before).unwrap();
        let (listed, _) = rest.split_once(after).unwrap();
        let listed = listed.split(", ").map(|name| name.trim_matches('"'));
        assert_eq!(listed.collect::<Vec<_>>(), names, "{file}");
    }
}

#[test]
fn the_table_of_formats_has_every_name_and_extension() {
    let text = read("docs/formats.md");
    for format in Format::ALL {
        let name = format!("`{}`", format.name());
        let extensions = format.extensions().iter().map(|e| format!("`.{e}`"));
        for word in extensions.chain([name]) {
            assert!(
                text.contains(&word),
                "docs/formats.md says nothing of {word}, which is of {format:?}"
            );
        }
    }
}
