use anchormatch::problem::Problem;

use super::*;

fn read(text: &str) -> Result<SavedProblem> {
    read_saved_problem_from(text.as_bytes(), "a.json", &ProblemOptions::default())
}

fn program(kind: &str) -> Result<Problem> {
    let text = format!(r#"{{"version": 1, "sense": "minimise", "kind": {kind}}}"#);
    read(&text)?.problem(&ProblemOptions::default())
}

fn refusal(kind: &str) -> String {
    program(kind).unwrap_err().to_string()
}

/// The document of the module's description.
const DESCRIBED: &str = r#"{
  "version": 1,
  "sense": "minimise",
  "coverage": "full",
  "constant": 0,
  "candidates": [[0, 0], [0, 1], [1, 0], [1, 1]],
  "kind": {
    "product": {
      "a": { "dense": [[0, 1], [1, 0]] },
      "b": { "sparse": { "nodes": 2, "entries": [[0, 1, 2.5], [1, 0, 2.5]] } },
      "linear": [[1, 0], [0, 1]]
    }
  }
}"#;

#[test]
fn the_described_document_is_read() {
    let saved = read(DESCRIBED).unwrap();
    let problem = saved.problem(&ProblemOptions::default()).unwrap();
    assert_eq!(problem.sense(), Sense::Minimise);
    assert_eq!(problem.coverage(), Coverage::Full);
    assert!(!problem.candidates().is_all());
    // 2 · 1 · 2.5, and the linear part.
    assert_eq!(problem.objective(&[Some(0), Some(1)].into()), 5.0 + 2.0);
    assert_eq!(problem.objective(&[Some(1), Some(0)].into()), 5.0);
}

#[test]
fn what_is_left_out_has_its_default() {
    let text =
        r#"{"version":1,"kind":{"explicit":{"rows":1,"cols":1,"w":[[4]]}},"sense":"maximise"}"#;
    let saved = read(text).unwrap();
    assert_eq!(saved.coverage, Coverage::Full);
    assert_eq!((saved.constant, saved.candidates.as_ref()), (0.0, None));
    let problem = saved.problem(&ProblemOptions::default()).unwrap();
    assert_eq!(problem.objective(&[Some(0)].into()), 4.0);
    assert_eq!(problem.sense(), Sense::Maximise);
    let more = text.replace(
        "\"sense\"",
        "\"constant\":-1,\"coverage\":\"partial\",\"sense\"",
    );
    let problem = read(&more)
        .unwrap()
        .problem(&ProblemOptions::default())
        .unwrap();
    assert_eq!(problem.objective(&[None].into()), -1.0);
    assert_eq!(problem.coverage(), Coverage::Partial);
}

#[test]
fn every_kind_has_the_objective_of_its_formula() {
    let listed = program(
        r#"{"listed": {"rows": 2, "cols": 2, "assignments": [[0, 1, 1], [1, 0, 2], [1, 1, 9]],
            "pairs": [[0, 1, 5]]}}"#,
    )
    .unwrap();
    assert_eq!(listed.objective(&[Some(1), Some(0)].into()), 8.0);
    assert!(!listed.candidates().allows(0, 0));

    let kernel = program(
        r#"{"kernel": {"x": [[0, 1], [1, 0]], "y": [[0, 3], [3, 0]], "bandwidth": 2,
            "unary": [[1, 0], [0, 1]]}}"#,
    )
    .unwrap();
    let pair = 2.0 * (-2.0f64).exp();
    assert!((kernel.objective(&[Some(0), Some(1)].into()) - (2.0 + pair)).abs() < 1e-12);

    let explicit = program(
        r#"{"explicit": {"rows": 2, "cols": 2, "unary": [[1, 0], [0, 0]],
            "w": [[10, 7, 7, 3], [7, 0, 4, 7], [7, 4, 0, 7], [3, 7, 7, 20]]}}"#,
    )
    .unwrap();
    assert_eq!(
        explicit.objective(&[Some(0), Some(1)].into()),
        1.0 + 10.0 + 20.0 + 2.0 * 3.0
    );
    assert_eq!(explicit.objective(&[Some(1), Some(0)].into()), 2.0 * 4.0);

    // An entry that is listed twice adds up, one that cancels is none.
    let sparse = program(
        r#"{"product": {"a": {"sparse": {"nodes": 2, "entries": [[1, 0, 1], [0, 1, 1], [0, 1, 2]]}},
            "b": {"sparse": {"nodes": 3, "entries": [[2, 1, 1], [0, 1, 4], [0, 1, -4]]}}}}"#,
    )
    .unwrap();
    assert_eq!(sparse.shape(), (2, 3));
    assert_eq!(sparse.objective(&[Some(2), Some(1)].into()), 3.0);
    assert_eq!(sparse.objective(&[Some(1), Some(2)].into()), 1.0);
    assert_eq!(sparse.objective(&[Some(0), Some(1)].into()), 0.0);
}

#[test]
fn sides_without_nodes_are_programs_too() {
    for kind in [
        r#"{"product": {"a": {"dense": []}, "b": {"dense": [[1]]}, "linear": []}}"#,
        r#"{"listed": {"rows": 0, "cols": 1, "assignments": [], "pairs": []}}"#,
        r#"{"kernel": {"x": [], "y": [[1]], "bandwidth": 1}}"#,
        r#"{"explicit": {"rows": 0, "cols": 1, "w": []}}"#,
    ] {
        let problem = program(kind).unwrap();
        assert_eq!(problem.shape(), (0, 1), "{kind}");
        assert_eq!(problem.objective(&[].into()), 0.0);
    }
}

