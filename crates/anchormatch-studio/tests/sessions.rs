//! What pages do: say, undo, choose, reload; two at once, and again after a kill.

mod support;

use std::fs;

use serde_json::json;
use support::Served;

fn anchor(source: usize, target: usize) -> String {
    json!({ "act": "say", "change": { "do": "anchor", "source": source, "target": target } })
        .to_string()
}

#[test]
fn a_change_is_saved_matched_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), 24);
    let (mut one, mut two) = (served.events(), served.events());
    one.matched(0);
    assert_eq!(served.act(&anchor(3, 4)).status, 200);
    for page in [&mut one, &mut two] {
        let state = page.wait(|event| event["kind"] == "state" && event["change"] == 1);
        assert_eq!(state["anchors"], json!([[3, 4]]));
        let matched = page.matched(1);
        assert_eq!(
            matched["summary"]["counts"][3].as_u64().unwrap()
                + matched["summary"]["counts"][4].as_u64().unwrap(),
            1
        );
    }
    let file = folder.path().join("anchors.csv");
    assert_eq!(fs::read_to_string(&file).unwrap(), "source,target\ns3,t4\n");
    let bytes = served.get("/api/match").body;
    let partner = |s: usize| i32::from_le_bytes(bytes[12 + 4 * s..16 + 4 * s].try_into().unwrap());
    assert_eq!(partner(3), 4);
    assert_eq!(served.act(r#"{"act":"undo"}"#).status, 200);
    two.matched(2);
    assert_eq!(fs::read_to_string(&file).unwrap(), "source,target\n");
    assert_eq!(served.act(r#"{"act":"redo"}"#).status, 200);
    let state = two.wait(|event| event["kind"] == "state" && event["change"] == 3);
    assert_eq!((&state["undo"], &state["redo"]), (&json!(1), &json!(0)));
    assert_eq!(state["command"], format!("match best {}", file.display()));
}

#[test]
fn a_newer_change_has_the_last_word() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), 60);
    let mut events = served.events();
    for k in 0..10 {
        assert_eq!(served.act(&anchor(k, k)).status, 200);
    }
    let last = events.matched(10);
    assert_eq!(served.studio.anchors().unwrap().len(), 10);
    assert_eq!(
        last["summary"]["counts"][3].as_u64().unwrap()
            + last["summary"]["counts"][4].as_u64().unwrap(),
        10
    );
}

#[test]
fn a_second_start_goes_on_where_the_first_ended() {
    let folder = tempfile::tempdir().unwrap();
    {
        let served = Served::new(folder.path(), 12);
        served.act(&anchor(1, 2));
        served.act(&anchor(5, 6));
        served
            .act(r#"{"act":"say","asked":true,"change":{"do":"alone","side":"source","node":7}}"#);
        served.act(r#"{"act":"say","asked":true,"change":{"do":"unsure","source":8}}"#);
        served.act(r#"{"act":"undo"}"#);
        let choices =
            r#"{"preset":"fast","allow_unmatched":true,"points_model":"auto","attributes":true}"#;
        served.act(&format!(r#"{{"act":"choose","choices":{choices}}}"#));
    }
    let served = Served::new(folder.path(), 12);
    let state = served.events().wait(|event| event["kind"] == "state");
    assert_eq!(state["anchors"], json!([[1, 2], [5, 6]]));
    assert_eq!(state["alone"], json!([[7], []]));
    assert_eq!(
        (&state["undo"], &state["redo"], &state["asked"]),
        (&json!(3), &json!(1), &json!(1))
    );
    assert_eq!(state["choices"]["preset"], "fast");
    assert_eq!(served.act(r#"{"act":"redo"}"#).status, 200);
    let state = served.events().wait(|event| event["kind"] == "state");
    assert_eq!(state["unsure"], json!([8]));
}

#[test]
fn questions_go_on_until_everything_is_settled() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), 10);
    let mut events = served.events();
    for change in 0..10 {
        events.matched(change);
        let asked = events.wait(|event| event["kind"] == "questions");
        let list = asked["list"].as_array().unwrap();
        assert_eq!(list.len() as u64, 10 - change);
        let source = list[0]["source"].as_u64().unwrap() as usize;
        let question = served.get(&format!("/api/question?source={source}")).json();
        let candidates = question["candidates"].as_array().unwrap();
        assert!(!candidates.is_empty());
        assert!(candidates[0]["evidence"]["degrees"].is_array());
        let target = candidates[0]["target"].as_u64().unwrap() as usize;
        let body = json!({ "act": "say", "asked": true,
            "change": { "do": "anchor", "source": source, "target": target } });
        assert_eq!(served.act(&body.to_string()).status, 200);
    }
    events.matched(10);
    let asked = events.wait(|event| event["kind"] == "questions");
    assert_eq!(asked["list"], json!([]));
}

#[test]
fn a_pair_that_is_none_is_never_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), 16);
    let mut events = served.events();
    events.matched(0);
    let partner = |s: usize| {
        let bytes = served.get("/api/match").body;
        i32::from_le_bytes(bytes[12 + 4 * s..16 + 4 * s].try_into().unwrap())
    };
    let first = partner(5);
    let body = json!({ "act": "say", "change": { "do": "reject", "source": 5, "target": first } });
    assert_eq!(served.act(&body.to_string()).status, 200);
    events.matched(1);
    assert_ne!(partner(5), first);
    let question = served.get("/api/question?source=5").json();
    let candidates = question["candidates"].as_array().unwrap();
    assert!(
        candidates
            .iter()
            .all(|candidate| candidate["target"] != first)
    );
    let listed = fs::read_to_string(folder.path().join("anchors.csv.candidates.csv")).unwrap();
    assert_eq!(
        listed.lines().count(),
        16,
        "a header and all partners but one"
    );
}

#[test]
fn what_is_taken_home_reads_again() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::new(folder.path(), 12);
    served.act(&anchor(1, 1));
    served.events().matched(1);
    let pairs = served.get("/export/pairs.csv");
    assert_eq!(
        pairs.header("content-disposition"),
        Some("attachment; filename=\"pairs.csv\"")
    );
    assert_eq!(pairs.text().lines().count(), 13);
    let document = served.get("/export/pairs.json").json();
    assert_eq!(document["pairs"].as_array().unwrap().len(), 12);
    assert_eq!(
        served.get("/export/anchors.csv").text(),
        fs::read_to_string(folder.path().join("anchors.csv")).unwrap()
    );
    assert!(
        served
            .get("/export/report.html")
            .text()
            .contains("two rings")
    );
}

#[test]
fn only_this_machine_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let studio =
        anchormatch_studio::Studio::open(support::setup(&folder.path().join("a.csv"), 8), None)
            .unwrap();
    let token = anchormatch_studio::Token::new(&[1; 32]).unwrap();
    let open = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let error = studio.serve(open, token).unwrap_err().to_string();
    assert!(error.contains("127.0.0.1"), "{error}");
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let setup = support::setup(&folder.path().join("no/anchors.csv"), 8);
    let error = anchormatch_studio::Studio::open(setup, None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no"), "{error}");
}
