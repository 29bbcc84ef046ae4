//! What a person takes home: pairs, anchors, a report.

use anchormatch_io::{write_anchors, write_matching_csv, write_matching_json};
use anchormatch_report::{Report, Run};

use crate::room::{Room, words};

/// A file to keep.
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// The file of this name.
pub(crate) fn file(room: &Room, name: &str) -> Option<Result<File, String>> {
    let made = match name {
        "pairs.csv" => pairs(room, false),
        "pairs.json" => pairs(room, true),
        "report.html" => report(room),
        "anchors.csv" => anchors(room),
        _ => return None,
    };
    Some(made)
}

fn pairs(room: &Room, as_json: bool) -> Result<File, String> {
    let (answer, _) = room.latest()?;
    let [source, target] = room.labels();
    let mut bytes = Vec::new();
    let written = match as_json {
        true => write_matching_json(&mut bytes, &answer.matching, source, target, None),
        false => write_matching_csv(&mut bytes, &answer.matching, source, target),
    };
    written.map_err(words)?;
    let kind = match as_json {
        true => "application/json",
        false => "text/csv; charset=utf-8",
    };
    Ok(File { kind, bytes })
}

fn anchors(room: &Room) -> Result<File, String> {
    let anchors = room.anchors().map_err(words)?;
    let [source, target] = room.labels();
    let mut bytes = Vec::new();
    write_anchors(&mut bytes, source, target, &anchors).map_err(words)?;
    let kind = "text/csv; charset=utf-8";
    Ok(File { kind, bytes })
}

fn report(room: &Room) -> Result<File, String> {
    let (answer, _) = room.latest()?;
    let setup = room.setup();
    let command = room.command(&room.session());
    let parameters = answer.matching.parameters.iter();
    let preset = parameters
        .filter(|(name, _)| name == "preset")
        .map(|(_, value)| value.clone())
        .next();
    let report = Report {
        title: setup.title.clone(),
        source: setup.sides[0].drawn(),
        target: setup.sides[1].drawn(),
        runs: vec![Run {
            name: preset.unwrap_or_default(),
            matching: &answer.matching,
            score: None,
        }],
        truth: None,
        command: Some(command),
        around: Vec::new(),
    };
    let page = report.html().map_err(words)?;
    Ok(File {
        kind: "text/html; charset=utf-8",
        bytes: page.into_bytes(),
    })
}
