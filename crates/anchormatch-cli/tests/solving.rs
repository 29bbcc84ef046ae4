//! Problems and solvers: `solve`, and `match --solver`.

mod common;

use anchormatch::Assignment;
use anchormatch::solver::registry;
use anchormatch_invariants::command::says;
use common::Bench;
use common::problems::{SAVED, assignments, check, dat, dd, is_picky};
use serde_json::{Value, json};

#[test]
fn a_qaplib_problem_is_solved_to_its_optimum() {
    let bench = Bench::new();
    let (text, value) = dat(6);
    bench.file("small.dat", &text);
    let result = bench.run("solve small.dat --json").json();
    check(&result, &assignments(6, 6, false), 1.0, &value);
    assert_eq!(
        (&result["solver"], &result["sense"], &result["problem"]),
        (&json!("portfolio"), &json!("minimise"), &json!("small"))
    );
    for field in ["iterations", "seconds", "status"] {
        assert!(!result[field].is_null(), "{result}");
    }

    // In words, from standard input, and into a file.
    let words = bench
        .run_with(["solve", "-", "--solver", "tabu"], &text)
        .ok();
    let objective = result["objective"].as_f64().unwrap();
    let line = format!("objective   {objective} (minimised)");
    assert!(words.lines().any(|found| found == line), "{words}");
    assert!(words.contains("solver      tabu\n"), "{words}");
    assert_eq!(bench.run("solve small.dat --output r.json").ok(), "");
    let written: Value = serde_json::from_str(&bench.read("r.json")).unwrap();
    assert_eq!(written["assignment"], result["assignment"]);
    assert_eq!(bench.names(), ["r.json", "small.dat"]);
}

#[test]
fn every_solver_takes_every_kind_of_problem() {
    let bench = Bench::new();
    bench.file("a.dat", dat(5).0);
    bench.file("a.dd", dd(3).0);
    bench.file("a.json", SAVED);
    for solver in registry::all() {
        let name = solver.info().name;
        for file in ["a.dat", "a.dd", "a.json"] {
            let answer = bench.run(&format!("solve {file} --solver {name} --json"));
            if answer.code == 2 {
                // One that does not take the problem says so.
                assert_eq!(answer.stderr.lines().count(), 1, "{answer:?}");
                assert!(is_picky(solver.as_ref()), "{name} on {file}: {answer:?}");
                continue;
            }
            let result = answer.json();
            assert_eq!(result["solver"], name);
        }
    }
}

#[test]
fn files_with_several_problems_give_several_results() {
    let bench = Bench::new();
    let ((first, first_value), (second, second_value)) = (dd(0), dd(1000));
    bench.file("two.dd", format!("gm 0 1\n{first}gm 0 2\n{second}"));
    let results = bench.run("solve two.dd --json").json();
    let all = assignments(4, 4, true);
    assert_eq!(results.as_array().unwrap().len(), 2);
    check(&results[0], &all, 1.0, &first_value);
    check(&results[1], &all, 1.0, &second_value);
    assert_eq!(results[1]["graphs"], json!([0, 2]));
    assert_eq!(results[1]["index"], 1);

    let text = bench.run("solve two.dd").ok();
    assert_eq!(text.lines().count(), 6, "{text}");
    let one = bench.run("solve two.dd --problem 1 --json").json();
    assert_eq!(one["assignment"], results[1]["assignment"]);
    let line = bench.run("solve two.dd --problem 2").refused(2);
    assert_eq!(
        line,
        "--problem: found 2, expected a number from 0 to 1: two.dd has 2 problems"
    );

    // Each problem starts from its own earlier result.
    bench.file("earlier.json", results.to_string());
    let again = bench.run("solve two.dd --solver 2opt --start earlier.json --json");
    let again = again.json();
    for place in 0..2 {
        assert_eq!(again[place]["objective"], results[place]["objective"]);
    }
    bench.file("one.json", "[0, 1, 2, 3]");
    let line = bench.run("solve two.dd --start one.json").refused(2);
    assert!(
        line.contains("found one assignment, expected 2 of them"),
        "{line}"
    );
}

#[test]
fn a_saved_problem_is_solved_to_its_optimum() {
    let bench = Bench::new();
    bench.file("saved.json", SAVED);
    let result = bench.run("solve saved.json --json").json();
    let kind = &serde_json::from_str::<Value>(SAVED).unwrap()["kind"]["product"];
    let at = |matrix: &Value, i: usize, j: usize| matrix[i][j].as_f64().unwrap();
    let value = |x: &Assignment| {
        let mut total = 0.0;
        for i in 0..3 {
            let a = x.partner(i).unwrap();
            total += at(&kind["linear"], i, a);
            for j in 0..3 {
                let b = x.partner(j).unwrap();
                total += at(&kind["a"]["dense"], i, j) * at(&kind["b"]["dense"], a, b);
            }
        }
        total
    };
    check(&result, &assignments(3, 4, false), -1.0, value);
    assert_eq!(result["sense"], "maximise");
}

