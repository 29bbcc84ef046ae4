//! Small problems whose optima are found by trying everything.

use std::path::Path;

use anchormatch::Assignment;
use anchormatch::solver::Solver;
use serde_json::Value;

/// All one-to-one assignments of `rows` to `cols`, with rows that stay alone where that is allowed.
#[must_use]
pub fn assignments<A>(rows: usize, cols: usize, alone: bool) -> Vec<A>
where
    A: FromIterator<Option<usize>>,
{
    let mut all = vec![Assignment::default()];
    for _ in 0..rows {
        let mut longer = Vec::new();
        for start in &all {
            let free = (0..cols)
                .map(Some)
                .filter(|a| start.iter().all(|b| b != *a));
            for next in free.chain(alone.then_some(None)) {
                longer.push(start.iter().chain([next]).collect());
            }
        }
        all = longer;
    }
    all.iter().map(|found| found.iter().collect()).collect()
}

/// All orders of n things.
#[must_use]
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    let all = assignments::<Assignment>(n, n, false);
    all.iter().map(|x| x.iter().flatten().collect()).collect()
}

/// Whether a solver says that there are problems which it does not take.
pub fn is_picky(solver: &dyn Solver) -> bool {
    !solver.info().accepts.starts_with("all")
}

/// Numbers without a pattern, from −8 to 8.
fn noise(k: usize) -> f64 {
    ((k * 7919 + k * k * 104_729 + 13) % 17) as f64 - 8.0
}

/// The smallest value over `all`, and the value of an assignment that the command printed.
#[track_caller]
pub fn check(result: &Value, all: &[Assignment], sign: f64, value: impl Fn(&Assignment) -> f64) {
    let best = all
        .iter()
        .map(|x| sign * value(x))
        .fold(f64::INFINITY, f64::min);
    let assignment: Assignment =
        serde_json::from_value(result["assignment"].clone()).expect("an assignment");
    assert!(all.contains(&assignment), "{result}");
    let objective = result["objective"].as_f64().expect("a number");
    assert!((objective - value(&assignment)).abs() < 1e-9, "{result}");
    assert!(
        (sign * objective - best).abs() < 1e-9,
        "{best} against {result}"
    );
}

/// n, A, B with entries from `noise`.
pub fn dat(n: usize) -> (String, impl Fn(&Assignment) -> f64) {
    let entry = move |which: usize, i: usize, j: usize| noise(which * n * n + i * n + j);
    let mut text = format!("{n}\n");
    for which in 0..2 {
        for i in 0..n {
            let row: Vec<String> = (0..n).map(|j| entry(which, i, j).to_string()).collect();
            text += &(row.join(" ") + "\n");
        }
    }
    let value = move |p: &Assignment| {
        let place = |i: usize| p.partner(i).expect("everybody is matched");
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        pairs
            .map(|(i, j)| entry(0, i, j) * entry(1, place(i), place(j)))
            .sum()
    };
    (text, value)
}

/// A `.dd` problem of 4×4 nodes, all assignments and all pairs listed, made from `shift`.
pub fn dd(shift: usize) -> (String, impl Fn(&Assignment) -> f64) {
    let unary = move |i: usize, a: usize| noise(shift + 4 * i + a);
    let pair = move |i: usize, a: usize, j: usize, b: usize| {
        noise(shift + 50 + 64 * i + 16 * a + 4 * j + b)
    };
    let mut lines = Vec::new();
    for id in 0..16 {
        lines.push(format!(
            "a {id} {} {} {}",
            id / 4,
            id % 4,
            unary(id / 4, id % 4)
        ));
    }
    let mut pairs = 0;
    for first in 0..16 {
        for second in first + 1..16 {
            let ((i, a), (j, b)) = ((first / 4, first % 4), (second / 4, second % 4));
            if i != j && a != b {
                pairs += 1;
                lines.push(format!("e {first} {second} {}", pair(i, a, j, b)));
            }
        }
    }
    let text = format!("p 4 4 16 {pairs}\n{}\n", lines.join("\n"));
    let value = move |x: &Assignment| {
        let mut total = 0.0;
        for (i, a) in x.pairs() {
            total += unary(i, a);
            for (j, b) in x.pairs().filter(|&(j, _)| j > i) {
                total += pair(i, a, j, b);
            }
        }
        total
    };
    (text, value)
}

/// Three rows, four columns, to be maximised.
pub const SAVED: &str = r#"{"version": 1, "sense": "maximise", "kind": {"product": {
    "a": {"dense": [[0, 3, 1], [3, 0, -2], [1, -2, 0]]},
    "b": {"dense": [[0, 5, -1, 2], [5, 0, 4, 1], [-1, 4, 0, 3], [2, 1, 3, 0]]},
    "linear": [[1, 0, 0, 2], [0, 1, 0, 0], [3, 0, 0, 1]]}}}"#;

/// Makes a data folder with two instances of QAPLIB and their optima.
pub fn write_qaplib(data: &Path) {
    let folder = data.join("qaplib/dat");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut index = "name,n,best_cost_found,dat_source,sln_source,sln_convention,\
                     symmetric_A,symmetric_B,permutation_0based\n"
        .to_owned();
    for (name, n) in [("tiny5", 5), ("tiny6", 6)] {
        let (text, value) = dat(n);
        std::fs::write(folder.join(format!("{name}.dat")), text).expect("a file can be written");
        let all = assignments(n, n, false);
        let best = all.iter().min_by(|x, y| value(x).total_cmp(&value(y)));
        let best = best.expect("there is an assignment");
        let columns: Vec<String> = best.iter().flatten().map(|a| a.to_string()).collect();
        index += &format!(
            "{name},{n},{},x,x,p,0,0,{}\n",
            value(best),
            columns.join(" ")
        );
    }
    std::fs::write(data.join("qaplib/index.csv"), index).expect("a file can be written");
}
