//! A studio at a real port, and requests written by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anchormatch::Graph;
use anchormatch::graph::Labels;
use anchormatch::matcher::registry;
use anchormatch_io::read_pairs;
use anchormatch_studio::{Base, Running, Setup, Side, Studio, Token};
use serde_json::Value;

/// A ring with chords, whose ids are as hostile as ids can be.
pub(crate) fn graph(nodes: usize, letter: char) -> Graph {
    let ring = (0..nodes).map(|i| (i, (i + 1) % nodes, 1.0 + (i * 7 % 5) as f64));
    let chords = (0..nodes / 2).map(|i| (i, (i * i + 3) % nodes, 2.5));
    let mut edges: Vec<(usize, usize, f64)> = ring.collect();
    for (u, v, weight) in chords {
        let known = |&(a, b, _): &(usize, usize, f64)| (a, b) == (u, v) || (a, b) == (v, u);
        if u != v && !edges.iter().any(known) {
            edges.push((u, v, weight));
        }
    }
    let mut names: Vec<String> = (0..nodes).map(|i| format!("{letter}{i}")).collect();
    names[1] = "<img src=x onerror=alert(1)>".to_owned();
    names[2] = "\"><script>alert(2)</script>".to_owned();
    let graph = Graph::from_edges(nodes, &edges).expect("a graph");
    let labels = Labels::new(names).expect("names of their own");
    graph.with_labels(labels).expect("a name for each node")
}

/// A studio and its server.
pub(crate) struct Served {
    pub(crate) running: Running,
    pub(crate) studio: Studio,
    token: Token,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value)
    }
}

pub(crate) fn setup(anchors: &Path, nodes: usize) -> Setup {
    let side = |letter: char| Side {
        name: format!("{letter}.csv"),
        graph: Arc::new(graph(nodes, letter)),
        positions: None,
        wireframe: None,
        points: false,
        image: None,
    };
    let best = registry::by_name("best").expect("a preset");
    Setup::new(
        "two rings".to_owned(),
        [side('s'), side('t')],
        Base::of(best.as_ref()),
        anchors.to_owned(),
        Box::new(|choices, kept| format!("match {} {}", choices.preset, kept.anchors.display())),
    )
}

impl Served {
    /// A studio whose anchors are kept in `folder`.
    pub(crate) fn new(folder: &Path, nodes: usize) -> Self {
        let anchors = folder.join("anchors.csv");
        let setup = setup(&anchors, nodes);
        let found = anchors.exists().then(|| {
            let (source, target) = (&setup.sides[0].graph, &setup.sides[1].graph);
            read_pairs(&anchors)
                .expect("a file of anchors")
                .anchors(source, target)
                .expect("anchors of these graphs")
        });
        let studio = Studio::open(setup, found.as_ref()).expect("the server answers");
        let token = Token::new(&[0xa5; 32]).expect("the server answers");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("the server answers");
        let running = studio
            .serve(listener, token.clone())
            .expect("the server answers");
        Self {
            running,
            studio,
            token,
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_str()
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.running.port())
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).expect("the server answers");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("the server answers");
        stream
    }

    /// Sends bytes as they are and reads all that comes back.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that has heard enough may close before all is written.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes
            .windows(4)
            .position(|w| w == b"\r\n\r\n")
            .unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or(0);
        Answer {
            status,
            head,
            body: bytes.get(end + 4..).unwrap_or_default().to_vec(),
        }
    }

    /// A request with headers of its own.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.raw(text.as_bytes())
    }

    /// A request as the page makes it.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let host = self.host();
        self.ask(
            "GET",
            path,
            &[("Host", &host), ("X-Anchormatch-Token", self.token())],
            "",
        )
    }

    pub(crate) fn act(&self, body: &str) -> Answer {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let headers = [
            ("Host", host.as_str()),
            ("Origin", origin.as_str()),
            ("X-Anchormatch-Token", self.token()),
        ];
        self.ask("POST", "/api/act", &headers, body)
    }

    pub(crate) fn events(&self) -> Events {
        let mut stream = self.connect();
        let request = format!(
            "GET /api/events?token={} HTTP/1.1\r\nHost: {}\r\n\r\n",
            self.token(),
            self.host()
        );
        stream
            .write_all(request.as_bytes())
            .expect("the server answers");
        Events(BufReader::new(stream))
    }
}

/// What a page hears.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    /// The next event for which `wanted` holds.
    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(
                self.0.read_line(&mut line).expect("the server answers"),
                0,
                "the stream ended"
            );
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            let event: Value = serde_json::from_str(data.trim_end()).expect("the server answers");
            if wanted(&event) {
                return event;
            }
        }
    }

    /// The match after so many changes, whole.
    pub(crate) fn matched(&mut self, change: u64) -> Value {
        self.wait(|event| {
            let summary = &event["summary"];
            event["kind"] == "matched" && summary["quick"] == false && summary["change"] == change
        })
    }
}