#[test]
fn starts_are_read_from_lists_results_and_solutions() {
    let bench = Bench::new();
    let (text, value) = dat(5);
    bench.file("small.dat", &text);
    let all = assignments(5, 5, false);
    let best = all
        .iter()
        .min_by(|x, y| value(x).total_cmp(&value(y)))
        .unwrap();
    let columns: Vec<usize> = best.iter().map(|a| a.unwrap()).collect();
    bench.file("list.json", json!(columns).to_string());
    bench.file("result.json", json!({ "assignment": columns }).to_string());
    // Counted from 1, and the inverse, as many solutions of QAPLIB are.
    let mut inverse = [0; 5];
    for (i, &a) in columns.iter().enumerate() {
        inverse[a] = i + 1;
    }
    let inverse: Vec<String> = inverse.iter().map(usize::to_string).collect();
    bench.file(
        "best.sln",
        format!("5 {}\n{}\n", value(best), inverse.join(" ")),
    );
    for file in ["list.json", "result.json", "best.sln"] {
        // A descent from the best stays there.
        let line = format!("solve small.dat --solver 2opt --start {file} --json");
        let result = bench.run(&line).json();
        check(&result, &all, 1.0, &value);
    }
    for (contents, parts) in [
        (
            "[0, 1, 2, 3]",
            &["bad.json", "not one-to-one", "5 rows"][..],
        ),
        ("[0, 0, 1, 2, 3]", &["bad.json", "not one-to-one"]),
        ("[0, 1, 2, 3, 9]", &["bad.json", "not one-to-one"]),
        ("[0, 1,", &["bad.json, line 1", "no JSON"]),
        ("{\"objective\": 3}", &["bad.json", "found something else"]),
        ("[]", &["bad.json", "not one-to-one"]),
    ] {
        bench.file("bad.json", contents);
        let line = bench.run("solve small.dat --start bad.json").refused(2);
        for part in parts {
            assert!(line.contains(part), "`{part}` is not in: {line}");
        }
    }
    let line = bench.run("solve - --start - --format qaplib").refused(2);
    assert!(line.contains("standard input can be read once"), "{line}");
    let line = bench.run("solve small.dat --start no.json").refused(2);
    assert!(line.starts_with("no.json: "), "{line}");
}

#[test]
fn wrong_input_is_refused_in_one_line() {
    let bench = Bench::new();
    bench.file("a.dat", dat(4).0);
    bench.file("a.csv", "a,b\n");
    bench.file("short.dat", "3\n1 2 3\n");
    for (line, parts) in [
        ("solve no.dat", &["no.dat: "][..]),
        ("solve a.csv", &["a.csv", "`.csv`", ".dd"]),
        ("solve short.dat", &["short.dat", "3×3 matrix A"]),
        ("solve a.dat --format dd", &["a.dat, line 1"]),
        (
            "solve a.dat --format json",
            &["a.dat, line ", "SavedProblem"],
        ),
        ("solve a.dat --format xml", &["'xml'", "qaplib"]),
        (
            "solve a.dat --problem 1",
            &["--problem", "the one problem of a.dat"],
        ),
        ("solve a.dat --output a.dat", &["--output", "PROBLEM"]),
        ("solve a.dat --output no/r.json", &["no directory `no`"]),
        ("solve a.dat --time-limit 0", &["--time-limit"]),
        ("solve", &["<PROBLEM>"]),
        ("solve a.dat --set colour", &["--set", "NAME=VALUE"]),
        (
            "solve a.dat --set colour=1",
            &[
                "colour: found 1",
                "an option of portfolio: relaxations, tabu",
            ],
        ),
        (
            "solve a.dat --solver faq --set restarts=many",
            &["restarts: found \"many\", expected an integer, 0 or more"],
        ),
        (
            "solve a.dat --solver rrwm --set walk=2",
            &["walk: found 2, expected a number from 0 to 1"],
        ),
    ] {
        let found = bench.run(line).refused(2);
        for part in parts {
            assert!(found.contains(part), "`{part}` is not in: {found}");
        }
    }
    // The names of all solvers are in the message.
    for command in ["solve a.dat", "match a.csv a.csv"] {
        let line = bench.run(&format!("{command} --solver magic")).refused(2);
        assert!(line.contains("'magic'"), "{line}");
        for solver in registry::all() {
            assert!(line.contains(solver.info().name), "{line}");
        }
    }
    let line = bench.run("solve a.dat --max-memory 100").refused(4);
    assert!(line.contains("the limit is 100 B"), "{line}");
}

