//! A folder to call a command in, with files of its own, and the command's answer.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

/// A program to call; its path is known where it is tested.
pub trait Program {
    /// `env!("CARGO_BIN_EXE_…")`.
    const PATH: &str;
}

/// A folder of its own for one test of a program.
#[derive(Debug)]
pub struct Bench<P> {
    folder: TempDir,
    program: PhantomData<P>,
}

/// How a call of the command ended.
#[derive(Debug)]
pub struct Answer {
    /// The exit code.
    pub code: i32,
    /// What it wrote for the next program.
    pub stdout: String,
    /// What it wrote for people.
    pub stderr: String,
}

impl<P: Program> Default for Bench<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Program> Bench<P> {
    /// An empty folder.
    #[must_use]
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder can be made"),
            program: PhantomData,
        }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, contents).expect("a file can be written");
        path
    }

    /// What a file holds.
    #[must_use]
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("the file is there")
    }

    /// Whether there is such a file.
    #[must_use]
    pub fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Every name in the folder, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            let name = entry.expect("an entry").file_name();
            name.into_string().expect("a name in Unicode")
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// The command in this folder, away from the variables of whoever runs the tests.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(P::PATH);
        command
            .current_dir(self.path())
            .env_remove("ANCHORMATCH_DATA");
        command
    }

    /// Calls the command with arguments that have no blanks.
    #[must_use]
    pub fn run(&self, line: &str) -> Answer {
        self.run_with(line.split_whitespace(), "")
    }

    /// Calls the command with some standard input.
    #[must_use]
    pub fn run_with<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: &str,
    ) -> Answer {
        let mut child = self
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let output = thread::scope(|scope| {
            // A command that does not read all of it is no fault of the test.
            scope.spawn(move || stdin.write_all(input.as_bytes()));
            child.wait_with_output().expect("the command ends")
        });
        let text = |bytes| String::from_utf8(bytes).expect("the command writes text");
        Answer {
            code: output.status.code().expect("no signal ended the command"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// `a.csv`, `b.csv`, `anchors.csv` and `truth.csv`: a small graph and its mirror.
    #[must_use]
    pub fn with_pair(self) -> Self {
        let edges = [
            ("ann", "bob", 1.0),
            ("bob", "eve", 2.0),
            ("eve", "dan", 3.5),
            ("dan", "ann", 0.5),
            ("ann", "eve", 5.0),
            ("dan", "fay", 1.5),
            ("fay", "bob", 0.7),
        ];
        let (mut a, mut b) = (String::new(), String::new());
        for (s, t, w) in edges {
            a += &format!("{s},{t},{w}\n");
            let mirror = |name: &str| name.chars().rev().collect::<String>();
            b = format!("{},{},{w}\n{b}", mirror(t), mirror(s));
        }
        self.file("a.csv", a);
        self.file("b.csv", b);
        self.file("anchors.csv", "source,target\nann,nna\n");
        let truth = "source,target\nann,nna\nbob,bob\neve,eve\ndan,nad\nfay,yaf\n";
        self.file("truth.csv", truth);
        self
    }

    /// `p.csv` and `q.csv`: the same scattered points, `q` turned and shaken a little.
    #[must_use]
    pub fn with_points(self, count: usize) -> Self {
        let (mut p, mut q) = ("x,y\n".to_owned(), "x,y\n".to_owned());
        for k in 0..count {
            // A Kronecker sequence: spread evenly, without symmetry.
            let (x, y) = (
                k as f64 * 0.754_877_666 % 1.0,
                k as f64 * 0.569_840_291 % 1.0,
            );
            let shake = 0.01 * ((k * 7919) % 101) as f64 / 101.0;
            p += &format!("{x},{y}\n");
            q += &format!("{},{}\n", y + shake, x - shake * 0.5);
        }
        self.file("p.csv", p);
        self.file("q.csv", q);
        self.file("known.csv", "source,target\n0,0\n1,1\n");
        self
    }
}

impl<P: Program> Bench<P> {
    /// Runs `line` with `--json`; gives the parts of its error after checking what all errors have.
    #[must_use]
    #[track_caller]
    pub fn error(&self, line: &str) -> Value {
        let answer = self.run(&format!("{line} --json"));
        assert_eq!(answer.stdout, "", "{line}");
        assert_eq!(answer.stderr.lines().count(), 1, "{line}: {answer:?}");
        let value: Value = serde_json::from_str(&answer.stderr)
            .unwrap_or_else(|error| panic!("{line}: {error}: {answer:?}"));
        assert!(
            value.as_object().is_some_and(|all| all.len() == 1),
            "{line}: {value}"
        );
        let error = &value["error"];
        assert_eq!(error["exit_code"], answer.code, "{line}: {value}");
        assert_ne!(answer.code, 0, "{line}");
        let is_line = |text: &str| !text.is_empty() && !text.contains('\n');
        for text in ["kind", "message"] {
            assert!(error[text].as_str().is_some_and(is_line), "{line}: {value}");
        }
        // Null stands for a part that an error does not have; none may be absent.
        let has = |part: &str, is: fn(&Value) -> bool| {
            error
                .get(part)
                .is_some_and(|part| is(part) || part.is_null())
        };
        for part in ["file", "found", "expected", "hint"] {
            assert!(has(part, Value::is_string), "{line}: {value}");
        }
        for part in ["line", "column"] {
            assert!(has(part, Value::is_u64), "{line}: {value}");
        }
        error.clone()
    }

    /// `line` is refused with exit code 2 and one line that says all of `parts`.
    #[track_caller]
    pub fn refuses(&self, line: &str, parts: &[&str]) {
        says(&self.run(line).refused(2), parts);
    }

    /// `line` is wrong usage: exit code 2, and the error's parts hold what was found and expected.
    #[track_caller]
    pub fn misused(&self, line: &str, found: &str, expected: &str) {
        let error = self.error(line);
        assert_eq!(
            (&error["kind"], &error["exit_code"]),
            (&"usage".into(), &2.into()),
            "{line}"
        );
        for (part, wanted) in [("found", found), ("expected", expected)] {
            let holds = error[part].as_str().unwrap_or_default().contains(wanted);
            assert!(holds, "{line}: {error}");
        }
    }
}

/// A call that goes on, its standard error read line by line.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl<P: Program> Bench<P> {
    /// Starts the command with arguments that have no blanks.
    #[must_use]
    pub fn start(&self, line: &str) -> Running {
        let mut child = self
            .command()
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        Running { child, stderr }
    }
}

impl Running {
    /// Writes to the command's standard input, which stays open.
    pub fn feed(&mut self, input: &str) {
        let stdin = self.child.stdin.as_mut().expect("it is piped");
        stdin.write_all(input.as_bytes()).expect("it reads");
    }

    /// Waits for a line of standard error that says `word`.
    #[track_caller]
    pub fn wait_for(&mut self, word: &str) {
        let mut line = String::new();
        while !line.contains(word) {
            line.clear();
            let read = self.stderr.read_line(&mut line).expect("it writes text");
            assert!(read > 0, "it ended before `{word}`");
        }
    }

    /// Sends a signal, `-INT` for instance.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("the command kill").success());
    }

    /// Kills the command, which cannot do anything about it.
    #[track_caller]
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        let status = self.child.wait().expect("it ends");
        assert_eq!(status.code(), None, "a signal ended it");
    }

    /// Waits for the end; `stderr` is what was not read before.
    #[track_caller]
    pub fn end(mut self) -> Answer {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.stderr.read_to_string(&mut stderr).expect("text");
        let mut out = self.child.stdout.take().expect("it is piped");
        out.read_to_string(&mut stdout).expect("text");
        let status = self.child.wait().expect("the command ends");
        Answer {
            code: status.code().expect("no signal ended the command"),
            stdout,
            stderr,
        }
    }
}

impl Answer {
    /// The call succeeded; gives standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// The call succeeded and wrote JSON, which is given.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("JSON")
    }

    /// The call was refused with `code` and one line, which is given.
    #[track_caller]
    pub fn refused(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        let line = self.stderr.trim_end();
        line.strip_prefix("error: ")
            .unwrap_or_else(|| panic!("{line}"))
            .to_owned()
    }
}

/// The line says all of `parts`.
#[track_caller]
pub fn says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}