#[test]
fn faults_of_the_document_have_a_place() {
    let message = |text: &str| read(text).unwrap_err().to_string();
    for (text, part) in [
        ("", "a.json, line 1: found the end of the file"),
        ("{\"version\": 1", "expected the rest of a saved problem"),
        ("[1]", "a.json, line 1, column 3: found"),
        (
            "{\"version\": 2}",
            "line 1, column 14: found version 2, expected version 1",
        ),
        (
            "{\"sense\": \"up\"}",
            "found unknown variant `up`, expected `maximise` or `minimise`",
        ),
        (
            "{\n\"sens\": 1}",
            "line 2, column 7: found unknown field `sens`, expected one of",
        ),
        ("{\"sense\": \"minimise\"}", "found missing field `version`"),
        ("{\"constant\": 1e999}", "found number out of range"),
        (
            "{\"constant\": null}",
            "found invalid type: null, expected f64",
        ),
    ] {
        let message = message(text);
        assert!(message.contains(part), "{message}");
        assert!(message.starts_with("a.json"), "{message}");
    }
    let trailing = format!("{DESCRIBED} x");
    assert!(message(&trailing).contains("line 14, column 3: found trailing characters"));
    let ragged = DESCRIBED.replace("[[0, 1], [1, 0]]", "[[0, 1], [1]]");
    assert!(message(&ragged).contains("found a row of 1 numbers, expected 2 as in the first row"));
    let deep = "[".repeat(100_000);
    assert!(message(&deep).len() < 300);
}

#[test]
fn unsound_programs_are_refused() {
    for (kind, part) in [
        (
            r#"{"product": {"a": {"dense": [[0, 1]]}, "b": {"dense": [[0]]}}}"#,
            "A: found a 1×2",
        ),
        (
            r#"{"product": {"a": {"dense": [[0]]}, "b": {"dense": [[0]]}, "linear": [[1, 2]]}}"#,
            "1×2 matrix, expected 1×1",
        ),
        (
            r#"{"product": {"a": {"sparse": {"nodes": 1, "entries": [[0, 1, 2]]}}, "b": {"dense": []}}}"#,
            "a: found an entry at (0, 1), expected places within 1×1",
        ),
        (
            r#"{"product": {"a": {"sparse": {"nodes": 1000000000000000000, "entries": []}}, "b": {"dense": []}}}"#,
            "nodes: found 1000000000000000000, expected at most 4294967295",
        ),
        (
            r#"{"product": {"a": {"sparse": {"nodes": 4000000000, "entries": []}}, "b": {"dense": []}}}"#,
            "check the numbers of nodes",
        ),
        (
            r#"{"listed": {"rows": 1, "cols": 1, "assignments": [[0, 1, 0]], "pairs": []}}"#,
            "found (0, 1), expected pairs within 1×1",
        ),
        (
            r#"{"listed": {"rows": 1, "cols": 1, "assignments": [[0, 0, 0]], "pairs": [[0, 1, 2]]}}"#,
            "assignment 1",
        ),
        (
            r#"{"kernel": {"x": [[0, 1], [2, 0]], "y": [], "bandwidth": 1}}"#,
            "a symmetric matrix",
        ),
        (
            r#"{"kernel": {"x": [[1e30, 1], [0, 0]], "y": [], "bandwidth": 1}}"#,
            "a symmetric matrix",
        ),
        (
            r#"{"kernel": {"x": [[0, 1]], "y": [], "bandwidth": 1}}"#,
            "x: found a 1×2 matrix",
        ),
        (
            r#"{"kernel": {"x": [[0]], "y": [[0]], "bandwidth": -1}}"#,
            "found -1",
        ),
        (
            r#"{"kernel": {"x": [[0]], "y": [[0]], "bandwidth": 1, "tolerance": 0}}"#,
            "tolerance",
        ),
        (
            r#"{"explicit": {"rows": 2, "cols": 1, "w": [[1]]}}"#,
            "w: found a 1×1 matrix",
        ),
        (
            r#"{"explicit": {"rows": 4294967296, "cols": 4294967296, "w": []}}"#,
            "w: found a 0×0 matrix",
        ),
        (
            r#"{"explicit": {"rows": 0, "cols": 1000000000000000000, "w": []}}"#,
            "would take",
        ),
    ] {
        let message = refusal(kind);
        assert!(message.contains(part), "{kind}: {message}");
    }
    let both = r#"{"version": 1, "sense": "minimise", "candidates": [], "kind":
        {"listed": {"rows": 0, "cols": 0, "assignments": [], "pairs": []}}}"#;
    let refused = read(both).unwrap().problem(&ProblemOptions::default());
    assert!(refused.unwrap_err().to_string().contains("candidates"));
}

#[test]
fn memory_is_checked_as_bytes_come() {
    let row = format!("[{}0]", "0,".repeat(99_999));
    let text = format!(
        r#"{{"version":1,"sense":"minimise","kind":{{"explicit":{{"rows":1,"cols":1,"w":[{row}]}}}}}}"#
    );
    assert!(read(&text).is_ok());
    let options = ProblemOptions {
        max_memory: Some(1 << 20),
        ..ProblemOptions::default()
    };
    let error = read_saved_problem_from(text.as_bytes(), "a.json", &options).unwrap_err();
    assert!(
        error.to_string().contains("the limit is 1.0 MiB"),
        "{error}"
    );
}

#[test]
fn numbers_that_json_has_not_are_not_written() {
    let mut saved = read(DESCRIBED).unwrap();
    let mut bytes = Vec::new();
    write_saved_problem(&mut bytes, &saved).unwrap();
    assert_eq!(read(std::str::from_utf8(&bytes).unwrap()).unwrap(), saved);
    saved.constant = f64::NAN;
    assert!(write_saved_problem(&mut Vec::new(), &saved).is_err());
}