#[test]
fn parameters_are_set_by_name() {
    let bench = Bench::new();
    bench.file("a.dat", dat(12).0);
    let solved = |settings: &str| -> Value {
        let line = format!("solve a.dat --json --solver tabu {settings}");
        bench.run(&line).json()
    };
    assert_eq!(solved("--set iterations=7")["iterations"], 7);
    // The last one counts.
    assert_eq!(
        solved("--set iterations=7 --set iterations=9")["iterations"],
        9
    );
    let both = solved("--set tenure=[0.5,2] --set iterations=11 --set use_all_time=false");
    assert_eq!(both["iterations"], 11);
    let default = solved("");
    assert_eq!(
        solved("--set iterations=null")["iterations"],
        default["iterations"]
    );
}

#[test]
fn a_time_limit_leaves_the_best_so_far() {
    let bench = Bench::new();
    bench.file("a.dat", dat(30).0);
    for solver in registry::all() {
        let info = solver.info();
        let line = format!(
            "solve a.dat --time-limit 0.000001 --json --solver {}",
            info.name
        );
        let answer = bench.run(&line);
        if answer.code == 2 && is_picky(solver.as_ref()) {
            continue;
        }
        // One without iterations may be done before it looks at the clock.
        assert!([0, 3].contains(&answer.code), "{}: {answer:?}", info.name);
        let result: Value = serde_json::from_str(&answer.stdout).unwrap();
        let mut columns: Vec<usize> = serde_json::from_value(result["assignment"].clone()).unwrap();
        columns.sort_unstable();
        assert!(columns.into_iter().eq(0..30), "{}", info.name);
        assert_eq!(answer.code == 3, result["status"] == "time_limit");
    }
    let answer = bench.run("solve a.dat --time-limit 0.05");
    assert_eq!(answer.code, 3, "{answer:?}");
    assert!(
        answer.stdout.contains("status      time limit"),
        "{answer:?}"
    );
    assert!(answer.stderr.contains("note: stopped at the time limit"));
}

#[test]
fn the_same_input_gives_the_same_bytes_on_any_number_of_threads() {
    let bench = Bench::new();
    bench.file("a.dat", dat(20).0);
    let run = |threads: usize, solver: &str| {
        let line = format!("solve a.dat --seed 5 --solver {solver} --threads {threads} --json");
        let text = bench.run(&line).ok();
        // The clock is the one thing that may differ.
        let (before, rest) = text.split_once("\"seconds\":").unwrap();
        let (_, after) = rest.split_once(',').unwrap();
        format!("{before}{after}")
    };
    for solver in ["portfolio", "rrwm", "ils"] {
        assert_eq!(run(1, solver), run(2, solver), "{solver}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_the_best_so_far() {
    let bench = Bench::new();
    bench.file("a.dat", dat(60).0);
    let mut running = bench.start("solve a.dat --time-limit 600 --json --progress json");
    running.wait_for("\"stage\":\"portfolio\"");
    running.signal("-INT");
    let answer = running.end();
    assert_eq!(answer.code, 3, "{answer:?}");
    let result: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(result["status"], "cancelled");
    says(&answer.stderr, &["note: stopped on request after"]);
}

#[test]
fn graphs_are_matched_by_any_solver() {
    let bench = Bench::new().with_pair();
    for solver in registry::all() {
        let name = solver.info().name;
        let line = format!("match a.csv b.csv --anchors anchors.csv --solver {name} --json");
        let answer = bench.run(&line);
        if answer.code == 2 {
            assert!(is_picky(solver.as_ref()), "{name}: {answer:?}");
            continue;
        }
        let matching = answer.json();
        assert_eq!(matching["pairs"].as_array().unwrap().len(), 5, "{name}");
    }
    // A search that goes on until the limit has a result when it comes.
    let bench = Bench::new().with_points(40);
    let answer = bench.run(
        "match p.csv q.csv --points --anchors known.csv --solver portfolio --time-limit 2 --json",
    );
    assert_eq!(answer.code, 3, "{answer:?}");
    let matching: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(matching["status"], "time_limit");
    assert_eq!(matching["pairs"].as_array().unwrap().len(), 40);
}
