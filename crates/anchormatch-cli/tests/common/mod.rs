//! What every test of the command needs: a folder, files in it, and the command's answer.

// Each test file takes what it needs.
#![allow(dead_code, clippy::unwrap_used)]

pub(crate) mod problems;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A folder of its own for one test.
pub(crate) struct Bench {
    folder: TempDir,
}

/// How a call of the command ended.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    /// Every name in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command in this folder, away from the variables of whoever runs the tests.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("anchormatch"));
        command
            .current_dir(self.path())
            .env_remove("ANCHORMATCH_DATA");
        command
    }

    /// Calls the command with arguments that have no blanks.
    pub(crate) fn run(&self, line: &str) -> Answer {
        self.run_with(line.split_whitespace(), "")
    }

    /// Calls the command with some standard input.
    pub(crate) fn run_with<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: &str,
    ) -> Answer {
        let output = self
            .command()
            .args(arguments)
            .write_stdin(input)
            .output()
            .unwrap();
        Answer {
            code: output.status.code().expect("no signal ended the command"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// `a.csv`, `b.csv`, `anchors.csv` and `truth.csv`: a small graph and its mirror.
    pub(crate) fn with_pair(self) -> Self {
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
    pub(crate) fn with_points(self, count: usize) -> Self {
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

impl Answer {
    /// The call succeeded; gives standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    /// The call was refused with `code` and one line, which is given.
    #[track_caller]
    pub(crate) fn refused(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        let line = self.stderr.trim_end();
        line.strip_prefix("error: ")
            .unwrap_or_else(|| panic!("{line}"))
            .to_owned()
    }
}
