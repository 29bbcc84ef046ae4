//! `studio`: what is refused before a page opens, and a page that keeps what is said.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use common::Bench;

/// A studio that is running.
struct Studio {
    process: Child,
    host: String,
    token: String,
}

impl Studio {
    fn open(bench: &Bench, line: &str) -> Self {
        let mut command = bench.command();
        command
            .arg("studio")
            .arg("--no-open")
            .args(line.split_whitespace());
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut url)
            .unwrap();
        let (host, token) = url
            .trim_end()
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/?token="))
            .unwrap_or_else(|| panic!("an address: {url:?}"));
        Self {
            host: host.to_owned(),
            token: token.to_owned(),
            process,
        }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nX-Anchormatch-Token: {}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n{body}",
            self.host, self.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn anchor(&self, source: usize, target: usize) {
        let change = format!(r#"{{"do":"anchor","source":{source},"target":{target}}}"#);
        let body = format!(r#"{{"act":"say","change":{change}}}"#);
        let answer = self.ask("POST", "/api/act", &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn what_is_said_outlives_a_kill_and_match_reads_it() {
    let bench = Bench::new().with_pair();
    {
        let studio = Studio::open(&bench, "a.csv b.csv");
        let about = studio.ask("GET", "/api/about", "");
        assert!(
            about.contains("\"a.csv\"") && about.contains("a-b.anchors.csv"),
            "{about}"
        );
        studio.anchor(0, 1);
        studio.anchor(2, 2);
    }
    assert_eq!(bench.read("a-b.anchors.csv").lines().count(), 3);
    let studio = Studio::open(&bench, "a.csv b.csv");
    studio.anchor(1, 0);
    assert_eq!(bench.read("a-b.anchors.csv").lines().count(), 4);
    bench
        .run("match a.csv b.csv --anchors a-b.anchors.csv")
        .ok();
}

#[test]
fn the_house_needs_no_file() {
    let bench = Bench::new();
    let studio = Studio::open(&bench, "");
    assert!(studio.ask("GET", "/api/about", "").contains("\"nodes\":51"));
    assert_eq!(
        bench.names(),
        Vec::<String>::new(),
        "nothing is written before something is said"
    );
    studio.anchor(3, 3);
    assert!(bench.exists("anchormatch-house.anchors.csv"));
}

#[test]
fn what_cannot_be_opened_is_said_in_one_line() {
    let bench = Bench::new().with_pair().with_points(9);
    bench.file("other.csv", "source,target\nzoe,max\n");
    bench.file("broken.csv.journal", "not a journal\n");
    bench.file("broken.csv", "source,target\n");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!(
        "studio a.csv b.csv --no-open --port {}",
        taken.local_addr().unwrap().port()
    );
    for (line, parts) in [
        ("studio a.csv", &["<TARGET>"][..]),
        ("studio a.csv no.csv", &["no.csv"]),
        (
            "studio a.csv b.csv --anchors other.csv",
            &["other.csv", "line 2", "zoe"],
        ),
        (
            "studio a.csv b.csv --anchors broken.csv",
            &["broken.csv.journal", "line 1"],
        ),
        (
            "studio a.csv b.csv --anchors no/known.csv",
            &["no/known.csv"],
        ),
        (
            "studio a.csv b.csv --anchors -",
            &["--anchors", "the name of a file"],
        ),
        (
            "studio a.csv b.csv --anchors a.csv",
            &["--anchors", "SOURCE as well"],
        ),
        (
            "studio a.csv b.csv --source-image a.csv",
            &["--source-image", "--points"],
        ),
        (
            "studio p.csv q.csv --points --source-image p.csv",
            &["p.csv", "PNG or JPEG"],
        ),
        (
            "studio --candidates a.csv",
            &["--candidates", "SOURCE and TARGET"],
        ),
        (&port, &["--port", "free"]),
    ] {
        bench.refuses(line, parts);
    }
}
